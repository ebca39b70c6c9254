"""Installed packages that declare domains and operators are imported where a name is missing."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

import pytest

import relayish as relay
from relayish._support.entry_points import EntryPoints
from relayish.cli.main import main
from relayish.errors import PackageError
from relayish.ir.registration import packages
from relayish.ir.registration.declarations import declared_temporarily

ROOT = Path(__file__).parents[3]

COMPLEX = """
print("complex_package is imported")
import relayish as relay
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.op import register_op

COMPLEX = relay.Domain("complex")

@relay.node("type", domain=COMPLEX)
class ComplexType(relay.Type):
    "A pair of numbers."

@relay.node("conj", domain=COMPLEX, effect=relay.Effect.NONE)
class Conj(relay.Expr):
    data: relay.Expr

register_op("mul", arguments=("a", "b"), domain=COMPLEX, rule=lambda attrs, a, b: a)

@attrs("complex.RootAttrs")
class RootAttrs(Attrs):
    "Which root."
    degree: int = 2

register_op(
    "root", arguments=("a",), domain=COMPLEX, attrs_type=RootAttrs, attrs_in_metadata=True
)
"""

PROGRAM = """
import relayish as relay, complex_package
from relayish.binary import write_binary
x = relay.Var("x", complex_package.ComplexType())
complex = relay.op.operators("complex")
main = relay.Function([x], complex_package.Conj(complex.mul(x, complex.root(x, degree=3))))
mod = relay.IRModule.from_expr(main)
"""

MORE = """
print("more_operators is imported")
from relayish.op import register_op
register_op("more.twice", arguments=("data",), rule=lambda attrs, data: data)
"""


MODULES = ("complex_package", "more_operators", "broken_then_mended")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, declarations: None) -> Iterator[Path]:
    """Return where two distributions are installed, of which nothing is imported yet."""
    (tmp_path / "complex_package.py").write_text(COMPLEX)
    (tmp_path / "more_operators.py").write_text(MORE)
    groups = {
        "complex-dist": "[relayish.domains]\ncomplex = complex_package\n",
        "more-dist": "[relayish.operators]\nany-name = more_operators\n",
    }
    for name, entry_points in groups.items():
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(entry_points)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    forget_imports(monkeypatch)
    yield tmp_path
    for name in MODULES:
        sys.modules.pop(name, None)


def forget_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let packages be as if nobody had asked for them."""
    for name in MODULES:
        sys.modules.pop(name, None)
    fresh = tuple([EntryPoints(each.group, each.what) for each in packages._GROUPS])
    monkeypatch.setattr(packages, "_GROUPS", fresh)


def script(lines: str) -> str:
    """Return what ``lines`` print."""
    out = io.StringIO()
    with redirect_stdout(out):
        exec(lines, {"relay": relay, "path": Path("mod")})
    return out.getvalue().strip()


def command(site: Path, *arguments: str) -> str:
    """Return what a fresh Python prints."""
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=site,
        env={"PYTHONPATH": f"{site}:{ROOT}"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_domain_is_imported_when_it_is_asked_for_and_nothing_else(site: Path) -> None:
    lines = """
relay.add
print("before")
print(relay.get_domain("complex").name, relay.get_op("complex::mul").name)
"""
    assert script(lines).split("\n") == [
        "before",
        "complex_package is imported",
        "complex mul",
    ]


def test_operator_of_relays_name_space_is_found_in_any_package(site: Path) -> None:
    said = script("relay.get_op('more.twice'); print(relay.get_domain('more'))")
    assert said.split("\n")[:2] == ["complex_package is imported", "more_operators is imported"]
    assert "Domain('more'" in said


def test_text_that_names_operators_and_kinds_of_a_package_is_read(site: Path) -> None:
    text = "node complex_conj(data=complex::mul(%x, more.twice(%x)))"
    said = script(f"print(relay.astext(relay.parse_expr('free_var %x; {text}')))")
    assert said.count("is imported") == 2
    assert "mul(%x, %0)" in said
    assert "node complex_conj(data=%1)" in said


@pytest.mark.parametrize("read", ["relay.parse(path.read_text())", "relay.read_binary('mod.bin')"])
def test_program_with_types_and_attributes_of_a_package_is_read(
    site: Path, read: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with declared_temporarily():
        script(f"{PROGRAM}write_binary(mod, 'mod.bin')\npath.write_text(relay.astext(mod))")
    forget_imports(monkeypatch)
    said = script(f"print({read})")
    assert said.startswith("complex_package is imported\n")
    assert "%x: node complex_type()" in said
    assert "node complex_conj" in said


def test_packages_are_imported_once_and_a_missing_name_is_an_error(site: Path) -> None:
    lines = """
for name in ("no.such", "no.such", "complex::no"):
    try:
        relay.get_op(name)
    except relay.errors.UnknownNameError as error:
        print(error)
"""
    said = script(lines).split("\n")
    assert len([line for line in said if "imported" in line]) == 2
    assert "no operator 'no' is declared in domain complex" in said[-1]


def test_package_that_cannot_be_imported_is_named(site: Path) -> None:
    (site / "complex_package.py").write_text("import no_such_module_at_all")
    with pytest.raises(PackageError) as info:
        relay.get_domain("complex")
    assert "cannot load the domains that complex-dist adds" in str(info.value)
    assert "complex = complex_package: ModuleNotFoundError" in str(info.value)


def test_name_that_relayish_declares_needs_no_package(site: Path) -> None:
    (site / "complex_package.py").write_text("import no_such_module_at_all")
    lines = "import relayish as r; print(r.get_domain('nn').name, r.get_domain('tir').name)"
    assert command(site, "-c", lines) == "nn tir"


def test_package_may_ask_for_the_domain_of_another_while_it_is_imported(site: Path) -> None:
    (site / "more_operators.py").write_text(
        "import relayish as relay\nrelay.op.register_op('more', arguments=(), domain='complex')"
    )
    said = script("print(relay.get_op('complex::more').name)")
    assert said.split("\n") == ["complex_package is imported", "more"]


def test_command_line_runs_programs_with_operators_of_packages(site: Path) -> None:
    program = '#[version = "0.0.5"]\ndef @main(%x: float32) { complex::mul(%x, %x) }\n'
    (site / "file.relay").write_text(program)
    said = command(site, "-m", "relayish", "opt", "-p", "InferType", "file.relay")
    assert "-> float32" in said
    assert "mul(%x, %x)" in said


def test_command_line_lists_domains_of_packages(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["domains"]) == 0
    said = capsys.readouterr().out
    assert "domain complex, id" in said
    assert "domain nn, id" in said
    assert re.search(r" mul +2  EXPR$", said, re.MULTILINE)
    assert re.search(r" conj \(node\) +1  EXPR$", said, re.MULTILINE)


def test_entry_points_of_a_group_are_loaded_anew_after_they_failed(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (site / "broken_then_mended.py").write_text("1 / 0")
    (site / "more-dist-1.0.dist-info" / "entry_points.txt").write_text(
        "[relayish.tests]\none = broken_then_mended\n"
    )
    points = EntryPoints("relayish.tests", "things")
    for _ in range(2):
        with pytest.raises(PackageError, match="ZeroDivisionError"):
            points.load()
    (site / "broken_then_mended.py").write_text("")
    assert points.load()
    assert not points.load()
