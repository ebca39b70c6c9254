"""The types of a program that collects gradients, from those of the program it is made of."""

from __future__ import annotations

from typing import Final

from relayish.functor import TypeMutator
from relayish.ir.relay.type import FuncType, RefType, TensorType, TupleType, Type

UNIT: Final = TupleType(())
"""The type of the empty tuple."""

BACK_PROPAGATOR: Final = RefType(FuncType((), UNIT))
"""The type of the reference to a function that propagates gradients back when it is called."""


class _ReverseType(TypeMutator):
    def visit_tensor_type(self, tensor: TensorType) -> Type:
        return TupleType((tensor, RefType(tensor)))

    def visit_func_type(self, func: FuncType) -> Type:
        arguments = (*self.mutate_all(func.arg_types), BACK_PROPAGATOR)
        return func.with_fields(arg_types=arguments, ret_type=self.visit(func.ret_type))


def reverse_type(ty: Type) -> Type:
    """Return the type of what stands for a value of type ``ty``.

    A tensor has a reference to its gradient beside it, and a function takes the reference to the
    back-propagator as a further argument.

    Complexity:
        Linear in distinct types; no recursion but over functions that take functions.

    Source:
        Relay ``ReverseType``.
    """
    return _ReverseType().visit(ty)
