"""Rooflines in pictures: points below the roof of a machine, on logarithmic axes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Final

from relayish._support import printable
from relayish._support.display import repr_mimebundle
from relayish.draw.drawing import save_form
from relayish.draw.notebook.frame import code
from relayish.draw.notebook.table import SHOWN, Shown
from relayish.draw.svg import Theme, base_style
from relayish.errors import DrawingError
from relayish.tir.machine import Machine
from relayish.tir.roofline import Roofline, RooflinePoint


class Plot:
    """A roofline as a picture; ``str`` of it is SVG, and a notebook shows it.

    Attributes:
        roofline: What it shows.
    """

    __slots__ = ("roofline",)

    _repr_mimebundle_ = repr_mimebundle

    def __init__(self, roofline: Roofline) -> None:
        self.roofline = roofline

    def __str__(self) -> str:
        return self.to_svg()

    def __repr__(self) -> str:
        return f"<Plot of {self.roofline.name!r}: {len(self.roofline.points)} points>"

    def to_svg(self, *, theme: Theme = "auto") -> str:
        """Return the picture as SVG that needs nothing else.

        Args:
            theme: ``light``, ``dark``, or whichever the reader's system asks for.

        Raises:
            DrawingError: If the roofline knows of no machine.
        """
        machine = self.roofline.machine
        if machine is None:
            raise DrawingError(
                f"there is no roof to draw for {self.roofline.name!r}: nothing is known of a "
                f"machine; call tir.measure_machine() once, or give roofline a machine"
            )
        return "\n".join([*_draw(self.roofline, machine, theme), ""])

    def to_text(self) -> str:
        """Return what it shows as a table."""
        return f"{self.roofline}\n"

    def save(self, path: str | Path) -> Path:
        """Write the picture into a file whole, or not at all, and return its path.

        Args:
            path: Its suffix says in which form: ``.svg`` or ``.txt``.

        Raises:
            DrawingError: If the suffix is neither, or the roofline knows of no machine.
            OSError: If the file cannot be written.
        """
        return save_form(self, path, _FORMS)


def plot(roofline: Roofline) -> Plot:
    """Return the picture of a roofline: the roof, and a point for each nest.

    A ring is what a nest could reach, a disc what it did; its intensity is where both stand.

    Example:
        >>> from relayish import tir
        >>> A = tir.placeholder("A", (64,))
        >>> func = tir.lower("double", [A, tir.compute((64,), lambda i: A[i] * 2, "B")])
        >>> machine = tir.Machine(flops=1e11, exact_flops=5e10, bandwidth=1e10)
        >>> plot(tir.roofline(func, machine=machine))
        <Plot of 'double': 1 points>
    """
    return Plot(roofline)


@SHOWN.register(Roofline)
def show_roofline(roofline: Roofline) -> Shown:
    """Show the table, and the picture where a machine is known."""
    svg = "" if roofline.machine is None else plot(roofline).to_svg()
    return Shown(code(str(roofline)), str(roofline), svg)


@SHOWN.register(Plot)
def show_plot(picture: Plot) -> Shown:
    """Show what the roofline shows."""
    return show_roofline(picture.roofline)


_FORMS: Final = {".svg": "to_svg", ".txt": "to_text"}
_WIDTH: Final = 520.0
_HEIGHT: Final = 330.0
_LEFT: Final = 74.0
_TOP: Final = 44.0
_RIGHT: Final = 26.0
_BELOW: Final = 46.0
_ROOM: Final = 0.35
"""How far axes go beyond what is drawn, in powers of ten."""


class _Axes:
    """Logarithmic axes: flops per byte, and flops each second."""

    def __init__(self, points: list[RooflinePoint], machine: Machine) -> None:
        across = [machine.ridge / 10, machine.ridge * 10, *[each.intensity for each in points]]
        up = [machine.flops, machine.exact_flops]
        up += [machine.attainable(each.intensity) for each in points]
        up += [each.reached for each in points if each.reached]
        self._left, self._right = _ends(across)
        self._low, self._high = _ends(up)
        self.most = 10**self._right
        self.least = 10**self._left

    def x(self, intensity: float) -> float:
        """Return where so many flops per byte are."""
        share = (math.log10(intensity) - self._left) / (self._right - self._left)
        return _LEFT + _WIDTH * share

    def y(self, flops: float) -> float:
        """Return where so many flops each second are; below the axes, what is less than these."""
        share = (math.log10(flops) - self._low) / (self._high - self._low)
        return _TOP + _HEIGHT * (1 - share)

    def ticks(self) -> tuple[list[int], list[int]]:
        """Return the powers of ten on both axes."""
        return _whole(self._left, self._right), _whole(self._low, self._high)


def _ends(values: list[float]) -> tuple[float, float]:
    return math.log10(min(values)) - _ROOM, math.log10(max(values)) + _ROOM


def _whole(low: float, high: float) -> list[int]:
    return list(range(math.ceil(low), math.floor(high) + 1))


def _draw(roofline: Roofline, machine: Machine, theme: Theme) -> Iterator[str]:
    points = [each for each in roofline.points if each.intensity]
    axes = _Axes(points, machine)
    width, height = _LEFT + _WIDTH + _RIGHT, _TOP + _HEIGHT + _BELOW
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="rd" width="{width:g}" '
        f'height="{height:g}" viewBox="0 0 {width:g} {height:g}">'
        f"<style>{base_style(theme)}{_STYLE}</style>"
    )
    yield '<rect class="paper" width="100%" height="100%"/>'
    yield _text(_LEFT, 24, f"roofline of {roofline.name}", "h")
    yield from _draw_grid(axes)
    yield from _draw_roof(axes, machine)
    for point in points:
        yield from _draw_point(axes, point, machine)
    yield "</svg>"


_STYLE: Final = """\
.rd .grid { stroke-width: .5; opacity: .5 }
.rd .roof { stroke-width: 2; stroke: var(--ink) }
.rd .exact { stroke-dasharray: 6 3; stroke: var(--ink) }
.rd circle { stroke: var(--memory); stroke-width: 1.5; fill: var(--paper) }
.rd .reached { fill: var(--memory) }
"""


def _draw_grid(axes: _Axes) -> Iterator[str]:
    bottom, right = _TOP + _HEIGHT, _LEFT + _WIDTH
    across, up = axes.ticks()
    for power in across:
        x = axes.x(10.0**power)
        yield f'<path class="grid" d="M{x:.1f} {_TOP:g}V{bottom:g}"/>'
        yield _text(x, bottom + 14, f"{10.0**power:g}", "p", "middle")
    for power in up:
        y = axes.y(10.0**power)
        yield f'<path class="grid" d="M{_LEFT:g} {y:.1f}H{right:g}"/>'
        yield _text(_LEFT - 6, y + 3, f"{10.0 ** (power - 9):g} Gflop/s", "p", "end")
    yield f'<path d="M{_LEFT:g} {_TOP:g}V{bottom:g}H{right:g}"/>'
    yield _text(_LEFT + _WIDTH / 2, bottom + 34, "flops per byte that is touched", "", "middle")


def _draw_roof(axes: _Axes, machine: Machine) -> Iterator[str]:
    bottom, corner = _TOP + _HEIGHT, axes.x(machine.ridge)
    left, low = axes.x(axes.least), axes.y(machine.attainable(axes.least))
    if low > bottom:  # the slope leaves the picture below
        left = corner - (bottom - axes.y(machine.flops)) * (corner - left) / (
            low - axes.y(machine.flops)
        )
        low = bottom
    peak, right = axes.y(machine.flops), axes.x(axes.most)
    yield f'<path class="roof" d="M{left:.1f} {low:.1f}L{corner:.1f} {peak:.1f}H{right:.1f}"/>'
    yield _text(right, peak - 5, f"{machine.flops / 1e9:.3g} Gflop/s", "p", "end")
    exact = axes.y(machine.exact_flops)
    start = axes.x(machine.exact_flops / machine.bandwidth)
    yield f'<path class="exact" d="M{start:.1f} {exact:.1f}H{right:.1f}"/>'
    shown = f"{machine.exact_flops / 1e9:.3g} Gflop/s, exactly rounded"
    yield _text(right, exact + 11, shown, "p", "end")
    x, y = (left + corner) / 2, (low + peak) / 2
    yield _text(x - 6, y - 4, f"{machine.bandwidth / 1e9:.3g} GB/s", "p", "end")


def _draw_point(axes: _Axes, point: RooflinePoint, machine: Machine) -> Iterator[str]:
    x, best = axes.x(point.intensity), machine.attainable(point.intensity)
    told = [f"{point.name}: {point.flops:,} flops, {point.bytes:,} bytes"]
    told.append(f"at best {best / 1e9:.3g} Gflop/s")
    where = axes.y(best)
    circles = [f'<circle cx="{x:.1f}" cy="{where:.1f}" r="4"/>']
    if point.reached:
        told.append(f"reached {point.reached / 1e9:.3g} Gflop/s")
        y = axes.y(point.reached)
        circles.insert(0, f'<path class="capture" d="M{x:.1f} {where:.1f}V{y:.1f}"/>')
        circles.append(f'<circle class="reached" cx="{x:.1f}" cy="{y:.1f}" r="4"/>')
        where = y
    shown = "\n".join([escape(printable.escape_lines(line)) for line in told])
    yield f"<g><title>{shown}</title>{''.join(circles)}</g>"
    yield _text(x + 8, where + 12, point.name, "o")


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    chosen = f' class="{kind}"' if kind else ""
    shown = escape(printable.escape(text))
    return f'<text{chosen} text-anchor="{anchor}" x="{x:.1f}" y="{y:.1f}">{shown}</text>'
