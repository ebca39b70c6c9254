"""The patterns of the data-flow pattern language, as declared nodes.

A pattern is immutable and compared by identity, as an expression is; a pattern object that occurs
twice in a larger pattern stands for one expression. Python's operators and calls build patterns:
``is_op("nn.relu")(x + y) | wildcard()``.
"""

from __future__ import annotations

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

Parts: TypeAlias = "list[str | DFPattern]"
"""What a pattern is written as: text, and the patterns it is made of."""

VERBS: Final[dict[str, Callable[..., Any]]] = {}  # Any: what each returns, its method says
"""What patterns do, by name, put here by the modules that know how."""


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
    visit_name = "dataflow_pattern"

    def __call__(self, *args: DFPattern | Expr | None) -> CallPattern:
        """Return the pattern of a call of this with arguments like ``args``; ``None``: with any."""
        if args == (None,):
            return CallPattern(self, any_args=True)
        return CallPattern(self, tuple(map(as_pattern, args)))

    def __or__(self, other: DFPattern | Expr) -> AltPattern:
        return AltPattern(self, as_pattern(other))

    def __ror__(self, other: Expr) -> AltPattern:
        return AltPattern(as_pattern(other), self)

    def __add__(self, other: DFPattern | Expr) -> CallPattern:
        return _call("add", self, other)

    def __radd__(self, other: Expr) -> CallPattern:
        return _call("add", other, self)

    def __sub__(self, other: DFPattern | Expr) -> CallPattern:
        return _call("subtract", self, other)

    def __rsub__(self, other: Expr) -> CallPattern:
        return _call("subtract", other, self)

    def __mul__(self, other: DFPattern | Expr) -> CallPattern:
        return _call("multiply", self, other)

    def __rmul__(self, other: Expr) -> CallPattern:
        return _call("multiply", other, self)

    def __truediv__(self, other: DFPattern | Expr) -> CallPattern:
        return _call("divide", self, other)

    def __rtruediv__(self, other: Expr) -> CallPattern:
        return _call("divide", other, self)

    def __str__(self) -> str:
        return _text(self)

    def optional(self, option: Callable[[DFPattern], DFPattern]) -> AltPattern:
        """Return the pattern of this, or of what ``option`` makes of it."""
        return AltPattern(self, option(self))

    def has_attr(self, attrs: Mapping[str, object]) -> AttrPattern:
        """Return the pattern of what matches this and has ``attrs``; see :class:`AttrPattern`.

        Raises:
            UnknownNameError: If this tells the operator, and that has no such attribute.
        """
        _check_attributes(self, attrs)
        return AttrPattern(self, DictAttrs(attrs))

    def has_type(self, ttype: Type) -> TypePattern:
        """Return the pattern of what matches this and is of the type ``ttype``."""
        return TypePattern(self, ttype)

    def has_dtype(self, dtype: str) -> DataTypePattern:
        """Return the pattern of tensors that match this and have elements of ``dtype``."""
        return DataTypePattern(self, dtype)

    def has_shape(self, shape: Sequence[int | PrimExpr]) -> ShapePattern:
        """Return the pattern of tensors that match this and are of ``shape``."""
        return ShapePattern(self, shape)  # type: ignore[arg-type]  # made a tuple by the node

    def dominates(self, parent: DFPattern, path: DFPattern | None = None) -> DominatorPattern:
        """Return the pattern of this at the end of all ways from ``parent``.

        See :class:`DominatorPattern`; without ``path`` anything may stand between.
        """
        return DominatorPattern(parent, WildcardPattern() if path is None else path, self)

    def match(self, expr: Node) -> bool:
        """Return whether ``expr`` matches; see :func:`~relayish.dataflow_pattern.match`."""
        found: bool = VERBS["match"](self, expr)
        return found

    def explain(self, expr: Node, mod: AnyModule | None = None) -> Explanation:
        """Return where in ``expr`` this matches, or where the nearest match ends, and why.

        See :func:`~relayish.dataflow_pattern.explain`.
        """
        found: Explanation = VERBS["explain"](self, expr, mod)
        return found

    def partition(
        self,
        expr: Expr,
        attrs: Mapping[str, object] | None = None,
        check: Callable[[Expr], bool] | None = None,
    ) -> Expr:
        """Return ``expr`` with what matches cut out as functions.

        See :func:`~relayish.dataflow_pattern.partition`.
        """
        found: Expr = VERBS["partition"](self, expr, attrs, check)
        return found

    def _parts(self) -> Parts:
        """Return what the pattern is written as: by default its name, and what it is made of."""
        held = DATAFLOW_PATTERNS.children(self)
        return [f"{self.visit_name}(", *commas(held), ")"]  # type: ignore[arg-type]  # patterns


