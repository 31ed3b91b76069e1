"""Top-k by a sort that finds equal values in other places"""

PROBLEM = "topk"


def topk(x, k):
    values, places = x.flip(-1).sort(dim=-1, descending=True, stable=True)
    return values[:, :k].contiguous(), (x.shape[-1] - 1 - places[:, :k]).contiguous()
