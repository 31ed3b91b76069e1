"""What the k largest or smallest of each row have to be."""

import torch


def assert_topk(found, x, k, largest=True, in_order=True):
    """The values are torch's, bit for bit, and the indices are where they are, each once."""
    values, indices = found
    answer = torch.topk(x, k, -1, largest).values
    assert (values.dtype, indices.dtype) == (x.dtype, torch.int64)
    assert values.is_contiguous()
    assert indices.is_contiguous()
    torch.testing.assert_close(x.gather(-1, indices), values, rtol=0, atol=0, equal_nan=True)
    ordered = values if in_order else torch.topk(values, k, -1, largest).values
    torch.testing.assert_close(ordered, answer, rtol=0, atol=0, equal_nan=True)
    places = indices.sort(-1).values
    assert not (places[..., 1:] == places[..., :-1]).any()
