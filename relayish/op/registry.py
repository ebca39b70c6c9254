"""Declaring operators, and typed tables of what is known about them.

An operator is declared once, in a few lines, in the file of its family. What passes ask about it
(whether it has state, how it fuses, how it is evaluated) stands in an :class:`OpTable`, so that no
pass names an operator where a property would do, and another package can add a property of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from enum import IntEnum
from typing import Any, Final, Generic, NamedTuple, Never, TypeVar, overload

from relayish._support.arity import check_arity
from relayish.errors import (
    AmbiguousNameError,
    DeclarationError,
    OperatorError,
    UnknownNameError,
    suggest,
)
from relayish.ir.attrs import Attrs
from relayish.ir.claims import Claims
from relayish.ir.declarations import Redo, Undo, changes_of, declared_temporarily
from relayish.ir.domain import Domain, get_domain
from relayish.ir.relay.expr import Expr, Op
from relayish.ir.relay.language import RELAY
from relayish.ir.relay.op import intern_op, op_of
from relayish.op.layout_rule import LAYOUT_RULE_TAKES, LayoutRule
from relayish.op.relation import Relation, Rule

_T = TypeVar("_T")
_D = TypeVar("_D")


_TABLES: Final[list[dict[Op, Any]]] = []  # Any: the values of each table are of a type of its own
"""The values of all tables of properties."""


class OpTable(Generic[_T]):
    """One property of operators: a value for each operator that has it."""

    __slots__ = ("_claims", "_levels", "_values", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self._values: dict[Op, _T] = {}
        self._levels: dict[Op, int] = {}
        self._claims: Claims[Op] = Claims()
        _TABLES.extend((self._values, self._levels))

    def set(self, op: Op, value: _T, *, replace: bool = False, by: object = None) -> None:
        """Give ``op`` the property.

        Args:
            op: The operator.
            value: What the property is.
            replace: Whether it takes the place of whatever there is.
            by: The function that somebody registers, where the value is made of it.

        Raises:
            DuplicateNameError: If somebody else gave it the property and ``replace`` is false.
        """
        self._claims.enter(
            op,
            value if by is None else by,
            f"operator {op.full_name} has its {self.name!r} already; it",
            taken=op in self._values,
            instead="say replace=True to put the second in place of the first",
            replace=replace,
        )
        self._values[op] = value

    def set_at_level(self, op: Op, value: _T, level: int) -> None:
        """Give ``op`` the property, unless it was given it at a higher level.

        Raises:
            DuplicateNameError: If somebody else gave it the property at that level.
        """
        known = self._levels.get(op)
        if known is not None and level < known:
            return
        self._claims.enter(
            op,
            value,
            f"operator {op.full_name!r} has its {self.name!r} of level {level} already; it",
            taken=known == level,
            instead="give a higher level to replace it",
        )
        if known is None or level >= known:
            self._levels[op] = level
            self._values[op] = value

    def declare(self, op: Op, value: _T | None) -> None:
        """Give ``op`` the property, or take it away, as its declaration says."""
        if value is not None:
            self._values[op] = value
        elif op in self._values:
            del self._values[op]

    def remove(self, op: Op) -> None:
        """Take the property away from ``op``, if it has it."""
        self._values.pop(op, None)

    @overload
    def get(self, op: object) -> _T | None: ...
    @overload
    def get(self, op: object, default: _D) -> _T | _D: ...
    def get(self, op: object, default: object = None) -> object:
        """Return the property of ``op``, or ``default``; constant time; any object may be asked."""
        return self._values.get(op, default)  # type: ignore[call-overload]

    def __contains__(self, op: object) -> bool:
        return op in self._values

    def __len__(self) -> int:
        return len(self._values)


class ResultMemory(NamedTuple):
    """In what memory one evaluation of an operator puts its results.

    Attributes:
        evaluation: The evaluation that is meant; nothing of this is known of another.
        new: The results that never share memory with an input; one that is no tuple is number 0.
        into: ``into(attrs, out, *inputs)``: as the evaluation, with result number 0 in ``out``.
            That is an array of its shape and element type, float32 or float64 as that of all inputs
            is; it may be an input that is :data:`overwritable`, and shares no memory with others.
    """

    evaluation: Callable[..., Any] | None  # Any: as for evaluate
    new: tuple[int, ...] = (0,)
    into: Callable[..., Any] | None = None


class OpPattern(IntEnum):
    """How an operator fuses with its neighbours; the numbers are Relay's."""

    ELEMWISE = 0
    BROADCAST = 1
    INJECTIVE = 2
    COMM_REDUCE = 3
    OUT_ELEMWISE_FUSABLE = 4
    TUPLE = 7
    OPAQUE = 8


