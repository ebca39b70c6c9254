"""Types of the values of a model, as it says them."""

from __future__ import annotations

from typing import Any, NamedTuple

from relayish.ir.relay.type import Type
from relayish.onnx.protos.types import Dimensions, type_of_proto, type_to_proto


class ReadType(NamedTuple):
    """A type that a model says.

    Attributes:
        type: What programs have of it.
        whole: All that the model says, as it is stored, where programs do not have it: denotations,
            sizes of -1, a type that is there and empty.
    """

    type: Type
    whole: str | None


class TypeReader:
    """Reads the types of values; those that are said alike are read once.

    Args:
        dimensions: The named dimensions of the model.
    """

    def __init__(self, dimensions: Dimensions) -> None:
        self._dimensions = dimensions
        self._found: dict[bytes, ReadType] = {}

    def type_of(self, value: Any) -> Type:  # Any: a ValueInfoProto
        """Return the type of a value; one of which nothing is known where it has none.

        Raises:
            ModelError: If it has an element type that ONNX does not have.
        """
        return self.read(value).type

    def read(self, value: Any) -> ReadType:  # Any: as above
        """Return the type of a value, and what else is said of it.

        Raises:
            ModelError: As :meth:`type_of`.
        """
        stored = value.type.SerializeToString()
        found = self._found.get(stored)
        if found is None:
            ty = type_of_proto(value.type, self._dimensions, f"value {value.name!r}")
            is_empty = not value.type.WhichOneof("value")
            is_all = not is_empty and type_to_proto(ty) == value.type
            found = self._found[stored] = ReadType(ty, None if is_all else stored.hex())
        return found
