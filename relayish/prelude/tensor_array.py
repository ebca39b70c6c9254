"""Arrays of tensors whose sizes differ: lists, and a type for tensors of any rank up to 6.

The definitions are Relay text, made for one element type at a time.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from relayish.ir.relay.module import IRModule
from relayish.ir.values.dtype import DType, check_dtype
from relayish.prelude.std import Source, definitions, std_source
from relayish.text import parse

MAX_RANK: Final = 6
"""The largest rank a tensor in an array may have."""

_LISTS: Final = """\
// An array of %n tensors, none of them there yet.
def @tensor_array_DTYPE(%n: int32) -> List[tensor_DTYPE_t] {
  if (%n == 0) { Nil } else { Cons(tensor_nil_DTYPE, @tensor_array_DTYPE(%n - 1)) }
}

def @tensor_array_read_DTYPE(%array: List[tensor_DTYPE_t], %n: int32) -> tensor_DTYPE_t {
  @nth(%array, %n)
}

def @tensor_array_write_DTYPE(
  %array: List[tensor_DTYPE_t], %n: int32, %v: tensor_DTYPE_t
) -> List[tensor_DTYPE_t] {
  @update(%array, %n, %v)
}

// The tensors behind each other along axis 0.
def @tensor_array_concat_DTYPE(%array: List[tensor_DTYPE_t]) -> tensor_DTYPE_t {
  match (%array) {
    Nil => { tensor_nil_DTYPE },
    Cons(%last, Nil) => { %last },
    Cons(%x, %rest) => { @tensor_concatenate_DTYPE(%x, @tensor_array_concat_DTYPE(%rest)) },
  }
}

// The tensors along a new axis in front.
def @tensor_array_stack_DTYPE(%array: List[tensor_DTYPE_t]) -> tensor_DTYPE_t {
  @tensor_array_concat_DTYPE(@map(@tensor_expand_dims_DTYPE, %array))
}

// The array with element %indices[i] of %values in place of its element i, for each i.
def @tensor_array_scatter_DTYPE(
  %array: List[tensor_DTYPE_t], %indices: Tensor[(?), int32], %values: List[tensor_DTYPE_t]
) -> List[tensor_DTYPE_t] {
  let %limit = take(shape_of(%indices, dtype="int32"), 0);
  @tensor_array_scatter_helper_DTYPE(%array, 0, %limit, %indices, %values)
}

def @tensor_array_scatter_helper_DTYPE(
  %array: List[tensor_DTYPE_t], %current: int32, %limit: int32, %indices: Tensor[(?), int32],
  %values: List[tensor_DTYPE_t]
) -> List[tensor_DTYPE_t] {
  if (%current == %limit) {
    %array
  } else {
    let %value = @tensor_array_read_DTYPE(%values, %current);
    let %written = @tensor_array_write_DTYPE(%array, take(%indices, %current), %value);
    @tensor_array_scatter_helper_DTYPE(%written, %current + 1, %limit, %indices, %values)
  }
}

// The array with the next %lengths[i] rows of %value in place of its element i, for each i.
def @tensor_array_split_DTYPE(
  %array: List[tensor_DTYPE_t], %value: tensor_DTYPE_t, %lengths: Tensor[(?), int32]
) -> List[tensor_DTYPE_t] {
  let %limit = take(shape_of(%lengths, dtype="int32"), 0);
  @ta_split_helper_DTYPE(%array, %value, 0, 0, %limit, %lengths)
}

def @ta_split_helper_DTYPE(
  %array: List[tensor_DTYPE_t], %value: tensor_DTYPE_t, %offset: int32, %current: int32,
  %limit: int32, %lengths: Tensor[(?), int32]
) -> List[tensor_DTYPE_t] {
  if (%current == %limit) {
    %array
  } else {
    let %end = %offset + take(%lengths, %current);
    let %rows = @tensor_take_DTYPE(%value, %offset, %end);
    let %written = @tensor_array_write_DTYPE(%array, %current, %rows);
    @ta_split_helper_DTYPE(%written, %value, %end, %current + 1, %limit, %lengths)
  }
}

