"""The plain sum in place"""

PROBLEM = "accumulate"


def accumulate(total, x):
    return total.add_(x)
