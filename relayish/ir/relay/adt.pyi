# What type checkers see of relayish.ir.relay.adt: generated from the kinds it declares.
# fmt: off
# mypy: disable-error-code="assignment, misc, override"
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
import collections.abc as _collections_abc
import typing as _typing
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
@node('constructor', atom=Atom.NAME)
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
    __getattr__: None  # it is known what a kind has
    def __init__(self, name_hint: str, inputs: _collections_abc.Sequence[Type], belong_to: GlobalTypeVar, *, span: Span | tuple[str, int, int, int, int] | None = None, checked_type: Type | None = None) -> None: ...
    def with_fields(self, /, *, name_hint: str = ..., inputs: _collections_abc.Sequence[Type] = ..., belong_to: GlobalTypeVar = ..., span: Span | tuple[str, int, int, int, int] | None = ..., checked_type: Type | None = ...) -> _typing.Self: ...
@node('type_data')
class TypeData(Type):
    """The definition of the type ``header``, with parameters ``type_vars``.

    ``is_extern`` marks a type that is declared here and defined elsewhere.
    """
    header: GlobalTypeVar
    type_vars: tuple[TypeVar, ...]
    constructors: tuple[Constructor, ...]
    is_extern: bool
    __getattr__: None  # it is known what a kind has
    def __init__(self, header: GlobalTypeVar, type_vars: _collections_abc.Sequence[TypeVar], constructors: _collections_abc.Sequence[Constructor], is_extern: bool = False, *, span: Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, header: GlobalTypeVar = ..., type_vars: _collections_abc.Sequence[TypeVar] = ..., constructors: _collections_abc.Sequence[Constructor] = ..., is_extern: bool = ..., span: Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
class Pattern(Node, language=RELAY, held_as=Role.BINDER):
    """The root of patterns."""
    __slots__ = ()
    visit_name = 'pattern'
    span: Span | None = field(kw_only=True, default=...)
    def __getattr__(self, name: _typing.Literal["constructor", "patterns", "var"], /) -> _typing.Any: ...
@node('pattern_wildcard')
class PatternWildcard(Pattern):
    """Matches anything."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, *, span: Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, span: Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('pattern_var')
class PatternVar(Pattern):
    """Matches anything and binds it to ``var``."""
    var: Var
    __getattr__: None  # it is known what a kind has
    def __init__(self, var: Var, *, span: Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, var: Var = ..., span: Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('pattern_constructor')
class PatternConstructor(Pattern):
    """Matches a value built by ``constructor`` from values that match ``patterns``."""
    constructor: Constructor
    patterns: tuple[Pattern, ...]
    __getattr__: None  # it is known what a kind has
    def __init__(self, constructor: Constructor, patterns: _collections_abc.Sequence[Pattern] | None = (), *, span: Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, constructor: Constructor = ..., patterns: _collections_abc.Sequence[Pattern] | None = ..., span: Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('pattern_tuple')
class PatternTuple(Pattern):
    """Matches a tuple whose fields match ``patterns``."""
    patterns: tuple[Pattern, ...]
    __getattr__: None  # it is known what a kind has
    def __init__(self, patterns: _collections_abc.Sequence[Pattern], *, span: Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, patterns: _collections_abc.Sequence[Pattern] = ..., span: Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('clause')
class Clause(Node, language=RELAY, held_as=Role.PART):
    """One arm of a match: ``rhs``, with what the pattern ``lhs`` binds in scope."""
    lhs: Pattern
    rhs: Expr
    __getattr__: None  # it is known what a kind has
    def __init__(self, lhs: Pattern, rhs: Expr) -> None: ...
    def with_fields(self, /, *, lhs: Pattern = ..., rhs: Expr = ...) -> _typing.Self: ...
@node('match', effect=Effect.NONE)
class Match(Expr):
    """The arm of the first clause whose pattern ``data`` matches.

    ``complete`` promises that some clause matches every value (``match?`` in text is without).
    """
    data: Expr
    clauses: tuple[Clause, ...]
    complete: bool
    __getattr__: None  # it is known what a kind has
    def __init__(self, data: Expr, clauses: _collections_abc.Sequence[Clause], complete: bool = True, *, span: Span | tuple[str, int, int, int, int] | None = None, checked_type: Type | None = None) -> None: ...
    def with_fields(self, /, *, data: Expr = ..., clauses: _collections_abc.Sequence[Clause] = ..., complete: bool = ..., span: Span | tuple[str, int, int, int, int] | None = ..., checked_type: Type | None = ...) -> _typing.Self: ...
def constructors(lhs: TypeData, rhs: TypeData) -> tuple[object, object]:
    """Return what the constructors of two type definitions take: they are compared by name."""
