from __future__ import annotations

import copy
import gc
import io
import pickle
import threading
import weakref
from collections.abc import Iterator
from contextlib import nullcontext

import numpy as np
import pytest

import relayish as relay
from relayish.ir.nodes.node import node
from relayish.ir.nodes.storage import INTERNED, intern
from relayish.ir.nodes.traversal import EVERYTHING, Traversal
from relayish.ir.relay.op import intern_op
from tests.support import deep
from tests.support.depth import DEPTH
from tests.support.random_exprs import random_expr, random_module
from tests.support.seeds import seeds
from tests.support.work import lines_run

ADD = intern_op("add")


def slow_dumps(thing, protocol=None):
    """Pickle with the pickler written in Python, as debuggers and some platforms do."""
    file = io.BytesIO()
    pickle._Pickler(file, protocol).dump(thing)
    return file.getvalue()


def through(dumps, loads=pickle.loads):
    return lambda thing: loads(dumps(thing))


CLONES = {f"protocol {n}": through(lambda t, n=n: pickle.dumps(t, n)) for n in (2, 3, 4, 5)}
CLONES["python"] = through(slow_dumps, lambda data: pickle._Unpickler(io.BytesIO(data)).load())
CLONES["deepcopy"] = copy.deepcopy


def same_shape(one, other):
    """Whether two programs are equal with the same sharing of every kind of node, and no node."""
    left, right = EVERYTHING.post_order(one), EVERYTHING.post_order(other)
    common = [n for n in set(left) & set(right) if type(n) is not relay.Op]
    return relay.structural_equal(one, other, True) and len(left) == len(right) and not common


@pytest.mark.parametrize("clone", CLONES)
def test_clone_is_equal_with_the_same_sharing(clone):
    for seed in seeds(12):
        expr = random_expr(seed)
        assert same_shape(expr, CLONES[clone](expr)), seed


@pytest.mark.parametrize("clone", CLONES)
def test_clone_keeps_every_field(clone):
    ty = relay.TensorType((2,), "int8")
    shared = relay.Var("x", ty, span=relay.Span("f", 1, 2, 3, 4), checked_type=ty)
    call = relay.Call(ADD, (shared, shared), relay.DictAttrs({"a": (1, "b")}), checked_type=ty)
    other = CLONES[clone](call)
    assert other.args[0] is other.args[1]
    assert other.args[0].span == shared.span
    assert other.args[0].checked_type is other.checked_type is other.args[0].type_annotation
    assert other.checked_type.shape == (2,)
    assert other.attrs == call.attrs
    assert other.op is ADD


@pytest.mark.parametrize("clone", CLONES)
def test_values_of_constants_survive_bit_by_bit(clone):
    array = np.array([0x7FA00001, 0x80000000], "uint32").view("float32")
    for value in (array, array[0], "text", None, (1, ("a", None)), np.int8(3)):
        one = relay.Constant(value)
        assert relay.structural_equal(one, CLONES[clone](one))
    assert not CLONES[clone](relay.Constant(array)).data.flags.writeable


@pytest.mark.deep
@pytest.mark.parametrize("clone", CLONES)
def test_deep_programs_are_cloned(clone):
    expr = deep.call_chain(min(DEPTH, 20_000))
    other = CLONES[clone](expr)
    assert other is not expr
    assert relay.structural_equal(expr, other)


@pytest.mark.deep
@pytest.mark.parametrize("nest", deep.DEEP_NESTS)
def test_every_deep_nest_is_pickled(nest):
    expr = deep.DEEP_NESTS[nest](min(DEPTH, 30_000))
    assert relay.structural_equal(expr, pickle.loads(pickle.dumps(expr)))


@pytest.mark.deep
@pytest.mark.parametrize("nest", [deep.tuple_nest, deep.let_value, deep.type_nest])
def test_deep_nests_are_pickled_and_copied(nest):
    root = nest(DEPTH)
    assert relay.structural_equal(root, pickle.loads(pickle.dumps(root)))
    assert relay.structural_equal(root, copy.deepcopy(root))


