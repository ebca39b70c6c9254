"""Bottom-up rewriting with types told anew on the way.

A pass that makes shapes static, or elements narrower, has to know what type each part has by now
before it decides on the next call. Inferring types again after each step would take quadratic time;
here the type of each rewritten node is told once, from those of its parts.
"""

from __future__ import annotations

from typing import Any, Final, cast

from relayish._support.graph import walk_tree
from relayish.analysis.call_type import call_type
from relayish.errors import PassError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Expr, Function, Let, Op, Tuple, TupleGetItem, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import FuncType, TensorType, TupleType, Type
from relayish.op.builders.known_type import TypeFinder

_FOLLOWING: Final[frozenset[type[Node]]] = frozenset({Let, Tuple, TupleGetItem})
"""Kinds of nodes whose type follows from what is in them; that of all others stays what it was."""


class CallTypes(TypeFinder):
    """Tells types from those of parts, all of which must be known; refuses ill-typed calls."""

    asks_for_all = True

    def of_operation(self, call: Call, args: tuple[Type, ...]) -> Type:
        """Return the type of a call of an operator on arguments of the types ``args``."""
        return call_type(call, args)

    def decide(self, expr: Expr, ty: Type | None) -> Type | None:  # noqa: ARG002
        """Return ``ty``, though parts of it be unknown, as type arguments of an empty list are."""
        return ty


class Retyping:
    """Rewrites the calls of operators in a program, telling types as it goes.

    A subclass overrides :meth:`rewrite_call`, which may ask for the type of what it is given, and
    :meth:`restore`, if the types it makes do not fit where the old ones did. The types of global
    functions, of functions that are values, of parameters, references and of what ifs, matches and
    nodes of other kinds return stay as they were; those of tuples, of local variables, and of
    functions that are called where they stand, follow what is in them.

    Complexity:
        Linear in the number of distinct nodes; no recursion.
    """

    _root: Function

    def __init__(self) -> None:
        self._known: dict[Expr, Type | None] = {}
        self._finder = CallTypes(self._known)
        self._images: dict[Node, Node] = {}
        self.values: dict[Node, Expr] = {}
        """What is bound to the local variables of the rewritten program, as far as it is made."""
        self._inlined: set[Node] = set()

    def rewrite_call(self, pre: Call, post: Call) -> Expr:  # noqa: ARG002
        """Return what stands for ``pre``, a call of an operator, with rewritten arguments."""
        return post

    def rewrite_result(self, pre: Function, body: Expr) -> Expr:  # noqa: ARG002
        """Return what the outermost function, ``pre``, returns, its ``body`` being rewritten."""
        return body

    def restore(self, pre: Expr, post: Expr) -> Expr:  # noqa: ARG002
        """Return ``post``, which stands for ``pre``, as a value of the type that ``pre`` had."""
        return post

    def type_of(self, expr: Expr) -> Type:
        """Return the type of ``expr``, part of the program or made while rewriting it.

        Raises:
            PassError: If types were not inferred.
        """
        found = self.find_type(expr)
        if found is None:
            raise PassError(
                f"the type of a {type(expr).__name__} is not known; infer types before this pass"
            )
        return found

    def find_type(self, expr: Expr) -> Type | None:
        """Return the type of ``expr``, or ``None`` where that of some part of it is not known."""
        return self._known.get(expr) or expr.checked_type or self._finder.of(expr)

    def rewrite(self, root: Function) -> Function:
        """Return ``root`` rewritten; ``root`` itself when nothing changed."""
        order = EXPRESSIONS.post_order(root)
        bound: dict[Node, list[Var]] = {}
        names: set[Node] = set()
        for node in order:
            if type(node) is Let:
                bound.setdefault(node.value, []).append(node.var)
                names.add(node.var)
        self._root = root
        self._inlined = _find_called_in_place(order)
        images = self._images
        for node in order:
            image = self._image(node)
            if image is not node:
                images[node] = image
            if node in bound and node not in names:  # other names are bound when their values are
                self._bind_all(bound, node, image)
        found = images.get(root, root)
        assert isinstance(found, Function)
        return found

    def _image(self, node: Any) -> Any:  # Any: a node of any kind
        kind = type(node)
        if kind is Function:
            return self._function(node)
        rebuild = EXPRESSIONS.rebuild[kind]
        if kind is Call and type(node.op) is Op:
            return self.rewrite_call(node, rebuild(node, self._images.get))
        if kind in _FOLLOWING:
            return rebuild(node, self._images.get)
        image = rebuild(node, self._as_before)
        if image is not node and isinstance(image, Expr):
            self._known[image] = self._find_called_type(node, image) or self.type_of(node)
        return image

    def _as_before(self, child: Node, default: Node) -> Node:
        """Return what stands for ``child``, with the type that ``child`` had."""
        image = self._images.get(child, default)
        if image is child or not isinstance(child, Expr) or type(child) is Function:
            return image
        assert isinstance(image, Expr)
        return self.restore(child, image)

    def _find_called_type(self, node: Expr, image: Expr) -> Type | None:
        """Return what a function called where it stands returns by now."""
        if type(node) is not Call or type(image) is not Call or node.op not in self._inlined:
            return None
        func = self.type_of(image.op)
        assert isinstance(func, FuncType)
        return func.ret_type

    def _function(self, func: Function) -> Function:
        before = func.body
        body = self._images.get(before, before)
        assert isinstance(body, Expr)
        if func is self._root:
            body = self.rewrite_result(func, body)
        elif func not in self._inlined and body is not before:
            body = self.restore(before, body)
        if body is before:
            return func
        ty = self.type_of(func)
        assert isinstance(ty, FuncType)
        if func is self._root or func in self._inlined:
            image = func.with_fields(body=body, ret_type=None)
            self._known[image] = ty.with_fields(ret_type=self.type_of(body))
            return image
        image = func.with_fields(body=body)
        self._known[image] = ty
        return image

    def _bind_all(self, bound: dict[Node, list[Var]], before: Node, image: Expr) -> None:
        """Bind the variables whose value is ``before``, and those whose value is one of these."""

        def names(node: Node) -> list[Var]:
            return bound.get(node, [])

        for named in walk_tree(before, names):
            value = image if named is before else self._images.get(named, named)
            for var in names(named):
                self._bind(var, named, cast("Expr", value))

    def _bind(self, var: Var, before: Node, value: Expr) -> None:
        """Let another variable stand for ``var`` where its value is of another type by now.

        A function stays of its type, and may have called itself by that name.
        """
        image = var
        if value is not before and type(value) is not Function:
            ty = self.type_of(value)
            if not _is_same(ty, self.type_of(var)):
                share = var.may_share
                if share is not None:
                    share = cast("Var", self._images.get(share, share))
                image = Var(var.name_hint, None, share, var.virtual_device, span=var.span)
                self._images[var] = image
                self._known[image] = ty
        self.values[image] = value


