"""A function for each operator, found by its Relay name: ``op.add(x, y)``, ``op.nn.relu(x)``.

They are made from the declarations when first asked for, with the parameters of Relay's own Python
functions (:mod:`relayish.op.declaration.signature`) and what the declarations say of them.
Everything may be given by position or by name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from relayish._support import hooks
from relayish._support.missing import find_missing
from relayish._support.own import is_own
from relayish.errors import (
    AmbiguousNameError,
    DeclarationError,
    FieldError,
    OperatorError,
    UnknownNameError,
    suggest,
)
from relayish.ir.attributes.attrs import Attrs, may_be_none
from relayish.ir.domains.domain import Domain, get_domain
from relayish.ir.relay.expr import Call, Expr, Op
from relayish.ir.relay.language import RELAY
from relayish.op.builders.attribute_shorthand import as_constant, expand_shorthand
from relayish.op.builders.call import call_op
from relayish.op.builders.dynamic_shapes import has_unknown_sizes, with_unknown_sizes
from relayish.op.declaration import properties, registry
from relayish.op.declaration.description import build_docstring
from relayish.op.declaration.names import check_name, domain_name
from relayish.op.declaration.signature import Default, read_signature

Builder: TypeAlias = Callable[..., Expr]

_MADE: dict[str, Builder] = {}
"""By full name: the builders that were asked for."""


class _ByHand(NamedTuple):
    """A builder written by hand, and what is said of it where it is that of no operator."""

    function: Builder
    description: str | None
    remarks: str | None
    """Its docstring as it was written; what it has goes before that."""


_BY_HAND: dict[str, _ByHand] = {}
"""By full name."""


@registry.on_redeclaration
def _forget(op: Op) -> None:
    _MADE.pop(op.full_name, None)
    _BY_HAND.pop(op.full_name, None)


_ANYHOW: Final = inspect.Parameter.POSITIONAL_OR_KEYWORD
_EMPTY: Final = inspect.Parameter.empty


def custom_builder(name: str, description: str | None = None) -> Callable[[Builder], Builder]:
    """Let the decorated function be what is found under ``name``, in place of a made one.

    Args:
        name: The name of an operator, or of a function beside them.
        description: What it does, takes and gives, where it is none of an operator.
    """

    def declare(function: Builder) -> Builder:
        _BY_HAND[name] = _ByHand(function, description, function.__doc__)
        return function

    return declare


def find_description(name: str) -> str | None:
    """Return what is said of an operator, or of a function beside them."""
    name = registry.list_aliases().get(name, name)
    by_hand = _BY_HAND.get(name)
    if by_hand is not None and by_hand.description is not None:
        return by_hand.description
    meant = registry.ops_meant(name)
    return properties.description.get(meant[0]) if len(meant) == 1 else None


def builder(name: str) -> Builder:
    """Return the function that builds calls of the operator ``name``.

    A name that Relay's own domain declares means Relay's operator, as it does in text.

    Raises:
        UnknownNameError: If no such operator is declared.
        AmbiguousNameError: If operators of several domains have the name, and none is Relay's.
    """
    check_name(name)
    made = _MADE.get(name)
    if made is None:
        name = registry.list_aliases().get(name, name)
        if name in _BY_HAND:
            return _document(name)
        meant = registry.ops_meant(name)
        made = _builder_of(meant[0] if len(meant) == 1 else registry.get_op(name))
    return made


def list_builders() -> list[str]:
    """Return the names of Relay's builders: of operators, of functions beside them, aliases."""
    return sorted({*registry.list_ops(RELAY.name), *_list_others()})


def _list_others() -> Iterable[str]:
    """Return the names of builders that are those of no operators."""
    return [name for name in (*registry.list_aliases(), *_BY_HAND) if "::" not in name]


def _document(name: str) -> Builder:
    """Return the builder that is written by hand, with the docstring of a made one."""
    made = _MADE.get(name)
    if made is None:
        by_hand = _BY_HAND[name]
        made = _MADE[name] = by_hand.function
        signature = inspect.signature(made)
        made.__doc__ = build_docstring(name, signature, find_description(name), by_hand.remarks)
    return made


def _builder_of(op: Op) -> Builder:
    name = op.full_name
    if name in _BY_HAND:
        return _document(name)
    made = _MADE.get(name)
    if made is None:
        made = _MADE[name] = _make(op)
    return made


def _make(op: Op) -> Builder:
    parameters = Parameters(op)
    build = _make_builder(op, parameters) if parameters.cls is None else _with_attrs(op, parameters)
    build.__name__ = build.__qualname__ = op.name.rsplit(".", 1)[-1]
    signature = inspect.Signature(parameters.to_inspect(), return_annotation=Call)
    build.__signature__ = signature  # type: ignore[attr-defined]
    description, is_relays = properties.description.get(op), is_own(registry.module_of(op) or "")
    build.__doc__ = build_docstring(op.full_name, signature, description, is_relays=is_relays)
    return build


