"""Declaring operators, and finding them by name.

An operator is declared once, in a few lines, in the file of its family. What passes ask about it
(whether it has state, how it fuses, how it is evaluated) stands in an
:class:`~relayish.op.declaration.op_table.OpTable`, so that no pass names an operator where a
property would do, and another package can add a property of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Unpack

from relayish._support import hooks
from relayish.errors import (
    AmbiguousNameError,
    DeclarationError,
    DuplicateNameError,
    OperatorError,
    UnknownNameError,
    suggest,
)
from relayish.ir.domains.domain import Domain, get_domain
from relayish.ir.registration.claims import Claims
from relayish.ir.registration.declarations import Redo, Undo, changes_of, declared_temporarily
from relayish.ir.registration.packages import load_packages
from relayish.ir.relay.expr import Op
from relayish.ir.relay.language import RELAY
from relayish.ir.relay.op import intern_op, op_of
from relayish.op.declaration import properties
from relayish.op.declaration.families import check_place, enter_domain, leave_domain
from relayish.op.declaration.names import check_name, checked_arguments, domain_name
from relayish.op.declaration.op_table import ALL_TABLES
from relayish.op.declaration.record import ON_ARGUMENTS, TABLES, Record, check_record, keep_record
from relayish.op.declaration.references import Declared, check_argument_types, check_references
from relayish.op.declaration.signature import (
    find_arguments,
    find_attrs_type,
    read_arguments,
)

_DECLARED: Final[dict[str, tuple[Op, ...]]] = {}
"""By name: the declared operators, no two of one domain."""
_ALIASES: Final[dict[str, str]] = {}
"""By further name of a builder: the operator of Relay's that it calls."""
_FAMILIES: Final[dict[tuple[str, str], Op]] = {}
"""By domain and family, as ``nn``: the first operator that was declared in it."""
_CLAIMS: Final[Claims[Op]] = Claims()
_LISTENERS: Final[list[Callable[[Op], object]]] = []


def on_redeclaration(listener: Callable[[Op], object]) -> None:
    """Call ``listener`` with each operator that is declared again."""
    _LISTENERS.append(listener)


def register_op(
    name: str,
    *,
    arguments: Sequence[str] | None = None,
    signature: str | None = None,
    domain: Domain | str = RELAY.name,
    variadic: bool = False,
    **told: Unpack[Record],
) -> Op:
    """Declare the operator ``name`` and return its node.

    All that the library knows of an operator is told here, each thing under the name of the table
    in :mod:`~relayish.op.declaration.properties` that holds it, which says what it is.

    Args:
        name: What it is called; with its family, as in ``nn.relu``, by Relay's custom.
        arguments: The names of the arguments, ``"k: int32"`` for one that may be given as a
            number, which takes that element type. They may be left out where the signature tells
            them, whose parameters that are no attributes they are, or without one the rule and the
            evaluation, functions or methods without defaults that take them behind the attributes
            and call them the same; one that uses an argument not may call it ``_``.
        signature: The parameters of its builder, as they would stand in Python, where they are not
            the arguments and then the attributes as their class has them: ``"data, units=None"``.
        domain: The domain it belongs to, by default Relay's; others may use the same name.
        variadic: Whether the last of the arguments stands for any number of them.
        **told: What there is to tell of it. The class of the attributes may be left out where the
            first parameter of the rule, the relation or the evaluation is annotated with it.

    Raises:
        DuplicateNameError: If somebody else declared an operator of that name in the domain, or
            the name is that of a family, as ``nn``, or an alias is the name of another operator.
        DeclarationError: If the name is none or ``::`` stands in it, the names of the arguments
            are missing, none, or not agreed on, there is no such thing to tell, it is told by a
            value of another type, it refers to arguments, attributes or element types that there
            are not, or a function does not take what it is called with.
        UnknownNameError: If there is no such domain.
    """
    functions = told.get("rule"), told.get("relation"), told.get("evaluate")
    is_guessed = arguments is signature is None and "attrs_type" not in told
    told.setdefault("attrs_type", find_attrs_type(*functions, op=name if is_guessed else ""))
    given = dict(told)
    for misspelt in [each for each in given if each not in TABLES]:
        meant = _RENAMED.get(misspelt)
        near = suggest(misspelt, _TOLD) if meant is None else f"; did you mean {meant}?"
        raise DeclarationError(
            f"register_op has no argument {misspelt!r}{near}; it has {', '.join(_TOLD)}"
        )
    owner = get_domain(domain_name(domain))
    called: object = name
    if not isinstance(called, str):
        raise DeclarationError(f"an operator is to be called {name!r}; expected a name, 'relu'")
    if "::" in name:
        raise DeclarationError(
            f"an operator is to be called {name!r}, but '::' parts names from their domains; "
            f"say register_op({name.partition('::')[2]!r}, domain={name.partition('::')[0]!r})"
        )
    text: object = signature  # still to be checked
    if text is not None and not isinstance(text, str):
        raise DeclarationError(
            f"signature of operator {name!r} is {text!r}; expected a parameter list, as in "
            f"'data, weight, units=None'"
        )
    if arguments is None and signature is not None:
        arguments = find_arguments(name, signature, told.get("attrs_type"))
    elif arguments is None:
        arguments = read_arguments(name, {each: told.get(each) for each in ON_ARGUMENTS})
    names, types = checked_arguments(name, arguments)
    if variadic and not names:
        raise DeclarationError(
            f"operator {name!r} is variadic and has no arguments; name those of which there may be "
            f"any number: arguments=('inputs',)"
        )
    check_argument_types(name, types)
    check_record(name, names, given)
    check_references(Declared(name, names, told.get("attrs_type"), signature), given)
    op = intern_op(name, owner.name)
    known = is_registered(op)
    if not known:
        check_place(op)
    families = _checked_families(op)
    further = _checked_aliases(op, told.get("aliases") or ())
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
        leave_domain(op)
        for listener in _LISTENERS:
            listener(op)
    _DECLARED[name] = (*[other for other in _DECLARED.get(name, ()) if other is not op], op)
    properties.num_inputs.declare(op, None if variadic else len(names))
    properties.arguments.declare(op, names)
    properties.argument_types.declare(op, types or None)
    properties.signature.declare(op, signature)
    keep_record(op, given)
    enter_domain(op)
    static = told.get("static_form")
    if static is not None:
        properties.dynamic_form.declare(intern_op(static.name), op)
    _ALIASES.update(further)
    for family in families:
        _FAMILIES.setdefault(family, op)
    return op


