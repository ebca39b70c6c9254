"""Random networks with control flow in C beside Relay's evaluator: many are compiled together.

python -m tests.support.compiled_networks 1000 7  # so many, from this seed on; SANITIZE=1 as for
python -m tests.support.compiled_loops            # these

Programs branch, bind, recur, repeat, write to references, match values of data types, and pass
functions on. Their operators round as C does, so results are the same bit for bit.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

import relayish as relay
from relayish import tir
from relayish.codegen.c import NativeModule, to_c
from relayish.codegen.c.network import Network, lower_network, order_calls
from relayish.codegen.c.toolchain import find_toolchain
from relayish.errors import RelayishError
from relayish.tir.interpreter.access import constant
from tests.support.compiled_loops import QUICK, SANITIZED
from tests.support.random_exprs import (
    BOOL,
    INT,
    LIST_TYPE,
    Generator,
    Ty,
    call,
    random_arguments,
    to_type,
)

_HEADER = relay.GlobalTypeVar("Maybe")
_ELEMENT = relay.TypeVar("a")
NONE = relay.Constructor("None", (), _HEADER)
PAIR: Ty = ("tensor", (2,), "int32")
SOME = relay.Constructor("Some", (_ELEMENT, to_type(PAIR)), _HEADER)
MAYBE = relay.TypeData(_HEADER, (_ELEMENT,), (NONE, SOME))
"""A data type of known size."""

REFUSED = ("only when it runs", "make it a function of the module")
"""What may be said of a program that is not compiled: which reference is meant, which types."""

Rule = Callable[[Ty, int], relay.Expr]


class Compilable(Generator):
    """Makes programs whose values have known sizes."""

    def data_type(self, depth: int = 2) -> Ty:
        found = super().data_type(depth)
        return self.tensor_type() if found == LIST_TYPE else found

    def rules(self, ty: Ty) -> list[Rule]:
        more: list[Rule] = [self.match_maybe, self.match_maybe]
        if ty[0] in ("tensor", "tuple"):
            more += [self.sum_down, self.count_in_cell]
        return [rule for rule in super().rules(ty) if rule != self.match_list] + more

    def match_maybe(self, ty: Ty, depth: int) -> relay.Expr:
        """Match a value that one of two branches makes."""
        held = self.data_type(1)
        value, found, pair = relay.Var("m"), self.var(held, False), relay.Var("pair")
        made = relay.If(
            self.expr(BOOL, depth),
            relay.Call(
                SOME, (self.scoped(held, depth, []), self.constant(("tensor", (2,), "int32")))
            ),
            relay.Call(NONE, ()),
        )
        some = relay.Clause(
            relay.PatternConstructor(SOME, (relay.PatternVar(found), relay.PatternVar(pair))),
            self.scoped(ty, depth, [(held, found), (PAIR, pair)]),
        )
        none = (
            relay.PatternConstructor(NONE, ())
            if self.random.random() < 0.5
            else relay.PatternWildcard()
        )
        clauses = [some, relay.Clause(none, self.scoped(ty, depth, []))]
        return relay.Let(value, made, relay.Match(value, clauses))

    def sum_down(self, ty: Ty, depth: int) -> relay.Expr:
        """Call a function that calls itself before it does something with what that gives."""
        rounds = self.random.randrange(4)
        again, count, deeper = relay.Var("deeper"), self.var(INT, True), self.var(ty, True)
        cost = self.cost
        rest = self.scoped(ty, depth, [(ty, deeper), (INT, count)])
        spent = (self.cost - cost + 8) * rounds
        rounds, self.cost = (rounds, cost + spent) if cost + spent < 4_000 else (0, cost)
        less = call("subtract", count, relay.Constant(1))
        body = relay.If(
            call("less", relay.Constant(0), count),
            relay.Let(deeper, relay.Call(again, (less,)), rest),
            self.scoped(ty, depth, []),
        )
        function = relay.Function((count,), body, to_type(ty))
        return relay.Let(again, function, relay.Call(again, (relay.Constant(rounds),)))

    def count_in_cell(self, ty: Ty, depth: int) -> relay.Expr:
        """Write to a reference that a function has captured."""
        cell, bump, by, total = (
            relay.Var("cell"),
            relay.Var("bump"),
            self.var(INT, True),
            relay.Var("t"),
        )
        self.effects += 1
        write = relay.RefWrite(cell, call("add", relay.RefRead(cell), by))
        inner = relay.Let(relay.Var("_"), write, relay.RefRead(cell))
        rest = self.scoped(ty, depth, [(INT, total)])
        body = relay.Let(total, relay.Call(bump, (relay.Constant(3),)), rest)
        body = relay.Let(relay.Var("_"), relay.Call(bump, (self.constant(INT),)), body)
        body = relay.Let(bump, relay.Function((by,), inner, to_type(INT)), body)
        return relay.Let(cell, relay.RefCreate(self.constant(INT)), body)

    def unary(self, ty: Ty, depth: int) -> relay.Expr:
        names = ["negative", "abs"] + ["sqrt"] * (ty[2] == "float32")
        return call(self.random.choice(names), self.expr(ty, depth))

    def main(self) -> relay.Function:
        params = [self.tensor_type() for _ in range(self.random.randrange(4))]
        variables = [self.var(ty, annotated=True) for ty in params]
        result = self.data_type()
        body = self.scoped(result, 0, list(zip(params, variables, strict=True)))
        return relay.Function(tuple(variables), body, to_type(result))


def random_network(seed: int, size: int = 80) -> relay.IRModule:
    """Return a module whose ``main`` takes tensors, and may do all that a network may."""
    generator = Compilable(("compiled", seed), size)
    helpers = generator.helpers(4, size // 5)
    generator.left = size
    mod = relay.IRModule({**helpers, "main": generator.main()}, {_HEADER: MAYBE})
    return relay.transform.InferType()(mod)


def _array(buffer: tir.Buffer) -> np.ndarray[Any, Any]:
    return np.zeros([constant(size) or 0 for size in buffer.shape], buffer.dtype.numpy)


def run(network: Network, function: Any, given: Sequence[Any]) -> list[np.ndarray[Any, Any]]:
    """Return the tensors that a compiled network gives."""
    outputs = [_array(each) for each in network.outputs]
    room = [_array(each) for each in network.workspace]
    function(*map(np.asarray, given), *network.constants, *room, *outputs)
    return outputs


def leaves(value: Any) -> list[np.ndarray[Any, Any]]:
    """Return the tensors of a value of Relay's."""
    if isinstance(value, (tuple, list)):
        return [leaf for field in value for leaf in leaves(field)]
    return [np.asarray(value)]


