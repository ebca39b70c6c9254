"""Direct style: what takes a continuation called with the identity, so that it returns."""

from __future__ import annotations

from relayish.errors import PassError
from relayish.functor import ExprMutator
from relayish.ir.relay.expr import Call, Expr, Function, GlobalVar, Var
from relayish.ir.relay.function_attributes import is_primitive
from relayish.ir.relay.global_var_supply import GlobalVarSupply
from relayish.ir.relay.type import FuncType
from relayish.passes.relay.normal_form.functions import iterate_own_functions
from relayish.passes.relay.normal_form.to_cps import Program


def un_cps(program: Program) -> Program:
    """Return what :func:`to_cps` made as functions that return: called with the identity.

    Of a module, each function becomes one that calls the converted one, which goes by its name
    followed by ``_cps``.

    Raises:
        PassError: If a function is not one of continuation-passing style.

    Source:
        Relay ``un_cps``.
    """
    if isinstance(program, Function):
        return _make_direct(program, program)
    own = dict(iterate_own_functions(program))
    supply = GlobalVarSupply(program)
    names: dict[GlobalVar, GlobalVar] = {}
    for name, func in own.items():
        if not is_primitive(func):
            names[name] = supply.fresh_global(f"{name.name_hint}_cps", add_prefix=False)
    renaming = _Renaming()
    for name, renamed in names.items():
        renaming.memo_map[name] = renamed
    functions: dict[GlobalVar | str, Expr] = {
        names.get(name, name): renaming.visit(func)
        for name, func in program.functions_of(Expr).items()
    }
    for name, renamed in names.items():
        functions[name] = _make_direct(own[name], renamed)
    return program.with_functions(functions)


class _Renaming(ExprMutator):
    """Replaces what is put into its memo beforehand."""

    remembers = True  # functions of a module may share nodes


def _make_direct(func: Function, callee: Expr) -> Function:
    kept = func.params[-1].type_annotation if func.params else None
    if not func.type_params or not isinstance(kept, FuncType) or len(kept.arg_types) != 1:
        raise PassError(
            "un_cps takes functions that to_cps made: with a type parameter for the answer, and a "
            "continuation as last parameter; found another one"
        )
    result = kept.arg_types[0]
    params = [Var(param.name_hint, param.type_annotation) for param in func.params[:-1]]
    value = Var("x", result)
    identity = Function((value,), value, result)
    body = Call(callee, (*params, identity))
    return Function(tuple(params), body, result, func.type_params[:-1], func.attrs)
