"""``relayish show``: what a model of ONNX is, as a summary, as text, as a picture or a page."""

from __future__ import annotations

import argparse

from relayish._support.collector import freeze_heap
from relayish.cli.files import write_result
from relayish.cli.onnx.drawing.diagram import diagrams_of
from relayish.cli.onnx.drawing.svg import to_svg
from relayish.cli.onnx.page import to_html
from relayish.cli.onnx.reading import read_model
from relayish.cli.onnx.summary import render_summary, summarise, summary_as_json
from relayish.cli.report import tell
from relayish.text import astext


def run(args: argparse.Namespace) -> int:
    """Run the command; what is asked for is written whole or not at all."""
    model = read_model(args.file)
    mod = model.to_module()  # which finds what is wrong with the model
    if args.text:
        with freeze_heap():
            text = astext(mod, show_meta_data=False)
        write_result(text, None)
        return 0
    summary = summarise(model.proto)
    if args.svg is None and args.html is None:
        told = summary_as_json if args.json else render_summary
        tell(told(summary, args.file))
        return 0
    svg = to_svg(diagrams_of(model.proto))
    if args.svg is not None:
        write_result(svg, args.svg)
        return 0
    write_result(to_html(summary, args.file, svg), args.html)
    return 0
