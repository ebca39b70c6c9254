"""The properties of operators that passes ask about, so that none names an operator.

Most are told by the declaration of an operator, as the argument of
:func:`~relayish.op.declaration.registry.register_op` of the same name. Another package can add a
property of its own: an :class:`~relayish.op.declaration.op_table.OpTable`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from relayish.ir.attributes.attrs import Attrs
from relayish.ir.domains.property import Property
from relayish.ir.relay.expr import Expr, Op
from relayish.ir.relay.type import Type
from relayish.op.declaration.layout_rule import LayoutRule
from relayish.op.declaration.op_table import OpTable
from relayish.op.declaration.relation import Relation, Rule

Count: TypeAlias = Callable[[Any, tuple[Expr, ...]], int | None]  # Any: attributes of the operator
Callees: TypeAlias = Callable[[Any, tuple[Expr, ...]], Sequence[Expr]]  # Any: as above
Conversion: TypeAlias = Callable[[Any, str], Sequence[Any]]
"""``conversion(call, dtype)``: a :class:`MixedPrecision`, and the element types to accumulate in
and to return; Any: a call of the operator, and these three."""
QuantizationRule: TypeAlias = Callable[[Any, Any], Sequence[Any]]
"""``rule(expr, type_map)``: a call in integers, and what its result stands for.

``expr`` is the call, its arguments made integers already; ``type_map[arg]`` is the affine type of
an argument, and ``arg in type_map`` tells whether it is quantised at all; ``type_map[expr]`` is
what the numbers are quantised to in the end, the best guess where the arguments do not tell. A rule
that cannot serve raises an error. Any: a call and a mapping; the answer is the expression and an
:class:`~relayish.op.types.affine_type.AffineType`.
"""
MacRule: TypeAlias = Callable[[Any, tuple[Type, ...], Type], int]  # Any: the operator's attributes
"""``rule(attrs, types of the arguments, type of the result)``."""


class StaticForm(NamedTuple):
    """The operator that takes as attributes what another takes as arguments.

    Attributes:
        name: What it is called.
        renamed: Arguments that have another name than the attribute they stand for, and that name.
        defaults: Values of arguments that may be left out.
        lost: Attributes that cannot be given where the sizes are arguments.
    """

    name: str
    renamed: Mapping[str, str] = MappingProxyType({})
    defaults: Mapping[str, object] = MappingProxyType({})
    lost: tuple[str, ...] = ()


class ResultMemory(NamedTuple):
    """In what memory one evaluation of an operator puts its results.

    Attributes:
        new: The results that never share memory with an input; one that is no tuple is number 0.
        into: ``into(attrs, out, *inputs)``: as the evaluation, with result number 0 in ``out``.
            That is an array of its shape and element type, float32 or float64 as that of all inputs
            is; it may be an input that is :data:`overwritable`, and shares no memory with others.
        evaluation: The evaluation that is meant, that of the declaration; nothing of this is known
            of another.
    """

    new: tuple[int, ...] = (0,)
    into: Callable[..., Any] | None = None  # Any: as for evaluate
    evaluation: Callable[..., Any] | None = None


class OpPattern(IntEnum):
    """How an operator fuses with its neighbours; the numbers are Relay's."""

    ELEMWISE = 0
    BROADCAST = 1
    INJECTIVE = 2
    COMM_REDUCE = 3
    OUT_ELEMWISE_FUSABLE = 4
    TUPLE = 7
    OPAQUE = 8


class MixedPrecision(IntEnum):
    """Whether an operator is computed in a narrow element type; the numbers are Relay's."""

    ALWAYS = 0
    """It gains so much that its operands are cast."""
    FOLLOW = 1
    """It is, where its operands are narrow already."""
    NEVER = 2
    """Its result would be wrong."""


