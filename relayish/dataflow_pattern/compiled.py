"""Compilation of small patterns to Python functions, which match several times as fast.

A pattern without much choice becomes straight-line code: tests of kinds, operators and lengths,
then the bindings. Each pattern that can match in several ways becomes a function that tries them,
which is right where nothing outside depends on the way taken. Other patterns are left to
:class:`~relayish.dataflow_pattern.matcher.Matcher`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from relayish.dataflow_pattern.attributes import has_attributes
from relayish.dataflow_pattern.kinds import is_same
from relayish.dataflow_pattern.matcher import TYPE_TESTS
from relayish.dataflow_pattern.node_pattern import NodePattern, fields_to_match
from relayish.dataflow_pattern.pattern import (
    STRUCTURAL,
    AltPattern,
    AttrPattern,
    CallPattern,
    ConstantPattern,
    DataTypePattern,
    DFPattern,
    ExprPattern,
    ShapePattern,
    TupleGetItemPattern,
    TypePattern,
    VarPattern,
    WildcardPattern,
    children,
)
from relayish.dataflow_pattern.pattern_analysis import Analysed
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.expr import Call, Constant, Op, TupleGetItem, Var
from relayish.rewriting.rule import Action, Attempt

_SIZE: Final = 100
_NESTED_WAYS: Final = 4


def compile_attempt(analysed: Analysed, action: Action, found: type[Any]) -> Attempt | None:
    """Return the function that matches a pattern, and then does what a rule does.

    Args:
        analysed: The pattern.
        action: What the rule does.
        found: The class of what it is told of the match, a dictionary.

    Returns:
        ``None`` if the pattern is not one of the small ones.
    """
    order = analysed.order
    if len(order) > _SIZE or analysed.repeatable or any(type(p) not in _WRITE for p in order):
        return None
    ways: set[DFPattern] = {p for p in order if type(p) is AltPattern or p in analysed.commutes}
    if any(analysed.interface.get(p) != () for p in ways):
        return None
    if any(map(analysed.regroupings, order)) or _measure_nesting(analysed, ways) > _NESTED_WAYS:
        return None
    writer = _Writer(analysed, ways)
    writer.write_attempt(analysed.root)
    writer.scope.update(action=action, Found=found)
    exec("\n".join(writer.source), writer.scope)  # noqa: S102 - made of declarations only
    made: Attempt = writer.scope["attempt"]
    return made


def _measure_nesting(analysed: Analysed, ways: set[DFPattern]) -> int:
    """Return how many patterns that match in several ways stand inside one another."""
    deepest: dict[DFPattern, int] = {}
    for pattern in analysed.order:
        inner = max((deepest[child] for child in children(pattern)), default=0)
        deepest[pattern] = inner + (pattern in ways)
    return deepest[analysed.root]


class _Writer:
    """Writes the functions of a pattern."""

    def __init__(self, analysed: Analysed, ways: set[DFPattern]) -> None:
        self._commutes = analysed.commutes
        self._ways = ways
        self._names: dict[DFPattern, str] = {}
        self._binds_early: set[str] = set()  # functions that may have bound something and fail yet
        self.source: list[str] = []
        self.scope: dict[str, Any] = {  # Any: whatever the code names
            "Call": Call,
            "Constant": Constant,
            "Op": Op,
            "TupleGetItem": TupleGetItem,
            "Var": Var,
            "copysign": math.copysign,
            "has_attributes": has_attributes,
            "is_same": is_same,
            "structural_equal": structural_equal,
        }

    def function(self, pattern: DFPattern) -> str:
        """Write the function that matches ``pattern``; return its name."""
        name = self._names.get(pattern)
        if name is not None:
            return name
        name = self._names[pattern] = f"match{len(self._names)}"
        if pattern not in self._ways:
            self._write_straight(name, pattern)
        elif type(pattern) is AltPattern:
            first, second = self.function(pattern.left), self.function(pattern.right)
            own = f"bound[{self.constant(pattern)}] = expr"
            self._write_either(name, first, second, own)
        else:
            first, second = f"{name}_first", f"{name}_second"
            self._write_straight(second, pattern, swapped=True)
            if second in self._binds_early:
                self._write_straight(first, pattern)
                self._write_either(name, first, second, "pass")
            else:
                self._write_straight(name, pattern, otherwise=f"{second}(expr, bound, types)")
        return name

    def write_attempt(self, root: DFPattern) -> None:
        """Write the function ``attempt``, which matches ``root`` and does what the rule does."""
        if type(root) is AltPattern:
            matches = self.function(root)
            lines = ["bound = Found()", f"if not {matches}(expr, bound, types): return expr"]
            self._write_attempt("attempt", lines)
        elif root in self._ways:
            self._write_straight_attempt("swapped", root, swapped=True)
            self._write_straight_attempt("attempt", root, otherwise="swapped(expr, types)")
        else:
            self._write_straight_attempt("attempt", root)

    def _write_straight_attempt(
        self, name: str, root: DFPattern, *, swapped: bool = False, otherwise: str = "expr"
    ) -> None:
        block = _Block(self, root, swapped=swapped, otherwise=otherwise)
        block.write(root, "expr")
        made = ["bound = Found()"]
        lines = made + block.tests if block.calls else block.tests + made
        self._write_attempt(name, lines + block.bindings)

    def _write_attempt(self, name: str, lines: list[str]) -> None:
        told = ["bound.facts = types", "types.found = bound", "return action(expr, bound)"]
        self.source += [f"def {name}(expr, types):", *[f"    {line}" for line in lines + told]]

    def _write_either(self, name: str, first: str, second: str, own: str) -> None:
        """Write the function that tries two; ``own`` is what it does when one has matched."""
        self.source.append(f"def {name}(expr, bound, types):")
        for each in (first, second):
            early = each in self._binds_early
            found = "inner" if early else "bound"
            self.source += [
                *(["    inner = {}"] if early else []),
                f"    if {each}(expr, {found}, types):",
                *(["        bound.update(inner)"] if early else []),
                f"        {own}",
                "        return True",
            ]
        self.source.append("    return False")

    def constant(self, value: object) -> str:
        """Return a name under which the code finds ``value``."""
        name = f"c{id(value)}"
        self.scope[name] = value
        return name

    def _write_straight(
        self, name: str, root: DFPattern, *, swapped: bool = False, otherwise: str = "False"
    ) -> None:
        """Write a function without choice, which returns ``otherwise`` where a test fails."""
        block = _Block(self, root, swapped=swapped, otherwise=otherwise)
        block.write(root, "expr")
        lines = [*block.tests, *block.bindings, "return True"]
        if block.calls:
            self._binds_early.add(name)
        self.source += [f"def {name}(expr, bound, types):", *[f"    {line}" for line in lines]]

    def swaps(self, pattern: CallPattern) -> frozenset[Op]:
        """Return the operators for whose calls the arguments may be swapped."""
        return self._commutes.get(pattern, frozenset())

    def has_ways(self, pattern: DFPattern) -> bool:
        """Return whether ``pattern`` can match in several ways."""
        return pattern in self._ways


class _Block:
    """The body of one function: tests, and then bindings."""

    def __init__(self, writer: _Writer, root: DFPattern, *, swapped: bool, otherwise: str) -> None:
        self.writer = writer
        self.otherwise = otherwise
        self.tests: list[str] = []
        self.bindings: list[str] = []
        self.swapped = swapped
        self.calls = False
        """Whether another function is called, which binds before all tests are made."""
        self._root = root
        self._known: dict[DFPattern, str] = {}
        self._variables = 0

    def require(self, test: str) -> None:
        """Fail unless ``test`` holds."""
        self.tests.append(f"if not ({test}): return {self.otherwise}")

    def variable(self) -> str:
        """Return a name not used yet."""
        self._variables += 1
        return f"v{self._variables}"

    def read(self, pattern: DFPattern, source: str) -> None:
        """Match ``pattern`` with what ``source`` is."""
        name = self.variable()
        self.tests.append(f"{name} = {source}")
        self.write(pattern, name)

    def read_all(self, patterns: Sequence[DFPattern], source: str) -> None:
        """Match patterns with the items of the tuple that ``source`` is."""
        self.require(f"len({source}) == {len(patterns)}")
        names = [self.variable() for _ in patterns]
        if names:
            self.tests.append(f"{', '.join(names)}, = {source}")
        for pattern, name in zip(patterns, names, strict=True):
            self.write(pattern, name)

    def write(self, pattern: DFPattern, name: str) -> None:
        """Match ``pattern`` with what the variable ``name`` holds."""
        if pattern in self._known:
            self.require(
                f"{name} is {self._known[pattern]} or is_same({name}, {self._known[pattern]})"
            )
            return
        self._known[pattern] = name
        if pattern is not self._root and self.writer.has_ways(pattern):
            self.calls = True
            self.require(f"{self.writer.function(pattern)}({name}, bound, types)")
            return
        if not (type(pattern) is ExprPattern and type(pattern.expr) is Op):
            self.bindings.append(f"bound[{self.writer.constant(pattern)}] = {name}")
        _WRITE[type(pattern)](self, pattern, name)


def _expr(block: _Block, pattern: ExprPattern, name: str) -> None:
    wanted = block.writer.constant(pattern.expr)
    if type(pattern.expr) is Op:
        block.require(f"{name} is {wanted}")
        return
    kind = block.writer.constant(type(pattern.expr))
    if type(pattern.expr) is Constant and isinstance(pattern.expr.data, np.generic):
        equal = _write_number_test(block, pattern.expr.data, f"{name}.data")
    else:
        equal = f"structural_equal({wanted}, {name})"
    block.require(f"{name} is {wanted} or (type({name}) is {kind} and {equal})")


def _write_number_test(block: _Block, wanted: np.generic, data: str) -> str:
    """Return the test that ``data`` is ``wanted`` bit by bit, by way of numbers where that does.

    Those are compared several times as fast as the bytes they are held in.
    """
    width, number = block.writer.constant(type(wanted)), block.writer.constant(wanted)
    same = f"type({data}) is {width} and "
    if wanted != wanted:  # noqa: PLR0124 - it is no number
        return f"{same}{data}.tobytes() == {wanted.tobytes()!r}"
    same += f"{data} == {number}"
    if wanted == 0 and wanted.dtype.kind not in "iub":
        same += f" and copysign(1.0, {data}) == {math.copysign(1.0, float(wanted))}"
    return same


def _var(block: _Block, pattern: VarPattern, name: str) -> None:
    block.require(f"type({name}) is Var")
    if pattern.name:
        block.require(f"{name}.name_hint == {pattern.name!r}")


def _constant(block: _Block, _: ConstantPattern, name: str) -> None:
    block.require(f"type({name}) is Constant")


def _wildcard(block: _Block, pattern: WildcardPattern, name: str) -> None:
    if pattern.pattern is not None:
        block.write(pattern.pattern, name)


def _call(block: _Block, pattern: CallPattern, name: str) -> None:
    block.require(f"type({name}) is Call")
    if type(pattern.op) is ExprPattern:
        block.write(pattern.op, f"{name}.op")
    else:
        block.read(pattern.op, f"{name}.op")
    if pattern.any_args:
        return
    args = pattern.args
    if block.swapped and block.writer.has_ways(pattern):
        ops = block.writer.constant(block.writer.swaps(pattern))
        block.require(f"{name}.op in {ops}")
        args = args[::-1]
    block.read_all(args, f"{name}.args")


def _node(block: _Block, pattern: DFPattern, name: str) -> None:
    kind, told = fields_to_match(pattern)
    block.require(f"type({name}) is {block.writer.constant(kind)}")
    if block.swapped and block.writer.has_ways(pattern):
        told = [(one, held) for (one, _), (_, held) in zip(told, told[::-1], strict=True)]
    for field, inner in told:
        if isinstance(inner, DFPattern):
            block.read(inner, f"{name}.{field}")
        else:
            block.read_all(inner, f"{name}.{field}")


def _projection(block: _Block, pattern: TupleGetItemPattern, name: str) -> None:
    block.require(f"type({name}) is TupleGetItem")
    if pattern.index not in (None, -1):
        block.require(f"{name}.index == {pattern.index}")
    block.read(pattern.tuple, f"{name}.tuple_value")


def _alt(_: _Block, __: AltPattern, ___: str) -> None:
    raise AssertionError("a pattern of alternatives is a function of its own")


def _attr(block: _Block, pattern: AttrPattern, name: str) -> None:
    block.require(f"has_attributes({name}, {block.writer.constant(pattern.attrs)})")
    block.write(pattern.pattern, name)


def _write_type_test(
    block: _Block, pattern: TypePattern | DataTypePattern | ShapePattern, name: str
) -> None:
    block.write(pattern.pattern, name)
    found = block.variable()
    test = block.writer.constant(TYPE_TESTS[type(pattern)])
    block.tests.append(f"{found} = types.of({name})")
    block.require(f"{found} is not None and {test}({block.writer.constant(pattern)}, {found})")


_WRITE: Final[dict[type, Callable[..., None]]] = {
    ExprPattern: _expr,
    VarPattern: _var,
    ConstantPattern: _constant,
    WildcardPattern: _wildcard,
    AltPattern: _alt,
    CallPattern: _call,
    **dict.fromkeys((NodePattern, *STRUCTURAL), _node),
    TupleGetItemPattern: _projection,
    AttrPattern: _attr,
    TypePattern: _write_type_test,
    DataTypePattern: _write_type_test,
    ShapePattern: _write_type_test,
}
"""How each kind of pattern is written."""
