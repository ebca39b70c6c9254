"""Random declarations of kinds of nodes, and random programs made of them.

The fields of a kind have random roles and shapes; what is made of it follows from these alone. So a
program is well-scoped whatever was declared::

    with declared_temporarily():
        kinds = RandomKinds(seed)
        program = random_program(kinds, seed)
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from relayish.ir.domains.language import Language
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.field import Field, Shape
from relayish.ir.fields.roles import Atom, Role, Runs
from relayish.ir.nodes.node import Node, field, node
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Call, Expr, Function, If, Let, Tuple, TupleGetItem, Var
from relayish.ir.relay.language import RELAY
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import Type, scalar_type

INT = scalar_type("int32")
LEAVES: dict[Any, object] = {
    int: 5,
    str: 'a"\n%x',
    bool: True,
    float: 0.1,
    bytes: b"\x00a",
    tuple[int, ...]: (1, 2),
    str | None: None,
}
NAMES = ("x", "y", "a b", "", "%", "if", "größe")

Declared = tuple[Any, dict[str, Any]]  # Any: an annotation, and what is said of the field


class RandomKinds:
    """Some kinds, of Relay's language or one of their own.

    Attributes:
        root: The family of the kinds.
        var: A kind of variable.
        literal: A kind of literal, of an integer.
        kinds: Kinds with random fields.
        parts: Kinds of their parts.
    """

    def __init__(self, seed: object, *, own_language: bool, recursive: bool = True) -> None:
        self.random = random.Random(repr(seed))
        self.recursive = recursive
        self.is_own = own_language
        self.named: dict[str, type[Any]] = {}
        language = Language("random_kinds") if own_language else RELAY
        self.root: type[Any] = self._family("RandomRoot", language) if own_language else Expr
        self.part: type[Any] = self._family("RandomPart", language, Role.PART)
        self.pattern: type[Any] = self._family("RandomPattern", language, Role.BINDER)
        label = (str, {"hint": True})
        self.var = self._declare("RandomVar", self.root, {"label": label}, atom=Atom.VARIABLE)
        value = (int, {})
        self.literal = self._declare("RandomLit", self.root, {"value": value}, atom=Atom.LITERAL)
        bound = (self.var, {"binder": True})
        inside = (tuple[self.pattern, ...], {})  # type: ignore[name-defined]  # a class
        self.pattern_var = self._declare("RandomPatternVar", self.pattern, {"var": bound})
        self.pattern_of = self._declare("RandomPatternOf", self.pattern, {"patterns": inside})
        self.parts: list[type[Any]] = []
        for number in range(self.random.randrange(1, 4)):
            fields = self._fields(is_part=True)
            self.parts.append(self._declare(f"RandomPart{number}", self.part, fields))
        self.kinds = [
            self._declare(f"RandomKind{number}", self.root, self._fields(), **self._traits())
            for number in range(self.random.randrange(3, 7))
        ]

    def _family(self, name: str, language: Language, role: Role = Role.OPERAND) -> type[Any]:
        namespace = {"__slots__": (), "visit_name": name.lower()}
        made: type[Any] = type(Node)(name, (Node,), namespace, language=language, held_as=role)
        return made

    def _declare(
        self, name: str, family: type[Any], fields: dict[str, Declared], **traits: Any
    ) -> type[Any]:
        namespace: dict[str, Any] = {"__module__": __name__, "__annotations__": {}}
        for key, (annotation, said) in fields.items():
            namespace["__annotations__"][key] = annotation
            if said:
                namespace[key] = field(**said)
        made: type[Any] = node(name.lower(), **traits)(type(name, (family,), namespace))
        self.named[name] = made
        self.put_where_pickle_looks()
        return made

    def put_where_pickle_looks(self) -> None:
        """Let pickle find these kinds by their names, and not those that others declared since."""
        globals().update(self.named)

    def _traits(self) -> dict[str, Any]:
        traits: list[dict[str, Any]] = [{}, {"effect": Effect.NONE}, {"effect": Effect.NONE}]
        traits += [{"effect": Effect.NONE, "allocates": True}, {"graph_node": True}]
        return self.random.choice(traits)

    def _fields(self, *, is_part: bool = False) -> dict[str, Declared]:
        choose = self.random.choice
        declared: list[Declared] = []
        scopes = choose((0, 1, 1, 2) if is_part else (0, 1, 1, 2, 3))
        for _ in range(scopes):
            is_block = self.random.random() < 0.25
            shapes = (Shape.MANY, Shape.MIXED) if is_block else tuple(Shape)[1:]
            said = {"scope": choose(tuple(Runs)), "block": is_block}
            declared.append((_annotated(self.root, choose(shapes)), said))
        binders = choose((0, 1, 1, 2)) if scopes else 0
        for _ in range(binders):
            held = choose((self.var, self.pattern) if self.is_own else (self.var, Var, Var))
            said = {} if held is self.pattern else {"binder": True}
            shape = choose((Shape.ONE, Shape.OPTIONAL, Shape.MANY))
            declared.append((_annotated(held, shape), said))
        for _ in range(choose((0, 1, 1, 2))):
            is_recursive = self.recursive and binders > 0 and self.random.random() < 0.2
            said = {"recursive": True} if is_recursive else {}
            declared.append((_annotated(self.root, choose(tuple(Shape)[1:])), said))
        if self.random.random() < 0.4:
            declared.append((choose(tuple(LEAVES)), {}))
        if self.random.random() < 0.2:
            declared.append((Type | None, {}))
        self.random.shuffle(declared)
        if self.parts and (scopes or not binders) and self.random.random() < 0.4:
            shape = choose((Shape.OPTIONAL, Shape.MANY))
            declared.append((_annotated(choose((self.part, *self.parts)), shape), {}))
        return {f"field{number}": each for number, each in enumerate(declared)}


def _annotated(kind: type[Any], shape: Shape) -> Any:  # Any: an annotation
    match shape:
        case Shape.ONE:
            return kind
        case Shape.OPTIONAL:
            return kind | None
        case Shape.MANY:
            return tuple[kind, ...]  # type: ignore[valid-type]
        case _:
            return tuple[kind | int, ...]  # type: ignore[valid-type]


def random_program(kinds: RandomKinds, seed: object, size: int = 30) -> Any:  # Any: of any family
    """Return a closed program: a function of Relay, or a node of the kinds' own language."""
    made = _Programs(kinds, seed, size)
    if kinds.is_own:
        return made.node([], 6)
    params = [Var(f"p{number}", INT) for number in range(made.random.randrange(3))]
    return Function(tuple(params), made.node(list(params), 6))


