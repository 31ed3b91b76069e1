"""The few calls of the CUDA driver that torch does not offer, made on its library directly: it is
there wherever a GPU is, and in the context that torch made current.
"""

import ctypes
from functools import cache

PERSISTING_L2_SIZE = 0x06  # CU_LIMIT_PERSISTING_L2_CACHE_SIZE
LAZY_PEER_ACCESS = 0x1  # CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS


class Handle(ctypes.Structure):
    _fields_ = (("bytes", ctypes.c_ubyte * 64),)


@cache
def driver() -> ctypes.CDLL:
    library = ctypes.CDLL("libcuda.so.1")
    library.cuIpcOpenMemHandle_v2.argtypes = [ctypes.c_void_p, Handle, ctypes.c_uint]
    return library


def reset_persisting() -> None:
    """Lines of L2 that were set aside become ordinary ones, and the set-aside is closed. Devices
    without one refuse, and have nothing to reset."""
    driver().cuCtxResetPersistingL2Cache()
    driver().cuCtxSetLimit(PERSISTING_L2_SIZE, ctypes.c_size_t(0))


def share(address: int) -> tuple[bytes, int]:
    """A handle for another process to the allocation around `address`, and the offset in it.
    Torch's own way counts references and complains when a child is killed while it holds one."""
    base, size, handle = ctypes.c_uint64(), ctypes.c_size_t(), Handle()
    require(
        driver().cuMemGetAddressRange_v2(
            ctypes.byref(base), ctypes.byref(size), ctypes.c_uint64(address)
        )
    )
    require(driver().cuIpcGetMemHandle(ctypes.byref(handle), base))
    return bytes(handle.bytes), address - base.value


def open_shared(handle: bytes, offset: int) -> int:
    """The address in this process of what another one shared."""
    address = ctypes.c_uint64()
    parcel = Handle.from_buffer_copy(handle)
    require(driver().cuIpcOpenMemHandle_v2(ctypes.byref(address), parcel, LAZY_PEER_ACCESS))
    return address.value + offset


def require(status: int) -> None:
    if status:
        text = ctypes.c_char_p()
        driver().cuGetErrorString(status, ctypes.byref(text))
        raise RuntimeError(f"the CUDA driver answered {status}: {(text.value or b'').decode()}")
