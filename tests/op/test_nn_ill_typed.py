"""Whatever they are called with, rules and relations give a type, or say what is wrong."""

from __future__ import annotations

import random
import typing

from relayish.errors import RelayishError, TypeInferenceError
from relayish.ir.relay.type import (
    Any,
    FuncType,
    IncompleteType,
    PrimOp,
    SizeVar,
    TensorType,
    TupleType,
    TypeVar,
)
from relayish.op import get_op, list_ops, make_attrs
from relayish.op.declaration.properties import arguments, attrs_type, relation, rule
from tests.support.each import each
from tests.support.seeds import SOAK, many

WINDOWS = ("conv", "pool")  # those have tests of their own
NAMES = [n for n in list_ops("relay") if n.startswith("nn.") and not any(w in n for w in WINDOWS)]
NAMES += ["einsum", "nn.sparse_conv2d"]
N = SizeVar("n")
SIZES = (
    0,
    1,
    1,
    2,
    3,
    4,
    4,
    8,
    32,
    Any(),
    Any(),
    N,
    SizeVar("m", "int64"),
    PrimOp("tir.Mul", (N, 2)),
)
DTYPES = ("float32", "float32", "float32", "float16", "int8", "int32", "uint8", "bool")
EQUATIONS = ("ij,jk->ik", "ij->ji", "...i,...i->...", "i,i", "->", "i..j", "ii->i", "i->ij", "")
LAYOUTS = ("NCHW", "NHWC", "NCHW4c", "NCW", "NCDHW", "NDHWC", "", "??", "NCHW0c")


class Listener:
    def assign(self, unknown, found):
        assert isinstance(found, TensorType)


EXAMPLES = many(60)


class Drawer:
    """Draws types and attributes, most of them wrong."""

    def __init__(self, seed):
        self.pick = random.Random(f"{seed} {SOAK}")

    def tensor(self):
        rank = self.pick.choice((0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4, 5))
        shape = [self.pick.choice(SIZES) for _ in range(rank)]
        return TensorType(shape, self.pick.choice(DTYPES))

    def type(self):
        if self.pick.random() < 0.9:
            return self.tensor()
        pair = TupleType((self.tensor(), self.tensor()))
        return self.pick.choice((TupleType(()), pair, TypeVar("t"), FuncType((), pair)))

    def types(self, name):
        if name == "einsum":
            return [TupleType([self.tensor() for _ in range(self.pick.randrange(4))])]
        count = len(arguments.get(get_op(name)))
        if self.pick.random() < 0.4:
            return [self.type()] * count
        return [self.type() for _ in range(count)]

    def attrs(self, name):
        cls = attrs_type.get(get_op(name))
        if cls is None:
            return {}
        hints = typing.get_type_hints(cls)
        return {
            field: self.value(field, str(hints[field]))
            for field in cls.field_names
            if field not in cls.defaults or self.pick.random() < 0.6
        }

    def value(self, field, hint):
        if "tuple[tuple" in hint:
            return tuple(self.numbers(2) for _ in range(self.pick.choice((0, 1, 2, 2, 3, 4))))
        if "tuple" in hint:
            return self.numbers(self.pick.choice((0, 1, 2, 2, 3, 4)))
        for mark, values in (
            ("equation", EQUATIONS),
            ("layout", LAYOUTS),
            ("type", (None, "float32", "int32", "uint8", "float16")),
        ):
            if mark in field:
                return self.pick.choice(values)
        for mark, values in (
            ("PrimExpr", (None, 0, 1, 2, 4, -3, N, Any())),
            ("float", (-1.0, 0.0, 0.5, 1.0, 2.0, float("nan"), float("inf"))),
            ("bool", (False, True)),
            ("str", ("mean", "none", "constant", "")),
        ):
            if mark in hint:
                return self.pick.choice(values)
        return self.pick.choice((-5, -2, -1, 0, 1, 1, 2, 3, 4))

    def numbers(self, count):
        return tuple(self.pick.choice((-5, -1, 0, 0, 1, 1, 2, 3)) for _ in range(count))


@each("name", NAMES)
def test_a_call_is_typed_or_refused(name):
    drawer, op = Drawer(name), get_op(name)
    typed = 0
    for _ in range(EXAMPLES):
        try:
            attrs = make_attrs(op, drawer.attrs(name))
        except RelayishError:
            continue
        types = drawer.types(name)
        try:
            if op in rule:
                found = rule.get(op)(attrs, *types)
            else:
                hidden = [t if drawer.pick.random() < 0.7 else IncompleteType() for t in types]
                found = relation.get(op)(attrs, tuple(hidden), Listener())
        except TypeInferenceError:
            continue
        typed += found is not None
        for part in found.fields if isinstance(found, TupleType) else [found] * (found is not None):
            assert isinstance(part, TensorType)
            assert all(size >= 0 for size in part.shape if isinstance(size, int)), part
    assert typed < EXAMPLES
