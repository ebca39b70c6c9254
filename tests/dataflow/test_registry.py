"""Analyses by name: how they are registered, found, and given options."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import relayish as relay
from relayish.dataflow import (
    AnalysisRegistry,
    BackwardDataFlow,
    Direction,
    ForwardDataFlow,
    get_analysis,
    list_analyses,
    parse_analyses,
    register_analysis,
)
from relayish.dataflow.lattice import Powerset
from relayish.dataflow.registry import ANALYSES, analysis_entry
from relayish.dataflow.solver.analysis import Analysis
from relayish.errors import (
    AnalysisError,
    DeclarationError,
    DuplicateNameError,
    OptionError,
    PipelineError,
    UnknownNameError,
)

pytestmark = pytest.mark.usefixtures("declarations")


class _Used(BackwardDataFlow):
    """Variables used from here on.

    More of it.
    """

    lattice = Powerset()

    def __init__(self, *, without: tuple[str, ...] = (), most: int | None = None) -> None:
        super().__init__()
        self.without = without
        self.most = most


@pytest.fixture(autouse=True)
def used(declarations):
    register_analysis("UsedVariables")(_Used)


def test_an_analysis_is_found_in_any_case_with_underscores_or_without():
    names = ("UsedVariables", "usedvariables", "used_variables", "USED_VARIABLES")
    assert {type(get_analysis(name)) for name in names} == {_Used}


def test_each_asking_makes_a_new_analysis():
    assert get_analysis("UsedVariables") is not get_analysis("UsedVariables")


def test_an_analysis_goes_by_the_name_it_is_registered_under():
    assert get_analysis("used_variables").name == "UsedVariables"


def test_options_are_given_by_name():
    made = get_analysis("UsedVariables", without=("x",), most=3)
    assert (made.without, made.most) == (("x",), 3)


def test_options_are_read_from_text():
    made = get_analysis("used_variables{without=(x, 'y z'), most=none}")
    assert (made.without, made.most) == (("x", "y z"), None)


def test_options_given_by_name_go_before_written_ones():
    assert get_analysis("UsedVariables{most=1}", most=2).most == 2


def test_every_analysis_takes_the_options_of_the_solver():
    made = get_analysis("used_variables{widen_after=5, narrowing=0}")
    assert (made.widen_after, made.narrowing) == (5, 0)


def test_an_option_of_the_analysis_goes_before_that_of_the_solver():
    class Own(_Used):
        def __init__(self, *, widen_after: int = 9) -> None:
            super().__init__()
            self.given = widen_after

    register_analysis("Own")(Own)
    made = get_analysis("Own{widen_after=4}")
    assert (made.given, made.widen_after) == (4, Analysis.widen_after)
    assert [option.name for option in analysis_entry("Own").options] == ["widen_after", "narrowing"]


def test_several_analyses_are_read_from_one_text():
    first, second = parse_analyses("used_variables,UsedVariables{most=4}")
    assert (first.most, second.most) == (None, 4)


def test_an_entry_tells_direction_description_options_and_claimant():
    entry = analysis_entry("used_variables")
    assert (entry.name, entry.direction) == ("UsedVariables", Direction.BACKWARD)
    assert entry.description == "Variables used from here on."
    assert [str(option) for option in entry.own_options] == [
        "without: tuple[str, ...] = ()",
        "most: int | None = None",
    ]
    assert entry.claimant == f"{__name__}._Used"


def test_all_names_are_listed_in_order():
    register_analysis("AaFirst")(_Used)
    assert list_analyses()[0] == "AaFirst"
    assert "UsedVariables" in list_analyses()


def test_a_name_nobody_has_is_an_error_with_a_suggestion_and_the_place():
    with pytest.raises(UnknownNameError, match="did you mean UsedVariables") as info:
        parse_analyses("UsedVariables,UsedVariable")
    assert "column 15" in info.value.__notes__[0]


def test_two_claims_on_one_name_are_an_error_that_names_both():
    class Other(_Used):
        pass

    with pytest.raises(DuplicateNameError) as info:
        register_analysis("used_variables")(Other)
    assert f"{__name__}._Used and by {__name__}." in str(info.value)
    assert "register_analysis(..., replace=True)" in str(info.value)


def test_a_name_is_taken_from_another_where_that_is_asked_for():
    class Other(_Used):
        pass

    register_analysis("UsedVariables", replace=True)(Other)
    assert type(get_analysis("UsedVariables")) is Other


def test_an_unknown_option_is_an_error_with_a_suggestion():
    with pytest.raises(PipelineError, match="did you mean without") as info:
        get_analysis("UsedVariables{withot=(a)}")
    assert "analysis UsedVariables has no option 'withot'" in str(info.value)
    with pytest.raises(OptionError, match="it has without, most, widen_after, narrowing"):
        get_analysis("UsedVariables", depth=3)


@pytest.mark.parametrize("text", ["UsedVariables{most=many}", "UsedVariables{widen_after=1.5}"])
def test_an_option_of_the_wrong_type_is_an_error_that_names_it(text):
    with pytest.raises(
        PipelineError, match=r"option '\w+' of analysis UsedVariables: expected int"
    ):
        get_analysis(text)


def test_a_value_of_the_wrong_type_is_an_error_that_names_the_option():
    with pytest.raises(PipelineError, match="option 'most' of analysis UsedVariables: expected"):
        get_analysis("UsedVariables", most="many")


def test_one_analysis_is_asked_for_by_one_name():
    with pytest.raises(PipelineError, match="expected one analysis; found 2"):
        get_analysis("UsedVariables,UsedVariables")


def test_no_name_is_an_error_that_says_what_it_is_one_of():
    with pytest.raises(PipelineError, match="expected the name of an analysis; found nothing"):
        parse_analyses("")


def test_a_function_that_returns_an_analysis_is_registered_with_its_options():
    @register_analysis("Few")
    def few(*, most: int = 3) -> _Used:
        """Return variables used, a few of them."""
        return _Used(most=most)

    assert get_analysis("few{most=2}").most == 2
    assert get_analysis("few").name == "Few"
    assert analysis_entry("Few").direction is Direction.BACKWARD
    assert analysis_entry("Few").description == "Return variables used, a few of them."


def test_a_direction_is_given_where_what_a_function_returns_does_not_tell():
    def make():
        return _Used()

    with pytest.raises(DeclarationError, match="does not say in which direction"):
        register_analysis("Made")(make)
    register_analysis("Made", direction=Direction.BACKWARD)(make)
    assert analysis_entry("Made").direction is Direction.BACKWARD


def test_what_a_function_returns_is_checked():
    @register_analysis("Nothing", direction=Direction.FORWARD)
    def nothing():
        return None

    with pytest.raises(AnalysisError, match="must return an analysis; found None"):
        get_analysis("Nothing")


def test_an_option_that_can_be_given_by_position_is_refused():
    class Position(_Used):
        def __init__(self, most: int = 0) -> None:
            super().__init__(most=most)

    with pytest.raises(DeclarationError, match=r"'most'.*can be given by position; put it behind"):
        register_analysis()(Position)


def test_an_option_without_annotation_is_refused():
    class Bare(_Used):
        def __init__(self, *, most=0) -> None:
            super().__init__(most=most)

    with pytest.raises(DeclarationError, match=r"of analysis .*Bare must be annotated"):
        register_analysis()(Bare)


@pytest.mark.parametrize("made", [int, Analysis], ids=["int", "Analysis"])
def test_a_class_that_is_none_of_analyses_is_refused(made):
    with pytest.raises(DeclarationError):
        register_analysis("Wrong")(made)


@pytest.mark.parametrize("made", [3, "Liveness"])
def test_what_cannot_be_called_is_refused(made):
    with pytest.raises(DeclarationError, match="takes a class of analyses, or a function"):
        register_analysis("Wrong")(made)


def test_a_bare_decorator_is_refused():
    with pytest.raises(DeclarationError, match="stands bare before"):
        register_analysis(_Used)


def test_a_name_that_cannot_be_written_in_a_list_is_refused():
    with pytest.raises(DeclarationError, match="found 'two words'"):
        register_analysis("two words")(_Used)


def test_a_function_needs_a_name():
    def make() -> _Used:
        return _Used()

    with pytest.raises(DeclarationError, match=r"write @register_analysis\('TheName'\)"):
        register_analysis()(make)


def test_a_table_of_its_own_leaves_the_one_of_the_process_alone():
    names = AnalysisRegistry()

    @register_analysis(registry=names)
    class Mine(ForwardDataFlow):
        """Nothing."""

        lattice = Powerset()

    assert isinstance(names.get("mine").build({}), Mine)
    assert ANALYSES.find("Mine") is None


ELSEWHERE = """
from relayish.dataflow import ForwardDataFlow, register_analysis
from relayish.dataflow.lattice import Powerset
@register_analysis()
class Elsewhere(ForwardDataFlow):
    "Comes from elsewhere."
    lattice = Powerset()
