"""Take the screenshots of the documentation, in a browser.

python -m tools.screenshots              # all of them
python -m tools.screenshots report       # those whose names begin so

They are written to docs/pictures, with few colours, so that they are small. Playwright and a
Chromium of the system are needed.
"""

from __future__ import annotations

import argparse
import base64
import struct
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

import relayish as relay
from relayish import tir
from relayish.analysis import CallGraph
from relayish.dataflow import analyse
from relayish.draw.drawing import draw
from relayish.frontend import from_onnx
from relayish.ir.relay.module import IRModule
from relayish.pass_infra.instruments.timing import PassTimingInstrument
from relayish.pass_infra.instruments.verify import VerifyInstrument
from relayish.passes.onnx.default_pipeline import onnx_pipeline
from relayish.passes.relay.default_pipeline import default_pipeline
from relayish.testing import resnet
from relayish.transform import FoldConstant, FuseOps, InferType, PassContext
from tests.support.browser import started_browser
from tools.links import ROOT
from tools.transformer import make_transformer

PICTURES: Final = ROOT / "docs" / "pictures"
COLOURS: Final = 48
"""So many colours a picture has at the most."""


class Picture(NamedTuple):
    """A screenshot.

    Attributes:
        make: Returns the page, as HTML.
        width: Of the window.
        height: Of the window.
        scheme: ``light`` or ``dark``.
        keys: Pressed one after the other before it is taken.
        of: What of the page is taken, as a selector; the window if it is empty.
    """

    make: Callable[[], str]
    width: int = 760
    height: int = 900
    scheme: str = "light"
    keys: Sequence[str] = ()
    of: str = ".relayish-cell"


def _cell(make: Callable[[], object]) -> Callable[[], str]:
    """Return what makes a page of what a cell shows of the object that is made."""

    def page() -> str:
        shown: dict[str, str] = make()._repr_mimebundle_()  # type: ignore[attr-defined] # it has
        return f'<!DOCTYPE html><meta charset="utf-8"><body>{shown["text/html"]}'

    return page


def _page(make: Callable[[], object]) -> Callable[[], str]:
    """Return what makes the page of the picture of what is made."""
    return lambda: draw(make()).to_html()


def _resnet() -> IRModule:
    mod, _ = resnet.get_workload(num_layers=50)
    return FuseOps()(InferType()(mod))


def _loops() -> IRModule:
    left, right = tir.placeholder("A", (8, 16)), tir.placeholder("B", (16, 4))
    k = tir.reduce_axis("k", 16)
    product = tir.compute((8, 4), lambda i, j: tir.reduce_sum(left[i, k] * right[k, j], [k]), "C")
    mod = relay.IRModule({"matmul": tir.lower("matmul", [left, right, product])})
    return relay.transform.RemoveScheduleBlock()(mod)


def _fused() -> IRModule:
    return relay.transform.Sequential(["InferType", "FuseOps"])(_example("mlp_head.relay"))


def _example(name: str) -> IRModule:
    source = (ROOT / "examples" / name).read_text(encoding="utf-8")
    return relay.parse(source)


def _timing() -> PassTimingInstrument:
    timing = PassTimingInstrument()
    with PassContext(opt_level=3, instruments=[timing]):
        default_pipeline(3)(_example("mlp_head.relay"))
    return timing


def _report() -> str:
    checks = [VerifyInstrument()]
    mod = _example("mlp_head.relay")
    return relay.report(mod, default_pipeline(3), opt_level=3, instruments=checks).to_html()


def _report_of_model() -> str:
    mod = from_onnx(str(ROOT / "examples" / "small_network.onnx"))
    return relay.report(mod, onnx_pipeline(2)).to_html()


