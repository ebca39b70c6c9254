"""Ensembles of decision trees: all rows go down all trees at once, a level at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, Required, TypedDict, Unpack

import numpy as np

from relayish.errors import EvaluationError
from relayish.onnx.kernels.ml_scores import (
    ML,
    POST_TRANSFORMS,
    read_labels,
    split_binary,
    transform_scores,
)
from relayish.onnx.kernels.registry import Array, kernel

_MODES: Final = (
    "BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ",
    "BRANCH_MEMBER", "LEAF",
)  # fmt: skip
_COMPARISONS: Final = (
    np.less_equal, np.less, np.greater_equal, np.greater, np.equal, np.not_equal,
)  # fmt: skip
MEMBER: Final = _MODES.index("BRANCH_MEMBER")
LEAF: Final = _MODES.index("LEAF")
AGGREGATES: Final = ("AVERAGE", "SUM", "MIN", "MAX")


class Forest(NamedTuple):
    """Nodes of trees, those of all in one numbering.

    Attributes:
        roots: The first node of each tree.
        modes: What each node compares by, as a place in ``_MODES``.
        features: The feature that it compares.
        splits: What it compares with.
        children: Where to go if the comparison is false, and if it is true (nodes, 2).
        missing: Whether what is not a number counts as true.
        members: The sets that nodes look features up in, in the order of such nodes.
    """

    roots: Array
    modes: Array
    features: Array
    splits: Array
    children: Array
    missing: Array
    members: Sequence[Array]


def _find_leaves(x: Array, forest: Forest) -> Array:
    """Return the leaf at which each row ends up in each tree, (rows, trees).

    Raises:
        EvaluationError: If a node compares a feature that is not there, or nodes go in circles.
    """
    used = forest.features[forest.modes != LEAF]
    if used.size and not 0 <= used.min() <= used.max() < x.shape[1]:
        raise EvaluationError(
            f"trees compare features {used.min()} to {used.max()} of {x.shape[1]}; expected 0 to "
            f"{x.shape[1] - 1}"
        )
    nodes = np.tile(forest.roots, (len(x), 1))
    rows = np.arange(len(x))[:, None]
    sets = {
        int(node): values
        for node, values in zip(
            np.flatnonzero(forest.modes == MEMBER), forest.members, strict=False
        )
    }
    for _ in range(len(forest.modes) + 1):
        modes = forest.modes[nodes]
        going = modes != LEAF
        if not going.any():
            return nodes
        values = x[rows, np.where(going, forest.features[nodes], 0)]
        found = _compare(values, nodes, modes, forest, sets)
        found |= np.isnan(values) & forest.missing[nodes]
        nodes = np.where(going, forest.children[nodes, found.astype(np.int64)], nodes)
    raise EvaluationError("nodes of a tree lead back to themselves; expected leaves at the end")


def _compare(
    values: Array, nodes: Array, modes: Array, forest: Forest, sets: dict[int, Array]
) -> Array:
    found = np.zeros(values.shape, np.bool_)
    splits = forest.splits[nodes]
    for mode in np.unique(modes).tolist():
        if mode == LEAF:
            continue
        if mode == MEMBER:
            for node, members in sets.items():
                here = nodes == node
                found[here] = np.isin(values[here], members)
            continue
        np.copyto(found, _COMPARISONS[mode](values, splits), where=modes == mode)
    return found


class NodeAttributes(TypedDict, total=False):
    """Attributes of the nodes of trees: those of :func:`read_forest`."""

    nodes_falsenodeids: tuple[int, ...] | None
    nodes_featureids: tuple[int, ...] | None
    nodes_hitrates: tuple[float, ...] | None
    nodes_hitrates_as_tensor: Array | None
    nodes_missing_value_tracks_true: tuple[int, ...] | None
    nodes_modes: tuple[str, ...] | None
    nodes_nodeids: tuple[int, ...] | None
    nodes_treeids: tuple[int, ...] | None
    nodes_truenodeids: tuple[int, ...] | None
    nodes_values: tuple[float, ...] | None
    nodes_values_as_tensor: Array | None


def read_forest(
    *,
    nodes_falsenodeids: tuple[int, ...] | None = None,
    nodes_featureids: tuple[int, ...] | None = None,
    nodes_hitrates: tuple[float, ...] | None = None,  # noqa: ARG001 - tells what is frequent
    nodes_hitrates_as_tensor: Array | None = None,  # noqa: ARG001 - as above
    nodes_missing_value_tracks_true: tuple[int, ...] | None = None,
    nodes_modes: tuple[str, ...] | None = None,
    nodes_nodeids: tuple[int, ...] | None = None,
    nodes_treeids: tuple[int, ...] | None = None,
    nodes_truenodeids: tuple[int, ...] | None = None,
    nodes_values: tuple[float, ...] | None = None,
    nodes_values_as_tensor: Array | None = None,
) -> tuple[Forest, dict[tuple[int, int], int]]:
    """Return the nodes, and the number of each by its tree and its number there.

    Raises:
        EvaluationError: If a mode is unknown, or a node that another leads to is missing.
    """
    trees, names = nodes_treeids or (), nodes_nodeids or ()
    numbers = {key: at for at, key in enumerate(zip(trees, names, strict=True))}
    unknown = [mode for mode in nodes_modes or () if mode not in _MODES]
    if unknown:
        raise EvaluationError(
            f"{unknown[0]!r} is no mode of a node; expected one of {', '.join(_MODES)}"
        )
    modes = np.array([_MODES.index(mode) for mode in nodes_modes or ()], np.int64)
    children = []
    for tree, mode, *ends in zip(
        trees, modes.tolist(), nodes_falsenodeids or (), nodes_truenodeids or (), strict=True
    ):
        pair = [0, 0] if mode == LEAF else [numbers.get((tree, int(end)), -1) for end in ends]
        if min(pair) < 0:
            raise EvaluationError(f"a node of tree {tree} leads to {ends}; expected nodes of it")
        children.append(pair)
    reached = {
        child for pair, mode in zip(children, modes, strict=True) if mode != LEAF for child in pair
    }
    firsts: dict[int, int] = {}
    for at, tree in enumerate(trees):
        if at not in reached:
            firsts.setdefault(tree, at)
    forest = Forest(
        np.array(list(firsts.values()), np.int64),
        modes,
        np.array(nodes_featureids or (), np.int64),
        numbers_of(nodes_values_as_tensor, nodes_values),
        np.array(children, np.int64).reshape(-1, 2),
        np.array(nodes_missing_value_tracks_true or (0,) * len(modes), np.bool_),
        (),
    )
    return forest, numbers


def _sum_leaves(
    leaves: Array,
    places: Sequence[int],
    targets: Sequence[int],
    weights: Array,
    count: int,
    aggregate: str,
) -> tuple[Array, Array]:
    """Return what trees say of each target (rows, targets), and whether any says something.

    Args:
        leaves: The leaf of each row and tree.
        places: The leaves that weights belong to.
        targets: The target of each weight.
        weights: What leaves say.
        count: How many targets there are.
        aggregate: How trees are taken together.
    """
    if aggregate not in AGGREGATES:
        raise EvaluationError(
            f"aggregate_function is {aggregate!r}; expected one of {', '.join(AGGREGATES)}"
        )
    if len(targets) and not 0 <= min(targets) <= max(targets) < count:
        raise EvaluationError(
            f"leaves speak of targets {min(targets)} to {max(targets)}; expected 0 to {count - 1}"
        )
    size = max(int(leaves.max(initial=-1)), max(places, default=-1)) + 1
    table = np.zeros((size, count))
    np.add.at(table, (np.array(places, np.int64), np.array(targets, np.int64)), weights)
    spoken = np.zeros((size, count), np.bool_)
    spoken[np.array(places, np.int64), np.array(targets, np.int64)] = True
    rows, trees = leaves.shape
    if aggregate in ("SUM", "AVERAGE"):
        total = np.zeros((rows, count))
        said = np.zeros((rows, count), np.bool_)
        for tree in range(trees):
            total += table[leaves[:, tree]]
            said |= spoken[leaves[:, tree]]
        return (total / max(trees, 1) if aggregate == "AVERAGE" else total), said
    combine, end = (np.minimum, np.inf) if aggregate == "MIN" else (np.maximum, -np.inf)
    total = np.full((rows, count), end)
    for tree in range(trees):
        at = leaves[:, tree]
        total = combine(total, np.where(spoken[at], table[at], end))
    return np.where(total == end, 0, total), total != end


def numbers_of(tensor: Array | None, numbers: tuple[float, ...] | None) -> Array:
    """Return what an attribute says, which newer versions have as a tensor beside it."""
    return np.array(numbers or (), np.float32) if tensor is None else tensor


def places_of(
    numbers: dict[tuple[int, int], int], trees: Sequence[int], nodes: Sequence[int]
) -> list[int]:
    """Return the nodes that weights belong to, by their trees and their numbers there.

    Raises:
        EvaluationError: If there is no such node.
    """
    found = [numbers.get(key, -1) for key in zip(trees, nodes, strict=True)]
    if -1 in found:
        at = found.index(-1)
        raise EvaluationError(
            f"a weight belongs to node {nodes[at]} of tree {trees[at]}; expected a node that is "
            "there"
        )
    return found


def _features(x: Array) -> Array:
    if x.ndim not in (1, 2):
        raise EvaluationError(f"features have shape {x.shape}; expected (rows, features)")
    rows = x.reshape(1, -1) if x.ndim == 1 else x
    return rows if rows.dtype.kind == "f" else rows.astype(np.float64)


@kernel(
    "TreeEnsembleRegressor",
    since=(1, 3, 5),
    domain=ML,
    added={
        "base_values_as_tensor": 3,
        "nodes_hitrates_as_tensor": 3,
        "nodes_values_as_tensor": 3,
        "target_weights_as_tensor": 3,
    },
)
def tree_ensemble_regressor(
    x: Array,
    *,
    aggregate_function: str = "SUM",
    base_values: tuple[float, ...] | None = None,
    base_values_as_tensor: Array | None = None,
    n_targets: int | None = None,
    post_transform: str = "NONE",
    target_ids: tuple[int, ...] | None = None,
    target_nodeids: tuple[int, ...] | None = None,
    target_treeids: tuple[int, ...] | None = None,
    target_weights: tuple[float, ...] | None = None,
    target_weights_as_tensor: Array | None = None,
    **nodes: Unpack[NodeAttributes],
) -> Array:
    """Return what trees say of targets, (rows, targets)."""
    forest, numbers = read_forest(**nodes)
    count = n_targets if n_targets is not None else max(target_ids or (0,)) + 1
    scores, _ = _sum_leaves(
        _find_leaves(_features(x), forest),
        places_of(numbers, target_treeids or (), target_nodeids or ()),
        target_ids or (),
        numbers_of(target_weights_as_tensor, target_weights),
        count,
        aggregate_function,
    )
    base = numbers_of(base_values_as_tensor, base_values)
    if base.size:
        scores = scores + base
    return transform_scores(scores.astype(np.float32), post_transform)


@kernel(
    "TreeEnsembleClassifier",
    since=(1, 3, 5),
    domain=ML,
    added={
        "base_values_as_tensor": 3,
        "class_weights_as_tensor": 3,
        "nodes_hitrates_as_tensor": 3,
        "nodes_values_as_tensor": 3,
    },
)
def tree_ensemble_classifier(
    x: Array,
    *,
    base_values: tuple[float, ...] | None = None,
    base_values_as_tensor: Array | None = None,
    class_ids: tuple[int, ...] | None = None,
    class_nodeids: tuple[int, ...] | None = None,
    class_treeids: tuple[int, ...] | None = None,
    class_weights: tuple[float, ...] | None = None,
    class_weights_as_tensor: Array | None = None,
    classlabels_int64s: tuple[int, ...] | None = None,
    classlabels_strings: tuple[str, ...] | None = None,
    post_transform: str = "NONE",
    **nodes: Unpack[NodeAttributes],
) -> tuple[Array, Array]:
    """Return the label that trees say most of, and what they say of each, (rows, classes).

    Where there are two classes and leaves speak of one only, they say whether it is the second,
    which is chosen if they say more than 0.5, or more than 0 where some say negative numbers. The
    first class then gets what is left, unless leaves name the second class themselves.
    """
    labels = read_labels(classlabels_strings, classlabels_int64s)
    forest, numbers = read_forest(**nodes)
    weights = numbers_of(class_weights_as_tensor, class_weights)
    single = len(labels) == 2 and len(set(class_ids or ())) == 1
    scores, said = _sum_leaves(
        _find_leaves(_features(x), forest),
        places_of(numbers, class_treeids or (), class_nodeids or ()),
        [0] * len(class_ids or ()) if single else (class_ids or ()),
        weights,
        1 if single else len(labels),
        "SUM",
    )
    base = numbers_of(base_values_as_tensor, base_values)
    if single:
        positive = bool((weights >= 0).all())
        second = (class_ids or ())[0] == 1
        if base.size and (not second or base.size == 2):
            scores = scores + base[-1]
        scores = scores.astype(np.float32)
        chosen = labels[(scores[:, 0] > (0.5 if positive else 0)).astype(np.int64)]
        if not second:
            return chosen, split_binary(scores, post_transform, positive=positive)
        first = np.full_like(scores, base[0] if base.size == 2 else 0)
        both = np.concatenate([first, scores], axis=1)
        return chosen, transform_scores(both, post_transform)
    if base.size:
        scores, said = scores + base, np.ones_like(said)
    scores = scores.astype(np.float32)
    best = np.where(said, scores, -np.inf).argmax(axis=1)
    return labels[best], transform_scores(scores, post_transform)


@kernel("TreeEnsemble", since=(5,), domain=ML)
def tree_ensemble(
    x: Array,
    *,
    leaf_targetids: tuple[int, ...],
    leaf_weights: Array,
    aggregate_function: int = 1,
    n_targets: int | None = None,
    post_transform: int = 0,
    **nodes: Unpack[SplitAttributes],
) -> Array:
    """Return what trees say of targets, (rows, targets); leaves stand apart from other nodes."""
    forest = read_split_forest(len(leaf_targetids), **nodes)
    inner = len(nodes["nodes_featureids"])
    scores, _ = _sum_leaves(
        _find_leaves(_features(x), forest),
        range(inner, inner + len(leaf_targetids)),
        leaf_targetids,
        leaf_weights.astype(np.float64),
        n_targets if n_targets is not None else max(leaf_targetids, default=0) + 1,
        AGGREGATES[aggregate_function],
    )
    return transform_scores(scores.astype(x.dtype), POST_TRANSFORMS[post_transform])


class SplitAttributes(TypedDict, total=False):
    """Attributes of nodes that are no leaves: those of :func:`read_split_forest`."""

    membership_values: Array | None
    nodes_falseleafs: Required[tuple[int, ...]]
    nodes_falsenodeids: Required[tuple[int, ...]]
    nodes_featureids: Required[tuple[int, ...]]
    nodes_hitrates: Array | None
    nodes_missing_value_tracks_true: tuple[int, ...] | None
    nodes_modes: Required[Array]
    nodes_splits: Required[Array]
    nodes_trueleafs: Required[tuple[int, ...]]
    nodes_truenodeids: Required[tuple[int, ...]]
    tree_roots: Required[tuple[int, ...]]


def read_split_forest(
    leaves: int,
    *,
    nodes_falseleafs: tuple[int, ...],
    nodes_falsenodeids: tuple[int, ...],
    nodes_featureids: tuple[int, ...],
    nodes_modes: Array,
    nodes_splits: Array,
    nodes_trueleafs: tuple[int, ...],
    nodes_truenodeids: tuple[int, ...],
    tree_roots: tuple[int, ...],
    membership_values: Array | None = None,
    nodes_hitrates: Array | None = None,  # noqa: ARG001 - tells what is frequent
    nodes_missing_value_tracks_true: tuple[int, ...] | None = None,
) -> Forest:
    """Return nodes whose leaves stand apart; here these are behind all others.

    Raises:
        EvaluationError: If a node leads to one that is not there.
    """
    inner = len(nodes_featureids)
    ends = []
    for numbers, are_leaves, what in (
        (nodes_falsenodeids, nodes_falseleafs, "nodes_falsenodeids"),
        (nodes_truenodeids, nodes_trueleafs, "nodes_truenodeids"),
    ):
        at, leaf = np.array(numbers, np.int64), np.array(are_leaves, np.bool_)
        if ((at < 0) | (at >= np.where(leaf, leaves, inner))).any():
            raise EvaluationError(
                f"{what} are {numbers}; expected numbers of {inner} nodes or {leaves} leaves"
            )
        ends.append(np.where(leaf, at + inner, at))
    children = np.concatenate([np.stack(ends, axis=1), np.zeros((leaves, 2), np.int64)])
    missing = np.array(nodes_missing_value_tracks_true or (0,) * inner, np.bool_)
    return Forest(
        np.array(tree_roots, np.int64),
        np.concatenate([nodes_modes.astype(np.int64), np.full(leaves, LEAF)]),
        np.array((*nodes_featureids, *(0,) * leaves), np.int64),
        np.concatenate([nodes_splits, np.zeros(leaves, nodes_splits.dtype)]),
        children,
        np.concatenate([missing, np.zeros(leaves, np.bool_)]),
        _split_sets(membership_values),
    )


def _split_sets(values: Array | None) -> Sequence[Array]:
    """Return the sets that stand one behind another, each ended by what is not a number."""
    if values is None:
        return ()
    return [
        part[~np.isnan(part)] for part in np.split(values, np.flatnonzero(np.isnan(values)) + 1)
    ]
