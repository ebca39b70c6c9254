"""Targets: the machines that programs are compiled for."""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple


class TargetOS(Enum):
    """The operating system of a target."""

    UNK = "unk"
    LINUX = "linux"
    WINDOWS = "windows"


class TargetArch(Enum):
    """The processor of a target."""

    UNK = "unk"
    X86 = "x86"
    ARM = "arm"
    NVGPU = "nvgpu"


class TargetBits(Enum):
    """The width of addresses of a target."""

    UNK = "unk"
    K32 = "32"
    K64 = "64"


class Target(NamedTuple):
    """A machine: operating system, processor, width of addresses, features and libraries."""

    os: TargetOS = TargetOS.UNK
    arch: TargetArch = TargetArch.UNK
    bits: TargetBits = TargetBits.UNK
    features: tuple[str, ...] = ()
    libs: tuple[str, ...] = ()


UNKNOWN_TARGET: Final = Target()
HOST_TARGET: Final = Target(TargetOS.LINUX, TargetArch.X86, TargetBits.K64)
NVGPU_TARGET: Final = Target(TargetOS.LINUX, TargetArch.NVGPU, TargetBits.K64)
