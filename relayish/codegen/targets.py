"""Targets of functions of loops: what compiles them for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from relayish.codegen.c import native as c
from relayish.codegen.cuda import native as cuda
from relayish.errors import OptionError
from relayish.ir.modules.module import Module as IRModule
from relayish.tir.ir.function import LoweredFunc, Module

TARGETS: Final[Mapping[str, Callable[..., c.NativeFunction | c.NativeModule]]] = MappingProxyType(
    {"c": c.build, "cuda": cuda.build}
)
"""By name, what compiles a program."""


def build(
    program: LoweredFunc | Module | IRModule[Any], target: str, *, exact: bool
) -> c.NativeFunction | c.NativeModule:
    """Return a program compiled for a target.

    Raises:
        OptionError: If there is no such target.
        CodegenError: If it cannot be compiled.
    """
    chosen = TARGETS.get(target)
    if chosen is None:
        raise OptionError(f"there is no target {target!r}; expected one of {', '.join(TARGETS)}")
    return chosen(program, exact=exact)
