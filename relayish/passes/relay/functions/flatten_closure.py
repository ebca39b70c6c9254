"""Make plain functions of lifted closures that are only ever called.

Before::

    def @lifted(%captured: int32, Closure=1) { fn (%x: int32) { %x + %captured } }
    def @main(%x: int32, %y: int32) {
      let %f = @lifted(%y);
      %f(%x)
    }

After::

    def @lifted(%x: int32, %captured: int32) { %x + %captured }
    def @main(%x: int32, %y: int32) { @lifted(%x, %y) }
"""

from __future__ import annotations

from collections.abc import Iterator

from relayish.analysis.infer_type.global_uses import global_uses
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.relay.expr import Call, Expr, Function, GlobalVar, Let, Var
from relayish.ir.relay.function_attributes import is_closure
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.pass_infra import register_pass
from relayish.passes.relay.functions.interprocedural.dropping import DroppingMutator


class _Uses:
    """What the variables of one function stand for, and which closures get out of hand."""

    def __init__(self, root: Expr, closures: dict[str, Function]) -> None:
        self._closures = closures
        self.aliases: dict[Var, GlobalVar] = {}
        """Variables that are other names of global functions."""
        self.made: dict[Var, Call] = {}
        """Variables that stand for a closure, with the call that makes it."""
        self.escaping: set[str] = set()
        """The closures that are used otherwise than by calling them."""
        self.called: set[str] = set()
        """The closures that are made anywhere."""
        nodes = list(EXPRESSIONS.pre_order(root))
        for node in nodes:
            if type(node) is Let:
                self._bind(node.var, node.value)
        for node in nodes:
            self._look(node)

    def _bind(self, var: Var, value: Expr) -> None:
        if type(value) is GlobalVar:
            self.aliases[var] = value
        elif self._maker(value) is not None:
            assert isinstance(value, Call)
            self.made[var] = value
        elif type(value) is Var and value in self.aliases:
            self.aliases[var] = self.aliases[value]
        elif type(value) is Var and value in self.made:
            self.made[var] = self.made[value]

    def _maker(self, expr: Node) -> str | None:
        """Return the name of the closure that ``expr``, a call, makes."""
        if type(expr) is not Call:
            return None
        op = self.aliases.get(expr.op, expr.op) if type(expr.op) is Var else expr.op
        return op.name_hint if type(op) is GlobalVar and op.name_hint in self._closures else None

    def _stands_for(self, expr: Node) -> str | None:
        """Return the closure that is the value of ``expr``."""
        return self._maker(self.made.get(expr, expr) if type(expr) is Var else expr)

    def _look(self, node: Node) -> None:
        maker = self._maker(node)
        if maker is not None:
            assert isinstance(node, Call)
            self.called.add(maker)
            if len(node.args) != len(self._closures[maker].params) or any(
                type(arg) not in ATOMS for arg in node.args
            ):
                self.escaping.add(maker)
        for child in self._iterate_used(node):
            if type(child) is GlobalVar:
                self.escaping.add(child.name_hint)
            elif type(child) is Var and child in self.aliases:
                self.escaping.add(self.aliases[child].name_hint)
            elif (name := self._stands_for(child)) is not None:
                self.escaping.add(name)

    def _iterate_used(self, node: Node) -> Iterator[Node]:
        """Yield the children of ``node`` that it does something else with than to call or bind."""
        if type(node) is Let:
            if not self._is_followed(node.value):
                yield node.value
            yield node.body
        elif type(node) is Call:
            yield from node.args
        else:
            yield from EXPRESSIONS.children(node)

    def _is_followed(self, value: Expr) -> bool:
        return type(value) is GlobalVar or type(value) is Var or self._maker(value) is not None


class _Flattener(DroppingMutator):
    """Rewrites the calls of closures that are flattened, in one function."""

    def __init__(self, uses: _Uses, flattened: dict[str, GlobalVar]) -> None:
        self._uses = uses
        self._flattened = flattened
        made = {var: call for var, call in uses.made.items() if self._name(call) is not None}
        self._made = made
        self.dropped = {*uses.aliases, *made}
        self.memo_map.update(uses.aliases.items())

    def _name(self, expr: Expr) -> GlobalVar | None:
        """Return the name of the flattened closure that ``expr``, a call, makes."""
        if type(expr) is not Call:
            return None
        op = self._uses.aliases.get(expr.op, expr.op) if type(expr.op) is Var else expr.op
        return self._flattened.get(op.name_hint) if type(op) is GlobalVar else None

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        making = self._made.get(pre.op) if type(pre.op) is Var else pre.op
        if making is None:
            return post
        name = self._name(making)
        if name is None:
            return post
        assert isinstance(making, Call)
        aliases = self._uses.aliases
        captured = [aliases.get(arg, arg) if type(arg) is Var else arg for arg in making.args]
        type_args = (*making.type_args, *post.type_args)
        return Call(name, (*post.args, *captured), post.attrs, type_args, span=post.span)


@register_pass("FlattenClosure", opt_level=1)
def flatten_closure(mod: IRModule) -> IRModule:
    """Closure flattening: make plain functions of lifted closures that are only ever called.

    Return ``mod`` with closures that are only ever called made plain functions.

    A closure is a function marked ``Closure`` that takes what another one captures and returns that
    other one, as ``LambdaLift`` makes them. If it is only called, on the spot or by variables, its
    two levels become one: first the parameters of the inner function, then those of the outer. Lets
    that bind a closure made plain, and those that give a global function another name, are dropped.
    A closure that is passed on or returned, or to which nobody refers, stays as it is.

    Returns:
        ``mod`` itself when there was nothing to flatten and no other name to drop.

    Complexity:
        Linear in distinct nodes of each function; no recursion but for lets in values of lets.

    Source:
        RAF ``FlattenClosure``, which takes it that no closure is passed on.
    """
    definitions = mod.functions_of(Function)
    closures = {
        name.name_hint: function
        for name, function in definitions.items()
        if is_closure(function) and isinstance(function.body, Function)
    }
    if not closures and not any(global_uses(func).values for func in definitions.values()):
        return mod
    uses = {name: _Uses(function, closures) for name, function in definitions.items()}
    escaping = {closure for found in uses.values() for closure in found.escaping}
    called = {closure for found in uses.values() for closure in found.called}
    plain = called - escaping
    flat = {name: mod.get_global_var(name) for name in closures if name in plain}
    changed: dict[GlobalVar | str, Expr] = {}
    for name, function in definitions.items():
        image = _Flattener(uses[name], flat).visit(function)
        assert isinstance(image, Function)
        changed[name] = _flatten(image) if name.name_hint in flat else image
    return mod.with_functions(changed)


def _flatten(closure: Function) -> Function:
    """Return the function of one level that does what ``closure`` does in two."""
    function = closure.body
    assert isinstance(function, Function)
    return function.with_fields(
        params=(*function.params, *closure.params),
        type_params=(*closure.type_params, *function.type_params),
    )
