"""Versions of operators that the cases of ONNX no longer have, and words."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError
from tests.support.each import each
from tests.support.onnx_kernels import compare, run_kernel

F = np.float32
ROW = F([[[[1, 2, 3, 4], [5, 6, 7, 8]]]])


def test_scales_of_version_10_take_the_element_before():
    (y,) = run_kernel("Resize", ROW, F([1, 1, 1, 1.5]), version=10)
    compare(y, F([[[[1, 1, 2, 3, 3, 4], [5, 5, 6, 7, 7, 8]]]]))
    (y,) = run_kernel("Resize", ROW, F([1, 1, 0.6, 0.6]), version=10)
    compare(y, F([[[[1, 3]]]]))  # or that behind, where there are fewer
    (y,) = run_kernel("Resize", ROW, F([1, 1, 0.6, 0.6]), version=10, mode="linear")
    compare(y, F([[[[1, 2.6666665]]]]))


def test_images_are_enlarged_by_attributes_and_inputs_alike():
    scales = F([1, 1, 2, 3])
    (expected,) = run_kernel("Upsample", ROW, scales, version=9, mode="linear")
    (y,) = run_kernel("Upsample", ROW, version=7, scales=(1.0, 1.0, 2.0, 3.0), mode="linear")
    compare(y, expected)
    (y,) = run_kernel(
        "Upsample", ROW, version=1, height_scale=2.0, width_scale=3.0, mode="bilinear"
    )
    compare(y, expected)
    (y,) = run_kernel("Upsample", ROW, version=1, height_scale=2.0, width_scale=3.0)
    compare(y, ROW.repeat(2, 2).repeat(3, 3))
    compare(expected[0, 0, 0, :4], F([1, 4 / 3, 5 / 3, 2]))


def test_sizes_keep_the_ratio_of_the_image():
    sizes = np.array([6, 6])
    given = {"axes": (2, 3), "keep_aspect_ratio_policy": "not_larger"}
    (y,) = run_kernel("Resize", ROW, None, None, sizes, version=18, **given)
    assert y.shape == (1, 1, 3, 6)
    given["keep_aspect_ratio_policy"] = "not_smaller"
    (y,) = run_kernel("Resize", ROW, None, None, sizes, version=18, **given)
    assert y.shape == (1, 1, 6, 12)
    with pytest.raises(EvaluationError, match="keep_aspect_ratio_policy is 'some'"):
        run_kernel(
            "Resize", ROW, None, None, sizes, version=18, axes=(2, 3),
            keep_aspect_ratio_policy="some",
        )  # fmt: skip


def test_regions_outside_of_the_image_have_a_value_of_their_own():
    roi, sizes = F([0, 0, 0, 0.5, 1, 1, 1, 1.5]), np.array([1, 1, 2, 4])
    (y,) = run_kernel(
        "Resize", ROW, roi, None, sizes, version=13, mode="linear", extrapolation_value=9.0,
        coordinate_transformation_mode="tf_crop_and_resize",
    )  # fmt: skip
    compare(y, F([[[[2.5, 3.5, 9, 9], [6.5, 7.5, 9, 9]]]]))
    with pytest.raises(EvaluationError, match="roi has shape None"):
        run_kernel(
            "Resize", ROW, None, None, sizes, version=13,
            coordinate_transformation_mode="tf_crop_and_resize",
        )  # fmt: skip


def test_integers_are_cut_off_after_interpolation():
    x = np.uint8([[250, 0, 255, 3]])
    (y,) = run_kernel("Resize", x, None, None, np.array([1, 7]), version=19, mode="cubic")
    (exact,) = run_kernel(
        "Resize", x.astype(F), None, None, np.array([1, 7]), version=19, mode="cubic"
    )
    assert exact.min() < 0
    assert exact.max() > 255
    compare(y, np.clip(exact, 0, 255).astype(np.uint8))


def test_padding_was_told_by_attributes():
    (y,) = run_kernel("Pad", ROW[0, 0], version=1, paddings=(1, 0, 0, 1), value=7.0)
    compare(y, np.pad(ROW[0, 0], [(1, 0), (0, 1)], constant_values=7))


def test_norms_of_windows_had_fractional_powers():
    x = F([[[1, -2, 3]]])
    (y,) = run_kernel("LpPool", x, version=1, kernel_shape=(2,), p=3.0)
    compare(y, F([[[9 ** (1 / 3), 35 ** (1 / 3)]]]))
    with pytest.raises(EvaluationError, match="kernel_shape is not given"):
        run_kernel("LpPool", x, version=1)
    (y,) = run_kernel("GlobalLpPool", x, version=1, p=3.0)
    compare(y, F([[[36 ** (1 / 3)]]]))


def test_regions_of_version_10_are_not_shifted():
    x, roi, image = ROW, F([[0, 0, 3, 1]]), np.array([0])
    (old,) = run_kernel("RoiAlign", x, roi, image, version=10, output_width=3)
    (new,) = run_kernel(
        "RoiAlign", x, roi, image, version=16, output_width=3,
        coordinate_transformation_mode="output_half_pixel",
    )  # fmt: skip
    compare(old, new, 0, 0)
    compare(old, F([[[[3.5, 4.5, 5.5]]]]))


@pytest.mark.parametrize("version", [1, 6, 7, 10, 12, 13])
def test_nothing_is_dropped_when_a_network_is_run(version):
    results = run_kernel("Dropout", ROW, version=version)
    assert results[0] is ROW
    assert results[1].dtype == (F if version < 10 else np.bool_)
    assert results[1].all()


def test_elements_are_dropped_while_a_network_is_trained():
    x, rng = np.ones((100, 100), F), np.random.default_rng(3)
    y, mask = run_kernel("Dropout", x, F(0.25), np.array(True), version=13, generator=rng)
    assert mask.dtype == np.bool_
    assert 0.7 < mask.mean() < 0.8
    compare(y, np.where(mask, F(4 / 3), F(0)))
    again, _ = run_kernel(
        "Dropout", x, F(0.25), np.array(True), version=13, generator=np.random.default_rng(3)
    )
    compare(again, y, 0, 0)
    same, kept = run_kernel("Dropout", x, F(0), np.array(True), version=13)
    assert same is x
    assert kept.all()


def count(words, **given):
    known = {
        "mode": "TF", "min_gram_length": 1, "max_gram_length": 2, "max_skip_count": 0,
        "ngram_counts": (0, 2), "ngram_indexes": (0, 1, 3), "pool_strings": ("a", "b", "a", "b"),
    }  # fmt: skip
    (found,) = run_kernel("TfIdfVectorizer", np.array(words, object), version=9, **(known | given))
    return found


def test_words_and_pairs_of_words_are_counted():
    words = ["a", "b", "a", "c", "b"]
    compare(count(words), F([2, 2, 0, 1]))
    compare(count(words, max_skip_count=1), F([2, 2, 0, 2]))
    compare(count(words, max_skip_count=2**60, max_gram_length=2**60), F([2, 2, 0, 3]))
    compare(count(words, min_gram_length=2), F([0, 0, 0, 1]))
    compare(
        count([words, ["b"] * 5], mode="IDF", weights=(2.0, 3.0, 5.0)),
        F([[2, 3, 0, 5], [0, 3, 0, 0]]),
    )
    compare(count(words, mode="TFIDF", weights=(2.0, 3.0, 5.0)), F([4, 6, 0, 5]))
    for given, complaint in [
        ({"mode": "IFD"}, "mode is 'IFD'"),
        ({"ngram_indexes": (0, 1)}, "3 n-grams and 2 ngram_indexes"),
        ({"ngram_counts": (0, 3)}, "expected whole n-grams"),
    ]:
        with pytest.raises(EvaluationError, match=complaint):
            count(words, **given)


@each("op", ["HannWindow", "HammingWindow", "BlackmanWindow"])
def test_a_window_of_one_is_where_longer_ones_begin(op):
    (longer,), (one,) = (run_kernel(op, np.array(size), version=17) for size in (4, 1))
    compare(one, longer[:1])


def test_words_are_left_out_and_changed():
    words = np.array(["The", "cat", "the"], object)
    (y,) = run_kernel(
        "StringNormalizer", words, version=10, stopwords=("THE",), case_change_action="UPPER"
    )
    assert y.tolist() == ["CAT"]
    (y,) = run_kernel(
        "StringNormalizer", words[None], version=10, stopwords=("the",), is_case_sensitive=1
    )
    assert y.tolist() == [["The", "cat"]]
    (y,) = run_kernel("StringNormalizer", words[:1], version=10, stopwords=("the",))
    assert y.tolist() == [""]
    with pytest.raises(EvaluationError, match="expected one row"):
        run_kernel("StringNormalizer", np.array([["a"], ["b"]], object), version=10)
