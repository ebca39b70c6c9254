"""The grammar of blocks: statements, conditionals, functions and matches."""

from __future__ import annotations

import re

from relayish._support.trampoline import Rule
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.adt import Clause, Match
from relayish.ir.relay.expr import Call, Expr, Function, If, Let, Var
from relayish.ir.relay.virtual_device import VirtualDevice, is_unconstrained
from relayish.text.node_reader import declare_free
from relayish.text.relay.expr_parser import expression
from relayish.text.relay.lexer import DEVICE, FAST, IN_STATEMENTS, STATEMENT
from relayish.text.relay.pattern_parser import pattern
from relayish.text.relay.reader import Reader, make_empty_attrs
from relayish.text.relay.type_parser import (
    free_type,
    simple_type,
    simple_variable,
    type_,
    type_params,
    variable,
)
from relayish.text.source import ATTRIBUTE, unquote_name
from relayish.text.tables import NODE, WORDS, is_reserved
from relayish.text.values_reader import attribute_value, meta


def block(reader: Reader, close: str | None) -> Rule:
    """Statements and a result, up to and including ``close`` (``""``: the end of the text).

    With ``None`` the result is the first expression that is no statement, and what follows it, a
    semicolon say, belongs to whoever asked.
    """
    mark = len(reader.hidden_locals)
    bindings: list[tuple[Var, Expr, int]] = []
    while True:
        found: re.Match[str] | None = None
        if reader.text[reader.skip() : reader.pos + 1] in IN_STATEMENTS:
            _read_fast(reader, bindings)
            reader.skip()
            found = reader.match(STATEMENT)
        if found is None:
            start = reader.pos
            value = yield expression(reader)
            if close is None or not reader.take(";"):
                break
            value = reader.expr(value, start)
            bindings.append((Var("_", span=reader.span(start, start)), value, start))
        elif found["temp"]:  # as below, where most statements of a graph would go through one more
            reader.pos = found.end()
            value = yield expression(reader)
            reader.expect(";", "after a graph binding")
            reader.define("%" + found["temp"], value)
        elif found["word"] == "let":
            at, reader.pos = found.start("word"), found.end("word")
            found = None
            binder = reader.binder("after let")
            var = simple_variable(reader, binder) or (yield variable(reader, binder))
            reader.expect("=", "after the variable of a let")
            is_function = reader.text.startswith("fn", start := reader.skip())
            if is_function:
                reader.bind(binder.key, var)
            value = yield expression(reader)
            reader.check_exprs(start, value)
            reader.expect(";", "after the value of a let")
            if not is_function:
                reader.bind(binder.key, var)
            bindings.append((var, value, at))
        else:
            yield from _declaration(reader, found)
    if close:
        reader.expect(close, "at the end of a block")
    elif close is not None and reader.skip() < len(reader.text):
        reader.fail(f"expected an operator or the end of the expression; {reader.found()}")
    end = reader.pos
    if bindings:
        reader.check_exprs(start, value)
    for var, bound, start in reversed(bindings):
        value = Let._make(var, bound, value, reader.span(start, end), None)
    reader.leave(mark)
    return value


def _read_fast(reader: Reader, bindings: list[tuple[Var, Expr, int]]) -> None:
    """Read each ``%n = op(%a, %b);`` and ``let %x = op(%a, %b);`` up to what has another form."""
    text, callees, env, span = reader.text, reader.callees, reader.env, reader.span
    stands_for = env.__getitem__
    while (found := FAST.match(text, reader.pos)) is not None:
        temp, local, name, words = found.groups()
        at = found.start(3)
        callee = callees.get(name)
        if callee is None:
            if is_reserved(name):
                return
            callee = reader.callee(name, at)
        if not callee.is_fast:
            return
        try:
            args = tuple(map(stands_for, words.split(", ")))
        except KeyError:
            return  # the general rule says what is wrong
        if reader.is_mixed and not all(type(arg) in Expr.kinds for arg in args):
            return
        call = Call._make(
            callee.expr, args, callee.default_attrs, (), span(at, found.end(4) + 1), None
        )
        reader.pos = found.end()
        if temp is None:
            at = found.start(2)
            var = Var._make(local[1:], None, None, None, span(at, found.end(2)), None)
            reader.bind(local, var)
            bindings.append((var, call, at))
        elif reader.function_depth > 1:
            reader.define(temp, call)
        else:
            env[temp] = call


def _declaration(reader: Reader, found: re.Match[str]) -> Rule:
    """``%n = ...;``, ``free_var %x: T;`` and ``free_type A: Kind;``."""
    reader.pos = found.end()
    if found["temp"]:
        value = yield expression(reader)
        reader.expect(";", "after a graph binding")
        reader.define("%" + found["temp"], value)
        return
    if found["word"] == "free_var" and reader.text.startswith(NODE, reader.skip()):
        yield declare_free(reader)
    elif found["word"] == "free_var":
        binder = reader.binder("after free_var")
        var = yield variable(reader, binder)
        reader.env[binder.key] = reader.bound[binder.key] = var
    else:
        free_type(reader)
    reader.expect(";", "after a free variable")


