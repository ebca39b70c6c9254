"""Lowering of models: operators of ONNX become Relay's.

Before::

    let %y = onnx::Conv_11(%x, %w, %b, pads=[1, 1, 1, 1]);
    onnx::Relu_14(%y)

After::

    %0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1], channels=8, kernel_size=[3, 3]);
    let %y = nn.bias_add(%0, %b);
    nn.relu(%y)
"""

from __future__ import annotations

from typing import Any, Final

from numpy.typing import NDArray

from relayish.analysis.infer_type import infer_type
from relayish.analysis.well_formed import check_well_formed
from relayish.domain import Visitor
from relayish.errors import PassError, TypeInferenceError, WellFormedError
from relayish.functor import MixedModeMutator
from relayish.ir.domains.domain import list_domains
from relayish.ir.kinds.opcode import domain_of
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Expr, Function, GlobalVar, Let, TupleGetItem
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import Any as AnySize
from relayish.ir.relay.type import TensorType, Type
from relayish.ir.scopes.renaming import replace_nodes
from relayish.onnx import info
from relayish.onnx.calls import captures_of, graphs_of
from relayish.onnx.op_names import is_onnx_domain
from relayish.onnx.propagation import propagate
from relayish.pass_infra import register_pass
from relayish.passes.onnx.lowering.handler import LowerOnnxOperators
from relayish.passes.onnx.lowering.lower_onnx_loops import is_loop
from relayish.passes.onnx.lowering.rule import Unlowered
from relayish.passes.onnx.rewrite.inline_onnx_functions import inline_onnx_functions
from relayish.passes.relay.cleanup.remove_unused_functions import remove_unused_functions
from relayish.passes.relay.lowering.context import Left, LowerCtx, Unlowerable
from relayish.passes.relay.lowering.relay import LowerRelay


@register_pass("LowerOnnx", opt_level=0, idempotent=True)
def lower_onnx(mod: IRModule, *, unlowerable: Unlowerable = "keep", check: bool = True) -> IRModule:
    """Lowering: write operators of ONNX as Relay's.

    The domains of ONNX bring a handler each (``LowerOnnxOperators``), which asks the rules that are
    registered for its operators. What no rule lowers becomes what the operators do by which ONNX
    defines it, if all of these can be lowered. Functions of the model are put where they are
    called, since their operators have types there. What depends on the values of inputs, such as
    the shape that a ``Reshape`` gives, is lowered where these are known.

    Args:
        mod: A model, as :func:`~relayish.frontend.from_onnx` reads it.
        unlowerable: ``"keep"`` leaves what Relay's operators cannot express, ``"refuse"`` raises.
        check: Whether to check scopes and types of what was made; the result has types then.

    Returns:
        ``mod`` itself when there are no such calls.

    Raises:
        PassError: If something is refused, or what rules made does not hold together.
        TypeInferenceError: If the model contradicts itself.

    Complexity:
        Linear in the number of distinct nodes; a call becomes a number of nodes that depends on
        its operator, and for recurrent layers on the number of steps.
    """
    lowered = _lower(mod, LowerCtx(unlowerable=unlowerable))
    return _checked(lowered) if check and lowered is not mod else lowered


def _lower(mod: IRModule, context: LowerCtx) -> IRModule:
    """Return a module with its operators lowered as far as rules and definitions say how."""
    typed = infer_type(_without_idle_functions(inline_onnx_functions(mod, any_version=True)))
    known = _Known(typed)
    domains = [domain for domain in list_domains() if is_onnx_domain(domain.name)]
    handlers = [LowerOnnxOperators(domain, known, _lower_definition) for domain in domains]
    visitor = Visitor(context, *handlers, LowerRelay(), occurrences=False)
    images: dict[GlobalVar, Expr] = {}
    for name, function in typed.functions.items():
        if type(function) is Function:
            image: Expr = visitor.visit(function)
            if image is not function:
                images[name] = _without_wide_types(image, known)
    return typed.with_functions(images) if images else mod


