"""Rules: what each operator of ONNX becomes, and what they are told of a node."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from relayish.ir.registration.claimed_table import ClaimedTable
from relayish.ir.relay.expr import Call, Constant, Expr
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType, Type
from relayish.onnx.calls import attributes_of, graphs_of, inputs_of
from relayish.onnx.identity import Identity
from relayish.op.builders.builder import builder

Array: TypeAlias = NDArray[Any]  # Any: the element type is known when the value is


Lower: TypeAlias = Callable[[IRModule], IRModule]
"""Lowers a module all of whose operators have to be; raises :class:`Unlowered` if one is not."""


class Unlowered(Exception):  # noqa: N818 - it says why, and never leaves this package
    """A node cannot be written with Relay's operators; says why."""


class Known(Protocol):
    """What is known of the values of a function."""

    def type_of(self, expr: Expr) -> Type | None:
        """Return the type of a value."""

    def value_of(self, expr: Expr) -> Array | None:
        """Return a value, where it is known."""

    def giver_of(self, expr: Expr) -> Expr:
        """Return the call that gives a value, or what else does."""


class OnnxNode:
    """A node to be lowered.

    Attributes:
        identity: Which operator it calls.
        version: The version of its operator set that brought the operator as it is.
        inputs: What its inputs became; ``None`` for one that is missing.
        captures: What the values became that its graphs capture.
        graphs: Its graphs, as they were.
        attributes: Its attributes, without graphs.
    """

    def __init__(
        self,
        call: Call,
        inputs: Sequence[Expr | None],
        identity: Identity,
        known: Known,
        captures: Sequence[Expr] = (),
        lower: Lower | None = None,
    ) -> None:
        self.call = call
        self.identity = identity
        self.version = identity.since_version
        self.inputs = inputs
        self.captures = captures
        self._lower = lower
        self.graphs = graphs_of(call)
        self.attributes: Mapping[str, Any] = attributes_of(call)  # Any: of any class
        self._known = known
        self._old = inputs_of(call)

    def attr(self, name: str, default: Any = None) -> Any:
        """Return an attribute. Any: of whatever class the schema says."""
        return self.attributes.get(name, default)

    def has(self, place: int) -> bool:
        """Return whether there is an input at a place."""
        return place < len(self.inputs) and self.inputs[place] is not None

    def input(self, place: int) -> Expr:
        """Return what an input became.

        Raises:
            Unlowered: If it is missing.
        """
        found = self.inputs[place] if place < len(self.inputs) else None
        if found is None:
            raise Unlowered(f"its input {place} is missing")
        return found

    def type(self, place: int) -> TensorType:
        """Return the type of an input.

        Raises:
            Unlowered: If it is no tensor of known rank.
        """
        found = self._known.type_of(self._old[place]) if place < len(self._old) else None
        if not isinstance(found, TensorType):
            raise Unlowered(f"the rank of its input {place} is not known")
        return found

    def lower(self, mod: IRModule) -> IRModule:
        """Return what operators and graphs of a node are written by, lowered.

        Raises:
            Unlowered: If an operator stays.
        """
        if self._lower is None:
            raise Unlowered("nothing lowers what it is made of")
        return self._lower(mod)

    def result_type(self) -> Type | None:
        """Return the type of the result, ``None`` if nothing is known of it."""
        return self._known.type_of(self.call)

    def rank(self, place: int = 0) -> int:
        """Return how many dimensions an input has."""
        return len(self.type(place).shape)

    def dtype(self, place: int = 0) -> str:
        """Return the element type of an input."""
        return self.type(place).dtype

    def sizes(self, place: int = 0) -> tuple[int, ...]:
        """Return the shape of an input, all of whose sizes are known.

        Raises:
            Unlowered: If one is not.
        """
        shape = self.type(place).shape
        found = tuple([size for size in shape if isinstance(size, int)])
        if len(found) < len(shape):
            raise Unlowered(f"the shape of its input {place} is known only when it runs")
        return found

    def axis(self, default: int = 0, place: int = 0, name: str = "axis") -> int:
        """Return an attribute that is an axis of an input, 0 or more.

        Raises:
            Unlowered: If the input has no such axis.
        """
        axis, rank = int(self.attr(name, default)), self.rank(place)
        if not -rank <= axis < max(rank, 1):
            raise Unlowered(f"its input {place} of {rank} axes has no axis {axis}")
        return axis + rank if axis < 0 else axis

    def check_rank(self, place: int, rank: int) -> None:
        """Refuse an input of another rank than its operator takes."""
        if self.rank(place) != rank:
            raise Unlowered(f"its input {place} has {self.rank(place)} axes, and not {rank}")

    def value(self, place: int) -> Array | None:
        """Return an input that is known, ``None`` where it is not, or missing."""
        if not self.has(place):
            return None
        new = self.inputs[place]
        if type(new) is Constant and isinstance(new.data, (np.ndarray, np.generic)):
            return np.asarray(new.data)
        return self._known.value_of(self._old[place])

    def constant(self, place: int, what: str) -> Array:
        """Return an input that has to be known.

        Raises:
            Unlowered: If it is not.
        """
        found = self.value(place)
        if found is None:
            raise Unlowered(f"its {what} is known only when it runs")
        return found

    def ints(self, place: int, what: str) -> tuple[int, ...]:
        """Return an input of integers that has to be known."""
        return tuple([int(each) for each in self.constant(place, what).reshape(-1)])

    def axes(self, name: str = "axes", place: int = 1) -> tuple[int, ...] | None:
        """Return axes, which newer versions take as an input, ``None`` where none are said."""
        if name in self.attributes:
            return tuple([int(each) for each in self.attributes[name]])
        return self.ints(place, name) if self.has(place) else None


Rule: TypeAlias = Callable[[OnnxNode], Expr | Sequence[Expr]]
"""What a node becomes: an expression, or one for each of its outputs."""

RULES: Final[ClaimedTable[tuple[str, str], Rule]] = ClaimedTable(
    lambda key: f"the lowering of {key[1]}{f' of {key[0]}' if key[0] else ''}", "leave one out"
)
"""By domain of ONNX and operator."""


def lowers(*names: str, domain: str = "") -> Callable[[Rule], Rule]:
    """Let the decorated function be what operators become, in all of their versions.

    Raises:
        DuplicateNameError: If somebody else gave one of them a rule.
    """

    def declare(rule: Rule) -> Rule:
        for name in names:
            RULES.register((domain, name), rule)
        return rule

    return declare


REASONS: Final[dict[str, str]] = {
    **dict.fromkeys(
        ("NonMaxSuppression", "NonZero", "Unique"), "how large its result is follows from its data"
    ),
    **dict.fromkeys(
        ("Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform",
         "RandomUniformLike"), "it draws random numbers"
    ),
    "ImageDecoder": "it decodes a file, as the library of images does that evaluators call",
}  # fmt: skip
"""Why operators of ONNX's own domain are lowered by no rule, where there is more to say."""


def build(op: str, *args: object, **attributes: object) -> Expr:
    """Return a call of an operator of Relay's."""
    return builder(op)(*args, **attributes)


def const(value: object, dtype: str) -> Constant:
    """Return a constant of an element type."""
    return Constant(np.asarray(value).astype(dtype))
