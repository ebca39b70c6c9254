"""One call written with operators of ONNX: as its rule says, where these are defined for its types.

A rule is given variables of the types of arguments, so that what it makes can be typed by itself:
the schema of each operator in the version that is asked for is what decides. Where it refuses, the
call is written for a type that carries the same, and cast there and back.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final, TypeAlias

from relayish.analysis.evaluation_order import EvaluationOrder
from relayish.analysis.infer_type import infer_type
from relayish.errors import RelayishError, TypeInferenceError
from relayish.functor import ExprRewriter, post_order_rewrite
from relayish.ir.equality.exact_key import make_exact_key
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Op, Tuple, TupleGetItem, Var
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.ir.scopes.renaming import duplicate, replace_nodes
from relayish.ir.scopes.scoping import PROGRAM, bound_by
from relayish.onnx.calls import ABSENT, make_call
from relayish.onnx.element_types import element_type_number
from relayish.onnx.operator_sets import identify
from relayish.onnx.operators import find_operator, identity_of
from relayish.onnx.types import may_be_alike
from relayish.passes.onnx.raising.carriers import carriers
from relayish.passes.onnx.raising.rule import RULES, RelayCall, Rule, Unraised
from relayish.passes.onnx.raising.unraised import UNRAISED

_NO_RULE: Final = "no rule writes it with operators of ONNX"


class CallWriter(ExprRewriter):
    """Writes calls of Relay's operators with those of ONNX.

    Args:
        opset: The version of the operator set.
        templates: What was made of calls before, for this version, and is made; see `write_call`.

    Raises:
        Unraised: If one of them cannot be.
    """

    def __init__(self, opset: int, templates: Templates) -> None:
        self.opset: Final = opset
        self._order: Final = EvaluationOrder()
        self._templates: Final = templates

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        if type(pre.op) is not Op or identity_of(pre.op) is not None:
            return post
        rule = RULES.get(pre.op.name)
        if rule is None:
            raise Unraised(UNRAISED.get(pre.op.name, _NO_RULE))
        made = write_call(rule, pre, post, self.opset, self._templates)
        parts = [each for arg in post.args for each in (arg if type(arg) is Tuple else [arg])]
        if not self._order.is_kept(post, made, parts):
            raise Unraised("its arguments act, and would in another order, or not at all")
        return made

    def rewrite_tuple_getitem(self, pre: TupleGetItem, post: TupleGetItem) -> Expr:
        """Take apart what a rule made of a call of several results, unless the others act."""
        made = post.tuple_value
        if type(made) is not Tuple or not isinstance(pre.tuple_value.checked_type, TupleType):
            return post
        others = [each for place, each in enumerate(made) if place != post.index]
        return post if self._order.order_dependent(others) else made.fields[post.index]


def write_expr(expr: Expr, opset: int) -> Expr:
    """Return an expression of Relay's operators, on typed variables, with operators of ONNX.

    Raises:
        Unraised: If it cannot be written, or Relay does not define it.
    """
    try:
        typed = infer_type(expr)
    except TypeInferenceError as error:
        raise Unraised(f"Relay does not compute its parts: {error}") from error
    return post_order_rewrite(typed, CallWriter(opset, {}))


def write_call(rule: Rule, pre: Call, post: Call, opset: int, templates: Templates) -> Expr:
    """Return what ``rule`` makes of a call, in its own element types or in others and cast.

    Args:
        rule: The rule of the operator.
        pre: The call, typed.
        post: The call on what its arguments became.
        opset: The version of the operator set.
        templates: What was made of calls before; a rule is asked once for calls that are alike.

    Raises:
        Unraised: If it cannot be written in any type that gives the same.
    """
    try:
        return _Attempt(pre, post, opset, {}).write(rule, templates)
    except Unraised:
        name = getattr(pre.op, "name", "")
        for dtype in dict.fromkeys(_element_types(pre)):
            for carrier in carriers(name, dtype):
                try:
                    return _Attempt(pre, post, opset, {dtype: carrier}).write(rule, templates)
                except Unraised:
                    continue
        raise


def _element_types(call: Call) -> list[str]:
    """Return the element types of the arguments of a call."""
    types = [each.checked_type for each in call.args]
    types += [part for ty in types if isinstance(ty, TupleType) for part in ty.fields]
    return [ty.dtype for ty in types if isinstance(ty, TensorType)]


class _Template:
    """What a rule made of a call, on variables in place of its arguments.

    Args:
        params: The variables.
        made: What was made, which uses them.
        given: Constants that are part of the call.
    """

    def __init__(self, params: tuple[Var, ...], made: Expr, given: Sequence[Constant]) -> None:
        self._params = params
        self._made = made
        order = PROGRAM.post_order(made)
        held = set(given)
        self._constants = [each for each in order if type(each) is Constant and each not in held]
        self.is_reusable: Final = not any(
            bound_by(each) or (type(each) in (Tuple, Call) and not PROGRAM.children(each))
            for each in order
            if each is not ABSENT
        )
        """Whether nothing in it has to be another node wherever it stands, but for constants."""
        self._is_used = False

    def fill(self, images: Sequence[Expr]) -> Expr:
        """Return what was made, on ``images``; what is constant in it is its own each time."""
        found = dict[Node, Node](zip(self._params, images, strict=True))
        if self._is_used:
            found.update({constant: duplicate(constant) for constant in self._constants})
        self._is_used = True
        image = replace_nodes(self._made, found)
        assert isinstance(image, Expr)
        return image


Templates: TypeAlias = dict[Hashable, _Template]
"""What was made of calls, by what makes calls alike."""


class _Attempt:
    """A call to be written with some element types in place of others."""

    def __init__(self, pre: Call, post: Call, opset: int, carried: dict[str, str]) -> None:
        self.pre, self.post, self.opset, self.carried = pre, post, opset, carried
        self.variables: list[Var] = []
        """What the rule is given in place of arguments."""
        self.images: list[Expr] = []
        """What each of these stands for."""
        self.given: list[Node | int] = []
        """What is known of arguments, in order: of a tuple how many fields it has, of one that the
        rule is given as it is the constant, of others the type."""

    def write(self, rule: Rule, templates: Templates) -> Expr:
        args = [self._argument(*each) for each in zip(self.pre.args, self.post.args, strict=True)]
        alike = (
            rule,
            self.pre.op,
            make_exact_key(self.pre.attrs),
            self.pre.type_args,
            self.pre.checked_type if self.carried else None,
            tuple(self.carried.items()),
            tuple(self.given),
        )
        template = templates.get(alike)
        if template is None:
            template = self._ask(rule, args)
            if template.is_reusable:
                templates[alike] = template
        return template.fill(self.images)

    def _ask(self, rule: Rule, args: list[Expr]) -> _Template:
        """Return what ``rule`` makes of the call on variables in place of its arguments."""
        call = Call(self.pre.op, args, self.pre.attrs, self.pre.type_args)
        params, typed = self._typed(call)
        try:
            made = rule(RelayCall(typed, self.opset, lambda expr: write_expr(expr, self.opset)))
        except RelayishError as error:
            raise Unraised(f"its rule fails for these types: {error}") from error
        self._check(Function(params, made), typed.checked_type)
        back = self._cast_back(made, typed.checked_type)
        return _Template(params, back, [each for each in self.given if isinstance(each, Constant)])

    def _argument(self, old: Expr, new: Expr) -> Expr:
        """Return what the rule is given for an argument."""
        ty = old.checked_type
        if isinstance(new, Tuple) and isinstance(ty, TupleType):
            self.given.append(len(ty.fields))
            return Tuple([self._stand_in(*each) for each in zip(ty.fields, new, strict=True)])
        return self._stand_in(ty, new)

    def _stand_in(self, ty: Type | None, new: Expr) -> Expr:
        if not isinstance(ty, TensorType):
            raise Unraised("it is no call on tensors, or its type was not inferred")
        carrier = self.carried.get(ty.dtype)
        if carrier is None and type(new) is Constant:
            self.given.append(new)
            return new
        self.given.append(ty)
        variable = Var("given", ty if carrier is None else ty.with_fields(dtype=carrier))
        self.variables.append(variable)
        self.images.append(new if carrier is None else self._cast(new, ty, carrier))
        return variable

    def _typed(self, call: Call) -> tuple[tuple[Var, ...], Call]:
        """Return the variables and the call, with types."""
        try:
            function = infer_type(Function(tuple(self.variables), call))
        except TypeInferenceError as error:
            raise Unraised(f"Relay does not compute it in another type: {error}") from error
        assert type(function.body) is Call
        return function.params, function.body

    def _check(self, function: Function, expected: Type | None) -> None:
        """Refuse what ONNX does not define, or what has another type than the call."""
        try:
            found = infer_type(function).body.checked_type
        except RelayishError as error:
            raise Unraised(f"ONNX does not define it for these types: {error}") from error
        if not may_be_alike(found, expected):
            raise Unraised(f"its operators give {found}, and not {expected}")

    def _cast_back(self, made: Expr, given: Type | None) -> Expr:
        wanted = self.pre.checked_type
        if not self.carried:
            return made
        if isinstance(given, TensorType):
            return self._as(made, given, wanted)
        if type(made) is Tuple and isinstance(given, TupleType) and isinstance(wanted, TupleType):
            parts = zip(made, given.fields, wanted.fields, strict=True)
            return Tuple([self._as(*each) for each in parts])
        raise Unraised("its results cannot be cast one by one")

    def _as(self, made: Expr, given: Type, wanted: Type | None) -> Expr:
        """Return a result of the element type that is wanted."""
        if not isinstance(given, TensorType) or not isinstance(wanted, TensorType):
            raise Unraised("it is no call on tensors")
        if given.dtype == wanted.dtype:
            return made
        return self._cast(made, given, wanted.dtype)

    def _cast(self, expr: Expr, given: TensorType, dtype: str) -> Call:
        """Return a tensor of type ``given`` in another element type."""
        identity = identify("Cast", self.opset)
        op = find_operator(identity.name, identity.since_version)
        to = {"to": element_type_number(dtype)}
        variable = Var("given", given)
        whole = Function((variable,), make_call(op, [variable], to))
        self._check(whole, given.with_fields(dtype=dtype))
        return make_call(op, [expr], to)
