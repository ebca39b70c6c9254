"""Conversion between CINN's modules and modules of definitions, which passes take.

What a module of definitions has no place for, its name, its target and the order of its functions,
stands in the attribute ``tir`` of it, where it is not what it would be taken for anyway.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from relayish.errors import DuplicateNameError, FieldError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.kinds.one_line import describe
from relayish.ir.nodes.node import Node
from relayish.ir.relay.module import IRModule
from relayish.tir.ir.function import LoweredFunc, Module
from relayish.tir.ir.target import UNKNOWN_TARGET, Target, TargetArch, TargetBits, TargetOS

DEFAULT_NAME: Final = "module"
"""The name of a CINN module where nothing says another."""

_ATTRIBUTE: Final = "tir"


def to_ir_module(module: Module) -> IRModule:
    """Return the functions and submodules of ``module`` as definitions, each under its own name.

    Raises:
        FieldError: If the module has buffers: definitions share no memory.
        DuplicateNameError: If two functions, or submodules, have one name.

    Example:
        >>> from relayish.tir.ir.stmt import Block
        >>> func = LoweredFunc("f", (), Block())
        >>> to_ir_module(Module("m", functions=(func,)))["f"] is func
        True
    """
    if module.buffers:
        names = ", ".join([buffer.name for buffer in module.buffers])
        raise FieldError(
            f"the functions of module {module.name!r} share memory ({names}), and definitions of "
            f"a module share none; make it arguments of the functions that use it"
        )
    definitions: dict[str, Node] = {}
    named = [(func.name, func) for func in module.functions]
    for name, each in [*named, *((inner.name, inner) for inner in module.submodules)]:
        if name in definitions:
            raise DuplicateNameError(
                f"module {module.name!r} has two definitions called {name!r}; definitions are "
                f"known by name: give one of them another"
            )
        definitions[name] = each
    said: dict[str, object] = {}
    if module.name != DEFAULT_NAME:
        said["name"] = module.name
    if module.target != UNKNOWN_TARGET:
        said["target"] = _spell_target(module.target)
    if list(definitions) != _in_order(definitions):
        said["order"] = tuple(definitions)
    attrs = DictAttrs({_ATTRIBUTE: said}) if said else None
    return IRModule(attrs=attrs).with_functions(definitions)


def from_ir_module(mod: IRModule, name: str | None = None, target: Target | None = None) -> Module:
    """Return the definitions of ``mod``, which are of the loop IR, as a CINN module.

    Args:
        mod: A module of ``LoweredFunc``, and of CINN's modules, which become submodules.
        name: That of the result; by default what ``mod`` says, else ``module``.
        target: What it is compiled for; by default what ``mod`` says, else unknown.

    Raises:
        FieldError: If something of ``mod`` has no place in such a module: a definition of another
            language, one of another name than it goes by, a type, or an attribute.
    """
    definitions = {var.name_hint: node for var, node in mod.functions_of(Node).items()}
    for known, node in definitions.items():
        _check_definition(known, node)
    for header in mod.type_definitions:
        raise FieldError(
            f"type {header.name_hint} has no place in a module of the loop IR; leave it out"
        )
    said = _read_attributes(mod)
    order = said.get("order", _in_order(definitions))
    if not isinstance(order, (tuple, list)) or sorted(map(str, order)) != sorted(definitions):
        raise FieldError(
            f"attribute {_ATTRIBUTE!r} of the module gives the order {order}; expected the names "
            f"of its definitions, {', '.join(sorted(definitions)) or 'of which there are none'}"
        )
    found = [definitions[each] for each in order]
    return Module(
        str(said.get("name", DEFAULT_NAME)) if name is None else name,
        _read_target(said.get("target")) if target is None else target,
        (),
        tuple([node for node in found if isinstance(node, LoweredFunc)]),
        tuple([node for node in found if isinstance(node, Module)]),
    )


def _in_order(definitions: Mapping[str, Node]) -> list[str]:
    """Return names as they come where nothing says otherwise: functions first, each by name."""
    return sorted(definitions, key=lambda name: (isinstance(definitions[name], Module), name))


def _check_definition(known: str, node: Node) -> None:
    if not isinstance(node, (LoweredFunc, Module)):
        raise FieldError(
            f"definition @{known} is {describe(node)}; expected a LoweredFunc or a tir.Module: "
            f"functions of other languages have no place in a module of the loop IR"
        )
    if node.name != known:
        raise FieldError(
            f"definition @{known} calls itself {node.name!r}; a module of the loop IR knows "
            f"functions by their own names: rename one, func.with_fields(name={known!r})"
        )


def _read_attributes(mod: IRModule) -> DictAttrs:
    attrs = DictAttrs() if mod.attrs is None else mod.attrs
    others = [key for key in attrs.keys() if key != _ATTRIBUTE]  # noqa: SIM118 - no dictionary
    if others:
        raise FieldError(
            f"attribute {others[0]!r} has no place in a module of the loop IR; leave it out"
        )
    said = attrs.get(_ATTRIBUTE, DictAttrs())
    if not isinstance(said, DictAttrs):
        raise FieldError(
            f"attribute {_ATTRIBUTE!r} of the module is {said!r}; expected a dictionary of name, "
            f"target and order"
        )
    return said


def _spell_target(target: Target) -> tuple[object, ...]:
    return (target.os.value, target.arch.value, target.bits.value, target.features, target.libs)


def _read_target(spelled: Any) -> Target:  # Any: still to be checked
    if spelled is None:
        return UNKNOWN_TARGET
    try:
        system, arch, bits, features, libs = spelled
        parts = TargetOS(system), TargetArch(arch), TargetBits(bits)
        return Target(*parts, tuple(map(str, features)), tuple(map(str, libs)))
    except (TypeError, ValueError) as error:
        raise FieldError(
            f"attribute {_ATTRIBUTE!r} of the module gives the target {spelled!r}; expected "
            f"operating system, processor, width, features and libraries"
        ) from error
