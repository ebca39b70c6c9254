from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from relayish.errors import DuplicateNameError, PassError, UnknownNameError
from relayish.transform import EntryPointSource, PassRegistry, TableSource

PASS = """
from __future__ import annotations
from relayish.transform import ModulePass, register_pass
from demo_registry import REGISTRY
@register_pass(opt_level=1, registry=REGISTRY)
class {name}(ModulePass):
    def transform_module(self, mod, ctx):
        return mod
"""


DEMO = {"DemoOne": "demo_one", "DemoThree": "oddly_named", "DemoTwo": "demo_two"}


@pytest.fixture
def registry_of_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PassRegistry]:
    """A registry, and a package demo_passes that registers DemoOne and DemoTwo in it."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "demo_registry.py").write_text(
        "from relayish.transform import PassRegistry\nREGISTRY = PassRegistry()\n"
    )
    package = tmp_path / "demo_passes"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "demo_one.py").write_text(PASS.format(name="DemoOne"))
    (package / "demo_two.py").write_text(PASS.format(name="DemoTwo"))
    (package / "oddly_named.py").write_text(PASS.format(name="DemoThree"))
    __import__("demo_registry")
    yield sys.modules["demo_registry"].REGISTRY
    for name in [n for n in sys.modules if n.startswith("demo_")]:
        del sys.modules[name]


def test_pass_of_a_table_is_found_without_the_others(registry_of_package: PassRegistry) -> None:
    registry_of_package.add_source(TableSource("demo_passes", DEMO))
    assert registry_of_package.get("relayish.pass_.DemoThree").name == "DemoThree"
    assert "demo_passes.demo_two" not in sys.modules


def test_listing_imports_the_whole_package(registry_of_package: PassRegistry) -> None:
    registry_of_package.add_source(TableSource("demo_passes", DEMO))
    names = [entry.name for entry in registry_of_package.entries()]
    assert names == ["DemoOne", "DemoThree", "DemoTwo"]
    assert [entry.name for entry in registry_of_package.entries()] == names


@pytest.mark.parametrize("name", ["DemoFour", "not a name", ".", "demo-one", ""])
def test_name_that_no_source_has_is_unknown(registry_of_package: PassRegistry, name: str) -> None:
    registry_of_package.add_source(TableSource("demo_passes", DEMO))
    with pytest.raises(UnknownNameError, match="is registered"):
        registry_of_package.get(name)
    assert registry_of_package.find(name) is None


def test_later_source_is_not_imported_when_an_earlier_one_has_the_pass(
    registry_of_package: PassRegistry,
) -> None:
    registry_of_package.add_source(TableSource("demo_passes", DEMO))
    registry_of_package.add_source(TableSource("no_such_package", {"DemoFour": "four"}))
    assert registry_of_package.get("DemoThree").name == "DemoThree"
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        registry_of_package.entries()


def test_faulty_module_fails_with_its_own_error_each_time(
    registry_of_package: PassRegistry, tmp_path: Path
) -> None:
    (tmp_path / "demo_passes" / "zz_bad.py").write_text("1 / 0")
    registry_of_package.add_source(TableSource("demo_passes", DEMO | {"Bad": "zz_bad"}))
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            registry_of_package.entries()
    assert registry_of_package.get("DemoOne").name == "DemoOne"


def test_two_modules_that_claim_one_name_are_both_named(
    registry_of_package: PassRegistry, tmp_path: Path
) -> None:
    (tmp_path / "demo_passes" / "zz_again.py").write_text(PASS.format(name="DemoOne"))
    registry_of_package.add_source(TableSource("demo_passes", DEMO | {"Again": "zz_again"}))
    with pytest.raises(DuplicateNameError) as info:
        registry_of_package.entries()
    assert "demo_passes.demo_one.DemoOne and by demo_passes.zz_again.DemoOne" in str(info.value)


@pytest.fixture
def installed(tmp_path: Path, registry_of_package: PassRegistry) -> PassRegistry:
    """The registry, with demo_passes.demo_two as an entry point of an installed distribution."""
    info = tmp_path / "demo_dist-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: demo-dist\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[demo.group]\ntwo = demo_passes.demo_two\n")
    registry_of_package.add_source(EntryPointSource("demo.group"))
    return registry_of_package


def test_installed_distribution_adds_passes_through_its_entry_point(
    installed: PassRegistry,
) -> None:
    assert installed.get("DemoTwo").claimant == "demo_passes.demo_two.DemoTwo"
    assert [entry.name for entry in installed.entries()] == ["DemoTwo"]


def test_entry_point_that_cannot_be_loaded_names_its_distribution(
    installed: PassRegistry, tmp_path: Path
) -> None:
    (tmp_path / "demo_passes" / "demo_two.py").write_text("import no_such_module_at_all")
    with pytest.raises(PassError) as info:
        installed.get("DemoTwo")
    for part in ("demo-dist", "two = demo_passes.demo_two", "no_such_module_at_all", "uninstall"):
        assert part in str(info.value)
    assert isinstance(info.value.__cause__, ModuleNotFoundError)


def test_entry_point_of_no_distribution_is_named_without(monkeypatch: pytest.MonkeyPatch) -> None:
    lost = importlib.metadata.EntryPoint("lost", "no_such_module_at_all", "demo.group")
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [lost])
    with pytest.raises(PassError, match="that a distribution adds through entry point lost ="):
        EntryPointSource("demo.group").load()


def run_with(tmp_path: Path, source: str, script: str) -> str:
    """Return what ``script`` prints where a distribution is installed that adds ``source``."""
    (tmp_path / "elsewhere.py").write_text(source)
    info = tmp_path / "elsewhere-2.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: elsewhere\nVersion: 2.0\n")
    (info / "entry_points.txt").write_text("[relayish.passes]\nany-name = elsewhere\n")
    done = subprocess.run(
        [sys.executable, "-c", f"from relayish import transform\n{script}"],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(tmp_path)},
    )
    return done.stdout.strip()


ELSEWHERE = """
from relayish.transform import ModulePass, register_pass
@register_pass(opt_level=1, required=("InferType",))
class {name}(ModulePass):
    "Comes from elsewhere."
    times: int = 1
    def transform_module(self, mod, ctx):
        return mod