@pytest.mark.deep
def test_deep_inferred_types_are_cloned():
    expr = relay.Tuple((), checked_type=deep.type_nest(min(DEPTH, 20_000)))
    for clone in (copy.deepcopy, CLONES["protocol 5"]):
        assert relay.structural_equal(clone(expr).checked_type, expr.checked_type)


@pytest.mark.parametrize("clone", CLONES)
def test_doublings_stay_as_small_as_they_are(clone):
    expr = deep.doublings(100)
    assert len(EVERYTHING.post_order(CLONES[clone](expr))) == len(EVERYTHING.post_order(expr))


@pytest.mark.parametrize("clone", CLONES)
def test_roots_in_one_container_share_what_they_shared(clone):
    shared = deep.tuple_nest(2_000)
    one, other = relay.Tuple((shared,)), relay.Function((), shared)
    everything = {"list": [one, other, one], "shared": shared, "op": ADD}
    found = CLONES[clone](everything)
    assert found["list"][0] is found["list"][2]
    assert found["list"][0].fields[0] is found["list"][1].body is found["shared"]
    assert found["op"] is ADD
    assert found["shared"] is not shared


@pytest.mark.parametrize("clone", CLONES)
def test_modules_are_cloned(clone):
    for seed in seeds(4):
        mod = random_module(seed, 60)
        assert relay.structural_equal(mod, CLONES[clone](mod))


@pytest.mark.parametrize("count", [1, 2, 3, 999, 1000, 1001, 2000])
def test_python_pickler_goes_through_a_program_once(monkeypatch, count):
    """It takes 1,000 items of a list at a time, before it saves them."""
    walks = []
    walk = Traversal.post_order
    expr = deep.tuple_nest(count)
    monkeypatch.setattr(
        Traversal, "post_order", lambda self, root: walks.append(root) or walk(self, root)
    )
    other = pickle.loads(slow_dumps(expr))
    assert walks == [expr]
    assert relay.structural_equal(expr, other)


def test_deepcopy_of_all_parts_of_a_program_copies_each_once():
    def work(levels):
        parts = EVERYTHING.post_order(deep.tuple_nest(levels))
        return lines_run(lambda: copy.deepcopy(parts))

    assert work(2_000) <= 2.1 * work(1_000)


def test_deepcopy_of_all_parts_of_a_program_shares_them():
    found = copy.deepcopy(EVERYTHING.post_order(deep.tuple_nest(2_000)))
    assert all(a.fields[0] is b for a, b in zip(found[1:], found[:-1], strict=True))


def test_deepcopy_uses_what_the_memo_holds():
    x, y = relay.Var("x"), relay.Var("y")
    expr = relay.Tuple((x, relay.Tuple((x,))))
    found = copy.deepcopy(expr, {id(x): y})
    assert found.fields[0] is found.fields[1].fields[0] is y


def test_copy_is_shallow():
    expr = relay.Tuple((relay.Var("x"),))
    other = copy.copy(expr)
    assert other is not expr
    assert other.fields is expr.fields
    assert copy.copy(ADD) is copy.deepcopy(ADD) is ADD


def test_operator_stays_the_one_of_its_name():
    for name in ("add", "nobody.declared.this"):
        op = intern_op(name)
        assert pickle.loads(pickle.dumps(op)) is op
        assert pickle.loads(pickle.dumps(relay.Call(op, ()))).op is op


def test_variables_stay_distinct():
    for make in (lambda: relay.Var("x"), lambda: relay.TypeVar("a"), relay.IncompleteType):
        one, other = pickle.loads(pickle.dumps([make(), make()]))
        assert one is not other


class Unpicklable:
    def __reduce__(self):
        raise ZeroDivisionError("this cannot be pickled")


