"""The executor that compiles functions, with Relay's name and habits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from relayish.codegen.c.executor import build_network
from relayish.codegen.c.library import bind_params, check_cpu
from relayish.errors import EvaluationError, TypeConfusionError
from relayish.interpreter.arguments import order_arguments
from relayish.interpreter.inputs import check_binds, check_expr, check_module, convert_params
from relayish.interpreter.value import Evaluated, normalise
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Constant, Expr, Function, GlobalVar, Tuple, Var
from relayish.ir.relay.global_var_supply import GlobalVarSupply
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TupleType, Type
from relayish.passes.relay.fold.bind import bind


class AotExecutor:
    """Evaluates the functions of a module, each compiled when it is asked for first.

    Attributes:
        mod: The module; without one, only expressions can be evaluated.
        params: Values of parameters of ``main``, by name.

    Args:
        mod: The module.
        params: The values.
        target: What it is compiled for: a CPU.
        device: Where it is to run: the same.

    Raises:
        CodegenError: If that is no CPU.
    """

    def __init__(
        self,
        mod: IRModule | None = None,
        params: Mapping[str, object] | None = None,
        *,
        target: object = None,
        device: object = None,
    ) -> None:
        check_module(mod)
        check_cpu(target)
        check_cpu(device)
        self.mod = mod
        self.params = convert_params(params)
        self._compiled_functions: dict[str, Callable[..., Evaluated]] = {}

    def evaluate(
        self, expr: Expr | str | None = None, binds: Mapping[Var, object] | None = None
    ) -> Evaluated | Callable[..., Evaluated]:
        """Return the value of ``expr``, for functions something to call with arguments.

        Args:
            expr: An expression that may call functions of the module, or one of these, by name or
                as a global variable; by default ``main``, with the parameters given to the executor
                bound.
            binds: Values of variables that are free in ``expr``.

        Raises:
            CodegenError: If C cannot say it, there is no compiler, or it fails.
            UnlowerableError: If loops cannot express an operator.
        """
        if expr is None or isinstance(expr, str):
            return self._named(expr or "main")
        check_expr(expr)
        if isinstance(expr, GlobalVar):
            return self._named(expr.name_hint)
        values = check_binds(binds).items()
        expr = bind(expr, {var: v if isinstance(v, Expr) else Constant(v) for var, v in values})
        is_function = isinstance(expr, Function)
        func = expr if is_function else Function((), expr)
        mod = IRModule() if self.mod is None else self.mod
        name = GlobalVarSupply(mod).fresh_global("main", add_prefix=False)
        call = _compiled(mod.with_function(name, func), name.name_hint)
        return call if is_function else call()

    def _named(self, name: str) -> Callable[..., Evaluated]:
        if self.mod is None:
            raise EvaluationError(
                f"there is no module to find @{name} in; pass mod= or an expression"
            )
        if name not in self._compiled_functions:
            mod = bind_params(self.mod, self.params)[0] if name == "main" else self.mod
            self._compiled_functions[name] = _compiled(mod, name)
        return self._compiled_functions[name]


def _compiled(mod: IRModule, name: str) -> Callable[..., Evaluated]:
    """Return a function of a module, compiled; tensors of tuples are passed in their place."""
    func = mod.function_of(Node, name)
    params = func.params if isinstance(func, Function) else ()
    is_flat = not any(isinstance(param.type_annotation, TupleType) for param in params)
    if is_flat:
        network = build_network(mod, name=name)
        return lambda *args, **named: normalise(network(*args, **named))
    tensors: list[Var] = []
    given = [_spread(param.name_hint, param.type_annotation, tensors) for param in params]
    entry = GlobalVarSupply(mod).fresh_global("main", add_prefix=False)
    caller = Function(tensors, Call(mod.get_global_var(name), given))
    network = build_network(mod.with_function(entry, caller), name=entry.name_hint)

    def call(*args: object, **named: object) -> Evaluated:
        taken = zip(params, order_arguments(params, args, named), strict=True)
        parts = [part for param, value in taken for part in _parts(param, value)]
        return normalise(network(*parts))

    return call


def _spread(name: str, ty: Type | None, tensors: list[Var]) -> Expr:
    """Return what stands for a parameter of a type, of variables that are put into ``tensors``."""
    if isinstance(ty, TupleType):
        fields = [_spread(f"{name}_{at}", field, tensors) for at, field in enumerate(ty.fields)]
        return Tuple(fields)
    tensors.append(Var(name, ty))
    return tensors[-1]


def _parts(param: Var, value: object) -> Iterator[object]:
    """Yield the tensors of an argument.

    Raises:
        TypeConfusionError: If it is no tuple where one is expected, or one of another length.
    """
    pending: list[tuple[Type | None, object]] = [(param.type_annotation, value)]
    while pending:
        ty, each = pending.pop()
        if not isinstance(ty, TupleType):
            yield each
            continue
        if not isinstance(each, (tuple, list)) or len(each) != len(ty.fields):
            raise TypeConfusionError(
                f"argument {param.name_hint!r} must be of type {param.type_annotation}; found "
                f"{each!r:.100} in the place of {ty}"
            )
        pending += reversed(list(zip(ty.fields, each, strict=True)))
