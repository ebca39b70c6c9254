"""Arrays of tensors of one shape: lists, and a type for tensors of each shape.

The definitions are Relay text, made for one element type and shape at a time. What has another
shape than the tensors of an array, as their concatenation has, is of the type for that shape.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias

from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import Any as AnySize
from relayish.ir.scopes.renaming import replace_nodes
from relayish.ir.values.dtype import DType, check_dtype
from relayish.prelude.std import import_from_std
from relayish.text import parse

Shape: TypeAlias = tuple[int | AnySize, ...]
"""The sizes of tensors; ``Any()`` where it is not known."""

ANY: Final = AnySize()

_TYPE: Final = """\
type <tensor_t> {
  <tensor_nil>,
  <tensor_constructor>(<tensor>),
}
"""
_TEXTS: Final = {
    "tensor_take": """\
// Rows %lower up to %upper.
def @<self>(%tensor: <tensor_t>, %lower: int32, %upper: int32) -> <tensor_t rows> {
  let %one = 1;
  let %rows = arange(%lower, %upper, %one, start=%lower, stop=%upper, step=%one, dtype="int32");
  match? (%tensor) {
    <tensor_constructor>(%t) => { <tensor_constructor rows>(take(%t, %rows, axis=0)) },
  }
}
""",
    "tensor_concatenate": """\
def @<self>(%x: <tensor_t>, %y: <tensor_t>) -> <tensor_t rows> {
  match? ((%x, %y)) {
    (<tensor_constructor>(%s), <tensor_constructor>(%t)) => {
      <tensor_constructor rows>(concatenate((%s, %t), axis=0))
    },
  }
}
""",
    "tensor_expand_dims": """\
def @<self>(%x: <tensor_t>) -> <tensor_t stacked> {
  match? (%x) {
    <tensor_constructor>(%t) => { <tensor_constructor stacked>(expand_dims(%t, axis=0)) },
  }
}
""",
    "tensor_array": """\
// An array of %n tensors, none of them there yet.
def @<self>(%n: int32) -> List[<tensor_t>] {
  if (%n == 0) { Nil } else { Cons(<tensor_nil>, @<self>(%n - 1)) }
}
""",
    "tensor_array_read": """\
def @<self>(%array: List[<tensor_t>], %n: int32) -> <tensor_t> { @nth(%array, %n) }
""",
    "tensor_array_write": """\
def @<self>(%array: List[<tensor_t>], %n: int32, %v: <tensor_t>) -> List[<tensor_t>] {
  @update(%array, %n, %v)
}
""",
    "tensor_array_unstack_helper": """\
def @<self>(%i: int32, %limit: int32, %tensor: <tensor>) -> List[<tensor_t below>] {
  if (%i == %limit) {
    Nil
  } else {
    let %row = <tensor_constructor below>(take(%tensor, %i, axis=0));
    Cons(%row, @<self>(%i + 1, %limit, %tensor))
  }
}
""",
    "tensor_array_unstack": """\
// The rows of a tensor.
def @<self>(%tensor: <tensor>) -> List[<tensor_t below>] {
  @<tensor_array_unstack_helper>(0, take(shape_of(%tensor, dtype="int32"), 0), %tensor)
}
""",
    "tensor_array_scatter_helper": """\
def @<self>(
  %array: List[<tensor_t>], %current: int32, %limit: int32, %indices: <indices>,
  %values: List[<tensor_t>]
) -> List[<tensor_t>] {
  if (%current == %limit) {
    %array
  } else {
    let %value = @<tensor_array_read>(%values, %current);
    let %written = @<tensor_array_write>(%array, take(%indices, %current), %value);
    @<self>(%written, %current + 1, %limit, %indices, %values)
  }
}
""",
    "tensor_array_scatter": """\