class MixedPrecision(IntEnum):
    """Whether an operator is computed in a narrow element type; the numbers are Relay's."""

    ALWAYS = 0
    """It gains so much that its operands are cast."""
    FOLLOW = 1
    """It is, where its operands are narrow already."""
    NEVER = 2
    """Its result would be wrong."""


num_inputs: OpTable[int] = OpTable("num_inputs")
"""How many arguments a call must have."""
arguments: OpTable[tuple[str, ...]] = OpTable("arguments")
"""The names of the arguments."""
attrs_type: OpTable[type[Attrs]] = OpTable("attrs_type")
"""The class of the attributes; operators that take none have no entry."""
stateful: OpTable[bool] = OpTable("stateful")
"""True for operators whose calls may not be removed, repeated, merged or evaluated early."""
non_computational: OpTable[bool] = OpTable("non_computational")
"""True for operators that only mark the program; folding leaves them alone."""
pattern: OpTable[OpPattern] = OpTable("pattern")
"""How the operator fuses."""
commutative: OpTable[bool] = OpTable("commutative")
"""True for operators of two arguments that may be swapped."""
random: OpTable[bool] = OpTable("random")
"""True for operators that draw random numbers: pure in Relay (the key is an argument and comes
back changed), yet better left to run than evaluated early."""
attrs_in_metadata: OpTable[bool] = OpTable("attrs_in_metadata")
"""True where Relay text keeps the attributes in its metadata section (``meta[AttrsKey][0]``)."""
evaluate: OpTable[Callable[..., Any]] = OpTable("evaluate")  # Any: a numpy value or a tuple of them
"""``evaluate.get(op)(attrs, *inputs)``: the value of a call, by numpy.

An input is a numpy scalar or array, or a tuple of them where the operator takes a tuple; so is the
result, a tuple for operators with several outputs. It has Relay's element type. Only the value of a
well-typed call is promised: arithmetic on operands of two types promotes as numpy does. A call
without a value (an integer divided by zero) raises :class:`~relayish.errors.EvaluationError`; one
that is badly typed may raise numpy's own ``TypeError``, ``ValueError`` or ``IndexError``. Floating
point warnings are the caller's to silence, once, with ``numpy.errstate(all="ignore")``. A result
may be a view of an input or the input itself, for inputs are never changed.
"""
rule: OpTable[Rule] = OpTable("rule")
"""``rule.get(op)(attrs, *types)``: the type of a call's result, see :data:`.relation.Rule`."""
relation: OpTable[Relation] = OpTable("relation")
"""For operators that infer types of arguments as well: see :data:`.relation.Relation`."""
description: OpTable[str] = OpTable("description")
"""What an operator does, in a sentence, where whoever declared it said so."""
quantized: OpTable[bool] = OpTable("quantized")
"""True for operators of the ``qnn`` dialect, which stand for several plain ones."""
shape_only: OpTable[Callable[[tuple[int, ...]], Any]] = OpTable("shape_only")  # Any: ints or arrays
"""For operators whose result depends on the shape of their argument alone: that function."""
result_size: OpTable[Callable[..., int]] = OpTable("result_size")
"""``result_size.get(op)(attrs, *inputs)``: how many elements the result will have.

Declared where it may be far more than the inputs and no broadcast of them (``tile``, ``one_hot``).
"""
fusion_barrier: OpTable[bool] = OpTable("fusion_barrier")
"""True for marks whose argument is not fused with what uses it; fusion takes the mark away."""
shape_from_values: OpTable[bool] = OpTable("shape_from_values")
"""True for operators whose result has a shape that values of arguments decide."""
view: OpTable[bool] = OpTable("view")
"""True for operators whose result is the first argument in the same order under another shape."""
mark: OpTable[bool] = OpTable("mark")
"""True for operators whose result is their argument itself, wherever and whatever it is."""
in_place: OpTable[tuple[tuple[int, int], ...]] = OpTable("in_place")
"""``(argument, result)``: which result may be written where which argument stands, changing it.

The result of an operator that does not return a tuple is number 0.
"""
overwritable: OpTable[tuple[int, ...]] = OpTable("overwritable")
"""The arguments over which the first result may be written while it is computed, in place.

They are meant where they have the type of the result and are not needed later. Operators that fuse
as element-wise or broadcasting ones need no entry: of them, that is true of all arguments.
"""
result_memory: OpTable[ResultMemory] = OpTable("result_memory")
"""In what memory evaluation puts results; operators without an entry may give back an input."""
primal_gradient: OpTable[Callable[..., Sequence[Expr]]] = OpTable("primal_gradient")
"""``primal_gradient.get(op)(call, grad)``: the gradients of the arguments of ``call``.

``call`` applies the operator to variables or constants whose types are known, ``grad`` is the
gradient of its result. There is one gradient for each argument, of its type; see
:func:`~relayish.op.gradient.register.register_gradient`.
"""
mixed_precision: OpTable[Callable[[Any, str], Sequence[Any]]] = OpTable("mixed_precision")
"""``mixed_precision.get(op)(call, dtype)``: whether ``call`` may be computed in ``dtype``, and how.

The answer has three parts: a :class:`MixedPrecision`, the element type to accumulate in, and that
of the result; see :func:`~relayish.op.mixed_precision.register_mixed_precision_conversion`.
"""
chosen_dtype: OpTable[str] = OpTable("chosen_dtype")
"""The attribute in which an operator is told the element type to accumulate in, or to make."""