def expect_expr(given: object, verb: str) -> None:
    """Check that what is to be matched, rewritten or partitioned is an expression.

    Raises:
        PassError: If it is not.
    """
    if not isinstance(given, Expr):
        raise PassError(
            f"{verb} takes an expression; found {given!r} ({type(given).__name__}); "
            f"of a module give one of the functions, such as mod['main']"
        )


def as_pattern(value: object) -> DFPattern:
    """Return ``value``, or the pattern of exactly that expression.

    Raises:
        FieldError: If it is neither pattern nor expression.
    """
    if isinstance(value, DFPattern):
        return value
    if isinstance(value, Node):
        return ExprPattern(value)
    advice = "; say is_expr(const(...)) or is_constant()" if isinstance(value, (int, float)) else ""
    raise FieldError(
        f"expected a pattern or an expression; found {value!r} ({type(value).__name__}){advice}"
    )


def _call(name: str, *args: object) -> CallPattern:
    return CallPattern(ExprPattern(intern_op(name)), tuple(map(as_pattern, args)))


@node("expr_pattern")
class ExprPattern(DFPattern):
    """Matches expressions, or other nodes, that are structurally equal to ``expr``."""

    expr: Node

    def _parts(self) -> Parts:
        return [_describe(self.expr)]


def _describe(expr: Node) -> str:
    if isinstance(expr, Op):
        return escape(expr.full_name)
    if isinstance(expr, Constant):
        return f"const({expr.data!r})"
    return display_name(expr) if type(expr) in VARIABLES else repr(expr)


@node("var_pattern")
class VarPattern(DFPattern):
    """Matches local variables: those called ``name``, or any if it is empty."""

    name: str = ""

    def _parts(self) -> Parts:
        return [f"%{escape(self.name)}" if self.name else "is_var()"]


@node("constant_pattern")
class ConstantPattern(DFPattern):
    """Matches constants."""

    def _parts(self) -> Parts:
        return ["is_constant()"]


def as_patterns(given: object) -> tuple[DFPattern, ...]:
    """Return patterns given as a sequence; none at all stands for an empty one."""
    if given is None:
        return ()
    if isinstance(given, (str, Node)) or not isinstance(given, Sequence):
        raise TypeError(f"expected a sequence of patterns; found {given!r}")
    return tuple(map(as_pattern, given))


@node("call_pattern")
class CallPattern(DFPattern):
    """Matches calls of ``op`` with arguments like ``args``, or with any at all (``any_args``).

    As in Relay, ``CallPattern(op, None)`` stands for any arguments. Where the operator is
    commutative, either order will do; a product of a quotient is recognised either way round:
    ``(x / y) * z`` matches ``(x * z) / y``.
    """

    op: DFPattern
    args: tuple[DFPattern, ...] = field(default=(), convert=as_patterns)
    any_args: bool = False

    def _parts(self) -> Parts:
        return [self.op, "(", *(["..."] if self.any_args else commas(self.args)), ")"]


@node("function_pattern")
class FunctionPattern(DFPattern):
    """Matches functions with parameters like ``params`` (or any: ``any_params``) and ``body``."""

    params: tuple[DFPattern, ...] = field(convert=as_patterns)
    body: DFPattern
    any_params: bool = False

    def _parts(self) -> Parts:
        params = ["..."] if self.any_params else commas(self.params)
        return ["fn (", *params, ") { ", self.body, " }"]


@node("if_pattern")
class IfPattern(DFPattern):
    """Matches an if by its three parts."""

    cond: DFPattern
    true_branch: DFPattern
    false_branch: DFPattern

    def _parts(self) -> Parts:
        return ["if (", self.cond, ") { ", self.true_branch, " } else { ", self.false_branch, " }"]


@node("let_pattern")
class LetPattern(DFPattern):
    """Matches a let by its three parts."""

    var: DFPattern
    value: DFPattern
    body: DFPattern

    def _parts(self) -> Parts:
        return ["{ let ", self.var, " = ", self.value, "; ", self.body, " }"]


