"""Arrays of tensors of one shape against lists of numpy arrays."""

from __future__ import annotations

import numpy as np
import pytest

import relayish as relay
from relayish.errors import FieldError, UnknownNameError
from relayish.interpreter import create_executor
from relayish.prelude import (
    Prelude,
    StaticTensorArrayOps,
    import_static_tensor_arrays,
    import_tensor_arrays,
)
from relayish.text import astext, parse
from relayish.transform import InferType
from tests.support.each import each

ANY = relay.Any()
SHAPES = [(), (4,), (2, 3), (2, 1, 3), (ANY, 3)]


class Arrays:
    """Calls the functions for one shape with numpy arrays."""

    def __init__(self, shape, dtype="float32", batch_dim=None):
        self.prelude, self.dtype = Prelude(), dtype
        self.shape, self.batch_dim = shape, batch_dim
        self.ops = StaticTensorArrayOps(self.prelude, dtype, shape, batch_dim)
        self.ops.register()

    def call(self, canonical, *args):
        return self.call_named(self.ops.get_name(canonical), *args)

    def call_named(self, name, *args):
        return create_executor(mod=self.prelude.mod).evaluate(name)(*args)

    def tensor(self, value, shape=None):
        shape = self.shape if shape is None else shape
        what = "tensor_nil" if value is None else "tensor_constructor"
        ctor = self.prelude.get_tensor_ctor_static(what, self.dtype, shape)
        fields = [] if value is None else [relay.const(value, self.dtype)]
        return create_executor(mod=self.prelude.mod).evaluate(relay.Call(ctor, fields))

    def array(self, values, shape=None):
        _, cons, nil = self.prelude.mod.get_type("List")
        run = create_executor(mod=self.prelude.mod)
        h, t = relay.Var("h"), relay.Var("t")
        build = run.evaluate(relay.Function([h, t], relay.Call(cons, [h, t])))
        made = run.evaluate(relay.Call(nil, []))
        for value in reversed(values):
            made = build(self.tensor(value, shape), made)
        return made


def content(tensor):
    return tensor.fields[0] if tensor.fields else None


def contents(array):
    found = []
    while array.fields:
        tensor, array = array.fields
        found.append(content(tensor))
    return found


def draw(shape, start=0):
    sizes = [size if isinstance(size, int) else 2 for size in shape]
    return np.arange(start, start + int(np.prod(sizes))).reshape(sizes).astype("float32")


