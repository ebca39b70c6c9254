"""``relayish domains``."""

from __future__ import annotations

import re

import pytest

from relayish.cli.main import main
from relayish.ir.domains.domain import Domain, list_domains
from relayish.ir.domains.property import Property
from relayish.ir.registration.declarations import declared_temporarily


def test_all_domains_are_listed_with_every_operator(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["domains"]) == 0
    said = capsys.readouterr().out
    for domain in list_domains():
        assert f"domain {domain.name}, id {domain.id}\n" in said
    rows = re.findall(r"^ +\d+  \S", said, re.MULTILINE)
    assert len(rows) == sum(len(d.operators) + len(d.kinds) for d in list_domains())


def test_one_domain_is_listed_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["domains", "tir"]) == 0
    said = capsys.readouterr().out
    assert said.count("domain ") == 1
    assert re.search(r"^ +\d+  lt \(node\) +2  EXPR COMPARE BOOLEAN$", said, re.MULTILINE)
    assert re.search(r"^ +\d+  block \(node\) +\*  EX_CHILD SCF STMT$", said, re.MULTILINE)


def test_unknown_domain_is_refused_with_the_nearest_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["domains", "visoin"]) == 2
    assert "no domain 'visoin' is declared; did you mean vision?" in capsys.readouterr().err


def test_name_with_a_line_break_is_shown_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with declared_temporarily():
        lines = Domain("lines")
        lines.add("a\nb", None, 1, Property.EXPR)
        assert main(["domains", "lines"]) == 0
    assert capsys.readouterr().out.splitlines()[2].split() == ["0", "a\\nb", "1", "EXPR"]
