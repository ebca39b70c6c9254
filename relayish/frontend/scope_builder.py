"""Building a program statement by statement, as it would be written down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from relayish.errors import RelayishError
from relayish.ir.relay.build import var as new_var
from relayish.ir.relay.expr import Expr, If, Let, Var
from relayish.ir.relay.type import IncompleteType, Type


class ScopeBuilderError(RelayishError, RuntimeError):
    """The calls of a scope builder do not make up a program."""


@dataclass(slots=True)
class _Scope:
    """The statements of one block so far, and its value once that is known."""

    bindings: list[tuple[Var, Expr]] = field(default_factory=list)
    result: Expr | None = None
    awaits_else: tuple[Expr, Expr] | None = None

    def close(self, what: str) -> Expr:
        """Return the block as an expression."""
        self.check_complete()
        if self.result is None:
            raise ScopeBuilderError(f"{what} has no value; give it one with ret()")
        body = self.result
        for var, value in reversed(self.bindings):
            body = Let(var, value, body)
        return body

    def check_complete(self) -> None:
        """Raise an error if an if of this block still lacks its else."""
        if self.awaits_else is not None:
            raise ScopeBuilderError("an if_scope() must be followed by its else_scope()")

    def set_result(self, value: Expr) -> None:
        """Take ``value`` for the value of the block, which has none yet."""
        self.check_open("another value")
        self.result = value

    def check_open(self, what: str) -> None:
        """Raise an error if nothing may follow in this block."""
        self.check_complete()
        if self.result is not None:
            raise ScopeBuilderError(f"the value of this scope is set already; found {what} after")


class ScopeBuilder:
    """Builds lets, ifs and the value of a block in the order in which they are read.

    A block has a value: what :meth:`ret` was given, or an if, whose two scopes have values of
    their own. Blocks nest by ``with``.

    Complexity:
        Constant for each call, but for :meth:`get` and the end of a scope, which are linear in the
        bindings of that scope.

    Source:
        Relay ``ScopeBuilder``.

    Example:
        >>> from relayish.ir.relay.build import const
        >>> scope, flag = ScopeBuilder(), new_var("flag", "bool")
        >>> with scope.if_scope(flag):
        ...     one = scope.let("one", const(1))
        ...     scope.ret(one)
        >>> with scope.else_scope():
        ...     scope.ret(const(2))
        >>> scope.get().false_branch
        Constant(data=np.int32(2))
    """

    def __init__(self) -> None:
        self._scopes = [_Scope()]

    def let(self, var: Var | str | Sequence[object], value: Expr) -> Var:
        """Bind ``value`` in the current scope and return its variable.

        Args:
            var: A variable, the name of a new one, or ``(name, type)`` for a new one.
            value: What it stands for in the statements that follow.

        Raises:
            ScopeBuilderError: If the current scope has its value already.
        """
        self._scopes[-1].check_open("a let")
        made = _as_var(var)
        self._scopes[-1].bindings.append((made, value))
        return made

    @contextmanager
    def if_scope(self, cond: Expr) -> Iterator[None]:
        """Build in its ``with`` block what happens where ``cond`` holds.

        The if becomes the value of the scope it stands in, once :meth:`else_scope` has followed.
        """
        outer = self._scopes[-1]
        outer.check_open("an if")
        with self._scope():
            yield
            outer.awaits_else = (cond, self._scopes[-1].close("the scope of this if"))

    @contextmanager
    def else_scope(self) -> Iterator[None]:
        """Build in its ``with`` block what happens where the condition does not hold.

        Raises:
            ScopeBuilderError: If no :meth:`if_scope` came directly before.
        """
        outer = self._scopes[-1]
        if outer.awaits_else is None:
            raise ScopeBuilderError("an else_scope() must directly follow an if_scope()")
        cond, true_branch = outer.awaits_else
        with self._scope():
            yield
            false_branch = self._scopes[-1].close("the scope of this else")
        outer.awaits_else = None
        outer.set_result(If(cond, true_branch, false_branch))

    @contextmanager
    def _scope(self) -> Iterator[None]:
        self._scopes.append(_Scope())
        try:
            yield
        finally:
            self._scopes.pop()

    def ret(self, value: Expr) -> None:
        """Make ``value`` the value of the current scope.

        Raises:
            ScopeBuilderError: If it has one already.
        """
        self._scopes[-1].set_result(value)

    def get(self) -> Expr:
        """Return what was built, as an expression.

        Raises:
            ScopeBuilderError: If a scope is still open, or the outermost one has no value.
        """
        if len(self._scopes) != 1:
            raise ScopeBuilderError("get() is for the outermost scope; a with block is still open")
        return self._scopes[0].close("the outermost scope")

    def type_of(self, expr: Expr) -> Type:
        """Return the type ``expr`` is known to have: the one inferred, or that of a variable.

        Returns:
            A new :class:`IncompleteType` where nothing is known yet; inference fills it in.
        """
        if expr.checked_type is not None:
            return expr.checked_type
        if isinstance(expr, Var) and expr.type_annotation is not None:
            return expr.type_annotation
        return IncompleteType()


def _as_var(var: Var | str | Sequence[object]) -> Var:
    match var:
        case Var():
            return var
        case str():
            return new_var(var)
        case [str() as name]:
            return new_var(name)
        case [str() as name, (Type() | str() | None) as annotation]:
            return new_var(name, annotation)
        case _:
            raise ScopeBuilderError(f"let binds a variable, a name or (name, type); found {var!r}")
