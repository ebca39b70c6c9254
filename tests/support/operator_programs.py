"""Random well-typed programs over all operators that have a value, and what must hold of each.

python -m tests.support.operator_programs                 # 60 seconds of programs nobody has tried
python -m tests.support.operator_programs --seconds 3600 --seed 7
python -m tests.support.operator_programs --only 1234     # one program again, with its text
"""

from __future__ import annotations

import argparse
import collections
import pickle
import random
import re
import sys
import time
import warnings

import numpy as np

from relayish.analysis.infer_type import infer_type
from relayish.errors import EvaluationError, FieldError, TypeInferenceError
from relayish.functor import ExprMutator
from relayish.interpreter import create_executor
from relayish.interpreter.value import normalise, same_value
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.expr import Call, Constant, Function, Let, Tuple, TupleGetItem, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import Any, PrimExpr, TensorType, TupleType, Type
from relayish.ir.values.dtype import numpy_dtype
from relayish.op import get_op
from relayish.op.declaration.properties import evaluate, relation, rule
from relayish.op.types.result_size import bound_result
from relayish.passes import fold_constant
from relayish.text import astext, parse
from tests.support.checking import SAYS_THE_RANK, assert_describes, dynamic, type_of
from tests.support.mutated import Mutator
from tests.support.sound_calls import sound_calls

CALLS = {name: call for name, call in sound_calls().items() if get_op(name) in evaluate}
NAMES = tuple(sorted(CALLS))
DTYPES = ("float32",) * 4 + ("float64", "float16", "bfloat16", "bool")
DTYPES += ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
RARE = ("int4", "uint4", "float8_e4m3fn", "float8_e5m2")
SIZES = (0, 1, 1, 2, 3, 4, 5, 8)
MOST = 4096
"""So many elements a value of a program may have."""

OF_THE_OBJECTS = ("arange", "debug")
"""Operators whose attributes text keeps elsewhere, or which print."""


NUMPY_HAS_NONE = r"numpy boolean|negative integer powers|is too big|[Mm]aximum \w+ dimension"
"""What numpy says where it has no such value of booleans, of integers, or of any."""


class Reporter:
    """A reporter for relations between types that are known: what they assign must agree."""

    def assign(self, unknown, found):
        try:
            assert_describes(found, unknown)
        except AssertionError as error:
            raise TypeInferenceError(f"{unknown} is no {found}") from error


def typed(op, attrs, types):
    """Return what the rule or the relation of ``op`` makes of ``types``, which are known."""
    if op in rule:
        return rule.get(op)(attrs, *types)
    return relation.get(op)(attrs, tuple(types), Reporter())


def is_small(op, attrs, values):
    """Return whether the operator expects a small value."""
    try:
        with np.errstate(all="ignore"):
            return bound_result(op, attrs, *values) <= MOST
    except (EvaluationError, TypeInferenceError):
        return False
    except (OverflowError, ValueError):  # of sizes that are no numbers
        return True


def elements(ty):
    """Return how many elements there are in a value of the type."""
    if isinstance(ty, TupleType):
        return sum(map(elements, ty.fields))
    return int(np.prod([size if isinstance(size, int) else 0 for size in ty.shape], dtype=object))


