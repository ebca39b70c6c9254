from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from relayish.functor import ExprMutator
from relayish.ir.relay.expr import Expr, Function, Let, Var
from relayish.transform import create_function_pass, register_pass

PROGRAM = """#[version = "0.0.5"]
def @main(%x: Tensor[(2), float32]) -> Tensor[(2), float32] {
  add(%x, add(1f, 2f))
}
"""
LETS = """#[version = "0.0.5"]
def @main(%x: Tensor[(2), float32]) {
  let %half = multiply(%x, 0.5f);
  add(%half, 1f)
}
"""


@pytest.fixture
def usual_signals() -> Iterator[None]:
    """Signals mean what they mean in a terminal; what runs in the background may ignore some."""
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL}
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.relay"
    path.write_text(PROGRAM)
    return path


@pytest.fixture
def program_of_lets(tmp_path: Path) -> str:
    path = tmp_path / "lets.relay"
    path.write_text(LETS)
    return str(path)


class _LetDropper(ExprMutator):
    def visit_let(self, let: Let) -> Expr:
        return self.visit(let.body)


def _replace_params(func: Function, _mod: object, _ctx: object) -> Function:
    fresh = [Var(param.name_hint, param.type_annotation) for param in func.params]
    return func.with_fields(params=fresh)


@pytest.fixture
def losing_passes(declarations: None) -> None:
    """Register ``DropLets`` and ``NewParams``, after which nothing binds what is still used."""
    register_pass()(create_function_pass(lambda f, _m, _c: _LetDropper().visit(f), 0, "DropLets"))
    register_pass()(create_function_pass(_replace_params, 0, "NewParams"))
