"""Facts of Relay's programs: types found on demand, effects and their order, spans."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Any

from relayish.analysis.effect_rules import effect_of_op
from relayish.analysis.evaluation_order import EvaluationOrder
from relayish.analysis.infer_type import infer_type
from relayish.analysis.referential_transparency import ReferentialTransparency
from relayish.errors import TypeInferenceError, UnknownKindError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.nodes.span import Span
from relayish.ir.relay.expr import Call, Expr, GlobalVar, If, Op
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import Type
from relayish.ir.scopes.scoping import has_scopes
from relayish.op.builders.known_type import TypeFinder, get_annotated_type
from relayish.rewriting.rewrite import FACTS
from relayish.rewriting.rule import Facts, Rule


@FACTS.register(Expr)
class RelayFacts(TypeFinder, Facts):
    """What rules may ask of one program: types, typed or not, also of what was just made; effects.

    What an expression carries is believed. The types of others follow from those of their parts;
    where they do not, types are inferred, for the whole of the program at once.

    Args:
        root: The program.
        mod: The module it belongs to.
        keep_order: See :class:`~relayish.rewriting.rule.Facts`.

    Attributes:
        transparency: Tells whether an expression may be dropped.

    Complexity:
        Linear in the distinct nodes asked about and what they are made of; no recursion.
    """

    asks_for_all = True
    traversal = EXPRESSIONS
    family = Expr

    def __init__(
        self, root: Expr | None = None, mod: IRModule | None = None, *, keep_order: bool = False
    ) -> None:
        self._types: dict[Expr, Type | None] = {}
        TypeFinder.__init__(self, self._types)
        Facts.__init__(self, root, mod)
        self.told = self._types
        self.transparency = ReferentialTransparency()
        self._keep_order = keep_order
        self._is_typed = False

    def tell(self, image: Any, before: Any) -> None:  # Any: nodes, expressions mostly
        """Note that ``image`` is of the type of ``before``, if that has one."""
        if isinstance(before, Expr) and before.checked_type is not None:
            self._types[image] = before.checked_type

    def type_of(self, expr: Expr) -> Type | None:
        """Return the type of an expression, also of one just made, or ``None`` if it is unknown.

        Complexity:
            Linear in what was not asked about before.
        """
        return self.of(expr)

    def may_drop(self, expr: Expr) -> bool:
        """Return whether the program does not notice when ``expr`` is no longer evaluated."""
        return self.transparency.holds_for(expr)

    @cached_property
    def is_guarded(self) -> bool:  # type: ignore[override]  # found out when first asked for
        """Whether the program has something in it that acts, and its order is to be kept."""
        if not self._keep_order or self.root is None:
            return False
        return not all(map(_is_pure, EXPRESSIONS.pre_order(self.root)))

    def may_replace(self, rule: Rule, before: Any, after: Any) -> bool:  # Any: expressions
        """Return whether ``after`` evaluates what acts in ``before`` just as that does."""
        if rule.keeps_order:
            return True
        matched = {before, *(self.found.values() if rule.pattern is not None else ())}
        seen = EXPRESSIONS.post_order(before, lambda node: node in matched and _computes(node))
        operands = [
            node
            for node in seen
            if isinstance(node, Expr) and not (node in matched and _computes(node))
        ]
        return EvaluationOrder(self.transparency).is_kept(before, after, operands)

    def place(self, out: Any, origin: Any, known: Mapping[Node, Any]) -> Any:  # Any: expressions
        """Return ``out`` with the span of ``origin`` on what has none and was not there before."""
        return place_span(out, origin.span, known)

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
        if self.mod is None or var.name_hint not in self.mod:
            return None
        definition = self.mod[var.name_hint]
        if not isinstance(definition, Expr):
            return None
        return definition.checked_type or get_annotated_type(definition)

    def _infer(self, expr: Expr) -> Type | None:
        if self.root is not None and not self._is_typed:
            root, self._is_typed = self.root, True
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
        typed = _try_infer(expr, self.mod)
        return None if typed is None else typed.checked_type

    def _try_root(self, root: Expr) -> Expr | None:
        """Return the whole program typed, if everything in it has a type."""
        try:
            return _try_infer(root, self.mod)
        except UnknownKindError:
            return None  # which need not concern what was asked about


def place_span(image: Expr, span: Span | None, known: Collection[Node]) -> Expr:
    """Return ``image`` with ``span`` on what has none and is not ``known``.

    Args:
        image: What was made.
        span: The span of what it takes the place of.
        known: What was there before; nothing below it is looked at.
    """
    if span is None or image in known:
        return image
    images: dict[Node, Any] = {}  # Any: as above
    for node in EXPRESSIONS.post_order(image, lambda node: node not in known):
        if node in known:
            continue
        made = EXPRESSIONS.rebuild[type(node)](node, images.get)
        bare = isinstance(made, Expr) and made.span is None and type(made) is not Op
        images[node] = made.with_fields(span=span) if bare else made
    placed: Expr = images[image]
    return placed


def _is_pure(node: Node) -> bool:
    """Return whether evaluating ``node`` itself, not what it is made of, does nothing else."""
    if type(node) is Call:
        return type(node.op) is Op and not effect_of_op(node.op)
    return not (node.traits_.effect or node.traits_.allocates)


def _computes(node: Node) -> bool:
    """Return whether ``node`` does nothing but compute a value from its operands."""
    if type(node) is Call:
        return _is_pure(node)
    kind, traits = type(node), node.traits_
    is_atom_or_scoped = kind in ATOMS or has_scopes(kind)
    return traits.is_pure and not traits.allocates and not is_atom_or_scoped


def _try_infer(expr: Expr, mod: IRModule | None) -> Expr | None:
    try:
        return infer_type(expr, mod)
    except TypeInferenceError:
        return None  # what has no type matches no pattern of types
