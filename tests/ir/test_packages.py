"""Installed packages that declare domains and operators are imported where a name is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from relayish._support.entry_points import EntryPoints
from relayish.errors import PackageError

ROOT = Path(__file__).parents[2]

COMPLEX = """
print("complex_package is imported")
import relayish as relay
from relayish.ir.attrs import Attrs, attrs
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


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return where two distributions are installed."""
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
    return tmp_path


def run(site: Path, *arguments: str, fails: bool = False) -> str:
    """Return what a fresh Python prints: output, or errors where it is to fail."""
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=site,
        env={"PYTHONPATH": f"{site}:{ROOT}"},
    )
    assert bool(done.returncode) == fails, done.stderr
    return (done.stderr if fails else done.stdout).strip()


def script(site: Path, lines: str, **how: bool) -> str:
    return run(site, "-c", "import relayish as relay\n" + lines, **how)


@pytest.fixture
def written(site: Path) -> None:
    """Write a program of the package as text and in binary form."""
    write = "write_binary(mod, 'mod.bin')\nopen('mod', 'w').write(relay.astext(mod))"
    script(site, PROGRAM + write)


def test_domain_is_imported_when_it_is_asked_for_and_nothing_else(site: Path) -> None:
    lines = """
relay.add
print("before")
print(relay.get_domain("complex").name, relay.get_op("complex::mul").name)
"""
    assert script(site, lines).split("\n") == [
        "before",
        "complex_package is imported",
        "complex mul",
    ]


def test_operator_of_relays_name_space_is_found_in_any_package(site: Path) -> None:
    said = script(site, "relay.get_op('more.twice'); print(relay.get_domain('more'))")
    assert said.split("\n")[:2] == ["complex_package is imported", "more_operators is imported"]
    assert "Domain('more'" in said


def test_text_that_names_operators_and_kinds_of_a_package_is_read(site: Path) -> None:
    text = "node complex_conj(data=complex::mul(%x, more.twice(%x)))"
    said = script(site, f"print(relay.astext(relay.parse_expr('free_var %x; {text}')))")
    assert said.count("is imported") == 2
    assert "mul(%x, %0)" in said
    assert "node complex_conj(data=%1)" in said


@pytest.mark.parametrize(
    "read", ["relay.parse(open('mod').read())", "relayish.binary.read_binary('mod.bin')"]
)
def test_program_with_types_and_attributes_of_a_package_is_read(
    site: Path, written: None, read: str
) -> None:
    said = script(site, f"import relayish.binary\nprint({read})")
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
    said = script(site, lines).split("\n")
    assert len([line for line in said if "imported" in line]) == 2
    assert "no operator 'no' is declared in domain complex" in said[-1]


def test_package_that_cannot_be_imported_is_named(site: Path) -> None:
    (site / "complex_package.py").write_text("import no_such_module_at_all")
    said = script(site, "relay.get_domain('complex')", fails=True)
    assert "PackageError: cannot load the domains that complex-dist adds" in said
    assert "complex = complex_package: ModuleNotFoundError" in said


def test_name_that_is_declared_needs_no_package(site: Path) -> None:
    (site / "complex_package.py").write_text("import no_such_module_at_all")
    assert script(site, "print(relay.get_domain('nn').name, relay.get_domain('tir').name)") == (
        "nn tir"
    )


def test_package_may_ask_for_the_domain_of_another_while_it_is_imported(site: Path) -> None:
    (site / "more_operators.py").write_text(
        "import relayish as relay\nrelay.op.register_op('more', arguments=(), domain='complex')"
    )
    said = script(site, "print(relay.get_op('complex::more').name)")
    assert said.split("\n") == ["complex_package is imported", "more"]


def test_command_line_runs_programs_with_operators_of_packages(site: Path) -> None:
    program = '#[version = "0.0.5"]\ndef @main(%x: float32) { complex::mul(%x, %x) }\n'
    (site / "file.relay").write_text(program)
    said = run(site, "-m", "relayish", "opt", "-p", "InferType", "file.relay")
    assert "-> float32" in said
    assert "mul(%x, %x)" in said


def test_command_line_lists_domains_of_packages(site: Path) -> None:
    said = run(site, "-m", "relayish", "domains")
    assert "domain complex, id" in said
    assert "domain nn, id" in said
    assert "mul          2  EXPR" in said
    assert "conj (node)  1  EXPR" in said


def test_entry_points_of_a_group_are_loaded_anew_after_they_failed(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (site / "broken_then_mended.py").write_text("1 / 0")
    (site / "more-dist-1.0.dist-info" / "entry_points.txt").write_text(
        "[relayish.tests]\none = broken_then_mended\n"
    )
    monkeypatch.syspath_prepend(str(site))
    points = EntryPoints("relayish.tests", "things")
    for _ in range(2):
        with pytest.raises(PackageError, match="ZeroDivisionError"):
            points.load()
    (site / "broken_then_mended.py").write_text("")
    assert points.load()
    assert not points.load()