def _find_called_in_place(order: list[Node]) -> set[Node]:
    """Return the functions that are called where they stand, and are used for nothing else."""
    called: set[Node] = set()
    kept: set[Node] = set()
    for node in order:
        if type(node) is Call:
            kept.update([arg for arg in node.args if type(arg) is Function])
            if type(node.op) is Function:
                called.add(node.op)
        elif type(node) is not Op:
            kept.update([c for c in EXPRESSIONS.children(node) if type(c) is Function])
    return {func for func in called - kept if isinstance(func, Function) and not func.type_params}


def _is_same(one: Type, other: Type) -> bool:
    """Return whether two types are the same, or tensors or plain tuples that plainly are."""
    if one is other:
        return True
    if isinstance(one, TensorType) and isinstance(other, TensorType):
        return _is_same_tensor(one, other)
    if not isinstance(one, TupleType) or not isinstance(other, TupleType):
        return False
    pairs = list(zip(one.fields, other.fields, strict=False))
    return len(one.fields) == len(other.fields) and all(
        a is b
        or (isinstance(a, TensorType) and isinstance(b, TensorType) and _is_same_tensor(a, b))
        for a, b in pairs
    )


def _is_same_tensor(one: TensorType, other: TensorType) -> bool:
    """Return what structural equality says of two types, which sizes mostly tell alone."""
    if one.dtype != other.dtype or len(one.shape) != len(other.shape):
        return False
    return one.shape == other.shape or structural_equal(one, other)