// The array with element %indices[i] of %values in place of its element i, for each i.
def @<self>(
  %array: List[<tensor_t>], %indices: <indices>, %values: List[<tensor_t>]
) -> List[<tensor_t>] {
  @<helper>(%array, 0, take(shape_of(%indices, dtype="int32"), 0), %indices, %values)
}
""",
    "ta_split_helper": """\
def @<self>(
  %array: List[<tensor_t rows>], %value: <tensor_t value>, %offset: int32, %current: int32,
  %limit: int32, %lengths: <lengths>
) -> List[<tensor_t rows>] {
  if (%current == %limit) {
    %array
  } else {
    let %end = %offset + take(%lengths, %current);
    let %rows = @<tensor_take value>(%value, %offset, %end);
    let %written = @<tensor_array_write rows>(%array, %current, %rows);
    @<self>(%written, %value, %end, %current + 1, %limit, %lengths)
  }
}
""",
    "tensor_array_split": """\
// The array with the next %lengths[i] rows of %value in place of its element i, for each i.
def @<self>(
  %array: List[<tensor_t rows>], %value: <tensor_t value>, %lengths: <lengths>
) -> List[<tensor_t rows>] {
  @<helper>(%array, %value, 0, 0, take(shape_of(%lengths, dtype="int32"), 0), %lengths)
}
""",
    "tensor_array_concat": """\
// The tensors behind each other along axis 0.
def @<self>(%array: List[<tensor_t rows>]) -> <tensor_t rows> {
  match (%array) {
    Nil => { <tensor_nil rows> },
    Cons(%last, Nil) => { %last },
    Cons(%x, %rest) => { @<tensor_concatenate rows>(%x, @<self>(%rest)) },
  }
}
""",
    "tensor_array_stack": """\
// The tensors along a new axis in front.
def @<self>(%array: List[<tensor_t>]) -> <tensor_t stacked> {
  let %parts = @map(@<tensor_expand_dims>, %array);
  @foldl(@<tensor_concatenate stacked>, @hd(%parts), @tl(%parts))
}
""",
    "tensor_array_gather_helper": """\
def @<self>(
  %array: List[<tensor_t>], %found: List[<tensor_t>], %current: int32, %indices: <indices>
) -> <tensor_t stacked> {
  if (%current == 0) {
    @<tensor_array_stack>(%found)
  } else {
    let %before = %current - 1;
    let %value = @<tensor_array_read>(%array, take(%indices, %before));
    @<self>(%array, Cons(%value, %found), %before, %indices)
  }
}
""",
    "tensor_array_gather": """\
// The elements %indices[i] along a new axis in front.
def @<self>(%array: List[<tensor_t>], %indices: <indices>) -> <tensor_t stacked> {
  @<helper>(%array, Nil, take(shape_of(%indices, dtype="int32"), 0), %indices)
}
""",
    "tensor_get_data": """\