class _Programs:
    """Makes one program; ``pool`` is what may be used again where a node is made."""

    def __init__(self, kinds: RandomKinds, seed: object, size: int) -> None:
        self.random = random.Random(repr(seed))
        self.kinds = kinds
        self.left = self.random.randrange(1, size)
        self.pool: list[Node] = []

    def name(self) -> str:
        return self.random.choice(NAMES)

    def node(self, known: list[Any], depth: int) -> Any:
        """Return a node in which the variables ``known`` are in scope."""
        if self.pool and self.random.random() < 0.25:
            return self.random.choice(self.pool)
        if depth <= 0 or self.left <= 0 or self.random.random() < 0.15:
            number = self.random.randrange(5)
            atoms = [self.kinds.literal(number), *([] if self.kinds.is_own else [const(number)])]
            return self.random.choice([*atoms, *known, *known])
        self.left -= 1
        if not self.kinds.is_own and self.random.random() < 0.4:
            made = self.relay(known, depth - 1)
        else:
            made = self.make(self.random.choice(self.kinds.kinds), known, depth - 1)
        self.pool.append(made)
        return made

    def scoped(self, known: list[Any], depth: int) -> Any:
        """Return a node in a scope of its own; what it is made of stays inside."""
        mark = len(self.pool)
        made = self.node(known, depth)
        del self.pool[mark:]
        return made

    def relay(self, known: list[Any], depth: int) -> Expr:
        one, other = self.node(known, depth), self.node(known, depth)
        var = Var(self.name() or "v", INT if self.random.random() < 0.5 else None)
        match self.random.randrange(5):
            case 0:
                return Call(intern_op("add"), (one, other))
            case 1:
                return Let(var, one, self.scoped([*known, var], depth))
            case 2:
                cond = Call(intern_op("less"), (one, other))
                return If(cond, self.scoped(known, depth), self.scoped(known, depth))
            case 3:
                return TupleGetItem(Tuple((one, other)), self.random.randrange(2))
            case _:
                return Call(Function((var,), self.scoped([*known, var], depth)), (one,))

    def make(self, kind: type[Any], known: list[Any], depth: int) -> Any:
        values: dict[str, object] = {}
        bound: list[Any] = []
        scopes: list[Field] = []
        for declared in kind.fields_:
            if declared.name in ("span", "checked_type"):
                continue
            if declared.role is Role.BINDER:
                values[declared.name] = self.held(declared, lambda f=declared: self.bind(f, bound))
            elif declared.role is Role.SCOPE or declared.recursive:
                scopes.append(declared)
            elif declared.role is Role.OPERAND:
                values[declared.name] = self.held(declared, lambda: self.node(known, depth))
            elif declared.role is Role.PART:
                fitting = [k for k in self.kinds.parts if issubclass(k, declared.kind)]
                values[declared.name] = self.held(
                    declared,
                    lambda some=fitting: self.make(self.random.choice(some), known, depth - 1),
                    at_most=3 if depth > 0 else 0,
                )
            elif declared.role is Role.ANNOTATION:
                values[declared.name] = self.random.choice((None, INT))
            else:
                values[declared.name] = self.leaf(kind, declared.name)
        mark = len(self.pool)
        shares = self.random.random() < 0.5  # scopes that know the same may share
        make = self.node if shares else self.scoped
        for declared in scopes:
            inside = [*known, *bound]
            values[declared.name] = self.held(declared, lambda inside=inside: make(inside, depth))
        del self.pool[mark:]
        return kind(**values)

    def leaf(self, kind: type[Any], name: str) -> object:
        hints = kind.__annotations__
        return LEAVES[hints[name]]

    def bind(self, declared: Field, bound: list[Any], depth: int = 2) -> Any:
        if declared.kind is self.kinds.pattern:
            if depth and self.random.random() < 0.4:
                inside = [self.bind(declared, bound, depth - 1) for _ in range(2)]
                return self.kinds.pattern_of(inside)
            var = self.kinds.var(self.name())
            bound.append(var)
            return self.kinds.pattern_var(var)
        is_own = declared.kind is self.kinds.var
        bound.append(self.kinds.var(self.name()) if is_own else Var(self.name() or "v", INT))
        return bound[-1]

    def held(self, declared: Field, make: Callable[[], Any], at_most: int = 3) -> object:
        count = self.random.randrange(at_most + 1)
        match declared.shape:
            case Shape.ONE:
                return make()
            case Shape.OPTIONAL:
                return make() if count else None
            case Shape.MANY:
                return tuple([make() for _ in range(count)])
            case _:
                return tuple([make() if self.random.random() < 0.6 else 7 for _ in range(count)])
