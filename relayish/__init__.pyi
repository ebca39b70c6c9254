# What type checkers see of relayish; a test keeps it in step with the table in __init__.py.

from relayish import analysis as analysis
from relayish import codegen as codegen
from relayish import core as core
from relayish import dataflow as dataflow
from relayish import dataflow_pattern as dataflow_pattern
from relayish import domain as domain
from relayish import errors as errors
from relayish import frontend as frontend
from relayish import functor as functor
from relayish import interpreter as interpreter
from relayish import ir as ir
from relayish import onnx as onnx
from relayish import op as op
from relayish import parallel as parallel
from relayish import passes as passes
from relayish import prelude as prelude
from relayish import testing as testing
from relayish import text as text
from relayish import tir as tir
from relayish import transform as transform
from relayish import tvm as tvm
from relayish._kernel import compiled as compiled
from relayish.draw.drawing import Drawing as Drawing
from relayish.draw.drawing import draw as draw
from relayish.draw.report.recording import report as report
from relayish.draw.report.report import Report as Report
from relayish.errors import AmbiguousNameError as AmbiguousNameError
from relayish.errors import BinaryFormatError as BinaryFormatError
from relayish.errors import CheckError as CheckError
from relayish.errors import ConfigError as ConfigError
from relayish.errors import ContradictionError as ContradictionError
from relayish.errors import DeclarationError as DeclarationError
from relayish.errors import DispatchError as DispatchError
from relayish.errors import DrawingError as DrawingError
from relayish.errors import DuplicateNameError as DuplicateNameError
from relayish.errors import EndlessRecursionError as EndlessRecursionError
from relayish.errors import EvaluationError as EvaluationError
from relayish.errors import FieldError as FieldError
from relayish.errors import FieldIndexError as FieldIndexError
from relayish.errors import FrozenNodeError as FrozenNodeError
from relayish.errors import GradientError as GradientError
from relayish.errors import IgnoredNameWarning as IgnoredNameWarning
from relayish.errors import OpCheckError as OpCheckError
from relayish.errors import OperatorError as OperatorError
from relayish.errors import OptionError as OptionError
from relayish.errors import ParseError as ParseError
from relayish.errors import PassError as PassError
from relayish.errors import PipelineError as PipelineError
from relayish.errors import RelayishError as RelayishError
from relayish.errors import RelayishWarning as RelayishWarning
from relayish.errors import TypeInferenceError as TypeInferenceError
from relayish.errors import UndeclaredError as UndeclaredError
from relayish.errors import UnknownKindError as UnknownKindError
from relayish.errors import UnknownNameError as UnknownNameError
from relayish.errors import UntypedError as UntypedError
from relayish.errors import UnvisitedNodeError as UnvisitedNodeError
from relayish.errors import WellFormedError as WellFormedError
from relayish.ir.registration.declarations import declared_temporarily as declared_temporarily
from relayish.ir.domains.domain import Domain as Domain
from relayish.ir.domains.domain import get_domain as get_domain
from relayish.ir.domains.domain import list_domains as list_domains
from relayish.ir.fields.effect import Effect as Effect
from relayish.ir.nodes.kind_table import KindTable as KindTable
from relayish.ir.domains.language import Language as Language
from relayish.ir.fields.roles import Access as Access
from relayish.ir.fields.roles import Atom as Atom
from relayish.ir.fields.roles import Role as Role
from relayish.ir.fields.roles import Runs as Runs
from relayish.frontend import ScopeBuilder as ScopeBuilder
from relayish.frontend import load_param_dict as load_param_dict
from relayish.frontend import save_param_dict as save_param_dict
from relayish.functor import ExprFunctor as ExprFunctor
from relayish.functor import ExprMutator as ExprMutator
from relayish.functor import ExprRewriter as ExprRewriter
from relayish.functor import ExprVisitor as ExprVisitor
from relayish.functor import LetList as LetList
from relayish.functor import LetListError as LetListError
from relayish.functor import Memoized as Memoized
from relayish.functor import MixedModeMutator as MixedModeMutator
from relayish.functor import MixedModeVisitor as MixedModeVisitor
from relayish.functor import PatternFunctor as PatternFunctor
from relayish.functor import PatternMutator as PatternMutator
from relayish.functor import PatternVisitor as PatternVisitor
from relayish.functor import TypeFunctor as TypeFunctor
from relayish.functor import TypeMutator as TypeMutator
from relayish.functor import TypeVisitor as TypeVisitor
from relayish.functor import expand_a_normal_form as expand_a_normal_form
from relayish.functor import memoized as memoized
from relayish.functor import post_order_rewrite as post_order_rewrite
from relayish.interpreter import create_executor as create_executor
from relayish.interpreter import evaluate as evaluate
from relayish.ir.scopes.name_supply import NameSupply as NameSupply
from relayish.ir.domains.property import Property as Property
from relayish.binary import read_binary as read_binary
from relayish.binary import write_binary as write_binary
from relayish.codegen.c.library import build as build
from relayish.ir.relay.adt import Clause as Clause
from relayish.ir.relay.adt import Constructor as Constructor
from relayish.ir.relay.adt import Match as Match
from relayish.ir.relay.adt import Pattern as Pattern
from relayish.ir.relay.adt import PatternConstructor as PatternConstructor
from relayish.ir.relay.adt import PatternTuple as PatternTuple
from relayish.ir.relay.adt import PatternVar as PatternVar
from relayish.ir.relay.adt import PatternWildcard as PatternWildcard
from relayish.ir.relay.adt import TypeData as TypeData
from relayish.ir.attributes.attrs import Attrs as Attrs
from relayish.ir.attributes.dictionary import DictAttrs as DictAttrs
from relayish.ir.attributes.attrs import attrs as attrs
from relayish.ir.relay.build import const as const
from relayish.ir.relay.build import var as var
from relayish.ir.relay.expr import Call as Call
from relayish.ir.relay.expr import Constant as Constant
from relayish.ir.relay.expr import Expr as Expr
from relayish.ir.relay.expr import Function as Function
from relayish.ir.relay.expr import GlobalVar as GlobalVar
from relayish.ir.relay.expr import If as If
from relayish.ir.relay.expr import Let as Let
from relayish.ir.relay.expr import Op as Op
from relayish.ir.relay.expr import RefCreate as RefCreate
from relayish.ir.relay.expr import RefRead as RefRead
from relayish.ir.relay.expr import RefWrite as RefWrite
from relayish.ir.relay.expr import Tuple as Tuple
from relayish.ir.relay.expr import TupleGetItem as TupleGetItem
from relayish.ir.relay.expr import Var as Var
from relayish.ir.relay.global_var_supply import GlobalVarSupply as GlobalVarSupply
from relayish.ir.relay.module import IRModule as IRModule
from relayish.ir.nodes.node import Node as Node
from relayish.ir.nodes.node import field as field
from relayish.ir.nodes.node import node as node
from relayish.ir.modules.object_path import ObjectPath as ObjectPath
from relayish.ir.nodes.origins import origin_of as origin_of
from relayish.ir.nodes.origins import trace_origins as trace_origins
from relayish.ir.nodes.span import Span as Span
from relayish.ir.equality.structural_equal import StructuralMismatchError as StructuralMismatchError
from relayish.ir.equality.structural_equal import assert_structural_equal as assert_structural_equal
from relayish.ir.equality.structural_equal import first_mismatch as first_mismatch
from relayish.ir.equality.structural_equal import (
    get_first_structural_mismatch as get_first_structural_mismatch,
)
from relayish.ir.equality.structural_equal import structural_equal as structural_equal
from relayish.ir.equality.structural_hash import structural_hash as structural_hash
from relayish.ir.relay.typed import type_of as type_of
from relayish.ir.relay.type import Any as Any
from relayish.ir.relay.type import FuncType as FuncType
from relayish.ir.relay.type import GlobalTypeVar as GlobalTypeVar
from relayish.ir.relay.type import IncompleteType as IncompleteType
from relayish.ir.relay.type import PrimExpr as PrimExpr
from relayish.ir.relay.type import PrimOp as PrimOp
from relayish.ir.relay.type import RefType as RefType
from relayish.ir.relay.type import SizeVar as SizeVar
from relayish.ir.relay.type import TensorType as TensorType
from relayish.ir.relay.type import TupleType as TupleType
from relayish.ir.relay.type import Type as Type
from relayish.ir.relay.type import TypeCall as TypeCall
from relayish.ir.relay.type import TypeConstraint as TypeConstraint
from relayish.ir.relay.type import TypeKind as TypeKind
from relayish.ir.relay.type import TypeRelation as TypeRelation
from relayish.ir.relay.type import TypeVar as TypeVar
from relayish.ir.relay.virtual_device import VirtualDevice as VirtualDevice
from relayish.ir.relay.type import scalar_type as scalar_type
from relayish.op.builders.outputs import TupleWrapper as TupleWrapper
from relayish.op.declaration.registry import get_op as get_op
from relayish.op.declaration.registry import list_ops as list_ops
from relayish.op.declaration.registry import register_op as register_op
from relayish.passes.relay.fold.bind import bind as bind
from relayish.text import astext as astext
from relayish.text import a2b as a2b
from relayish.text import b2a as b2a
from relayish.text import fromtext as fromtext
from relayish.text import parse as parse
from relayish.text import parse_expr as parse_expr
from relayish.transform import why_not as why_not

__version__: str

# operators: generated from their declarations
# fmt: off
# ruff: noqa: N801, N802, N803 - the names are Relay's
from collections.abc import Sequence as _Sequence
from typing import Any as _Any
from typing import TypeAlias as _TypeAlias

import numpy as _numpy

_Arg: _TypeAlias = Expr | _Sequence[Expr]
_Size: _TypeAlias = int | PrimExpr
_Ints: _TypeAlias = int | _Sequence[int]
_Sizes: _TypeAlias = _Size | _Sequence[_Size]
_Float: _TypeAlias = float | _numpy.floating[_Any]
_Floats: _TypeAlias = _Float | _Sequence[_Float]

def abs(data: _Arg) -> Call:
    """Take the absolute value of each element.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``abs``.
    """
def acos(data: _Arg) -> Call:
    """Take the inverse cosine of each element.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``acos``.
    """
def acosh(data: _Arg) -> Call:
    """Take the inverse hyperbolic cosine of each element.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``acosh``.
    """
def add(lhs: _Arg, rhs: _Arg) -> Call:
    """Add two tensors element by element, with broadcasting.

    Args:
        lhs: (...)
        rhs: (...) of the same element type

    Returns:
        (...), broadcast of both

    Source:
        Relay ``add``.
    """
def adv_index(inputs: _Arg) -> Call:
    """Take elements by tensors of indices, as numpy does with several of them.

    Args:
        inputs: a tuple: data (n0, n1, ...), then indices (...) for the leading axes, broadcast

    Returns:
        (..., rest of the axes)

    Source:
        Relay ``adv_index``.
    """
def all(data: _Arg, axis: _Ints | None = None, keepdims: bool = False, exclude: bool = False) -> Call:
    """Say whether all elements along axes hold.

    Args:
        data: (...)
        axis: the axes, all of them if None
        keepdims: whether reduced axes stay, with size 1; False if left out
        exclude: whether to reduce along all axes but these; False if left out

    Returns:
        (...) bool, without the axes

    Source:
        Relay ``all``.
    """
def any(data: _Arg, axis: _Ints | None = None, keepdims: bool = False, exclude: bool = False) -> Call:
    """Say whether some element along axes holds.

    Args:
        data: (...)
        axis: the axes, all of them if None
        keepdims: whether reduced axes stay, with size 1; False if left out
        exclude: whether to reduce along all axes but these; False if left out

    Returns:
        (...) bool, without the axes

    Source:
        Relay ``any``.
    """
def arange(start: Expr | float, stop: Expr | float | None = None, step: Expr | float | None = None, dtype: str = "float32") -> Call:
    """Make the numbers from start up to stop in steps.

    With one of them, it is the end, and the numbers start at 0. The attributes repeat the
    arguments, as Relay's do.

    Args:
        start: ()
        stop: ()
        step: ()
        dtype: the element type of the result; 'float32' if left out

    Returns:
        (n,), n = ceil((stop - start) / step)

    Source:
        Relay ``arange``.
    """
def argmax(data: _Arg, axis: _Ints | None = None, keepdims: bool = False, exclude: bool = False, select_last_index: bool = False) -> Call:
    """Find where the largest element along axes is.

    Args:
        data: (...)
        axis: the axes, all of them if None
        keepdims: whether reduced axes stay, with size 1; False if left out
        exclude: whether to reduce along all axes but these; False if left out
        select_last_index: whether the last of several equal elements counts; False if left out

    Returns:
        (...) int32, without the axes

    Source:
        Relay ``argmax``.
    """
def argmin(data: _Arg, axis: _Ints | None = None, keepdims: bool = False, exclude: bool = False, select_last_index: bool = False) -> Call:
    """Find where the smallest element along axes is.

    Args:
        data: (...)
        axis: the axes, all of them if None
        keepdims: whether reduced axes stay, with size 1; False if left out
        exclude: whether to reduce along all axes but these; False if left out
        select_last_index: whether the last of several equal elements counts; False if left out

    Returns:
        (...) int32, without the axes

    Source:
        Relay ``argmin``.
    """
def argsort(data: _Arg, axis: int = -1, is_ascend: bool = True, dtype: str | None = "int32") -> Call:
    """Give the positions of the elements in order along an axis.

    Args:
        data: (...)
        axis: the axis; negative ones count from the end; -1 if left out
        is_ascend: whether the smallest come first; True if left out
        dtype: the element type of the result; 'int32' if left out

    Returns:
        (...) of dtype

    Source:
        Relay ``argsort``.
    """
def argwhere(condition: _Arg) -> Call:
    """Give the positions of the elements that hold.

    Args:
        condition: (d0, ..., dk)

    Returns:
        (n, k + 1) int32, n the number of them

    Source:
        Relay ``argwhere``.
    """
def asin(data: _Arg) -> Call:
    """Take the inverse sine of each element.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``asin``.
    """
def asinh(data: _Arg) -> Call:
    """Take the inverse hyperbolic sine of each element.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``asinh``.
    """
def atan(data: _Arg) -> Call:
    """Take the inverse tangent of each element.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``atan``.
    """
def atanh(data: _Arg) -> Call:
    """Take the inverse hyperbolic tangent of each element.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``atanh``.
    """
def auto_scheduler_layout_transform(data: _Arg, src_layout: str, dst_layout: str) -> Call:
    """Bring a weight into the layout a schedule has chosen.

    Args:
        data: (...)
        src_layout: the layout of the data
        dst_layout: the layout of the result

    Returns:
        (...), in the new layout

    Source:
        Relay ``auto_scheduler_layout_transform``.
    """
def bitwise_and(lhs: _Arg, rhs: _Arg) -> Call:
    """Combine the bits of two tensors of integers by and, with broadcasting.

    Args:
        lhs: (...)
        rhs: (...) of the same element type

    Returns:
        (...), broadcast of both

    Source:
        Relay ``bitwise_and``.
    """
def bitwise_not(data: _Arg) -> Call:
    """Turn around every bit of each element.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``bitwise_not``.
    """
def bitwise_or(lhs: _Arg, rhs: _Arg) -> Call:
    """Combine the bits of two tensors of integers by or, with broadcasting.

    Args:
        lhs: (...)
        rhs: (...) of the same element type

    Returns:
        (...), broadcast of both

    Source:
        Relay ``bitwise_or``.
    """
def bitwise_xor(lhs: _Arg, rhs: _Arg) -> Call:
    """Combine the bits of two tensors of integers by exclusive or, with broadcasting.

    Args:
        lhs: (...)
        rhs: (...) of the same element type

    Returns:
        (...), broadcast of both

    Source:
        Relay ``bitwise_xor``.
    """
def broadcast_to(data: _Arg, shape: _Ints | Expr | None) -> Call:
    """Repeat a tensor along axes of size 1 and new leading axes.

    Args:
        data: (...)
        shape: the shape of the result

    Returns:
        shape

    Source:
        Relay ``broadcast_to``.
    """
def broadcast_to_like(data: _Arg, broadcast_type: _Arg) -> Call:
    """Repeat a tensor until it has the shape of another.

    Args:
        data: (...)
        broadcast_type: (s0, ..., sk)

    Returns:
        (s0, ..., sk)

    Source:
        Relay ``broadcast_to_like``.
    """
def call_lowered(func: _Arg, call_args: _Arg, metadata: object = ...) -> Call:
    """Call a function that is lowered already.

    Args:
        func: a global function
        call_args: a tuple of its arguments
        metadata: what is known of the lowered function; DictAttrs({}) if left out

    Returns:
        what it returns

    Source:
        Relay ``call_lowered``.
    """
def cast(data: _Arg, dtype: str) -> Call:
    """Convert the elements to another element type.

    Args:
        data: (...)
        dtype: the element type of the result

    Returns:
        (...) of dtype

    Source:
        Relay ``cast``.
    """
def cast_like(data: _Arg, dtype_like: _Arg) -> Call:
    """Convert the elements to the element type of another tensor.

    Args:
        data: (...)
        dtype_like: (...)

    Returns:
        (...) of the element type of dtype_like

    Source:
        Relay ``cast_like``.
    """
def ceil(data: _Arg) -> Call:
    """Round each element up.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``ceil``.
    """
def clip(a: _Arg, a_min: _Float, a_max: _Float) -> Call:
    """Bring elements that are too small or large to the nearest bound; to a_max, if a_min is larger.

    Args:
        a: (...)
        a_min: the smallest value that is kept
        a_max: the largest value that is kept

    Returns:
        (...)

    Source:
        Relay ``clip``.
    """
def collapse_sum_like(data: _Arg, collapse_type: _Arg) -> Call:
    """Add up along the axes along which a tensor was broadcast to another's shape.

    Args:
        data: (...)
        collapse_type: (s0, ..., sk)

    Returns:
        (s0, ..., sk)

    Source:
        Relay ``collapse_sum_like``.
    """
def collapse_sum_to(data: Expr, shape: Expr | _Sequence[int]) -> Call:
    """Add up along the axes along which a tensor was broadcast from a shape.

    The attributes repeat the sizes that are known, as Relay's do, and so does its type.

    Args:
        data: (...)
        shape: the shape, a vector of integers or numbers

    Returns:
        shape

    Source:
        Relay ``collapse_sum_to``.
    """
def concatenate(data: Expr | _Sequence[Expr], axis: int = 0) -> Call:
    """Put tensors one behind another along an axis.

    Args:
        data: a tuple of tensors (..., n_i, ...)
        axis: the axis; negative ones count from the end; 0 if left out

    Returns:
        (..., sum of n_i, ...)

    Source:
        Relay ``concatenate``.
    """
def contrib_reverse_reshape(data: _Arg, newshape: _Ints, allowzero: bool = False) -> Call:
    """Give a tensor another shape, with special sizes matched from the right.

    Args:
        data: (...)
        newshape: the new shape: -1 for what is left, 0 for the size that is there, -2 to -4 as in Relay
        allowzero: whether 0 in the new shape means a size of 0 instead of the size that is there; False if left out

    Returns:
        newshape

    Source:
        Relay ``contrib_reverse_reshape``.
    """
def copy(data: _Arg) -> Call:
    """Copy a tensor.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``copy``.
    """
def cos(data: _Arg) -> Call:
    """Take the cosine of each element.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``cos``.
    """
def cosh(data: _Arg) -> Call:
    """Take the hyperbolic cosine of each element.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``cosh``.
    """
def cumprod(data: _Arg, axis: int | None = None, dtype: str | None = None, exclusive: bool = False) -> Call:
    """Add up, or multiply, the elements up to each place along an axis.

    Args:
        data: (...)
        axis: the axis, of the flattened data if None
        dtype: the element type of the result
        exclusive: whether an element is left out of its own sum or product; False if left out

    Returns:
        (...)

    Source:
        Relay ``cumprod``.
    """
def cumsum(data: _Arg, axis: int | None = None, dtype: str | None = None, exclusive: bool = False) -> Call:
    """Add up, or multiply, the elements up to each place along an axis.

    Args:
        data: (...)
        axis: the axis, of the flattened data if None
        dtype: the element type of the result
        exclusive: whether an element is left out of its own sum or product; False if left out

    Returns:
        (...)

    Source:
        Relay ``cumsum``.
    """
def debug(expr: _Arg, debug_func: object = None) -> Call:
    """Stop and show the state of the program.

    Args:
        expr: anything
        debug_func: what is called with the state of the program

    Returns:
        the same

    Source:
        Relay ``debug``.
    """
