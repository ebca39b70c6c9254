"""Continuation-passing style: no function returns, each calls what is to happen next.

Before::

    fn (%x: int32) -> int32 { let %y = %f(%x); add(%y, 1) }

After::

    fn [answer](%x: int32, %k: fn (int32) -> answer) -> answer {
        %f(%x, fn (%y: int32) -> answer { let %z = add(%y, 1); %k(%z) })
    }
"""

from __future__ import annotations

from typing import TypeVar as PythonTypeVar

from relayish.analysis.infer_type import infer_type
from relayish.errors import PassError
from relayish.ir.nodes.span import at_span
from relayish.ir.relay.expr import Expr, Function, GlobalVar
from relayish.ir.relay.function_attributes import is_primitive
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.passes.relay.normal_form.cps_converter import Converter
from relayish.passes.relay.normal_form.functions import iterate_own_functions
from relayish.passes.relay.normal_form.to_a_normal_form import to_a_normal_form

Program = PythonTypeVar("Program", Function, IRModule)


def to_cps(program: Program) -> Program:
    """Return a function, or all functions of a module, in continuation-passing style.

    A function takes one parameter more, the continuation that it calls with its result; what that
    returns it returns too. Its type is the last type parameter, ``answer``. Functions that are
    passed, returned or stored are converted with their types. Calls of operators, constructors and
    primitive functions, and of global functions other compilers own, remain as they are.

    Args:
        program: Well-typed; a function that calls global functions is converted with its module.

    Raises:
        PassError: If a function calls a global one, or if an operator or constructor is used as a
            value: ``EtaExpand`` makes functions of these.
        UnknownKindError: If a kind that a package declares has scopes, or to do with functions,
            and no rule; see :func:`CPS_RULES`.
        TypeInferenceError: If the program is ill-typed.

    Complexity:
        Linear in distinct nodes, but for a logarithmic factor on what several scopes share; no
        recursion.

    Source:
        Relay ``to_cps``, which evaluates anew what is shared, and adds to the module it is given.

    Example:
        >>> from relayish.text import parse_expr
        >>> func = to_cps(parse_expr("fn (%x: int32) -> int32 { add(%x, 1) }"))
        >>> [param.name_hint for param in func.params]
        ['x', 'k']
    """
    if isinstance(program, Function):
        _refuse_globals(program)
        normal = to_a_normal_form(program)
        assert isinstance(normal, Function)
        return Converter(frozenset()).function(infer_type(normal))
    converted: dict[GlobalVar | str, Expr] = {}
    own = {name: func for name, func in iterate_own_functions(program) if not is_primitive(func)}
    normal_forms: dict[GlobalVar | str, Expr] = {
        name: to_a_normal_form(func, program) for name, func in own.items()
    }
    typed = infer_type(program.with_functions(normal_forms))
    for name in own:
        func = typed[name]
        assert isinstance(func, Function)
        converted[name] = Converter(frozenset(own)).function(func)
    return program.with_functions(converted)


def _refuse_globals(func: Function) -> None:
    for node in EXPRESSIONS.pre_order(func):
        if type(node) is GlobalVar:
            raise PassError(
                f"@{node.name_hint}{at_span(node)} is a function of a module, and converted only "
                f"with all of it; use to_cps(mod)"
            )
