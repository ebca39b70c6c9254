"""Random programs with closures, references and tuples, and an evaluator that knows of identity.

Programs are drawn by type. Some parameters are functions of an outside that nobody knows: it keeps
all that it is given, calls functions, writes to references and hands all of it out again.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import relayish as relay
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import free_variables

INT = ("int",)
"""Types: numbers, ``("fn", argument, result)``, ``("ref", content)``, ``("pair", left, right)``."""


class OutOfFuel(Exception):
    """The program runs for too long."""


@dataclass(eq=False)
class Thing:
    """A closure, cell or pair; ``site`` is what created it, ``None`` outside."""

    site: Node | None
    ty: tuple[Any, ...]
    parts: list[Any] = field(default_factory=list)
    env: dict[Node, Any] = field(default_factory=dict)

    def held(self) -> list[Any]:
        return [*self.parts, *self.env.values()]


class Drawing:
    """Draws programs in A-normal form."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.types: dict[Node, tuple[Any, ...]] = {}
        self.count = 0

    def type(self, depth: int = 2) -> tuple[Any, ...]:
        kind = self.rng.choice(["int", "int", "fn", "ref", "pair"]) if depth else "int"
        if kind == "int":
            return INT
        if kind == "ref":
            return ("ref", self.type(depth - 1))
        return (kind, self.type(depth - 1), self.type(depth - 1))

    def var(self, ty: tuple[Any, ...]) -> relay.Var:
        self.count += 1
        made = relay.var(f"v{self.count}")
        self.types[made] = ty
        return made

    def program(self) -> relay.IRModule:
        """Return a module of functions that know one another; ``main`` takes things outside."""
        self.globals = {
            relay.GlobalVar(f"g{k}"): ("fn", self.type(1), self.type(1))
            for k in range(self.rng.randrange(3))
        }
        self.types.update(self.globals)
        functions = {}
        for name, (_, argument, result) in self.globals.items():
            param = self.var(argument)
            functions[name] = relay.Function((param,), self.block([param], result, 4))
        outside = [("fn", self.type(2), self.type(1)) for _ in range(2)]
        params = [self.var(ty) for ty in (*outside, self.type(3))]
        functions[relay.GlobalVar("main")] = relay.Function(params, self.block(params, INT, 12))
        return relay.IRModule(functions)

    def block(self, scope: list[Node], ty: tuple[Any, ...], size: int) -> relay.Expr:
        scope = list(scope)
        lets = []
        for _ in range(self.rng.randrange(1, size + 1)):
            value, of = self.value(scope, size)
            var = self.var(of)
            lets.append((var, value))
            scope.append(var)
        body = self.atom(scope, ty, lets)
        for var, value in reversed(lets):
            body = relay.Let(var, value, body)
        return body

    def atom(self, scope: list[Node], ty: tuple[Any, ...], lets: list[Any]) -> Any:
        """Return what has type ``ty``; made anew where nothing in scope has."""
        found = [each for each in (*scope, *self.globals) if self.types[each] == ty]
        if found and self.rng.random() < 0.9:
            return self.rng.choice(found)
        if ty == INT:
            return relay.const(self.rng.randrange(3))
        var = self.var(ty)
        lets.append((var, self.make(scope, ty, lets)))
        scope.append(var)
        return var

    def make(self, scope: list[Node], ty: tuple[Any, ...], lets: list[Any]) -> relay.Expr:
        if ty[0] == "ref":
            return relay.RefCreate(self.atom(scope, ty[1], lets))
        if ty[0] == "pair":
            return relay.Tuple([self.atom(scope, each, lets) for each in ty[1:]])
        param = self.var(ty[1])
        return relay.Function((param,), self.block([*scope, param], ty[2], 3))

    def value(self, scope: list[Node], size: int) -> tuple[relay.Expr, tuple[Any, ...]]:
        """Return the value of a let, made of what is in scope, and its type."""
        lets: list[Any] = []
        known = [*scope, *self.globals]
        each = self.rng.choice(known) if known else relay.const(1)
        ty = self.types.get(each, INT)
        made, of = self.use(each, ty, scope, lets, size)
        for var, value in reversed(lets):
            made = relay.Let(var, value, made)
        return made, of

    def use(self, each: Any, ty: Any, scope: list[Node], lets: list[Any], size: int) -> Any:
        scope = list(scope)
        choice = self.rng.random()
        if choice < 0.15 and size > 2:
            of = self.type(1)
            arms = [self.block(scope, of, size // 3) for _ in range(2)]
            numbers = [v for v in scope if self.types[v] == INT]
            left = self.rng.choice(numbers) if numbers else relay.const(1)
            return relay.If(relay.less(left, relay.const(2)), *arms), of
        if choice < 0.3:
            of = self.type(2)
            return (self.make(scope, of, lets) if of != INT else relay.const(1)), of
        if ty[0] == "fn":
            return relay.Call(each, (self.atom(scope, ty[1], lets),)), ty[2]
        if ty[0] == "ref":
            if self.rng.random() < 0.5:
                return relay.RefRead(each), ty[1]
            written = relay.RefWrite(each, self.atom(scope, ty[1], lets))
            return relay.Let(self.var(INT), written, relay.const(0)), INT
        if ty[0] == "pair":
            at = self.rng.randrange(2)
            return relay.TupleGetItem(each, at), ty[1 + at]
        return relay.add(each, relay.const(1)), INT


class Machine:
    """Evaluates programs, telling ``watch(node, value, env, machine)`` of each evaluation.

    Attributes:
        known: What the outside was given, or made, by type.
    """

    def __init__(
        self,
        mod: relay.IRModule,
        rng: random.Random,
        watch: Callable[[Node, Any, dict[Node, Any]], None],
        enter: Callable[[Node, dict[Node, Any]], None],
        fuel: int = 400,
    ) -> None:
        self.mod, self.rng, self.watch, self.enter, self.fuel = mod, rng, watch, enter, fuel
        self.known: list[tuple[Any, Any]] = []  # types and values
        self.things = {name: Thing(func, ("fn",)) for name, func in mod.functions.items()}

    def run(self, types: dict[Node, Any]) -> Any:
        main = self.mod["main"]
        env = {param: self.outside(types[param]) for param in main.params}
        self.types = types
        try:
            result = self.eval(main.body, env)
        except (OutOfFuel, RecursionError):
            return None
        self.known.append((INT, result))
        return result

    def outside(self, ty: Any) -> Any:
        """Return a thing of that type from the outside: one that it knows, or a new one."""
        alike = [value for of, value in self.known if of == ty]
        if alike and self.rng.random() < 0.6:
            return self.rng.choice(alike)
        if ty == INT:
            return self.rng.randrange(4)
        made = Thing(None, ty)
        if ty[0] == "ref":
            made.parts = [self.outside(ty[1])]
        if ty[0] == "pair":
            made.parts = [self.outside(each) for each in ty[1:]]
        self.known.append((ty, made))
        return made

    def meddle(self) -> None:
        """Do something outside with what is known there."""
        things = [(ty, value) for ty, value in self.known if ty != INT]
        if not things:
            return
        ty, thing = self.rng.choice(things)
        if ty[0] == "ref" and self.rng.random() < 0.5:
            thing.parts[0] = self.outside(ty[1])
        elif ty[0] == "ref":
            self.known.append((ty[1], thing.parts[0]))
        elif ty[0] == "pair":
            self.known += zip(ty[1:], thing.parts, strict=True)
        else:
            self.known.append((ty[2], self.call(thing, self.outside(ty[1]))))

    def call(self, callee: Thing, argument: Any) -> Any:
        self.fuel -= 1
        if self.fuel < 0:
            raise OutOfFuel
        if callee.site is None:
            self.known.append((callee.ty[1], argument))
            for _ in range(self.rng.randrange(3)):
                self.meddle()
            return self.outside(callee.ty[2])
        [param] = callee.site.params
        return self.eval(callee.site.body, {**callee.env, param: argument})

    def close(self, function: relay.Function, env: dict[Node, Any]) -> Thing:
        captured = {each: env[each] for each in free_variables(function) if each in env}
        return Thing(function, ("fn",), env=captured)

    def eval(self, expr: Any, env: dict[Node, Any]) -> Any:
        while isinstance(expr, relay.Let):
            if isinstance(expr.value, relay.Function):
                made = self.close(expr.value, env)
                if expr.var in free_variables(expr.value):
                    made.env[expr.var] = made
                self.watch(expr.value, made, env)
                env = {**env, expr.var: made}
            else:
                env = {**env, expr.var: self.eval(expr.value, env)}
            expr = expr.body
        value = self.eval_one(expr, env)
        self.watch(expr, value, env)
        return value

    def eval_one(self, expr: Any, env: dict[Node, Any]) -> Any:
        if isinstance(expr, relay.GlobalVar):
            return self.things[expr]
        if isinstance(expr, relay.Var):
            return env[expr]
        if isinstance(expr, relay.Constant):
            return int(expr.data)
        if isinstance(expr, relay.If):
            cond = self.eval(expr.cond, env)
            return self.eval(expr.true_branch if cond else expr.false_branch, env)
        if isinstance(expr, relay.Call) and isinstance(expr.op, relay.Op):
            left, right = [self.eval(arg, env) for arg in expr.args]
            return left < right if expr.op.name == "less" else left + right
        self.enter(expr, env)
        if isinstance(expr, relay.Call):
            callee = self.eval(expr.op, env)
            return self.call(callee, self.eval(expr.args[0], env))
        if isinstance(expr, relay.Function):
            return self.close(expr, env)
        if isinstance(expr, relay.RefCreate):
            return Thing(expr, ("ref",), [self.eval(expr.value, env)])
        if isinstance(expr, relay.Tuple):
            return Thing(expr, ("pair",), [self.eval(each, env) for each in expr.fields])
        if isinstance(expr, relay.TupleGetItem):
            return self.eval(expr.tuple_value, env).parts[expr.index]
        cell = self.eval(expr.ref, env)
        if isinstance(expr, relay.RefRead):
            return cell.parts[0]
        cell.parts[0] = self.eval(expr.value, env)
        return 0

    def escaped(self) -> set[Thing]:
        """Return all things that the outside can get hold of, by way of others too."""
        found: set[Thing] = set()
        pending = [value for _, value in self.known]
        while pending:
            each = pending.pop()
            if isinstance(each, Thing) and each not in found:
                found.add(each)
                pending += each.held()
        return found