class Maker:
    """Makes one program; the same seed gives the same.

    ``params`` are its parameters with their values, ``nodes`` all its calls and projections with
    the values these had when they were evaluated one by one.
    """

    def __init__(self, seed, calls=8):
        self.pick = random.Random(seed)
        self.rng = np.random.default_rng(abs(seed))
        self.mutator = Mutator(seed)
        self.params = {}
        self.nodes = []
        self.bindings = []
        self.names = []
        self.pool = []
        tries = 0
        while len(self.names) < calls and tries < 40 * calls:
            tries += 1
            self.step()

    # Types and values

    def number(self, ty):
        """Return the type with other sizes in place of those that are not numbers."""
        if isinstance(ty, TupleType):
            return TupleType([self.number(field) for field in ty.fields])
        if not isinstance(ty, TensorType):
            return ty
        shape = [n if isinstance(n, int) else self.pick.choice(SIZES) for n in ty.shape]
        return TensorType(shape, ty.dtype)

    def resized(self, types):
        """Return ``types`` with one of their sizes another, wherever it stands."""
        sizes = sorted({n for ty in types for n in sizes_of(ty)})
        if not sizes:
            return types
        old, new = self.pick.choice(sizes), self.pick.choice(SIZES)
        return [
            each_tensor(
                ty, lambda t: TensorType([new if n == old else n for n in t.shape], t.dtype)
            )
            for ty in types
        ]

    def retyped(self, types):
        """Return ``types`` with one of their element types another, wherever it stands."""
        dtypes = sorted({dtype for ty in types for dtype in dtypes_of(ty)})
        if not dtypes:
            return types
        old = self.pick.choice(dtypes)
        new = self.pick.choice(RARE if self.pick.random() < 0.05 else DTYPES)
        return [
            each_tensor(ty, lambda t: TensorType(t.shape, new if t.dtype == old else t.dtype))
            for ty in types
        ]

    def value(self, ty, small):
        """Draw a value of the type; ``small`` ones may be positions."""
        if isinstance(ty, TupleType):
            return tuple(self.value(field, small) for field in ty.fields)
        dtype = numpy_dtype(ty.dtype)
        if small or dtype.kind not in "fiu":
            found = self.rng.integers(0, 3, ty.shape)
        elif dtype.kind in "iu":
            info = np.iinfo(dtype)
            found = self.rng.integers(info.min, info.max, ty.shape, dtype, endpoint=True)
            extreme = np.array([info.min, info.max, 0, 1, info.max], dtype)
            found = np.where(
                self.rng.random(ty.shape) < 0.3, self.rng.choice(extreme, ty.shape), found
            )
        else:
            found = self.rng.normal(0, 2, ty.shape)
            extreme = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, -1.0, 1e30, 0.5])
            found = np.where(
                self.rng.random(ty.shape) < 0.3, self.rng.choice(extreme, ty.shape), found
            )
        with np.errstate(all="ignore"):
            return normalise(np.asarray(found).astype(dtype))

    # Calls

    def names_to_try(self):
        """Return the operators that calls are made of."""
        return NAMES

    def step(self):
        """Add a call, or nothing where what was drawn is ill-typed or has no value."""
        name = self.pick.choice(self.names_to_try())
        if name in OF_THE_OBJECTS:
            return
        op, (types, attrs) = get_op(name), CALLS[name]
        types = list(types)
        how = self.pick.random()
        if how < 0.5:
            types, values = self.mutator.changed(types, attrs)
            types = [self.number(ty) for ty in types]
            try:
                values = {key: plain(value) for key, value in values.items()}
                attrs = type(attrs)(**values) if values else attrs
            except FieldError:
                return
        for change in (self.resized, self.resized, self.retyped):
            if self.pick.random() < 0.4:
                types = change(types)
        attrs, types, chosen = self.chained(op, attrs, types)
        if attrs is False:
            return
        self.add(name, op, attrs, types, chosen)

    def chained(self, op, attrs, types):
        """Return a well-typed call, some of its arguments values that the program has already."""
        chosen = [None] * len(types)
        if self.pool and types and self.pick.random() < 0.8:
            for _ in range(6):
                place = self.pick.randrange(len(types))
                item = self.pick.choice(self.pool)
                near = [item[1]] * len(types) if self.pick.random() < 0.5 else list(types)
                near[place] = item[1]
                if self.sound(op, attrs, near):
                    chosen = [None] * len(types)
                    types, chosen[place] = near, item
                    break
        if not self.sound(op, attrs, types):
            return False, types, chosen
        for place, ty in enumerate(types):
            same = [item for item in self.pool if str(item[1]) == str(ty)]
            if chosen[place] is None and same and self.pick.random() < 0.8:
                chosen[place] = self.pick.choice(same)
        return attrs, types, chosen

    def sound(self, op, attrs, types):
        """Return whether the call has a type, and a value that is not too large."""
        if not all(map(can_be_held, types)):
            return False
        try:
            found = typed(op, attrs, types)
        except TypeInferenceError:
            return False
        return isinstance(found, Type) and can_be_held(found) and elements(found) <= MOST

    def add(self, name, op, attrs, types, chosen):
        """Evaluate the call and, where it has a value, take it into the program."""
        small = self.pick.random() < 0.6
        fresh = [place for place, item in enumerate(chosen) if item is None]
        for place in fresh:
            chosen[place] = (None, types[place], self.value(types[place], small))
        values = [value for _, _, value in chosen]
        if not is_small(op, attrs, values):
            return
        try:
            with np.errstate(all="ignore"):
                result = normalise(evaluate.get(op)(attrs, *values))
        except EvaluationError:
            return
        except Exception as error:
            if re.search(NUMPY_HAS_NONE, str(error)):
                return
            shown = [
                value.tolist()
                if elements(type_of(value)) < 9 and not isinstance(value, tuple)
                else "..."
                for value in values
            ]
            raise AssertionError(
                f"{name} raises {error!r} on {list(map(str, types))} {shown} {attrs}"
            ) from error
        if not can_be_held(type_of(result)) or elements(type_of(result)) > MOST:
            return
        for place in fresh:
            says_rank = says_the_rank(name, attrs) == place
            chosen[place] = self.leaf(chosen[place], says_rank or self.pick.random() < 0.25)
        place = says_the_rank(name, attrs)
        if place is not None and not isinstance(chosen[place][0], Constant):
            chosen[place] = (constant_of(values[place]), *chosen[place][1:])
        self.names.append(name)
        self.take(self.call(op, attrs, [item[0] for item in chosen]), result)

    def leaf(self, item, constant):
        _, ty, value = item
        if constant:
            found = constant_of(value)
        else:
            found = Var(f"p{len(self.params)}", ty)
            self.params[found] = value
        self.pool.append((found, ty, value))
        return self.pool[-1]

    def call(self, op, attrs, args):
        """Return the call, at times as that of a function, or with a tuple taken apart."""
        if args and self.pick.random() < 0.1:
            inner = [Var(f"q{place}") for place in range(len(args))]
            return Call(Function(inner, Call(op, inner, attrs)), args)
        return Call(op, args, attrs)

    def take(self, expr, value):
        """Make a node's value available, and that of its fields."""
        self.nodes.append((expr, value))
        ty = type_of(value)
        if self.pick.random() < 0.3:
            var = Var("v")
            self.bindings.append((var, expr))
            expr = var
        self.pool.append((expr, ty, value))
        for index, field in enumerate(value if isinstance(value, tuple) else ()):
            self.pool.append((TupleGetItem(expr, index), type_of(field), field))
        if self.pick.random() < 0.2:
            items = [self.pick.choice(self.pool) for _ in range(self.pick.choice((0, 1, 2, 2, 3)))]
            fields = Tuple([item[0] for item in items])
            value = tuple(item[2] for item in items)
            self.pool.append((fields, type_of(value), value))

    # Programs

    def module(self, result, params=None):
        """Return a module whose main computes ``result``."""
        for var, value in reversed(self.bindings):
            result = Let(var, value, result)
        return IRModule({"main": Function(params or list(self.params), result)})

    def everything(self):
        """Return an expression for a tuple of the values of all nodes, and that tuple."""
        bound = {id(value): var for var, value in self.bindings}
        exprs = [bound.get(id(expr), expr) for expr, _ in self.nodes]
        return Tuple(exprs), tuple(value for _, value in self.nodes)

    def last(self):
        """Return what was made last, which need not use all there is."""
        return self.pool[-1][0], self.pool[-1][2]


