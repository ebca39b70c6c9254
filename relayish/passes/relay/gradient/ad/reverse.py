"""Writing the program that collects gradients: reverse mode for the whole language.

While the program runs forward, each call of an operator puts a function in front of the
back-propagator that adds to the gradients of its arguments what they get from that of its result,
and then goes on to what was there before::

    let %v = tanh(%x);                          // let %y = tanh(%x)
    let %r = ref(zeros_like(%v));
    let %before = ref_read(%back);
    let %now = fn () -> () {
      let %g = ref_read(%r);
      ...
      let %_ = ref_write(%x_ref, add(ref_read(%x_ref), %x_grad));
      %before()
    };
    let %_ = ref_write(%back, %now);
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

from relayish._support.graph import walk_tree
from relayish.errors import GradientError
from relayish.functor import MixedModeVisitor
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.field import Field
from relayish.ir.fields.roles import Role
from relayish.ir.kinds.one_line import quote
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.relay import expr as relay
from relayish.ir.relay.adt import Clause, Constructor, Match
from relayish.ir.relay.traversal import EXPRESSIONS, PATTERNS
from relayish.ir.relay.type import TupleType, Type
from relayish.ir.scopes.node_scopes import OUTERMOST, Scopes
from relayish.ir.scopes.replacing import rebuild_fields, rename_pattern
from relayish.ir.scopes.scoping import binders, operands
from relayish.passes.relay.functions.interprocedural.copy import make_fresh_var, retype_var
from relayish.passes.relay.gradient.ad.bindings import Bindings, Names, over_operands
from relayish.passes.relay.gradient.ad.checkpoint import copy_unshared, is_checkpoint
from relayish.passes.relay.gradient.ad.dual import (
    Dual,
    Scope,
    atom_of,
    field_of,
    list_known_fields,
    make_collecting,
    tensors_of,
)
from relayish.passes.relay.gradient.ad.kind_rules import (
    GRADIENT_RULES,
    ControlFlow,
    VectorJacobian,
    gradients_of_operands,
)
from relayish.passes.relay.gradient.ad.rules import call_of, gradients_of, has_gradient, is_zero
from relayish.passes.relay.gradient.ad.structure import pack_tensors, tensors_in, unpack_tensors
from relayish.passes.relay.gradient.ad.types import BACK_PROPAGATOR, UNIT, reverse_type

_Gradients: TypeAlias = Callable[[relay.Expr], Sequence[relay.Expr]]
"""From the gradient of a value to those of its operands."""


class _Operand(NamedTuple):
    """An argument of an operator: its value, and the tensors it is made of."""

    value: relay.Expr
    ty: Type | None
    tensors: list[Dual]


class ReverseMode(MixedModeVisitor):
    """Writes down what collects gradients; the result of visiting a node is its :class:`Dual`.

    Args:
        placement: The scopes of all that will be visited; what runs once has none of its own.
        outermost: The scope around all of it.
        globals_: What stands for global functions.
    """

    remembers = True

    def __init__(self, placement: Scopes, outermost: Scope, globals_: Mapping[str, Dual]) -> None:
        super().__init__()
        self._placement = placement
        self._scopes: dict[int, Scope] = {OUTERMOST: outermost}
        self._names: Names = outermost.names
        self._called: dict[relay.Expr, relay.Var] = {}
        self._globals = globals_

    # What is known

    def name(self, node: relay.Expr, dual: Dual) -> None:
        """Let ``node``, a variable, stand for ``dual``."""
        self.memo_map[node] = dual

    def dual_of(self, node: relay.Expr, scope: Scope) -> Dual:
        """Return what is known of ``node``, used in ``scope`` and visited before."""
        found: Dual | None = self.memo_map.get(node)
        if found is not None:
            return found
        match node:
            case relay.Constant():
                return self._constant(node, scope)
            case Constructor():
                return self._constructor(node, scope)
            case relay.GlobalVar():
                return self._global_var(node)
            case relay.Op():
                raise GradientError(
                    f"operator {node.full_name} is used as a value; wrap it in a function: "
                    f"fn (%x) {{ ... }}"
                )
            case relay.Var():
                raise GradientError(
                    f"variable %{node.name_hint} is free; a gradient needs it to be bound"
                )
        raise GradientError(
            f"{quote(node)} stands where no gradient can be told of it; bind it by a let outside"
        )

    def _scope_of(self, node: Node) -> Scope:
        found = self._scopes.get(self._placement.scope[node])
        if found is None:
            raise GradientError(
                f"{quote(node)} depends on a variable that a node binds for several scopes, and "
                f"these share it; write it down in each of them, or bind it there"
            )
        return found

    def _open(self, number: int, back: relay.Var) -> Scope:
        scope = self._scopes[number] = Scope(self._names, back)
        return scope

    def _make_unknown(self, scope: Scope, node: relay.Expr, value: relay.Expr) -> Dual:
        """Return a dual of which nothing is known but that it is ``value``."""
        return Dual(scope, node.checked_type, atom=scope.push(value))

    # Leaves

    def _constant(self, constant: relay.Constant, scope: Scope) -> Dual:
        """Return a constant, whose gradient nobody asks for."""
        root = Dual(scope, constant.checked_type, value=constant)
        for dual in walk_tree(root, list_known_fields):
            held = dual.value.data if isinstance(dual.value, relay.Constant) else None
            if isinstance(dual.ty, TupleType) and isinstance(held, tuple):
                pairs = zip(dual.ty.fields, held, strict=True)
                dual.fields = tuple([Dual(scope, ty, value=relay.Constant(v)) for ty, v in pairs])
        return root

    def _constructor(self, constructor: Constructor, scope: Scope) -> Dual:
        """Return a constructor used as a function, which takes a back-propagator as all do."""
        _check_fields(constructor)
        params = tuple([self._names.make_var() for _ in constructor.inputs])
        func = relay.Function(
            (*params, relay.Var("back", BACK_PROPAGATOR)),
            relay.Call(constructor, params),
            span=constructor.span,
        )
        return Dual(scope, None, atom=scope.push(func))

    def _global_var(self, var: relay.GlobalVar) -> Dual:
        """Return what stands for a global function."""
        found = self._globals.get(var.name_hint)
        if found is None:
            raise GradientError(
                f"@{var.name_hint} is not known to be a function; pass mod= that defines it"
            )
        return found

    # Dataflow: what is below was visited before

    def visit_call(self, call: relay.Call) -> Dual:
        scope = self._scope_of(call)
        if isinstance(call.op, relay.Op):
            return self._operation(call, scope)
        if isinstance(call.op, relay.Function) and is_checkpoint(call.op):
            return self._checkpoint(call.op, scope)
        args = [atom_of(self.dual_of(arg, scope)) for arg in call.args]
        if isinstance(call.op, Constructor):
            _check_fields(call.op)
            return self._make_unknown(scope, call, relay.Call(call.op, tuple(args), span=call.span))
        callee = atom_of(self.dual_of(call.op, scope))
        made = relay.Call(callee, (*args, scope.back), call.attrs, span=call.span)
        return self._make_unknown(scope, call, made)

    def visit_tuple(self, tup: relay.Tuple) -> Dual:
        scope = self._scope_of(tup)
        fields = [self.dual_of(field, scope) for field in tup.fields]
        return Dual(scope, tup.checked_type, fields=fields)

    def visit_tuple_getitem(self, item: relay.TupleGetItem) -> Dual:
        scope = self._scope_of(item)
        whole = self.dual_of(item.tuple_value, scope)
        known = field_of(whole, item.index)
        if known is not None:
            return known
        return self._make_unknown(scope, item, relay.TupleGetItem(atom_of(whole), item.index))

    def _operation(self, call: relay.Call, scope: Scope) -> Dual:
        op, ty = call.op, call.checked_type
        assert isinstance(op, relay.Op)
        assert ty is not None
        operands = [self._operand(arg, scope) for arg in call.args]
        args = tuple([operand.value for operand in operands])
        forward = relay.Call(op, args, call.attrs, call.type_args, span=call.span, checked_type=ty)
        if not has_gradient(op, ty):
            return make_collecting(scope, ty, scope.push(forward, ty))
        return self._compute(forward, partial(gradients_of, forward), operands, scope)

    def _compute(
        self, forward: relay.Expr, tell: _Gradients, operands: Sequence[_Operand], scope: Scope
    ) -> Dual:
        """Return the value of ``forward``; going back, its operands get what ``tell`` says."""
        ty = forward.checked_type
        assert ty is not None
        value = scope.push(forward, ty)
        result = make_collecting(scope, ty, value)
        before = scope.push(relay.RefRead(scope.back))
        step = Bindings(self._names)
        grads = [
            step.push(relay.RefRead(part.ref), part.ty) for part in tensors_of(result) if part.ref
        ]
        found = tell(pack_tensors(ty, grads))
        wanted: list[tuple[relay.Expr, relay.Expr]] = []
        for grad, (_, held, tensors) in zip(found, operands, strict=True):
            if not is_zero(grad):
                parts = zip(tensors, unpack_tensors(held, grad), strict=True)
                wanted += [(tensor.ref, part) for tensor, part in parts if tensor.ref is not None]
        flat = step.flatten([(part, None) for _, part in wanted], {forward: value})
        for (ref, _), part in zip(wanted, flat, strict=True):
            _add(step, ref, part)
        back = relay.Function((), step.close(relay.Call(before, ())), UNIT)
        scope.push(relay.RefWrite(scope.back, scope.push(back)))
        return result

    def _operand(self, arg: relay.Expr, scope: Scope) -> _Operand:
        dual = self.dual_of(arg, scope)
        tensors = tensors_of(dual)
        if dual.value is None:
            assert dual.ty is not None
            whole = pack_tensors(dual.ty, [tensor.value for tensor in tensors if tensor.value])
            dual.value = dual.scope.push(whole, dual.ty)
        return _Operand(dual.value, dual.ty, tensors)

    def _checkpoint(self, func: relay.Function, scope: Scope) -> Dual:
        """Return the value of ``func``, which is computed again when gradients go back.

        Where it uses functions, references or data from around it, which cannot be taken back to
        plain values, it is computed once, as if it were no checkpoint.
        """
        (number,) = self._placement.opened[func]
        body, ty = func.body, func.body.checked_type
        around = self._values_around(body, number, scope)
        if around is None:
            self._scopes[number] = scope
            self.visit(body)
            return self.dual_of(body, scope)
        assert ty is not None
        result = make_collecting(scope, ty, scope.push(copy_unshared(body, around), ty))
        before = scope.push(relay.RefRead(scope.back))
        back = relay.Var("back", BACK_PROPAGATOR)
        again = self._open(number, back)
        again.bind(back, relay.RefCreate(relay.Function((), relay.Tuple(()), UNIT)))
        self.visit(body)
        copies = tensors_of(self.dual_of(body, again))
        for tensor, copy in zip(tensors_of(result), copies, strict=True):
            if copy.ref is not None:
                assert tensor.ref is not None
                _add(
                    again, copy.ref, again.push(relay.RefRead(tensor.ref))
                )  # it may be used elsewhere
        again.push(relay.Call(again.push(relay.RefRead(back)), ()))
        step = relay.Function((), again.close(relay.Call(before, ())), UNIT)
        scope.push(relay.RefWrite(scope.back, scope.push(step)))
        return result

    def _values_around(
        self, body: relay.Expr, number: int, scope: Scope
    ) -> dict[relay.Expr, relay.Expr] | None:
        """Return the values of what ``body``, in the scope ``number``, uses from around it.

        Returns:
            ``None`` if some of it is no tensor, nor a tuple of them, or a node of another kind
            in ``body`` does more than give a value, which it must not do twice.
        """
        found: dict[relay.Expr, relay.Expr] = {}
        for node in EXPRESSIONS.pre_order(body, lambda node: node not in self.memo_map):
            outside = type(node) not in ATOMS and not self._placement.is_inside(node, number)
            if outside and isinstance(node, relay.Expr):
                self.visit(node)
            if node in self.memo_map:
                ty = self.memo_map[node].ty
                if ty is None or tensors_in(ty) is None:
                    return None
                assert isinstance(node, relay.Expr)
                found[node] = self._operand(node, scope).value
            elif (
                type(node) not in (relay.Call, relay.RefWrite)
                and node.traits_.effect & ~Effect.READS
            ):
                return None
        return found

    # Control, functions and references

    def visit_let(self, let: relay.Let) -> Dual:
        bound: relay.Expr = let
        while isinstance(bound, relay.Let) and bound not in self.memo_map:
            value = bound.value
            if isinstance(value, relay.Function) and value not in self.memo_map:
                self.memo_map[bound.var] = self.name_function(bound.var.name_hint, value)
            self.visit(value)
            if bound.var not in self.memo_map:
                self.memo_map[bound.var] = self.dual_of(value, self._scope_of(let))
            bound = bound.body
        self.visit(bound)
        return self.dual_of(bound, self._scope_of(let))

    def visit_expr(self, node: relay.Expr) -> Dual | None:
        """Differentiate a node of any other kind by the rule that was registered for it."""
        if type(node) in ATOMS:
            return None
        rule = GRADIENT_RULES[type(node)]
        for operand in operands(node):
            assert isinstance(operand, relay.Expr)
            self.visit(operand)
        if isinstance(rule, ControlFlow):
            return self._control_flow(node, rule.plain)
        return self._derive(node, rule, self._scope_of(node))

    def _derive(self, node: relay.Expr, rule: VectorJacobian, scope: Scope) -> Dual:
        """Return the value of a node whose rule tells the gradients of its operands."""
        ty = node.checked_type
        if ty is None:
            raise GradientError(f"the type of a {type(node).__name__} is not known: infer types")
        given = [arg for arg in operands(node) if isinstance(arg, relay.Expr)]
        held = [self._operand(arg, scope) for arg in given]
        values: dict[Node, relay.Expr] = {
            arg: operand.value for arg, operand in zip(given, held, strict=True)
        }
        forward = over_operands(node, values).with_fields(checked_type=ty)
        tell = partial(gradients_of_operands, forward, rule)
        return self._compute(forward, tell, held, scope)

    def _control_flow(self, node: relay.Expr, plain: tuple[str, ...]) -> Dual:
        """Return a node over pairs of values and references, but for what it looks at itself."""
        scope = self._scope_of(node)
        numbers = iter(self._placement.opened.get(node, ()))
        names: dict[Node, dict[Node, Node]] = {}

        def image(owner: Node, field: Field, child: Node) -> Node:
            if owner not in names:
                names[owner] = {v: retype_var(v, reverse_type) for v in binders(owner)}
            if field.role is Role.BINDER:
                return rename_pattern(child, names[owner])
            if field.role is Role.ANNOTATION:
                return reverse_type(child) if isinstance(child, Type) else child
            assert isinstance(child, relay.Expr)
            if field.role is Role.OPERAND:
                return self._pass_operand(child, scope, field.name in plain)
            inner = self._open(next(numbers), scope.back)
            for var, name in names[owner].items():
                self._note(var, name, inner)
            self.visit(child)
            return inner.close(self._pass_operand(child, inner, field.name in plain))

        return self._make_unknown(scope, node, rebuild_fields(node, image))

    def _pass_operand(self, operand: relay.Expr, scope: Scope, is_plain: bool) -> relay.Expr:
        if is_plain:
            return self._operand(operand, scope).value
        return atom_of(self.dual_of(operand, scope))

    def visit_match(self, match_: Match) -> Dual:
        self.visit(match_.data)
        scope = self._scope_of(match_)
        data = atom_of(self.dual_of(match_.data, scope))
        arms = [self._open(number, scope.back) for number in self._placement.opened[match_]]
        clauses = [
            self._clause(clause, arm) for clause, arm in zip(match_.clauses, arms, strict=True)
        ]
        made = Match(data, tuple(clauses), match_.complete, span=match_.span)
        return self._make_unknown(scope, match_, made)

    def _clause(self, clause: Clause, arm: Scope) -> Clause:
        for pattern in PATTERNS.pre_order(clause.lhs):
            GRADIENT_RULES[type(pattern)]  # what matches tensors has to match pairs
        names = {var: retype_var(var, reverse_type) for var in binders(clause)}
        for var, name in names.items():
            self._note(var, name, arm)
        lhs = rename_pattern(clause.lhs, names)
        return clause.with_fields(lhs=lhs, rhs=self._body(clause.rhs, arm))

    def _body(self, expr: relay.Expr, scope: Scope) -> relay.Expr:
        """Return ``expr``, which is evaluated in ``scope`` of its own, within its bindings."""
        self.visit(expr)
        return scope.close(atom_of(self.dual_of(expr, scope)))

    def visit_function(self, func: relay.Function) -> Dual | None:
        if is_checkpoint(func):
            return None  # the call of it, which is the only one, sees to it
        scope = self._scope_of(func)
        back = relay.Var("back", BACK_PROPAGATOR)
        (number,) = self._placement.opened[func]
        inner = self._open(number, back)
        params = tuple([self.rename(param, inner) for param in func.params])
        body = self._body(func.body, inner)
        ret_type = None if func.ret_type is None else reverse_type(func.ret_type)
        made = relay.Function((*params, back), body, ret_type, func.type_params, span=func.span)
        var = self._called.pop(func, None) or self._names.make_var()
        scope.bind(var, made)
        return Dual(scope, func.checked_type, atom=var)

    def name_function(self, name: str, func: relay.Function) -> Dual:
        """Return what ``func`` will be known as, in its own body too, when it is visited."""
        ty = func.checked_type
        var = relay.Var(name, None if ty is None else reverse_type(ty))
        self._called[func] = var
        return Dual(self._scope_of(func), ty, atom=var)

    def rename(self, var: relay.Var, scope: Scope) -> relay.Var:
        """Return what is bound in ``scope`` in the place of ``var``."""
        made = retype_var(var, reverse_type)
        self._note(var, made, scope)
        return made

    def _note(self, var: Node, name: Node, scope: Scope) -> None:
        """Let ``name`` stand for ``var``; what is written down about it belongs to ``scope``."""
        assert isinstance(var, relay.Expr)
        assert isinstance(name, relay.Expr)
        ty = var.checked_type or make_fresh_var(var).type_annotation
        self.memo_map[var] = Dual(scope, ty, atom=name)


def _add(bindings: Bindings, ref: relay.Expr, grad: relay.Expr) -> None:
    """Add ``grad`` to what is in ``ref``."""
    total = call_of("add", bindings.push(relay.RefRead(ref)), grad)
    bindings.push(relay.RefWrite(ref, total))


def _check_fields(constructor: Constructor) -> None:
    """Refuse a constructor that can only hold tensors without references to gradients."""
    for ty in constructor.inputs:
        if reverse_type(ty) is not ty:
            raise GradientError(
                f"constructor {constructor.name_hint} holds a {ty} by its declaration; gradients "
                f"are collected in data only where a type parameter stands for what it holds"
            )
