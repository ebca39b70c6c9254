"""Putting global functions in the place of their calls, all over a module."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from relayish.analysis.call_graph import CallGraph, CallGraphEntry
from relayish.analysis.infer_type.components import global_uses
from relayish.functor import ExprRewriter, post_order_rewrite
from relayish.ir.expr import Call, Expr, Function, GlobalVar
from relayish.ir.module import IRModule
from relayish.passes.interprocedural.call_site import Arguments, Template
from relayish.passes.interprocedural.marks import is_opaque


class _CallInliner(ExprRewriter):
    """Replaces calls of, and references to, the functions that templates are given for."""

    def __init__(
        self, templates: Mapping[str, Template], arguments: Arguments, values: frozenset[str]
    ) -> None:
        self._templates = templates
        self._arguments = arguments
        self._values = values
        self._literals: dict[str, Function] = {}

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        if type(pre.op) is not GlobalVar or pre.op.name_hint not in self._templates:
            return post
        template = self._templates[pre.op.name_hint]
        function = template.function
        if function.type_params or is_opaque(function):
            return post.with_fields(op=self._literal(pre.op.name_hint))
        return template.expand(pre, post.args, self._arguments)

    def rewrite_global_var(self, pre: GlobalVar, post: GlobalVar) -> Expr:  # noqa: ARG002
        """Return the function itself where the name is used otherwise than to call it."""
        name = pre.name_hint
        return self._literal(name) if name in self._values and name in self._templates else pre

    def _literal(self, name: str) -> Function:
        if name not in self._literals:
            self._literals[name] = self._templates[name].literal()
        return self._literals[name]


def inline_functions(mod: IRModule, chosen: Callable[[CallGraphEntry], bool]) -> IRModule:
    """Return ``mod`` with the functions that ``chosen`` takes put in the place of their calls.

    Recursive functions, and definitions that are no functions, are never taken. A function that was
    taken is dropped, unless no other referred to it in the first place.

    Complexity:
        Linear in distinct nodes of ``mod`` and of what results; no recursion.
    """
    graph = CallGraph(mod)
    templates: dict[str, Template] = {}
    arguments = Arguments.of_module(mod)
    changed: dict[GlobalVar | str, Expr] = {}
    for entry in graph.topological_order():
        definition = entry.function
        if any(callee in templates for callee in entry.callees):
            values = global_uses(definition).values
            inliner = _CallInliner(templates, arguments, values)
            definition = changed[entry.global_var] = post_order_rewrite(definition, inliner)
        if isinstance(definition, Function) and not entry.is_recursive and chosen(entry):
            templates[entry.name] = Template(definition)
    dropped = [mod.get_global_var(name) for name in templates if graph.ref_count(name)]
    for name in dropped:
        changed.pop(name, None)
    return mod.with_functions(changed).without_functions(dropped)
