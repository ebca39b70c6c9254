"""A function for each operator, found by its Relay name: ``op.add(x, y)``, ``op.nn.relu(x)``.

They are made from the declarations when first asked for. The arguments of the operator come first,
then its attributes, in the order of their declaration or of :data:`POSITIONS`; both may be given by
name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from relayish.errors import FieldError, OperatorError, suggest
from relayish.ir.attrs import Attrs
from relayish.ir.expr import Call, Expr, Op
from relayish.op.call import call_op, may_be_none
from relayish.op.registry import arguments, attrs_type, get_op, is_registered, list_ops

Builder: TypeAlias = Callable[..., Expr]

POSITIONS: Mapping[str, tuple[str, ...]] = {
    "take": ("axis", "batch_dims", "mode"),
    "argmax": ("axis", "keepdims", "exclude", "select_last_index"),
    "argmin": ("axis", "keepdims", "exclude", "select_last_index"),
    "strided_slice": ("begin", "end", "strides", "axes", "slice_mode"),
}
"""Where Relay's own Python functions take attributes in another order than they are declared."""

_MADE: dict[str, Builder] = {}
_ANYHOW: Final = inspect.Parameter.POSITIONAL_OR_KEYWORD
_EMPTY: Final = inspect.Parameter.empty


def custom_builder(name: str) -> Callable[[Builder], Builder]:
    """Let the decorated function be what is found under ``name``, in place of a made one."""

    def declare(function: Builder) -> Builder:
        _MADE[name] = function
        return function

    return declare


def builder(name: str) -> Builder:
    """Return the function that builds calls of the operator ``name``.

    Raises:
        UnknownNameError: If no such operator is declared.
    """
    made = _MADE.get(name)
    if made is None:
        made = _MADE[name] = _make(get_op(name))
    return made


def _make(op: Op) -> Builder:
    names = arguments.get(op, ())
    cls = attrs_type.get(op)
    build = _plain(op, len(names)) if cls is None else _with_attrs(op, len(names), cls)
    build.__name__ = build.__qualname__ = op.name.rsplit(".", 1)[-1]
    build.__doc__ = f"Return a call of the operator ``{op.name}``."
    build.__signature__ = _signature(op, names, cls)  # type: ignore[attr-defined]
    return build


def _plain(op: Op, count: int) -> Builder:
    def build(*args: Expr, **attributes: object) -> Call:
        if len(args) == count and not attributes:
            try:
                return Call(op, args)
            except FieldError:
                pass  # a tuple to convert, or something to complain about, below
        return call_op(op, *_operands(op, args, attributes), **attributes)

    return build


def _with_attrs(op: Op, count: int, cls: type[Attrs]) -> Builder:
    order = _positions(op, cls)
    rank = _spatial_rank(op.name)
    tuples = frozenset(n for n in cls.field_names if "tuple" in _annotation(cls, n))

    def build(*args: object, **attributes: object) -> Call:
        operands, positional = _operands(op, args[:count], attributes), args[count:]
        if len(positional) > len(order):
            raise OperatorError(
                f"{op.name} is called with {len(args)} positional arguments; expected at most "
                f"{count + len(order)}: ({', '.join((*arguments.get(op, ()), *order))})"
            )
        for name, value in zip(order, positional, strict=False):
            if name in attributes:
                raise OperatorError(f"{op.name} is given its attribute {name!r} twice")
            attributes[name] = value
        for name, value in attributes.items():
            if name in tuples:
                attributes[name] = _spelt_out(name, value, rank)
        return call_op(op, *operands, **attributes)

    return build


def _positions(op: Op, cls: type[Attrs]) -> tuple[str, ...]:
    """Return the attributes in the order of the builder, without those that are arguments too.

    Where sizes come as an argument, as in ``dyn.reshape``, the attribute of that name is empty.
    """
    order = POSITIONS.get(op.name, cls.field_names)
    return tuple(name for name in order if name not in arguments.get(op, ()))


def _operands(op: Op, args: tuple[object, ...], named: dict[str, object]) -> tuple[object, ...]:
    """Return ``args`` and behind them the further arguments, which are taken out of ``named``."""
    taken = list(args)
    for name in arguments.get(op, ())[len(args) :]:
        if name not in named:
            break
        taken.append(named.pop(name))
    return tuple(taken)


def _spatial_rank(name: str) -> int:
    """Return over how many axes an operator such as ``nn.conv2d`` slides its window, or 0."""
    slides = name.startswith(("nn.conv", "nn.max_pool", "nn.avg_pool"))
    return next((n for n in (1, 2, 3) if slides and f"{n}d" in name), 0)


def _required(cls: type[Attrs]) -> set[str]:
    return set(cls.field_names) - set(cls.defaults) - may_be_none(cls)


def _annotation(cls: type[Attrs], name: str) -> str:
    return str(inspect.get_annotations(cls).get(name, ""))


def _spelt_out(name: str, value: object, rank: int) -> object:
    """Return a tuple attribute with the short forms that Relay's functions take written out.

    One axis stands for a tuple of it, one size for that size along every axis a window slides
    over, and padding given once for each axis for that padding on both sides of it.
    """
    single = isinstance(value, int) and not isinstance(value, bool)
    if name == "axis" and single:
        return (value,)
    if rank and name in ("strides", "dilation", "kernel_size", "pool_size"):
        return (value,) * rank if single else value
    if rank and name == "padding":
        sizes = (value,) * rank if single else value
        if isinstance(sizes, (tuple, list)) and len(sizes) == rank:
            return (*sizes, *sizes)
    return value


def _signature(op: Op, names: tuple[str, ...], cls: type[Attrs] | None) -> inspect.Signature:
    parameters = [inspect.Parameter(n, _ANYHOW) for n in names]
    if cls is not None:
        required = _required(cls)
        by_name_only = False
        for name in _positions(op, cls):
            if name in required and parameters and parameters[-1].default is not _EMPTY:
                by_name_only = True  # a required one after those that are not
            parameters.append(
                inspect.Parameter(
                    name,
                    inspect.Parameter.KEYWORD_ONLY if by_name_only else _ANYHOW,
                    default=_EMPTY if name in required else cls.defaults.get(name),
                )
            )
    return inspect.Signature(parameters, return_annotation=Call)


class Namespace:
    """The operators whose names start with ``prefix``, as attributes."""

    __slots__ = ("_prefix",)

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def __getattr__(self, name: str) -> Any:  # Any: a builder, or a domain within
        if name.startswith("__"):  # Python asks modules for many; no operator has such a name
            raise AttributeError(name)
        full = self._prefix + name
        if is_registered(full) or full in _MADE:
            return builder(full)
        if any(known.startswith(full + ".") for known in list_ops()):
            return Namespace(full + ".")
        raise AttributeError(f"no operator {full!r} is declared{suggest(full, list_ops())}")

    def __dir__(self) -> list[str]:
        known = {*list_ops(), *_MADE}
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
