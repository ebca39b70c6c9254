"""Targets: what a program is meant for, by name; passes and functions of users ask which it is.

Nothing is compiled for one. ``with Target("llvm"):`` tells functions that are registered for
``Legalize`` or ``AlterOpLayout`` what they rewrite for, by ``Target.current()``.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import Token
from types import MappingProxyType, TracebackType
from typing import Final, NamedTuple, Self

from relayish._support.missing import set_absent_members, set_finder
from relayish.binary.records import register_value
from relayish.errors import FieldError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay import virtual_device
from relayish.op.runtime.builders import DeviceLike, as_virtual_device
from relayish.op.runtime.device import DEVICE_TYPES
from relayish.pass_infra.base.target import CURRENT_TARGET
from relayish.passes.relay.memory.plan_devices import CompilationConfig, make_compilation_config
from relayish.text.metadata_reader import BUILDERS, Get, Json
from relayish.text.metadata_writer import WRITERS, Table

__all__ = ["CompilationConfig", "Target", "TargetKind", "VirtualDevice", "make_compilation_config"]

_MOST_ARGUMENTS: Final = {"opencl": 128, "metal": 31}
"""How many arguments a kernel may take, by the kind of target; 0 is any number."""


class TargetKind(NamedTuple):
    """What kind of target it is: ``llvm``, ``cuda``."""

    name: str


@set_absent_members
class Target:
    """A kind of target and its options.

    Args:
        target: A text, ``"llvm -mcpu=skylake-avx512 -keys=cpu,avx"``, a mapping with ``kind`` and
            options, or a target.
        host: What the host program is for, if it is meant for another target.

    Raises:
        FieldError: If it says no kind.

    Source:
        TVM ``target.Target``; which options a kind has is not checked.

    Example:
        >>> target = Target("llvm -mcpu=skylake -keys=cpu")
        >>> target.kind.name, target.attrs["mcpu"], target.keys
        ('llvm', 'skylake', ('cpu',))
        >>> with target:
        ...     Target.current() is target
        True
    """

    __slots__ = ("_tokens", "attrs", "host", "kind")

    def __init__(
        self, target: str | Mapping[str, object] | Target, host: str | Target | None = None
    ) -> None:
        kind, attrs, own_host = _read(target)
        self.kind = TargetKind(kind)
        self.attrs: Mapping[str, object] = MappingProxyType(attrs)
        self.host: Target | None = own_host if host is None else Target(host)
        self._tokens: list[Token[Target | None]] = []

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys by which strategies would be chosen: those given, or the kind."""
        given = self.attrs.get("keys")
        words = given.split(",") if isinstance(given, str) else given
        return tuple(map(str, words)) if isinstance(words, (list, tuple)) else (self.kind.name,)

    @property
    def max_function_args(self) -> int:
        """How many arguments a kernel may take, its result among them; 0 for any number.

        The option of that name says so, or the kind of target.
        """
        given = self.attrs.get("max_function_args", _MOST_ARGUMENTS.get(self.kind.name, 0))
        return int(str(given))

    def with_host(self, host: str | Target) -> Target:
        """Return this target with another host program."""
        return Target(self, host)

    @staticmethod
    def current(allow_none: bool = True) -> Target | None:
        """Return the target of the innermost ``with`` around the caller.

        Raises:
            FieldError: If there is none and ``allow_none`` is false.
        """
        found: Target | None = CURRENT_TARGET.get()
        if found is None and not allow_none:
            raise FieldError("there is no target here; write with Target('llvm'): around it")
        return found

    def __enter__(self) -> Self:
        self._tokens.append(CURRENT_TARGET.set(self))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        CURRENT_TARGET.reset(self._tokens.pop())

    def __str__(self) -> str:
        options = [f"-{name}={_show(value)}" for name, value in self.attrs.items()]
        return " ".join([self.kind.name, *options])

    def __repr__(self) -> str:
        return f"Target({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Target):
            return NotImplemented
        return (str(self), self.host) == (str(other), other.host)

    def __hash__(self) -> int:
        return hash(str(self))


def _read(
    target: str | Mapping[str, object] | Target,
) -> tuple[str, dict[str, object], Target | None]:
    """Return the kind, the options and the host that ``target`` says."""
    if isinstance(target, Target):
        return target.kind.name, dict(target.attrs), target.host
    if isinstance(target, str):
        kind, *options = target.split() or [""]
        attrs: dict[str, object] = {}
        for option in options:
            name, equals, value = option.lstrip("-").partition("=")
            attrs[name] = value if equals else True
    else:
        attrs = dict(target)
        kind = str(attrs.pop("kind", ""))
    if not kind or kind.startswith("-"):
        raise FieldError(f"a target begins with its kind, as 'llvm'; found {target!r}")
    host = attrs.pop("host", None)
    return kind, attrs, Target(host) if isinstance(host, (str, Mapping, Target)) else None


def _show(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def VirtualDevice(  # noqa: N802 - TVM's name for it
    device: DeviceLike | None = None, target: object = None, memory_scope: str = ""
) -> virtual_device.VirtualDevice:
    """Return a device with what is compiled for it and a memory of it; what is not given is open.

    Example:
        >>> VirtualDevice("cuda", memory_scope="global")
        VirtualDevice(device_type_int=2, virtual_device_id=0, target=None, memory_scope='global')
    """
    found = virtual_device.ANY_DEVICE if device is None else as_virtual_device(device)
    made = found.with_values(target=target, memory_scope=memory_scope)
    assert isinstance(made, virtual_device.VirtualDevice)
    return made


def _write_target(table: Table, target: Target) -> Json:
    attrs = {name: value for name, value in target.attrs.items() if name != "keys"}
    fields = {
        "attrs": table.number(DictAttrs(attrs)),
        "features": table.number(DictAttrs()),
        "host": table.number(target.host),
        "keys": table.number(target.keys),
        "kind": table.number(target.kind),
        "tag": table.number(""),
    }
    return {"type_key": "Target", "attrs": {name: str(value) for name, value in fields.items()}}


def _write_kind(table: Table, kind: TargetKind) -> Json:
    fields = {
        "default_device_type": str(DEVICE_TYPES.get(kind.name, -1)),
        "default_keys": str(table.number(())),
        "name": str(table.number(kind.name)),
    }
    return {"type_key": "TargetKind", "attrs": fields}


def _build_target(node: Json, get: Get) -> Target:
    fields = node["attrs"]
    kind, keys = get(fields["kind"]), tuple(get(fields["keys"]) or ())
    attrs = dict(get(fields["attrs"]) or {})
    if keys not in ((), (kind,)):
        attrs["keys"] = keys
    return Target({"kind": kind, **attrs}, get(fields["host"]))


def _parts(target: Target) -> tuple[object, ...]:
    return target.kind.name, DictAttrs(target.attrs), target.host


def _from_parts(kind: str, attrs: DictAttrs, host: Target | None) -> Target:
    return Target({"kind": kind, **dict(attrs.items())}, host)


register_value(Target, "target", _parts, _from_parts)
register_value(TargetKind, "target kind", tuple, TargetKind)
WRITERS[Target] = _write_target
WRITERS[TargetKind] = _write_kind
BUILDERS["Target"] = _build_target
BUILDERS["TargetKind"] = lambda node, get: get(node["attrs"]["name"])

__path__: list[str] = []  # for the names of modules within that TVM has

set_finder(__name__)
