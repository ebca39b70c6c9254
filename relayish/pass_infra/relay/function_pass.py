"""Passes over functions: Relay's, unless they say which others they take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, Unpack

from relayish.analysis.infer_type import infer_type
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Expr, Function
from relayish.ir.relay.function_attributes import is_skipped
from relayish.ir.relay.module import IRModule
from relayish.pass_infra.base.context import PassContext
from relayish.pass_infra.base.decorators import MadeOfFunction, Maker, decorate, info_of
from relayish.pass_infra.base.info import Facts, PassInfo
from relayish.pass_infra.base.pass_class import FUNCTION_PASSES, AnyFunctionPass, check_kind
from relayish.pass_infra.base.type_inference import TYPE_INFERENCE

TransformFunction: TypeAlias = Callable[[Any, IRModule, PassContext], Any]
"""``transform(func, mod, ctx)``: what becomes of a function.  Any: of the kind the pass takes"""


class FunctionPass(AnyFunctionPass):
    """A pass over each function of a module by itself; its functions are Relay's.

    One over functions of another language says so: ``takes = KernelFunction`` in the class.

    Each function is given with the module as it was before the pass, so that no function sees
    what became of its siblings. Left alone are functions another compiler owns (attribute
    ``Compiler``), those that ask for it (``SkipOptimization``, ``Extern``), and definitions that
    are none of the functions taken.
    """

    takes: type[Node] = Function

    def skips(self, func: Node) -> bool:
        return isinstance(func, Function) and is_skipped(func)


class _FunctionPassOf(FunctionPass, MadeOfFunction):
    def __init__(self, pass_func: TransformFunction, info: PassInfo, takes: type[Node]) -> None:
        self.pass_func = pass_func
        self.info = info
        self.takes = check_kind(takes, info.name)

    def transform_function(self, func: Node, mod: IRModule, ctx: PassContext) -> object:
        return self.pass_func(func, mod, ctx)


def create_function_pass(
    pass_func: TransformFunction,
    opt_level: int,
    name: str | None = None,
    required: Sequence[str] = (),
    *,
    takes: type[Node] = Function,
    **facts: Unpack[Facts],
) -> FunctionPass:
    """Return the function pass that applies ``pass_func(func, mod, ctx)`` to each function.

    Functions are the definitions of class ``takes``; what else there is of arguments is as in
    :class:`PassInfo`, the name that of ``pass_func`` if not given.

    Raises:
        DeclarationError: If ``pass_func`` cannot be called, or name, level or requirements are
            not what :class:`PassInfo` takes.
    """
    info = info_of(pass_func, opt_level, name, required, facts)
    return _FunctionPassOf(pass_func, info, takes)


def function_pass(
    pass_func: Callable[..., Any] | None = None,  # Any: a function, or a class of any constructor
    opt_level: int | None = None,
    name: str | None = None,
    required: Sequence[str] | None = None,
    *,
    takes: type[Node] | None = None,
    **facts: Unpack[Facts],
) -> Any:  # Any: decorates a function into a pass, a class into a pass class
    """Make a function ``(func, mod, ctx)``, or a class with ``transform_function``, a pass.

    Of a class it makes a pass class: its instances hold one of the original, to which attributes
    fall back. Functions are the definitions of class ``takes``, by default what the class says in
    an attribute of that name, or functions of Relay. The other arguments are as in
    :class:`PassInfo`.

    Raises:
        DeclarationError: If ``opt_level`` is missing, ``takes`` is no class of nodes, or the class
            has no ``transform_function``.

    Example:
        >>> @function_pass(opt_level=1)
        ... def Nothing(func, mod, ctx):
        ...     return func
        >>> Nothing.info.name, Nothing.info.opt_level
        ('Nothing', 1)
    """
    return decorate(_maker(takes), pass_func, opt_level, name, required, facts)


def _maker(takes: type[Node] | None) -> Maker:
    attributes = {} if takes is None else {"takes": check_kind(takes, "@function_pass")}

    def of(pass_func: TransformFunction, info: PassInfo) -> FunctionPass:
        return _FunctionPassOf(pass_func, info, Function if takes is None else takes)

    return Maker("function_pass", "transform_function", FunctionPass, of, attributes, ("takes",))


TYPE_INFERENCE.register(IRModule, infer_type)
FUNCTION_PASSES.register(Expr, FunctionPass)  # type: ignore[type-abstract]  # passes derive from it
