"""Kernels as they are written in loops, against numpy and torch, in both modes."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import tir
from relayish.tir.interpreter.lanes.nest import Nest

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.references

both = pytest.mark.parametrize("mode", ["plain", "vectorised"])


def tensor(name, *shape, dtype="float32"):
    sizes = tuple(map(tir.const, shape))
    return tir.Tensor(name, sizes, dtype, tir.Buffer(f"_{name}", sizes, dtype))


def loops(*bounds_and_body):
    """Return a nest: variables with extents, outermost first, and the statements within."""
    *bounds, body = bounds_and_body
    for var, extent in reversed(bounds):
        body = tir.For(
            var, 0, extent, tir.Block(tuple(body) if isinstance(body, list) else (body,))
        )
    return body


def store(target, value, *indices):
    value = value if isinstance(value, tir.Expr) else tir.const(value, target.dtype)
    return tir.Store(
        target, value, tuple([tir.const(i) if isinstance(i, int) else i for i in indices])
    )


def exp(value):
    return tir.Call(value.type, "exp", (value,))


def run(body, tensors, arrays, mode, temps=()):
    """Run over copies of the arrays; return the last."""
    given = [array.copy() for array in arrays]
    func = tir.LoweredFunc(
        "kernel", tuple([t.buffer for t in tensors]), body, tuple([t.buffer for t in temps])
    )
    tir.run(func, *given, mode=mode)
    return given[-1]


@pytest.fixture
def succeeded(monkeypatch):
    """The nests that ran in lockstep."""
    found = []
    attempt = Nest.attempt

    def watched(nest, *args):
        made = attempt(nest, *args)
        found.append(made)
        return made

    monkeypatch.setattr(Nest, "attempt", watched)
    return found


def normal(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


def vars_(names):
    return [tir.Var(name) for name in names.split()]


def matmul(n, m, k, dtype="float32"):
    a, b, c = (
        tensor("A", n, k, dtype=dtype),
        tensor("B", k, m, dtype=dtype),
        tensor("C", n, m, dtype=dtype),
    )
    i, j, r = vars_("i j r")
    update = loops((r, k), store(c, c[i, j] + a[i, r] * b[r, j], i, j))
    return loops((i, n), (j, m), [store(c, 0, i, j), update]), (a, b, c)


@both
def test_matrix_product_is_that_of_numpy(mode, succeeded):
    body, tensors = matmul(17, 19, 23)
    a, b = normal(17, 23), normal(23, 19, seed=1)
    found = run(body, tensors, [a, b, np.empty((17, 19), "float32")], mode)
    np.testing.assert_allclose(found, a @ b, rtol=1e-4, atol=1e-5)
    assert succeeded == [True] * (mode == "vectorised")


def test_matrix_product_adds_in_order_in_both_modes():
    body, tensors = matmul(17, 19, 23)
    given = [normal(17, 23), normal(23, 19, seed=1), np.empty((17, 19), "float32")]
    plain, fast = (run(body, tensors, given, mode) for mode in ("plain", "vectorised"))
    assert plain.tobytes() == fast.tobytes()


@both
@pytest.mark.parametrize("dtype", ["int8", "int32", "uint16", "float64"])
def test_matrix_product_of_any_type_is_that_of_numpy(mode, dtype):
    body, tensors = matmul(6, 7, 8, dtype)
    generator = np.random.default_rng(0)
    a = generator.integers(0, 100, (6, 8)).astype(dtype)
    b = generator.integers(0, 100, (8, 7)).astype(dtype)
    found = run(body, tensors, [a, b, np.zeros((6, 7), dtype)], mode)
    assert found.tolist() == (a @ b).tolist()


@both
def test_blocked_matrix_product_is_that_of_numpy(mode, succeeded):
    a, b, c = tensor("A", 32, 16), tensor("B", 16, 24), tensor("C", 32, 24)
    io, jo, ii, ji, ko, ki = vars_("io jo ii ji ko ki")
    i, j, k = io * 8 + ii, jo * 8 + ji, ko * 4 + ki
    zero = loops((ii, 8), (ji, 8), store(c, 0, i, j))
    update = loops((ko, 4), (ii, 8), (ki, 4), (ji, 8), store(c, c[i, j] + a[i, k] * b[k, j], i, j))
    x, y = normal(32, 16), normal(16, 24, seed=1)
    body = loops((io, 4), (jo, 3), [zero, update])
    found = run(body, (a, b, c), [x, y, np.empty((32, 24), "float32")], mode)
    np.testing.assert_allclose(found, x @ y, rtol=1e-4, atol=1e-5)
    assert succeeded == [True] * (mode == "vectorised")


@both
def test_convolution_is_that_of_torch(mode, succeeded):
    image, weight, out = tensor("I", 3, 10, 10), tensor("W", 4, 3, 3, 3), tensor("O", 4, 10, 10)
    padded = tensor("P", 3, 12, 12)
    c, y, x, o, u, v = vars_("c y x o u v")
    inside = (y >= 1) & (y < 11) & (x >= 1) & (x < 11)
    pad = loops((c, 3), (y, 12), (x, 12), tir.IfThenElse(
        inside, tir.Block((store(padded, image[c, y - 1, x - 1], c, y, x),)),
        tir.Block((store(padded, 0, c, y, x),)),
    ))  # fmt: skip
    step = out[o, y, x] + padded[c, y + u, x + v] * weight[o, c, u, v]
    update = loops((c, 3), (u, 3), (v, 3), store(out, step, o, y, x))
    compute = loops((o, 4), (y, 10), (x, 10), [store(out, 0, o, y, x), update])
    given = [normal(3, 10, 10), normal(4, 3, 3, 3, seed=1), np.empty((4, 10, 10), "float32")]
    found = run(tir.Block((pad, compute)), (image, weight, out), given, mode, temps=[padded])
    expected = torch.conv2d(*map(torch.from_numpy, given[:2]), padding=1)
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-4, atol=1e-5)
    assert succeeded == [True] * (2 * (mode == "vectorised"))


@both
def test_softmax_is_that_of_torch(mode, succeeded):
    a, b = tensor("A", 20, 33), tensor("B", 20, 33)
    top, total = tensor("M", 20), tensor("S", 20)
    i, j, k, m = vars_("i j k m")
    rows = loops((i, 20), [
        store(top, a[i, 0], i),
        loops((j, 33), store(top, tir.Max(a[i, j], top[i]), i)),
        store(total, 0, i),
        loops((k, 33), [
            store(b, exp(a[i, k] - top[i]), i, k), store(total, total[i] + b[i, k], i),
        ]),
        loops((m, 33), store(b, b[i, m] / total[i], i, m)),
    ])  # fmt: skip
    x = normal(20, 33)
    found = run(rows, (a, b), [x, np.empty_like(x)], mode, temps=[top, total])
    np.testing.assert_allclose(found, torch.softmax(torch.from_numpy(x), 1).numpy(), rtol=1e-5)
    assert succeeded == [True] * (mode == "vectorised")


@both
def test_transposition_is_that_of_numpy(mode, succeeded):
    a, b = tensor("A", 9, 11), tensor("B", 11, 9)
    i, j = vars_("i j")
    x = normal(9, 11)
    found = run(
        loops((i, 9), (j, 11), store(b, a[i, j], j, i)),
        (a, b),
        [x, np.empty((11, 9), "float32")],
        mode,
    )
    assert found.tobytes() == x.T.tobytes()
    assert succeeded == [True] * (mode == "vectorised")


@both
def test_gathering_is_that_of_numpy(mode, succeeded):
    a, at, b = tensor("A", 50), tensor("I", 40, dtype="int32"), tensor("B", 40)
    (i,) = vars_("i")
    x, rows = normal(50), np.random.default_rng(1).integers(0, 50, 40).astype("int32")
    found = run(
        loops((i, 40), store(b, a[at[i]], i)), (a, at, b), [x, rows, np.empty(40, "float32")], mode
    )
    assert found.tobytes() == x[rows].tobytes()
    assert succeeded == [True] * (mode == "vectorised")


@both
def test_scattering_keeps_the_last(mode, succeeded):
    a, at, b = tensor("A", 40), tensor("I", 40, dtype="int32"), tensor("B", 8)
    (i,) = vars_("i")
    x, rows = normal(40), np.random.default_rng(1).integers(0, 8, 40).astype("int32")
    found = run(
        loops((i, 40), store(b, a[i], at[i])), (a, at, b), [x, rows, np.zeros(8, "float32")], mode
    )
    expected = np.zeros(8, "float32")
    for value, row in zip(x, rows, strict=True):
        expected[row] = value
    assert found.tobytes() == expected.tobytes()
    assert not any(succeeded)  # where elements are stored is not known before


@both
def test_running_sum_is_that_of_numpy(mode, succeeded):
    a = tensor("A", 100)
    (i,) = vars_("i")
    x = normal(100)
    found = run(tir.For(i, 1, 99, tir.Block((store(a, a[i - 1] + a[i], i),))), (a,), [x], mode)
    assert found.tobytes() == np.add.accumulate(x).tobytes()
    assert not any(succeeded)  # each iteration needs the one before


@both
@pytest.mark.parametrize("axis", [0, 1])
def test_sum_along_an_axis_adds_in_order(mode, axis):
    a, b = tensor("A", 30, 40), tensor("B", (40, 30)[axis])
    i, k = vars_("i k")
    element = a[k, i] if axis == 0 else a[i, k]
    body = loops(
        (i, (40, 30)[axis]),
        [store(b, 0, i), loops((k, (30, 40)[axis]), store(b, b[i] + element, i))],
    )
    x = normal(30, 40)
    found = run(body, (a, b), [x, np.empty((40, 30)[axis], "float32")], mode)
    in_order = np.add.accumulate(np.moveaxis(x, axis, 0), axis=0)[-1]
    assert found.tobytes() == in_order.tobytes()


@both
def test_triangle_is_that_of_numpy(mode):
    a = tensor("A", 20, 20, dtype="int32")
    i, j = vars_("i j")
    body = loops((i, 20), tir.For(j, tir.const(0), i + 1, tir.Block((store(a, i * 20 + j, i, j),))))
    found = run(body, (a,), [np.zeros((20, 20), "int32")], mode)
    assert found.tolist() == np.tril(np.arange(400).reshape(20, 20)).tolist()


def test_program_of_the_overview_multiplies_elements():
    a, f, c = tensor("var_5", 16), tensor("factor_1", 16), tensor("var_36", 16)
    i, i0 = tir.Var("i_fused"), tir.Var("i0_14")
    made = tir.ScheduleBlock((i0,), (), (), "var_36", store(c, a[i0] * f[i0], i0))
    body = loops((i, 16), tir.ScheduleBlockRealize((i,), made))
    x, y = normal(16), normal(16, seed=1)
    found = run(body, (a, f, c), [x, y, np.empty(16, "float32")], "vectorised")
    assert found.tobytes() == (x * y).tobytes()
