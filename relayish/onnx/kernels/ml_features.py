"""Features of classical machine learning: scaled, encoded, chosen, and put together."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from relayish.errors import EvaluationError
from relayish.onnx.kernels.ml_scores import ML
from relayish.onnx.kernels.registry import Array, kernel

_NOT_A_NUMBER: Final = object()


@kernel("Normalizer", since=(1,), domain=ML)
def normalizer(x: Array, *, norm: str = "MAX") -> Array:
    """Divide each row by its greatest element, or its norm; rows where that is 0 stay."""
    wide = x.astype(np.float32)
    if norm == "MAX":
        divisor = wide.max(axis=-1, keepdims=True)
    elif norm == "L1":
        divisor = np.abs(wide).sum(axis=-1, keepdims=True)
    elif norm == "L2":
        divisor = np.sqrt(np.square(wide).sum(axis=-1, keepdims=True))
    else:
        raise EvaluationError(f"norm is {norm!r}; expected MAX, L1 or L2")
    return np.asarray(wide / np.where(divisor == 0, np.float32(1), divisor))


@kernel("Scaler", since=(1,), domain=ML)
def scaler(
    x: Array, *, offset: tuple[float, ...] | None = None, scale: tuple[float, ...] | None = None
) -> Array:
    """Return ``(x - offset) * scale`` of all features, or each."""
    wide = x.astype(np.float32)
    for what, numbers in (("offset", offset), ("scale", scale)):
        if numbers and len(numbers) not in (1, x.shape[-1]):
            raise EvaluationError(
                f"{what} has {len(numbers)} numbers; expected one, or {x.shape[-1]}, as there are "
                "features"
            )
    if offset:
        wide = wide - np.array(offset, np.float32)
    return wide * np.array(scale, np.float32) if scale else wide


@kernel("Binarizer", since=(1,), domain=ML)
def binarizer(x: Array, *, threshold: float = 0.0) -> Array:
    """Return 1 where elements are greater than the threshold, 0 elsewhere."""
    return (x > threshold).astype(x.dtype)


@kernel("Imputer", since=(1,), domain=ML)
def imputer(
    x: Array,
    *,
    imputed_value_floats: tuple[float, ...] | None = None,
    imputed_value_int64s: tuple[int, ...] | None = None,
    replaced_value_float: float = 0.0,
    replaced_value_int64: int = 0,
) -> Array:
    """Replace elements that have one value, or are not numbers, by that of their feature."""
    replaced: float
    values: Sequence[float]
    if x.dtype.kind == "f":
        values, replaced = imputed_value_floats or (), replaced_value_float
    else:
        values, replaced = imputed_value_int64s or (), replaced_value_int64
    if len(values) not in (1, x.shape[-1]):
        raise EvaluationError(
            f"{len(values)} values are to replace others; expected one, or {x.shape[-1]}, as there "
            f"are features, of the element type {x.dtype}"
        )
    missing = np.isnan(x) if np.isnan(replaced) else x == np.array(replaced).astype(x.dtype)
    return np.where(missing, np.array(values).astype(x.dtype), x)


@kernel("ArrayFeatureExtractor", since=(1,), domain=ML)
def array_feature_extractor(x: Array, y: Array) -> Array:
    """Return the features that ``y`` names, of each row."""
    chosen = y.reshape(-1)
    if chosen.size and not 0 <= chosen.min() <= chosen.max() < x.shape[-1]:
        raise EvaluationError(
            f"features {chosen.min()} to {chosen.max()} are chosen of {x.shape[-1]}; expected 0 to "
            f"{x.shape[-1] - 1}"
        )
    taken = np.take(x, chosen, axis=-1)
    return taken.reshape(1, -1) if x.ndim == 1 else taken


@kernel("FeatureVectorizer", since=(1,), domain=ML)
def feature_vectorizer(*inputs: Array, inputdimensions: tuple[int, ...] | None = None) -> Array:
    """Return the features of all inputs side by side; of each no more than its dimension says."""
    parts = []
    for index, x in enumerate(inputs):
        rows = x.reshape(1, -1) if x.ndim == 1 else x.reshape(x.shape[0], -1)
        size = rows.shape[1] if not inputdimensions else inputdimensions[index]
        if size > rows.shape[1]:
            raise EvaluationError(
                f"input {index} has {rows.shape[1]} features; expected at least {size}"
            )
        parts.append(rows[:, :size].astype(np.float32))
    if len({len(part) for part in parts}) != 1:
        raise EvaluationError(
            f"inputs have {', '.join(str(len(part)) for part in parts)} rows; expected as many of "
            "each"
        )
    return np.concatenate(parts, axis=1)


@kernel("OneHotEncoder", since=(1,), domain=ML)
def one_hot_encoder(
    x: Array,
    *,
    cats_int64s: tuple[int, ...] | None = None,
    cats_strings: tuple[str, ...] | None = None,
    zeros: int = 1,
) -> Array:
    """Return for each element a row with 1 at the place of its category."""
    categories: Sequence[Hashable] = (cats_strings if x.dtype.kind == "O" else cats_int64s) or ()
    if not categories:
        raise EvaluationError(
            f"no categories are given for elements of type {x.dtype}; expected some"
        )
    known = {category: place for place, category in enumerate(categories)}
    keys = x if x.dtype.kind == "O" else x.astype(np.int64)
    places = _look_up(keys, known, -1, np.dtype(np.int64))
    if not zeros and (places < 0).any():
        first = keys[places < 0].tolist()[0]
        raise EvaluationError(f"{first!r} is no category; expected one of {list(categories)}")
    return np.equal(places[..., None], np.arange(len(categories))).astype(np.float32)


def _look_up(
    x: Array,
    table: Mapping[Hashable, object],
    default: object,
    dtype: np.dtype[Any],  # Any: that of the values
) -> Array:
    """Return what ``table`` holds for each element, each distinct one looked up once."""
    unique, places = np.unique(x, return_inverse=True)
    values = np.empty(len(unique), dtype)
    for index, key in enumerate(unique.tolist()):
        values[index] = table.get(_as_key(key), default)
    found: Array = values[places.reshape(-1)].reshape(x.shape)
    return found


def _table(keys: Sequence[Hashable], values: Sequence[object]) -> dict[Hashable, object]:
    """Return which value each key has, the last of several; all that is not a number is one key."""
    if len(keys) != len(values):
        raise EvaluationError(
            f"there are {len(keys)} keys and {len(values)} values; expected as many"
        )
    return {_as_key(key): value for key, value in zip(keys, values, strict=True)}


def _as_key(value: Hashable) -> Hashable:
    """Return what finds a value in a table: itself, or what stands for all that is no number."""
    return _NOT_A_NUMBER if isinstance(value, float) and math.isnan(value) else value


@kernel("LabelEncoder", since=(1,), domain=ML)
def label_encoder_of_classes(
    x: Array,
    *,
    classes_strings: tuple[str, ...] | None = None,
    default_int64: int = -1,
    default_string: str = "_Unused",
) -> Array:
    """Return the number of each text among the classes, or the text of each number."""
    classes = classes_strings or ()
    if x.dtype.kind == "O":
        return _look_up(x, _table(classes, range(len(classes))), default_int64, np.dtype(np.int64))
    return _look_up(x, _table(range(len(classes)), classes), default_string, np.dtype(object))


@kernel(
    "LabelEncoder",
    since=(2, 4),
    domain=ML,
    added={"default_tensor": 4, "keys_tensor": 4, "values_tensor": 4},
)
def label_encoder(
    x: Array,
    *,
    default_float: float = -0.0,
    default_int64: int = -1,
    default_string: str = "_Unused",
    default_tensor: Array | None = None,
    keys_floats: tuple[float, ...] | None = None,
    keys_int64s: tuple[int, ...] | None = None,
    keys_strings: tuple[str, ...] | None = None,
    keys_tensor: Array | None = None,
    values_floats: tuple[float, ...] | None = None,
    values_int64s: tuple[int, ...] | None = None,
    values_strings: tuple[str, ...] | None = None,
    values_tensor: Array | None = None,
) -> Array:
    """Return the value of each element that is a key, a default of the others."""
    keys: Sequence[Hashable] = keys_strings or keys_int64s or ()
    if keys_floats:
        keys = np.array(keys_floats, np.float32).tolist()
    if keys_tensor is not None:
        keys = keys_tensor.tolist()
    default: object
    values: Sequence[object]
    if values_tensor is not None:
        dtype, values = values_tensor.dtype, values_tensor.tolist()
        default = "_Unused" if dtype.kind == "O" else -1 if dtype.kind in "iu" else -0.0
    elif values_strings is not None:
        dtype, values, default = np.dtype(object), values_strings, default_string
    elif values_int64s is not None:
        dtype, values, default = np.dtype(np.int64), values_int64s, default_int64
    elif values_floats is not None:
        dtype, values, default = np.dtype(np.float32), values_floats, default_float
    else:
        raise EvaluationError("no values are given; expected a list or tensor of them")
    if default_tensor is not None:
        default = default_tensor.reshape(-1)[0]
    return _look_up(x, _table(keys, values), default, dtype)


@kernel("CategoryMapper", since=(1,), domain=ML)
def category_mapper(
    x: Array,
    *,
    cats_int64s: tuple[int, ...] | None = None,
    cats_strings: tuple[str, ...] | None = None,
    default_int64: int = -1,
    default_string: str = "_Unused",
) -> Array:
    """Return the number of each text, or the text of each number."""
    numbers, texts = cats_int64s or (), cats_strings or ()
    if x.dtype.kind == "O":
        return _look_up(x, _table(texts, numbers), default_int64, np.dtype(np.int64))
    return _look_up(x, _table(numbers, texts), default_string, np.dtype(object))


@kernel("ZipMap", since=(1,), domain=ML)
def zip_map(
    x: Array,
    *,
    classlabels_int64s: tuple[int, ...] | None = None,
    classlabels_strings: tuple[str, ...] | None = None,
) -> list[dict[Hashable, object]]:
    """Return for each row the number of each label."""
    labels: Sequence[Hashable] = classlabels_strings or classlabels_int64s or ()
    rows = x.reshape(1, -1) if x.ndim == 1 else x
    if rows.ndim != 2 or rows.shape[1] != len(labels):
        raise EvaluationError(
            f"{len(labels)} labels name the columns of shape {x.shape}; expected as many columns"
        )
    return [dict(zip(labels, row, strict=True)) for row in rows.astype(np.float32).tolist()]


@kernel("DictVectorizer", since=(1,), domain=ML)
def dict_vectorizer(
    x: Mapping[Hashable, object],
    *,
    int64_vocabulary: tuple[int, ...] | None = None,
    string_vocabulary: tuple[str, ...] | None = None,
) -> Array:
    """Return the values of the keys of a vocabulary, (1, keys); 0 or "" where there is none."""
    vocabulary: Sequence[Hashable] = string_vocabulary or int64_vocabulary or ()
    texts = any(isinstance(value, str) for value in x.values())
    values = [x.get(key, "" if texts else 0) for key in vocabulary]
    if texts:
        return np.array(values, object).reshape(1, -1)
    given = np.array(list(x.values()))
    dtype = np.dtype(np.float32) if given.dtype.kind == "f" else np.dtype(np.int64)
    return np.array(values).astype(dtype).reshape(1, -1)


@kernel("CastMap", since=(1,), domain=ML)
def cast_map(
    x: Mapping[int, object],
    *,
    cast_to: str = "TO_FLOAT",
    map_form: str = "DENSE",
    max_map: int = 1,
) -> Array:
    """Return the values of a map, (1, values), in the order of keys or at the places they name."""
    dtype = _CASTS.get(cast_to)
    if dtype is None or map_form not in ("DENSE", "SPARSE"):
        raise EvaluationError(
            f"cast_to is {cast_to!r}, map_form {map_form!r}; expected one of {', '.join(_CASTS)}, "
            "and DENSE or SPARSE"
        )
    items = sorted(x.items())
    filled = "0" if dtype.kind == "O" else 0
    if map_form == "SPARSE":
        if items and not 0 <= items[0][0] <= items[-1][0] < max_map:
            raise EvaluationError(
                f"a map has keys {items[0][0]} to {items[-1][0]}; expected 0 to {max_map - 1}"
            )
        items = [(place, x.get(place, filled)) for place in range(max_map)]
    values: list[object] = [value for _, value in items]
    if dtype.kind == "O":
        return np.array([_as_text(value) for value in values], object).reshape(1, -1)
    numbers = np.array([float(str(value)) for value in values])
    cast: Array = numbers.astype(dtype).reshape(1, -1)
    return cast


def _as_text(value: object) -> str:
    return (
        value
        if isinstance(value, str)
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )


_CASTS: Final[dict[str, np.dtype[Any]]] = {  # Any: of several element types
    "TO_FLOAT": np.dtype(np.float32),
    "TO_INT64": np.dtype(np.int64),
    "TO_STRING": np.dtype(object),
}
