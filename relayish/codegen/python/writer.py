"""Writing one definition: each node where it is evaluated, on an explicit stack of tasks.

What belongs to the scope that is being written becomes an assignment. What a scope further out
shares with this one, and nobody has computed for sure by now, becomes a function of that scope
which computes it once, and is called where the value is needed.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from relayish.codegen.python.forms import PythonForm, form_of, hint_for
from relayish.codegen.python.names import LocalNames, ProgramNames
from relayish.codegen.python.source import (
    INNER,
    LEVELS,
    Activation,
    Assignment,
    Block,
    Definition,
    Item,
    Name,
    Unit,
    read,
)
from relayish.errors import EvaluationError
from relayish.interpreter.lowering import Lowering
from relayish.interpreter.scopes import Activations
from relayish.ir.fields.naming import name_of
from relayish.ir.kinds.one_line import describe
from relayish.ir.nodes.node import ATOMS, VARIABLES, Node
from relayish.ir.relay.expr import Expr, Function
from relayish.ir.scopes.scoping import operands

Value: TypeAlias = Name | str
"""How a value is read: a variable, or the same text everywhere."""


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


class DefinitionWriter(Lowering[Value]):
    """Writes one definition of a program.

    Attributes:
        definitions: The functions at the top that it becomes.
    """

    def __init__(self, program: ProgramNames, root: Expr) -> None:
        super().__init__(Activations(root))
        self.program = program
        self.root = root
        self.local = LocalNames(program)
        self.definitions: list[Definition] = []
        block = Block(1, {0})
        self.place = Place(block, Unit(), Activation(None), block)
        self.homes: dict[int, Place] = {0: self.place}  # by scope: the function it is written in
        self.thunks: dict[Node, Name] = {}
        self.hints: dict[Node, Node] = {}  # the variable that a node is the value of
        self.recursive: dict[Node, Node] = {}

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
        self.then(DefinitionWriter.demand, body, True)
        self.run()

    # Lines and names

    def add(self, item: Item) -> None:
        self.place.block.items.append(item)

    def new_name(self, hint: Node | str) -> Name:
        text = hint if isinstance(hint, str) else name_of(hint)
        return Name(self.local.fresh(text), self.place.unit, self.place.activation)

    def name_for(self, node: Node) -> Name:
        """Return a new name for the value of ``node``."""
        return self.new_name(self.hints.get(node) or hint_for(node))

    def text_of(self, value: Value) -> str:
        return value if isinstance(value, str) else read(value, self.place.unit)

    def operand(self, expr: Node) -> str:
        """Return the text by which the value of ``expr``, which is computed by now, is read."""
        return self.text_of(self.value_of(expr))

    def value_of(self, expr: Node) -> Value:
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
        return self.text_for(expr, form_of(expr))

    def text_for(self, node: Node, form: PythonForm) -> str:
        """Return how the value of ``node`` is written, whose operands are computed by now."""
        assert form.text is not None
        return form.text(node, [self.operand(each) for each in operands(node)], self.program)

    def define(self, node: Node, value: str, tail: bool) -> None:
        """Write what computes ``node``."""
        if tail:
            self.add(f"return {value}")
            return
        name = self.values[node] = self.name_for(node)
        self.add(Assignment([name], value))

    # Values

    def enter(self, expr: Node, tail: bool) -> None:
        form = form_of(expr)
        if form.write is not None:
            form.write(self, expr, tail)
            return
        self.after(operands(expr), DefinitionWriter.leave, expr, tail, form)

    def leave(self, expr: Node, tail: bool, form: PythonForm) -> None:
        self.define(expr, self.text_for(expr, form), tail)

    def leave_tail(self, expr: Node, _tail: bool, _extra: object = None) -> None:
        self.add(f"return {self.operand(expr)}")

    def share(self, expr: Node, tail: bool) -> None:
        """Compute ``expr`` here if here all have it that need it, else by a function of its own."""
        scopes, block = self.scopes, self.place.block
        if expr in self.values or expr in block.fetched:
            if tail:
                self.leave_tail(expr, tail)
            return
        owner = scopes.scope.get(expr, 0)
        if expr not in self.thunks and owner in block.scopes:
            self.enter_scope(scopes.own[expr])
            if tail:
                self.then(DefinitionWriter.leave_tail, expr, tail)
            self.enter(expr, False)
            return
        self.then(DefinitionWriter.fetch, expr, tail)
        if expr not in self.thunks:
            self.open_thunk(expr, self.homes[owner])

    def fetch(self, expr: Node, tail: bool, _extra: object) -> None:
        value = f"{self.text_of(self.thunks[expr])}()"
        if tail:
            self.add(f"return {value}")
            return
        name = self.place.block.fetched[expr] = self.name_for(expr)
        self.add(Assignment([name], value))

    def open_thunk(self, expr: Node, owner: Place) -> None:
        self.then(DefinitionWriter.return_to, expr, False, self.place)
        items = owner.block.items
        at = len(items) if owner.block is self.place.block else len(items) - 1
        self.place = owner
        name = self.thunks[expr] = self.name_for(expr)
        scope = self.scopes.own[expr]
        if self.enter_inside(owner):
            inside = Block(owner.block.level + 1, {scope})
            items.insert(at, Definition(name, (), inside, decorator="once"))
            self.place = owner._replace(block=inside, home=inside)
        else:
            top, frame = self.open_top(name.text, owner.activation, {scope})
            items.insert(at, Assignment([name], f"once(close({top}, {frame}, 0))"))
            self.definitions.append(Definition(top, (), self.place.block, given=frame))
        self.homes[scope] = self.place
        self.enter(expr, True)

    def enter_inside(self, place: Place) -> bool:
        """Return whether one more function may stand inside of ``place``, and count it there."""
        if place.block.level >= LEVELS or place.unit.inner >= INNER:
            return False
        place.unit.inner += 1
        return True

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
            self.then(DefinitionWriter.return_to, node, False, self.place)
            self.place = self.place._replace(block=block)
        self.enter_scope(scope)
        return result is None or block.level > LEVELS

    def outline(
        self, node: Node, scopes: set[int], result: Name | None, what: str, block: Block
    ) -> None:
        """Go on in a function at the top, whose value ``block`` returns or assigns."""
        self.then(DefinitionWriter.return_to, node, False, self.place)
        name, frame = self.open_top(what, self.place.activation, scopes)
        call = f"{name}({frame})"
        block.items.append(f"return {call}" if result is None else Assignment([result], call))
        self.definitions.append(Definition(name, (), self.place.block, given=frame))

    def open_top(self, hint: str, activation: Activation, scopes: set[int]) -> tuple[str, str]:
        """Go on in a function at the top; return what it and the frame it is given are called."""
        block = Block(1, scopes)
        self.place = Place(block, Unit(activation), activation, block)
        return self.program.fresh(hint), self.local.frame(activation)

    def write_branch(self, root: Node, returns: bool, result: Name | None) -> None:
        """Write what a branch that was opened computes."""
        if not returns:
            self.then(DefinitionWriter.leave_branch, root, False, result)
        self.then(DefinitionWriter.demand, root, returns)

    def leave_branch(self, root: Node, _tail: bool, result: Name) -> None:
        self.add(Assignment([result], self.operand(root)))
