"""Closure analysis: the functions inside a function, and the variables each captures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from relayish._support.graph import post_order
from relayish.analysis import free_type_vars, free_vars
from relayish.ir.fields.roles import Role
from relayish.ir.nodes.getters import compile_getter
from relayish.ir.nodes.node import NAMES, VARIABLES, Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.relay.expr import Expr, Function, Let, Var
from relayish.ir.relay.function_attributes import is_closure, is_opaque, is_primitive
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import Type, TypeVar
from relayish.ir.scopes.scoping import bound_by
from relayish.passes.relay.functions.interprocedural.copy import has_said_type, make_fresh_var


def has_inner(function: Function) -> bool:
    """Return whether there is a function inside ``function``."""
    return Function in set(map(type, EXPRESSIONS.post_order(function.body)))


class Inner:
    """What is known of one function inside another."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.var: Var | None = None
        """The variable a let binds to it, where the function refers to that itself."""
        self.uses: dict[Expr, None] = {}
        """The variables and functions that occur in it, not in functions inside, in order."""
        self.bound: set[Node] = set()
        """The variables bound in it, not in functions inside."""
        self.free: dict[Expr, None] = {}
        """The variables that occur in it or inside and are bound elsewhere, in order."""
        self.around: dict[Expr, None] = {}
        """Those of its free variables that stand for functions it is part of, or for itself."""
        self.captured: dict[Expr, None] = {}
        """The variables that must be given to it where it is made, in order."""
        self.type_vars: dict[TypeVar, None] = {}
        """The type variables that occur in it and are bound elsewhere, in order."""

    @property
    def functions(self) -> list[Function]:
        """The functions directly inside, in order."""
        return [used for used in self.uses if type(used) is Function]

    @property
    def is_closed(self) -> bool:
        """Whether nothing need be given to it."""
        return not self.captured and not self.type_vars


class Captures:
    """The functions inside a typed function, with what each of them captures.

    A variable that stands for a function around another one, or for that one itself, is not
    captured; what the function captures that it stands for is captured in its place, for from this
    it can be made anew. Functions with the attribute ``Primitive`` stand for operators and are part
    of what they stand in; what is inside functions of other compilers is not looked at.

    Args:
        root: A function; if it is a ``Closure``, the function it returns is part of it.

    Complexity:
        Linear in the distinct nodes of each function, and in what the functions capture; no
        recursion.
    """

    def __init__(self, root: Function) -> None:
        self.root = root
        self.inner: dict[Function, Inner] = {}
        """What is known of each function, of inner ones first; of the root last."""
        self.named: dict[Expr, Inner] = {}
        """The functions that refer to themselves, by the variable a let binds to them."""
        body = root.body
        self._part = body if is_closure(root) and type(body) is Function else None
        self._lets: dict[Expr, list[Var]] = {}
        self._is_polymorphic = any(
            type(node) is Function and bool(node.type_params)
            for node in EXPRESSIONS.pre_order(root)
        )
        self._of_type: dict[Type, tuple[TypeVar, ...]] = {}
        self._find()
        for known in reversed(self.inner.values()):
            self._capture(known)
        captured = dict.fromkeys(var for known in self.inner.values() for var in known.captured)
        self.is_typed = not self._is_polymorphic and all(map(has_said_type, captured))
        """Whether types can be handed on to what is made of the functions, and of variables."""

    def _find(self) -> None:
        """Walk every function, and sum up when those inside it are known."""
        found: dict[Function, Inner] = {}

        def functions_in(function: Function) -> list[Function]:
            known = found[function] = self._walk(function)
            return known.functions

        for function in post_order([self.root], functions_in):
            self._sum_up(found[function])

    def _walk(self, function: Function) -> Inner:
        known = Inner(function)
        if is_opaque(function) and function is not self.root:
            known.uses = dict.fromkeys(free_vars(function))
            return known
        uses, bound = known.uses, known.bound

        def is_part(node: Node) -> bool:
            return type(node) is not Function or node is function or node is self._part

        for node in EXPRESSIONS.pre_order(function, is_part):
            if type(node) in VARIABLES:
                uses[node] = None  # type: ignore[index]  # a variable
            elif type(node) is Function and not is_part(node):
                uses.update(dict.fromkeys(self._find_used(node)))
                continue
            elif type(node) is Let and type(node.value) is Function:
                self._lets.setdefault(node.value, []).append(node.var)
            bound.update(bound_by(node))
            if self._is_polymorphic and type(node) is not Function:
                self._note_types(node, known)
        if self._is_polymorphic:  # types of results last: parameters come in Relay's order then
            self._note_types(function, known)
            if self._part is not None and function is self.root:
                self._note_types(self._part, known)
        return known

    def _find_used(self, function: Function) -> tuple[Expr, ...]:
        return free_vars(function) if is_primitive(function) else (function,)

    def _sum_up(self, known: Inner) -> None:
        bound = known.bound
        for used in known.uses:
            if type(used) is not Function:
                if used not in bound:
                    known.free[used] = None
                continue
            inside = self.inner[used]
            for var in inside.free:
                if var not in bound:
                    known.free[var] = None
            for type_var in inside.type_vars:
                known.type_vars[type_var] = None
        for type_var in known.function.type_params:
            known.type_vars.pop(type_var, None)
        for var in self._lets.get(known.function, ()):
            if var in known.free:
                known.var = var
                self.named[var] = known
        self.inner[known.function] = known

    def _capture(self, known: Inner) -> None:
        """Tell what ``known`` captures; the functions it is part of are told of already."""
        if known.var is not None:
            known.around[known.var] = None
        for var in known.free:
            if var is known.var:
                continue
            if var in known.around:
                known.captured.update(self.named[var].captured)
            else:
                known.captured[var] = None
        if self._is_polymorphic:
            for var in known.captured:
                known.type_vars.update(
                    dict.fromkeys(self._type_vars(make_fresh_var(var).type_annotation))
                )
        for function in known.functions:
            inside = self.inner[function]
            for var in known.around:
                if var in inside.free:
                    inside.around[var] = None

    def _note_types(self, node: Node, known: Inner) -> None:
        said = _TYPES_SAID[type(node)]
        for ty in () if said is None else said(node):
            known.type_vars.update(dict.fromkeys(self._type_vars(ty)))

    def _type_vars(self, ty: Type | None) -> tuple[TypeVar, ...]:
        if ty is None:
            return ()
        if ty not in self._of_type:
            self._of_type[ty] = free_type_vars(ty)
        return self._of_type[ty]


def _types_said_by_kind(kind: type[Node]) -> Callable[[Any], tuple[Any, ...]] | None:
    """Return what gives the types that nodes of a kind are written down with.

    What a name stands for, as a constructor, is declared elsewhere, in terms of variables there.
    """
    if kind in NAMES:
        return None
    annotations = [f for f in kind.fields_ if f.role is Role.ANNOTATION and not f.inferred]
    return compile_getter(
        [f for f in annotations if f.kind is not None and issubclass(f.kind, Type)]
    )


_TYPES_SAID: Final = ByKind(_types_said_by_kind)