@node("tuple_dataflow_pattern")
class TuplePattern(DFPattern):
    """Matches tuples with fields like ``fields``, or with any at all (``any_fields``)."""

    fields: tuple[DFPattern, ...] = field(default=(), convert=as_patterns)
    any_fields: bool = False

    def _parts(self) -> Parts:
        return ["(", *(["..."] if self.any_fields else commas(self.fields)), ")"]


@node("tuple_getitem_pattern")
class TupleGetItemPattern(DFPattern):
    """Matches projections of ``tuple``: of field ``index``, or of any if it is ``None`` or -1."""

    tuple: DFPattern
    index: int | None = None

    def _parts(self) -> Parts:
        return [self.tuple, f".{'?' if self.index in (None, -1) else self.index}"]


@node("alt_pattern")
class AltPattern(DFPattern):
    """Matches what ``left`` matches, or what ``right`` does."""

    left: DFPattern
    right: DFPattern

    def _parts(self) -> Parts:
        return ["(", self.left, " | ", self.right, ")"]


class Redirection:
    """Where a wildcard leads, which is told after the pattern that holds it was made."""

    __slots__ = ("pattern",)

    def __init__(self) -> None:
        self.pattern: DFPattern | None = None


def _redirection(given: object) -> Redirection:
    return given if isinstance(given, Redirection) else Redirection()


@node("wildcard_pattern")
class WildcardPattern(DFPattern):
    """Matches anything, or what the pattern matches to which it was redirected."""

    redirection: Redirection = field(default=None, convert=_redirection, compared=False)

    @property
    def pattern(self) -> DFPattern | None:
        """What the wildcard was redirected to."""
        return self.redirection.pattern

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
        self.redirection.pattern = as_pattern(pattern)

    def _parts(self) -> Parts:
        return ["*"] if self.pattern is None else [self.pattern]


@node("type_pattern")
class TypePattern(DFPattern):
    """Matches what ``pattern`` matches and is of a type structurally equal to ``type``."""

    pattern: DFPattern
    type: Type

    def _parts(self) -> Parts:
        return [self.pattern, f".has_type({self.type})"]


@node("data_type_pattern")
class DataTypePattern(DFPattern):
    """Matches what ``pattern`` matches and is a tensor of elements of ``dtype``."""

    pattern: DFPattern
    dtype: DType = field(convert=check_dtype)

    def _parts(self) -> Parts:
        return [self.pattern, f".has_dtype({self.dtype})"]


def _shape(given: object) -> tuple[int | PrimExpr, ...]:
    if isinstance(given, (str, Node)) or not isinstance(given, Sequence):
        raise TypeError(f"a shape is a sequence of dimensions; found {given!r}")
    return tuple(given)


@node("shape_pattern")
class ShapePattern(DFPattern):
    """Matches what ``pattern`` matches and is a tensor of ``shape``."""

    pattern: DFPattern
    shape: tuple[int | PrimExpr, ...] = field(convert=_shape)

    def _parts(self) -> Parts:
        return [self.pattern, f".has_shape({list(self.shape)})"]


@node("attr_pattern")
class AttrPattern(DFPattern):
    """Matches what ``pattern`` matches and has ``attrs``: a call, an operator or a function.

    Attributes of an operator are what the tables of :mod:`relayish.op.declaration.properties` say
    of it, by Relay's names (``TOpPattern``) or by those of the tables.
    """

    pattern: DFPattern
    attrs: Attrs

    def _parts(self) -> Parts:
        return [self.pattern, f".has_attr({dict(self.attrs.items())})"]


def _check_attributes(pattern: DFPattern, attrs: Mapping[str, object]) -> None:
    """Refuse attributes that no call of the operator of ``pattern`` has: it would never match."""
    while isinstance(pattern, AttrPattern | TypePattern | DataTypePattern | ShapePattern):
        pattern = pattern.pattern
    if not isinstance(pattern, CallPattern) or not isinstance(pattern.op, ExprPattern):
        return
    op = pattern.op.expr
    if not isinstance(op, Op) or not is_registered(op):
        return
    kind = attrs_type.get(op)
    known = () if kind is None else kind.field_names
    for name in attrs:
        if name not in known:
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise UnknownNameError(
                f"{op.full_name} has no attribute {name!r}{suggest(name, known)}; {has}, so no "
                f"call of it would match"
            )