def device_copy(data: Expr, src_device: object, dst_device: object) -> Call:
    """Copy a value from one device to another.

    Args:
        data: (...)
        src_device: where the data is: a device, or its name, as cuda:1
        dst_device: where the result is put, as the source

    Returns:
        (...)

    Source:
        Relay ``device_copy``.
    """
def dft(re_data: _Arg, im_data: _Arg, inverse: bool = False) -> Call:
    """Take the discrete Fourier transform along the last axis.

    Args:
        re_data: (..., n)
        im_data: (..., n)
        inverse: whether to transform back; False if left out

    Returns:
        a tuple of real and imaginary part, (..., n) each

    Source:
        Relay ``dft``.
    """
def divide(lhs: _Arg, rhs: _Arg) -> Call:
    """Divide two tensors element by element, with broadcasting; integers are cut off towards zero.

    Args:
        lhs: (...)
        rhs: (...) of the same element type

    Returns:
        (...), broadcast of both

    Source:
        Relay ``divide``.
    """
def einsum(data: _Arg, equation: str) -> Call:
    """Sum products as numpy.einsum does.

    Args:
        data: a tuple of tensors
        equation: the subscripts, as for numpy.einsum

    Returns:
        what the equation says

    Source:
        Relay ``einsum``.
    """
def equal(lhs: _Arg, rhs: _Arg) -> Call:
    """Say where two tensors are equal, with broadcasting.

    Args:
        lhs: (...)
        rhs: (...) of the same element type

    Returns:
        (...) bool, broadcast of both

    Source:
        Relay ``equal``.
    """
def erf(data: _Arg) -> Call:
    """Take the error function of each element.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``erf``.
    """
def exp(data: _Arg) -> Call:
    """Raise e to the power of each element.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``exp``.
    """
def expand_dims(data: _Arg, axis: int | Expr, num_newaxis: int = 1) -> Call:
    """Insert axes of size 1.

    Args:
        data: (...)
        axis: the axis; negative ones count from the end
        num_newaxis: how many axes to insert; 1 if left out

    Returns:
        (..., 1, ...)

    Source:
        Relay ``expand_dims``.
    """
def fast_erf(data: _Arg) -> Call:
    """Approximate the error function of each element.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``fast_erf``.
    """
def fast_exp(data: _Arg) -> Call:
    """Approximate e to the power of each element.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``fast_exp``.
    """
def fast_tanh(data: _Arg) -> Call:
    """Approximate the hyperbolic tangent of each element.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``fast_tanh``.
    """
def fixed_point_multiply(data: _Arg, multiplier: int, shift: int) -> Call:
    """Multiply integers by a fixed-point number and shift, rounding halves up.

    Args:
        data: (...) int32
        multiplier: the factor as a fixed-point number with 31 bits behind the point
        shift: by how many bits the product is shifted to the left

    Returns:
        (...) int32

    Source:
        Relay ``fixed_point_multiply``.
    """
def fixed_point_multiply_per_axis(x: _Arg, y: _Arg, lshift: _Arg, rshift: _Arg, is_lshift_required: bool, is_rshift_required: bool, axes: _Ints) -> Call:
    """Multiply integers by fixed-point numbers that vary along axes.

    Args:
        x: (...) int32
        y: factors with 31 bits behind the point, a vector
        lshift: shifts to the left, a vector
        rshift: shifts to the right, a vector
        is_lshift_required: whether any shift is to the left
        is_rshift_required: whether any shift is to the right
        axes: the axes, in order

    Returns:
        (...) int32

    Source:
        Relay ``fixed_point_multiply_per_axis``.
    """
def floor(data: _Arg) -> Call:
    """Round each element down.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``floor``.
    """
def floor_divide(lhs: _Arg, rhs: _Arg) -> Call:
    """Divide element by element and round down, with broadcasting.

    Args:
        lhs: (...)
        rhs: (...) of the same element type

    Returns:
        (...), broadcast of both

    Source:
        Relay ``floor_divide``.
    """
def floor_mod(lhs: _Arg, rhs: _Arg) -> Call:
    """Take what is left of a division rounded down; it has the sign of the divisor.

    Args:
        lhs: (...)
        rhs: (...) of the same element type

    Returns:
        (...), broadcast of both

    Source:
        Relay ``floor_mod``.
    """
def full(fill_value: Expr | float, shape: int | _Sequence[int] | Expr = (), dtype: str | None = None) -> Call:
    """Fill a tensor with a number.

    A number becomes a constant of ``dtype``.

    Args:
        fill_value: ()
        shape: the shape of the result; () if left out
        dtype: the element type of the result

    Returns:
        shape

    Source:
        Relay ``full``.
    """
def full_like(data: _Arg, fill_value: _Arg) -> Call:
    """Fill a tensor of the shape of another with a number.

    Args:
        data: (...)
        fill_value: ()

    Returns:
        (...)

    Source:
        Relay ``full_like``.
    """
def gather(data: _Arg, axis: int | None, indices: _Arg) -> Call:
    """Take elements along an axis at positions that vary along the others.

    Args:
        data: (..., n, ...)
        axis: the axis; negative ones count from the end
        indices: (..., m, ...) of integers

    Returns:
        (..., m, ...)

    Source:
        Relay ``gather``.
    """
def gather_nd(data: _Arg, indices: _Arg, batch_dims: int = 0, index_rank: int | None = None) -> Call:
    """Take elements or slices at positions given by vectors.

    Args:
        data: (...)
        indices: (k, ...) of integers, k axes behind the batch
        batch_dims: how many leading axes both operands share; 0 if left out
        index_rank: the number of indices to an element, where it is not known

    Returns:
        (..., rest of the axes)

    Source:
        Relay ``gather_nd``.
    """
def greater(lhs: _Arg, rhs: _Arg) -> Call:
    """Say where the left tensor is the larger one, with broadcasting.

    Args:
        lhs: (...)
        rhs: (...) of the same element type

    Returns:
        (...) bool, broadcast of both

    Source:
        Relay ``greater``.
    """
def greater_equal(lhs: _Arg, rhs: _Arg) -> Call:
    """Say where the left tensor is not the smaller one, with broadcasting.

    Args:
        lhs: (...)
        rhs: (...) of the same element type

    Returns:
        (...) bool, broadcast of both

    Source:
        Relay ``greater_equal``.
    """
def invert_permutation(data: _Arg) -> Call:
    """Invert a permutation.

    Args:
        data: (n,) of integers

    Returns:
        (n,)

    Source:
        Relay ``invert_permutation``.
    """
def isfinite(data: _Arg) -> Call:
    """Say of each element whether it is a finite number.

    Args:
        data: (...)

    Returns:
        (...) bool

    Source:
        Relay ``isfinite``.
    """
def isinf(data: _Arg) -> Call:
    """Say of each element whether it is infinite.

    Args:
        data: (...)

    Returns:
        (...) bool

    Source:
        Relay ``isinf``.
    """
def isnan(data: _Arg) -> Call:
    """Say of each element whether it is no number.

    Args:
        data: (...)

    Returns:
        (...) bool

    Source:
        Relay ``isnan``.
    """
def layout_transform(data: _Arg, src_layout: str, dst_layout: str) -> Call:
    """Bring a tensor into another layout, such as NCHW into NCHW16c.

    Args:
        data: axes as src_layout
        src_layout: the layout of the data
        dst_layout: the layout of the result

    Returns:
        axes as dst_layout

    Source:
        Relay ``layout_transform``.
    """
def left_shift(lhs: _Arg, rhs: _Arg) -> Call:
    """Shift the bits of one tensor to the left by the elements of another, with broadcasting.

    Args:
        lhs: (...)
        rhs: (...) of the same element type

    Returns:
        (...), broadcast of both

    Source:
        Relay ``left_shift``.
    """
def less(lhs: _Arg, rhs: _Arg) -> Call:
    """Say where the left tensor is the smaller one, with broadcasting.

    Args:
        lhs: (...)
        rhs: (...) of the same element type

    Returns:
        (...) bool, broadcast of both

    Source:
        Relay ``less``.
    """
def less_equal(lhs: _Arg, rhs: _Arg) -> Call:
    """Say where the left tensor is not the larger one, with broadcasting.

    Args:
        lhs: (...)
        rhs: (...) of the same element type

    Returns:
        (...) bool, broadcast of both

    Source:
        Relay ``less_equal``.
    """
def log(data: _Arg) -> Call:
    """Take the natural logarithm of each element.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``log``.
    """
def log10(data: _Arg) -> Call:
    """Take the logarithm to base 10 of each element.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``log10``.
    """
def log2(data: _Arg) -> Call:
    """Take the logarithm to base 2 of each element.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``log2``.
    """
def logical_and(lhs: _Arg, rhs: _Arg) -> Call:
    """Say where both of two tensors of booleans hold, with broadcasting.

    Args:
        lhs: (...) bool
        rhs: (...) bool

    Returns:
        (...) bool, broadcast of both

    Source:
        Relay ``logical_and``.
    """
def logical_not(data: _Arg) -> Call:
    """Say of each element whether it is false.

    Args:
        data: (...) bool

    Returns:
        (...) bool

    Source:
        Relay ``logical_not``.
    """
def logical_or(lhs: _Arg, rhs: _Arg) -> Call:
    """Say where at least one of two tensors of booleans holds, with broadcasting.

    Args:
        lhs: (...) bool
        rhs: (...) bool

    Returns:
        (...) bool, broadcast of both

    Source:
        Relay ``logical_or``.
    """
def logical_xor(lhs: _Arg, rhs: _Arg) -> Call:
    """Say where exactly one of two tensors of booleans holds, with broadcasting.

    Args:
        lhs: (...) bool
        rhs: (...) bool

    Returns:
        (...) bool, broadcast of both

    Source:
        Relay ``logical_xor``.
    """
def logsumexp(data: Expr, axis: int | _Sequence[int] | None = None, keepdims: bool = False) -> Call:
    """Take the logarithm of the sum of exponentials along axes, without overflow.

    Args:
        data: (...)
        axis: the axes, all of them if None
        keepdims: whether reduced axes stay, with size 1; False if left out

    Returns:
        (...), without the axes

    Source:
        Relay ``logsumexp``.
    """
def matrix_set_diag(data: Expr, diagonal: Expr, k: int | _Sequence[int] = 0, align: str = "RIGHT_LEFT") -> Call:
    """Replace diagonals of matrices.

    Two numbers for ``k`` are the lowest and the highest diagonal.

    Args:
        data: (..., m, n)
        diagonal: (..., d), or (..., number, d) for several
        k: the diagonal, 0 the main one, or the lowest and the highest of several; 0 if left out
        align: on which side short diagonals above, and below, the main one are: LEFT or RIGHT each; 'RIGHT_LEFT' if left out

    Returns:
        (..., m, n)

    Source:
        Relay ``matrix_set_diag``.
    """
def max(data: _Arg, axis: _Ints | None = None, keepdims: bool = False, exclude: bool = False) -> Call:
    """Take the largest element along axes.

    Args:
        data: (...)
        axis: the axes, all of them if None
        keepdims: whether reduced axes stay, with size 1; False if left out
        exclude: whether to reduce along all axes but these; False if left out

    Returns:
        (...), without the axes

    Source:
        Relay ``max``.
    """
def maximum(lhs: _Arg, rhs: _Arg) -> Call:
    """Take the larger of two elements, with broadcasting.

    Args:
        lhs: (...)
        rhs: (...) of the same element type

    Returns:
        (...), broadcast of both

    Source:
        Relay ``maximum``.
    """
def mean(data: _Arg, axis: _Ints | None = None, keepdims: bool = False, exclude: bool = False) -> Call:
    """Take the mean along axes.

    Args:
        data: (...)
        axis: the axes, all of them if None
        keepdims: whether reduced axes stay, with size 1; False if left out
        exclude: whether to reduce along all axes but these; False if left out

    Returns:
        (...), without the axes

    Source:
        Relay ``mean``.
    """
def mean_std(data: Expr, axis: int | _Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False) -> Tuple:
    """Take the mean and the standard deviation along axes.

    Args:
        data: (...)
        axis: the axes, all of them if None
        keepdims: whether reduced axes stay, with size 1; False if left out
        exclude: whether to reduce along all axes but these; False if left out

    Returns:
        a tuple of two (...), without the axes

    Source:
        Relay ``mean_std``.
    """
def mean_variance(data: Expr, axis: int | _Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, unbiased: bool = False) -> Tuple:
    """Take the mean and the variance along axes.

    Args:
        data: (...)
        axis: the axes, all of them if None
        keepdims: whether reduced axes stay, with size 1; False if left out
        exclude: whether to reduce along all axes but these; False if left out
        unbiased: whether to divide by one less than the number of elements; False if left out

    Returns:
        a tuple of two (...), without the axes

    Source:
        Relay ``mean_variance``.
    """
def meshgrid(data: _Arg, indexing: str = "ij") -> Call:
    """Spread vectors over a grid.

    Args:
        data: a tuple of vectors (n_i,)
        indexing: ij for matrix order, xy for Cartesian order; 'ij' if left out

    Returns:
        a tuple of tensors (n_0, ..., n_k)

    Source:
        Relay ``meshgrid``.
    """
def meta_schedule_layout_transform(data: _Arg, index_map: object) -> Call:
    """Bring a weight into the layout a schedule has chosen.

    Args:
        data: (...)
        index_map: which element goes where

    Returns:
        (...), in the new layout

    Source:
        Relay ``meta_schedule_layout_transform``.
    """
def min(data: _Arg, axis: _Ints | None = None, keepdims: bool = False, exclude: bool = False) -> Call:
    """Take the smallest element along axes.

    Args:
        data: (...)
        axis: the axes, all of them if None
        keepdims: whether reduced axes stay, with size 1; False if left out
        exclude: whether to reduce along all axes but these; False if left out

    Returns:
        (...), without the axes

    Source:
        Relay ``min``.
    """
def minimum(lhs: _Arg, rhs: _Arg) -> Call:
    """Take the smaller of two elements, with broadcasting.

    Args:
        lhs: (...)
        rhs: (...) of the same element type

    Returns:
        (...), broadcast of both

    Source:
        Relay ``minimum``.
    """
def mod(lhs: _Arg, rhs: _Arg) -> Call:
    """Take what is left of a division cut off towards zero, with broadcasting.

    Args:
        lhs: (...)
        rhs: (...) of the same element type

    Returns:
        (...), broadcast of both

    Source:
        Relay ``mod``.
    """
def multiply(lhs: _Arg, rhs: _Arg) -> Call:
    """Multiply two tensors element by element, with broadcasting.

    Args:
        lhs: (...)
        rhs: (...) of the same element type

    Returns:
        (...), broadcast of both

    Source:
        Relay ``multiply``.
    """
def ndarray_size(data: _Arg, dtype: str | None = "int32") -> Call:
    """Give the number of elements.

    Args:
        data: (...)
        dtype: the element type of the result; 'int32' if left out

    Returns:
        () of dtype

    Source:
        Relay ``ndarray_size``.
    """
def negative(data: _Arg) -> Call:
    """Change the sign of each element.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``negative``.
    """
def not_equal(lhs: _Arg, rhs: _Arg) -> Call:
    """Say where two tensors differ, with broadcasting.

    Args:
        lhs: (...)
        rhs: (...) of the same element type

    Returns:
        (...) bool, broadcast of both

    Source:
        Relay ``not_equal``.
    """
def on_device(body: Expr, device: object, constrain_result: bool = False, constrain_body: bool = True) -> Call:
    """Say on which device a value is computed.

    Args:
        body: anything
        device: the device, or its name, as cuda:1
        constrain_result: whether the result is put on the device; False if left out
        constrain_body: whether the body is put on the device; True if left out

    Returns:
        the same

    Source:
        Relay ``on_device``.
    """
def one_hot(indices: _Arg, on_value: _Arg, off_value: _Arg, depth: int | Expr, axis: int = -1, dtype: str | None = "float32") -> Call:
    """Put one value where the class is and another elsewhere.

    Args:
        indices: (...) of integers
        on_value: ()
        off_value: ()
        depth: the number of classes
        axis: the axis; negative ones count from the end; -1 if left out
        dtype: the element type of the result; 'float32' if left out

    Returns:
        (..., depth, ...)

    Source:
        Relay ``one_hot``.
    """
def ones(shape: _Ints | Expr | None, dtype: str | None = "float32") -> Call:
    """Make ones.

    Args:
        shape: sizes, or an expression for them
        dtype: the element type of the result; 'float32' if left out

    Returns:
        shape

    Source:
        Relay ``ones``.
    """
def ones_like(data: _Arg) -> Call:
    """Make ones of the shape and element type of a tensor.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``ones_like``.
    """
def power(lhs: _Arg, rhs: _Arg) -> Call:
    """Raise the elements of one tensor to the power of those of another, with broadcasting.

    Args:
        lhs: (...)
        rhs: (...) of the same element type

    Returns:
        (...), broadcast of both

    Source:
        Relay ``power``.
    """
def prod(data: _Arg, axis: _Ints | None = None, keepdims: bool = False, exclude: bool = False) -> Call:
    """Multiply the elements along axes.

    Args:
        data: (...)
        axis: the axes, all of them if None
        keepdims: whether reduced axes stay, with size 1; False if left out
        exclude: whether to reduce along all axes but these; False if left out

    Returns:
        (...), without the axes

    Source:
        Relay ``prod``.
    """
def reinterpret(data: _Arg, dtype: str) -> Call:
    """Read the bits of the elements as another element type of the same width.

    Args:
        data: (...)
        dtype: the element type of the result

    Returns:
        (...) of dtype

    Source:
        Relay ``reinterpret``.
    """
def repeat(data: _Arg, repeats: int, axis: int | None = None) -> Call:
    """Repeat each element along an axis.

    Args:
        data: (...)
        repeats: how often each element is repeated
        axis: the axis, of the flattened data if None

    Returns:
        (...), longer along the axis

    Source:
        Relay ``repeat``.
    """
def reshape(data: _Arg, newshape: _Ints | Expr, allowzero: bool = False) -> Call:
    """Give a tensor another shape; elements keep their order.

    Args:
        data: (...)
        newshape: the new shape: -1 for what is left, 0 for the size that is there, -2 to -4 as in Relay
        allowzero: whether 0 in the new shape means a size of 0 instead of the size that is there; False if left out

    Returns:
        newshape

    Source:
        Relay ``reshape``.
    """
def reshape_like(data: _Arg, shape_like: _Arg, lhs_begin: int = 0, lhs_end: int | None = None, rhs_begin: int = 0, rhs_end: int | None = None) -> Call:
    """Give a tensor, or some axes of it, the shape of another.

    Args:
        data: (...)
        shape_like: (...)
        lhs_begin: the first axis that takes a new size; 0 if left out
        lhs_end: the end of the axes that take a new size
        rhs_begin: the first axis that gives a size; 0 if left out
        rhs_end: the end of the axes that give a size

    Returns:
        (...)

    Source:
        Relay ``reshape_like``.
    """
def reverse(data: _Arg, axis: int | None = None) -> Call:
    """Turn the order along an axis around.

    Args:
        data: (...)
        axis: the axis; negative ones count from the end

    Returns:
        (...)

    Source:
        Relay ``reverse``.
    """
def reverse_reshape(data: _Arg, newshape: _Ints, allowzero: bool = False) -> Call:
    """Give a tensor another shape, with special sizes matched from the right.

    Args:
        data: (...)
        newshape: the new shape: -1 for what is left, 0 for the size that is there, -2 to -4 as in Relay
        allowzero: whether 0 in the new shape means a size of 0 instead of the size that is there; False if left out

    Returns:
        newshape

    Source:
        Relay ``contrib_reverse_reshape``.
    """
def reverse_sequence(data: _Arg, seq_lengths: _Arg, seq_axis: int = 1, batch_axis: int = 0) -> Call:
    """Turn the beginning of each sequence around.

    Args:
        data: (...)
        seq_lengths: (batch,) of integers
        seq_axis: the axis along which sequences are reversed; 1 if left out
        batch_axis: the axis of the sequences; 0 if left out

    Returns:
        (...)

    Source:
        Relay ``reverse_sequence``.
    """
def right_shift(lhs: _Arg, rhs: _Arg) -> Call:
    """Shift the bits of one tensor to the right by the elements of another, with broadcasting.

    Args:
        lhs: (...)
        rhs: (...) of the same element type

    Returns:
        (...), broadcast of both

    Source:
        Relay ``right_shift``.
    """
def round(data: _Arg) -> Call:
    """Round each element to the nearest integer, halves away from zero or to even as numpy does.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``round``.
    """
def rsqrt(data: _Arg) -> Call:
    """Take one over the square root of each element.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``rsqrt``.
    """