infer_layout: OpTable[LayoutRule] = OpTable("infer_layout")
"""Which layouts the operator takes and gives, see :data:`.layout_rule.LayoutRule`.

Operators without attributes that fuse as element-wise or broadcasting ones need no entry.
"""

_DECLARED_TABLES: Final[tuple[OpTable[Any], ...]] = (  # Any: as for _TABLES
    num_inputs,
    arguments,
    pattern,
    attrs_type,
    rule,
    relation,
    evaluate,
    stateful,
    non_computational,
    commutative,
    random,
    attrs_in_metadata,
    infer_layout,
)
_DECLARED: Final[dict[str, tuple[Op, ...]]] = {}
"""By name: the declared operators, no two of one domain."""
_CLAIMS: Final[Claims[Op]] = Claims()
_LISTENERS: Final[list[Callable[[Op], object]]] = []


def on_redeclaration(listener: Callable[[Op], object]) -> None:
    """Call ``listener`` with each operator that is declared again."""
    _LISTENERS.append(listener)


def register_op(
    name: str,
    *,
    arguments: Sequence[str] | None = None,
    domain: Domain | str = RELAY.name,
    attrs_type: type[Attrs] | None = None,
    pattern: OpPattern = OpPattern.OPAQUE,
    rule: Rule | None = None,
    relation: Relation | None = None,
    evaluate: Callable[..., Any] | None = None,  # Any: see evaluate
    stateful: bool = False,
    non_computational: bool = False,
    commutative: bool = False,
    random: bool = False,
    attrs_in_metadata: bool = False,
    infer_layout: LayoutRule | None = None,
    **unknown: Never,
) -> Op:
    """Declare the operator ``name`` and return its node.

    What is told of it here goes by the name of the table that holds it.

    Args:
        name: What it is called; with its family, as in ``nn.relu``, by Relay's custom.
        arguments: The names of the arguments.
        domain: The domain it belongs to, by default Relay's; others may use the same name.
        attrs_type: The class of the attributes.
        pattern: How the operator fuses; opaque operators do not.
        rule: The type of its result, see :data:`rule`.
        relation: In place of a rule, see :data:`relation`.
        evaluate: Its value by numpy, see :data:`evaluate`.
        stateful: See :data:`stateful`.
        non_computational: See :data:`non_computational`.
        commutative: See :data:`commutative`.
        random: See :data:`random`.
        attrs_in_metadata: See :data:`attrs_in_metadata`.
        infer_layout: See :data:`infer_layout`.
        **unknown: Refused, with a suggestion.

    Raises:
        DuplicateNameError: If somebody else declared an operator of that name in the domain.
        DeclarationError: If ``::`` stands in the name, the names of the arguments are missing or
            none, or a function does not take what it is called with.
        UnknownNameError: If there is no such domain.

    """
    for misspelt in unknown:
        meant = _RENAMED.get(misspelt)
        near = suggest(misspelt, _TOLD) if meant is None else f"; did you mean {meant}?"
        raise DeclarationError(
            f"register_op has no argument {misspelt!r}{near}; it has {', '.join(_TOLD)}"
        )
    owner = get_domain(domain if isinstance(domain, str) else domain.name)
    if "::" in name:
        raise DeclarationError(
            f"an operator is to be called {name!r}, but '::' parts names from their domains; "
            f"say register_op({name.partition('::')[2]!r}, domain={name.partition('::')[0]!r})"
        )
    names = _checked_names(name, arguments)
    _check_functions(name, names, rule, relation, evaluate, infer_layout)
    op = intern_op(name, owner.name)
    known = is_registered(op)
    whose = "" if owner.name == RELAY.name else f" in domain {owner.name}"
    _CLAIMS.enter(
        op,
        None,
        f"operator {name!r} is declared twice{whose}; the name",
        taken=known,
        instead=f"choose another, or a domain of your own: "
        f"register_op({name!r}, domain=Domain(...))",
    )
    if known:
        owner.remove(name)
        for listener in _LISTENERS:
            listener(op)
    owner.add(name, num_children=len(names))
    _DECLARED[name] = (*[other for other in _DECLARED.get(name, ()) if other is not op], op)
    given: tuple[object, ...] = (
        len(names),
        names,
        pattern,
        attrs_type,
        rule,
        relation,
        evaluate,
        stateful or None,
        non_computational or None,
        commutative or None,
        random or None,
        attrs_in_metadata or None,
        infer_layout,
    )
    for table, value in zip(_DECLARED_TABLES, given, strict=True):
        table.declare(op, value)
    return op