_TOLD: Final = ("name", "arguments", "signature", "domain", "variadic", *TABLES)
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


def _checked_families(op: Op) -> list[tuple[str, str]]:
    """Return the families that ``op`` is in, by domain: of ``a.b.c`` they are ``a`` and ``a.b``.

    Raises:
        DuplicateNameError: If one is the name of an operator, or ``op`` has the name of one.
    """
    dots = [place for place, character in enumerate(op.name) if character == "."]
    families = [(op.domain, op.name[:dot]) for dot in dots]
    above = [intern_op(family, domain) for domain, family in families]
    for one, member in (
        *[(other, op) for other in above if is_registered(other)],
        *[(op, other) for other in [_FAMILIES.get((op.domain, op.name))] if other is not None],
    ):
        raise DuplicateNameError(
            f"operator {one.full_name!r} has the name of the family that operator "
            f"{member.full_name!r} is in, and one of them would hide the other; choose another "
            f"name for operator {op.full_name!r}"
        )
    return families


def _checked_aliases(op: Op, aliases: Sequence[str]) -> dict[str, str]:
    """Return the name of the operator by alias.

    Raises:
        DuplicateNameError: If one is the name of another operator, or the name of ``op`` is one.
    """
    for name in (*aliases, op.name) if op.domain == RELAY.name else ():
        holder = _ALIASES.get(name)
        if holder is None and name != op.name and is_registered(intern_op(name)):
            holder = name
        if holder is not None and holder != op.name:
            raise DuplicateNameError(
                f"{name!r} would be a name of operator {op.name!r}, and is one of operator "
                f"{holder!r}; choose another"
            )
    return dict.fromkeys(aliases, op.name)


def module_of(op: Op) -> str | None:
    """Return the module that declares ``op``."""
    return _CLAIMS.module_of(op)


def ops_named(name: str, domain: Domain | str | None = None) -> tuple[Op, ...]:
    """Return the declared operators called ``name``, several of them perhaps without a domain."""
    found = _DECLARED.get(name, ())
    if domain is None:
        return found
    owner = domain_name(domain)
    return tuple([op for op in found if op.domain == owner])


def ops_meant(name: str, domain: Domain | str | None = None) -> tuple[Op, ...]:
    """Return what ``name`` means in text: Relay's own operator where there is one, else all.

    So a text means the same after some package has declared an operator that Relay has too.
    """
    found = ops_named(name, domain)
    relays = tuple([op for op in found if op.domain == RELAY.name])
    return relays or found


def find_ops(name: str, domain: Domain | str | None = None) -> tuple[Op, ...]:
    """Return what :func:`ops_named` does, and imports installed packages where that is nothing.

    Raises:
        PackageError: If a package cannot be imported.
    """
    found = ops_named(name, domain)
    if found:
        return found
    owner = domain if domain is None or isinstance(domain, str) else domain.name
    if owner is not None and is_declared_when_asked_for(owner):
        hooks.operators[owner.partition(".")[0]](owner, name)
        return ops_named(name, domain)
    for _ in load_packages(name if owner is None else owner):
        found = ops_named(name, domain)
        if found:
            return found
    return ()


