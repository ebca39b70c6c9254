"""Numbers in C: integers that wrap around, floats of 16 bits, conversions, functions."""

import numpy as np
import pytest

from relayish import tir
from relayish.tir.externs import extern_names, find_extern
from relayish.tir.ir.operators import integer_range
from tests.support.compiled_loops import compile_all, natively, same_outcome
from tests.support.each import each
from tests.support.tir_small import memory

INTEGERS = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
FLOATS = ("float16", "bfloat16", "float32", "float64")
OPERATORS = (tir.Add, tir.Sub, tir.Mul, tir.Min, tir.Max, tir.Div, tir.Mod)
COMPARISONS = (tir.EQ, tir.NE, tir.LT, tir.LE, tir.GT, tir.GE)


def values(dtype):
    """Values at and near the ends of a type, and some between."""
    given = tir.as_type(dtype)
    if given.is_bool:
        return np.array([False, True])
    if given.is_integer:
        low, high = integer_range(given)
        near = [low, low + 1, low // 2, -3, -1, 0, 1, 2, 7, high // 2, high - 1, high]
        return np.array(sorted({each for each in near if low <= each <= high}), given.numpy)
    odd = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.5, 0.1, 1e-8, -6e-8, 65519.0, 65520.0]
    with np.errstate(all="ignore"):
        return np.array([*odd, 3e38, 1e-40, 2.5, -7.25]).astype(given.numpy)


def pairs(dtype):
    a, b = np.meshgrid(values(dtype), values(dtype))
    return a.ravel(), b.ravel()


def elementwise(name, count, inputs, made, formula):
    """A function of arrays that stores a formula of their elements."""
    given = [memory(f"{name}_{at}", count, dtype=each) for at, each in enumerate(inputs)]
    out = memory(f"{name}_out", count, dtype=made)
    i = tir.Var("i")
    store = tir.Store(out, formula(*[each[i] for each in given]), (i,))
    loop = tir.For(i, tir.const(0), tir.const(count), tir.Block((store,)))
    buffers = tuple([each.buffer for each in (*given, out)])
    return tir.LoweredFunc(name, buffers, tir.Block((loop,)))


def check(programs):
    """Check that functions compute in C what the interpreter computes, given these arrays."""
    module = compile_all([func for func, _ in programs])
    wrong = []
    for func, given in programs:
        out = func.args[-1]
        args = [*given, np.zeros(len(given[0]), out.dtype.numpy)]
        expected = [each.copy() for each in args]
        tir.run(func, *expected, mode="plain")
        if not same_outcome(expected, natively(module[func.name], args)):
            wrong.append(func.name)
    assert wrong == []


def test_operators_of_each_type_are_bit_for_bit_those_of_the_interpreter():
    programs = []
    for dtype in (*INTEGERS, *FLOATS):
        for kind in (*OPERATORS, *COMPARISONS):
            a, b = pairs(dtype)
            if kind in (tir.Div, tir.Mod) and dtype in INTEGERS:
                a, b = a[b != 0], b[b != 0]
            made = "bool" if kind in COMPARISONS else dtype
            name = f"{kind.__name__}_{dtype}"
            programs.append((elementwise(name, len(a), (dtype, dtype), made, kind), (a, b)))
        name = f"minus_{dtype}"
        programs.append(
            (elementwise(name, len(values(dtype)), (dtype,), dtype, tir.Minus), (values(dtype),))
        )
    check(programs)


def test_conversions_between_all_types_are_those_of_the_interpreter():
    programs = []
    types = (*INTEGERS, *FLOATS, "bool")
    for source in types:
        for target in types:
            given = values(source)
            if source in FLOATS and target in INTEGERS:
                low, high = integer_range(tir.as_type(target))
                wide = given.astype("float64")
                given = given[(wide > max(low, -(2.0**63)) - 1) & (wide < min(high, 2.0**62))]
            name = f"{source}_to_{target}"
            formula = lambda x, target=target: tir.Cast(target, x)  # noqa: E731
            programs.append((elementwise(name, len(given), (source,), target, formula), (given,)))
    check(programs)


@each("dtype", ["float16", "bfloat16"])
def test_every_number_of_16_bits_is_loaded_and_stored_as_it_is(dtype):
    bits = np.arange(2**16, dtype="uint16")
    every = bits.view(tir.as_type(dtype).numpy)
    wide = elementwise("widen", len(bits), (dtype,), "float32", lambda x: tir.Cast("float32", x))
    narrow = elementwise("narrow", len(bits), ("float32",), dtype, lambda x: tir.Cast(dtype, x))
    module = compile_all([wide, narrow])
    found, back = np.zeros(len(bits), "float32"), np.zeros(len(bits), every.dtype)
    module["widen"](every, found)
    module["narrow"](found, back)
    with np.errstate(all="ignore"):
        expected = every.astype("float32")
    assert np.array_equal(found, expected, equal_nan=True)
    assert np.array_equal(back.view("uint16"), bits)


