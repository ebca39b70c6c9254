"""Writing one definition: each node where it is evaluated, on an explicit stack of tasks.

What belongs to the scope that is being written becomes an assignment. What a scope further out
shares with this one, and nobody has computed for sure by now, becomes a function of that scope
which computes it once, and is called where the value is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

from relayish.codegen.python.literals import keywords, literal, tuple_of
from relayish.codegen.python.names import LocalNames, ProgramNames
from relayish.codegen.python.patterns import flat_targets, spell_out
from relayish.codegen.python.short_forms import short_form
from relayish.codegen.python.source import (
    INNER,
    LEVELS,
    Activation,
    Assignment,
    Block,
    Branches,
    Definition,
    Item,
    Name,
    Unit,
    read,
)
from relayish.errors import EvaluationError
from relayish.interpreter.scopes import Activations
from relayish.ir.naming import name_of
from relayish.ir.node import ATOMS, VARIABLES, Node
from relayish.ir.one_line import describe
from relayish.ir.relay.adt import Clause, Constructor, Match, PatternConstructor
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Op,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
)
from relayish.ir.scoping import binders

_MOST_CASES: Final = 8
"""How many cases stand in one ``elif`` chain: Python reads these by recursion."""

Task: TypeAlias = tuple[Callable[..., None], Any, bool, Any]
"""``(action, node, tail, extra)``; Any: the kind of node and the data of the action."""


class Place(NamedTuple):
    """Where lines are written.

    Attributes:
        home: The outermost block of the function of Python, where others that see what is known
            here are put.
    """

    block: Block
    unit: Unit
    activation: Activation
    home: Block


class DefinitionWriter:
    """Writes one definition of a program.

    Attributes:
        definitions: The functions at the top that it becomes.
    """

    def __init__(self, program: ProgramNames, root: Expr) -> None:
        self.program = program
        self.root = root
        self.local = LocalNames(program)
        self.scopes = Activations(root)
        self.shared = self.scopes.lifted
        self.definitions: list[Definition] = []
        block = Block(1, {0})
        self.place = Place(block, Unit(), Activation(None), block)
        self.homes: dict[int, Place] = {0: self.place}  # by scope: the function it is written in
        self.values: dict[Node, Name | str] = {}
        self.thunks: dict[Node, Name] = {}
        self.bound: dict[Node, Name | str] = {}
        self.hints: dict[Node, Node] = {}  # the variable that a node is the value of
        self.recursive: dict[Node, Node] = {}
        self.tasks: list[Task] = []

    def write(self, name: str) -> None:
        """Write the definition as a function called ``name``."""
        root, place = self.root, self.place
        params: list[Name] = []
        body: Expr = root
        if type(root) is Function:
            scope = self.scopes.activated[root][0]
            place.block.scopes.add(scope)
            self.homes[scope] = place
            params = [self.new_name(param) for param in root.params]
            self.bound.update(zip(root.params, params, strict=True))
            body = root.body
        self.definitions.append(Definition(name, params, place.block, opens=place.activation))
        tasks = self.tasks
        tasks.append((self.demand, body, True, None))
        while tasks:
            action, node, tail, extra = tasks.pop()
            action(node, tail, extra)

    # Lines and names

    def add(self, item: Item) -> None:
        self.place.block.items.append(item)

    def new_name(self, hint: Node | str) -> Name:
        text = hint if isinstance(hint, str) else name_of(hint)
        return Name(self.local.fresh(text), self.place.unit, self.place.activation)

    def name_for(self, node: Node) -> Name:
        """Return a new name for the value of ``node``."""
        return self.new_name(self.hints.get(node) or _hint(node))

    def text_of(self, value: Name | str) -> str:
        return value if isinstance(value, str) else read(value, self.place.unit)

    def operand(self, expr: Expr) -> str:
        """Return the text by which the value of ``expr``, which is computed by now, is read."""
        return self.text_of(self.value_of(expr))

    def value_of(self, expr: Expr) -> Name | str:
        kind = type(expr)
        if kind not in ATOMS:
            fetched = self.place.block.fetched.get(expr)
            return self.values[expr] if fetched is None else fetched
        if kind in VARIABLES:
            bound = self.bound.get(expr)
            if bound is None:
                raise EvaluationError(
                    f"{describe(expr)} is not bound where it is used; bind it with let, make it a "
                    f"parameter, or substitute a value for it"
                )
            return bound
        return self.atom(expr)

    def atom(self, expr: Expr) -> str:
        if isinstance(expr, Constant):
            text = literal(expr.data)
            is_inline = text is not None and not text.startswith("np.array")
            return text if text and is_inline else self.program.constant(expr, text)
        if isinstance(expr, GlobalVar):
            return self.program.global_value(expr)
        if isinstance(expr, Constructor):
            return self.program.constructor(expr)
        if isinstance(expr, Op):
            return f"Operator({self.program.operator(expr)})"
        raise _unknown(expr)

    def define(self, node: Expr, value: str, tail: bool) -> None:
        """Write what computes ``node``."""
        if tail:
            self.add(f"return {value}")
            return
        name = self.values[node] = self.name_for(node)
        self.add(Assignment([name], value))

    # Values

    def demand(self, expr: Expr, tail: bool, _extra: object = None) -> None:
        """Write what computes ``expr``, unless that is written already."""
        if type(expr) not in ATOMS and expr not in self.values:
            if expr in self.place.block.fetched:
                if tail:
                    self.leave_tail(expr, tail)
            elif expr in self.shared:
                self.share(expr, tail)
            else:
                self.enter(expr, tail)
        elif tail:
            self.leave_tail(expr, tail)

    def demand_all(self, exprs: tuple[Expr, ...]) -> None:
        for expr in reversed(exprs):
            if type(expr) not in ATOMS:
                self.tasks.append((self.demand, expr, False, None))

    def enter(self, expr: Expr, tail: bool) -> None:
        handler = _ENTER.get(type(expr))
        if handler is None:
            raise _unknown(expr)
        handler(self, expr, tail)

    def leave_tail(self, expr: Expr, _tail: bool, _extra: object = None) -> None:
        self.add(f"return {self.operand(expr)}")

    def share(self, expr: Expr, tail: bool) -> None:
        """Compute ``expr`` here if here all have it that need it, else by a function of its own."""
        scopes, block = self.scopes, self.place.block
        owner = scopes.scope.get(expr, 0)
        if expr not in self.thunks and owner in block.scopes:
            self.enter_scope(scopes.own[expr])
            if tail:
                self.tasks.append((self.leave_tail, expr, tail, None))
            self.enter(expr, False)
            return
        self.tasks.append((self.fetch, expr, tail, None))
        if expr not in self.thunks:
            self.open_thunk(expr, self.homes[owner])

    def fetch(self, expr: Expr, tail: bool, _extra: object) -> None:
        value = f"{self.text_of(self.thunks[expr])}()"
        if tail:
            self.add(f"return {value}")
            return
        name = self.place.block.fetched[expr] = self.name_for(expr)
        self.add(Assignment([name], value))

    def open_thunk(self, expr: Expr, owner: Place) -> None:
        self.tasks.append((self.return_to, expr, False, self.place))
        items = owner.block.items
        at = len(items) if owner.block is self.place.block else len(items) - 1
        self.place = owner
        name = self.thunks[expr] = self.name_for(expr)
        scope = self.scopes.own[expr]
        if owner.block.level < LEVELS and owner.unit.inner < INNER:
            owner.unit.inner += 1
            inside = Block(owner.block.level + 1, {scope})
            items.insert(at, Definition(name, (), inside, decorator="once"))
            self.place = owner._replace(block=inside, home=inside)
        else:
            top, frame = self.open_top(name.text, owner.activation, {scope})
            items.insert(at, Assignment([name], f"once(close({top}, {frame}, 0))"))
            self.definitions.append(Definition(top, (), self.place.block, given=frame))
        self.homes[scope] = self.place
        self.enter(expr, True)

    def enter_scope(self, scope: int) -> None:
        """Note that what is evaluated in ``scope`` is written here, one line behind the other."""
        self.place.block.scopes.add(scope)
        self.homes[scope] = self.place._replace(block=self.place.home)

    def return_to(self, _node: Node, _tail: bool, place: Place) -> None:
        self.place = place

    # Blocks inside

    def open_branch(
        self, block: Block, node: Node, scope: int, result: Name | None, what: str
    ) -> bool:
        """Go on inside a branch; return whether what is written there has to return its value.

        Where blocks stand too deep already, the branch becomes a function at the top.
        """
        if block.level > LEVELS:
            self.outline(node, {scope}, result, what, block)
        else:
            self.tasks.append((self.return_to, node, False, self.place))
            self.place = self.place._replace(block=block)
        self.enter_scope(scope)
        return result is None or block.level > LEVELS

    def outline(
        self, node: Node, scopes: set[int], result: Name | None, what: str, block: Block
    ) -> None:
        """Go on in a function at the top, whose value ``block`` returns or assigns."""
        self.tasks.append((self.return_to, node, False, self.place))
        name, frame = self.open_top(what, self.place.activation, scopes)
        call = f"{name}({frame})"
        block.items.append(f"return {call}" if result is None else Assignment([result], call))
        self.definitions.append(Definition(name, (), self.place.block, given=frame))

    def open_top(self, hint: str, activation: Activation, scopes: set[int]) -> tuple[str, str]:
        """Go on in a function at the top; return what it and the frame it is given are called."""
        block = Block(1, scopes)
        self.place = Place(block, Unit(activation), activation, block)
        return self.program.fresh(hint), self.local.frame(activation)

    def write_branch(self, root: Expr, returns: bool, result: Name | None) -> None:
        """Write what a branch that was opened computes."""
        if not returns:
            self.tasks.append((self.leave_branch, root, False, result))
        self.tasks.append((self.demand, root, returns, None))

    def leave_branch(self, root: Expr, _tail: bool, result: Name) -> None:
        self.add(Assignment([result], self.operand(root)))

    # Kinds

    def enter_call(self, call: Call, tail: bool) -> None:
        self.tasks.append((self.leave_call, call, tail, None))
        self.demand_all((call.op, *call.args))

    def leave_call(self, call: Call, tail: bool, _extra: object) -> None:
        op, args = call.op, [self.operand(arg) for arg in call.args]
        if isinstance(op, Op):
            self.define(call, short_form(call, args) or self.op_call(op, call, args), tail)
            return
        callee = self.operand(op)
        if call.attrs is not None and not isinstance(op, (Constructor, GlobalVar)):
            attrs = self.program.give("attrs", call.attrs)
            callee, args = "call_with", [attrs, callee, *args]
        self.define(call, f"{callee}({', '.join(args)})", tail)

    def op_call(self, op: Op, call: Call, args: list[str]) -> str:
        named = keywords(op, call.attrs)
        if named is None:
            assert call.attrs is not None
            named = [f"attrs={self.program.give('attrs', call.attrs)}"]
        return f"evaluate({', '.join([self.program.operator(op), *args, *named])})"

    def enter_tuple(self, node: Tuple, tail: bool) -> None:
        self.tasks.append((self.leave_tuple, node, tail, None))
        self.demand_all(node.fields)

    def leave_tuple(self, node: Tuple, tail: bool, _extra: object) -> None:
        self.define(node, tuple_of([self.operand(field) for field in node.fields]), tail)

    def enter_simple(self, node: Expr, tail: bool) -> None:
        form = _FORMS[type(node)]
        self.tasks.append((self.leave_simple, node, tail, form))
        self.demand_all(form.operands(node))

    def leave_simple(self, node: Expr, tail: bool, form: _Form) -> None:
        texts = [self.operand(operand) for operand in form.operands(node)]
        self.define(node, form.text(node, texts), tail)

    def enter_let(self, let: Let, tail: bool) -> None:
        value = let.value
        self.hints.setdefault(value, let.var)
        self.tasks.append((self.enter_let_body, let, tail, self.bound.get(let.var)))
        if type(value) is Function:
            self.recursive.setdefault(value, let.var)
        if type(value) not in ATOMS:
            self.tasks.append((self.demand, value, False, None))

    def enter_let_body(self, let: Let, tail: bool, old: Name | str | None) -> None:
        found = self.value_of(let.value)
        if type(let.value) is Constant:
            name = self.new_name(let.var)
            self.add(Assignment([name], self.text_of(found)))
            found = name
        self.bound[let.var] = found
        self.tasks.append((self.leave_let, let, tail, old))
        self.demand(let.body, tail)

    def leave_let(self, let: Let, tail: bool, old: Name | str | None) -> None:
        if not tail:
            self.values[let] = self.value_of(let.body)
        self.rebind(let.var, old)

    def rebind(self, var: Node, old: Name | str | None) -> None:
        if old is None:
            self.bound.pop(var, None)
        else:
            self.bound[var] = old

    def enter_if(self, node: If, tail: bool) -> None:
        self.tasks.append((self.enter_branches, node, tail, None))
        self.demand_all((node.cond,))

    def enter_branches(self, node: If, tail: bool, _extra: object) -> None:
        condition, block = self.operand(node.cond), self.place.block
        scope = self.scopes.branches[node]
        level = block.level + 1
        item = Branches()
        then = Block(level, {scope})
        item.cases.append((condition, then))
        self.add(item)
        if tail:
            self.tasks.append((self.enter_rest, node.false_branch, tail, scope + 1))
            self.open_branch(then, node, scope, None, "then")
            self.write_branch(node.true_branch, True, None)
            return
        result = self.values[node] = self.name_for(node)
        otherwise = Block(level, {scope + 1})
        item.cases.append((None, otherwise))
        self.tasks.append((self.enter_else, node, tail, (otherwise, scope + 1, result)))
        returns = self.open_branch(then, node, scope, result, "then")
        self.write_branch(node.true_branch, returns, result)

    def enter_rest(self, root: Expr, _tail: bool, scope: int) -> None:
        """Go on in the same block: what came before has returned."""
        self.enter_scope(scope)
        self.demand(root, True)

    def enter_else(self, node: If, _tail: bool, extra: tuple[Block, int, Name]) -> None:
        block, scope, result = extra
        returns = self.open_branch(block, node, scope, result, "otherwise")
        self.write_branch(node.false_branch, returns, result)

    def enter_function(self, function: Function, tail: bool) -> None:
        name = self.name_for(function)
        outside = self.place
        activation = Activation(outside.activation)
        scope = self.scopes.activated[function][0]
        level, unit, top, frame = outside.block.level + 1, outside.unit, "", ""
        if level <= LEVELS and unit.inner < INNER:
            unit.inner += 1
            block = Block(level, {scope})
        else:
            top, frame = self.open_top(name.text, outside.activation, {scope})
            block, unit = self.place.block, self.place.unit
        self.place = self.homes[scope] = Place(block, unit, activation, block)
        params = [self.new_name(param) for param in function.params]
        made = Definition(top or name, params, block, given=frame, opens=activation)
        if top:
            self.definitions.append(made)
            outside.block.items.append(Assignment([name], f"close({top}, {frame}, {len(params)})"))
        else:
            outside.block.items.append(made)
        var = self.recursive.get(function)
        bound: list[tuple[Node, Name | str | None]] = []
        inner: list[tuple[Node, Name]] = list(zip(function.params, params, strict=True))
        for each, value in [*([(var, name)] if var is not None else []), *inner]:
            bound.append((each, self.bound.get(each)))
            self.bound[each] = value
        self.tasks.append((self.leave_function, function, tail, (name, outside, bound)))
        self.tasks.append((self.demand, function.body, True, None))

    def leave_function(self, function: Function, tail: bool, extra: tuple[Any, ...]) -> None:
        name, self.place, bound = extra
        for var, old in reversed(bound):
            self.rebind(var, old)
        if tail:
            self.add(f"return {name.text}")
        else:
            self.values[function] = name

    def enter_match(self, node: Match, tail: bool) -> None:
        self.tasks.append((self.enter_clauses, node, tail, None))
        self.demand_all((node.data,))

    def enter_clauses(self, node: Match, tail: bool, _extra: object) -> None:
        data, clauses = self.value_of(node.data), node.clauses
        if tail:
            self.enter_case(node, True, (0, data))
            return
        if clauses and self.always_matches(clauses[0], data):
            self.enter_scope(self.scopes.branches[node])
            self.bind_pattern(clauses[0], data)
            self.tasks.append((self.leave_only_case, node, False, None))
            self.tasks.append((self.demand, clauses[0].rhs, False, None))
            return
        result = self.values[node] = self.name_for(node)
        if len(clauses) > _MOST_CASES:  # a function, in which each case returns
            self.outline(node, set(), result, "cases", self.place.block)
            self.enter_case(node, True, (0, data))
            return
        branches = Branches()
        self.add(branches)
        self.enter_case(node, False, (0, data, result, branches))

    def leave_only_case(self, node: Match, _tail: bool, _extra: object) -> None:
        self.values[node] = self.value_of(node.clauses[0].rhs)

    def enter_case(self, node: Match, tail: bool, extra: tuple[Any, ...]) -> None:
        """Write the clause ``index``: behind the others, which return, or as one more branch."""
        index, data, *rest = extra
        result, branches = rest or (None, Branches())
        text, block = self.text_of(data), self.place.block
        scope = self.scopes.branches[node] + index
        if index == len(node.clauses):
            if tail:
                self.add(f"return unmatched({text})")
            else:
                inside = Block(block.level + 1, set())
                inside.items.append(f"unmatched({text})")
                branches.cases.append((None, inside))
            return
        clause = node.clauses[index]
        always = self.always_matches(clause, data)
        if tail and always:
            self.enter_scope(scope)
            self.bind_pattern(clause, data)
            self.tasks.append((self.demand, clause.rhs, True, None))
            return
        inside = Block(block.level + 1, {scope})
        branches.cases.append((None if always else self.condition(clause, text), inside))
        if tail:
            self.add(branches)
        if not always:
            self.tasks.append((self.enter_case, node, tail, (index + 1, *extra[1:])))
        returns = self.open_branch(inside, clause, scope, result, "case")
        self.bind_pattern(clause, data)
        self.write_branch(clause.rhs, returns, result)

    def always_matches(self, clause: Clause, data: Name | str) -> bool:
        spelt = spell_out(clause.lhs, self.text_of(data), self.program.constructor)
        return spelt is not None and not spelt.conditions

    def condition(self, clause: Clause, data: str) -> str:
        spelt = spell_out(clause.lhs, data, self.program.constructor)
        if spelt is None:
            return f"{self.program.matching(clause.lhs)}({data}) is not None"
        return " and ".join(spelt.conditions)

    def bind_pattern(self, clause: Clause, data: Name | str) -> None:
        """Assign what the variables of a pattern stand for, which matches."""
        text, pattern = self.text_of(data), clause.lhs
        spelt = spell_out(pattern, text, self.program.constructor)
        variables = binders(clause)
        names = [self.new_name(var) for var in variables]
        if spelt is None:
            whole = f"{self.program.matching(pattern)}({text})"
            if names:
                self.add(Assignment(names, whole, _unpacked([name.text for name in names])))
        elif (targets := flat_targets(pattern, dict(zip(variables, names, strict=True)))) is None:
            for name, (_, path) in zip(names, spelt.variables, strict=True):
                self.add(Assignment([name], path))
        elif names:
            fields = f"{text}.fields" if isinstance(pattern, PatternConstructor) else text
            self.add(Assignment(names, fields, _unpacked(targets)))
        olds = [(var, self.bound.get(var)) for var in variables]
        self.bound.update(zip(variables, names, strict=True))
        self.tasks.append((self.unbind_pattern, clause, False, olds))

    def unbind_pattern(
        self, _clause: Clause, _tail: bool, olds: list[tuple[Node, Name | str | None]]
    ) -> None:
        for var, old in reversed(olds):
            self.rebind(var, old)


def _unpacked(targets: list[str]) -> str:
    return f"({targets[0]},)" if len(targets) == 1 else ", ".join(targets)


class _Form(NamedTuple):
    """How a kind with nothing but operands is written."""

    operands: Callable[[Any], tuple[Expr, ...]]  # Any: a node of the kind
    text: Callable[[Any, list[str]], str]  # Any: as above


def _hint(node: Node) -> str:
    """Return what to call the value of a node that no let names."""
    if isinstance(node, Call):
        if isinstance(node.op, Op):
            return node.op.name.rpartition(".")[2]
        return node.op.name_hint.lower() if isinstance(node.op, Constructor) else "result"
    return _HINTS[type(node)]


def _unknown(expr: Node) -> EvaluationError:
    return EvaluationError(
        f"{describe(expr)} is a {type(expr).__name__}, which has no form in Python; lower it to "
        f"Relay's own kinds before"
    )


_FORMS: Final[dict[type[Node], _Form]] = {
    TupleGetItem: _Form(
        lambda node: (node.tuple_value,), lambda node, of: f"{of[0]}[{node.index}]"
    ),
    RefCreate: _Form(lambda node: (node.value,), lambda _, of: f"RefValue({of[0]})"),
    RefRead: _Form(lambda node: (node.ref,), lambda _, of: f"{of[0]}.value"),
    RefWrite: _Form(lambda node: (node.ref, node.value), lambda _, of: f"write({of[0]}, {of[1]})"),
}

_ENTER: Final[dict[type[Node], Callable[[DefinitionWriter, Any, bool], None]]] = {
    Call: DefinitionWriter.enter_call,
    Tuple: DefinitionWriter.enter_tuple,
    Let: DefinitionWriter.enter_let,
    If: DefinitionWriter.enter_if,
    Function: DefinitionWriter.enter_function,
    Match: DefinitionWriter.enter_match,
    **dict.fromkeys(_FORMS, DefinitionWriter.enter_simple),
}

_HINTS: Final[dict[type[Node], str]] = {
    Tuple: "fields",
    TupleGetItem: "field",
    Let: "value",
    If: "chosen",
    Match: "matched",
    Function: "fn",
    RefCreate: "ref",
    RefRead: "content",
    RefWrite: "written",
}