class Parameters:
    """The parameters of the builder of ``op``: its arguments and attributes, as Relay orders them.

    Attributes:
        cls: The class of the attributes, if it has any.
        defaults: The default of each parameter, ``None`` for those that must be given.
        operands: Which of the parameters are arguments, in the order of the operator.
        other_names: Further names under which a parameter may be given.
        types: The element types of arguments that may be given as numbers.
    """

    __slots__ = ("cls", "defaults", "op", "operands", "other_names", "types")

    def __init__(self, op: Op) -> None:
        self.op = op
        self.cls = properties.attrs_type.get(op)
        self.types = properties.argument_types.get(op, {})
        declared = properties.arguments.get(op, ())
        text = properties.signature.get(op)
        fields = () if self.cls is None else self.cls.field_names
        if text is None:
            self.defaults = _read_declaration(op, self.cls)
            self.operands = declared
        else:
            self.defaults = _read_signature(op, text)
            self.operands = tuple(n for n in self.defaults if n not in fields or n in declared)
        if len(self.operands) != len(declared):
            raise DeclarationError(
                f"the signature of {op.full_name} has the arguments ({', '.join(self.operands)}), "
                f"its declaration ({', '.join(declared)}); what is no argument has to be a field "
                f"of its attributes"
            )
        others = dict(zip(declared, self.operands, strict=True))
        others.update(properties.other_names.get(op, {}))
        self.other_names = {
            other: name
            for other, name in (*others.items(), *((f, f) for f in fields))
            if other not in self.defaults
        }

    def to_inspect(self) -> list[inspect.Parameter]:
        """Return the parameters as ``inspect`` shows them."""
        found: list[inspect.Parameter] = []
        by_name_only = False
        for name, default in self.defaults.items():
            if default is None and found and found[-1].default is not _EMPTY:
                by_name_only = True  # a required one after those that are not
            value = _EMPTY if default is None else default.value
            kind = inspect.Parameter.KEYWORD_ONLY if by_name_only else _ANYHOW
            found.append(inspect.Parameter(name, kind, default=value))
        return found

    def bind(self, args: tuple[object, ...], named: Mapping[str, object]) -> dict[str, object]:
        """Return what a call gives, by parameter.

        Raises:
            OperatorError: If something is given twice, or too much is given.
            UnknownNameError: If a name is that of no parameter.
        """
        names = tuple(self.defaults)
        if len(args) > len(names):
            raise OperatorError(
                f"{self.op.full_name} is called with {len(args)} positional arguments; "
                f"expected at most {len(names)}: ({', '.join(names)})"
            )
        given = dict(zip(names, args, strict=False))
        for name, value in named.items():
            known = name if name in self.defaults else self.other_names.get(name)
            if known is None:
                raise self._make_unknown_error(name)
            if known in given:
                raise OperatorError(f"{self.op.full_name} is given {name!r} twice")
            given[known] = value
        return given

    def _make_unknown_error(self, name: str) -> OperatorError | UnknownNameError:
        if self.cls is None:
            return OperatorError(
                f"{self.op.full_name} takes no attributes; found {name}; "
                f"it takes ({', '.join(self.defaults)})"
            )
        known = (*self.defaults, *self.other_names)
        return UnknownNameError(
            f"{self.op.full_name} has no attribute {name!r}{suggest(name, known)}; "
            f"it has {', '.join(self.defaults)}"
        )

    def operands_of(self, given: dict[str, object]) -> list[object]:
        """Take the arguments out of ``given``.

        Raises:
            OperatorError: If one is missing.
        """
        found = []
        for name in self.operands:
            if name in given:
                found.append(as_constant(self.types.get(name), given.pop(name)))
                continue
            default = self.defaults[name]
            if default is None:
                raise OperatorError(
                    f"{self.op.full_name} is called without its argument {name!r}; "
                    f"expected {len(self.operands)}: ({', '.join(self.operands)})"
                )
            found.append(as_constant(self.types.get(name), default.value))
        return found

    def find_defaults(self) -> dict[str, object]:
        """Return the attributes of a call that gives none, but for those with declared defaults."""
        assert self.cls is not None
        given = {
            name: default.value
            for name, default in self.defaults.items()
            if default is not None and name not in self.operands
        }
        declared = self.cls.defaults
        return {
            name: value
            for name, value in expand_shorthand(self.op, given).items()
            if name not in declared
            or (declared[name] != value and not (declared[name] is None and value == ""))
        }