// Rows %lower up to %upper.
def @tensor_take_DTYPE(%tensor: tensor_DTYPE_t, %lower: int32, %upper: int32) -> tensor_DTYPE_t {
  let %one = 1;
  let %rows = arange(
    %lower, %upper, %one, start=%lower, stop=%upper, step=%one, dtype="int32"
  );
  match? (%tensor) {
TAKEN
  }
}

def @tensor_concatenate_DTYPE(%x: tensor_DTYPE_t, %y: tensor_DTYPE_t) -> tensor_DTYPE_t {
  match? ((%x, %y)) {
CONCATENATED
  }
}

def @tensor_expand_dims_DTYPE(%x: tensor_DTYPE_t) -> tensor_DTYPE_t {
  match? (%x) {
EXPANDED
  }
}
"""

_UNSTACK: Final = """\
// The rows of a tensor of rank RANK.
def @tensor_array_unstack_tensorRANK_DTYPE(%tensor: TENSOR) -> List[tensor_DTYPE_t] {
  let %limit = take(shape_of(%tensor, dtype="int32"), 0);
  @tensor_array_unstack_tensorRANK_helper_DTYPE(0, %limit, %tensor)
}

def @tensor_array_unstack_tensorRANK_helper_DTYPE(
  %i: int32, %limit: int32, %tensor: TENSOR
) -> List[tensor_DTYPE_t] {
  if (%i == %limit) {
    Nil
  } else {
    let %row = tensorBELOW_DTYPE(take(%tensor, %i, axis=0));
    Cons(%row, @tensor_array_unstack_tensorRANK_helper_DTYPE(%i + 1, %limit, %tensor))
  }
}
"""


def import_tensor_arrays(mod: IRModule, dtype: DType) -> IRModule:
    """Return ``mod`` with arrays of tensors of one element type, and with the prelude.

    The type is ``tensor_<dtype>_t``, its constructors ``tensor_nil_<dtype>`` and
    ``tensor0_<dtype>`` to ``tensor6_<dtype>``; the functions are ``tensor_array_<dtype>`` and so
    on.

    Returns:
        ``mod`` itself when nothing was missing.

    Raises:
        FieldError: If there is no such element type.
        DuplicateNameError: If ``mod`` uses one of the names for something of its own.

    Source:
        Relay ``TensorArrayOps``; its concatenation stops at rank 4.
    """
    return definitions(mod, _source(check_dtype(dtype)))


@cache
def _source(dtype: DType) -> Source:
    text = _text(dtype)
    known = std_source("prelude")
    name = f"tensor_array_{dtype}"
    return Source(name, text, parse(text, name, known.mod), known)


def _text(dtype: DType) -> str:
    def tensor(rank: int) -> str:
        return f"Tensor[({', '.join('?' * rank)}), DTYPE]" if rank else "DTYPE"

    cases = [f"  tensor{rank}_DTYPE({tensor(rank)})," for rank in range(MAX_RANK + 1)]
    taken = [
        f"    tensor{rank}_DTYPE(%t) => {{ tensor{rank}_DTYPE(take(%t, %rows, axis=0)) }},"
        for rank in range(1, MAX_RANK + 1)
    ]
    concatenated = [
        f"    (tensor{rank}_DTYPE(%s), tensor{rank}_DTYPE(%t)) => "
        f"{{ tensor{rank}_DTYPE(concatenate((%s, %t), axis=0)) }},"
        for rank in range(1, MAX_RANK + 1)
    ]
    expanded = [
        f"    tensor{rank}_DTYPE(%t) => {{ tensor{rank + 1}_DTYPE(expand_dims(%t, axis=0)) }},"
        for rank in range(MAX_RANK)
    ]
    unstack = [
        _UNSTACK.replace("RANK", str(rank))
        .replace("BELOW", str(rank - 1))
        .replace("TENSOR", tensor(rank))
        for rank in range(1, MAX_RANK + 1)
    ]
    lists = (
        _LISTS.replace("TAKEN", "\n".join(taken))
        .replace("CONCATENATED", "\n".join(concatenated))
        .replace("EXPANDED", "\n".join(expanded))
    )
    parts = ["type tensor_DTYPE_t {", "  tensor_nil_DTYPE,", *cases, "}\n", lists, *unstack]
    return '#[version = "0.0.5"]\n' + "\n".join(parts).replace("DTYPE", dtype)
