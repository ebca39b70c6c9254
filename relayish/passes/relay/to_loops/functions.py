"""An expression of tensors as a function of loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from relayish.domain import Handler, assemble
from relayish.errors import UnlowerableError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.expr import Constant, Expr, Function
from relayish.ir.relay.function_attributes import RESHAPE_ONLY, is_marked
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.passes.relay.to_loops.context import ToLoopsCtx, count_uses
from relayish.passes.relay.to_loops.elements import Elements
from relayish.tir.builders.lower import lower
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
    """

    func: LoweredFunc
    constants: tuple[Constant, ...]
    results: int
    is_tuple: bool


def function_to_loops(
    func: Function, name: str, handlers: Sequence[Handler | type[Handler]] = ()
) -> Kernel:
    """Return a function of tensors as one of loops.

    Args:
        func: A function with types, whose body is made of operators, tuples and projections.
        name: What it is called.
        handlers: What takes the place of the handlers of their domains for the task ``"loops"``.

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
    params = [tensor for param in func.params for tensor in ctx.inputs[param]]
    made = ctx.place_bodies(lower(name, [*params, *ctx.constants.values(), *outputs]))
    is_of_one = sum([len(ctx.inputs[param]) for param in func.params]) == 1
    if is_marked(func, RESHAPE_ONLY) and is_of_one:  # not of a field of a tuple
        made = made.with_fields(attrs=DictAttrs({RESHAPE_ONLY: 1}))
    return Kernel(made, tuple(ctx.constants), len(outputs), is_tuple)
