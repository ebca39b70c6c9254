"""What must hold of every pass, on random programs and on whole ones.

python -m tests.support.standing                      # every pass, 1000 programs
python -m tests.support.standing FuseOps --programs 5000
python -m tests.support.standing FuseOps --only 1234  # one program, printed before and after
python -m tests.support.standing --whole              # every pass, on whole networks
python -m tests.support.standing FuseOps --networks   # networks only: convolutions, products, ...
"""

from __future__ import annotations

import argparse
import math
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import product
from typing import Any

import numpy as np

from relayish import transform
from relayish.analysis import count_nodes, well_formed
from relayish.analysis.infer_type import infer_type
from relayish.dataflow_pattern import is_constant, is_op, wildcard
from relayish.errors import CheckError, GradientError, RelayishError
from relayish.interpreter import evaluate
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.equality.structural_hash import structural_hash
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType
from relayish.op.declaration.target import register_target_support
from relayish.text import astext
from tests.support.random_exprs import random_arguments, random_module, same_value
from tests.support.random_networks import random_network, random_network_arguments
from tests.support.whole_programs import arguments, whole_programs

SIZE = 60

for _target, _names in {
    "random_a": ("add", "nn.conv2d", "nn.dense", "nn.relu", "multiply"),
    "random_b": ("subtract", "add", "exp", "nn.bias_add", "negative", "concatenate"),
}.items():
    for _name in _names:
        register_target_support(_name, _target, replace=True)

VARIANTS: dict[str, tuple[str, ...]] = {
    "CombineParallelBatchMatmul": ("CombineParallelBatchMatmul{min_num_branches=2}",),
    "CombineParallelConv2D": ("CombineParallelConv2D{min_num_branches=2}",),
    "ConvertLayout": (
        "ConvertLayout{desired_layouts=((nn.conv2d, (NHWC, default)), (nn.max_pool2d, (NCHW,)))}",
        "ConvertLayout{desired_layouts=((nn.conv2d, (NCHW2c, default)),)}",
    ),
    "CombineParallelDense": (
        "CombineParallelDense{min_num_branches=2}",
        "CombineParallelDense{min_num_branches=2, to_batch=false}",
    ),
    "EtaExpand": ("EtaExpand{expand_constructor=true, expand_global_var=true}",),
    "DeadCodeElimination": (
        "DeadCodeElimination",
        "DeadCodeElimination{inline_once=true}",
        "DeadCodeElimination{ref_precision=true, function_argument_precision=true}",
        "DeadCodeElimination{inline_once=true, ref_precision=true}",
    ),
    "Deduplicate": (
        "Deduplicate",
        "Deduplicate{consider_type=false, forward_steps=3}",
        "Deduplicate{must_dominate=true, salt=other}",
    ),
    "Lower": ("Lower", "Lower{target=matmul}", "Lower{target=sum}"),
    "LowerNN": ("LowerNN", "LowerNN{target=matmul}"),
    "ConvertOpset": ("ConvertOpset{version=18}",),
    "PartitionANF": ("PartitionANF{max_num_ops=3}", "PartitionANF{max_num_ops=1}"),
    "ToMixedPrecision": (
        "ToMixedPrecision{missing_op_mode=2}",
        "ToMixedPrecision{mixed_precision_type=bfloat16,missing_op_mode=2}",
    ),
    "AnnotateTarget": (
        "AnnotateTarget{targets=[random_a, random_b]}",
        "AnnotateTarget{targets=random_b, include_non_call_ops=false}",
    ),
    "InlineComposites": ("InlineComposites{target=random_a}",),
    "InlineCompilerFunctionsBoundTo": ("InlineCompilerFunctionsBoundTo{global_vars=[]}",),
    "FuseOps": ("FuseOps", "FuseOps{max_function_args=3}"),
    "SplitArgs": ("SplitArgs{max_function_args=3}", "SplitArgs{max_function_args=0}"),
    "Conv2dToSparse2": (
        "Conv2dToSparse2{layout=NCHW, sparsity_threshold=-1.0}",
        "Conv2dToSparse2{layout=NCHW, kernel_size=3, sparsity_threshold=-1.0}",
        "Conv2dToSparse2{layout=NHWC, sparsity_threshold=-1.0}",
    ),
}
"""With which options a pass is tried; without any, if it is not here."""


