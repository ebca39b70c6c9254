"""Operator sets: which version of an operator a model means, and its schema."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from relayish.onnx.identity import Identity
from relayish.onnx.package import load_onnx

_NAMES: Final = {"ai.onnx": ""}
"""Other names of a domain of ONNX."""


def canonical_domain(domain: str) -> str:
    """Return the one name of a domain of ONNX: ``""`` for ``"ai.onnx"``."""
    return _NAMES.get(domain, domain)


@cache
def find_schema(identity: Identity) -> Any | None:  # Any: a schema of onnx
    """Return the schema of exactly this version of an operator, ``None`` where there is none.

    Complexity:
        Constant after the first time.
    """
    defs = load_onnx("onnx.defs")
    try:
        found = defs.get_schema(identity.name, identity.since_version, identity.domain)
    except defs.SchemaError:
        return None
    return found if found.since_version == identity.since_version else None


@cache
def identify(name: str, opset: int, domain: str = "") -> Identity:
    """Return which operator a node called ``name`` means where its domain has version ``opset``.

    An operator without a schema is one of that version of its domain.

    Complexity:
        Constant after the first time.
    """
    domain = canonical_domain(domain)
    defs = load_onnx("onnx.defs")
    try:
        since = defs.get_schema(name, opset, domain).since_version
    except defs.SchemaError:
        since = opset
    return Identity(domain, name, since)


@cache
def attribute_kinds(identity: Identity) -> Mapping[str, int]:
    """Return the numbers of the types of the attributes that the schema of an operator says."""
    schema = find_schema(identity)
    if schema is None:
        return {}
    return {name: attribute.type.value for name, attribute in schema.attributes.items()}


@cache
def is_optional_output(identity: Identity, place: int) -> bool:
    """Return whether a node may leave out an output, as far as the schema of its operator says.

    One of several that the last output of the schema stands for has to have a name.
    """
    schema = find_schema(identity)
    if schema is None or not schema.outputs:
        return True
    found = schema.outputs[min(place, len(schema.outputs) - 1)]
    option = load_onnx("onnx.defs").OpSchema.FormalParameterOption
    return bool(found.option == option.Optional)
