"""Calls of functions of the model: their bodies instead."""

from __future__ import annotations

from collections.abc import Mapping

from relayish.functor import MixedModeMutator
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.expr import Call, Expr, Function, GlobalVar
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes.renaming import rename_bound
from relayish.onnx import info
from relayish.onnx.calls import ABSENT, attributes_of, inputs_of
from relayish.onnx.operator_sets import identify
from relayish.onnx.operators import identity_of
from relayish.onnx.protos.attributes import REFERENCE
from relayish.passes.onnx.rewrite.engine import FUNCTIONS, Rewriter, rule
from relayish.rewriting.rule import Rule


def inline_functions_of(mod: IRModule, *, any_version: bool = False) -> Rule:
    """Return the rule that puts the bodies of functions of ``mod`` where they are called.

    Args:
        mod: The module they belong to.
        any_version: Whether operators may stand beside those of another version of their set.
    """

    @rule(FUNCTIONS)
    def inline_function(call: Call, graph: Rewriter) -> Expr | None:
        """Put the body of a function of the model where it is called."""
        function = mod[call.op] if type(call.op) is GlobalVar and call.op in mod else None
        if type(function) is not Function or function.attrs is None:
            return None
        told = function.attrs.get(info.FUNCTION)
        if not isinstance(told, DictAttrs):
            return None
        if not any_version and not _is_of_same_opsets(function, graph):
            return None
        inputs = inputs_of(call)
        if len(inputs) > len(function.params):
            return None
        missing = (ABSENT,) * (len(function.params) - len(inputs))
        values = _default_attributes(told) | attributes_of(call)
        body = rename_bound(bind_attributes(function, values))  # each call has variables of its own
        return graph.inline(body, [*inputs, *missing])

    return inline_function


def _default_attributes(told: DictAttrs) -> dict[str, object]:
    defaults = told.get("defaults")
    return dict(defaults.items()) if isinstance(defaults, DictAttrs) else {}


def _is_of_same_opsets(function: Function, graph: Rewriter) -> bool:
    """Return whether the operators of a function mean the same where it is called."""
    for node in EXPRESSIONS.pre_order(function.body):
        identity = identity_of(node.op) if type(node) is Call else None
        if identity is None:
            continue
        version = graph.opset(identity.domain)
        if version and identify(identity.name, version, identity.domain) != identity:
            return False
    return True


class _AttributeBinder(MixedModeMutator):
    """Puts values in place of references to attributes of the surrounding function."""

    def __init__(self, values: Mapping[str, object]) -> None:
        self._values = values

    def rewrite_call(self, pre: Call, post: Call) -> Expr:  # noqa: ARG002 - as all handlers
        """Resolve the attributes of a call; drop those for which there is no value."""
        if post.attrs is None:
            return post
        items = dict(post.attrs.items())
        references = {
            name: value[REFERENCE]
            for name, value in items.items()
            if isinstance(value, DictAttrs) and REFERENCE in value
        }
        if not references:
            return post
        for name, reference in references.items():
            if reference in self._values:
                items[name] = self._values[str(reference)]
            else:
                del items[name]
        return post.with_fields(attrs=DictAttrs(items))


def bind_attributes(function: Function, values: Mapping[str, object]) -> Function:
    """Return a function of the model with ``values`` for the attributes that calls give it.

    What refers to an attribute without a value is left out, so that it has its default.
    """
    body = _AttributeBinder(values).visit(function.body)
    return function if body is function.body else function.with_fields(body=body)