def _bind_params(mod: IRModule) -> transform.Pass:
    """Return the pass that binds every parameter that goes by a name of its own, to ones."""
    params = mod["main"].params
    names = [param.name_hint for param in params]
    types = {p.name_hint: p.type_annotation for p in params if names.count(p.name_hint) == 1}
    return transform.BindParams(
        {
            name: np.ones(ty.shape, ty.dtype)
            for name, ty in types.items()
            if isinstance(ty, TensorType) and all(isinstance(size, int) for size in ty.shape)
        }
    )


def _sparse_weights(mod: IRModule, rank: int) -> dict[str, Any]:
    """Return the names and sizes of all parameters of a rank, in blocks of one element."""
    types = {param.name_hint: param.type_annotation for param in mod["main"].params}
    shapes = {n: ty.shape for n, ty in types.items() if isinstance(ty, TensorType)}
    known = {
        name: shape
        for name, shape in shapes.items()
        if len(shape) == rank and all(isinstance(size, int) for size in shape)
    }
    sizes = [(math.prod(s), 1, 1, math.prod(s), s[0] + 1) for s in known.values()]
    return {"weight_name": tuple(known), "weight_shape": tuple(sizes)}


_PATTERN_TABLE = (
    ("sum_of_product", is_op("add")(is_op("multiply")(wildcard(), wildcard()), wildcard())),
    ("relu", is_op("nn.relu")(wildcard()).optional(is_op("tanh")), lambda _: True),
    ("scaled", (wildcard() * is_constant()) | (wildcard() - wildcard())),
)

ARGUMENTS: dict[str, Callable[[IRModule], transform.Pass]] = {
    "BindParams": _bind_params,
    "MergeComposite": lambda _: transform.MergeComposite(_PATTERN_TABLE),
    "ChangeBatch": lambda mod: transform.ChangeBatch(dict.fromkeys(mod["main"].params[:1], 0), 3),
    "DenseToSparse": lambda mod: transform.DenseToSparse(**_sparse_weights(mod, 2)),
    "Conv2dToSparse": lambda mod: transform.Conv2dToSparse(
        **_sparse_weights(mod, 4), layout="NCHW"
    ),
}
"""Passes that must be given something, made for a module."""

TOLERANCE: dict[str, float] = {
    "BatchingOps": 1e-4,
    "Conv2dToSparse2": 1e-4,
    "CombineParallelBatchMatmul": 1e-4,
    "CombineParallelConv2D": 1e-4,
    "CombineParallelDense": 1e-4,
    "BackwardFoldScaleAxis": 1e-4,
    "FlattenAtrousConv": 1e-4,
    "FoldExplicitPadding": 1e-4,
    "LowerToLoops": 1e-4,
    "FoldScaleAxis": 1e-4,
    "ConvertLayout": 1e-4,  # sums are added up in another order
    "DivToMul": 1e-5,
    **dict.fromkeys(("Lower", "LowerNN", "LowerVision"), 1e-4),  # sums in another order
    "LazyGradientInit": 1e-5,  # without a product a tensor keeps strides, which order later sums
    "ForwardFoldScaleAxis": 1e-4,
    **dict.fromkeys(("O0", "O1", "O2", "O3"), 1e-4),  # they run those that have a tolerance
    "O4": 1e-3,
    "SimplifyExpr": 1e-4,  # constants are combined, and polynomials become products
    "SimplifyExprPostAlterOp": 1e-7,  # a zero that is added no longer changes the sign of zero
    "SimplifyDomains": 1e-4,  # it does what SimplifyExpr does
    "RaiseToOnnx": 1e-4,  # kernels of ONNX sum in another order
    "SimplifyInference": 1e-4,
    "ToMixedPrecision": 0.25,  # bfloat16 keeps eight bits of a number, also of the parts of a sum
}
"""How far from the value before the value after may be, of the larger of it and one."""

LARGEST: dict[str, float] = {"ToMixedPrecision": 65504.0}
"""Numbers as large as this, or larger, may become infinite: the largest of float16."""

OTHER_VALUE: dict[str, str] = {
    "AnnotateSpans": "a parsed module has data types of its own; arguments are of the old ones",
    "BindParams": "it takes fewer arguments",
    "ChangeBatch": "it takes arguments of another shape",
    **dict.fromkeys(("DenseToSparse", "Conv2dToSparse"), "weights come in parts"),
    "FirstOrderGradient": "it returns gradients beside the value",
}
"""Passes whose result computes something else, with what."""

