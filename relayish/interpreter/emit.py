"""Emitting instructions: where values stand in a frame, and what is emitted when.

Each node gets a place in the frame of the function it belongs to; the place of a node whose uses
are all emitted is given to a later one. A node that is used from several scopes becomes a block of
its own, run by the first use that needs it (``GUARD``). Kinds with a registered evaluator are
compiled here, Relay's own in :mod:`relayish.interpreter.compile`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from relayish.errors import EvaluationError, RelayishError, UnknownKindError
from relayish.interpreter import code as c
from relayish.interpreter.code import Block, Code, Instruction, ScopeCode, path_between
from relayish.interpreter.evaluator import EVALUATORS, Evaluator
from relayish.interpreter.lowering import Lowering
from relayish.interpreter.scopes import Activations
from relayish.ir.fields.naming import display_name
from relayish.ir.nodes.getters import Nodes, nodes_held, scope_fields
from relayish.ir.nodes.node import ATOMS, VARIABLES, Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.relay.expr import Constant, Expr, GlobalVar
from relayish.ir.scopes.scoping import binders, has_scopes, outer_operands, parts


class Cell:
    """A place of a frame, and what it is good for while the code that uses it is emitted.

    ``uses`` counts the operands still to be emitted that are read from here; at none left the cell
    is free for another value. ``keep`` says that code which runs at another time (a closure, a
    guarded block) reads the place too, so that it is never given away.
    """

    __slots__ = ("block", "code", "keep", "place", "uses")

    def __init__(self, code: Code, block: Block, place: int, uses: int, keep: bool) -> None:
        self.code = code
        self.block = block
        self.place = place
        self.uses = uses
        self.keep = keep


Olds: TypeAlias = list[tuple[Node, Cell | None]]
"""Variables, and what they stood for before."""

Entries: TypeAlias = dict[Any, ScopeCode]  # Any: a root, the roots of a block, or a position
"""The scopes of a node, by what they may be called."""


class Emitter(Lowering[Cell]):
    """Emits the instructions of one expression.

    A call among the tasks stands for itself: emit it now that its operands are, not in tail
    position. (A tuple for each would be one more object for the garbage collector to look at.)
    """

    def __init__(self, scopes: Activations) -> None:
        super().__init__(scopes)
        self.uses = scopes.uses
        self.code = Code(0, None)
        self.block = self.code.block
        self.codes: dict[int, Code] = {
            0: self.code
        }  # by the scope that is the body of the function
        self.guarded: dict[Node, Block] = {}
        self.placed: dict[tuple[Code, Node], Cell] = {}

    # Places

    def emit(self, expr: Expr, instruction: Instruction) -> None:
        self.block.instructions.append(instruction)
        self.block.exprs.append(expr)

    def make_cell(self, uses: int) -> Cell:
        free: list[Cell] = self.block.free
        if free:
            cell = free.pop()
            cell.uses = uses
            return cell
        return Cell(self.code, self.block, self.code.make_slot(), uses, keep=False)

    def operand(self, expr: Expr) -> Cell:
        """Return where the value of ``expr``, which is computed by now, is at hand."""
        cell = self.values.get(expr)
        if cell is not None and cell.code is self.code:
            return cell
        kind = type(expr)
        if kind in ATOMS:
            found: Cell = _ATOM[kind](self, expr)
            return found
        assert cell is not None
        return self.load(expr, cell)

    def load(self, expr: Expr, cell: Cell) -> Cell:
        """Copy from the frame of an enclosing activation."""
        cell.keep = True
        depth = self.code.depth
        if cell.code.depth > depth:
            return self.fail(expr, _describe_unbound(expr))
        copy = self.make_cell(1)
        path = path_between(depth, cell.code.depth)
        self.emit(expr, (c.LOAD, copy.place, path, cell.place))
        return copy

    def take(self, expr: Expr) -> int:
        """Return the place of an operand and count it as used."""
        cell = self.operand(expr)
        self.release(cell)
        return cell.place

    def take_all(self, exprs: tuple[Expr, ...]) -> tuple[int, ...]:
        # all are found before any is released: finding one may need a new place
        cells = [self.operand(expr) for expr in exprs]
        for cell in cells:
            self.release(cell)
        return tuple([cell.place for cell in cells])

    def release(self, cell: Cell) -> None:
        cell.uses -= 1
        if not cell.uses and not cell.keep:
            cell.block.free.append(cell)

    def define(self, node: Expr, cell: Cell, tail: bool) -> None:
        """Say where the value of ``node`` is, once the code that computes it is emitted."""
        if tail:
            self.emit(node, (c.RETURN, cell.place))
        elif node in self.shared:
            self.emit(node, (c.MOVE, self.values[node].place, cell.place))
        else:
            self.values[node] = cell

    def result(self, node: Expr) -> Cell:
        """Return a new place for the value of ``node``."""
        return self.make_cell(self.uses[node])

    def fail(self, expr: Expr, message: str, error: type[RelayishError] = EvaluationError) -> Cell:
        """Emit what raises an error; what follows is never reached."""
        self.emit(expr, (c.FAIL, message, error))
        return self.make_cell(1)

    # Values

    def enter(self, expr: Expr, tail: bool) -> None:
        _ENTER[type(expr)](self, expr, tail)

    def share(self, expr: Expr, tail: bool) -> None:
        # the guard may go on to emit another block: what follows it waits for that
        if tail:
            self.then(Emitter.leave_tail, expr, tail)
        self.guard(expr)

    def leave_tail(self, expr: Expr, _tail: bool, _extra: object = None) -> None:
        self.emit(expr, (c.RETURN, self.take(expr)))

    def guard(self, expr: Expr) -> None:
        """Emit a check that runs the block of a shared node if nobody has yet."""
        block = self.guarded.get(expr)
        owner = self.codes[self.scopes.function[self.scopes.scope[expr]]]
        first = block is None
        if block is None:
            block = self.guarded[expr] = Block()
            self.values[expr] = Cell(owner, block, owner.make_slot(), self.uses[expr], keep=True)
        path = path_between(self.code.depth, owner.depth)
        self.emit(expr, (c.GUARD, path, self.values[expr].place, block))
        if first:
            self.then(Emitter.leave_block, expr, False, (self.code, self.block))
            self.code, self.block = owner, block
            _ENTER[type(expr)](self, expr, False)

    def leave_block(self, expr: Expr, _tail: bool, outside: tuple[Code, Block]) -> None:
        self.emit(expr, (c.RESUME,))
        self.code, self.block = outside

    # Kinds with an evaluator

    def enter_evaluated(self, node: Expr, tail: bool) -> None:
        try:
            evaluator = EVALUATORS[type(node)]
        except UnknownKindError as error:
            self.define(node, self.fail(node, str(error), UnknownKindError), tail)
            return
        self.after(operands_around(node), Emitter.leave_evaluated, node, tail, evaluator)

    def leave_evaluated(self, node: Expr, tail: bool, evaluator: Evaluator) -> None:
        places = self.take_all(operands_around(node))
        cell = self.result(node)
        if not evaluator.in_steps:
            self.emit(node, (c.EVALUATE, cell.place, evaluator.evaluate, node, places))
            self.leave_declaration(node, cell, tail)
            return
        state, sent = self.make_cell(1), self.make_cell(1)
        self.emit(node, (c.BEGIN, state.place, sent.place, evaluator.evaluate, node, places))
        self.emit(node, (c.ADVANCE, cell.place, state.place, sent.place, self.open_scopes(node)))
        self.release(state)
        self.release(sent)
        self.leave_declaration(node, cell, tail)

    def leave_declaration(self, node: Expr, cell: Cell, tail: bool) -> None:
        """Let the variables that a statement declares stand for its value, or its fields."""
        if not has_scopes(type(node)):
            declared = binders(node)
            if declared:
                cell.keep = True
            for index, var in enumerate(declared):
                place = cell
                if len(declared) > 1:
                    place = Cell(self.code, self.block, self.code.make_slot(), 0, keep=True)
                    self.emit(node, (c.PROJECT, place.place, cell.place, index))
                self.bound[var] = place
        self.define(node, cell, tail)

    def open_scopes(self, node: Expr) -> Entries:
        """Have the scopes of ``node`` compiled; return what may be asked for, and its code."""
        entries: Entries = {}
        activated = iter(self.scopes.activated.get(node, ()))
        position = 0
        for part in (node, *parts(node)):
            fields = scope_fields(type(part))
            bound = binders(part)
            # scopes that know the same variables have frames of one shape; all begin elsewhere
            code = self.make_code(next(activated), bound) if fields.is_shared else None
            for declared in fields.scopes:
                held = tuple(nodes_held(declared, part))
                if not held and not declared.block:
                    continue
                for roots in (held,) if declared.block else [(root,) for root in held]:
                    opened = code or self.make_code(next(activated), bound)
                    name = roots if declared.block else roots[0]
                    entries[position] = self.make_entry(node, opened, roots, entries, name)
                    position += 1
            for declared in fields.recursive:
                for root in nodes_held(declared, part):
                    assert code is not None
                    self.make_entry(node, code, (root,), entries, root)
        return entries

    def make_entry(
        self, node: Expr, code: ScopeCode, roots: Nodes, entries: Entries, name: Node | Nodes
    ) -> ScopeCode:
        """Have a scope compiled, as a way into frames of the shape of ``code``."""
        entry = code.entry()
        entry.roots, entry.is_block = roots, name is roots
        entry.following = entries.get(name)
        entries[name] = entry
        self.then(Emitter.enter_scope, node, False, (code, entry))
        return entry

    def make_code(self, scope: int, binders: Nodes) -> ScopeCode:
        made = self.codes[scope] = ScopeCode(self.code.depth + 1, binders)
        return made

    def enter_scope(self, node: Expr, _tail: bool, extra: tuple[Code, ScopeCode]) -> None:
        code, entry = extra
        roots: Any = entry.roots  # Any: expressions, of any family
        outside = (self.code, self.block)
        self.code, self.block = code, entry.block
        cells = [
            Cell(code, self.block, place, 0, keep=True)
            for place, _ in enumerate(entry.binders, c.FIRST)
        ]
        olds = self.bind(zip(entry.binders, cells, strict=True))
        self.then(Emitter.leave_body, node, False, (olds, outside))
        if not entry.is_block:
            self.demand(roots[0], tail=True)
            return
        self.after(roots, Emitter.leave_statements, node, False, roots)

    def leave_statements(self, node: Expr, _tail: bool, roots: tuple[Expr, ...]) -> None:
        places = self.take_all(roots)
        cell = self.make_cell(1)
        self.emit(node, (c.TUPLE, cell.place, places))
        self.emit(node, (c.RETURN, cell.place))

    def leave_body(
        self,
        _node: Expr,
        _tail: bool,
        extra: tuple[Olds, tuple[Code, Block]],
    ) -> None:
        olds, (self.code, self.block) = extra
        self.rebind(olds)

    # Atoms

    def var_operand(self, var: Expr) -> Cell:
        cell = self.bound.get(var)
        if cell is None:
            return self.fail(var, _describe_unbound(var))
        if cell.code is not self.code:
            return self.load(var, cell)
        if cell.block is not self.block:
            cell.keep = True
        return cell

    def constant_operand(self, constant: Constant) -> Cell:
        return self.place(constant, constant.data)

    def name_operand(self, node: Expr) -> Cell:
        """Return where an operator or constructor, used as a value, stands."""
        return self.place(node, node)

    def place(self, node: Expr, value: object) -> Cell:
        """Return where ``value`` stands in every frame of the function, from the beginning."""
        key = (self.code, node)
        cell = self.placed.get(key)
        if cell is None:
            place = self.code.make_slot()
            self.code.template[place] = value
            cell = self.placed[key] = Cell(self.code, self.block, place, 0, keep=True)
        self.values[node] = cell  # found there while this function is compiled
        return cell

    def global_operand(self, node: GlobalVar) -> Cell:
        cell = self.make_cell(1)
        self.emit(node, (c.GLOBAL, cell.place, node))
        return cell

    def evaluate_operand(self, node: Expr) -> Cell:
        try:
            evaluator = EVALUATORS[type(node)]
        except UnknownKindError as error:
            return self.fail(node, str(error), UnknownKindError)
        cell = self.make_cell(1)
        self.emit(node, (c.EVALUATE, cell.place, evaluator.evaluate, node, ()))
        return cell


def _describe_unbound(expr: Expr) -> str:
    return (
        f"variable {display_name(expr)} is not bound where it is used; bind it with let, make it a "
        f"parameter, or substitute a value for it before evaluating"
    )


def operands_around(node: Expr) -> tuple[Any, ...]:  # Any: expressions
    """Return the operands of a node that are evaluated in the scope around it."""
    found: tuple[Any, ...] = outer_operands(node)  # Any: as above
    return found


def _enter_of_kind(kind: type[Node]) -> Callable[..., None]:
    """Return what compiles nodes of class ``kind``; evaluators may be registered later."""
    known = EVALUATORS.get(kind)
    return Emitter.enter_evaluated if known is None or known.enter is None else known.enter


def _atom_of_kind(kind: type[Node]) -> Callable[..., Cell]:
    """Return what finds the values of atoms of class ``kind``; see above."""
    if kind in VARIABLES:
        return Emitter.var_operand
    known = EVALUATORS.get(kind)
    return Emitter.evaluate_operand if known is None or known.enter is None else known.enter


_ENTER: Final = ByKind(_enter_of_kind)
_ATOM: Final = ByKind(_atom_of_kind)
