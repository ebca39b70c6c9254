"""Random modules in which Relay, the loop IR, core and a package's complex numbers are mixed.

A module is determined by its seed. It is well formed and well typed. ``main`` and ``f0``, ... are
functions of core, which call each other; names of functions of loops begin with ``t_``; those of
Relay begin with ``r_``, hold complex numbers and their loops, and call functions of all languages.
The package of complex numbers is known where ``DECLARED`` is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from relayish import tir
from relayish.ir.kinds.callables import CallSignature, ValueType, signature_of
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.expr import Call, Expr, GlobalVar, Let, TupleGetItem, Var
from relayish.ir.relay.module import IRModule
from relayish.tir.foreign_calls import written_arguments
from relayish.tir.ir.flags import ArgumentIO
from tests.support.core_programs import random_core_program
from tests.support.random_exprs import COST_LIMIT, FLOAT, LIST, Generator, Ty, call
from tests.support.tir_programs import random_func

DECLARED = declared_temporarily()
with DECLARED:
    import complex_numbers  # the package of the example, found by pythonpath

COMPLEX: Ty = ("complex",)
_FOREIGN_COST = 100  # of a call of core or of loops, in evaluated nodes of Relay
_EXACT = ("bool", "int8", "uint8", "int32", "uint32", "int64")


class _Foreign(NamedTuple):
    name: str
    signature: CallSignature


class MixedGenerator(Generator):
    """Draws expressions of Relay that hold complex numbers, and calls of other languages."""

    def __init__(self, seed: object, size: int, others: IRModule) -> None:
        super().__init__(seed, size)
        told = [
            _Foreign(str(others.name_of(key)), signature)
            for key, definition in others.functions.items()
            if others.name_of(key) != "t_main"  # which may give back memory with strides
            and (signature := signature_of(definition)) is not None
        ]
        self.foreign = [each for each in told if each.signature.results and is_closed(each)]

    def rules(self, ty: Ty) -> list[Callable[[Ty, int], Expr]]:
        if ty == COMPLEX:
            own = [self.number_of_parts] * 2 + [self.product] * 3 + [self.repeat] * 3
            return [*own, self.let, self.branch, self.let_complex]
        rules = [*super().rules(ty), self.let_complex]
        if ty == FLOAT:
            rules += [self.norm] * 6
        if ty[0] in ("tensor", "tuple", "list"):
            rules += [self.repeat] * 2
        if ty[0] == "tensor":
            rules += [self.foreign_call] * 12
        return rules

    def var(self, ty: Ty, annotated: bool) -> Var:
        if ty == COMPLEX:
            return Var(self.name(), complex_numbers.NUMBER if annotated else None)
        return super().var(ty, annotated)

    def constant(self, ty: Ty) -> Expr:
        if ty == COMPLEX:
            return complex_numbers.make(self.constant(FLOAT), self.constant(FLOAT))
        return super().constant(ty)

    # Complex numbers

    def number_of_parts(self, _ty: Ty, depth: int) -> Expr:
        return complex_numbers.make(self.expr(FLOAT, depth), self.expr(FLOAT, depth))

    def product(self, _ty: Ty, depth: int) -> Expr:
        return complex_numbers.mul(self.expr(COMPLEX, depth), self.expr(COMPLEX, depth))

    def norm(self, _ty: Ty, depth: int) -> Expr:
        return complex_numbers.norm(self.expr(COMPLEX, depth))

    def let_complex(self, ty: Ty, depth: int) -> Expr:
        mark = len(self.pool)
        value = self.expr(COMPLEX, depth)
        del self.pool[mark:]
        var = self.var(COMPLEX, annotated=self.random.random() < 0.5)
        return Let(var, value, self.scoped(ty, depth, [(COMPLEX, var)]))

    def repeat(self, ty: Ty, depth: int) -> Expr:
        times = self.random.randrange(4)
        init = self.expr(ty, depth)
        var = self.var(ty, annotated=self.random.random() < 0.5)
        cost, effects = self.cost, self.effects
        body = self.scoped(ty, depth, [(ty, var)])
        spent = self.cost - cost + 2
        self.cost = cost + spent * times
        if self.cost >= COST_LIMIT:
            self.cost, times = cost, 0
        loop = complex_numbers.Repeat(var, init, times, body)
        if self.effects == effects:
            return loop
        self.effects += 1
        bound = self.var(ty, annotated=False)
        return Let(bound, loop, bound)

    # Calls of other languages

    def foreign_call(self, ty: Ty, depth: int) -> Expr:
        """Call a function of core or of loops, and make what it gives a tensor of ``ty``."""
        found = [
            (each, index)
            for each in self.foreign
            for index, given in enumerate(each.signature.results)
            if is_cast(given, ty)
        ]
        if self.cost + _FOREIGN_COST >= COST_LIMIT or not found:
            return self.operator(ty, depth)
        (name, signature), index = self.random.choice(found)
        given = signature.results[index]
        self.cost += _FOREIGN_COST
        args = [self.argument(param, depth) for param in signature.params]
        result: Expr = Call(GlobalVar(name), args)
        if len(signature.results) > 1:
            result = TupleGetItem(result, index)
        _, shape, dtype = ty
        result = result if given.dtype == dtype else call("cast", result, dtype=dtype)
        if given.shape == shape:
            return result
        return call("sum", result, axis=None, keepdims=False, exclude=False)

    def argument(self, param: ValueType, depth: int) -> Expr:
        held = "int32" if param.dtype in _EXACT else "float32"
        value = self.expr(("tensor", param.shape, held), depth)
        return value if param.dtype == held else call("cast", value, dtype=param.dtype)


def is_closed(foreign: _Foreign) -> bool:
    """Return whether all sizes of arrays that a function takes and gives are known."""
    signature = foreign.signature
    return all(None not in each.shape for each in (*signature.params, *signature.results))


def is_cast(given: ValueType, ty: Ty) -> bool:
    """Return whether a value can be made one of type ``ty``, and what NaN becomes does not ask."""
    _, shape, dtype = ty
    if dtype != "float32" and given.dtype not in _EXACT:
        return False
    return given.shape == shape or (shape == () and dtype != "bool")


def declared(func: tir.LoweredFunc) -> tir.LoweredFunc:
    """Return a function that says which arguments it writes, though passes drop its stores."""
    results = written_arguments(func)
    io = [ArgumentIO.OUTPUT if arg in results else ArgumentIO.INPUT for arg in func.args]
    return func.with_fields(args_io=tuple(io))


def random_mixed_module(seed: int, size: int = 12) -> IRModule:
    """Return a random module of three languages and complex numbers."""
    mod = random_core_program(seed, size).with_type(LIST)
    mod = mod.with_function("t_main", random_func(seed).with_fields(name="t_main"))
    for name in ("t_0", "t_1", "t_2"):
        plain = random_func((seed, name), size=size // 3, without=("symbolic", "strided"))
        mod = mod.with_function(name, declared(plain.with_fields(name=name)))
    generator = MixedGenerator(("mixed", seed), size, mod)
    for name, function in generator.helpers(3, size, "r_").items():
        mod = mod.with_function(name, function)
    generator.left = 4 * size
    return mod.with_function("r_main", generator.main())