TAKEN: Final[dict[str, Picture]] = {
    "notebook/module": Picture(_cell(lambda: _example("power_series.relay"))),
    "notebook/pass": Picture(_cell(lambda: FoldConstant(fold_qnn=True))),
    "notebook/timing": Picture(_cell(_timing), width=640),
    "notebook/analysis": Picture(
        _cell(lambda: analyse(_example("mlp_head.relay")["main"], "liveness")), width=640
    ),
    "notebook/call_graph": Picture(
        _cell(lambda: CallGraph(_example("list_sum.relay"))), scheme="dark", width=480
    ),
    "page/model": Picture(
        _page(lambda: from_onnx(str(ROOT / "examples" / "small_network.onnx"))),
        1280,
        800,
        keys=(*"/op:conv", "Enter"),
        of="",
    ),
    "page/resnet": Picture(
        _page(_resnet), 1280, 800, scheme="dark", keys=(*"/op:max_pool", "Enter", "Escape"), of=""
    ),
    "page/transformer": Picture(
        _page(lambda: from_onnx(make_transformer())),
        1280,
        800,
        keys=(*"/op:softmax", "Enter", "Escape"),
        of="",
    ),
    "page/loops": Picture(_page(lambda: _loops()["matmul"]), 1100, 700, of=""),
    "page/fused": Picture(_page(_fused), 1280, 800, keys=("m",), of=""),
    "report/text": Picture(_report, 1180, 620, of=""),
    "report/picture": Picture(_report_of_model, 1180, 760, keys=("p",), of=""),
}
"""By the name of its file: what is taken of what."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Take screenshots; return how the process should exit."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="what the names of pictures begin with")
    begins = tuple(parser.parse_args(arguments).names) or ("",)
    wanted = {name: picture for name, picture in TAKEN.items() if name.startswith(begins)}
    with started_browser() as browser, tempfile.TemporaryDirectory() as folder:
        for name, picture in wanted.items():
            taken = _take(browser, picture, Path(folder) / "page.html")
            path = PICTURES / f"{name}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(taken)
            sys.stdout.write(f"{name}: {len(taken):,} bytes\n")
    return 0


def _take(browser: Any, picture: Picture, path: Path) -> bytes:  # Any: playwright's
    path.write_text(picture.make(), encoding="utf-8")
    size = {"width": picture.width, "height": picture.height}
    page = browser.new_page(viewport=size, color_scheme=picture.scheme)
    page.goto(path.as_uri())
    for key in picture.keys:
        page.keyboard.press(key)
    page.wait_for_timeout(400)
    taken: bytes = page.locator(picture.of).screenshot() if picture.of else page.screenshot()
    page.close()
    return write_png(_read_pixels(browser, taken))


def _read_pixels(browser: Any, png: bytes) -> NDArray[np.uint8]:  # Any: as above
    """Return the pixels of a picture, which the browser reads: rows, columns, red green blue."""
    page = browser.new_page()
    width, height, text = page.evaluate(_READ, base64.b64encode(png).decode())
    page.close()
    pixels = np.frombuffer(base64.b64decode(text), np.uint8).reshape(height, width, 4)
    return np.ascontiguousarray(pixels[:, :, :3])


_READ: Final = """\
async (data) => {
  const image = new Image();
  image.src = `data:image/png;base64,${data}`;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const bytes = context.getImageData(0, 0, image.width, image.height).data;
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  return [image.width, image.height, btoa(text)];
}
"""


def write_png(pixels: NDArray[np.uint8]) -> bytes:
    """Return a picture of few colours as PNG.

    Args:
        pixels: (height, width, 3) uint8.
    """
    height, width, _ = pixels.shape
    colours, numbers, counts = np.unique(
        pixels.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True
    )
    palette = _choose(colours, counts)
    apart = np.abs(colours[:, None].astype(np.int16) - palette[None]).sum(axis=2)
    indices = apart.argmin(axis=1).astype(np.uint8)[numbers.reshape(-1)].reshape(height, width)
    rows = np.concatenate([np.zeros((height, 1), np.uint8), indices], axis=1)
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", palette.astype(np.uint8).tobytes()),
        (b"IDAT", zlib.compress(rows.tobytes(), 9)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunks(chunks))


def _choose(colours: NDArray[np.uint8], counts: NDArray[np.intp]) -> NDArray[np.int16]:
    """Return colours to keep: the most frequent ones that are no neighbours of one another."""
    kept: list[NDArray[np.int16]] = []
    for number in np.argsort(-counts, kind="stable"):
        colour = colours[number].astype(np.int16)
        if all(np.abs(colour - other).sum() > _APART for other in kept):
            kept.append(colour)
        if len(kept) == COLOURS:
            break
    return np.stack(kept)


_APART: Final = 24
"""Colours that differ by less, over red, green and blue, are shown as one."""


def _chunks(chunks: Iterable[tuple[bytes, bytes]]) -> Iterable[bytes]:
    for name, content in chunks:
        checked = name + content
        yield struct.pack(">I", len(content)) + checked + struct.pack(">I", zlib.crc32(checked))


if __name__ == "__main__":
    sys.exit(main())
