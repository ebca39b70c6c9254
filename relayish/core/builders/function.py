"""Building functions: variables, registers and statements of a function scope."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

from relayish.core.ir.definition import FuncEntry
from relayish.core.ir.family import Expr, Operand, Stmt, Symbol, as_expr
from relayish.core.ir.memory import Ist, Ldf, Ldp, Ldpf, St, Stf, Stp, Stpf, pointee_of, type_of
from relayish.core.ir.stmt import Block, Call, DoLoop, DoWhile, Icall, If, Ret, Retv, WhileDo
from relayish.core.ir.symbol import Global, Preg, Var
from relayish.core.ir.type import INT32, Type, TypeLike, as_type, function
from relayish.errors import BuilderError, FieldError, suggest
from relayish.ir.kinds.one_line import one_line, show_found


class Structures(Protocol):
    """What is asked of the scope around a function."""

    def fields(self, given: TypeLike) -> dict[str, Type]:
        """Return the fields of a structure type."""


class FunctionScope:
    """Gathers the symbols and statements of a function; loops and branches nest by ``with``.

    Formals are attributes by name: ``f.x``, or :meth:`formal`, which takes any name.

    Attributes:
        self: The name of the function, to call it within.

    Complexity:
        Constant for each statement; nests as deep as Python's ``with`` does.

    Source:
        AIR ``FUNC_SCOPE`` and its ``CONTAINER``.
    """

    def __init__(
        self, scope: Structures, name: str, params: Mapping[str, TypeLike], result: Type
    ) -> None:
        self._scope = scope
        self._formals = {each: Var(each, as_type(held)) for each, held in params.items()}
        self._locals: list[Var] = []
        self._pregs: list[Preg] = []
        self._result = result
        self._blocks: list[list[Stmt]] = [[]]
        signature = function([formal.type for formal in self._formals.values()], result)
        self.self = Global(name, signature)

    def __getattr__(self, name: str) -> Var:
        formals = self.__dict__.get("_formals", {})
        if name in formals:
            found: Var = formals[name]
            return found
        raise AttributeError(
            f"the function has no formal {name!r}{suggest(name, formals)}; it has "
            f"{', '.join(formals) or 'none'}"
        )

    def formal(self, name: str) -> Var:
        """Return a formal by name.

        Raises:
            AttributeError: If there is none.
        """
        return FunctionScope.__getattr__(self, name)

    # Symbols

    def local(self, name: str, type: TypeLike = INT32) -> Var:  # noqa: A002 - the field's name
        """Add a local variable, which holds nothing at first, and return it."""
        made = Var(name, as_type(type))
        self._locals.append(made)
        return made

    def preg(self, type: TypeLike = INT32, name: str = "") -> Preg:  # noqa: A002 - as above
        """Add a pseudo register, which holds nothing at first, and return it."""
        made = Preg(as_type(type), name)
        self._pregs.append(made)
        return made

    # Statements

    def add(self, stmt: Stmt) -> None:
        """Add a statement to the block that is being built."""
        self._blocks[-1].append(stmt)

    def store(self, target: Symbol | Expr, value: Operand) -> None:
        """Put a value into a symbol, or at an address: ``St``, ``Stp`` or ``Ist``.

        Raises:
            BuilderError: If ``target`` is neither.
        """
        if isinstance(target, Preg):
            self.add(Stp(target, as_expr(value, target.type)))
        elif isinstance(target, Symbol):
            self.add(St(target, as_expr(value, type_of(target))))
        elif isinstance(target, Expr):
            self.add(Ist(target, as_expr(value, pointee_of(target))))
        else:
            raise BuilderError(
                f"store puts a value into {show_found(target)}; expected a symbol or an address"
            )

    def field(self, symbol: Symbol, name: str) -> Expr:
        """Return what a field of a symbol holds: ``Ldf`` or ``Ldpf``."""
        held = self._field(symbol, name)
        if isinstance(symbol, Preg):
            return Ldpf(symbol, name, held)
        return Ldf(symbol, name, held)

    def store_field(self, symbol: Symbol, name: str, value: Operand) -> None:
        """Put a value into a field of a symbol: ``Stf`` or ``Stpf``."""
        made = as_expr(value, self._field(symbol, name))
        if isinstance(symbol, Preg):
            self.add(Stpf(symbol, name, made))
        else:
            self.add(Stf(symbol, name, made))

    def _field(self, symbol: Symbol, name: str) -> Type:
        given = type_of(symbol)
        fields = self._scope.fields(given)
        if name not in fields:
            raise FieldError(f"{given} has no field {name!r}{suggest(name, fields)}")
        return fields[name]

    def call(self, callee: Symbol | Expr, *args: Operand) -> Expr | None:
        """Add a call, of a function by name or by address.

        Returns:
            What it returned, from a new pseudo register; ``None`` of a function without result.

        Raises:
            BuilderError: If what is called is no function, or takes another number of arguments.
        """
        if not isinstance(callee, Global) or callee.type.is_pointer:
            callee = as_expr(callee)
        signature = callee.type if isinstance(callee, Global) else pointee_of(callee)
        if not signature.is_function:
            raise BuilderError(f"{one_line(callee)} of type {callee.type} is no function")
        if len(args) != len(signature.params):
            raise BuilderError(
                f"{one_line(callee)} of type {signature} is called with {len(args)} arguments; "
                f"expected {len(signature.params)}"
            )
        given = [as_expr(arg, held) for arg, held in zip(args, signature.params, strict=True)]
        result = None if signature.result.is_void else self.preg(signature.result)
        if isinstance(callee, Global):
            self.add(Call(callee, tuple(given), result))
        else:
            self.add(Icall(callee, tuple(given), result))
        return None if result is None else Ldp(result)

    def ret(self) -> None:
        """Leave the function without a value."""
        self.add(Ret())

    def retv(self, value: Operand) -> None:
        """Leave the function with a value."""
        self.add(Retv(as_expr(value, self._result)))

    @contextmanager
    def if_(self, condition: Operand) -> Iterator[None]:
        """Build what runs where ``condition`` holds; :meth:`else_` may follow."""
        with self._nested() as body:
            yield
        self.add(If(as_expr(condition), Block(tuple(body))))

    @contextmanager
    def else_(self) -> Iterator[None]:
        """Build what runs where the condition of the :meth:`if_` right before does not hold.

        Raises:
            BuilderError: If there is none.
        """
        before = self._blocks[-1][-1] if self._blocks[-1] else None
        if not isinstance(before, If) or before.else_block.stmts:
            raise BuilderError(
                f"else_() stands behind {show_found(before)}; expected an if_() right before it"
            )
        with self._nested() as body:
            yield
        self._blocks[-1][-1] = before.with_fields(else_block=Block(tuple(body)))

    @contextmanager
    def do_loop(
        self, iv: Var | Preg, init: Operand, compare: Operand, increment: Operand | None = None
    ) -> Iterator[None]:
        """Build a for loop, whose body is what is added within.

        Args:
            iv: The induction variable.
            init: What it holds at first.
            compare: As long as it holds, there is another iteration.
            increment: What it holds in the next one; by default one more.
        """
        with self._nested() as body:
            yield
        step = iv + 1 if increment is None else as_expr(increment, iv.type)
        first = as_expr(init, iv.type)
        self.add(DoLoop(iv, first, as_expr(compare), step, Block(tuple(body))))

    @contextmanager
    def while_do(self, condition: Operand) -> Iterator[None]:
        """Build a loop that runs while ``condition`` holds before each iteration."""
        with self._nested() as body:
            yield
        self.add(WhileDo(as_expr(condition), Block(tuple(body))))

    @contextmanager
    def do_while(self, condition: Operand) -> Iterator[None]:
        """Build a loop that runs once, and again while ``condition`` holds behind an iteration."""
        with self._nested() as body:
            yield
        self.add(DoWhile(Block(tuple(body)), as_expr(condition)))

    def finish(self) -> FuncEntry:
        """Return the function that was built.

        Raises:
            BuilderError: If a ``with`` block is still open.
        """
        if len(self._blocks) > 1:
            raise BuilderError(
                f"{len(self._blocks) - 1} blocks are still open; ask for what is built behind "
                f"their with"
            )
        formals, body = tuple(self._formals.values()), Block(tuple(self._blocks[0]))
        return FuncEntry(formals, tuple(self._locals), tuple(self._pregs), body, self._result)

    @contextmanager
    def _nested(self) -> Iterator[list[Stmt]]:
        """Gather statements in a list of their own; what an error leaves behind is dropped."""
        depth = len(self._blocks)
        body: list[Stmt] = []
        self._blocks.append(body)
        try:
            yield body
        finally:
            del self._blocks[depth:]
