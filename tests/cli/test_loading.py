from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from relayish.cli.loading import VARIABLE, load, loaded
from relayish.cli.main import main
from relayish.cli.passes import table_of
from relayish.cli.registered.passes import describe_pass
from relayish.errors import PackageError
from relayish.ir.registration.declarations import declared_temporarily
from relayish.transform import get_pass, pass_entry
from tests.support.each import each

Capture = pytest.CaptureFixture[str]
Write = Callable[[str, str], Path]

PASS = """
from relayish import Expr
from relayish.transform import register_pass

@register_pass("{name}", opt_level=1)
def keep(expr: Expr, *, twice: bool = False) -> Expr:
    "Keep all."
    print("{name} runs")
    return expr
"""


@pytest.fixture(autouse=True)
def _loaded_meanwhile(declarations: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Forget what a test loads."""
    before = set(sys.modules)
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    for name in [new for new in sys.modules if new not in before]:
        if name.startswith(("relayish.cli.loaded.", "of_test_")):
            del sys.modules[name]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    return write


@each("words", [["--load", "my_pass.py", "opt"], ["opt", "--load=my_pass.py"]])
def test_pass_of_a_loaded_file_runs_by_its_name(
    words: list[str], write: Write, program: Path, capsys: Capture
) -> None:
    write("my_pass.py", PASS.format(name="KeepAll"))
    assert main([*words, str(program), "-p", "KeepAll{twice=true}"]) == 0
    assert capsys.readouterr().out.startswith("KeepAll runs\n#[version")


def test_drive_takes_options_of_a_pass_of_a_loaded_file(
    write: Write, program: Path, capsys: Capture
) -> None:
    write("my_pass.py", PASS.format(name="KeepAll"))
    words = ["drive", str(program), "-KeepAll:twice", "--passes", "KeepAll"]
    assert main([*words, "--load", "my_pass.py"]) == 0
    assert "KeepAll runs" in capsys.readouterr().out


def test_passes_shows_where_a_pass_is_from(write: Write, capsys: Capture) -> None:
    path = write("my_pass.py", PASS.format(name="KeepAll"))
    assert main(["passes", "KeepAll", "--load", "my_pass.py"]) == 0
    where = f"relayish.cli.loaded.my_pass.keep ({path})\n"
    assert f"  from:     {where}" in capsys.readouterr().out
    assert str(table_of([describe_pass(pass_entry("KeepAll"))])).endswith(
        f"Keep all.\n    from {where}"
    )
    assert "from" not in str(table_of([describe_pass(pass_entry("FoldConstant"))]))


def test_file_given_twice_is_loaded_once(write: Write, capsys: Capture) -> None:
    write("my_pass.py", "print('loaded')")
    Path("link.py").symlink_to("my_pass.py")
    words = ["my_pass.py", f"..{os.sep}{Path.cwd().name}{os.sep}my_pass.py", "link.py"]
    load_options = [option for word in words for option in ("--load", word)]
    assert main([*load_options, "--load", "my_pass.py", "check", "nowhere"]) == 2
    told = capsys.readouterr()
    assert (told.out, told.err.splitlines()[0]) == ("", "loaded")  # what it prints is no result


def test_files_of_one_stem_are_two_modules(write: Write) -> None:
    made = [load(str(write(f"{folder}/my.own-pass.py", ""))) for folder in "ab"]
    assert [each.__name__.rpartition(".")[2] for each in made] == ["my_own-pass", "my_own-pass~2"]
    assert all(sys.modules[each.__name__] is each for each in made)


def test_file_may_import_what_lies_beside_it_but_hides_nothing(write: Write) -> None:
    write("of_test_helper.py", "value = 7")
    write("json.py", "raise AssertionError")
    mine = load(str(write("mine.py", "import json, of_test_helper\nvalue = of_test_helper.value")))
    assert (mine.value, mine.json) == (7, json)


def test_file_may_have_any_name(write: Write) -> None:
    for name in ("load", "all", "json", "os", "sys", "loaded", "Finder", "__init__", "a b"):
        made = load(str(write(f"{name}.py", "value = 1")))
        assert (made.__name__, made.value) == (f"relayish.cli.loaded.{name}", 1)
    assert len(loaded()) == 9


def test_package_in_the_working_directory_is_loaded_by_its_name(write: Write) -> None:
    write("of_test_package/__init__.py", "")
    assert load("of_test_package").__name__ == "of_test_package"


def shown_elsewhere(thing: object) -> str:
    """Return what a process shows that was started and unpickles something."""
    script = f"import pickle; print(pickle.loads({pickle.dumps(thing)!r}))"
    root = str(Path(__file__).parents[2])
    ran = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": root},
        check=True,
        capture_output=True,
        text=True,
    )
    return ran.stdout


def test_class_in_a_loaded_file_is_found_by_processes_that_are_started(write: Write) -> None:
    mine = load(str(write("mine.py", "class Mine:\n    pass\n")))
    assert shown_elsewhere(mine.Mine) == "<class 'relayish.cli.loaded.mine.Mine'>\n"


def test_pass_in_a_loaded_file_is_registered_in_processes_that_are_started(write: Write) -> None:
    load(str(write("mine.py", PASS.format(name="KeepAll"))))
    assert shown_elsewhere(get_pass("KeepAll{twice=true}")) == "KeepAll(twice=True)\n"


@each(
    ("text", "told"),
    [
        ("x = 1\nx.y()\n", "{}:2: AttributeError: 'int' object has no attribute 'y'; mend it"),
        ("def f():\n    1 / 0\nf()\n", "{}:2: ZeroDivisionError: division by zero; mend it"),
        ("\nx = (\n", "{}:2: SyntaxError: '(' was never closed; mend it"),
        ("raise SystemExit(3)", "{}:1: SystemExit: 3; mend it"),
        ("import of_test_nothing", "{}:1: ModuleNotFoundError: No module named"),
        ("from json import loads\nloads('{')", "{}:2: JSONDecodeError: "),
    ],
)
def test_error_in_a_loaded_file_is_told_with_its_line(
    text: str, told: str, write: Write, capsys: Capture
) -> None:
    path = write("mine.py", text)
    assert main(["passes", "--load", "mine.py"]) == 2
    assert capsys.readouterr().err.startswith(f"relayish: error: {told.format(path)}")
    assert loaded() == ()


def test_name_that_a_pass_of_relayish_has_is_an_error_at_once(
    write: Write, capsys: Capture
) -> None:
    path = write("mine.py", PASS.format(name="FoldConstant"))
    assert main(["passes", "InferType", "--load", "mine.py"]) == 2
    shown = capsys.readouterr().err
    assert "is claimed by relayish.passes.relay.fold.fold_constant.fold_constant and by" in shown
    assert f"\n  {path}:5 for --load mine.py" in shown


@each(
    ("name", "told"),
    [
        ("nowhere.py", "there is no such file"),
        ("folder/", "that is a directory; name a file in it"),
        ("folder", "that is a directory without __init__.py"),
        ("folder/mine.txt", "expected a file of Python, in .py, or a package"),
        ("my-own", "there is no package or module of that name; did you mean my-own.py?"),
        ("of_test_nothing.at_all", "there is no package or module of that name; a file is named"),
        ("a..b", "there is no package or module of that name"),
        ("", "there is no package or module of that name"),
    ],
)
def test_what_cannot_be_loaded_is_refused(name: str, told: str, write: Write) -> None:
    write("folder/mine.txt", "")
    write("my-own.py", "")
    with pytest.raises(PackageError, match=f"^--load {name}: {told}".replace("?", r"\?")):
        load(name)
    assert loaded() == ()


INSTRUMENT = """
from relayish.transform import PassInstrument, register_instrument

@register_instrument()
class Names(PassInstrument):
    "Print names."

    def __init__(self, *, before: str = "") -> None:
        self.before = before

    def run_before_pass(self, mod, info):
        print(self.before + info.name)
"""


@each("command", ["opt", "bisect"])
def test_instrument_of_a_loaded_file_watches_passes(
    command: str, write: Write, program: Path, capsys: Capture
) -> None:
    write("mine.py", INSTRUMENT)
    words = ["--load", "mine.py", "-p", "FoldConstant", "--instrument", "names{before='* '}"]
    assert main([command, str(program), *words]) == 0
    assert "* FoldConstant\n" in capsys.readouterr().out


def test_unknown_instrument_is_refused_before_a_file_is_read(capsys: Capture) -> None:
    assert main(["opt", "nowhere", "--instrument", "tming"]) == 2
    assert "no instrument 'tming' is registered; did you mean Timing?" in capsys.readouterr().err


@each(
    ("name", "told"),
    [
        ("mine.py:DropLets", "--load mine.py, and DropLets\n"),
        ("mine.DropLets", "--load mine, and DropLets\n"),
        ("mine:DropLets", "--load mine, and DropLets\n"),
        ("./my-own.py:DropLets{a=1}", "--load ./my-own.py, and DropLets\n"),
        ("InferType,mine.py", "--load mine.py, and NAME\n"),
        ("DropLets", ""),
        ("DropLets{file='mine.py'}", ""),
        ("relayish.pass_.FoldConstan", ""),
    ],
)
def test_name_of_a_file_in_a_pipeline_is_told_to_be_loaded(
    name: str, told: str, capsys: Capture
) -> None:
    for option in ("-p", "--instrument"):
        assert main(["opt", "nowhere", option, name]) == 2
        shown = capsys.readouterr().err
        assert shown.endswith(told)
        assert ("--load" in shown) is bool(told)


ALL = """
import relayish as relay
from relayish.dataflow.functor import BackwardDataFlow
from relayish.dataflow.lattice import Powerset
from relayish.dataflow.registry import register_analysis
from relayish.ir.domains.domain import Domain
from relayish.ir.domains.property import Property
from relayish.op import register_op
from relayish.transform import register_check

register_op("mine.halve", arguments=("data",), rule=lambda call, data: data, description="Half.")

@register_analysis()
class UsedBelow(BackwardDataFlow):
    "Variables used from here on."
    lattice = Powerset()

    def visit_var(self, var, used):
        return used.add(var.name_hint)

@register_check("no_halves")
def check_halves(mod):
    if "mine.halve" in str(mod):
        raise relay.CheckError("there is a half", check="no_halves")

lattices = Domain("lattices", 900)
lattices.add("join", None, 2, Property.EXPR)

@relay.node("my_block")
class MyBlock(relay.Expr):
    body: relay.Expr
"""
HALVES = """#[version = "0.0.5"]
def @main(%x: Tensor[(2), float32]) {
  mine.halve(%x)
}
"""


@each(
    ("words", "code", "told"),
    [
        (["check", "halves.relay"], 0, "well formed and well typed"),
        (["print", "halves.relay"], 0, "\n  mine.halve(%x)\n"),
        (["analyse", "halves.relay", "-a", "used_below"], 0, "// after: {}"),
        (["analyse", "--list"], 0, "UsedBelow "),
        (["opt", "halves.relay", "-p", "InferType", "--verify", "no_halves"], 2, "there is a half"),
        (["bisect", "halves.relay", "-p", "InferType", "--check", "no_halves"], 2, "before any"),
        (["domains", "lattices"], 0, " join "),
        (["domains", "mine"], 0, " halve "),
        (["print", "block.relay"], 0, "node my_block(body=%x)"),
        (["show", "halves.relay"], 0, "1 halve"),
    ],
)
def test_whatever_a_loaded_file_registers_is_there_by_name(
    words: list[str], code: int, told: str, write: Write, capsys: Capture
) -> None:
    write("all.py", ALL)
    write("halves.relay", HALVES)
    write("block.relay", HALVES.replace("mine.halve(%x)", "node my_block(body=%x)"))
    with declared_temporarily():
        try:
            assert main([*words, "--load", "all.py"]) == code
        finally:
            sys.modules.pop("relayish.cli.loaded.all", None)
            os.environ[VARIABLE] = ""
    shown = capsys.readouterr()
    assert told in shown.out + shown.err
