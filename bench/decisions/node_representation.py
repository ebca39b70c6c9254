"""How a node of six fields can be built, frozen: the table of docs/adr/0001."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from measure import microseconds_per_item, nanoseconds, show

from relayish.ir.relay.expr import Call, Var
from relayish.ir.relay.op import intern_op

FIELDS = ("op", "args", "attrs", "type_args", "span", "checked_type")
HEAD = "op, args, attrs=None, type_args=(), span=None, checked_type=None"
CHECK = """
    if type(op) not in KINDS: raise TypeError
    if type(args) is not tuple: args = tuple(args)
    for arg in args:
        if type(arg) not in KINDS: raise TypeError
"""
NODES = 100_000


class Base:
    __slots__ = ("__weakref__",)


class Loose:
    """A base that forgot its ``__slots__``."""


def frozen(self: object, *_: object) -> None:
    raise AttributeError


def sealed(slots: tuple[str, ...], base: type = Base, **namespace: object) -> type:
    members = {"__slots__": slots, "__setattr__": frozen, "__delattr__": frozen, **namespace}
    return type("Call", (base,), members)


def by_class_flip(allocate: str, base: type = Base) -> type:
    """Fill an instance of a mutable sibling of the same layout, then flip its class."""
    sibling = type(
        "Call",
        (base,),
        {"__slots__": FIELDS, "__setattr__": object.__setattr__, "__delattr__": object.__delattr__},
    )
    fill = "; ".join(f"self.{name} = {name}" for name in FIELDS)
    kinds: set[type] = set()
    scope: dict[str, Any] = {"sibling": sibling, "KINDS": kinds, "new": object.__new__}
    body = f"    self = {allocate}\n    {fill}\n    self.__class__ = Frozen\n    return self"
    exec(f"def __new__(cls, {HEAD}):{CHECK}{body}", scope)
    made = sealed(FIELDS, base, __new__=scope["__new__"])
    scope["Frozen"] = made
    kinds.add(made)
    first = sibling()
    first.__class__ = made
    made.first = first  # type: ignore[attr-defined]
    return made


def by_descriptors() -> type:
    """Write each slot through its member descriptor, which frozen attributes do not stop."""
    made = sealed(FIELDS)
    kinds = {made}
    scope: dict[str, Any] = {"KINDS": kinds, "new": object.__new__}
    for name in FIELDS:
        scope[f"set_{name}"] = getattr(made, name).__set__
    fill = "; ".join(f"set_{name}(self, {name})" for name in FIELDS)
    exec(f"def __new__(cls, {HEAD}):{CHECK}    self = new(cls)\n    {fill}\n    return self", scope)
    made.__new__ = scope["__new__"]  # type: ignore[method-assign]
    made.first = object.__new__(made)  # type: ignore[attr-defined]
    return made


def by_dataclass() -> type:
    """The frozen dataclass of the standard library, checking in ``__post_init__``."""
    kinds: set[type] = set()

    def check(self: Any) -> None:
        if type(self.op) not in kinds:
            raise TypeError
        for arg in self.args:
            if type(arg) not in kinds:
                raise TypeError

    defaults = {"attrs": None, "type_args": (), "span": None, "checked_type": None}
    fields = [(n, object, dataclasses.field(default=defaults[n])) if n in defaults else (n, object)
              for n in FIELDS]  # fmt: skip
    made = dataclasses.make_dataclass(
        "Call", fields, namespace={"__post_init__": check}, frozen=True, eq=False, slots=True
    )
    kinds.add(made)
    made.first = object.__new__(made)  # type: ignore[attr-defined]
    return made


def by_msgspec(checked: bool) -> type | None:
    """A frozen ``msgspec.Struct``, if msgspec is there."""
    try:
        import msgspec
    except ModuleNotFoundError:
        return None
    kinds: set[type] = set()

    def check(self: Any) -> None:
        if type(self.op) not in kinds:
            raise TypeError
        for arg in self.args:
            if type(arg) not in kinds:
                raise TypeError

    defaults = {"attrs": None, "type_args": (), "span": None, "checked_type": None}
    fields: list[Any] = [(n, object, defaults[n]) if n in defaults else n for n in FIELDS]
    namespace = {"__post_init__": check} if checked else {}
    made = msgspec.defstruct(
        "Call", fields, namespace=namespace, frozen=True, eq=False, weakref=True
    )
    kinds.add(made)
    leaf = msgspec.defstruct("Leaf", [], frozen=True, eq=False)
    kinds.add(leaf)
    FIRST[made] = leaf()
    return made


FIRST: dict[type, Any] = {}


class Tight:
    """What a program that needs one kind of node, and trusts itself, would write."""

    __slots__ = ("args", "kind", "op", "value")

    def __init__(self, kind: int, op: object, args: tuple[object, ...], value: object) -> None:
        self.kind = kind
        self.op = op
        self.args = args
        self.value = value


def ladder(leaf: Any, make: Callable[[Any, Any], Any]) -> object:
    """A program of many operations in which every value is used twice."""
    x = y = leaf
    for _ in range(NODES):
        x, y = y, make(y, x)
    return y


def main() -> None:
    singly: dict[str, float | str] = {}
    in_bulk: dict[str, float | str] = {}
    candidates: list[tuple[str, type | None]] = [
        ("class flip, sibling()", by_class_flip("sibling()")),
        ("class flip, object.__new__(sibling)", by_class_flip("new(sibling)")),
        ("class flip, a base without __slots__", by_class_flip("sibling()", Loose)),
        ("written through member descriptors", by_descriptors()),
        ("frozen dataclass with slots", by_dataclass()),
        ("frozen msgspec.Struct, checked", by_msgspec(checked=True)),
        ("frozen msgspec.Struct, unchecked", by_msgspec(checked=False)),
    ]
    for name, kind in candidates:
        if kind is None:
            singly[name] = in_bulk[name] = "msgspec is not installed"
            continue
        leaf = FIRST.get(kind) or kind.first  # type: ignore[attr-defined]
        singly[name] = nanoseconds("kind(leaf, (leaf, leaf))", {"kind": kind, "leaf": leaf})
        in_bulk[name] = microseconds_per_item(
            lambda leaf=leaf, kind=kind: ladder(leaf, lambda a, b: kind(leaf, (a, b))), NODES
        )
    add, x = intern_op("add"), Var("x")
    scope = {"Call": Call, "add": add, "x": x, "make": Call._make, "Tight": Tight}
    singly["relayish.Call"] = nanoseconds("Call(add, (x, x))", scope)
    in_bulk["relayish.Call"] = microseconds_per_item(
        lambda: ladder(x, lambda a, b: Call(add, (a, b))), NODES
    )
    singly["relayish.Call._make, unchecked"] = nanoseconds(
        "make(add, (x, x), None, (), None, None)", scope
    )
    leaf = Tight(0, "x", (), None)
    singly["hand-written, 4 slots, neither frozen nor checked"] = nanoseconds(
        "Tight(2, 'add', (x, x), None)", scope
    )
    in_bulk["hand-written, 4 slots, neither frozen nor checked"] = microseconds_per_item(
        lambda: ladder(leaf, lambda a, b: Tight(2, "add", (a, b), None)), NODES
    )
    show("Building one node of six fields from two operands", "ns", singly)
    show(f"Building {NODES:,} of them, garbage collector included", "µs a node", in_bulk)


if __name__ == "__main__":
    main()
