# What type checkers see of relayish.dataflow_pattern.pattern: generated from the kinds it declares.
# fmt: off
# mypy: disable-error-code="assignment, misc, override"
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
import collections.abc as _collections_abc
import numpy as _numpy
import typing as _typing
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeGuard
from relayish._support.graph import post_order
from relayish._support.printable import escape
from relayish.dataflow_pattern.explanation import Explanation
from relayish.errors import FieldError, PassError, UnknownNameError, suggest
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.fields.naming import display_name
from relayish.ir.modules.module import AnyModule
from relayish.ir.nodes.node import VARIABLES, Node, field, node
from relayish.ir.nodes.traversal import Traversal
from relayish.ir.relay.expr import Constant, Expr, Function, If, Let, Op, Tuple
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import PrimExpr, Type
from relayish.ir.values.dtype import DType, check_dtype
from relayish.op.declaration.properties import attrs_type
from relayish.op.declaration.registry import is_registered
Parts: TypeAlias = 'list[str | DFPattern]'
VERBS: Final[dict[str, Callable[..., Any]]]
class DFPattern(Node):
    """The root of patterns over expressions.

    Source:
        Relay ``DFPattern``.

    Example:
        >>> from relayish.dataflow_pattern import is_op, wildcard
        >>> x = wildcard()
        >>> print(is_op("nn.relu")(x + wildcard()).optional(is_op("tanh")) + x)
        %0 = *; %1 = nn.relu(add(%0, *)); add((%1 | tanh(%1)), %0)
    """
    __slots__ = ()
    visit_name = 'dataflow_pattern'
    def __call__(self, *args: DFPattern | Expr | None) -> CallPattern:
        """Return the pattern of a call of this with arguments like ``args``; ``None``: with any."""
    def __or__(self, other: DFPattern | Expr) -> AltPattern: ...
    def __ror__(self, other: Expr) -> AltPattern: ...
    def __add__(self, other: DFPattern | Expr) -> CallPattern: ...
    def __radd__(self, other: Expr) -> CallPattern: ...
    def __sub__(self, other: DFPattern | Expr) -> CallPattern: ...
    def __rsub__(self, other: Expr) -> CallPattern: ...
    def __mul__(self, other: DFPattern | Expr) -> CallPattern: ...
    def __rmul__(self, other: Expr) -> CallPattern: ...
    def __truediv__(self, other: DFPattern | Expr) -> CallPattern: ...
    def __rtruediv__(self, other: Expr) -> CallPattern: ...
    def __str__(self) -> str: ...
    def optional(self, option: Callable[[DFPattern], DFPattern]) -> AltPattern:
        """Return the pattern of this, or of what ``option`` makes of it."""
    def has_attr(self, attrs: Mapping[str, object]) -> AttrPattern:
        """Return the pattern of what matches this and has ``attrs``; see :class:`AttrPattern`.

        Raises:
            UnknownNameError: If this tells the operator, and that has no such attribute.
        """
    def has_type(self, ttype: Type) -> TypePattern:
        """Return the pattern of what matches this and is of the type ``ttype``."""
    def has_dtype(self, dtype: str) -> DataTypePattern:
        """Return the pattern of tensors that match this and have elements of ``dtype``."""
    def has_shape(self, shape: Sequence[int | PrimExpr]) -> ShapePattern:
        """Return the pattern of tensors that match this and are of ``shape``."""
    def dominates(self, parent: DFPattern, path: DFPattern | None=None) -> DominatorPattern:
        """Return the pattern of this at the end of all ways from ``parent``.

        See :class:`DominatorPattern`; without ``path`` anything may stand between.
        """
    def match(self, expr: Node) -> bool:
        """Return whether ``expr`` matches; see :func:`~relayish.dataflow_pattern.match`."""
    def explain(self, expr: Node, mod: AnyModule | None=None) -> Explanation:
        """Return where in ``expr`` this matches, or where the nearest match ends, and why.

        See :func:`~relayish.dataflow_pattern.explain`.
        """
    def partition(self, expr: Expr, attrs: Mapping[str, object] | None=None, check: Callable[[Expr], bool] | None=None) -> Expr:
        """Return ``expr`` with what matches cut out as functions.

        See :func:`~relayish.dataflow_pattern.partition`.
        """
    def __getattr__(self, name: _typing.Literal["any_args", "any_fields", "any_params", "args", "attrs", "body", "by_field", "cond", "counts", "dtype", "expr", "false_branch", "fields", "index", "is_commutative", "kind", "left", "name", "names", "op", "params", "parent", "parts", "path", "pattern", "redirect_to", "redirection", "right", "shape", "true_branch", "tuple", "type", "value", "var"], /) -> _typing.Any: ...
def expect_expr(given: object, verb: str) -> None:
    """Check that what is to be matched, rewritten or partitioned is an expression.

    Raises:
        PassError: If it is not.
    """
def as_pattern(value: object) -> DFPattern:
    """Return ``value``, or the pattern of exactly that expression.

    Raises:
        FieldError: If it is neither pattern nor expression.
    """
