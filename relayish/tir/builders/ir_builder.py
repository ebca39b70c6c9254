"""Building statements in the order they are read, blocks nested by ``with``.

.. code-block:: python

    build = IRBuilder()
    with build.for_("i", 32) as i, build.for_("j", 32) as j:
        with build.schedule_block("B", i, j) as (i0, i1):
            build.store(B, A[i0, i1] + 2, (i0, i1))
    func = build.function("add", [A, B])
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from relayish.errors import BuilderError
from relayish.ir.kinds.one_line import show_found
from relayish.tir.builders.stmt import for_, if_then_else, schedule_block, store
from relayish.tir.ir.expr import Call
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Expr, Operand, as_expr
from relayish.tir.ir.stmt import Alloc, Block, Free, IfThenElse, Let, PolyFor
from relayish.tir.ir.tensor import Buffer, BufferRange, Parameter, Tensor, Var
from relayish.tir.ir.type import TypeLike, as_type


class IRBuilder:
    """Builds blocks of statements; loops, branches and schedule blocks nest by ``with``.

    Complexity:
        Constant for each statement; nests as deep as Python's ``with`` does.

    Source:
        CINN ``IRBuilder``.

    Example:
        >>> from relayish.tir.builders.tensor import placeholder
        >>> A, build = placeholder("A", (16,)), IRBuilder()
        >>> with build.for_("i", 16) as i:
        ...     build.store(A, 0, i)
        >>> build.block().stmts[0].loop_var == i
        True
    """

    def __init__(self) -> None:
        self._blocks: list[list[Stmt]] = [[]]

    def add(self, stmt: Stmt) -> None:
        """Add a statement to the block that is being built."""
        self._blocks[-1].append(stmt)

    def store(
        self, tensor: Expr, value: Operand, indices: Operand | Sequence[Operand] = ()
    ) -> None:
        """Add the statement that puts ``value`` at ``indices`` of ``tensor``."""
        self.add(store(tensor, value, indices))

    def let(self, name: str, value: Operand | None = None, dtype: TypeLike | None = None) -> Var:
        """Declare a scalar and return it; without a value it has none until it is stored to."""
        made = None if dtype is None else as_type(dtype)
        body = None if value is None else as_expr(value, made)
        found = made if body is None else body.type
        if found is None:
            raise BuilderError(f"scalar {name!r} has neither a value nor a type; give one of them")
        symbol = Var(name, found)
        self.add(Let(symbol, body))
        return symbol

    def call(self, call: Call) -> None:
        """Add a call as a statement."""
        self.add(call)

    def alloc(self, buffer: Buffer) -> None:
        """Allocate a buffer, from here to the end of the block."""
        self.add(Alloc(buffer, buffer.shape))

    def free(self, buffer: Buffer) -> None:
        """Free a buffer."""
        self.add(Free(buffer))

    @contextmanager
    def for_(
        self, loop_var: Var | str, extent: Operand, **fields: Any
    ) -> Iterator[Var]:  # Any: of the builder
        """Build a loop, whose body is what is added within; see ``tir.for_`` for the rest."""
        made = for_(loop_var, extent, (), **fields)
        with self._nested() as body:
            yield made.loop_var
        self.add(made.with_fields(body=Block(tuple(body))))

    @contextmanager
    def poly_for(
        self,
        iterator: Var | str,
        init: Operand,
        condition: Callable[[Var], Operand],
        inc: Operand,
    ) -> Iterator[Var]:
        """Build a loop that runs while ``condition`` of its variable holds, by steps of ``inc``."""
        typed = next((e.type for e in (iterator, init, inc) if isinstance(e, Expr)), None)
        first, step = as_expr(init, typed), as_expr(inc, typed)
        var = iterator if isinstance(iterator, Var) else Var(iterator, first.type)
        with self._nested() as body:
            yield var
        self.add(PolyFor(var, first, as_expr(condition(var)), step, Block(tuple(body))))

    @contextmanager
    def if_(self, condition: Operand) -> Iterator[None]:
        """Build what runs where ``condition`` holds; :meth:`else_` may follow."""
        with self._nested() as body:
            yield
        self.add(if_then_else(condition, body))

    @contextmanager
    def else_(self) -> Iterator[None]:
        """Build what runs where the condition of the :meth:`if_` right before does not hold.

        Raises:
            BuilderError: If there is none.
        """
        before = self._blocks[-1][-1] if self._blocks[-1] else None
        if not isinstance(before, IfThenElse) or before.false_case is not None:
            raise BuilderError(
                f"else_() stands behind {show_found(before)}; expected an if_() right before it"
            )
        with self._nested() as body:
            yield
        self._blocks[-1][-1] = before.with_fields(false_case=Block(tuple(body)))

    @contextmanager
    def schedule_block(
        self,
        name: str,
        *values: Operand,
        reads: Sequence[BufferRange] = (),
        writes: Sequence[BufferRange] = (),
        attrs: Mapping[str, object] | None = None,
    ) -> Iterator[tuple[Var, ...]]:
        """Build a schedule block; its variables, ``i0, i1, ...``, are bound to ``values``."""
        given = [as_expr(value) for value in values]
        iter_vars = tuple([Var(f"i{at}", value.type) for at, value in enumerate(given)])
        with self._nested() as body:
            yield iter_vars
        stmt = body[0] if len(body) == 1 else Block(tuple(body))
        binds = list(zip(iter_vars, given, strict=True))
        self.add(schedule_block(name, binds, stmt, reads, writes, attrs))

    def block(self) -> Block:
        """Return the block of all that was built.

        Raises:
            BuilderError: If a ``with`` block is still open.
        """
        if len(self._blocks) > 1:
            raise BuilderError(
                f"{len(self._blocks) - 1} blocks are still open; ask for what is built behind "
                f"their with"
            )
        return Block(tuple(self._blocks[0]))

    def function(
        self, name: str, args: Sequence[Parameter | Tensor], temp_bufs: Sequence[Buffer] = ()
    ) -> LoweredFunc:
        """Return the function of ``args`` whose body was built.

        Args:
            name: That of the function.
            args: Scalars and buffers; a tensor stands for its buffer.
            temp_bufs: The buffers that it has to itself.

        Raises:
            BuilderError: If a ``with`` block is still open, or a tensor has no buffer.
        """
        return LoweredFunc(
            name, tuple([_argument(a) for a in args]), self.block(), tuple(temp_bufs)
        )

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


def _argument(given: Parameter | Tensor) -> Parameter:
    found = given.buffer if isinstance(given, Tensor) else given
    if not isinstance(found, Parameter):
        raise BuilderError(
            f"{show_found(given)} is no argument of a function; expected a scalar, a buffer, or a "
            f"tensor that has a buffer"
        )
    return found
