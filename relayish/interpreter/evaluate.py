"""Evaluating expressions and modules from Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from relayish.errors import EvaluationError
from relayish.interpreter.machine import MAX_DEPTH, Machine
from relayish.interpreter.value import Closure, Evaluated
from relayish.ir.expr import Expr
from relayish.ir.module import IRModule


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
        >>> from relayish.ir.expr import Constant, Let, Tuple, Var
        >>> x = Var("x")
        >>> evaluate(Let(x, Constant(2), Tuple((x, x))))
        (np.int32(2), np.int32(2))
    """
    machine = Machine(mod, max_depth=max_depth, max_calls=max_calls)
    value = machine.evaluate(expr)
    if args is None:
        return value
    if not isinstance(value, Closure):
        raise EvaluationError(f"args are for functions; {expr!r} is none: leave args out")
    return machine.apply(value, args, {})


class Interpreter:
    """Evaluates the functions of one module; each is compiled once.

    Made by :func:`create_executor`.
    """

    def __init__(
        self,
        mod: IRModule | None = None,
        *,
        max_depth: int = MAX_DEPTH,
        max_calls: int | None = None,
    ) -> None:
        self.mod = mod
        self._machine = Machine(mod, max_depth=max_depth, max_calls=max_calls)

    def evaluate(self, expr: Expr | str | None = None) -> Evaluated | Callable[..., Evaluated]:
        """Return the value of ``expr``, for functions something to call with arguments.

        Args:
            expr: An expression, or the name of a function of the module; by default ``main``.
        """
        if expr is None or isinstance(expr, str):
            name = "main" if expr is None else expr
            if self.mod is None:
                raise EvaluationError(
                    f"there is no module to find @{name} in; pass mod= or an expression"
                )
            expr = self.mod.get_global_var(name)
        return self._machine.evaluate(expr)


def create_executor(
    kind: str = "debug",
    mod: IRModule | None = None,
    *,
    max_depth: int = MAX_DEPTH,
    max_calls: int | None = None,
) -> Interpreter:
    """Return what evaluates the functions of ``mod``, as Relay's function of that name does.

    Args:
        kind: ``debug``, the interpreter; Relay's other kinds compile, which relayish does not.
        mod: The module; without one, only expressions can be evaluated.
        max_depth: How many calls may be under way at once; calls in tail position do not count.
        max_calls: How many calls one evaluation may make in all; ``None`` for any number.

    Raises:
        EvaluationError: If there is no executor of that kind.

    Example:
        >>> from relayish.ir.expr import Function, Tuple, Var
        >>> x, y = Var("x"), Var("y")
        >>> main = Function((x, y), Tuple((y, x)))
        >>> create_executor(mod=IRModule({"main": main})).evaluate()(1, y=2.5)
        (np.float32(2.5), np.int32(1))
    """
    if kind != "debug":
        raise EvaluationError(f"there is no executor of kind {kind!r}; use 'debug'")
    return Interpreter(mod, max_depth=max_depth, max_calls=max_calls)
