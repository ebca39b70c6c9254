"""Networks as loops: what orders calls of functions of loops becomes one more such function.

Before::

    def @main(%x: Tensor[(2, 3), float32], %w: Tensor[(4, 3), float32]) {
      @relu(@dense(%x, %w))
    }

After::

    function main (_x, _w, _between, _result)
    {
      dense(x, w, between)
      relu(between, result)
    }
"""

from __future__ import annotations

import json
import os
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from relayish.analysis.effectful import EffectfulNodes
from relayish.analysis.infer_type import infer_type
from relayish.codegen.c.ordering.body import Body
from relayish.codegen.c.ordering.leaves import closest
from relayish.codegen.c.ordering.program import Program
from relayish.errors import CodegenError, UnlowerableError
from relayish.ir.kinds.one_line import quote
from relayish.ir.relay.expr import Call, Expr, Function, GlobalVar, Op, Tuple
from relayish.ir.relay.expr import Var as RelayVar
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS, TYPES
from relayish.ir.relay.type import Any as AnySize
from relayish.ir.relay.type import FuncType, SizeVar, TensorType, TupleType, Type
from relayish.pass_infra import Sequential, get_pass
from relayish.passes.onnx.lowering.refusing import refuse_left
from relayish.passes.relay.default_pipeline import default_pipeline
from relayish.passes.relay.fold.bind import bind
from relayish.passes.relay.functions.defunctionalization import defunctionalize
from relayish.passes.relay.normal_form.to_a_normal_form import to_a_normal_form
from relayish.passes.relay.to_loops.lower_to_loops import lower_to_loops
from relayish.tir.ir.expr import Call as LoopCall
from relayish.tir.ir.flags import CallType
from relayish.tir.ir.function import LoweredFunc, Module
from relayish.tir.ir.stmt import Block
from relayish.tir.ir.tensor import Buffer, Var
from relayish.tir.ir.type import VOID
from relayish.tir.schedule.defaults import DEFAULT_SCHEDULES


class Network(NamedTuple):
    """A function of Relay that orders calls, as a function of loops.

    Attributes:
        module: The function, first, and those that it calls.
        params: What it is given, in order.
        constants: The arrays that it is given behind these.
        workspace: Memory for what lies between calls, which it is given behind these.
        outputs: What it fills, which it is given last.
        result: The type of the result: a tensor, or a tuple, of which outputs are the leaves.
        sizes: The dimensions that shapes of ``params`` tell, which it is given before all else.
    """

    module: Module
    params: tuple[Buffer, ...]
    constants: tuple[np.ndarray[Any, Any], ...]
    workspace: tuple[Buffer, ...]
    outputs: tuple[Buffer, ...]
    result: Type
    sizes: tuple[Var, ...] = ()


Unlowerable: TypeAlias = Literal["refuse", "call"]
"""What becomes of what loops do not express: an error, or a call of Python, where numpy does it."""


def lower_network(
    mod: IRModule,
    name: str = "main",
    *,
    exact: bool = False,
    unlowerable: Unlowerable = "refuse",
    on_device: bool = False,
    plan: SchedulePlan | None = None,
) -> IRModule:
    """Return a network whose operators are functions of loops, as :func:`order_calls` takes it.

    Functions are put where they are called, data in the place of functions that are values.

    Args:
        mod: A module of Relay.
        name: The function.
        exact: Whether the greatest of floats is found in order.
        unlowerable: Whether what loops do not express is refused, or stays.
        on_device: Whether loops stay parallel for a device, rather than suit a processor.
        plan: How loops are scheduled for a processor.

    Raises:
        UnlowerableError: If loops cannot express an operator: which, where, and why.
        ScheduleError: If a schedule takes a step that is refused.
        DispatchError: The same where the domain of an operator says nothing of loops.
        PassError: If a function that is a value is one that no data can stand for.
    """
    lowered = lower_kernels(mod, name, unlowerable=unlowerable)
    if on_device:
        return Sequential(_PARALLEL, opt_level=0)(lowered)
    return schedule_kernels(lowered, exact=exact, plan=plan)


