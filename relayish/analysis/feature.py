"""Feature detection: which features of the language a program uses."""

# ruff: noqa: N815 - the features go by Relay's names

from __future__ import annotations

from enum import IntEnum
from typing import Final

from relayish.errors import DispatchError
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.relay.adt import Constructor, Match
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Op,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.function_attributes import is_primitive
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS


class Feature(IntEnum):
    """A feature of the language, under Relay's name and number."""

    fVar = 0
    fGlobalVar = 1
    fConstant = 2
    fTuple = 3
    fTupleGetItem = 4
    fFunction = 5
    fOp = 6
    fCall = 7
    fLet = 8
    fIf = 9
    fRefCreate = 10
    fRefRead = 11
    fRefWrite = 12
    fConstructor = 13
    fMatch = 14
    fGraph = 15
    """A node that is no leaf stands in several places."""
    fLetRec = 16
    """The value of a let refers to its variable."""


_KINDS: Final[dict[type[Node], Feature]] = {
    kind: Feature[f"f{kind.__name__}"]
    for kind in (
        *(Var, GlobalVar, Constant, Tuple, TupleGetItem, Function, Op, Call, Let, If),
        *(RefCreate, RefRead, RefWrite, Constructor, Match),
    )
}
"""The kinds that have a feature of their own: Relay's; others have none in its numbering."""


def detect_feature(a: Expr | IRModule | None, b: Expr | IRModule | None = None) -> set[Feature]:
    """Return the features that an expression, or the functions of a module, use.

    Functions with the attribute ``Primitive`` stand for operators; what is inside them counts, that
    they are functions does not.

    Args:
        a: An expression or a module.
        b: Another, if wanted: the features of both are returned.

    Raises:
        DispatchError: If one is neither.

    Complexity:
        Linear in distinct nodes and edges; no recursion.

    Source:
        Relay ``DetectFeature``.

    Example:
        >>> x, y = Var("x"), Var("y")
        >>> sorted(feature.name for feature in detect_feature(Let(x, Tuple((y,)), x)))
        ['fLet', 'fTuple', 'fVar']
        >>> pair = Tuple(())
        >>> Feature.fGraph in detect_feature(Tuple((pair, pair)))
        True
    """
    found: set[Feature] = set()
    for program in (a, b):
        if isinstance(program, IRModule):
            for definition in program.functions_of(Expr).values():
                _detect(definition, found)
        elif isinstance(program, Expr):
            _detect(program, found)
        elif program is not None:
            raise DispatchError(
                f"features are those of an expression or a module; found {program!r}"
            )
    return found


def _detect(root: Expr, found: set[Feature]) -> None:
    """Add the features of ``root``; a let whose value is being walked is open."""
    kinds: set[type[Node]] = set()
    seen: set[Node] = set()
    open_: set[Node] = set()
    stack: list[Node | None] = [root]
    pop, append, extend = stack.pop, stack.append, stack.extend
    while stack:
        node = pop()
        if node is None:
            open_.discard(pop())  # a variable is below
            continue
        kind = type(node)
        if node in open_:
            found.add(Feature.fLetRec)
        if node in seen:
            if kind not in ATOMS and kind in _KINDS:
                found.add(Feature.fGraph)
            continue
        seen.add(node)
        if type(node) is Function and node.attrs is not None and is_primitive(node):
            extend((node.body, *node.params[::-1]))
            continue
        kinds.add(kind)
        if type(node) is Let:
            seen.add(node.var)
            kinds.add(Var)
            open_.add(node.var)
            extend((node.body, node.var, None, node.value))
            continue
        push = EXPRESSIONS.push_all[kind]
        if push is not None:
            push(node, append, extend)
    found.update([_KINDS[kind] for kind in kinds if kind in _KINDS])
