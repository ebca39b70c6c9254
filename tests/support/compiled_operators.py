"""Random sound calls of every operator, in C beside loops and numpy: many are compiled together.

python -m tests.support.compiled_operators 8 0          # 8 calls of each operator, from seed 0 on
python -m tests.support.compiled_operators 8 0 --only nn.  # of those whose name begins so
"""

from __future__ import annotations

import argparse
import collections
import sys
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from relayish.codegen.c import NativeModule, find_toolchain, to_c
from relayish.codegen.c.network import Network, order_calls
from relayish.errors import RelayishError
from relayish.interpreter import create_executor
from relayish.ir.relay.expr import Call, Expr, Function, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType, TupleType
from relayish.ir.values.dtype import numpy_dtype
from relayish.numeric.precision import is_fractional
from relayish.op import get_op
from relayish.op.declaration.properties import OpPattern, pattern
from relayish.pass_infra import Sequential
from relayish.passes.relay.to_loops.lower_to_loops import lower_to_loops
from relayish.tir import Module
from tests.support.compiled_loops import QUICK, TOGETHER
from tests.support.operator_programs import CALLS, NAMES, Maker, constant_of

PREPARED = (
    *("InferType", "DynamicToStatic", "InferType", "QnnCanonicalizeOps", "SimplifyInference"),
    *("FoldConstant", "SimplifyExpr", "InferType"),
)
"""What a module goes through before it is written as loops."""

POINTWISE_ULPS, OTHER_ULPS = 4, 64
"""So many units in the last place floats may differ: of the element, or of the greatest of all."""

UNCHANGED = 30
"""After so many calls as tables have them one is taken."""

OPERATORS = tuple([name for name in NAMES if not name.startswith(("memory.", "vm."))])
"""Those that compute something."""


FINITE = (
    *("dft", "searchsorted", *[f"nn.conv{n}d_transpose" for n in (1, 2, 3)]),
    *("nn.internal.sparse_dense_padded", "nn.sparse_conv2d", "nn.sparse_dense"),
)
"""Operators whose loops multiply by zeros what numpy leaves out, or leave out; or look in order."""


class Drawn(NamedTuple):
    """A call of an operator.

    Attributes:
        operator: Its name.
        name: What the function of ``mod`` is called that makes the call.
        mod: The module.
        args: An array for each parameter.
        value: What numpy makes of these.
    """

    operator: str
    name: str
    mod: IRModule
    args: list[Any]
    value: Any


class _OneCall(Maker):
    """Makes a program that calls one operator once."""

    def __init__(self, name, seed):
        self.name = name
        self.how = seed % 3
        self.offered = 0
        super().__init__(zlib.crc32(name.encode()) + seed, calls=1)

    def names_to_try(self):
        return (self.name,)

    def add(self, name, op, attrs, types, chosen):
        """Take the call, most times another than the table of sound calls has."""
        self.offered += 1
        same = list(map(str, types)) == list(map(str, CALLS[name][0])) and attrs is CALLS[name][1]
        if not same or self.offered > UNCHANGED or self.pick.random() < 0.1:
            super().add(name, op, attrs, types, chosen)

    def call(self, op, attrs, args):
        return Call(op, args, attrs)

    def take(self, expr, value):
        self.nodes.append((expr, value))

    def value(self, ty, small):
        """Draw a value: floats are eighths, so that sums are exact, or any, or some of them odd."""
        dtype = None if isinstance(ty, TupleType) else numpy_dtype(ty.dtype)
        is_parameter = self.name.startswith("qnn.") and dtype and len(ty.shape) < 2
        if dtype is None or not is_fractional(dtype):
            return super().value(ty, small or is_parameter or self.name.startswith("dyn."))
        if is_parameter:  # a scale
            return self.rng.uniform(0.01, 1, ty.shape).astype(dtype)[()]
        if self.how == 0:
            found = self.rng.integers(-32, 33, ty.shape) / 8
        else:
            found = self.rng.normal(0, 2, ty.shape)
        if self.how == 2 and self.name not in FINITE:
            odd = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, -1.0, 0.5])
            found = np.where(self.rng.random(ty.shape) < 0.1, self.rng.choice(odd, ty.shape), found)
        with np.errstate(all="ignore"):
            return np.asarray(found).astype(dtype)[()]


