"""Random modules of core, and arguments for their ``main``.

A module is determined by its seed and features. It is well formed, it ends, no access is out of
bounds, every variable has a value before it is loaded, and no divisor of integers is zero. A run
evaluates some thousand nodes.

``mod = random_core_program(7)``, ``core_arguments(7)``: numbers for the formals of ``mod["main"]``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection

import numpy as np

from relayish import core
from relayish.core import Expr, FunctionScope, Global, GlobalScope, Preg, Type, Var, as_type
from relayish.core.ir.symbol import Symbol
from relayish.ir.relay.module import IRModule

FEATURES = frozenset(
    {
        "array",  # variables that are arrays, and addresses of elements
        "call",  # functions call those that were defined before them
        "do_while",
        "early_return",  # in the middle of a function
        "float",
        "global",  # variables and constants of the module
        "icall",  # by the address of a function
        "marks",  # pragmas, and ends of lists of statements
        "offset",  # parts of variables by their place in bytes
        "pointer",  # addresses of variables, which others load and store through
        "preg",
        "struct",
        "while_do",
    }
)
"""What programs have by default."""

MORE = frozenset({"tools"})  # time marks, dumps and validations, which print or fail
"""What they have where it is asked for."""

POINT = as_type("struct point")
_INTS = ("int32", "int64", "uint8")
_FLOATS = ("float32", "float64")
_LENGTH = 8  # of arrays: a power of two, so that a mask keeps an index in range
_MAIN = {"a": "int32", "b": "int64", "c": "uint8"}


def random_core_program(
    seed: object, size: int = 12, features: Collection[str] = FEATURES
) -> IRModule:
    """Return a random module; ``size`` is how many statements a function has, about."""
    return CoreGenerator(seed, size, frozenset(features)).module()


def core_arguments(seed: object) -> list[np.generic]:
    """Return values for the formals of ``main``, determined by the seed."""
    chosen = random.Random(f"arguments {seed}")
    return [np.dtype(held).type(chosen.randrange(0, 100)) for held in _MAIN.values()]


class CoreGenerator:
    """Draws a module; those derived from it draw more."""

    ints: tuple[str, ...] = _INTS
    floats: tuple[str, ...] = _FLOATS
    filler: type[CoreFunction]

    def __init__(self, seed: object, size: int, features: frozenset[str]) -> None:
        self.random = random.Random(f"core {seed}")
        self.size = size
        self.features = features
        self.scope = GlobalScope()
        self.globals: list[Global] = []
        self.functions: list[Global] = []
        self.types = (*self.ints, "bool", *(self.floats if "float" in features else ()))

    def module(self) -> IRModule:
        if "struct" in self.features:
            self.scope.struct("point", {"x": "int32", "y": "int64", "tag": "uint8"})
        if "global" in self.features:
            self._globals()
        if {"call", "icall"} & self.features:
            for number in range(self.random.randrange(1, 4)):
                params = {f"p{at}": self.pick(self.types) for at in range(self.random.randrange(4))}
                result = self.pick((*self.types, "void"))
                self._function(f"f{number}", params, result)
        self._function("main", _MAIN, "int32")
        if self.random.random() < 0.3:
            self.scope.declare("unused", ["int32*"], "int32")
            self.scope.entry("start", self.functions[-1], is_program=True)
        return self.scope.module()

    def _globals(self) -> None:
        for number in range(self.random.randrange(1, 4)):
            held = self.pick(self.types)
            init = None if self.random.random() < 0.3 else self.literal(held)
            self.globals.append(self.scope.variable(f"g{number}", held, init))
        self.globals.append(self.scope.constant("k", self.random.randrange(100)))
        if "array" in self.features:
            self.globals.append(self.scope.variable("ga", f"int32[{_LENGTH}]"))
            data = [self.random.randrange(-50, 50) for _ in range(_LENGTH)]
            self.globals.append(self.scope.constant("table", data))

    def _function(self, name: str, params: dict[str, str], result: str) -> None:
        with self.scope.function(name, params, result) as f:
            self.filler(self, f, params, as_type(result)).fill()
        self.functions.append(f.self)

    def pick(self, items):
        return self.random.choice(list(items))

    def literal(self, held: str | Type) -> Expr:
        given = as_type(held)
        if given.is_bool:
            return core.const(self.random.random() < 0.5)
        if given.is_float:
            return core.const(self.random.randrange(-40, 40) / 4, given)
        chosen = self.random.random()
        if chosen < 0.1:
            return core.Zero(given)
        if chosen < 0.2:
            return core.One(given)
        low = 0 if given.is_uint else -20
        return core.const(self.random.randrange(low, 100), given)


class CoreFunction:
    """Fills one function."""

    def __init__(
        self, program: CoreGenerator, f: FunctionScope, params: dict[str, str], result: Type
    ) -> None:
        self.program, self.f, self.result = program, f, result
        self.random, self.features = program.random, program.features
        self.pick, self.literal = program.pick, program.literal
        self.readable: list[Symbol] = [f.formal(name) for name in params]
        self.writable: list[Symbol] = list(self.readable)
        self.pointers: list[Var] = []
        self.counters = 0
        self.loops = 0

    def fill(self) -> None:
        self._declare()
        for symbol in self.program.globals:
            self.readable.append(symbol)
            if symbol.name not in ("k", "table"):
                self.writable.append(symbol)
        self._block(self.program.size)
        if self.result.is_void:
            self.f.ret()
        else:
            self.f.retv(self.expr(self.result, 3))

    def _declare(self) -> None:
        """Add symbols, each of which has a value from the start."""
        for number in range(self.random.randrange(2, 5)):
            self._add(self.f.local(f"x{number}", self.pick(self.program.types)))
        if "preg" in self.features:
            self._add(self.f.preg(self.pick(self.program.types)))
        if "array" in self.features:
            array = self.f.local("array", f"{self.pick(self.program.types)}[{_LENGTH}]")
            self.f.store(array, core.Zero(array.type))
            self._know(array)
        if "struct" in self.features:
            self._structures()
        if "pointer" in self.features:
            for number in range(2):
                target = self.pick([each for each in self.writable if self._has_address(each)])
                pointer = self.f.local(f"p{number}", target.type.pointer_to())
                self.f.store(pointer, core.Lda(target))
                self.pointers.append(pointer)

    def _structures(self) -> None:
        local = self.f.local("point", POINT)
        self.f.store(local, core.Zero(POINT))
        self._know(local)
        if "preg" in self.features:
            register = self.f.preg(POINT, "r")
            self.f.store(register, core.Zero(POINT))
            self._know(register)

    def _add(self, symbol: Var | Preg) -> None:
        self.f.store(symbol, self.expr(symbol.type, 2))
        self._know(symbol)

    def _know(self, symbol: Symbol) -> None:
        self.readable.append(symbol)
        self.writable.append(symbol)

    @staticmethod
    def _has_address(symbol: Symbol) -> bool:
        return not isinstance(symbol, Preg) and not symbol.type.is_array

    # Statements

    def _block(self, budget: int) -> None:
        while budget > 0:
            rules = self._statements(budget)
            budget -= 1 + (self.pick(rules)() or 0)

    def _end(self) -> None:
        if "marks" in self.features and self.random.random() < 0.1:
            self.f.add(core.EndStmtList())

    def _statements(self, budget: int) -> list[Callable[[], int | None]]:
        rules: list[Callable[[], int | None]] = [self._store] * 4
        if budget > 2:
            nested = lambda make: lambda: make(self.random.randrange(1, budget))  # noqa: E731
            rules += [nested(self._if)] * 2
            if self.loops < 2:
                rules.append(nested(self._do_loop))
                rules += [nested(self._while_do)] if "while_do" in self.features else []
                rules += [nested(self._do_while)] if "do_while" in self.features else []
        if self.program.functions and self.loops < 2:
            rules += [self._call] if "call" in self.features else []
            rules += [self._icall] if "icall" in self.features else []
        rules += [self._store_through] if self.pointers else []
        rules += [self._mark] if "marks" in self.features else []
        rules += [self._tool] if "tools" in self.features else []
        return rules

    def _store(self) -> None:
        symbol = self.pick(self.writable)
        if symbol.type.is_array:
            self.f.store(self._element(symbol), self.expr(symbol.type.element, 3))
        elif symbol.type.is_struct:
            name, held = self.pick(self.program.scope.fields(symbol.type).items())
            self.f.store_field(symbol, name, self.expr(held, 3))
        elif "offset" in self.features and isinstance(symbol, Var) and self.random.random() < 0.1:
            self.f.add(core.Sto(symbol, 0, self.expr(symbol.type, 2)))
        else:
            self.f.store(symbol, self.expr(symbol.type, 3))

    def _store_through(self) -> None:
        pointer = self.pick(self.pointers)
        pointee = pointer.type.pointee
        same = [each for each in self.writable if self._has_address(each) and each.type == pointee]
        if self.random.random() < 0.3:
            self.f.store(pointer, core.Lda(self.pick(same)))
        elif pointee.is_struct:
            self.f.store(core.as_expr(pointer), core.Zero(pointee))
        else:
            self.f.store(core.as_expr(pointer), self.expr(pointee, 2))

    def _if(self, inside: int) -> int:
        with self.f.if_(self.expr(as_type("bool"), 2)):
            self._arm(inside)
            if "early_return" in self.features and self.random.random() < 0.15:
                if self.result.is_void:
                    self.f.ret()
                else:
                    self.f.retv(self.expr(self.result, 1))
            self._end()
        if self.random.random() < 0.5:
            with self.f.else_():
                self._arm(1)
            inside += 1
        return inside

    def _arm(self, budget: int) -> None:
        known = len(self.readable)
        self._block(budget)
        del self.readable[known:]  # what is counted here has no value where it does not run

    def _counter(self) -> Var:
        self.counters += 1
        return self.f.local(f"i{self.counters}", "int32")

    def _do_loop(self, inside: int) -> int:
        counter, rounds = self._counter(), self.random.randrange(4)
        step = self.random.randrange(1, 3)
        self.readable.append(counter)
        with self.f.do_loop(counter, 0, counter < rounds * step, counter + step):
            self._inside(inside)
            self._end()
        return inside

    def _while_do(self, inside: int) -> int:
        counter, rounds = self._counter(), self.random.randrange(4)
        self.f.store(counter, 0)
        self.readable.append(counter)
        with self.f.while_do(self._holds(counter < rounds)):
            self._inside(inside)
            self.f.store(counter, counter + 1)
        return inside

    def _do_while(self, inside: int) -> int:
        counter, rounds = self._counter(), self.random.randrange(1, 4)
        self.f.store(counter, 0)
        self.readable.append(counter)
        with self.f.do_while(self._holds(counter < rounds)):
            self._inside(inside)
            self.f.store(counter, counter + 1)
        return inside

    def _holds(self, counted: Expr) -> Expr:
        if self.random.random() < 0.7:
            return counted
        return core.land(counted, self.expr(as_type("bool"), 1))

    def _inside(self, budget: int) -> None:
        known, self.loops = len(self.readable), self.loops + 1
        self._block(budget)
        self.loops -= 1
        del self.readable[known:]  # what the body counts has no value where it does not run

    def _call(self) -> None:
        callee = self.pick(self.program.functions)
        self._take(self.f.call(callee, *[self.expr(held, 2) for held in callee.type.params]))

    def _icall(self) -> None:
        callee = self.pick(self.program.functions)
        args = [self.expr(held, 2) for held in callee.type.params]
        address: Expr = core.Lda(callee)
        if self.random.random() < 0.5:
            held = self.f.local("function", address.type)
            self.f.store(held, address)
            address = core.as_expr(held)
        self._take(self.f.call(address, *args))

    def _take(self, value: Expr | None) -> None:
        same = [each for each in self.writable if value is not None and each.type == value.type]
        if value is not None and same:
            self.f.store(self.pick(same), value)

    def _mark(self) -> None:
        self.f.add(core.Pragma("note", self.random.randrange(9)))

    def _tool(self) -> None:
        arrays = [each for each in self.readable if each.type.is_array]
        rules: list[core.Stmt] = [core.TmStart("begin"), core.TmTaken("end")]
        arrays = [each for each in arrays if not each.type.element.is_bool]
        if arrays:
            address, length = core.element(self.pick(arrays), 0), core.const(_LENGTH)
            title = core.Ldca(core.Constant("array"))
            rules.append(core.DumpVar(title, address, length))
            rules.append(core.Validate(address, address, length, core.const(0.5)))
        self.f.add(self.pick(rules))

    # Expressions

    def expr(self, held: Type | str, depth: int) -> Expr:
        given = as_type(held)
        rules = [lambda: self.literal(given)] if given.is_scalar else []
        rules += [lambda: core.as_expr(symbol)] * 3 if (symbol := self._symbol(given)) else []
        rules += self._loads(given)
        if depth > 0:
            rules += self._operators(given, depth - 1) * 2
        return self.pick(rules)()

    def _symbol(self, given: Type) -> Symbol | None:
        same = [each for each in self.readable if each.type == given]
        return self.pick(same) if same else None

    def _loads(self, given: Type) -> list[Callable[[], Expr]]:
        rules: list[Callable[[], Expr]] = []
        for symbol in self.readable:
            held = symbol.type
            if held.is_array and held.element == given:
                rules.append(lambda symbol=symbol: core.load(self._element(symbol)))
                if "offset" in self.features:
                    size = max(given.bits // 8, 1)
                    place = self.random.randrange(_LENGTH) * size
                    rules.append(lambda s=symbol, at=place: core.Ldo(s, at, given))
            elif held.is_struct:
                fields = self.program.scope.fields(held)
                same = [name for name in fields if fields[name] == given]
                rules += [lambda s=symbol, n=name: self.f.field(s, n) for name in same]
        there = [pointer for pointer in self.pointers if pointer.type.pointee == given]
        return [*rules, *[lambda p=pointer: core.load(core.as_expr(p)) for pointer in there]]

    def _element(self, array: Symbol) -> Expr:
        index = core.const(self.random.randrange(_LENGTH))
        if self.random.random() < 0.5:
            index = self.expr("int32", 1) & (_LENGTH - 1)
        return core.element(array, index)

    def _operators(self, given: Type, depth: int) -> list[Callable[[], Expr]]:
        def two(kind: type) -> Callable[[], Expr]:
            return lambda: kind(self.expr(given, depth), self.expr(given, depth))

        if given.is_bool:
            return self._truths(depth)
        arithmetic = [core.Add, core.Sub, core.Mul]
        rules = [two(kind) for kind in arithmetic]
        if given.is_float:
            return [*rules, lambda: core.Div(self.expr(given, depth), core.const(2.5, given))]
        rules += [two(kind) for kind in (core.Band, core.Bor, core.Bxor)]
        rules += [lambda: core.Bnot(self.expr(given, depth))]
        for kind in (core.Div, core.Mod):
            rules.append(lambda kind=kind: kind(self.expr(given, depth), self._divisor(given)))
        for kind in (core.Shl, core.Ashr, core.Lshr):
            places = core.const(self.random.randrange(8), given)
            rules.append(lambda kind=kind, by=places: kind(self.expr(given, depth), by))
        return rules

    def _divisor(self, given: Type) -> Expr:
        """Return a number of 1 to 8."""
        return (self.expr(given, 1) & 7) + 1

    def _truths(self, depth: int) -> list[Callable[[], Expr]]:
        held = as_type(self.pick([each for each in self.program.types if each != "bool"]))
        kinds = (core.Eq, core.Ne, core.Lt, core.Le, core.Gt, core.Ge)
        rules: list[Callable[[], Expr]] = [
            lambda kind=kind: kind(self.expr(held, depth), self.expr(held, depth)) for kind in kinds
        ]
        truth = as_type("bool")
        rules += [
            lambda kind=kind: kind(self.expr(truth, depth), self.expr(truth, depth))
            for kind in (core.Land, core.Lor, core.Bxor)
        ]
        return [*rules, lambda: core.Lnot(self.expr(truth, depth))]


CoreGenerator.filler = CoreFunction