def scatter_elements(data: _Arg, indices: _Arg, updates: _Arg, axis: int = 0, reduction: str = "update") -> Call:
    """Put updates at positions along an axis, which vary along the others.

    Args:
        data: (...)
        indices: (...) of integers
        updates: (...), as indices
        axis: the axis; negative ones count from the end; 0 if left out
        reduction: what is done with several: update, add, mul, mean, min, max; for losses none, mean, sum; 'update' if left out

    Returns:
        (...), as data

    Source:
        Relay ``scatter_elements``.
    """
def scatter_nd(data: _Arg, indices: _Arg, updates: _Arg, mode: str = "update") -> Call:
    """Put updates at positions given by vectors.

    Args:
        data: (...)
        indices: (k, ...) of integers
        updates: (..., rest of the axes)
        mode: which variant of the operator, see Relay; 'update' if left out

    Returns:
        (...), as data

    Source:
        Relay ``scatter_nd``.
    """
def searchsorted(sorted_sequence: _Arg, values: _Arg, right: bool = False, dtype: str = "int32") -> Call:
    """Find where values belong in sorted sequences.

    Args:
        sorted_sequence: (..., n)
        values: (..., m)
        right: whether equal values go to the right of their place; False if left out
        dtype: the element type of the result; 'int32' if left out

    Returns:
        (..., m) of dtype

    Source:
        Relay ``searchsorted``.
    """
def segment_sum(data: Expr, segment_ids: Expr, num_segments: int | Expr | None = None) -> Call:
    """Add up the slices of each segment.

    Like Relay's function it makes zeros of the size of the result, and adds the slices to them.

    Args:
        data: (n, ...)
        segment_ids: (n,) of integers
        num_segments: the number of segments, one more than the largest if None

    Returns:
        (num_segments, ...)

    Source:
        Relay ``segment_sum``.
    """
def sequence_mask(data: _Arg, valid_length: _Arg, mask_value: _Float = 0.0, axis: int = 0) -> Call:
    """Put a value behind the end of each sequence.

    Args:
        data: (length, batch, ...), or (batch, length, ...) with axis 1
        valid_length: (batch,)
        mask_value: what is put behind the end of a sequence; 0.0 if left out
        axis: the axis; negative ones count from the end; 0 if left out

    Returns:
        (...)

    Source:
        Relay ``sequence_mask``.
    """
def shape_of(data: _Arg, dtype: str | None = "int32") -> Call:
    """Give the shape as a tensor.

    Args:
        data: (d0, ..., dk)
        dtype: the element type of the result; 'int32' if left out

    Returns:
        (k + 1,) of dtype

    Source:
        Relay ``shape_of``.
    """
def sigmoid(data: _Arg) -> Call:
    """Take 1 / (1 + exp(-x)) of each element x.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``sigmoid``.
    """
def sign(data: _Arg) -> Call:
    """Take the sign of each element: -1, 0 or 1.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``sign``.
    """
def sin(data: _Arg) -> Call:
    """Take the sine of each element.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``sin``.
    """
def sinh(data: _Arg) -> Call:
    """Take the hyperbolic sine of each element.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``sinh``.
    """
def slice_like(data: _Arg, shape_like: _Arg, axes: _Ints | None = None) -> Call:
    """Cut a tensor to the sizes of another.

    Args:
        data: (...)
        shape_like: (...)
        axes: the axes, in order

    Returns:
        (...); axes all that both have, if empty

    Source:
        Relay ``slice_like``.
    """
def sliding_window(data: _Arg, axis: int, window_shape: _Ints, strides: _Ints) -> Call:
    """Show all windows of a tensor.

    Args:
        data: (..., d0, ..., dk), the axes from axis on
        axis: the axis; negative ones count from the end
        window_shape: the size of the window
        strides: the step along each axis

    Returns:
        (..., w0, ..., wk, *window_shape)

    Source:
        Relay ``sliding_window``.
    """
def sort(data: _Arg, axis: int = -1, is_ascend: bool = True) -> Call:
    """Put the elements along an axis in order.

    Args:
        data: (...)
        axis: the axis; negative ones count from the end; -1 if left out
        is_ascend: whether the smallest come first; True if left out

    Returns:
        (...)

    Source:
        Relay ``sort``.
    """
def sparse_fill_empty_rows(sparse_indices: _Arg, sparse_values: _Arg, dense_shape: _Arg, default_value: _Arg) -> Call:
    """Put a default into the empty rows of a sparse matrix.

    Args:
        sparse_indices: (n, 2)
        sparse_values: (n,)
        dense_shape: (2,)
        default_value: ()

    Returns:
        a tuple: indices (m, 2), values (m,), whether rows were empty (rows,) bool

    Source:
        Relay ``sparse_fill_empty_rows``.
    """
def sparse_reshape(sparse_indices: _Arg, prev_shape: _Arg, new_shape: _Arg) -> Call:
    """Give a sparse tensor another shape.

    Args:
        sparse_indices: (n, k)
        prev_shape: (k,)
        new_shape: (m,)

    Returns:
        a tuple: indices (n, m), shape (m,)

    Source:
        Relay ``sparse_reshape``.
    """
def sparse_to_dense(sparse_indices: Expr, output_shape: _Sequence[int] | Expr, sparse_values: Expr, default_value: Expr | float = 0) -> Call:
    """Put values at their places in a tensor of a default.

    A number for the default becomes a constant of the element type of the values, where that is
    known.

    Args:
        sparse_indices: (n, k), (n,) or ()
        output_shape: the shape of the result
        sparse_values: (n,) or ()
        default_value: (); 0 if left out

    Returns:
        output_shape

    Source:
        Relay ``sparse_to_dense``.
    """
def split(data: _Arg, indices_or_sections: _Ints, axis: int = 0) -> Call:
    """Cut a tensor into parts along an axis.

    The call can be indexed and iterated: ``first, second = split(x, 2)``.

    Args:
        data: (..., n, ...)
        indices_or_sections: the number of equal parts, or where each part but the first starts
        axis: the axis; negative ones count from the end; 0 if left out

    Returns:
        a tuple of tensors (..., n_i, ...)

    Source:
        Relay ``split``.
    """
def sqrt(data: _Arg) -> Call:
    """Take the square root of each element.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``sqrt``.
    """
def squeeze(data: _Arg, axis: _Ints | Expr | None = None) -> Call:
    """Take out axes of size 1.

    Args:
        data: (...)
        axis: the axes, all of size 1 if None

    Returns:
        (...)

    Source:
        Relay ``squeeze``.
    """
def stack(data: Expr | _Sequence[Expr], axis: int = 0) -> Call:
    """Put tensors one behind another along a new axis.

    Args:
        data: a tuple of n tensors (...)
        axis: the axis; negative ones count from the end; 0 if left out

    Returns:
        (..., n, ...)

    Source:
        Relay ``stack``.
    """
def std(data: Expr, axis: int | _Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, unbiased: bool = False, with_mean: Expr | None = None) -> Call:
    """Take the standard deviation along axes.

    Args:
        data: (...)
        axis: the axes, all of them if None
        keepdims: whether reduced axes stay, with size 1; False if left out
        exclude: whether to reduce along all axes but these; False if left out
        unbiased: whether to divide by one less than the number of elements; False if left out
        with_mean: the mean, where it is known

    Returns:
        (...), without the axes

    Source:
        Relay ``std``.
    """
def stft(data: Expr, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Expr | None = None, normalized: bool = False, onesided: bool = True) -> Call:
    """Take the Fourier transform of overlapping windows.

    Left out, windows are as long as the transform and overlap by three quarters.

    Args:
        data: (batch, n) or (n,)
        n_fft: the size of the transform
        hop_length: the distance between windows
        win_length: the size of the window
        window: (win_length,), ones if None
        normalized: whether to divide by the root of the size of the transform; False if left out
        onesided: whether only half of a symmetric result is returned; True if left out

    Returns:
        (batch, n_fft / 2 + 1, windows, 2)

    Source:
        Relay ``stft``.
    """
def strided_set(data: Expr, v: Expr, begin: Expr | _Sequence[int], end: Expr | _Sequence[int], strides: Expr | _Sequence[int] | None = None) -> Call:
    """Replace a slice of a tensor.

    Args:
        data: (...)
        v: the slice
        begin: (k,) of integers
        end: (k,)
        strides: (k,), ones if None

    Returns:
        (...)

    Source:
        Relay ``strided_set``.
    """
def strided_slice(data: _Arg, begin: _Ints | Expr | None, end: _Ints | Expr | None, strides: _Ints | Expr | None = None, axes: _Ints | None = None, slice_mode: str = "end") -> Call:
    """Cut a slice out of a tensor.

    Args:
        data: (...)
        begin: where the slice starts along each axis
        end: where the slice ends along each axis, or its length
        strides: the step along each axis
        axes: the axes, in order
        slice_mode: end if ends are positions, size if they are lengths; 'end' if left out

    Returns:
        (...)

    Source:
        Relay ``strided_slice``.
    """
def subtract(lhs: _Arg, rhs: _Arg) -> Call:
    """Subtract two tensors element by element, with broadcasting.

    Args:
        lhs: (...)
        rhs: (...) of the same element type

    Returns:
        (...), broadcast of both

    Source:
        Relay ``subtract``.
    """
def sum(data: _Arg, axis: _Ints | None = None, keepdims: bool = False, exclude: bool = False) -> Call:
    """Add up the elements along axes.

    Args:
        data: (...)
        axis: the axes, all of them if None
        keepdims: whether reduced axes stay, with size 1; False if left out
        exclude: whether to reduce along all axes but these; False if left out

    Returns:
        (...), without the axes

    Source:
        Relay ``sum``.
    """
def take(data: _Arg, indices: _Arg, axis: int | None = None, batch_dims: int = 0, mode: str = "clip") -> Call:
    """Take elements along an axis.

    Args:
        data: (..., n, ...)
        indices: (...) of integers
        axis: the axis, of the flattened data if None
        batch_dims: how many leading axes both operands share; 0 if left out
        mode: clip, wrap or fast for indices outside; 'clip' if left out

    Returns:
        (..., *indices, ...)

    Source:
        Relay ``take``.
    """
def tan(data: _Arg) -> Call:
    """Take the tangent of each element.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``tan``.
    """
def tanh(data: _Arg) -> Call:
    """Take the hyperbolic tangent of each element.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``tanh``.
    """
def tile(data: _Arg, reps: _Ints | Expr) -> Call:
    """Repeat a tensor as a whole.

    Args:
        data: (...)
        reps: how often the tensor is repeated along each axis

    Returns:
        (...)

    Source:
        Relay ``tile``.
    """
def topk(data: _Arg, k: int | Expr | None = 1, axis: int = -1, ret_type: str = "both", is_ascend: bool = False, dtype: str | None = "int32") -> Call:
    """Take the first elements in order along an axis.

    Args:
        data: (..., n, ...)
        k: how many; all if less than 1; 1 if left out
        axis: the axis; negative ones count from the end; -1 if left out
        ret_type: both, values or indices; 'both' if left out
        is_ascend: whether the smallest come first; False if left out
        dtype: the element type of the result; 'int32' if left out

    Returns:
        a tuple of values (..., k, ...) and indices (..., k, ...), or one of them

    Source:
        Relay ``topk``.
    """
def transpose(data: _Arg, axes: _Ints | None = None) -> Call:
    """Put the axes in another order.

    Args:
        data: (d0, ..., dk)
        axes: the axes, turned around if None

    Returns:
        (...)

    Source:
        Relay ``transpose``.
    """
def trilu(data: _Arg, k: _Arg | float, upper: bool = True) -> Call:
    """Keep the upper or lower triangle of matrices.

    Args:
        data: (..., m, n)
        k: (), the diagonal where it ends
        upper: whether the upper triangle is kept; True if left out

    Returns:
        (..., m, n)

    Source:
        Relay ``trilu``.
    """
def trunc(data: _Arg) -> Call:
    """Round each element towards zero.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``trunc``.
    """
def trunc_divide(lhs: _Arg, rhs: _Arg) -> Call:
    """Divide element by element and cut off towards zero, with broadcasting.

    Args:
        lhs: (...)
        rhs: (...) of the same element type

    Returns:
        (...), broadcast of both

    Source:
        Relay ``trunc_divide``.
    """
def trunc_mod(lhs: _Arg, rhs: _Arg) -> Call:
    """Take what is left of a division cut off towards zero; it has the sign of the dividend.

    Args:
        lhs: (...)
        rhs: (...) of the same element type

    Returns:
        (...), broadcast of both

    Source:
        Relay ``trunc_mod``.
    """
def unique(data: Expr, is_sorted: bool = True, return_counts: bool = False) -> Call:
    """Take each element once.

    Args:
        data: (n,) of integers
        is_sorted: whether elements are returned in order; True if left out
        return_counts: whether to return how often each element occurs; False if left out

    Returns:
        a tuple: elements (n,), first positions (n,), places of all (n,), count (1,), and how often (n,) with return_counts

    Source:
        Relay ``unique``.
    """
def unravel_index(indices: _Arg, shape: _Arg) -> Call:
    """Turn positions in the flattened tensor into indices.

    Args:
        indices: (n,) or () of integers
        shape: (k,)

    Returns:
        (k, n) or (k,)

    Source:
        Relay ``unravel_index``.
    """
def variance(data: Expr, axis: int | _Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, unbiased: bool = False, with_mean: Expr | None = None) -> Call:
    """Take the variance along axes, about the mean.

    Args:
        data: (...)
        axis: the axes, all of them if None
        keepdims: whether reduced axes stay, with size 1; False if left out
        exclude: whether to reduce along all axes but these; False if left out
        unbiased: whether to divide by one less than the number of elements; False if left out
        with_mean: the mean, where it is known

    Returns:
        (...), without the axes

    Source:
        Relay ``variance``.
    """
def where(condition: _Arg, x: _Arg, y: _Arg) -> Call:
    """Take elements of one tensor where a condition holds and of another elsewhere.

    Args:
        condition: (...) bool
        x: (...)
        y: (...)

    Returns:
        (...), broadcast of all

    Source:
        Relay ``where``.
    """
def zeros(shape: _Ints | Expr | None, dtype: str | None = "float32") -> Call:
    """Make zeros.

    Args:
        shape: sizes, or an expression for them
        dtype: the element type of the result; 'float32' if left out

    Returns:
        shape

    Source:
        Relay ``zeros``.
    """
def zeros_like(data: _Arg) -> Call:
    """Make zeros of the shape and element type of a tensor.

    Args:
        data: (...)

    Returns:
        (...), of the element type of the data

    Source:
        Relay ``zeros_like``.
    """

class annotation:
    @staticmethod
    def bitpack_end(data: _Arg) -> Call:
        """Mark where packing of bits starts, or ends; the value passes through.

        Args:
            data: (...)

        Returns:
            (...)

        Source:
            Relay ``annotation.bitpack_end``.
        """
    @staticmethod
    def bitpack_start(data: _Arg) -> Call:
        """Mark where packing of bits starts, or ends; the value passes through.

        Args:
            data: (...)

        Returns:
            (...)

        Source:
            Relay ``annotation.bitpack_start``.
        """
    @staticmethod
    def cast_hint(data: _Arg, dtype: str) -> Call:
        """Say which element type a value should be cast to; the value passes through.

        Args:
            data: (...)
            dtype: the element type of the result

        Returns:
            (...)

        Source:
            Relay ``annotation.cast_hint``.
        """
    @staticmethod
    def checkpoint(data: _Arg) -> Call:
        """Mark a value that gradients compute again instead of keeping it.

        Args:
            data: anything

        Returns:
            the same

        Source:
            Relay ``annotation.checkpoint``.
        """
    @staticmethod
    def compiler_begin(data: _Arg, compiler: str) -> Call:
        """Mark where a region for an external compiler begins, or ends.

        Args:
            data: anything
            compiler: the name of the external compiler

        Returns:
            the same

        Source:
            Relay ``annotation.compiler_begin``.
        """
    @staticmethod
    def compiler_end(data: _Arg, compiler: str) -> Call:
        """Mark where a region for an external compiler begins, or ends.

        Args:
            data: anything
            compiler: the name of the external compiler

        Returns:
            the same

        Source:
            Relay ``annotation.compiler_end``.
        """
    @staticmethod
    def on_device(body: Expr, device: object, constrain_result: bool = False, constrain_body: bool = True) -> Call:
        """Say on which device a value is computed.

        Args:
            body: anything
            device: the device, or its name, as cuda:1
            constrain_result: whether the result is put on the device; False if left out
            constrain_body: whether the body is put on the device; True if left out

        Returns:
            the same

        Source:
            Relay ``on_device``.
        """
    @staticmethod
    def simulated_quantize(data: _Arg, dom_scale: _Arg, clip_min: _Arg, clip_max: _Arg, kind: int, sign: bool = True, rounding: str = "round") -> Call:
        """Round numbers as quantisation would.

        Args:
            data: (...)
            dom_scale: ()
            clip_min: ()
            clip_max: ()
            kind: weight, input, activation; or quantisation parameters for each tensor or channel
            sign: whether numbers are signed; True if left out
            rounding: how halves are rounded: UPWARD, TONEAREST, or None for the default of the context; 'round' if left out

        Returns:
            (...)

        Source:
            Relay ``relay.op.annotation.simulated_quantize``.
        """
    @staticmethod
    def stop_fusion(data: _Arg) -> Call:
        """Keep what stands before from fusing with what comes after.

        Args:
            data: (...)

        Returns:
            (...)

        Source:
            Relay ``annotation.stop_fusion``.
        """
    @staticmethod
    def with_funcid(func: _Arg) -> Call:
        """Give a function an identity.

        Args:
            func: a function

        Returns:
            the same

        Source:
            Relay ``annotation.with_funcid``.
        """

