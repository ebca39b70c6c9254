"""Text in columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def align(
    rows: Sequence[Sequence[str]], *, right: Collection[int] = (), indent: str = ""
) -> list[str]:
    """Return rows as lines, with columns two spaces apart and nothing behind the last word.

    Args:
        rows: Cells, as many in each row; the last one may have several lines, of which those behind
            the first stand below the row.
        right: The columns whose cells end below one another, from 0.
        indent: What stands before each row; twice of it, or four spaces, before lines below.

    Example:
        >>> for line in align([("NAME", "SIZE"), ("a", "10"), ("bcdef", "9")], right=[1]):
        ...     print(line)
        NAME   SIZE
        a        10
        bcdef     9
    """
    heads = [(*row[:-1], row[-1].partition("\n")[0]) for row in rows]
    widths = [max(map(len, column)) for column in zip(*heads, strict=True)]
    lines = []
    for row, head in zip(rows, heads, strict=True):
        cells = [
            cell.rjust(width) if number in right else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(head, widths, strict=True))
        ]
        lines.append(f"{indent}{'  '.join(cells)}".rstrip())
        lines += [f"{indent or '  '}  {more}" for more in row[-1].split("\n")[1:]]
    return lines
