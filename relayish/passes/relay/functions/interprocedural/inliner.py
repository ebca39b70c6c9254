"""Inlining of global functions, all over a module.

From the callers down: what takes the place of a call is made of the function as it stands, with a
hole where it calls another, and the holes are filled at the end, in one walk. A hole is an empty
tuple, told from others by its identity. Putting functions into one another from the callees up
would copy what the last of a chain of functions does once for each function of the chain.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from relayish.analysis.call_graph import CallGraph, CallGraphEntry
from relayish.analysis.infer_type.global_uses import global_uses
from relayish.analysis.on_device import with_fixed_device
from relayish.analysis.referential_transparency import find_opaque_nodes
from relayish.functor import ExprMutator
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.relay.expr import Call, Expr, Function, GlobalVar, Tuple
from relayish.ir.relay.function_attributes import CLOSURE, is_closure, is_opaque
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.passes.relay.functions.interprocedural.call_site import Arguments, Template, let_bound
from relayish.passes.relay.functions.interprocedural.copy import OwnNodes, copy_vars


class _Copier(ExprMutator):
    """Copies a definition piece by piece; knows the holes in the place of what was replaced."""

    remembers = True


class _Inlining(NamedTuple):
    """A copy of a function, or of its body, whose own calls are being replaced."""

    expr: Expr
    """What is copied, as it stands in the module."""
    sites: Iterator[Expr]
    """The calls and names in it that are still to be replaced, inner ones first."""
    copy: _Copier
    literals: dict[str, Tuple]
    """The holes for functions which are not only called, by name."""
    finish: Callable[[Expr], Expr]
    """Makes of the copy what fills the hole."""
    hole: Tuple
    own: OwnNodes
    """Gives the copy nodes of its own for what must not be evaluated for several."""


class _Inliner:
    """Replaces calls of, and references to, the functions that templates are given for."""

    def __init__(self, templates: Mapping[str, Template], arguments: Arguments) -> None:
        self._templates = templates
        self._arguments = arguments
        self._sites: dict[Expr, tuple[Expr, ...]] = {}
        self._opaque: dict[Expr, Collection[Node]] = {}
        self._filling: dict[Node, Expr] = {}
        self._open: list[_Inlining] = []

    def inline(self, root: Expr) -> Expr:
        """Return ``root``, a definition that stays, with its calls replaced."""
        self._filling.clear()
        result = self._begin(root, {}, _keep, shared=())
        while self._open:
            inlining = self._open[-1]
            site = next(inlining.sites, None)
            if site is not None:
                self._replace(site, inlining)
                continue
            self._open.pop()
            copied = inlining.copy.visit(inlining.expr)
            copy = inlining.finish(inlining.own.of(copied))
            self._filling[inlining.hole] = self._filling.get(copy, copy)
        return self._assemble(result)

    def _begin(
        self,
        expr: Expr,
        values: Mapping[Expr, Expr],
        finish: Callable[[Expr], Expr],
        shared: Collection[Node] | None = None,
    ) -> Tuple:
        """Return a hole for what ``finish`` makes of a copy of ``expr``."""
        copy = _Copier()
        copy.memo_map.update(values.items())
        hole = Tuple(())
        own = OwnNodes(self._find_opaque_nodes(expr) if shared is None else shared, values.values())
        self._open.append(_Inlining(expr, iter(self._sites_of(expr)), copy, {}, finish, hole, own))
        return hole

    def _find_opaque_nodes(self, expr: Expr) -> Collection[Node]:
        found = self._opaque.get(expr)
        if found is None:
            found = self._opaque[expr] = find_opaque_nodes(expr)
        return found

    def _sites_of(self, expr: Expr) -> tuple[Expr, ...]:
        """Return the calls and names to replace in ``expr``, inner ones first."""
        found = self._sites.get(expr)
        if found is None:
            values = global_uses(expr).values & self._templates.keys()
            found = self._sites[expr] = tuple(
                node
                for node in EXPRESSIONS.post_order(expr)
                if (type(node) is Call and self._find_template(node) is not None)
                or (type(node) is GlobalVar and node.name_hint in values)
            )
        return found

    def _find_template(self, call: Call) -> Template | None:
        return self._templates.get(call.op.name_hint) if type(call.op) is GlobalVar else None

    def _replace(self, site: Expr, inlining: _Inlining) -> None:
        """Put a hole in the place of ``site``, a call or a name; begin what fills it."""
        memo = inlining.copy.memo_map
        if type(site) is not Call:
            assert type(site) is GlobalVar
            memo[site] = self._literal(site.name_hint, inlining)
            return
        template = self._find_template(site)
        assert template is not None
        assert type(site.op) is GlobalVar
        args = [self._atom(inlining.own.of(inlining.copy.visit(arg))) for arg in site.args]
        is_closed = bool(template.function.type_params) or is_opaque(template.function)
        if is_closed or not self._arguments.is_expandable(site):
            function = self._literal(site.op.name_hint, inlining)
            memo[site] = site.with_fields(op=function, args=tuple(args))
            return
        values, bound = template.match(site, args, self._arguments)
        body, device = template.function.body, template.function.virtual_device

        def finish(copy: Expr) -> Expr:
            placed = copy if device is None else with_fixed_device(copy, device)
            return let_bound(bound, placed, site)

        memo[site] = self._begin(body, copy_vars(body, values), finish)

    def _atom(self, arg: Expr) -> Expr:
        """Return the atom that an argument turned out to be, or the argument as it is."""
        filling = self._filling.get(arg)
        return arg if filling is None or type(filling) not in ATOMS else filling

    def _literal(self, name: str, inlining: _Inlining) -> Tuple:
        """Return a hole for the function itself, with variables of its own.

        The mark of lifted closures is for global functions, and stays behind.
        """
        if name not in inlining.literals:
            function = self._templates[name].function
            if is_closure(function):
                function = function.without_attr(CLOSURE)
            inlining.literals[name] = self._begin(function, copy_vars(function, {}), _keep)
        return inlining.literals[name]

    def _assemble(self, root: Expr) -> Expr:
        """Return ``root`` with all holes filled."""
        filling = self._filling
        images: dict[Node, Node] = {}

        def before(node: Node) -> tuple[Node] | None:
            known = filling.get(node)
            return None if known is None else (known,)

        for node in EXPRESSIONS.order_after(root, before):
            known = filling.get(node)
            if known is not None:
                images[node] = images[known]
            else:
                images[node] = EXPRESSIONS.rebuild[type(node)](node, images.get)
        image = images[root]
        assert isinstance(image, Expr)
        return image


def _keep(copy: Expr) -> Expr:
    return copy


def inline_functions(
    mod: IRModule, chosen: Callable[[CallGraphEntry[GlobalVar]], bool]
) -> IRModule:
    """Return ``mod`` with the functions that ``chosen`` takes put in the place of their calls.

    Recursive functions, and definitions that are no functions, are never taken. A function that was
    taken is dropped, unless no other referred to it in the first place, or one of another language
    does.

    Complexity:
        Linear in distinct nodes of ``mod`` and of what results, counting parameters that are
        not used and what is passed for them; no recursion.
    """
    graph = CallGraph(mod)
    entries = graph.topological_order()
    templates = {
        entry.name: Template(entry.function)
        for entry in entries
        if isinstance(entry.function, Function) and not entry.is_recursive and chosen(entry)
    }
    inliner = _Inliner(templates, Arguments.of_module(mod))
    foreign = [entry for entry in entries if not isinstance(entry.function, Expr)]
    named = {callee for entry in foreign for callee in entry.callees}
    dropped = {name for name in templates if graph.ref_count(name) and name not in named}
    changed: dict[GlobalVar | str, Expr] = {
        entry.global_var: inliner.inline(entry.function)
        for entry in entries
        if isinstance(entry.function, Expr)
        and entry.name not in dropped
        and any(callee in templates for callee in entry.callees)
    }
    gone = [mod.get_global_var(name) for name in templates if name in dropped]
    return mod.with_functions(changed).without_functions(gone)
