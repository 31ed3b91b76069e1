"""Taking back the part of a GPU's L2 that a kernel may have reserved for its own data."""

import ctypes
from contextlib import suppress

CU_LIMIT_PERSISTING_L2_CACHE_SIZE = 0x06


def reset_persisting() -> None:
    """Lines set aside become ordinary ones and the set-aside is closed, in the current context.
    The driver's own library is called directly: it is there wherever a GPU is."""
    with suppress(OSError):
        driver = ctypes.CDLL("libcuda.so.1")
        driver.cuCtxResetPersistingL2Cache()
        driver.cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, ctypes.c_size_t(0))
