"""Inlining without copies: bodies of functions that are called once move to their calls.

A function that is called once, and not used otherwise, needs no copy: its body can stand where the
call stood. At first a call becomes a hole, which is an empty tuple told from others by its
identity, and each parameter is noted with its argument; in the end everything is assembled at once.
Replacing parameters call by call would rewrite the innermost of functions that call one another
once for each of them.
"""

from __future__ import annotations

from typing import NamedTuple

from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.relay.expr import Call, Expr, Function, Tuple, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes.scoping import binders, split_by_run_count
from relayish.passes.relay.functions.interprocedural.call_site import (
    Arguments,
    check_arity,
    let_bound,
)


class _Site(NamedTuple):
    """A call that a body is moved to."""

    call: Call
    function: Function
    hole: Tuple


class _Passed(NamedTuple):
    """What is passed for a parameter."""

    site: _Site
    arg: Expr
    """What became of the argument; it may have holes."""
    before: Expr
    """The argument as it stands in the program."""


class Moves:
    """The bodies that are moved to calls, and what is passed for their parameters.

    Args:
        arguments: Tells which arguments may be substituted.
    """

    def __init__(self, arguments: Arguments) -> None:
        self._arguments = arguments
        self._sites: dict[Node, _Site] = {}
        self._passed: dict[Node, _Passed] = {}

    def move(self, function: Function, call: Call, args: tuple[Expr, ...]) -> Expr:
        """Return what stands for ``call`` until all is assembled.

        Args:
            function: What is called, with holes in it; it is not used otherwise.
            call: The call, as it stands in the program.
            args: What became of its arguments.

        Raises:
            PassError: If there are not as many arguments as the function has parameters.
        """
        check_arity(function, args)
        if type(function.body) in ATOMS and all(
            self._is_movable(arg, before, repeated=False)
            for arg, before in zip(args, call.args, strict=True)
        ):  # no hole, for what the call is passed to may ask whether this is an atom
            values: dict[Expr, Expr] = dict(zip(function.params, args, strict=True))
            return values.get(function.body, function.body)
        site = _Site(call, function, Tuple(()))
        self._sites[site.hole] = site
        for param, arg, before in zip(function.params, args, call.args, strict=True):
            self._passed[param] = _Passed(site, arg, before)
        return site.hole

    def assemble(self, root: Expr) -> Expr:
        """Return ``root`` with all holes filled, and arguments in the place of parameters.

        Complexity:
            Linear in the distinct nodes below ``root`` and in the holes; no recursion.
        """
        order = EXPRESSIONS.order_after(root, self._list_parts)
        bound = self._find_bound(root, order)
        images: dict[Node, Expr] = {}
        for node in order:
            site, passed = self._sites.get(node), self._passed.get(node)
            if site is not None:
                images[node] = self._fill(site, bound, images)
            elif passed is not None and node not in bound:
                images[node] = images[passed.arg]
            elif type(node) is Var:
                images[node] = _share_memory(node, images)
            else:
                image = EXPRESSIONS.rebuild[type(node)](node, images.get)
                images[node] = image
        return images[root]

    def _fill(self, site: _Site, bound: set[Node], images: dict[Node, Expr]) -> Expr:
        lets: list[tuple[Var, Expr]] = []
        for param in site.function.params:
            var = images[param]
            if param in bound and isinstance(var, Var):
                lets.append((var, images[self._passed[param].arg]))
        return let_bound(lets, images[site.function.body], site.call)

    def _list_parts(self, node: Node) -> list[Node]:
        """Return what must be known before ``node`` is assembled."""
        site, passed = self._sites.get(node), self._passed.get(node)
        if site is not None:
            return [site.function.body, *site.function.params]
        below = EXPRESSIONS.children(node)
        return below if passed is None else [*below, passed.arg]

    def _find_bound(self, root: Expr, order: list[Node]) -> set[Node]:
        """Return the parameters that lets are to bind to their arguments.

        From the root down each node learns in which function or loop it will stand. If it is to
        stand in several places that differ in this, the node itself serves as a name for these
        places, which what stands only below it shares. So a parameter is used in functions or loops
        inside of the body just when it stands somewhere else than the call.
        """
        bound: set[Node] = set()
        places: dict[Node, Node] = {root: root}
        for node in reversed(order):
            site, passed = self._sites.get(node), self._passed.get(node)
            place = places.get(node)
            below: list[Node] = []
            often: tuple[Node, ...] = ()
            if passed is not None:
                outside = places.get(passed.site.hole)
                if outside is None:
                    continue  # the call itself was passed for a parameter that is not used
                repeated = place is not None and place is not outside
                if not self._is_movable(passed.arg, passed.before, repeated=repeated):
                    bound.add(node)
                    place = outside
                below = [passed.arg]
            elif site is not None:
                below = [site.function.body]
            elif place is not None:
                split = split_by_run_count(type(node))
                if split is None:
                    below = EXPRESSIONS.children(node)
                else:
                    once, often = split(node)
                    below = [*once, *binders(node)]
            if place is None:
                continue
            for child in below:
                if places.setdefault(child, place) is not place:
                    places[child] = child
            for child in often:
                if places.setdefault(child, node) is not node:
                    places[child] = child
        return bound

    def _is_movable(self, arg: Expr, before: Expr, *, repeated: bool) -> bool:
        return type(arg) in ATOMS or self._arguments.is_movable(before, repeated=repeated)


def _share_memory(var: Var, images: dict[Node, Expr]) -> Var:
    """Return ``var``, sharing memory with the image of the variable it does that with, if any."""
    if var.may_share is None:
        return var
    image = images[var.may_share]
    return var.with_fields(may_share=image if isinstance(image, Var) else None)
