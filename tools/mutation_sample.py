"""Mutation testing of a random sample: change one small thing, and see whether a test notices.

A comparison, an ``and``, a ``not``, a small number, a truth value: one of them is changed in a
temporary copy of the repository, and tests are run against the copy, the nearest first. A mutant
that no test kills either means the same or shows a missing test. ::

    python -m tools.mutation_sample --out sample.jsonl --under ir --count 50
    python -m tools.mutation_sample --out sample.jsonl --spread --count 150
    python -m tools.mutation_sample --out sample.jsonl --again
    python -m tools.mutation_sample --out sample.jsonl --table

The first goes on where it ended when it is called again, the second draws from every folder alike,
the third tries survivors once more, the last says what was found.
"""

from __future__ import annotations

import argparse
import ast
import json
import math
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

SMALL: Final = 10
"""Whole numbers up to this are changed by one."""

MEMORY: Final = 6 << 30
"""Bytes of address space that the tests of a mutant may use."""

NEAR: Final = 5
"""So many test files that mention what a module defines are run before those of its folder."""

FAR: Final = 25
"""So many are run in all."""

COMPARISONS: Final[dict[type[ast.cmpop], tuple[str, tuple[str, ...]]]] = {
    ast.Lt: (r"<", ("<=", ">=")),
    ast.LtE: (r"<=", ("<", ">")),
    ast.Gt: (r">", (">=", "<=")),
    ast.GtE: (r">=", (">", "<")),
    ast.Eq: (r"==", ("!=",)),
    ast.NotEq: (r"!=", ("==",)),
    ast.Is: (r"\bis\b", ("is not",)),
    ast.IsNot: (r"\bis\s+not\b", ("is",)),
    ast.In: (r"\bin\b", ("not in",)),
    ast.NotIn: (r"\bnot\s+in\b", ("in",)),
}

COMMENT: Final = re.compile(rb"#[^\n]*")

NOT_BEHAVIOUR: Final = frozenset({"annotation", "returns", "decorator_list", "type_params"})
"""Fields of the syntax tree that say what a thing is rather than what it does."""


