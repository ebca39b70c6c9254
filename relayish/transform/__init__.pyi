# What type checkers see of relayish.transform: generated from what is exported and registered.
# fmt: off
# ruff: noqa: E501, I001, N802 - generated
import collections.abc as _collections_abc
import relayish.ir.relay.expr as _relayish_ir_relay_expr
import relayish.ir.relay.virtual_device as _relayish_ir_relay_virtual_device
import relayish.passes.relay.memory.plan_devices as _relayish_passes_relay_memory_plan_devices
import typing as _typing
from relayish.ir.relay.expr import Function as _Function
from relayish.ir.relay.module import IRModule as _IRModule
from relayish.pass_infra.composition.check import Check as Check
from relayish.pass_infra.base.common import CommonConfig as CommonConfig
from relayish.pass_infra.instruments.common import CommonOptionsInstrument as CommonOptionsInstrument
from relayish.pass_infra.instruments.diff import DiffInstrument as DiffInstrument
from relayish.pass_infra.instruments.dump import DumpInstrument as DumpInstrument
from relayish.registry.source import EntryPointSource as EntryPointSource
from relayish.pass_infra.relay.function_pass import FunctionPass as FunctionPass
from relayish.pass_infra.instruments.immutable import ImmutableModuleInstrument as ImmutableModuleInstrument
from relayish.pass_infra.composition.instruments import InstrumentEntry as InstrumentEntry
from relayish.pass_infra.composition.instruments import InstrumentRegistry as InstrumentRegistry
from relayish.pass_infra.base.pass_class import ModulePass as ModulePass
from relayish.pass_infra.base.pass_class import Pass as Pass
from relayish.pass_infra.base.context import PassContext as PassContext
from relayish.pass_infra.instruments.counting import PassCountInstrument as PassCountInstrument
from relayish.pass_infra.composition.registry import PassEntry as PassEntry
from relayish.pass_infra.base.info import PassInfo as PassInfo
from relayish.pass_infra.base.instrument import PassInstrument as PassInstrument
from relayish.pass_infra.instruments.printing import PassPrintingInstrument as PassPrintingInstrument
from relayish.pass_infra.instruments.timing import PassProfile as PassProfile
from relayish.pass_infra.composition.registry import PassRegistry as PassRegistry
from relayish.registry.source import PassSource as PassSource
from relayish.pass_infra.instruments.timing import PassTimingInstrument as PassTimingInstrument
from relayish.pass_infra.relay.preserved import PreservedAnalysesInstrument as PreservedAnalysesInstrument
from relayish.pass_infra.instruments.printing import PrintAfterAll as PrintAfterAll
from relayish.pass_infra.instruments.printing import PrintBeforeAll as PrintBeforeAll
from relayish.pass_infra.instruments.progress import Progress as Progress
from relayish.pass_infra.instruments.progress import ProgressInstrument as ProgressInstrument
from relayish.pass_infra.composition.sequential import Sequential as Sequential
from relayish.pass_infra.base.type_inference import TYPE_INFERENCE as TYPE_INFERENCE
from relayish.registry.source import TableSource as TableSource
from relayish.pass_infra.instruments.marks import TimingMark as TimingMark
from relayish.pass_infra.instruments.marks import TimingMarks as TimingMarks
from relayish.pass_infra.base.trace import TraceFiles as TraceFiles
from relayish.pass_infra.instruments.verify import VerifyInstrument as VerifyInstrument
from relayish.pass_infra.composition.registry import add_pass_source as add_pass_source
from relayish.pass_infra.composition.pass_config import config_class as config_class
from relayish.pass_infra.composition.pass_config import config_of as config_of
from relayish.pass_infra.relay.function_pass import create_function_pass as create_function_pass
from relayish.pass_infra.base.decorators import create_module_pass as create_module_pass
from relayish.pass_infra.base.trace import current_trace_files as current_trace_files
from relayish.pass_infra.relay.function_pass import function_pass as function_pass
from relayish.pass_infra.composition.check import get_check as get_check
from relayish.pass_infra.composition.registry import get_pass as get_pass
from relayish.ir.relay.function_attributes import is_skipped as is_skipped
from relayish.pass_infra.composition.check import list_checks as list_checks
from relayish.pass_infra.base.config import list_configs as list_configs
from relayish.pass_infra.composition.instruments import list_instruments as list_instruments
from relayish.pass_infra.composition.registry import list_passes as list_passes
from relayish.pass_infra.base.decorators import module_pass as module_pass
from relayish.pass_infra.composition.instruments import parse_instruments as parse_instruments
from relayish.pass_infra.composition.sequential import parse_pipeline as parse_pipeline
from relayish.pass_infra.composition.registry import pass_entry as pass_entry
from relayish.pass_infra.base.instrument import pass_instrument as pass_instrument
from relayish.pass_infra.composition.check import register_check as register_check
from relayish.pass_infra.base.config import register_config_option as register_config_option
from relayish.pass_infra.composition.instruments import register_instrument as register_instrument
from relayish.pass_infra.composition.register import register_pass as register_pass
from relayish.pass_infra.composition.sequential import requirements as requirements
from relayish.pass_infra.composition.check import run_check as run_check
from relayish.pass_infra.base.pass_class import running_pass as running_pass
from relayish.passes.relay.normal_form.cps_converter import CPS_RULES as CPS_RULES
from relayish.passes.relay.gradient.ad.kind_rules import ControlFlow as ControlFlow
from relayish.passes.relay.normal_form.let_chains import ExprAppend as ExprAppend
from relayish.passes.relay.normal_form.let_chains import ExtractBinding as ExtractBinding
from relayish.passes.relay.functions.defunctionalize.encode import FUNCTION_PASSING as FUNCTION_PASSING
from relayish.passes.relay.fold.fold_constant import FoldConstantExpr as FoldConstantExpr
from relayish.passes.relay.gradient.ad.kind_rules import GRADIENT_RULES as GRADIENT_RULES
from relayish.passes.utility.infer_type import InferTypeLocal as InferTypeLocal
from relayish.passes.relay.layout.conversion import LayoutConfig as LayoutConfig
from relayish.passes.relay.normal_form.let_chains import Substitute as Substitute
from relayish.passes.relay.normal_form.to_a_normal_form import ToANormalFormExpr as ToANormalFormExpr
from relayish.pass_infra.base.build_config import build_config as build_config
from relayish.passes.relay.default_pipeline import default_pipeline as default_pipeline
from relayish.passes.relay.gradient.gradient import gradient as gradient
from relayish.passes.relay.fold.constant_checker import is_constant as is_constant
from relayish.passes.relay.rewrite.recast import recast as recast
from relayish.passes.relay.normal_form.to_cps import to_cps as to_cps
from relayish.passes.relay.normal_form.un_cps import un_cps as un_cps
from relayish.rewriting.why_not import why_not as why_not
FUNCTIONS: dict[str, str]
PASS_SOURCES: tuple[PassSource, ...]

class AlterOpLayout(FunctionPass):
    """Layout alteration: put what is registered for operators in place of their calls.

    Return ``expr``, whose types are known, with calls replaced by what is registered for operators.

    :func:`~relayish.op.register_alter_op_layout` registers a function for an operator. The call it
    returns may be one of another operator, ask for other layouts, and do more to its arguments, one
    by one. What comes before and behind follows, as in ``ConvertLayout``.

    Returns:
        ``expr`` itself where nothing is registered for any operator in it.

    Raises:
        PassError: If a function returns no call of an operator with as many arguments.

    Complexity:
        Linear in the number of distinct nodes, beside the functions registered; no recursion.

    Source:
        Relay ``AlterOpLayout``.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class AnnotateSpans(ModulePass):
    """Span annotation: give every expression its place in the text of its module.

    Return ``mod`` as its own text reads, so that every expression has a span that points there.

    Errors in programs that were built or transformed can then be looked up in ``astext(mod)``, type
    errors as well: the program need not be well-typed. Where it carries types, so does the result.

    Complexity:
        Linear in the length of the text; no recursion.

    Source:
        Relay ``AnnotateSpans``.

    Example:
        >>> from relayish.ir.relay.build import const
        >>> from relayish.ir.relay.expr import Function
        >>> from relayish.transform import AnnotateSpans
        >>> mod = AnnotateSpans()(IRModule.from_expr(Function((), const(1))))
        >>> str(mod["main"].body.span)
        'GeneratedSource:3:3'
    """
    def __init__(self) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class AnnotateTarget(FunctionPass):
    """Target annotation: mark which calls another compiler takes over.

    Return ``expr`` with marks where values enter and leave what another compiler computes.

    A call is for the first of ``targets`` that takes its operator, see
    :func:`~relayish.op.declaration.target.register_target_support`, or is named in the
    ``Composite`` attribute of the function that is called; other calls are for the target
    ``"default"``. Marks that stand there already stay, unless they are for the default and another
    target takes the call.

    Args:
        expr: Any expression; predicates of targets may ask for types.
        targets: Names of compilers, the preferred ones first.
        include_non_call_ops: Mark tuples and projections as well, for the target that all of their
            operands come from, and for the default what creates, reads and writes references, and
            calls of closures and constructors.
        mod: Where composite functions named after targets may be, besides ``expr``.

    Returns:
        ``expr`` itself when everything was marked before.

    Warns:
        IgnoredNameWarning: If nothing is known that a target computes.

    Complexity:
        Linear in distinct nodes and edges; no recursion.

    Source:
        Relay ``AnnotateTarget``, where references, too, are for the target of their operands.
    """
    @property
    def targets(self) -> str | tuple[str, ...]: ...
    @property
    def include_non_call_ops(self) -> bool: ...
    def __init__(self, targets: str | tuple[str, ...] | list[str], include_non_call_ops: bool = True) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class ApplySchedules(Pass):
    """Apply schedules, each registered by ``tir.register_schedule``, one after the other.

    Args:
        func: A function of loops, with or without schedule blocks.
        rules: Names, with options: ``"in_rows{rows=8},vector_lanes"``.
        otherwise: The same, of schedules that are applied where ``rules`` change nothing.
        target: What is compiled for; schedules for others are left out. ``""``: none is.
        exact: Whether floats have to be the same, bit for bit; else sums may be added in another
            order.

    Returns:
        ``func`` itself when none takes a step that changes it.

    Raises:
        ScheduleError: If a schedule takes a step that is refused: which, and why.
        UnknownNameError: If no schedule of a name is registered.

    Source:
        CINN group schedule tactics, TVM ``tir.schedule`` rules.
    """
    @property
    def rules(self) -> str: ...
    @property
    def otherwise(self) -> str: ...
    @property
    def target(self) -> str: ...
    @property
    def exact(self) -> bool: ...
    def __init__(self, rules: str = "", otherwise: str = "", target: str = "", exact: bool = True) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class BackwardFoldScaleAxis(FunctionPass):
    """Scale folding, backward: fold scales of channels into the weights of producers.

    Return ``expr`` with scales folded backward into weights, where nobody else sees the data.

    A multiplication by one number a channel, or one for all, is taken over by the weights of the
    convolutions, or of ``nn.dense``, that make the channels; on the way it passes activations (if
    the numbers are constants and positive) and sums, where a bias is multiplied as well. What is
    passed has no other consumer.

    Args:
        expr: An expression whose types were inferred. Nothing moves where they were not, nor where
            numbers are not floating-point.

    Returns:
        ``expr`` itself when there was nothing to fold.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``BackwardFoldScaleAxis``.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
def BatchingOps() -> Pass:
    """Combining of parallel layers: compute convolutions, dense layers and products at once.

    The passes it consists of run where the level of the context is theirs, 4: below it nothing is
    combined.

    Source:
        Relay ``BatchingOps``.
    """
