"""Random modules of core that do what may go wrong, and what few programs do.

They have numbers of all widths, arrays and structures as values, variables that hold nothing yet,
indices, divisors and shifts out of range, pointers that are null, dangle or are compared, addresses
that are read as numbers, and functions of Python. What is drawn is well formed, and it ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relayish import core
from relayish.core import Expr, Preg, Type, Var, as_type
from relayish.core.ir.symbol import Symbol
from relayish.ir.relay.module import IRModule
from tests.support.core_programs import (
    FEATURES,
    MORE,
    POINT,
    CoreFunction,
    CoreGenerator,
    random_core_program,
)

PAIR = as_type("struct pair")
_ROW = as_type("int16[8]")
_INNER = {"flag": "bool", "at": "int32*", "inner": POINT, "row": _ROW, "half": "float16"}


def externs() -> dict[str, Callable[..., Any]]:
    """Return the functions of Python that programs call."""
    return {"outside": lambda a, b: (a * 3 + bool(b)) % 1000}


def drawn(seed: int) -> IRModule:
    """Return the module of a seed; of three, one has no faults, and some show what they do.

    Every other 25 have no arrays and structures as values, so that less is to be noted of memory.
    """
    features = FEATURES | (MORE if seed % 4 == 0 else frozenset())
    if seed % 3 == 0:
        return random_core_program(seed, features=features)
    return _FaultyGenerator(seed, 10, features).module()


class _FaultyGenerator(CoreGenerator):
    ints = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
    floats = ("float16", "float32", "float64")

    def __init__(self, seed: int, size: int, features: frozenset[str]) -> None:
        super().__init__(seed, size, features)
        self.seed = seed

    def module(self) -> IRModule:
        self.daring = self.pick((0.0, 0.03, 0.06, 0.1))
        self.scope.struct("pair", _INNER)
        self.outside = self.scope.declare("outside", ["int32", "bool"], "int32")
        first = self.scope.variable("first", "int32")
        self.pointer = self.scope.variable("gp", "int32*", core.Lda(first))
        self.structure = self.scope.variable("gs", POINT)
        return super().module()

    def copies(self) -> bool:
        """Whether arrays and structures are values that are loaded, passed and returned."""
        return self.seed // 25 % 2 == 0

    def dares(self) -> bool:
        return self.random.random() < self.daring

    def _function(self, name: str, params: dict[str, str], result: str) -> None:
        if name != "main" and self.copies() and self.random.random() < 0.5:
            params = {**params, "s": str(self.pick((POINT, PAIR, _ROW)))}
        if name != "main" and self.random.random() < 0.4:
            values = (POINT, PAIR, _ROW) if self.copies() else ()
            result = str(self.pick((*values, as_type("int32*"))))
        super()._function(name, params, result)


class _FaultyFunction(CoreFunction):
    program: _FaultyGenerator

    def _declare(self) -> None:
        self.loose = self.f.local("loose", "int32*")
        self.f.store(self.loose, core.as_expr(self.program.pointer))
        self.maybe = [self.f.local(f"m{at}", self.pick(self.program.types)) for at in range(2)]
        self.maybe.append(self.f.preg(self.pick(self.program.types), "m"))
        self.values: list[Symbol] = [
            self.f.local("pair", PAIR),
            self.f.local("row", _ROW),
            self.f.preg(PAIR, "rp"),
            self.f.preg(_ROW, "rr"),
        ]
        for symbol in self.values:
            if not (self.program.dares() and self.program.dares()):
                self.f.store(symbol, core.Zero(symbol.type))
        super()._declare()
        self.values += [each for each in self.writable if each.type == POINT]
        self.values.append(self.program.structure)

    def _statements(self, budget: int) -> list[Callable[[], int | None]]:
        more = [self._copy, self._fill, self._settle, self._point, self._number, self._outside]
        return [*super()._statements(budget), *more]

    def _copy(self) -> None:
        """An array or a structure as a value, which may be part of another one."""
        symbol = self.pick(self.values)
        self.f.store(symbol, self.value(symbol.type))

    def value(self, held: Type) -> Expr:
        same = [each for each in self.values if each.type == held]
        if not self.program.copies():
            return core.Zero(held)
        rules: list[Callable[[], Expr]] = [lambda: core.Zero(held)]
        rules += [lambda each=each: core.as_expr(each) for each in same]
        if held == PAIR:
            return self.pick(rules)()
        whole = [each for each in self.values if each.type == PAIR]
        name = "inner" if held == POINT else "row"
        rules += [lambda each=each: self.f.field(each, name) for each in whole]
        at = 16 if held == POINT else 40
        variables = [each for each in whole if isinstance(each, Var)]
        rules += [lambda each=each: core.Ldo(each, at, held) for each in variables]
        known = [each for each in same if not isinstance(each, Preg)]
        rules += [lambda each=each: core.Ild(core.Lda(each)) for each in known]
        return self.pick(rules)()

    def _fill(self) -> None:
        """A part of a structure or an array."""
        symbol = self.pick(self.values)
        if symbol.type.is_struct:
            name, held = self.pick(self.program.scope.fields(symbol.type).items())
            self.f.store_field(symbol, name, self.expr(held, 2))
        elif isinstance(symbol, Preg):
            self.f.store(symbol, self.value(symbol.type))
        else:
            self.f.store(core.element(symbol, self._index(8)), self.expr("int16", 2))

    def _settle(self) -> None:
        """A variable that may hold nothing yet."""
        symbol = self.pick(self.maybe)
        self.f.store(symbol, self.expr(symbol.type, 2))

    def _point(self) -> None:
        """A pointer that may be of nothing when it is used."""
        same = [each for each in self.writable if each.type == "int32"]
        same = [each for each in same if self._has_address(each)]
        targets: list[Expr] = [core.Lda(each) for each in same] or [core.as_expr(self.loose)]
        if self.program.dares():
            targets += [core.Zero(self.loose.type), core.Intconst(1 << 40, self.loose.type)]
            targets += [core.element(self.loose, self.pick((-1, 1, 1 << 20)))]
        chosen = self.pick(targets)
        self.f.store(self.pick((self.loose, self.program.pointer)), chosen)
        if self.program.dares():
            self.f.store(core.as_expr(self.loose), self.expr("int32", 1))

    def _number(self) -> None:
        """The bits of an address."""
        held = [each for each in self.writable if each.type == "uint64"]
        if held and isinstance(held[0], (Var, core.Global)):
            self.f.store(held[0], core.Ldo(self.loose, 0, as_type("uint64")))

    def _outside(self) -> None:
        given = self.f.call(self.program.outside, self.expr("int32", 2), self.expr("bool", 1))
        same = [each for each in self.writable if each.type == "int32"]
        if same:
            self.f.store(self.pick(same), given)

    def _index(self, size: int) -> Expr:
        if self.program.dares():
            found = self.expr(self.pick(("int32", "int8", "uint16", "int64")), 1)
            # of a number the verifier knows that it is out of range
            return core.Add(found, core.Zero(found.type))
        return core.const(self.random.randrange(size))

    def expr(self, held: Type | str, depth: int) -> Expr:
        given = as_type(held)
        if given in (POINT, PAIR, _ROW):
            return self.value(given)
        if given.is_pointer:
            return core.as_expr(self.loose)
        if self.program.dares():
            same = [each for each in self.maybe if each.type == given]
            if same and self.random.random() < 0.2:
                return core.as_expr(self.pick(same))
            if given == "int32":
                return core.load(core.as_expr(self.pick((self.loose, self.program.pointer))))
        return super().expr(given, depth)

    def _element(self, array: Symbol) -> Expr:
        if self.program.dares():
            return core.element(array, self._index(8))
        return super()._element(array)

    def _divisor(self, given: Type) -> Expr:
        return self.expr(given, 1) if self.program.dares() else super()._divisor(given)

    def _operators(self, given: Type, depth: int) -> list[Callable[[], Expr]]:
        rules = super()._operators(given, depth)
        if given.is_integer and self.program.dares():
            for kind in (core.Shl, core.Ashr, core.Lshr):
                places = self.pick(self.program.ints)
                rules.append(
                    lambda kind=kind, by=places: kind(self.expr(given, 1), self.expr(by, 1) & 31)
                )
        return rules

    def _truths(self, depth: int) -> list[Callable[[], Expr]]:
        same = core.equal(core.as_expr(self.loose), core.as_expr(self.program.pointer))
        return [*super()._truths(depth), lambda: same]


_FaultyGenerator.filler = _FaultyFunction
