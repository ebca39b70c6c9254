"""The loop IR: CINN's nodes on the common ground, with functors of their own.

``from relayish import tir``: nodes are ``tir.For``, ``tir.Store``, ...; functors ``tir.IRVisitor``,
``tir.StmtMutator``, ...; types ``tir.Int(32)``, ``tir.Float(32)``.
"""

import relayish.tir.ir.lines
from relayish._support.face import imported_names as _imported_names
from relayish._support.missing import set_finder as _set_finder
from relayish.tir import control_flow as _control_flow
from relayish.tir import extern_math as _extern_math
from relayish.tir import math
from relayish.tir import mod_ref as _mod_ref
from relayish.tir import temporaries as _temporaries
from relayish.tir import trip_counts as _trip_counts
from relayish.tir import value_flow as _value_flow
from relayish.tir.analysis.regions.regions import Regions, access_regions
from relayish.tir.build import CompiledFunction, CompiledModule, build
from relayish.tir.builders.expr import (
    epsilon,
    equal,
    infinity,
    logic_and,
    logic_or,
    make_reduce,
    max_value,
    maximum,
    min_value,
    minimum,
    not_equal,
    one,
    reduce_all,
    reduce_any,
    reduce_axis,
    reduce_div,
    reduce_identity,
    reduce_max,
    reduce_min,
    reduce_mul,
    reduce_step,
    reduce_sub,
    reduce_sum,
    select,
    var,
    zero,
)
from relayish.tir.builders.ir_builder import IRBuilder
from relayish.tir.builders.lower import lower
from relayish.tir.builders.stmt import (
    as_block,
    block,
    buffer_range,
    for_,
    if_then_else,
    primitive,
    schedule_block,
    store,
)
from relayish.tir.builders.tensor import (
    ReturnType,
    axis_names,
    call_extern,
    call_intrinsic,
    call_lowered,
    compute,
    placeholder,
)
from relayish.tir.collect import (
    collect_buffers,
    collect_ir_nodes,
    collect_ir_nodes_in_order,
    collect_ir_nodes_without_tensor,
    collect_load_tensors,
    collect_referenced_tensors,
    collect_store_tensors,
    collect_tensor_map,
    collect_undefined_vars,
    ir_copy,
    ir_equal,
    ir_replace,
    replace_call_with_expr,
    replace_var_with_expr,
)
from relayish.tir.externs import Extern, find_extern, register_extern
from relayish.tir.functor import (
    ExprFunctor,
    ExprMutator,
    ExprVisitor,
    IRFunctor,
    IRMutator,
    IRRewriter,
    IRVisitor,
    StmtFunctor,
    StmtMutator,
    StmtVisitor,
)
from relayish.tir.interpreter import evaluate, run
from relayish.tir.ir.expr import ArgumentGroup, Call, PrimitiveNode, Reduce
from relayish.tir.ir.family import ExprNode, FunctionBase, IrNode, Stmt
from relayish.tir.ir.flags import (
    ArgumentIO,
    BindInfo,
    CallType,
    DeviceAPI,
    ForType,
    LLVMForLoopMeta,
    MemoryType,
    ReduceType,
    UnrollMode,
    VectorizeInfo,
)
from relayish.tir.ir.function import CudaAxisInfo, LoweredFunc, Module
from relayish.tir.ir.intrinsic import (
    ArgsConstruct,
    BufferCreate,
    BufferGetDataConstHandle,
    BufferGetDataHandle,
    BuiltinIntrin,
    GetAddr,
    IntrinsicOp,
    PodValueToX,
)
from relayish.tir.ir.language import TIR
from relayish.tir.ir.operation import (
    BufferShareOp,
    CallOp,
    ComputeOp,
    Operation,
    PlaceholderOp,
    PrecedingViewOp,
)
from relayish.tir.ir.operators import (
    EQ,
    GE,
    GT,
    LE,
    LT,
    NE,
    Add,
    And,
    BinaryOpNode,
    Broadcast,
    Cast,
    ComparisonNode,
    Div,
    Expr,
    FloatImm,
    FracOp,
    IntImm,
    Max,
    Min,
    Minus,
    Mod,
    Mul,
    NaryOpNode,
    Not,
    Or,
    PredicateNode,
    Product,
    Ramp,
    Select,
    StringImm,
    Sub,
    Sum,
    UIntImm,
    UnaryOpNode,
    const,
)
from relayish.tir.ir.stmt import (
    Alloc,
    Block,
    For,
    Free,
    IfThenElse,
    Let,
    PolyFor,
    ScheduleBlock,
    ScheduleBlockRealize,
)
from relayish.tir.ir.target import Target, TargetArch, TargetBits, TargetOS
from relayish.tir.ir.tensor import Buffer, BufferRange, Load, Parameter, Store, Tensor, Var
from relayish.tir.ir.type import BF16, Bool, Float, Int, String, Type, UInt, Void, as_type
from relayish.tir.machine import Machine, measure_machine, measure_time
from relayish.tir.module import from_ir_module, to_ir_module
from relayish.tir.primitives import PRIMITIVES, expand_primitive
from relayish.tir.rewriting import rewrite as _rewriting
from relayish.tir.roofline import Roofline, RooflinePoint, roofline
from relayish.tir.schedule.defaults import DEFAULT_SCHEDULES
from relayish.tir.schedule.handles import BlockRV, ExprRV, LoopRV
from relayish.tir.schedule.intrinsics import register_tensor_intrinsic
from relayish.tir.schedule.recorded import recorded as _recorded
from relayish.tir.schedule.records import ScheduleRecord, best_schedule, read_records
from relayish.tir.schedule.rules import list_schedules, register_schedule, schedule_with
from relayish.tir.schedule.schedule import Schedule, Trace
from relayish.tir.schedule.vector_lanes import vector_lanes as _vector_lanes
from relayish.tir.text import astext, parse
from relayish.tir.tune import TuneProgress, TuneResult, tune
from relayish.tir.verifier import VERIFY_RULES, Rule, Violation, check, verify

__all__ = _imported_names(__name__, "math")

_set_finder(__name__)
