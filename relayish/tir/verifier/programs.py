"""The verifier: every rule of the loop IR, asked of a program."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from relayish._support.collector import pause_collection
from relayish.errors import FieldError
from relayish.ir.module import AnyModule
from relayish.ir.module import Module as DefinitionModule
from relayish.ir.node import Node
from relayish.ir.one_line import show_found
from relayish.ir.scoping import PROGRAM
from relayish.ir.verification import (
    VERIFY_RULES,
    Report,
    Violation,
    failure,
    place_violations,
    register_definition_rule,
)
from relayish.tir.analysis.loop_ranges import LoopRanges
from relayish.tir.ir.family import IrNode
from relayish.tir.ir.function import LoweredFunc, Module
from relayish.tir.ir.traversal import NODES
from relayish.tir.verifier.affine import check_iteration_values
from relayish.tir.verifier.bounds import check_bounds
from relayish.tir.verifier.calls import Callees, check_calls
from relayish.tir.verifier.dependences import check_dependences
from relayish.tir.verifier.lifetime import check_lifetimes
from relayish.tir.verifier.mentioned import check_mentioned
from relayish.tir.verifier.names import check_module_names, check_tensor_names
from relayish.tir.verifier.nests import check_nests
from relayish.tir.verifier.nodes import ProgramNodes
from relayish.tir.verifier.regions import check_regions
from relayish.tir.verifier.scoping import check_scopes


class _Program(NamedTuple):
    """What is verified by itself.

    Attributes:
        root: A function, or a piece of a program.
        definition: The function's name, or ``""``.
        known: What is bound outside of it; ``None``: whatever it does not bind.
        callees: The functions that it may call; ``None``: not known.
    """

    root: IrNode
    definition: str
    known: Collection[Node] | None
    callees: Callees | None = None


def verify(
    program: IrNode | AnyModule, *, within: AnyModule | None = None
) -> tuple[Violation, ...]:
    """Return what is wrong with ``program``, all of it; nothing if it keeps the rules.

    Args:
        program: A function or a module of the loop IR, a module of definitions, of which those of
            the loop IR are looked at, or a piece of a program. What a piece does not bind is taken
            for bound outside; a function must be closed.
        within: The module in which a function stands, whose functions it may call.

    Complexity:
        Linear in the number of distinct nodes, but for a logarithm of the depth where one is used
        in several scopes; no recursion.

    Source:
        CINN ``IrVerify``, which asks each node for its types.

    Example:
        >>> from relayish.tir.ir.operators import Add, const
        >>> verify(Add(const(1), const(2)))
        ()
        >>> print(*verify(Add(const(1), const(2.0))))
        Add is given 1 of type int32 and 2.0 of type float32; both must have one type: cast one, \
or broadcast it
    """
    report = Report()
    seen: set[Node] = set()
    with pause_collection():
        for each in _programs(program, report, within):
            found = Report()
            everything = NODES.post_order(each.root)
            _verify_one(each, everything, seen, found)
            report.violations += place_violations(
                found.violations, everything, NODES, each.definition
            )
    return tuple(report.violations)


def check(program: IrNode | AnyModule, *, within: AnyModule | None = None) -> None:
    """Raise unless ``program`` keeps the rules of the loop IR; see :func:`verify`.

    Raises:
        VerificationError: That says what is wrong, and where; its ``violations`` are all of it.
    """
    found = verify(program, within=within)
    if found:
        raise failure(found)


def _verify_definitions(
    definitions: Mapping[str, LoweredFunc | Module], mod: AnyModule | None
) -> Iterator[Violation]:
    """Yield what is wrong with definitions, for whoever asks whether a module is well formed."""
    for name, definition in definitions.items():
        for violation in verify(definition, within=mod):
            yield violation._replace(definition=name)


register_definition_rule(LoweredFunc, _verify_definitions)
register_definition_rule(Module, _verify_definitions)


def _verify_one(
    program: _Program, everything: Sequence[Node], seen: set[Node], report: Report
) -> None:
    """Report what is wrong with a function, or a piece of a program."""
    rules = VERIFY_RULES
    for node in everything:
        if node not in seen:
            seen.add(node)
            rules[type(node)](node, report)
    nodes = ProgramNodes(program.root, PROGRAM.post_order(program.root))
    check_tensor_names(nodes, report)
    check_nests(nodes, report)
    check_iteration_values(nodes, report)
    check_calls(nodes, program.callees, report)
    check_lifetimes(nodes, report, given=program.known or ())
    local = len(report.violations)
    check_scopes(nodes, report, known=program.known)
    if program.known is not None:
        check_mentioned(nodes, report, known=program.known)
    if len(report.violations) > local:
        return  # what a variable is cannot be told where it is bound twice, or not at all
    ranges = LoopRanges(nodes.order)
    check_bounds(nodes, ranges, report)
    check_regions(nodes, ranges, report)
    check_dependences(nodes, report)


def _programs(
    program: IrNode | AnyModule, report: Report, within: AnyModule | None
) -> Iterator[_Program]:
    """Yield what is verified by itself, with what is bound around it."""
    if isinstance(program, DefinitionModule):
        for definition in program.functions.values():
            if isinstance(definition, LoweredFunc | Module):
                yield from _programs(definition, report, program)
    elif isinstance(program, Module):
        yield from _functions(program, report)
    elif isinstance(program, LoweredFunc):
        yield _Program(program, program.name, (), None if within is None else _named(within))
    elif isinstance(program, IrNode):
        yield _Program(program, "", None)
    else:
        raise FieldError(
            f"a program of the loop IR is verified; found {show_found(program)}; expected one of "
            f"its nodes, or a module"
        )


def _named(mod: AnyModule) -> Callees:
    """Return the functions that a module defines."""
    return Callees(
        lambda name: mod[name] if name in mod else None,  # noqa: SIM401 - a module has no get
        lambda: [mod.name_of(key) or "" for key in mod.functions],
    )


def _functions(module: Module, report: Report) -> Iterator[_Program]:
    """Yield the functions of a module and its submodules, which know the buffers of both.

    A call may name a function of its module, or of one around that.
    """
    known: dict[Node, None] = {}
    named: dict[str, list[LoweredFunc]] = {}
    callees = Callees(lambda name: named[name][-1] if named.get(name) else None, named.keys)
    pending: list[tuple[Module, bool]] = [(module, True)]
    while pending:
        each, enters = pending.pop()
        if not enters:
            for buffer in each.buffers:
                known.pop(buffer, None)
            for func in each.functions:
                named[func.name].pop()
            continue
        check_module_names(each, report)
        known.update(dict.fromkeys(each.buffers))
        for func in each.functions:
            named.setdefault(func.name, []).append(func)
        for func in each.functions:
            yield _Program(func, func.name, known, callees)
        pending.append((each, False))
        pending += [(inner, True) for inner in reversed(each.submodules)]