def lower_kernels(
    mod: IRModule, name: str = "main", *, unlowerable: Unlowerable = "refuse"
) -> IRModule:
    """Return a network whose operators are functions of loops as nobody scheduled them yet.

    Args:
        mod: As of :func:`lower_network`, as the others.
        name: The function.
        unlowerable: Whether what loops do not express is refused, or stays.

    Raises:
        UnlowerableError, DispatchError, PassError: As :func:`lower_network`.
    """
    prepared = default_pipeline(_LEVEL, _INLINED)(name_sizes(mod, name))
    refuse_left(prepared, with_graphs=True)
    for func in prepared.functions_of(Function).values():
        _refuse_graphs(func)
    prepared = infer_type(defunctionalize(prepared, entry=name))
    prepared = default_pipeline(_LEVEL, _SIMPLIFIED)(prepared)
    if unlowerable == "refuse":
        refuse_left(prepared)
    kept: Literal["keep", "refuse"] = "keep" if unlowerable == "call" else "refuse"
    return Sequential(["SimplifyForLoops"], opt_level=0)(lower_to_loops(prepared, unlowerable=kept))


class SchedulePlan(NamedTuple):
    """How functions of loops are scheduled.

    Attributes:
        schedules: Names of schedules, with options, as ``ApplySchedules`` takes them.
        records: What a search found, which goes before ``schedules`` for the functions it knows.
    """

    schedules: str = DEFAULT_SCHEDULES["c"]
    records: str | os.PathLike[str] | None = None


def schedule_kernels(
    lowered: IRModule, *, exact: bool = False, plan: SchedulePlan | None = None
) -> IRModule:
    """Return a network whose functions of loops are as they are compiled.

    Args:
        lowered: What :func:`lower_kernels` returns.
        exact: Whether the greatest of floats is found in order.
        plan: How they are scheduled; as by default if not given.

    Raises:
        ScheduleError: If a schedule takes a step that is refused.
        UnknownNameError: If no schedule of a name is registered.
        OSError: If records cannot be read.
    """
    schedules, records = plan or SchedulePlan()
    known = "" if records is None else f"recorded{{file={_quoted(os.fspath(records))}}}"
    apply = get_pass("ApplySchedules", rules=known, otherwise=schedules, target="c", exact=exact)
    return Sequential(("MarkConstantArguments", apply, *_FINISHED), opt_level=0)(lowered)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


_LEVEL: Final = 2
"""The level that these passes run at, whatever that of the context is: loops need what they do."""

_INLINED: Final = (
    *("SimplifyOnnx", "LowerOnnx", "InferType", "LowerOnnxLoops{unlowerable=refuse}"),
    *("InferType", "FullInline", "InferType"),
)
_SIMPLIFIED: Final = (
    *("FullInline", "InferType", "FoldConstant", "DynamicToStatic", "QnnCanonicalizeOps"),
    *("SimplifyInference", "FoldConstant", "SimplifyExpr"),
)
_SIMPLER: Final = ("SimplifyForLoops", "Simplify")
_PARALLEL: Final = ("RemoveScheduleBlock", *_SIMPLER, "MarkConstantArguments")
_FINISHED: Final = (
    *("RemoveScheduleBlock", *_SIMPLER, "PartitionLoops", *_SIMPLER, "FoldConstantLoops"),
    "ContractArrays",
)


def order_calls(
    mod: IRModule, name: str = "main", *, unlowerable: Unlowerable = "refuse"
) -> Network:
    """Return a function that calls functions of loops as one of loops.

    Each function of Relay that it calls becomes one as well. Memory between calls is used again
    where nothing needs what it holds. A function that calls itself as the last thing that it does
    is a loop; one that does so elsewhere has memory of its own each time it is called. Values of
    data types are numbers of constructors beside the fields of all of them, references the memory
    that they refer to.

    Args:
        mod: What :func:`lower_network` made.
        name: The function of Relay.
        unlowerable: Whether what no function of loops says is refused, or evaluated by Python.

    Raises:
        CodegenError: If loops cannot say something that it does, or how much memory something
            needs is not known: what, and why.

    Complexity:
        Linear in the size of the functions, and in that of constants times how deep calls nest.
    """
    ordered = _in_order(infer_type(mod))
    program = Program(ordered, name, calls_python=unlowerable == "call")
    result = _checked(program, program.function(program.entry))
    called: dict[LoweredFunc, None] = {}
    for var in program.order:
        body = Body(program, var)
        func = body.written()
        called = {func: None, **called, **body.called}
    told = program.ordered[program.entry]
    if told.name != name:  # it calls itself, and each call has memory of its own
        func = _calling(func, name)
        called = {func: None, **called}
    buffers = [each for each in func.args if isinstance(each, Buffer)]
    params, outputs = len(told.params), len(told.result)
    return Network(
        Module(name, functions=tuple(called)),
        tuple(buffers[:params]),
        tuple([np.asarray(node.data, order="C") for node in told.constants]),
        told.workspace,
        tuple(buffers[len(buffers) - outputs :]),
        result,
        tuple(program.sizes.variables.values()),
    )


