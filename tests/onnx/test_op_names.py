"""Names of domains of ONNX here."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relayish.ir.domains.domain import Domain
from relayish.ir.nodes.node import declared_temporarily
from relayish.onnx.op_names import domain_of, is_onnx_domain, onnx_domain_of
from tests.support.seeds import quickly

_ODD = ["", ".", "..", "a..b", "_u2d_", "_u_", "_u2d", "1.2", "a.1", "a-b", "ai.onnx.ml", "é", "\n"]


@pytest.mark.parametrize("name", _ODD)
def test_domain_of_a_name_that_is_none_here_is_told_from_others(name):
    assert onnx_domain_of(domain_of(name)) == name
    assert is_onnx_domain(domain_of(name))


@quickly(40)
@given(st.lists(st.sampled_from(["_u", "2d", "_", ".", "a", "-", "é", "0"])).map("".join))
def test_domain_is_a_name_here_and_leads_back(name):
    there = domain_of(name)
    assert onnx_domain_of(there) == name
    with declared_temporarily():
        assert Domain(f"made_up.{there}").name.endswith(there)  # a legal name


@pytest.mark.parametrize("name", ["", "relay", "onnxish", "my.onnx"])
def test_other_domains_are_none_of_onnx(name):
    assert not is_onnx_domain(name)
