"""The verifier: every rule of core, asked of a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from relayish._support.collector import pause_collection
from relayish.core.ir.definition import FuncEntry
from relayish.core.ir.family import CoreNode, Definition
from relayish.core.ir.language import CORE
from relayish.core.ir.memory import Idname
from relayish.core.verifier.names import Names
from relayish.core.verifier.returns import check_returns
from relayish.core.verifier.rule import Rule
from relayish.errors import FieldError
from relayish.ir.module import AnyModule, Module
from relayish.ir.node import Node
from relayish.ir.one_line import one_line, show_found
from relayish.ir.scoping import PROGRAM, free_variables
from relayish.ir.traversal import EVERYTHING
from relayish.ir.verification import (
    VERIFY_RULES,
    Report,
    Violation,
    failure,
    place_violations,
    register_definition_rule,
)


def verify(
    program: CoreNode | AnyModule, *, within: AnyModule | None = None
) -> tuple[Violation, ...]:
    """Return what is wrong with ``program``, all of it; nothing if it keeps the rules.

    Args:
        program: A module, of which the definitions of core are looked at, a definition, or a piece
            of a function.
        within: The module in which a definition stands, which defines what it names. Without, what
            is named is taken for what it is used as.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        AIR ``CONTAINER::Verify``, which stops at the first thing that is wrong.

    Example:
        >>> from relayish.core.ir.expr import Add, const
        >>> verify(Add(const(1), const(2)))
        ()
        >>> print(*verify(Add(const(1), const(True))))
        add is given 1 of type int32 and 1 of type bool; both must have one type
    """
    found: list[Violation] = []
    seen: set[Node] = set()
    with pause_collection():
        names = None if within is None else Names(within)
        for each in _programs(program, names):
            found += _verify_placed(each, seen)
    return tuple(found)


def check(program: CoreNode | AnyModule, *, within: AnyModule | None = None) -> None:
    """Raise unless ``program`` keeps the rules of core; see :func:`verify`.

    Raises:
        VerificationError: That says what is wrong, and where; its ``violations`` are all of it.
    """
    found = verify(program, within=within)
    if found:
        raise failure(found)


def _verify_definitions(
    definitions: Mapping[str, Definition], mod: AnyModule | None
) -> Iterator[Violation]:
    """Yield what is wrong with definitions, for whoever asks whether a module is well formed."""
    names = None if mod is None else Names(mod)
    seen: set[Node] = set()
    for name, definition in definitions.items():
        yield from _verify_placed(_Program(definition, name, names), seen)


register_definition_rule(Definition, _verify_definitions)


class _Program(NamedTuple):
    """What is verified by itself.

    Attributes:
        root: A definition, or a piece of one.
        name: Its name, or ``""``.
        names: What is defined around it; ``None``: not known.
    """

    root: CoreNode
    name: str
    names: Names | None


def _programs(program: CoreNode | AnyModule, names: Names | None) -> Iterator[_Program]:
    if isinstance(program, Module):
        around = Names(program)
        for key, definition in program.functions.items():
            if isinstance(definition, CoreNode):
                yield _Program(definition, program.name_of(key) or "", around)
    elif isinstance(program, CoreNode):
        yield _Program(program, "", names)
    else:
        raise FieldError(
            f"a program of core is verified; found {show_found(program)}; expected one of its "
            f"nodes, or a module"
        )


def _verify_placed(program: _Program, seen: set[Node]) -> list[Violation]:
    """Return what is wrong with a program, in order of it."""
    report = Report()
    everything = EVERYTHING.post_order(program.root)
    _verify_one(program, everything, seen, report)
    return place_violations(report.violations, everything, EVERYTHING, program.name)


def _verify_one(
    program: _Program, everything: Sequence[Node], seen: set[Node], report: Report
) -> None:
    root, rules = program.root, VERIFY_RULES
    for node in everything:
        if node not in seen:
            seen.add(node)
            rules[type(node)](node, report)
    _check_names_of_symbols(everything, report)
    if isinstance(root, FuncEntry):
        check_returns(root, everything, report)
    if isinstance(root, Definition):
        _check_scope(root, everything, report)
    if program.names is not None:
        program.names.check(program.name, root, everything, report)


def _check_names_of_symbols(everything: Sequence[Node], report: Report) -> None:
    """Report operators of core that are given the name of a symbol, which has no value."""
    if not any(type(node) is Idname for node in everything):
        return
    for node in everything:
        if type(node).domain_ != CORE.name:  # those of packages may take names
            continue
        for child in PROGRAM.children(node):
            if type(child) is Idname:
                report(
                    Rule.TYPE,
                    node,
                    f"{type(node).visit_name} is given {one_line(child)}, the name of a symbol, "
                    f"which has no value; load it by ld, or take its address by lda",
                )


def _check_scope(definition: Definition, everything: Sequence[Node], report: Report) -> None:
    """Report variables and registers that are not in the symbol table of the function."""
    free = set(free_variables(definition))
    if not free:
        return
    for node in everything:
        for child in PROGRAM.children(node):
            if child in free:
                report(
                    Rule.SCOPE,
                    node,
                    f"{type(node).visit_name} uses {one_line(child)}, which is no symbol of the "
                    f"function; put it among its formals, locals or pregs",
                )
