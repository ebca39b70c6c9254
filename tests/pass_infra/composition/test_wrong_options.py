"""What is said where a pass is made of what are no options."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.errors import OptionError, PipelineError
from relayish.transform import (
    AnnotateTarget,
    FoldConstant,
    PassRegistry,
    create_function_pass,
    get_pass,
    register_pass,
)

MOD = relay.IRModule.from_expr(relay.Function([], relay.const(1)))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: FoldConstant(fold_qn=True),
         r"^pass FoldConstant has no option 'fold_qn'; did you mean fold_qnn\?; it has"),
        (lambda: get_pass("FoldConstant", fold_qn=True), r"no option 'fold_qn'; did you mean fold"),
        (lambda: FoldConstant(MOD),
         r"^FoldConstant\(...\) makes a pass, of options; found a module; write FoldConstant\(\)"),
        (lambda: AnnotateTarget(MOD), r"write AnnotateTarget\(\.\.\.\)\(mod\)$"),
        (lambda: FoldConstant(True, 1, 2),
         r"^pass FoldConstant is given 3 options by position; it has fold_qnn, size_limit$"),
        (lambda: FoldConstant(True, fold_qnn=True), r"is given the option 'fold_qnn' twice$"),
        (AnnotateTarget,
         r"^pass AnnotateTarget must be given the option targets: str \| tuple\[str, ...\]$"),
    ],
)  # fmt: skip
def test_options_that_are_wrong_are_refused(make, message):
    with pytest.raises(OptionError, match=message) as caught:
        make()
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, PipelineError)


def test_options_of_a_factory_that_are_wrong_are_refused():
    names = PassRegistry()

    @register_pass("Made", opt_level=0, registry=names)
    def make(*, often: int = 1):
        return create_function_pass(lambda func, mod, ctx: func, 0)

    assert make(often=2).info.name == "Made"
    with pytest.raises(OptionError, match=r"^pass Made has no option 'oftn'; did you mean often\?"):
        make(oftn=2)


def test_pass_that_was_made_is_registered():
    names = PassRegistry()
    made = create_function_pass(lambda func, mod, ctx: func, 1, "Made")
    assert register_pass(made, registry=names).info == made.info
    assert names.get("Made").info.opt_level == 1