class BindParams(ModulePass):
    """Parameter binding: replace parameters of a function by constants, by their names.

    What :func:`bind_params_by_name` does, with the function of ``mod`` that is called ``function``.
    Build the pass in Python: arrays cannot be written in a pipeline string.

    Returns:
        ``mod`` itself when nothing is bound.

    Raises:
        PassError: If there is no such function, or as :func:`bind_params_by_name` does.

    Source:
        RAF ``BindParam``, which leaves bound parameters in the list of parameters.

    Example:
        >>> from relayish.text import parse_expr
        >>> from relayish.transform import BindParams
        >>> mod = IRModule.from_expr(parse_expr("fn (%x: int32, %y: int32) { add(%x, %y) }"))
        >>> func = BindParams({"y": 2})(mod)["main"]
        >>> len(func.params), func.body.args[1]
        (1, Constant(data=np.int32(2)))
    """
    @property
    def params(self) -> _collections_abc.Mapping[str, _typing.Any]: ...
    @property
    def function(self) -> str: ...
    def __init__(self, params: _collections_abc.Mapping[str, _typing.Any], function: str = "main") -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class BoundsCheckElimination(Pass):
    """Bounds-check elimination: leave out checks whose outcome the intervals of variables tell.

    Of a branch whose condition always or never holds where it stands, the arm that is run takes
    the place, and of a loop that never runs, nothing. Of a condition that is a conjunction or
    disjunction, parts that decide nothing go. What variables may be is found along the flow of
    control: through scalars that are assigned, loops with conditions of their own, truth values
    that are tested later, branches that were not taken. What ``IfSimplify`` finds is done as well.
    A condition that may fault is still asked.

    Returns:
        ``func`` itself when there is nothing to do.

    Complexity:
        That of :class:`~relayish.tir.analysis.IndexIntervals`; no recursion.

    Source:
        Array bounds-check elimination by intervals: Cousot and Cousot, 1976; Harrison, 1977.
    """
    def __init__(self) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class CanonicalizeCast(FunctionPass):
    """Cast canonicalisation: give each use of a widening cast its own, so that both fuse.

    Return ``expr``, whose types are known, with a cast for each use of a cast that widens.

    Only uses by operators that work element by element, or broadcast, get a cast of their own: they
    fuse with it.

    Returns:
        ``expr`` itself when no such cast is used twice.

    Raises:
        PassError: If types were not inferred.

    Complexity:
        Linear in the number of distinct nodes and their uses; no recursion.

    Source:
        Relay ``CanonicalizeCast``.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class CanonicalizeOps(FunctionPass):
    """Operator canonicalisation: write ``nn.bias_add`` as an addition.

    Return ``expr``, whose types are known, with biases added by a plain addition.

    Returns:
        ``expr`` itself when there are none.

    Raises:
        PassError: If a bias is added to data whose type was not inferred.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``CanonicalizeOps``.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class CapturePostDfsIndexInSpans(FunctionPass):
    """Post-order numbering: keep the number of each expression in its span.

    Return ``expr`` with the number of each expression in post-order in its span.

    A span is ``index:<own number>:<number of the post-dominator>``, the latter -1 for ``expr``
    itself. Names of operators, constructors and functions are numbered and keep their spans.

    Complexity:
        ``n log n`` in the number of distinct nodes; no recursion.

    Source:
        Relay ``CapturePostDfsIndexInSpans``.

    Example:
        >>> from relayish.ir.relay.build import var
        >>> x = var("x", "float32")
        >>> from relayish.transform import CapturePostDfsIndexInSpans
        >>> mod = CapturePostDfsIndexInSpans()(IRModule.from_expr(Function((x,), -x)))
        >>> str(mod["main"].params[0].span), str(mod["main"].body.span), str(mod["main"].span)
        ('index:0:3', 'index:2:3', 'index:3:-1')
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class CastSimplify(Pass):
    """Cast simplification: drop casts that change nothing, and take one for two.

    Only where no bit is lost that the result has: integers by their low bits, floats by what their
    types, or the intervals of integers, say. A cast that may fault stays.

    Returns:
        ``func`` itself when there is nothing to do.

    Complexity:
        Linear in the number of distinct nodes, and the size of conditions; no recursion.

    Source:
        CINN ``CastSimplify``.
    """
    def __init__(self) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class ChangeBatch(ModulePass):
    """Batch rewriting: give inputs of a network another size of batch.

    What :func:`change_batch` does, with each function; types are inferred anew. The variables in
    ``data`` are those of the module the pass is applied to; type inference makes new ones.

    Raises:
        PassError: If one of ``data`` is no variable, or is none of the module.

    Example:
        >>> from relayish.transform import ChangeBatch
        >>> x = Var("x", TensorType((1, 3), "float32"))
        >>> mod = IRModule.from_expr(Function((x,), x))
        >>> ChangeBatch({x: 0}, batch_size=4)(mod)["main"].params[0].type_annotation
        TensorType(shape=(4, 3), dtype='float32')
    """
    @property
    def data(self) -> _collections_abc.Mapping[_relayish_ir_relay_expr.Var, int]: ...
    @property
    def batch_size(self) -> int: ...
    def __init__(self, data: _collections_abc.Mapping[_relayish_ir_relay_expr.Var, int], batch_size: int = 16) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class CombineConstants(FunctionPass):
    """Reassociation: combine constants that are added, or multiplied, one after the other.

    ``Add`` of ``Add``, ``Mul`` of ``Mul`` by constants, nothing else using what lies between,
    become one; ``Sub`` and ``Div`` of floats by a constant count as such. Integers are exact; of
    floats the result may differ by rounding, and where the combined constant leaves the range of
    the element type nothing is done.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes and the elements of the constants.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class CombineParallelBatchMatmul(FunctionPass):
    """Combining of parallel matrix products: multiply one batch once with all others.

    Return ``expr`` with calls of ``nn.batch_matmul`` on the same data combined.

    Elementwise operators behind all of them are combined as well, as long as their other arguments
    have a number for each column.

    Args:
        expr: An expression whose types were inferred; nothing is combined where they were not.
        min_num_branches: How many calls it takes; never less than 2.

    Returns:
        ``expr`` itself when nothing was combined.

    Complexity:
        Linear in the number of distinct nodes, but for the logarithm of the depth of scopes.

    Source:
        Relay ``CombineParallelBatchMatmul``.
    """
    @property
    def min_num_branches(self) -> int: ...
    def __init__(self, min_num_branches: int = 3) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class CombineParallelConv2D(FunctionPass):
    """Combining of parallel convolutions: convolve the same data once with all weights.

    Return ``expr`` with convolutions of the same data combined, and what follows each of them.

    Convolutions have the same attributes but for their numbers of channels, no groups, and weights
    of the same size but for them. Elementwise operators behind all of them are combined as well, as
    long as their other arguments have a number for each channel. None is combined where one would
    have to wait for the result of another.

    Args:
        expr: An expression whose types were inferred; nothing is combined where they were not.
        min_num_branches: How many convolutions it takes; never less than 2.

    Returns:
        ``expr`` itself when nothing was combined.

    Complexity:
        Linear in the number of distinct nodes, but for the logarithm of the depth of scopes.

    Source:
        Relay ``CombineParallelConv2D``.
    """
    @property
    def min_num_branches(self) -> int: ...
    def __init__(self, min_num_branches: int = 3) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class CombineParallelDense(FunctionPass):
    """Combining of parallel dense layers: multiply the same data once with all matrices.

    Return ``expr`` with calls of ``nn.dense`` on the same data combined, and what follows them.

    In a batch, matrices have the same size, and so have the other arguments of the elementwise
    operators that follow. Else matrices may have different numbers of rows, and the other arguments
    are one number for each row, or one for all, and may have more axes than the product.

    Args:
        expr: An expression whose types were inferred; nothing is combined where they were not.
        min_num_branches: How many calls it takes; never less than 2.
        to_batch: Whether they become one ``nn.batch_matmul``, or one larger ``nn.dense``.

    Returns:
        ``expr`` itself when nothing was combined.

    Complexity:
        Linear in the number of distinct nodes, but for the logarithm of the depth of scopes.

    Source:
        Relay ``CombineParallelDense``.
    """
    @property
    def min_num_branches(self) -> int: ...
    @property
    def to_batch(self) -> bool: ...
    def __init__(self, min_num_branches: int = 3, to_batch: bool = True) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class CommonSubexprElimTIR(Pass):
    """Common-subexpression elimination: compute once what statements compute twice.

    What one statement of a block computes, and it or a later one again, in whatever is nested in
    that, is declared before the first. Nothing is evaluated that was not, or more often: no
    expression leaves a loop or a branch. What reads memory is computed anew where something was
    stored there in between, or may have been. Calls of functions that do nothing but give a value
    count. Left alone are bounds of loops, values of variables of schedule blocks, which stay
    affine, reductions, and vectors.

    Returns:
        ``func`` itself when nothing is computed twice.

    Complexity:
        Linear in the number of statements and distinct nodes, times a logarithm; no recursion.
    """
    def __init__(self) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class ConditionalConstantPropagationTIR(Pass):
    """Conditional constant propagation: put the values of scalars in place of these.

    A scalar that has one value wherever control comes to a statement, however often, is replaced
    by it there; what consists of literals then is computed, and branches and loops that are never
    run go. What ``FoldConstantTIR`` does is done as well. Assignments stay, also those of values
    that nobody asks for any more. What faults stays.

    Returns:
        ``func`` itself when there is nothing to do.

    Complexity:
        That of :class:`~relayish.tir.analysis.ScalarConstants`; no recursion.

    Source:
        Wegman and Zadeck, Constant propagation with conditional branches, 1991.
    """
    def __init__(self) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class ConstantToInitializer(FunctionPass):
    """Constant nodes of ONNX: make them constants of the program.

    Return ``func`` with a constant for each node ``Constant`` of ONNX that holds a tensor, which is
    written as an initializer. Those that hold text, a sparse tensor, or an attribute of a function
    of the model stay.

    Args:
        func: A function of ONNX; anything else is returned as it is.
        mod: The module it is from.

    Complexity:
        Linear in the nodes.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class ContractArrays(Pass):
    """Array contraction: let temporaries hold what one iteration of loops around them needs.

    Loops side by side of which none reads what another stored have temporaries of their own first.

    Where a loop that is run once holds all uses of a temporary, and iterations use parts of it that
    do not overlap, they have nothing to do with one another there, and use the same memory. What
    holds for it may hold for the next loop within. So a tile of an array is all that is left.

    Returns:
        ``func`` itself when each temporary needs all its dimensions.

    Complexity:
        Linear in the size of the function, for each loop that stands around all uses of a temporary
        and for each temporary that becomes several.

    Source:
        Gao, Olsen, Sarkar and Thekkath, "Collective loop fusion for array contraction".
    """
    def __init__(self) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class Conv2dToSparse(FunctionPass):
    """Sparse weights: let convolutions take weights that are stored in blocks.

    Return ``func`` with three parameters in the place of each weight named: ``w.data``,
    ``w.indices`` and ``w.indptr`` for ``w``, which stays beside them where it is used otherwise.

    :func:`relayish.analysis.sparse_conv2d.process_params` finds the weights that are worth it, and
    stores their values so. A convolution stays if a sparse one computes something else: if it
    takes steps, is dilated, has groups, or gives images of another size.

    Args:
        func: A well-formed function.
        mod: The module it belongs to, if to one.
        weight_name: The names of parameters.
        weight_shape: For each the sizes of its parts: two or three of the data, one of the indices,
            one of the row pointers.
        layout: ``NHWC`` or ``NCHW``.
        kernel_size: The rows and columns of kernels.

    Returns:
        ``func`` itself where it convolves with none of them.

    Raises:
        PassError: If a name is that of no parameter, a shape is missing, or has not four or five
            sizes, or the layout is another, or another function of ``mod`` refers to ``func``.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``Conv2dToSparse``; there parameters come in the order of their use, and nobody looks
        at what else a convolution does.
    """
    @property
    def weight_name(self) -> tuple[str, ...]: ...
    @property
    def weight_shape(self) -> tuple[tuple[int, ...], ...]: ...
    @property
    def layout(self) -> str: ...
    @property
    def kernel_size(self) -> int: ...
    def __init__(self, weight_name: tuple[str, ...] | list[str] = (), weight_shape: tuple[tuple[int, ...] | list[int], ...] | list[tuple[int, ...] | list[int]] = (), layout: str = "NHWC", kernel_size: int = 1) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class Conv2dToSparse2(FunctionPass):
    """Sparse constants: store constant weights of convolutions that are mostly zero in blocks.

    Return ``expr`` with ``nn.sparse_conv2d`` in place of convolutions with such weights.

    Args:
        expr: Any well-formed expression.
        layout: That of the convolutions that are looked at, ``NHWC`` or ``NCHW``.
        kernel_size: The rows and columns of their kernels; an odd number.
        blocksize: Output channels and columns of a block; a weight it does not divide stays.
        sparsity_threshold: The least share of elements that are in no block that is stored.

    Returns:
        ``expr`` itself where there is no such weight.

    Raises:
        PassError: If the layout is another, or a block has no element.

    Complexity:
        Linear in the number of distinct nodes and in the elements of weights; no recursion.

    Source:
        Relay ``Conv2dToSparse2``, which looks at fewer of the attributes that count.

    Example:
        >>> import numpy as np
        >>> from relayish import const, nn, var
        >>> weight = np.zeros((2, 2, 1, 1), "float32")
        >>> weight[0, 1] = 3
        >>> conv = nn.conv2d(var("x", shape=(1, 2, 4, 4)), const(weight), kernel_size=(1, 1))
        >>> sparse = conv2d_to_sparse2(conv, layout="NCHW")
        >>> sparse.op.name, [part.data.tolist() for part in sparse.args[1:]]
        ('nn.sparse_conv2d', [[[[3.0]]], [1], [0, 1, 1]])
    """
    @property
    def layout(self) -> str: ...
    @property
    def kernel_size(self) -> int: ...
    @property
    def blocksize(self) -> tuple[int, int]: ...
    @property
    def sparsity_threshold(self) -> float: ...
    def __init__(self, layout: str = "NHWC", kernel_size: int = 1, blocksize: tuple[int, int] = (1, 1), sparsity_threshold: float = 0.5) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class ConvertLayout(FunctionPass):
    """Layout conversion: let operators compute in the layouts asked for.

    Return ``expr``, whose types are known, with calls of some operators computing in other layouts.

    What comes before and behind follows, as far as the layout rules of operators tell how: tensors
    are rearranged only where one has to come in a layout that it has not come to yet, each once for
    each layout, never there and back.

    Args:
        expr: A well-formed expression.
        desired_layouts: By operator the layouts wanted: of the data, and of the weight if it has
            one, where ``default`` is the one that goes with that of the data.

    Returns:
        ``expr`` itself where all compute so already. Calls of which the sizes are not divided by
        the parts asked for stay.

    Raises:
        UnknownNameError: If there is no such operator.
        OperatorError: If an operator has no layouts that could be asked for, or other ones.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``ConvertLayout``. There, tensors that lets bind come back to the layout they had,
        a change of layout in the program stays, and sizes that are not divided make an error.
    """
    @property
    def desired_layouts(self) -> _collections_abc.Mapping[str, tuple[str, ...]]: ...
    def __init__(self, desired_layouts: _collections_abc.Mapping[str, tuple[str, ...] | list[str]]) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class ConvertOpset(ModulePass):
    """Opset conversion: call ONNX's operators as a later version of the operator set has them.

    Each call of ONNX's own operators (the domain ``""``), in graphs of nodes and in functions of
    the model too, goes step by step from the version of its operator to the one that ``version``
    means. Most steps change nothing; where attributes became inputs, defaults changed or an
    operator is gone, the call is rewritten to what computes the same. Other domains stay.

    Args:
        mod: A module of ONNX.
        version: The version of the operator set; none before that of the module.

    Returns:
        ``mod`` itself where it is of that version already.

    Raises:
        PassError: If the module is of a later version, if the installed ``onnx`` does not know
            ``version``, or if a call has no equivalent there or what it depends on is not known:
            the message names operator, step and node.

    Complexity:
        Linear in the nodes, times the steps of each.
    """
    @property
    def version(self) -> int: ...
    def __init__(self, version: int) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class ConvertSSA(Pass):
    """Static single assignment of names: each variable is bound once, and has a name of its own.

    Where several loops, blocks or declarations bind one and the same variable, all but the first
    get new ones. Variables and buffers whose name another one has, or a tensor, are renamed with
    all their uses, in order of the program.

    Returns:
        ``func`` itself when its variables are bound once and their names are unique.

    Complexity:
        Linear in the number of distinct nodes, for those with a variable that is bound repeatedly
        in each scope of one that they occur in; no recursion.

    Source:
        TVM ``ConvertSSA``.
    """
    def __init__(self) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class CopyPropagation(Pass):
    """Copy propagation: use variables in place of others that hold the same value.

    Where a declaration or store gave a scalar the value of another on every path, and neither was
    assigned or declared again since, uses of the first become uses of the second. The copies stay,
    for ``DeadStoreElimination`` to drop. Left alone are conditions and steps of ``PolyFor`` and
    what reductions compute.

    Returns:
        ``func`` itself where no copy is used.

    Complexity:
        Linear in the number of statements and distinct nodes, times the variables that may
        hold the value of one that is assigned to; once more where a use became a copy itself; no
        recursion.
    """
    def __init__(self) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class DeadCodeElimination(ModulePass):
    """Dead-code elimination: drop bindings on which neither result nor side effect depends.

    What :func:`eliminate_dead_code` does, whose options these are, with each function. Which
    functions are pure is found out once for the whole module. Left alone are functions that passes
    leave alone (``SkipOptimization``, ``Compiler``, ``Extern``).

    Returns:
        ``mod`` itself when everything is needed.
    """
    @property
    def inline_once(self) -> bool: ...
    @property
    def ignore_impurity(self) -> bool: ...
    @property
    def ref_precision(self) -> bool: ...
    @property
    def function_argument_precision(self) -> bool: ...
    def __init__(self, inline_once: bool = False, ignore_impurity: bool = False, ref_precision: bool = False, function_argument_precision: bool = False) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class DeadStoreElimination(Pass):
    """Dead-store elimination: drop statements of which nothing that is seen depends.

    Seen is what a function leaves in the buffers it was given, and what calls of functions do of
    which more is known than that they give a value. A store goes if no path leads from it to a
    use of what it writes, and so does all that was computed for it alone: declarations, and loops
    and branches in which nothing is left. Memory in which nothing is stored any more is not
    allocated. A buffer counts as a whole: what is stored in one of its elements is needed if any
    may be read.

    Whatever may fault stays: a division by what may be zero, an access that is not proven to be in
    range, a load of what may not have been stored.

    Returns:
        ``func`` itself where everything is needed.

    Complexity:
        Linear in the number of statements and distinct nodes, but where loops carry what is live
        in turns; once more for each time that what was dropped has left a loop or branch empty.
        No recursion.
    """
    def __init__(self) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class DeadStoreEliminationCore(Pass):
    """Dead-store elimination: drop stores to symbols that nobody reads afterwards.

    A store to a local variable or a pseudo register goes if no path leads from it to a read of
    what it writes by something that stays. Variables whose address is taken are left alone, and so
    are formals, variables of the module, and a store of what a symbol holds anyway. An array or a
    structure counts as a whole. What a store evaluates goes with it, unless that does more than
    read: an error that it would have been is none any more.

    Args:
        func: The function.
        solver: Whether the solver of data-flow problems finds what is needed. Otherwise handlers
            do, which visit the function backwards; what goes is the same.

    Returns:
        ``func`` itself where everything is needed.

    Complexity:
        Linear in statements and distinct expressions, but where loops carry what is live in turns;
        once more after stores went, which may have been all that took the address of a variable.

    Source:
        AIR ``DEAD_STORE_ELIM``, which counts the uses of versions of variables.
    """
    @property
    def solver(self) -> bool: ...
    def __init__(self, solver: bool = False) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class DeclareOutputShapes(FunctionPass):
    """Shapes of outputs: say sizes that are known, where a model of ONNX says names.

    A model names sizes of outputs that depend on those of inputs, or on nothing that it tells.
    Where shapes of inputs became known since, so may these.

    Args:
        func: A function of ONNX; any other expression is returned as it is.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where no name of a size is known to be a number.

    Complexity:
        Linear in the nodes, if no pass before left what is known of them.

    Example:
        >>> import relayish as relay
        >>> from relayish.onnx import find_operator, info, make_call
        >>> x = relay.var("x", shape=(2, 6))
        >>> relu = make_call(find_operator("Relu", 14), [x])
        >>> told = relay.TensorType((relay.Any(), 6))
        >>> attrs = relay.DictAttrs({info.OUTPUT_TYPES: (told,)})
        >>> func = relay.Function([x], relu, attrs=attrs)
        >>> declare_output_shapes(func).attrs[info.OUTPUT_TYPES]
        (TensorType(shape=(2, 6), dtype='float32'),)
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class Deduplicate(ModulePass):
    """Outlining of repeated code: put what occurs in several places into one function.

    Return ``mod`` with what several places compute alike in functions that these call.

    A part is made of tuples, projections, and calls of operators and of functions of the module. It
    repeats where operators, attributes and the way they are connected are the same; what its
    operands are makes no difference. It grows from its results backwards, by whole layers, as long
    as it repeats, and becomes a function ``@deduplicated_<hash>`` of the module if it makes more
    than one call and the program gets no longer. What differs from place to place are the
    parameters; constants that are the same everywhere stay inside. Then all is looked at again, the
    functions made and the calls of them as well, until nothing repeats: a block of which a piece
    occurs elsewhere becomes a function that calls that of the piece. Repetitions in a row, as the
    layers of a network, stay calls in a row.

    Parts are looked for in all functions of the module, with those inside, each in graph normal
    form; a function in which none is found stays as it is. Left where they are: what has effects or
    depends on some, operators that mark a place, functions that are primitive or that passes leave
    alone. No part reaches over a branch, an arm or a function, so that nothing is computed that
    was not before.

    Args:
        mod: A typed module, see :func:`~relayish.analysis.infer_type`.
        forward_steps: How often a part may go on forwards, from a value that is used in several
            places to the one of them that comes next. The value then is a further result.
        consider_type: Only what is of the same types is alike. Otherwise parts grow over places of
            all types, so that they begin and end alike, and each combination of types that
            repeats has a function of its own: one function cannot serve several.
        must_dominate: A part has one result, and leads to it in all of its ways: nothing else of
            it is used outside. There are no steps forward then.
        salt: Put into names, to tell functions of this run from those of others: letters, digits,
            ``_``.

    Returns:
        ``mod`` itself when nothing repeats.

    Raises:
        PassError: If ``forward_steps`` is negative, or ``salt`` no part of a name.

    Complexity:
        Linear in distinct nodes for each round of growing; the rounds are about as many as the
        logarithm of the size of what repeats. No recursion.

    Source:
        RAF ``Deduplicate``.
    """
    @property
    def forward_steps(self) -> int: ...
    @property
    def consider_type(self) -> bool: ...
    @property
    def must_dominate(self) -> bool: ...
    @property
    def salt(self) -> str: ...
    def __init__(self, forward_steps: int = 1, consider_type: bool = True, must_dominate: bool = False, salt: str = "") -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class Defunctionalization(ModulePass):
    """Defunctionalisation: put data in the place of functions that are used as values.

    Return ``mod`` with what ``entry`` needs, and no function used as a value in it.

    Polymorphic functions are copied for the types they are called with. Functions inside others are
    lifted. For each type of functions there is a data type whose values stand for functions and
    hold what they capture, and a function that applies them.

    Args:
        mod: A typed module, see :func:`~relayish.analysis.infer_type`.
        entry: The function from which the program is run. Others stay if it needs them.

    Returns:
        ``mod`` itself when no function is used as a value or polymorphic, and all are needed.
        Rewritten expressions carry no types.

    Raises:
        PassError: If ``entry`` is polymorphic or takes or returns functions; if a function inside
            another one is used at several types, a call leaves its types open, or there is no end
            to them; if an operator, a primitive function or one of another compiler is used as a
            value; if a constructor holds functions whatever the parameters of its type.
        UnknownKindError: If a node of a kind that a package declares takes or gives functions, and
            the kind is not registered; see ``FUNCTION_PASSING``.

    Complexity:
        Linear in distinct nodes of ``mod``, of the copies, and of what functions capture.

    Source:
        Relay ``Defunctionalization``; Reynolds, Definitional interpreters for higher-order
        programming languages, 1972.
    """
    @property
    def entry(self) -> str: ...
    def __init__(self, entry: str = "main") -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class DefuseOps(FunctionPass):
    """Defusion, the inverse of ``FuseOps``: take operators out of the functions they were fused in.

    Return ``expr`` with the bodies of functions that are called where they stand.

    These are taken for fused, whether they have the attribute ``Primitive`` or not, if they have
    bodies of calls, tuples and projections. Those of another compiler, polymorphic ones, what is
    bound to a name, and functions whose body needs arguments that act in another order than they
    are given, stay.

    Returns:
        ``expr`` itself when nothing was fused.

    Complexity:
        Linear in the number of distinct nodes, a function that is called several times counted for
        each of the calls; no recursion.

    Source:
        Relay ``DefuseOps``, which tells parameters by their names, and takes functions of other
        compilers apart.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class DenseToSparse(FunctionPass):
    """Sparse weights: let fully connected layers take weights that are stored in blocks.

    Return ``func`` with three parameters in the place of each weight named: ``w.data``,
    ``w.indices`` and ``w.indptr`` for ``w``, which stays beside them where it is used otherwise.

    :func:`relayish.analysis.sparse_dense.process_params` finds the weights that are worth it, and
    stores their values so.

    Args:
        func: A well-formed function.
        mod: The module it belongs to, if to one.
        weight_name: The names of parameters.
        weight_shape: For each the sizes of its parts: three of the data, blocks, their rows and
            columns, one of the indices, one of the row pointers.

    Returns:
        ``func`` itself where it multiplies by none of them.

    Raises:
        PassError: If a name is that of no parameter, a shape is missing, or has not five sizes,
            or another function of ``mod`` refers to ``func``.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``DenseToSparse``; there parameters come in the order of their use.
    """
    @property
    def weight_name(self) -> tuple[str, ...]: ...
    @property
    def weight_shape(self) -> tuple[tuple[int, ...], ...]: ...
    def __init__(self, weight_name: tuple[str, ...] | list[str] = (), weight_shape: tuple[tuple[int, ...] | list[int], ...] | list[tuple[int, ...] | list[int]] = ()) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class DivToMul(FunctionPass):
    """Strength reduction: multiply by the reciprocal of a constant instead of dividing by it.

    Return ``expr`` with divisions by constants of floating point numbers made multiplications.

    A division stays where some element of the divisor, or its reciprocal, is zero, infinite, no
    number, or so small that precision would be lost. Elsewhere the result may differ by a rounding.

    Returns:
        ``expr`` itself when there is nothing to replace.

    Complexity:
        Linear in the number of distinct nodes and the size of the divisors; no recursion.

    Source:
        Relay ``DivToMul``, which takes the reciprocal of the first element of a tensor only.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class DynamicToStatic(ModulePass):
    """Static shapes: make shapes attributes that come as arguments and can be computed.

    What :func:`dynamic_to_static` does, with each function of a module, which is typed then. A
    module that is well-typed only with shapes made static becomes so, where the types that this
    takes follow from constants, annotations and operators.

    Raises:
        TypeInferenceError: If the module cannot be well-typed even so.

    Source:
        Relay ``DynamicToStatic``, which infers types anew at every step.
    """
    def __init__(self) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class EliminateCommonSubexpr(FunctionPass):
    """Common-subexpression elimination: compute once what is computed twice.

    Return ``expr`` in which equal calls of operators, and equal projections, are one node.

    Calls are equal when operator and attributes are, and each argument is the same node or a scalar
    constant of the same bits; so it is with the fields of an argument that is a tuple. Where two
    variables are bound to one of these by lets, one within the other in the same function, the
    first stands for both. Left as they are: calls of operators that have state, or that nobody
    declared, and calls without arguments.

    A node that two branches of an ``if`` come to share is not moved in front of it: it is evaluated
    by the first use that is reached, and not at all where none is.

    Args:
        expr: Any well-formed expression, shared subexpressions included.
        fskip: Says, of a call or projection after what is below it was merged, that it must stay.
            It cannot be written in a pipeline string: build the pass in Python,
            ``EliminateCommonSubexpr(fskip)``.

    Returns:
        ``expr`` itself when no two are equal.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``EliminateCommonSubexpr``, which is quadratic.

    Example:
        >>> from relayish.ir.relay.expr import Var
        >>> from relayish.op import get_op
        >>> add, x = get_op("add"), Var("x")
        >>> image = eliminate_common_subexpr(Tuple((Call(add, (x, x)), Call(add, (x, x)))))
        >>> image.fields[0] is image.fields[1]
        True
        >>> from relayish.ir.relay.module import IRModule
        >>> from relayish.text import parse_expr
        >>> from relayish.transform import EliminateCommonSubexpr
        >>> func = parse_expr("fn (%x: int32) { multiply(add(%x, 1), add(%x, 1)) }")
        >>> keep = EliminateCommonSubexpr(lambda expr: expr.op.name == "add")
        >>> mod = IRModule.from_expr(func)
        >>> keep(mod) is mod, EliminateCommonSubexpr()(mod) is mod
        (True, False)
    """
    @property
    def fskip(self) -> _collections_abc.Callable[[_relayish_ir_relay_expr.Expr], bool] | None: ...
    def __init__(self, fskip: _collections_abc.Callable[[_relayish_ir_relay_expr.Expr], bool] | None = None) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class EliminateCommonSubexprOnnx(FunctionPass):
    """Common-subexpression elimination over programs of ONNX, without types.

    It is ``EliminateCommonSubexpr`` at a lower level, which does not infer the types of Relay
    first: nothing of that is needed.

    Args:
        func: A function of ONNX.

    Returns:
        ``func`` itself when no two nodes are equal.

    Complexity:
        Linear in the nodes.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class EliminateInvariantLoop(Pass):
    """Elimination of invariant loops: run once what each iteration of a loop does alike.

    The body does not name the variable of the loop, and reads nothing that an iteration before
    leaves: what it reads is written nowhere in it, or by a statement before in the same iteration.
    Where it is not known that the loop runs, a branch asks. Loops that a device runs stay: which of
    its threads have seen the store of another is not said without a barrier.

    Returns:
        ``func`` itself when no loop is invariant.

    Complexity:
        That of the dependences of each loop whose variable nothing names.

    Source:
        CINN ``EliminateInvariantLoop``, which leaves out the branch, and takes the condition of
        the first iteration for that of all.
    """
    def __init__(self) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class EliminateNop(FunctionPass):
    """No-op elimination: drop operators of ONNX that give back what they are given.

    Return ``func`` without ``Identity``, ``Dropout`` where nothing is trained, casts to the type
    that there is, changes of the shape to what it is, transpositions that leave all in place,
    padding by nothing, slices of everything, sums of one tensor, ``x + 0``, ``x * 1`` and the
    like, and initial states of recurrent layers that are zeros. ``CastLike`` becomes ``Cast`` where
    the type is known. Values are the same, but that ``-0.0`` may stay where ``x + 0.0`` would give
    ``0.0``.

    Args:
        func: A function of ONNX; anything else is returned as it is.
        mod: The module it is from.
        signed_zeros: Tell ``-0.0`` from ``0.0``: keep ``x + 0.0``.

    Complexity:
        Linear in the nodes.
    """
    @property
    def signed_zeros(self) -> bool: ...
    def __init__(self, signed_zeros: bool = False) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class EntailLoopCondition(Pass):
    """Condition entailment: let a loop run only while a condition around its body holds.

    The condition, or one of several that have to hold together, is linear in the variable of the
    loop and else depends on nothing that changes meanwhile, so it holds from the first iteration up
    to some last one, or from some first one on. Where it ends before the loop always, the number of
    iterations follows from it alone, else from the lesser of both. It is no longer asked in each
    iteration, which pays in loops that are neither unrolled nor vectorised: those stay, since
    they need a number that is known.

    Returns:
        ``func`` itself when no condition becomes a bound.

    Complexity:
        Linear in the number of distinct nodes, and the size of conditions; no recursion.

    Source:
        CINN ``EntailLoopConditionPass``, which asks the condition in place of the bound.
    """
    def __init__(self) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class EraseType(FunctionPass):
    """Type erasure: take away what type inference found.

    Return ``expr`` without inferred types and without the result types of functions.

    Annotations of variables stay: without those of parameters a program says too little to find
    the types again.

    Returns:
        ``expr`` itself where nothing in it carries a type.

    Complexity:
        Linear in distinct nodes; no recursion.

    Source:
        RAF ``EraseType``.

    Example:
        >>> from relayish.ir.relay.expr import Var
        >>> from relayish.ir.relay.type import scalar_type
        >>> x = Var("x", checked_type=scalar_type("int32"))
        >>> erase_type(Function((x,), x, scalar_type("int32"))).ret_type is None
        True
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class EtaExpand(ModulePass):
    """Eta expansion: make functions of constructors and global names that are used as values.

    Return ``mod`` with what is used without being called made a function that calls it.

    Args:
        mod: A module.
        expand_constructor: Do so with constructors.
        expand_global_var: Do so with the names of functions of ``mod``.

    Returns:
        ``mod`` itself when there was nothing to expand. The functions that are made have no
        attributes; they belong to nobody else, even if what they call does.

    Raises:
        UnknownNameError: If ``mod`` does not define a function or type that it uses.

    Complexity:
        Linear in distinct nodes; no recursion.

    Source:
        Relay ``EtaExpand``.
    """
    @property
    def expand_constructor(self) -> bool: ...
    @property
    def expand_global_var(self) -> bool: ...
    def __init__(self, expand_constructor: bool = False, expand_global_var: bool = False) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class FakeQuantizationToInteger(FunctionPass):
    """Integer quantisation: compute in integers what stands between dequantising and quantising.

    Return ``expr`` with each ``qnn.quantize`` of what operators make of dequantised numbers
    replaced by operators on integers. The rule of each operator is registered with
    :func:`~relayish.op.declaration.fake_quantization.register_fake_quantization_to_integer`. What
    is computed differs from the floating point program by roundings: half a quantum wherever
    numbers are quantised again.

    Where an operator has no rule, its rule refuses, or what would be made has another type, the
    program stays in floating point. So it does where an operator computes with numbers that another
    one in the middle has rounded to the scale of the result and cut off at its range, and where a
    part of it is neither a call of an operator, nor a tuple, a projection or a constant.

    Args:
        expr: An expression whose types were inferred.
        hard_fail: Whether an operator without a rule, or whose rule refuses, is an error.
        use_qat: Whether single calls on dequantised numbers become integers as well, even if
            nothing quantises their results: these are dequantised instead.
        optional_qnn_ops: Names of operators whose integer forms cost precision, and are used only
            where this says so, as ``nn.softmax``.

    Returns:
        ``expr`` itself when nothing was replaced.

    Raises:
        PassError: With ``hard_fail``, if something cannot be made integers.
        UnknownNameError: If there is no operator of a name in ``optional_qnn_ops``.

    Complexity:
        Linear in the number of distinct nodes, where parts of programs that are quantised in
        several ways count once for each way; no recursion.

    Source:
        Relay ``FakeQuantizationToInteger``.
    """
    @property
    def hard_fail(self) -> bool: ...
    @property
    def use_qat(self) -> bool: ...
    @property
    def optional_qnn_ops(self) -> tuple[str, ...] | None: ...
    def __init__(self, hard_fail: bool = False, use_qat: bool = False, optional_qnn_ops: tuple[str, ...] | list[str] | None = None) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class FastMath(FunctionPass):
    """Fast-math approximation: replace ``exp``, ``erf``, ``tanh`` and ``softmax`` by faster ones.

    Return ``expr`` with ``exp``, ``erf``, ``tanh`` and ``softmax`` replaced by faster operators.

    Returns:
        ``expr`` itself when there is none of them in it.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``FastMath``.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class FirstOrderGradient(ModulePass):
    """Reverse-mode differentiation: return gradients beside the result of each function.

    Each is differentiated by itself, as :func:`~relayish.passes.relay.gradient.gradient.gradient`
    does in the mode ``"first_order"``. Left alone are functions with type parameters, those that
    passes leave alone (``SkipOptimization``, ``Compiler``, ``Extern``), and definitions that are no
    function.

    Raises:
        GradientError: If a function calls another, or is more than operators, tuples and lets.

    Source:
        Relay ``FirstOrderGradient``.
    """
    def __init__(self) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class FlattenAtrousConv(FunctionPass):
    """Dilated-convolution fusion: convolve with gaps in place of rearranging the data.

    Return ``expr`` with convolutions over rearranged data as ones with gaps over the data.

    ``nn.space_to_batch_nd`` makes images of, say, every second row and column; after a convolution
    with strides of 1, ``nn.batch_to_space_nd`` puts them together. A dilation has the same result:
    what the one pads and the other crops becomes padding, if no more is cropped.

    Args:
        expr: Any well-formed expression.

    Returns:
        ``expr`` itself when there was no such convolution.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``FlattenAtrousConv``.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class FlattenBuffer(Pass):
    """Flattening of buffers: one index into memory instead of one for each dimension.

    Each tensor becomes one of a single dimension over the same buffer, under its name. Several
    tensors over one buffer still see what is stored through the others. Indices whose sums might
    not fit their type become ``int64``.

    Buffers stay what they are, and with them what callers pass and what schedule blocks say of
    regions. Tensors stay over buffers with strides, which have as many dimensions as the buffer
    says, and where they are used otherwise than by loads and stores. An index that is out of range
    in one dimension may be in range of the whole: programs without such errors do the same.

    Returns:
        ``func`` itself when there is nothing to flatten.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        TVM ``FlattenBuffer``.
    """
    def __init__(self) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class FlattenClosure(ModulePass):
    """Closure flattening: make plain functions of lifted closures that are only ever called.

    Return ``mod`` with closures that are only ever called made plain functions.

    A closure is a function marked ``Closure`` that takes what another one captures and returns that
    other one, as ``LambdaLift`` makes them. If it is only called, on the spot or by variables, its
    two levels become one: first the parameters of the inner function, then those of the outer. Lets
    that bind a closure made plain, and those that give a global function another name, are dropped.
    A closure that is passed on or returned, or to which nobody refers, stays as it is.

    Returns:
        ``mod`` itself when there was nothing to flatten and no other name to drop.

    Complexity:
        Linear in distinct nodes of each function; no recursion but for lets in values of lets.

    Source:
        RAF ``FlattenClosure``, which takes it that no closure is passed on.
    """
    def __init__(self) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class FoldConstant(FunctionPass):
    """Constant folding: evaluate what is constant.

    Return ``expr`` with what is constant in it evaluated.

    Bindings of constants are propagated, projections of tuples and ifs on constants decided, calls
    of operators on constants replaced by their value (a tuple of constants for several outputs).
    Left as they are: calls without arguments, calls of operators that have state, draw random
    numbers, only annotate, or cannot be evaluated (also: on these values), primitive functions, and
    projections of tuples in which something has an effect. ``on_device`` around what is constant is
    looked through, and stays around what is constant by itself.

    An if stays as well where the branch that is not taken shares with other scopes what acts: that
    would otherwise be evaluated in the scope of the uses that are left.

    Args:
        expr: Any well-formed expression, shared subexpressions included.
        fold_qnn: Fold operators of the ``qnn`` dialect too, and others that dequantise.
        size_limit: How many elements a result may have, unless its operands have as many together;
            such larger ones are made as long as they have no more elements, in all, than sixteen
            times what is constant in the program.

    Returns:
        ``expr`` itself when there was nothing to fold.

    Complexity:
        Linear in the number of distinct nodes, not counting evaluation; no recursion.

    Source:
        Relay ``FoldConstant``; beyond it, projections of constant tuples and of let-bound ones.
    """
    @property
    def fold_qnn(self) -> bool: ...
    @property
    def size_limit(self) -> int: ...
    def __init__(self, fold_qnn: bool = False, size_limit: int = 1048576) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class FoldConstantLoops(ModulePass):
    """Partial evaluation: compute once what functions of loops compute of constants alone.

    That is what whole statements of a function store into its own memory: its temporaries become
    arguments, and calls give them as constants. Weights that are packed are packed so.

    Returns:
        ``mod`` itself when there is nothing to compute.

    Complexity:
        Linear in the size of the functions, and that of computing.
    """
    def __init__(self) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class FoldConstantTIR(Pass):
    """Constant folding: compute what consists of literals, to the bits that it has when it runs.

    What faults stays, and so does what is a NaN, whose bits no literal tells.

    Returns:
        ``func`` itself when there is nothing to do.

    Complexity:
        Linear in the number of distinct nodes, and the size of conditions; no recursion.

    Source:
        CINN ``Simplify``.
    """
    def __init__(self) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class FoldExplicitPadding(FunctionPass):
    """Padding folding: let convolutions and pools pad for themselves.

    Return ``expr`` with ``nn.pad`` taken over by the convolutions and pools that follow it.

    Convolutions pad zeros, those of quantized numbers the zero point, maximum pools the least
    finite number. An average pool takes over zeros where it counts padding, or has none of its own
    and can begin to count it.

    Args:
        expr: An expression whose types were inferred; maximum pools are left where they were not.

    Returns:
        ``expr`` itself when there was nothing to fold.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``FoldExplicitPadding``.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
def FoldScaleAxis() -> Pass:
    """Scale folding: fold scales of channels into weights, and evaluate these.

    The passes it consists of run where the level of the context is theirs: below 3 it folds
    constants alone.

    Source:
        Relay ``FoldScaleAxis``.
    """
class FoldShapes(FunctionPass):
    """Shape folding: compute before the program runs what types tell of shapes.

    Return ``func`` with constants for shapes that are known, and for what is computed of these.
    ``Reshape`` and ``Expand`` to a shape of which one dimension is open, or the same as before, are
    told so by a constant as well.

    Args:
        func: A function of ONNX; anything else is returned as it is.
        mod: The module it is from.

    Complexity:
        Linear in the nodes, not counting evaluation.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class ForwardFoldScaleAxis(FunctionPass):
    """Scale folding, forward: fold scales of channels into the weights of consumers.

    Return ``expr`` with scales folded forward into weights, where all consumers have some.

    A multiplication by one number a channel, or one for all, is held back, passed by activations
    (if the numbers are constants and positive) and by sums with a bias, which is divided by them
    (if they are constants and not zero), and taken over by the weights of convolutions and of
    ``nn.dense``.

    Args:
        expr: An expression whose types were inferred. Nothing moves where they were not, nor where
            numbers are not floating-point.

    Returns:
        ``expr`` itself when there was nothing to fold.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``ForwardFoldScaleAxis``; there a bias is divided by zeros, too.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class FullInline(ModulePass):
    """Full inlining: put every function in the place of its calls; recursive ones stay.

    Return ``mod`` with all its functions inlined, but for those that no other refers to.

    Functions inside functions are lifted first, where one of them is called or has a name, so that
    they are inlined like others where they are only called; those that are passed on end up where
    they stood. What stays is what cannot be inlined: functions that refer to themselves, by way of
    others or not, those of other compilers, and those that stand for one operator (``Primitive``).
    Bindings that nothing needs any more are dropped.

    Args:
        mod: A typed module, see :func:`~relayish.analysis.infer_type`.

    Returns:
        ``mod`` itself when there was nothing to inline. Rewritten expressions carry no types.

    Complexity:
        Linear in distinct nodes of ``mod`` with all functions lifted, each of which takes what it
        captures, and of what results, which has a copy of each function for each of its calls.

    Source:
        RAF ``FullInline``, which leaves a module alone, with a warning, if a function in it is
        recursive.
    """
    def __init__(self) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class FuseBatchNormalization(FunctionPass):
    """Batch-normalisation folding: put what it multiplies and adds into weights next to it.

    A batch normalisation that does not train multiplies each channel by one number and adds
    another. Behind ``Conv``, ``ConvTranspose``, ``Gemm``, ``MatMul`` and other normalisations,
    nothing else using their results, these go into the weights and the bias; before ``Conv``,
    ``Gemm`` and the like too, but for a sum where the convolution pads. Views between (``Reshape``,
    ``Transpose``, ...) are no hindrance. Numbers are computed as ``float64`` and rounded once to
    the element type of the weights, so results differ by rounding alone.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes and the elements of the weights concerned.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class FuseGelu(FunctionPass):
    """Gelu fusion: compute Gaussian error linear units by their own operator.

    ``x / 2 * (1 + erf(x / sqrt(2)))`` becomes ``Gelu``, and ``x / 2 * (1 + tanh(sqrt(2 / pi) * (x +
    0.044715 * x ** 3)))`` the same with ``approximate="tanh"``, in whatever order they are
    multiplied; from version 20 on. Results may be rounded differently.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class FuseHardSwish(FunctionPass):
    """Hard-swish fusion: compute piecewise linear activations by their own operators.

    ``clip(x + 3, 0, 6) / 6``, or what is multiplied by 1/6, becomes ``HardSigmoid``, which rounds
    ``x / 6 + 1/2`` (some units in the last place differ); ``x`` times that becomes ``HardSwish``
    from version 14 on.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class FuseLayerNormalization(FunctionPass):
    """Layer normalization fusion: normalize the last axes by one operator.

    What is centred and divided by its standard deviation becomes ``LayerNormalization``, from
    version 17 on, which takes a constant scale and bias behind it too; what is divided by the root
    of the mean of its squares ``RMSNormalization``, from version 23 on, which takes a scale. The
    last axes have known sizes. Results may be rounded differently.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes and the elements of scales and biases.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class FuseMatMulAdd(FunctionPass):
    """Gemm formation: compute the product of two matrices and a sum by one operator.

    ``MatMul`` of matrices, of which nothing but a following ``Add`` or ``Sub`` uses the result,
    becomes ``Gemm`` together with that, where the other operand broadcasts to the product.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class FuseOnnx(FunctionPass):
    """Fusion of programs of ONNX: make one node of several until nothing is left to do.

    Return ``func`` after ``FuseBatchNormalization``, ``FuseScaleShift``, ``FuseMatMulAdd``,
    ``FuseTransposeIntoGemm``, ``FusePad``, ``MergeClips``, ``MergeSlices``, ``SimplifyGather``,
    ``SimplifySplitConcat`` and ``SimplifyTransposeReshape``, together, to a fixed point.

    Args:
        func: A function of ONNX; anything else is returned as it is.
        mod: The module it is from.

    Returns:
        ``func`` itself where there is nothing to do.

    Complexity:
        Linear in the nodes and the elements of the weights concerned.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class FuseOps(FunctionPass):
    """Operator fusion: put operators that can be computed together into functions of their own.

    What :func:`fuse_ops` does, as the context says: its options ``relay.FuseOps.max_depth``,
    ``relay.FuseOps.max_function_args`` and ``relay.FuseOps.link_params`` count, and at level 0
    nothing is fused. Without the second, a function takes as many arguments as the target allows:
    ``with Target("metal"):``.

    Args:
        expr: A typed expression.
        mod: The module it belongs to.
        ctx: The context of the pass.
        fuse_opt_level: The level that counts; -1 is that of the context.
        max_function_args: How many arguments a function may take; -1 is what the context says.

    Raises:
        PassError: If ``relay.FuseOps.max_depth`` is less than one, or
            the number of arguments is negative.
    """
    @property
    def fuse_opt_level(self) -> int: ...
    @property
    def max_function_args(self) -> int: ...
    def __init__(self, fuse_opt_level: int = -1, max_function_args: int = -1) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class FusePad(FunctionPass):
    """Pad folding: let convolutions and pooling pad for themselves.

    ``Conv`` pads by zeros, and so does ``AveragePool`` if it counts what it pads
    (``count_include_pad``); ``MaxPool`` by what is smaller than all numbers, and behind ``Relu``
    zeros do as well. So a ``Pad`` by such a number along the axes of space goes into the pads of
    the one operator that uses it. Pools take no more than their kernels cover.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class FuseScaleShift(FunctionPass):
    """Scale and bias folding: put what a value is multiplied by, or added to, into weights.

    ``Mul``, ``Div``, ``Add``, ``Sub`` by a constant that is one number, or one for each channel,
    and ``Neg``, go into the weights and the bias of what gives the value (``Conv``,
    ``ConvTranspose``, ``Gemm``, ``MatMul``, normalisations), if nothing else uses it, or of what
    uses it. A product of matrices that a bias is added to becomes a ``Gemm``. Views between are no
    hindrance. Numbers are computed as ``float64`` and rounded once.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes and the elements of the weights concerned.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class FuseTransposeIntoGemm(FunctionPass):
    """Transpose absorption: let matrix products transpose their operands, and their result.

    Transposed operands of ``Gemm`` become its attributes ``transA`` and ``transB``; a transposed
    product of matrices is the product of both transposed, the other way round. ``MatMul`` of
    matrices becomes ``Gemm`` for that, from version 11 on, where nothing else uses the transposed
    matrix.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class GlobalCommonSubexprElimTIR(Pass):
    """Global common-subexpression elimination: use what was computed on every path.

    Where each path to a statement has computed one of its expressions, and nothing that it depends
    on was assigned or stored since, the places that computed it put it into a variable, and the
    statement uses that. So it does for arms of branches, and for what was computed before a loop,
    what ``CommonSubexprElimTIR`` does for statements one after the other. Nothing is evaluated that
    was not, or more often.

    Left alone are bounds of loops, values of variables of schedule blocks, which stay affine,
    reductions, vectors, statements that stand in several places, and what would be passed on in
    a variable between iterations that may run at the same time.

    Returns:
        ``func`` itself where nothing is computed again.

    Complexity:
        Linear in the number of statements and distinct nodes, times a logarithm; once more where
        what was computed again held what is too; no recursion.

    Source:
        Available expressions; Aho et al., *Compilers*, 9.5.
    """
    def __init__(self) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class IfFold(Pass):
    """Branch folding: ask in one comparison what quotients and remainders are asked for in several.

    Conditions that quotients and remainders of one integer are zero, in one branch or in branches
    of which each is all that the one around it runs, are one condition where these parts lie side
    by side. Where one of them has another arm, the branches stay: it runs where the inner condition
    fails, not where the outer one does.

    Returns:
        ``func`` itself when no two conditions are one.

    Complexity:
        Linear in the number of distinct nodes, and quadratic in the number of conditions of a
        branch; no recursion.

    Source:
        CINN ``IfFoldPass``, which runs the other arm where any condition fails.
    """
    def __init__(self) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class IfFusion(Pass):
    """Branch fusion: ask once what branches that stand one behind the other ask.

    Neither arm changes what the condition reads. Arms are run in the order in which they were, and
    where the last branch in one arm and the first in the next ask the same, these are one as well.

    Returns:
        ``func`` itself when no two are fused.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        CINN ``IfFusionPass``, which does not look at what arms change.
    """
    def __init__(self) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class IfSimplify(Pass):
    """Branch simplification: run the arm that a known condition chooses.

    Conditions are known from intervals: of the variables of loops, and from the conditions of
    branches around them, which the opposite of one may contradict. Arms that are kept, and those
    that are chosen, are simplified as well; empty ones go. A condition that may fault is still
    asked.

    Returns:
        ``func`` itself when there is nothing to do.

    Complexity:
        Linear in the number of distinct nodes, and the size of conditions; no recursion.

    Source:
        CINN ``IfSimplify``.
    """
    def __init__(self) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class InferShapesOnnx(ModulePass):
    """Shape inference for ONNX: put on each node the type of its value.

    Return ``mod`` with the types of all values that can be told, in graphs of nodes too: by the
    inference of ONNX's schemas, and by following the shapes that the program computes. A size that
    is not known has a name where the model gives it one, or an expression of names.

    Args:
        mod: A module of ONNX.
        input_shapes: Sizes that inputs of ``main`` are to have, by the names of the inputs;
            ``None`` leaves a size as it is. A size by name is replaced in the whole module.

    Returns:
        ``mod`` itself when all types are on the nodes.

    Raises:
        PassError: If there is no such input, or it cannot have these sizes.
        TypeInferenceError: If the inputs of a node contradict each other; it names the node.

    Complexity:
        Linear in the nodes.

    Example:
        >>> import relayish as relay
        >>> from relayish.onnx import find_operator, make_call
        >>> x = relay.var("x", shape=(2, 6))
        >>> relu = make_call(find_operator("Relu", 14), [x])
        >>> mod = relay.IRModule.from_expr(relay.Function([x], relu))
        >>> infer_shapes_onnx(mod)["main"].body.checked_type
        TensorType(shape=(2, 6), dtype='float32')
    """
    @property
    def input_shapes(self) -> _collections_abc.Mapping[str, _collections_abc.Sequence[int | None]] | None: ...
    def __init__(self, input_shapes: _collections_abc.Mapping[str, _collections_abc.Sequence[int | None]] | None = None) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class InferType(ModulePass):
    """Type inference: find the type of every expression.

    What :func:`relayish.analysis.infer_type` does, with a module; ``fresh`` looks at every
    function, also at those that carry types.
    """
    @property
    def fresh(self) -> bool: ...
    def __init__(self, fresh: bool = False) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class Inline(ModulePass):
    """Inlining: put functions with the attribute ``Inline=1`` in the place of their calls.

    Return ``mod`` with the functions that have the attribute ``Inline=1`` inlined, and dropped.

    A call becomes the body of the function, each parameter the argument; arguments with an effect,
    and those that make a reference, are bound by a let instead. A function that belongs to another
    compiler, stands for one operator (``Primitive``) or has type parameters is called where it
    stands: ``(fn (..) { .. })(..)``. So is one that is referred to without being called.
    Recursive functions are not inlined, whatever they ask for, and stay. Functions that no other
    refers to stay as well.

    Returns:
        ``mod`` itself when there was nothing to inline.

    Raises:
        PassError: If a call has not as many arguments as the function has parameters.

    Complexity:
        Linear in distinct nodes of ``mod`` and of what results, which has a copy of the function
        for each of its calls; no recursion.

    Source:
        Relay ``Inline``, which fails on a function that asks for it and calls others that do not.
    """
    def __init__(self) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class InlineClosure(FunctionPass):
    """Closure inlining: put closures that are called once in the place of that call.

    Return ``expr`` with closures that are called once, and not used otherwise, inlined.

    A closure is a function that stands where it is called or is bound by a let, or what a call of a
    global function marked ``Closure`` makes, as ``LambdaLift`` leaves it. It may not refer to
    itself, have type parameters, or belong to another compiler. Its parameters become the
    arguments, or are bound to them where these have an effect or make a reference. What a closure
    shares with its surroundings, and has an effect or makes a reference, should be bound by a let.

    Args:
        expr: Any well-formed expression.
        mod: Where the functions are that ``expr`` calls by global name.

    Returns:
        ``expr`` itself when no closure is called once.

    Complexity:
        Linear in distinct nodes, and in what global closures, and functions that are used elsewhere
        too, put into the result; no recursion but for lets in the values of lets.

    Source:
        RAF ``InlineClosure``.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class InlineCompilerFunctionsBoundTo(ModulePass):
    """Compiler function inlining: take functions back that were given to another compiler.

    Return ``mod`` with some functions of other compilers, and the composite functions in them, in
    the place of their calls.

    The functions go from the module, unless they are recursive, or something of another language
    refers to them.

    Args:
        mod: Any module.
        global_vars: The functions, by variable or name.

    Returns:
        ``mod`` itself when none is given.

    Raises:
        UnknownNameError: If the module has no function of a name.
        PassError: If no other compiler owns one of the functions.

    Complexity:
        Linear in distinct nodes of ``mod`` and of what results; no recursion.

    Source:
        Relay ``InlineCompilerFunctionsBoundTo``.

    Example:
        >>> from relayish.text import parse
        >>> from relayish.transform import InlineCompilerFunctionsBoundTo
        >>> mod = parse('''#[version = "0.0.5"]
        ... def @region(%p: int32, Compiler="other") { negative(%p) }
        ... def @main(%x: int32) { @region(%x) }''')
        >>> out = InlineCompilerFunctionsBoundTo(["region"])(mod)
        >>> [name.name_hint for name in out], out["main"].body.op.name
        (['main'], 'negative')
    """
    @property
    def global_vars(self) -> tuple[_relayish_ir_relay_expr.GlobalVar | str, ...]: ...
    def __init__(self, global_vars: tuple[_relayish_ir_relay_expr.GlobalVar | str, ...] | list[_relayish_ir_relay_expr.GlobalVar | str]) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class InlineComposites(ModulePass):
    """Composite inlining, the inverse of ``MergeComposite``: call what patterns cut out in place.

    Return ``mod`` with the bodies of composite functions in the place of their calls, in functions
    that the compiler ``target`` owns.

    An argument takes the place of its parameter where it may be evaluated any number of times, and
    is bound by a let elsewhere. Composite functions that go by a name, and polymorphic ones, stay.

    Args:
        mod: Any module.
        target: The value of the attribute ``Compiler`` of the functions that are changed.

    Returns:
        ``mod`` itself when there is nothing to inline.

    Complexity:
        Linear in distinct nodes, a function that is called several times counted for each of the
        calls; no recursion.

    Source:
        Relay ``InlineComposites``.

    Example:
        >>> from relayish.text import parse
        >>> from relayish.transform import InlineComposites
        >>> mod = parse('''#[version = "0.0.5"]
        ... def @main(%x: int32, Compiler="other") {
        ...   %0 = fn (%p: int32, Composite="other.negative") { negative(%p) };
        ...   %0(%x)
        ... }''')
        >>> InlineComposites("other")(mod)["main"].body.op.name
        'negative'
    """
    @property
    def target(self) -> str: ...
    def __init__(self, target: str) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class InlineControlFlow(FunctionPass):
    """Control flow of ONNX that is known: put branches and bodies of loops where they run.

    Return ``func`` with the branch of each ``If`` in its place whose condition is known, of types
    too, and without loops that do not run, or run once: the body stands in their place.

    Args:
        func: A function of ONNX; anything else is returned as it is.
        mod: The module it is from.

    Complexity:
        Linear in the nodes, not counting evaluation of conditions.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class InlineLet(FunctionPass):
    """Copy propagation: name what aliases, and fields of bound tuples, stand for.

    Return ``expr`` with one name for what has several.

    A let that binds a variable to another goes, and so does the projection from a tuple that a let
    binds, if its field is a name or constant. The let of the tuple remains, for dead code
    elimination to drop. Variables with ``may_share`` keep their lets.

    Args:
        expr: Any well-formed expression.

    Returns:
        ``expr`` itself when there are no such names.

    Complexity:
        Linear in distinct nodes; no recursion but over lets in the values of lets.

    Source:
        RAF ``InlineLet``.

    Example:
        >>> x, y = Var("x"), Var("y")
        >>> inline_let(Let(y, x, y)) is x
        True
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class InlineOnnxFunctions(ModulePass):
    """Inlining of functions of a model of ONNX: put their bodies where they are called.

    Return ``mod`` with calls of such functions replaced by their bodies, with the attributes of the
    call in place of references to them, and without functions that nothing calls any more. A
    function that is written for another version of an operator set, in which one of its operators
    means something else, stays, unless asked for: no file holds both.

    Args:
        mod: A model, as :func:`~relayish.frontend.from_onnx` reads it.
        any_version: Whether functions written for other versions are inlined as well.

    Complexity:
        Linear in the nodes of the result.
    """
    @property
    def any_version(self) -> bool: ...
    def __init__(self, any_version: bool = False) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class InlinePrimitives(FunctionPass):
    """Primitive inlining: put functions marked ``Primitive`` where variables call them.

    Return ``expr`` with functions marked ``Primitive`` in the place of variables that call them.

    The let goes where nothing else uses the variable. The function itself, one object, stands in
    all its calls.

    Returns:
        ``expr`` itself when no primitive function is called by a variable.

    Complexity:
        Linear in distinct nodes; no recursion but for lets in the values of lets.

    Source:
        RAF ``InlinePrimitives``.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class InplaceUpdate(FunctionPass):
    """In-place update: let results take the place of what operators may write over.

    Return ``expr`` with let-bound results sharing the memory of what their operators write over.

    Which operators do is in the table ``in_place`` of
    :mod:`relayish.op.declaration.properties`: of Relay's, scattering, and ``nn.batch_norm`` of its
    running mean and variance. A result that is one of several shares through the let of its
    projection. Whether what was there is needed later is not
    asked: ``ValidateInplaceUpdate`` does.

    Args:
        expr: A typed expression in A-normal form; calls that no let binds are left alone.

    Returns:
        ``expr`` itself when nothing is written over, or everything shares already.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        RAF ``InplaceUpdate``. What it does to operators that are told where to put their results is
        left out, for Relay's are not.

    Example:
        >>> from relayish.analysis.infer_type import infer_type
        >>> from relayish.ir.relay.type import TensorType
        >>> from relayish.op import scatter_elements
        >>> x = Var("x", TensorType((3,), "float32"))
        >>> i, y = Var("i", TensorType((1,), "int64")), Var("y", TensorType((1,), "float32"))
        >>> b = Var("b")
        >>> func = Function((x, i, y), Let(b, scatter_elements(x, i, y), b))
        >>> from relayish.ir.relay.module import IRModule
        >>> from relayish.transform import InplaceUpdate
        >>> let = InplaceUpdate()(IRModule.from_expr(func))["main"].body
        >>> let.var.may_share.name_hint
        'x'
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class LambdaLift(ModulePass):
    """Lambda lifting: make global functions of the functions inside functions.

    Return ``mod`` with every function inside another one made a function of the module.

    A function that uses no variable from outside is replaced by its global name. Any other is
    replaced by a call ``@lifted_name<hash>(captured..)`` of a function that takes the variables it
    uses and returns it; such a function has the attribute ``Closure=1``, and the function it
    returns stays inside. A function bound by a let may refer to itself, and those inside may refer
    to it: it is made anew there, of what it captures.

    Names are the same in every process. Equal functions are lifted once; one whose name another
    has got gets a number. Functions with the attribute ``Primitive`` stay where they are, and what
    other compilers own is lifted as it stands. What a function shares with what is around it, and
    must not be evaluated twice, because it has an effect, say, is bound by a let first and
    captured.

    Args:
        mod: A typed module, see :func:`~relayish.analysis.infer_type`.

    Returns:
        ``mod`` itself when there was nothing to lift. Expressions carry the types they had, but for
        those of polymorphic functions, and where variables have types that cannot be said.

    Raises:
        PassError: If what a function shares may act, and no let evaluates it just when it is needed
            first.

    Complexity:
        Linear in the distinct nodes of each function, and in what the functions capture; no
        recursion.

    Source:
        Relay and RAF ``LambdaLift``, which fail where two functions get the same name.
    """
    def __init__(self) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class LazyGradientInit(ModulePass):
    """Lazy initialisation: make zeros and ones when somebody needs their elements.

    Return ``mod`` with zeros and ones made when their elements are needed.

    What ``zeros``, ``ones``, ``full`` and their likes make becomes a cell, wherever it goes from
    there: through variables, references, tuples, data, branches, matches and functions, to the sums
    and products that need not look at its elements. These become functions that add zeros, and
    multiply by ones, without making them. Where elements are needed, a cell is made into a tensor.
    What zeros and ones do not reach, or where nothing is gained by it, stays as it is; so do the
    types of parameters and results of the functions of the module.

    Values stay the same, but that sums may differ in the sign of a zero: zeros times something are
    made, since it may be infinite.

    Args:
        mod: A module with types; the definitions of ``gradient`` are imported where needed.

    Returns:
        ``mod`` itself when no sum or product profits.

    Complexity:
        Almost linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``LazyGradientInit``, which makes every tensor of a function a cell, and takes zero
        times infinity for zero.
    """
    def __init__(self) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class Legalize(FunctionPass):
    """Legalization: put what is registered for operators in place of their calls.

    Return ``expr``, whose types are known, with calls replaced by what is registered for operators.

    :func:`~relayish.op.register_legalize` registers a function for an operator. It is given the
    arguments as they have become, the types they had, and behind these that of the result, which
    has to stay. What it returns is not legalized again.

    Args:
        expr: A well-formed expression.
        legalize_map_attr_name: Under which name the functions were registered.

    Returns:
        ``expr`` itself where nothing is registered under that name for any operator in it.

    Raises:
        PassError: If a function returns what is no expression.

    Complexity:
        Linear in the number of distinct nodes, beside the functions registered; no recursion.

    Source:
        Relay ``Legalize``.
    """
    @property
    def legalize_map_attr_name(self) -> str: ...
    def __init__(self, legalize_map_attr_name: str = "FTVMLegalize") -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class LiftBranchBody(ModulePass):
    """Branch outlining: make global functions of the branches of ifs.

    Return ``mod`` with every branch of an if made a function of the module.

    Both functions of an if take all variables that either branch uses, in order of first use; they
    are called ``@true_branch_N`` and ``@false_branch_N``, with the first numbers that are free. A
    branch that is but a call of a global function, its arguments variables and constants, stays.
    What is inside functions of other compilers, and inside primitive ones, is not looked at.

    What a branch shares with its surroundings is evaluated in both, so what is costly should be
    bound by a let. What must not be evaluated twice, because it has an effect, say, is bound here.

    Args:
        mod: A typed module, see :func:`~relayish.analysis.infer_type`.

    Returns:
        ``mod`` itself when there was nothing to lift. Expressions carry the types they had, but for
        those of polymorphic functions, and where variables have types that cannot be said.

    Raises:
        PassError: If what a branch shares may act, and no let evaluates it just when it is needed
            first.

    Complexity:
        Linear in the distinct nodes of each function and branch, and in the variables they use; no
        recursion.

    Source:
        RAF ``LiftBranchBody``, which recurses, and fails on branches that call a closure or are a
        call of a global function already.
    """
    def __init__(self) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class LongLong2Int(Pass):
    """Narrowing of integers: count and index in 32 bits where intervals prove that these suffice.

    Variables of loops and of schedule blocks, indices, and operands of comparisons become ``int32``
    where each value on the way is one. What is stored stays what it is: a variable that is used as
    a value is converted there. Arguments, and what memory holds, keep their types.

    Returns:
        ``func`` itself when nothing is narrowed.

    Complexity:
        Linear in the number of distinct nodes, and the depth of indices; no recursion.

    Source:
        CINN ``TryCastLonglong2Int``, which asks for the product of the extents of loops alone.
    """
    def __init__(self) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class LoopInvariantCodeMotion(Pass):
    """Loop-invariant code motion: compute before a loop what is the same in each iteration.

    What an iteration computes of variables and elements that the loop leaves alone is declared
    before it, as far out as that holds, once for all who compute it. No more is computed than was:
    moved is what each iteration computes, out of loops that are known to have one. What may fault
    stays, and so does what stands in a branch, in a schedule block, or below a loop that threads
    share.
    Left alone are bounds of loops, values of variables of schedule blocks, which stay affine,
    reductions, and vectors.

    Returns:
        ``func`` itself when nothing is moved.

    Complexity:
        Linear in the number of statements and distinct nodes, times a logarithm, and that of
        :class:`~relayish.tir.analysis.IndexIntervals`; no recursion.

    Source:
        Aho, Lam, Sethi, Ullman, Compilers, 9.5 (downward exposed, very busy expressions at headers
        of loops).
    """
    def __init__(self) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class Lower(ModulePass):
    """Lowering: write operators of all domains as tensor operators of Relay's core.

    Return ``mod`` with calls replaced by what the handlers of their domains make of them. A target
    says which handlers these are: ``einsum`` multiplies and sums by Einstein's sums, ``sum`` by
    products of elements and sums, ``matmul`` keeps products of matrices and makes such of
    convolutions. :func:`~relayish.passes.relay.lowering.targets.register_lowering_target` declares
    more.

    In graph form a call becomes one expression. Where it is what a let binds, or the result of a
    block, its parts are bound by lets before it. New nodes carry its span.

    Args:
        mod: A well-formed module.
        target: What it is lowered for.
        unlowerable: ``"keep"`` leaves what tensor operators cannot express, ``"refuse"`` raises.
        suffix: What is put behind the names of lowered functions, if anything.
        check: Whether to check types and scopes of what was made.

    Returns:
        ``mod`` itself when nothing in it is lowered.

    Raises:
        PassError: See :func:`~relayish.passes.relay.lowering.module.lower_module`.

    Complexity:
        Linear in the number of distinct nodes; a call becomes a number of nodes that depends on
        its operator alone.

    Source:
        AIR: one visitor of the ``Lower`` handlers of all domains.
    """
    @property
    def target(self) -> str: ...
    @property
    def unlowerable(self) -> _typing.Literal["keep", "refuse"]: ...
    @property
    def suffix(self) -> str: ...
    @property
    def check(self) -> bool: ...
    def __init__(self, target: str = "einsum", unlowerable: _typing.Literal["keep", "refuse"] = "keep", suffix: str = "", check: bool = True) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class LowerCore(ModulePass):
    """Lower core to the loop IR: each function of core becomes one of loops and buffers.

    A lowered function takes first the formals that are numbers, in order, then for each formal
    that is an address how many elements there are, as ``int32``; after that buffers: for each such
    formal that of the elements, for each variable of the module that it uses, or that what it calls
    does, one of its shape, in the order of the module, and one of one element that takes what is
    returned. Scalars, and the fields of structures, become scalars; arrays become buffers.

    A loop whose variable nothing else changes becomes one of its own; where its trip count is
    known, a ``For``. Others become ``PolyFor``, which asks for the condition each time. Notes are
    left out. Calls of functions that are declared only become calls of externs.

    Returns:
        The module with functions of the loop IR under the names of those of core; all else stays,
        and so does ``mod`` itself where there are none.

    Raises:
        LoweringError: If there is what the loop IR cannot hold: addresses other than of elements
            of arrays, structures in memory, indirect calls, returns in the middle of a function.

    Complexity:
        Linear in the functions, and in calls times the variables of the module that they lead to.
    """
    def __init__(self) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class LowerIntrin(Pass):
    """Expansion of coarse operators and intrinsics, so that other passes see what they compute.

    A coarse operator becomes what :data:`relayish.tir.PRIMITIVES` says that it stands for; a
    function that the compiler of a target knows, a call of the function that is registered. Of
    which nobody said anything, they stay.

    Returns:
        ``func`` itself when there is none.

    Raises:
        FieldError: If a rule gives something of another type.
        PassError: If an operator expands to itself, without end.

    Complexity:
        Linear in the size of what is made, for each expansion within another; no recursion.

    Source:
        CINN ``LowerIntrin``, which makes ``fma`` of sums of products as well: it rounds once, and
        so to other bits.
    """
    def __init__(self) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class LowerNN(ModulePass):
    """Lowering: write operators of ``nn`` as tensor operators of Relay's core.

    What :class:`Lower` does, for this one domain.

    Args:
        mod: A well-formed module.
        target: What it is lowered for: see :class:`Lower`.
        unlowerable: ``"keep"`` leaves what tensor operators cannot express, ``"refuse"`` raises.
        suffix: What is put behind the names of lowered functions, if anything.
        check: Whether to check types and scopes of what was made.

    Returns:
        ``mod`` itself when there are no such calls.

    Raises:
        PassError: See :func:`~relayish.passes.relay.lowering.module.lower_module`.

    Complexity:
        Linear in the number of distinct nodes; a call becomes a number of nodes that depends on
        its operator alone.
    """
    @property
    def target(self) -> str: ...
    @property
    def unlowerable(self) -> _typing.Literal["keep", "refuse"]: ...
    @property
    def suffix(self) -> str: ...
    @property
    def check(self) -> bool: ...
    def __init__(self, target: str = "einsum", unlowerable: _typing.Literal["keep", "refuse"] = "keep", suffix: str = "", check: bool = True) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class LowerOnnx(ModulePass):
    """Lowering: write operators of ONNX as Relay's.

    The domains of ONNX bring a handler each (``LowerOnnxOperators``), which asks the rules that are
    registered for its operators. What no rule lowers becomes what the operators do by which ONNX
    defines it, if all of these can be lowered. Functions of the model are put where they are
    called, since their operators have types there. What depends on the values of inputs, such as
    the shape that a ``Reshape`` gives, is lowered where these are known.

    Args:
        mod: A model, as :func:`~relayish.frontend.from_onnx` reads it.
        unlowerable: ``"keep"`` leaves what Relay's operators cannot express, ``"refuse"`` raises.
        check: Whether to check scopes and types of what was made; the result has types then.

    Returns:
        ``mod`` itself when there are no such calls.

    Raises:
        PassError: If something is refused, or what rules made does not hold together.
        TypeInferenceError: If the model contradicts itself.

    Complexity:
        Linear in the number of distinct nodes; a call becomes a number of nodes that depends on
        its operator, and for recurrent layers on the number of steps.
    """
    @property
    def unlowerable(self) -> _typing.Literal["keep", "refuse"]: ...
    @property
    def check(self) -> bool: ...
    def __init__(self, unlowerable: _typing.Literal["keep", "refuse"] = "keep", check: bool = True) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class LowerOnnxLoops(ModulePass):
    """Lowering of loops: write ``Loop`` and ``Scan`` of ONNX as functions that call themselves.

    A value that a loop collects is put into its row of a tensor by a choice of all rows, which
    needs as many rows to be known: a trip count that is constant, and no condition that may end
    the loop before.

    Args:
        mod: A model whose operators ``LowerOnnx`` has lowered.
        unlowerable: ``"keep"`` leaves what no function of known types says, ``"refuse"`` raises.

    Returns:
        ``mod`` itself where there are no loops. Rewritten expressions carry no types.

    Raises:
        UnlowerableError: If one is refused: which, and why.

    Complexity:
        Linear in the number of distinct nodes.

    Example:
        >>> mod = IRModule()
        >>> lower_onnx_loops(mod) is mod
        True
    """
    @property
    def unlowerable(self) -> _typing.Literal["keep", "refuse"]: ...
    def __init__(self, unlowerable: _typing.Literal["keep", "refuse"] = "keep") -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class LowerToLoops(ModulePass):
    """Tensors as loops: write groups of operators as functions of the loop IR.

    ``FuseOps`` makes the groups, ``Lower`` writes them by tensor operators, and handlers of each
    domain say what the elements of these are. What computes an element of those at its place is
    computed where it is used; sums, and what is used repeatedly, are kept in memory. What is left
    of functions says in which order the groups run.

    Args:
        mod: A module.
        unlowerable: ``"keep"`` leaves groups that loops cannot express, ``"refuse"`` raises.

    Returns:
        The module with functions of loops beside its own.

    Raises:
        UnlowerableError: If a group cannot be expressed and is not to be kept: which node, and why.
        DispatchError: The same where the domain of an operator says nothing of loops.

    Complexity:
        Linear in the number of distinct nodes, and in the size of the formulas that inlining makes.

    Source:
        CINN ``OpLowerer``, TVM ``te`` computations and ``LowerTE``.
    """
    @property
    def unlowerable(self) -> _typing.Literal["keep", "refuse"]: ...
    def __init__(self, unlowerable: _typing.Literal["keep", "refuse"] = "keep") -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class LowerVision(ModulePass):
    """Lowering: write operators of ``vision`` as tensor operators of Relay's core.

    What :class:`Lower` does, for this one domain. Suppression of boxes stays: it is a loop.

    Args:
        mod: A well-formed module.
        target: What it is lowered for: see :class:`Lower`.
        unlowerable: ``"keep"`` leaves what tensor operators cannot express, ``"refuse"`` raises.
        suffix: What is put behind the names of lowered functions, if anything.
        check: Whether to check types and scopes of what was made.

    Returns:
        ``mod`` itself when there are no such calls.

    Raises:
        PassError: See :func:`~relayish.passes.relay.lowering.module.lower_module`.

    Complexity:
        Linear in the number of distinct nodes; a call becomes a number of nodes that depends on
        its operator alone.
    """
    @property
    def target(self) -> str: ...
    @property
    def unlowerable(self) -> _typing.Literal["keep", "refuse"]: ...
    @property
    def suffix(self) -> str: ...
    @property
    def check(self) -> bool: ...
    def __init__(self, target: str = "einsum", unlowerable: _typing.Literal["keep", "refuse"] = "keep", suffix: str = "", check: bool = True) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class ManifestLifetimes(FunctionPass):
    """Lifetime manifestation: say where the value of a variable is needed no more.

    Return ``func`` with ``memory.kill(%x)`` behind each let whose value is the last to use ``%x``.

    Lets that give a variable another name go first, so that a value has one name; so does a
    ``device_copy`` to the same device. What is used last by a condition, or by what is matched, is
    killed behind the let of the whole, unless a branch uses it; then behind its last use there.
    Variables whose value is returned are not killed, nor those that functions inside capture.

    Args:
        func: A function, best in A-normal form: kills stand behind lets alone.

    Returns:
        ``func`` itself when there is nothing to kill, and no other name.

    Complexity:
        Linear in distinct nodes, but for a logarithmic factor for sets; no recursion.

    Source:
        Relay ``ManifestLifetimes``. There, code behind an ``if`` in a branch does not count as
        following its branches.

    Example:
        >>> from relayish import exp, var
        >>> x, y = var("x"), var("y")
        >>> out = manifest_lifetimes(Function((x,), Let(y, exp(x), exp(y))))
        >>> out.body.body.value.op.name, out.body.body.value.args[0] is x
        ('memory.kill', True)
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class MarkCompilerFunctionsAsExtern(ModulePass):
    """External marking: say of functions of other compilers that they are compiled by now.

    Return ``mod`` with the attribute ``Extern``, in place of all it had, on each function of the
    module that another compiler owns.

    Args:
        mod: Any module.
        compiler_filter: The compiler whose functions are marked; by default all.

    Returns:
        ``mod`` itself when there is none.

    Complexity:
        Linear in the number of functions.

    Source:
        Relay ``MarkCompilerFunctionsAsExtern``.

    Example:
        >>> from relayish.text import parse
        >>> from relayish.transform import MarkCompilerFunctionsAsExtern
        >>> mod = parse('''#[version = "0.0.5"]
        ... def @region(%x: int32, Compiler="other", Primitive=1) { negative(%x) }''')
        >>> MarkCompilerFunctionsAsExtern()(mod)["region"].attrs
        DictAttrs({'Extern': 1})
    """
    @property
    def compiler_filter(self) -> str: ...
    def __init__(self, compiler_filter: str = "") -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class MarkConstantArguments(ModulePass):
    """Constant arguments: note on functions of loops which arguments all calls give as constants.

    Schedules then may prepare what these hold, once, for what would not be worth while each time.

    Returns:
        ``mod`` itself when there is nothing to note.

    Complexity:
        Linear in the number of distinct nodes.
    """
    def __init__(self) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class MergeClips(FunctionPass):
    """Clip merging: bound a value once.

    ``Relu``, ``Clip``, ``Max`` and ``Min`` with a constant number, one behind the other, become one
    ``Clip``, or ``Relu``, where nothing uses what lies between.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class MergeCompilerRegions(FunctionPass):
    """Region merging: let one compiler compute together what it computes of a program.

    Return ``expr`` with regions of one compiler merged where values go from one to the other.

    Regions are what marks of ``AnnotateTarget`` enclose, in one scope: what goes from one into
    another without marks is marked. They are merged in the order in which they are computed, unless
    one also goes into the other by way of something else: together they would have to be computed
    before and after it.

    Returns:
        ``expr`` itself when there is nothing to merge.

    Raises:
        PassError: If marks do not enclose regions.

    Complexity:
        ``n log n`` in distinct nodes and edges, beside the searches for other ways from one region
        into another, each of which looks at no more than a constant number of nodes; no recursion.

    Source:
        Relay ``MergeCompilerRegions``. There, other ways by what has no marks are not seen, and
        what branches compute is merged with what both of them use, to be computed whichever is
        taken.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class MergeComposite(FunctionPass):
    """Pattern outlining: cut what patterns describe out of functions, as composite functions.

    Return ``func`` with what matches each pattern, in turn, called as a composite function.

    Args:
        func: A function.
        pattern_table: Tuples of a name, a pattern and, if wanted, a function of an expression that
            says whether a match counts; those in front are cut out first.
        mod: The module it belongs to.

    Returns:
        ``func`` itself when nothing matched.

    Raises:
        PassError: If an entry of the table is not of that form.

    Complexity:
        One walk for each pattern, and type inference behind each that matched; no recursion.

    Source:
        Relay ``MergeComposite``.

    Example:
        >>> from relayish.dataflow_pattern import is_op, wildcard
        >>> from relayish.text import parse
        >>> from relayish.transform import MergeComposite
        >>> mod = parse('''#[version = "0.0.5"]
        ... def @main(%x: Tensor[(2, 2), float32], %y: Tensor[(2, 2), float32]) {
        ...   tanh(nn.relu(add(%x, %y)))
        ... }''')
        >>> add_relu = is_op("nn.relu")(is_op("add")(wildcard(), wildcard()))
        >>> out = MergeComposite([("add_relu", add_relu)])(mod)
        >>> dict(out["main"].body.args[0].op.attrs.items())
        {'PartitionedFromPattern': 'add_nn.relu_', 'Composite': 'add_relu'}
    """
    @property
    def pattern_table(self) -> _collections_abc.Sequence[tuple[_typing.Any, ...]]: ...
    def __init__(self, pattern_table: _collections_abc.Sequence[tuple[_typing.Any, ...]]) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class MergeConsecutive(FunctionPass):
    """Merging of operators of ONNX in a row: do at once what two of them do.

    Return ``func`` with one ``Reshape`` for several changes of the shape, one ``Transpose``,
    ``Concat``, ``Cast``, ``Slice``, ``Squeeze`` or ``Unsqueeze`` for two in a row: where the result
    is the same in every bit, and no more is computed than before.

    Args:
        func: A function of ONNX; anything else is returned as it is.
        mod: The module it is from.

    Complexity:
        Linear in the nodes.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class MergeInitializers(FunctionPass):
    """Merging of equal initializers of ONNX: keep each value once.

    Return ``func`` with one variable for all constants of one element type, one shape and the same
    bits, in each graph for itself. Results of a graph keep a constant of their own.

    Args:
        func: A function of ONNX; anything else is returned as it is.
        mod: The module it is from.

    Complexity:
        Linear in the nodes and the bytes of constants of which several have the same shape.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class MergeSlices(FunctionPass):
    """Slice merging: cut a value along several axes by one operator.

    Two ``Slice``, one behind the other, by constants and along different axes, become one where
    nothing uses what lies between.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
def O0() -> Pass:
    """Return the pipeline of the default passes of level 0 and below."""
def O1() -> Pass:
    """Return the pipeline of the default passes of level 1 and below."""
def O2() -> Pass:
    """Return the pipeline of the default passes of level 2 and below."""
def O3() -> Pass:
    """Return the pipeline of the default passes of level 3 and below."""
def O4() -> Pass:
    """Return the pipeline of the default passes of level 4 and below."""
class OptimizeOnnx(FunctionPass):
    """Simplify and fuse a program of ONNX until nothing is left to do.

    The rules of ``SimplifyOnnx`` and of ``FuseOnnx`` give work to each other; here they are applied
    together, in one walk.

    Args:
        func: A function of ONNX; anything else is returned as it is.
        mod: The module it is from.
        size_limit: How many elements a folded tensor may have, unless its operands have as many.

    Returns:
        ``func`` itself where there is nothing to do.

    Complexity:
        Linear in the nodes and what they become, not counting evaluation.
    """
    @property
    def size_limit(self) -> int: ...
    def __init__(self, size_limit: int = 4194304) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class OutlineCompilerFunctionsWithExistingGlobalSymbols(ModulePass):
    """Compiler function outlining: make functions of other compilers global, by their names.

    Return ``mod`` with the functions that other compilers own, where they are called, as functions
    of the module; each is called as its attribute ``global_symbol`` says.

    Functions that lets bind are outlined as well, and the lets go. One function is made of those
    that have one name; they must be equal.

    Args:
        mod: Any module.
        compiler_filter: The compiler whose functions are outlined; by default all.

    Returns:
        ``mod`` itself when there is nothing to outline.

    Raises:
        PassError: If a function has no ``global_symbol``, uses variables from outside, or differs
            from another of its name.

    Complexity:
        Linear in distinct nodes; no recursion.

    Source:
        Relay ``OutlineCompilerFunctionsWithExistingGlobalSymbols``, which takes the first of
        several functions of a name for all.

    Example:
        >>> from relayish.text import parse
        >>> from relayish.transform import OutlineCompilerFunctionsWithExistingGlobalSymbols
        >>> mod = parse('''#[version = "0.0.5"]
        ... def @main(%x: int32) {
        ...   %0 = fn (%p: int32, Compiler="other", global_symbol="region") { negative(%p) };
        ...   %0(%x)
        ... }''')
        >>> out = OutlineCompilerFunctionsWithExistingGlobalSymbols("other")(mod)
        >>> [name.name_hint for name in out], out["main"].body.op.name_hint
        (['main', 'region'], 'region')
    """
    @property
    def compiler_filter(self) -> str: ...
    def __init__(self, compiler_filter: str = "") -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class PartialEvaluate(ModulePass):
    """Partial evaluation: compute what is known before the program runs, and leave the rest.

    Return ``mod`` with what is known of each function computed.

    Known are constants, tuples and data structures with all that is known of their fields,
    functions, and the contents of references until something may have written to them. Calls of
    operators on constants, projections, branches, matches, reads, and calls of functions of which
    it is known which they are, are evaluated; what is left is a chain of bindings, in the order of
    evaluation. What nobody needs any more is left to ``DeadCodeElimination``, which had better
    inline what is used once.

    A call of a function within itself is evaluated as long as its arguments get smaller: numbers
    towards zero, data structures towards their leaves. How much is evaluated is bounded in
    proportion to the program besides; what is not evaluated is left as a call. Of a global function
    that calls enter, what was left of it is evaluated, not the whole of it again.

    Args:
        mod: A module with types. Nodes that several branches share are bound in front of them, as
            ``ToBasicBlockNormalForm`` does.

    Returns:
        ``mod`` itself when what is left are the same functions.

    Raises:
        PassError: If what blocks share may act, as ``ToBasicBlockNormalForm`` does.

    Complexity:
        Linear in the number of distinct nodes, but for functions that are needed as values in many
        environments: each of these is evaluated for its own. No recursion.

    Source:
        Relay ``PartialEvaluate``, which makes the code of every function at once, whether it
        is needed or not.
    """
    def __init__(self) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class PartitionANF(ModulePass):
    """Outline long chains of lets: cut them into functions of at most ``max_num_ops`` lets each.

    What :func:`partition_anf` does, with each function. Functions are brought into A-normal form if
    they have more bindings there.
    """
    @property
    def max_num_ops(self) -> int: ...
    def __init__(self, max_num_ops: int) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class PartitionGraph(ModulePass):
    """Graph partitioning: put what other compilers compute into functions of the module.

    Return ``mod`` with each region of another compiler in a function of its own.

    The function has the attributes ``Compiler``, ``Primitive``, ``Inline`` and ``global_symbol``,
    and is called ``tvmgen_<mod_name>_<compiler>_<function>_<number>``. What enters the region are
    its parameters; several results come as a tuple. Marks of the default target disappear.

    Args:
        mod: A module with marks, of ``AnnotateTarget`` and perhaps ``MergeCompilerRegions``.
        mod_name: What is put into the names; nothing if it is ``None`` or empty.
        bind_constants: Put constants that enter into the functions.

    Returns:
        ``mod`` itself when it has no marks.

    Raises:
        PassError: If marks do not enclose regions that could be functions.

    Complexity:
        Linear in distinct nodes and edges; no recursion.

    Source:
        Relay ``PartitionGraph``.
    """
    @property
    def mod_name(self) -> str | None: ...
    @property
    def bind_constants(self) -> bool: ...
    def __init__(self, mod_name: str | None = "default", bind_constants: bool = True) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class PartitionLoops(Pass):
    """Loop partitioning: cut loops where conditions on their variables change.

    Selections and branches that compare a variable with a constant are decided in each part, so
    that what is padded, or put together of several arrays, is copied without a question. Parts run
    in order: results are the same, bit for bit.

    Args:
        func: The function.
        symbolic: Cut as well where arguments tell, and where a condition on several variables
            holds at first whatever those of loops inside are, as that of a loop that was split does
            but at its end. The other part asks the condition, if it may hold there.

    Returns:
        ``func`` itself when no condition is decided.

    Complexity:
        Linear in the size of what is made: a part has a copy of the body, without the arms of
        selections that it does not need.

    Source:
        Griebl, Feautrier and Lengauer, "Index set splitting"; TVM ``LoopPartition``.
    """
    @property
    def symbolic(self) -> bool: ...
    def __init__(self, symbolic: bool = False) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class PlanDevices(ModulePass):
    """Device planning: decide where each value is kept, and write copies where devices change.

    Return ``mod`` with a device for every parameter, result and value of a let, and a
    ``device_copy`` wherever a value that is kept on one device is needed on another.

    What ``on_device``, ``device_copy`` and the ``virtual_device`` of variables and functions say
    holds; so does that operators run where their arguments are, and that shapes are on the host.
    Whatever is open then is on the device of what it goes into, or of the let around it, and the
    results of functions on the default device. Afterwards the device of an expression is told by
    the innermost ``on_device`` around it, or by its function:
    :func:`~relayish.analysis.virtual_devices.recover_virtual_device_map` reads it off.

    Args:
        mod: A typed module.
        config: The devices, by name, as objects, or as :func:`make_compilation_config` makes it;
            the default among them is what the context has in ``relay.fallback_device_type``.
        ctx: The context of the pass.

    Returns:
        ``mod`` itself when everything is planned.

    Raises:
        PassError: If a value has to be on two devices, and nothing says where it may be copied;
            names what puts it on each.
        OperatorError: If a name is that of no device.

    Complexity:
        Linear in distinct nodes, but for an almost constant factor; no recursion.

    Source:
        Relay ``PlanDevices``. There, devices behind two nested marks lose a copy.

    Example:
        >>> from relayish import on_device, var
        >>> from relayish.transform import InferType, PlanDevices
        >>> x = var("x", shape=(2,))
        >>> mod = InferType()(IRModule.from_expr(-on_device(-x, "cuda")))
        >>> main = PlanDevices("cpu")(mod)["main"]
        >>> main.params[0].virtual_device.device_type_int, main.body.args[0].op.name
        (2, 'device_copy')
    """
    @property
    def config(self) -> _relayish_passes_relay_memory_plan_devices.CompilationConfig | str | tuple[str | _relayish_ir_relay_virtual_device.VirtualDevice, ...]: ...
    def __init__(self, config: _relayish_passes_relay_memory_plan_devices.CompilationConfig | str | tuple[str | _relayish_ir_relay_virtual_device.VirtualDevice, ...] | list[str | _relayish_ir_relay_virtual_device.VirtualDevice] = "cpu") -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class PrintIR(ModulePass):
    """Print the program to standard error; ``header`` stands above it, in a comment.

    Relay leaves values of large constants out unless ``show_meta_data`` is true; without it what is
    printed need not parse.

    Returns:
        ``mod`` itself.

    Example:
        >>> import contextlib
        >>> from relayish.ir.relay.expr import Function, Var
        >>> from relayish.transform import PrintIR
        >>> x = Var("x")
        >>> with contextlib.redirect_stderr(sys.stdout):
        ...     mod = PrintIR(header="as it was given")(IRModule({"main": Function((x,), x)}))
        // as it was given
        #[version = "0.0.5"]
        def @main(%x) {
          %x
        }
    """
    @property
    def header(self) -> str: ...
    @property
    def show_meta_data(self) -> bool: ...
    def __init__(self, header: str = "", show_meta_data: bool = False) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class PushTranspose(FunctionPass):
    """Transpose sinking: move transpositions down until they cancel out.

    A ``Transpose`` moves through operators of elements (other operands are constants, numbers, or
    transposed alike), ``Concat``, reductions, ``Pad``, ``Softmax``, ``Squeeze``, ``Unsqueeze`` and
    products with matrices, and into ``Gemm``; only where the number of operators falls by that,
    which is found out first. Values stay the same, but for the order in which floats are summed.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where no operator would be saved.

    Complexity:
        Linear in the nodes, times the number of transpositions that are concerned with the same.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class QnnCanonicalizeOps(FunctionPass):
    """Operator canonicalisation of ``qnn``: compute quantised operators by plain ones.

    Return ``expr``, whose types are known, with calls of quantised operators replaced by calls of
    plain ones, which compute the same integers. Where scales are constants, fractions and shifts
    stand for them, and tables for functions of bytes; others are taken apart when it runs. A call
    whose attributes nothing says how to evaluate stays as it is. Simulated quantisation is plain
    already.

    Returns:
        ``expr`` itself where there is nothing to replace.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``qnn.transform.CanonicalizeOps``, that is ``Legalize("FTVMQnnCanonicalize")``.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
def QnnLegalize() -> Pass:
    """Return the pipeline that legalises quantised operators, and canonicalises them.

    Source:
        Relay ``qnn.transform.Legalize``.
    """
class RaiseToOnnx(FunctionPass):
    """Raising: write calls of Relay's operators with those of ONNX, as far as it has them.

    Args:
        expr: A well-formed expression, whose types are known.
        mod: The module that it is in.
        opset: The version of ONNX's operator set that it is for; if none is said, the one that the
            function or the module is of, such as that of the model it was read from, else 17.
        keep: Whether calls that ONNX has nothing for are kept, and not refused.

    Returns:
        ``expr`` itself where it calls nothing of Relay's.

    What ONNX has an operator for, but not for these element types in this version, is computed in
    a type that gives the same, and cast.

    Raises:
        PassError: If a call cannot be written, naming it and the reason.

    Complexity:
        Linear in the number of distinct nodes; no recursion.
    """
    @property
    def opset(self) -> int | None: ...
    @property
    def keep(self) -> bool: ...
    def __init__(self, opset: int | None = None, keep: bool = False) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class RearrangeLoadInstruction(Pass):
    """Load scheduling: begin iterations of innermost loops with what they read of memory.

    Processors that run instructions in order then wait for all of it at once, not for one after
    another. Moved are loads that cannot fault, at indices that read no memory, of memory that the
    iteration does not write; each is loaded once. A single one stays, as there is nothing to be
    loaded meanwhile.

    Args:
        func: The function.
        most: How many loads an iteration begins with at most: each takes a register.

    Returns:
        ``func`` itself when nothing is moved.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        CINN ``RearrangeLoadInstructionPass``.
    """
    @property
    def most(self) -> int: ...
    def __init__(self, most: int = 8) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class RemoveNestedBlock(Pass):
    """Flattening of nested blocks: put the statements of a block within a block in its place.

    A block stays where it ends the life of memory that is allocated in it, or where one and the
    same block stands in several places.

    Returns:
        ``func`` itself when there is nothing to flatten.

    Complexity:
        Linear in the number of distinct statements; no recursion.

    Source:
        CINN ``RemoveNestedBlock``.
    """
    def __init__(self) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class RemoveScheduleBlock(Pass):
    """Removal of schedule blocks: put the values of their variables where these are used.

    A value that reads memory, or may fail, is declared by a ``Let`` before the body instead, so
    that it is still evaluated once, and first. What blocks say beside (regions, attributes) is
    dropped with them.

    Returns:
        ``func`` itself when it has no schedule blocks.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        CINN ``RemoveScheduleBlock``.
    """
    def __init__(self) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class RemoveUnusedFunctions(ModulePass):
    """Dead-function elimination: drop functions that the entry functions do not reach.

    Return ``mod`` with only the functions that ``entry_functions`` refer to, and these.

    A reference counts whether it calls the function or not. Types stay.

    Returns:
        ``mod`` itself when every function is needed.

    Raises:
        UnknownNameError: If ``mod`` does not define one of ``entry_functions``.

    Complexity:
        Linear in distinct nodes; no recursion.

    Source:
        Relay ``RemoveUnusedFunctions``.
    """
    @property
    def entry_functions(self) -> tuple[str, ...]: ...
    def __init__(self, entry_functions: tuple[str, ...] | list[str] = ("main",)) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class RenameTensors(Pass):
    """Renaming of tensors: give each a name that no other tensor has, at all its uses at once.

    Of tensors that share a name the first keeps it. What is equal, and looks at the same buffer, is
    one tensor, however often it was built. :func:`rename_tensors` gives names that one chooses.

    Returns:
        ``func`` itself when the names of its tensors are unique.

    Complexity:
        Linear in the number of distinct nodes; no recursion.
    """
    def __init__(self) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class RenameVars(FunctionPass):
    """Alpha-renaming: call variables ``a1``, ``a2``, … in the order in which they are bound.

    What :func:`rename_vars` does where no variable is free.

    Example:
        >>> from relayish.ir.relay.module import IRModule
        >>> from relayish.text import parse_expr
        >>> from relayish.transform import RenameVars
        >>> func = parse_expr("fn (%x: int32) { let %tmp = negative(%x); add(%x, %tmp) }")
        >>> main = RenameVars()(IRModule.from_expr(func))["main"]
        >>> main.params[0].name_hint, main.body.var.name_hint
        ('a1', 'a2')
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class SequenceToTensors(FunctionPass):
    """Scalar replacement of sequences of ONNX: use their elements themselves.

    Return ``func`` with the elements of sequences where they are taken out, counted or
    concatenated, as long as it is known which they are; ``SplitToSequence`` becomes ``Split``.

    Args:
        func: A function of ONNX; anything else is returned as it is.
        mod: The module it is from.

    Complexity:
        Linear in the nodes and the elements of sequences that are taken out.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class Simplify(Pass):
    """Algebraic simplification: compute less, to the same bits.

    Integers are exact: sums wrap around, quotients round towards zero, and what is only so where
    nothing wraps around is done only where intervals prove that. Floats keep every bit, so
    ``x * 0.f`` stays, and ``x + 0.f``. An expression that may fault is still evaluated.

    Returns:
        ``func`` itself when there is nothing to simplify.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        CINN ``Simplify``, with ``SimplifyCast``, ``IfSimplify``, ``SimplifyBlocks`` and
        ``SimplifyForLoops``.
    """
    def __init__(self) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class SimplifyBlocks(Pass):
    """Block merging: statements of blocks in blocks stand in the outer one, and empty blocks go.

    A block that declares a variable or allocates memory, which is there until it ends, is merged
    only at the end of the outer one.

    Returns:
        ``func`` itself when there is nothing to do.

    Complexity:
        Linear in the number of distinct nodes, and the size of conditions; no recursion.

    Source:
        CINN ``SimplifyBlocks``.
    """
    def __init__(self) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class SimplifyDomains(ModulePass):
    """Simplification of programs of any mix of domains.

    Each definition is visited by the handlers that domains registered for the task ``"simplify"``:
    for functions of Relay ``SimplifyExpr``, for those of loops ``Simplify``, and those of packages;
    operators of all domains go by what is declared of them.

    Args:
        mod: A module of definitions of any languages.
        attributes: Whether declared facts are used: identity and absorbing elements, idempotence,
            involutions, inverses, associativity; see :func:`relayish.ir.kinds.algebra.ALGEBRAS`.
            With them operators on literals are evaluated, by the handlers of the task
            ``"evaluate"``, where that gives a literal: nothing that faults, and no NaN.
        handlers: Whether handlers of domains are asked.

    Returns:
        ``mod`` itself when there is nothing to simplify.

    Complexity:
        Linear in the number of distinct nodes, but for what handlers do; no recursion.

    Source:
        AIR's document, "Simplifier".
    """
    @property
    def attributes(self) -> bool: ...
    @property
    def handlers(self) -> bool: ...
    def __init__(self, attributes: bool = True, handlers: bool = True) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class SimplifyExpr(FunctionPass):
    """Peephole simplification: apply algebraic rewrite rules until none fits.

    Return ``expr``, whose types are known, simplified by :data:`SIMPLIFY`.

    Shapes and element types taken from another tensor are written out; reshapes, transpositions,
    changes of layout, conversions and limits that follow one another become one, or none; operands
    that change nothing go; constants that are added or multiplied one after the other are combined,
    and multiplied in front of added ones; polynomials of the second degree become products; what is
    added to a reshaped product of matrices is added before the reshape.

    Numbers that are no numbers, infinite or negative zero keep their values, and whole numbers that
    overflow theirs, with these exceptions, all of them Relay's as well: a zero that is added no
    longer makes a positive zero of a negative one; where constants are combined, in polynomials and
    at reciprocal roots, floating-point numbers are rounded otherwise, and what would have become
    infinite on the way, or not a number because of an infinite part, need not become so; what is
    not a number may become another whole number where limited numbers are converted once, not
    twice.

    Args:
        expr: A well-formed expression; rules that ask for a type leave alone what has none.
        mod: The module it belongs to.

    Returns:
        ``expr`` itself when there is nothing to simplify.

    Complexity:
        Linear in the number of distinct nodes and of replacements; no recursion.

    Source:
        Relay ``SimplifyExpr`` (``src/relay/transforms/simplify_expr.cc``) and RAF's. A part that
        is used elsewhere too does not keep a rule from applying; a product with zero is zero for
        whole numbers only.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class SimplifyExprPostAlterOp(FunctionPass):
    """Peephole simplification: clean up what alteration of operators leaves behind.

    Return ``expr``, whose types are known, without reshapes, changes of layout, conversions and
    limits that come one after the other where one would do, or none, and without operands that
    change nothing. A zero that is added no longer makes a positive zero of a negative one, as in
    ``SimplifyExpr``; all else keeps every bit.

    Args:
        expr: A well-formed expression; rules that ask for a type leave alone what has none.
        mod: The module it belongs to.

    Returns:
        ``expr`` itself when there is nothing to simplify.

    Complexity:
        Linear in the number of distinct nodes and of replacements; no recursion.

    Source:
        Relay ``SimplifyExprPostAlterOp``; changes of layout one after the other are Relay's
        ``SimplifyExpr``'s alone.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class SimplifyFCTranspose(FunctionPass):
    """Weight transposition: let fully connected layers take weights that are transposed already.

    Return ``func`` with weights it transposes as parameters that come transposed.

    A weight ``w`` that is transposed only to be multiplied by gives way to a parameter ``w.T``, in
    its place; it stays beside that where it is used otherwise as well.

    Args:
        func: A well-formed function.
        mod: The module it belongs to, if to one.
        target_weight_name: The names of the parameters; see
            :func:`~relayish.analysis.search_fc_transpose`.

    Returns:
        ``func`` itself where it transposes none of them.

    Raises:
        PassError: If a name is that of no parameter, or another function of ``mod`` refers to
            ``func``.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``SimplifyFCTranspose``; there parameters come in the order of their use, and a
        weight that is transposed and is none of those named is an error.
    """
    @property
    def target_weight_name(self) -> tuple[str, ...]: ...
    def __init__(self, target_weight_name: tuple[str, ...] | list[str] = ()) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class SimplifyForLoops(Pass):
    """Loop simplification: drop loops that run once, never, or do nothing.

    The only value of a variable takes its place everywhere: in indices, in bounds of other loops
    and variables, in what schedule blocks read and write. A loop stays where that value reads
    memory,
    and where an index of a device runs it. Whether it runs once is known from intervals.

    Returns:
        ``func`` itself when there is nothing to do.

    Complexity:
        Linear in the number of distinct nodes, and the size of conditions; no recursion.

    Source:
        CINN ``SimplifyForLoops``.
    """
    def __init__(self) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class SimplifyGather(FunctionPass):
    """Indexing simplification: take the dimension with the index, or leave it.

    ``Unsqueeze`` of what one index selects, along the same axis, is what a list of that index
    selects; ``Squeeze`` of the latter, or of a ``Slice`` of one element, is the former.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class SimplifyInference(FunctionPass):
    """Inference-time expansion: spell out normalisation, and remove dropout.

    Return ``expr``, whose types are known, with normalisation spelt out and dropout removed.

    Batch normalisation and dropout return several tensors; the first of each is replaced where it
    is taken out of the call. Further normalisations (layer, group, instance, ``l2_normalize``) are
    replaced whole. Constants are of the element type of the data.

    Args:
        expr: A well-formed expression with its types inferred.

    Returns:
        ``expr`` itself when there is none of these in it.

    Raises:
        PassError: If one of these operators is applied to data whose type was not inferred.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``SimplifyInference``; epsilon keeps the precision of the data, and groups may be
        normalised whatever of the shape is unknown.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class SimplifyOnnx(FunctionPass):
    """Simplification of programs of ONNX: fold, inline, drop and merge until nothing is left to do.

    Return ``func`` after ``ConstantToInitializer``, ``MergeInitializers``, ``FoldShapes``,
    ``InlineControlFlow``, ``EliminateNop``, ``SequenceToTensors`` and ``MergeConsecutive``,
    together, to a fixed point.

    Args:
        func: A function of ONNX; anything else is returned as it is.
        mod: The module it is from.
        size_limit: How many elements a folded tensor may have, unless its operands have as many.
        fold_dequantize: Fold ``DequantizeLinear`` of constants too.
        signed_zeros: Tell ``-0.0`` from ``0.0``: keep ``x + 0.0``.

    Complexity:
        Linear in the nodes and what they become, not counting evaluation.
    """
    @property
    def size_limit(self) -> int: ...
    @property
    def fold_dequantize(self) -> bool: ...
    @property
    def signed_zeros(self) -> bool: ...
    def __init__(self, size_limit: int = 4194304, fold_dequantize: bool = False, signed_zeros: bool = False) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class SimplifySplitConcat(FunctionPass):
    """Remove ``Concat`` of all that ``Split`` gave, and ``Split`` of what ``Concat`` put together.

    ``Concat`` of neighbouring ``Slice`` that together are the whole value is removed as well.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes and their operands.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class SimplifyTransposeReshape(FunctionPass):
    """Make one ``Reshape`` of a reshape and a transpose that only moves dimensions of one element.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes.
    """
    def __init__(self) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class SparseConditionalConstantPropagation(FunctionPass):
    """Sparse conditional constant propagation: evaluate what has one value on all paths taken.

    Return ``expr`` with what is constant on all paths that control may take replaced by its value,
    and branches that it never takes dropped.

    What ``FoldConstant`` does is done too. Beyond that, a branch may be decided by what branches
    around it say (``x`` is 3 where ``x == 3`` holds), branches may agree on a value, an expression
    that acts may have a known value, and fields of tuples are followed through variables, branches
    and patterns. What acts stays where it is.

    Args:
        expr: Any well-formed expression, shared subexpressions included.
        fold_qnn: Fold operators of the ``qnn`` dialect too, and others that dequantise.
        size_limit: How many elements a result may have, unless its operands have as many together.
        interprocedural: Follow calls of functions that are known: their parameters have the values
            of all calls, and calls those of the functions.

    Returns:
        ``expr`` itself when there was nothing to do.

    Complexity:
        Linear in the number of distinct nodes, not counting evaluation; no recursion. Across calls,
        that of points-to analysis.

    Source:
        Wegman and Zadeck, Constant propagation with conditional branches, 1991.
    """
    @property
    def fold_qnn(self) -> bool: ...
    @property
    def size_limit(self) -> int: ...
    @property
    def interprocedural(self) -> bool: ...
    def __init__(self, fold_qnn: bool = False, size_limit: int = 1048576, interprocedural: bool = False) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class SplitArgs(FunctionPass):
    """Argument splitting: concatenate in steps where a kernel cannot take as many tensors.

    Return ``expr``, whose types are known, with concatenations of many tensors split up.

    Each step concatenates what the one before it made with further tensors, and nothing is fused
    into it, so that the kernel takes no more arguments than it may.

    Args:
        expr: A well-formed expression with its types inferred.
        max_function_args: How many arguments a kernel may have, its result among them; zero for
            any number. A tensor with dimensions that are not known takes an argument for each of
            these and for each of its strides. A step always takes two tensors.

    Returns:
        ``expr`` itself when nothing has too many arguments.

    Raises:
        PassError: If the number is negative, or types were not inferred.

    Complexity:
        Linear in the number of distinct nodes and their uses; no recursion.

    Source:
        Relay ``SplitArgs``.
    """
    @property
    def max_function_args(self) -> int: ...
    def __init__(self, max_function_args: int) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class StorageRewrite(Pass):
    """Storage rewriting: let temporaries share memory that are not needed at one time.

    Two are apart if one is used last before the other is stored to first: in the function, in an
    arm of a branch, or in an iteration of a serial loop that needs nothing of those before. The
    larger one's memory serves both. All elements of each are stored before one is read, so nothing
    is found of another, and what would have been an error is one still. Elements are of one type,
    and of sizes that are known, or the same. Buffers that statements allocate or free, that have
    strides, and that something else than loads and stores is given, keep memory of their own.

    Returns:
        ``func`` itself when no two temporaries share.

    Complexity:
        That of :class:`~relayish.tir.analysis.regions.lifetimes.Lifetimes`, and of the number of
        temporaries times those that are left.

    Source:
        TVM ``StorageRewrite``; Fabri, "Automatic storage optimization".
    """
    def __init__(self) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class ToANormalForm(ModulePass):
    """A-normal form: bind every intermediate value to a variable, so that operands are names.

    What :func:`to_a_normal_form` does, with each function but for those other compilers own.
    """
    def __init__(self) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class ToBasicBlockNormalForm(ModulePass):
    """Basic-block normal form: bind what branches, arms and bodies of functions share to variables.

    What :func:`to_basic_block_normal_form` does, with each function but for those other compilers
    own.
    """
    def __init__(self) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class ToGraphNormalForm(ModulePass):
    """Graph normal form: put the values of lets where their variables are used.

    What :func:`to_graph_normal_form` does, with each function.
    """
    def __init__(self) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class ToMixedPrecision(ModulePass):
    """Mixed precision: compute in a narrow element type where that does little harm.

    What :func:`to_mixed_precision` does, with each function. Functions that others refer to return
    what they did. The option ``relay.ToMixedPrecision.keep_orig_output_dtype`` of the context has
    all do so.
    """
    @property
    def mixed_precision_type(self) -> str: ...
    @property
    def missing_op_mode(self) -> int: ...
    def __init__(self, mixed_precision_type: str = "float16", missing_op_mode: int = 1) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class TransformPolyForToFor(Pass):
    """Conversion of loops with a condition and a step into counted loops.

    The condition compares the variable with bounds that the loop does not change, or is a
    conjunction of such comparisons, and the step is a constant. Other loops stay as they are;
    :func:`poly_for_obstacles` says why.

    A loop by steps of one keeps its variable. In others that is computed from the count of
    iterations, which is 64 bits wide where it might not fit otherwise.

    Returns:
        ``func`` itself when no loop is converted.

    Complexity:
        Linear in the number of distinct nodes, for each piece of memory that bounds read once more,
        and as often as a loop can be converted since one around it was; no recursion.

    Source:
        CINN ``TransformPolyForToFor``.
    """
    def __init__(self) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class UnrollLoop(Pass):
    """Loop unrolling: replace loops of few iterations by a copy of the body for each.

    Unrolled are loops that are marked ``UNROLLED``, and serial loops in a schedule block with the
    attribute ``auto_unroll_max_step`` that would run no more stores than that in all, and hold no
    loop that stays. Their extent is a constant, ``max_extent`` at most.

    Args:
        func: A function.
        max_extent: Loops of more iterations stay.

    Returns:
        ``func`` itself when nothing is unrolled.

    Complexity:
        Linear in the size of the function before and after; no recursion.

    Source:
        CINN ``UnrollLoop``, but for what it does to a loop that does not begin at 0.
    """
    @property
    def max_extent(self) -> int: ...
    def __init__(self, max_extent: int = 50) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class ValidateInplaceUpdate(FunctionPass):
    """Validation of in-place updates: drop ``may_share`` where shared storage is still live.

    Return ``func`` in which variables share memory only where nothing is lost by it.

    A let-bound variable may not take the place of a value that is used later, perhaps by another
    name, as part of a tuple, by a closure or through a reference; nor that of a constant, or of
    something that a function around it, or the caller of an inner function, has.

    Args:
        func: A function in A-normal form, if any variable shares memory.
        enforce_inplace_update: Refuse ``func`` rather than let a value have memory of its own.

    Returns:
        ``func`` itself when every sharing is allowed.

    Raises:
        PassError: If one is not and ``enforce_inplace_update`` is true, or ``func`` is not in
            A-normal form.

    Complexity:
        That of :func:`~relayish.analysis.liveness.analyse_liveness`.

    Source:
        RAF ``ValidateInplaceUpdate``.

    Example:
        >>> from relayish.ir.relay.expr import Let, Var
        >>> from relayish.op import get_op
        >>> x, exp = Var("x"), get_op("exp")
        >>> a = Var("a", may_share=x)
        >>> func = Function((x,), Let(a, exp(x), x))
        >>> validate_inplace_update(func).body.var.may_share is None
        True
    """
    @property
    def enforce_inplace_update(self) -> bool: ...
    def __init__(self, enforce_inplace_update: bool = False) -> None: ...
    def transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) -> _Function: ...
