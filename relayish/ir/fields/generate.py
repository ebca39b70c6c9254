"""Code generation: functions made of the declarations of nodes, for the speed of written ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from relayish.ir.fields.field import Field, Shape


def compile_function(signature: str, lines: Iterable[str], scope: dict[str, Any]) -> Any:
    """Return the function of ``signature`` made of ``lines``, which come of declarations alone.

    Any: what it takes and gives is what the signature says, so its type is told where it is asked.
    """
    name = signature[: signature.index("(")]
    source = "\n".join([f"def {signature}:", *indent(lines)])
    exec(source, scope)  # noqa: S102 - the source is built from declarations only
    return scope[name]


def indent(lines: Iterable[str]) -> list[str]:
    """Return lines that stand one level further in."""
    return [f"    {line}" for line in lines]


def for_each(declared: Field, lines: list[str], *, backwards: bool = False) -> list[str]:
    """Return the lines that do something with each ``child`` in a field of ``node``.

    The scope of the function needs ``Node``.
    """
    name = f"node.{declared.name}"
    if declared.shape is Shape.ONE:
        return [f"child = {name}", *lines]
    if declared.shape is Shape.OPTIONAL:
        return [f"child = {name}", "if child is not None:", *indent(lines)]
    if declared.shape is Shape.MIXED:
        lines = ["if isinstance(child, Node):", *indent(lines)]
    return [f"for child in {name}{'[::-1]' if backwards else ''}:", *indent(lines)]
