"""What holds of the types of every program, shown on random ones."""

from __future__ import annotations

import random
from functools import lru_cache

import numpy as np
import pytest

import relayish as relay
from relayish.analysis import infer_type
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.passes import erase_type
from tests.support.each import each
from tests.support.random_exprs import LIST, random_arguments, random_function, random_module
from tests.support.seeds import SOAK, seeds

SEEDS = seeds(50)
SMALL = seeds(200)
SIZE = 60
NAMES = (relay.Op, relay.Constructor, relay.GlobalVar)


@lru_cache(maxsize=100)
def typed_module(seed):
    """Return a random module with its types."""
    return infer_type(random_module(seed, SIZE))


def describes(value, ty):
    """Return whether ``value`` is one of type ``ty``."""
    match ty:
        case relay.TensorType(shape, dtype):
            array = np.asarray(value)
            return array.dtype.name == dtype and array.shape == shape
        case relay.TupleType(fields):
            return (
                isinstance(value, tuple)
                and len(value) == len(fields)
                and all(map(describes, value, fields))
            )
        case relay.TypeCall(header, (element,)):
            inside = zip(value.fields, value.constructor.inputs, strict=True)
            return value.constructor.belong_to is header and all(
                describes(field, ty if isinstance(given, relay.TypeCall) else element)
                for field, given in inside
            )
        case _:
            raise AssertionError(f"random programs do not evaluate to {ty!r}")


@each("seed", SEEDS)
def test_value_is_of_the_type(seed):
    mod = typed_module(seed)
    args = random_arguments(mod["main"], seed)
    assert describes(relay.evaluate(mod["main"], mod, args), mod["main"].ret_type)


@each("seed", SEEDS)
def test_every_expression_but_names_carries_a_type(seed):
    for func in typed_module(seed).functions.values():
        for node in EXPRESSIONS.post_order(func):
            if isinstance(node, relay.Expr):
                assert (node.checked_type is None) == isinstance(node, NAMES)


@each("seed", SEEDS)
def test_types_that_were_erased_are_found_again(seed):
    typed = typed_module(seed)
    erased = {name: erase_type(func) for name, func in typed.functions.items()}
    assert same(infer_type(typed.with_functions(erased)), typed)
    assert infer_type(typed) is typed
    assert infer_type(typed, fresh=True) is typed


@each("seed", SEEDS)
def test_types_of_the_text_of_a_typed_program_are_the_same(seed):
    typed = typed_module(seed)
    assert same(infer_type(relay.parse(relay.astext(typed))), typed)


def same(one, other):
    """Return whether two modules and the types in them are equal.

    The type of the elements of an empty list may be one that nobody knows.
    """
    pairs = ((one, other), (typings(one), typings(other)))
    return all(relay.structural_equal(*pair, map_free_vars=True) for pair in pairs)


def is_unit(node):
    """Return whether ``node`` is ``()``, which text writes down wherever it is used."""
    return isinstance(node, relay.Tuple) and not node.fields


def typings(mod):
    """Return the types in a module, in the order of its functions and expressions."""
    types = [
        node.checked_type
        for name in sorted(g.name_hint for g in mod.functions)
        for node in EXPRESSIONS.post_order(mod[name])
        if isinstance(node, relay.Expr) and node.checked_type is not None and not is_unit(node)
    ]
    return relay.TupleType(tuple(types))


def ill_typed(chance, typed):
    """Return ``typed`` with one expression replaced by one of a type it cannot have."""
    places = [
        node
        for node in EXPRESSIONS.post_order(typed)
        if isinstance(node, relay.Call)
        and isinstance(node.op, relay.Op)
        and node.args
        and all(isinstance(arg.checked_type, relay.TensorType) for arg in node.args)
    ]
    if not places:
        return None
    place = chance.choice(places)
    index = chance.randrange(len(place.args))
    wrong = chance.choice(
        [
            relay.Tuple((relay.Tuple(()),)),
            relay.RefCreate(relay.Constant(1)),
            relay.Function((), relay.Constant(1)),
            relay.TupleGetItem(relay.Tuple((relay.Constant(1),)), 5),
            relay.Call(relay.Constant(1), ()),
            relay.Var("free"),
            relay.GlobalVar("missing"),
            relay.RefRead(relay.Constant(1.0)),
            relay.RefWrite(relay.RefCreate(relay.Constant(1)), relay.Constant(2.0)),
            relay.If(relay.Constant(7), relay.Constant(1), relay.Constant(1)),
            relay.If(relay.Constant(True), relay.Constant(1), relay.Constant(1.0)),
            relay.Call(place.op, (*place.args, *place.args, *place.args, *place.args)),
        ]
    )
    args = (*place.args[:index], wrong, *place.args[index + 1 :])
    images = {place: place.with_fields(args=args, checked_type=None)}
    for node in EXPRESSIONS.post_order(typed):
        if node not in images:
            make = EXPRESSIONS.rebuild[type(node)]
            images[node] = node if make is None else make(node, images.get)
    return images[typed]


