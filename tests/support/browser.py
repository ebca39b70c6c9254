"""A browser that tests steer: the system's Chromium, by Playwright; without either, tests skip."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

sync_api = pytest.importorskip("playwright.sync_api")

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def find_chromium() -> str:
    """Return the path of a browser; skip the test if there is none."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    path = os.environ.get("RELAYISH_CHROMIUM", found)
    if path is None:
        pytest.skip("there is no Chromium to open pages in")
    return path


@contextmanager
def started_browser() -> Iterator[sync_api.Browser]:
    """Start a browser, and end it."""
    path = find_chromium()
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield browser
        browser.close()


def wait_until(page: sync_api.Page, expression: str) -> None:
    """Wait until an expression is true; what waits in the page itself its policy forbids."""
    for _ in range(250):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"in five seconds it did not come to be that {expression}")


class Opener:
    """Opens pages from files and notes what must not happen: errors, warnings, requests.

    Attributes:
        faults: What happened that must not.
    """

    def __init__(self, browser: sync_api.Browser, folder: Path) -> None:
        self.browser = browser
        self.folder = folder
        self.faults: list[str] = []
        self.contexts: list[sync_api.BrowserContext] = []

    def open(self, html: str, fragment: str = "", **options: object) -> sync_api.Page:
        """Return a page that shows ``html``, when it has been painted."""
        path = self.folder / f"page{len(self.contexts)}.html"
        path.write_text(html, encoding="utf-8")
        context = self.browser.new_context(viewport={"width": 1280, "height": 800}, **options)
        self.contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("console", lambda message: self.faults.append(f"console: {message.text}"))
        page.on("request", lambda request: self._note(request.url, path.as_uri()))
        page.goto(path.as_uri() + fragment)
        return page

    def _note(self, url: str, own: str) -> None:
        if url.partition("#")[0] != own:
            self.faults.append(f"request: {url[:200]}")

    def close(self) -> None:
        for context in self.contexts:
            context.close()
        assert self.faults == []
