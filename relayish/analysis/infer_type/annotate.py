"""Annotation: building the program anew, with the types that were found on its nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast

from relayish.analysis.infer_type.compound import COMPOUND
from relayish.analysis.infer_type.inferencer import Inferencer
from relayish.analysis.infer_type.unifier import ENDLESS, substitute
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.fields.naming import display_name
from relayish.ir.nodes.node import NAMES, VARIABLES, Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.relay.expr import Call, Expr, Function, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import FuncType, IncompleteType, Type, TypeVar


class Annotator:
    """Puts types on the nodes an :class:`Inferencer` has seen.

    ``images`` are the typed nodes. A node that carries its type already is its own image. Names of
    what is defined elsewhere (operators, constructors, globals) stay as they are.
    """

    def __init__(self, found: Inferencer) -> None:
        self._found = found
        self.images: dict[Node, Node] = {}
        self.retyped: set[Var] = set()
        """Variables that carried another type before."""
        self._resolved: dict[Type, Type] = {}
        """Types as they are known now that no more will become known."""
        self._related: dict[Type, bool] = {}
        self._same: dict[tuple[Type, Type], bool] = {}

    def run(self) -> None:
        """Fill ``images``.

        Complexity:
            Linear in the nodes there are types for; no recursion.
        """
        images, retype, special = self.images, EXPRESSIONS.retype, _IMAGE
        get, resolve, type_args = images.get, self._found.resolve, self._found.type_args
        closed, resolved, retype_call = self._found.closed, self._resolved, retype[Call]
        for node, ty in self._found.types.items():
            kind = type(node)
            make = None if kind is Call else special[kind]
            if make is Annotator.image_of_untyped:
                images[node] = self.image_of_untyped(node)
                continue
            known = ty if ty in closed else resolve(ty, resolved)
            if self._found.endless:
                self._found.report(cast("Expr", node), ENDLESS)
                return
            old = node.checked_type  # type: ignore[attr-defined]  # an expression
            if old is not None and old is not known and self._is_same(old, known):
                known = old
            if type(known) is IncompleteType and kind not in NAMES:
                self._cannot_tell(node, known)
            if kind is Call:
                if node in type_args:
                    images[node] = self.image_of_call(node, known)
                else:
                    images[node] = retype_call(node, get, known)
            elif make is None:
                images[node] = retype[kind](node, get, known)
            else:
                images[node] = make(self, node, known)

    def _is_same(self, old: Type, new: Type) -> bool:
        """Return whether two types are structurally equal.

        What was found out about their parts is kept: comparing the types of all of a deep nest of
        tuples takes linear time.
        """
        same = self._same
        stack = [(old, new)]
        while stack:
            one, other = pair = stack[-1]
            if one is other or pair in same:
                stack.pop()
                continue
            parts = _pair_parts(one, other)
            if parts is None:
                same[pair] = structural_equal(one, other)
                continue
            unknown = [p for p in parts if p[0] is not p[1] and p not in same]
            if unknown:
                stack += unknown
                continue
            same[pair] = all(p[0] is p[1] or same[p] for p in parts)
        return old is new or same[old, new]

    def _cannot_tell(self, node: Node, ty: Type) -> None:
        found = self._found
        if isinstance(node, Expr) and not found.diagnostics and not found.is_faulty(ty):
            if type(node) in VARIABLES:
                found.report(node, f"the type of {display_name(node)} cannot be told; annotate it")
                return
            found.report(
                node,
                "the type of the expression cannot be told; annotate the variables it depends on",
            )

    def image_of_var(self, var: Var, ty: Type) -> Var:
        annotation = var.type_annotation
        if annotation is None or var in self._found.rebound:
            annotation = None if self._has_relation(ty) else _with_own_variables(ty)
        elif not self._found.is_closed(annotation):
            annotation = self._found.resolve(annotation, self._resolved)
        if var.checked_type is ty and annotation is var.type_annotation:
            return var
        if var.checked_type is not None:
            self.retyped.add(var)
        share = var.may_share
        if share is not None:
            share = self.images.get(share, share)  # type: ignore[assignment]  # a variable's image
        return Var(
            var.name_hint, annotation, share, var.virtual_device, span=var.span, checked_type=ty
        )

    def _has_relation(self, ty: Type) -> bool:
        """Return whether an operator's type is part of ``ty``, which no annotation can say."""
        if COMPOUND[type(ty)] is None:
            return False
        known, stack = self._related, [ty]
        while stack:
            part = stack[-1]
            compound = COMPOUND[type(part)]
            parts = () if compound is None else compound.parts(part)
            unknown = [i for i in parts if COMPOUND[type(i)] is not None and i not in known]
            if unknown and part not in known:
                stack += unknown
                continue
            own = isinstance(part, FuncType) and bool(part.type_constraints)
            known[part] = own or any(known.get(inner, False) for inner in parts)
            stack.pop()
        return known[ty]

    def image_of_function(self, func: Function, ty: Type) -> Expr:
        image: Function = EXPRESSIONS.retype[Function](func, self.images.get, ty)
        declared = image.ret_type
        if declared is None and isinstance(ty, FuncType) and not self._has_relation(ty.ret_type):
            return image.with_fields(ret_type=ty.ret_type, checked_type=ty)
        if declared is not None and not self._found.is_closed(declared):
            return image.with_fields(
                ret_type=self._found.resolve(declared, self._resolved), checked_type=ty
            )
        return image

    def image_of_call(self, call: Call, ty: Type) -> Expr:
        """Return a call of a polymorphic function, with what stands for its type variables."""
        type_args = tuple(map(self._found.resolve, self._found.type_args[call]))
        before, get = call.type_args, self.images.get
        if len(before) == len(type_args) and all(map(self._is_same, before, type_args)):
            image: Call = EXPRESSIONS.retype[Call](call, get, ty)
            return image
        parts = [get(part, part) for part in (call.op, *call.args)]
        op, *args = cast("list[Expr]", parts)
        return Call(op, tuple(args), call.attrs, type_args, span=call.span, checked_type=ty)

    def image_of_whole(self, node: Node, ty: Type) -> Node:
        """Return a node that holds patterns, clauses or other parts, which carry no types."""
        self._rebuild_parts(node)
        image: Node = EXPRESSIONS.retype[type(node)](node, self.images.get, ty)
        return image

    def image_of_untyped(self, node: Node) -> Node:
        """Return a node of a family that carries no types."""
        self._rebuild_parts(node)
        image: Node = EXPRESSIONS.rebuild[type(node)](node, self.images.get)
        return image

    def _rebuild_parts(self, node: Node) -> None:
        images = self.images
        for part in EXPRESSIONS.post_order(node, lambda held: held not in images):
            if part is not node and part not in images:
                images[part] = EXPRESSIONS.rebuild[type(part)](part, images.get)

    def image_of_name(self, node: Expr, _: Type) -> Expr:
        return node