def read_free_declarations(reader: Reader) -> Rule:
    """All the ``free_var`` and ``free_type`` that stand here, and graph bindings."""
    while True:
        found = reader.match(STATEMENT)
        if found is None or found["word"] == "let":
            return
        yield from _declaration(reader, found)


def statement(reader: Reader) -> Rule:
    """A statement that stands for a node of its own, or ``None`` for one that only names it."""
    found = reader.match(STATEMENT)
    if found is None or found["word"] == "let":
        return (yield expression(reader))
    yield from _declaration(reader, found)
    return None


def _braces(reader: Reader, start: int) -> Rule:
    del start
    return block(reader, "}")


def _read_nested_let(reader: Reader, start: int) -> Rule:
    """A let where an expression stands, without braces, as TVM prints it and cannot read it."""
    reader.pos = start
    if reader.match(STATEMENT) is None:  # nor would the block find one, but ask here again
        reader.fail("expected a variable after let, as in 'let %x = ...'")
    return block(reader, None)


def _if(reader: Reader, start: int) -> Rule:
    reader.expect("(", "before the condition of an if")
    cond = yield expression(reader)
    reader.expect(")", "after the condition of an if")
    reader.expect("{", "before the branch of an if")
    true_branch = yield block(reader, "}")
    reader.expect("else", "after the first branch of an if")
    if not reader.take("{"):
        at = reader.skip()
        reader.expect("if", "or '{' after else")
        false_branch = yield _if(reader, at)
    else:
        false_branch = yield block(reader, "}")
    reader.check_exprs(start, cond, true_branch, false_branch)
    return If._make(cond, true_branch, false_branch, reader.span(start, reader.pos), None)


def function(reader: Reader, start: int) -> Rule:
    """A function, from behind ``fn`` or ``def @name``."""
    marks = len(reader.hidden_locals), len(reader.hidden_temps), len(reader.hidden_types)
    reader.function_depth += 1
    type_vars = type_params(reader)
    reader.expect("(", "before the parameters of a function")
    params, attrs, device = yield _params(reader)
    result = None
    if reader.take("->"):
        result = simple_type(reader) or (yield type_(reader))
    reader.expect("{", "before the body of a function")
    body = yield block(reader, "}")
    reader.check_exprs(start, body)
    reader.function_depth -= 1
    reader.leave(marks[0])
    reader.leave_function(marks[1])
    reader.leave_types(marks[2])
    span = reader.span(start, reader.pos)
    return Function._make(params, body, result, type_vars, attrs, device, span, None)


def _params(reader: Reader) -> Rule:
    params: list[Var] = []
    attrs: dict[str, object] = {}
    whole: DictAttrs | None = None
    device: VirtualDevice | None = None
    for _ in reader.until(")", "or ',' after a parameter"):
        found = reader.match(ATTRIBUTE)
        at = reader.skip()
        if found is not None:
            name = unquote_name(found[1])
            if name in attrs or (name == DEVICE and device is not None):
                reader.fail(f"attribute {name} is given twice; leave one out", at)
            reader.pos = found.end()
            value = yield attribute_value(reader)
            if name == DEVICE and isinstance(value, VirtualDevice):
                device = None if is_unconstrained(value) else value
            else:
                attrs[name] = value
        elif reader.take("meta"):
            whole = _read_attributes(reader, at)
        else:
            binder = reader.binder("or an attribute as parameter")
            params.append(simple_variable(reader, binder) or (yield variable(reader, binder)))
            reader.bind(binder.key, params[-1])
    return tuple(params), (DictAttrs(attrs) if attrs else whole), device


def _read_attributes(reader: Reader, at: int) -> DictAttrs:
    found = meta(reader, at)
    if isinstance(found, Attrs):
        return DictAttrs(dict(found.items())) if found.keys() else make_empty_attrs()
    raise reader.error(f"expected the attributes of a function; found {type(found).__name__}", at)


def _match(reader: Reader, start: int) -> Rule:
    complete = not reader.take("?")
    reader.expect("(", "before what is matched")
    data = yield expression(reader)
    reader.check_exprs(start, data)
    reader.expect(")", "after what is matched")
    reader.expect("{", "before the clauses of a match")
    clauses = yield reader.items("}", "or ',' after a clause", _clause)
    return Match._make(data, clauses, complete, reader.span(start, reader.pos), None)


def _clause(reader: Reader) -> Rule:
    mark, start = len(reader.hidden_locals), reader.pos
    lhs = yield pattern(reader)
    reader.expect("=>", "after a pattern")
    if reader.take("{"):
        rhs = yield block(reader, "}")
    else:  # TVM lets nodes be numbered in front of the value
        rhs = yield (expression(reader) if reader.match(STATEMENT) is None else block(reader, None))
    reader.leave(mark)
    return Clause(lhs, reader.expr(rhs, start))


WORDS.update({"{": _braces, "let": _read_nested_let, "if": _if, "fn": function, "match": _match})