def drawn_call(operator: str, seed: int) -> Drawn | None:
    """Return a random sound call; ``None`` where chance finds none, or none of known sizes."""
    maker = _OneCall(operator, seed)
    if not maker.nodes:
        return None
    call, value = maker.nodes[-1]
    if _is_by_machine(value, list(maker.params.values())):
        return None
    for fixed in (False, True):
        name = f"call_{operator.replace('.', '_')}_{seed}"
        params: dict[Var, Any] = {}
        binds = fixed or (operator.startswith("qnn.") and bool(seed % 2))
        args = [_argument(arg, maker.params, params, binds) for arg in call.args]
        func = Function(tuple(params), Call(call.op, tuple(args), call.attrs))
        with np.errstate(all="ignore"):
            mod = Sequential(PREPARED, opt_level=0)(IRModule({name: func}))
        if is_static(mod[name].ret_type):
            return Drawn(operator, name, mod, list(params.values()), value)
    return None


def _is_by_machine(value: Any, given: list[Any]) -> bool:
    """Return whether numpy might cast what is no number in one of several ways."""
    whole = [each for each in leaves(value) if str(each.dtype) in ("uint32", "uint64")]
    floats = [each for each in leaves(given) if is_fractional(each.dtype)]
    return bool(whole) and not all(np.isfinite(each.astype("f8")).all() for each in floats)


def _argument(arg: Expr, given: dict[Var, Any], params: dict[Var, Any], fixed: bool) -> Expr:
    """Return an argument whose tensors are parameters, or constants: small ones if ``fixed``."""
    if not isinstance(arg, Var):
        return arg
    value = given[arg]
    parts = value if isinstance(value, tuple) else (value,)
    found: list[Expr] = []
    for each in parts:
        if fixed and each.ndim < 2:
            found.append(constant_of(each))
            continue
        var = Var(f"p{len(params)}", TensorType(each.shape, str(each.dtype)))
        params[var] = each
        found.append(var)
    return Tuple(tuple(found)) if isinstance(value, tuple) else found[0]


def is_static(ty: Any) -> bool:
    """Return whether a type is of tensors of known sizes."""
    if isinstance(ty, TupleType):
        return all(map(is_static, ty.fields))
    return isinstance(ty, TensorType) and all(isinstance(size, int) for size in ty.shape)


def leaves(value: Any) -> list[Any]:
    """Return the arrays of a value, tuples taken apart."""
    if isinstance(value, (tuple, list)):
        return [leaf for each in value for leaf in leaves(each)]
    return [np.asarray(value)]


def differs_from_numpy(drawn: Drawn, found: Any) -> str | None:
    """Return what tells a value from that of numpy; ``None`` where it is rounding at most."""
    how = pattern.get(get_op(drawn.operator))
    is_pointwise = how in (OpPattern.ELEMWISE, OpPattern.BROADCAST)
    left, right = leaves(drawn.value), leaves(found)
    if len(left) != len(right):
        return f"{len(left)} results, and {len(right)}"
    for a, b in zip(left, right, strict=True):
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"{a.dtype}{list(a.shape)}, and {b.dtype}{list(b.shape)}"
        apart = a != b
        if is_fractional(a.dtype):
            apart = ~_near(a, b, is_pointwise)
        if apart.any():
            at = np.argwhere(apart)[0]
            return f"{a[tuple(at)]!r} at {at.tolist()} is {b[tuple(at)]!r}"
    return None


def _near(a: Any, b: Any, is_pointwise: bool) -> Any:
    """Return where floats are the same, but for rounding."""
    unit = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float64": 2.0**-52}
    eps = unit.get(str(a.dtype), 2.0**-23)
    wide, other = a.astype("f8"), b.astype("f8")
    with np.errstate(all="ignore"):
        finite = np.abs(wide[np.isfinite(wide)])
        scale = np.abs(wide) * POINTWISE_ULPS
        if not is_pointwise:
            scale = scale + OTHER_ULPS * max(1.0, float(finite.max(initial=0)))
        near = np.abs(wide - other) <= eps * scale
    return near | (wide == other) | (np.isnan(wide) & np.isnan(other))


class Tried(NamedTuple):
    """A call that is written as loops, and these as a network."""

    drawn: Drawn
    loops: IRModule
    network: Network


def tried(drawn: Drawn) -> Tried | str:
    """Return a call as loops; if it cannot be written so, why."""
    try:
        loops = lower_to_loops(drawn.mod, unlowerable="refuse")
        return Tried(drawn, loops, order_calls(loops, drawn.name))
    except RelayishError as error:
        return f"{type(error).__name__}: {error}"


def compiled(calls: Iterable[Tried]) -> NativeModule:
    """Return the functions of calls, compiled together."""
    functions = tuple([func for each in calls for func in each.network.module.functions])
    return NativeModule(to_c(Module("calls", functions=functions)), find_toolchain(QUICK))


