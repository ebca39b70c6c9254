"""Algebraic data types: their definitions, constructors, patterns and ``Match``."""

from __future__ import annotations

from relayish.ir.equality.comparison import COMPARISONS, Comparison
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Atom, Role, Runs
from relayish.ir.kinds.one_line import LINES
from relayish.ir.nodes.node import Node, field, node
from relayish.ir.nodes.span import Span
from relayish.ir.relay.constructor_tag import find_tag
from relayish.ir.relay.expr import Expr, Var
from relayish.ir.relay.language import RELAY
from relayish.ir.relay.type import GlobalTypeVar, Type, TypeVar


@node("constructor", atom=Atom.NAME)
class Constructor(Expr):
    """A way to build a value of the type ``belong_to`` from values of types ``inputs``."""

    name_hint: str
    inputs: tuple[Type, ...]
    belong_to: GlobalTypeVar

    @property
    def tag(self) -> int:
        """A number by which it differs from others; -1 until a module defines its type.

        The upper byte is of a hash of the name of the type, the rest its position there.
        """
        return find_tag(self)


@node("type_data")
class TypeData(Type):
    """The definition of the type ``header``, with parameters ``type_vars``.

    ``is_extern`` marks a type that is declared here and defined elsewhere.
    """

    header: GlobalTypeVar
    type_vars: tuple[TypeVar, ...] = field(binder=True)
    constructors: tuple[Constructor, ...] = field(annotation=True)
    is_extern: bool = False


class Pattern(Node, language=RELAY, held_as=Role.BINDER):
    """The root of patterns."""

    __slots__ = ()
    visit_name = "pattern"

    span: Span | None = field(default=None, compared=False, kw_only=True)


@node("pattern_wildcard")
class PatternWildcard(Pattern):
    """Matches anything."""


@node("pattern_var")
class PatternVar(Pattern):
    """Matches anything and binds it to ``var``."""

    var: Var = field(binder=True)


@node("pattern_constructor")
class PatternConstructor(Pattern):
    """Matches a value built by ``constructor`` from values that match ``patterns``."""

    constructor: Constructor = field(annotation=True)
    patterns: tuple[Pattern, ...] = ()


@node("pattern_tuple")
class PatternTuple(Pattern):
    """Matches a tuple whose fields match ``patterns``."""

    patterns: tuple[Pattern, ...]


@node("clause")
class Clause(Node, language=RELAY, held_as=Role.PART):
    """One arm of a match: ``rhs``, with what the pattern ``lhs`` binds in scope."""

    lhs: Pattern
    rhs: Expr = field(scope=Runs.ONE_OF)


@node("match", effect=Effect.NONE)
class Match(Expr):
    """The arm of the first clause whose pattern ``data`` matches.

    ``complete`` promises that some clause matches every value (``match?`` in text is without).
    """

    data: Expr
    clauses: tuple[Clause, ...]
    complete: bool = True


def _is_same_constructor(lhs: Constructor, rhs: Constructor) -> bool:
    return (
        lhs.name_hint == rhs.name_hint
        and lhs.belong_to.name_hint == rhs.belong_to.name_hint
        and len(lhs.inputs) == len(rhs.inputs)
    )


def constructors(lhs: TypeData, rhs: TypeData) -> tuple[object, object]:
    """Return what the constructors of two type definitions take: they are compared by name."""
    return _inputs(lhs), _inputs(rhs)


def _inputs(data: TypeData) -> tuple[tuple[object, ...], ...]:
    return tuple([constructor.inputs for constructor in data.constructors])


COMPARISONS.register(Constructor, Comparison(same=_is_same_constructor, skipped=("inputs",)))
COMPARISONS.register(TypeData, Comparison(beside=constructors))
LINES.register(Match, lambda match, show: f"match ({show(match.data)}) {{...}}")