def @<self>(%tensor: <tensor_t>) -> <tensor> {
  match? (%tensor) { <tensor_constructor>(%t) => { %t } }
}
""",
}
"""The functions, in an order in which each comes behind those it calls."""

_ONE_STACKED: Final = """\
// The one tensor, with a new axis in front.
def @<self>(%array: List[<tensor_t>]) -> <tensor_t stacked> {
  @id(@hd(@map(@<tensor_expand_dims>, %array)))
}
"""

_OF_ROWS: Final = frozenset(
    {"tensor_take", "tensor_concatenate", "tensor_array_unstack", "tensor_array_unstack_helper"}
    | {"tensor_array_split", "ta_split_helper", "tensor_array_concat"}
)
"""The functions of tensors that have rows: of rank 1 or more."""

_PLACE: Final = re.compile(r"<(\w+)(?: (\w+))?>")
"""What stands for a name in a text: what is named, and of which other kind."""

_HELPERS: Final = {
    "tensor_array_scatter": "tensor_array_scatter_helper",
    "tensor_array_split": "ta_split_helper",
    "tensor_array_gather": "tensor_array_gather_helper",
}


class ArrayKind(NamedTuple):
    """What arrays hold.

    Attributes:
        dtype: The element type of tensors.
        shape: Their shape.
        batch_dim: 1 where the arrays that are stacked hold one tensor, so that the new axis has
            that size; else it is not known.
    """

    dtype: DType
    shape: Shape
    batch_dim: int | None = None

    def name(self, canonical: str, extra_shapes: dict[str, Shape] | None = None) -> str:
        """Return the name of a type, constructor or function of these arrays.

        Example:
            >>> kind = ArrayKind("float32", (ANY, 3))
            >>> kind.name("tensor_t"), kind.name("tensor_array_read")
            ('static_tensor_float32_any_3_t', 'tensor_array_read_float32_any_3')
        """
        shown = _show(self.shape)
        for name, shape in (extra_shapes or {}).items():
            shown += f"_{name}_{_show(shape)}"
        shown = shown or "scalar"
        if canonical == "tensor_t":
            return f"static_tensor_{self.dtype}_{shown}_t"
        if self.batch_dim != 1 or canonical in ("tensor_constructor", "tensor_nil"):
            return f"{canonical}_{self.dtype}_{shown}"
        return f"{canonical}_{self.dtype}_batch1_{shown}"

    def of_shape(self, shape: Shape) -> ArrayKind:
        """Return the kind of arrays of tensors of another shape."""
        return self._replace(shape=shape)

    @property
    def rows(self) -> ArrayKind:
        """Tensors of any number of such rows."""
        return self.of_shape((ANY, *self.shape[1:]))

    @property
    def stacked(self) -> ArrayKind:
        """Tensors with a new axis in front."""
        return self.of_shape((1 if self.batch_dim == 1 else ANY, *self.shape))


class Sizes(NamedTuple):
    """Shapes of other arguments than arrays, where they are known.

    Attributes:
        indices: Of indices to scatter by.
        value: Of the tensor that is split.
        lengths: Of the numbers of its rows.
    """

    indices: Shape | None = None
    value: Shape | None = None
    lengths: Shape | None = None


UNKNOWN_SIZES: Final = Sizes()

FUNCTIONS: Final = tuple(_TEXTS)
"""The names of the functions, without those of element type and shape."""


def import_static_tensor_arrays(
    mod: IRModule, dtype: DType, shape: Sequence[int | AnySize], batch_dim: int | None = None
) -> IRModule:
    """Return ``mod`` with arrays of tensors of one element type and shape, and with the prelude.

    The type is ``static_tensor_<dtype>_<shape>_t``, its constructors ``tensor_nil_<dtype>_<shape>``
    and ``tensor_constructor_<dtype>_<shape>``; the functions are ``tensor_array_<dtype>_<shape>``
    and so on. Types of the shapes that concatenating, splitting and stacking give come along.

    Args:
        mod: Any module.
        dtype: The element type.
        shape: The sizes of tensors, ``Any()`` where one is not known.
        batch_dim: 1 if the arrays that are stacked hold one tensor.

    Returns:
        ``mod`` itself when nothing was missing.

    Raises:
        FieldError: If there is no such element type.

    Source:
        Relay ``StaticTensorArrayOps``.
    """
    kind = ArrayKind(check_dtype(dtype), tuple(shape), batch_dim)
    return define(import_from_std(mod, "prelude"), kind, FUNCTIONS)


def redefine(
    mod: IRModule, kind: ArrayKind, functions: Iterable[str], sizes: Sizes = UNKNOWN_SIZES
) -> IRModule:
    """Return ``mod`` with ``functions`` made for ``sizes``, in place of those it has."""
    names = [_Function(kind, canonical, sizes).name for canonical in functions]
    old = {name: mod.get_global_var(name) for name in names if name in mod}
    made = define(mod.without_functions(old), kind, functions, sizes)
    images = {made.get_global_var(name): var for name, var in old.items()}
    changed = {var: replace_nodes(made[image], images) for image, var in images.items()}
    return made.without_functions(images).with_functions(changed)


def define(
    mod: IRModule, kind: ArrayKind, functions: Iterable[str], sizes: Sizes = UNKNOWN_SIZES
) -> IRModule:
    """Return ``mod`` with the type of ``kind`` and ``functions``, and with what these need.

    Functions of rows are not defined for arrays of numbers.

    Returns:
        ``mod`` itself when nothing was missing.
    """
    types = {kind.name("tensor_t"): kind}
    found: dict[str, str] = {}
    pending = [_Function(kind, canonical, sizes) for canonical in functions][::-1]
    while pending:
        function = pending.pop()
        name = function.name
        is_missing = name not in found and name not in mod
        if is_missing and (function.kind.shape or function.canonical not in _OF_ROWS):
            writer = _Writer(function)
            found[name] = writer.write(function.text)
            types.update(writer.types)
            pending += writer.functions
    known = {header.name_hint for header in mod.type_definitions}
    defined = [_write_type(made) for name, made in types.items() if name not in known]
    if not found and not defined:
        return mod
    text = "\n".join(['#[version = "0.0.5"]', *defined, *found.values()])
    return parse(text, kind.name("tensor_t"), mod)


class _Function(NamedTuple):
    """A function of arrays of a kind."""

    kind: ArrayKind
    canonical: str
    sizes: Sizes

    @property
    def name(self) -> str:
        indices = self.sizes.indices
        if indices is None or not self.canonical.startswith("tensor_array_scatter"):
            return self.kind.name(self.canonical)
        return self.kind.name(self.canonical, {"indices": indices})

    @property
    def text(self) -> str:
        is_one = self.canonical == "tensor_array_stack" and self.kind.batch_dim == 1
        return _ONE_STACKED if is_one else _TEXTS[self.canonical]


class _Writer:
    """Writes a function, and notes what it needs."""

    def __init__(self, function: _Function) -> None:
        self._function = function
        self.types: dict[str, ArrayKind] = {}
        self.functions: list[_Function] = []

    def write(self, text: str) -> str:
        """Return ``text`` with names in their places."""
        return _PLACE.sub(self._fill, text)

    def _fill(self, place: re.Match[str]) -> str:
        name, which = place.groups()
        function = self._function
        if name == "self":
            return function.name
        if name in ("indices", "lengths"):
            shape = function.sizes.indices if name == "indices" else function.sizes.lengths
            return _tensor("int32", shape or (ANY,))
        kind = self._kind(which)
        if name == "tensor":
            return _tensor(kind.dtype, kind.shape)
        if name == "helper" or name in _TEXTS:
            canonical = _HELPERS[function.canonical] if name == "helper" else name
            sizes = function.sizes if name == "helper" else UNKNOWN_SIZES
            self.functions.append(_Function(kind, canonical, sizes))
            return self.functions[-1].name
        self.types[kind.name("tensor_t")] = kind
        return kind.name(name)

    def _kind(self, which: str | None) -> ArrayKind:
        kind = self._function.kind
        match which:
            case "rows":
                return kind.rows
            case "stacked":
                return kind.stacked
            case "below":
                return kind.of_shape(kind.shape[1:])
            case "value":
                return kind.of_shape(self._function.sizes.value or kind.shape)
            case _:
                return kind


def _write_type(kind: ArrayKind) -> str:
    return _Writer(_Function(kind, "tensor_get_data", UNKNOWN_SIZES)).write(_TYPE)


def _tensor(dtype: DType, shape: Shape) -> str:
    sizes = ", ".join(["?" if isinstance(size, AnySize) else str(size) for size in shape])
    return f"Tensor[({sizes}), {dtype}]"


def _show(shape: Shape) -> str:
    return "_".join(["any" if isinstance(size, AnySize) else str(size) for size in shape])