def says_the_rank(name, attrs):
    """Return the place of the argument whose sizes say the rank of the result, if there is one."""
    if name == "squeeze" and attrs.axis is None:
        return 0
    if name == "gather_nd" and attrs.index_rank is None:
        return 1
    return SAYS_THE_RANK.get(name)


def each_tensor(ty, change):
    """Return the type with its tensors changed."""
    if isinstance(ty, TupleType):
        return TupleType([each_tensor(field, change) for field in ty.fields])
    return change(ty) if isinstance(ty, TensorType) else ty


def tensors_of(ty):
    if isinstance(ty, TupleType):
        return [part for field in ty.fields for part in tensors_of(field)]
    return [ty] if isinstance(ty, TensorType) else []


def plain(value):
    """Return an attribute with numbers in place of free variables, which text makes anew."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    if isinstance(value, Var):
        return Constant(2)
    return 2 if isinstance(value, PrimExpr) and not isinstance(value, Any) else value


def sizes_of(ty):
    return {size for part in tensors_of(ty) for size in part.shape}


def dtypes_of(ty):
    return {part.dtype for part in tensors_of(ty)}


def can_be_held(ty):
    """Return whether numpy has values of the type, small ones."""
    if isinstance(ty, TupleType):
        return all(map(can_be_held, ty.fields))
    if not isinstance(ty, TensorType) or elements(ty) > MOST:
        return False
    try:
        numpy_dtype(ty.dtype)
    except FieldError:
        return False
    return True


def constant_of(value):
    """Return an expression for a value: a tuple of constants where it is one."""
    if isinstance(value, tuple):
        return Tuple([constant_of(item) for item in value])
    return Constant(value)


class Substitution(ExprMutator):
    """Puts expressions in the place of variables."""

    def __init__(self, images):
        self.images = images

    def visit_var(self, var):
        return self.images.get(var, var)


def loosely(maker, result, how):
    """Return the module with sizes of parameters unknown, those that ``how`` says of a type."""
    images = {var: Var(var.name_hint, how(var.type_annotation)) for var in maker.params}
    return maker_module(maker, Substitution(images), result, list(images.values()))


def maker_module(maker, substitution, result, params):
    main = maker.module(result)["main"]
    return IRModule({"main": Function(params, substitution.visit(main.body))})


def exactly(ty, value):
    """Check that ``ty``, with no size unknown where nothing depends on data, is that of value."""
    assert_describes(ty, type_of(value))


def result_type(mod):
    """Return the type of what main returns."""
    return mod["main"].ret_type


def half(pick):
    """Return a function that makes some sizes of a type unknown."""

    def loosen(ty):
        return each_tensor(
            ty,
            lambda t: TensorType([Any() if pick.random() < 0.5 else n for n in t.shape], t.dtype),
        )

    return loosen


def check_program(seed, calls=8):
    """Make the program of ``seed`` and check all that must hold; return the operators it calls."""
    maker = Maker(seed, calls)
    for result, value in (maker.everything(), maker.last()):
        mod = maker.module(result)
        values = list(maker.params.values())
        typed_mod = infer_type(mod)
        exactly(result_type(typed_mod), value)
        for how in (dynamic, half(maker.pick)):
            exactly(result_type(infer_type(loosely(maker, result, how))), value)
        check_text(mod, typed_mod)
        for image in (mod, typed_mod, pickle.loads(pickle.dumps(typed_mod))):
            for kind in ("debug", "graph"):
                found = create_executor(kind, image).evaluate()(*values)
                assert same_value(found, value), (kind, found, value)
        check_folding(maker, mod, typed_mod, value)
    return maker.names


def check_text(mod, typed_mod):
    """What is printed parses to the same program, with types and without, and types are found."""
    again = parse(astext(mod))
    assert_structural_equal(again, mod)
    assert_structural_equal(infer_type(again), typed_mod)
    text = astext(typed_mod)
    typed_again = parse(text)
    assert_structural_equal(typed_again, typed_mod)
    assert astext(infer_type(typed_again)) == text


def check_folding(maker, mod, typed_mod, value):
    """With parameters bound the program folds to the same value, of the same type."""
    for source in (mod, typed_mod):
        images = {
            var: constant_of(bound)
            for var, bound in zip(source["main"].params, maker.params.values(), strict=True)
        }
        bound = Function([], Substitution(images).visit(source["main"].body))
        folded = fold_constant(bound)
        found = create_executor(mod=IRModule({"main": folded})).evaluate()()
        assert same_value(found, value), (found, value)
        again = infer_type(IRModule({"main": folded}), fresh=True)
        assert_describes(result_type(again), type_of(value))
        assert_describes(result_type(typed_mod), result_type(again))
    partly = fold_constant(mod["main"])
    found = create_executor(mod=IRModule({"main": partly})).evaluate()(*maker.params.values())
    assert same_value(found, value), (found, value)


def say(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def soak(seconds, seed, calls):
    """Check programs for so many seconds; print each that fails, by its seed."""
    warnings.simplefilter("error")
    end, count, failed = time.monotonic() + seconds, 0, 0
    used = collections.Counter()
    while time.monotonic() < end:
        try:
            used.update(check_program(seed, calls))
        except Exception as error:  # noqa: BLE001 - told, and counted
            failed += 1
            say(f"program {seed}: {type(error).__name__}: {str(error)[:600]}")
            for note in getattr(error, "__notes__", ()):
                say(f"    {note[:200]}")
        seed += 1
        count += 1
    missing = sorted(set(NAMES) - set(used))
    say(f"{count} programs, {sum(used.values())} calls, {len(used)} of {len(NAMES)} operators")
    say(f"not called: {', '.join(missing)}")
    say(f"{failed} failed")
    return failed


def main():
    """Run what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--calls", type=int, default=8)
    parser.add_argument("--only", type=int, default=None)
    options = parser.parse_args()
    if options.only is not None:
        warnings.simplefilter("error")
        maker = Maker(options.only, options.calls)
        say(astext(maker.module(maker.everything()[0])))
        check_program(options.only, options.calls)
        return 0
    seed = time.time_ns() % 10**9 if options.seed is None else options.seed
    return 1 if soak(options.seconds, seed, options.calls) else 0


if __name__ == "__main__":
    sys.exit(main())