def _in_order(mod: IRModule) -> IRModule:
    """Return a module in A-normal form, in which functions of loops do nothing but give values."""
    pure = Function((), Tuple(()))
    kernels: dict[GlobalVar | str, Expr] = dict.fromkeys(mod.functions_of(LoweredFunc), pure)
    find_effectful = EffectfulNodes(mod.with_functions(kernels))
    made: dict[GlobalVar | str, Expr] = {
        var: to_a_normal_form(func, mod, find_effectful=find_effectful)
        for var, func in mod.functions_of(Function).items()
    }
    return infer_type(mod.with_functions(made))


def _refuse_graphs(func: Function) -> None:
    """Raise for operators that are given functions, which are no data to them.

    Raises:
        UnlowerableError: Naming the first.
    """
    for each in EXPRESSIONS.post_order(func):
        if isinstance(each, Call) and isinstance(each.op, Op):
            given = [arg for arg in each.args if isinstance(arg.checked_type, FuncType)]
            if given:
                raise UnlowerableError(
                    f"{quote(each)} cannot be written as loops: it is given functions, and of type "
                    f"{each.checked_type}"
                )


def name_sizes(mod: IRModule, name: str = "main") -> IRModule:
    """Return a module in whose entry each size of an argument that nobody knows has a name.

    A size that several arguments share by name is one; each that has none is one of its own.

    Args:
        mod: A module of Relay.
        name: The function.
    """
    func = mod[name]
    types = [param.type_annotation for param in getattr(func, "params", ())]
    if not any(isinstance(ty, TensorType) and _is_open(ty) for ty in types):
        return mod
    assert isinstance(func, Function)
    params = {
        param: RelayVar(param.name_hint, _named(ty, param.name_hint))
        for param, ty in zip(func.params, types, strict=True)
        if isinstance(ty, TensorType) and _is_open(ty)
    }
    body = bind(func.body, dict(params))
    named = tuple([params.get(param, param) for param in func.params])
    made = func.with_fields(params=named, body=body, ret_type=None, checked_type=None)
    return mod.with_function(name, made)


def _is_open(ty: TensorType) -> bool:
    return any(isinstance(size, AnySize) for size in ty.shape)


def _named(ty: TensorType, of: str) -> TensorType:
    sizes = [
        SizeVar(f"{of}_{axis}") if isinstance(size, AnySize) else size
        for axis, size in enumerate(ty.shape)
    ]
    return ty.with_fields(shape=tuple(sizes))


def _checked(program: Program, func: Function) -> Type:
    """Return the type of the result, if whoever calls the function can give and take all values."""
    for param in func.params:
        ty = param.checked_type or param.type_annotation
        if not isinstance(ty, TensorType):
            raise CodegenError(f"parameter {param.name_hint} is of type {ty}; expected a tensor")
    ty = closest(func.ret_type, func.body.checked_type)
    assert ty is not None
    for part in TYPES.post_order(ty):
        if not isinstance(part, (TensorType, TupleType)):
            raise CodegenError(
                f"@{program.entry.name_hint} gives a value of type {ty}; expected tensors, or "
                f"tuples of these"
            )
    return ty


def _calling(func: LoweredFunc, name: str) -> LoweredFunc:
    """Return a function that calls another one."""
    sizes = tuple([each for each in func.args if isinstance(each, Var)])
    memory = tuple([each for each in func.args if isinstance(each, Buffer)])
    call = LoopCall(VOID, func.name, sizes, memory, CallType.CINN)
    return LoweredFunc(name, func.args, Block((call,)))