def differences(seeds: Iterable[int], flags: Sequence[str] = QUICK) -> list[str]:
    """Return what is computed otherwise in C than by Relay's evaluator."""
    wrong, networks = [], {}
    for seed in seeds:
        mod = random_network(seed)
        try:
            networks[seed] = mod, order_calls(lower_network(mod))
        except RelayishError as error:
            if not any(reason in str(error) for reason in REFUSED):
                wrong.append(f"{seed}: {type(error).__name__}: {error}")
    modules = [net.module.with_fields(name=f"p{seed}") for seed, (_, net) in networks.items()]
    native = NativeModule(to_c(tir.Module("all", submodules=tuple(modules))), find_toolchain(flags))
    for seed, (mod, net) in networks.items():
        function = native[f"p{seed}.main"]
        evaluate = relay.create_executor(mod=mod).evaluate()
        for at in range(2):
            given = random_arguments(mod["main"], at)
            expected, found = leaves(evaluate(*given)), run(net, function, given)
            same = [
                (a.shape == b.reshape(a.shape).shape and a.tobytes() == b.tobytes())
                or np.array_equal(a, b.reshape(a.shape), equal_nan=a.dtype.kind == "f")
                for a, b in zip(expected, found, strict=True)
            ]
            if not all(same):
                wrong.append(f"{seed} given {at}: expected {expected}, found {found}")
    return wrong


TOGETHER = 20
"""So many networks are compiled together."""


def main(count: int, start: int) -> int:
    """Try networks, and say which differ."""
    wrong = 0
    flags = SANITIZED if os.environ.get("SANITIZE") else QUICK
    for seed in range(start, start + count, TOGETHER):
        for line in differences(range(seed, min(seed + TOGETHER, start + count)), flags):
            sys.stdout.write(f"{line}\n")
            wrong += 1
    sys.stdout.write(f"{count} networks, {wrong} differ\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