@node("dominator_pattern")
class DominatorPattern(DFPattern):
    """Matches ``child``, when every way back from it leads over ``path`` to one ``parent``.

    Walked back from the child, an operand either is the parent, or it matches ``path`` and the
    same holds of it; what else an operand of the parent's user has is not looked at. All uses
    of the parent must in turn lead to the child.
    """

    parent: DFPattern
    path: DFPattern
    child: DFPattern  # type: ignore[assignment]  # Relay's name

    def _parts(self) -> Parts:
        return ["dominates(", self.parent, ", ", self.path, ", ", self.child, ")"]


def commas(patterns: Sequence[DFPattern]) -> Parts:
    """Return patterns with commas between them."""
    parts: Parts = []
    for index, each in enumerate(patterns):
        parts += [", ", each] if index else [each]
    return parts


def _read_none_as_any(kind: type[Any], held: str, flag: str) -> None:
    """Let ``None`` for the field ``held``, as in Relay, stand for anything at all."""
    construct = kind.__new__
    place, flagged = map(kind.__match_args__.index, (held, flag))

    def new(cls: type[Any], *args: Any, **named: Any) -> Any:  # Any: fields of one node class
        given = args[place] if place < len(args) else named.get(held, ())
        if given is None and flagged < len(args):
            args = (*args[:flagged], True, *args[flagged + 1 :])
        elif given is None:
            named[flag] = True
        return construct(cls, *args, **named)

    setattr(kind, "__new__", new)  # noqa: B010 - completes the class, as @node does


_read_none_as_any(CallPattern, "args", "any_args")
_read_none_as_any(TuplePattern, "fields", "any_fields")
_read_none_as_any(FunctionPattern, "params", "any_params")

STRUCTURAL: Final[dict[type[DFPattern], type[Node]]] = {
    FunctionPattern: Function,
    IfPattern: If,
    LetPattern: Let,
    TuplePattern: Tuple,
}
"""What patterns match that match its fields, each by the field of the same name they hold."""

DATAFLOW_PATTERNS: Final = Traversal(DFPattern)
"""Patterns and the patterns they are made of; not those that wildcards are redirected to."""


def children(pattern: DFPattern) -> list[DFPattern]:
    """Return the patterns ``pattern`` is made of, what it is redirected to included."""
    if type(pattern) is WildcardPattern:
        return [] if pattern.pattern is None else [pattern.pattern]
    return DATAFLOW_PATTERNS.children(pattern)  # type: ignore[return-value]  # the family followed


def is_operator(pattern: DFPattern) -> TypeGuard[ExprPattern]:
    """Return whether ``pattern`` stands for an operator, of which there is one object only."""
    return type(pattern) is ExprPattern and type(pattern.expr) is Op


def count_patterns(root: DFPattern) -> tuple[list[DFPattern], dict[DFPattern, int]]:
    """Return every distinct pattern below and including ``root``, and how often each is held.

    What a pattern is made of comes before it, as far as it is not part of itself.
    """
    order = post_order([root], children)
    uses = Counter([root])
    for pattern in order:
        uses.update(children(pattern))
    return order, uses


def _text(root: DFPattern) -> str:
    """Write a pattern; one that is held more than once is named in front, unless it is a name."""
    order, uses = count_patterns(root)
    named = [p for p in order if uses[p] > 1 and not is_operator(p)]
    names = {pattern: f"%{index}" for index, pattern in enumerate(named)}
    pieces: list[str] = []
    for pattern in named:
        pieces.append(f"{names[pattern]} = ")
        _write(pattern, names, pieces)
        pieces.append("; ")
    if root in names:
        pieces.append(names[root])
    else:
        _write(root, names, pieces)
    return "".join(pieces)


def _write(root: DFPattern, names: Mapping[DFPattern, str], pieces: list[str]) -> None:
    stack: Parts = list(reversed(root._parts()))  # noqa: SLF001 - of this module
    while stack:
        part = stack.pop()
        if isinstance(part, str):
            pieces.append(part)
        elif part in names:
            pieces.append(names[part])
        else:
            stack += reversed(part._parts())  # noqa: SLF001 - as above