@pytest.mark.slow("compares many numbers")
@each("dtype", ["float16", "bfloat16"])
@each("source", ["float32", "float64", "int64", "uint64"])
def test_rounding_to_16_bits_is_to_the_nearest_once(dtype, source):
    generator = np.random.default_rng(7)
    bits = generator.integers(0, 2**64, 20_000, dtype="uint64")
    given = bits.astype("uint32").view("float32") if source == "float32" else bits.view(source)
    ties = bits.astype("uint16").view(tir.as_type(dtype).numpy)
    with np.errstate(all="ignore"):
        ties = ties[np.isfinite(ties)].astype("float64")[:5000]
        between = (ties + np.roll(ties, 1)) / 2
        near = [between, np.nextafter(between, np.inf), np.nextafter(between, -np.inf)]
        if source.startswith("float"):
            given = np.concatenate([given, *near]).astype(source)
    func = elementwise("narrow", len(given), (source,), dtype, lambda x: tir.Cast(dtype, x))
    check([(func, (given,))])


EXACT = {"abs", "ceil", "fabs", "floor", "round", "sqrt", "trunc", "fma", "mod", "remainder"}
BETWEEN = {"acos": (-1, 1), "asin": (-1, 1), "atanh": (-0.99, 0.99), "acosh": (1, 9)}


@each("dtype", ["float32", "float64", "float16"])
def test_functions_of_floats_are_those_of_numpy_within_ulps(dtype):
    programs = {}
    for call_type, name in extern_names():
        extern = find_extern(name, call_type)
        given = tir.as_type(dtype)
        if call_type is not tir.CallType.EXTERN or not extern.arity:
            continue
        made = extern.type_rule([given] * extern.arity)
        if made is None:
            continue
        low, high = BETWEEN.get(name, (0.1, 9))
        generator = np.random.default_rng(len(name))
        arrays = [
            generator.uniform(low, high, 100).astype(given.numpy) for _ in range(extern.arity)
        ]
        formula = lambda *x, name=name, made=made: tir.Call(made, name, x)  # noqa: E731
        func = elementwise(f"call_{name}", 100, [dtype] * extern.arity, str(made), formula)
        programs[name] = func, arrays, extern
    module = compile_all([func for func, _, _ in programs.values()])
    wrong = []
    for name, (func, arrays, extern) in programs.items():
        found = np.zeros(100, func.args[-1].dtype.numpy)
        module[func.name](*arrays, found)
        with np.errstate(all="ignore"):
            expected = np.asarray(extern.evaluate(*arrays))
        ulps = 0 if name in EXACT or found.dtype == bool else 8
        if not np.allclose(
            found.astype("float64"),
            expected.astype("float64"),
            rtol=ulps * float(np.finfo(np.dtype(dtype)).eps),
            atol=0,
        ):
            wrong.append(name)
    assert len(programs) > 25
    assert wrong == []


def test_functions_of_integers_are_bit_for_bit_those_of_numpy():
    programs = []
    for dtype in INTEGERS:
        given = tir.as_type(dtype)
        for call_type, name in extern_names():
            extern = find_extern(name, call_type)
            if not extern.arity or extern.type_rule([given] * extern.arity) is None:
                continue
            made = extern.type_rule([given] * extern.arity)
            a, b = pairs(dtype)
            if extern.arity == 1:
                arrays = [values(dtype)]
            elif "shift" in name:
                arrays = [a, np.abs(b.astype("int64") % given.bits).astype(a.dtype)]
            elif name == "pow":
                arrays = [a, np.abs(b.astype("int64") % 9).astype(a.dtype)]
            else:
                arrays = [a[b != 0], b[b != 0]]
            label = f"{call_type.name}_{name}_{dtype}"
            formula = lambda *x, n=name, m=made, c=call_type: tir.Call(m, n, x, (), c)  # noqa: E731
            func = elementwise(label, len(arrays[0]), [dtype] * len(arrays), str(made), formula)
            programs.append((func, arrays))
    assert len(programs) > 100
    check(programs)


def test_integers_to_negative_powers_are_rounded_towards_zero():
    a = np.array([1, -1, -1, 2, -5], "int32")
    b = np.array([-3, -3, -2, -1, -2], "int32")
    func = elementwise(
        "power", 5, ("int32", "int32"), "int32", lambda x, y: tir.Call("int32", "pow", (x, y))
    )
    check([(func, (a, b))])


def test_powers_of_a_half_are_no_square_roots():
    a = np.array([-0.0, -np.inf, 0.0, np.inf, 2.25], "float32")
    func = elementwise(
        "halves",
        5,
        ("float32",),
        "float32",
        lambda x: tir.Call("float32", "pow", (x, tir.const(0.5, "float32"))),
    )
    check([(func, (a,))])
