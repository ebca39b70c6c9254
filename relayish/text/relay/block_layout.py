"""Layout of Relay's statements: kinds for which roles alone do not tell it."""

from __future__ import annotations

from typing import Final

from relayish.ir.relay.adt import Match
from relayish.ir.relay.expr import Let, Tuple
from relayish.ir.relay.type import TensorType
from relayish.text.layout import Layout, Position, lay_out_by_roles
from relayish.text.tables import LAYOUTS, LEAVES


@LAYOUTS.register(Let)
def _lay_out_let(layout: Layout, let: Let, scope: int) -> None:
    """What follows a let is a block inside of its own, which at the end of one needs no braces."""
    own = scope if layout.position.get(let) is Position.TAIL else layout.open(scope)
    after = layout.open(own)
    layout.opened[let] = (own, after)
    annotation = let.var.type_annotation
    if annotation is not None and type(annotation) is not TensorType:
        layout.apart.append(annotation)
    layout.use(let.value, own, Position.VALUE)
    layout.use(let.body, after, Position.TAIL)


@LAYOUTS.register(Tuple)
def _lay_out_tuple(layout: Layout, node: Tuple, scope: int) -> None:
    """The empty tuple is written where it is used; others have a line of their own."""
    if node.fields:
        _LAY_OUT_FIELDS(layout, node, scope)
    elif node not in layout.position:
        layout.place[node] = layout.open(scope)  # a block that nothing opens is not written


_LAY_OUT_FIELDS: Final = lay_out_by_roles(Tuple)


@LAYOUTS.register(Match)
def _lay_out_match(layout: Layout, node: Match, scope: int) -> None:
    """The arms are blocks of the match, also where it shares a clause with another."""
    if type(node.data) not in LEAVES:
        layout.use_operand(node.data, scope)
    arms = tuple([layout.open(scope) for _ in node.clauses])
    layout.opened[node] = (-1, *arms)
    for clause, arm in zip(node.clauses, arms, strict=True):
        layout.position[clause] = Position.VALUE
        layout.use_operand(clause.lhs, scope)
        layout.use(clause.rhs, arm, Position.TAIL)
