"""The search of the built site, where ``RELAYISH_SITE`` says in which folder that is."""

from __future__ import annotations

import functools
import http.server
import json
import os
import threading
from pathlib import Path

import pytest

from tests.support.browser import started_browser
from tests.support.each import each

FOLDER = os.environ.get("RELAYISH_SITE", "")
pytestmark = pytest.mark.references
SEARCHED = {
    "conv2d": "operators/nn/#relayish.nn.conv2d",
    "FoldConstant": "passes/relay/fold/#foldconstant",
    "ExprMutator": "reference/functor/#relayish.ExprMutator",
}


@pytest.fixture(autouse=True, scope="module")
def _built():
    if not FOLDER:
        pytest.skip("RELAYISH_SITE says of no site that was built")


@each("word", list(SEARCHED))
def test_index_of_the_search_has_the_name_before_longer_ones(word):
    documents = json.loads((Path(FOLDER) / "search/search_index.json").read_text())["docs"]
    found = {d["location"]: d.get("boost", 1) for d in documents if d["title"].startswith(word)}
    assert found.pop(SEARCHED[word]) >= max(found.values(), default=0)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address():
    """Where the site is served, on this machine alone."""
    handler = functools.partial(Quiet, directory=FOLDER)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser():
    """A browser for all words."""
    with started_browser() as started:
        yield started


@pytest.mark.parametrize("word", SEARCHED)
def test_search_shows_the_name_first(word, address, browser):
    page, asked, told = browser.new_page(), [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: told.append(message.text))
    page.goto(address, wait_until="networkidle")
    page.click("input[name=query]")
    page.keyboard.type(word, delay=20)
    page.wait_for_selector(".md-search-result__item h2")
    first = page.evaluate("document.querySelectorAll('.md-search-result__item a')[1].href")
    page.close()
    shown = first.removeprefix(address).partition("?")
    assert f"{shown[0]}#{shown[2].partition('#')[2]}" == SEARCHED[word]
    assert not [url for url in asked if not url.startswith((address, "blob:", "data:"))]
    assert not told