_TOLD: Final = tuple(n for n in register_op.__annotations__ if n not in {"unknown", "return"})
_RENAMED: Final = {
    "arguments_": "arguments",
    "attrs": "attrs_type",
    "fuses": "pattern",
    "types": "rule",
    "relates": "relation",
    "evaluates": "evaluate",
    "has_state": "stateful",
    "marks_only": "non_computational",
    "commutes": "commutative",
    "draws": "random",
    "in_metadata": "attrs_in_metadata",
}
"""By what earlier releases, and Relay, call it: the name of an argument of :func:`register_op`."""


def _checked_names(op: str, given: object) -> tuple[str, ...]:
    if given is None:
        raise DeclarationError(
            f"operator {op!r} is declared without the names of its arguments; say them: "
            f"arguments=('data',), or arguments=() where it takes none"
        )
    names: tuple[object, ...] = tuple(given) if isinstance(given, Sequence) else (given,)
    wrong = [n for n in names if not isinstance(n, str) or not n.isidentifier()]
    if isinstance(given, str) or wrong:
        said = f"arguments=({given!r},)" if isinstance(given, str) else "arguments=('data',)"
        raise DeclarationError(
            f"arguments of operator {op!r} is {given!r}; expected a tuple of the names of its "
            f"arguments, which are identifiers: {said}"
        )
    if len(set(names)) < len(names):
        raise DeclarationError(f"arguments of operator {op!r} names one twice: {names}")
    return tuple(map(str, names))


def _check_functions(
    op: str,
    names: tuple[str, ...],
    rule: object,
    relation: object,
    evaluate: object,
    layouts: object,
) -> None:
    for name, function, taken in (
        ("rule", rule, ("attrs", *names)),
        ("relation", relation, ("attrs", "types", "reporter")),
        ("evaluate", evaluate, ("attrs", *names)),
        ("infer_layout", layouts, LAYOUT_RULE_TAKES),
    ):
        if function is not None:
            check_arity(function, taken, f"{name} of operator {op!r}")
    if rule is not None and relation is not None:
        raise DeclarationError(
            f"operator {op!r} is given rule and relation; a relation stands in place of a rule: "
            f"leave one out"
        )


def ops_named(name: str, domain: Domain | str | None = None) -> tuple[Op, ...]:
    """Return the declared operators called ``name``, several of them perhaps without a domain."""
    found = _DECLARED.get(name, ())
    if domain is None:
        return found
    owner = domain if isinstance(domain, str) else domain.name
    return tuple([op for op in found if op.domain == owner])


def ops_meant(name: str, domain: Domain | str | None = None) -> tuple[Op, ...]:
    """Return what ``name`` means in text: Relay's own operator where there is one, else all.

    So a text means the same after some package has declared an operator that Relay has too.
    """
    found = ops_named(name, domain)
    relays = tuple([op for op in found if op.domain == RELAY.name])
    return relays or found


