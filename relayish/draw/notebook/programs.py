"""Programs in notebooks: modules, expressions and functions of every language, types, patterns."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import Any, Final

from relayish._support import hooks
from relayish.dataflow_pattern.pattern import DFPattern
from relayish.draw.highlight import highlight
from relayish.draw.notebook.frame import code, fold, note, plain, safe, table
from relayish.draw.notebook.pictures import picture
from relayish.draw.notebook.table import SHOWN, Shown
from relayish.draw.report.sizes import Sizes
from relayish.ir.equality.mismatch import Mismatch
from relayish.ir.kinds.one_line import one_line
from relayish.ir.modules.module import AnyModule, Module
from relayish.ir.modules.object_path import ObjectPath
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import EVERYTHING
from relayish.ir.relay.expr import Call, Op
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.op.declaration.properties import description
from relayish.text.relay.brief_text import ConstantNames, brief_text

MOST_NODES: Final = 30_000
"""Programs of more nodes are not written; their definitions are listed."""
READ: Final = 100_000
"""Constants of more bytes are shown by type and shape, without being read."""
LONGEST_TYPE: Final = 200
"""Inferred types of so many characters and more are not shown."""
OPERATORS: Final = 8
"""So many operators of a model are counted by name."""


@SHOWN.register(Module)
def show_module(mod: AnyModule) -> Shown:
    """Show a module: its size, its text, its picture if it is small; a list if it is huge."""
    how = "print(mod) shows all"
    if count_nodes(mod.nodes()) > MOST_NODES:
        listed = [
            f"def @{mod.name_of(key)}: {type(node).__name__}" for key, node in mod.functions_items()
        ]
        text = "\n".join(listed)
        return Shown(
            note(f"{mod!r}: too large to be shown here; {how}") + code(text, how), plain(text, how)
        )
    text = brief_text(mod, ConstantNames(READ)) if isinstance(mod, IRModule) else str(mod)
    size = Sizes().of(mod)
    count = len(mod)
    told = [f"{count:,} definition{'' if count == 1 else 's'}"]
    told.append(f"{size.operators:,} operators" if size.operators else f"{size.nodes:,} nodes")
    if size.constant_bytes:
        told.append(f"{size.constant_bytes:,} bytes of constants")
    html = [
        note(", ".join(told)),
        _summary_of_model(mod),
        code(text, how),
        picture(mod, size.nodes),
    ]
    return Shown("".join(html), plain(text, how))


@SHOWN.register(Node)
def show_node(node: Node) -> Shown:
    """Show an expression, a function, a statement, a type, a pattern: its text and its picture."""
    how = "print it to see all"
    nodes = count_nodes([node])
    if nodes > MOST_NODES:
        return Shown(note(f"{type(node).__name__}: too large to be shown here; {how}"), repr(node))
    own = hooks.printers.get(type(node).language_.name)
    text = brief_text(node, ConstantNames(READ)) if own is None else own(node)
    html = code(text, how)
    told = getattr(node, "checked_type", None)
    if told is not None and len(str(told)) < LONGEST_TYPE:
        html += f'<p class="quiet">of type <code>{highlight(str(told))}</code></p>'
    said = description.get(node) if isinstance(node, Op) else None
    if said:
        html += note(said.strip().partition("\n")[0])
    return Shown(html + picture(node, nodes), plain(text, how))


@SHOWN.register(DFPattern)
def show_pattern(pattern: DFPattern) -> Shown:
    """Show a pattern as it is written in errors."""
    nodes = count_nodes([pattern])
    return Shown(code(str(pattern)) + picture(pattern, nodes), plain(str(pattern)))


@SHOWN.register(ObjectPath)
def show_path(path: ObjectPath) -> Shown:
    """Show where in a program something stands."""
    return Shown(code(str(path)), str(path))


@SHOWN.register(Mismatch)
def show_mismatch(mismatch: Mismatch) -> Shown:
    """Show where two programs differ, and what stands there in each."""
    rows = [("path", safe(mismatch.path)), ("reason", safe(mismatch.reason))]
    rows += [
        (name, code(one_line(held) if isinstance(held, Node) else f"{held!r:.{LONGEST_TYPE}}"))
        for name, held in (("left", mismatch.lhs), ("right", mismatch.rhs))
    ]
    return Shown(table(("", ""), rows), str(mismatch))


def count_nodes(roots: list[Node]) -> int:
    """Return how many nodes there are, or one more than are written if there are more."""
    return sum(1 for _ in islice(EVERYTHING.pre_order(roots), MOST_NODES + 1))


def _summary_of_model(mod: AnyModule) -> str:
    """Return what a model of ONNX says of itself; nothing of other modules."""
    said: dict[str, Any] = {}  # Any: of any type
    if mod.attrs is not None:
        said = {str(k): v for k, v in mod.attrs.items() if str(k).startswith("onnx.")}
    if not said:
        return ""
    found: Counter[str] = Counter(
        node.op.name.rpartition("_")[0] or node.op.name
        for function in mod.functions.values()
        for node in EXPRESSIONS.pre_order(function)
        if type(node) is Call and type(node.op) is Op
    )
    most = ", ".join([f"{count:,} {name}" for name, count in found.most_common(OPERATORS)])
    more = f" and {len(found) - OPERATORS} more kinds" if len(found) > OPERATORS else ""
    rows = [
        (safe(name.removeprefix("onnx.")), safe(f"{value}"[:200])) for name, value in said.items()
    ]
    return note(f"model of ONNX: {most}{more}") + fold("about the model", table(("", ""), rows))