@node('expr_pattern')
class ExprPattern(DFPattern):
    """Matches expressions, or other nodes, that are structurally equal to ``expr``."""
    expr: Node
    __getattr__: None  # it is known what a kind has
    def __init__(self, expr: Node) -> None: ...
    def with_fields(self, /, *, expr: Node = ...) -> _typing.Self: ...
@node('var_pattern')
class VarPattern(DFPattern):
    """Matches local variables: those called ``name``, or any if it is empty."""
    name: str
    __getattr__: None  # it is known what a kind has
    def __init__(self, name: str = "") -> None: ...
    def with_fields(self, /, *, name: str = ...) -> _typing.Self: ...
@node('constant_pattern')
class ConstantPattern(DFPattern):
    """Matches constants."""
    __getattr__: None  # it is known what a kind has
    def __init__(self) -> None: ...
    def with_fields(self, /) -> _typing.Self: ...
def as_patterns(given: object) -> tuple[DFPattern, ...]:
    """Return patterns given as a sequence; none at all stands for an empty one."""
@node('call_pattern')
class CallPattern(DFPattern):
    """Matches calls of ``op`` with arguments like ``args``, or with any at all (``any_args``).

    As in Relay, ``CallPattern(op, None)`` stands for any arguments. Where the operator is
    commutative, either order will do; a product of a quotient is recognised either way round:
    ``(x / y) * z`` matches ``(x * z) / y``.
    """
    op: DFPattern
    args: tuple[DFPattern, ...]
    any_args: bool
    __getattr__: None  # it is known what a kind has
    def __init__(self, op: DFPattern, args: _collections_abc.Sequence[DFPattern] | None = (), any_args: bool = False) -> None: ...
    def with_fields(self, /, *, op: DFPattern = ..., args: _collections_abc.Sequence[DFPattern] | None = ..., any_args: bool = ...) -> _typing.Self: ...
@node('function_pattern')
class FunctionPattern(DFPattern):
    """Matches functions with parameters like ``params`` (or any: ``any_params``) and ``body``."""
    params: tuple[DFPattern, ...]
    body: DFPattern
    any_params: bool
    __getattr__: None  # it is known what a kind has
    def __init__(self, params: _collections_abc.Sequence[DFPattern], body: DFPattern, any_params: bool = False) -> None: ...
    def with_fields(self, /, *, params: _collections_abc.Sequence[DFPattern] = ..., body: DFPattern = ..., any_params: bool = ...) -> _typing.Self: ...
@node('if_pattern')
class IfPattern(DFPattern):
    """Matches an if by its three parts."""
    cond: DFPattern
    true_branch: DFPattern
    false_branch: DFPattern
    __getattr__: None  # it is known what a kind has
    def __init__(self, cond: DFPattern, true_branch: DFPattern, false_branch: DFPattern) -> None: ...
    def with_fields(self, /, *, cond: DFPattern = ..., true_branch: DFPattern = ..., false_branch: DFPattern = ...) -> _typing.Self: ...
@node('let_pattern')
class LetPattern(DFPattern):
    """Matches a let by its three parts."""
    var: DFPattern
    value: DFPattern
    body: DFPattern
    __getattr__: None  # it is known what a kind has
    def __init__(self, var: DFPattern, value: DFPattern, body: DFPattern) -> None: ...
    def with_fields(self, /, *, var: DFPattern = ..., value: DFPattern = ..., body: DFPattern = ...) -> _typing.Self: ...
@node('tuple_dataflow_pattern')
class TuplePattern(DFPattern):
    """Matches tuples with fields like ``fields``, or with any at all (``any_fields``)."""
    fields: tuple[DFPattern, ...]
    any_fields: bool
    __getattr__: None  # it is known what a kind has
    def __init__(self, fields: _collections_abc.Sequence[DFPattern] | None = (), any_fields: bool = False) -> None: ...
    def with_fields(self, /, *, fields: _collections_abc.Sequence[DFPattern] | None = ..., any_fields: bool = ...) -> _typing.Self: ...
@node('tuple_getitem_pattern')
class TupleGetItemPattern(DFPattern):
    """Matches projections of ``tuple``: of field ``index``, or of any if it is ``None`` or -1."""
    tuple: DFPattern
    index: int | None
    __getattr__: None  # it is known what a kind has
    def __init__(self, tuple: DFPattern, index: int | None = None) -> None: ...
    def with_fields(self, /, *, tuple: DFPattern = ..., index: int | None = ...) -> _typing.Self: ...
@node('alt_pattern')
class AltPattern(DFPattern):
    """Matches what ``left`` matches, or what ``right`` does."""
    left: DFPattern
    right: DFPattern
    __getattr__: None  # it is known what a kind has
    def __init__(self, left: DFPattern, right: DFPattern) -> None: ...
    def with_fields(self, /, *, left: DFPattern = ..., right: DFPattern = ...) -> _typing.Self: ...
