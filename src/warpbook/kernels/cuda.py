"""CUDA C++ kernels: compiled from a `.cu` file when first asked for, launched on torch's stream.

    add = kernel(__file__, "add", a.dtype, 4)      # add<float, 4> of the .cu beside this file
    add(cdiv(n, 256), 256, a, b, out, n)           # grid, block, then the kernel's arguments

A tensor is passed as a pointer (None as a null one), an int or a bool as a `long long`, a float as
a `float`, and a tensor map, which comes before all others, by value. Compiling needs no GPU; what
it yields is kept on disk. Knows nothing of problems and rungs.
"""

import ctypes
import hashlib
import os
import re
import struct
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import torch

from warpbook.core.errors import BadInput, Missing
from warpbook.kernels.includes import FOLDERS, included

TYPES = {torch.float32: "float", torch.float16: "half16", torch.bfloat16: "bf16"}
CODES = {int: "q", bool: "q", float: "f", bytes: "128s"}
MAX_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
CLUSTER_DIMENSION = 4  # CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
LARGEST_PARCEL = 1024
# CUlaunchConfig: grid, block and shared memory, the stream, and attributes, of which there are
# none. Then, for the driver as well, how many bytes of arguments follow.
CONFIG = "7IqqIq"
ARGUMENTS_AT = struct.calcsize(CONFIG)


