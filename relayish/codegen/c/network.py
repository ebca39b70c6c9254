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

from typing import Any, Final, NamedTuple

import numpy as np

from relayish.analysis.effectful import EffectfulNodes
from relayish.analysis.infer_type import infer_type
from relayish.codegen.c.ordering.body import Body
from relayish.codegen.c.ordering.program import Program
from relayish.errors import CodegenError
from relayish.ir.relay.expr import Expr, Function, GlobalVar, Tuple
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import TYPES
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.pass_infra import Sequential
from relayish.passes.relay.default_pipeline import default_pipeline
from relayish.passes.relay.functions.defunctionalization import defunctionalize
from relayish.passes.relay.normal_form.to_a_normal_form import to_a_normal_form
from relayish.passes.relay.to_loops.lower_to_loops import lower_to_loops
from relayish.tir.ir.expr import Call as LoopCall
from relayish.tir.ir.flags import CallType
from relayish.tir.ir.function import LoweredFunc, Module
from relayish.tir.ir.stmt import Block
from relayish.tir.ir.tensor import Buffer
from relayish.tir.ir.type import VOID


class Network(NamedTuple):
    """A function of Relay that orders calls, as a function of loops.

    Attributes:
        module: The function, first, and those that it calls.
        params: What it is given, in order.
        constants: The arrays that it is given behind these.
        workspace: Memory for what lies between calls, which it is given behind these.
        outputs: What it fills, which it is given last.
        result: The type of the result: a tensor, or a tuple, of which outputs are the leaves.
    """

    module: Module
    params: tuple[Buffer, ...]
    constants: tuple[np.ndarray[Any, Any], ...]
    workspace: tuple[Buffer, ...]
    outputs: tuple[Buffer, ...]
    result: Type


def lower_network(mod: IRModule, name: str = "main") -> IRModule:
    """Return a network whose operators are functions of loops, as :func:`order_calls` takes it.

    Functions are put where they are called, data in the place of functions that are values.

    Args:
        mod: A module of Relay.
        name: The function.

    Raises:
        UnlowerableError: If loops cannot express an operator: which, where, and why.
        DispatchError: The same where the domain of an operator says nothing of loops.
        PassError: If a function that is a value is one that no data can stand for.
    """
    prepared = default_pipeline(_LEVEL, _INLINED)(mod)
    prepared = infer_type(defunctionalize(prepared, entry=name))
    prepared = default_pipeline(_LEVEL, _SIMPLIFIED)(prepared)
    lowered = lower_to_loops(prepared, unlowerable="refuse")
    return Sequential(_SCHEDULED, opt_level=0)(lowered)


_LEVEL: Final = 2
"""The level that these passes run at, whatever that of the context is: loops need what they do."""

_INLINED: Final = ("LowerOnnx", "InferType", "FullInline", "InferType")
_SIMPLIFIED: Final = (
    *("FullInline", "InferType", "FoldConstant", "DynamicToStatic", "QnnCanonicalizeOps"),
    *("SimplifyInference", "FoldConstant", "SimplifyExpr"),
)
_SCHEDULED: Final = ("SinkParallelLoops", "UnrollAndJam")


def order_calls(mod: IRModule, name: str = "main") -> Network:
    """Return a function that calls functions of loops as one of loops.

    Each function of Relay that it calls becomes one as well. Memory between calls is used again
    where nothing needs what it holds. A function that calls itself as the last thing that it does
    is a loop; one that does so elsewhere has memory of its own each time it is called. Values of
    data types are numbers of constructors beside the fields of all of them, references the memory
    that they refer to.

    Args:
        mod: What :func:`lower_network` made.
        name: The function of Relay.

    Raises:
        CodegenError: If loops cannot say something that it does, or how much memory something
            needs is not known: what, and why.

    Complexity:
        Linear in the size of the functions, and in that of constants times how deep calls nest.
    """
    program = Program(_in_order(infer_type(mod)), name)
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


def _checked(program: Program, func: Function) -> Type:
    """Return the type of the result, if whoever calls the function can give and take all values."""
    for param in func.params:
        ty = param.checked_type or param.type_annotation
        if not isinstance(ty, TensorType):
            raise CodegenError(f"parameter {param.name_hint} is of type {ty}; expected a tensor")
    ty = func.body.checked_type
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
    args = tuple([each.with_fields() for each in func.args])
    call = LoopCall(VOID, func.name, (), args, CallType.CINN)
    return LoweredFunc(name, args, Block((call,)))
