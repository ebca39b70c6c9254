"""Classical machine learning: trees, features, and counts of n-grams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

import numpy as np

from relayish.errors import EvaluationError
from relayish.ir.relay.expr import Expr
from relayish.onnx.kernels.ml_scores import ML, POST_TRANSFORMS
from relayish.onnx.kernels.ml_trees import (
    AGGREGATES,
    LEAF,
    MEMBER,
    Forest,
    numbers_of,
    places_of,
    read_forest,
    read_split_forest,
)
from relayish.onnx.kernels.registry import Array
from relayish.onnx.kernels.text import read_pool
from relayish.passes.onnx.lowering.arithmetic import Numbers
from relayish.passes.onnx.lowering.rule import OnnxNode, Unlowered, build, const, lowers

_COMPARISONS: Final = (
    "less_equal", "less", "greater_equal", "greater", "equal", "not_equal",
)  # fmt: skip


@lowers("Binarizer", domain=ML)
def binarizer(node: OnnxNode) -> Expr:
    """1 where elements are greater than a threshold, 0 elsewhere."""
    threshold, dtype = float(node.attr("threshold", 0.0)), node.dtype()
    if "int" in dtype:
        threshold = float(np.floor(threshold))  # no integer lies between
    greater = build("greater", node.input(0), const(threshold, dtype))
    return build("cast", greater, dtype)


@lowers("Scaler", domain=ML)
def scaler(node: OnnxNode) -> Expr:
    """Distances from offsets, times scales."""
    op, found = Numbers("float32"), build("cast", node.input(0), "float32")
    for name, how in (("offset", "subtract"), ("scale", "multiply")):
        if node.attr(name):
            found = op(how, found, op.array(node.attr(name)))
    return found


@lowers("Normalizer", domain=ML)
def normalizer(node: OnnxNode) -> Expr:
    """Rows over their greatest elements or norms; where these are 0, rows stay."""
    op, x = Numbers("float32"), build("cast", node.input(0), "float32")
    norm, axis = node.attr("norm", "MAX"), (node.rank() - 1,)
    if norm == "MAX":
        divisor = build("max", x, axis=axis, keepdims=True)
    elif norm == "L1":
        divisor = build("sum", op("abs", x), axis=axis, keepdims=True)
    elif norm == "L2":
        divisor = op("sqrt", build("sum", op("multiply", x, x), axis=axis, keepdims=True))
    else:
        raise Unlowered(f"its norm is {norm!r}")
    return op("divide", x, op("where", op("equal", divisor, 0), 1, divisor))


@lowers("TreeEnsemble", domain=ML)
def tree_ensemble(node: OnnxNode) -> Expr:
    """What trees say of targets, whose leaves stand apart."""
    told = dict(node.attributes)
    weights, targets = told.pop("leaf_weights"), told.pop("leaf_targetids")
    aggregate = AGGREGATES[int(told.pop("aggregate_function", 1))]
    transform = POST_TRANSFORMS[int(told.pop("post_transform", 0))]
    count = int(told.pop("n_targets", max(targets, default=0) + 1))
    try:
        forest = read_split_forest(len(targets), **told)
    except EvaluationError as error:
        raise Unlowered(str(error)) from error
    inner = len(told["nodes_featureids"])
    places = range(inner, inner + len(targets))
    scores = _sum_leaves(node, forest, places, targets, weights, count, aggregate)
    return _transformed(build("cast", scores, node.dtype()), node.dtype(), transform)


@lowers("TreeEnsembleRegressor", domain=ML)
def tree_ensemble_regressor(node: OnnxNode) -> Expr:
    """What trees say of targets."""
    nodes = {name: each for name, each in node.attributes.items() if name.startswith("nodes_")}
    trees, numbers = node.attr("target_treeids", ()), node.attr("target_nodeids", ())
    targets = node.attr("target_ids", ())
    weights = numbers_of(node.attr("target_weights_as_tensor"), node.attr("target_weights"))
    base = numbers_of(node.attr("base_values_as_tensor"), node.attr("base_values"))
    count = int(node.attr("n_targets", max(targets, default=0) + 1))
    try:
        forest, named = read_forest(**nodes)
        places = places_of(named, trees, numbers)
    except EvaluationError as error:
        raise Unlowered(str(error)) from error
    aggregate = node.attr("aggregate_function", "SUM")
    scores = _sum_leaves(node, forest, places, targets, weights, count, aggregate)
    if base.size:
        scores = build("add", scores, const(base, "float64"))
    transform = node.attr("post_transform", "NONE")
    return _transformed(build("cast", scores, "float32"), "float32", transform)


def _sum_leaves(
    node: OnnxNode,
    forest: Forest,
    places: Sequence[int],
    targets: Sequence[int],
    weights: Array,
    count: int,
    aggregate: str,
) -> Expr:
    """Return what trees say of each target (rows, targets), in float64.

    Args:
        node: The node, whose first input has features.
        forest: The trees.
        places: The leaves that weights belong to.
        targets: The target of each weight.
        weights: What leaves say.
        count: How many targets there are.
        aggregate: How trees are taken together.
    """
    if aggregate not in AGGREGATES:
        raise Unlowered(f"trees are taken together by {aggregate!r}")
    if len(targets) and not 0 <= min(targets) <= max(targets) < count:
        raise Unlowered(f"leaves speak of targets {min(targets)} to {max(targets)} of {count}")
    at = np.array(places, np.int64), np.array(targets, np.int64)
    table = np.zeros((len(forest.modes), count))
    np.add.at(table, at, np.asarray(weights, np.float64))
    leaves = _leaves(node, forest)
    if aggregate in ("SUM", "AVERAGE"):
        total = build("sum", build("take", const(table, "float64"), leaves, axis=0), axis=(1,))
        trees = const(max(len(forest.roots), 1), "float64")
        return build("divide", total, trees) if aggregate == "AVERAGE" else total
    how, end = ("min", np.inf) if aggregate == "MIN" else ("max", -np.inf)
    spoken = np.full(table.shape, end)
    spoken[at] = table[at]
    found = build(how, build("take", const(spoken, "float64"), leaves, axis=0), axis=(1,))
    op = Numbers("float64")
    return op("where", op("equal", found, op.array(end)), 0, found)


def _leaves(node: OnnxNode, forest: Forest) -> Expr:
    """Return the leaf at which each row ends up in each tree, (rows, trees)."""
    x, sizes = node.input(0), node.sizes()
    if len(sizes) == 1:
        x, sizes = build("reshape", x, (1, -1)), (1, *sizes)
    inner = forest.modes != LEAF
    used = forest.features[inner]
    if used.size and not 0 <= used.min() <= used.max() < sizes[1]:
        raise Unlowered(f"trees compare features {used.min()} to {used.max()} of {sizes[1]}")
    is_float = "float" in node.dtype()
    wide = np.result_type(forest.splits.dtype, node.dtype() if is_float else "float64").name
    x = build("cast", x, wide)
    own = np.arange(len(forest.modes))[:, None]
    children = np.where(inner[:, None], forest.children, own)  # a leaf leads to itself
    shape = (sizes[0], len(forest.roots))
    nodes: Expr = build("broadcast_to", const(forest.roots, "int64"), shape)
    for _ in range(_depth(forest)):
        features = build("take", const(forest.features, "int64"), nodes, axis=0)
        values = build("gather", x, 1, features)
        found = _compared(values, nodes, forest, wide)
        ends = [build("take", const(children[:, at], "int64"), nodes, axis=0) for at in (1, 0)]
        nodes = build("where", found, *ends)
    return nodes


def _compared(values: Expr, nodes: Expr, forest: Forest, dtype: str) -> Expr:
    """Return whether comparisons hold that nodes make, each with its feature."""
    modes = build("take", const(forest.modes, "int64"), nodes, axis=0)
    splits = build("take", const(forest.splits, dtype), nodes, axis=0)
    found: Expr | None = None
    for mode in np.unique(forest.modes[forest.modes != LEAF]).tolist():
        if mode == MEMBER:
            holds = _is_member(values, nodes, forest, dtype)
        else:
            holds = build(_COMPARISONS[mode], values, splits)
        is_it = build("equal", modes, const(mode, "int64"))
        found = holds if found is None else build("where", is_it, holds, found)
    assert found is not None
    if not forest.missing.any():
        return found
    taken = build("take", const(forest.missing, "bool"), nodes, axis=0)
    return build("logical_or", found, build("logical_and", build("isnan", values), taken))


def _is_member(values: Expr, nodes: Expr, forest: Forest, dtype: str) -> Expr:
    """Return whether features are in the sets that nodes look them up in."""
    members = np.flatnonzero(forest.modes == MEMBER)
    longest = max([len(each) for each in forest.members] or [0])
    table = np.full((len(forest.modes), max(longest, 1)), np.nan)
    for at, each in zip(members, forest.members, strict=False):
        table[at, : len(each)] = each
    sets = build("take", const(table, dtype), nodes, axis=0)
    return build("any", build("equal", build("expand_dims", values, axis=2), sets), axis=(2,))


def _depth(forest: Forest) -> int:
    """Return how many comparisons there are at most on the way to a leaf."""
    level = {int(each) for each in forest.roots}
    for depth in range(len(forest.modes) + 1):
        level = {
            int(child)
            for each in level
            if forest.modes[each] != LEAF
            for child in forest.children[each]
        }
        if not level:
            return depth
    raise Unlowered("nodes of a tree lead back to themselves")


def _transformed(scores: Expr, dtype: str, transform: str) -> Expr:
    """Return scores (rows, targets) after what an ensemble does to them last."""
    op = Numbers(dtype)
    if transform == "NONE":
        return scores
    if transform == "LOGISTIC":
        half = op("tanh", op("multiply", scores, 0.5))
        return op("add", op("multiply", half, 0.5), 0.5)
    highest = build("max", scores, axis=(1,), keepdims=True)
    grown = op("exp", op("subtract", scores, highest))
    if transform == "SOFTMAX_ZERO":
        is_far = op("greater", op("abs", scores), 1e-7)
        near = op("multiply", scores, op("exp", op("negative", highest)))
        grown = op("where", is_far, grown, near)
    elif transform != "SOFTMAX":
        raise Unlowered(f"its scores are transformed by {transform!r}")
    total = build("sum", grown, axis=(1,), keepdims=True)
    return op("divide", grown, op("where", op("equal", total, 0), 1, total))


@lowers("TfIdfVectorizer")
def count_grams(node: OnnxNode) -> Expr:
    """How often each n-gram of a pool occurs in each row."""
    pool, weights = node.attr("pool_int64s", ()), node.attr("weights")
    indexes, mode = node.attr("ngram_indexes", ()), node.attr("mode")
    if node.attr("pool_strings") or mode not in ("TF", "IDF", "TFIDF"):
        raise Unlowered("it counts words of text, or in a way that nobody knows")
    try:
        grams = read_pool(pool, tuple(node.attr("ngram_counts")), tuple(indexes))
    except EvaluationError as error:
        raise Unlowered(str(error)) from error
    x = build("cast", node.input(0), "int64")
    *_, words = node.sizes()
    if node.rank() == 1:
        x = build("expand_dims", x, axis=0)
    size = max(indexes, default=-1) + 1
    op = Numbers("float32")
    counts: Expr = build("full", op.of(0), (1 if node.rank() == 1 else node.sizes()[0], size))
    skips, longest = int(node.attr("max_skip_count")), int(node.attr("max_gram_length"))
    for distance in range(1, min(skips + 1, words) + 1):
        for length in range(int(node.attr("min_gram_length")), min(longest, words) + 1):
            known = [cast("tuple[int, ...]", each) for each in grams if len(each) == length]
            places = words - (length - 1) * distance
            if not known or places < 1 or (length == 1 and distance > 1):
                continue
            starts = np.arange(places)[:, None] + np.arange(length) * distance
            seen = build("take", x, const(starts, "int64"), axis=1)
            seen = build("expand_dims", seen, axis=2)
            same = build("all", build("equal", seen, const(known, "int64")), axis=(3,))
            found = build("sum", build("cast", same, "float32"), axis=(1,))
            into = np.zeros((len(known), size))
            into[np.arange(len(known)), [indexes[grams[each]] for each in known]] = 1
            counts = op("add", counts, build("nn.matmul", found, op.array(into)))
    if mode == "IDF":
        counts = op("minimum", counts, 1)
    if mode != "TF":
        factors = np.ones(size)
        factors[list(indexes)] = 1 if weights is None else weights
        counts = op("multiply", counts, op.array(factors))
    return build("reshape", counts, (size,)) if node.rank() == 1 else counts