def same(found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert (one is None and other is None) or np.array_equal(one, other)


def int32(*values):
    return np.array(values, "int32")


@each("shape", SHAPES)
def test_all_functions_of_a_shape_are_well_typed(shape):
    for batch_dim in (None, 1):
        mod = import_static_tensor_arrays(relay.IRModule(), "float32", shape, batch_dim)
        InferType()(mod)


@each("shape", SHAPES)
def test_a_new_array_holds_nothing(shape):
    same(contents(Arrays(shape).call("tensor_array", np.int32(3))), [None, None, None])


@each("shape", SHAPES)
def test_what_is_written_is_read(shape):
    arrays = Arrays(shape)
    one, other = draw(shape), draw(shape, 100)
    empty = arrays.call("tensor_array", np.int32(2))
    written = arrays.call("tensor_array_write", empty, np.int32(1), arrays.tensor(other))
    same(contents(written), [None, other])
    both = arrays.call("tensor_array_write", written, np.int32(0), arrays.tensor(one))
    same(
        [content(arrays.call("tensor_array_read", both, np.int32(i))) for i in (0, 1)], [one, other]
    )


@each("shape", SHAPES)
def test_data_of_a_tensor_is_what_it_was_made_of(shape):
    arrays = Arrays(shape)
    assert np.array_equal(arrays.call("tensor_get_data", arrays.tensor(draw(shape))), draw(shape))


@each("shape", SHAPES)
def test_tensors_are_stacked_and_gathered_along_a_new_axis(shape):
    arrays = Arrays(shape)
    parts = [draw(shape, 100 * i) for i in range(3)]
    stacked = content(arrays.call("tensor_array_stack", arrays.array(parts)))
    assert np.array_equal(stacked, np.stack(parts))
    found = content(arrays.call("tensor_array_gather", arrays.array(parts), int32(2, 0)))
    assert np.array_equal(found, np.stack([parts[2], parts[0]]))


@each("shape", SHAPES)
def test_one_tensor_is_stacked_into_a_batch_of_one(shape):
    arrays = Arrays(shape, batch_dim=1)
    found = content(arrays.call("tensor_array_stack", arrays.array([draw(shape)])))
    assert np.array_equal(found, draw(shape)[None])
    assert "_batch1_" in arrays.ops.get_name("tensor_array_stack")


@each("shape", SHAPES)
def test_values_are_scattered(shape):
    arrays = Arrays(shape)
    empty = arrays.call("tensor_array", np.int32(3))
    parts = [draw(shape), draw(shape, 50)]
    found = arrays.call("tensor_array_scatter", empty, int32(2, 0), arrays.array(parts))
    same(contents(found), [parts[1], None, parts[0]])


@each("shape", [shape for shape in SHAPES if shape])
def test_rows_are_taken_concatenated_and_unstacked(shape):
    arrays = Arrays(shape)
    value = draw(shape)
    taken = arrays.call("tensor_take", arrays.tensor(value), np.int32(0), np.int32(1))
    assert np.array_equal(content(taken), value[:1])
    joined = arrays.call("tensor_concatenate", arrays.tensor(value), arrays.tensor(value + 1))
    assert np.array_equal(content(joined), np.concatenate([value, value + 1]))
    same(contents(arrays.call("tensor_array_unstack", value)), list(value))


@each("shape", [shape for shape in SHAPES if shape])
def test_a_tensor_is_split_into_rows_and_put_together(shape):
    arrays = Arrays(shape)
    rows = (ANY, *shape[1:])
    value = draw(shape)
    empty = arrays.call_named(
        arrays.prelude.get_global_var_static("tensor_array", "float32", rows).name_hint, np.int32(2)
    )
    split = arrays.call("tensor_array_split", empty, arrays.tensor(value), int32(1, len(value) - 1))
    same(contents(split), [value[:1], value[1:]])
    assert np.array_equal(content(arrays.call("tensor_array_concat", split)), value)


def test_numbers_have_no_functions_of_rows():
    mod = import_static_tensor_arrays(relay.IRModule(), "int32", ())
    assert "tensor_array_int32_scalar" in mod
    assert "tensor_take_int32_scalar" not in mod


def test_a_scatter_for_indices_of_a_known_shape_has_a_name_of_its_own():
    arrays = Arrays((2, 3))
    arrays.ops.define_tensor_array_scatter((2,), True)
    name = arrays.ops.get_name("tensor_array_scatter", {"indices": (2,)})
    assert name == "tensor_array_scatter_float32_2_3_indices_2"
    parts = [draw((2, 3)), draw((2, 3), 50)]
    empty = arrays.call("tensor_array", np.int32(2))
    same(contents(arrays.call_named(name, empty, int32(1, 0), arrays.array(parts))), parts[::-1])
    indices = arrays.prelude.mod[name].params[1].type_annotation
    assert relay.structural_equal(indices, relay.TensorType((2,), "int32"))


def test_a_split_is_defined_anew_under_the_variable_it_had():
    arrays = Arrays((2, 3))
    before = arrays.ops.get_global_var("tensor_array_split")
    arrays.ops.define_tensor_array_split((4, 3), (2,), False)
    assert arrays.prelude.mod[before].params[1].type_annotation.func.name_hint.endswith("_2_3_t")
    arrays.ops.define_tensor_array_split((4, 3), (2,), True)
    assert arrays.ops.get_global_var("tensor_array_split") is before
    InferType()(arrays.prelude.mod)
    value = draw((4, 3))
    empty = arrays.call_named("tensor_array_float32_2_3", np.int32(2))
    split = arrays.call("tensor_array_split", empty, arrays.tensor(value, (4, 3)), int32(3, 1))
    same(contents(split), [value[:3], value[3:]])


def test_one_definition_brings_what_it_needs_and_no_more():
    p = Prelude()
    StaticTensorArrayOps(p, "float32", (2,)).define_tensor_array_read()
    assert "tensor_array_read_float32_2" in p.mod
    assert "tensor_array_write_float32_2" not in p.mod
    assert p.mod.get_global_type_var("static_tensor_float32_2_t")


def test_definitions_are_made_when_they_are_asked_for():
    p = Prelude()
    stack = p.get_global_var_static("tensor_array_stack", "int32", (2,))
    assert p.mod[stack].params[0].name_hint == "array"
    assert p.get_type_static("tensor_t", "int32", (2,)) is p.mod.get_global_type_var(
        "static_tensor_int32_2_t"
    )
    assert p.get_ctor_static("tensor_t", "tensor_nil", "int32", (2,)).inputs == ()


def test_registering_again_changes_nothing():
    mod = import_static_tensor_arrays(relay.IRModule(), "float32", (2, 3))
    assert import_static_tensor_arrays(mod, "float32", (2, 3)) is mod
    more = import_static_tensor_arrays(mod, "float32", (4, 3))
    assert import_static_tensor_arrays(more, "float32", (2, 3)) is more


def test_arrays_of_one_shape_and_of_any_stand_side_by_side():
    mod = import_tensor_arrays(relay.IRModule(), "float32")
    InferType()(import_static_tensor_arrays(mod, "float32", (2, 3)))


def test_the_text_of_the_definitions_parses_back():
    mod = import_static_tensor_arrays(relay.IRModule(), "float32", (2, ANY))
    assert relay.structural_equal(parse(astext(mod)), mod)


def test_what_there_is_not_is_refused():
    p = Prelude()
    with pytest.raises(UnknownNameError, match="tensor_array_sort"):
        p.get_global_var_static("tensor_array_sort", "float32", (2,))
    with pytest.raises(UnknownNameError, match="tensor_cons"):
        p.get_tensor_ctor_static("tensor_cons", "float32", (2,))
    with pytest.raises(FieldError):
        StaticTensorArrayOps(p, "float33", (2,))
