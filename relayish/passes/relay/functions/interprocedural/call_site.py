"""Inlining of one call: what becomes of it, its arguments and the parameters.

A parameter becomes the argument where nobody can tell: what is substituted may then be evaluated at
another time, several times, or never. Other arguments are bound by a let, in order.
"""

from __future__ import annotations

from collections.abc import Sequence

from relayish.analysis import Effect, Effects, analyse_effects
from relayish.analysis.referential_transparency import ReferentialTransparency
from relayish.errors import PassError
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.relay.expr import Call, Expr, Function, Let, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes.declaring import find_declaring
from relayish.ir.scopes.scoping import PROGRAM, split_by_run_count
from relayish.passes.relay.functions.interprocedural.copy import make_fresh_var


class Arguments:
    """Tells which arguments of calls may be substituted; looks at each node once.

    Args:
        root: What the calls stand in: a function, or a tuple of several.
        mod: Where the functions are that it calls by global name.
    """

    def __init__(self, root: Expr, mod: IRModule | None) -> None:
        self._root = root
        self._mod = mod
        self._transparency = ReferentialTransparency()
        self._effects: Effects | None = None
        self._declaring: frozenset[Call] | None = None

    @staticmethod
    def of_module(mod: IRModule) -> Arguments:
        """Return what tells it of the arguments in all functions of ``mod``."""
        return Arguments(Tuple(tuple(mod.functions_of(Expr).values())), mod)

    def is_transparent(self, arg: Expr) -> bool:
        """Return whether ``arg`` may stand anywhere, and any number of times."""
        return type(arg) in ATOMS or self._transparency.holds_for(arg)

    def is_movable(self, arg: Expr, *, repeated: bool) -> bool:
        """Return whether ``arg`` may stand in place of a parameter.

        Args:
            arg: An argument, as it stands in the root.
            repeated: Whether the parameter is used in functions and loops inside the one called.
        """
        if self.is_transparent(arg):
            return True
        if repeated:
            return False
        if self._effects is None:
            self._effects = analyse_effects(self._root, self._mod)
        return self._effects.of(arg) == Effect.NONE

    def is_expandable(self, call: Call) -> bool:
        """Return whether a body may stand in place of ``call``, as it stands in the root."""
        if self._declaring is None:
            self._declaring = find_declaring_calls(self._root)
        return call not in self._declaring


def find_declaring_calls(root: Expr) -> frozenset[Call]:
    """Return the calls with arguments that declare variables for what stands behind the call.

    No body takes their place: lets of the arguments would hide these variables.

    Complexity:
        Linear in distinct nodes; no recursion.
    """
    declaring = find_declaring(PROGRAM.post_order(root))
    calls = [node for node in declaring if type(node) is Call]
    return frozenset([call for call in calls if not declaring.isdisjoint(call.args)])


class Template:
    """A function from which calls of it are expanded."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self._repeated: frozenset[Expr] | None = None

    def match(
        self, call: Call, args: Sequence[Expr], arguments: Arguments
    ) -> tuple[dict[Expr, Expr], list[tuple[Var, Expr]]]:
        """Return what stands for each parameter, and the variables among that with their values.

        Args:
            call: The call, as it stands in the root of ``arguments``.
            args: What became of its arguments.
            arguments: Tells which of them may be substituted.

        Raises:
            PassError: If there are not as many arguments as the function has parameters.
        """
        params = self.function.params
        check_arity(self.function, args)
        values: dict[Expr, Expr] = {}
        bound: list[tuple[Var, Expr]] = []
        for param, arg, before in zip(params, args, call.args, strict=True):
            if (
                type(arg) in ATOMS
                or arguments.is_transparent(before)
                or arguments.is_movable(before, repeated=param in self.repeated)
            ):
                values[param] = arg
                continue
            var = make_fresh_var(param)
            values[param] = var
            bound.append((var, arg))
        return values, bound

    @property
    def repeated(self) -> frozenset[Expr]:
        """The parameters that functions and loops inside this one use."""
        if self._repeated is None:
            inside = find_repeated(self.function.body)
            self._repeated = frozenset([param for param in self.function.params if param in inside])
        return self._repeated


def check_arity(function: Function, args: Sequence[Expr]) -> None:
    """Raise a :class:`PassError` unless there is an argument for each parameter."""
    if len(function.params) != len(args):
        raise PassError(
            f"a call passes {len(args)} arguments to a function of {len(function.params)} "
            f"parameters; run InferType, which says where"
        )


def let_bound(bound: Sequence[tuple[Var, Expr]], body: Expr, call: Call) -> Expr:
    """Return ``body`` inside lets of what is ``bound``, which have the place of ``call``."""
    for var, value in reversed(bound):
        body = Let(var, value, body, span=call.span)
    return body


def find_repeated(body: Expr) -> set[Node]:
    """Return the nodes in ``body`` that are evaluated any number of times: functions and loops.

    Complexity:
        Linear in distinct nodes; no recursion.
    """
    repeated: list[Node] = []

    def evaluated_once(node: Node) -> Sequence[Node] | None:
        split = split_by_run_count(type(node))
        if split is None:
            return None
        once, often = split(node)
        repeated.extend(often)
        return once

    EXPRESSIONS.order_after(body, evaluated_once)
    return set(EXPRESSIONS.post_order(repeated))
