"""Binding nodes of an expression by lets, each in the scope it belongs to.

An expression is walked on an explicit stack, in the order in which Relay binds: operands before
what they are operands of, the branches of an ``If`` before its condition. What is hoisted out of a
branch comes to stand in front of the bindings of the condition then. That is all one as long
as neither acts; in a program with effects the order is that of evaluation, and lets open no scopes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, TypeAlias

from relayish.analysis.marks import is_primitive, is_transparent
from relayish.ir.node import SYMBOLS, Node
from relayish.ir.relay.adt import Match
from relayish.ir.relay.expr import Call, Expr, Function, If, Let, RefWrite, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes import OUTERMOST, Scopes

Binding: TypeAlias = tuple[Var, Expr, Expr]
"""A variable, its value, and the node it comes from: a let, or the node that was bound."""

Acting: TypeAlias = Callable[[Expr], Collection[Node]]
"""Tells which nodes of an expression may do more than give a value."""

Bindings: TypeAlias = list["Binding | Bindings"]
"""The lets of a scope in order; those of a scope within are spliced in where they stand."""


def bind_all(expr: Expr, acting: Acting) -> Expr:
    """Return ``expr`` with every node bound that is no name."""
    acts = acting(expr)
    scopes = Scopes(expr, once=not acts, enter=is_transparent)
    return _Filler(scopes, None, flat=True, in_order=bool(acts)).fill(expr)


def bind_lifted(expr: Expr, acting: Acting) -> Expr:
    """Return ``expr`` with the nodes bound that several blocks share.

    Where one of these acts, all nodes that act are bound, so that they keep their order, and lets
    within what is evaluated in the same block are moved out.
    """
    scopes = Scopes(expr, enter=is_transparent)
    if not scopes.lifted:
        return expr
    acts = acting(expr)
    if scopes.lifted.isdisjoint(acts):
        return _Filler(scopes, scopes.lifted, flat=False, in_order=bool(acts)).fill(expr)
    scopes = Scopes(expr, once=False, enter=is_transparent)
    included = scopes.lifted.union([node for node in acts if type(node) is not Let])
    return _Filler(scopes, included, flat=True, in_order=True).fill(expr)


class _Filler:
    """Binds nodes; used once.

    Args:
        scopes: Where nodes belong.
        included: The nodes to bind; ``None`` for all.
        flat: Whether what a let binds goes to the scope around it.
        in_order: Whether operands are taken in the order of evaluation, as they are where they may
            act, or in that of Relay.
    """

    def __init__(
        self,
        scopes: Scopes,
        included: Collection[Node] | None,
        *,
        flat: bool,
        in_order: bool,
    ) -> None:
        self.scope = scopes.scope
        self.inner = scopes.opened
        self.included = included
        self.flat = flat
        self.in_order = in_order
        self.images: dict[Node, Expr] = {}
        self.bindings: defaultdict[int, Bindings] = defaultdict(list)
        self.open: set[Var] = set()  # variables of lets whose values are being visited
        self.outer: dict[int, int] = {}  # for scopes that end together, the outermost of them
        self.count = 0
        # a node, the let whose value it is, and whether its children were visited
        self.tasks: list[tuple[Any, Let | None, bool]] = []  # Any: a node of the kind at hand

    def fill(self, root: Expr) -> Expr:
        """Return the expression in which everything is bound."""
        tasks, images = self.tasks, self.images
        self.enter_body(root, OUTERMOST)
        tasks.append((root, None, False))
        pop, append = tasks.pop, tasks.append
        while tasks:
            node, let, ready = pop()
            kind = type(node)
            if kind in SYMBOLS:
                if let is not None:
                    self.bind_name(node, let)
                continue
            if ready:
                build = _BUILD.get(kind)
                self.bind(node, self.rebuilt(node) if build is None else build(self, node), let)
                continue
            if node in images:
                if let is not None:
                    scope = self.scope[node] if self.included is None else self.inner[let][0]
                    self.push(scope, let.var, images[node], let)
                continue
            append((node, let, True))
            below = _CHILDREN.get(kind)
            children = self.operands(node) if below is None else below(self, node)
            for child in children:
                if type(child) in SYMBOLS:
                    images.setdefault(child, child)
                elif child not in images:
                    append((child, None, False))
        return self.wrapped(OUTERMOST, root)

    # Binding

    def push(self, scope: int, var: Var, value: Expr, origin: Expr) -> None:
        self.bindings[scope].append((var, value, origin))
        self.open.discard(var)

    def bind(self, node: Expr, image: Expr, let: Let | None) -> None:
        """Note what becomes of ``node``: a variable, or ``image`` itself."""
        scope = self.scope[node]
        if let is None and self.included is not None and type(image) in SYMBOLS:
            self.images[node] = image  # a let that was moved out, and left its result
            return
        if self.included is None or node in self.included:
            var = let.var if let is not None else self.fresh(node)
        elif let is None:
            self.images[node] = image
            return
        else:
            (inner,) = self.inner[let]
            var = let.var
            if not self.end_together(scope, inner):  # other uses do not see the variable
                self.push(inner, var, image, let)
                self.images[node] = image
                return
        self.push(scope, var, image, let or node)
        self.images[node] = var

    def fresh(self, node: Expr) -> Var:
        var: Var = Var._make(f"x_{self.count}", None, None, node.span, None)
        self.count += 1
        return var

    def bind_name(self, name: Expr, let: Let) -> None:
        """Give what has a name another one.

        Where all that follows in the scope of a variable sees its other name, that is used from
        then on. So it is with all that are bound in A-normal form: there they stand in the scope of
        the variable, unless this is still to be bound itself.
        """
        (inner,) = self.inner[let]
        image = self.images.get(name, name)
        if type(name) is Var and name not in self.open:
            scope = self.scope[name]
            if self.included is None or self.end_together(scope, inner):
                self.push(scope, let.var, image, let)
                self.images.setdefault(name, let.var)
                return
        self.push(inner, let.var, image, let)

    def end_together(self, one: int, other: int) -> bool:
        """Return whether one scope is all that is left of the other, or the same."""
        return self.outer.get(one, one) == self.outer.get(other, other)

    def enter_body(self, body: Expr, scope: int) -> None:
        """Note that a let whose scope ends with ``scope`` does."""
        if type(body) is Let and self.scope[body] == scope:
            (inner,) = self.inner[body]
            self.outer[inner] = self.outer.get(scope, scope)

    # What becomes of a node whose children are visited

    def rebuilt(self, node: Expr) -> Expr:
        rebuild = EXPRESSIONS.rebuild[type(node)]
        if rebuild is None:
            return node
        image: Expr = rebuild(node, self.images.get)
        return image

    def built_if(self, if_: If) -> Expr:
        true, false = self.inner[if_]
        return if_.with_fields(
            cond=self.images.get(if_.cond, if_.cond),
            true_branch=self.wrapped(true, if_.true_branch),
            false_branch=self.wrapped(false, if_.false_branch),
        )

    def built_function(self, func: Function) -> Expr:
        if is_primitive(func):
            return func
        (inner,) = self.inner[func]
        return func.with_fields(body=self.wrapped(inner, func.body))

    def built_match(self, match: Match) -> Expr:
        clauses = [
            clause.with_fields(rhs=self.wrapped(inner, clause.rhs))
            for clause, inner in zip(match.clauses, self.inner[match], strict=True)
        ]
        return match.with_fields(
            data=self.images.get(match.data, match.data), clauses=tuple(clauses)
        )

    def built_let(self, let: Let) -> Expr:
        (inner,) = self.inner[let]
        if not self.flat:
            return self.wrapped(inner, let.body)
        scope = self.scope[let]
        if inner != scope and inner in self.bindings:
            self.bindings[scope].append(self.bindings.pop(inner))
        return self.images.get(let.body, let.body)

    def wrapped(self, scope: int, body: Expr) -> Expr:
        """Return the image of ``body`` within the bindings of ``scope``."""
        image = self.images.get(body, body)
        pending: Bindings = self.bindings.pop(scope, [])
        while pending:
            binding = pending.pop()
            if isinstance(binding, list):
                pending += binding
                continue
            var, value, origin = binding
            same = type(origin) is Let and origin.var is var and origin.value is value
            if same and origin.body is image:  # type: ignore[attr-defined]  # it is a let
                image = origin
            else:
                image = Let._make(var, value, image, origin.span, None)
        return image

    # The children of a node, the last to be visited first

    def operands(self, node: Expr) -> list[Any]:  # Any: nodes, which all are expressions
        return EXPRESSIONS.children(node)[::-1]

    def let_children(self, let: Let) -> tuple[Expr, ...]:
        self.open.add(let.var)
        self.enter_body(let.body, *self.inner[let])
        if type(let.body) not in SYMBOLS:
            self.tasks.append((let.body, None, False))
        self.tasks.append((let.value, let, False))
        return ()

    def if_children(self, if_: If) -> tuple[Expr, ...]:
        true, false = self.inner[if_]
        self.enter_body(if_.true_branch, true)
        self.enter_body(if_.false_branch, false)
        if self.in_order:
            return (if_.false_branch, if_.true_branch, if_.cond)
        return (if_.cond, if_.true_branch, if_.false_branch)

    def call_children(self, call: Call) -> tuple[Expr, ...]:
        args = call.args[::-1]
        if type(call.op) in SYMBOLS:
            return args
        return (*args, call.op) if self.in_order else (call.op, *args)

    def function_children(self, func: Function) -> tuple[Expr, ...]:
        if is_primitive(func):
            return ()
        self.enter_body(func.body, *self.inner[func])
        return (func.body,)

    def match_children(self, match: Match) -> tuple[Expr, ...]:
        bodies = [clause.rhs for clause in match.clauses]
        for body, inner in zip(bodies, self.inner[match], strict=True):
            self.enter_body(body, inner)
        return (*bodies[::-1], match.data)

    def write_children(self, write: RefWrite) -> tuple[Expr, ...]:
        return (write.value, write.ref) if self.in_order else (write.ref, write.value)


_BUILD: Final[dict[type[Node], Callable[[_Filler, Any], Expr]]] = {  # Any: a node of the kind
    Let: _Filler.built_let,
    If: _Filler.built_if,
    Function: _Filler.built_function,
    Match: _Filler.built_match,
}
_CHILDREN: Final[dict[type[Node], Callable[[_Filler, Any], Sequence[Expr]]]] = {  # Any: as above
    Call: _Filler.call_children,
    Let: _Filler.let_children,
    If: _Filler.if_children,
    Function: _Filler.function_children,
    Match: _Filler.match_children,
    RefWrite: _Filler.write_children,
}
