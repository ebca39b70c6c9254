"""A page about a model: its summary and the pictures of its graphs, in one file of HTML."""

from __future__ import annotations

from html import escape
from typing import Final

from relayish._support import printable
from relayish.cli.onnx.summary import Summary

_STYLE: Final = """\
body { font: 14px sans-serif; color: #222; margin: 1.5em }
table { border-collapse: collapse; margin: 1em 0 }
td, th { text-align: left; vertical-align: top; padding: .15em 1.2em .15em 0 }
td.count { text-align: right }
.columns { display: flex; flex-wrap: wrap; gap: 3em }
.picture { overflow: auto; border: 1px solid #ccc; max-height: 90vh }
"""


def to_html(summary: Summary, source: str, svg: str) -> str:
    """Return the page; it needs no script, and no file from elsewhere."""
    found = summary.statistics
    told = "".join(
        f"<tr><th>{escape(label)}</th><td>{escape(text)}</td></tr>\n"
        for label, text in summary.rows(source)
    )
    counts = "".join(
        f'<tr><td class="count">{count:,}</td><td>{escape(printable.escape(name))}</td></tr>\n'
        for name, count in sorted(found.operators.items(), key=lambda each: (-each[1], each[0]))
    )
    title = escape(printable.escape(source))
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        f"<style>{_STYLE}</style></head><body>\n<h1>{title}</h1>\n"
        f'<div class="columns"><table>\n{told}</table>\n<table>\n{counts}</table></div>\n'
        f'<div class="picture">{svg}</div>\n</body></html>\n'
    )
