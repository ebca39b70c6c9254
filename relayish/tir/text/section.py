"""Writing the section of details: what the text of a program does not tell of it.

First come lines about names, for what several functions share, then for each function; each line
refers only to those before it. Then come lines about places, ``line:column`` of the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from relayish._support.graph import post_order
from relayish.ir.nodes.node import Node
from relayish.text.literals import quote
from relayish.tir.ir.flags import MemoryType
from relayish.tir.ir.operators import IntImm
from relayish.tir.ir.target import UNKNOWN_TARGET
from relayish.tir.ir.tensor import Buffer, Tensor, Var
from relayish.tir.ir.type import INT32
from relayish.tir.text.forms import join
from relayish.tir.text.names import PLAIN, Frame, VarClass
from relayish.tir.text.spelling import spell_name, spell_target, spell_type
from relayish.tir.text.writer import Line, Piece, Writer

DETAILS: Final = "#[details]"
"""The line that the section begins with."""


def section_lines(writer: Writer) -> dict[Frame, list[Line]]:
    """Return the lines about names, of each frame."""
    lines = _describe_all(writer)
    order = post_order(list(lines), lambda node: [n for n in lines[node].referenced if n in lines])
    groups: dict[Frame, list[Line]] = {frame: _class_lines(frame) for frame in writer.frames}
    ordered: dict[Frame, list[Node]] = {frame: [] for frame in writer.frames}
    for node in order:
        ordered[writer.entities[node]].append(node)
    for frame, nodes in ordered.items():
        groups[frame] += _without_implied(writer, nodes, lines)
    return groups


def _describe_all(writer: Writer) -> dict[Node, Line]:
    """Return the line of each thing that may need one, and of what these lines refer to."""
    lines: dict[Node, Line] = {}
    pending, at = writer.met, 0
    while at < len(pending):  # which grows
        node = pending[at]
        at += 1
        if node not in lines and (type(node) is not Var or node in writer.declared):
            writer.frame = writer.entities[node]
            writer.start()
            lines[node] = _describe(writer, node)
    return lines


def _describe(writer: Writer, node: Any) -> Line:  # Any: a variable, or what has a number
    text = writer.texts[node]
    if type(node) is Tensor:
        return writer.write(_tensor(writer, node, text), 1)
    if type(node) is Buffer:
        return writer.write(_buffer(writer, node, text), 1)
    if type(node) is Var:
        return writer.write(_var(writer, node, text), 1)
    return writer.write((f"{text} = ", node), 1, node)


def _name_note(writer: Writer, node: Node) -> list[Piece]:
    return [f", name={quote(node.name)}"] if node in writer.names else []  # type: ignore[attr-defined]  # of the three kinds


def _list(name: str, nodes: Sequence[Node]) -> list[Piece]:
    return [f", {name}=[", *join(nodes), "]"] if nodes else []


def _tensor(writer: Writer, node: Tensor, text: str) -> list[Piece]:
    pieces: list[Piece] = [f"tensor {text}: {spell_type(node.dtype)}[", *join(node.shape), "]"]
    if node.buffer is None:
        pieces.append(", inline")
    else:
        buffer = writer.refer(node.buffer)
        if buffer != default_buffer(text):
            pieces.append(f", buffer={buffer}")
    if node.operation is not None:
        pieces.append(f", operation={writer.refer(node.operation)}")
    pieces += _list("axis", node.axis) + _list("reduce_axis", node.reduce_axis)
    pieces += _list("domain", node.domain) + _list("new_indices", node.new_indices)
    return pieces + _name_note(writer, node)


def default_buffer(text: str) -> str:
    """Return the name that the buffer of a tensor has, as CINN calls it."""
    return f"_{text}" if text[0] != "#" else f'#"_{text[2:]}'


def _buffer(writer: Writer, node: Buffer, text: str) -> list[Piece]:
    pieces: list[Piece] = [f"buffer {text}: {spell_type(node.dtype)}[", *join(node.shape), "]"]
    pieces += _list("strides", node.strides)
    if node.elem_offset is not None:
        pieces += [", elem_offset=", node.elem_offset]
    if node.offset_factor:
        pieces.append(f", offset_factor={node.offset_factor}")
    if node.scope:
        pieces.append(f", scope={quote(node.scope)}")
    if node.target != UNKNOWN_TARGET:
        pieces.append(f", target={spell_target(node.target)}")
    if node.data_alignment:
        pieces.append(f", data_alignment={node.data_alignment}")
    if node.memory_type is not MemoryType.HEAP:
        pieces.append(f", memory_type={node.memory_type.value}")
    return pieces + _name_note(writer, node)


def _var(writer: Writer, node: Var, text: str) -> list[Piece]:
    pieces: list[Piece] = [f"var {text}: {spell_type(node.dtype)}"]
    low, high = node.lower_bound, node.upper_bound
    if low is not None or high is not None:
        pieces += [" in [", _or_undefined(low), ", ", _or_undefined(high), ")"]
    pieces += [", is_reduce_axis=true"] if node.is_reduce_axis else []
    pieces += [f", tag={quote(node.tag)}"] if node.tag else []
    return pieces + _name_note(writer, node)


def _or_undefined(bound: Piece | None) -> Piece:
    return "undefined" if bound is None else bound


def _class_lines(frame: Frame) -> list[Line]:
    """Return the lines about names under which variables of one class are bound."""
    found = []
    for name, kept in frame.classes.items():
        if kept.key() != PLAIN.key():
            line = Line()
            line.pieces.append(f"each {spell_name(name)}: {_spell_class(kept)}")
            found.append(line)
    return found


def _spell_class(kept: VarClass) -> str:
    shown = spell_type(kept.dtype)
    low, high = kept.lower, kept.upper
    if low is not None or high is not None:
        shown += f" in [{_spell_bound(low)}, {_spell_bound(high)})"
    shown += ", is_reduce_axis=true" if kept.is_reduce_axis else ""
    return shown + (f", tag={quote(kept.tag)}" if kept.tag else "")


def _spell_bound(bound: IntImm | None) -> str:
    if bound is None:
        return "undefined"
    return f"{bound.value}" if bound.dtype == INT32 else f"{bound.value}ll"


def _without_implied(writer: Writer, nodes: list[Node], lines: dict[Node, Line]) -> list[Line]:
    """Return the lines of ``nodes``, but for buffers that are as the first tensor on them tells."""
    waiting: dict[Node, None] = {}
    found = []
    for node in nodes:
        line = lines[node]
        if type(node) is Buffer:
            waiting[node] = None
            continue
        for other in line.referenced:
            if other in waiting:
                del waiting[other]
                if not _is_implied(writer, other, node):
                    found.append(lines[other])
        found.append(line)
    return found + [lines[buffer] for buffer in waiting]


def _is_implied(writer: Writer, buffer: Node, tensor: Node) -> bool:
    """Return whether the line of a tensor tells all of its buffer."""
    if not isinstance(tensor, Tensor) or tensor.buffer is not buffer or buffer in writer.names:
        return False
    assert isinstance(buffer, Buffer)
    if len(buffer.shape) != len(tensor.shape):
        return False
    pairs = zip(buffer.shape, tensor.shape, strict=True)
    plain = Buffer(buffer.name, buffer.shape, tensor.dtype)
    same = all(
        getattr(buffer, f.name) == getattr(plain, f.name) for f in Buffer.fields_ if f.compared
    )
    return same and all(a is b or _same_number(a, b) for a, b in pairs)


def _same_number(a: Node, b: Node) -> bool:
    return type(a) is IntImm and type(b) is IntImm and (a.value, a.dtype) == (b.value, b.dtype)