REFUSES: dict[str, type[RelayishError]] = {
    "ChangeBatch": RelayishError,  # most programs fit their shapes only, or have no such dimension
    "FirstOrderGradient": GradientError,
    "ConvertOpset": RelayishError,  # nobody has installed ONNX
    "RaiseToOnnx": RelayishError,  # ONNX has not all operators, or nobody has installed it
}
"""Passes that are not for every program, with the error in which they say so."""

NO_STRUCTURE = frozenset(
    {"AnnotateSpans", "CapturePostDfsIndexInSpans", "EraseType", "InferType", "RenameVars"}
    | {"O0", "O1", "O2", "O3", "O4"}  # the last of their passes is InferType
    | {"QnnLegalize"}  # its passes need types
)
"""Passes that change nothing but types or spans, which comparison of structures leaves out."""

MERGES: dict[str, str] = {
    "EliminateCommonSubexpr": "it merges projections, whose sharing is no structure",
}
"""Passes that may share what structural comparison does not tell apart; why."""


def made_for(name: str, mod: IRModule) -> tuple[transform.Pass, ...]:
    """Return the pass of that name with every choice of options it is tried with."""
    if name in ARGUMENTS:
        return (ARGUMENTS[name](mod),)
    return tuple(transform.parse_pipeline(text).passes[0] for text in VARIANTS.get(name, (name,)))


def nodes(mod: IRModule) -> int:
    """Return how many distinct nodes the functions of a module have."""
    return sum(count_nodes(func) for func in mod.functions.values())


def within(value: object, largest: float | None) -> object:
    """Return the value with numbers no larger than ``largest``; itself without a bound."""
    if largest is None:
        return value
    if isinstance(value, tuple):
        return tuple(within(part, largest) for part in value)
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "fV":
        return np.clip(np.asarray(value, "float64"), -largest, largest)
    return value


def close(actual: object, expected: object, tolerance: float) -> bool:
    """Return whether two values are the same, or tensors of them that close."""
    if same_value(actual, expected):
        return True
    if not tolerance:
        return False
    if isinstance(actual, tuple) and isinstance(expected, tuple):
        pairs = zip(actual, expected, strict=True)
        return len(actual) == len(expected) and all(close(a, b, tolerance) for a, b in pairs)
    if not isinstance(actual, (np.ndarray, np.generic)):
        return False
    if not isinstance(expected, (np.ndarray, np.generic)) or actual.shape != expected.shape:
        return False
    found, wanted = np.asarray(actual, "float64"), np.asarray(expected, "float64")
    return bool(np.allclose(found, wanted, rtol=tolerance, atol=tolerance, equal_nan=True))


class Known:
    """A program, with what is found out of it once for all the passes that are tried on it."""

    def __init__(self, mod: IRModule, value: Callable[[IRModule], object] | None) -> None:
        self.mod = mod
        self.value = value
        self.hashed = structural_hash(mod)

    @cached_property
    def typed(self) -> IRModule:
        """The program with types."""
        return infer_type(self.mod)

    @cached_property
    def evaluated(self) -> object:
        """What the program returns."""
        assert self.value is not None
        return self.value(self.mod)


def check(
    pass_: transform.Pass, mod: IRModule, value: Callable[[IRModule], object] | None
) -> IRModule:
    """Return what ``pass_`` makes of ``mod``, everything asserted that must hold of it."""
    return check_known(pass_, Known(mod, value))


def check_known(pass_: transform.Pass, program: Known) -> IRModule:
    """Return what ``pass_`` makes of a program, everything asserted that must hold of it."""
    name, mod = pass_.info.name, program.mod
    try:
        out = pass_(mod)
    except REFUSES.get(name, ()):
        return mod
    assert structural_hash(mod) == program.hashed, "the pass changed what it was given"
    if out is mod:
        return mod
    for var, func in out.functions.items():
        assert well_formed(func), f"@{var.name_hint} is not well-formed"
    typed = infer_type(out, fresh=True)
    if name not in NO_STRUCTURE and structural_equal(typed, program.typed):
        merged = name in MERGES and nodes(out) < nodes(mod)
        assert merged, "nothing changed, yet the module is another"
    if pass_.info.idempotent:
        assert pass_(out) is out, "a second application changes something"
    if program.value is not None and name not in OTHER_VALUE:
        largest = LARGEST.get(name)
        before, after = within(program.evaluated, largest), within(program.value(out), largest)
        tolerance = TOLERANCE.get(name, 0.0)
        assert close(after, before, tolerance), f"the value was {before!r} and is {after!r}"
    return out