class Redirection:
    """Where a wildcard leads, which is told after the pattern that holds it was made."""
    __slots__ = ('pattern',)
    def __init__(self) -> None: ...
    pattern: DFPattern | None
@node('wildcard_pattern')
class WildcardPattern(DFPattern):
    """Matches anything, or what the pattern matches to which it was redirected."""
    redirection: Redirection
    @property
    def pattern(self) -> DFPattern | None:
        """What the wildcard was redirected to."""
    def redirect_to(self, pattern: DFPattern) -> None:
        """Let the wildcard match what ``pattern`` matches, of which it may itself be a part.

        A recursive pattern is made so. Patterns that are part of themselves, and what they alone
        are made of, match a new expression each time they are entered.

        Example:
            >>> from relayish.dataflow_pattern import is_op, is_var, wildcard
            >>> from relayish import parse_expr
            >>> tower = wildcard()
            >>> tower.redirect_to(is_op("nn.relu")(tower) | is_var())
            >>> tower.match(parse_expr("free_var %x: float32; nn.relu(nn.relu(%x))"))
            True
        """
    __getattr__: None  # it is known what a kind has
    def __init__(self, redirection: Redirection = None) -> None: ...
    def with_fields(self, /, *, redirection: Redirection = ...) -> _typing.Self: ...
@node('type_pattern')
class TypePattern(DFPattern):
    """Matches what ``pattern`` matches and is of a type structurally equal to ``type``."""
    pattern: DFPattern
    type: Type
    __getattr__: None  # it is known what a kind has
    def __init__(self, pattern: DFPattern, type: Type) -> None: ...
    def with_fields(self, /, *, pattern: DFPattern = ..., type: Type = ...) -> _typing.Self: ...
@node('data_type_pattern')
class DataTypePattern(DFPattern):
    """Matches what ``pattern`` matches and is a tensor of elements of ``dtype``."""
    pattern: DFPattern
    dtype: DType
    __getattr__: None  # it is known what a kind has
    def __init__(self, pattern: DFPattern, dtype: str | _numpy.dtype[_numpy.generic] | type) -> None: ...
    def with_fields(self, /, *, pattern: DFPattern = ..., dtype: str | _numpy.dtype[_numpy.generic] | type = ...) -> _typing.Self: ...
@node('shape_pattern')
class ShapePattern(DFPattern):
    """Matches what ``pattern`` matches and is a tensor of ``shape``."""
    pattern: DFPattern
    shape: tuple[int | PrimExpr, ...]
    __getattr__: None  # it is known what a kind has
    def __init__(self, pattern: DFPattern, shape: _collections_abc.Sequence[int | PrimExpr]) -> None: ...
    def with_fields(self, /, *, pattern: DFPattern = ..., shape: _collections_abc.Sequence[int | PrimExpr] = ...) -> _typing.Self: ...
@node('attr_pattern')
class AttrPattern(DFPattern):
    """Matches what ``pattern`` matches and has ``attrs``: a call, an operator or a function.

    Attributes of an operator are what the tables of :mod:`relayish.op.declaration.properties` say
    of it, by Relay's names (``TOpPattern``) or by those of the tables.
    """
    pattern: DFPattern
    attrs: Attrs
    __getattr__: None  # it is known what a kind has
    def __init__(self, pattern: DFPattern, attrs: Attrs) -> None: ...
    def with_fields(self, /, *, pattern: DFPattern = ..., attrs: Attrs = ...) -> _typing.Self: ...
@node('dominator_pattern')
class DominatorPattern(DFPattern):
    """Matches ``child``, when every way back from it leads over ``path`` to one ``parent``.

    Walked back from the child, an operand either is the parent, or it matches ``path`` and the
    same holds of it; what else an operand of the parent's user has is not looked at. All uses
    of the parent must in turn lead to the child.
    """
    parent: DFPattern
    path: DFPattern
    child: DFPattern
    __getattr__: None  # it is known what a kind has
    def __init__(self, parent: DFPattern, path: DFPattern, child: DFPattern) -> None: ...
    def with_fields(self, /, *, parent: DFPattern = ..., path: DFPattern = ..., child: DFPattern = ...) -> _typing.Self: ...
def commas(patterns: Sequence[DFPattern]) -> Parts:
    """Return patterns with commas between them."""
STRUCTURAL: Final[dict[type[DFPattern], type[Node]]]
DATAFLOW_PATTERNS: Final = Traversal(DFPattern)
def children(pattern: DFPattern) -> list[DFPattern]:
    """Return the patterns ``pattern`` is made of, what it is redirected to included."""
def is_operator(pattern: DFPattern) -> TypeGuard[ExprPattern]:
    """Return whether ``pattern`` stands for an operator, of which there is one object only."""
def count_patterns(root: DFPattern) -> tuple[list[DFPattern], dict[DFPattern, int]]:
    """Return every distinct pattern below and including ``root``, and how often each is held.

    What a pattern is made of comes before it, as far as it is not part of itself.
    """
