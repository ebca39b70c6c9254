"""What one does on the page of a report, done in a browser."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.errors import PassError
from relayish.transform import create_module_pass
from tests.support.browser import wait_until

pytestmark = pytest.mark.references

MOD = relay.parse("""#[version = "0.0.5"]
def @main(%x: Tensor[(2), float32], %y: Tensor[(2), float32]) -> Tensor[(2), float32] {
  let %a = tanh(%y);
  let %b = exp(%a);
  let %c = sqrt(%b);
  %0 = add(1f, 2f);
  %1 = multiply(%x, %0);
  %2 = nn.relu(%1);
  %3 = nn.relu(%1);
  %4 = subtract(%2, %3);
  add(%4, %c)
}""")
PIPELINE = "EliminateCommonSubexpr,FoldConstant,FoldConstant"


def report(pipeline=PIPELINE):
    return relay.report(MOD, pipeline, opt_level=3)


@pytest.fixture
def page(opener):
    return opener.open(report().to_html())


def rows(page):
    """Return the names of the steps in the list."""
    return page.locator("#steps .step .name").all_text_contents()


def title(page):
    return page.locator("#step h2").text_content()


def test_required_pass_is_listed_when_it_is_unfolded(page):
    assert len(rows(page)) == 3
    page.click("#steps .fold")
    assert [row.split()[0] for row in rows(page)][:2] == [
        "InferType",
        "EliminateCommonSubexpr\u25be",
    ]


def test_step_shows_changed_lines_side_by_side_and_their_words(page):
    assert title(page).startswith("EliminateCommonSubexpr")
    assert page.locator("td.removed:not(.number)").all_text_contents() == [
        "  %3 = nn.relu(%1);",
        "  %4 = subtract(%2, %3);",
    ]
    assert page.locator("td.added:not(.number)").all_text_contents() == ["  %3 = subtract(%2, %2);"]
    assert page.locator("td.added .word").all_text_contents() == ["%2"]


def test_all_lines_are_shown_when_they_are_asked_for(page):
    short = page.locator(".text tr").count()
    page.check("#option-all")
    assert page.locator(".text tr").count() > short
    page.check("#option-types")
    assert "ty=float32" in page.locator(".text").inner_text()


def test_equal_step_is_quiet_and_shows_its_program(page):
    page.click("#steps .step >> nth=2")
    assert page.locator("#steps .step >> nth=2").get_attribute("class") == "step equal"
    assert title(page) == "FoldConstantunchanged"
    assert page.locator("td.removed, td.added").count() == 0
    assert "nn.relu" in page.locator(".text").inner_text()


def test_pictures_mark_changes_and_select_the_same_box(page):
    page.click("text=Picture")
    wait_until(page, "typeof relayish === 'object' && relayish.views.length === 2")
    assert page.locator(".mark").all_text_contents() == ["1 removed"]
    page.evaluate(
        "relayish.views[0].select(relayish.views[0].model.boxes.find("
        "(box) => box.title === 'multiply').key)"
    )
    chosen = "relayish.views.map((view) => view.model.boxes[view.chosen].title)"
    assert page.evaluate(chosen) == ["multiply", "multiply"]
    page.keyboard.press("n")
    assert page.locator(".walk").text_content() == "\u25c2 1 of 1 \u25b8"


def test_keys_and_the_address_choose_steps(opener):
    html = report().to_html()
    page = opener.open(html, "#step=3", color_scheme="dark")
    assert title(page).startswith("FoldConstant")
    page.keyboard.press("k")
    assert page.evaluate("location.hash") == "#step=2"
    assert title(page).startswith("EliminateCommonSubexpr")


def test_failed_step_is_shown_first_with_its_error(opener):
    def fail(mod, ctx):
        raise PassError("no <b>more</b>")

    done = report(["FoldConstant", create_module_pass(fail, 0, "Fail")])
    page = opener.open(done.to_html())
    assert title(page) == "Failfailed"
    assert "PassError: no <b>more</b>" in page.locator(".error").inner_text()
    assert page.locator("#steps .failed").count() == 1


def test_steps_are_chosen_in_a_cell_of_a_notebook(opener):
    page = opener.open(report()._repr_mimebundle_()["text/html"])
    page.click("text=step through")
    inside = page.frame_locator("iframe")
    inside.locator("#steps .step >> nth=1").click()
    assert inside.locator("#step h2").text_content() == "FoldConstantchanged"
