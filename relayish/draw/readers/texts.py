"""Texts of boxes: titles of functions and branches, lines, details, keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from relayish.draw.diagram import Details
from relayish.draw.families_of import bare_name
from relayish.draw.readers.looks import Look
from relayish.draw.type_text import type_text, whole_text
from relayish.draw.value_text import value_text
from relayish.ir.fields.roles import Runs
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.span import name_of_span
from relayish.ir.relay.adt import Match, PatternConstructor, PatternTuple, PatternVar
from relayish.ir.relay.expr import Call, Constant, Function, If, Op
from relayish.ir.relay.function_attributes import is_primitive
from relayish.onnx.calls import constant_of
from relayish.onnx.op_names import identity_of

MOST_LINES: Final = 10
"""How many attributes and constants are written in a box; details have all of them."""
NO_NOTES: Final[Mapping[str, str]] = MappingProxyType({})
_MOST_NAMES: Final = 4
"""How many operators the title of a fused function tells."""
_MODEL: Final = "onnx."
"""How names of attributes begin that say where a model comes from."""
_BRANCHES: Final[Mapping[type[Node], Sequence[str]]] = {If: ("then", "else")}


def branch_names(node: Node, count: int) -> Sequence[str]:
    """Return what the blocks in a node are called: as its fields are, if nothing else."""
    names = _BRANCHES.get(type(node))
    if names is not None:
        return names
    if isinstance(node, Match):
        return [_pattern_text(clause.lhs) for clause in node.clauses]
    fields = [each.name for each in type(node).fields_ if each.runs not in (None, Runs.ONCE)]
    if len(fields) == count:
        return fields
    return [f"{fields[0] if fields else 'scope'} {number}" for number in range(count)]


def _pattern_text(pattern: Node) -> str:
    """Return a pattern in one line, two levels of it."""
    if isinstance(pattern, PatternConstructor):
        inside = ", ".join(_inner_text(each) for each in pattern.patterns)
        name = pattern.constructor.name_hint
        return f"{name}({inside})" if inside else name
    if isinstance(pattern, PatternTuple):
        return f"({', '.join(_inner_text(each) for each in pattern.patterns)})"
    return _inner_text(pattern)


def _inner_text(pattern: Node) -> str:
    if isinstance(pattern, PatternConstructor):
        return (
            f"{pattern.constructor.name_hint}(…)"
            if pattern.patterns
            else (pattern.constructor.name_hint)
        )
    if isinstance(pattern, PatternVar):
        return pattern.var.name_hint
    return "(…)" if isinstance(pattern, PatternTuple) else "_"


def node_name(node: Node) -> str:
    """Return the name that a model gives to a node."""
    if not isinstance(node, Call) or identity_of(node.op) is None:
        return ""
    return name_of_span(node.span)


def function_title(function: Function, otherwise: str = "fn") -> tuple[str, list[str]]:
    """Return the title of a function that has no name, and its attributes line by line."""
    return "fused" if is_primitive(function) else otherwise, attribute_lines(function)


def attribute_lines(node: Node) -> list[str]:
    """Return the attributes of a definition, line by line, but for where a model comes from."""
    attrs = getattr(node, "attrs", None)
    if attrs is None:
        return []
    items = attrs.items()
    return [f"{name} = {value_text(value)}" for name, value in items if not name.startswith(_MODEL)]


def with_attributes(title: str, node: Node) -> str:
    """Return the title of the picture of one definition, with its attributes behind it."""
    lines = bounded(attribute_lines(node))
    return f"{title} {{{'; '.join(lines)}}}" if lines else title


def fused_title(nodes: Iterable[Node]) -> str:
    """Return the title of a fused function that computes these: the operators that it calls."""
    names = [bare_name(n.op) for n in nodes if isinstance(n, Call) and isinstance(n.op, Op)]
    more = len(names) - _MOST_NAMES
    return "fused " + ", ".join(names[:_MOST_NAMES]) + f" … {more} more" * (more > 0)


def bounded(lines: Sequence[str]) -> tuple[str, ...]:
    """Return as many lines as a box holds; the last tells how many there are besides."""
    if len(lines) <= MOST_LINES:
        return tuple(lines)
    return (*lines[: MOST_LINES - 1], f"… {len(lines) - MOST_LINES + 1} more")


def value_line(node: Node) -> str:
    """Return what has no box of its own, in few characters."""
    data = literal_of(node)
    return one_line(node) if data is None else value_text(data)


def literal_of(node: Node) -> object | None:
    """Return the value of a constant, be it one of ONNX's nodes; ``None`` of anything else."""
    if isinstance(node, Constant):
        return node.data
    if not isinstance(node, Call) or node.args:
        return None
    identity = identity_of(node.op)
    if identity is None or identity.name != "Constant" or identity.domain:
        return None
    return constant_of(node.attrs)


class Shown(str):
    """The text of what is no constant."""

    __slots__ = ()


def held_text(value: object) -> str:
    """Return what stands in a box for a constant, or for another operand without a box."""
    return value if isinstance(value, Shown) else value_text(value)


def type_of(node: Node) -> str:
    """Return the type of a value in few characters; empty if nothing is known."""
    found = getattr(node, "checked_type", None) or getattr(node, "type_annotation", None)
    return type_text(found)


def details(
    node: Node,
    name: str,
    look: Look,
    values: Mapping[str, object],
    notes: Mapping[str, str] = NO_NOTES,
) -> Details:
    """Return what is told of the box of a node when somebody asks."""
    span = getattr(node, "span", None)
    checked = getattr(node, "checked_type", None) or getattr(node, "type_annotation", None)
    return Details(
        text=one_line(node),
        place="" if span is None else str(span),
        attributes={**look.attributes, **look.hidden},
        values=values,
        outputs=(name,) if name else (),
        type="" if checked is None else whole_text(checked),
        notes=notes,
    )


def is_unknown_call(node: Node) -> bool:
    """Return whether a node calls what a program defines; what that does, its box does not tell."""
    return isinstance(node, Call) and not isinstance(node.op, Op)
