"""Rewriting of programs in which some tensors are lazy cells."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.ir.fields.field import Field
from relayish.ir.fields.roles import Role
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.relay import expr as relay
from relayish.ir.relay.adt import Clause, Constructor, Match
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TensorType, TupleType
from relayish.ir.scopes.replacing import rebuild_fields
from relayish.passes.relay.gradient.lazy_gradient.flow import Choice, Flow
from relayish.passes.relay.gradient.lazy_gradient.operators import (
    CONSTRUCTORS,
    OVERLOADED,
    initialises,
)
from relayish.passes.relay.gradient.lazy_gradient.slots import CONTENT, FIXED, RESULT
from relayish.passes.relay.gradient.lazy_gradient.types import CELL, Converted, is_flat


class Writer:
    """Writes one function anew, with cells where they were chosen.

    Args:
        order: The nodes of the function, children before parents.
        flow: The slots of these.
        choice: Which of them are cells.
        mod: A module that defines cells.

    Complexity:
        Linear in distinct nodes and their types; no recursion.
    """

    def __init__(self, order: Sequence[Node], flow: Flow, choice: Choice, mod: IRModule) -> None:
        self._order = order
        self._flow = flow
        self._choice = choice
        self._mod = mod
        self._types = Converted(flow.slots, choice.cells, mod.get_global_type_var(CELL))
        self._images: dict[Node, Node] = {}
        self._cells: dict[Node, relay.Expr] = {}
        self._tensors: dict[Node, relay.Expr] = {}

    def write(self) -> relay.Expr:
        """Return the function, the last of the nodes."""
        for node in self._order:
            self._images[node] = self._write(node)
        return self._image(self._order[-1])

    def _write(self, node: Node) -> Node:
        """Return the image of ``node``; to nodes of other kinds, values are given as tensors."""
        match node:
            case relay.Call():
                return self._call(node)
            case Clause():
                return self._clause(node)
            case relay.Function():
                return self._function(node)
            case relay.If():
                return self._if(node)
            case relay.Let():
                return self._let(node)
            case relay.RefCreate():
                return self._ref_create(node)
            case relay.RefWrite():
                return self._ref_write(node)
            case relay.Tuple():
                return self._tuple(node)
            case relay.Var():
                return self._var(node)
            case (
                Match() | relay.RefRead() | relay.TupleGetItem()
            ):  # which pass on what they are given
                pass
            case relay.Expr() if type(node) not in ATOMS:
                other: Node = rebuild_fields(node, self._force_held)
                return other
        image: Node = EXPRESSIONS.rebuild[type(node)](node, self._images.get)
        return image

    # Cells and tensors

    def _is_cell(self, slot: int) -> bool:
        return self._flow.slots.find(slot) in self._choice.cells

    def _image(self, node: Node) -> relay.Expr:
        image = self._images[node]
        assert isinstance(image, relay.Expr)
        return image

    def _convert_to(self, expr: relay.Expr, slot: int) -> relay.Expr:
        """Return the value of ``expr`` as it has to be in ``slot``."""
        if type(expr.checked_type) is not TensorType and self._flow.slots.find(slot) != FIXED:
            return self._image(expr)
        return self._cell(expr) if self._is_cell(slot) else self._tensor(expr)

    def _cell(self, expr: relay.Expr) -> relay.Expr:
        """Return the value of the tensor ``expr`` in a cell."""
        if self._is_cell(self._flow.slot(expr)):
            return self._image(expr)
        if expr not in self._cells:
            raw = self._constructor("Raw")
            self._cells[expr] = relay.Call(raw, (self._image(expr),), span=expr.span)
        return self._cells[expr]

    def _tensor(self, expr: relay.Expr) -> relay.Expr:
        """Return the value of ``expr``, made if it is a tensor or a tuple of them."""
        if expr not in self._tensors:
            ty, slot = expr.checked_type, self._flow.slot(expr)
            image = self._image(expr)
            if isinstance(ty, TupleType) and is_flat(ty):
                image = self._tuple_of_tensors(image, ty, slot)
            elif type(ty) is TensorType and self._is_cell(slot):
                image = self._force(image)
            self._tensors[expr] = image
        return self._tensors[expr]

    def _tuple_of_tensors(self, image: relay.Expr, ty: TupleType, slot: int) -> relay.Expr:
        """Return a tuple some fields of which may be cells, with all of them made."""
        cells = [self._is_cell(self._flow.slots.child(slot, i)) for i in range(len(ty.fields))]
        if not any(cells):
            return image
        fields = [relay.TupleGetItem(image, index) for index in range(len(ty.fields))]
        made = [self._force(f) if cell else f for f, cell in zip(fields, cells, strict=True)]
        return relay.Tuple(tuple(made), span=image.span)

    def _force(self, cell: relay.Expr) -> relay.Expr:
        return relay.Call(self._name("FromGradCell"), (cell,), span=cell.span)

    def _name(self, name: str) -> relay.GlobalVar:
        return self._mod.get_global_var(name)

    def _constructor(self, name: str) -> Constructor:
        return self._mod.get_constructor(CELL, name)

    # What each kind of node becomes

    def _var(self, var: relay.Var) -> relay.Var:
        """Return a variable of the type it has now."""
        ty, slot = var.checked_type or var.type_annotation, self._flow.slot(var)
        if ty is None or self._types.type_of(ty, slot) is ty:
            return var
        annotation = var.type_annotation
        if annotation is not None:
            annotation = self._types.type_of(annotation, slot)
        return relay.Var(var.name_hint, annotation, span=var.span)

    def _force_held(self, owner: Node, field: Field, held: Node) -> Node:  # noqa: ARG002
        """Return what a node of another kind holds: values are made before it gets them."""
        if field.role not in (Role.OPERAND, Role.SCOPE):
            return self._images.get(held, held)
        assert isinstance(held, relay.Expr)
        return self._tensor(held)

    def _let(self, let: relay.Let) -> relay.Let:
        """Return the let; its variable has the slot of its value."""
        body = self._convert_to(let.body, self._flow.slot(let))
        var, value = self._image(let.var), self._image(let.value)
        return let.with_fields(var=var, value=value, body=body)  # type: ignore[arg-type]  # a variable

    def _if(self, node: relay.If) -> relay.If:
        """Return the choice between what its branches have to be."""
        slot = self._flow.slot(node)
        return node.with_fields(
            cond=self._tensor(node.cond),
            true_branch=self._convert_to(node.true_branch, slot),
            false_branch=self._convert_to(node.false_branch, slot),
        )

    def _tuple(self, tup: relay.Tuple) -> relay.Tuple:
        """Return the tuple of what its fields have to be."""
        child, slot = self._flow.slots.child, self._flow.slot(tup)
        fields = [
            self._convert_to(field, child(slot, index)) for index, field in enumerate(tup.fields)
        ]
        return tup.with_fields(fields=tuple(fields))

    def _ref_create(self, ref: relay.RefCreate) -> relay.RefCreate:
        """Return the reference to what its content has to be."""
        content = self._flow.slots.child(self._flow.slot(ref), CONTENT)
        return ref.with_fields(value=self._convert_to(ref.value, content))

    def _ref_write(self, write: relay.RefWrite) -> relay.RefWrite:
        """Return the write of what the content of the reference has to be."""
        content = self._flow.slots.child(self._flow.slot(write.ref), CONTENT)
        value = self._convert_to(write.value, content)
        return write.with_fields(ref=self._image(write.ref), value=value)

    def _clause(self, clause: Clause) -> Clause:
        """Return the arm with what its result has to be."""
        value = self._convert_to(clause.rhs, self._flow.slot(clause))
        return clause.with_fields(lhs=self._images[clause.lhs], rhs=value)  # type: ignore[arg-type]  # a pattern

    def _function(self, func: relay.Function) -> relay.Function:
        """Return the function of the types it has now."""
        result = self._flow.slots.child(self._flow.slot(func), RESULT)
        ret_type = func.ret_type
        if ret_type is not None:
            ret_type = self._types.type_of(ret_type, result)
        return func.with_fields(
            params=[self._image(param) for param in func.params],  # type: ignore[misc]  # variables
            body=self._convert_to(func.body, result),
            ret_type=ret_type,
        )

    def _call(self, call: relay.Call) -> relay.Expr:
        """Return the call with its arguments as they have to be."""
        if isinstance(call.op, relay.Op):
            return self._operation(call)
        params = self._flow.params.get(call)
        if params is None:
            args = [self._tensor(arg) for arg in call.args]
        else:
            args = [
                self._convert_to(arg, slot) for arg, slot in zip(call.args, params, strict=True)
            ]
        image = call.with_fields(op=self._image(call.op), args=tuple(args))
        type_args = call.type_args
        if type_args:
            pairs = zip(type_args, self._flow.instances[call], strict=True)
            type_args = tuple([self._types.type_of(ty, slot) for ty, slot in pairs])
        ty = call.checked_type
        assert ty is not None
        if image is call and self._types.type_of(ty, self._flow.slot(call)) is not ty:
            return relay.Call(call.op, call.args, call.attrs, type_args, span=call.span)
        return image.with_fields(type_args=type_args)

    def _operation(self, call: relay.Call) -> relay.Expr:
        is_cell = self._is_cell(self._flow.slot(call))
        if call in self._choice.calls:
            return self._combination(call, is_cell)
        if not is_cell:
            return call.with_fields(args=tuple([self._tensor(arg) for arg in call.args]))
        if initialises(call):
            return self._initialiser(call)
        return self._cell(call.args[0])  # what is passed on

    def _combination(self, call: relay.Call, is_cell: bool) -> relay.Expr:
        """Return a sum or product of cells; a tensor if ``is_cell`` does not hold."""
        ty = call.checked_type
        a, b = relay.Var("a", ty), relay.Var("b", ty)
        operator = relay.Function((a, b), relay.Call(call.op, (a, b), call.attrs))
        operands = [self._cell(arg) for arg in call.args]
        name = self._name(OVERLOADED[call.op])
        cell = relay.Call(name, (operator, *operands), span=call.span)
        if is_cell:
            return cell
        self._cells[call] = cell
        return self._force(cell)

    def _initialiser(self, call: relay.Call) -> relay.Expr:
        """Return the cell of what ``call`` makes.

        Arguments are evaluated where they stand: names need no evaluation, the others are bound.
        """
        bound: list[tuple[relay.Var, relay.Expr]] = []
        args: list[relay.Expr] = []
        for arg in call.args:
            image = self._tensor(arg)
            if type(arg) not in (relay.Var, relay.Constant):
                bound.append((relay.Var("like"), image))
                image = bound[-1][0]
            args.append(image)
        make = relay.Function((), call.with_fields(args=tuple(args)))
        cell: relay.Expr = relay.Call(
            self._constructor(CONSTRUCTORS[initialises(call)]), (make,), span=call.span
        )
        for var, value in reversed(bound):
            cell = relay.Let(var, value, cell, span=call.span)
        return cell
