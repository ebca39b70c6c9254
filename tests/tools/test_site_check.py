"""What is wrong with a built site is told."""

from __future__ import annotations

import pytest

from tools.links import documentation
from tools.site_check import broken_links, loaded_from_elsewhere, untold_names


@pytest.fixture
def site(tmp_path):
    """A site of two pages."""
    (tmp_path / "b").mkdir()
    (tmp_path / "index.html").write_text('<a href="b/#x">b</a> <a href="https://x.test">x</a>')
    (tmp_path / "b" / "index.html").write_text('<h1 id="x">B</h1><a href="..">up</a>')
    return tmp_path


def test_sound_site_has_no_fault(site):
    assert not list(broken_links(site))
    assert not list(loaded_from_elsewhere(site))
    assert not list(untold_names(site, ["x"]))


def test_link_to_no_page_and_link_to_no_anchor_are_told(site):
    (site / "index.html").write_text('<a href="c/">c</a><a href="b/#y">y</a>')
    assert list(broken_links(site)) == [
        "index.html: c/ leads to no file",
        "index.html: b/#y leads to no anchor",
    ]


def test_whole_address_of_the_site_is_a_link_within(site):
    page, start = site / "b" / "index.html", documentation()
    page.write_text(f'<h1 id="x">B</h1><a href="{start}">a</a><a href="{start}c/#x">c</a>')
    assert list(broken_links(site)) == [f"b/index.html: {start}c/#x leads to no file"]


def test_script_from_elsewhere_is_told(site):
    (site / "index.html").write_text('<script src="https://x.test/a.js"></script>')
    assert list(loaded_from_elsewhere(site)) == ["index.html: loads https://x.test/a.js"]


def test_name_without_an_anchor_is_told(site):
    assert list(untold_names(site, ["x", "z"])) == ["z has no entry"]
