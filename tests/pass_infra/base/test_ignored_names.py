"""Names in a pass context that no pass has."""

from __future__ import annotations

import subprocess
import sys

import pytest

from relayish.errors import ConfigError, IgnoredNameWarning
from relayish.transform import PassContext, create_module_pass


@pytest.mark.parametrize("what", ["disabled_pass", "required_pass"])
def test_misspelt_name_is_warned_of_with_a_suggestion(what):
    with pytest.warns(IgnoredNameWarning) as caught:
        PassContext(**{what: ["FoldConstnat", "InferType"]})
    (warning,) = caught
    assert str(warning.message) == (
        f"PassContext: {what} names 'FoldConstnat', and there is no such pass; "
        f"did you mean FoldConstant?"
    )
    assert warning.filename == __file__


def test_names_of_passes_are_taken_short_and_global():
    ctx = PassContext(disabled_pass=["FoldConstant", "relayish.pass_.InferType"])
    assert ctx.disabled_pass == ("FoldConstant", "InferType")


def test_name_of_a_pass_that_is_not_registered_is_taken_once_it_is_made():
    create_module_pass(lambda mod, ctx: mod, 0, "NowhereRegistered")
    assert PassContext(disabled_pass=["NowhereRegistered"]).disabled_pass == ("NowhereRegistered",)


def test_name_that_is_right_imports_no_other_pass():
    program = """
        import sys
        from relayish.transform import PassContext
        PassContext(disabled_pass=["FoldConstant"])
        print([name for name in sys.modules if name.endswith("fuse_ops")])
    """
    script = "\n".join(line.strip() for line in program.splitlines())
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("trace", r"no argument 'trace'; pass instruments=\[...\], .* see @pass_instrument"),
        ("opt_lvl", r"no argument 'opt_lvl'; did you mean opt_level\?; it has opt_level, req"),
    ],
)
def test_argument_that_there_is_not_is_refused(name, message):
    with pytest.raises(ConfigError, match=message):
        PassContext(**{name: 1})
