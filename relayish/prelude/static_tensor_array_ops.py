"""Arrays of tensors of one shape, as Relay's scripts define them: one function after the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from relayish.ir.relay.adt import Constructor
from relayish.ir.relay.expr import GlobalVar
from relayish.ir.relay.type import Any as AnySize
from relayish.ir.relay.type import GlobalTypeVar
from relayish.ir.values.dtype import DType, check_dtype
from relayish.prelude.prelude import Prelude
from relayish.prelude.static_tensor_array import (
    FUNCTIONS,
    UNKNOWN_SIZES,
    ArrayKind,
    Shape,
    Sizes,
    define,
    redefine,
)


class StaticTensorArrayOps:
    """Arrays of tensors of one element type and shape, in the module of a prelude.

    Args:
        prelude: Where definitions go, ``prelude.mod``.
        dtype: The element type.
        shape: The sizes of tensors, ``Any()`` where one is not known.
        batch_dim: 1 if the arrays that are stacked hold one tensor.

    Source:
        Relay ``StaticTensorArrayOps``; there what a function needs has to be defined before it.

    Example:
        >>> p = Prelude()
        >>> StaticTensorArrayOps(p, "float32", (2, 3)).register()
        >>> p.get_global_var_static("tensor_array_read", "float32", (2, 3)).name_hint
        'tensor_array_read_float32_2_3'
    """

    def __init__(
        self,
        prelude: Prelude,
        dtype: DType,
        shape: Sequence[int | AnySize],
        batch_dim: int | None = None,
    ) -> None:
        self.prelude = prelude
        self.dtype = check_dtype(dtype)
        self.shape: Shape = tuple(shape)
        self.batch_dim = batch_dim
        self._kind = ArrayKind(self.dtype, self.shape, batch_dim)

    def get_name(self, canonical: str, extra_shapes: dict[str, Shape] | None = None) -> str:
        """Return the name of something of these arrays."""
        return self._kind.name(canonical, extra_shapes)

    def get_global_var(self, canonical: str) -> GlobalVar:
        """Return what stands for the function ``canonical`` of these arrays."""
        return self.prelude.get_global_var_static(canonical, self.dtype, self.shape, self.batch_dim)

    def get_type(self, canonical: str) -> GlobalTypeVar:
        """Return the type of tensors in these arrays, ``tensor_t``."""
        return self.prelude.get_type_static(canonical, self.dtype, self.shape)

    def get_ctor(self, canonical: str) -> Constructor:
        """Return a constructor of that type: ``tensor_constructor`` or ``tensor_nil``."""
        return self.prelude.get_tensor_ctor_static(canonical, self.dtype, self.shape)

    def register(self) -> None:
        """Define the type, and all functions."""
        self._define(FUNCTIONS)

    def define_tensor_adt(self) -> None:
        """Define the type of tensors, and its constructors."""
        self._define(())

    def define_tensor_array(self) -> None:
        """Define ``tensor_array(n)``: an array of ``n`` tensors, none of them there yet."""
        self._define(("tensor_array",))

    def define_tensor_take(self) -> None:
        """Define ``tensor_take(t, lower, upper)``: some of the rows."""
        self._define(("tensor_take",))

    def define_tensor_concatenate(self) -> None:
        """Define ``tensor_concatenate(x, y)``: the rows of both."""
        self._define(("tensor_concatenate",))

    def define_tensor_expand_dims(self) -> None:
        """Define ``tensor_expand_dims(t)``: the tensor with a new axis in front."""
        self._define(("tensor_expand_dims",))

    def define_tensor_array_read(self) -> None:
        """Define ``tensor_array_read(array, n)``: element ``n``."""
        self._define(("tensor_array_read",))

    def define_tensor_array_write(self) -> None:
        """Define ``tensor_array_write(array, n, v)``: the array with ``v`` as element ``n``."""
        self._define(("tensor_array_write",))

    def define_tensor_array_unstack(self) -> None:
        """Define ``tensor_array_unstack(t)``: the rows of a tensor."""
        self._define(("tensor_array_unstack",))

    def define_tensor_array_scatter(
        self, indices_shape: Sequence[int] | None = None, force_update: bool = False
    ) -> None:
        """Define ``tensor_array_scatter(array, indices, values)``.

        Args:
            indices_shape: The shape of the indices, which the name of the function then tells.
            force_update: Define it anew where it is there.
        """
        sizes = Sizes(indices=None if indices_shape is None else tuple(indices_shape))
        names = ("tensor_array_scatter", "tensor_array_scatter_helper")
        self._define(names, sizes, again=force_update)

    def define_tensor_array_split(
        self,
        value_shape: Sequence[int | AnySize] | None = None,
        lengths_shape: Sequence[int] | None = None,
        force_update: bool = False,
    ) -> None:
        """Define ``tensor_array_split(array, value, lengths)``.

        Args:
            value_shape: The shape of the tensor that is split; that of the arrays without.
            lengths_shape: The shape of the numbers of rows.
            force_update: Define it anew where it is there.
        """
        sizes = Sizes(
            value=None if value_shape is None else tuple(value_shape),
            lengths=None if lengths_shape is None else tuple(lengths_shape),
        )
        self._define(("tensor_array_split", "ta_split_helper"), sizes, again=force_update)

    def define_tensor_array_concat(self) -> None:
        """Define ``tensor_array_concat(array)``: the tensors behind each other."""
        self._define(("tensor_array_concat",))

    def define_tensor_array_stack(self) -> None:
        """Define ``tensor_array_stack(array)``: the tensors along a new axis."""
        self._define(("tensor_array_stack",))

    def define_tensor_array_gather(self) -> None:
        """Define ``tensor_array_gather(array, indices)``: some of the tensors along a new axis."""
        self._define(("tensor_array_gather",))

    def define_tensor_get_data(self) -> None:
        """Define ``tensor_get_data(t)``: what the constructor holds."""
        self._define(("tensor_get_data",))

    def _define(
        self, functions: Iterable[str], sizes: Sizes = UNKNOWN_SIZES, *, again: bool = False
    ) -> None:
        made = redefine if again else define
        self.prelude.mod = made(self.prelude.mod, self._kind, functions, sizes)
