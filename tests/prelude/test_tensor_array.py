"""Arrays of tensors against lists of numpy arrays."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import DuplicateNameError, EvaluationError, FieldError, UnknownNameError
from relayish.interpreter import ConstructorValue, create_executor, same_value
from relayish.ir.relay.adt import TypeData
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import GlobalTypeVar
from relayish.ir.values.dtype import numpy_dtype
from relayish.prelude import Prelude, import_tensor_arrays
from relayish.text import astext
from relayish.transform import InferType
from tests.support.recorded_prelude import recorded_prelude, type_of
from tests.support.seeds import quickly

hypothesis = pytest.importorskip("hypothesis")
given, st = hypothesis.given, hypothesis.strategies
few = quickly(15)

DTYPES = str.split("float32 float16 float64 int32 uint8 int8 int16 uint16 int64")


class Arrays:
    """Calls the functions for one element type with numpy arrays."""

    def __init__(self, dtype):
        self.prelude, self.dtype = Prelude(), dtype
        self.prelude.get_type("tensor_t", dtype)
        self.run = create_executor(mod=self.prelude.mod)

    def call(self, name, *args):
        return self.run.evaluate(self.prelude.get_name(name, self.dtype))(*args)

    def tensor(self, array):
        ctor = "tensor_nil" if array is None else f"tensor{array.ndim}"
        ctor = self.prelude.get_tensor_ctor(ctor, self.dtype)
        return ConstructorValue(0, () if array is None else (array,), ctor)

    def array(self, arrays):
        _, cons, nil = self.prelude.mod.get_type("List")
        made = ConstructorValue(1, (), nil)
        for array in reversed(arrays):
            made = ConstructorValue(0, (self.tensor(array), made), cons)
        return made

    def numpy(self, tensor):
        name = tensor.constructor.name_hint.removesuffix(f"_{self.dtype}")
        if name == "tensor_nil":
            return None
        (value,) = tensor.fields
        assert name == f"tensor{np.ndim(value)}"
        assert value.dtype == self.dtype
        return value

    def list(self, array):
        found = []
        while array.fields:
            tensor, array = array.fields
            found.append(self.numpy(tensor))
        return found


A = Arrays("float32")
shapes = st.lists(st.integers(1, 3), max_size=5).map(tuple)


def draw(shape, dtype="float32"):
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(numpy_dtype(dtype))


def same(found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert (one is None and other is None) or np.array_equal(one, other)


@given(st.integers(0, 5))
@few
def test_an_array_begins_without_tensors(n):
    assert A.list(A.call("tensor_array", n)) == [None] * n


@given(st.lists(shapes, min_size=1, max_size=4), st.data())
@few
def test_tensors_of_any_shape_are_written_and_read(sizes, data):
    n = data.draw(st.integers(0, len(sizes) - 1))
    arrays = [draw(shape) for shape in sizes]
    assert np.array_equal(A.numpy(A.call("tensor_array_read", A.array(arrays), n)), arrays[n])
    new = draw((2, 2))
    written = A.list(A.call("tensor_array_write", A.array(arrays), n, A.tensor(new)))
    same(written, [*arrays[:n], new, *arrays[n + 1 :]])


@given(shapes, st.lists(st.integers(0, 3), min_size=1, max_size=4))
@few
def test_tensors_are_concatenated(rest, rows):
    arrays = [draw((count, *rest)) for count in rows]
    found = A.numpy(A.call("tensor_array_concat", A.array(arrays)))
    assert np.array_equal(found, np.concatenate(arrays))


def test_nothing_concatenated_is_no_tensor():
    assert A.numpy(A.call("tensor_array_concat", A.array([]))) is None


@given(shapes, st.integers(1, 4))
@few
def test_tensors_are_stacked_and_unstacked(shape, count):
    arrays = [draw(shape) + np.float32(k) for k in range(count)]
    stacked = A.numpy(A.call("tensor_array_stack", A.array(arrays)))
    assert np.array_equal(stacked, np.stack(arrays))
    name = f"tensor_array_unstack_tensor{stacked.ndim}"
    same(A.list(A.call(name, stacked)), list(stacked))


@given(shapes, st.integers(0, 4), st.integers(0, 4))
@few
def test_rows_are_taken(rest, lower, count):
    whole = draw((8, *rest))
    found = A.numpy(A.call("tensor_take", A.tensor(whole), lower, lower + count))
    assert np.array_equal(found, whole[lower : lower + count])


@given(st.permutations(range(4)), st.integers(0, 4))
@few
def test_tensors_are_scattered(order, count):
    arrays = [draw((k,)) for k in range(4)]
    values = [draw((2, k)) for k in range(count)]
    indices = np.array(order[:count], "int32")
    found = A.call("tensor_array_scatter", A.array(arrays), indices, A.array(values))
    expected = list(arrays)
    for place, value in zip(indices, values, strict=True):
        expected[place] = value
    same(A.list(found), expected)


@given(st.lists(st.integers(0, 3), max_size=4), shapes)
@few
def test_a_tensor_is_split_into_rows(lengths, rest):
    whole = draw((sum(lengths), *rest))
    empty = A.array([None] * (len(lengths) + 1))
    sizes = np.array(lengths, "int32")
    found = A.list(A.call("tensor_array_split", empty, A.tensor(whole), sizes))
    ends = np.cumsum(lengths, dtype=int)
    rows = [whole[end - count : end] for end, count in zip(ends, lengths, strict=True)]
    same(found, [*rows, None])


def test_tensors_of_different_rank_are_not_concatenated():
    with pytest.raises(EvaluationError):
        A.call("tensor_array_concat", A.array([draw((2,)), draw((2, 2))]))


def test_every_function_is_tested_here():
    called = set(A.prelude.mod.functions) - set(Prelude().mod.functions)
    helpers = ("helper", "expand_dims", "tensor_concatenate")  # what the others call
    names = {v.name_hint.removesuffix("_float32") for v in called}
    tested = {
        "tensor_array",
        "tensor_take",
        *(f"tensor_array_{n}" for n in ("read", "write", "concat", "stack", "scatter", "split")),
        *(f"tensor_array_unstack_tensor{rank}" for rank in range(1, 7)),
    }
    assert {n for n in names if not any(h in n for h in helpers)} == tested


@pytest.mark.parametrize("dtype", ["int8", "bfloat16"])
def test_other_element_types_have_arrays_of_their_own(dtype):
    arrays = Arrays(dtype)
    tensors = [draw((2, 2), dtype), draw((1, 2), dtype)]
    found = arrays.numpy(arrays.call("tensor_array_concat", arrays.array(tensors)))
    assert same_value(np.asarray(found), np.concatenate(tensors))


def test_arrays_join_the_module_when_they_are_asked_for():
    p = Prelude()
    before = p.mod
    read = p.get_global_var("tensor_array_read", "int8")
    assert "tensor_array_read_int8" not in before
    assert p.mod.get_global_var("tensor_array_read_int8") is read
    assert "tensor_array_read_int16" not in p.mod
    after = p.mod
    assert p.get_ctor("tensor_int8_t", "tensor_nil", "int8").inputs == ()
    assert p.mod is after


def test_two_preludes_mean_the_same_arrays():
    one, other = Prelude(), Prelude()
    assert one.get_type("tensor_t", "int8") is other.get_type("tensor_t", "int8")


def test_an_unknown_element_type_is_an_error():
    with pytest.raises(FieldError, match="flaot32"):
        Prelude().get_type("tensor_t", "flaot32")


def test_an_unknown_rank_is_an_error():
    with pytest.raises(UnknownNameError, match="tensor7_int8"):
        Prelude().get_tensor_ctor("tensor7", "int8")


def test_a_type_of_the_same_name_is_an_error():
    header = GlobalTypeVar("tensor_int8_t")
    mod = IRModule({}, {header: TypeData(header, (), ())})
    with pytest.raises(DuplicateNameError, match="a type tensor_int8_t of its own"):
        import_tensor_arrays(mod, "int8")


def test_types_are_those_that_were_recorded_for_every_element_type():
    recorded, mod = recorded_prelude(), IRModule()
    for dtype in DTYPES:
        mod = import_tensor_arrays(mod, dtype)
    named = [var.name_hint for var in recorded if "tensor_" in var.name_hint]
    assert len(named) == 9 * 23
    for name in named:
        assert astext(type_of(mod[name])) == astext(type_of(recorded[name])), name
    for dtype in DTYPES:
        _, *ours = mod.get_type(f"tensor_{dtype}_t")
        _, *theirs = recorded.get_type(f"tensor_{dtype}_t")
        assert [c.name_hint for c in ours] == [c.name_hint for c in theirs]
        for one, other in zip(ours, theirs, strict=True):
            assert list(map(astext, one.inputs)) == list(map(astext, other.inputs))


def test_types_are_inferred_as_they_are_written():
    mod = import_tensor_arrays(IRModule(), "float16")
    typed = InferType()(mod)
    for name in mod:
        assert astext(typed[name].checked_type) == astext(type_of(mod[name])), name
