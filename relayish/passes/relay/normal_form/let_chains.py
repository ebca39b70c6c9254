"""Let chains: taking them apart and putting them together."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from relayish.errors import PassError, UnknownNameError
from relayish.functor.relay.substitute import substitute
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.relay.expr import Expr, Let, Var
from relayish.ir.relay.traversal import EXPRESSIONS


def expr_append(first: Expr, second: Expr) -> Expr:
    """Return ``second`` within the bindings of ``first``: one evaluated after the other.

    ``second`` stands where the result of ``first`` stood, and sees what is bound there. A result
    that is more than a name or constant is bound to a variable of its own, ``_``, so that it is
    evaluated still.

    Returns:
        ``second`` itself when ``first`` is a name or constant.

    Complexity:
        Linear in the lets of ``first``; no recursion.

    Source:
        RAF ``ExprAppend``, which drops ``second`` unless the result of ``first`` is a variable.

    Example:
        >>> from relayish.ir.relay.expr import Tuple
        >>> x, y = Var("x"), Var("y")
        >>> appended = expr_append(Let(x, Tuple(()), x), Let(y, x, y))
        >>> appended.var is x, appended.body.value is x
        (True, True)
    """
    chain: list[Let] = []
    tail = first
    while type(tail) is Let:
        chain.append(tail)
        tail = tail.body
    if type(tail) not in ATOMS:
        second = Let(Var("_"), tail, second, span=tail.span)
    for let in reversed(chain):
        second = let.with_fields(body=second)
    return second


def extract_binding(
    var: Var, ignore: Collection[Var] = (), *, bindings: Expr | Mapping[Var, Expr]
) -> Expr:
    """Return ``var`` within the bindings that its value needs, and no others.

    Args:
        var: A bound variable.
        ignore: Variables that stay free, whatever they are bound to.
        bindings: Where variables are bound: a chain of lets, or a table, in any order.

    Returns:
        A chain of lets that ends in ``var``, every variable bound before it is used.

    Raises:
        UnknownNameError: If ``var`` is not bound, or is to be ignored.
        PassError: If variables are bound to one another in a circle. A value may name its own
            variable, as a recursive function does.

    Complexity:
        Linear in the distinct nodes of the values that are needed; no recursion.

    Source:
        RAF ``ExtractBinding``, which has one table for the whole program.

    Example:
        >>> from relayish.ir.relay.expr import Tuple
        >>> a, b, c = Var("a"), Var("b"), Var("c")
        >>> chain = extract_binding(c, bindings={c: Tuple((a,)), b: Tuple(()), a: Tuple(())})
        >>> chain.var is a, chain.body.var is c, chain.body.body is c
        (True, True, True)
    """
    table = dict(bindings) if isinstance(bindings, Mapping) else _table(bindings)
    for ignored in ignore:
        table.pop(ignored, None)
    if var not in table:
        raise UnknownNameError(
            f"%{var.name_hint} is not among the bindings, or is to be ignored; give the variable "
            f"object that is bound"
        )
    order: list[Var] = []
    open_: list[Var] = []  # variables whose values are being looked at, each within the one before
    pending: set[Node] = set()
    seen: set[Node] = set()
    stack: list[Node | None] = [var]
    while stack:
        node = stack.pop()
        if node is None:
            order.append(open_.pop())
            pending.discard(order[-1])
            continue
        if node in pending and node is not open_[-1]:
            raise PassError(
                f"the value of %{open_[-1].name_hint} needs %{getattr(node, 'name_hint', '')}, and "
                f"the other way round; no order of lets can bind them"
            )
        if node in seen:
            continue
        seen.add(node)
        if type(node) is Var and node in table:
            open_.append(node)
            pending.add(node)
            stack += [None, table[node]]
        push = EXPRESSIONS.push[type(node)]
        if push is not None:
            push(node, (), stack.append)
    chain: Expr = var
    for bound in reversed(order):
        chain = Let(bound, table[bound], chain)
    return chain


def _table(chain: Expr) -> dict[Var, Expr]:
    table: dict[Var, Expr] = {}
    while type(chain) is Let:
        table[chain.var] = chain.value
        chain = chain.body
    return table


Substitute = substitute
ExprAppend = expr_append
ExtractBinding = extract_binding
