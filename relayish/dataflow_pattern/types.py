"""The types of expressions that patterns and rules ask about, found once each and on demand."""

from __future__ import annotations

from relayish.analysis.infer_type import infer_type
from relayish.analysis.referential_transparency import ReferentialTransparency
from relayish.errors import TypeInferenceError, UnknownKindError
from relayish.ir.relay.expr import Expr, GlobalVar, If
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import Type
from relayish.ir.structural_equal import structural_equal
from relayish.op.builders.known_type import TypeFinder, get_annotated_type


class Types(TypeFinder):
    """Tells the types of expressions of one program, typed or not, and of what is made of them.

    What an expression carries is believed. The types of others follow from those of their parts;
    where they do not, types are inferred, for the whole of the program at once.

    Complexity:
        Linear in the distinct nodes asked about and what they are made of; no recursion.
    """

    asks_for_all = True

    def __init__(self, root: Expr | None = None, mod: IRModule | None = None) -> None:
        self._types: dict[Expr, Type | None] = {}
        super().__init__(self._types)
        self._root = root
        self._mod = mod
        self.transparency = ReferentialTransparency()
        """Tells whether an expression may be dropped."""

    def tell(self, expr: Expr, ty: Type) -> None:
        """Note the type of ``expr``, which takes the place of another of that type."""
        self._types[expr] = ty

    def decide(self, expr: Expr, ty: Type | None) -> Type | None:
        """Return the type of ``expr``: ``ty``, or what type inference says."""
        return self._infer(expr) if ty is None else ty

    def of_callee(self, op: Expr) -> Type | None:
        """Return the type of what a call calls, which is no operator."""
        return self.of_global(op) if isinstance(op, GlobalVar) else self.look_up(op)

    def of_branches(self, node: If) -> Type | None:
        """Return the type of the branches of ``node``, where they are of the same."""
        left, right = self.look_up(node.true_branch), self.look_up(node.false_branch)
        if left is None or right is None or not structural_equal(left, right):
            return None
        return left

    def of_global(self, var: GlobalVar) -> Type | None:
        """Return the type of the function that ``var`` names."""
        if self._mod is None or var.name_hint not in self._mod:
            return None
        definition = self._mod[var.name_hint]
        if not isinstance(definition, Expr):
            return None
        return definition.checked_type or get_annotated_type(definition)

    def _infer(self, expr: Expr) -> Type | None:
        if self._root is not None:
            root, self._root = self._root, None
            typed = self._try_root(root)
            if typed is not None:
                pairs = zip(
                    EXPRESSIONS.post_order(root), EXPRESSIONS.post_order(typed), strict=True
                )
                for before, after in pairs:
                    if isinstance(before, Expr) and isinstance(after, Expr):
                        self._types.setdefault(before, after.checked_type)
            if self._types.get(expr) is not None:
                return self._types[expr]
        typed = _try_infer(expr, self._mod)
        return None if typed is None else typed.checked_type

    def _try_root(self, root: Expr) -> Expr | None:
        """Return the whole program typed, if everything in it has a type."""
        try:
            return _try_infer(root, self._mod)
        except UnknownKindError:
            return None  # which need not concern what was asked about


def _try_infer(expr: Expr, mod: IRModule | None) -> Expr | None:
    try:
        return infer_type(expr, mod)
    except TypeInferenceError:
        return None  # what has no type matches no pattern of types