def get_op(name: str | Op, domain: Domain | str | None = None) -> Op:
    """Return the declared operator ``name``.

    Args:
        name: Its name, behind that of its domain where operators of several domains are called
            so: ``"mydomain::add"``. A declared operator itself is returned.
        domain: Its domain, in place of naming it before the operator.

    Raises:
        AmbiguousNameError: If operators of several domains have the name and none is given.
        UnknownNameError: If no operator of that name is declared.
        OperatorError: If it is a node like that of a declared operator, but another.

    Example:
        >>> import relayish.op
        >>> get_op("add", domain="relay") is get_op("relay::add")
        True
    """
    if isinstance(name, Op):
        if is_registered(name):
            return name
        get_op(name.name, name.domain)  # says that it is not declared, and what is
        raise OperatorError(f"this node of operator {name.full_name} is not the declared one")
    name, domain = _split(name, domain)
    found = ops_named(name, domain)
    if len(found) == 1:
        return found[0]
    if found:
        owners = " and ".join([repr(op.domain) for op in found])
        last = found[-1].domain
        raise AmbiguousNameError(
            f"operator {name!r} is declared in the domains {owners}; say which is meant: "
            f"get_op({f'{last}::{name}'!r}) or get_op({name!r}, domain={last!r})"
        )
    if domain is None:
        raise UnknownNameError(f"no operator {name!r} is declared{suggest(name, list_ops())}")
    owner = get_domain(domain if isinstance(domain, str) else domain.name)
    where = "" if owner.name == RELAY.name else f" in domain {owner.name}"
    raise UnknownNameError(
        f"no operator {name!r} is declared{where}{suggest(name, owner.operators)}"
    )


def relay_op(name: str) -> Op:
    """Return the operator ``name`` of Relay's own domain, whatever other domains declare.

    Raises:
        UnknownNameError: If there is none.
    """
    op = intern_op(name)
    return op if op in num_inputs else get_op(name, RELAY.name)


def resolve_op(name: str | Op) -> Op:
    """Return the operator ``name``, declared already or not; then it is Relay's, or the named one.

    Raises:
        AmbiguousNameError: As :func:`get_op`.
    """
    if isinstance(name, Op):
        return name
    return get_op(name) if is_registered(name) else op_of(name)


def is_registered(op: Op | str, domain: Domain | str | None = None) -> bool:
    """Return whether an operator is declared, or one of that name.

    Complexity:
        Constant; for an operator rather than its name, that of looking it up by identity.
    """
    if isinstance(op, str):
        return bool(ops_named(*_split(op, domain)))
    return op in arguments


def _split(name: str, domain: Domain | str | None) -> tuple[str, Domain | str | None]:
    """Return the name and the domain that ``domain::name`` gives, where none is given."""
    if domain is not None or "::" not in name:
        return name, domain
    before, _, behind = name.partition("::")
    return behind, before


def list_bare_names() -> Collection[str]:
    """Return the names of all declared operators, those of several domains once."""
    return _DECLARED.keys()


def list_ops(domain: Domain | str | None = None) -> tuple[str, ...]:
    """Return the names of all declared operators, or of those of a domain, sorted.

    Without a domain they are such as :func:`get_op` takes: ``domain::name`` where several have one.
    """
    if domain is not None:
        owner = get_domain(domain if isinstance(domain, str) else domain.name)
        return tuple(sorted(owner.operators))
    names = [
        name if len(ops) == 1 else f"{op.domain}::{name}"
        for name, ops in _DECLARED.items()
        for op in ops
    ]
    return tuple(sorted(names))


def watch_operators(_: declared_temporarily) -> Undo:
    """Forget operators, and all properties of operators, that are declared from now on."""
    known = {op for ops in _DECLARED.values() for op in ops}
    tables = [changes_of(_DECLARED), *map(changes_of, _TABLES)]

    def undo() -> Redo:
        made = [op for ops in _DECLARED.values() for op in ops if op not in known]
        children = {op: len(arguments.get(op, ())) for op in made}
        for op in made:
            get_domain(op.domain).remove(op.name)
        redone = [undo_table() for undo_table in tables]

        def redo() -> None:
            for redo_table in redone:
                redo_table()
            for op, count in children.items():
                get_domain(op.domain).add(op.name, num_children=count)

        return redo

    return undo
