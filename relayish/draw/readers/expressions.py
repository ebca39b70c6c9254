"""Diagrams of expressions: a box for each thing that is computed, within the block it belongs to.

What follows from the roles of fields holds of any kind: operands are edges, scopes that may be
evaluated later, perhaps or repeatedly are boxes, variables that are bound there begin in them.
Variables of lets are names of what they are bound to. A value from further out enters a box by a
box of its own, which says its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from relayish.dataflow.graph.control_flow import may_skip
from relayish.draw.diagram import Box, BoxKind, Details, Diagram, EdgeKind
from relayish.draw.keys import join_key
from relayish.draw.readers.blocks import Blocks, resolve
from relayish.draw.readers.exporters import ExporterNotes
from relayish.draw.readers.last_writers import Arm, LastWriters
from relayish.draw.readers.looks import Look, look_of
from relayish.draw.readers.memory import connect_memory, edge_of_place
from relayish.draw.readers.texts import (
    Shown,
    bounded,
    branch_names,
    details,
    function_title,
    fused_title,
    held_text,
    is_unknown_call,
    literal_of,
    node_name,
    type_of,
    value_line,
)
from relayish.draw.readers.values import Value, Values
from relayish.draw.readers.walk import HOLDERS
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.fields.naming import name_of
from relayish.ir.fields.roles import Runs
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import NAMES, VARIABLES, Node
from relayish.ir.relay.adt import Match
from relayish.ir.relay.expr import Call, Constant, Function, Let, Tuple, TupleGetItem
from relayish.ir.scopes.node_scopes import OUTERMOST
from relayish.ir.scopes.scoping import PROGRAM, Scope, scopes
from relayish.onnx.calls import captures_of, graphs_of
from relayish.onnx.info import DEFAULTS
from relayish.onnx.info import OUTPUTS as OUTPUT_NAMES
from relayish.onnx.op_names import identity_of


@dataclass(slots=True)
class _Frame:
    """A block while its boxes are made."""

    block: int
    holder: int | None
    path: str
    nodes: Iterator[Node]
    results: Sequence[tuple[str, Node]] = ()
    choice: _Choice | None = None
    is_begun: bool = False


@dataclass(slots=True)
class _Choice:
    """A node while the blocks in it are made.

    Attributes:
        node: The node.
        box: Its box.
        left: How many of its blocks are not made yet.
        arms: What was written in those that are.
    """

    node: Node
    box: int
    left: int
    arms: list[Arm] = field(default_factory=list)


def add_expression(diagram: Diagram, root: Node, holder: int | None = None, path: str = "") -> None:
    """Add the boxes of an expression to a diagram; those of what a function computes, not its own.

    Args:
        diagram: What they are added to.
        root: The expression.
        holder: The box that they lie in.
        path: What their keys begin with.

    Complexity:
        Linear in distinct nodes and edges; no recursion.
    """
    _Expression(diagram, root).read(holder, path)


class _Expression:
    """Makes the boxes of one definition."""

    def __init__(self, diagram: Diagram, root: Node) -> None:
        self._diagram = diagram
        self._root = root
        self._blocks = Blocks(root)
        self._notes = ExporterNotes(root)
        self._values = Values(diagram, self._blocks)
        self._writers = LastWriters()

    # the walk over blocks

    def read(self, holder: int | None, path: str) -> None:
        root = self._root
        for variable in self._blocks.free:
            self._add_input(variable, self._blocks.outermost, holder, path)
        if isinstance(root, Function):
            stack = [self._enter_function(root, holder, path)]
        else:
            stack = [self._frame(OUTERMOST, holder, path, self._named_results(root))]
        while stack:
            frame = stack[-1]
            if not frame.is_begun:
                frame.is_begun = True
                if frame.choice is not None:
                    self._writers.enter()
            node = next(frame.nodes, None)
            if node is None:
                self._add_results(frame)
                self._leave(stack.pop())
                continue
            stack += reversed(self._add(node, frame))

    def _leave(self, frame: _Frame) -> None:
        choice = frame.choice
        if choice is None:
            return
        choice.arms.append(self._writers.leave())
        choice.left -= 1
        if choice.left:
            return
        if any(scope.runs is Runs.REPEATEDLY for scope in scopes(choice.node)):
            for arm in choice.arms:
                for writer, reader, place in self._writers.repeat(arm, choice.box):
                    self._diagram.connect(edge_of_place(place, writer, reader))
            return
        count = len(choice.arms)
        self._writers.join(choice.arms, choice.box, is_skipped=may_skip(choice.node, count))

    def _frame(
        self,
        block: int,
        holder: int | None,
        path: str,
        results: Sequence[tuple[str, Node]] = (),
        binders: Sequence[Node] = (),
        box: Box | None = None,
    ) -> _Frame:
        self._values.holder[block] = holder
        frame = _Frame(block, holder, path, iter(()), results)
        frame.nodes = self._begin(frame, binders, box)
        return frame

    def _begin(self, frame: _Frame, binders: Sequence[Node], box: Box | None) -> Iterator[Node]:
        """Yield the nodes of a block when it is its turn: others may bind the same variables."""
        block = frame.block
        if box is not None:
            frame.holder = self._values.holder[block] = self._diagram.add(box)
        for variable in binders:
            for each in PROGRAM.post_order(variable):
                if type(each) in VARIABLES:
                    self._add_input(each, block, frame.holder, frame.path)
        for node in self._blocks.captured.get(block, ()):
            found = self._values.find(node)
            if not isinstance(found, Node) and self._blocks.around.get(block) is not None:
                self._values.entering(node, found, block)
        yield from self._blocks.members.get(block, ())

    def _enter_function(self, function: Function, holder: int | None, path: str) -> _Frame:
        (scope,) = scopes(function)
        block = self._blocks.of(function)[0][1]
        attrs = function.attrs
        held = attrs.get(DEFAULTS) if attrs is not None else None
        defaults = dict(held.items()) if isinstance(held, DictAttrs) else {}
        for param in function.params:
            default = defaults.get(param.name_hint)
            if isinstance(default, Constant):  # an initializer that is an input as well
                self._values.bound[param] = default
            else:
                self._add_input(param, block, holder, path)
        return self._frame(block, holder, path, self._results(function, scope))

    def _results(self, node: Node, scope: Scope) -> list[tuple[str, Node]]:
        """Return what leaves a scope, with names."""
        attrs = node.attrs if isinstance(node, Function) else None
        told = attrs.get(OUTPUT_NAMES) if attrs is not None else None
        names = [str(each) for each in told] if isinstance(told, tuple | list) else []
        return self._named_results(scope.roots[-1], names) if scope.roots else []

    def _named_results(self, root: Node, names: Sequence[str] = ()) -> list[tuple[str, Node]]:
        """Return the values of an expression; a tuple is told field by field."""
        found = resolve(self._values.bound, root)
        if isinstance(found, Tuple) and self._blocks.is_spread(found):
            if len(names) != len(found.fields):
                names = [f"result {number}" for number in range(len(found.fields))]
            return list(zip(names, found.fields, strict=True))
        return [(names[0] if len(names) == 1 else "result", root)]

    # one node

    def _add(self, node: Node, frame: _Frame) -> list[_Frame]:
        """Add the box of a node, and return the blocks in it."""
        kind = type(node)
        if kind in VARIABLES:
            return []
        if kind in NAMES or isinstance(node, Let) or node in self._blocks.absorbed:
            return []
        if literal_of(node) is not None or (isinstance(node, Tuple) and not node.fields):
            return []
        if self._blocks.is_spread(node) or (isinstance(node, TupleGetItem) and self._project(node)):
            return []
        box, path = self._add_box(node, look_of(node), frame)
        entered = self._enter(node, box, path, frame)
        shared = self._blocks.shared_of(node)
        chosen = [each for each in entered if each.block != shared]
        choice = _Choice(node, box, len(chosen))
        for each in chosen:
            each.choice = choice
        if not is_unknown_call(node):
            connect_memory(node, box, self._writers, self._diagram.connect)
        return entered

    def _enter(self, node: Node, box: int, path: str, frame: _Frame) -> list[_Frame]:
        """Return the blocks in a node, with the boxes that they begin with."""
        if isinstance(node, Function):
            return [self._enter_function(node, box, path)]
        if isinstance(node, Call):
            return self._enter_absorbed(node, box, path, frame)
        blocks, shared = self._blocks.of(node), self._blocks.shared_of(node)
        if len(blocks) == 1 and shared is None and not isinstance(node, Match):
            return [self._enter_block(node, *blocks[0], box, path)]
        entered = []
        if shared is not None:
            entered.append(self._frame(shared, box, path, binders=blocks[0][0].binders))
        for (scope, block), name in zip(blocks, branch_names(node, len(blocks)), strict=True):
            inside = join_key(path, name)
            own = Box(HOLDERS[scope.runs], name, key=inside, parent=box)
            entered.append(self._enter_block(node, scope, block, box, inside, own))
        return entered

    def _enter_block(
        self,
        node: Node,
        scope: Scope,
        block: int,
        holder: int,
        path: str,
        box: Box | None = None,
    ) -> _Frame:
        binders = scope.binders if self._blocks.shared_of(node) is None else ()
        return self._frame(block, holder, path, self._results(node, scope), binders, box)

    def _enter_absorbed(self, call: Call, box: int, path: str, frame: _Frame) -> list[_Frame]:
        """Enter the functions that a call holds: what it calls, or the graphs of an operator."""
        if call.op in self._blocks.absorbed:
            assert isinstance(call.op, Function)
            return [self._enter_called(call.op, call.args, box, path, frame, EdgeKind.VALUE)]
        if identity_of(call.op) is None:
            return []
        found = []
        captured = captures_of(call)
        for name, graph in graphs_of(call).items():
            if graph in self._blocks.absorbed:
                assert isinstance(graph, Function)
                inside = join_key(path, name)
                kind = BoxKind.LOOP if name == "body" else BoxKind.BRANCH
                holder = self._diagram.add(Box(kind, name, key=inside, parent=box))
                entered = self._enter_called(
                    graph, captured, holder, inside, frame, EdgeKind.CAPTURE
                )
                found.append(entered)
        return found

    def _enter_called(
        self,
        function: Function,
        args: Sequence[Node],
        holder: int,
        path: str,
        frame: _Frame,
        kind: EdgeKind,
    ) -> _Frame:
        """Enter a function whose last parameters are given what is outside."""
        ((scope, block),) = self._blocks.of(function)
        own = len(function.params) - len(args)
        for number, param in enumerate(function.params):
            arg = args[number - own] if number >= own else None
            if arg is None:
                self._add_input(param, block, holder, path)
            elif isinstance(self._values.find(arg), Node):
                self._values.bound[param] = arg  # a constant is shown where it is used
            else:
                source = self._values.source(arg, frame.block)
                given = (BoxKind.INPUT, name_of(param))
                if kind is EdgeKind.CAPTURE:
                    given = (BoxKind.CAPTURE, self._values.name_of(arg))
                box = self._values.add_given(param, block, holder, path, given[1], given[0])
                self._values.let_be(param, Value(box))
                self._values.connect(source, box, kind=kind)
        return self._frame(block, holder, path, self._results(function, scope))

    def _project(self, node: TupleGetItem) -> bool:
        """Let a field of a tuple be a result of what computes the tuple, where it is one."""
        found = self._values.find(node.tuple_value)
        if isinstance(found, Tuple) and 0 <= node.index < len(found.fields):
            self._values.bound[node] = found.fields[node.index]
            return True
        if isinstance(found, Node) or found.is_part:
            return False
        self._values.let_be(node, Value(found.box, node.index, is_part=True))
        return True

    def _add_box(self, node: Node, look: Look, frame: _Frame) -> tuple[int, str]:
        told = self._blocks.name.get(node) or node_name(node)
        operands = self._spread(look)
        shown = [(name, operand, self._values.find(operand)) for name, operand in operands]
        values = {
            name: Shown(one_line(found)) if (data := literal_of(found)) is None else data
            for name, _, found in shown
            if isinstance(found, Node)
        }
        lines = [f"{name} = {text}" for name, text in look.attributes.items()]
        lines += [f"{name} = {held_text(value)}" for name, value in values.items()]
        path = self._values.key(frame.path, told or look.title)
        blocks = self._blocks.of(node)
        kind, title, is_holder = BoxKind.OPERATOR, look.title, bool(blocks)
        if len(blocks) == 1 and not isinstance(node, Match):
            kind = HOLDERS[blocks[0][0].runs]
        if isinstance(node, Function):
            title, lines = function_title(node)
        elif isinstance(node, Call) and node.op in self._blocks.absorbed:
            assert isinstance(node.op, Function)
            title, lines = function_title(node.op, "call")
            title = fused_title(self._blocks.members_of(node.op)) if title == "fused" else title
            is_holder = True
        edges = [(name, operand) for name, operand, found in shown if not isinstance(found, Node)]
        box = Box(
            kind,
            title,
            key=path,
            parent=frame.holder,
            family=look.family,
            lines=bounded(lines),
            inputs=() if is_holder else tuple(name for name, _ in edges),
            details=details(node, told, look, values, self._notes.notes_of(told)),
            parts=tuple(self._notes.scopes_of(node_name(node), told)),
        )
        if len(edges) == 1 and not values:
            box.inputs = ()
        sources = [self._values.source(each, frame.block) for _, each in edges]
        number = self._values.add(box, frame.block, node)
        if not (isinstance(node, Call) and node.op in self._blocks.absorbed):
            # else they lead to its parameters
            for port, source in enumerate(sources):
                self._values.connect(source, number, port)
        return number, path

    def _spread(self, look: Look) -> Iterator[tuple[str, Node]]:
        """Yield the operands of a node; a tuple that only it uses, field by field.

        A function that belongs to a call is no operand: it lies in the box.
        """
        for name, operand in look.operands:
            if operand in self._blocks.absorbed:
                continue
            found = self._values.find(operand)
            if isinstance(found, Tuple) and self._blocks.is_spread(found):
                for number, each in enumerate(found.fields):
                    yield f"{name}[{number}]", each
            else:
                yield name, operand

    def _add_input(self, variable: Node, block: int, holder: int | None, path: str) -> None:
        """Add the box of a variable that a block is given, or that is bound nowhere."""
        box = self._values.add_given(variable, block, holder, path, name_of(variable))
        self._values.let_be(variable, Value(box))

    def _add_results(self, frame: _Frame) -> None:
        for name, node in frame.results:
            found = self._values.find(node)
            lines = (value_line(found),) if isinstance(found, Node) else ()
            ty = type_of(node)
            box = Box(
                BoxKind.OUTPUT,
                name,
                key=self._values.key(frame.path, f"{name} (result)"),
                parent=frame.holder,
                lines=(*lines, ty) if ty else lines,
                details=Details(text=one_line(node), type=ty),
            )
            source = self._values.source(node, frame.block)
            self._values.connect(source, self._values.add(box, frame.block))