def test_one_ill_typed_expression_makes_an_error_of_type():
    count = 0
    for seed in SEEDS:
        chance = random.Random(seed)
        mod = typed_module(seed)
        wrong = ill_typed(chance, mod["main"])
        if wrong is None:
            continue
        count += 1
        for fresh in (False, True):
            with pytest.raises(relay.TypeInferenceError):
                infer_type(mod.with_function("main", erase_type(wrong)), fresh=fresh)
    assert count > len(SEEDS) // 5


LISTS = relay.IRModule({}, {LIST.header: LIST})

# an independent checker, for the part of the language in which annotations say what is unknown


class Beyond(Exception):
    """The program uses more than the checker knows."""


def check(expr, scope):
    """Return the type of ``expr``, in the plain recursive way."""
    match expr:
        case relay.Var():
            return scope[expr]
        case relay.Constant(data) if isinstance(data, np.ndarray | np.generic):
            return relay.TensorType(data.shape, data.dtype.name)
        case relay.Tuple(fields):
            return relay.TupleType(tuple(check(item, scope) for item in fields))
        case relay.TupleGetItem(whole, index):
            return check(whole, scope).fields[index]
        case relay.Let(var, value, body):
            if isinstance(value, relay.Function) and value.ret_type is not None:
                scope = scope | {var: signature(value)}
            return check(body, scope | {var: check(value, scope)})
        case relay.If(cond, one, other):
            assert relay.structural_equal(check(cond, scope), relay.TensorType((), "bool"))
            return agreed(check(one, scope), check(other, scope))
        case relay.Function(params, body, ret_type, type_params):
            if type_params:
                raise Beyond
            inner = scope | {param: param.type_annotation for param in params}
            found = check(body, inner)
            result = found if ret_type is None else agreed(found, ret_type)
            return relay.FuncType(tuple(param.type_annotation for param in params), result)
        case relay.RefCreate(value):
            return relay.RefType(check(value, scope))
        case relay.RefRead(ref):
            return check(ref, scope).value
        case relay.RefWrite(ref, value):
            agreed(check(ref, scope).value, check(value, scope))
            return relay.TupleType(())
        case relay.Call(relay.Op(), _):
            return OPERATORS.get(expr.op.name, beyond)(
                expr.attrs, *(check(arg, scope) for arg in expr.args)
            )
        case relay.Call(op, args) if not isinstance(op, relay.Constructor | relay.GlobalVar):
            func = check(op, scope)
            for expected, arg in zip(func.arg_types, args, strict=True):
                agreed(expected, check(arg, scope))
            return func.ret_type
        case relay.Match() | relay.Call() | relay.GlobalVar() | relay.Constant():
            raise Beyond
    raise AssertionError(expr)


def signature(func):
    return relay.FuncType(tuple(param.type_annotation for param in func.params), func.ret_type)


def agreed(one, other):
    assert relay.structural_equal(one, other)
    return one


def beyond(_attrs, *_types):
    raise Beyond


def _elementwise(_, *types):
    assert len({ty.dtype for ty in types}) == 1
    return relay.TensorType(np.broadcast_shapes(*(ty.shape for ty in types)), types[0].dtype)


def _comparison(_, *types):
    return relay.TensorType(_elementwise(None, *types).shape, "bool")


def _where(_, condition, *types):
    chosen = _elementwise(None, *types)
    return relay.TensorType(np.broadcast_shapes(condition.shape, chosen.shape), chosen.dtype)


def _transpose(attrs, ty):
    empty = np.transpose(np.empty(ty.shape), attrs.axes or None)
    return relay.TensorType(empty.shape, ty.dtype)


OPERATORS = {
    **dict.fromkeys(("add", "subtract", "multiply", "divide", "maximum", "minimum"), _elementwise),
    **dict.fromkeys(
        ("negative", "abs", "tanh", "sqrt", "exp", "clip", "logical_not"), _elementwise
    ),
    **dict.fromkeys(("logical_and", "logical_or"), _elementwise),
    **dict.fromkeys(("less", "greater", "equal", "not_equal", "less_equal"), _comparison),
    "greater_equal": _comparison,
    "where": _where,
    "transpose": _transpose,
    "cast": lambda attrs, ty: relay.TensorType(ty.shape, attrs.dtype),
    "reshape": lambda attrs, ty: relay.TensorType(attrs.newshape, ty.dtype),
    "sum": lambda attrs, ty: relay.TensorType(
        np.sum(np.empty(ty.shape), attrs.axis).shape, ty.dtype
    ),
    "concatenate": lambda attrs, ty: relay.TensorType(
        np.concatenate([np.empty(field.shape) for field in ty.fields], attrs.axis).shape,
        ty.fields[0].dtype,
    ),
}


def test_types_are_those_of_an_independent_checker():
    compared = 0
    for seed in SMALL:
        func = random_function(seed, 12)
        try:
            expected = check(func, {})
        except Beyond:
            continue
        compared += 1
        assert relay.structural_equal(infer_type(func, LISTS).checked_type, expected), seed
    assert compared > len(SMALL) // (8 if SOAK else 5)
