"""Operators of computer vision against ONNX's reference and formulas written as loops."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.support.checking import assert_same, evaluated, random_values, reference
from tests.support.reference_onnx import run_onnx
from tests.support.seeds import quickly

hypothesis = pytest.importorskip("hypothesis")
st = hypothesis.strategies
few = quickly(25)


def some_boxes(rng, *shape):
    """Boxes from a corner to the opposite one, some of them pointing the other way."""
    corner = rng.uniform(0, 8, (*shape, 2))
    return np.concatenate((corner, corner + rng.uniform(-1, 5, (*shape, 2))), -1).astype("float32")


def overlap(one, other, border=0.0):
    """The share of two boxes, number by number."""
    common, areas = 1.0, [1.0, 1.0]
    for axis in (0, 1):
        ends = [sorted((float(box[axis]), float(box[axis + 2]))) for box in (one, other)]
        common *= max(min(e[1] for e in ends) - max(e[0] for e in ends) + border, 0.0)
        areas = [a * (e[1] - e[0] + border) for a, e in zip(areas, ends, strict=True)]
    union = sum(areas) - common
    return common / union if union > 0 else 0.0


@reference("formula", "vision.multibox_prior")
@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize("steps", [(-1.0, -1.0), (0.2, 0.4)])
def test_prior_boxes_stand_at_every_place(clip, steps):
    sizes, ratios, offsets = (0.3, 0.7), (1.0, 2.0, 0.5), (0.5, 0.25)
    data = random_values(2, 3, 4, 5)
    found = evaluated(
        "vision.multibox_prior",
        data,
        sizes=sizes,
        ratios=ratios,
        steps=steps,
        offsets=offsets,
        clip=clip,
    )
    expected = []
    for i in range(4):
        for j in range(5):
            y = (i + 0.5) * (steps[0] if steps[0] > 0 else 1 / 4)
            x = (j + 0.25) * (steps[1] if steps[1] > 0 else 1 / 5)
            for size, ratio in [(0.3, 1), (0.7, 1), (0.3, 2), (0.3, 0.5)]:
                w, h = size * 4 / 5 * math.sqrt(ratio) / 2, size / math.sqrt(ratio) / 2
                expected.append([x - w, y - h, x + w, y + h])
    expected = np.array(expected, np.float32)[None]
    np.testing.assert_allclose(found, expected.clip(0, 1) if clip else expected, atol=1e-6)


@reference("formula", "vision.multibox_transform_loc")
@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize("keep", [False, True])
def test_anchors_are_moved_to_what_was_found(clip, keep):
    rng = np.random.default_rng(5)
    scores = rng.uniform(0, 1, (2, 3, 6)).astype("float32")
    moves = rng.uniform(-1, 1, (2, 24)).astype("float32")
    anchor = rng.uniform(0, 1, (1, 6, 4)).astype("float32")
    variances = (0.1, 0.2, 0.3, 0.4)
    rows, counts = evaluated(
        "vision.multibox_transform_loc",
        scores,
        moves,
        anchor,
        clip=clip,
        threshold=0.6,
        variances=variances,
        keep_background=keep,
    )
    for image in range(2):
        expected = []
        for j in range(6):
            classes = range(3) if keep else range(1, 3)
            label = max(classes, key=lambda k, j=j, image=image: scores[image, k, j])
            score = scores[image, label, j]
            if score < 0.6:
                if not keep:
                    continue
                label = 0
            left, t, r, b = map(float, anchor[0, j])
            px, py, pw, ph = (
                float(m) * v
                for m, v in zip(moves[image, 4 * j : 4 * j + 4], variances, strict=True)
            )
            x, y = px * (r - left) + (left + r) / 2, py * (b - t) + (t + b) / 2
            w, h = math.exp(pw) * (r - left) / 2, math.exp(ph) * (b - t) / 2
            box = [x - w, y - h, x + w, y + h]
            box = [min(max(v, 0), 1) for v in box] if clip else box
            expected.append([label - (0 if keep else 1), score, *box])
        assert counts[image] == len(expected)
        np.testing.assert_allclose(rows[image, : len(expected)], expected, atol=1e-5)
        assert np.all(rows[image, len(expected) :] == -1)


@reference("formula", "vision.yolo_reorg")
@few
@hypothesis.given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3))
def test_pixels_are_reorganised_as_in_darknet(stride, batch, height, width):
    channels, rows, columns = 2 * stride * stride, height * stride, width * stride
    data = np.arange(batch * channels * rows * columns, dtype="float32")
    shaped = data.reshape(batch, channels, rows, columns)
    expected = np.zeros_like(data)
    within = channels // (stride * stride)
    place = 0
    for b in range(batch):
        for k in range(channels):
            offset, c = divmod(k, within)
            for j in range(rows):
                for i in range(columns):
                    w, h = i * stride + offset % stride, j * stride + offset // stride
                    at = w + columns * stride * (h + rows * stride * (c + within * b))
                    expected[place] = data[at]
                    place += 1
    found = evaluated("vision.yolo_reorg", shaped, stride=stride)
    assert found.shape == (batch, channels * stride**2, height, width)
    assert found.ravel().tolist() == expected.tolist()


@reference("formula", "vision.get_valid_counts")
@pytest.mark.parametrize("id_index", [0, -1])
def test_boxes_that_count_come_first(id_index):
    data = random_values(3, 7, 6, low=-1, high=2)
    least = np.float32(0.3)
    counts, rows, indices = evaluated(
        "vision.get_valid_counts", data, least, id_index=id_index, score_index=1
    )
    for image in range(3):
        good = [
            j
            for j in range(7)
            if data[image, j, 1] > 0.3 and (id_index < 0 or data[image, j, 0] >= 0)
        ]
        assert counts[image] == len(good)
        assert indices[image].tolist() == good + [-1] * (7 - len(good))
        assert_same(rows[image, : len(good)], data[image, good])
        assert np.all(rows[image, len(good) :] == -1)


def suppressed(data, valid, limit, threshold, *, force, top_k, id_index):
    """One image of non-maximum suppression, row by row: the rows and their places."""
    count, width = data.shape
    rows, places = np.full((count, width), -1, data.dtype), [-1] * count
    if threshold <= 0:
        rows[:valid] = data[:valid]
        return rows, list(range(valid)) + [-1] * (count - valid)
    order = sorted(range(valid), key=lambda j: -data[j, 1])
    order = order[:top_k] if 0 < top_k < valid else order
    for j, at in enumerate(order):
        rows[j], places[j] = data[at], at
    standing = 0
    for j in range(valid):
        if standing == limit:
            rows[j], places[j] = -1, -1
        elif rows[j, 1] > 0:
            falls = False
            for k in range(j):
                if rows[k, 1] > 0 and (id_index < 0 or rows[k, id_index] >= 0):
                    alike = force or id_index < 0 or rows[j, id_index] == rows[k, id_index]
                    falls |= alike and overlap(rows[j, 2:6], rows[k, 2:6]) >= threshold
            if falls:
                rows[j], places[j] = -1, -1
            else:
                standing += 1
    return rows, places


@reference("formula", "vision.non_max_suppression")
@few
@hypothesis.given(
    st.integers(0, 1000),
    st.sampled_from([-1, 0, 2, 5]),
    st.sampled_from([0.0, 0.3, 0.6]),
    st.booleans(),
    st.sampled_from([-1, 3]),
    st.sampled_from([0, -1]),
)
def test_boxes_that_overlap_better_ones_fall(seed, limit, threshold, force, top_k, id_index):
    rng = np.random.default_rng(seed)
    data = np.concatenate(
        (
            rng.integers(-1, 2, (2, 8, 1)).astype("float32"),
            rng.uniform(-0.2, 1, (2, 8, 1)).astype("float32"),
            some_boxes(rng, 2, 8),
        ),
        axis=-1,
    )
    valid = rng.integers(0, 9, 2).astype("int32")
    indices = np.stack([rng.permutation(20)[:8] for _ in range(2)]).astype("int32")
    args = data, valid, indices, np.int32(limit), np.float32(threshold)
    how = {"force_suppress": force, "top_k": top_k, "id_index": id_index}
    expected = [
        suppressed(image, count, limit, threshold, force=force, top_k=top_k, id_index=id_index)
        for image, count in zip(data, valid, strict=True)
    ]
    rows = evaluated("vision.non_max_suppression", *args, return_indices=False, **how)
    assert_same(rows, np.stack([image for image, _ in expected]))
    below = evaluated(
        "vision.non_max_suppression", *args, return_indices=False, invalid_to_bottom=True, **how
    )
    places, counts = evaluated("vision.non_max_suppression", *args, return_indices=True, **how)
    for image, (boxes, at) in enumerate(expected):
        kept = boxes[boxes[:, 0] >= 0]
        assert_same(below[image, : len(kept)], kept)
        assert np.all(below[image, len(kept) :] == -1)
        there = [indices[image, place] for place in at if place >= 0]
        assert counts[image].tolist() == [len(there)]
        assert places[image].tolist() == there + [-1] * (8 - len(there))


@reference("onnx", "vision.all_class_non_max_suppression")
@few
@hypothesis.given(st.integers(0, 1000), st.sampled_from([0, 1, 3, 9]), st.sampled_from([0.2, 0.6]))
def test_boxes_of_all_classes_are_found_as_in_onnx(seed, limit, threshold):
    rng = np.random.default_rng(seed)
    boxes = some_boxes(rng, 2, 6)
    scores = rng.uniform(0, 1, (2, 3, 6)).astype("float32")
    args = np.array([limit], np.int64), np.array([threshold], "float32"), np.array([0.3], "float32")
    rows, count = evaluated("vision.all_class_non_max_suppression", boxes, scores, *args)
    expected = run_onnx("NonMaxSuppression", boxes, scores, *args)
    assert count.tolist() == [len(expected)]
    assert sorted(rows[: len(expected)].tolist()) == sorted(expected.tolist())
    assert not rows[len(expected) :].any()
    best = [scores[tuple(row)] for row in rows[: len(expected)]]
    groups = [tuple(row[:2]) for row in rows[: len(expected)].tolist()]
    order = sorted(range(len(best)), key=lambda n: (groups[n], -best[n]))
    assert order == list(range(len(best)))


@reference("formula", "vision.all_class_non_max_suppression")
def test_boxes_of_all_classes_come_class_by_class_for_tensorflow():
    rng = np.random.default_rng(8)
    boxes, scores = some_boxes(rng, 2, 6), rng.uniform(0.1, 1, (2, 3, 6)).astype("float32")
    args = np.int64(4), np.float32(0.4), np.float32(0.3)
    triples, total = evaluated("vision.all_class_non_max_suppression", boxes, scores, *args)
    pairs, best, counts = evaluated(
        "vision.all_class_non_max_suppression", boxes, scores, *args, output_format="tensorflow"
    )
    for image in range(2):
        rows = [row[1:] for row in triples[: total.item()].tolist() if row[0] == image]
        count = counts[image]
        assert pairs[image, :count].tolist() == rows
        assert best[image, :count].tolist() == [
            scores[image, c, b] for c, b in pairs[image, :count]
        ]
        assert not best[image, count:].any()


@reference("formula", "vision.regular_non_max_suppression")
@pytest.mark.parametrize(("per_class", "total"), [(3, 4), (1, 10), (10, 30)])
def test_regular_suppression_goes_class_by_class(per_class, total):
    rng = np.random.default_rng(9)
    boxes, scores = some_boxes(rng, 2, 7), rng.uniform(0, 1, (2, 7, 4)).astype("float32")
    scores[scores < 0.4] = 0.25  # the threshold
    found = evaluated(
        "vision.regular_non_max_suppression",
        boxes,
        scores,
        max_detections_per_class=per_class,
        max_detections=total,
        num_classes=3,
        iou_threshold=0.3,
        score_threshold=0.25,
    )
    for image in range(2):
        rows = []
        for label in range(3):
            rated = scores[image, :, label + 1]
            kept = []
            for j in sorted((j for j in range(7) if rated[j] >= 0.25), key=lambda j: -rated[j]):
                clear = all(overlap(boxes[image, j], boxes[image, k]) <= 0.3 for k in kept)
                if clear and len(kept) < per_class:
                    kept.append(j)
            rows += [(-rated[j], label, j) for j in kept]
        rows = sorted(rows)[:total]
        count = len(rows)
        assert found[3][image] == count
        assert found[0][image, :count].tolist() == [boxes[image, j].tolist() for *_, j in rows]
        assert found[1][image, :count].tolist() == [row[1] for row in rows]
        assert found[2][image, :count].tolist() == [-row[0] for row in rows]
        assert not found[0][image, count:].any()


@reference("onnx", "vision.roi_align")
@pytest.mark.parametrize("ratio", [2, 0, -1])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_aligned_regions_are_those_of_onnx(ratio, layout):
    data = random_values(2, 3, 7, 6)
    rois = np.array([[0, 1.2, 2.1, 9.5, 8.3], [1, 3, 3, 3.1, 3.2], [1, -4, -2, 14, 12]], "float32")
    given = data if layout == "NCHW" else np.ascontiguousarray(data.transpose(0, 2, 3, 1))
    found = evaluated(
        "vision.roi_align",
        given,
        rois,
        pooled_size=(3, 2),
        spatial_scale=0.5,
        sample_ratio=ratio,
        layout=layout,
    )
    expected = run_onnx(
        "RoiAlign",
        data,
        rois[:, 1:].copy(),
        rois[:, 0].astype(np.int64),
        opset=16,
        output_height=3,
        output_width=2,
        sampling_ratio=max(ratio, 0),
        spatial_scale=0.5,
        coordinate_transformation_mode="output_half_pixel",
    )
    found = found if layout == "NCHW" else found.transpose(0, 3, 1, 2)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@reference("formula", "vision.roi_pool")
@pytest.mark.parametrize("scale", [1.0, 0.5])
@pytest.mark.parametrize("last", [False, True])
def test_pooled_regions_are_the_greatest_in_each_bin(scale, last):
    data = random_values(2, 2, 7, 6)
    rois = np.array(
        [[1, 1, 2, 5, 6], [0, -3, -2, 4, 3], [0, 4, 4, 2, 2], [1, 20, 20, 30, 30]], "float32"
    )
    how = {"pooled_size": (3, 2), "spatial_scale": scale}
    if last:
        found = evaluated("vision.roi_pool", data.transpose(0, 2, 3, 1), rois, layout="NHWC", **how)
        found = found.transpose(0, 3, 1, 2)
    else:
        found = evaluated("vision.roi_pool", data, rois, **how)
    for n, (image, *edges) in enumerate(rois.tolist()):
        left, top, right, bottom = (
            int(math.copysign(math.floor(abs(e * scale) + 0.5), e)) for e in edges
        )
        down, across = max(bottom - top + 1, 1) / 3, max(right - left + 1, 1) / 2
        for i in range(3):
            for j in range(2):
                rows = slice(*(min(max(v + top, 0), 7) for v in bounds(i, down)))
                columns = slice(*(min(max(v + left, 0), 6) for v in bounds(j, across)))
                window = data[int(image), :, rows, columns]
                empty = not window.size
                expected = np.zeros(2) if empty else window.max(axis=(1, 2))
                assert np.array_equal(found[n, :, i, j], expected)


def bounds(index, step):
    return math.floor(index * step + 1e-5), math.ceil((index + 1) * step - 1e-5)


@reference("formula", "vision.proposal")
@pytest.mark.parametrize("iou_loss", [False, True])
def test_proposed_regions_are_the_best_that_stand(iou_loss):
    rng = np.random.default_rng(4)
    scales, ratios, stride, wanted = (1.0, 2.0), (0.5, 1.0, 2.0), 16, 8
    scores = rng.uniform(0, 1, (2, 12, 3, 4)).astype("float32")
    moves = rng.uniform(-0.4, 0.4, (2, 24, 3, 4)).astype("float32") * (30 if iou_loss else 1)
    info = np.array([[48, 64, 1.0], [40, 50, 1.5]], "float32")
    found = evaluated(
        "vision.proposal",
        scores,
        moves,
        info,
        scales=scales,
        ratios=ratios,
        feature_stride=stride,
        threshold=0.4,
        rpn_pre_nms_top_n=20,
        rpn_post_nms_top_n=wanted,
        rpn_min_size=12,
        iou_loss=iou_loss,
    ).reshape(2, wanted, 5)
    for b in range(2):
        height, width, scale = info[b].tolist()
        boxes = []
        for h in range(3):
            for w in range(4):
                for k in range(6):
                    box, score = one_candidate(
                        anchor(ratios[k // 2], scales[k % 2], stride),
                        moves[b, 4 * k : 4 * k + 4, h, w].tolist(),
                        (w * stride, h * stride),
                        (width, height),
                        12 * scale,
                        iou_loss,
                    )
                    rated = float(scores[b, 6 + k, h, w])
                    beyond = h >= int(height / stride) or w >= int(width / stride)
                    boxes.append((box, -1.0 if beyond or score < 0 else rated))
        best = sorted(boxes, key=lambda pair: -pair[1])[:20]
        kept = []
        for box, _ in best:
            if all(overlap(box, other, 1.0) <= 0.4 for other in kept):
                kept.append(box)
        kept = kept[:wanted]
        expected = [[b, *kept[n % len(kept)]] for n in range(wanted)]
        np.testing.assert_allclose(found[b], expected, rtol=1e-4, atol=1e-3)


def anchor(ratio, scale, base):
    across = math.floor(math.sqrt(math.floor(base * base / ratio)) + 0.5) * scale
    down = math.floor(across / scale * ratio + 0.5) * scale
    middle = 0.5 * (base - 1)
    x, y = 0.5 * (across - 1), 0.5 * (down - 1)
    return [middle - x, middle - y, middle + x, middle + y]


def one_candidate(box, delta, shift, size, least, iou_loss):
    ends = []
    for axis in (0, 1):
        low, high = box[axis] + shift[axis], box[axis + 2] + shift[axis]
        if iou_loss:
            pair = low + delta[axis], high + delta[axis + 2]
        else:
            length = high - low + 1
            centre = low + 0.5 * (length - 1) + delta[axis] * length
            long = math.exp(delta[axis + 2]) * length
            pair = centre - 0.5 * (long - 1), centre + 0.5 * (long - 1)
        ends.append([max(min(end, size[axis] - 1), 0) for end in pair])
    (left, right), (top, bottom) = ends
    if right - left + 1 < least or bottom - top + 1 < least:
        return [left - least / 2, top - least / 2, right + least / 2, bottom + least / 2], -1.0
    return [left, top, right, bottom], 1.0
