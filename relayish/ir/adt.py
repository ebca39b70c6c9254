"""Algebraic data types: their definitions, constructors, patterns and ``Match``."""

from __future__ import annotations

from relayish._support import show
from relayish.ir.expr import Expr, Var
from relayish.ir.node import Node, field, node
from relayish.ir.span import Span
from relayish.ir.type import GlobalTypeVar, Type, TypeVar


@node("constructor")
class Constructor(Expr):
    """A way to build a value of the type ``belong_to`` from values of types ``inputs``."""

    name_hint: str
    inputs: tuple[Type, ...]
    belong_to: GlobalTypeVar


@node("type_data")
class TypeData(Type):
    """The definition of the type ``header``, with parameters ``type_vars``.

    ``is_extern`` marks a type that is declared here and defined elsewhere.
    """

    header: GlobalTypeVar
    type_vars: tuple[TypeVar, ...] = field(binder=True)
    constructors: tuple[Constructor, ...]
    is_extern: bool = False


class Pattern(Node):
    """The root of patterns."""

    __slots__ = ()
    visit_name = "pattern"

    span: Span | None = field(default=None, compared=False, kw_only=True)
    __str__ = show.text


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

    constructor: Constructor
    patterns: tuple[Pattern, ...] = ()


@node("pattern_tuple")
class PatternTuple(Pattern):
    """Matches a tuple whose fields match ``patterns``."""

    patterns: tuple[Pattern, ...]


@node("clause")
class Clause(Node):
    """One arm of a match: ``rhs``, with what the pattern ``lhs`` binds in scope."""

    lhs: Pattern
    rhs: Expr


@node("match")
class Match(Expr):
    """The arm of the first clause whose pattern ``data`` matches.

    ``complete`` promises that some clause matches every value (``match?`` in text is without).
    """

    data: Expr
    clauses: tuple[Clause, ...]
    complete: bool = True
