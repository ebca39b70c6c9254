"""Checks of A-normal form and of basic-block normal form."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from relayish.analysis.on_device import fixed_device
from relayish.errors import CheckError
from relayish.ir.kinds.one_line import describe
from relayish.ir.nodes.node import SYMBOLS, Node
from relayish.ir.relay.expr import Call, Expr, Function, Let
from relayish.ir.relay.function_attributes import is_transparent
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes.node_scopes import OUTERMOST, Scopes
from relayish.ir.scopes.scoping import (
    PROGRAM,
    has_scopes,
    operands,
    outer_operands,
    recursive_operands,
    scope_roots,
)
from relayish.ir.scopes.scoping import scopes as scopes_of


class Offence(NamedTuple):
    """What stands where the normal form does not allow it."""

    expr: Node
    problem: str


def is_a_normal_form(expr: Expr) -> bool:
    """Return whether ``expr`` is in A-normal form; see :func:`check_a_normal_form`.

    Example:
        >>> from relayish.ir.relay.expr import Tuple, Var
        >>> x, y = Var("x"), Var("y")
        >>> is_a_normal_form(Let(y, Tuple((x,)), y)), is_a_normal_form(Tuple((Tuple((x,)),)))
        (True, False)
    """
    return a_normal_form_offence(expr) is None


def check_a_normal_form(expr: Expr) -> None:
    """Raise unless ``expr`` is in A-normal form.

    There every operand is a name (a variable, global, operator or constructor), as are conditions,
    what is matched, and the result of each block. Everything else, constants included, is the value
    of one let; around that may stand an ``on_device`` that says where it is. Values are not lets. A
    block is the expression itself, the body of a function, a branch or an arm, or what a node of
    another kind evaluates in a scope; where ``expr`` is a function, it is a name for this purpose.
    What is inside a primitive function is not looked at.

    Raises:
        CheckError: Naming the first expression that stands where it may not.

    Complexity:
        Linear in distinct nodes; no recursion.
    """
    _refuse(a_normal_form_offence(expr), "a_normal_form", "ToANormalForm")


def is_basic_block_normal_form(expr: Expr) -> bool:
    """Return whether ``expr`` is in that form; see :func:`check_basic_block_normal_form`.

    Example:
        >>> from relayish.ir.relay.expr import Tuple, Var
        >>> x, t = Var("x"), Tuple(())
        >>> is_basic_block_normal_form(If(x, t, x)), is_basic_block_normal_form(If(x, t, t))
        (True, False)
    """
    scopes = Scopes(expr, enter=is_transparent)
    return not find_shared_ahead(scopes)


def find_shared_ahead(scopes: Scopes) -> Collection[Node]:
    """Return the nodes that several blocks share, and of which another uses them first.

    What the block around all uses uses first is evaluated there as it stands. First is what is met
    first by a search in depth, operands before blocks.

    Complexity:
        Linear in distinct nodes and edges, if anything is shared; no recursion.

    Source:
        Relay ``CalcScope``.
    """
    if not scopes.lifted:
        return ()
    scope_of, block, opened, wanted = scopes.scope, scopes.block, scopes.opened, scopes.lifted
    found: set[Node] = set()
    seen: set[Node] = set()
    left = len(wanted)
    stack: list[tuple[Node, int]] = [(scopes.order[-1], OUTERMOST)]
    while left and stack:
        node, used_in = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        own = block[scope_of[node]]
        if node in wanted:
            left -= 1
            if own != used_in:
                found.add(node)
        kind = type(node)
        if not has_scopes(kind):
            children = PROGRAM.children(node)[::-1]
            stack += [(child, own) for child in children if type(child) not in SYMBOLS]
        elif node in opened:
            inner = zip(scopes_of(node), opened[node], strict=True)
            used = [(each, own) for each in operands(node)]
            used += [(root, block[number]) for each, number in inner for root in each.roots]
            stack += [each for each in reversed(used) if type(each[0]) not in SYMBOLS]
    return found


def check_basic_block_normal_form(expr: Expr) -> None:
    """Raise unless ``expr`` is in basic block normal form.

    There nodes that several blocks use are bound by lets, but for those that the block around all
    uses uses first. Blocks are bodies of functions, branches and arms, and the expression itself.

    Raises:
        CheckError: Naming one expression that should be bound.

    Complexity:
        Linear in distinct nodes, but for a logarithmic factor on what several scopes share.
    """
    lifted = find_shared_ahead(Scopes(expr, enter=is_transparent))
    if lifted:
        found = next(node for node in EXPRESSIONS.post_order(expr) if node in lifted)
        assert isinstance(found, Expr)
        offence = Offence(found, "is used in several blocks, so a let should bind it")
        _refuse(offence, "basic_block_normal_form", "ToBasicBlockNormalForm")


def a_normal_form_offence(expr: Expr) -> Offence | None:
    """Return what keeps ``expr`` from being in A-normal form, ``None`` if nothing does."""
    seen: set[Node] = set()
    blocks: list[Expr] = []
    if type(expr) is Function:
        blocks += _divide(expr)[1]
    else:
        blocks.append(expr)
    while blocks:
        tail = blocks.pop()
        while type(tail) is Let:
            value, tail = tail.value, tail.body
            kind = type(value)
            if kind is Call and fixed_device(value) is not None:
                (value,) = value.args
                kind = type(value)
            if kind in SYMBOLS:
                continue
            if kind is Let:
                return Offence(value, "is the value of another let")
            if value in seen:
                return Offence(value, "is the value of two lets")
            seen.add(value)
            operands: Sequence[Node]
            if not has_scopes(kind):
                operands = EXPRESSIONS.children(value)
            else:
                operands, inside = _divide(value)
                blocks += inside
            for operand in operands:
                if type(operand) not in SYMBOLS:
                    return Offence(operand, f"is an operand of {describe(value)}, and is no name")
        if type(tail) not in SYMBOLS:
            return Offence(tail, "is the result of a block, and is no name")
    return None


def _divide(value: Expr) -> tuple[Sequence[Node], list[Expr]]:
    """Return the operands of ``value``, and its blocks; none where they are a kernel's business."""
    if not has_scopes(type(value)) or not is_transparent(value):
        return (), []
    blocks: Any = recursive_operands(value) + scope_roots(value)  # Any: expressions
    return outer_operands(value), list(blocks)


def _refuse(offence: Offence | None, check: str, remedy: str) -> None:
    if offence is not None:
        raise CheckError(
            f"{describe(offence.expr)} {offence.problem}; the pass {remedy} brings programs "
            f"into this form",
            check=check,
        )
