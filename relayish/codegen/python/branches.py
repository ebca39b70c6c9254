"""Ifs, which become ``if`` and ``else``."""

from __future__ import annotations

from relayish.codegen.python.forms import PYTHON_FORMS, PythonForm
from relayish.codegen.python.source import Block, Branches, Name
from relayish.codegen.python.writer import DefinitionWriter
from relayish.ir.relay.expr import Expr, If


def _enter_if(writer: DefinitionWriter, node: If, tail: bool) -> None:
    writer.after((node.cond,), _enter_branches, node, tail)


def _enter_branches(writer: DefinitionWriter, node: If, tail: bool, _extra: object) -> None:
    condition, scope = writer.operand(node.cond), writer.scopes.branches[node]
    level = writer.place.block.level + 1
    item = Branches()
    then = Block(level, {scope})
    item.cases.append((condition, then))
    writer.add(item)
    if tail:
        writer.then(_enter_rest, node.false_branch, tail, scope + 1)
        writer.open_branch(then, node, scope, None, "then")
        writer.write_branch(node.true_branch, True, None)
        return
    result = writer.values[node] = writer.name_for(node)
    otherwise = Block(level, {scope + 1})
    item.cases.append((None, otherwise))
    writer.then(_enter_else, node, tail, (otherwise, scope + 1, result))
    returns = writer.open_branch(then, node, scope, result, "then")
    writer.write_branch(node.true_branch, returns, result)


def _enter_rest(writer: DefinitionWriter, root: Expr, _tail: bool, scope: int) -> None:
    """Go on in the same block: what came before has returned."""
    writer.enter_scope(scope)
    writer.demand(root, True)


def _enter_else(
    writer: DefinitionWriter, node: If, _tail: bool, extra: tuple[Block, int, Name]
) -> None:
    block, scope, result = extra
    returns = writer.open_branch(block, node, scope, result, "otherwise")
    writer.write_branch(node.false_branch, returns, result)


PYTHON_FORMS.register(If, PythonForm(None, "chosen", _enter_if))
