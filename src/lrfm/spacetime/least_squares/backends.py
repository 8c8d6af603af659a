# SPDX-License-Identifier: MIT
"""Libraries of arrays: what has one number per point *and* feature may live in NumPy or in PyTorch, on any device.

Arithmetic is written once, with operators, indexing, and the functions of a `Backend`, which have NumPy's names and
meaning. Vectors (points, parameters, weights of rows, coefficients) are NumPy's everywhere: `asarray` takes them
to the device where they meet a matrix, `to_numpy` brings results back.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

Array = Any
"""An array of some backend: operators, indexing, `shape`, `T`, `real`, `imag`, `sum`, `max`."""

CACHE_TILE = (64, 512)
"""Features and points of one temporary: rows long enough for fast loops, the whole (256 kB) small enough for
the cache. An even number of features keeps real and imaginary parts together."""
DEVICE_TILE = (256, 4096)  # on an accelerator the start of an operation costs more than a million numbers do
LINE = 64  # bytes of a cache line


class Backend(ABC):
    """A library of arrays and a device. Equal names are equal backends."""

    tanh: Callable
    sin: Callable
    cos: Callable
    exp: Callable
    abs: Callable
    negative: Callable
    add: Callable
    subtract: Callable
    multiply: Callable
    divide: Callable

    def __init__(self, name: str, library: ModuleType, tile: tuple[int, int]):
        self.name, self.tile = name, tile
        self.tanh, self.sin, self.cos, self.exp = library.tanh, library.sin, library.cos, library.exp
        self.abs, self.negative = library.abs, library.negative
        self.add, self.subtract = library.add, library.subtract
        self.multiply, self.divide = library.multiply, library.divide

    @abstractmethod
    def asarray(self, values: np.ndarray) -> Array:
        """Values on the device, of the same kind; not to be written into."""

    @abstractmethod
    def to_numpy(self, array: Array) -> np.ndarray:
        """Values as a NumPy array, which may share its memory."""

    @abstractmethod
    def empty(self, shape: tuple[int, ...], kind: type = float) -> Array:
        """An uninitialized array of `float` or `complex` in double precision, rows contiguous."""

    @abstractmethod
    def buffer(self, size: int, kind: type) -> Array:
        """An uninitialized vector that begins at a cache line, to be used again and again."""

    @abstractmethod
    def zeros(self, shape: tuple[int, ...]) -> Array:
        """Zeros in double precision, rows contiguous."""

    @abstractmethod
    def copy(self, array: Array) -> Array:
        """A copy with the same layout."""

    @abstractmethod
    def kind(self, a: Array, b: Array | float = 0.0) -> type:
        """`complex` if a·b is, else `float`."""

    def __repr__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Backend) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple:
        return backend, (self.name,)  # a process that receives it opens its own


class NumPy(Backend):
    """NumPy itself."""

    def __init__(self, tile: tuple[int, int] = CACHE_TILE):
        super().__init__("numpy", np, tile)

    def asarray(self, values: np.ndarray) -> np.ndarray:
        return values

    def to_numpy(self, array: np.ndarray) -> np.ndarray:
        return array

    def empty(self, shape: tuple[int, ...], kind: type = float) -> np.ndarray:
        return np.empty(shape, dtype=kind)

    def buffer(self, size: int, kind: type) -> np.ndarray:
        # Plain NumPy arrays begin 16 bytes into a cache line, which halves the speed of loops that write a third.
        length = size * np.dtype(kind).itemsize
        raw = np.empty(length + LINE, dtype=np.uint8)
        start = -raw.ctypes.data % LINE
        return raw[start : start + length].view(kind)

    def zeros(self, shape: tuple[int, ...]) -> np.ndarray:
        return np.zeros(shape)

    def copy(self, array: np.ndarray) -> np.ndarray:
        return array.copy(order="K")

    def kind(self, a: np.ndarray, b: np.ndarray | float = 0.0) -> type:
        return complex if a.dtype.kind == "c" or getattr(b, "dtype", a.dtype).kind == "c" else float


class Torch(Backend):
    """PyTorch on one of its devices: MKL on `cpu`, CUDA on `cuda`."""

    def __init__(self, torch: ModuleType, device: Any):
        on_cpu = device.type == "cpu"
        super().__init__(
            "torch" if on_cpu else f"torch:{device}", torch, CACHE_TILE if on_cpu else DEVICE_TILE
        )
        self.torch, self.device = torch, device
        self._kinds = {float: torch.float64, complex: torch.complex128}

    def asarray(self, values: np.ndarray) -> Array:
        # A copy: tensors on memory that may not be written do not exist.
        return self.torch.tensor(values, device=self.device)

    def to_numpy(self, array: Array) -> np.ndarray:
        return array.cpu().numpy()

    def empty(self, shape: tuple[int, ...], kind: type = float) -> Array:
        return self.torch.empty(shape, dtype=self._kinds[kind], device=self.device)

    def buffer(self, size: int, kind: type) -> Array:
        return self.empty((size,), kind)

    def zeros(self, shape: tuple[int, ...]) -> Array:
        return self.torch.zeros(shape, dtype=self.torch.float64, device=self.device)

    def copy(self, array: Array) -> Array:
        return array.clone()

    def kind(self, a: Array, b: Array | float = 0.0) -> type:
        return complex if any(getattr(c, "is_complex", bool)() for c in (a, b)) else float


NUMPY = NumPy()


def backend(name: str | Backend) -> Backend:
    """The backend of a name: ``"numpy"``, ``"torch"``, or ``"torch:DEVICE"`` such as ``"torch:cuda"``."""
    if isinstance(name, Backend):
        return name
    library, _, device = name.partition(":") if isinstance(name, str) else ("", "", "")
    if name == "numpy":
        return NUMPY
    if library != "torch" or name == "torch:":
        raise ValueError(
            f"`backend={name!r}` is unknown; expected 'numpy', 'torch', or 'torch:' and a device of PyTorch, "
            "such as 'torch:cuda'."
        )
    try:
        import torch  # pyright: ignore[reportMissingImports]
    except ModuleNotFoundError:
        raise ValueError(
            f"`backend={name!r}` needs PyTorch, which is not installed here: `pip install lrfm[torch]`, "
            "or use the backend 'numpy'."
        ) from None
    return Torch(torch, _device(torch, name, device or "cpu"))


def backend_of(array: Array) -> Backend:
    """The backend that an array belongs to."""
    if isinstance(array, np.ndarray):
        return NUMPY
    return backend(f"torch:{array.device}")


def _device(torch: ModuleType, name: str, device: str) -> object:
    try:
        found = torch.device(device)
        torch.ones(1, dtype=torch.float64, device=found).sum().item()
    except (RuntimeError, AssertionError, TypeError, NotImplementedError) as error:
        count = torch.cuda.device_count()
        known = ", ".join(["'torch'", *(f"'torch:cuda:{i}'" for i in range(count))])
        raise ValueError(
            f"`backend={name!r}`: PyTorch {torch.__version__} cannot compute in double precision on the device "
            f"{device!r} ({str(error).splitlines()[0].rstrip('.')}). Here there is {known}."
        ) from None
    return found
