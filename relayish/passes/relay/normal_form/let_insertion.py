"""Let insertion: binding nodes of an expression, each in the scope it belongs to.

An expression is walked on an explicit stack, in the order in which Relay binds: operands before
what they are operands of, the branches of an ``If`` before its condition. What is hoisted out of a
branch comes to stand in front of the bindings of the condition then. That is all one as long
as neither acts; in a program with effects the order is that of evaluation, and lets open no scopes.

Of kinds that other packages declare, operands become names, and what each scope evaluates is a
block, as a branch is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeAlias

from relayish.analysis.effectful import FindEffectful
from relayish.analysis.normal_form import find_shared_ahead
from relayish.analysis.on_device import fixed_device, with_fixed_device
from relayish.analysis.virtual_devices import has_devices, recover_devices
from relayish.ir.fields.roles import Runs
from relayish.ir.nodes.getters import is_declaration
from relayish.ir.nodes.node import SYMBOLS, Node
from relayish.ir.relay.expr import Call, Expr, If, Let, Var
from relayish.ir.relay.function_attributes import is_transparent
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.virtual_device import ANY_DEVICE, VirtualDevice
from relayish.ir.scopes.node_scopes import OUTERMOST, Scopes
from relayish.ir.scopes.replacing import with_evaluated
from relayish.ir.scopes.scoping import has_scopes
from relayish.passes.relay.normal_form.blocks import Blocks, check_expression, check_operands
from relayish.passes.relay.normal_form.effect_order import check_effect_order
from relayish.passes.relay.normal_form.unsharing import unshare

Binding: TypeAlias = tuple[Var, Expr, Expr]
"""A variable, its value, and the node it comes from: a let, or the node that was bound."""

Bindings: TypeAlias = list["Binding | Bindings"]
"""The lets of a scope in order; those of a scope within are spliced in where they stand."""


def bind_all(
    expr: Expr, find_effectful: FindEffectful, around: VirtualDevice | None = None
) -> Expr:
    """Return ``expr`` in A-normal form: every node but names is bound by a let.

    Where devices are planned each value says its own; that of ``expr`` is ``around``.
    """
    effectful = find_effectful(expr)
    find = _build_flat_scopes if effectful else _scopes
    scopes = find(expr)
    declarations = _declarations(scopes)
    if declarations:
        effectful, find = {*effectful, *declarations}, _build_flat_scopes
        scopes = find(expr)
    expr, scopes, effectful = unshare(expr, scopes, _select_all, effectful, find)
    check_effect_order(expr, scopes, effectful)
    filler = _Filler(scopes, None, flat=True, in_order=bool(effectful))
    if around is not None or has_devices(scopes.order):
        filler.devices = recover_devices(None, expr, around or ANY_DEVICE)
    return filler.fill(expr)


def bind_lifted(expr: Expr, find_effectful: FindEffectful, *, whole: bool = False) -> Expr:
    """Return ``expr`` in basic-block normal form: nodes that several blocks share are bound.

    Where one of these acts, all nodes that act are bound, so that they keep their order, and lets
    within what is evaluated in the same block are moved out.

    Args:
        expr: An expression.
        find_effectful: What tells which nodes may act.
        whole: Whether to bind as well what the block around all uses uses first.
    """
    scopes = _scopes(expr)
    if not scopes.lifted:
        return expr
    effectful = find_effectful(expr)
    select = _select_lifted if whole else _select_shared_ahead
    expr, scopes, effectful = unshare(expr, scopes, select, effectful, _scopes)
    if not scopes.lifted.isdisjoint(effectful) or _declarations(scopes):
        return _bind_in_order(expr, effectful, _build_flat_scopes)
    lifted = select(scopes, effectful)
    if not lifted:
        return expr
    return _Filler(scopes, lifted, flat=False, in_order=bool(effectful)).fill(expr)


def bind_shared(expr: Expr, find_effectful: FindEffectful) -> Expr:
    """Return ``expr`` with the nodes bound that several scopes share, and those that act.

    Unlike :func:`bind_lifted`, it takes each scope for a block, also one that surely runs once;
    only the bodies of lets are none.
    """
    return _bind_in_order(expr, find_effectful(expr), _build_block_scopes)


def _bind_in_order(expr: Expr, effectful: Collection[Node], find: Callable[[Expr], Scopes]) -> Expr:
    scopes = find(expr)
    declarations = _declarations(scopes)
    effectful = {*effectful, *declarations} if declarations else effectful
    expr, scopes, effectful = unshare(expr, scopes, _select_lifted_and_effectful, effectful, find)
    check_effect_order(expr, scopes, effectful)
    return _Filler(
        scopes, _select_lifted_and_effectful(scopes, effectful), flat=True, in_order=True
    ).fill(expr)


def _scopes(expr: Expr) -> Scopes:
    """Return the scopes of ``expr``; the body of each let is one."""
    return Scopes(expr, enter=is_transparent)


def _build_flat_scopes(expr: Expr) -> Scopes:
    """Return the scopes of ``expr`` where lets open none."""
    return Scopes(expr, flat=(Let,), enter=is_transparent)


def _build_block_scopes(expr: Expr) -> Scopes:
    """Return the scopes of ``expr``, each a block, where lets open none."""
    return _EachBlock(expr, flat=(Let,), enter=is_transparent)


class _EachBlock(Scopes):
    """Scopes each of which is a block."""

    def open(self, scope: int, runs: Runs) -> int:
        opened = super().open(scope, runs)
        if opened != scope:
            self.block[opened] = opened
        return opened


def _declarations(scopes: Scopes) -> list[Node]:
    """Return the declarations of variables for what follows them, but for statements of blocks.

    Bound in order, as what acts is, they come before all that uses the variables.

    Raises:
        PassError: If what a declaration declares is known in operands of its own.
    """
    kinds = {kind for kind in set(map(type, scopes.opened)) if is_declaration(kind)}
    if not kinds:
        return []
    found = [node for node in scopes.opened if type(node) in kinds]
    for node in found:
        check_operands(node)
    own = scopes.scope
    return [node for node in found if scopes.declaration_scope(own[node]) == own[node]]


def _select_all(_scopes: Scopes, _effectful: Collection[Node]) -> None:
    return None


def _select_shared_ahead(scopes: Scopes, _effectful: Collection[Node]) -> Collection[Node]:
    return find_shared_ahead(scopes)


def _select_lifted(scopes: Scopes, _effectful: Collection[Node]) -> Collection[Node]:
    return scopes.lifted


def _select_lifted_and_effectful(scopes: Scopes, effectful: Collection[Node]) -> Collection[Node]:
    """Return the lifted and effectful nodes, and lets that have no block to be moved out to."""
    no_insertion = scopes.without_insertion_point
    found = scopes.lifted.union([node for node in effectful if type(node) is not Let])
    if no_insertion:
        found.update([n for n, s in scopes.scope.items() if s in no_insertion and type(n) is Let])
    return found


class _Filler:
    """Inserts the lets of one expression; used once.

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
        self.blocks = Blocks(scopes)
        self.no_insertion = scopes.without_insertion_point
        self.included = included
        self.flat = flat
        self.in_order = in_order
        self.images: dict[Node, Expr] = {}
        self.bindings: defaultdict[int, Bindings] = defaultdict(list)
        self.open: set[Var] = set()
        """The variables of lets whose values are being visited."""
        self.outer: dict[int, int] = {}
        """For each scope that ends where others do, the outermost of these."""
        self.count = 0
        self.devices: Mapping[Expr, VirtualDevice] | None = None
        """Where values are kept, if that is to be said of each that is bound."""
        self.tasks: list[tuple[Any, Let | None, bool]] = []  # Any: a node of the kind at hand
        """A node, the let whose value it is, and whether its children were visited."""

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
                self.bind(node, self.rebuild(node), let)
                continue
            if node in images:
                if let is not None:
                    scope = self.scope[node] if self.included is None else self.inner[let][0]
                    self.push(scope, let.var, images[node], let)
                continue
            append((node, let, True))
            for child in self.children(node):
                if type(child) in SYMBOLS:
                    images.setdefault(child, child)
                elif child not in images:
                    append((child, None, False))
        return self.wrap(OUTERMOST, root)

    # Binding

    def push(self, scope: int, var: Var, value: Expr, origin: Expr) -> None:
        self.bindings[scope].append((var, value, origin))
        self.open.discard(var)

    def bind(self, node: Expr, image: Expr, let: Let | None) -> None:
        """Let a variable stand for ``node``, bound to ``image``, or ``image`` itself."""
        scope = self.scope[node]
        if self.devices is not None:
            if fixed_device(node) is not None:
                self.images[node] = image.args[0]
                return
            before = None if let is None else let.value
            image = with_fixed_device(image, self.devices[node], before)
        if let is None and self.included is not None and type(image) in SYMBOLS:
            self.images[node] = image  # a let that was moved out, and left its result
            return
        if self.included is None or node in self.included:
            var = let.var if let is not None else self.make_var(node)
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

    def make_var(self, node: Expr) -> Var:
        check_expression(node)
        var: Var = Var._make(f"x_{self.count}", None, None, None, node.span, None)
        self.count += 1
        return var

    def bind_name(self, name: Expr, let: Let) -> None:
        """Bind the variable of ``let`` to ``name``, or rename: let it stand for ``name``.

        Where all that follows in the scope of ``name`` sees the variable, that is used from then
        on. So it is with all that are bound in A-normal form: there they stand in the scope of
        ``name``, unless this is still to be bound itself, or that scope has no insertion point.
        """
        (inner,) = self.inner[let]
        image = self.images.get(name, name)
        if type(name) is Var and name not in self.open:
            scope = self.scope[name]
            everywhere = self.included is None and scope not in self.no_insertion
            if everywhere or self.end_together(scope, inner):
                self.push(scope, let.var, image, let)
                self.images.setdefault(name, let.var)
                return
        self.push(inner, let.var, image, let)

    def end_together(self, one: int, other: int) -> bool:
        """Return whether two scopes end at the same place, as those of a let and its body do."""
        return self.outer.get(one, one) == self.outer.get(other, other)

    def enter_body(self, body: Expr, scope: int) -> None:
        """Take note that a let, as ``body`` of ``scope``, opens one that ends where this does."""
        if type(body) is Let and self.scope[body] == scope:
            (inner,) = self.inner[body]
            self.outer[inner] = self.outer.get(scope, scope)

    # What becomes of a node whose children are visited

    def rebuild(self, node: Expr) -> Expr:
        kind = type(node)
        if type(node) is Let:
            return self.rebuild_let(node)
        if kind is not Call and has_scopes(kind):
            return self.rebuild_blocks(node)
        image: Expr = EXPRESSIONS.rebuild[kind](node, self.images.get)
        return image

    def rebuild_blocks(self, node: Expr) -> Expr:
        if node not in self.inner:
            return node  # a kernel
        images = self.images
        operands, blocks = self.blocks.of(node)
        self.blocks.check_lets(node, blocks, self.bindings)
        return with_evaluated(
            node,
            [images.get(operand, operand) for operand in operands],
            [self.wrap(scope, root) for root, scope in blocks],
        )

    def rebuild_let(self, let: Let) -> Expr:
        (inner,) = self.inner[let]
        if not self.flat:
            return self.wrap(inner, let.body)
        scope = self.scope[let]
        if inner != scope and inner in self.bindings:
            self.bindings[scope].append(self.bindings.pop(inner))
        return self.images.get(let.body, let.body)

    def wrap(self, scope: int, body: Expr) -> Expr:
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
            if same and origin.body is image:
                image = origin
            else:
                image = Let._make(var, value, image, origin.span, None)
        return image

    # The children of a node, the last to be visited first

    def children(self, node: Expr) -> Iterable[Any]:  # Any: nodes, which all are expressions
        if type(node) is Call:
            return self.call_children(node)
        if type(node) is Let:
            return self.let_children(node)
        if not has_scopes(type(node)):
            return EXPRESSIONS.children(node)[::-1]
        operands, blocks = self.blocks.of(node)
        roots: list[Expr] = []
        for root, scope in blocks:
            self.enter_body(root, scope)
            roots.append(root)
        if type(node) is If and not self.in_order:
            return (*operands, *roots)
        return (*roots[::-1], *operands[::-1])

    def let_children(self, let: Let) -> tuple[Expr, ...]:
        self.open.add(let.var)
        self.enter_body(let.body, *self.inner[let])
        if type(let.body) not in SYMBOLS:
            self.tasks.append((let.body, None, False))
        value = let.value
        while self.devices is not None and fixed_device(value) is not None:
            (value,) = value.args
        self.tasks.append((value, let, False))
        return ()

    def call_children(self, call: Call) -> tuple[Expr, ...]:
        args = call.args[::-1]
        if type(call.op) in SYMBOLS:
            return args
        return (*args, call.op) if self.in_order else (call.op, *args)
