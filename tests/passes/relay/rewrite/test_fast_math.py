"""Faster operators take the place of others."""

from __future__ import annotations

from relayish.analysis import count_nodes
from relayish.ir.relay.build import var
from relayish.op.builders.builder import op
from relayish.passes.relay.rewrite.fast_math import fast_math
from tests.support.deep import doublings


def test_arguments_attributes_and_sharing_stay() -> None:
    x = var("x", shape=(2, 3))
    image = fast_math(op.nn.softmax(x, axis=0))
    assert image.op.name == "nn.fast_softmax"
    assert image.args == (x,)
    assert image.attrs.axis == 0
    program = doublings(100, op.exp(x))
    assert count_nodes(fast_math(program)) == count_nodes(program)


def test_program_without_such_functions_is_returned_as_it_is() -> None:
    program = op.sqrt(var("x", shape=(2, 3)))
    assert fast_math(program) is program
