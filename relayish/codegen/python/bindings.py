"""Lets, which become assignments, and functions, which become functions."""

from __future__ import annotations

from typing import Any

from relayish.codegen.python.forms import PYTHON_FORMS, PythonForm
from relayish.codegen.python.source import Activation, Assignment, Block, Definition, Name
from relayish.codegen.python.writer import DefinitionWriter, Place, Value
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.relay.expr import Constant, Function, Let


def _enter_let(writer: DefinitionWriter, let: Let, tail: bool) -> None:
    value = let.value
    writer.hints.setdefault(value, let.var)
    writer.then(_enter_let_body, let, tail, writer.bound.get(let.var))
    if type(value) is Function:
        writer.recursive.setdefault(value, let.var)
    if type(value) not in ATOMS:
        writer.then(DefinitionWriter.demand, value, False)


def _enter_let_body(writer: DefinitionWriter, let: Let, tail: bool, old: Value | None) -> None:
    found = writer.value_of(let.value)
    if type(let.value) is Constant:
        name = writer.new_name(let.var)
        writer.add(Assignment([name], writer.text_of(found)))
        found = name
    writer.bound[let.var] = found
    writer.then(_leave_let, let, tail, old)
    writer.demand(let.body, tail)


def _leave_let(writer: DefinitionWriter, let: Let, tail: bool, old: Value | None) -> None:
    if not tail:
        writer.values[let] = writer.value_of(let.body)
    writer.rebind([(let.var, old)])


def _enter_function(writer: DefinitionWriter, function: Function, tail: bool) -> None:
    name = writer.name_for(function)
    outside = writer.place
    activation = Activation(outside.activation)
    scope = writer.scopes.activated[function][0]
    unit, top, frame = outside.unit, "", ""
    if writer.enter_inside(outside):
        block = Block(outside.block.level + 1, {scope})
    else:
        top, frame = writer.open_top(name.text, outside.activation, {scope})
        block, unit = writer.place.block, writer.place.unit
    writer.place = writer.homes[scope] = Place(block, unit, activation, block)
    params = [writer.new_name(param) for param in function.params]
    made = Definition(top or name, params, block, given=frame, opens=activation)
    if top:
        writer.definitions.append(made)
        outside.block.items.append(Assignment([name], f"close({top}, {frame}, {len(params)})"))
    else:
        outside.block.items.append(made)
    var = writer.recursive.get(function)
    own: list[tuple[Node, Name]] = [] if var is None else [(var, name)]
    olds = writer.bind([*own, *zip(function.params, params, strict=True)])
    writer.then(_leave_function, function, tail, (name, outside, olds))
    writer.then(DefinitionWriter.demand, function.body, True)


def _leave_function(
    writer: DefinitionWriter, function: Function, tail: bool, extra: tuple[Any, ...]
) -> None:  # Any: what _enter_function leaves to it
    name, writer.place, olds = extra
    writer.rebind(olds)
    if tail:
        writer.add(f"return {name.text}")
    else:
        writer.values[function] = name


PYTHON_FORMS.register(Let, PythonForm(None, "value", _enter_let))
PYTHON_FORMS.register(Function, PythonForm(None, "fn", _enter_function))