def find_left(mod: IRModule) -> list[Left]:
    """Return the calls that :func:`lower_onnx` leaves, each with the reason."""
    context = LowerCtx()
    _lower(mod, context)
    return context.left


def _lower_definition(mod: IRModule) -> IRModule:
    """Return the definition of an operator, lowered but for loops.

    Raises:
        Unlowered: If something else stays.
    """
    context = LowerCtx()
    lowered = _lower(mod, context)
    for each in context.left:
        if not is_loop(each.call):
            raise Unlowered(f"it is defined by operators of which {each}")
    return lowered


def _checked(lowered: IRModule) -> IRModule:
    """Return what was made, with types."""
    try:
        check_well_formed(lowered)
        return infer_type(lowered)
    except (WellFormedError, TypeInferenceError) as error:
        raise PassError(f"what lowering made does not hold together: {error}") from error


def _without_idle_functions(mod: IRModule) -> IRModule:
    """Return a module without functions of the model that nothing calls: they have no types."""
    entries = [
        name.name_hint
        for name, function in mod.functions.items()
        if not (type(function) is Function and info.FUNCTION in (function.attrs or {}))
    ]
    return remove_unused_functions(mod, entry_functions=tuple(entries)) if entries else mod


def _without_wide_types(function: Expr, known: _Known) -> Expr:
    """Return a function without types that were inferred of variables and are wider than need be.

    What was of any shape to type inference, since it depends on values, has a type now. Parameters
    of graphs in nodes that stay have the types that are known of them.
    """
    narrowed: dict[Node, Node] = {}
    for each in EXPRESSIONS.post_order(function):
        if type(each) is Let and _is_wide(each):
            narrowed[each.var] = each.var.with_fields(type_annotation=None, checked_type=None)
        elif type(each) is Function and each is not function:
            for param in each.params:
                ty = known.type_of(param)
                if isinstance(ty, TensorType) and param.type_annotation is not ty:
                    narrowed[param] = param.with_fields(type_annotation=ty, checked_type=None)
    return _Untyped().visit(replace_nodes(function, narrowed))


class _Untyped(MixedModeMutator):
    """Forgets the types that were inferred of the results of functions."""

    def rewrite_function(self, pre: Function, post: Function) -> Expr:  # noqa: ARG002 - as all
        """Return a function whose result may be of any type."""
        return post.with_fields(ret_type=None)


def _is_wide(let: Let) -> bool:
    """Return whether the type of a variable may be wider than that of what it is bound to."""
    ty = let.var.type_annotation
    if not isinstance(ty, TensorType):
        return True
    is_lowered = not is_onnx_domain(domain_of(let.value).name)
    return is_lowered and any(isinstance(size, AnySize) for size in ty.shape)


class _Known:
    """What propagation tells of the values of a module, else type inference."""

    def __init__(self, mod: IRModule) -> None:
        self._facts: Final = [
            propagate(function, mod)
            for function in mod.functions.values()
            if type(function) is Function
        ]
        self._bound: Final[dict[Expr, Expr]] = {}
        for function in mod.functions.values():
            for each in EXPRESSIONS.post_order(function):
                if type(each) is Let:
                    self._bound[each.var] = each.value
                elif type(each) is Call and (captured := captures_of(each)):
                    for graph in graphs_of(each).values():
                        if type(graph) is Function:
                            held = graph.params[-len(captured) :]
                            self._bound.update(zip(held, captured, strict=True))

    def type_of(self, expr: Expr) -> Type | None:
        """Return the type of a value, with what is known of values."""
        for facts in self._facts:
            found = facts.type_of(expr)
            if found is not None:
                return found
        return expr.checked_type

    def value_of(self, expr: Expr) -> NDArray[Any] | None:  # Any: of whatever element type
        """Return a value that is known."""
        for facts in self._facts:
            found = facts.value_of(expr)
            if found is not None:
                return found
        return None

    def giver_of(self, expr: Expr) -> Expr:
        """Return the call that gives a value, or what else does."""
        while True:
            if expr in self._bound:
                expr = self._bound[expr]
            elif type(expr) is TupleGetItem:
                expr = expr.tuple_value
            else:
                return expr
