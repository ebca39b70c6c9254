"""Examples of passes on the site: before and after side by side, as text and as picture."""

from __future__ import annotations

import contextlib
import io
import itertools
import posixpath
import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from relayish.draw.drawing import draw
from relayish.ir.relay.module import IRModule
from relayish.text import parse
from relayish.transform import PassContext, parse_pipeline
from tools.links import ROOT
from tools.pass_page import HEADER

PASS_PAGES: Final = ROOT / "docs" / "passes"

_EXAMPLE: Final = re.compile(
    r"^```python\n>>> show\('(?P<pipeline>.*)', '''\n(?P<program>(?:\.\.\. .*\n)+)"
    r"\.\.\. '''\)\n(?P<result>(?:.*\n)*?)\n?```$",
    re.MULTILINE,
)


class Example(NamedTuple):
    """An example of a page: a pipeline, and a program before and behind it."""

    pipeline: str
    before: str
    after: str


def examples(markdown: str) -> Iterator[Example]:
    """Yield the examples of a page below docs/passes, in order."""
    for found in _EXAMPLE.finditer(markdown):
        yield _example(found)


def _example(found: re.Match[str]) -> Example:
    program = "".join(line[4:] + "\n" for line in found["program"].splitlines())
    return Example(found["pipeline"], program.replace("\\\\", "\\"), found["result"])


@cache
def pictures() -> dict[str, str]:
    """Return the pictures of all examples as SVG, by their addresses within the documentation."""
    found: dict[str, str] = {}
    for path in sorted(PASS_PAGES.rglob("*.md")):
        page = path.relative_to(PASS_PAGES.parent).as_posix()
        for number, example in enumerate(examples(path.read_text(encoding="utf-8"))):
            for when, mod in zip(("before", "after"), modules(example), strict=True):
                found[picture_address(page, number, when)] = str(draw(mod))
    return found


def modules(example: Example) -> tuple[IRModule, IRModule]:
    """Return the module before and behind the pipeline of an example."""
    before = parse(HEADER + example.before)
    unseen = io.StringIO()  # what passes print
    hidden = contextlib.redirect_stdout(unseen), contextlib.redirect_stderr(unseen)
    with PassContext(opt_level=4), hidden[0], hidden[1]:
        return before, parse_pipeline(example.pipeline)(before)


def picture_address(page: str, number: int, when: str) -> str:
    """Return where a picture of an example is."""
    return f"{page.removesuffix('.md')}/{number}_{when}.svg"


def side_by_side(page: str, markdown: str) -> str:
    """Return a page in which before and after of each example stand side by side, with pictures."""
    number = itertools.count()

    def shown(found: re.Match[str]) -> str:
        example, place = _example(found), next(number)
        columns = (("before", example.before), ("after", example.after))
        return "\n\n".join(
            (
                f"`{example.pipeline}`",
                '<div class="before-after" markdown="1">',
                *(_column(page, place, when, text) for when, text in columns),
                "</div>",
            )
        )

    return _EXAMPLE.sub(shown, markdown)


def _column(page: str, number: int, when: str, text: str) -> str:
    """Return one side: the text of the program, and below it its picture, which opens larger."""
    code = f'``` {{ .text title="{when}" }}\n{text.rstrip()}\n```'
    address = picture_address(page, number, when)
    link = posixpath.relpath(address, posixpath.dirname(page))
    picture = f"[![{when}]({link}){{ loading=lazy }}]({link}){{ .picture }}"
    return f'<div markdown="1">\n\n{code}\n\n{picture}\n\n</div>'