@dataclass(frozen=True)
class Mutant:
    """One change: ``after`` instead of the bytes from ``start`` to ``end`` of a file."""

    path: str
    line: int
    start: int
    end: int
    before: str
    after: str

    def apply(self, source: bytes) -> bytes:
        """Return ``source`` changed."""
        return source[: self.start] + self.after.encode() + source[self.end :]

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before!r} -> {self.after!r}"


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant: what killed it, a test most often, or None."""

    mutant: Mutant
    killed_by: str | None
    files: int
    seconds: float


# ---------------------------------------------------------------------------------------- places


def places(path: str, source: bytes) -> list[tuple[Mutant, ...]]:
    """Return the places of ``source`` that can be changed, each with the changes possible there."""
    finder = _Finder(path, source)
    spots = (spot for node in _code(ast.parse(source)) for spot in finder.spots(node))
    return [finder.alternatives(*spot) for spot in spots]


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what is run of ``node``: not annotations, decorators, assertions, texts of messages."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in NOT_BEHAVIOUR:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_description(child):
                yield from _code(child)


def _is_description(node: ast.AST) -> bool:
    match node:
        case ast.Assert() | ast.JoinedStr() | ast.keyword(arg="strict" | "stacklevel"):
            return True
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            return True
        case ast.Assign(targets=[ast.Name(id="__slots__" | "__all__")]):
            return True
    return False


@dataclass
class _Finder:
    """Finds places in one file; a spot is a range of bytes and the texts that may stand there."""

    path: str
    source: bytes

    @cached_property
    def line_starts(self) -> list[int]:
        starts = [0]
        for line in self.source.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        return starts

    def start(self, node: ast.expr) -> int:
        return self.line_starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.line_starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, start: int, end: int) -> str:
        return self.source[start:end].decode()

    def spots(self, node: ast.AST) -> Iterator[tuple[int, int, Sequence[str]]]:
        match node:
            case ast.Compare():
                operands = [node.left, *node.comparators]
                for left, op, right in zip(operands, node.ops, node.comparators, strict=False):
                    pattern, others = COMPARISONS[type(op)]
                    yield self.between(left, right, pattern, others)
            case ast.BoolOp(op=op, values=values):
                word, other = ("and", "or") if isinstance(op, ast.And) else ("or", "and")
                for left, right in pairwise(values):
                    yield self.between(left, right, rf"\b{word}\b", (other,))
            case ast.UnaryOp(op=ast.Not()):
                start = self.start(node)
                rest = self.text(start, self.end(node)).removeprefix("not").lstrip()
                yield start, self.end(node), (rest,)
            case ast.Constant(value=int(value)) if not isinstance(value, bool) and value <= SMALL:
                yield self.start(node), self.end(node), (str(value + 1), str(value - 1))
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                yield from self.condition(test)
            case ast.comprehension(ifs=tests):
                for test in tests:
                    yield from self.condition(test)
            case ast.Return(value=value) | ast.keyword(value=value) | ast.Assign(value=value):
                yield from self.truth(value)
            case ast.AnnAssign(value=value):
                yield from self.truth(value)
            case ast.Call(args=values):
                for value in values:
                    yield from self.truth(value)
            case ast.arguments():
                for value in (*node.defaults, *node.kw_defaults):
                    yield from self.truth(value)

    def between(
        self, left: ast.expr, right: ast.expr, pattern: str, others: Sequence[str]
    ) -> tuple[int, int, Sequence[str]]:
        """Return the spot of the operator between two operands, parentheses and comments aside."""
        start, end = self.end(left), self.start(right)
        code = COMMENT.sub(lambda found: b" " * len(found[0]), self.source[start:end])
        found = re.search(pattern.encode(), code)
        assert found is not None
        return start + found.start(), start + found.end(), others

    def condition(self, test: ast.expr) -> Iterator[tuple[int, int, Sequence[str]]]:
        """Yield a condition that a ``not`` may be put before: others are changed themselves."""
        negated = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
        if not negated and not isinstance(test, ast.Compare):
            start, end = self.start(test), self.end(test)
            yield start, end, (f"not ({self.text(start, end)})",)

    def truth(self, value: ast.expr | None) -> Iterator[tuple[int, int, Sequence[str]]]:
        if isinstance(value, ast.Constant) and isinstance(value.value, bool):
            yield self.start(value), self.end(value), (str(not value.value),)

    def alternatives(self, start: int, end: int, others: Sequence[str]) -> tuple[Mutant, ...]:
        line = self.source.count(b"\n", 0, start) + 1
        before = self.text(start, end)
        return tuple(Mutant(self.path, line, start, end, before, after) for after in others)


def draw(
    root: Path, folders: Sequence[Path], count: int, seed: int, *, spread: bool = False
) -> list[Mutant]:
    """Return ``count`` mutants of the files in ``folders``, each place as likely as any other.

    Spread, they are as many of each folder of files, one more of the largest.
    """
    files = sorted({file for folder in folders for file in (root / folder).rglob("*.py")})
    found = [
        place
        for file in files
        for place in places(file.relative_to(root).as_posix(), file.read_bytes())
    ]
    shares = _by_folder(found) if spread else [found]
    chosen = random.Random(seed)  # noqa: S311  # nothing is secret
    drawn: list[Mutant] = []
    for index, share in enumerate(shares):
        size = (count + len(shares) - 1 - index) // len(shares)
        sample = chosen.sample(share, min(size, len(share)))
        drawn += [chosen.choice(place) for place in sample]
    return drawn


def _by_folder(found: Sequence[tuple[Mutant, ...]]) -> list[list[tuple[Mutant, ...]]]:
    """Return the places of each folder, those of the folder with most of them first."""
    folders: dict[Path, list[tuple[Mutant, ...]]] = {}
    for place in found:
        folders.setdefault(Path(place[0].path).parent, []).append(place)
    return sorted(folders.values(), key=len, reverse=True)


# ----------------------------------------------------------------------------------------- tests


def nearest_tests(root: Path, path: str) -> list[list[str]]:
    """Return the test files that concern the module at ``path``, nearest first.

    They are those named after it, those that mention most of what it defines, those of its folder,
    and what else mentions it.
    """
    package, *folders, name = Path(path).with_suffix("").parts
    module = ".".join([package, *folders, name])
    around = [f"{'/'.join(['tests', *folders[:depth]])}/" for depth in range(len(folders), 0, -1)]
    around = around or ["tests/"]
    here = around[-1]
    texts = {
        file.relative_to(root).as_posix(): file.read_text()
        for file in sorted((root / "tests").rglob("test_*.py"))
    }
    public = _public_names(ast.parse((root / path).read_bytes()))
    named = {file: public & set(re.findall(r"\w+", text)) for file, text in texts.items()}
    spread = Counter(name for names in named.values() for name in names)
    mentions = {
        file: (module in text) + sum(1 / spread[name] for name in named[file])
        for file, text in texts.items()
    }
    ordered = sorted(texts, key=lambda file: (-mentions[file], not file.startswith(here), file))
    mentioning = [file for file in ordered if mentions[file]]
    tiers = [
        [file for file in ordered if _is_named_after(file, here, name)],
        [file for file in ordered if any(_is_named_after(file, here, at) for at in folders[1:])],
        mentioning[:NEAR],
        *([file for file in ordered if file.startswith(folder)] for folder in around),
        mentioning[:FAR],
    ]
    first = {file: index for index, tier in reversed([*enumerate(tiers)]) for file in tier}
    fresh = ([file for file in tier if first[file] == index] for index, tier in enumerate(tiers))
    return [tier for tier in fresh if tier]


def _is_named_after(file: str, here: str, name: str) -> bool:
    return file.startswith(here) and Path(file).stem.startswith(f"test_{name}")


def _public_names(module: ast.Module) -> set[str]:
    """Return the names that ``module`` defines at its top, but for private and short ones."""
    names: set[str] = set()
    for statement in module.body:
        match statement:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
    return {name for name in names if not name.startswith("_") and len(name) > 3}


# --------------------------------------------------------------------------------------- running


@dataclass
class Workshop:
    """A copy of the repository in which mutants are tried; the repository itself is left alone.

    Tests that take longer than ``quick`` seconds without any change are left out.
    """

    root: Path
    quick: float = math.inf
    patience: float = 4.0
    grace: float = 20.0
    unmodified: dict[str, Unmodified] = field(default_factory=dict)

    def judge(self, mutant: Mutant) -> Verdict:
        """Run the tests that concern ``mutant`` until one fails or runs for ever."""
        started = time.monotonic()
        tried, killer = 0, None
        for tier in nearest_tests(self.root, mutant.path):
            self.measure(tier)
            files = [file for file in tier if self.unmodified[file].passes]
            tried += len(files)
            killer = self.run_changed(mutant, files) if files else None
            if killer is not None:
                break
        return Verdict(mutant, killer, tried, round(time.monotonic() - started, 1))

    def measure(self, files: Sequence[str]) -> None:
        """Run the tests of ``files`` without any change: what fails already kills nothing."""
        unknown = [file for file in files if file not in self.unmodified]
        if not unknown:
            return
        report = self.root / "report.xml"
        report.unlink(missing_ok=True)
        options = [f"--junitxml={report}", "-o", "junit_family=xunit1"]
        options += ["--continue-on-collection-errors"]
        ended = self.run([*unknown, *options], limit=1800, environment=os.environ)
        if not report.exists():
            raise SystemExit(f"{' '.join(unknown)}, with nothing changed: {ended}, and no report")
        found = {file: Unmodified() for file in unknown}
        for case in ET.parse(report).iter("testcase"):  # noqa: S314  # written just now
            if "file" in case.attrib:  # else it says that a file cannot be imported
                found[case.attrib["file"]].add(case, self.quick)
        self.unmodified.update(found)

    def run_changed(self, mutant: Mutant, files: Sequence[str]) -> str | None:
        """Return what ends the tests of ``files`` while ``mutant`` stands in the copy."""
        file = self.root / mutant.path
        source, times = file.read_bytes(), file.stat()
        known = [self.unmodified[name] for name in files]
        left_out = [f"--deselect={test}" for tests in known for test in tests.slow]
        limit = self.grace + self.patience * sum(tests.seconds for tests in known)
        try:
            file.write_bytes(mutant.apply(source))
            # compiled files are told apart by the size and the second of the source
            os.utime(file, (times.st_atime, times.st_mtime + 60))
            environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
            return self.run(["-x", *files, *left_out], limit, environment)
        finally:
            file.write_bytes(source)
            os.utime(file, (times.st_atime, times.st_mtime))

    def run(
        self, arguments: Sequence[str], limit: float, environment: Mapping[str, str]
    ) -> str | None:
        """Return the first failure of a run of pytest, None if all tests pass."""
        command = [sys.executable, "-m", "pytest", "-q", "--tb=no", "-p", "no:cacheprovider"]
        # importing plugins takes longer than most tests
        environment = {
            **environment,
            "PYTHONPATH": str(self.root),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        }
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(  # noqa: S603  # our own tests
                [*command, *arguments],
                cwd=self.root,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            resource.prlimit(process.pid, resource.RLIMIT_AS, (MEMORY, MEMORY))
            try:
                status = process.wait(limit)
            except subprocess.TimeoutExpired:
                return f"no end within {limit:.0f} s"
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
            output.seek(0)
            return _first_failure(status, output.read().decode(errors="replace"))


@dataclass
class Unmodified:
    """What the tests of a file do when nothing is changed."""

    count: int = 0
    failures: int = 0
    seconds: float = 0.0
    slow: list[str] = field(default_factory=list)

    @property
    def passes(self) -> bool:
        """Whether there are tests, and none fails."""
        return self.count > 0 == self.failures

    def add(self, case: ET.Element, quick: float) -> None:
        """Add one test as pytest reports it."""
        seconds = float(case.attrib["time"])
        self.count += 1
        self.failures += case.find("failure") is not None or case.find("error") is not None
        if seconds <= quick:
            self.seconds += seconds
        else:
            *_, owner = case.attrib["classname"].split(".")
            within = [] if owner == Path(case.attrib["file"]).stem else [owner]
            self.slow.append("::".join([case.attrib["file"], *within, case.attrib["name"]]))


def _first_failure(status: int, output: str) -> str | None:
    if status in (0, 5):  # passed, or nothing to run
        return None
    found = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", output, re.MULTILINE)
    return found[1] if found else f"pytest ended with {status}"


def copy_repository(root: Path, target: Path) -> None:
    """Copy what tests need of the repository at ``root``."""
    left_out = shutil.ignore_patterns(".*", "__pycache__", "build", "*.egg-info")
    shutil.copytree(root, target, ignore=left_out, dirs_exist_ok=True)
    for name in (".ci", ".github", ".pre-commit-config.yaml"):
        if (root / name).is_dir():
            shutil.copytree(root / name, target / name)
        elif (root / name).exists():
            shutil.copy2(root / name, target / name)


# --------------------------------------------------------------------------------------- results


def read_verdicts(out: Path) -> dict[Mutant, Verdict]:
    """Return what ``out`` says of each mutant; the last word counts."""
    if not out.exists():
        return {}
    records = [json.loads(line) for line in out.read_text().splitlines()]
    verdicts = [Verdict(Mutant(**record.pop("mutant")), **record) for record in records]
    return {verdict.mutant: verdict for verdict in verdicts}


def table(verdicts: Sequence[Verdict]) -> str:
    """Return how many were killed of each folder, and every survivor."""
    folders = Counter("/".join(Path(v.mutant.path).parts[:2]) for v in verdicts)
    killed = Counter("/".join(Path(v.mutant.path).parts[:2]) for v in verdicts if v.killed_by)
    rows = [f"{name:32}{killed[name]:5} of {folders[name]}" for name in sorted(folders)]
    rows += [f"{'together':32}{killed.total():5} of {folders.total()}"]
    rows += [str(verdict.mutant) for verdict in verdicts if verdict.killed_by is None]
    return "\n".join(rows)


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description="try random small changes; does a test notice?")
    parser.add_argument("--out", type=Path, required=True, help="results, one line of JSON each")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--package", default="relayish")
    parser.add_argument("--under", action="append", default=[], help="folder of the package")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--spread", action="store_true", help="draw as many of every folder")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", type=float, default=math.inf, help="leave out slower tests")
    parser.add_argument("--again", action="store_true", help="try survivors in --out once more")
    parser.add_argument("--table", action="store_true", help="only say what --out holds")
    options = parser.parse_args(argv)
    known = read_verdicts(options.out)
    if options.table:
        print(table(list(known.values())))
        return
    if options.again:
        mutants = [mutant for mutant, verdict in known.items() if verdict.killed_by is None]
    else:
        folders = [Path(options.package, name) for name in options.under or ["."]]
        drawn = draw(options.root, folders, options.count, options.seed, spread=options.spread)
        mutants = [mutant for mutant in drawn if mutant not in known]
    # so that tests are stopped too
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    try:
        with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
            copy_repository(options.root, Path(folder))
            workshop = Workshop(Path(folder), options.quick)
            for mutant in mutants:
                verdict = workshop.judge(mutant)
                with options.out.open("a") as out:
                    out.write(json.dumps(asdict(verdict)) + "\n")
                print(
                    f"{verdict.seconds:6.1f} s  {mutant}  {verdict.killed_by or 'SURVIVED'}",
                    flush=True,
                )
    finally:
        signal.signal(signal.SIGTERM, before)


if __name__ == "__main__":
    main()
