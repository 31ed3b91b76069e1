"""Measuring: roofs, the judge, comparisons, the doctor, receipts and the device lock."""
