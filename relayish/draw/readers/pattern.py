"""Data-flow patterns as graphs: a box for each pattern, edges from those it is made of."""

from __future__ import annotations

from typing import Any

from relayish.dataflow_pattern.node_pattern import NodePattern
from relayish.dataflow_pattern.pattern import (
    AltPattern,
    CallPattern,
    DFPattern,
    ExprPattern,
    TupleGetItemPattern,
    VarPattern,
    WildcardPattern,
    children,
    count_patterns,
    is_operator,
)
from relayish.draw.diagram import Box, BoxKind, Details, Diagram, Edge
from relayish.draw.readers.box_text import (
    BOX_TEXTS,
    BoxText,
    attributes_of,
    whole_line,
    wrapped,
)
from relayish.draw.readers.table import READERS
from relayish.ir.fields.roles import Role
from relayish.ir.nodes.getters import nodes_held
from relayish.ir.relay.expr import Op


@READERS.register(DFPattern)
def read_pattern(root: DFPattern, *, title: str = "") -> Diagram:
    """Return the diagram of a pattern: what it is made of above it.

    Complexity:
        Linear in distinct patterns; no recursion.
    """
    diagram = Diagram(title or "pattern")
    order, _ = count_patterns(root)
    shown = [pattern for pattern in order if pattern is root or not is_operator(pattern)]
    boxes = {pattern: diagram.add(_box_of(pattern, n)) for n, pattern in enumerate(shown)}
    for pattern in shown:
        for number, (_, part) in enumerate(_made_of(pattern)):
            diagram.connect(Edge(boxes[part], boxes[pattern], number))
    result = Box(BoxKind.OUTPUT, "matches", key="matches")
    diagram.connect(Edge(boxes[root], diagram.add(result)))
    return diagram


def _made_of(pattern: DFPattern) -> list[tuple[str, DFPattern]]:
    """Return what a pattern is made of, with the names of fields; operators are in its box."""
    if isinstance(pattern, WildcardPattern):
        return [("is", part) for part in children(pattern)]
    found = []
    for declared in type(pattern).fields_:
        held = nodes_held(declared, pattern) if declared.role is Role.OPERAND else []
        for number, each in enumerate(held):
            if isinstance(each, DFPattern) and not is_operator(each):
                name = f"{declared.name}[{number}]" if declared.holds_many else declared.name
                found.append((name, each))
    return found


def _box_of(pattern: DFPattern, number: int) -> Box:
    text = BOX_TEXTS[type(pattern)](pattern)
    made_of = _made_of(pattern)
    names = tuple([name for name, _ in made_of]) if len(made_of) > 1 else ()
    details = Details(whole_line(pattern), attributes=attributes_of(pattern))
    kind = BoxKind.OPERATOR if made_of else BoxKind.INPUT
    return Box(kind, text.title, f"{number}", lines=text.lines, inputs=names, details=details)


@BOX_TEXTS.register(CallPattern)
def _call(call: CallPattern) -> BoxText:
    title = str(call.op) if is_operator(call.op) else "call"
    return BoxText(title, ("any arguments",) if call.any_args else ())


@BOX_TEXTS.register(TupleGetItemPattern)
def _item(get: TupleGetItemPattern) -> BoxText:
    return BoxText("tuple item", () if get.index in (None, -1) else (f"{get.index}",))


@BOX_TEXTS.register(NodePattern)
def _node(pattern: NodePattern) -> BoxText:
    return BoxText(pattern.kind.__name__, wrapped(", ".join(pattern.names)))


@BOX_TEXTS.register(VarPattern)
def _variable(pattern: VarPattern) -> BoxText:
    return BoxText(f"%{pattern.name}" if pattern.name else "any variable")


@BOX_TEXTS.register(ExprPattern)
def _expr(pattern: ExprPattern) -> BoxText:
    expr = pattern.expr
    return BoxText(str(pattern) if isinstance(expr, Op) else whole_line(expr))


@BOX_TEXTS.register(DFPattern)
def _other(pattern: Any) -> BoxText:  # Any: of any kind
    title = type(pattern).visit_name.removesuffix("_pattern").replace("_", " ")
    shown = attributes_of(pattern, with_defaults=False).items()
    return BoxText(title, tuple([line for n, text in shown for line in wrapped(f"{n} = {text}")]))


BOX_TEXTS.register(AltPattern, lambda _: BoxText("or"))
BOX_TEXTS.register(WildcardPattern, lambda _: BoxText("*"))