num_inputs: OpTable[int] = OpTable("num_inputs")
"""How many arguments a call must have."""
arguments: OpTable[tuple[str, ...]] = OpTable("arguments")
"""The names of the arguments."""
argument_types: OpTable[Mapping[str, str]] = OpTable("argument_types")
"""The element types of arguments that builders take as numbers, by name; see :mod:`.signature`."""
attrs_type: OpTable[type[Attrs]] = OpTable("attrs_type")
"""The class of the attributes; operators that take none have no entry."""
stateful: OpTable[bool] = OpTable("stateful")
"""True for operators whose calls may not be removed, repeated, merged or evaluated early."""
callees: OpTable[Callees] = OpTable("callees", takes=("attrs", "args"))
"""``callees.get(op)(attrs, args)``: the arguments that are functions which the operator calls.

A call may do whatever calls of these do. Operators that take no functions have no entry.
"""
non_computational: OpTable[bool] = OpTable("non_computational")
"""True for operators that only mark the program; folding leaves them alone."""
pattern: OpTable[OpPattern] = OpTable("pattern")
"""How the operator fuses."""
commutative: OpTable[bool] = OpTable("commutative")
"""True for operators of two arguments that may be swapped."""
properties: OpTable[Property] = OpTable("properties")
"""Those that do not follow from the rest, as that a comparison is one."""
random: OpTable[bool] = OpTable("random")
"""True for operators that draw random numbers: pure in Relay (the key is an argument and comes
back changed), yet better left to run than evaluated early."""
attrs_in_metadata: OpTable[bool] = OpTable("attrs_in_metadata")
"""True where Relay text keeps the attributes in its metadata section (``meta[AttrsKey][0]``)."""
evaluate: OpTable[Callable[..., Any]] = OpTable("evaluate")  # Any: a numpy value or a tuple of them
"""``evaluate.get(op)(attrs, *inputs)``: the value of a call, by numpy.

An input is a numpy scalar or array, or a tuple of them where the operator takes a tuple; so is the
result, a tuple for operators with several outputs. It has Relay's element type. Only the value of a
well-typed call is promised: arithmetic on operands of two types promotes as numpy does. A call
without a value (an integer divided by zero) raises :class:`~relayish.errors.EvaluationError`; one
that is badly typed may raise numpy's own ``TypeError``, ``ValueError`` or ``IndexError``. Floating
point warnings are the caller's to silence, once, with ``numpy.errstate(all="ignore")``. A result
may be a view of an input or the input itself, for inputs are never changed.
"""
rule: OpTable[Rule] = OpTable("rule")
"""``rule.get(op)(attrs, *types)``: the type of a call's result, see :data:`.relation.Rule`."""
relation: OpTable[Relation] = OpTable("relation", takes=("attrs", "types", "reporter"))
"""For operators that infer types of arguments as well: see :data:`.relation.Relation`."""
description: OpTable[str] = OpTable("description")
"""What an operator does, takes and gives; see :mod:`.description`."""
signature: OpTable[str] = OpTable("signature")
"""The parameters of the builder, as they would stand in Python; see :mod:`.signature`.

Operators without an entry have their arguments, and then their attributes as these are declared.
"""
aliases: OpTable[tuple[str, ...]] = OpTable("aliases")
"""Further names of the builder."""
other_names: OpTable[Mapping[str, str]] = OpTable("other_names")
"""Further names of parameters of the builder, and the parameters that they name."""
outputs: OpTable[Count] = OpTable("outputs", takes=("attrs", "args"))
"""``outputs.get(op)(attrs, args)``: the number of results, ``None`` where the result is no tuple.

A declaration says the number itself where it is always the same. Operators that always give one
tensor have no entry.
"""
static_form: OpTable[StaticForm] = OpTable("static_form")
"""For operators that take sizes as arguments: the operator that takes them as attributes."""
dynamic_form: OpTable[Op] = OpTable("dynamic_form")
"""The same, the other way round."""
quantized: OpTable[bool] = OpTable("quantized")
"""True for operators of the ``qnn`` dialect, which stand for several plain ones."""
shape_only: OpTable[Callable[[tuple[int, ...]], Any]] = OpTable(
    "shape_only", takes=("shape",)
)  # Any: ints or arrays
"""For operators whose result depends on the shape of their argument alone: that function."""
result_size: OpTable[Callable[..., int]] = OpTable("result_size")
"""``result_size.get(op)(attrs, *inputs)``: how many elements the result has at most.

It is asked before a call is evaluated early. Operators that fuse as element-wise or broadcasting
ones need no entry, nor do those whose type tells the shape of the result; no other is evaluated
early without.
"""
fusion_barrier: OpTable[bool] = OpTable("fusion_barrier")
"""True for marks whose argument is not fused with what uses it; fusion takes the mark away."""
shape_from_values: OpTable[bool] = OpTable("shape_from_values")
"""True for operators whose result has a shape that values of arguments decide."""
view: OpTable[bool] = OpTable("view")
"""True for operators whose result is the first argument in the same order under another shape."""
mark: OpTable[bool] = OpTable("mark")
"""True for operators whose result is their argument itself, wherever and whatever it is."""
in_place: OpTable[tuple[tuple[int, int], ...]] = OpTable("in_place")
"""``(argument, result)``: which result may be written where which argument stands, changing it.

The result of an operator that does not return a tuple is number 0.
"""
overwritable: OpTable[tuple[int, ...]] = OpTable("overwritable")
"""The arguments over which the first result may be written while it is computed, in place.

They are meant where they have the type of the result and are not needed later. Operators that fuse
as element-wise or broadcasting ones need no entry: of them, that is true of all arguments.
"""
result_memory: OpTable[ResultMemory] = OpTable("result_memory")
"""In what memory evaluation puts results; operators without an entry may give back an input."""
primal_gradient: OpTable[Callable[..., Sequence[Expr]]] = OpTable(
    "primal_gradient", takes=("call", "grad")
)
"""``primal_gradient.get(op)(call, grad)``: the gradients of the arguments of ``call``.

``call`` applies the operator to variables or constants whose types are known, ``grad`` is the
gradient of its result. There is one gradient for each argument, of its type; see
:func:`~relayish.op.builders.gradient.register_gradient`.
"""
mixed_precision: OpTable[Conversion] = OpTable("mixed_precision", takes=("call", "dtype"))
"""``mixed_precision.get(op)(call, dtype)``: whether ``call`` may be computed in ``dtype``, and how.

The answer has three parts: a :class:`MixedPrecision`, the element type to accumulate in, and that
of the result; see
:func:`~relayish.op.declaration.mixed_precision.register_mixed_precision_conversion`. A declaration
may say the category alone.
"""
chosen_dtype: OpTable[str] = OpTable("chosen_dtype")
"""The attribute in which an operator is told the element type to accumulate in, or to make."""
mac_count: OpTable[MacRule] = OpTable("mac_count", takes=("attrs", "types", "result"))
"""How many multiplications, each with its addition, one call of the operator takes.

Operators that multiply no matrices have no entry; they count as none.
"""
dequantizes: OpTable[bool] = OpTable("dequantizes")
"""True for operators that turn integers into the floating point numbers they stand for.

Calls of them on constants are folded only where that is asked for, since the integers are smaller.
"""
quantizes: OpTable[bool] = OpTable("quantizes")
"""True for operators that turn floating point numbers into the integers that stand for them."""

fake_quantization: OpTable[QuantizationRule] = OpTable(
    "fake_quantization", takes=("expr", "type_map")
)
"""What computes the operator in integers, see :data:`QuantizationRule`."""

infer_layout: OpTable[LayoutRule] = OpTable(
    "infer_layout",
    takes=("attrs", "new_in_layouts", "old_in_layouts", "old_in_types"),
)
"""Which layouts the operator takes and gives, see :data:`.layout_rule.LayoutRule`.

Operators without attributes that fuse as element-wise or broadcasting ones need no entry.
"""