def is_declared_when_asked_for(domain: str) -> bool:
    """Return whether operators of a domain are declared one by one, when something names them."""
    return domain.partition(".")[0] in hooks.operators


def get_op(name: str | Op, domain: Domain | str | None = None) -> Op:
    """Return the declared operator ``name``.

    Args:
        name: Its name, behind that of its domain where operators of several domains are called
            so: ``"mydomain::add"``. A declared operator itself is returned.
        domain: Its domain, in place of naming it before the operator.

    Raises:
        AmbiguousNameError: If operators of several domains have the name and none is given.
        UnknownNameError: If no operator of that name is declared, not by installed packages either.
        PackageError: If such a package cannot be imported.
        OperatorError: If it is a node like that of a declared operator, but another.
        FieldError: If it is neither an operator nor a name, or the domain none.

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
    check_name(name)
    name, domain = _split(name, domain)
    found = find_ops(name, domain)
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
    owner = get_domain(domain_name(domain))
    where = "" if owner.name == RELAY.name else f" in domain {owner.name}"
    raise UnknownNameError(
        f"no operator {name!r} is declared{where}{suggest(name, _names_in(owner))}"
    )


def _names_in(owner: Domain) -> list[str]:
    """Return the names of operators whose name space is that of ``owner``."""
    return [name for name, ops in _DECLARED.items() if any(op.domain == owner.name for op in ops)]


def relay_op(name: str) -> Op:
    """Return the operator ``name`` of Relay's own domain, whatever other domains declare.

    Raises:
        UnknownNameError: If there is none.
    """
    op = intern_op(name)
    return op if op in properties.num_inputs else get_op(name, RELAY.name)


def resolve_op(name: str | Op) -> Op:
    """Return the operator ``name``, declared already or not; then it is Relay's, or the named one.

    Raises:
        AmbiguousNameError: As :func:`get_op`.
        FieldError: As :func:`get_op`.
    """
    if isinstance(name, Op):
        return name
    check_name(name)
    return get_op(name) if is_registered(name) else op_of(name)


def is_registered(op: Op | str, domain: Domain | str | None = None) -> bool:
    """Return whether an operator is declared, or one of that name.

    Complexity:
        Constant; for an operator rather than its name, that of looking it up by identity.
    """
    if isinstance(op, str):
        return bool(ops_named(*_split(op, domain)))
    return op in properties.arguments


def is_pure(op: Op) -> bool:
    """Return whether calls of an operator do nothing but give a value, whatever the arguments are.

    Complexity:
        Constant.
    """
    acts = properties.stateful.get(op) or op in properties.callees
    return is_registered(op) and not acts


def _split(name: str, domain: Domain | str | None) -> tuple[str, Domain | str | None]:
    """Return the name and the domain that ``domain::name`` gives, where none is given."""
    if domain is not None or "::" not in name:
        return name, domain
    before, _, behind = name.partition("::")
    return behind, before


def list_aliases() -> Mapping[str, str]:
    """Return the further names of builders, each with the name of the operator that it calls."""
    return MappingProxyType(_ALIASES)


def is_family(name: str, domain: str = RELAY.name) -> bool:
    """Return whether operators of a domain are called ``name`` and more behind a dot, as ``nn``."""
    return (domain, name) in _FAMILIES


def list_bare_names() -> Collection[str]:
    """Return the names of all declared operators, those of several domains once."""
    return _DECLARED.keys()


def list_ops(domain: Domain | str | None = None) -> tuple[str, ...]:
    """Return the names of all declared operators, or of those of a domain, sorted.

    Without a domain they are such as :func:`get_op` takes: ``domain::name`` where several have one.
    """
    if domain is not None:
        owner = get_domain(domain_name(domain))
        return tuple(sorted(_names_in(owner)))
    names = [
        name if len(ops) == 1 else f"{op.domain}::{name}"
        for name, ops in _DECLARED.items()
        for op in ops
    ]
    return tuple(sorted(names))


def watch_operators(context: declared_temporarily) -> Undo:
    """Forget operators, and all properties of operators, that are declared from now on."""
    known = {op for ops in _DECLARED.values() for op in ops}
    names = [changes_of(_DECLARED), changes_of(_ALIASES), changes_of(_FAMILIES)]
    tables = [*names, *[undo for table in ALL_TABLES for undo in table.watch(context)]]

    def undo() -> Redo:
        made = [op for ops in _DECLARED.values() for op in ops if op not in known]
        for op in made:
            leave_domain(op)
        redone = [undo_table() for undo_table in tables]

        def redo() -> None:
            there = {op for ops in _DECLARED.values() for op in ops}
            for redo_table in redone:
                redo_table()
            for op in made:
                if op not in there:  # declared for good since, as operators of ONNX are on demand
                    enter_domain(op)

        return redo

    return undo
