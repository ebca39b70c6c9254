"""What mkdocs asks while it builds the site: which pages there are, and what each shows."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
from mkdocs.structure.files import File

from tools import reference_pages
from tools.site_gallery import gallery_markdown, gallery_pictures
from tools.site_links import link_names
from tools.site_markdown import site_markdown
from tools.site_notebooks import notebook_pages, notebooks
from tools.site_passes import pass_page_markdown
from tools.site_pictures import pictures
from tools.site_search import raise_names
from tools.site_tree import DOCS, navigation


def on_config(config: Any) -> Any:  # Any: a MkDocsConfig, as is what is returned
    """Let the navigation be what ``docs/index.md`` lists."""
    config["nav"] = navigation()
    return config


def on_files(files: Any, config: Any) -> Any:  # Any: Files and a MkDocsConfig
    """Add the pages that are made for the site alone, and notebooks to take along."""
    for address, content in generated_pages().items():
        files.append(File.generated(config, address, content=content))
    for address, picture in {**pictures(), **gallery_pictures()}.items():
        files.append(File.generated(config, address, content=picture))
    for name, notebook in notebooks().items():
        files.append(File.generated(config, f"{name}.ipynb", content=nbformat.writes(notebook)))
    return files


@cache
def generated_pages() -> dict[str, str]:
    """Return the text of each page that is made for the site, by its address."""
    return {**reference_pages.pages(), **notebook_pages()}


def on_page_markdown(markdown: str, page: Any, **_: object) -> str:  # Any: a Page
    """Show more on the site than the file says: links, entries of the reference, pictures."""
    address = page.file.src_uri
    if address in reference_pages.pages():
        return markdown
    shown = gallery_markdown(address, pass_page_markdown(address, markdown))
    return link_names(site_markdown(shown, (DOCS / address).parent), address)


def on_post_build(config: Any) -> None:  # Any: a MkDocsConfig
    """Let the search find a name before longer ones that begin with it.

    Hooks come last, so that the plugin of the search has written its index.
    """
    path = Path(config["site_dir"]) / "search" / "search_index.json"
    index = json.loads(path.read_text(encoding="utf-8"))
    raise_names(index["docs"])
    path.write_text(json.dumps(index, separators=(",", ":")), encoding="utf-8")
