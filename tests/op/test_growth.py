"""The sizes predicted for results are those the results have."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from relayish.op.registry import attrs_type, evaluate, get_op, result_size

A = np.arange(6, dtype="float32").reshape(2, 3)
B = np.arange(12, dtype="float32").reshape(4, 3)
INDICES = np.array([1, 0, 1], "int32")
ZERO, ONE = np.float32(0), np.float32(1)
IMAGE = np.ones((1, 2, 3, 4), "float32")
ROWS = np.ones(2, "float32"), np.array([1, 0], "int32"), np.array([0, 1, 1, 2], "int32")

CASES: dict[str, tuple[dict[str, object], tuple[object, ...]]] = {
    "arange": ({"dtype": "float32"}, (ZERO, np.float32(7), ONE)),
    "broadcast_to": ({"shape": (5, 2, 3)}, (A,)),
    "dyn.broadcast_to": ({}, (A, np.array([5, 2, 3]))),
    "dyn.full": ({"dtype": "float32"}, (ONE, np.array([4, 5]))),
    "dyn.nn.pad": ({}, (A, np.array([[1, 2], [0, 1]]), ZERO)),
    "dyn.one_hot": ({"axis": -1, "dtype": "float32"}, (INDICES, ONE, ZERO, np.int32(9))),
    "dyn.ones": ({"dtype": "float32"}, (np.array([4, 5]),)),
    "dyn.tile": ({}, (A, np.array([4, 5]))),
    "dyn.zeros": ({"dtype": "float32"}, (np.array([4, 5]),)),
    "einsum": ({"equation": "ij,kj->ik"}, ((A, B),)),
    "full": ({"shape": (4, 5), "dtype": "float32"}, (ONE,)),
    "gather_nd": ({}, (A, np.array([[0, 1, 1, 0]]))),
    "meshgrid": ({"indexing": "ij"}, ((INDICES, INDICES, INDICES),)),
    "nn.batch_matmul": ({"transpose_b": True}, (A[None], B[None])),
    "nn.bitserial_dense": ({"units": 4}, (INDICES[None], np.ones((4, 3), "int32"))),
    "nn.contrib_dense_pack": ({}, (A, np.ones((5, 3, 2), "float32"))),
    "nn.correlation": ({"max_displacement": 2, "padding": (4, 4)}, (IMAGE, IMAGE)),
    "nn.dense": ({}, (A, B)),
    "nn.dilate": ({"strides": (2, 3)}, (A,)),
    "nn.internal.sparse_dense_padded": ({}, (A, *ROWS)),
    "nn.matmul": ({"transpose_b": True}, (A, B)),
    "nn.pad": ({"pad_width": ((1, 2), (0, 1))}, (A, ZERO)),
    "nn.space_to_batch_nd": ({"block_shape": (2,), "paddings": ((3, 6),)}, (A,)),
    "nn.sparse_conv2d": ({"layout": "NCHW"}, (IMAGE, *ROWS)),
    "nn.sparse_dense": ({"sparse_lhs": True}, (A, *ROWS)),
    "nn.upsampling": ({"scale_h": 9, "scale_w": 1.5}, (IMAGE,)),
    "nn.upsampling3d": ({"scale_d": 3, "scale_h": 9, "scale_w": 1.5}, (IMAGE[None],)),
    "one_hot": ({"depth": 9, "axis": -1, "dtype": "float32"}, (INDICES, ONE, ZERO)),
    "repeat": ({"repeats": 7, "axis": 1}, (A,)),
    "sparse_to_dense": ({"output_shape": (5,)}, (np.array([1, 3]), np.array([ONE, ONE]), ZERO)),
    "take": ({"axis": 0}, (A, INDICES)),
    "tile": ({"reps": (4, 5)}, (A,)),
}


@pytest.mark.parametrize("equation", ["ij,kj", "...j,kj->...k", " ij , kj -> ikj"])
def test_size_of_an_einsum_is_predicted_however_it_is_written(equation: str) -> None:
    op = get_op("einsum")
    attrs = SimpleNamespace(equation=equation)
    assert result_size.get(op)(attrs, (A, B)) == evaluate.get(op)(attrs, (A, B)).size


@pytest.mark.parametrize("name", sorted(CASES))
def test_predicted_size_is_the_size_of_the_result(name: str) -> None:
    op = get_op(name)
    values, inputs = CASES[name]
    kind = attrs_type.get(op)
    unset = dict.fromkeys(kind.field_names, None) if kind is not None else {}
    attrs = SimpleNamespace(**{**unset, **(kind.defaults if kind else {}), **values})
    result = evaluate.get(op)(attrs, *inputs)
    parts = result if isinstance(result, (tuple, list)) else (result,)
    assert result_size.get(op)(attrs, *inputs) == sum(np.asarray(part).size for part in parts)


def test_every_prediction_is_tested() -> None:
    assert {name for name in CASES if get_op(name) in result_size} == set(CASES)
    assert len(CASES) == len(result_size)
