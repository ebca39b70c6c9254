"""One browser for all tests of pages, and pages that must be without errors and requests."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="package")
def browser():
    pytest.importorskip("playwright")
    from tests.support.browser import started_browser  # noqa: PLC0415 - skips without playwright

    with started_browser() as browser:
        yield browser


@pytest.fixture
def opener(browser, tmp_path):
    from tests.support.browser import Opener  # noqa: PLC0415 - as above

    opener = Opener(browser, tmp_path)
    yield opener
    opener.close()


@pytest.fixture
def show(opener):
    """Open a diagram; return its page."""
    from relayish.draw.page.page import make_page  # noqa: PLC0415 - pages alone need it
    from tests.support.browser import wait_until  # noqa: PLC0415 - as above

    def show(diagram, fragment="", **options):
        page = opener.open(make_page(diagram), fragment, **options)
        wait_until(page, "performance.getEntriesByName('relayish:painted').length")
        return page

    return show