"""


@pytest.mark.slow("a process that imports every pass")
def test_pass_of_an_installed_distribution_is_used_like_any_other(tmp_path: Path) -> None:
    script = (
        "import relayish as relay\n"
        "pipeline = transform.parse_pipeline('Elsewhere{times=3}')\n"
        "print([p.info.name for p in pipeline.plan()], transform.Elsewhere(times=2).times)\n"
        "entry = transform.pass_entry('relayish.pass_.Elsewhere')\n"
        "print(entry.info.opt_level, entry.info.description, entry.options[0], entry.claimant)\n"
        "print({'Elsewhere', 'FoldConstant'} <= set(transform.list_passes()))\n"
    )
    assert run_with(tmp_path, ELSEWHERE.format(name="Elsewhere"), script).splitlines() == [
        "['InferType', 'Elsewhere'] 2",
        "1 Comes from elsewhere. times: int = 1 elsewhere.Elsewhere",
        "True",
    ]


@pytest.mark.slow("a process that imports every pass")
def test_distribution_that_claims_a_name_of_relayish_is_named_with_it(tmp_path: Path) -> None:
    script = (
        "print(type(transform.FoldConstant()).__module__)\n"
        "try:\n"
        "    transform.list_passes()\n"
        "except Exception as error:\n"
        "    print(error)\n"
    )
    own, message = run_with(tmp_path, ELSEWHERE.format(name="FoldConstant"), script).splitlines()
    assert own == "relayish.passes.relay.fold.fold_constant"
    for part in ("elsewhere adds", "fold.fold_constant.fold_constant and by elsewhere."):
        assert part in message
