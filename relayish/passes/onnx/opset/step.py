"""A call on its way from one version of its operator to the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt

from relayish.errors import PassError
from relayish.ir.nodes.span import at_span, name_of_span
from relayish.ir.relay.expr import Call, Expr, Var
from relayish.onnx.calls import attributes_of, count_outputs, inputs_of, is_absent, make_call
from relayish.onnx.element_types import element_type_number, find_numpy_dtype
from relayish.onnx.operator_sets import identify
from relayish.onnx.operators import find_operator, identity_of
from relayish.onnx.package import load_onnx
from relayish.passes.onnx.rewrite.engine import Rewriter


class Step:
    """One step of a call: what an adapter asks, and what it builds with.

    Attributes:
        call: The call, in the version before.
        graph: The function around it.
        version: The version of the operator set that the step leads to.
        goal: The version that the whole conversion leads to.
        name: The operator.
        inputs: The inputs of the call.
        attributes: A copy of its attributes, which the adapter may change.
    """

    def __init__(self, call: Call, graph: Rewriter, version: int, goal: int) -> None:
        identity = identity_of(call.op)
        assert identity is not None
        self.call = call
        self.graph = graph
        self.version = version
        self.goal = goal
        self.name = identity.name
        self.inputs: list[Expr | None] = [
            None if is_absent(each) else each for each in inputs_of(call)
        ]
        self.attributes = attributes_of(call)

    def pop(self, name: str, default: Any = None) -> Any:  # Any: of whatever kind the schema says
        """Take an attribute away and return it, ``default`` where the call has none."""
        return self.attributes.pop(name, default)

    def put(self, place: int, value: Expr | None) -> None:
        """Make ``value`` the input at ``place``; inputs before it that are not there are absent."""
        self.inputs += [None] * (place + 1 - len(self.inputs))
        self.inputs[place] = value
        while self.inputs and self.inputs[-1] is None:
            self.inputs.pop()

    def put_constant(
        self, place: int, value: npt.ArrayLike, dtype: npt.DTypeLike, name: str
    ) -> None:
        """Make a constant the input at ``place``."""
        self.put(place, self.constant(value, dtype, name))

    def constant(self, value: npt.ArrayLike, dtype: npt.DTypeLike, name: str) -> Var:
        """Bind a constant before the call; ``name`` says what it is to the call."""
        hint = f"{self.graph.current.name_hint}_{name}"
        if isinstance(dtype, str):
            dtype = find_numpy_dtype(element_type_number(dtype))
        return self.graph.emit_constant(hint, np.asarray(value, dtype))

    def emit(self, operator: str, inputs: Sequence[Expr | None], **attributes: object) -> Var:
        """Bind a call of an operator, as of the version of the step, before the call."""
        hint = f"{self.graph.current.name_hint}_{operator.lower()}"
        made = self._make(operator, inputs, attributes, 1).with_fields(span=self.call.span)
        return self.graph.emit(hint, made)

    def finish(self, operator: str | None = None) -> Call:
        """Return the call in the version of the step, with what the adapter made of it."""
        made = self._make(
            operator or self.name, self.inputs, self.attributes, count_outputs(self.call.attrs)
        )
        return made.with_fields(span=self.call.span)

    def _make(
        self,
        operator: str,
        inputs: Sequence[Expr | None],
        attributes: Mapping[str, object],
        outputs: int,
    ) -> Call:
        identity = identify(operator, self.version)
        op = find_operator(identity.name, identity.since_version)
        return make_call(op, inputs, attributes, outputs=outputs)

    def rank(self, place: int, purpose: str) -> int:
        """Return the number of dimensions of an input.

        Raises:
            PassError: If it is not known.
        """
        value = self.inputs[place]
        found = None if value is None else self.graph.rank_of(value)
        if found is None:
            self.refuse(f"input {place} is of unknown rank, which {purpose} depends on")
        return found

    def dtype(self, place: int, purpose: str) -> str:
        """Return the element type of an input.

        Raises:
            PassError: If it is not known.
        """
        value = self.inputs[place]
        found = None if value is None else self.graph.dtype_of(value)
        if found is None:
            self.refuse(f"input {place} is of unknown element type, which {purpose} depends on")
        return found

    def integers(self, place: int, purpose: str) -> list[int]:
        """Return the elements of an input that is a constant.

        Raises:
            PassError: If it is none.
        """
        value = self.inputs[place] if place < len(self.inputs) else None
        found = None if value is None else self.graph.value_of(value)
        if found is None:
            self.refuse(f"input {place} is no constant, which {purpose} depends on")
        return [int(each) for each in np.atleast_1d(found)]

    def refuse(self, why: str) -> NoReturn:
        """Raise the error that says why this call cannot take the step."""
        raise PassError(describe(self.call, self.version, self.graph.current.name_hint, why))


Adapter: TypeAlias = Callable[[Step], Expr]
"""What returns a call, or what stands for it, in the version of the step."""


def describe(call: Call, version: int, value: str, why: str) -> str:
    """Return a message that a call cannot be converted: which, to which version, and why."""
    identity = identity_of(call.op)
    assert identity is not None
    named = name_of_span(call.span)
    node = f"node {named!r}" if named else f"a node without name{at_span(call)}"
    return (
        f"cannot convert {identity.name} of version {identity.since_version} to version {version}, "
        f"at {node} that gives {value!r}: {why}"
    )


@cache
def versions_of(name: str) -> tuple[int, ...]:
    """Return the versions of the operator set that brought an operator or changed it, ascending."""
    return _all_versions().get(name, ())


@cache
def _all_versions() -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    for schema in load_onnx("onnx.defs").get_all_schemas_with_history():
        if schema.domain == "":
            found.setdefault(schema.name, []).append(schema.since_version)
    return {name: tuple(sorted(versions)) for name, versions in found.items()}


@cache
def next_version(name: str, since: int, goal: int) -> int | None:
    """Return the next version of an operator behind ``since``, ``None`` if there is none to go."""
    return next((each for each in versions_of(name) if since < each <= goal), None)
