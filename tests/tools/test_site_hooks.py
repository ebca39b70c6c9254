"""What the site shows: every page of the documentation, in the order of its index."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tools.links import ROOT, homepage
from tools.notebooks import sources
from tools.site_markdown import DOCS, site_markdown
from tools.site_tree import navigation


def pages(nav: Any) -> Iterator[str]:
    """Yield the pages of a navigation, in order."""
    if isinstance(nav, str):
        yield nav
        return
    for entry in nav.values() if isinstance(nav, dict) else nav:
        yield from pages(entry)


def test_every_page_stands_in_the_navigation_once():
    shown = list(pages(navigation()))
    there = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    notebooks = {f"tutorial/{path.stem}.md" for path in sources()}
    assert not (there | notebooks).difference(shown), "list it in docs/index.md"
    assert len(set(shown)) == len(shown)


def test_pages_made_for_the_site_stand_in_the_navigation():
    made = {page for page in pages(navigation()) if not (DOCS / page).exists()}
    assert {"reference/functor.md", "operators/nn.md", "tutorial/1_first_pass.md"} <= made


def test_links_to_notebooks_lead_to_their_pages():
    found = site_markdown("[a](2_patterns.py#match)", DOCS / "tutorial")
    assert found == "[a](2_patterns.md#match)"


def test_pages_stand_in_the_order_of_the_index():
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    shown = [page for page in pages(navigation()) if f"]({page})" in index]
    listed = dict.fromkeys(re.findall(r"\]\(([\w/-]+\.md)\)", index))
    assert shown == list(listed)


def test_sections_are_the_headings_of_the_index():
    assert [next(iter(entry)) for entry in navigation()] == [
        "Home",
        "To learn by doing",
        "To get something done",
        "To look something up",
        "To understand why",
    ]


def test_pages_of_passes_stand_below_the_list_of_them():
    (passes,) = [e["Passes"] for e in navigation()[3]["To look something up"] if "Passes" in e]
    assert passes[0] == {"Overview": "passes.md"}
    assert passes[1] == "passes/relay/fold.md"


def test_links_that_leave_the_documentation_lead_to_the_repository():
    found = site_markdown("[a](../../examples#b), [c](fold.md)", DOCS / "passes")
    assert found == f"[a]({homepage()}/tree/main/examples#b), [c](fold.md)"
    assert site_markdown("[a](../README.md)", DOCS) == f"[a]({homepage()}/blob/main/README.md)"


def test_link_to_nothing_is_an_error():
    with pytest.raises(FileNotFoundError, match="which is not there"):
        site_markdown("[a](../GONE.md)", DOCS)


def test_examples_are_told_from_programs():
    found = site_markdown("```python\n>>> 1\n1\n```\n\n```python\nx = 1\n```\n", DOCS)
    assert found == "```pycon\n>>> 1\n1\n```\n\n```python\nx = 1\n```\n"


def test_site_and_distribution_tell_of_one_repository():
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert f"repo_url: {homepage()}\n" in settings
    assert "strict: true" in settings
    assert "font: false" in settings
    assert "site/\n" in (ROOT / ".gitignore").read_text(encoding="utf-8")
