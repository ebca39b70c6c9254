"""Types and known values of a program of ONNX: one walk, in order."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from relayish._support.collector import pause_collection
from relayish._support.trampoline import run
from relayish.errors import Diagnostic, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.kinds.one_line import one_line
from relayish.ir.relay import expr as kinds
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType, Type
from relayish.onnx import info
from relayish.onnx.calls import (
    OWN,
    captures_of,
    count_outputs,
    graph_names,
    graphs_of,
    inputs_of,
)
from relayish.onnx.graph_inference import find_graph_operator
from relayish.onnx.identity import Identity
from relayish.onnx.inference import forget_shape
from relayish.onnx.op_names import identity_of
from relayish.onnx.propagation.calls import infer_call
from relayish.onnx.propagation.fact import (
    MISSING,
    UNKNOWN,
    Array,
    Fact,
    Partial,
    fact_of_constant,
    fact_of_tuple,
    fact_of_type,
    fields_of,
    join_facts,
)
from relayish.onnx.propagation.graphs import declared_fact, first_inputs, is_left_out, join_results
from relayish.onnx.propagation.sizes import Sizes
from relayish.onnx.protos.attributes import REFERENCE
from relayish.onnx.types import UnknownType

Steps: TypeAlias = Generator[Any, Fact, Fact]  # Any: steps that are to be done before going on
"""What is found in steps: it yields steps to be done first, and is sent what they found."""

_ROUNDS: Final = 8
"""How often a loop is gone through before what it carries is said to be of any shape."""


class Facts:
    """What is known of the values of a function, by the expressions that give them.

    Values of variables do not depend on where they are asked for, so facts stay true while a
    program is rewritten, as long as variables keep their values.

    Args:
        mod: Where functions are defined that calls name.
        strict: Whether contradictions are errors; otherwise nothing is known of what they give.
    """

    def __init__(self, mod: IRModule | None = None, *, strict: bool = True) -> None:
        self._mod = mod
        self._strict = strict
        self._sizes = Sizes()
        self._known: dict[kinds.Expr, Fact] = {}
        self._graphs: dict[kinds.Function, tuple[tuple[Fact, ...], Fact]] = {}
        self._attributes: Mapping[str, object] | None = None
        self._where = ""
        self._under_way: frozenset[str] = frozenset()
        self._called = _Called()

    def type_of(self, expr: kinds.Expr) -> Type | None:
        """Return the type of an expression; ``None`` if nothing is known of it.

        That of a call that is asked for the first time follows from those of its arguments.

        Raises:
            TypeInferenceError: If the arguments of a call contradict each other.
        """
        found = self.fact_of(expr).type
        return None if type(found) is UnknownType else found

    def value_of(self, expr: kinds.Expr) -> Array | None:
        """Return the value of an expression where all of it is known, not to be written to."""
        return self.fact_of(expr).value

    def partial(self, expr: kinds.Expr) -> Partial | None:
        """Return the elements of a small tensor of integers of which some are known."""
        return self.fact_of(expr).partial

    def fact_of(self, expr: kinds.Expr) -> Fact:
        """Return what is known of an expression."""
        found = self._known.get(expr)
        if found is None:
            found = self._find_at_once(expr)
        return self._run(self._find(expr)) if found is None else found

    def bind(self, var: kinds.Var, value: kinds.Expr) -> Fact:
        """Let a new variable stand for an expression, and return what is known of it."""
        found = self._known[var] = self.fact_of(value)
        return found

    def items(self) -> Sequence[tuple[kinds.Expr, Fact]]:
        """Return everything that is known, by expression."""
        return tuple(self._known.items())

    def known(self, expr: kinds.Expr) -> Fact | None:
        """Return what was found of an expression so far, without asking further."""
        return self._known.get(expr)

    def select(self, *variables: Iterable[kinds.Expr]) -> Facts:
        """Return the facts of some variables alone, to which others may be added.

        Nothing will be known of calls of functions of the module, which is not held on to.
        """
        found = Facts(strict=self._strict)
        found._sizes = self._sizes  # dimensions that are alike stay the same object
        known = self._known
        found._known = {var: known[var] for each in variables for var in each if var in known}
        return found

    # walking

    def walk(self, func: kinds.Function, params: Sequence[Fact], name: str = "") -> Fact:
        """Find what is known of the values of a function, and return that of its result.

        Args:
            func: The function.
            params: What is known of its parameters.
            name: What errors call it.

        Raises:
            TypeInferenceError: If inputs of a node contradict each other.
        """
        self._where = name
        with pause_collection():  # all that is made stays
            return self._run(self._walk(func, params))

    def _run(self, steps: Steps) -> Fact:
        found: Fact = run(steps, caught=(TypeInferenceError,))
        return found

    def _walk(self, func: kinds.Function, params: Sequence[Fact]) -> Steps:
        known = self._known
        for param, fact in zip(func.params, params, strict=True):
            known[param] = fact
        tail: kinds.Expr = func.body
        while type(tail) is kinds.Let:
            value = tail.value
            found = known.get(value) if type(value) is kinds.Var else self._find_at_once(value)
            known[tail.var] = (yield from self._find(value)) if found is None else found
            tail = tail.body
        return (yield from self._find(tail))

    def _find_at_once(self, expr: kinds.Expr) -> Fact | None:
        """Find what is known of a flat expression; ``None`` where steps have to be done first."""
        known = self._known
        for part in _operands(expr):
            if part not in known and _is_inner(part):
                return None
        if type(expr) is not kinds.Call:
            found = self._simple(expr)
        elif type(expr.op) is kinds.GlobalVar or graph_names(expr.attrs):
            return None
        else:
            found = self._call_operator(expr)
        known[expr] = found
        return found

    def _find(self, root: kinds.Expr) -> Steps:
        """Find what is known of an expression; operands that stand within it come first."""
        known = self._known
        stack = [root]
        while stack:
            expr = stack[-1]
            waiting = [part for part in _operands(expr) if part not in known and _is_inner(part)]
            if waiting:
                stack += waiting
                continue
            stack.pop()
            if type(expr) is kinds.Call:
                known[expr] = yield from self._call(expr)
            else:
                known[expr] = self._simple(expr)
        return known[root]

    def _simple(self, expr: kinds.Expr) -> Fact:
        match expr:
            case kinds.Constant():
                return fact_of_constant(expr.data)
            case kinds.Tuple():
                return fact_of_tuple([self._operand(each) for each in expr.fields])
            case kinds.TupleGetItem():
                whole = self._operand(expr.tuple_value).fields
                return whole[expr.index] if whole and expr.index < len(whole) else UNKNOWN
            case kinds.Var():
                found = self._known.get(expr)
                return fact_of_type(expr.type_annotation) if found is None else found
        return UNKNOWN

    def _operand(self, expr: kinds.Expr) -> Fact:
        found = self._known.get(expr)
        return self._simple(expr) if found is None else found

    # calls

    def _call_operator(self, call: kinds.Call) -> Fact:
        """Find what is known of a call of an operator without graphs."""
        op, attrs = call.op, call.attrs
        identity = identity_of(op)
        if identity is None or type(op) is not kinds.Op:
            return UNKNOWN
        inputs = [self._operand(each) for each in inputs_of(call)]
        try:
            found = infer_call(identity, op, self._sizes, self._resolve(attrs), inputs)
        except TypeInferenceError as error:
            return self._failed(call, error)
        return found[0] if count_outputs(attrs) == 1 else fact_of_tuple(found)

    def _call(self, call: kinds.Call) -> Steps:
        op = call.op
        try:
            if type(op) is kinds.GlobalVar:
                return (yield from self._call_function(call, op))
            graphs, identity = graphs_of(call), identity_of(op)
            if not graphs or identity is None or type(op) is not kinds.Op:
                return self._call_operator(call)
            inputs = [self._operand(each) for each in inputs_of(call)]
            return (yield from self._call_with_graphs(call, op, identity, inputs, graphs))
        except TypeInferenceError as error:
            return self._failed(call, error)

    def _failed(self, call: kinds.Call, error: TypeInferenceError) -> Fact:
        """Return that nothing is known of a call, if that may be."""
        if error.diagnostics:  # told where it was found
            raise error
        if not self._strict:
            return self._nothing(call)
        raise self._at(call, error) from None

    def _nothing(self, call: kinds.Call) -> Fact:
        count = count_outputs(call.attrs)
        return UNKNOWN if count == 1 else fact_of_tuple([UNKNOWN] * count)

    def _at(self, call: kinds.Call, error: TypeInferenceError) -> TypeInferenceError:
        """Return an error with the place of a call."""
        told = str(error) if call.span is not None else f"{one_line(call)}: {error}"
        found = Diagnostic(told, call.span, self._where)
        return TypeInferenceError(str(found), (found,))

    def _resolve(self, attrs: Attrs | None) -> Attrs | None:
        """Return attributes with those of the function around put in for references to them."""
        given = self._attributes
        if given is None or attrs is None:
            return attrs
        told = dict(attrs.items())
        for name, value in attrs.items():
            if isinstance(value, DictAttrs) and REFERENCE in value.keys():  # noqa: SIM118
                referred = str(value[REFERENCE])
                if referred in given:
                    told[name] = given[referred]
                else:
                    del told[name]
        return DictAttrs(told) if told else None

    def _call_function(self, call: kinds.Call, name: kinds.GlobalVar) -> Steps:
        """Go through a function of the model with what is known of the arguments."""
        mod = self._mod
        func = mod[name] if mod is not None and name in mod else None
        args = [self._operand(each) for each in call.args]
        if type(func) is not kinds.Function:
            return self._nothing(call)
        if name.name_hint in self._under_way:
            self._called.recursions += 1
            return self._nothing(call)
        if len(args) > len(func.params):
            raise TypeInferenceError(
                f"@{name.name_hint} is called with {len(args)} arguments; expected "
                f"{len(func.params)} at most"
            )
        args += [MISSING] * (len(func.params) - len(args))
        attributes = _attributes_of(func, self._resolve(call.attrs))
        key = (func, self._strict, _key_of_attributes(attributes), *map(_key_of_fact, args))
        called = self._called
        known = called.results.get(key)
        if known is not None:
            return known
        inner = Facts(mod, strict=self._strict)
        inner._sizes, inner._called = self._sizes, called
        inner._attributes = attributes
        inner._where = f"@{name.name_hint}"
        inner._under_way = self._under_way | {name.name_hint}
        recursions = called.recursions
        found: Fact = yield inner._walk(func, args)
        if called.recursions == recursions:  # so it is found wherever the function is called
            called.results[key] = found
        return found

    def _call_with_graphs(
        self,
        call: kinds.Call,
        op: kinds.Op,
        identity: Identity,
        inputs: list[Fact],
        graphs: Mapping[str, kinds.Expr],
    ) -> Steps:
        operator = find_graph_operator(identity)
        captured = tuple([self._operand(each) for each in captures_of(call)])
        if operator is None or not all(type(each) is kinds.Function for each in graphs.values()):
            for graph in graphs.values():
                if type(graph) is kinds.Function:
                    yield self._walk(graph, [fact_of_type(p.type_annotation) for p in graph.params])
            found = infer_call(identity, op, self._sizes, self._resolve(call.attrs), inputs)
            return found[0] if len(found) == 1 else fact_of_tuple(found)
        types = [None if each is MISSING else each.type for each in inputs]
        attrs = call.attrs
        first, count = operator.carried(attrs, len(inputs))
        given = first_inputs(operator, attrs, types, inputs, first, count)
        results: dict[str, Fact] = {}
        for name, graph in graphs.items():
            assert type(graph) is kinds.Function
            told = [*given, *captured]
            if len(told) != len(graph.params):
                raise TypeInferenceError(
                    f"{identity}: {name} has {len(graph.params) - len(captured)} inputs; the node "
                    f"gives it {len(given)}"
                )
            strict = self._strict
            self._strict = strict and not is_left_out(name, inputs)
            results[name] = yield self._repeat(graph, told, first, count)
            self._strict = strict
        return join_results(op, attrs, inputs, results)

    def _repeat(self, graph: kinds.Function, given: list[Fact], first: int, count: int) -> Steps:
        """Go through a graph until what is known of its inputs is true of every iteration."""
        for turn in range(_ROUNDS + 1):
            before, found = self._graphs.get(graph, (None, UNKNOWN))
            if before is not None:
                given = [join_facts(a, b) for a, b in zip(before, given, strict=True)]
            if before is None or any(a is not b for a, b in zip(before, given, strict=True)):
                told = [declared_fact(p, fact) for p, fact in zip(graph.params, given, strict=True)]
                found = yield self._walk(graph, told)
                self._graphs[graph] = tuple(given), found
            later = fields_of(found)[:count]
            after = list(given)
            for index, fact in enumerate(later):
                after[first + index] = join_facts(given[first + index], fact)
            if all(a is b for a, b in zip(after, given, strict=True)):
                return found
            given = after
            if turn == _ROUNDS - 1:
                for index in range(first, first + count):
                    given[index] = Fact(forget_shape(given[index].type))
        return found


def propagate(
    func: kinds.Function, mod: IRModule | None = None, *, strict: bool = True, name: str = "@main"
) -> Facts:
    """Return what is known of all values in a function of ONNX, graphs in its nodes included.

    Types follow by ONNX's inference, with dimensions by name where they stay the same; shapes that
    a program computes are followed, so that a ``Reshape`` by parts of other shapes has one.

    Args:
        func: The function; its parameters have the types that they are annotated with.
        mod: The module it belongs to.
        strict: Whether contradictions are errors; otherwise nothing is known of what they give.
        name: What errors call the function.

    Raises:
        TypeInferenceError: If the inputs of a node contradict each other; it names the node.

    Complexity:
        Linear in the nodes; functions of the model are gone through for each sort of arguments.
    """
    facts = Facts(mod, strict=strict)
    facts.walk(func, [fact_of_type(param.type_annotation) for param in func.params], name)
    return facts


def _attributes_of(func: kinds.Function, attrs: Attrs | None) -> dict[str, object]:
    """Return the attributes that a function of the model has where it is called so."""
    told = None if func.attrs is None else func.attrs.get(info.FUNCTION)
    defaults = told.get("defaults") if isinstance(told, DictAttrs) else None
    found = dict(defaults.items()) if isinstance(defaults, DictAttrs) else {}
    if attrs is not None:
        found.update({name: value for name, value in attrs.items() if name not in OWN})
    return found


class _Called:
    """What calls of functions give, by the function and what is known of the arguments."""

    __slots__ = ("recursions", "results")

    def __init__(self) -> None:
        self.results: dict[tuple[object, ...], Fact] = {}
        self.recursions = 0
        """How often a function was met that is being gone through."""


def _key_of_fact(fact: Fact) -> object:
    """Return what is the same of facts that say the same, as far as that is quick to tell."""
    ty = fact.type
    if type(ty) is TensorType and fact.value is None and fact.partial is None:
        return ty.shape, ty.dtype
    return fact


def _key_of_attributes(attributes: Mapping[str, object]) -> object:
    """Return what is the same of attributes that say the same, as far as that is quick to tell."""
    if all(isinstance(each, (int, float, str, bytes)) for each in attributes.values()):
        return repr(sorted(attributes.items()))
    return object()


def _operands(expr: kinds.Expr) -> tuple[kinds.Expr, ...]:
    match expr:
        case kinds.Call():
            return expr.args
        case kinds.Tuple():
            return expr.fields
        case kinds.TupleGetItem():
            return (expr.tuple_value,)
    return ()


def _is_inner(expr: kinds.Expr) -> bool:
    return type(expr) in (kinds.Call, kinds.Tuple, kinds.TupleGetItem, kinds.Constant)
