"""Numbers of 8 bits and fewer in C: small floats, and integers narrower than a byte."""

import functools

import numpy as np
import pytest

from relayish import core, tir
from relayish.codegen.c.packed import SMALL_FLOATS, SMALL_INTEGERS
from relayish.core import GlobalScope
from relayish.errors import CodegenError
from relayish.tir.externs import extern_names, find_extern
from tests.codegen.c import test_numbers
from tests.codegen.c.test_numbers import COMPARISONS, OPERATORS, elementwise, values
from tests.support.compiled_loops import compile_all

SMALL = (*SMALL_FLOATS, *SMALL_INTEGERS)
TRIED = (
    "float8_e4m3fn",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
    "float4_e2m1fn",
    "int4",
    "uint2",
)


def check(programs):
    """Check programs, some of which are given what is no number, and signals that."""
    with np.errstate(all="ignore"):
        test_numbers.check(programs)


def every(dtype):
    """All numbers of a type, byte for byte."""
    given = tir.as_type(dtype)
    return np.arange(1 << given.bits, dtype="uint8").view(given.numpy)


def some(dtype):
    found = every(dtype)
    return found if len(found) <= 16 else found[5::13]


def pairs(dtype):
    a, b = np.meshgrid(some(dtype), some(dtype))
    return a.ravel(), b.ravel()


def cast(name, given, target):
    count, source = len(given), given.dtype.name
    return elementwise(name, count, (source,), target, lambda x: tir.Cast(target, x))


def same(found, wanted):
    """Whether two arrays have the same bytes, but for which of many that are no numbers."""
    with np.errstate(all="ignore"):
        number = ~(np.isnan(found.astype("float32")) & np.isnan(wanted.astype("float32")))
    return found[number].tobytes() == wanted[number].tobytes()


@functools.cache
def wide_numbers():
    """All numbers of float16, and what lies around numbers of small types and between two."""
    halves = np.arange(2**16, dtype="uint16").view("float16").astype("float32")
    found = [halves, np.arange(0, 2**32, 65_537, dtype="uint32").view("float32")]
    for dtype in SMALL_FLOATS:
        held = every(dtype).astype("float32")
        between = np.sort(held)[:-1] / 2 + np.sort(held)[1:] / 2
        for each in (held, between):
            bits = each.view("uint32")
            found += [each, (bits + 1).view("float32"), (bits - 1).view("float32")]
    return np.concatenate(found)


def test_small_floats_are_loaded_and_rounded_as_ml_dtypes_does():
    programs = {}
    with np.errstate(all="ignore"):
        for dtype in SMALL_FLOATS:
            held = every(dtype).dtype
            halves = np.arange(2**16, dtype="uint16").view("float16")
            for name, given, made in (
                (f"load_{dtype}", every(dtype), np.dtype("float32")),
                (f"of_half_{dtype}", halves, held),
                (f"of_float_{dtype}", wide_numbers(), held),
            ):
                programs[name] = cast(f"c_{name}", given, made.name), given, given.astype(made)
    module = compile_all([func for func, _, _ in programs.values()])
    wrong = []
    for name, (func, given, wanted) in programs.items():
        found = np.zeros(len(given), wanted.dtype)
        module[func.name](given, found)
        if not same(found, wanted):
            wrong.append(name)
    assert wrong == []


@pytest.mark.slow("compiles many functions")
def test_operators_of_small_types_are_those_of_the_interpreter():
    programs = []
    for dtype in TRIED:
        for kind in (*OPERATORS, *COMPARISONS):
            a, b = pairs(dtype)
            if kind in (tir.Div, tir.Mod) and dtype in SMALL_INTEGERS:
                a, b = a[b != 0], b[b != 0]
            made = "bool" if kind in COMPARISONS else dtype
            name = f"{kind.__name__}_{dtype}"
            programs.append((elementwise(name, len(a), (dtype, dtype), made, kind), (a, b)))
        given = every(dtype)
        programs.append(
            (elementwise(f"minus_{dtype}", len(given), (dtype,), dtype, tir.Minus), (given,))
        )
    check(programs)


@pytest.mark.slow("compiles many functions")
def test_small_types_are_cast_to_others_as_the_interpreter_does():
    programs = []
    for source in TRIED:
        for target in (*TRIED, "float64", "bfloat16", "int8", "uint64", "bool"):
            goes_out = source in SMALL_FLOATS and "int" in target
            if not goes_out:
                programs.append(
                    (cast(f"{source}_to_{target}", every(source), target), (every(source),))
                )
    for source in ("float64", "int32", "uint64", "bool", "int16"):
        for target in TRIED:
            given = values(source)
            if source == "float64" and target in SMALL_INTEGERS:
                given = np.array([-0.9, 0.2, 1.0, 2.7])
            programs.append((cast(f"{source}_to_{target}", given, target), (given,)))
    check(programs)