"""


def run_with(tmp_path: Path, source: str, script: str) -> str:
    """Return what ``script`` prints where a distribution is installed that adds ``source``."""
    (tmp_path / "elsewhere.py").write_text(source)
    info = tmp_path / "elsewhere-2.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: elsewhere\nVersion: 2.0\n")
    (info / "entry_points.txt").write_text("[relayish.analyses]\nany-name = elsewhere\n")
    root = Path(relay.__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-c", f"import relayish as relay\n{script}"],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": f"{tmp_path}:{root}"},
    )
    return done.stdout.strip()


def test_analyses_of_all_languages_are_loaded_by_the_face_whether_it_was_used_or_not(monkeypatch):
    asked = []
    monkeypatch.setattr(relay, "_load_analyses", lambda: asked.append("all"))
    list_analyses()
    assert asked == ["all"]


def test_an_analysis_of_an_installed_distribution_is_used_like_any_other(tmp_path):
    script = (
        "print(relay.dataflow.get_analysis('elsewhere{widen_after=2}').widen_after)\n"
        "print(relay.dataflow.analysis_entry('Elsewhere').description)\n"
    )
    assert run_with(tmp_path, ELSEWHERE, script).splitlines() == ["2", "Comes from elsewhere."]


def test_an_entry_point_that_cannot_be_loaded_names_its_distribution(tmp_path):
    script = (
        "try:\n    relay.dataflow.list_analyses()\nexcept Exception as error:\n    print(error)\n"
    )
    message = run_with(tmp_path, "import no_such_module_at_all", script)
    assert message.startswith("cannot load the analyses that elsewhere adds through entry point")
