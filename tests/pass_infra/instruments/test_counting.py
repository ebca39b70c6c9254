from __future__ import annotations

import pytest

from relayish import transform
from relayish.errors import PassError
from relayish.ir.relay.module import IRModule

KEEP = transform.create_module_pass(lambda m, _c: m, 0, "Keep")
COPY = transform.create_module_pass(lambda m, _c: IRModule(m.functions), 0, "Copy")
BAD = transform.create_module_pass(lambda _m, _c: None, 0, "Bad")


def test_runs_and_changes_are_counted_by_name(mod: IRModule) -> None:
    counts = transform.PassCountInstrument()
    with transform.PassContext(instruments=[counts]):
        transform.Sequential([KEEP, COPY, KEEP], name="S")(mod)
    assert counts.runs == {"Keep": 2, "Copy": 1, "S": 1}
    assert counts.changes == {"Copy": 1, "S": 1}
    assert counts.failures == {}


def test_failed_runs_are_counted_of_every_pass_around(mod: IRModule) -> None:
    counts = transform.PassCountInstrument()
    with pytest.raises(PassError), transform.PassContext(instruments=[counts]):
        transform.Sequential([KEEP, BAD, KEEP], name="S")(mod)
    assert counts.runs == {"Keep": 1, "Bad": 1, "S": 1}
    assert counts.failures == {"Bad": 1, "S": 1}


def test_counts_go_on_until_cleared(mod: IRModule) -> None:
    counts = transform.PassCountInstrument()
    for _ in range(3):
        with transform.PassContext(instruments=[counts]):
            KEEP(mod)
    assert counts.runs == {"Keep": 3}
    counts.clear()
    assert counts.runs == {}
    assert counts.render() == ""


def test_skipped_pass_is_not_counted(mod: IRModule) -> None:
    class Nothing(transform.PassInstrument):
        def should_run(self, mod, info):
            return False

    counts = transform.PassCountInstrument()
    with transform.PassContext(instruments=[counts, Nothing()]):
        KEEP(mod)
    assert counts.runs == {}


def test_rendering_lists_passes_in_the_order_in_which_they_ended(mod: IRModule) -> None:
    counts = transform.PassCountInstrument()
    with transform.PassContext(instruments=[counts]):
        transform.Sequential([KEEP, COPY], name="S")(mod)
    assert counts.render() == (
        "Keep: run 1 times, changed 0, failed 0\n"
        "Copy: run 1 times, changed 1, failed 0\n"
        "S: run 1 times, changed 1, failed 0\n"
    )
