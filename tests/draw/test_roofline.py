"""Pictures of rooflines: SVG that holds the roof and a point for each nest."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from relayish import tir
from relayish.draw import plot
from relayish.errors import DrawingError
from tests.support.each import each

SVG = "{http://www.w3.org/2000/svg}"
MACHINE = tir.Machine(flops=1e11, exact_flops=5e10, bandwidth=1e10)


def roofline(*points: tir.RooflinePoint, name: str = "f") -> tir.Roofline:
    return tir.Roofline(name, points, MACHINE)


def circles(picture: str) -> list[tuple[float, float]]:
    found = ET.fromstring(picture).iter(f"{SVG}circle")
    return [(float(each_one.attrib["cx"]), float(each_one.attrib["cy"])) for each_one in found]


def roof(picture: str) -> tuple[list[float], float]:
    """Return where the slope begins and ends, and where the roof ends."""
    [path] = [
        each_one.attrib["d"]
        for each_one in ET.fromstring(picture).iter(f"{SVG}path")
        if each_one.attrib.get("class") == "roof"
    ]
    slope, right = path[1:].split("H")
    return [float(number) for part in slope.split("L") for number in part.split()], float(right)


def test_points_stand_below_the_roof_where_they_belong() -> None:
    below = tir.RooflinePoint("few", 1000, 1000, True, seconds=1e-6)
    above = tir.RooflinePoint("many", 100_000, 1000, True, seconds=None)
    picture = str(plot(roofline(below, above)))
    (left, best), (x, reached), (right, top) = circles(picture)
    (start, low, corner, peak), _ = roof(picture)
    assert left == x < corner < right
    assert top == peak
    assert reached > best > peak
    assert (best - peak) / (low - peak) == pytest.approx(
        (corner - left) / (corner - start), abs=0.01
    )


def test_decades_are_as_far_apart_as_each_other() -> None:
    points = [tir.RooflinePoint(str(n), 10**n, 100, True) for n in range(1, 6)]
    across = [x for x, _ in circles(str(plot(roofline(*points))))]
    gaps = [after - before for before, after in pairwise(across)]
    assert gaps == pytest.approx([gaps[0]] * 4, abs=0.15)


def test_powers_of_ten_are_told_on_both_axes() -> None:
    point = tir.RooflinePoint("few", 1000, 1000, True)
    shown = [text.text for text in ET.fromstring(str(plot(roofline(point)))).iter(f"{SVG}text")]
    assert shown[:7] == [
        "roofline of f",
        *("1", "10", "100"),
        *("10 Gflop/s", "100 Gflop/s"),
        "flops per byte that is touched",
    ]


def test_nothing_is_drawn_outside() -> None:
    slow = tir.RooflinePoint("slow", 10, 10**9, True, seconds=10.0)
    picture = str(plot(roofline(slow)))
    width, height = [float(part) for part in ET.fromstring(picture).attrib["viewBox"].split()[2:]]
    (start, low, *_), right = roof(picture)
    places = [*circles(picture), (start, low), (right, 0.0)]
    assert all(0 <= x <= width and 0 <= y <= height for x, y in places)


def test_nest_without_arithmetic_is_left_out() -> None:
    still = tir.RooflinePoint("copy", 0, 1000, True)
    assert circles(str(plot(roofline(still)))) == []


@each("name", ["<script>&\"'", "]]>", "\x00\x1b[31m", "\u202eevil"])
def test_svg_is_well_formed_whatever_names_hold(name: str) -> None:
    point = tir.RooflinePoint(name, 10, 10, False)
    root = ET.fromstring(str(plot(roofline(point, name=name))))
    assert root.find(f".//{SVG}script") is None


@each("theme", ["auto", "light", "dark"])
def test_theme_says_which_colours(theme: str) -> None:
    picture = plot(roofline()).to_svg(theme=theme)  # type: ignore[arg-type]  # one of them
    assert ("prefers-color-scheme" in picture) == (theme == "auto")


def test_roof_of_no_machine_is_refused() -> None:
    with pytest.raises(DrawingError, match="there is no roof to draw for 'f': nothing is known"):
        plot(tir.Roofline("f", (), None)).to_svg()


def test_forms_are_saved_by_suffix(tmp_path: Path) -> None:
    picture = plot(roofline(tir.RooflinePoint("few", 1000, 1000, True)))
    assert picture.save(tmp_path / "roof.svg").read_text(encoding="utf-8") == str(picture)
    table = picture.save(tmp_path / "roof.txt").read_text(encoding="utf-8")
    assert table == f"{picture.roofline}\n"
    with pytest.raises(DrawingError, match=r"expected one of \.svg, \.txt"):
        picture.save(tmp_path / "roof.png")


def test_notebooks_show_the_picture_and_the_table() -> None:
    known = roofline(tir.RooflinePoint("few", 1000, 1000, True))
    shown = known._repr_mimebundle_()
    assert (shown["image/svg+xml"], shown["text/plain"]) == (str(plot(known)), str(known))
    assert plot(known)._repr_mimebundle_() == shown
    unknown = tir.Roofline("f", (), None)
    assert "image/svg+xml" not in unknown._repr_mimebundle_()
