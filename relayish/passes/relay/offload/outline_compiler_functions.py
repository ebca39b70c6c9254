"""Make functions that other compilers own global, under the names they have already.

Before::

    def @main(%x) {
      %0 = fn (%p, Compiler="dnnl", global_symbol="region") { exp(%p) };
      %0(%x)
    }

After::

    def @main(%x) { @region(%x) }
    def @region(%p, Compiler="dnnl", global_symbol="region") { exp(%p) }
"""

from __future__ import annotations

from relayish.analysis.variables import free_vars
from relayish.errors import PassError
from relayish.functor import MixedModeMutator
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.kinds.one_line import describe
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Expr, Function, GlobalVar, Let
from relayish.ir.relay.function_attributes import (
    GLOBAL_SYMBOL,
    compiler_of_function,
    find_attribute,
)
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.passes.relay.normal_form.functions import (
    iterate_optimized_functions,
    transform_functions,
)


class _Outliner(MixedModeMutator):
    """Replaces functions of compilers, where they are called, by their global names."""

    def __init__(self, mod: IRModule, compiler: str) -> None:
        self._mod = mod
        self._compiler = compiler
        self.added: dict[str, tuple[GlobalVar, Function]] = {}
        self._names: dict[Function, GlobalVar] = {}

    def _is_chosen(self, expr: Expr) -> bool:
        found = compiler_of_function(expr)
        return found is not None and self._compiler in ("", found)

    def visit_let(self, let: Let) -> Expr:
        memo = self.memo_map
        chain: list[tuple[Let, Expr | None]] = []  # no value where the let goes
        tail: Expr = let
        while type(tail) is Let and tail not in memo:
            value: Expr | None = self.visit(tail.value)
            assert value is not None
            if self._is_chosen(value):
                memo[tail.var] = value
                value = None
            chain.append((tail, value))
            tail = tail.body
        image = self.visit(tail)
        for binding, value in reversed(chain):
            if value is not None:
                image = binding.with_fields(value=value, body=image)
            memo[binding] = image
        return image

    def rewrite_call(self, pre: Call, post: Call) -> Expr:  # noqa: ARG002
        func = post.op
        if type(func) is not Function or not self._is_chosen(func):
            return post
        name = self._names.get(func)
        if name is None:
            name = self._names[func] = self._name(func)
        return post.with_fields(op=name)

    def _name(self, func: Function) -> GlobalVar:
        """Return the global name of a function, which is in the module then."""
        symbol = find_attribute(func, GLOBAL_SYMBOL)
        if symbol is None:
            raise PassError(
                f"{describe(func)} belongs to another compiler and has no global_symbol; give it "
                f"that attribute, the name under which it is to be global"
            )
        free = free_vars(func)
        if free:
            raise PassError(
                f"the function of another compiler {symbol!r} uses %{free[0].name_hint}, which is "
                f"bound outside of it; pass it as an argument, as PartitionGraph does"
            )
        known = self.added.get(symbol)
        if known is None and symbol in self._mod:
            name = self._mod.get_global_var(symbol)
            defined = self._mod.function_of(Node, name)
            known = (name, defined) if isinstance(defined, Function) else None
        if known is None:
            known = self.added[symbol] = GlobalVar(symbol, span=func.span), func
        elif not structural_equal(known[1], func):
            raise PassError(
                f"two functions have the global_symbol {symbol!r} and differ; rename one"
            )
        return known[0]


@register_pass("OutlineCompilerFunctionsWithExistingGlobalSymbols", opt_level=0, idempotent=True)
def outline_compiler_functions(mod: IRModule, *, compiler_filter: str = "") -> IRModule:
    """Compiler function outlining: make functions of other compilers global, by their names.

    Return ``mod`` with the functions that other compilers own, where they are called, as functions
    of the module; each is called as its attribute ``global_symbol`` says.

    Functions that lets bind are outlined as well, and the lets go. One function is made of those
    that have one name; they must be equal.

    Args:
        mod: Any module.
        compiler_filter: The compiler whose functions are outlined; by default all.

    Returns:
        ``mod`` itself when there is nothing to outline.

    Raises:
        PassError: If a function has no ``global_symbol``, uses variables from outside, or differs
            from another of its name.

    Complexity:
        Linear in distinct nodes; no recursion.

    Source:
        Relay ``OutlineCompilerFunctionsWithExistingGlobalSymbols``, which takes the first of
        several functions of a name for all.

    Example:
        >>> from relayish.text import parse
        >>> from relayish.transform import OutlineCompilerFunctionsWithExistingGlobalSymbols
        >>> mod = parse('''#[version = "0.0.5"]
        ... def @main(%x: int32) {
        ...   %0 = fn (%p: int32, Compiler="other", global_symbol="region") { negative(%p) };
        ...   %0(%x)
        ... }''')
        >>> out = OutlineCompilerFunctionsWithExistingGlobalSymbols("other")(mod)
        >>> [name.name_hint for name in out], out["main"].body.op.name_hint
        (['main', 'region'], 'region')
    """
    outliner = _Outliner(mod, compiler_filter)

    def outline(func: Function) -> Function:
        return func.with_fields(body=outliner.visit(func.body))

    image = transform_functions(mod, outline, iterate_optimized_functions)
    return image.with_functions(dict(outliner.added.values()))