class VarModSimplify(Pass):
    """Index simplification: quotients and remainders of sums, by intervals.

    Quotients are rounded towards zero, so what is taken out of one has to be of the sign of the
    rest, and nothing may wrap around.

    Returns:
        ``func`` itself when there is nothing to do.

    Complexity:
        Linear in the number of distinct nodes, and the size of conditions; no recursion.

    Source:
        CINN ``VarModSimplify``.
    """
    def __init__(self) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class VectorizeLoops(Pass):
    """Vectorisation: run several iterations of a loop at once, and the rest one by one.

    Vectorised are loops that are marked ``VECTORIZED``, with as many lanes as they say, where no
    iteration depends on another in a way that would be seen: what is read in a later iteration of
    one vector is not written after it in the body of an earlier one. Branches on the variable are
    selections where both values can be computed without harm. A loop that has to stay serial loses
    its mark; :func:`vectorize_obstacles` says why.

    Args:
        func: A function.
        factor: The number of lanes of loops that do not say theirs.

    Returns:
        ``func`` itself when no loop is marked.

    Complexity:
        Linear in the size of the function, and quadratic in the accesses of each vectorised loop.

    Source:
        CINN ``VectorizeLoops``; the number of iterations need not be a multiple of the lanes.
    """
    @property
    def factor(self) -> int | None: ...
    def __init__(self, factor: int | None = None) -> None: ...
    def run(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
class Verify(ModulePass):
    """Verification: refuse programs that break rules of the domains of their operators.

    It is the check ``verified``, which ``VerifyInstrument(["verified"])`` asks between any passes.

    Returns:
        ``mod`` itself.

    Raises:
        VerificationError: That says what is wrong, and where; its ``violations`` are all of it.

    Complexity:
        That of :func:`relayish.domain.verify`.

    Source:
        AIR ``GLOB_SCOPE::Verify_ir``, and the option ``verify_ir`` of its passes.
    """
    def __init__(self) -> None: ...
    def transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule: ...
