"""Types of calls of ONNX operators, by the shape inference of their schemas."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final

from numpy.typing import NDArray

from relayish.errors import OperatorError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.relay.expr import Op
from relayish.ir.relay.type import FuncType, IncompleteType, TensorType, TupleType, Type
from relayish.onnx.calls import count_captures, count_outputs, graph_names
from relayish.onnx.graph_inference import find_graph_operator
from relayish.onnx.identity import Identity
from relayish.onnx.node_inference import infer_node
from relayish.onnx.op_names import identity_of
from relayish.onnx.operator_sets import find_schema
from relayish.onnx.types import OptionalType, SequenceType, UnknownType, UnrankedTensorType
from relayish.op.declaration.relation import Relation, TypeReporter, is_known

UNKNOWN: Final = UnknownType()


def infer_results(
    op: Op,
    attrs: Attrs | None,
    types: Sequence[Type | None],
    values: Sequence[NDArray[Any] | None] = (),
    graphs: Mapping[str, Sequence[Type]] | None = None,
) -> tuple[Type, ...]:
    """Return the types of the results of one call.

    Named dimensions of the inputs are those of the results wherever they stay the same, as the same
    objects. What cannot be told is ``Any``, an ``UnrankedTensorType`` or an ``UnknownType``.

    Args:
        op: An operator of ONNX.
        attrs: The attributes of the call.
        types: Those of the inputs, without graphs and what these capture; ``None`` for one that is
            missing, an ``UnknownType`` for one of which nothing is known.
        values: Of each input its value, ``None`` where it is not known; as many as there are
            types, or fewer. Shapes, axes and the like count, so nothing large is looked at. Any:
            of whatever element type.
        graphs: By name, the types of the results of each graph.

    Returns:
        As many types as the call has results.

    Raises:
        OperatorError: If ``op`` is no operator of ONNX.
        TypeInferenceError: If the inputs contradict each other, or the operator.

    Complexity:
        Constant after the first of many calls that are alike, which takes some ten microseconds.
    """
    identity = identity_of(op)
    if identity is None:
        raise OperatorError(f"{op.full_name} is no operator of ONNX; expected one of domain onnx")
    return _infer(identity, find_schema(identity), attrs, types, values, graphs or {})


def _infer(
    identity: Identity,
    schema: Any | None,  # Any: a schema of onnx
    attrs: Attrs | None,
    types: Sequence[Type | None],
    values: Sequence[NDArray[Any] | None],  # Any: as above
    graphs: Mapping[str, Sequence[Type]],
) -> tuple[Type, ...]:
    wanted = count_outputs(attrs)
    if schema is None:
        return (UNKNOWN,) * wanted
    if None in types:
        required = _required_inputs(identity)
        types = [UNKNOWN if t is None and i in required else t for i, t in enumerate(types)]
    if not graphs:
        return infer_node(identity, schema, attrs, types, values)
    known = find_graph_operator(identity)
    if known is None:
        return infer_node(identity, schema, attrs, types, values)
    try:
        found = known.results(attrs, types, values, graphs)
    except TypeInferenceError as error:
        raise TypeInferenceError(f"{identity}: {error}") from None
    return (*found, *[UNKNOWN] * wanted)[:wanted]


@cache
def _required_inputs(identity: Identity) -> frozenset[int]:
    schema = find_schema(identity)
    assert schema is not None
    option = type(schema).FormalParameterOption
    return frozenset(i for i, each in enumerate(schema.inputs) if each.option != option.Optional)


def make_rule(identity: Identity, schema: Any | None) -> Callable[..., Type]:  # Any: of onnx
    """Return the type rule of an operator without graphs: ``rule(attrs, *types)``."""

    def rule(attrs: Attrs | None, *types: Type) -> Type:
        given = [None if _is_missing(ty) else ty for ty in types]
        return _as_result(_infer(identity, schema, attrs, given, (), {}), attrs)

    return rule


def has_graphs(schema: Any | None) -> bool:  # Any: a schema of onnx
    """Return whether calls of an operator may have graphs; without a schema any may."""
    if schema is None:
        return True
    kinds = type(schema).AttrType
    return any(each.type in (kinds.GRAPH, kinds.GRAPHS) for each in schema.attributes.values())


def make_relation(identity: Identity, schema: Any | None) -> Relation:  # Any: as above
    """Return the type relation of an operator with graphs.

    What a graph is given has the type that the node tells, where the model does not: a captured
    value that of the value itself, one that changes from iteration to iteration a tensor of any
    shape.
    """

    def relate(attrs: Attrs | None, types: tuple[Type, ...], reporter: TypeReporter) -> Type | None:
        names, captured = graph_names(attrs), count_captures(attrs)
        count = len(types) - len(names) - captured
        inputs = [None if _is_missing(ty) else ty for ty in types[:count]]
        if not all(is_known(ty) for ty in types[:count]):
            return None
        results: dict[str, Sequence[Type]] = {}
        for name, graph in zip(names, types[count : count + len(names)], strict=True):
            if not isinstance(graph, FuncType):
                return None
            _tell_inputs(identity, attrs, inputs, graph, types[count + len(names) :], reporter)
            results[name] = _fields(graph.ret_type)
        if not all(is_known(ty) for found in results.values() for ty in found):
            return None
        if not all(is_known(ty) for ty in types[count + len(names) :]):
            return None  # results may not depend on all that is captured, and tell too little
        return _as_result(_infer(identity, schema, attrs, inputs, (), results), attrs)

    return relate


def _tell_inputs(
    identity: Identity,
    attrs: Attrs | None,
    inputs: Sequence[Type | None],
    graph: FuncType,
    captured: Sequence[Type],
    reporter: TypeReporter,
) -> None:
    """Tell the types of the parameters of a graph that the model does not tell."""
    operator = find_graph_operator(identity)
    own = graph.arg_types[: len(graph.arg_types) - len(captured)]
    told: Sequence[Type] = [UNKNOWN] * len(own)
    if operator is not None:
        told = list(operator.inputs(attrs, inputs))
        if told:
            first, count = operator.carried(attrs, len(inputs))
            told = [
                forget_shape(ty) if first <= index < first + count else ty
                for index, ty in enumerate(told)
            ]
        if len(told) != len(own):
            raise TypeInferenceError(
                f"a graph has {len(own)} inputs; the node gives it {len(told)}"
            )
    for param, ty in zip(graph.arg_types, (*told, *captured), strict=True):
        if type(param) is IncompleteType and type(ty) is not IncompleteType:
            reporter.assign(param, ty)


def forget_shape(ty: Type) -> Type:
    """Return the type of values of any shape, with the elements that ``ty`` has."""
    match ty:
        case TensorType():
            return UnrankedTensorType(ty.dtype)
        case SequenceType() | OptionalType():
            return ty.with_fields(element=forget_shape(ty.element))
    return ty


def _is_missing(ty: Type) -> bool:
    return type(ty) is TupleType and not ty.fields


def _fields(ty: Type) -> tuple[Type, ...]:
    return ty.fields if isinstance(ty, TupleType) else (ty,)


def _as_result(found: Sequence[Type], attrs: Attrs | None) -> Type:
    return found[0] if count_outputs(attrs) == 1 else TupleType(found)