def _pair_parts(one: Type, other: Type) -> list[tuple[Type, Type]] | None:
    """Return the parts of two types that are equal if all the parts are, or ``None``."""
    compound = COMPOUND[type(one)]
    if type(one) is not type(other) or compound is None or not compound.is_alike(one, other):
        return None
    if compound.bound is not None and (compound.bound(one) or compound.bound(other)):
        return None
    if compound.sizes is not None and compound.sizes(one) != compound.sizes(other):
        return None
    return list(zip(compound.parts(one), compound.parts(other), strict=True))


def _with_own_variables(ty: Type) -> Type:
    """Return the type of a polymorphic function with type variables of its own, others as they are.

    Those of the function stay bound by it alone.
    """
    if not isinstance(ty, FuncType) or not ty.type_params:
        return ty
    own = tuple(TypeVar(param.name_hint, param.kind) for param in ty.type_params)
    values = dict(zip(ty.type_params, own, strict=True))
    arg_types = tuple(substitute(part, values) for part in ty.arg_types)
    return ty.with_fields(
        arg_types=arg_types, ret_type=substitute(ty.ret_type, values), type_params=own
    )


def _image_of_kind(kind: type[Node]) -> Callable[..., Node] | None:
    """Return what makes the images of nodes of class ``kind``; ``None`` where ``retype`` does."""
    if kind in NAMES:
        return Annotator.image_of_name
    if kind is Var:
        return Annotator.image_of_var
    if kind is Function:
        return Annotator.image_of_function
    if not issubclass(kind, Expr):
        return Annotator.image_of_untyped
    held = [f.kind for f in EXPRESSIONS.fields(kind) if f.kind is not None]
    return None if all(issubclass(k, Expr) for k in held) else Annotator.image_of_whole


_IMAGE: Final = ByKind(_image_of_kind)
