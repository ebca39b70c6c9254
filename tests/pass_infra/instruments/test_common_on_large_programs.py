"""Common options on programs that are deep, and on those that share."""

from __future__ import annotations

import io
import re

import pytest

from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.expr import Function
from relayish.ir.relay.module import IRModule
from relayish.text import parse
from relayish.transform import TraceFiles, create_function_pass, create_module_pass
from tests.support.deep import doublings, let_value
from tests.support.depth import DEPTH

Keep = create_function_pass(lambda func, _mod, _ctx: func, 0, "Keep")


@pytest.mark.deep
def test_a_deep_program_is_traced_written_and_read(tmp_path):
    path = str(tmp_path / "deep.rly")
    mod = IRModule({"main": Function((), let_value(min(DEPTH, 20_000)))})
    stream = io.StringIO()
    with TraceFiles(standard=stream):
        asked = Keep.with_common(
            trace_ir_after=True, trace_st_after=True, trace_stat=True, write_ir=path
        )
        assert asked(mod) is mod
    program = stream.getvalue().split("// after Keep\n")[1]
    assert structural_equal(parse(program), mod)
    seen = []
    look = create_module_pass(lambda m, _c: seen.append(m) or m, 0, "Look")
    look.with_common(read_ir=path)(IRModule())
    assert structural_equal(seen[0], mod)


def test_what_is_shared_counts_once(capsys):
    Keep.with_common(trace_stat=True)(IRModule({"main": Function((), doublings(100))}))
    counted = re.search(r"(\d+) nodes before, (\d+) after", capsys.readouterr().out)
    assert counted is not None
    assert int(counted[1]) == int(counted[2]) < 110