class dyn:
    @staticmethod
    def broadcast_to(data: _Arg, shape: _Arg, dtype: str | None = None) -> Call:
        """Repeat a tensor to a shape known when the program runs.

        Args:
            data: (...)
            shape: (k,) of integers
            dtype: the element type of the result

        Returns:
            (?, ..., ?)

        Source:
            Relay ``dyn.broadcast_to``.
        """
    @staticmethod
    def expand_dims(data: _Arg, axis: _Arg, num_newaxis: int = 1) -> Call:
        """Insert axes of size 1 at a place known when the program runs.

        Args:
            data: (...)
            axis: () or (1,) of integers
            num_newaxis: how many axes to insert; 1 if left out

        Returns:
            (..., 1, ...)

        Source:
            Relay ``dyn.expand_dims``.
        """
    @staticmethod
    def full(fill_value: _Arg, shape: _Arg, dtype: str | None = None) -> Call:
        """Fill a tensor of a shape known when the program runs with a number.

        Args:
            fill_value: ()
            shape: (k,) of integers
            dtype: the element type of the result

        Returns:
            (?, ..., ?)

        Source:
            Relay ``dyn.full``.
        """
    class image:
        @staticmethod
        def resize2d(data: _Arg, size: _Arg, roi: _Arg | float, layout: str = "NCHW", method: str = "linear", coordinate_transformation_mode: str = "half_pixel", rounding_method: str = "round", cubic_alpha: _Float = -0.5, cubic_exclude: int = 0, extrapolation_value: _Float = 0.0, out_dtype: str | None = "") -> Call:
            """Resize images to a size known when the program runs.

            Args:
                data: (n, c, h, w), axes as layout
                size: (2,) of integers
                roi: (4,) float32
                layout: the axes of the data, a letter each; 'NCHW' if left out
                method: how to interpolate: nearest_neighbor, linear or bilinear, cubic or bicubic; 'linear' if left out
                coordinate_transformation_mode: half_pixel, align_corners, asymmetric, or another of Relay's modes; 'half_pixel' if left out
                rounding_method: how coordinates of the nearest neighbour are rounded: round, floor, ceil, ...; 'round' if left out
                cubic_alpha: the coefficient of cubic interpolation; -0.5 if left out
                cubic_exclude: whether samples outside are left out of cubic interpolation; 0 if left out
                extrapolation_value: the value outside of the data; 0.0 if left out
                out_dtype: the element type of the result, '' for that of the data; '' if left out

            Returns:
                (n, c, ?, ?)

            Source:
                Relay ``dyn.image.resize2d``.
            """
    class nn:
        @staticmethod
        def pad(data: _Arg, pad_width: _Arg, pad_val: _Arg, pad_mode: str = "constant") -> Call:
            """Add as many elements at the sides of a tensor as is known when the program runs.

            Args:
                data: (d0, ..., dk)
                pad_width: (k + 1, 2) of integers
                pad_val: ()
                pad_mode: constant, edge or reflect; 'constant' if left out

            Returns:
                (?, ..., ?)

            Source:
                Relay ``dyn.nn.pad``.
            """
        @staticmethod
        def upsampling(data: _Arg, scale_h: _Arg | float, scale_w: _Arg | float, layout: str = "NCHW", method: str = "nearest_neighbor", align_corners: bool = False) -> Call:
            """Enlarge images by factors known when the program runs; halves are rounded to even sizes.

            Args:
                data: (n, c, h, w)
                scale_h: ()
                scale_w: ()
                layout: the axes of the data, a letter each; 'NCHW' if left out
                method: how to interpolate: nearest_neighbor, linear or bilinear, cubic or bicubic; 'nearest_neighbor' if left out
                align_corners: whether the corners of input and output are at the same place; False if left out

            Returns:
                (n, c, ?, ?)

            Source:
                Relay ``dyn.nn.upsampling``.
            """
        @staticmethod
        def upsampling3d(data: _Arg, scale_d: _Arg | float, scale_h: _Arg | float, scale_w: _Arg | float, layout: str = "NCDHW", method: str = "nearest_neighbor", coordinate_transformation_mode: str = "half_pixel") -> Call:
            """Enlarge volumes by factors known when the program runs; halves are rounded to even sizes.

            Args:
                data: (n, c, d, h, w)
                scale_d: ()
                scale_h: ()
                scale_w: ()
                layout: the axes of the data, a letter each; 'NCDHW' if left out
                method: how to interpolate: nearest_neighbor, linear or bilinear, cubic or bicubic; 'nearest_neighbor' if left out
                coordinate_transformation_mode: half_pixel, align_corners, asymmetric, or another of Relay's modes; 'half_pixel' if left out

            Returns:
                (n, c, ?, ?, ?)

            Source:
                Relay ``dyn.nn.upsampling3d``.
            """
    @staticmethod
    def one_hot(indices: _Arg, on_value: _Arg, off_value: _Arg, depth: _Arg, axis: int = -1, dtype: str | None = None) -> Call:
        """Put one value where the class is, of a number of classes known when the program runs.

        Args:
            indices: (...) of integers
            on_value: ()
            off_value: ()
            depth: ()
            axis: the axis; negative ones count from the end; -1 if left out
            dtype: the element type of the result

        Returns:
            (..., ?, ...)

        Source:
            Relay ``dyn.one_hot``.
        """
    @staticmethod
    def ones(shape: _Arg, dtype: str | None = None) -> Call:
        """Make ones of a shape known when the program runs.

        Args:
            shape: (k,) of integers
            dtype: the element type of the result

        Returns:
            (?, ..., ?)

        Source:
            Relay ``dyn.ones``.
        """
    @staticmethod
    def reshape(data: _Arg, newshape: _Arg, allowzero: bool = False) -> Call:
        """Give a tensor a shape known when the program runs.

        Args:
            data: (...)
            newshape: (k,) of integers
            allowzero: whether 0 in the new shape means a size of 0 instead of the size that is there; False if left out

        Returns:
            (?, ..., ?)

        Source:
            Relay ``dyn.reshape``.
        """
    @staticmethod
    def sparse_to_dense(sparse_indices: _Arg, sparse_values: _Arg, default_value: _Arg, output_shape: _Arg) -> Call:
        """Put values at their places in a tensor of a shape known when the program runs.

        Args:
            sparse_indices: (n, k)
            sparse_values: (n,)
            default_value: ()
            output_shape: (k,)

        Returns:
            (?, ..., ?)

        Source:
            Relay ``dyn.sparse_to_dense``.
        """
    @staticmethod
    def squeeze(data: _Arg, axes: _Arg, axis: _Ints | None = None) -> Call:
        """Take out axes of size 1 that are known when the program runs.

        Args:
            data: (...)
            axes: (k,) of integers
            axis: the axis; negative ones count from the end

        Returns:
            (?, ..., ?)

        Source:
            Relay ``dyn.squeeze``.
        """
    @staticmethod
    def strided_slice(data: _Arg, begin: _Arg, end: _Arg, strides: _Arg, slice_mode: str = "end", axes: _Ints | None = None) -> Call:
        """Cut out a slice known when the program runs.

        Args:
            data: (...)
            begin: (k,) of integers
            end: (k,)
            strides: (k,)
            slice_mode: end if ends are positions, size if they are lengths; 'end' if left out
            axes: the axes, in order

        Returns:
            (?, ..., ?)

        Source:
            Relay ``dyn.strided_slice``.
        """
    @staticmethod
    def tile(data: _Arg, reps: _Arg) -> Call:
        """Repeat a tensor as often as is known when the program runs.

        Args:
            data: (...)
            reps: (k,) of integers

        Returns:
            (?, ..., ?)

        Source:
            Relay ``dyn.tile``.
        """
    @staticmethod
    def topk(data: _Arg, k: _Arg | float, axis: int = -1, ret_type: str = "both", is_ascend: bool = False, dtype: str | None = None) -> Call:
        """Take as many first elements as is known when the program runs.

        Args:
            data: (..., n, ...)
            k: () or (1,) of integers
            axis: the axis; negative ones count from the end; -1 if left out
            ret_type: both, values or indices; 'both' if left out
            is_ascend: whether the smallest come first; False if left out
            dtype: the element type of the result

        Returns:
            a tuple of values (..., ?, ...) and indices, or one of them

        Source:
            Relay ``dyn.topk``.
        """
    @staticmethod
    def zeros(shape: _Arg, dtype: str | None = None) -> Call:
        """Make zeros of a shape known when the program runs.

        Args:
            shape: (k,) of integers
            dtype: the element type of the result

        Returns:
            (?, ..., ?)

        Source:
            Relay ``dyn.zeros``.
        """

class image:
    @staticmethod
    def affine_grid(data: _Arg, target_shape: _Sizes | None = None) -> Call:
        """Make the grid of an affine map.

        Args:
            data: (n, 2, 3), the maps
            target_shape: height and width of the grid

        Returns:
            (n, 2, *target_shape)

        Source:
            Relay ``image.affine_grid``.
        """
    @staticmethod
    def crop_and_resize(data: _Arg, boxes: _Arg, box_indices: _Arg, crop_size: _Sizes | None, layout: str, method: str = "bilinear", extrapolation_value: _Float = 0, out_dtype: str | None = None) -> Call:
        """Cut boxes out of images and resize them.

        Args:
            data: (n, c, h, w), axes as layout
            boxes: (m, 4) as y1, x1, y2, x2 from 0 to 1
            box_indices: (m,) of integers
            crop_size: height and width of a crop
            layout: the axes of the data, a letter each
            method: how to interpolate: nearest_neighbor, linear or bilinear, cubic or bicubic; 'bilinear' if left out
            extrapolation_value: the value outside of the data; 0 if left out
            out_dtype: the element type of the result, '' for that of the data

        Returns:
            (m, c, *crop_size)

        Source:
            Relay ``image.crop_and_resize``.
        """
    @staticmethod
    def dilation2d(data: _Arg, weight: _Arg, strides: _Sizes = (1, 1), padding: _Sizes = (0, 0), dilations: _Sizes = (1, 1), data_layout: str = "NCHW", kernel_layout: str = "IHW", out_dtype: str | None = "") -> Call:
        """Take the largest sum of image and kernel in each window.

        Args:
            data: (n, c, h, w)
            weight: (c, kh, kw)
            strides: the step along each axis; (1, 1) if left out
            padding: what is added on both sides of each spatial axis, or before all and then after all of them; (0, 0) if left out
            dilations: the distance between elements of the kernel along each axis; (1, 1) if left out
            data_layout: the axes of the data, a letter each; 'NCHW' if left out
            kernel_layout: the axes of the kernel, a letter each; 'IHW' if left out
            out_dtype: the element type of the result, '' for that of the data; '' if left out

        Returns:
            (n, c, h', w')

        Source:
            Relay ``image.dilation2d``.
        """
    @staticmethod
    def grid_sample(data: _Arg, grid: _Arg, method: str = "bilinear", layout: str = "NCHW", padding_mode: str = "zeros", align_corners: bool = True) -> Call:
        """Take pixels at the places of a grid.

        Args:
            data: (n, c, h, w) or with depth
            grid: (n, 2, h', w') from -1 to 1, or 3 with depth
            method: how to interpolate: nearest_neighbor, linear or bilinear, cubic or bicubic; 'bilinear' if left out
            layout: the axes of the data, a letter each; 'NCHW' if left out
            padding_mode: zeros, border or reflection; 'zeros' if left out
            align_corners: whether the corners of input and output are at the same place; True if left out

        Returns:
            (n, c, h', w')

        Source:
            Relay ``image.grid_sample``.
        """
    @staticmethod
    def resize1d(data: _Arg, size: _Sizes | None, roi: _Floats | None = None, layout: str = "NCW", method: str = "linear", coordinate_transformation_mode: str = "half_pixel", rounding_method: str = "", cubic_alpha: _Float = -0.5, cubic_exclude: int = 0, extrapolation_value: _Float = 0.0, out_dtype: str | None = None) -> Call:
        """Resize sequences.

        Args:
            data: (n, c, w), axes as layout
            size: the size of the result along each spatial axis
            roi: the region of the data that is resized, for tf_crop_and_resize
            layout: the axes of the data, a letter each; 'NCW' if left out
            method: how to interpolate: nearest_neighbor, linear or bilinear, cubic or bicubic; 'linear' if left out
            coordinate_transformation_mode: half_pixel, align_corners, asymmetric, or another of Relay's modes; 'half_pixel' if left out
            rounding_method: how coordinates of the nearest neighbour are rounded: round, floor, ceil, ...; '' if left out
            cubic_alpha: the coefficient of cubic interpolation; -0.5 if left out
            cubic_exclude: whether samples outside are left out of cubic interpolation; 0 if left out
            extrapolation_value: the value outside of the data; 0.0 if left out
            out_dtype: the element type of the result, '' for that of the data

        Returns:
            (n, c, size)

        Source:
            Relay ``image.resize1d``.
        """
    @staticmethod
    def resize2d(data: _Arg, size: _Sizes | Expr | None, roi: _Floats | Expr | None = None, layout: str = "NCHW", method: str = "linear", coordinate_transformation_mode: str = "half_pixel", rounding_method: str = "", cubic_alpha: _Float = -0.5, cubic_exclude: int = 0, extrapolation_value: _Float = 0.0, out_dtype: str | None = None) -> Call:
        """Resize images.

        Args:
            data: (n, c, h, w), axes as layout
            size: the size of the result along each spatial axis
            roi: the region of the data that is resized, for tf_crop_and_resize
            layout: the axes of the data, a letter each; 'NCHW' if left out
            method: how to interpolate: nearest_neighbor, linear or bilinear, cubic or bicubic; 'linear' if left out
            coordinate_transformation_mode: half_pixel, align_corners, asymmetric, or another of Relay's modes; 'half_pixel' if left out
            rounding_method: how coordinates of the nearest neighbour are rounded: round, floor, ceil, ...; '' if left out
            cubic_alpha: the coefficient of cubic interpolation; -0.5 if left out
            cubic_exclude: whether samples outside are left out of cubic interpolation; 0 if left out
            extrapolation_value: the value outside of the data; 0.0 if left out
            out_dtype: the element type of the result, '' for that of the data

        Returns:
            (n, c, *size)

        Source:
            Relay ``image.resize2d``.
        """
    @staticmethod
    def resize3d(data: _Arg, size: _Sizes | None, roi: _Floats | None = None, layout: str = "NCDHW", method: str = "linear", coordinate_transformation_mode: str = "half_pixel", rounding_method: str = "", cubic_alpha: _Float = -0.5, cubic_exclude: int = 0, extrapolation_value: _Float = 0.0, out_dtype: str | None = None) -> Call:
        """Resize volumes.

        Args:
            data: (n, c, d, h, w), axes as layout
            size: the size of the result along each spatial axis
            roi: the region of the data that is resized, for tf_crop_and_resize
            layout: the axes of the data, a letter each; 'NCDHW' if left out
            method: how to interpolate: nearest_neighbor, linear or bilinear, cubic or bicubic; 'linear' if left out
            coordinate_transformation_mode: half_pixel, align_corners, asymmetric, or another of Relay's modes; 'half_pixel' if left out
            rounding_method: how coordinates of the nearest neighbour are rounded: round, floor, ceil, ...; '' if left out
            cubic_alpha: the coefficient of cubic interpolation; -0.5 if left out
            cubic_exclude: whether samples outside are left out of cubic interpolation; 0 if left out
            extrapolation_value: the value outside of the data; 0.0 if left out
            out_dtype: the element type of the result, '' for that of the data

        Returns:
            (n, c, *size)

        Source:
            Relay ``image.resize3d``.
        """

class memory:
    @staticmethod
    def alloc_storage(size: Expr, alignment: Expr, device: object, dtype_hint: str = "float32", shape: Expr | None = None) -> Call:
        """Allocate memory.

        ``shape`` is for memory that is not flat; left out, it is that of a scalar.

        Args:
            size: () int64, in bytes
            alignment: () int64, in bytes
            device: the device, or its name, as cuda:1
            dtype_hint: the element type of what the memory will hold; 'float32' if left out
            shape: (k,) of integers

        Returns:
            storage

        Source:
            Relay ``memory.alloc_storage``.
        """
    @staticmethod
    def alloc_tensor(storage: Expr, offset: Expr, shape: Expr, dtype: str = "float32", assert_shape: _Sequence[_Size] | None = None) -> Call:
        """Make a tensor out of allocated memory.

        Left out, ``shape`` must be a constant, and has them.

        Args:
            storage: from memory.alloc_storage
            offset: () int64, in bytes
            shape: (k,) of integers
            dtype: the element type of the result; 'float32' if left out
            assert_shape: a shape the tensor is known to have, or none

        Returns:
            (...)

        Source:
            Relay ``memory.alloc_tensor``.
        """
    @staticmethod
    def kill(to_free: _Arg) -> Call:
        """Say that a value is no longer needed.

        Args:
            to_free: (...)

        Returns:
            the empty tuple

        Source:
            Relay ``memory.kill``.
        """

