"""Links of pages that are read elsewhere than in the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.links import homepage, link_to_repository, own_file, replace_links, repository_url


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout of two pages."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# Docs\n")
    (tmp_path / "README.md").write_text("# Tiny\n")
    (tmp_path / "pyproject.toml").write_text(
        '[project.urls]\nHomepage = "https://x.test/tiny"\nDocumentation = "https://tiny.test/d/"\n'
    )
    return tmp_path


def test_links_to_files_are_replaced_with_their_anchors():
    assert replace_links("[a](b.md) [c](d/e.md#f)", str.upper) == "[a](B.MD) [c](D/E.MD#f)"


@pytest.mark.parametrize(
    "text",
    [
        "[a](#b)",
        "[a](https://x.test/b.md)",
        "`[a](b.md)`",
        "``[a](b.md) ` ``",
        "```python\n[a](b.md)\n```",
    ],
)
def test_other_links_and_code_stay(text):
    assert replace_links(text, str.upper) == text


def test_links_behind_code_are_found():
    text = "``a`` [`b`](c.md) `d` [e](f.md)"
    assert replace_links(text, str.upper) == "``a`` [`b`](C.MD) `d` [e](F.MD)"


def test_page_links_to_the_repository(root):
    text = link_to_repository("[a](../README.md#b), [c](.)", root / "docs", "v1.2.0", root)
    assert text == (
        "[a](https://x.test/tiny/blob/v1.2.0/README.md#b), [c](https://x.test/tiny/tree/v1.2.0/docs)"
    )


def test_link_to_what_is_not_there_is_refused(root):
    with pytest.raises(FileNotFoundError, match="which is not there"):
        repository_url(root / "gone.md", "main", root)


def test_homepage_is_that_of_the_distribution(root):
    assert homepage(root) == "https://x.test/tiny"


@pytest.mark.parametrize(
    ("address", "file"),
    [
        ("https://tiny.test/d/", "docs/index.md"),
        ("https://tiny.test/d/#top", "docs/index.md"),
        ("https://tiny.test/d/how-to/add/#b", "docs/how-to/add.md"),
        ("https://tiny.test/d/pictures/a.png", "docs/pictures/a.png"),
        ("https://x.test/tiny/blob/main/README.md#b", "README.md"),
        ("https://x.test/tiny/tree/main/docs/how-to", "docs/how-to"),
    ],
)
def test_address_of_the_project_shows_a_file(root, address, file):
    assert own_file(address, root) == root / file


@pytest.mark.parametrize(
    "address",
    [
        "https://x.test/tiny/issues",
        "https://x.test/tiny/blob/v1.2.0/README.md",
        "https://y.test/d/",
    ],
)
def test_other_address_shows_no_file_of_the_checkout(root, address):
    assert own_file(address, root) is None
