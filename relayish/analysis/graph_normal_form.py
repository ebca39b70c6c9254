"""Graph normal form: which lets of an expression a graph needs, and whether there are others."""

from __future__ import annotations

from collections.abc import Iterable

from relayish.analysis.effectful import find_effectful_nodes
from relayish.analysis.referential_transparency import ReferentialTransparency
from relayish.errors import CheckError
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.span import at_span
from relayish.ir.relay.expr import Expr, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS


def needless_lets(
    expr: Expr, mod: IRModule | None = None, *, creates: bool | None = None
) -> tuple[Let, ...]:
    """Return the lets of ``expr`` whose value may stand wherever their variable is used.

    The others bind what may act, or (in programs that create references) depends on when and how
    often it is evaluated; functions that refer to themselves; and variables that are told to share
    memory with others, or others with them.

    Args:
        expr: Any well-formed expression.
        mod: Where the functions are that ``expr`` calls by global name; without it they are taken
            to have effects.
        creates: Whether functions of ``mod`` create references; found out if not given.

    Complexity:
        Linear in distinct nodes; no recursion.
    """
    lets = _Lets()
    lets.walk(expr)
    if not lets.found:
        return ()
    effectful = find_effectful_nodes(expr, mod)
    if creates is None:
        creates = mod is not None and creates_references(mod)
    transparency = ReferentialTransparency() if creates or lets.creates else None
    needless: list[Let] = []
    for let in lets.found:
        if let in lets.recursive or let.value in effectful:
            continue
        if let.var.may_share is not None or let.var in lets.shared:
            continue
        if transparency is not None:
            if not transparency.holds_for(let.value):
                continue
            # the value will stand where the variable does
            transparency.bind(let.var, let.value)
        needless.append(let)
    return tuple(needless)


def creates_references(mod: IRModule) -> bool:
    """Return whether a function of ``mod`` creates a reference."""
    return any(_creates(EXPRESSIONS.pre_order(func)) for func in mod.functions_of(Expr).values())


def _creates(nodes: Iterable[Node]) -> bool:
    kinds: set[type[Node]] = set(map(type, nodes))
    return any(kind.traits_.allocates for kind in kinds)


def is_graph_normal_form(expr: Expr, mod: IRModule | None = None) -> bool:
    """Return whether ``expr`` has no lets but those a graph needs; see :func:`needless_lets`.

    Example:
        >>> from relayish.ir.relay.expr import Tuple
        >>> x, t = Var("x"), Tuple(())
        >>> is_graph_normal_form(Tuple((t, t))), is_graph_normal_form(Let(x, t, Tuple((x, x))))
        (True, False)
    """
    return not needless_lets(expr, mod)


def check_graph_normal_form(expr: Expr, mod: IRModule | None = None) -> None:
    """Raise unless ``expr`` is in graph normal form; see :func:`needless_lets`.

    Raises:
        CheckError: Naming a let in whose place its value could stand.

    Complexity:
        Linear in distinct nodes; no recursion.
    """
    found = needless_lets(expr, mod)
    if found:
        let = found[0]
        raise CheckError(
            f"a Let{at_span(let)} binds %{let.var.name_hint} to {one_line(let.value)}, which could "
            f"stand where the variable is used; the pass ToGraphNormalForm brings programs into "
            f"this form",
            check="graph_normal_form",
        )


class _Lets:
    """The lets of an expression: those in a value, the let of the value, those that follow."""

    def __init__(self) -> None:
        self.found: list[Let] = []
        self.recursive: set[Let] = set()
        self.shared: set[Var] = set()
        self.creates = False

    def walk(self, root: Expr) -> None:
        met: set[Node] = set()
        stack: list[tuple[Node, bool]] = [(root, False)]
        below: list[Node] = []
        table = EXPRESSIONS.push
        while stack:
            node, valued = stack.pop()
            if valued:
                assert type(node) is Let
                self.found.append(node)
                if node.var in met:  # before what follows: it can only be in the value
                    self.recursive.add(node)
                continue
            if node in met:
                continue
            met.add(node)
            if type(node) is Let:
                if node.var.may_share is not None:
                    self.shared.add(node.var.may_share)
                stack += ((node.body, False), (node, True), (node.value, False))
                continue
            if type(node) is Var:
                if node.may_share is not None:
                    self.shared.add(node.may_share)
                continue
            push = table[type(node)]
            if push is not None:
                push(node, met, below.append)
                stack += [(child, False) for child in below]
                below.clear()
        self.creates = _creates(met)