class nn:
    @staticmethod
    def adaptive_avg_pool1d(data: _Arg, output_size: _Sizes | None = None, layout: str = "NCW", out_layout: str = "") -> Call:
        """Take the mean of each of as many windows as asked for.

        Args:
            data: (n, c, w), axes as layout
            output_size: the spatial size of the result; None for that of the data
            layout: the axes of the data, a letter each; 'NCW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out

        Returns:
            (n, c, *output_size)

        Source:
            Relay ``nn.adaptive_avg_pool1d``.
        """
    @staticmethod
    def adaptive_avg_pool2d(data: _Arg, output_size: _Sizes | None = None, layout: str = "NCHW", out_layout: str = "") -> Call:
        """Take the mean of each of as many windows as asked for.

        Args:
            data: (n, c, h, w), axes as layout
            output_size: the spatial size of the result; None for that of the data
            layout: the axes of the data, a letter each; 'NCHW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out

        Returns:
            (n, c, *output_size)

        Source:
            Relay ``nn.adaptive_avg_pool2d``.
        """
    @staticmethod
    def adaptive_avg_pool3d(data: _Arg, output_size: _Sizes | None = None, layout: str = "NCDHW", out_layout: str = "") -> Call:
        """Take the mean of each of as many windows as asked for.

        Args:
            data: (n, c, d, h, w), axes as layout
            output_size: the spatial size of the result; None for that of the data
            layout: the axes of the data, a letter each; 'NCDHW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out

        Returns:
            (n, c, *output_size)

        Source:
            Relay ``nn.adaptive_avg_pool3d``.
        """
    @staticmethod
    def adaptive_max_pool1d(data: _Arg, output_size: _Sizes | None = None, layout: str = "NCW", out_layout: str = "") -> Call:
        """Take the largest element of each of as many windows as asked for.

        Args:
            data: (n, c, w), axes as layout
            output_size: the spatial size of the result; None for that of the data
            layout: the axes of the data, a letter each; 'NCW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out

        Returns:
            (n, c, *output_size)

        Source:
            Relay ``nn.adaptive_max_pool1d``.
        """
    @staticmethod
    def adaptive_max_pool2d(data: _Arg, output_size: _Sizes | None = None, layout: str = "NCHW", out_layout: str = "") -> Call:
        """Take the largest element of each of as many windows as asked for.

        Args:
            data: (n, c, h, w), axes as layout
            output_size: the spatial size of the result; None for that of the data
            layout: the axes of the data, a letter each; 'NCHW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out

        Returns:
            (n, c, *output_size)

        Source:
            Relay ``nn.adaptive_max_pool2d``.
        """
    @staticmethod
    def adaptive_max_pool3d(data: _Arg, output_size: _Sizes | None = None, layout: str = "NCDHW", out_layout: str = "") -> Call:
        """Take the largest element of each of as many windows as asked for.

        Args:
            data: (n, c, d, h, w), axes as layout
            output_size: the spatial size of the result; None for that of the data
            layout: the axes of the data, a letter each; 'NCDHW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out

        Returns:
            (n, c, *output_size)

        Source:
            Relay ``nn.adaptive_max_pool3d``.
        """
    @staticmethod
    def avg_pool1d(data: _Arg, pool_size: _Sizes = (1,), strides: _Sizes = (1,), dilation: _Sizes = (1,), padding: _Sizes = (0,), layout: str = "NCW", out_layout: str = "", ceil_mode: bool = False, count_include_pad: bool = False) -> Call:
        """Take the mean of each window.

        Args:
            data: (n, c, w), axes as layout
            pool_size: the size of the window; (1,) if left out
            strides: the step along each axis; (1,) if left out
            dilation: the distance between elements of the kernel or window along each axis; (1,) if left out
            padding: what is added on both sides of each spatial axis, or before all and then after all of them; (0,) if left out
            layout: the axes of the data, a letter each; 'NCW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out
            ceil_mode: whether a window that is only partly filled counts at the end; False if left out
            count_include_pad: whether padding counts in the mean; False if left out

        Returns:
            (n, c, w')

        Source:
            Relay ``nn.avg_pool1d``.
        """
    @staticmethod
    def avg_pool2d(data: _Arg, pool_size: _Sizes = (1, 1), strides: _Sizes = (1, 1), dilation: _Sizes = (1, 1), padding: _Sizes = (0, 0), layout: str = "NCHW", out_layout: str = "", ceil_mode: bool = False, count_include_pad: bool = False) -> Call:
        """Take the mean of each window.

        Args:
            data: (n, c, h, w), axes as layout
            pool_size: the size of the window; (1, 1) if left out
            strides: the step along each axis; (1, 1) if left out
            dilation: the distance between elements of the kernel or window along each axis; (1, 1) if left out
            padding: what is added on both sides of each spatial axis, or before all and then after all of them; (0, 0) if left out
            layout: the axes of the data, a letter each; 'NCHW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out
            ceil_mode: whether a window that is only partly filled counts at the end; False if left out
            count_include_pad: whether padding counts in the mean; False if left out

        Returns:
            (n, c, h', w')

        Source:
            Relay ``nn.avg_pool2d``.
        """
    @staticmethod
    def avg_pool2d_grad(out_grad: Expr, data: Expr, pool_size: _Sequence[int] | int = (1, 1), strides: _Sequence[int] | int = (1, 1), padding: _Sequence[int] | int = (0, 0), layout: str = "NCHW", out_layout: str = "", ceil_mode: bool = False, count_include_pad: bool = False) -> Call:
        """Take the gradient of nn.avg_pool2d.

        Args:
            out_grad: (n, c, h', w')
            data: (n, c, h, w)
            pool_size: the size of the window; (1, 1) if left out
            strides: the step along each axis; (1, 1) if left out
            padding: what is added on both sides of each spatial axis, or before all and then after all of them; (0, 0) if left out
            layout: the axes of the data, a letter each; 'NCHW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out
            ceil_mode: whether a window that is only partly filled counts at the end; False if left out
            count_include_pad: whether padding counts in the mean; False if left out

        Returns:
            (n, c, h, w)

        Source:
            Relay ``nn.avg_pool2d_grad``.
        """
    @staticmethod
    def avg_pool3d(data: _Arg, pool_size: _Sizes = (1, 1, 1), strides: _Sizes = (1, 1, 1), dilation: _Sizes = (1, 1, 1), padding: _Sizes = (0, 0, 0), layout: str = "NCDHW", out_layout: str = "", ceil_mode: bool = False, count_include_pad: bool = False) -> Call:
        """Take the mean of each window.

        Args:
            data: (n, c, d, h, w), axes as layout
            pool_size: the size of the window; (1, 1, 1) if left out
            strides: the step along each axis; (1, 1, 1) if left out
            dilation: the distance between elements of the kernel or window along each axis; (1, 1, 1) if left out
            padding: what is added on both sides of each spatial axis, or before all and then after all of them; (0, 0, 0) if left out
            layout: the axes of the data, a letter each; 'NCDHW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out
            ceil_mode: whether a window that is only partly filled counts at the end; False if left out
            count_include_pad: whether padding counts in the mean; False if left out

        Returns:
            (n, c, d', h', w')

        Source:
            Relay ``nn.avg_pool3d``.
        """
    @staticmethod
    def batch_flatten(data: _Arg) -> Call:
        """Make one axis of all but the first.

        Args:
            data: (n, d1, ..., dk)

        Returns:
            (n, d1 * ... * dk)

        Source:
            Relay ``nn.batch_flatten``.
        """
    @staticmethod
    def batch_matmul(tensor_a: Expr, tensor_b: Expr, out_dtype: str | None = "", transpose_a: bool = False, transpose_b: bool = True) -> Call:
        """Multiply two stacks of matrices.

        Args:
            tensor_a: (b, m, k), or (b, k, m) transposed
            tensor_b: (b, n, k) transposed, as by default, or (b, k, n)
            out_dtype: the element type of the result, '' for that of the data; '' if left out
            transpose_a: whether the first operand is transposed; False if left out
            transpose_b: whether the second operand is transposed; True if left out

        Returns:
            (b, m, n)

        Source:
            Relay ``nn.batch_matmul``.
        """
    @staticmethod
    def batch_norm(data: _Arg, gamma: _Arg, beta: _Arg, moving_mean: _Arg, moving_var: _Arg, axis: int = 1, epsilon: _Float = 1e-05, center: bool = True, scale: bool = True) -> Call:
        """Normalise by mean and variance of the batch, or by those that moved along.

        The call can be indexed and iterated: ``normalised, mean, var = nn.batch_norm(...)``.

        Args:
            data: (..., c, ...)
            gamma: (c,)
            beta: (c,)
            moving_mean: (c,)
            moving_var: (c,)
            axis: the axis; negative ones count from the end; 1 if left out
            epsilon: what is added to the variance; 1e-05 if left out
            center: whether beta is added; True if left out
            scale: whether to multiply by gamma; True if left out

        Returns:
            a tuple: the result (..., c, ...), the new mean (c,), the new variance (c,)

        Source:
            Relay ``nn.batch_norm``.
        """
    @staticmethod
    def batch_to_space_nd(data: _Arg, block_shape: _Ints, crops: _Sequence[_Sequence[_Size]]) -> Call:
        """Move elements of the batch into blocks of spatial elements.

        Args:
            data: (n * blocks, s0, ..., sk, ...)
            block_shape: the size of a block along each spatial axis
            crops: what is cut before and after each spatial axis

        Returns:
            (n, s0 * b0, ..., sk * bk, ...)

        Source:
            Relay ``nn.batch_to_space_nd``.
        """
    @staticmethod
    def bias_add(data: _Arg, bias: _Arg, axis: int = 1) -> Call:
        """Add a vector along an axis.

        Args:
            data: (..., c, ...)
            bias: (c,)
            axis: the axis; negative ones count from the end; 1 if left out

        Returns:
            (..., c, ...)

        Source:
            Relay ``nn.bias_add``.
        """
    @staticmethod
    def bitpack(data: _Arg, bits: int = 1, pack_axis: int = 1, bit_axis: int = 2, pack_type: str | None = "uint32", name: str = "BitPack") -> Call:
        """Pack bits of integers into wider ones.

        Args:
            data: (...) of integers
            bits: bits of an element; 1 if left out
            pack_axis: the axis along which bits are packed; 1 if left out
            bit_axis: where the axis of bits is put; 2 if left out
            pack_type: the element type that bits are packed into; 'uint32' if left out
            name: the name of the operation; 'BitPack' if left out

        Returns:
            (..., bits, ...), shorter along pack_axis

        Source:
            Relay ``nn.bitpack``.
        """
    @staticmethod
    def bitserial_conv2d(data: _Arg, weight: _Arg, strides: _Sizes = (1, 1), padding: _Sizes = (0, 0), channels: _Size | None = None, kernel_size: _Sizes = (3, 3), activation_bits: int = 1, weight_bits: int = 1, data_layout: str = "NCHW", kernel_layout: str = "OIHW", pack_dtype: str | None = "uint32", out_dtype: str | None = "int16", unipolar: bool = True) -> Call:
        """Convolve integers of few bits, a bit at a time.

        Args:
            data: (n, c, h, w) of integers
            weight: (o, c, kh, kw), or packed
            strides: the step along each axis; (1, 1) if left out
            padding: what is added on both sides of each spatial axis, or before all and then after all of them; (0, 0) if left out
            channels: the number of output channels; None if the weight tells
            kernel_size: the size of the kernel; None if the weight tells; (3, 3) if left out
            activation_bits: bits of an element of the data; 1 if left out
            weight_bits: bits of an element of the weight; 1 if left out
            data_layout: the axes of the data, a letter each; 'NCHW' if left out
            kernel_layout: the axes of the kernel, a letter each; 'OIHW' if left out
            pack_dtype: the element type that bits are packed into; 'uint32' if left out
            out_dtype: the element type of the result, '' for that of the data; 'int16' if left out
            unipolar: whether bits of weights stand for 0 and 1, or else for -1 and 1; True if left out

        Returns:
            (n, o, h', w')

        Source:
            Relay ``nn.bitserial_conv2d``.
        """
    @staticmethod
    def bitserial_dense(data: _Arg, weight: _Arg, units: _Size | None = None, data_bits: int = 1, weight_bits: int = 1, pack_dtype: str | None = "uint32", out_dtype: str | None = "int16", unipolar: bool = True) -> Call:
        """Multiply vectors and a matrix of integers of few bits, a bit at a time.

        Args:
            data: (n, k) of integers
            weight: (units, k), or packed
            units: the number of results; None if the weight tells
            data_bits: bits of an element of the data; 1 if left out
            weight_bits: bits of an element of the weight; 1 if left out
            pack_dtype: the element type that bits are packed into; 'uint32' if left out
            out_dtype: the element type of the result, '' for that of the data; 'int16' if left out
            unipolar: whether bits of weights stand for 0 and 1, or else for -1 and 1; True if left out

        Returns:
            (n, units)

        Source:
            Relay ``nn.bitserial_dense``.
        """
    @staticmethod
    def contrib_conv2d_NCHWc(data: _Arg, kernel: _Arg, strides: _Sizes = (1, 1), padding: _Sizes = (0, 0), dilation: _Sizes = (1, 1), groups: int = 1, channels: _Size | None = None, kernel_size: _Sizes | None = None, data_layout: str = "NCHW8c", kernel_layout: str = "OIHW", out_layout: str = "", out_dtype: str | None = "") -> Call:
        """Convolve with channels split into blocks.

        Args:
            data: (n, c / b, h, w, b)
            kernel: (o / ob, c / b, kh, kw, b, ob)
            strides: the step along each axis; (1, 1) if left out
            padding: what is added on both sides of each spatial axis, or before all and then after all of them; (0, 0) if left out
            dilation: the distance between elements of the kernel or window along each axis; (1, 1) if left out
            groups: in how many groups the channels are convolved apart; 1 if left out
            channels: the number of output channels; None if the weight tells
            kernel_size: the size of the kernel; None if the weight tells
            data_layout: the axes of the data, a letter each; 'NCHW8c' if left out
            kernel_layout: the axes of the kernel, a letter each; 'OIHW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out
            out_dtype: the element type of the result, '' for that of the data; '' if left out

        Returns:
            (n, o / ob, h', w', ob)

        Source:
            Relay ``nn.contrib_conv2d_NCHWc``.
        """
    @staticmethod
    def contrib_conv2d_gemm_weight_transform(weights: _Arg, tile_N: int, tile_K: int) -> Call:
        """Bring a weight into the form the convolution by matrix products takes.

        Args:
            weights: (kh, kw, c, o)
            tile_N: the size of a tile along the columns
            tile_K: the size of a tile along the reduced axis

        Returns:
            (o / tile_N, k / tile_K, tile_N, tile_K), both rounded up

        Source:
            Relay ``nn.contrib_conv2d_gemm_weight_transform``.
        """
    @staticmethod
    def contrib_conv2d_gemm_without_weight_transform(data: _Arg, weight: _Arg, strides: _Sizes = (1, 1), padding: _Sizes = (0, 0), dilation: _Sizes = (1, 1), groups: int = 1, channels: _Size | None = None, kernel_size: _Sizes | None = None, data_layout: str = "NCHW", kernel_layout: str = "OIHW", out_layout: str = "", out_dtype: str | None = "") -> Call:
        """Convolve by a matrix product, the weight transformed before.

        Args:
            data: (n, h, w, c)
            weight: as the transform gives it
            strides: the step along each axis; (1, 1) if left out
            padding: what is added on both sides of each spatial axis, or before all and then after all of them; (0, 0) if left out
            dilation: the distance between elements of the kernel or window along each axis; (1, 1) if left out
            groups: in how many groups the channels are convolved apart; 1 if left out
            channels: the number of output channels; None if the weight tells
            kernel_size: the size of the kernel; None if the weight tells
            data_layout: the axes of the data, a letter each; 'NCHW' if left out
            kernel_layout: the axes of the kernel, a letter each; 'OIHW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out
            out_dtype: the element type of the result, '' for that of the data; '' if left out

        Returns:
            (n, h', w', o)

        Source:
            Relay ``nn.contrib_conv2d_gemm_without_weight_transform``.
        """
    @staticmethod
    def contrib_conv2d_nchwc(data: _Arg, kernel: _Arg, strides: _Sizes = (1, 1), padding: _Sizes = (0, 0), dilation: _Sizes = (1, 1), groups: int = 1, channels: _Size | None = None, kernel_size: _Sizes | None = None, data_layout: str = "NCHW8c", kernel_layout: str = "OIHW", out_layout: str = "", out_dtype: str | None = "") -> Call:
        """Convolve with channels split into blocks.

        Args:
            data: (n, c / b, h, w, b)
            kernel: (o / ob, c / b, kh, kw, b, ob)
            strides: the step along each axis; (1, 1) if left out
            padding: what is added on both sides of each spatial axis, or before all and then after all of them; (0, 0) if left out
            dilation: the distance between elements of the kernel or window along each axis; (1, 1) if left out
            groups: in how many groups the channels are convolved apart; 1 if left out
            channels: the number of output channels; None if the weight tells
            kernel_size: the size of the kernel; None if the weight tells
            data_layout: the axes of the data, a letter each; 'NCHW8c' if left out
            kernel_layout: the axes of the kernel, a letter each; 'OIHW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out
            out_dtype: the element type of the result, '' for that of the data; '' if left out

        Returns:
            (n, o / ob, h', w', ob)

        Source:
            Relay ``nn.contrib_conv2d_NCHWc``.
        """
    @staticmethod
    def contrib_conv2d_winograd_nnpack_weight_transform(weight: _Arg, convolution_algorithm: int, out_dtype: str | None = "") -> Call:
        """Transform a weight for the convolution of NNPACK.

        Args:
            weight: (o, c, 3, 3)
            convolution_algorithm: the number of the algorithm
            out_dtype: the element type of the result, '' for that of the data; '' if left out

        Returns:
            (o, c, 8, 8)

        Source:
            Relay ``nn.contrib_conv2d_winograd_nnpack_weight_transform``.
        """
    @staticmethod
    def contrib_conv2d_winograd_weight_transform(weight: _Arg, tile_size: int) -> Call:
        """Transform a weight for the convolution of Winograd.

        Args:
            weight: (o, c, k, k)
            tile_size: the size of a tile of the result

        Returns:
            (tile_size + k - 1, tile_size + k - 1, o, c)

        Source:
            Relay ``nn.contrib_conv2d_winograd_weight_transform``.
        """
    @staticmethod
    def contrib_conv2d_winograd_without_weight_transform(data: _Arg, weight: _Arg, tile_size: int, strides: _Sizes = (1, 1), padding: _Sizes = (0, 0), dilation: _Sizes = (1, 1), groups: int = 1, channels: _Size | None = None, kernel_size: _Sizes | None = None, data_layout: str = "NCHW", kernel_layout: str = "OIHW", out_layout: str = "", out_dtype: str | None = "") -> Call:
        """Convolve as Winograd does, the weight transformed before.

        Args:
            data: (n, c, h, w)
            weight: as the transform gives it
            tile_size: the size of a tile of the result
            strides: the step along each axis; (1, 1) if left out
            padding: what is added on both sides of each spatial axis, or before all and then after all of them; (0, 0) if left out
            dilation: the distance between elements of the kernel or window along each axis; (1, 1) if left out
            groups: in how many groups the channels are convolved apart; 1 if left out
            channels: the number of output channels; None if the weight tells
            kernel_size: the size of the kernel; None if the weight tells
            data_layout: the axes of the data, a letter each; 'NCHW' if left out
            kernel_layout: the axes of the kernel, a letter each; 'OIHW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out
            out_dtype: the element type of the result, '' for that of the data; '' if left out

        Returns:
            (n, o, h', w')

        Source:
            Relay ``nn.contrib_conv2d_winograd_without_weight_transform``.
        """
    @staticmethod
    def contrib_conv3d_winograd_weight_transform(weight: _Arg, tile_size: int) -> Call:
        """Transform a weight for the convolution of volumes of Winograd.

        Args:
            weight: (o, c, d, k, k)
            tile_size: the size of a tile of the result

        Returns:
            (tile_size + k - 1, ..., o, c)

        Source:
            Relay ``nn.contrib_conv3d_winograd_weight_transform``.
        """
    @staticmethod
    def contrib_conv3d_winograd_without_weight_transform(data: _Arg, weight: _Arg, tile_size: int, strides: _Sizes = (1, 1, 1), padding: _Sizes = (0, 0, 0), dilation: _Sizes = (1, 1, 1), groups: int = 1, channels: _Size | None = None, kernel_size: _Sizes | None = None, data_layout: str = "NCDHW", kernel_layout: str = "OIDHW", out_layout: str = "", out_dtype: str | None = "") -> Call:
        """Convolve volumes as Winograd does, the weight transformed before.

        Args:
            data: (n, c, d, h, w)
            weight: as the transform gives it
            tile_size: the size of a tile of the result
            strides: the step along each axis; (1, 1, 1) if left out
            padding: what is added on both sides of each spatial axis, or before all and then after all of them; (0, 0, 0) if left out
            dilation: the distance between elements of the kernel or window along each axis; (1, 1, 1) if left out
            groups: in how many groups the channels are convolved apart; 1 if left out
            channels: the number of output channels; None if the weight tells
            kernel_size: the size of the kernel; None if the weight tells
            data_layout: the axes of the data, a letter each; 'NCDHW' if left out
            kernel_layout: the axes of the kernel, a letter each; 'OIDHW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out
            out_dtype: the element type of the result, '' for that of the data; '' if left out

        Returns:
            (n, o, d', h', w')

        Source:
            Relay ``nn.contrib_conv3d_winograd_without_weight_transform``.
        """
    @staticmethod
    def contrib_dense_pack(data: Expr, weight: Expr, weight_layout: str = "NC", units: int | None = None, out_dtype: str = "") -> Call:
        """Multiply vectors by the transpose of a matrix whose rows are packed.

        The call carries the attributes of ``qnn.contrib_dense_pack``, which name the layout.

        Args:
            data: (n, k)
            weight: (units / b, k, b)
            weight_layout: the axes of the weight; 'NC' if left out
            units: the number of results; None if the weight tells
            out_dtype: the element type of the result, '' for that of the data; '' if left out

        Returns:
            (n, units)

        Source:
            Relay ``nn.contrib_dense_pack``.
        """
    @staticmethod
    def contrib_depthwise_conv2d_NCHWc(data: _Arg, kernel: _Arg, strides: _Sizes = (1, 1), padding: _Sizes = (0, 0), dilation: _Sizes = (1, 1), groups: int = 1, channels: _Size | None = None, kernel_size: _Sizes | None = None, data_layout: str = "NCHW8c", kernel_layout: str = "OIHW", out_layout: str = "", out_dtype: str | None = "") -> Call:
        """Convolve with channels split into blocks.

        Args:
            data: (n, c / b, h, w, b)
            kernel: (o / ob, c / b, kh, kw, b, ob)
            strides: the step along each axis; (1, 1) if left out
            padding: what is added on both sides of each spatial axis, or before all and then after all of them; (0, 0) if left out
            dilation: the distance between elements of the kernel or window along each axis; (1, 1) if left out
            groups: in how many groups the channels are convolved apart; 1 if left out
            channels: the number of output channels; None if the weight tells
            kernel_size: the size of the kernel; None if the weight tells
            data_layout: the axes of the data, a letter each; 'NCHW8c' if left out
            kernel_layout: the axes of the kernel, a letter each; 'OIHW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out
            out_dtype: the element type of the result, '' for that of the data; '' if left out

        Returns:
            (n, o / ob, h', w', ob)

        Source:
            Relay ``nn.contrib_depthwise_conv2d_NCHWc``.
        """
    @staticmethod
    def contrib_depthwise_conv2d_nchwc(data: _Arg, kernel: _Arg, strides: _Sizes = (1, 1), padding: _Sizes = (0, 0), dilation: _Sizes = (1, 1), groups: int = 1, channels: _Size | None = None, kernel_size: _Sizes | None = None, data_layout: str = "NCHW8c", kernel_layout: str = "OIHW", out_layout: str = "", out_dtype: str | None = "") -> Call:
        """Convolve with channels split into blocks.

        Args:
            data: (n, c / b, h, w, b)
            kernel: (o / ob, c / b, kh, kw, b, ob)
            strides: the step along each axis; (1, 1) if left out
            padding: what is added on both sides of each spatial axis, or before all and then after all of them; (0, 0) if left out
            dilation: the distance between elements of the kernel or window along each axis; (1, 1) if left out
            groups: in how many groups the channels are convolved apart; 1 if left out
            channels: the number of output channels; None if the weight tells
            kernel_size: the size of the kernel; None if the weight tells
            data_layout: the axes of the data, a letter each; 'NCHW8c' if left out
            kernel_layout: the axes of the kernel, a letter each; 'OIHW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out
            out_dtype: the element type of the result, '' for that of the data; '' if left out

        Returns:
            (n, o / ob, h', w', ob)

        Source:
            Relay ``nn.contrib_depthwise_conv2d_NCHWc``.
        """
    @staticmethod
    def conv1d(data: _Arg, weight: _Arg, strides: _Sizes = (1,), padding: _Sizes = (0,), dilation: _Sizes = (1,), groups: int = 1, channels: _Size | None = None, kernel_size: _Sizes | None = None, data_layout: str = "NCW", kernel_layout: str = "OIW", out_layout: str = "", out_dtype: str | None = "") -> Call:
        """Slide a kernel over sequences and add up the products.

        Args:
            data: (n, c, w), axes as data_layout
            weight: (o, c / groups, kw), axes as kernel_layout
            strides: the step along each axis; (1,) if left out
            padding: what is added on both sides of each spatial axis, or before all and then after all of them; (0,) if left out
            dilation: the distance between elements of the kernel or window along each axis; (1,) if left out
            groups: in how many groups the channels are convolved apart; 1 if left out
            channels: the number of output channels; None if the weight tells
            kernel_size: the size of the kernel; None if the weight tells
            data_layout: the axes of the data, a letter each; 'NCW' if left out
            kernel_layout: the axes of the kernel, a letter each; 'OIW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out
            out_dtype: the element type of the result, '' for that of the data; '' if left out

        Returns:
            (n, o, w')

        Source:
            Relay ``nn.conv1d``.
        """
    @staticmethod
    def conv1d_transpose(data: _Arg, weight: _Arg, strides: _Sizes = (1,), padding: _Sizes = (0,), dilation: _Sizes = (1,), groups: int = 1, channels: _Size | None = None, kernel_size: _Sizes | None = None, data_layout: str = "NCW", kernel_layout: str = "IOW", out_layout: str = "", output_padding: _Sizes = (0,), out_dtype: str | None = "") -> Call:
        """Put a kernel, scaled by each element, where that element is: the gradient of a convolution.

        Args:
            data: (n, c, w)
            weight: (c, o / groups, kw)
            strides: the step along each axis; (1,) if left out
            padding: what is added on both sides of each spatial axis, or before all and then after all of them; (0,) if left out
            dilation: the distance between elements of the kernel or window along each axis; (1,) if left out
            groups: in how many groups the channels are convolved apart; 1 if left out
            channels: the number of output channels; None if the weight tells
            kernel_size: the size of the kernel; None if the weight tells
            data_layout: the axes of the data, a letter each; 'NCW' if left out
            kernel_layout: the axes of the kernel, a letter each; 'IOW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out
            output_padding: what is added to the size of the result along each axis; (0,) if left out
            out_dtype: the element type of the result, '' for that of the data; '' if left out

        Returns:
            (n, o, w')

        Source:
            Relay ``nn.conv1d_transpose``.
        """
    @staticmethod
    def conv2d(data: _Arg, weight: _Arg, strides: _Sizes = (1, 1), padding: _Sizes = (0, 0), dilation: _Sizes = (1, 1), groups: int = 1, channels: _Size | None = None, kernel_size: _Sizes | None = None, data_layout: str = "NCHW", kernel_layout: str = "OIHW", out_layout: str = "", out_dtype: str | None = "") -> Call:
        """Slide a kernel over images and add up the products.

        Args:
            data: (n, c, h, w), axes as data_layout
            weight: (o, c / groups, kh, kw), axes as kernel_layout
            strides: the step along each axis; (1, 1) if left out
            padding: what is added on both sides of each spatial axis, or before all and then after all of them; (0, 0) if left out
            dilation: the distance between elements of the kernel or window along each axis; (1, 1) if left out
            groups: in how many groups the channels are convolved apart; 1 if left out
            channels: the number of output channels; None if the weight tells
            kernel_size: the size of the kernel; None if the weight tells
            data_layout: the axes of the data, a letter each; 'NCHW' if left out
            kernel_layout: the axes of the kernel, a letter each; 'OIHW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out
            out_dtype: the element type of the result, '' for that of the data; '' if left out

        Returns:
            (n, o, h', w')

        Source:
            Relay ``nn.conv2d``.
        """
    @staticmethod
    def conv2d_backward_weight(grad: Expr, data: Expr, strides: _Sequence[int] | int = (1, 1), padding: _Sequence[int] | int = (0, 0), dilation: _Sequence[int] | int = (1, 1), groups: int = 1, channels: int | None = None, kernel_size: _Sequence[int] | int | None = None, grad_layout: str = "NCHW", data_layout: str = "NCHW", kernel_layout: str = "OIHW", out_dtype: str = "") -> Call:
        """Take the gradient of nn.conv2d with respect to the weight.

        In its attributes, those of a convolution, ``data_layout`` is the layout of the gradient,
        ``kernel_layout`` that of the data, and ``out_layout`` that of the weight.

        Args:
            grad: (n, o, h', w')
            data: (n, c, h, w)
            strides: the step along each axis; (1, 1) if left out
            padding: what is added on both sides of each spatial axis, or before all and then after all of them; (0, 0) if left out
            dilation: the distance between elements of the kernel or window along each axis; (1, 1) if left out
            groups: in how many groups the channels are convolved apart; 1 if left out
            channels: the number of output channels; None if the weight tells
            kernel_size: the size of the kernel; None if the weight tells
            grad_layout: the axes of the gradient, a letter each; 'NCHW' if left out
            data_layout: the axes of the data, a letter each; 'NCHW' if left out
            kernel_layout: the axes of the kernel, a letter each; 'OIHW' if left out
            out_dtype: the element type of the result, '' for that of the data; '' if left out

        Returns:
            (o, c / groups, kh, kw)

        Source:
            Relay ``nn.conv2d_backward_weight``.
        """
    @staticmethod
    def conv2d_transpose(data: _Arg, weight: _Arg, strides: _Sizes = (1, 1), padding: _Sizes = (0, 0), dilation: _Sizes = (1, 1), groups: int = 1, channels: _Size | None = None, kernel_size: _Sizes | None = None, data_layout: str = "NCHW", kernel_layout: str = "IOHW", out_layout: str = "", output_padding: _Sizes = (0, 0), out_dtype: str | None = "") -> Call:
        """Put a kernel, scaled by each element, where that element is: the gradient of a convolution.

        Args:
            data: (n, c, h, w)
            weight: (c, o / groups, kh, kw)
            strides: the step along each axis; (1, 1) if left out
            padding: what is added on both sides of each spatial axis, or before all and then after all of them; (0, 0) if left out
            dilation: the distance between elements of the kernel or window along each axis; (1, 1) if left out
            groups: in how many groups the channels are convolved apart; 1 if left out
            channels: the number of output channels; None if the weight tells
            kernel_size: the size of the kernel; None if the weight tells
            data_layout: the axes of the data, a letter each; 'NCHW' if left out
            kernel_layout: the axes of the kernel, a letter each; 'IOHW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out
            output_padding: what is added to the size of the result along each axis; (0, 0) if left out
            out_dtype: the element type of the result, '' for that of the data; '' if left out

        Returns:
            (n, o, h', w')

        Source:
            Relay ``nn.conv2d_transpose``.
        """
    @staticmethod
    def conv3d(data: _Arg, weight: _Arg, strides: _Sizes = (1, 1, 1), padding: _Sizes = (0, 0, 0), dilation: _Sizes = (1, 1, 1), groups: int = 1, channels: _Size | None = None, kernel_size: _Sizes | None = None, data_layout: str = "NCDHW", kernel_layout: str = "OIDHW", out_layout: str = "", out_dtype: str | None = "") -> Call:
        """Slide a kernel over volumes and add up the products.

        Args:
            data: (n, c, d, h, w), axes as data_layout
            weight: (o, c / groups, kd, kh, kw), axes as kernel_layout
            strides: the step along each axis; (1, 1, 1) if left out
            padding: what is added on both sides of each spatial axis, or before all and then after all of them; (0, 0, 0) if left out
            dilation: the distance between elements of the kernel or window along each axis; (1, 1, 1) if left out
            groups: in how many groups the channels are convolved apart; 1 if left out
            channels: the number of output channels; None if the weight tells
            kernel_size: the size of the kernel; None if the weight tells
            data_layout: the axes of the data, a letter each; 'NCDHW' if left out
            kernel_layout: the axes of the kernel, a letter each; 'OIDHW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out
            out_dtype: the element type of the result, '' for that of the data; '' if left out

        Returns:
            (n, o, d', h', w')

        Source:
            Relay ``nn.conv3d``.
        """
    @staticmethod
    def conv3d_transpose(data: _Arg, weight: _Arg, strides: _Sizes = (1, 1, 1), padding: _Sizes = (0, 0, 0), dilation: _Sizes = (1, 1, 1), groups: int = 1, channels: _Size | None = None, kernel_size: _Sizes | None = None, data_layout: str = "NCDHW", kernel_layout: str = "IODHW", out_layout: str = "", output_padding: _Sizes = (0, 0, 0), out_dtype: str | None = "") -> Call:
        """Put a kernel, scaled by each element, where that element is: the gradient of a convolution.

        Args:
            data: (n, c, d, h, w)
            weight: (c, o / groups, kd, kh, kw)
            strides: the step along each axis; (1, 1, 1) if left out
            padding: what is added on both sides of each spatial axis, or before all and then after all of them; (0, 0, 0) if left out
            dilation: the distance between elements of the kernel or window along each axis; (1, 1, 1) if left out
            groups: in how many groups the channels are convolved apart; 1 if left out
            channels: the number of output channels; None if the weight tells
            kernel_size: the size of the kernel; None if the weight tells
            data_layout: the axes of the data, a letter each; 'NCDHW' if left out
            kernel_layout: the axes of the kernel, a letter each; 'IODHW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out
            output_padding: what is added to the size of the result along each axis; (0, 0, 0) if left out
            out_dtype: the element type of the result, '' for that of the data; '' if left out

        Returns:
            (n, o, d', h', w')

        Source:
            Relay ``nn.conv3d_transpose``.
        """
    @staticmethod
    def correlation(data1: _Arg, data2: _Arg, kernel_size: int = 1, max_displacement: int = 1, stride1: int = 1, stride2: int = 1, padding: _Sizes = (0, 0), is_multiply: bool = True, layout: str = "NCHW") -> Call:
        """Compare windows of two images that are moved against each other.

        Args:
            data1: (n, c, h, w)
            data2: (n, c, h, w)
            kernel_size: the size of the kernel; None if the weight tells; 1 if left out
            max_displacement: how far the windows are moved apart; 1 if left out
            stride1: the step of the windows of the first operand; 1 if left out
            stride2: the step by which the windows of the second one are moved; 1 if left out
            padding: what is added on both sides of each spatial axis, or before all and then after all of them; (0, 0) if left out
            is_multiply: whether to multiply; else the absolute difference is taken; True if left out
            layout: the axes of the data, a letter each; 'NCHW' if left out

        Returns:
            (n, displacements ** 2, h', w')

        Source:
            Relay ``nn.correlation``.
        """
    @staticmethod
    def cross_entropy(predictions: _Arg, targets: _Arg) -> Call:
        """Take the cross entropy of predicted probabilities, the mean over the batch.

        Args:
            predictions: (n, c)
            targets: (n, c)

        Returns:
            ()

        Source:
            Relay ``nn.cross_entropy``.
        """
    @staticmethod
    def cross_entropy_with_logits(predictions: _Arg, targets: _Arg) -> Call:
        """Take the cross entropy of logarithms of probabilities, the mean over the batch.

        Args:
            predictions: (n, c)
            targets: (n, c)

        Returns:
            ()

        Source:
            Relay ``nn.cross_entropy_with_logits``.
        """
    @staticmethod
    def deformable_conv2d(data: _Arg, offset: _Arg, weight: _Arg, strides: _Sizes = (1, 1), padding: _Sizes = (0, 0), dilation: _Sizes = (1, 1), deformable_groups: int = 1, groups: int = 1, channels: _Size | None = None, kernel_size: _Sizes | None = None, data_layout: str = "NCHW", kernel_layout: str = "OIHW", out_layout: str = "", out_dtype: str | None = "") -> Call:
        """Slide a kernel whose elements are moved by offsets.

        Args:
            data: (n, c, h, w)
            offset: (n, 2 * kh * kw * deformable_groups, h', w')
            weight: (o, c / groups, kh, kw)
            strides: the step along each axis; (1, 1) if left out
            padding: what is added on both sides of each spatial axis, or before all and then after all of them; (0, 0) if left out
            dilation: the distance between elements of the kernel or window along each axis; (1, 1) if left out
            deformable_groups: in how many groups channels share their offsets; 1 if left out
            groups: in how many groups the channels are convolved apart; 1 if left out
            channels: the number of output channels; None if the weight tells
            kernel_size: the size of the kernel; None if the weight tells
            data_layout: the axes of the data, a letter each; 'NCHW' if left out
            kernel_layout: the axes of the kernel, a letter each; 'OIHW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out
            out_dtype: the element type of the result, '' for that of the data; '' if left out

        Returns:
            (n, o, h', w')

        Source:
            Relay ``nn.deformable_conv2d``.
        """
    @staticmethod
    def dense(data: _Arg, weight: _Arg, units: _Size | None = None, out_dtype: str | None = "") -> Call:
        """Multiply vectors by the transpose of a matrix.

        Args:
            data: (..., k)
            weight: (units, k)
            units: the number of results; None if the weight tells
            out_dtype: the element type of the result, '' for that of the data; '' if left out

        Returns:
            (..., units)

        Source:
            Relay ``nn.dense``.
        """
    @staticmethod
    def depth_to_space(data: _Arg, block_size: int, layout: str = "NCHW", mode: str = "DCR") -> Call:
        """Move channels into blocks of pixels.

        Args:
            data: (n, c * b * b, h, w)
            block_size: the size of a block along both spatial axes
            layout: the axes of the data, a letter each; 'NCHW' if left out
            mode: DCR or CRD, which axis comes first; 'DCR' if left out

        Returns:
            (n, c, h * b, w * b)

        Source:
            Relay ``nn.depth_to_space``.
        """
    @staticmethod
    def dilate(data: _Arg, strides: _Sizes, dilation_value: _Float = 0.0) -> Call:
        """Put values between the elements of a tensor.

        Args:
            data: (...)
            strides: the step along each axis
            dilation_value: what is put between the elements; 0.0 if left out

        Returns:
            (...), larger

        Source:
            Relay ``nn.dilate``.
        """
    @staticmethod
    def dropout(data: Expr, rate: float = 0.5) -> TupleGetItem:
        """Drop elements while training; what is left is scaled.

        Args:
            data: (...)
            rate: the part of the elements that is dropped; 0.5 if left out

        Returns:
            (...)

        Source:
            Relay ``nn.dropout``.
        """
    @staticmethod
    def dropout_raw(data: Expr, rate: float = 0.5) -> Call:
        """Drop elements while training, and say which were kept.

        Args:
            data: (...)
            rate: the part of the elements that is dropped; 0.5 if left out

        Returns:
            a tuple: the result (...), the mask (...)

        Source:
            Relay ``nn.dropout_raw``.
        """
    @staticmethod
    def fast_softmax(data: _Arg, axis: int = -1) -> Call:
        """Take exponentials, approximated, divided by their sum along an axis.

        Args:
            data: (...)
            axis: the axis; negative ones count from the end; -1 if left out

        Returns:
            (...)

        Source:
            Relay ``nn.fast_softmax``.
        """
    @staticmethod
    def fifo_buffer(data: _Arg, buffer: _Arg, axis: int) -> Call:
        """Append to a buffer of fixed length and drop what is oldest.

        Args:
            data: (..., n, ...)
            buffer: (..., m, ...)
            axis: the axis; negative ones count from the end

        Returns:
            (..., m, ...)

        Source:
            Relay ``nn.fifo_buffer``.
        """
    @staticmethod
    def global_avg_pool1d(data: Expr, layout: str = "NCW", out_layout: str = "") -> Call:
        """Take the mean of each channel.

        Args:
            data: (n, c, w), axes as layout
            layout: the axes of the data, a letter each; 'NCW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out

        Returns:
            (n, c, 1)

        Source:
            Relay ``nn.global_avg_pool1d``.
        """
    @staticmethod
    def global_avg_pool2d(data: _Arg, layout: str = "NCHW", out_layout: str = "") -> Call:
        """Take the mean of each channel.

        Args:
            data: (n, c, h, w), axes as layout
            layout: the axes of the data, a letter each; 'NCHW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out

        Returns:
            (n, c, 1, 1)

        Source:
            Relay ``nn.global_avg_pool2d``.
        """
    @staticmethod
    def global_avg_pool3d(data: Expr, layout: str = "NCDHW", out_layout: str = "") -> Call:
        """Take the mean of each channel.

        Args:
            data: (n, c, d, h, w), axes as layout
            layout: the axes of the data, a letter each; 'NCDHW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out

        Returns:
            (n, c, 1, 1, 1)

        Source:
            Relay ``nn.global_avg_pool3d``.
        """
    @staticmethod
    def global_max_pool1d(data: Expr, layout: str = "NCW", out_layout: str = "") -> Call:
        """Take the largest element of each channel.

        Args:
            data: (n, c, w), axes as layout
            layout: the axes of the data, a letter each; 'NCW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out

        Returns:
            (n, c, 1)

        Source:
            Relay ``nn.global_max_pool1d``.
        """
    @staticmethod
    def global_max_pool2d(data: _Arg, layout: str = "NCHW", out_layout: str = "") -> Call:
        """Take the largest element of each channel.

        Args:
            data: (n, c, h, w), axes as layout
            layout: the axes of the data, a letter each; 'NCHW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out

        Returns:
            (n, c, 1, 1)

        Source:
            Relay ``nn.global_max_pool2d``.
        """
    @staticmethod
    def global_max_pool3d(data: Expr, layout: str = "NCDHW", out_layout: str = "") -> Call:
        """Take the largest element of each channel.

        Args:
            data: (n, c, d, h, w), axes as layout
            layout: the axes of the data, a letter each; 'NCDHW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out

        Returns:
            (n, c, 1, 1, 1)

        Source:
            Relay ``nn.global_max_pool3d``.
        """
    @staticmethod
    def group_norm(data: _Arg, gamma: _Arg, beta: _Arg, num_groups: int, axis: int = 1, epsilon: _Float = 1e-05, center: bool = True, scale: bool = True) -> Call:
        """Normalise groups of channels.

        Args:
            data: (n, ..., c, ...)
            gamma: (c,)
            beta: (c,)
            num_groups: in how many groups the channels are normalised
            axis: the axis; negative ones count from the end; 1 if left out
            epsilon: what is added to the variance; 1e-05 if left out
            center: whether beta is added; True if left out
            scale: whether to multiply by gamma; True if left out

        Returns:
            (n, ..., c, ...)

        Source:
            Relay ``nn.group_norm``.
        """
    @staticmethod
    def instance_norm(data: _Arg, gamma: _Arg, beta: _Arg, axis: int = 1, epsilon: _Float = 1e-05, center: bool = True, scale: bool = True) -> Call:
        """Normalise each channel of each image.

        Args:
            data: (n, ..., c, ...)
            gamma: (c,)
            beta: (c,)
            axis: the axis; negative ones count from the end; 1 if left out
            epsilon: what is added to the variance; 1e-05 if left out
            center: whether beta is added; True if left out
            scale: whether to multiply by gamma; True if left out

        Returns:
            (n, ..., c, ...)

        Source:
            Relay ``nn.instance_norm``.
        """
    class internal:
        @staticmethod
        def sparse_dense_padded(data: _Arg, weight_data: _Arg, weight_indices: _Arg, weight_indptr: _Arg, sparse_lhs: bool = False) -> Call:
            """Multiply a dense and a sparse matrix that is padded for a GPU.

            Args:
                data: (m, k)
                weight_data: (nnz,)
                weight_indices: (nnz,)
                weight_indptr: (n + 1,)
                sparse_lhs: whether the sparse matrix is the left one; False if left out

            Returns:
                (m, n)

            Source:
                Relay ``nn.internal.sparse_dense_padded``.
            """
    @staticmethod
    def l2_normalize(data: _Arg, eps: _Float, axis: _Ints | None = None) -> Call:
        """Divide by the root of the sum of squares along axes.

        Args:
            data: (...)
            eps: what is added so that nothing is divided by zero
            axis: the axis; negative ones count from the end

        Returns:
            (...)

        Source:
            Relay ``nn.l2_normalize``.
        """
    @staticmethod
    def layer_norm(data: _Arg, gamma: _Arg, beta: _Arg, axis: int = -1, epsilon: _Float = 1e-05, center: bool = True, scale: bool = True) -> Call:
        """Normalise along one axis.

        Args:
            data: (..., c, ...)
            gamma: (c,)
            beta: (c,)
            axis: the axis; negative ones count from the end; -1 if left out
            epsilon: what is added to the variance; 1e-05 if left out
            center: whether beta is added; True if left out
            scale: whether to multiply by gamma; True if left out

        Returns:
            (..., c, ...)

        Source:
            Relay ``nn.layer_norm``.
        """
    @staticmethod
    def leaky_relu(data: _Arg, alpha: _Float = 0.01) -> Call:
        """Scale negative elements down.

        Args:
            data: (...)
            alpha: the factor of negative elements; 0.01 if left out

        Returns:
            (...)

        Source:
            Relay ``nn.leaky_relu``.
        """
    @staticmethod
    def log_softmax(data: _Arg, axis: int = -1) -> Call:
        """Take the logarithm of the softmax along an axis.

        Args:
            data: (...)
            axis: the axis; negative ones count from the end; -1 if left out

        Returns:
            (...)

        Source:
            Relay ``nn.log_softmax``.
        """
    @staticmethod
    def lrn(data: _Arg, size: int = 5, axis: int = 1, bias: _Float = 2, alpha: _Float = 1e-05, beta: _Float = 0.75) -> Call:
        """Normalise by the squares of neighbouring channels.

        Args:
            data: (n, c, h, w)
            size: the size of the result along each spatial axis; 5 if left out
            axis: the axis; negative ones count from the end; 1 if left out
            bias: what is added before the normalisation; 2 if left out
            alpha: the factor of the negative or scaled part; 1e-05 if left out
            beta: the exponent of the normalisation; 0.75 if left out

        Returns:
            (n, c, h, w)

        Source:
            Relay ``nn.lrn``.
        """
    @staticmethod
    def matmul(tensor_a: _Arg, tensor_b: _Arg, units: _Size | None = None, out_dtype: str | None = "", transpose_a: bool = False, transpose_b: bool = False) -> Call:
        """Multiply two matrices.

        Args:
            tensor_a: (..., m, k), or (..., k, m) transposed
            tensor_b: (k, n), or (n, k) transposed
            units: the number of results; None if the weight tells
            out_dtype: the element type of the result, '' for that of the data; '' if left out
            transpose_a: whether the first operand is transposed; False if left out
            transpose_b: whether the second operand is transposed; False if left out

        Returns:
            (..., m, n)

        Source:
            Relay ``nn.matmul``.
        """
    @staticmethod
    def max_pool1d(data: _Arg, pool_size: _Sizes = (1,), strides: _Sizes = (1,), dilation: _Sizes = (1,), padding: _Sizes = (0,), layout: str = "NCW", out_layout: str = "", ceil_mode: bool = False) -> Call:
        """Take the largest element of each window.

        Args:
            data: (n, c, w), axes as layout
            pool_size: the size of the window; (1,) if left out
            strides: the step along each axis; (1,) if left out
            dilation: the distance between elements of the kernel or window along each axis; (1,) if left out
            padding: what is added on both sides of each spatial axis, or before all and then after all of them; (0,) if left out
            layout: the axes of the data, a letter each; 'NCW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out
            ceil_mode: whether a window that is only partly filled counts at the end; False if left out

        Returns:
            (n, c, w')

        Source:
            Relay ``nn.max_pool1d``.
        """
    @staticmethod
    def max_pool2d(data: _Arg, pool_size: _Sizes = (1, 1), strides: _Sizes = (1, 1), dilation: _Sizes = (1, 1), padding: _Sizes = (0, 0), layout: str = "NCHW", out_layout: str = "", ceil_mode: bool = False) -> Call:
        """Take the largest element of each window.

        Args:
            data: (n, c, h, w), axes as layout
            pool_size: the size of the window; (1, 1) if left out
            strides: the step along each axis; (1, 1) if left out
            dilation: the distance between elements of the kernel or window along each axis; (1, 1) if left out
            padding: what is added on both sides of each spatial axis, or before all and then after all of them; (0, 0) if left out
            layout: the axes of the data, a letter each; 'NCHW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out
            ceil_mode: whether a window that is only partly filled counts at the end; False if left out

        Returns:
            (n, c, h', w')

        Source:
            Relay ``nn.max_pool2d``.
        """
    @staticmethod
    def max_pool2d_grad(out_grad: _Arg, data: _Arg, pool_size: _Sizes = (1, 1), strides: _Sizes = (1, 1), padding: _Sizes = (0, 0), layout: str = "NCHW", out_layout: str = "", ceil_mode: bool = False) -> Call:
        """Take the gradient of nn.max_pool2d.

        Args:
            out_grad: (n, c, h', w')
            data: (n, c, h, w)
            pool_size: the size of the window; (1, 1) if left out
            strides: the step along each axis; (1, 1) if left out
            padding: what is added on both sides of each spatial axis, or before all and then after all of them; (0, 0) if left out
            layout: the axes of the data, a letter each; 'NCHW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out
            ceil_mode: whether a window that is only partly filled counts at the end; False if left out

        Returns:
            (n, c, h, w)

        Source:
            Relay ``nn.max_pool2d_grad``.
        """
    @staticmethod
    def max_pool3d(data: _Arg, pool_size: _Sizes = (1, 1, 1), strides: _Sizes = (1, 1, 1), dilation: _Sizes = (1, 1, 1), padding: _Sizes = (0, 0, 0), layout: str = "NCDHW", out_layout: str = "", ceil_mode: bool = False) -> Call:
        """Take the largest element of each window.

        Args:
            data: (n, c, d, h, w), axes as layout
            pool_size: the size of the window; (1, 1, 1) if left out
            strides: the step along each axis; (1, 1, 1) if left out
            dilation: the distance between elements of the kernel or window along each axis; (1, 1, 1) if left out
            padding: what is added on both sides of each spatial axis, or before all and then after all of them; (0, 0, 0) if left out
            layout: the axes of the data, a letter each; 'NCDHW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out
            ceil_mode: whether a window that is only partly filled counts at the end; False if left out

        Returns:
            (n, c, d', h', w')

        Source:
            Relay ``nn.max_pool3d``.
        """
    @staticmethod
    def mirror_pad(data: _Arg, pad_width: _Sequence[_Sequence[_Size]], mode: str = "SYMMETRIC") -> Call:
        """Add mirror images at the sides of a tensor.

        Args:
            data: (...)
            pad_width: for each axis what is added before and after it
            mode: SYMMETRIC with the edge or REFLECT without it; 'SYMMETRIC' if left out

        Returns:
            (...), larger

        Source:
            Relay ``nn.mirror_pad``.
        """
    @staticmethod
    def nll_loss(predictions: _Arg, targets: _Arg, weights: _Arg, reduction: str = "mean", ignore_index: int = -100) -> Call:
        """Take the negative predictions of the right classes, weighted.

        Args:
            predictions: (n, c, ...)
            targets: (n, ...) of integers
            weights: (c,)
            reduction: what is done with several: update, add, mul, mean, min, max; for losses none, mean, sum; 'mean' if left out
            ignore_index: the class that does not count; -100 if left out

        Returns:
            () or, with reduction none, (n, ...)

        Source:
            Relay ``nn.nll_loss``.
        """
    @staticmethod
    def pad(data: Expr, pad_width: _Sequence[_Sequence[int]] | Expr, pad_value: Expr | float = 0, pad_mode: str = "constant") -> Call:
        """Add elements at the sides of a tensor.

        Args:
            data: (...)
            pad_width: for each axis what is added before and after it
            pad_value: (), or a number; 0 if left out
            pad_mode: constant, edge or reflect; 'constant' if left out

        Returns:
            (...), larger

        Source:
            Relay ``nn.pad``.
        """
    @staticmethod
    def prelu(data: _Arg, alpha: _Arg, axis: int = 1) -> Call:
        """Scale negative elements by a factor for each channel.

        Args:
            data: (..., c, ...)
            alpha: (c,)
            axis: the axis; negative ones count from the end; 1 if left out

        Returns:
            (..., c, ...)

        Source:
            Relay ``nn.prelu``.
        """
    @staticmethod
    def relu(data: _Arg) -> Call:
        """Replace negative elements by zero.

        Args:
            data: (...)

        Returns:
            (...)

        Source:
            Relay ``nn.relu``.
        """
    @staticmethod
    def softmax(data: _Arg, axis: int = -1) -> Call:
        """Take exponentials divided by their sum along an axis.

        Args:
            data: (...)
            axis: the axis; negative ones count from the end; -1 if left out

        Returns:
            (...)

        Source:
            Relay ``nn.softmax``.
        """
    @staticmethod
    def space_to_batch_nd(data: _Arg, block_shape: _Ints, paddings: _Sequence[_Sequence[_Size]], pad_value: _Float = 0) -> Call:
        """Move blocks of spatial elements into the batch.

        Args:
            data: (n, s0, ..., sk, ...)
            block_shape: the size of a block along each spatial axis
            paddings: for each spatial axis what is added before and after it
            pad_value: the value of the padding; 0 if left out

        Returns:
            (n * blocks, s0 / b0, ..., sk / bk, ...)

        Source:
            Relay ``nn.space_to_batch_nd``.
        """
    @staticmethod
    def space_to_depth(data: _Arg, block_size: int, layout: str = "NCHW") -> Call:
        """Move blocks of pixels into channels.

        Args:
            data: (n, c, h * b, w * b)
            block_size: the size of a block along both spatial axes
            layout: the axes of the data, a letter each; 'NCHW' if left out

        Returns:
            (n, c * b * b, h, w)

        Source:
            Relay ``nn.space_to_depth``.
        """
    @staticmethod
    def sparse_add(dense_mat: Expr, sparse_mat: object) -> Call:
        """Add a dense and a sparse matrix.

        Args:
            dense_mat: (m, n)
            sparse_mat: a tuple of data (nnz,) or blocks, indices (nnz,) and indptr (m + 1,), or a matrix that has them

        Returns:
            (m, n)

        Source:
            Relay ``nn.sparse_add``.
        """
    @staticmethod
    def sparse_conv2d(dense_data: _Arg, sparse_data: _Arg, sparse_indices: _Arg, sparse_indptr: _Arg, layout: str = "NHWC", kernel_size: _Sizes = (1, 1)) -> Call:
        """Convolve with a sparse kernel.

        Args:
            dense_data: (n, h, w, c)
            sparse_data: (nnz,) or blocks
            sparse_indices: (nnz,)
            sparse_indptr: (o + 1,)
            layout: the axes of the data, a letter each; 'NHWC' if left out
            kernel_size: the size of the kernel; None if the weight tells; (1, 1) if left out

        Returns:
            (n, h, w, o)

        Source:
            Relay ``nn.sparse_conv2d``.
        """
    @staticmethod
    def sparse_dense(dense_mat: Expr, sparse_mat: object, sparse_lhs: bool = False) -> Call:
        """Multiply a dense matrix by the transpose of a sparse one.

        Args:
            dense_mat: (m, k)
            sparse_mat: a tuple of data (nnz,) or blocks, indices (nnz,) and indptr (n + 1,), or a matrix that has them
            sparse_lhs: whether the sparse matrix is the left one; False if left out

        Returns:
            (m, n)

        Source:
            Relay ``nn.sparse_dense``.
        """
    @staticmethod
    def sparse_transpose(x: object) -> Call:
        """Transpose a sparse matrix.

        Args:
            x: a tuple of data (nnz,) or blocks, indices (nnz,) and indptr (m + 1,)

        Returns:
            a tuple of data, indices and indptr

        Source:
            Relay ``nn.sparse_transpose``.
        """
    @staticmethod
    def upsampling(data: _Arg, scale_h: _Float | Expr = 1, scale_w: _Float | Expr = 1, layout: str = "NCHW", method: str = "nearest_neighbor", align_corners: bool = False) -> Call:
        """Enlarge images.

        Args:
            data: (n, c, h, w), axes as layout
            scale_h: how many times higher the result is; 1 if left out
            scale_w: how many times wider the result is; 1 if left out
            layout: the axes of the data, a letter each; 'NCHW' if left out
            method: how to interpolate: nearest_neighbor, linear or bilinear, cubic or bicubic; 'nearest_neighbor' if left out
            align_corners: whether the corners of input and output are at the same place; False if left out

        Returns:
            (n, c, h * scale_h, w * scale_w)

        Source:
            Relay ``nn.upsampling``.
        """
    @staticmethod
    def upsampling3d(data: _Arg, scale_d: _Float | Expr = 1, scale_h: _Float | Expr = 1, scale_w: _Float | Expr = 1, layout: str = "NCDHW", method: str = "nearest_neighbor", coordinate_transformation_mode: str = "half_pixel") -> Call:
        """Enlarge volumes.

        Args:
            data: (n, c, d, h, w), axes as layout
            scale_d: how many times deeper the result is; 1 if left out
            scale_h: how many times higher the result is; 1 if left out
            scale_w: how many times wider the result is; 1 if left out
            layout: the axes of the data, a letter each; 'NCDHW' if left out
            method: how to interpolate: nearest_neighbor, linear or bilinear, cubic or bicubic; 'nearest_neighbor' if left out
            coordinate_transformation_mode: half_pixel, align_corners, asymmetric, or another of Relay's modes; 'half_pixel' if left out

        Returns:
            (n, c, d * scale_d, h * scale_h, w * scale_w)

        Source:
            Relay ``nn.upsampling3d``.
        """