@pytest.mark.slow("compiles many functions")
def test_vectors_of_small_types_are_those_of_the_interpreter():
    programs = []
    for dtype in TRIED:
        for kind in (tir.Add, tir.Mul, tir.Max, tir.LT):
            a, b = (each[: len(each) // 4 * 4] for each in pairs(dtype))
            made = "bool" if kind is tir.LT else dtype
            name = f"lanes_{kind.__name__}_{dtype}"
            programs.append((in_lanes(name, len(a), (dtype, dtype), made, kind), (a, b)))
    check(programs)


def in_lanes(name, count, inputs, made, formula):
    """The same as :func:`elementwise`, by four elements at a time."""
    func = elementwise(name, count, inputs, made, formula)
    i = tir.Var("i")
    at = tir.Ramp(i * 4, tir.const(1), 4)
    old = func.body.stmts[0].body.stmts[0]
    given = [tir.Load(each.tensor, (at,)) for each in (old.value.a, old.value.b)]
    store = tir.Store(old.tensor, formula(*given), (at,))
    loop = tir.For(i, tir.const(0), tir.const(count // 4), tir.Block((store,)))
    return func.with_fields(body=tir.Block((loop,)))


def test_functions_of_narrow_integers_are_those_of_the_interpreter():
    programs = []
    for dtype in ("int4", "uint2"):
        given = tir.as_type(dtype)
        for call_type, name in extern_names():
            extern = find_extern(name, call_type)
            if name == "reinterpret" or not extern.arity:
                continue
            made = extern.type_rule([given] * extern.arity)
            if made is None:
                continue
            a, b = pairs(dtype)
            if extern.arity == 1:
                arrays = [every(dtype)]
            else:
                low, high = (0, given.bits) if "shift" in name else (1, 9)
                inside = (b.astype(int) >= low) & (b.astype(int) < high)
                arrays = [a[inside], b[inside]]
            label = f"{call_type.name}_{name}_{dtype}"
            formula = lambda *x, n=name, m=made, c=call_type: tir.Call(m, n, x, (), c)  # noqa: E731
            func = elementwise(label, len(arrays[0]), [dtype] * len(arrays), str(made), formula)
            programs.append((func, arrays))
    assert len(programs) > 30
    check(programs)


def test_bits_of_every_number_are_what_other_types_make_of_them():
    names = {
        8: ("float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "int8", "uint8", "bool"),
        4: ("float4_e2m1fn", "int4", "uint4"),
        16: ("float16", "bfloat16", "int16"),
        64: ("float64", "int64"),
    }
    programs = []
    for bits, types in names.items():
        codes = np.arange(1 << min(bits, 16), dtype="uint8" if bits < 9 else f"uint{bits}")
        codes = codes * np.array(0x9E3779B97F4A7C15, codes.dtype) if bits == 64 else codes
        for source in types:
            for target in types:
                given = codes.view(tir.as_type(source).numpy)
                if source in ("bool", target):
                    continue
                like = tir.const(True) if target == "bool" else tir.const(1, target)
                formula = lambda x, like=like: tir.Call(like.type, "reinterpret", (x, like))  # noqa: E731
                name = f"bits_{source}_as_{target}"
                programs.append(
                    (name, elementwise(name, len(given), (source,), target, formula), given)
                )
    module = compile_all([func for _, func, _ in programs])
    wrong = []
    for name, func, given in programs:
        target = func.args[-1].dtype.numpy
        found = np.zeros(len(given), target)
        module[name](given, found)
        wanted = given.view("uint8") != 0 if target.kind == "b" else given.view(target)
        if found.tobytes() != wanted.tobytes():
            wrong.append(name)
    assert wrong == []


def test_elements_of_other_widths_are_not_reinterpreted():
    rule = find_extern("reinterpret").type_rule
    for held, made in (("int8", "int4"), ("float32", "int64"), ("float8_e4m3", "float6_e2m3fn")):
        assert rule((tir.as_type(held), tir.as_type(made))) is None


def test_a_byte_of_memory_counts_by_its_low_bits():
    func = cast("low", every("uint4"), "int32")
    found = np.zeros(16, "int32")
    compile_all([func])["low"]((every("uint4").view("uint8") | 0xA0).view("uint4"), found)
    assert found.tolist() == list(range(16))


def test_core_has_small_floats_and_no_narrow_integers():
    scope = GlobalScope()
    with scope.function("main", {"a": "float8_e5m2", "b": "float8_e5m2"}, "float8_e5m2") as f:
        f.retv(f.a * f.b + f.a)
    module = scope.module()
    compiled = core.build(module)
    for given in zip(*pairs("float8_e5m2"), strict=True):
        with np.errstate(all="ignore"):
            wanted = core.run(module, *given)
        assert same(np.array([compiled.call("main", *given)]), np.array([wanted]))
    scope = GlobalScope()
    with scope.function("main", {"n": "uint2"}) as f:
        f.ret()
    with pytest.raises(CodegenError, match="uint2"):
        core.build(scope.module())
