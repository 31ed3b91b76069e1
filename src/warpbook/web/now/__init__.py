"""The parts of the page Now: functions from what the book says to markup."""
