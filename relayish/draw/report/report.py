"""Reports of pipelines: as a table, and as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from relayish._support.display import repr_mimebundle
from relayish._support.files import replace_file
from relayish.draw.report.page import make_page
from relayish.draw.report.steps import Outcome, Record, Step
from relayish.errors import DrawingError


class Report(Record):
    """What a pipeline did to a program, pass by pass: printed it is a table, in a notebook a page.

    Made by :func:`relayish.report`. Its ``steps`` have a name, options, times, sizes and texts of
    the program before and behind the pass, and the programs themselves, ``before`` and ``after``.

    Example:
        >>> import relayish as relay
        >>> mod = relay.parse('''#[version = "0.0.5"]
        ... def @main(%x: float32) -> float32 { add(%x, add(1f, 2f)) }''')
        >>> [step] = relay.report(mod, "FoldConstant").steps
        >>> step.outcome.value, step.size_before.operators, step.size_after.operators
        ('changed', 2, 1)
    """

    __slots__ = ()
    _repr_mimebundle_ = repr_mimebundle

    @property
    def result(self) -> Any:  # Any: a module of the class of what went in
        """The program that came out.

        Raises:
            Exception: What a pass raised, if one did.
        """
        if self.error is not None:
            raise self.error
        return self.output

    def save(self, path: str | Path) -> None:
        """Write the page, ``.html``, or the table, ``.txt``.

        Raises:
            DrawingError: If the name ends in neither.
            OSError: If the file cannot be written.
        """
        suffix = Path(path).suffix.lower()
        if suffix not in _SUFFIXES:
            raise DrawingError(
                f"a report is written as a page or as a table; found {str(path)!r}; write a name "
                f"that ends in .html or .txt"
            )
        text = self.to_html() if suffix == ".html" else f"{self}\n"
        with replace_file(Path(path)) as file:
            file.write(text.encode())

    def to_html(self) -> str:
        """Return the page: one file without references to others, which works offline."""
        return make_page(self)

    def __str__(self) -> str:
        rows = [("pass", "ms", "operators", "bytes of constants", "")]
        rows += [_row(step) for step in self.steps]
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        lines = [
            f"{row[0].ljust(widths[0])}  "
            + "  ".join([row[column].rjust(widths[column]) for column in (1, 2, 3)])
            + f"  {row[4]}"
            for row in rows
        ]
        lines += [f"{each.name} is not run: {each.why}" for each in self.left_out]
        lines += self.notes
        return "\n".join([line.rstrip() for line in lines])


_SUFFIXES: Final = (".html", ".txt")


def _row(step: Step) -> tuple[str, str, str, str, str]:
    before, after = step.size_before, step.size_after
    operators = after.operators - before.operators
    grown = after.constant_bytes - before.constant_bytes
    told = "" if step.outcome is Outcome.CHANGED else step.outcome.value
    return (
        f"{'  ' * (len(step.inside) + bool(step.needed_by))}{step}",
        f"{step.seconds * 1000:.2f}",
        f"{operators:+,}" if operators else "",
        f"{grown:+,}" if grown else "",
        told,
    )