class _QuantisedOperators:
    @staticmethod
    def abs(x: _Arg, scale: _Arg, zero_point: _Arg, output_scale: _Arg, output_zero_point: _Arg) -> Call:
        """Take the absolute value of quantised elements.

        Args:
            x: (...) int8 or uint8
            scale: () of x
            zero_point: () of x
            output_scale: ()
            output_zero_point: ()

        Returns:
            (...), as x

        Source:
            Relay ``qnn.abs``.
        """
    @staticmethod
    def add(lhs: _Arg, rhs: _Arg, lhs_scale: _Arg, lhs_zero_point: _Arg, rhs_scale: _Arg, rhs_zero_point: _Arg, output_scale: _Arg, output_zero_point: _Arg, lhs_axis: int = -1, rhs_axis: int = -1) -> Call:
        """Add two quantised tensors element by element, with broadcasting.

        Args:
            lhs: (...) int8 or uint8
            rhs: (...) of the same element type
            lhs_scale: () or (c,)
            lhs_zero_point: () or (c,)
            rhs_scale: () or (c,)
            rhs_zero_point: () or (c,)
            output_scale: ()
            output_zero_point: ()
            lhs_axis: the axis along which the parameters of the left operand vary; -1 if left out
            rhs_axis: the axis along which the parameters of the right operand vary; -1 if left out

        Returns:
            (...), broadcast of both

        Source:
            Relay ``qnn.add``.
        """
    @staticmethod
    def avg_pool2d(data: _Arg, input_scale: _Arg, input_zero_point: _Arg, output_scale: _Arg, output_zero_point: _Arg, pool_size: _Sizes, strides: _Sizes, padding: _Sizes, dilation: _Sizes, ceil_mode: bool = False, count_include_pad: bool = True, layout: str = "NHWC", out_layout: str = "") -> Call:
        """Take the mean of each window of quantised elements.

        Args:
            data: (n, h, w, c) int8 or uint8, axes as layout
            input_scale: ()
            input_zero_point: ()
            output_scale: ()
            output_zero_point: ()
            pool_size: the size of the window
            strides: the step along each axis
            padding: what is added on both sides of each spatial axis, or before all and then after all of them
            dilation: the distance between elements of the kernel or window along each axis
            ceil_mode: whether a window that is only partly filled counts at the end; False if left out
            count_include_pad: whether padding counts in the mean; True if left out
            layout: the axes of the data, a letter each; 'NHWC' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out

        Returns:
            (n, h', w', c)

        Source:
            Relay ``qnn.avg_pool2d``.
        """
    @staticmethod
    def batch_matmul(x: _Arg, y: _Arg, x_zero_point: _Arg, y_zero_point: _Arg, x_scale: _Arg, y_scale: _Arg, out_dtype: str | None = "int32", transpose_a: bool = False, transpose_b: bool = True) -> Call:
        """Multiply two stacks of quantised matrices, the second transposed.

        Args:
            x: (b, m, k) int8 or uint8
            y: (b, n, k)
            x_zero_point: ()
            y_zero_point: ()
            x_scale: ()
            y_scale: ()
            out_dtype: the element type of the result, '' for that of the data; 'int32' if left out
            transpose_a: whether the first operand is transposed; False if left out
            transpose_b: whether the second operand is transposed; True if left out

        Returns:
            (b, m, n) of out_dtype

        Source:
            Relay ``qnn.batch_matmul``.
        """
    @staticmethod
    def concatenate(data: _Arg, input_scales: _Arg, input_zero_points: _Arg, output_scale: _Arg, output_zero_point: _Arg, axis: int) -> Call:
        """Put quantised tensors one behind another, all brought to one scale.

        Args:
            data: a tuple of tensors (..., n_i, ...)
            input_scales: a tuple of ()
            input_zero_points: a tuple of ()
            output_scale: ()
            output_zero_point: ()
            axis: the axis; negative ones count from the end

        Returns:
            (..., sum of n_i, ...)

        Source:
            Relay ``qnn.concatenate``.
        """
    @staticmethod
    def contrib_dense_pack(data: Expr, weight: Expr, input_zero_point: Expr, kernel_zero_point: Expr, input_scale: Expr, kernel_scale: Expr, kernel_layout: str = "NC", units: int | None = None, out_dtype: str = "int32") -> Call:
        """Multiply quantised vectors by the transpose of a quantised matrix whose rows are packed.

        Args:
            data: (n, k) int8 or uint8
            weight: packed as kernel_layout says
            input_zero_point: ()
            kernel_zero_point: () or (units,)
            input_scale: ()
            kernel_scale: () or (units,)
            kernel_layout: the axes of the kernel, a letter each; 'NC' if left out
            units: the number of results; None if the weight tells
            out_dtype: the element type of the result, '' for that of the data; 'int32' if left out

        Returns:
            (n, units) of out_dtype

        Source:
            Relay ``qnn.contrib_dense_pack``.
        """
    @staticmethod
    def conv2d(data: _Arg, kernel: _Arg, input_zero_point: _Arg, kernel_zero_point: _Arg, input_scale: _Arg, kernel_scale: _Arg, kernel_size: _Sizes | None, channels: _Size | None, strides: _Sizes = (1, 1), padding: _Sizes = (0, 0), dilation: _Sizes = (1, 1), groups: int = 1, data_layout: str = "NCHW", kernel_layout: str = "OIHW", out_layout: str = "", out_dtype: str | None = "int32") -> Call:
        """Slide a quantised kernel over quantised images and add up the products.

        Args:
            data: (n, c, h, w) int8 or uint8
            kernel: (o, c / groups, kh, kw)
            input_zero_point: ()
            kernel_zero_point: () or (o,)
            input_scale: ()
            kernel_scale: () or (o,)
            kernel_size: the size of the kernel; None if the weight tells
            channels: the number of output channels; None if the weight tells
            strides: the step along each axis; (1, 1) if left out
            padding: what is added on both sides of each spatial axis, or before all and then after all of them; (0, 0) if left out
            dilation: the distance between elements of the kernel or window along each axis; (1, 1) if left out
            groups: in how many groups the channels are convolved apart; 1 if left out
            data_layout: the axes of the data, a letter each; 'NCHW' if left out
            kernel_layout: the axes of the kernel, a letter each; 'OIHW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out
            out_dtype: the element type of the result, '' for that of the data; 'int32' if left out

        Returns:
            (n, o, h', w') of out_dtype

        Source:
            Relay ``qnn.conv2d``.
        """
    @staticmethod
    def conv2d_transpose(data: _Arg, weight: _Arg, input_zero_point: _Arg, kernel_zero_point: _Arg, input_scale: _Arg, kernel_scale: _Arg, strides: _Sizes = (1, 1), padding: _Sizes = (0, 0), dilation: _Sizes = (1, 1), groups: int = 1, channels: _Size | None = None, kernel_size: _Sizes | None = None, data_layout: str = "NCHW", kernel_layout: str = "IOHW", out_layout: str = "", output_padding: _Sizes = (0, 0), out_dtype: str | None = "int32") -> Call:
        """Take the gradient of a convolution of quantised tensors.

        Args:
            data: (n, c, h, w) int8 or uint8
            weight: (c, o / groups, kh, kw)
            input_zero_point: ()
            kernel_zero_point: () or (o,)
            input_scale: ()
            kernel_scale: () or (o,)
            strides: the step along each axis; (1, 1) if left out
            padding: what is added on both sides of each spatial axis, or before all and then after all of them; (0, 0) if left out
            dilation: the distance between elements of the kernel or window along each axis; (1, 1) if left out
            groups: in how many groups the channels are convolved apart; 1 if left out
            channels: the number of output channels; None if the weight tells
            kernel_size: the size of the kernel; None if the weight tells
            data_layout: the axes of the data, a letter each; 'NCHW' if left out
            kernel_layout: the axes of the kernel, a letter each; 'IOHW' if left out
            out_layout: the axes of the result, '' for those of the data; '' if left out
            output_padding: what is added to the size of the result along each axis; (0, 0) if left out
            out_dtype: the element type of the result, '' for that of the data; 'int32' if left out

        Returns:
            (n, o, h', w') of out_dtype

        Source:
            Relay ``qnn.conv2d_transpose``.
        """
    @staticmethod
    def dense(data: _Arg, weight: _Arg, input_zero_point: _Arg, kernel_zero_point: _Arg, input_scale: _Arg, kernel_scale: _Arg, units: _Size | None, out_dtype: str | None = "int32") -> Call:
        """Multiply quantised vectors by the transpose of a quantised matrix.

        Args:
            data: (n, k) int8 or uint8
            weight: (units, k)
            input_zero_point: ()
            kernel_zero_point: () or (units,)
            input_scale: ()
            kernel_scale: () or (units,)
            units: the number of results; None if the weight tells
            out_dtype: the element type of the result, '' for that of the data; 'int32' if left out

        Returns:
            (n, units) of out_dtype

        Source:
            Relay ``qnn.dense``.
        """
    @staticmethod
    def dequantize(data: _Arg, input_scale: _Arg, input_zero_point: _Arg, axis: int = -1, out_dtype: str = "float32") -> Call:
        """Turn quantised elements into numbers: (x - zero point) * scale.

        Args:
            data: (...) of integers
            input_scale: () or (c,)
            input_zero_point: () or (c,) int32
            axis: the axis; negative ones count from the end; -1 if left out
            out_dtype: the element type of the result, '' for that of the data; 'float32' if left out

        Returns:
            (...) of out_dtype

        Source:
            Relay ``qnn.dequantize``.
        """
    @staticmethod
    def erf(x: _Arg, scale: _Arg, zero_point: _Arg, output_scale: _Arg, output_zero_point: _Arg) -> Call:
        """Take the error function of quantised elements.

        Args:
            x: (...) int8 or uint8
            scale: () of x
            zero_point: () of x
            output_scale: ()
            output_zero_point: ()

        Returns:
            (...), as x

        Source:
            Relay ``qnn.erf``.
        """
    @staticmethod
    def exp(x: _Arg, scale: _Arg, zero_point: _Arg, output_scale: _Arg, output_zero_point: _Arg) -> Call:
        """Raise e to the power of quantised elements.

        Args:
            x: (...) int8 or uint8
            scale: () of x
            zero_point: () of x
            output_scale: ()
            output_zero_point: ()

        Returns:
            (...), as x

        Source:
            Relay ``qnn.exp``.
        """
    @staticmethod
    def hardswish(x: _Arg, scale: _Arg, zero_point: _Arg, output_scale: _Arg, output_zero_point: _Arg) -> Call:
        """Take x * clip(x + 3, 0, 6) / 6 of quantised elements x.

        Args:
            x: (...) int8 or uint8
            scale: () of x
            zero_point: () of x
            output_scale: ()
            output_zero_point: ()

        Returns:
            (...), as x

        Source:
            Relay ``qnn.hardswish``.
        """
    @staticmethod
    def leaky_relu(x: _Arg, alpha: _Float, input_scale: _Arg, input_zero_point: _Arg, output_scale: _Arg, output_zero_point: _Arg) -> Call:
        """Scale negative quantised elements down.

        Args:
            x: (...) int8 or uint8
            alpha: the factor of the negative or scaled part
            input_scale: ()
            input_zero_point: ()
            output_scale: ()
            output_zero_point: ()

        Returns:
            (...)

        Source:
            Relay ``qnn.leaky_relu``.
        """
    @staticmethod
    def log(x: _Arg, scale: _Arg, zero_point: _Arg, output_scale: _Arg, output_zero_point: _Arg) -> Call:
        """Take the logarithm of quantised elements.

        Args:
            x: (...) int8 or uint8
            scale: () of x
            zero_point: () of x
            output_scale: ()
            output_zero_point: ()

        Returns:
            (...), as x

        Source:
            Relay ``qnn.log``.
        """
    @staticmethod
    def mul(lhs: _Arg, rhs: _Arg, lhs_scale: _Arg, lhs_zero_point: _Arg, rhs_scale: _Arg, rhs_zero_point: _Arg, output_scale: _Arg, output_zero_point: _Arg, lhs_axis: int = -1, rhs_axis: int = -1) -> Call:
        """Multiply two quantised tensors element by element, with broadcasting.

        Args:
            lhs: (...) int8 or uint8
            rhs: (...) of the same element type
            lhs_scale: () or (c,)
            lhs_zero_point: () or (c,)
            rhs_scale: () or (c,)
            rhs_zero_point: () or (c,)
            output_scale: ()
            output_zero_point: ()
            lhs_axis: the axis along which the parameters of the left operand vary; -1 if left out
            rhs_axis: the axis along which the parameters of the right operand vary; -1 if left out

        Returns:
            (...), broadcast of both

        Source:
            Relay ``qnn.mul``.
        """
    @staticmethod
    def quantize(data: _Arg, output_scale: _Arg, output_zero_point: _Arg, axis: int = -1, out_dtype: str = "int8") -> Call:
        """Quantise numbers: round(x / scale) + zero point.

        Args:
            data: (...) float32
            output_scale: () or (c,)
            output_zero_point: () or (c,) int32
            axis: the axis; negative ones count from the end; -1 if left out
            out_dtype: the element type of the result, '' for that of the data; 'int8' if left out

        Returns:
            (...) of out_dtype

        Source:
            Relay ``qnn.quantize``.
        """
    @staticmethod
    def requantize(data: _Arg, input_scale: _Arg, input_zero_point: _Arg, output_scale: _Arg, output_zero_point: _Arg, axis: int = -1, rounding: str = "None", compute_dtype: str = "None", out_dtype: str | None = "int8") -> Call:
        """Turn elements quantised one way into elements quantised another way.

        Args:
            data: (...) of integers
            input_scale: () or (c,)
            input_zero_point: () or (c,)
            output_scale: ()
            output_zero_point: ()
            axis: the axis; negative ones count from the end; -1 if left out
            rounding: how halves are rounded: UPWARD, TONEAREST, or None for the default of the context; 'None' if left out
            compute_dtype: the element type in which it is computed: int64, float32, float64 or None; 'None' if left out
            out_dtype: the element type of the result, '' for that of the data; 'int8' if left out

        Returns:
            (...) of out_dtype

        Source:
            Relay ``qnn.requantize``.
        """
    @staticmethod
    def rsqrt(x: _Arg, scale: _Arg, zero_point: _Arg, output_scale: _Arg, output_zero_point: _Arg) -> Call:
        """Take one over the square root of quantised elements.

        Args:
            x: (...) int8 or uint8
            scale: () of x
            zero_point: () of x
            output_scale: ()
            output_zero_point: ()

        Returns:
            (...), as x

        Source:
            Relay ``qnn.rsqrt``.
        """
    @staticmethod
    def sigmoid(x: _Arg, scale: _Arg, zero_point: _Arg, output_scale: _Arg, output_zero_point: _Arg) -> Call:
        """Take 1 / (1 + exp(-x)) of quantised elements x.

        Args:
            x: (...) int8 or uint8
            scale: () of x
            zero_point: () of x
            output_scale: ()
            output_zero_point: ()

        Returns:
            (...), as x

        Source:
            Relay ``qnn.sigmoid``.
        """
    @staticmethod
    def simulated_dequantize(data: Expr, input_scale: Expr, input_zero_point: Expr, axis: int = -1, in_dtype: Expr | str = "int8") -> Call:
        """Undo a simulated quantisation.

        Args:
            data: (...) float32
            input_scale: () or (c,)
            input_zero_point: () or (c,)
            axis: the axis; negative ones count from the end; -1 if left out
            in_dtype: () int32, a number for the element type; 'int8' if left out

        Returns:
            (...) float32

        Source:
            Relay ``qnn.simulated_dequantize``.
        """
    @staticmethod
    def simulated_quantize(data: Expr, output_scale: Expr, output_zero_point: Expr, axis: int = -1, out_dtype: Expr | str = "int8") -> Call:
        """Quantise numbers, leaving them of their element type.

        Args:
            data: (...) float32
            output_scale: () or (c,)
            output_zero_point: () or (c,)
            axis: the axis; negative ones count from the end; -1 if left out
            out_dtype: () int32, a number for the element type; 'int8' if left out

        Returns:
            (...) float32

        Source:
            Relay ``qnn.simulated_quantize``.
        """
    @staticmethod
    def softmax(x: _Arg, scale: _Arg, zero_point: _Arg, output_scale: _Arg, output_zero_point: _Arg, axis: int = -1) -> Call:
        """Take exponentials divided by their sum along an axis, on quantised elements.

        Args:
            x: (...) int8 or uint8
            scale: () of x
            zero_point: () of x
            output_scale: ()
            output_zero_point: ()
            axis: the axis; negative ones count from the end; -1 if left out

        Returns:
            (...), as x

        Source:
            Relay ``qnn.softmax``.
        """
    @staticmethod
    def sqrt(x: _Arg, scale: _Arg, zero_point: _Arg, output_scale: _Arg, output_zero_point: _Arg) -> Call:
        """Take the square root of quantised elements.

        Args:
            x: (...) int8 or uint8
            scale: () of x
            zero_point: () of x
            output_scale: ()
            output_zero_point: ()

        Returns:
            (...), as x

        Source:
            Relay ``qnn.sqrt``.
        """
    @staticmethod
    def subtract(lhs: _Arg, rhs: _Arg, lhs_scale: _Arg, lhs_zero_point: _Arg, rhs_scale: _Arg, rhs_zero_point: _Arg, output_scale: _Arg, output_zero_point: _Arg, lhs_axis: int = -1, rhs_axis: int = -1) -> Call:
        """Subtract two quantised tensors element by element, with broadcasting.

        Args:
            lhs: (...) int8 or uint8
            rhs: (...) of the same element type
            lhs_scale: () or (c,)
            lhs_zero_point: () or (c,)
            rhs_scale: () or (c,)
            rhs_zero_point: () or (c,)
            output_scale: ()
            output_zero_point: ()
            lhs_axis: the axis along which the parameters of the left operand vary; -1 if left out
            rhs_axis: the axis along which the parameters of the right operand vary; -1 if left out

        Returns:
            (...), broadcast of both

        Source:
            Relay ``qnn.subtract``.
        """
    @staticmethod
    def tanh(x: _Arg, scale: _Arg, zero_point: _Arg, output_scale: _Arg, output_zero_point: _Arg) -> Call:
        """Take the hyperbolic tangent of quantised elements.

        Args:
            x: (...) int8 or uint8
            scale: () of x
            zero_point: () of x
            output_scale: ()
            output_zero_point: ()

        Returns:
            (...), as x

        Source:
            Relay ``qnn.tanh``.
        """

