"""Operators of classical machine learning give what their definition says."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from relayish.errors import EvaluationError
from tests.support.each import each
from tests.support.onnx_kernels import compare, run_kernel

ML = "ai.onnx.ml"
F = np.float32


def run(op, *inputs, version=1, **attributes):
    results = run_kernel(op, *inputs, version=version, domain=ML, **attributes)
    return results[0] if len(results) == 1 else results


def logistic(x):
    return 1 / (1 + np.exp(-x))


def test_classifier_chooses_the_label_of_the_greatest_score():
    x = F([[1, 0], [0, 1], [1, 1]])
    labels, scores = run(
        "LinearClassifier", x, coefficients=(1.0, 0.0, 0.0, 2.0, -1.0, -1.0),
        intercepts=(0.0, 0.0, 0.5), classlabels_strings=("a", "b", "c"),
    )  # fmt: skip
    assert labels.tolist() == ["a", "b", "b"]
    compare(scores, F([[1, 0, -0.5], [0, 2, -0.5], [1, 2, -1.5]]))


@pytest.mark.parametrize(
    ("transform", "expected"),
    [
        ("NONE", lambda s: s),
        ("LOGISTIC", logistic),
        ("SOFTMAX", lambda s: np.exp(s) / np.exp(s).sum(1, keepdims=True)),
        (
            "SOFTMAX_ZERO",
            lambda s: (
                np.where(s == 0, 0, np.exp(s))
                / np.where(s == 0, 0, np.exp(s)).sum(1, keepdims=True)
            ),
        ),
    ],
)
def test_scores_are_transformed(transform, expected):
    x = F([[1, 2, 0], [-1, 0.5, 3]])
    found = run(
        "LinearRegressor", x, coefficients=(1.0, 0, 0, 0, 1, 0, 0, 0, 1), targets=3,
        post_transform=transform,
    )  # fmt: skip
    compare(found, expected(x).astype(F), 1e-5, 1e-6)


def test_quantiles_of_the_normal_distribution_are_those_of_python():
    chances = F([[0.001, 0.02, 0.3, 0.5, 0.61, 0.999]])
    found = run(
        "LinearRegressor", chances, coefficients=tuple(np.eye(6).ravel()), targets=6,
        post_transform="PROBIT",
    )  # fmt: skip
    exact = [NormalDist().inv_cdf(float(chance)) for chance in chances[0]]
    compare(found, F([exact]), 1e-5, 1e-6)


def test_one_score_tells_two_labels_apart():
    x = F([[2], [-1]])
    given = {"coefficients": (1.0,), "classlabels_ints": (7, 8)}
    labels, scores = run("LinearClassifier", x, **given)
    assert labels.tolist() == [8, 7]
    compare(scores, F([[-1, 2], [2, -1]]))
    labels, scores = run("LinearClassifier", x, post_transform="LOGISTIC", **given)
    compare(scores, F(np.concatenate([logistic(-x), logistic(x)], 1)))


def test_rows_are_divided_by_their_norm():
    x = F([[3, -4], [0, 0]])
    compare(run("Normalizer", x, norm="L2"), F([[0.6, -0.8], [0, 0]]))
    compare(run("Normalizer", x, norm="L1"), F([[3 / 7, -4 / 7], [0, 0]]))
    compare(run("Normalizer", x, norm="MAX"), F([[1, -4 / 3], [0, 0]]))


def test_features_are_scaled_imputed_and_chosen():
    x = F([[1, np.nan], [3, 4]])
    compare(
        run("Imputer", x, imputed_value_floats=(8.0, 9.0), replaced_value_float=np.nan),
        F([[1, 9], [3, 4]]),
    )
    numbers = np.array([[1, -1], [3, 4]])
    compare(
        run("Imputer", numbers, imputed_value_int64s=(6,), replaced_value_int64=-1),
        np.array([[1, 6], [3, 4]]),
    )
    compare(run("Scaler", numbers, offset=(1.0, 2.0), scale=(2.0,)), F([[0, -6], [4, 4]]))
    compare(run("Binarizer", F([1, 2, 3]), threshold=2.0), F([0, 0, 1]))
    compare(run("ArrayFeatureExtractor", numbers, np.array([1, 1, 0])), numbers[:, [1, 1, 0]])
    compare(
        run("FeatureVectorizer", numbers, np.array([[5], [6]]), inputdimensions=(1, 1)),
        F([[1, 5], [3, 6]]),
    )


def test_labels_are_encoded_by_tables():
    words = np.array(["b", "x", "a"], object)
    given = {"keys_strings": ("a", "b"), "values_int64s": (1, 2)}
    compare(run("LabelEncoder", words, version=2, **given), np.array([2, -1, 1]))
    found = run("LabelEncoder", words, classes_strings=("a", "b"), default_int64=5)
    compare(found, np.array([1, 5, 0]))
    found = run("LabelEncoder", np.array([[1], [9]]), classes_strings=("a", "b"))
    assert found.tolist() == [["b"], ["_Unused"]]
    found = run("CategoryMapper", words, cats_strings=("a", "b"), cats_int64s=(5, 6))
    compare(found, np.array([6, -1, 5]))
    found = run(
        "LabelEncoder", F([np.nan, 1, 2]), version=4, keys_floats=(np.nan, 1.0, 1.0),
        values_strings=("none", "old", "new"), default_string="?",
    )  # fmt: skip
    assert found.tolist() == ["none", "new", "?"]
    compare(
        run("OneHotEncoder", np.array([[3], [1]]), cats_int64s=(1, 2, 3)),
        F([[[0, 0, 1]], [[1, 0, 0]]]),
    )


def test_maps_are_made_of_rows_and_rows_of_maps():
    x = F([[1, 2], [3, 4]])
    found = run("ZipMap", x, classlabels_strings=("a", "b"))
    assert found == [{"a": 1.0, "b": 2.0}, {"a": 3.0, "b": 4.0}]
    found = run("DictVectorizer", {"a": 4, "c": 8}, string_vocabulary=("a", "c", "b"))
    compare(found, np.array([[4, 8, 0]]))
    compare(run("CastMap", {2: 1.5, 0: 3.0}), F([[3.0, 1.5]]))
    sparse = run("CastMap", {2: 1.5, 0: 3.0}, map_form="SPARSE", max_map=4, cast_to="TO_INT64")
    compare(sparse, np.array([[3, 0, 1, 0]]))


TREES = {
    "nodes_treeids": (0, 0, 0, 1, 1, 1),
    "nodes_nodeids": (0, 1, 2, 0, 1, 2),
    "nodes_modes": ("BRANCH_LEQ", "LEAF", "LEAF", "BRANCH_GT", "LEAF", "LEAF"),
    "nodes_featureids": (0, 0, 0, 1, 0, 0),
    "nodes_values": (0.5, 0.0, 0.0, 2.0, 0.0, 0.0),
    "nodes_truenodeids": (1, 0, 0, 1, 0, 0),
    "nodes_falsenodeids": (2, 0, 0, 2, 0, 0),
    "nodes_missing_value_tracks_true": (1, 0, 0, 0, 0, 0),
}
LEAVES = {"treeids": (0, 0, 1, 1), "nodeids": (1, 2, 1, 2)}
ROWS = F([[0.5, 3], [0.6, 2], [np.nan, np.nan]])


@pytest.mark.parametrize(
    ("aggregate", "expected"),
    [
        ("SUM", [[11], [22], [21]]),
        ("AVERAGE", [[5.5], [11], [10.5]]),
        ("MIN", [[1], [2], [1]]),
        ("MAX", [[10], [20], [20]]),
    ],
)
def test_what_trees_say_is_taken_together(aggregate, expected):
    found = run(
        "TreeEnsembleRegressor", ROWS, version=3, **TREES, n_targets=1, target_ids=(0,) * 4,
        target_treeids=LEAVES["treeids"], target_nodeids=LEAVES["nodeids"],
        target_weights=(1.0, 2.0, 10.0, 20.0), aggregate_function=aggregate,
    )  # fmt: skip
    compare(found, F(expected))


def test_trees_choose_the_class_of_which_they_say_most():
    given = {"class_treeids": LEAVES["treeids"], "class_nodeids": LEAVES["nodeids"]}
    labels, scores = run(
        "TreeEnsembleClassifier", ROWS, version=3, **TREES, **given, class_ids=(0, 1, 2, 2),
        class_weights=(1.0, 2.0, -3.0, 5.0), classlabels_strings=("a", "b", "c"),
    )  # fmt: skip
    assert labels.tolist() == ["a", "c", "c"]
    compare(scores, F([[1, 0, -3], [0, 2, 5], [1, 0, 5]]))
    labels, scores = run(
        "TreeEnsembleClassifier", ROWS, version=3, **TREES, **given, class_ids=(0, 0, 0, 0),
        class_weights=(0.125, 0.25, 0.25, 0.5), classlabels_int64s=(4, 5),
    )  # fmt: skip
    assert labels.tolist() == [4, 5, 5]
    compare(scores, F([[0.625, 0.375], [0.25, 0.75], [0.375, 0.625]]))


def test_nodes_that_lead_back_are_refused():
    circle = TREES | {
        "nodes_modes": ("BRANCH_LEQ", "BRANCH_LEQ", *TREES["nodes_modes"][2:]),
        "nodes_truenodeids": (1, 1, 0, 1, 0, 0),
        "nodes_falsenodeids": (1, 1, 0, 2, 0, 0),
    }
    with pytest.raises(EvaluationError, match="lead back to themselves"):
        run("TreeEnsembleRegressor", ROWS, version=3, **circle, n_targets=1)


def test_support_vectors_vote():
    x, vectors = F([[0, 0], [2, 2], [4, 0]]), F([[0, 0], [2, 2], [4, 0]])
    coefficients = np.ones((2, 3), F)
    coefficients[0, 1] = coefficients[0, 2] = coefficients[1, 2] = -1
    labels, scores = run(
        "SVMClassifier", x, coefficients=tuple(coefficients.ravel().tolist()),
        support_vectors=tuple(vectors.ravel().tolist()), vectors_per_class=(1, 1, 1),
        rho=(0.0, 0.0, 0.0), kernel_type="RBF", kernel_params=(1.0, 0.0, 0.0),
        classlabels_ints=(5, 6, 7),
    )  # fmt: skip
    assert labels.tolist() == [5, 6, 7]
    distances = np.exp(-np.square(x[:, None] - vectors[None]).sum(2))
    pairs = [(0, 1), (0, 2), (1, 2)]
    expected = np.stack([distances[:, i] - distances[:, j] for i, j in pairs], 1)
    compare(scores, expected.astype(F), 1e-5, 1e-6)


def test_probabilities_of_a_row_do_not_depend_on_others():
    rng = np.random.default_rng(0)
    x, vectors = rng.standard_normal((9, 2)).astype(F), rng.standard_normal((6, 2)).astype(F)
    given = {
        "coefficients": tuple(rng.standard_normal(12)), "support_vectors": tuple(vectors.ravel()),
        "vectors_per_class": (2, 2, 2), "rho": (0.1, 0.2, 0.3), "kernel_type": "RBF",
        "kernel_params": (0.3, 0.0, 0.0), "classlabels_ints": (5, 6, 7),
        "prob_a": (-3.0, -2.0, -4.0), "prob_b": (0.5, 4.0, -1.0),
    }  # fmt: skip
    labels, chances = run("SVMClassifier", x, **given)
    for row in range(len(x)):
        label, alone = run("SVMClassifier", x[row : row + 1], **given)
        assert label == labels[row]
        compare(alone[0], chances[row])


@each("kind", ["LINEAR", "POLY", "RBF", "SIGMOID"])
def test_sum_of_kernels_is_a_regression(kind):
    rng = np.random.default_rng(0)
    x, vectors = rng.standard_normal((4, 3)).astype(F), rng.standard_normal((2, 3)).astype(F)
    affine = 0.3 * (x @ vectors.T) + 0.5
    values = {
        "LINEAR": x @ vectors.T,
        "POLY": affine**2,
        "SIGMOID": np.tanh(affine),
        "RBF": np.exp(-0.3 * np.square(x[:, None] - vectors[None]).sum(2)),
    }[kind]
    given = {
        "coefficients": (0.5, -2.0), "support_vectors": tuple(vectors.ravel().tolist()),
        "n_supports": 2, "rho": (0.25,), "kernel_type": kind, "kernel_params": (0.3, 0.5, 2.0),
    }  # fmt: skip
    expected = (values @ F([0.5, -2]) + 0.25)[:, None]
    compare(run("SVMRegressor", x, **given), expected.astype(F), 1e-4, 1e-5)
    signs = np.where(expected > 0, 1, -1).astype(F)
    compare(run("SVMRegressor", x, one_class=1, **given), signs)


@pytest.mark.parametrize(
    ("op", "inputs", "given", "complaint"),
    [
        ("LinearClassifier", [F([[1]])], {"coefficients": (1.0,)}, "no labels"),
        (
            "LinearClassifier",
            [F([[1, 2]])],
            {"coefficients": (1.0,) * 6, "classlabels_ints": (1, 2)},
            "2 labels and 3 scores",
        ),
        ("LinearRegressor", [F([[1, 2]])], {"coefficients": (1.0,)}, "expected 1 times 2"),
        (
            "LinearRegressor",
            [F([[1]])],
            {"coefficients": (1.0,), "post_transform": "NO"},
            "post_transform is 'NO'",
        ),
        ("Normalizer", [F([[1]])], {"norm": "L3"}, "norm is 'L3'"),
        ("Scaler", [F([[1, 2, 3]])], {"scale": (1.0, 2.0)}, "scale has 2 numbers"),
        ("Imputer", [F([[1, 2, 3]])], {}, "0 values are to replace others"),
        ("ArrayFeatureExtractor", [F([[1]]), np.array([1])], {}, "expected 0 to 0"),
        ("OneHotEncoder", [np.array([4])], {"cats_int64s": (1,), "zeros": 0}, "4 is no category"),
        ("OneHotEncoder", [np.array([4])], {}, "no categories"),
        ("ZipMap", [F([[1, 2]])], {"classlabels_int64s": (1,)}, "1 labels name the columns"),
        ("CastMap", [{5: 1.0}], {"map_form": "SPARSE"}, "keys 5 to 5; expected 0 to 0"),
        ("CategoryMapper", [np.array([1])], {"cats_int64s": (1,)}, "0 values; expected as many"),
        ("SVMRegressor", [F([[1]])], {"coefficients": (1.0, 2.0)}, "2 coefficients; expected 1"),
    ],
)
def test_contradictions_are_refused(op, inputs, given, complaint):
    with pytest.raises(EvaluationError, match=complaint):
        run(op, *inputs, **given)