@pytest.mark.parametrize("dumps", [pickle.dumps, slow_dumps], ids=["c", "python"])
@pytest.mark.parametrize("after", [0, 3, 5_000])
def test_error_while_pickling_leaves_nothing_behind(dumps, after):
    bad = relay.Call(ADD, (deep.tuple_nest(after),), relay.DictAttrs({"bad": Unpicklable()}))
    expr = deep.tuple_nest(3_000, bad)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError, match="cannot be pickled"):
            dumps(expr)
    good = deep.tuple_nest(3_000, bad.args[0])
    assert relay.structural_equal(good, pickle.loads(dumps(good)))


@pytest.mark.parametrize("dumps", [pickle.dumps, slow_dumps], ids=["c", "python"])
@pytest.mark.parametrize("attrs", [{}, {"bad": Unpicklable()}], ids=["good", "bad"])
def test_nothing_keeps_a_program_that_was_pickled(dumps, attrs):
    expr = deep.tuple_nest(3_000, relay.Call(ADD, (deep.tuple_nest(5),), relay.DictAttrs(attrs)))
    left = [weakref.ref(node) for node in EVERYTHING.post_order(expr) if type(node) is not relay.Op]
    with pytest.raises(ZeroDivisionError) if attrs else nullcontext():
        dumps(expr)
    del expr
    gc.collect()
    assert [ref for ref in left if ref() is not None] == []


def test_pickler_used_for_several_dumps_shares_between_them():
    file = io.BytesIO()
    pickler = pickle.Pickler(file)
    expr = deep.tuple_nest(2_000)
    pickler.dump(expr)
    pickler.dump([expr])
    file.seek(0)
    unpickler = pickle.Unpickler(file)
    first = unpickler.load()
    assert unpickler.load()[0] is first


def test_nodes_within_attributes_are_cloned():
    deep_type = deep.type_nest(200)
    call = relay.Call(ADD, (), relay.DictAttrs({"ty": deep_type, "inner": {"again": deep_type}}))
    other = pickle.loads(pickle.dumps(call))
    assert relay.structural_equal(call, other)
    assert other.attrs["ty"] is other.attrs["inner"]["again"]


def test_threads_pickle_at_the_same_time():
    expr: relay.Expr = deep.call_chain(5_000)
    results = []

    def work():
        results.append(relay.structural_equal(expr, pickle.loads(pickle.dumps(expr))))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 4


def test_nodes_that_attributes_share_with_the_program_are_cloned_once():
    inner = relay.TensorType(())
    held = relay.TupleType((inner,))
    call = relay.Call(
        ADD, (relay.Var("x", inner),), relay.DictAttrs({"held": held}), checked_type=inner
    )
    other = pickle.loads(pickle.dumps(relay.Tuple((call,)))).fields[0]
    assert other.attrs["held"].fields[0] is other.args[0].type_annotation is other.checked_type


def test_deepcopy_of_a_node_reached_on_several_ways_copies_it_once():
    x = relay.Var("x")
    inner = relay.Tuple((x,))
    other = copy.deepcopy(relay.Tuple((relay.Tuple((inner, x)), inner, x)))
    assert other.fields[0].fields[0] is other.fields[1]
    assert other.fields[1].fields[0] is other.fields[2]


class TestInterning:
    """Of kinds of which there is one node for each name."""

    @pytest.fixture
    def metre(self) -> Iterator[relay.Expr]:
        with relay.declared_temporarily():

            @node("unit", atom=relay.Atom.NAME)
            class Unit(relay.Expr):
                name: str

            known = {"m": Unit("m")}
            INTERNED.register(Unit, lambda unit: (known.__getitem__, (unit.name,)))
            yield known["m"]

    def test_node_is_its_own_copy(self, metre):
        assert copy.copy(metre) is metre
        assert copy.deepcopy(relay.Tuple((metre,))).fields[0] is metre

    def test_node_is_found_by_its_name(self, metre):
        assert intern(type(metre)("m")) is metre

    def test_node_that_is_read_is_the_one_of_its_name(self, metre):
        assert relay.parse_expr(relay.astext(relay.Tuple((metre,)))).fields[0] is metre