def _read_signature(op: Op, text: str) -> dict[str, Default | None]:
    """Return the parameters that the signature of ``op`` gives."""
    try:
        return read_signature(text)
    except (SyntaxError, ValueError) as error:
        raise DeclarationError(
            f"the signature of {op.full_name} is {text!r}, which is no list of parameters with "
            f"literal defaults ({error}); write one such as 'data, axis=-1'"
        ) from error


def _read_declaration(op: Op, cls: type[Attrs] | None) -> dict[str, Default | None]:
    """Return the parameters that the declaration of ``op`` gives.

    Where sizes come as an argument, as in ``dyn.reshape``, the attribute of that name is empty. No
    ``out_dtype`` is ``""``, as in Relay's own functions.
    """
    found: dict[str, Default | None] = dict.fromkeys(properties.arguments.get(op, ()))
    if cls is None:
        return found
    optional = may_be_none(cls)  # type: ignore[arg-type]  # mypy takes the hash of instances
    for name in cls.field_names:
        if name in found:
            continue
        if name in cls.defaults:
            default = cls.defaults[name]
            found[name] = Default("" if name == "out_dtype" and default is None else default)
        else:
            found[name] = Default(None) if name in optional else None
    return found


def _make_builder(op: Op, parameters: Parameters) -> Builder:
    count = len(parameters.operands)

    def build(*args: Expr, **named: object) -> Call:
        if len(args) == count and not named:
            try:
                return Call(op, args)
            except FieldError:
                pass  # a tuple to convert, or something to complain about, below
        return call_op(op, *parameters.operands_of(parameters.bind(args, named)))

    return build


def _with_attrs(op: Op, parameters: Parameters) -> Builder:
    left_out = parameters.find_defaults()
    may_be_unknown = has_unknown_sizes(op)

    def build(*args: object, **named: object) -> Call:
        given = parameters.bind(args, named)
        if may_be_unknown:
            sized = with_unknown_sizes(op, given, {**left_out, **given})
            if sized is not None:
                return sized
        operands = parameters.operands_of(given)
        return call_op(op, *operands, **{**left_out, **expand_shorthand(op, given)})

    return build


class Namespace:
    """The operators whose names start with ``prefix``, as attributes.

    Where ``domain`` is given, they are those of that domain. Else a name that Relay's own domain
    declares is that of its operator, and any other name that of the one operator that has it.
    """

    __slots__ = ("_domain", "_prefix")

    def __init__(self, prefix: str, domain: str | None = None) -> None:
        self._prefix = prefix
        self._domain = domain

    def __getattr__(self, name: str) -> Any:  # Any: a builder, or a family within
        if name.startswith("__"):  # Python asks modules for many; no operator has such a name
            raise AttributeError(name)
        full = self._prefix + name
        if self._domain is not None and registry.is_registered(full, self._domain):
            return _builder_of(registry.get_op(full, self._domain))
        if self._domain in (None, RELAY.name) and (
            full in _BY_HAND
            or full in registry.list_aliases()
            or registry.is_registered(full, RELAY.name)
            or (registry.is_registered(full) and not registry.is_family(full))
        ):
            return self._builder(full)
        if full in hooks.members:
            return hooks.members[full]()
        family = full + "."
        if any(other.startswith(family) for other in self._declared()):
            return Namespace(family, self._domain)
        family = f"relayish.op.{self._prefix}".rstrip(".")
        near = suggest(full, self._declared())
        return find_missing(family, name, f"no operator {full!r} is declared{near}")

    def _builder(self, full: str) -> Builder:
        try:
            return builder(full)
        except AmbiguousNameError as error:
            raise AttributeError(str(error)) from error

    def _declared(self) -> Collection[str]:
        return (
            registry.list_bare_names() if self._domain is None else registry.list_ops(self._domain)
        )

    def __dir__(self) -> list[str]:
        known = {*self._declared()}
        if self._domain in (None, RELAY.name):
            known |= {*_list_others()}
        start = len(self._prefix)
        return sorted({n[start:].split(".")[0] for n in known if n.startswith(self._prefix)})

    def __repr__(self) -> str:
        whose = "" if self._domain is None else f"{self._domain}::"
        return f"<operators {whose}{self._prefix}*>"


op: Final = Namespace("")
"""The operators, as functions that build calls: ``op.nn.dense(x, y)``."""


def operators(domain: Domain | str) -> Namespace:
    """Return the operators of a domain, as functions that build calls of them.

    Raises:
        UnknownNameError: If there is no such domain.

    Example:
        >>> import relayish.op
        >>> operators("relay").nn.relu is relayish.op.nn.relu
        True
    """
    owner = get_domain(domain_name(domain))
    return Namespace("", owner.name)


def namespace(
    family: str,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:  # Any: a builder, or a family within
    """Return ``__getattr__`` and ``__dir__`` of the module whose attributes are the operators."""
    found = Namespace(f"{family}." if family else "")
    return found.__getattr__, found.__dir__