def check_random(name: str, seed: int) -> None:
    """Check the pass on one random program, as it is and typed."""
    check_pair(name, *_random(seed))


def check_network(name: str, seed: int) -> None:
    """Check the pass on one random network, as it is and typed."""
    check_pair(name, *_network(seed))


def check_verified(name: str, seed: int) -> None:
    """Check that the verifier finds nothing wrong with what the pass makes of a typed program."""
    mod = _random(seed)[1].mod
    with transform.PassContext(opt_level=4, instruments=[transform.VerifyInstrument()]):
        for pass_ in made_for(name, mod):
            try:
                pass_(mod)
            except CheckError:
                raise
            except REFUSES.get(name, ()):
                continue


@lru_cache(maxsize=256)
def _random(seed: int) -> tuple[Known, Known]:
    mod = random_module(seed, SIZE)
    return pair(mod, random_arguments(mod["main"], seed))


@lru_cache(maxsize=256)
def _network(seed: int) -> tuple[Known, Known]:
    mod = random_network(seed)
    return pair(mod, random_network_arguments(mod, seed))


@lru_cache(maxsize=256)
def _whole(program: str) -> Known:
    mod = infer_type(whole_programs()[program])
    return Known(mod, lambda made: evaluate(made["main"], made, arguments(mod)))


def standing_programs(seeds: Iterable[int]) -> Iterator[IRModule]:
    """Yield the programs that passes are tried on, as they are and typed."""
    for seed in seeds:
        for known in (*_random(seed), *_network(seed)):
            yield known.mod


def check_whole(name: str, program: str) -> None:
    """Check the pass on one whole program, which is typed."""
    whole = _whole(program)
    with transform.PassContext(opt_level=4):
        for pass_ in made_for(name, whole.mod):
            check_known(pass_, whole)


def pair(mod: IRModule, args: list[object]) -> tuple[Known, Known]:
    """Return a program as it is and typed; ``args`` are those of its main."""

    def value(program: IRModule) -> object:
        return evaluate(program["main"], program, args)

    return Known(mod, value), Known(infer_type(mod), value)


def check_pair(name: str, plain: Known, typed: Known) -> None:
    """Check the pass on a program, as it is and typed."""
    with transform.PassContext(opt_level=4):
        for pass_ in made_for(name, plain.mod):
            check_known(pass_, plain)
            check_known(pass_, typed)


def _fails_on_whole(name: str) -> bool:
    failures = []
    for program in whole_programs():
        try:
            check_whole(name, program)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told below
            failures.append(f"{program}: {error!r}"[:300])
    print(f"{name}: {len(whole_programs())} whole programs, {failures or 'ok'}", flush=True)
    return bool(failures)


def main() -> int:
    """Try passes on programs; print what fails."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="passes to try; all, if none is given")
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--only", type=int)
    parser.add_argument("--networks", action="store_true", help="no other programs")
    parser.add_argument("--whole", action="store_true", help="whole programs instead")
    args = parser.parse_args()
    if args.whole:
        return 1 if sum(map(_fails_on_whole, args.names or transform.list_passes())) else 0
    seeds = range(args.start, args.start + args.programs)
    if args.only is not None:
        seeds = range(args.only, args.only + 1)
    kinds = (check_network,) if args.networks else (check_random, check_network)
    names = args.names or transform.list_passes()
    failures: dict[str, list[tuple[int, Exception]]] = {name: [] for name in names}
    for seed, name, kind in product(seeds, names, kinds):  # programs are made once for all passes
        try:
            kind(name, seed)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told below
            failures[name].append((seed, error))
            print(f"{name}, program {seed}: {error!r}"[:300], flush=True)
            if args.only is not None:
                of_seed = random_module(seed, SIZE)
                print(astext(_network(seed)[0].mod if kind is check_network else of_seed))
                traceback.print_exception(error)
    for name, found in failures.items():
        first = f"{len(found)} fail, first {found[0][0]}: {found[0][1]!r}" if found else "ok"
        print(f"{name}: {len(seeds)} programs, {first}", flush=True)
    return 1 if any(failures.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