def cdiv(a: int, b: int) -> int:
    return -(-a // b)


@cache
def kernel(file: str, name: str, *parameters: torch.dtype | int | bool) -> "Kernel":
    """The kernel `name<parameters...>` of a `.cu` file, or of the one beside a `.py` file."""
    symbol, cubin = compiled(
        Path(file).with_suffix(".cu"), spelled(name, parameters), architecture()
    )
    return Kernel(symbol, cubin)


def spelled(name: str, parameters: tuple[torch.dtype | int | bool, ...]) -> str:
    """As C++ spells it."""
    words = [
        TYPES[p]
        if isinstance(p, torch.dtype)
        else str(p).lower()
        if isinstance(p, bool)
        else str(p)
        for p in parameters
    ]
    return f"{name}<{', '.join(words)}>" if words else name


@cache
def architecture() -> str:
    """Of the current GPU. The `a` unlocks what only this very architecture has."""
    major, minor = torch.cuda.get_device_capability()
    return f"sm_{major}{minor}" + ("a" if major in (9, 10) else "")


def compiled(
    file: Path, expression: str, arch: str, folders: tuple[Path, ...] = ()
) -> tuple[str, bytes]:
    """The symbol and the cubin, from the disk if this very source was compiled before, under this
    name, which its lines are told by. `folders` are searched for headers, besides this package's
    own."""
    source = file.read_text()
    headers = (header.read_text() for header in included(source.encode()))
    parts = (file.name, source, expression, arch, *map(str, folders), *headers)
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    path = cache_folder() / f"{digest}.cubin"
    kept = recall(path)
    if kept is None:
        kept = b"\0".join(compile_cubin(file, source, expression, arch, folders))
        keep(path, kept)
    symbol, _, cubin = kept.partition(b"\0")
    return symbol.decode(), cubin


def compile_cubin(
    file: Path, source: str, expression: str, arch: str, folders: tuple[Path, ...]
) -> tuple[bytes, bytes]:
    try:
        from cuda.core import Program, ProgramOptions
    except ImportError:
        raise Missing("CUDA C++ needs cuda-core: pip install 'warpbook[cuda]'") from None
    options = ProgramOptions(
        arch=arch,
        std="c++17",
        name=str(file),
        include_path=[str(folder) for folder in (*FOLDERS, *folders)],
        lineinfo=True,
    )
    try:
        code = Program(source, "c++", options).compile("cubin", name_expressions=(expression,))
    except Exception as error:
        if "compilation log" not in str(error):
            raise
        raise BadInput(compiler_messages(str(error), file)) from None
    return code.symbol_mapping[expression], bytes(code.code)


def compiler_messages(log: str, file: Path) -> str:
    """The compiler's own lines, each place written as file:line."""
    lines = log.partition("compilation log:")[2].strip("\0 \n").splitlines()
    placed = (re.sub(r"^(\S.*?)\((\d+)\):", r"\1:\2:", line) for line in lines if line.strip())
    return "\n".join(placed) or f"{file}: does not compile"


def cache_folder() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "warpbook" / "cubins"


def keep(path: Path, contents: bytes) -> None:
    """Behind their own hash. A cache that cannot be written is done without."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mine = path.with_suffix(f".{os.getpid()}")
        mine.write_bytes(hashlib.sha256(contents).digest() + contents)
        mine.replace(path)
    except OSError:
        pass


def recall(path: Path) -> bytes | None:
    """What was kept, if it is there and whole."""
    try:
        found = path.read_bytes()
    except OSError:
        return None
    contents = found[32:]
    return contents if hashlib.sha256(contents).digest() == found[:32] else None


@cache
def driver() -> ctypes.PyDLL:
    """PyDLL, since a launch takes less time than letting go of the interpreter's lock."""
    library = ctypes.PyDLL("libcuda.so.1")
    library.cuLaunchKernelEx.argtypes = [ctypes.c_void_p] * 4
    return library


def require(status: int) -> None:
    if status:
        text = ctypes.c_char_p()
        driver().cuGetErrorString(status, ctypes.byref(text))
        raise RuntimeError(f"the CUDA driver answered {status}: {(text.value or b'').decode()}")


class Parcel(threading.local):
    """Where a launch packs what the driver reads: one buffer a thread, of which the driver keeps
    nothing. A thread that launches also needs a context, which the runtime, unlike the driver,
    would have seen to."""

    def __init__(self) -> None:
        contents = ctypes.create_string_buffer(LARGEST_PARCEL)
        start = ctypes.addressof(contents)
        pointer, size, end = 1, 2, 0  # CU_LAUNCH_PARAM_BUFFER_POINTER, _SIZE, _END
        extra = (ctypes.c_void_p * 5)(
            pointer, start + ARGUMENTS_AT, size, start + ARGUMENTS_AT - 8, end
        )
        # The array keeps its memory alive; an address is passed faster than an array.
        self.parts = (contents, start, ctypes.addressof(extra), extra)
        bind_context(torch.cuda.current_device())


@cache
def parcel() -> Parcel:
    """Of whichever thread asks it for its parts."""
    return Parcel()


def bind_context(device: int) -> None:
    """Give this thread the device's context, unless it has one."""
    context = ctypes.c_void_p()
    require(driver().cuCtxGetCurrent(ctypes.byref(context)))
    if not context:
        require(driver().cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
        require(driver().cuCtxSetCurrent(context))


def takes_tensor_maps() -> bool:
    """Whether the driver says where arguments begin, as those of CUDA 12.4 and later do."""
    return hasattr(driver(), "cuKernelGetParamInfo")


def first_argument(handle: ctypes.c_void_p) -> int:
    """Where it begins; a kernel without any has none."""
    offset, size = ctypes.c_size_t(), ctypes.c_size_t()
    if takes_tensor_maps():
        ask = driver().cuKernelGetParamInfo
        ask(handle, ctypes.c_size_t(0), ctypes.byref(offset), ctypes.byref(size))
    return offset.value


class Kernel:
    """One loaded kernel."""

    start = 0  # of its arguments: tensor maps lie on multiples of 64 bytes, and not at 0

    def __init__(self, symbol: str, cubin: bytes) -> None:
        library, handle = ctypes.c_void_p(), ctypes.c_void_p()
        torch.cuda.current_stream()  # makes the context
        none = (None, None, 0, None, None, 0)
        require(driver().cuLibraryLoadData(ctypes.byref(library), cubin, *none))
        require(driver().cuLibraryGetKernel(ctypes.byref(handle), library, symbol.encode()))
        self.handle = handle.value
        self.start = first_argument(handle)
        self.parcel = parcel()
        self.launch = driver().cuLaunchKernelEx
        self.stream = torch._C._cuda_getCurrentRawStream
        self.shared: dict[int, int] = {}  # bytes a block may have, by device
        self.layout: struct.Struct | None = None
        self.size = 0
        self.attributes = (0, 0)

    def __call__(
        self,
        grid: int | tuple[int, ...],
        block: int | tuple[int, ...],
        *arguments: Any,
        shared: int = 0,
    ) -> None:
        device = next(a.get_device() for a in arguments if isinstance(a, torch.Tensor))
        values = [a.data_ptr() if isinstance(a, torch.Tensor) else a for a in arguments]
        values = [0 if v is None else v for v in values]
        if self.layout is None:
            self.takes("".join(CODES[type(v)] for v in values))
        self.allow(shared, device)
        grid_xyz = (grid, 1, 1) if isinstance(grid, int) else (*grid, 1, 1)[:3]
        block_xyz = (block, 1, 1) if isinstance(block, int) else (*block, 1, 1)[:3]
        if device != torch._C._cuda_getDevice():
            with torch.cuda.device(device):
                self.run(device, (*grid_xyz, *block_xyz, shared), *values)
        else:
            self.run(device, (*grid_xyz, *block_xyz, shared), *values)

    def takes(self, codes: str) -> "Kernel":
        """Fixes what the arguments are: a letter each, as `struct` has them."""
        self.layout = struct.Struct(f"{CONFIG}{self.start}x{codes}")
        self.size = self.layout.size - ARGUMENTS_AT
        self.pack = self.layout.pack_into
        return self

    def in_clusters(self, size: int) -> "Kernel":
        """From now on launched in clusters of so many blocks."""
        if size > 1 and not self.attributes[1]:
            self._cluster = (ctypes.c_uint * 18)(CLUSTER_DIMENSION, 0, size, 1, 1)
            self.attributes = (ctypes.addressof(self._cluster), 1)
        return self

    def clusters_at_once(self, threads: int, shared: int, cluster: int) -> int:
        """How many clusters, or blocks if they are of one, the device has room for."""
        device = torch.cuda.current_device()
        bind_context(device)
        self.allow(shared, device)
        found, handle = ctypes.c_int(), ctypes.c_void_p(self.handle)
        if cluster == 1:
            size = ctypes.c_size_t(shared)
            ask = driver().cuOccupancyMaxActiveBlocksPerMultiprocessor
            require(ask(ctypes.byref(found), handle, threads, size))
            return found.value * torch.cuda.get_device_properties(device).multi_processor_count
        self.in_clusters(cluster)
        config = ctypes.create_string_buffer(struct.calcsize(CONFIG))
        shape = (cluster, 1, 1, threads, 1, 1, shared)
        struct.pack_into(CONFIG, config, 0, *shape, 0, *self.attributes, 0)
        require(driver().cuOccupancyMaxActiveClusters(ctypes.byref(found), handle, config))
        return found.value

    def run(self, device: int, shape: tuple[int, ...], *values: Any) -> None:
        """The bare launch: grid, block and shared memory in one tuple, tensors as addresses. The
        device is the current one, and `takes` has been called. The driver is given all in one
        buffer, which takes half the time of handing it eleven arguments."""
        contents, config, extra, _ = self.parcel.parts
        self.pack(contents, 0, *shape, self.stream(device), *self.attributes, self.size, *values)
        status = self.launch(config, self.handle, None, extra)
        if status:
            require(status)

    def ready(self, threads: int, shared: int = 0) -> Callable[..., None]:
        """`run` with all fixed but the device, the blocks and the arguments, which it then takes:
        for those who launch one kernel often, and count the host's time. The code is brought to the
        current device now: a launch that has to wait for it cannot be captured in a graph."""
        device = torch.cuda.current_device()
        bind_context(device)
        self.allow(shared, device)
        function, kernel = ctypes.c_void_p(), ctypes.c_void_p(self.handle)
        require(driver().cuKernelGetFunction(ctypes.byref(function), kernel))
        pack, size, parcel, stream = self.pack, self.size, self.parcel, self.stream
        launch, handle, (attributes, count) = self.launch, self.handle, self.attributes

        def go(device: int, blocks: int, *values: Any) -> None:
            contents, config, extra, _ = parcel.parts
            pack(
                contents, 0, blocks, 1, 1, threads, 1, 1, shared, stream(device),
                attributes, count, size, *values,
            )  # fmt: skip
            status = launch(config, handle, None, extra)
            if status:
                require(status)

        return go

    def allow(self, shared: int, device: int) -> None:
        """Let a block have this much shared memory."""
        if shared <= self.shared.get(device, 0):
            return
        require(
            driver().cuKernelSetAttribute(
                MAX_DYNAMIC_SHARED, ctypes.c_int(shared), ctypes.c_void_p(self.handle), device
            )
        )
        self.shared[device] = shared
