"""Names that have to be unique: of tensors in a function, of functions and buffers in a module."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.verification.rules import Report
from relayish.tir.ir.function import LoweredFunc, Module
from relayish.tir.ir.tensor import Buffer, Tensor
from relayish.tir.verifier.nodes import ProgramNodes
from relayish.tir.verifier.violation import Rule

_Named = TypeVar("_Named", LoweredFunc, Buffer, Module)


def check_tensor_names(nodes: ProgramNodes, report: Report) -> None:
    """Report tensors that share their name with another one, which is not equal to them."""
    named: dict[str, Tensor] = {}
    for node in nodes.of(Tensor):
        first = named.setdefault(node.name, node)
        if first is node or _is_same_view(first, node):
            continue
        report(
            Rule.NAME,
            node,
            f"two tensors are called {node.name!r}: one of shape and buffer "
            f"{_describe(first)}, another of {_describe(node)}; rename one, all its uses at once",
        )


def _is_same_view(one: Tensor, other: Tensor) -> bool:
    """Return whether two tensors of one name are one, built twice."""
    if one.buffer is not other.buffer or one.dtype != other.dtype:
        return False
    return structural_equal(one, other)


def _describe(tensor: Tensor) -> str:
    shape = ", ".join([str(getattr(size, "value", "?")) for size in tensor.shape])
    buffer = "none" if tensor.buffer is None else getattr(tensor.buffer, "name", "?")
    return f"({shape}) and {buffer}"


def check_module_names(module: Module, report: Report) -> None:
    """Report functions, buffers and submodules of a module that share their names."""
    repeated: tuple[tuple[str, Sequence[LoweredFunc | Buffer | Module]], ...] = (
        ("functions", _repeated(module.functions)),
        ("buffers", _repeated(module.buffers)),
        ("submodules", _repeated(module.submodules)),
    )
    for what, found in repeated:
        for node in found:
            report(
                Rule.NAME,
                node,
                f"two {what} of module {module.name!r} are called {node.name!r}; rename one",
            )


def _repeated(named: Iterable[_Named]) -> list[_Named]:
    """Return those with the name of one before them."""
    first: dict[str, _Named] = {}
    return [node for node in named if first.setdefault(node.name, node) is not node]