class qnn(_QuantisedOperators):
    op: type[_QuantisedOperators]
    transform: _Any  # a module

class random:
    @staticmethod
    def threefry_key(seed: int) -> Constant:
        """Return the key ``(10,) uint64`` that random numbers start from.

        Args:
            seed: From 0 to 2**256 - 1; the lowest 64 bits are the first word.

        Raises:
            EvaluationError: If it is another number.

        Example:
            >>> threefry_key(7).data[:4].tolist()
            [7, 0, 0, 0]
        """
    @staticmethod
    def multinomial(key: _Arg, probs: _Arg, num_samples: int = 1) -> Call:
        """Draw classes by their probabilities.

        Args:
            key: (10,) uint64
            probs: (..., classes)
            num_samples: how many to draw; 1 if left out

        Returns:
            a tuple: the next key (10,) uint64, classes (..., num_samples) int32

        Source:
            Relay ``random.multinomial``.
        """
    @staticmethod
    def normal(key: Expr, shape: int | _Sequence[int], dtype: str = "float32", mean: Expr | float = 0.0, scale: Expr | float = 1.0) -> Call:
        """Draw numbers of the normal distribution.

        Args:
            key: (10,) uint64
            shape: the shape of the result
            dtype: the element type of the result; 'float32' if left out
            mean: (), or a number; 0.0 if left out
            scale: the standard deviation (), or a number; 1.0 if left out

        Returns:
            a tuple: the next key (10,) uint64, numbers

        Source:
            Relay ``random.normal``.
        """
    @staticmethod
    def threefry_generate(key: Expr, shape: int | _Sequence[int]) -> Call:
        """Draw random bits.

        Args:
            key: (10,) uint64
            shape: the shape of the bits

        Returns:
            a tuple: the next key (10,) uint64, bits uint64

        Source:
            Relay ``random.threefry_generate``.
        """
    @staticmethod
    def threefry_split(key: _Arg) -> Call:
        """Make two independent keys of one.

        Args:
            key: (10,) uint64

        Returns:
            a tuple of two keys (10,) uint64

        Source:
            Relay ``random.threefry_split``.
        """
    @staticmethod
    def uniform(key: Expr, shape: int | _Sequence[int], dtype: str = "float32", low: Expr | float = 0.0, high: Expr | float = 1.0) -> Call:
        """Draw numbers that are equally likely everywhere between two bounds.

        Args:
            key: (10,) uint64
            shape: the shape of the result
            dtype: the element type of the result; 'float32' if left out
            low: (), or a number; 0.0 if left out
            high: (), or a number; 1.0 if left out

        Returns:
            a tuple: the next key (10,) uint64, numbers

        Source:
            Relay ``random.uniform``.
        """

