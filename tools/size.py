"""The budget of lines: how much code each package has, and how much it may have.

Code is every line on which something stands that is no comment, no docstring and no blank. The
budget is in ``size.toml``; a package may have less, and more only where somebody says why. ::

    python -m tools.size                          # a table: lines, and what is left of the budget
    python -m tools.size --check                  # fails where a package has more than it may
    python -m tools.size --update                 # the budget falls to what there is
    python -m tools.size --update relayish.op --why "..."  # and rises to it, for that reason
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import re
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).parent.parent
BUDGET: Final = ROOT / "size.toml"
TREES: Final = ("relayish", "tests")
"""The folders that are counted, each by the folders in it."""

_BLANK: Final = frozenset({
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
    tokenize.ENCODING, tokenize.ENDMARKER,
})  # fmt: skip


class Rise(NamedTuple):
    """Why a package may have more lines than before."""

    package: str
    before: int
    after: int
    why: str


class Budget(NamedTuple):
    """How many lines each package may have, and why that became more."""

    lines: Mapping[str, int]
    rises: Sequence[Rise]


def count_code(text: str) -> int:
    """Return the number of lines of code in the text of a module."""
    docstrings: set[tuple[int, int]] = set()
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", None)
        if not isinstance(body, list) or not body or not isinstance(body[0], ast.Expr):
            continue
        value = body[0].value
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            docstrings.add((value.lineno, value.col_offset))
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_docstring = token.type == tokenize.STRING and token.start in docstrings
        if token.type not in _BLANK and not is_docstring:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines)


def count_c(text: str) -> int:
    """Return the number of lines of code in a file of C, in which no string begins a comment."""
    code = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return sum(bool(line.strip()) for line in code.splitlines())


def count_packages(root: Path = ROOT) -> dict[str, int]:
    """Return the lines of code by package: the folders of each tree, and its own files."""
    found: Counter[str] = Counter()
    for path in _modules(root):
        parts = path.relative_to(root).parts
        count = count_code if path.suffix == ".py" else count_c
        found[".".join(parts[:2]) if len(parts) > 2 else parts[0]] += count(
            path.read_text(encoding="utf-8")
        )
    return dict(sorted(found.items()))


def _modules(root: Path) -> Iterator[Path]:
    for tree in TREES:
        files = (root / tree).rglob("*.*")
        yield from sorted(path for path in files if path.suffix in {".py", ".c", ".h"})


def read_budget(path: Path = BUDGET) -> Budget:
    """Return the budget that a file holds."""
    held = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return Budget(held.get("lines", {}), [Rise(**each) for each in held.get("rises", ())])


def write_budget(budget: Budget, path: Path = BUDGET) -> None:
    """Write a budget, so that a change of one package is a change of one line."""
    lines = [
        "# Lines of code by package, without comments and docstrings: python -m tools.size",
        "",
        "[lines]",
        *[f"{_quoted(name)} = {count}" for name, count in sorted(budget.lines.items())],
    ]
    for each in budget.rises:
        lines += ["", "[[rises]]"]
        lines += [f"{name} = {_quoted(value)}" for name, value in each._asdict().items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _quoted(value: Any) -> str:  # Any: a string or a number, which both write alike
    return json.dumps(value, ensure_ascii=False)


def find_excess(found: Mapping[str, int], allowed: Mapping[str, int]) -> list[str]:
    """Return what is to be said of each package that has more lines than it may."""
    return [
        f"{name} has {count:,} lines of code; {allowed.get(name, 0):,} are allowed. Take some "
        f'away, or say why not: python -m tools.size --update {name} --why "..."'
        for name, count in found.items()
        if count > allowed.get(name, 0)
    ]


def update_budget(budget: Budget, found: Mapping[str, int], why: str | None) -> Budget:
    """Return a budget of the lines that there are.

    Raises:
        ValueError: If a package has more than before and nobody says why.
    """
    excess = find_excess(found, budget.lines)
    if excess and not why:
        raise ValueError("\n".join(excess))
    rises = [
        Rise(name, budget.lines.get(name, 0), count, why or "")
        for name, count in found.items()
        if count > budget.lines.get(name, 0)
    ]
    return Budget(found, [*budget.rises, *rises])


def render(found: Mapping[str, int], allowed: Mapping[str, int]) -> str:
    """Return a table of packages, the sum of each tree behind its packages."""
    rows: list[tuple[str, int, int]] = []
    for tree in TREES:
        own = [(n, found[n], allowed.get(n, 0)) for n in found if n.partition(".")[0] == tree]
        rows += own
        rows.append((f"{tree}, all", sum([row[1] for row in own]), sum([row[2] for row in own])))
    return "\n".join(
        [f"{'package':32}{'lines':>10}{'allowed':>10}"]
        + [f"{name:32}{count:>10,}{most:>10,}" for name, count, most in rows]
    )


def main(args: Sequence[str] | None = None) -> int:
    """Count, compare or update; return 1 where a package has more lines than it may."""
    parser = argparse.ArgumentParser(
        prog="tools.size", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument(
        "--check", action="store_true", help="fail where there are more than allowed"
    )
    parser.add_argument("--update", nargs="*", metavar="PACKAGE", help="allow what there is")
    parser.add_argument("--why", help="why a package may have more than before")
    given = parser.parse_args(args)
    found, budget = count_packages(), read_budget()
    if given.update is not None:
        unknown = sorted({*given.update} - {*found, *budget.lines})
        if unknown:
            parser.error(f"{', '.join(map(repr, unknown))} is no package that is counted")
        wanted = {n: found.get(n, 0) for n in given.update} or found
        try:
            write_budget(update_budget(budget, {**budget.lines, **wanted}, given.why))
        except ValueError as error:
            print(error, file=sys.stderr)
            return 1
        return 0
    print(render(found, budget.lines))
    excess = find_excess(found, budget.lines) if given.check else []
    print(*excess, sep="\n", end="\n" if excess else "", file=sys.stderr)
    return bool(excess)


if __name__ == "__main__":
    sys.exit(main())
