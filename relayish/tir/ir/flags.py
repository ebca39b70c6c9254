"""Flags and enumerations of loops, calls and memory, with the numbers that CINN gives them."""

from __future__ import annotations

from enum import Enum, IntFlag
from typing import Final, NamedTuple

from relayish.errors import FieldError


class ForType(IntFlag):
    """How the iterations of a loop may be run; a set of flags."""

    SERIAL = 0
    PARALLEL = 1
    VECTORIZED = 2
    UNROLLED = 4
    GPU_THREAD = 8
    GPU_BLOCK = 16
    GPU_LANE = 32
    DEFAULT = 64


class VectorizeInfo(NamedTuple):
    """How a loop is vectorised.

    Attributes:
        level: The loop level, from 0; negative where none is set.
        factor: The number of lanes.
    """

    level: int = -1
    factor: int = -1

    @property
    def is_valid(self) -> bool:
        """Whether both are set."""
        return self.level >= 0 and self.factor > 0


class BindInfo(NamedTuple):
    """Which index of a device runs the iterations of a loop.

    Attributes:
        for_type: ``GPU_THREAD`` or ``GPU_BLOCK``.
        offset: The axis: 0 for x, 1 for y, 2 for z.
    """

    for_type: ForType = ForType.DEFAULT
    offset: int = -1
    device: DeviceAPI | None = None

    @property
    def is_valid(self) -> bool:
        """Whether it names an axis of threads or blocks."""
        return self.for_type in (ForType.GPU_THREAD, ForType.GPU_BLOCK) and 0 <= self.offset <= 2

    def __str__(self) -> str:
        """The axis as CINN writes it: ``blockIdx.x``, ``threadIdx.z``."""
        if not self.is_valid:
            raise FieldError(
                f"{self!r} names no axis; expected GPU_THREAD or GPU_BLOCK and an offset of 0 to 2"
            )
        name = "threadIdx" if self.for_type is ForType.GPU_THREAD else "blockIdx"
        return f"{name}.{'xyz'[self.offset]}"


class DeviceAPI(Enum):
    """What runs a loop or a function."""

    UNK = "unk"
    HOST = "host"
    GPU = "gpu"
    CUDA = "cuda"
    OPENCL = "opencl"


class CallType(Enum):
    """What a call calls."""

    EXTERN = "extern"  # a function of the runtime or of a library, by name
    CINN = "cinn"  # a function of the module, by name
    INTRINSIC = "intrinsic"  # an operation of the target
    ISL = "isl"  # made by the polyhedral code generator


class MemoryType(Enum):
    """Where the memory of a buffer is."""

    AUTO = "auto"
    HEAP = "heap"
    STACK = "stack"
    GPU_SHARED = "gpu_shared"
    GPU_LOCAL = "gpu_local"


class ReduceType(Enum):
    """What a reduction does with each value: its eight kinds."""

    SUM = "sum"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"
    MAX = "max"
    MIN = "min"
    ALL = "all"
    ANY = "any"


class ArgumentIO(Enum):
    """Whether a function reads or writes an argument."""

    UNKNOWN = "unknown"
    INPUT = "input"
    OUTPUT = "output"


class LLVMForLoopMeta(NamedTuple):
    """What LLVM is told of a loop.

    Attributes:
        unroll_mode: How it is to be unrolled.
        vectorization: Whether it is to be vectorised.
    """

    unroll_mode: UnrollMode | None = None
    vectorization: bool = True


class UnrollMode(Enum):
    """How LLVM unrolls a loop."""

    DEFAULT = "default"
    FULL = "full"
    NEVER = "never"


NO_VECTORIZE: Final = VectorizeInfo()
NO_BIND: Final = BindInfo()
