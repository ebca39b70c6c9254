"""Recursion among functions that order calls, and what is told of each before it is written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from relayish._support.graph import components
from relayish.analysis.call_graph import count_global_references
from relayish.codegen.c.ordering.leaves import Layouts, Leaf, closest
from relayish.errors import CodegenError
from relayish.ir.kinds.one_line import quote
from relayish.ir.relay.adt import Match
from relayish.ir.relay.expr import Call, Constant, Expr, Function, GlobalVar, If, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import SizeVar, TensorType
from relayish.ir.scopes.name_supply import NameSupply
from relayish.passes.relay.to_loops.extents import Sizes
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.tensor import Buffer


class Ordered(NamedTuple):
    """A function of Relay as one of loops.

    It is given dimensions, the tensors of its parameters, constants, tensors that references among
    the parameters refer to, memory for what lies between its calls, and memory for its result.

    Attributes:
        name: Its name.
        params: The tensors of each parameter.
        constants: The constants that it, or a function that it calls, uses.
        result: The tensors of the result.
        workspace: The memory that it is given; none where it has its own.
        room: What that holds.
    """

    name: str
    params: tuple[tuple[Leaf, ...], ...]
    constants: tuple[Constant, ...]
    result: tuple[Leaf, ...]
    workspace: tuple[Buffer, ...] = ()
    room: tuple[Leaf, ...] = ()


class Program:
    """The functions of Relay that one calls, in A-normal form.

    Attributes:
        mod: The module.
        calls_python: Whether numpy evaluates what no function of loops says.
        entry: The function that is called from outside.
        layouts: The tensors of which values consist.
        names: Names that nothing has.
        sizes: The dimensions that arguments tell. Each function is given all of them.
        order: The functions, each behind those that it calls, but for such that call it.
        recursive: Those that are called while they run: they have memory of their own each time.
        repeated: Those that call themselves as the last thing that they do: loops.
        ordered: What is told of each.
    """

    def __init__(self, mod: IRModule, entry: str, *, calls_python: bool = False) -> None:
        self.mod: Final = mod
        self.calls_python: Final = calls_python
        self.layouts: Final = Layouts(mod)
        self.names: Final = NameSupply(taken=[each.name_hint for each in mod.functions])
        self.entry: Final = mod.get_global_var(entry)
        self.sizes: Final = Sizes(self.names, _sizes_told(self.function(self.entry)))
        called = self._called(self.entry)
        groups = components(called)
        self.order: Final = [var for group in groups for var in group]
        self.repeated: set[GlobalVar] = set()
        self.recursive: set[GlobalVar] = set()
        self.ordered: dict[GlobalVar, Ordered] = {}
        constants: dict[GlobalVar, dict[Constant, None]] = {}
        for group in groups:
            self._judge(group, called)
            held: dict[Constant, None] = {}
            for var in group:
                nodes = EXPRESSIONS.post_order(self.function(var).body)
                held.update({each: None for each in nodes if isinstance(each, Constant)})
                for callee in called[var]:
                    held.update(constants.get(callee, {}))
            for var in group:
                constants[var] = held
                self.ordered[var] = self._signature(var, tuple(held))

    def function(self, var: GlobalVar) -> Function:
        """Return a function of Relay by its name."""
        found = self.mod[var]
        if not isinstance(found, Function):
            raise CodegenError(f"@{var.name_hint} is {quote(found)}; expected a function of Relay")
        return found

    def _called(self, entry: GlobalVar) -> dict[GlobalVar, list[GlobalVar]]:
        """Return which functions of Relay each calls of those that a run may reach."""
        found: dict[GlobalVar, list[GlobalVar]] = {}
        pending = [entry]
        while pending:
            var = pending.pop()
            if var in found:
                continue
            names = count_global_references(self.function(var))
            callees = [self.mod.get_global_var(name) for name in names]
            found[var] = [each for each in callees if not isinstance(self.mod[each], LoweredFunc)]
            pending += found[var]
        return found

    def _judge(self, group: list[GlobalVar], called: dict[GlobalVar, list[GlobalVar]]) -> None:
        """Note whether functions that call each other do so as the last thing that they do."""
        var = group[0]
        if len(group) == 1 and var not in called[var]:
            return
        func = self.function(var)
        last = sum(1 for _ in last_calls(func.body, var))
        if len(group) == 1 and last == count_global_references(func)[var.name_hint]:
            self.repeated.add(var)
        else:
            self.recursive.update(group)

    def _signature(self, var: GlobalVar, constants: tuple[Constant, ...]) -> Ordered:
        func, layouts = self.function(var), self.layouts
        result = layouts.of(closest(func.ret_type, func.body.checked_type), func.body)
        if any(leaf.is_cell for leaf in result):
            raise CodegenError(
                f"@{var.name_hint} gives a reference, and which is known only when it runs; give "
                f"what it refers to"
            )
        params = [layouts.of(param.type_annotation or param.checked_type, param)
                  for param in func.params]  # fmt: skip
        name = var.name_hint
        if var is self.entry and var in self.recursive:  # something that is called once calls it
            name = self.names.fresh_name(name)
        return Ordered(name, tuple(params), constants, result)


def _sizes_told(func: Function) -> list[SizeVar]:
    """Return the dimensions that arguments of a function tell."""
    types = [param.type_annotation or param.checked_type for param in func.params]
    shapes = [ty.shape for ty in types if isinstance(ty, TensorType)]
    found = [size for shape in shapes for size in shape if isinstance(size, SizeVar)]
    return list(dict.fromkeys(found))


def block_of(expr: Expr) -> tuple[list[tuple[Var, Expr]], Expr]:
    """Return the bindings of a chain of lets, and what it gives: no name of the last of these."""
    bindings: list[tuple[Var, Expr]] = []
    while isinstance(expr, Let):
        bindings.append((expr.var, expr.value))
        expr = expr.body
    while bindings and bindings[-1][0] is expr:
        expr = bindings.pop()[1]
    return bindings, expr


def last_calls(body: Expr, var: GlobalVar) -> Iterator[Call]:
    """Yield the calls of a function whose value is that of ``body``."""
    pending = [body]
    while pending:
        _, last = block_of(pending.pop())
        match last:
            case If():
                pending += [last.true_branch, last.false_branch]
            case Match():
                pending += [clause.rhs for clause in last.clauses]
            case Call() if last.op is var:
                yield last
