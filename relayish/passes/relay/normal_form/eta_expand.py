"""Eta expansion: make functions of constructors and global names that are used uncalled.

Before (``EtaExpand{expand_constructor=true, expand_global_var=true}``)::

    def @main() { (Some, @increment) }

After::

    def @main() {
      (fn [A](%eta_expand_param: A) -> Option[A] { Some(%eta_expand_param) },
       fn (%eta_expand_param: int32) -> int32 { @increment(%eta_expand_param) })
    }
"""

from __future__ import annotations

from relayish.analysis.infer_type.unifier import substitute
from relayish.functor import MixedModeMutator
from relayish.ir.nodes.node import Node
from relayish.ir.relay.adt import Constructor, Pattern
from relayish.ir.relay.expr import Call, Expr, Function, GlobalVar, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import Type, TypeCall, TypeVar
from relayish.pass_infra import register_pass

_PARAM = "eta_expand_param"


class _Expander(MixedModeMutator):
    """Expands constructors and global names, but for those that are called or stand in patterns."""

    def __init__(self, mod: IRModule, expand_constructor: bool, expand_global_var: bool) -> None:
        self._mod = mod
        self._constructors = expand_constructor
        self._global_vars = expand_global_var

    def visit_pattern(self, pattern: Pattern) -> Pattern:
        """Return ``pattern``: there is nothing in it to call."""
        return pattern

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        if post.op is pre.op or not isinstance(pre.op, (Constructor, GlobalVar)):
            return post
        return pre if post.args is pre.args else post.with_fields(op=pre.op)

    def rewrite_constructor(self, pre: Constructor, post: Constructor) -> Expr:
        if not self._constructors:
            return post
        header, *_ = self._mod.get_type(pre.belong_to.name_hint)
        fresh = _make_type_vars(self._mod.type_definitions[header].type_vars)
        params = [Var(_PARAM, substitute(ty, fresh)) for ty in pre.inputs]
        type_vars = tuple(fresh.values())
        result = TypeCall(header, type_vars)
        return _make_wrapper(pre, tuple(params), result, type_vars)

    def rewrite_global_var(self, pre: GlobalVar, post: GlobalVar) -> Expr:
        if not self._global_vars:
            return post
        function = self._mod.function_of(Node, pre.name_hint)
        if not isinstance(function, Function):
            return post
        fresh = _make_type_vars(function.type_params)
        types = [_substitute(param.type_annotation, fresh) for param in function.params]
        params = tuple([Var(_PARAM, ty) for ty in types])
        return _make_wrapper(
            pre, params, _substitute(function.ret_type, fresh), tuple(fresh.values())
        )


def _make_type_vars(type_vars: tuple[TypeVar, ...]) -> dict[TypeVar, TypeVar]:
    return {var: TypeVar(var.name_hint, var.kind) for var in type_vars}


def _substitute(ty: Type | None, fresh: dict[TypeVar, TypeVar]) -> Type | None:
    return None if ty is None else substitute(ty, dict(fresh))


def _make_wrapper(
    callee: Expr, params: tuple[Var, ...], result: Type | None, type_params: tuple[TypeVar, ...]
) -> Function:
    call = Call(callee, params, span=callee.span)
    return Function(params, call, result, type_params, span=callee.span)


@register_pass("EtaExpand", opt_level=1, idempotent=True)
def eta_expand(
    mod: IRModule, *, expand_constructor: bool = False, expand_global_var: bool = False
) -> IRModule:
    """Eta expansion: make functions of constructors and global names that are used as values.

    Return ``mod`` with what is used without being called made a function that calls it.

    Args:
        mod: A module.
        expand_constructor: Do so with constructors.
        expand_global_var: Do so with the names of functions of ``mod``.

    Returns:
        ``mod`` itself when there was nothing to expand. The functions that are made have no
        attributes; they belong to nobody else, even if what they call does.

    Raises:
        UnknownNameError: If ``mod`` does not define a function or type that it uses.

    Complexity:
        Linear in distinct nodes; no recursion.

    Source:
        Relay ``EtaExpand``.
    """
    changed: dict[GlobalVar | str, Expr] = {}
    for name, definition in mod.functions.items():
        if isinstance(definition, Function):
            expander = _Expander(mod, expand_constructor, expand_global_var)
            changed[name] = expander.visit(definition)
    return mod.with_functions(changed)
