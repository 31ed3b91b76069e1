"""Changes an argument that nobody declared, besides the one it should

Adds into the second vector as well, which a later reference would take for its input.
"""

PROBLEM = "accumulate"


def accumulate(total, x):
    total.add_(x)
    x.zero_()
    return total
