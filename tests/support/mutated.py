"""Calls changed at random: from one that is sound to its many neighbours, most of them wrong."""

from __future__ import annotations

import random
import typing
from functools import cache

import numpy as np

from relayish.ir.relay.expr import Constant, Var
from relayish.ir.relay.type import (
    Any,
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    PrimOp,
    RefType,
    SizeVar,
    TensorType,
    TupleType,
    TypeCall,
    TypeVar,
)
from relayish.ir.relay.virtual_device import VirtualDevice

N = SizeVar("n")
SIZES = (
    0,
    0,
    1,
    1,
    2,
    3,
    4,
    5,
    16,
    Any(),
    Any(),
    N,
    SizeVar("m", "int64"),
    PrimOp("tir.Mul", (N, 2)),
)
DTYPES = ("float32", "float32", "float16", "float64", "bfloat16", "int8", "int32", "int64", "uint8")
DTYPES += ("uint32", "uint64", "bool", "int4")
SCALAR = TensorType(())
ODD = (
    TupleType(()),
    TupleType((SCALAR,)),
    TupleType((SCALAR, TupleType((SCALAR, SCALAR)))),
    FuncType((), SCALAR),
    FuncType((SCALAR, SCALAR), TupleType((SCALAR,))),
    RefType(SCALAR),
    TypeCall(GlobalTypeVar("List"), (SCALAR,)),
    GlobalTypeVar("List"),
    TypeVar("t"),
)
INTEGERS = (-(2**31), -5, -2, -1, 0, 0, 1, 1, 2, 3, 4, 7, 64)
FLOATS = (-1.0, 0.0, 0.5, 1.0, 2.0, 1e30, float("nan"), float("inf"), float("-inf"))
TEXTS = ("", "??", "none", "NCHW", "NHWC", "NCHW4c", "NCHW0c", "OIHW", "HWIO", "NCW", "NCDHW", "NC")
TEXTS += ("OIHW4i4o", "update", "mean", "sum", "constant", "linear", "cubic", "both", "ij,jk->ik")
TEXTS += ("->", "i..j", "ii->i", "UPWARD", "clip", "int8", "2m4n", "0m")


class Mutator:
    """Changes calls; the same seed gives the same calls."""

    def __init__(self, seed):
        self.pick = random.Random(seed)

    def changed(self, types, attrs):
        """Return the types, and the attributes as a mapping, with a few changes anywhere."""
        types, values = (
            list(types),
            {n: getattr(attrs, n) for n in getattr(attrs, "field_names", ())},
        )
        for _ in range(self.pick.choice((1, 1, 1, 2, 2, 3, 5))):
            if values and self.pick.random() < 0.45:
                name = self.pick.choice(sorted(values))
                values[name] = self.value(type(attrs), name, values[name])
            elif types:
                place = self.pick.randrange(len(types))
                types[place] = self.type(types[place], types)
        return types, values

    def type(self, ty, others):
        """Return another type in place of ``ty``."""
        how = self.pick.random()
        if how < 0.08:
            return self.pick.choice(ODD)
        if how < 0.14:
            return self.tensor()
        if how < 0.2:
            return self.pick.choice(others)
        if isinstance(ty, TensorType):
            return self.near(ty)
        if isinstance(ty, TupleType):
            return self.fields(ty)
        return self.pick.choice((ty, self.tensor()))

    def tensor(self):
        rank = self.pick.choice((0, 1, 1, 2, 2, 3, 4, 5, 6))
        return TensorType([self.pick.choice(SIZES) for _ in range(rank)], self.pick.choice(DTYPES))

    def near(self, ty):
        """Return a tensor type one step from ``ty``."""
        shape, how = list(ty.shape), self.pick.random()
        if how < 0.15:
            return TensorType(shape, self.pick.choice(DTYPES))
        if how < 0.25:
            return TensorType([self.pick.choice((size, Any())) for size in shape], ty.dtype)
        if how < 0.4 or not shape:
            shape.insert(self.pick.randint(0, len(shape)), self.pick.choice(SIZES))
        elif how < 0.55:
            del shape[self.pick.randrange(len(shape))]
        else:
            shape[self.pick.randrange(len(shape))] = self.pick.choice(SIZES)
        return TensorType(shape, ty.dtype)

    def fields(self, ty):
        """Return a tuple type one step from ``ty``: fewer fields, more, or another."""
        fields, how = list(ty.fields), self.pick.random()
        if how < 0.25 and fields:
            del fields[self.pick.randrange(len(fields))]
        elif how < 0.5 or not fields:
            fields.insert(
                self.pick.randint(0, len(fields)), self.pick.choice((*ODD, self.tensor()))
            )
        else:
            place = self.pick.randrange(len(fields))
            fields[place] = self.type(fields[place], fields)
        return TupleType(fields)

    def value(self, cls, name, value):
        """Return another value for the attribute ``name`` of ``cls``."""
        hint = str(_hints(cls)[name])
        if isinstance(value, tuple) and value and self.pick.random() < 0.7:
            return self.items(value)
        for mark, values in (
            ("tuple[tuple", ((), ((1,),), ((1, 2), (0,)), ((-1, -1), (-9, 0)))),
            ("tuple", (None, (), (0,), (0, 0), (-1, 3), (2, -2, 1), (1, 1, 1, 1))),
            ("PrimExpr", (None, 0, 1, 2, 4, -3, N, Any())),
            ("VirtualDevice", (VirtualDevice(), VirtualDevice(1, 0))),
            ("Constant", (Constant((2, 3)), Constant(1.5), Constant(np.zeros((2, 2))))),
            ("Expr", (Var("x"), Constant(1.0), Constant(2), Constant((1, 2)))),
            ("float", FLOATS),
            ("bool", (False, True)),
            ("DictAttrs", (value,)),
        ):
            if mark in hint:
                return self.pick.choice(values)
        if isinstance(value, str) or "str" in hint:
            return self.text(value, cls, name)
        if "object" in hint:
            return self.pick.choice((None, 1, "x"))
        return self.pick.choice(INTEGERS)

    def text(self, value, cls, name):
        if "dtype" in name or "type" in name:
            return self.pick.choice((*DTYPES, None, "", value))
        letters = list(value or "")
        if letters and self.pick.random() < 0.4:
            self.pick.shuffle(letters)
            return "".join(letters[self.pick.randint(0, 1) :])
        return self.pick.choice(TEXTS)

    def items(self, values):
        """Return ``values`` with an item changed, left out or added."""
        items, how = list(values), self.pick.random()
        place = self.pick.randrange(len(items))
        if how < 0.2:
            del items[place]
        elif how < 0.4:
            items.insert(place, items[place])
        elif isinstance(items[place], tuple):
            items[place] = self.items(items[place] or (0,))
        elif isinstance(items[place], float):
            items[place] = self.pick.choice(FLOATS)
        else:
            items[place] = self.pick.choice((*INTEGERS, Any(), N))
        return tuple(items)

    def hidden(self, types):
        """Return ``types``, some of them or of their parts not known yet."""
        return tuple(self.veil(ty) for ty in types)

    def veil(self, ty):
        how = self.pick.random()
        if how < 0.25:
            return IncompleteType()
        if how < 0.5 and isinstance(ty, TupleType):
            return TupleType([self.veil(part) for part in ty.fields])
        return ty


@cache
def _hints(cls):
    return typing.get_type_hints(cls)
