"""Networks for a device: loops are bound nest by nest, and files run what networks compute."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest

import relayish as relay
from relayish import tir
from relayish.codegen.cuda.binding import bind_rest
from relayish.codegen.cuda.network import network_of, network_on_cpu
from relayish.codegen.cuda.on_cpu import ON_CPU, find_cpp
from relayish.codegen.cuda.shipping import ship
from relayish.codegen.cuda.source import to_cuda
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.scopes.scoping import PROGRAM
from relayish.passes.loops.schedule.apply_schedules import apply_schedules
from tests.support.cuda_programs import bound, func, memory, put

THREAD = tir.for_("i", 1, tir.Block(()), thread="threadIdx.x").bind_info


def axes(function):
    """Return what loops are bound to, in order of the text."""
    loops = [each for each in PROGRAM.pre_order(function.body) if isinstance(each, tir.For)]
    return [str(each.bind_info) if each.bind_info.is_valid else "" for each in loops]


def bind_loops(function, rules="bind_loops"):
    """Return a function as it is bound by schedules, with what they leave."""
    made = bind_rest(apply_schedules(function, rules=rules, target="cuda"))
    assert not tir.verify(made)
    return made


def elementwise(*sizes):
    a, b = memory("A", sizes), memory("B", sizes)
    indices = [tir.Var(f"i{at}") for at in range(len(sizes))]
    body = tir.as_block(put(b, a[tuple(indices)] + 1.0, *indices))
    for index, size in reversed([*zip(indices, sizes, strict=True)]):
        body = tir.as_block(tir.for_(index, size, body))
    return func("f", (a, b), body)


class TestBinding:
    @pytest.mark.parametrize(
        ("sizes", "expected"),
        [
            ((256,), ["threadIdx.x"]),
            ((257,), ["blockIdx.x", "threadIdx.x"]),
            ((3, 4), ["blockIdx.x", "threadIdx.x"]),
            ((3, 1000), ["blockIdx.y", "blockIdx.x", "threadIdx.x"]),
            ((70000, 1000), ["blockIdx.x", "blockIdx.y", "threadIdx.x"]),
            ((2, 3, 4, 5, 6), ["blockIdx.x", "blockIdx.y", "blockIdx.z", "", "threadIdx.x"]),
        ],
    )
    def test_parallel_loops_are_bound(self, sizes, expected):
        made = bind_loops(elementwise(*sizes))
        assert axes(made) == expected
        assert to_cuda(made)

    @pytest.mark.parametrize("size", [512, 513])
    def test_only_a_block_that_is_not_full_has_a_guard(self, size):
        found = tir.collect_ir_nodes(
            bind_loops(elementwise(size)).body, lambda n: isinstance(n, tir.IfThenElse)
        )
        assert bool(found) == bool(size % 256)

    def test_a_loop_that_carries_something_stays_on_the_host(self):
        a = memory("A", (5, 6))
        body = tir.for_(
            "i", 4, lambda i: tir.for_("j", 6, lambda j: put(a, a[i, j] + 1.0, i + 1, j))
        )
        assert axes(bind_loops(func("f", (a,), body))) == ["", "threadIdx.x"]

    def test_what_is_not_parallel_is_run_by_one_thread(self):
        a = memory("A", (5,))
        body = tir.for_("i", 4, lambda i: put(a, a[i] + 1.0, i + 1))
        assert axes(bind_loops(func("f", (a,), body))) == ["blockIdx.x", ""]

    def test_what_is_bound_stays(self):
        a = memory("A", (5,))
        function = func("f", (a,), bound("tx", 5, lambda t: put(a, 1.0, t)))
        assert axes(bind_loops(function)) == ["threadIdx.x"]
        assert apply_schedules(function, rules="bind_loops") is function

    def test_a_schedule_says_how_many_threads_there_are(self):
        made = bind_loops(elementwise(100), "bind_loops{threads=50}")
        assert axes(made) == ["blockIdx.x", "threadIdx.x"]
        assert axes(bind_loops(elementwise(100), "bind_loops{threads=100}")) == ["threadIdx.x"]

    def test_more_blocks_than_an_axis_has_stay_a_loop(self):
        made = bind_loops(elementwise(2, 70000, 3, 4))
        assert axes(made) == ["blockIdx.x", "", "", "threadIdx.x"]

    def test_what_no_schedule_binds_is_run_by_one_thread(self):
        assert axes(bind_loops(elementwise(3, 4), "")) == ["blockIdx.x", "", ""]

    def test_what_stands_beside_bound_loops_is_run_by_one_thread(self):
        a = memory("A", (5, 6))
        body = tir.for_("i", 4, lambda i: [
            put(a, a[i, 0] + 1.0, i + 1, 0),
            tir.for_("j", 5, lambda j: put(a, a[i, j + 1] + 1.0, i + 1, j + 1)),
        ])  # fmt: skip
        assert axes(bind_loops(func("f", (a,), body))) == ["", "blockIdx.x", "threadIdx.x"]

    def test_what_leaves_a_scalar_to_others_is_run_with_them(self):
        a, total = memory("A", (5,)), tir.Var("total", "float32")
        body = tir.Block((
            tir.Let(total, tir.const(0.0, "float32")),
            tir.for_("i", 5, lambda i: [tir.Store(total, total + a[i]), put(a, total, i)]),
            put(a, total * 2.0, 0),
        ))  # fmt: skip
        made = bind_loops(func("f", (a,), body))
        assert axes(made) == ["blockIdx.x", ""]
        assert to_cuda(made)

    def test_a_scalar_that_the_host_sets_is_given_to_kernels(self):
        a, total = memory("A", (5,)), tir.Var("total", "float32")
        body = tir.Block((
            tir.Let(total, tir.const(0.0, "float32")),
            tir.Store(total, total + 1.0),
            tir.for_("i", 5, lambda i: put(a, total, i)),
        ))  # fmt: skip
        made = bind_loops(func("f", (a,), body))
        assert axes(made) == ["threadIdx.x"]
        assert to_cuda(made)

    def test_loops_that_store_nothing_stay_on_the_host(self):
        body = tir.for_("i", 4, lambda _: tir.Block(()))
        assert axes(bind_loops(func("f", (), body))) == [""]


def network():
    x = relay.var("x", shape=(relay.Any(), 8))
    w = np.random.default_rng(3).random((5, 8), "float32")
    body = relay.nn.softmax(relay.nn.relu(relay.nn.dense(x, relay.const(w))))
    return relay.IRModule.from_expr(relay.Function([x], body))


@pytest.mark.slow("compiles a network")
def test_a_network_is_what_it_is_without_a_device():
    made, params = network_of(network())
    compiled = network_on_cpu(params, made, "net")
    for n in (1, 3):
        given = np.random.default_rng(n).random((n, 8), "float32")
        expected = relay.create_executor(mod=network()).evaluate()(given)
        assert np.allclose(compiled(given), expected, rtol=1e-5)


def test_users_say_how_networks_are_bound():
    with declared_temporarily():

        @tir.register_schedule("bind_loops", targets=("cuda",), replace=True)
        def by_rows(schedule: tir.Schedule) -> None:
            """Bind the first loop."""
            for loop in schedule.get_loops()[:1]:
                schedule.bind(loop, "blockIdx.y")

        made, _ = network_of(network())
    bound = {axis for each in made.module.functions for axis in axes(each)}
    assert "blockIdx.y" in bound
    assert "threadIdx.x" not in bound
    made, _ = network_of(network(), schedules="bind_loops{threads=4}")
    loops = [each for f in made.module.functions for each in PROGRAM.pre_order(f.body)]
    threads = [str(each.extent) for each in loops if getattr(each, "bind_info", None) == THREAD]
    assert set(threads) == {"4"}


@pytest.mark.slow("compiles a network")
def test_branches_and_loops_stay_on_the_host():
    x, n = relay.var("x", shape=(4,)), relay.var("n", "int32")
    loop = relay.frontend.while_loop(
        lambda n, _: relay.less(relay.const(0), n),
        [n, relay.var("y", shape=(4,))],
        lambda n, y: (relay.subtract(n, relay.const(1)), relay.add(y, y)),
    )
    is_low = relay.less(relay.sum(x), relay.const(0.0))
    body = relay.If(is_low, x, relay.TupleGetItem(loop(n, x), 1))
    made, params = network_of(relay.IRModule.from_expr(relay.Function([x, n], body)))
    compiled = network_on_cpu(params, made, "net")
    given = np.array([1, 2, 3, -4], "float32")
    assert compiled(given, np.int32(3)).tolist() == (given * 8).tolist()
    assert compiled(-given, np.int32(3)).tolist() == (-given).tolist()


@pytest.mark.slow("compiles a program in C")
def test_files_run_a_network_on_files(tmp_path):
    files, _ = ship(network_of(network())[0], "net")
    assert sorted(files) == ["main.c", "net.bin", "net.cu", "net.h"]
    for name, held in {**files, "on_cpu.h": ON_CPU.encode()}.items():
        (tmp_path / name).write_bytes(held)
    given = np.random.default_rng(1).random((3, 8), "float32")
    np.save(tmp_path / "x.npy", given)
    cpp = find_cpp()
    for call in (
        [*cpp.command, *cpp.flags, "-include", "on_cpu.h", "-c", "net.cu"],
        ["gcc", "-c", "main.c"],
        [*cpp.command, "net.o", "main.o", "-o", "net", "-lm"],
        ["./net", "x.npy", "y.npy"],
    ):
        subprocess.run(call, cwd=tmp_path, check=True, capture_output=True)
    expected = relay.create_executor(mod=network()).evaluate()(given)
    assert np.allclose(np.load(tmp_path / "y.npy"), expected, rtol=1e-5)
