"""Names and texts of a model, which have to be UTF-8: protobuf reads others too, as bytes."""

from __future__ import annotations

from typing import Any, Final

from relayish.errors import ModelError


def check_texts(proto: Any) -> None:  # Any: a ModelProto
    """Refuse a model of which a name or another text is not UTF-8.

    Raises:
        ModelError: If one is not.

    Complexity:
        Linear in the messages; what tensors hold is not read.
    """
    texts: list[Any] = []  # Any: a string, or the bytes of what is none
    waiting = [proto]
    while waiting:
        message = waiting.pop()
        kind = type(message).__name__
        if kind == "NodeProto":
            texts += message.input
            texts += message.output
            texts += (message.name, message.op_type, message.domain, message.overload)
            texts.append(message.doc_string)
            waiting += message.attribute
            _collect_properties(message, texts)
        elif kind == "AttributeProto":
            texts += (message.name, message.ref_attr_name, message.doc_string)
            if message.type not in _PLAIN:
                _collect(message, texts, waiting)
        elif kind == "TensorProto":
            texts += (message.name, message.doc_string)
            waiting += message.external_data
        elif kind == "ValueInfoProto":
            texts += (message.name, message.doc_string)
            _collect_type(message.type, texts, waiting)
            _collect_properties(message, texts)
        else:
            _collect(message, texts, waiting)
    try:
        "".join(texts)
    except TypeError:
        found = next(each for each in texts if not isinstance(each, str))
        raise ModelError(
            f"a name or another text in the model is {found!r}, which is not UTF-8; expected text: "
            f"the file was damaged, or is of another kind"
        ) from None


_PLAIN: Final = frozenset({1, 2, 3, 6, 7, 8})
"""The types of attributes that are numbers and strings, which may be any bytes."""


def _collect_properties(message: Any, texts: list[Any]) -> None:  # Any: as above
    for each in message.metadata_props:
        texts += (each.key, each.value)


def _collect_type(message: Any, texts: list[Any], waiting: list[Any]) -> None:  # Any: as above
    """Add what a type says; models have one of most values, so tensors are not left to others."""
    if message.WhichOneof("value") != "tensor_type":
        waiting.append(message)
        return
    texts.append(message.denotation)
    for dim in message.tensor_type.shape.dim:
        texts += (dim.dim_param, dim.denotation)


def _collect(message: Any, texts: list[Any], waiting: list[Any]) -> None:  # Any: as above
    """Add what the fields of a message hold, as their declarations say it."""
    for field, value in message.ListFields():
        many = not isinstance(value, (str, bytes)) and hasattr(value, "extend")
        if field.type == field.TYPE_STRING:
            texts += value if many else (value,)
        elif field.type == field.TYPE_MESSAGE:
            waiting += value if many else (value,)
