"""Partial evaluation: what functions of loops compute of constants alone is computed beforehand.

Before::

    @main_dense(%x, constant)

    function main_dense (_x, _w, _result)
    {
      for (j, 0, 16), for (k, 0, 9)
      {
        packed[k, j] = w[j, k]
      }
      ...
    }

After::

    @main_dense(%x, another constant)

    function main_dense (_x, _packed, _result)
    { ... }
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Final, NamedTuple

import numpy as np

from relayish.functor import ExprMutator
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.expr import Call, Constant, Expr, Function, GlobalVar
from relayish.ir.relay.module import IRModule
from relayish.ir.scopes.scoping import PROGRAM
from relayish.pass_infra import Sequential, register_pass
from relayish.passes.relay.to_loops.constant_arguments import (
    calls_of_loops,
    constant_arguments,
    given_arguments,
)
from relayish.tir.foreign_calls import callee_of, written_arguments
from relayish.tir.interpreter.access import constant
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import ArgumentIO
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.stmt import Block, For
from relayish.tir.ir.tensor import Buffer, Load, Parameter, Store, Var
from relayish.tir.plain_loops import accessed_buffers, only_stores, statements
from relayish.tir.schedule.defaults.constant_memory import CONSTANT, constant_memory

MOST_GROWTH: Final = 8
"""How much more memory a result may take than what it is computed of."""


@register_pass("FoldConstantLoops", opt_level=0)
def fold_constant_loops(mod: IRModule) -> IRModule:
    """Partial evaluation: compute once what functions of loops compute of constants alone.

    That is what whole statements of a function store into its own memory: its temporaries become
    arguments, and calls give them as constants. Weights that are packed are packed so.

    Returns:
        ``mod`` itself when there is nothing to compute.

    Complexity:
        Linear in the size of the functions, and that of computing.
    """
    splits: dict[GlobalVar, _Split] = {}
    for var, calls in calls_of_loops(mod).items():
        func = mod.function_of(LoweredFunc, var)
        split = _split(func, constant_arguments(func, calls))
        if split is not None:
            splits[var] = split
    if not splits:
        return mod
    mutator = _Calls(splits)
    for var, each in mod.functions_of(Function).items():
        mod = mod.with_function(var, mutator.visit(each))
    for var, split in splits.items():
        mod = mod.with_function(var, split.after)
    return Sequential(["InferType"], opt_level=0)(mod)


def without_constant_loops(func: LoweredFunc) -> LoweredFunc:
    """Return what is left of a function to run where constants are computed of once, beforehand.

    Args:
        func: A function without schedule blocks, on which constant arguments are noted.

    Returns:
        A function that is given what is computed of these; ``func`` itself where nothing is.
    """
    split = _split(func, constant_memory(func))
    return func if split is None else split.after


class _Split(NamedTuple):
    """A function in two parts.

    Attributes:
        before: What computes of constants alone.
        constants: The numbers of the arguments of calls that it is given.
        after: The rest, which is given what the former computes.
        kept: The numbers of the arguments of calls that it is given besides.
    """

    before: LoweredFunc
    constants: tuple[int, ...]
    after: LoweredFunc
    kept: tuple[int, ...]


class _Calls(ExprMutator):
    """Gives functions what was computed for them."""

    def __init__(self, splits: Mapping[GlobalVar, _Split]) -> None:
        super().__init__()
        self._splits = splits
        self._made: dict[tuple[object, ...], tuple[Constant, ...]] = {}

    def visit_call(self, call: Call) -> Expr:
        made = super().visit_call(call)
        assert isinstance(made, Call)
        split = self._splits.get(call.op) if isinstance(call.op, GlobalVar) else None
        if split is None:
            return made
        kept = [made.args[at] for at in split.kept]
        return Call(made.op, (*kept, *self._computed(call, split)), span=call.span)

    def _computed(self, call: Call, split: _Split) -> tuple[Constant, ...]:
        """Return what is computed for a call, once for all that give the same arrays."""
        given = []
        for at in split.constants:
            arg = call.args[at]
            assert isinstance(arg, Constant)
            given.append(arg.data)
        key = (call.op, *[id(each) for each in given])  # they live as long as the call
        found = self._made.get(key)
        if found is None:
            name = split.before.name
            compute = callee_of(split.before, name, IRModule({name: split.before}))
            value = compute(*[np.asarray(each, order="C") for each in given])
            results = value if isinstance(value, tuple) else (value,)
            found = self._made[key] = tuple([Constant(each) for each in results])
        return found


def _split(func: LoweredFunc, known: frozenset[Parameter]) -> _Split | None:
    """Return a function in two parts; ``None`` where nothing is computed of constants alone."""
    stmts = statements(func.body)
    if not known or not all(isinstance(each, (For, Store)) for each in stmts):
        return None
    uses = [_Uses.of(stmt) for stmt in stmts]
    made = {each for each in func.temp_bufs if _grows_little(each, uses)}
    while lost := _not_computed(uses, made, known):
        made -= lost
    fixed = [each.stmt for each in uses if each.writes and each.writes <= made]
    left = [each for each in stmts if each not in fixed]
    needed = {
        each for stmt in left for kind in (Load, Store) for each in accessed_buffers(stmt, kind)
    }
    results = [each for each in func.temp_bufs if each in made and each in needed]
    if not results:
        return None
    given = given_arguments(func)
    constants = [each for each in given if each in known]
    before = LoweredFunc(
        f"{func.name}_constants",
        (*constants, *results),
        Block(tuple(fixed)),
        tuple([each for each in func.temp_bufs if each in made and each not in results]),
        _kinds(constants, results),
    )
    kept = [each for each in given if each not in known or each in needed]
    outputs = written_arguments(func)
    after = func.with_fields(
        args=(*kept, *results, *outputs),
        args_io=_kinds([*kept, *results], outputs),
        body=Block(tuple(left)),
        temp_bufs=tuple([each for each in func.temp_bufs if each not in made]),
        attrs=_without_numbers(func.attrs),
    )
    at = {arg: number for number, arg in enumerate(given)}
    return _Split(
        before, tuple([at[each] for each in constants]), after, tuple([at[each] for each in kept])
    )


class _Uses(NamedTuple):
    """What a statement does with memory.

    Attributes:
        stmt: The statement.
        reads: What it reads and does not write.
        writes: What it writes.
        is_plain: Whether it does nothing but store.
    """

    stmt: Stmt
    reads: frozenset[Buffer]
    writes: frozenset[Buffer]
    is_plain: bool

    @classmethod
    def of(cls, stmt: Stmt) -> _Uses:
        """Return what one does."""
        reads, writes = accessed_buffers(stmt, Load), accessed_buffers(stmt, Store)
        accesses = [each for each in PROGRAM.pre_order(stmt) if isinstance(each, (Load, Store))]
        is_plain = only_stores(stmt) and not any(isinstance(a.tensor, Var) for a in accesses)
        return cls(stmt, frozenset(reads - writes), frozenset(writes), is_plain)


def _not_computed(
    uses: Sequence[_Uses], made: set[Buffer], known: frozenset[Parameter]
) -> set[Buffer]:
    """Return which of some memory is not made of constants alone, or not before it is used."""
    lost: set[Buffer] = set()
    used: set[Buffer] = set()  # by what stays
    for each in uses:
        stays = not each.is_plain or not each.writes <= made or not each.reads <= known | made
        if stays:
            lost |= each.writes & made
            used |= each.reads
        else:
            lost |= each.writes & used
    return lost


def _grows_little(buffer: Buffer, uses: Sequence[_Uses]) -> bool:
    """Return whether memory is not much more than what it is computed of."""
    reads = {read for each in uses if buffer in each.writes for read in each.reads}
    return 0 < _size(buffer) <= MOST_GROWTH * sum(map(_size, reads))


def _size(buffer: Buffer) -> int:
    return prod([constant(size) or 0 for size in buffer.shape])


def _kinds(inputs: Sequence[object], outputs: Sequence[object]) -> tuple[ArgumentIO, ...]:
    return (*[ArgumentIO.INPUT] * len(inputs), *[ArgumentIO.OUTPUT] * len(outputs))


def _without_numbers(attrs: DictAttrs | None) -> DictAttrs | None:
    """Return attributes without those that count arguments."""
    if attrs is None or CONSTANT not in attrs:
        return attrs
    left = {name: value for name, value in attrs.items() if name != CONSTANT}
    return DictAttrs(left) if left else None