class vision:
    @staticmethod
    def all_class_non_max_suppression(boxes: _Arg, scores: _Arg, max_output_boxes_per_class: _Arg | float = -1, iou_threshold: _Arg | float = -1.0, score_threshold: _Arg | float = -1.0, output_format: str = "onnx") -> Call:
        """Drop boxes that overlap with better ones of their class.

        Args:
            boxes: (n, boxes, 4)
            scores: (n, classes, boxes)
            max_output_boxes_per_class: (), or a number; -1 if left out
            iou_threshold: (), or a number; -1.0 if left out
            score_threshold: (), or a number; -1.0 if left out
            output_format: onnx or tensorflow; 'onnx' if left out

        Returns:
            a tuple: indices (m, 3) int64 and their number (1,) int64; for tensorflow indices, scores and numbers

        Source:
            Relay ``vision.all_class_non_max_suppression``.
        """
    @staticmethod
    def get_valid_counts(data: _Arg, score_threshold: _Arg | float, id_index: int = 0, score_index: int = 1) -> Call:
        """Move boxes with a score high enough to the front and count them.

        Args:
            data: (n, boxes, elements)
            score_threshold: (), or a number
            id_index: where the class of a box stands, -1 for nowhere; 0 if left out
            score_index: where the score of a box stands; 1 if left out

        Returns:
            a tuple: counts (n,) int32, boxes (n, boxes, elements), indices (n, boxes) int32

        Source:
            Relay ``vision.get_valid_counts``.
        """
    @staticmethod
    def multibox_prior(data: _Arg, sizes: _Floats = (1.0,), ratios: _Floats = (1.0,), steps: _Floats = (-1.0, -1.0), offsets: _Floats = (0.5, 0.5), clip: bool = False) -> Call:
        """Make boxes around every cell of a feature map.

        Args:
            data: (n, c, h, w)
            sizes: sizes of the boxes, as parts of the image; (1.0,) if left out
            ratios: ratios of width to height of the boxes; (1.0,) if left out
            steps: the distance of the centres of boxes, vertically and horizontally; -1 for that of the cells; (-1.0, -1.0) if left out
            offsets: where the centre of a box is in its cell, vertically and horizontally; (0.5, 0.5) if left out
            clip: whether boxes are clipped to the image; False if left out

        Returns:
            (1, h * w * boxes, 4)

        Source:
            Relay ``vision.multibox_prior``.
        """
    @staticmethod
    def multibox_transform_loc(cls_prob: _Arg, loc_pred: _Arg, anchor: _Arg, clip: bool = True, threshold: _Float = 0.01, variances: _Floats = (0.1, 0.1, 0.2, 0.2), keep_background: bool = False) -> Call:
        """Turn predicted offsets into boxes and count those that are kept.

        Args:
            cls_prob: (n, classes, boxes)
            loc_pred: (n, 4 * boxes)
            anchor: (1, boxes, 4)
            clip: whether boxes are clipped to the image; True if left out
            threshold: the score below which a box is left out; 0.01 if left out
            variances: the factors with which boxes were encoded; (0.1, 0.1, 0.2, 0.2) if left out
            keep_background: whether the background is a class as others; False if left out

        Returns:
            a tuple: boxes (n, boxes, 6), counts (n,) int32

        Source:
            Relay ``vision.multibox_transform_loc``.
        """
    @staticmethod
    def non_max_suppression(data: _Arg, valid_count: _Arg, indices: _Arg, max_output_size: _Arg | float = -1, iou_threshold: _Arg | float = 0.5, force_suppress: bool = False, top_k: int = -1, coord_start: int = 2, score_index: int = 1, id_index: int = 0, return_indices: bool = True, invalid_to_bottom: bool = False) -> Call:
        """Drop boxes that overlap with better ones.

        Args:
            data: (n, boxes, elements)
            valid_count: (n,) int32
            indices: (n, boxes) int32
            max_output_size: (), or a number; -1 if left out
            iou_threshold: (), or a number; 0.5 if left out
            force_suppress: whether boxes of different classes suppress each other; False if left out
            top_k: boxes that are looked at, -1 for all; -1 if left out
            coord_start: where the coordinates of a box start; 2 if left out
            score_index: where the score of a box stands; 1 if left out
            id_index: where the class of a box stands, -1 for nowhere; 0 if left out
            return_indices: whether to return indices of boxes in place of boxes; True if left out
            invalid_to_bottom: whether what is suppressed is moved to the end; False if left out

        Returns:
            a tuple: indices (n, boxes) int32, counts (n, 1) int32; or the boxes (n, boxes, elements)

        Source:
            Relay ``vision.non_max_suppression``.
        """
    @staticmethod
    def proposal(cls_prob: _Arg, bbox_pred: _Arg, im_info: _Arg, scales: _Floats = (4.0, 8.0, 16.0, 32.0), ratios: _Floats = (0.5, 1.0, 2.0), feature_stride: int = 16, threshold: _Float = 0.7, rpn_pre_nms_top_n: int = 6000, rpn_post_nms_top_n: int = 300, rpn_min_size: int = 16, iou_loss: bool = False) -> Call:
        """Propose boxes that may hold an object.

        Args:
            cls_prob: (n, 2 * anchors, h, w)
            bbox_pred: (n, 4 * anchors, h, w)
            im_info: (n, 3)
            scales: sizes of the boxes; (4.0, 8.0, 16.0, 32.0) if left out
            ratios: ratios of width to height of the boxes; (0.5, 1.0, 2.0) if left out
            feature_stride: pixels of the image to an element of the feature map; 16 if left out
            threshold: the score below which a box is left out; 0.7 if left out
            rpn_pre_nms_top_n: boxes kept before suppression; 6000 if left out
            rpn_post_nms_top_n: boxes kept after suppression; 300 if left out
            rpn_min_size: the smallest width or height of a box; 16 if left out
            iou_loss: whether boxes are predicted for the loss of intersection over union; False if left out

        Returns:
            (n * rpn_post_nms_top_n, 5)

        Source:
            Relay ``vision.proposal``.
        """
    @staticmethod
    def regular_non_max_suppression(boxes: _Arg, scores: _Arg, max_detections_per_class: int, max_detections: int, num_classes: int, iou_threshold: _Float, score_threshold: _Float) -> Call:
        """Drop boxes that overlap with better ones of their class, as TFLite does.

        Args:
            boxes: (n, boxes, 4)
            scores: (n, boxes, classes)
            max_detections_per_class: boxes kept of each class
            max_detections: boxes kept in all
            num_classes: the number of classes
            iou_threshold: the overlap from which on a box is suppressed
            score_threshold: the score below which a box is left out

        Returns:
            a tuple: boxes, classes, scores and counts

        Source:
            Relay ``vision.regular_non_max_suppression``.
        """
    @staticmethod
    def roi_align(data: _Arg, rois: _Arg, pooled_size: _Sizes, spatial_scale: _Float, sample_ratio: int = -1, layout: str = "NCHW", mode: str = "avg") -> Call:
        """Average the feature map over each bin of each region.

        Args:
            data: (n, c, h, w)
            rois: (m, 5) as image, x1, y1, x2, y2
            pooled_size: height and width of the result
            spatial_scale: elements of the feature map to a pixel of the image
            sample_ratio: samples to a bin of the result, along each axis; -1 for as many as needed; -1 if left out
            layout: the axes of the data, a letter each; 'NCHW' if left out
            mode: avg or max; 'avg' if left out

        Returns:
            (m, c, *pooled_size)

        Source:
            Relay ``vision.roi_align``.
        """
    @staticmethod
    def roi_pool(data: _Arg, rois: _Arg, pooled_size: _Sizes, spatial_scale: _Float, layout: str = "NCHW") -> Call:
        """Take the largest element in each bin of each region.

        Args:
            data: (n, c, h, w)
            rois: (m, 5) as image, x1, y1, x2, y2
            pooled_size: height and width of the result
            spatial_scale: elements of the feature map to a pixel of the image
            layout: the axes of the data, a letter each; 'NCHW' if left out

        Returns:
            (m, c, *pooled_size)

        Source:
            Relay ``vision.roi_pool``.
        """
    @staticmethod
    def yolo_reorg(data: _Arg, stride: int = 1) -> Call:
        """Move pixels into channels as YOLO does.

        Args:
            data: (n, c, h, w)
            stride: the distance of elements that go to different channels; 1 if left out

        Returns:
            (n, c * stride ** 2, h / stride, w / stride)

        Source:
            Relay ``vision.yolo_reorg``.
        """

class vm:
    @staticmethod
    def invoke_tvm_op(func: _Arg, inputs: _Arg, outputs: _Arg) -> Call:
        """Call a lowered operator on memory that is there.

        Args:
            func: a function
            inputs: a tuple
            outputs: a tuple

        Returns:
            the empty tuple

        Source:
            Relay ``vm.invoke_tvm_op``.
        """
    @staticmethod
    def reshape_tensor(data: _Arg, shape: _Arg, newshape: _Sizes) -> Call:
        """Give a tensor another shape without a copy.

        Args:
            data: (...)
            shape: (k,) of integers
            newshape: the new shape: -1 for what is left, 0 for the size that is there, -2 to -4 as in Relay

        Returns:
            newshape

        Source:
            Relay ``vm.reshape_tensor``.
        """
    @staticmethod
    def shape_of(expr: _Arg, dtype: str | None = "int64") -> Call:
        """Give the shape of a tensor.

        Args:
            expr: (d0, ..., dk)
            dtype: the element type of the result; 'int64' if left out

        Returns:
            (k + 1,) of dtype

        Source:
            Relay ``vm.shape_of``.
        """
