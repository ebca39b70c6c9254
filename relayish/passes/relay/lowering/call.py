"""Rules of lowering: what a handler is told of the call that it lowers, and how rules become it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar, Final, TypeAlias

from relayish.analysis.evaluation_order import EvaluationOrder
from relayish.analysis.static_shape import get_static_shape
from relayish.domain import DefaultHandler
from relayish.domain.dispatch import Dispatch
from relayish.errors import EvaluationError, PassError, RelayishError
from relayish.ir.domains.domain import Domain
from relayish.ir.kinds.opcode import operator_of
from relayish.ir.relay.expr import Call, Expr
from relayish.ir.relay.type import Any as AnySize
from relayish.ir.relay.type import PrimExpr, TensorType
from relayish.op.builders.builder import op
from relayish.op.builders.call import attrs_of
from relayish.op.types.extent import Extent, Size
from relayish.passes.relay.lowering.context import LowerCtx
from relayish.passes.relay.lowering.placing import put_in_place
from relayish.passes.relay.lowering.tensors import is_integral_type
from relayish.passes.relay.rewrite.rules.tensors import normalise_axis, tensor_of
from relayish.rewriting.rule import Facts
from relayish.rewriting.rule import Rule as RewriteRule


class NotLowerableError(RelayishError):
    """Tensor operators cannot express a call; the message is the reason."""


class Site:
    """A call that is being lowered.

    Attributes:
        before: The call of the old program, with types.
        call: The same with lowered arguments, which have none.
        attrs: Its attributes.  Any: those of the one operator
    """

    __slots__ = ("attrs", "before", "call")

    def __init__(self, before: Call, call: Call) -> None:
        self.before: Final = before
        self.call: Final = call
        self.attrs: Final[Any] = attrs_of(before)

    @property
    def args(self) -> tuple[Expr, ...]:
        """The lowered arguments."""
        return self.call.args

    def ty(self, index: int = 0) -> TensorType:
        """Return the type of an argument.

        Raises:
            PassError: If it was not inferred, or is that of no tensor.
        """
        return tensor_of(self.before.args[index])

    def dtype(self, index: int = 0) -> str:
        """Return the element type of an argument."""
        return self.ty(index).dtype

    def rank(self, index: int = 0) -> int:
        """Return how many axes an argument has."""
        return len(self.ty(index).shape)

    def axis(self) -> int:
        """Return the attribute ``axis``, an axis of the first argument, from the front."""
        return normalise_axis(self.attrs.axis, self.rank())

    def shape(self, index: int = 0) -> tuple[int, ...]:
        """Return the sizes of an argument.

        Raises:
            NotLowerableError: If one is not known, or 0.
        """
        return known_shape(self.ty(index), f"argument {index}")

    def real_dtype(self) -> str:
        """Return the element type of the first argument, a type of floats.

        Raises:
            NotLowerableError: If it is one of integers, whose roots and powers are no integers.
        """
        dtype = self.dtype()
        refuse_unless(not is_integral_type(dtype), f"it computes roots or powers of {dtype}")
        return dtype

    def result(self) -> TensorType:
        """Return the type of the result."""
        return tensor_of(self.before)

    def result_shape(self) -> tuple[int, ...]:
        """Return the sizes of the result, as :meth:`shape`."""
        return known_shape(self.result(), "the result")


def known_shape(ty: TensorType, what: str) -> tuple[Size, ...]:
    """Return the sizes of a tensor that has elements; one with a name is an :class:`Extent`.

    Raises:
        NotLowerableError: If one is not known, or 0.
    """
    if any(isinstance(size, AnySize) for size in ty.shape):
        raise NotLowerableError(f"the shape of {what} is not known")
    if 0 in ty.shape:
        raise NotLowerableError(f"{what} has no elements")
    found: tuple[Size, ...] = ty.shape
    return tuple([Extent(size) if isinstance(size, PrimExpr) else size for size in found])


def refuse_unless(condition: bool, reason: str) -> None:
    """Raise for a call that tensor operators cannot express, unless ``condition`` holds."""
    if not condition:
        raise NotLowerableError(reason)


Rule: TypeAlias = Callable[[Any, Site], Expr]  # Any: the handler it is a method of
"""``rule(handler, site)``: the expression that stands for a call."""


def lowers(rule: Rule) -> Callable[[Any, Dispatch, Call], Expr]:  # Any: as above
    """Make a rule the method of a handler: it is given a :class:`Site` with lowered arguments.

    What it returns stands in the place of the call. Where it raises :exc:`NotLowerableError`, or
    arguments act and would in another order, the call stays, or is refused, as the context says.
    """

    @wraps(rule)
    def handle(self: Any, visitor: Dispatch, node: Call) -> Expr:  # Any: as above
        call = visitor.visit_by_default(node)
        try:
            empty = _empty_result(node)
            image = rule(self, Site(node, call)) if empty is None else empty
        except (NotLowerableError, EvaluationError) as reason:
            return _leave(visitor, node, call, str(reason))
        if not self.order.is_kept(call, image, call.args):
            return _leave(visitor, node, call, "its arguments act, and would in another order")
        return put_in_place(visitor.context, node, call, image)

    return handle


def _leave(visitor: Dispatch, node: Call, call: Call, reason: str) -> Expr:
    context = visitor.context
    return context.leave(node, call, reason) if isinstance(context, LowerCtx) else call


def _empty_result(node: Call) -> Expr | None:
    """Return the result of a call that has no elements; ``None`` where it may have some."""
    shape = get_static_shape(node.checked_type)
    if shape is None or 0 not in shape:
        return None
    found: Expr = op.zeros(shape, dtype=tensor_of(node).dtype)
    return found


class LoweringHandler(DefaultHandler):
    """The base of handlers that lower the calls of one domain.

    Operators without a method stay, for the reason in :attr:`inexpressible`. Types of the program
    have to be known.
    """

    inexpressible: ClassVar[dict[str, str]] = {}
    """By operator that no tensor operators express, why."""

    def __init__(self, domain: str | Domain | None = None) -> None:
        super().__init__(domain)
        self.order: Final = EvaluationOrder()

    def any_operator(self, visitor: Dispatch, node: Any) -> Any:  # Any: as the base
        """Return ``node`` with lowered children, and note that it stays."""
        call = visitor.visit_by_default(node)
        if not isinstance(node, Call):
            return call
        if node.checked_type is None:
            raise PassError("types are needed to lower calls; run InferType first")
        name = operator_of(node).name
        reason = self.inexpressible.get(name, "no rule of lowering is written for it")
        return _leave(visitor, node, call, reason)


def apply_rule(rule: RewriteRule, call: Call, before: Call) -> Expr:
    """Return what a rewrite rule makes of ``call``, which has the types of ``before``."""
    facts = Facts()
    facts.pre = before
    image: Expr = rule(call, facts)
    return image
