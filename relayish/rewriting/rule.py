"""Rewrite rules: what takes the place of a node, and the nodes that a rule is asked about.

A rule has a name, an action, and keys: kinds of nodes, families of kinds, operators. ::

    @rule(tir.Mul)
    def double(product, facts):
        return tir.Add(product.a, product.a) if is_two(product.b) else product

Its action is given a node whose parts are rewritten already, and what is known where it stands. It
returns what takes the place of the node, or the node itself to leave it as it is; or
:class:`Unchanged`, which says why it is left.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from relayish.errors import DeclarationError, MissingNameError, PassError, indefinite, suggest
from relayish.functor.notes import note_rewrite
from relayish.ir.fields.field import is_node_class
from relayish.ir.kinds.one_line import one_line, show_found
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.nodes.traversal import Traversal
from relayish.ir.scopes.scoping import PROGRAM

Action: TypeAlias = Callable[[Any, Any], "Node | Unchanged"]
"""``action(node, facts)``; Any: a node of the kind the rule is for, facts of its language."""

Key: TypeAlias = Any
"""What a rule is for. Any: a kind of nodes, a family of kinds, an operator, its name."""

Attempt: TypeAlias = Callable[[Any, Any], Any]
"""As an action."""


class Unchanged(NamedTuple):
    """What a rule returns that leaves a node as it is, and says why; see :func:`why_not`."""

    reason: str


REASONS: Final[ContextVar[Callable[[str], None] | None]] = ContextVar(
    "relayish_reasons", default=None
)
"""Who is told why nodes are left as they are, while passes run."""


def tell_reason(text: str) -> None:
    """Tell why a node is left as it is, if anybody listens."""
    listen = REASONS.get()
    if listen is not None:
        listen(text)


class Rule:
    """A rewrite rule; made by :func:`rule`, and by what else tells rules.

    Args:
        name: What it is called, in errors and reports.
        keys: The kinds, families of kinds and operators it is asked about; ``None``: all nodes.
        action: What it does.
        attempt: What is called in place of the action, and calls it where a node fits, such as one
            that matches a pattern; elsewhere it returns the node itself.
        keeps_order: The rule itself sees to it that what acts still does, in the order it did, and
            drops state of operators only where nothing needs it; ``keep_order`` does not check it.
        pattern: The pattern that ``attempt`` matches, if it does.
        roots: How what the pattern matches may begin, which selects the calls it is tried on.

    Raises:
        DeclarationError: If the action is no function.
    """

    def __init__(
        self,
        name: str,
        keys: Iterable[Key] | None,
        action: Action,
        *,
        attempt: Attempt | None = None,
        keeps_order: bool = False,
        pattern: Any = None,  # Any: as the language of patterns has them
        roots: tuple[Any, ...] | None = None,  # Any: as above
    ) -> None:
        if not callable(action):
            raise DeclarationError(
                f"rule {name} does {action!r}; expected a function of a node and of facts"
            )
        self.name = name
        self.keys = None if keys is None else frozenset(keys)
        self.action = action
        self.attempt: Attempt = action if attempt is None else attempt
        self.keeps_order = keeps_order
        self.roots = roots
        self.pattern = pattern
        self.__doc__ = action.__doc__

    def __call__(self, node: Any, facts: Any) -> Any:  # Any: as the action has it
        """Return what the action does with ``node``."""
        return self.action(node, facts)

    def ask(self, node: Any, facts: Facts) -> Any:  # Any: nodes, of whatever kinds
        """Return what the rule puts in the place of a node; the node itself where it is left.

        Args:
            node: The node, over operands that were rewritten; what it was is ``facts.pre``.
            facts: What the rule may ask.

        Raises:
            PassError: If the rule returns what is no node of the language.
        """
        try:
            out = self.attempt(node, facts)
            out = node if out is node or out is facts.pre else self.checked(out, node, facts)
            if out is not node and facts.is_guarded and not facts.may_replace(self, node, out):
                out = node
        except Exception as error:
            note_rewrite(error, node, facts.pre, f"rule {self.name}")
            raise
        return out

    def checked(self, out: Any, node: Any, facts: Facts) -> Any:  # Any: as above
        """Return ``out``, or ``node`` itself where the rule said why it leaves that."""
        if isinstance(out, facts.family):
            return out
        if type(out) is Unchanged:
            if REASONS.get() is not None:
                tell_reason(f"rule {self.name} leaves {one_line(node)} as it is: {out.reason}")
            return node
        raise PassError(
            f"rule {self.name} returned {show_found(out)} for {one_line(node)}; it must return "
            f"{facts.sort_of(node)}, the one it was given to leave that as it is"
        )

    def __repr__(self) -> str:
        return f"<Rule {self.name}>"


def rule(*keys: Key, keeps_order: bool = False) -> Callable[[Action], Rule]:
    """Make the function below it a rule for nodes of some kinds, or calls of some operators.

    Args:
        keys: Kinds, families of kinds, operators; see
            :class:`~relayish.rewriting.rules.RuleSet`.
        keeps_order: See :class:`Rule`.

    Raises:
        DeclarationError: If there are no keys, or one is neither a class of nodes nor an operator.

    Example:
        >>> from relayish import tir
        >>> @rule(tir.Minus)
        ... def double_minus(minus, facts):
        ...     return minus.v.v if isinstance(minus.v, tir.Minus) else minus
        >>> double_minus
        <Rule double_minus>
    """
    check_keys(keys)

    def declare(action: Action) -> Rule:
        return Rule(name_of(action), keys, action, keeps_order=keeps_order)

    return declare


def check_keys(keys: Collection[Key]) -> None:
    """Refuse keys by which no node could be found.

    Raises:
        DeclarationError: If there are none, or one is neither a class of nodes nor an operator.
    """
    wrong = [key for key in keys if type(key) not in ATOMS and not is_node_class(key)]
    if wrong or not keys:
        found = f"found {show_found(wrong[0])}" if wrong else "found nothing"
        raise DeclarationError(
            f"a rule is for kinds, families of kinds, or operators, as in @rule(Call); {found}; "
            f"operators go by name, and patterns, with relayish.dataflow_pattern.rule"
        )


def name_of(action: object) -> str:
    """Return what a rule is called that does ``action``, which may be no plain function."""
    return str(getattr(action, "__name__", type(action).__name__))


class Facts:
    """What rules may ask, in a language that has nothing more to tell; one for each run.

    Args:
        root: The program.
        mod: The module it belongs to.
        keep_order: Whether a rule may be applied only where what acts stays, and acts in the order
            it did; otherwise rules have to see to that.

    Raises:
        PassError: If the order is to be kept in a language that does not tell what acts.

    Attributes:
        traversal: What is walked.
        pre: The node that a rule is asked about, as it was before anything below it was rewritten.
        found: What the parts of the pattern matched last stand for.
        matchers: What matches patterns, for as long as this program is rewritten.
        family: The family of nodes that rules have to return.
        told: The types inferred of nodes that were replaced, by what took their place.
        rebound: Nodes other than they were asked about that rules replaced, each with by what.
        is_guarded: Whether :meth:`may_replace` decides about each replacement.
    """

    traversal: Traversal = PROGRAM
    pre: Any  # Any: a node of the kinds that the rule is for
    family: type[Node] = Node
    is_guarded: bool = False

    # Any: a program and a module of whatever language
    def __init__(self, root: Any = None, mod: Any = None, *, keep_order: bool = False) -> None:
        if keep_order:
            raise PassError(
                f"keep_order is for languages that tell what acts, as Relay does; of "
                f"{type(root).__name__} nothing is known, so rules have to see to it themselves"
            )
        self.root = root
        self.mod = mod
        self.found: Mapping[Any, Any] = {}  # Any: patterns, nodes
        self.matchers: dict[Any, Any] = {}  # Any: patterns, their matchers
        self.told: dict[Any, Any] = {}  # Any: nodes, and what their kinds say is inferred
        self.rebound: list[tuple[Any, Any]] = []  # Any: nodes

    def tell(self, image: Any, before: Any) -> None:  # Any: nodes
        """Note that ``image`` takes the place of ``before``, whose value it has."""

    def may_replace(self, rule: Rule, before: Any, after: Any) -> bool:  # noqa: ARG002 - for others
        """Return whether what a rule made of a node may take its place."""
        return True

    def tell_refusal(self, rule: Rule, before: Any, after: Any) -> str | None:
        """Return why what a rule made of a node may not take its place; ``None`` if it may."""
        if self.is_guarded and not self.may_replace(rule, before, after):
            return "what acts in it would do so in another order"
        return None

    def sort_of(self, node: Any) -> str:  # noqa: ARG002 - for others
        """Return what may stand where ``node`` does, for errors."""
        return "an expression"

    def place(self, out: Any, origin: Any, known: Mapping[Node, Any]) -> Any:  # noqa: ARG002 - too
        """Return what takes the place of ``origin``: ``out``, where nothing else is to be done.

        Args:
            out: What a rule returned.
            origin: The node of the program whose place it takes.
            known: The nodes that were there before.
        """
        return out

    def of(self, node: Any) -> Any:  # Any: a node, and its type, of whatever language
        """Return the type of a node; ``None`` if nothing is known of it."""
        return getattr(node, "type", None)

    if not TYPE_CHECKING:  # so that it tells of facts that are not there

        def __getattr__(self, name: str) -> object:
            known = sorted(each for each in {*dir(self), *vars(self)} if each[0] != "_")
            raise MissingNameError(
                f"rules have no {name!r} to ask of {indefinite(type(vars(self).get('root')))}"
                f"{suggest(name, known)}; there are {', '.join(known)}"
            )


class TypedFacts(Facts):
    """Facts of a language whose expressions have types, and stand in statements.

    Attributes:
        expressions: The family of expressions.
        statements: That of statements.
    """

    is_guarded = True
    expressions: type[Node]
    statements: type[Node]

    def sort_of(self, node: Any) -> str:  # Any: as above
        """Return what may stand where ``node`` does, for errors."""
        return "a statement" if isinstance(node, self.statements) else "an expression"

    def may_replace(self, rule: Rule, before: Node, after: Node) -> bool:
        """Return that a rule may be applied, which keeps the type of an expression.

        Raises:
            PassError: If it does not, or puts what is no statement in the place of one.
        """
        if isinstance(before, self.expressions):
            ty = self.of(before)
            if isinstance(after, self.expressions) and self.of(after) == ty:
                return True
            raise PassError(
                f"rule {rule.name} returned {one_line(after)}, of type {self.of(after)}, for "
                f"{one_line(before)}, of type {ty}; it must return an expression of that type"
            )
        if isinstance(after, self.statements) or not isinstance(before, self.statements):
            return True
        raise PassError(
            f"rule {rule.name} returned {show_found(after)} for {one_line(before)}; it must "
            f"return a statement"
        )
