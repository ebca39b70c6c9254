"""Evaluating expressions and modules from Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from relayish._support import hooks
from relayish.analysis.infer_type import infer_type
from relayish.errors import EvaluationError, suggest
from relayish.interpreter.arguments import order_arguments
from relayish.interpreter.graph_executor import GraphExecutor
from relayish.interpreter.inputs import (
    check_arguments,
    check_binds,
    check_expr,
    check_module,
    convert_params,
)
from relayish.interpreter.machine import MAX_DEPTH, Machine
from relayish.interpreter.value import Closure, Evaluated
from relayish.ir.kinds.one_line import one_line
from relayish.ir.relay.expr import Constant, Expr, Let, Var
from relayish.ir.relay.module import IRModule


def evaluate(
    expr: Expr,
    mod: IRModule | None = None,
    args: Sequence[object] | None = None,
    *,
    max_depth: int = MAX_DEPTH,
    max_calls: int | None = None,
) -> Evaluated:
    """Return the value of ``expr``, or of calling it when ``args`` are given.

    A node that occurs several times is evaluated once in each activation of the scope its uses
    have in common, by the first use that is reached; branches not taken are not evaluated.

    Args:
        expr: A closed expression: every variable is bound in it.
        mod: Where global names are looked up.
        args: What to call the function ``expr`` with: numpy or Python values, constants, tuples.
        max_depth: How many calls may be under way at once; calls in tail position do not count.
        max_calls: How many calls may be made in all; ``None`` for any number.

    Returns:
        A numpy scalar for tensors of rank 0, a read-only array for others, a tuple, a
        :class:`Closure` for functions, a :class:`RefValue` or a :class:`ConstructorValue`.

    Raises:
        EvaluationError: If the program does what it must not; a note names the expression and
            its span.

    Complexity:
        Linear in the nodes evaluated; neither the nesting of the program nor its own recursion
        uses the Python stack.

    Example:
        >>> from relayish.ir.relay.expr import Constant, Let, Tuple, Var
        >>> x = Var("x")
        >>> evaluate(Let(x, Constant(2), Tuple((x, x))))
        (np.int32(2), np.int32(2))
    """
    given = None if args is None else check_arguments(args)
    machine = Machine(mod, max_depth=max_depth, max_calls=max_calls)
    value = machine.evaluate(expr)
    if given is None:
        return value
    if not isinstance(value, Closure):
        raise EvaluationError(f"args are for functions; {one_line(expr)} is none: leave args out")
    return machine.apply(value, given, {})


class Interpreter:
    """Evaluates the functions of one module; each is compiled once.

    Made by :func:`create_executor`.
    """

    def __init__(
        self,
        mod: IRModule | None = None,
        *,
        params: Mapping[str, object] | None = None,
        max_depth: int = MAX_DEPTH,
        max_calls: int | None = None,
        check_types: bool = False,
    ) -> None:
        check_module(mod)
        if check_types and mod is not None:
            mod = infer_type(mod)
        self.mod = mod
        self.params = convert_params(params)
        self._machine = Machine(
            mod, max_depth=max_depth, max_calls=max_calls, check_types=check_types
        )

    def evaluate(
        self, expr: Expr | str | None = None, binds: Mapping[Var, object] | None = None
    ) -> Evaluated | Callable[..., Evaluated]:
        """Return the value of ``expr``, for functions something to call with arguments.

        Args:
            expr: An expression, or the name of a function of the module; by default ``main``, with
                the parameters given to the executor bound.
            binds: Values of variables that are free in ``expr``.
        """
        if expr is None or isinstance(expr, str):
            name = "main" if expr is None else expr
            if self.mod is None:
                raise EvaluationError(
                    f"there is no module to find @{name} in; pass mod= or an expression"
                )
            value = self._machine.evaluate(self.mod.get_global_var(name))
            return self._bind(value) if name == "main" and self.params else value
        check_expr(expr)
        for var, bound in check_binds(binds).items():
            expr = Let(var, bound if isinstance(bound, Expr) else Constant(bound), expr)
        if self._machine.check_types:
            expr = infer_type(expr, self.mod)
        return self._machine.evaluate(expr)

    def _bind(self, main: Closure) -> Callable[..., Evaluated]:
        """Return ``main`` with the parameters given by name to the executor filled in."""
        params = main.function.params
        names = [param.name_hint for param in params]
        known = {name: value for name, value in self.params.items() if name in names}
        open_params = [param for param in params if param.name_hint not in known]

        def call(*args: object, **named: object) -> Evaluated:
            if len(args) > len(open_params):
                raise EvaluationError(
                    f"{len(args)} arguments are given; main takes {len(open_params)} more: "
                    f"({', '.join([param.name_hint for param in open_params])})"
                )
            bound = {name: named.pop(name, value) for name, value in known.items()}
            given = iter(order_arguments(open_params, args, named))
            return main(*[bound[name] if name in bound else next(given) for name in names])

        return call


class CompilingExecutor(Protocol):
    """Evaluates functions as code of this machine."""

    def evaluate(
        self, expr: Expr | str | None = None, binds: Mapping[Var, object] | None = None
    ) -> Evaluated | Callable[..., Evaluated]:
        """Return the value of ``expr``, for functions, by default ``main``, these compiled."""


def create_executor(
    kind: str = "debug",
    mod: IRModule | None = None,
    device: object = None,
    target: object = "llvm",
    params: Mapping[str, object] | None = None,
    *,
    max_depth: int = MAX_DEPTH,
    max_calls: int | None = None,
    check_types: bool = False,
) -> Interpreter | GraphExecutor | CompilingExecutor:
    """Return what evaluates the functions of ``mod``, as Relay's function of that name does.

    Args:
        kind: ``debug``, the interpreter, evaluates the whole language. ``graph`` plans functions in
            graph form (operators on parameters and constants, no branches or closures) once and
            runs them with next to no cost of its own. ``aot`` compiles functions to code of this
            machine, and refuses what C cannot say. ``vm`` is the interpreter.
        mod: The module; without one, only expressions can be evaluated.
        device: Taken as Relay takes it and left aside: numpy computes, on the CPU. ``aot`` takes a
            CPU alone.
        target: As ``device``.
        params: Values of parameters of ``main``, by name; names it does not have are left aside.
        max_depth: How many calls may be under way at once; calls in tail position do not count.
        max_calls: How many calls one evaluation may make in all; ``None`` for any number.
        check_types: Infer the types of what is evaluated, and compare the value of each call of an
            operator with its type; for who declares operators. ``debug`` only.

    Raises:
        EvaluationError: If there is no executor of that kind, or it cannot check types.
        CodegenError: If functions are to be compiled for what is no CPU.
        TypeInferenceError: If types are checked, and the module is ill-typed.

    Example:
        >>> from relayish.ir.relay.expr import Function, Tuple, Var
        >>> x, y = Var("x"), Var("y")
        >>> main = Function((x, y), Tuple((y, x)))
        >>> create_executor(mod=IRModule({"main": main})).evaluate()(1, y=2.5)
        (np.float32(2.5), np.int32(1))
        >>> create_executor("graph", IRModule({"main": main}), params={"x": 3}).evaluate()(4)
        (np.int32(4), np.int32(3))
    """
    if kind in ("graph", "aot"):
        if check_types:
            raise EvaluationError(
                f"the executor of kind {kind!r} does not check types; use 'debug' (or 'vm')"
            )
        if kind == "graph":
            return GraphExecutor(mod, params)
        made: CompilingExecutor = hooks.build_executor(mod, params, target=target, device=device)
        return made
    if kind not in ("debug", "vm"):
        near = suggest(str(kind), ("debug", "graph", "vm", "aot"))
        raise EvaluationError(
            f"there is no executor of kind {kind!r}; use 'debug' (or 'vm'), 'graph' or 'aot'{near}"
        )
    return Interpreter(
        mod, params=params, max_depth=max_depth, max_calls=max_calls, check_types=check_types
    )