def run_native(native: NativeModule, call: Tried) -> list[Any]:
    """Return what a compiled call gives: the arrays of its result."""
    made = [
        [np.zeros([int(n.value) for n in each.shape], each.dtype.numpy) for each in memory]
        for memory in (call.network.workspace, call.network.outputs)
    ]
    given = [np.asarray(each) for each in call.drawn.args]
    native[call.drawn.name](*given, *call.network.constants, *made[0], *made[1])
    shapes = [each.shape for each in _tensor_types(call.network.result)]
    return [each.reshape(shape) for each, shape in zip(made[1], shapes, strict=True)]


def _tensor_types(ty: Any) -> list[Any]:
    if not isinstance(ty, TupleType):
        return [ty]
    return [each for field in ty.fields for each in _tensor_types(field)]


def outcomes(
    calls: list[Tried],
    differs: Callable[[Drawn, Any], str | None] = differs_from_numpy,
    ways: Sequence[str] = ("loops", "C"),
) -> Iterator[tuple[Drawn, str]]:
    """Yield calls that loops compute otherwise than numpy, interpreted or compiled, and how."""
    native = _compiled_apart(calls)
    for call, module in zip(calls, native, strict=True):
        if isinstance(module, str):
            yield call.drawn, module
            continue
        for how in ways:
            try:
                with np.errstate(all="ignore"):
                    if how == "C":
                        found = run_native(module, call)
                    else:
                        executor = create_executor(mod=call.loops)
                        found = executor.evaluate(call.loops.get_global_var(call.drawn.name))(
                            *call.drawn.args
                        )
            except RelayishError as error:
                told: str | None = f"{type(error).__name__}: {error}"
            else:
                told = differs(call.drawn, found)
            if told is not None:
                yield call.drawn, f"{how}: {told}"
                break


def _compiled_apart(calls: list[Tried]) -> list[NativeModule | str]:
    """Return the module in which each call is compiled, or why it is not."""
    if not calls:
        return []
    try:
        return [compiled(calls)] * len(calls)
    except RelayishError as error:
        if len(calls) == 1:
            return [f"{type(error).__name__}: {error}"]
    half = len(calls) // 2
    return _compiled_apart(calls[:half]) + _compiled_apart(calls[half:])


class Report:
    """What became of calls, by operator."""

    def __init__(self) -> None:
        self.right: collections.Counter[str] = collections.Counter()
        self.refused: dict[str, list[str]] = {}
        self.wrong: list[tuple[Drawn, str]] = []

    def try_all(self, calls: Iterable[Drawn]) -> None:
        """Write calls as loops, compile and run them."""
        pending: list[Tried] = []
        for each in calls:
            made = tried(each)
            if isinstance(made, str):
                self.refused.setdefault(each.operator, []).append(made)
                continue
            pending.append(made)
            if len(pending) == TOGETHER:
                self._settle(pending)
                pending = []
        self._settle(pending)

    def _settle(self, calls: list[Tried]) -> None:
        wrong = list(outcomes(calls))
        for drawn, told in wrong:
            if "CodegenError: C has no elements" in told:
                self.refused.setdefault(drawn.operator, []).append(told)
            else:
                self.wrong.append((drawn, told))
        apart = {drawn.name for drawn, _ in wrong}
        self.right.update(call.drawn.operator for call in calls if call.drawn.name not in apart)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("calls", type=int, nargs="?", default=8)
    parser.add_argument("seed", type=int, nargs="?", default=0)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    report, none, unmade = Report(), [], []
    names = [name for name in OPERATORS if name.startswith(options.only)]

    def drawing() -> Iterator[Drawn]:
        for name in names:
            found = 0
            for seed in range(options.seed, options.seed + 3 * options.calls):
                try:
                    call = drawn_call(name, seed)
                except (RelayishError, AssertionError) as error:
                    unmade.append(f"{name} {seed}: {error}")
                    continue
                if call is not None:
                    found += 1
                    yield call
                if found == options.calls:
                    break
            if not found:
                none.append(name)

    report.try_all(drawing())
    for drawn, told in report.wrong:
        sys.stdout.write(f"{drawn.name}: {told[:300]}\n    {_shown(drawn)}\n")
    for name, reasons in report.refused.items():
        of = report.right[name] + len(reasons)
        sys.stdout.write(f"{name}: refused {len(reasons)} of {of}: {reasons[0][-200:]}\n")
    sys.stdout.write("".join([f"not made: {each[:300]}\n" for each in unmade]))
    refused = sum(map(len, report.refused.values()))
    sys.stdout.write(f"no call: {' '.join(none)}\n")
    sys.stdout.write(
        f"{report.right.total()} calls of {len(report.right)} operators are right, {refused} are "
        f"refused, {len(report.wrong)} differ\n"
    )
    return bool(report.wrong)


def _shown(drawn: Drawn) -> str:
    func = drawn.mod[drawn.name]
    return " ".join(str(func).split())[:400]


if __name__ == "__main__":
    sys.exit(main())
