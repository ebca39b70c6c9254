"""Reading operations: ``compute_op(axis=[i], shape=[16], body=[A[i]], name="B")``."""

from __future__ import annotations

import re
from typing import Any, Final

from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.fields.field import REQUIRED
from relayish.text.source import BLANK
from relayish.tir.ir.operation import (
    BufferShareOp,
    CallOp,
    ComputeOp,
    Operation,
    PlaceholderOp,
    PrecedingViewOp,
)
from relayish.tir.text.expressions import read_expression
from relayish.tir.text.notes_reader import read_key, read_value
from relayish.tir.text.reader import Reader

_KINDS: Final[dict[str, type[Operation]]] = {
    kind.visit_name: kind
    for kind in (PlaceholderOp, ComputeOp, CallOp, PrecedingViewOp, BufferShareOp)
}
OPERATION: Final = re.compile(rf"{BLANK}({'|'.join(_KINDS)})\(")


def operation(reader: Reader) -> Operation:
    """Read an operation, the word of which comes next."""
    found = reader.match(OPERATION)
    assert found is not None
    kind, start = _KINDS[found[1]], found.start(1)
    known = [f.name for f in kind.fields_ if f.name != "span"]
    reader.pos = found.end()
    mark = len(reader.hidden)
    fields: dict[str, Any] = {}  # Any: whatever the fields hold
    for _ in reader.until(")", f"or ',' in {found[1]}(...)"):
        key, at = read_key(reader)
        if key not in known:
            reader.unknown(f"field of {found[1]}:", key, known, at)
        if key in fields:
            reader.fail(f"{key} is given twice; leave one out", at)
        fields[key] = _field(reader, kind, key, at)
    reader.leave(mark)
    for declared in kind.fields_:
        if declared.default is REQUIRED and declared.name not in fields:
            reader.fail(
                f"{found[1]} lacks its field {declared.name}; write {declared.name}=...", start
            )
    made: Operation = kind(**fields, span=reader.span(start, reader.pos))
    return made


def _field(reader: Reader, kind: type[Operation], key: str, at: int) -> Any:  # Any: as above
    if kind is ComputeOp and key == "axis":
        reader.expect("[", "behind axis=")
        axis = []
        for _ in reader.until("]", "or ',' behind an axis"):
            name, place = reader.read_name_here("the name of an axis")
            var = reader.make_variable(name, place)
            reader.bind(name, var)
            axis.append(var)
        return tuple(axis)
    if key in ("shape", "body", "reduce_axis", "targets"):
        reader.expect("[", f"behind {key}=")
        where = f"or ',' behind an item of {key}"
        return tuple([_tensor_or_expression(reader, key) for _ in reader.until("]", where)])
    if key in ("call", "tensor"):
        return _tensor_or_expression(reader, key)
    value = read_value(reader)
    if key == "dtype":
        return reader.type_of(value, at)
    if key == "attrs" and not isinstance(value, DictAttrs):
        reader.fail(f"attrs= are pairs in braces, {{key=value}}; found {value!r}", at)
    return value


def _tensor_or_expression(reader: Reader, key: str) -> Any:  # Any: a node
    if key in ("targets", "tensor"):
        name, at = reader.read_name_here("the name of a tensor")
        return reader.tensor(name, at)
    return read_expression(reader, f"an item of {key}")
