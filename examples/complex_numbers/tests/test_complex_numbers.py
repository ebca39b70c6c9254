"""The package, used as from outside: nothing of relayish knows of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from complex_numbers import COMPLEX, NUMBER, Repeat, make, mul, norm

import relayish as relay
from relayish.binary import read_binary, write_binary
from relayish.domain import AnalyzeCtx, DefaultHandler, TransformCtx, Visitor, verify
from relayish.ir.kinds.opcode import domain_of
from relayish.transform import InferType, Sequential


def program(times: int = 3) -> relay.IRModule:
    """Return the squared absolute value of (x + xi) ** (2 ** times), as a function of x."""
    x, z = relay.var("x", "float32"), relay.var("z")
    return relay.IRModule.from_expr(
        relay.Function([x], norm(Repeat(z, make(x, x), times, mul(z, z))))
    )


def test_kinds_and_operators_belong_to_the_domain() -> None:
    loop = program()["main"].body.args[0]
    assert (domain_of(loop), loop.operator.name) == (COMPLEX, "repeat")
    assert sorted(COMPLEX.operators) == ["make", "mul", "norm"]


def test_program_is_typed() -> None:
    assert str(InferType()(program())["main"].checked_type) == "fn (float32) -> float32"


def test_program_of_other_types_is_refused() -> None:
    x = relay.var("x", "float32")
    wrong = relay.IRModule.from_expr(relay.Function([x], mul(x, x)))
    with pytest.raises(relay.TypeInferenceError, match="argument 0 must be of type"):
        InferType()(wrong)


@pytest.mark.parametrize("times", [0, 1, 3])
def test_program_is_evaluated(times: int) -> None:
    expected = abs(complex(2, 2) ** (2**times)) ** 2
    np.testing.assert_allclose(relay.evaluate(program(times)["main"])(2.0), expected, rtol=1e-5)


def test_lowered_program_has_the_value_and_knows_nothing_of_the_domain() -> None:
    lowered = Sequential(["LowerComplex", "InferType"])(program())
    assert "complex" not in relay.astext(lowered)
    before = relay.evaluate(program()["main"])(1.5)
    np.testing.assert_allclose(relay.evaluate(lowered["main"])(1.5), before, rtol=1e-5)


def test_annotations_are_lowered_with_the_program() -> None:
    x, z, last = relay.var("x", "float32"), relay.var("z", NUMBER), relay.var("last", NUMBER)
    body = relay.Let(last, Repeat(z, make(x, x), 2, mul(z, z)), norm(last))
    func = relay.Function([x], body, relay.scalar_type("float32"))
    lowered = Sequential(["LowerComplex", "InferType"])(relay.IRModule.from_expr(func))
    assert verify(lowered) == ()
    np.testing.assert_allclose(relay.evaluate(lowered["main"])(2.0), 8.0**4)


def test_unrolled_steps_have_variables_of_their_own() -> None:
    x, z, step = relay.var("x", "float32"), relay.var("z"), relay.var("step")
    func = relay.Function([x], norm(Repeat(z, make(x, x), 3, relay.Let(step, mul(z, z), z))))
    lowered = Sequential(["LowerComplex", "InferType"])(relay.IRModule.from_expr(func))
    assert verify(lowered) == ()
    np.testing.assert_allclose(relay.evaluate(lowered["main"])(2.0), 8.0)


def test_broken_program_is_refused_with_the_reason() -> None:
    (violation,) = verify(program(-1))
    assert violation.message == "found -1 repetitions; expected 0 or more"
    assert isinstance(violation.node, Repeat)
    assert verify(program()) == ()


def test_loop_of_no_steps_is_simplified() -> None:
    simplified = Sequential(["SimplifyDomains"])(program(0))["main"]
    x = simplified.params[0]
    assert relay.structural_equal(simplified.body, norm(make(x, x)))


def test_program_is_written_and_read(tmp_path: Path) -> None:
    mod = InferType()(program())
    assert relay.structural_equal(relay.parse(relay.astext(mod)), mod)
    write_binary(mod, tmp_path / "program.rly")
    assert relay.structural_equal(read_binary(tmp_path / "program.rly"), mod)


@pytest.mark.parametrize("context", [AnalyzeCtx, TransformCtx])
def test_program_is_visited(context: type[AnalyzeCtx]) -> None:
    func = program()["main"]
    visited = Visitor(context(), DefaultHandler("relay"), DefaultHandler("complex")).visit(func)
    assert visited is (func if context is TransformCtx else None)


def test_command_finds_the_package_by_its_entry_points(tmp_path: Path) -> None:
    source = tmp_path / "program.relay"
    source.write_text(relay.astext(program()))
    done = subprocess.run(
        [sys.executable, "-m", "relayish", "opt", str(source), "--passes", "LowerComplex"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert relay.structural_equal(
        relay.parse(done.stdout)["main"], Sequential(["LowerComplex"])(program())["main"]
    )
