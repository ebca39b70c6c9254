"""A function for each operator, found by its Relay name: ``op.add(x, y)``, ``op.nn.relu(x)``.

They are made from the declarations when first asked for, with the parameters of Relay's own Python
functions (:mod:`relayish.op.signatures`) and what :mod:`relayish.op.documentation` says of them.
Everything may be given by position or by name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from relayish.errors import FieldError, OperatorError, UnknownNameError, suggest
from relayish.ir.attrs import Attrs
from relayish.ir.relay.expr import Call, Expr, Op
from relayish.op.call import call_op, may_be_none
from relayish.op.documentation import docstring
from relayish.op.registry import arguments, attrs_type, get_op, is_registered, list_ops
from relayish.op.short_forms import as_constant, spelt_out
from relayish.op.signatures import ALIASES, OTHER_NAMES, SIGNATURES, Default, read_signature
from relayish.op.sizes import has_unknown_sizes, with_unknown_sizes

Builder: TypeAlias = Callable[..., Expr]

_MADE: dict[str, Builder] = {}
_ANYHOW: Final = inspect.Parameter.POSITIONAL_OR_KEYWORD
_EMPTY: Final = inspect.Parameter.empty


def custom_builder(name: str) -> Callable[[Builder], Builder]:
    """Let the decorated function be what is found under ``name``, in place of a made one."""

    def declare(function: Builder) -> Builder:
        _MADE[name] = function
        function.__doc__ = docstring(name, inspect.signature(function), function.__doc__)
        return function

    return declare


def builder(name: str) -> Builder:
    """Return the function that builds calls of the operator ``name``.

    Raises:
        UnknownNameError: If no such operator is declared.
    """
    made = _MADE.get(name)
    if made is None:
        op = get_op(ALIASES.get(name, name))
        made = _MADE[name] = _MADE.get(op.name) or _make(op)
    return made


def _make(op: Op) -> Builder:
    parameters = Parameters(op)
    build = _plain(op, parameters) if parameters.cls is None else _with_attrs(op, parameters)
    build.__name__ = build.__qualname__ = op.name.rsplit(".", 1)[-1]
    signature = inspect.Signature(parameters.shown(), return_annotation=Call)
    build.__signature__ = signature  # type: ignore[attr-defined]
    build.__doc__ = docstring(op.name, signature)
    return build


class Parameters:
    """The parameters of the builder of ``op``: its arguments and attributes, as Relay orders them.

    Attributes:
        cls: The class of the attributes, if it has any.
        defaults: The default of each parameter, ``None`` for those that must be given.
        operands: Which of the parameters are arguments, in the order of the operator.
        other_names: Further names under which a parameter may be given.
    """

    __slots__ = ("cls", "defaults", "op", "operands", "other_names")

    def __init__(self, op: Op) -> None:
        self.op = op
        self.cls = attrs_type.get(op)
        declared = arguments.get(op, ())
        text = SIGNATURES.get(op.name)
        fields = () if self.cls is None else self.cls.field_names
        if text is None:
            self.defaults = _declared(op, self.cls)
            self.operands = declared
        else:
            self.defaults = read_signature(text)
            self.operands = tuple(n for n in self.defaults if n not in fields or n in declared)
        assert len(self.operands) == len(declared), op.name
        others = dict(zip(declared, self.operands, strict=True))
        others.update(OTHER_NAMES.get(op.name, {}))
        self.other_names = {
            other: name
            for other, name in (*others.items(), *((f, f) for f in fields))
            if other not in self.defaults
        }

    def shown(self) -> list[inspect.Parameter]:
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
                f"{self.op.name} is called with {len(args)} positional arguments; expected at most "
                f"{len(names)}: ({', '.join(names)})"
            )
        given = dict(zip(names, args, strict=False))
        for name, value in named.items():
            known = name if name in self.defaults else self.other_names.get(name)
            if known is None:
                raise self._unknown(name)
            if known in given:
                raise OperatorError(f"{self.op.name} is given {name!r} twice")
            given[known] = value
        return given

    def _unknown(self, name: str) -> OperatorError | UnknownNameError:
        if self.cls is None:
            return OperatorError(
                f"{self.op.name} takes no attributes; found {name}; "
                f"it takes ({', '.join(self.defaults)})"
            )
        known = (*self.defaults, *self.other_names)
        return UnknownNameError(
            f"{self.op.name} has no attribute {name!r}{suggest(name, known)}; "
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
                found.append(as_constant(name, given.pop(name)))
                continue
            default = self.defaults[name]
            if default is None:
                raise OperatorError(
                    f"{self.op.name} is called without its argument {name!r}; "
                    f"expected {len(self.operands)}: ({', '.join(self.operands)})"
                )
            found.append(as_constant(name, default.value))
        return found

    def left_out(self) -> dict[str, object]:
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
            for name, value in spelt_out(self.op, given).items()
            if name not in declared
            or (declared[name] != value and not (declared[name] is None and value == ""))
        }


def _declared(op: Op, cls: type[Attrs] | None) -> dict[str, Default | None]:
    """Return the parameters that the declaration of ``op`` gives.

    Where sizes come as an argument, as in ``dyn.reshape``, the attribute of that name is empty.
    """
    found: dict[str, Default | None] = dict.fromkeys(arguments.get(op, ()))
    if cls is None:
        return found
    optional = may_be_none(cls)
    for name in cls.field_names:
        if name in found:
            continue
        if name in cls.defaults:
            found[name] = Default(cls.defaults[name])
        else:
            found[name] = Default(None) if name in optional else None
    return found


def _plain(op: Op, parameters: Parameters) -> Builder:
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
    left_out = parameters.left_out()
    may_be_unknown = has_unknown_sizes(op)

    def build(*args: object, **named: object) -> Call:
        given = parameters.bind(args, named)
        if may_be_unknown:
            sized = with_unknown_sizes(op, given, {**left_out, **given})
            if sized is not None:
                return sized
        operands = parameters.operands_of(given)
        return call_op(op, *operands, **{**left_out, **spelt_out(op, given)})

    return build


class Namespace:
    """The operators whose names start with ``prefix``, as attributes."""

    __slots__ = ("_prefix",)

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def __getattr__(self, name: str) -> Any:  # Any: a builder, or a domain within
        if name.startswith("__"):  # Python asks modules for many; no operator has such a name
            raise AttributeError(name)
        full = self._prefix + name
        if is_registered(full) or full in _MADE or full in ALIASES:
            return builder(full)
        if any(known.startswith(full + ".") for known in list_ops()):
            return Namespace(full + ".")
        if full == "qnn.op":
            return self  # Relay has these operators in relay.qnn.op; here they are in both
        raise AttributeError(f"no operator {full!r} is declared{suggest(full, list_ops())}")

    def __dir__(self) -> list[str]:
        known = {*list_ops(), *_MADE, *ALIASES}
        start = len(self._prefix)
        return sorted({n[start:].split(".")[0] for n in known if n.startswith(self._prefix)})

    def __repr__(self) -> str:
        return f"<operators {self._prefix}*>"


def namespace(
    domain: str,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:  # Any: a builder, or a domain within
    """Return ``__getattr__`` and ``__dir__`` of the module whose attributes are the operators."""
    found = Namespace(f"{domain}." if domain else "")
    return found.__getattr__, found.__dir__
