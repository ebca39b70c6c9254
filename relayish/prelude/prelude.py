"""The prelude beside a module: its types, constructors and functions, found by name."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.errors import UnknownNameError
from relayish.ir.relay.adt import Constructor
from relayish.ir.relay.expr import GlobalVar
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import Any as AnySize
from relayish.ir.relay.type import GlobalTypeVar
from relayish.prelude.static_tensor_array import (
    ArrayKind,
    Shape,
    define,
    import_static_tensor_arrays,
)
from relayish.prelude.std import import_from_std
from relayish.prelude.tensor_array import import_tensor_arrays


class Prelude:
    """A module together with lists, options, trees and natural numbers.

    Modules never change, so the module given does not acquire the prelude: ``mod`` is the one that
    has it, and what is built goes there: ``p.mod = p.mod.with_function("main", func)``.
    Each function of the prelude is an attribute: ``p.map`` is the ``GlobalVar`` of ``@map``.

    Arrays of tensors, which exist once for each element type, join ``mod`` when something of them
    is first asked for: ``p.get_global_var("tensor_array_read", "float32")``.

    Arrays of tensors of one shape do so as well, by names ending in ``_static``.

    Attributes:
        mod: The module with the prelude.

    Source:
        Relay ``Prelude``, which adds to the module it is given: arrays of tensors of all element
        types at once, and natural numbers only when they are imported.

    Example:
        >>> p = Prelude()
        >>> List, Cons, Nil = p.mod.get_type("List")
        >>> p.length
        GlobalVar(name_hint='length')
        >>> p.get_ctor("List", "cons") is Cons
        True
    """

    mod: IRModule

    def __init__(self, mod: IRModule | None = None) -> None:
        self.mod = import_from_std(IRModule() if mod is None else mod, "nat")

    def get_global_var(self, canonical: str, dtype: str | None = None) -> GlobalVar:
        """Return what stands for the function ``canonical``, or for its form for ``dtype``.

        Raises:
            UnknownNameError: If the module has no such function.
        """
        self._import(dtype)
        return self.mod.get_global_var(self.get_name(canonical, dtype))

    def get_type(self, canonical: str, dtype: str | None = None) -> GlobalTypeVar:
        """Return what stands for the type ``canonical``, or for its form for ``dtype``.

        Raises:
            UnknownNameError: If the module has no such type.
        """
        self._import(dtype)
        return self.mod.get_global_type_var(self.get_name(canonical, dtype))

    def get_ctor(self, ty_name: str, canonical: str, dtype: str | None = None) -> Constructor:
        """Return a constructor of the type ``ty_name``; ``cons`` finds ``Cons``, too.

        Raises:
            UnknownNameError: If the module has no such type, or the type no such constructor.
        """
        self._import(dtype)
        name = self.get_name(canonical, dtype)
        constructors: list[Constructor]
        _, *constructors = self.mod.get_type(ty_name)
        alike = [c for c in constructors if c.name_hint.lower() == name.lower()]
        if len(alike) == 1:
            return alike[0]
        return self.mod.get_constructor(ty_name, name)

    def get_tensor_ctor(self, canonical: str, dtype: str) -> Constructor:
        """Return a constructor of tensors in arrays: ``tensor_nil``, or ``tensor0`` to ``tensor6``.

        Raises:
            UnknownNameError: If there is no such constructor.
        """
        return self.get_ctor(self.get_name("tensor_t", dtype), canonical, dtype)

    def get_global_var_static(
        self,
        canonical: str,
        dtype: str,
        shape: Sequence[int | AnySize],
        batch_dim: int | None = None,
    ) -> GlobalVar:
        """Return what stands for a function of arrays of tensors of one shape.

        Raises:
            UnknownNameError: If there is no such function.
        """
        name = self.get_name_static(canonical, dtype, shape, batch_dim)
        if name not in self.mod:
            self.mod = import_static_tensor_arrays(self.mod, dtype, shape, batch_dim)
        return self.mod.get_global_var(name)

    def get_type_static(
        self, canonical: str, dtype: str, shape: Sequence[int | AnySize]
    ) -> GlobalTypeVar:
        """Return the type ``tensor_t`` of tensors of one shape in arrays.

        Raises:
            UnknownNameError: If ``canonical`` is something else.
        """
        self.mod = define(self.mod, ArrayKind(dtype, tuple(shape)), ())
        return self.mod.get_global_type_var(self.get_name_static(canonical, dtype, shape))

    def get_ctor_static(
        self, ty_name: str, name: str, dtype: str, shape: Sequence[int | AnySize]
    ) -> Constructor:
        """Return a constructor of the type ``ty_name`` of tensors of one shape, ``tensor_t``.

        Raises:
            UnknownNameError: If there is no such type, or the type has no such constructor.
        """
        header = self.get_type_static(ty_name, dtype, shape)
        own = self.get_name_static(name, dtype, shape)
        return self.mod.get_constructor(header.name_hint, own)

    def get_tensor_ctor_static(
        self, name: str, dtype: str, shape: Sequence[int | AnySize]
    ) -> Constructor:
        """Return ``tensor_constructor`` or ``tensor_nil`` for tensors of one shape.

        Raises:
            UnknownNameError: If ``name`` is something else.
        """
        return self.get_ctor_static("tensor_t", name, dtype, shape)

    @staticmethod
    def get_name_static(
        canonical: str,
        dtype: str,
        shape: Sequence[int | AnySize],
        batch_dim: int | None = None,
        extra_shapes: dict[str, Shape] | None = None,
    ) -> str:
        """Return the name of the form for one element type and shape of something.

        Example:
            >>> Prelude.get_name_static("tensor_array_read", "float32", (2, 3))
            'tensor_array_read_float32_2_3'
        """
        return ArrayKind(dtype, tuple(shape), batch_dim).name(canonical, extra_shapes)

    def _import(self, dtype: str | None) -> None:
        if dtype is not None:
            self.mod = import_tensor_arrays(self.mod, dtype)

    @staticmethod
    def get_name(canonical: str, dtype: str | None = None) -> str:
        """Return the name of the form for ``dtype`` of something that has one for each.

        Example:
            >>> Prelude.get_name("tensor_array_read", "float32"), Prelude.get_name("map")
            ('tensor_array_read_float32', 'map')
        """
        if dtype is None:
            return canonical
        return f"tensor_{dtype}_t" if canonical == "tensor_t" else f"{canonical}_{dtype}"

    def import_from_std(self, name: str) -> None:
        """Import a further module that comes with relayish; see :func:`.std.import_from_std`."""
        self.mod = import_from_std(self.mod, name)

    def __getattr__(self, name: str) -> GlobalVar:
        if name == "mod" or name.startswith("__"):
            raise AttributeError(name)
        try:
            return self.mod.get_global_var(name)
        except UnknownNameError as error:
            raise AttributeError(f"the prelude has no {name!r}: {error}") from None
