"""The context of writing functions of the loop IR as C: variables, memory, what is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from relayish.codegen.c.context import CCtx, Shown, Source
from relayish.codegen.c.loops.signatures import Signature
from relayish.codegen.c.text import CText
from relayish.codegen.c.types import c_literal, c_type
from relayish.dataflow.lattice.interval import Interval
from relayish.errors import CodegenError, EvaluationError, UninitialisedReadError
from relayish.ir.kinds.one_line import quote
from relayish.ir.nodes.node import Node
from relayish.tir.analysis.facts.scopes import bind
from relayish.tir.analysis.linear.bounds import interval_of
from relayish.tir.analysis.regions.reached import nodes_reached
from relayish.tir.analysis.values.context import Context
from relayish.tir.analysis.values.interval import FloatInterval, type_range
from relayish.tir.analysis.values.interval_rules import integer_interval, interval_by_rules
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Buffer, Load, Store, Var


class Memory:
    """The memory of a buffer, in C.

    Attributes:
        name: The pointer to its elements.
        held: The pointer to a byte for each element: whether it holds something; ``None``: all do.
        size: How many elements there are.
        is_given: Whether whoever calls the function owns it.
        may_be_missing: Whether there may be no memory where it is used.
        is_stack: Whether it is an array of the function.
        is_scoped: Whether that is declared where it is allocated.
        dropped: Dimensions of which whoever accesses it has one element, and no other.
    """

    dropped: frozenset[int] = frozenset()

    def __init__(self, name: str, held: str | None, size: CText, *, is_given: bool) -> None:
        self.name = name
        self.held = held
        self.size = size
        self.is_given = is_given
        self.may_be_missing = False
        self.is_stack = False
        self.is_scoped = False

    @property
    def mark(self) -> str:
        """What stands before a test of a mark: none are given where all elements hold something."""
        return f"{self.held} && " if self.is_given else ""


def _shown(variables: Sequence[Var], names: Sequence[CText]) -> Iterator[Shown]:
    for var, name in zip(variables, names, strict=True):
        if var.dtype.is_scalar and var.dtype.is_integer and name.text.isidentifier():
            yield var.name, name.text


def said_of(var: Var) -> Interval:
    """Return where the bounds that are said of a variable put it."""
    return integer_interval(var, Context())


class LoopsCtx(CCtx):
    """The context of writing functions of the loop IR.

    Attributes:
        known: What is known where a line is written.
        memories: The memory of each buffer in scope.
        functions: Those that may be called, by name.
        outside: The accesses that may be out of range, and in which dimensions.
        left: How much of the stack functions may take that call one another, as text.
        pointer: How parameters point to memory.
        function: The name of the function in C.
        settled: By their texts, what holds numbers that stay as they are while the function runs.
        is_settling: Whether what is written now is computed before all else.
    """

    known: Context
    outside: frozenset[tuple[Node, int]] = frozenset()
    left = ""
    pointer = "*restrict "
    function = ""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.known = Context()
        self.memories: dict[Buffer, Memory] = {}
        self.functions: dict[str, Signature] = {}
        self.unset: dict[Var, str] = {}
        self.settled: dict[str, CText] = {}
        self.is_settling = False
        self._vars: dict[Var, CText] = {}
        self._around: list[Shown] = []

    def value_type(self, expr: Node) -> str:
        """Return the type of C of an element of an expression."""
        assert isinstance(expr, Expr)
        return c_type(expr.type).value

    def is_computed(self, node: Node) -> bool:
        """Return whether a node is an expression that is computed, and no mere name."""
        return isinstance(node, Expr) and not isinstance(node, (Var, Buffer))

    def doubt(self, root: Node) -> None:
        """Let accesses be tested of which nobody asked whether they are in range."""
        self.outside |= {
            (each, axis)
            for each in nodes_reached(root)
            if isinstance(each, (Load, Store))
            for axis in range(len(each.indices))
        }

    # Variables

    def variable(self, var: Var) -> CText:
        """Return what a variable is called.

        Raises:
            CodegenError: If it is bound nowhere around.
        """
        found = self._vars.get(var)
        if found is None:
            raise CodegenError(
                f"variable {var.name} is used where nothing binds it; make it an argument of the "
                f"function, or declare it by a Let"
            )
        flag = self.unset.get(var)
        if flag is not None:
            self.fail_if(
                f"!{flag}",
                UninitialisedReadError,
                f"variable {var.name} is read before it has a value; store one first",
                var,
            )
        return found

    def is_bound(self, var: Var) -> bool:
        """Return whether something around binds a variable."""
        return var in self._vars

    def place(self, var: Var) -> CText:
        """Return what a variable is called where it is stored to."""
        return self._vars[var]

    def check_bounds(self, var: Var, shown: str, node: Node) -> None:
        """Write the check that a variable is within the bounds that are said of it, if any are.

        What is known of variables rests on these bounds.
        """
        said, whole = said_of(var), type_range(var.dtype)
        tests = []
        if said.low > whole.low:
            tests.append(f"{self.place(var).text} < {c_literal(said.low, var.dtype)}")
        if said.high < whole.high:
            tests.append(f"{self.place(var).text} >= {c_literal(said.high + 1, var.dtype)}")
        if tests:
            self.fail_if(
                " || ".join(tests),
                EvaluationError,
                f"{shown} is out of the bounds that are said of it",
                node,
            )

    def check_value(self, var: Var, value: Expr, node: Node) -> None:
        """Write that check where a variable gets a value, unless it is proven to be within."""
        is_number = var.dtype.is_scalar and var.dtype.is_integer
        if not is_number or said_of(var).covers(self.interval(value)):
            return
        if not said_of(var).covers(interval_of(value, self.known)):
            self.check_bounds(var, f"variable {var.name}", node)

    def bind(self, var: Var, name: CText) -> None:
        """Let a variable be called ``name`` from here on."""
        self._vars[var] = name

    def around(self) -> Sequence[Shown]:
        """Return the variables of loops and blocks around, which a check that fails tells."""
        return self._around

    @contextmanager
    def bound(self, variables: Sequence[Var], names: Sequence[CText]) -> Iterator[None]:
        """Let variables be called so within."""
        before = [(var, self._vars.get(var)) for var in variables]
        self._vars.update(zip(variables, names, strict=True))
        around = self._around
        self._around = [*around, *_shown(variables, names)]
        try:
            yield
        finally:
            self._around = around
            for var, name in before:
                if name is None:
                    del self._vars[var]
                else:
                    self._vars[var] = name

    def settle(self, type_: str, hint: str, value: CText) -> CText:
        """Return what holds a number; one that was computed before all else is not anew."""
        if value.is_name:
            return value
        found = self.settled.get(value.text)
        if found is None:
            found = self.declare(type_, hint, value.text)
            if self.is_settling:
                self.settled[value.text] = found
        return found

    @contextmanager
    def knowing(self, known: Context) -> Iterator[None]:
        """Write within what stands where ``known`` is known."""
        before, self.known = self.known, known
        try:
            yield
        finally:
            self.known = before

    def interval(self, expr: Expr) -> Interval:
        """Return where an integer lies, by rules alone, which are linear in all that is asked."""
        return integer_interval(expr, self.known)

    def float_interval(self, expr: Expr) -> FloatInterval:
        """Return where a number with a point lies."""
        found = interval_by_rules(expr, self.known)
        assert isinstance(found, FloatInterval)
        return found

    def define(self, var: Var, value: Expr) -> None:
        """Know from here on what a variable is."""
        self.known = bind(self.known, var, value)

    # Memory

    def memory(self, buffer: object, node: Load | Store | Node) -> Memory:
        """Return the memory of a buffer.

        Raises:
            CodegenError: If it is no buffer that is known where it is used.
        """
        found = self.memories.get(buffer) if isinstance(buffer, Buffer) else None
        if found is None:
            raise CodegenError(
                f"{quote(node)} uses memory that is no argument, temporary or shared buffer of the "
                f"function"
            )
        return found
