"""Matches, which become ``if`` and ``elif``, and what their patterns bind, assignments."""

from __future__ import annotations

from typing import Any, Final

from relayish.codegen.python.forms import PYTHON_FORMS, PythonForm
from relayish.codegen.python.patterns import flat_targets, spell_out
from relayish.codegen.python.source import Assignment, Block, Branches
from relayish.codegen.python.writer import DefinitionWriter, Value
from relayish.ir.relay.adt import Clause, Match
from relayish.ir.scopes.scoping import binders

MOST_CASES: Final = 8
"""How many cases stand in one ``elif`` chain: Python reads these by recursion."""


def _enter_match(writer: DefinitionWriter, node: Match, tail: bool) -> None:
    writer.after((node.data,), _enter_clauses, node, tail)


def _enter_clauses(writer: DefinitionWriter, node: Match, tail: bool, _extra: object) -> None:
    data, clauses = writer.value_of(node.data), node.clauses
    if tail:
        _enter_case(writer, node, True, (0, data))
        return
    if clauses and _always_matches(writer, clauses[0], data):
        writer.enter_scope(writer.scopes.branches[node])
        _bind_pattern(writer, clauses[0], data)
        writer.then(_leave_only_case, node, False)
        writer.then(DefinitionWriter.demand, clauses[0].rhs, False)
        return
    result = writer.values[node] = writer.name_for(node)
    if len(clauses) > MOST_CASES:  # a function, in which each case returns
        writer.outline(node, set(), result, "cases", writer.place.block)
        _enter_case(writer, node, True, (0, data))
        return
    branches = Branches()
    writer.add(branches)
    _enter_case(writer, node, False, (0, data, result, branches))


def _leave_only_case(writer: DefinitionWriter, node: Match, _tail: bool, _extra: object) -> None:
    writer.values[node] = writer.value_of(node.clauses[0].rhs)


def _enter_case(
    writer: DefinitionWriter, node: Match, tail: bool, extra: tuple[Any, ...]
) -> None:  # Any: an index, the data, and for branches the result and these
    """Write the clause ``index``: behind the others, which return, or as one more branch."""
    index, data, *rest = extra
    result, branches = rest or (None, Branches())
    text, block = writer.text_of(data), writer.place.block
    scope = writer.scopes.branches[node] + index
    if index == len(node.clauses):
        if tail:
            writer.add(f"return unmatched({text})")
        else:
            inside = Block(block.level + 1, set())
            inside.items.append(f"unmatched({text})")
            branches.cases.append((None, inside))
        return
    clause = node.clauses[index]
    always = _always_matches(writer, clause, data)
    if tail and always:
        writer.enter_scope(scope)
        _bind_pattern(writer, clause, data)
        writer.then(DefinitionWriter.demand, clause.rhs, True)
        return
    inside = Block(block.level + 1, {scope})
    branches.cases.append((None if always else _condition(writer, clause, text), inside))
    if tail:
        writer.add(branches)
    if not always:
        writer.then(_enter_case, node, tail, (index + 1, *extra[1:]))
    returns = writer.open_branch(inside, clause, scope, result, "case")
    _bind_pattern(writer, clause, data)
    writer.write_branch(clause.rhs, returns, result)


def _always_matches(writer: DefinitionWriter, clause: Clause, data: Value) -> bool:
    spelt = spell_out(clause.lhs, writer.text_of(data), writer.program)
    return spelt is not None and not spelt.conditions


def _condition(writer: DefinitionWriter, clause: Clause, data: str) -> str:
    spelt = spell_out(clause.lhs, data, writer.program)
    if spelt is None:
        return f"{writer.program.matching(clause.lhs)}({data}) is not None"
    return " and ".join(spelt.conditions)


def _bind_pattern(writer: DefinitionWriter, clause: Clause, data: Value) -> None:
    """Assign what the variables of a pattern stand for, which matches."""
    text, pattern = writer.text_of(data), clause.lhs
    spelt = spell_out(pattern, text, writer.program)
    variables = binders(clause)
    names = [writer.new_name(var) for var in variables]
    by_var = dict(zip(variables, names, strict=True))
    if spelt is None:
        whole = f"{writer.program.matching(pattern)}({text})"
        if names:
            targets = _unpacked([name.text for name in names])
            writer.add(Assignment(names, whole, targets))
    elif (flat := flat_targets(pattern, by_var, text)) is None:
        for name, (_, path) in zip(names, spelt.variables, strict=True):
            writer.add(Assignment([name], path))
    elif names:
        writer.add(Assignment(names, flat.fields, _unpacked(flat.targets)))
    olds = writer.bind(list(by_var.items()))
    writer.then(lambda writer, _clause, _tail, olds: writer.rebind(olds), clause, False, olds)


def _unpacked(targets: list[str]) -> str:
    return f"({targets[0]},)" if len(targets) == 1 else ", ".join(targets)


PYTHON_FORMS.register(Match, PythonForm(None, "matched", _enter_match))
