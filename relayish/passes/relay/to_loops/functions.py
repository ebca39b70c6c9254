"""An expression of tensors as a function of loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from relayish.domain import Handler, assemble
from relayish.errors import UnlowerableError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.kinds.one_line import quote
from relayish.ir.relay.expr import Constant, Expr, Function
from relayish.ir.relay.expr import Var as RelayVar
from relayish.ir.relay.function_attributes import RESHAPE_ONLY, is_marked
from relayish.ir.relay.traversal import EXPRESSIONS, TYPES
from relayish.ir.relay.type import TensorType
from relayish.ir.relay.typed import type_of
from relayish.passes.relay.to_loops.context import ToLoopsCtx, count_uses
from relayish.passes.relay.to_loops.elements import Elements
from relayish.tir.builders.lower import lower
from relayish.tir.foreign_calls import SIZES_TOLD
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.tensor import Tensor


def is_view(func: LoweredFunc) -> bool:
    """Return whether a function gives what it is given, in another shape."""
    return func.attrs is not None and RESHAPE_ONLY in func.attrs


class Kernel(NamedTuple):
    """A function of loops that computes what a function of Relay does.

    Attributes:
        func: The function: it is given the parameters, constants, and memory for each result.
        constants: The constant arrays that it is given.
        results: How many results there are.
        is_tuple: Whether they are the fields of a tuple.
        tellers: What it is given behind the parameters, since it tells sizes that these do not.
    """

    func: LoweredFunc
    constants: tuple[Constant, ...]
    results: int
    is_tuple: bool
    tellers: tuple[RelayVar, ...] = ()


def function_to_loops(
    func: Function,
    name: str,
    handlers: Sequence[Handler | type[Handler]] = (),
    *,
    around: Sequence[RelayVar] = (),
) -> Kernel:
    """Return a function of tensors as one of loops.

    Args:
        func: A function with types, whose body is made of operators, tuples and projections.
        name: What it is called.
        handlers: What takes the place of the handlers of their domains for the task ``"loops"``.
        around: What it may be given besides, which tells sizes.

    Raises:
        UnlowerableError: If loops cannot express a node of it: which, and why.
    """
    nodes = [each for each in EXPRESSIONS.post_order(func.body) if isinstance(each, Expr)]
    uses = count_uses(nodes, EXPRESSIONS.children)
    ctx = ToLoopsCtx(uses)
    visitor = assemble("loops", ctx, *handlers)
    found = ctx.elements(visitor, func.body)
    is_tuple = not isinstance(found, Elements)
    results = [found] if isinstance(found, Elements) else list(found)
    if not all(isinstance(each, Elements) for each in results):
        raise UnlowerableError(f"{name} cannot be written as loops: a tuple of it holds a tuple")
    given = {tensor for fields in ctx.inputs.values() for tensor in fields}
    outputs: list[Tensor] = []
    for each in results:
        tensor = each.tensor
        if tensor is None or tensor in given or tensor in outputs:
            tensor = ctx.store(each.shape, each.at, "result").tensor
        assert tensor is not None
        outputs.append(tensor)
    for param in func.params:
        ctx.input(param)
    tellers = _tellers(ctx, func, around)
    params = [tensor for param in (*func.params, *tellers) for tensor in ctx.inputs[param]]
    sizes = list(ctx.sizes.variables.values())
    made = lower(name, [*params, *ctx.constants.values(), *outputs], sizes)
    made = ctx.place_bodies(made)
    is_of_one = sum([len(ctx.inputs[param]) for param in func.params]) == 1
    is_view = is_of_one and is_marked(func, RESHAPE_ONLY)  # not of a field of a tuple
    marks = {**({RESHAPE_ONLY: 1} if is_view else {}),
             **({SIZES_TOLD: 1} if sizes else {})}  # fmt: skip
    if marks:
        made = made.with_fields(attrs=DictAttrs(marks))
    return Kernel(made, tuple(ctx.constants), len(outputs), is_tuple, tuple(tellers))


def _tellers(ctx: ToLoopsCtx, func: Function, around: Sequence[RelayVar]) -> list[RelayVar]:
    """Return what a function has to be given besides, since its own parameters tell no size.

    Raises:
        UnlowerableError: If nothing around tells one: which.
    """
    told = _sizes_in(func.params)
    found: list[RelayVar] = []
    pending = list(ctx.sizes.variables)
    while pending:
        size = pending.pop()
        if size in told:
            continue
        teller = next((each for each in around if size in _sizes_in([each])), None)
        if teller is None:
            raise UnlowerableError(
                f"{quote(func.body)} cannot be written as loops: no parameter has {size.name} as a "
                f"size"
            )
        found.append(teller)
        ctx.input(teller)
        told |= _sizes_in([teller])
        pending = list(ctx.sizes.variables)
    return found


def _sizes_in(params: Sequence[RelayVar]) -> set[object]:
    """Return the sizes of parameters, which tell them."""
    parts = [part for param in params for part in TYPES.post_order(type_of(param))]
    return {size for part in parts if isinstance(part, TensorType) for size in part.shape}
