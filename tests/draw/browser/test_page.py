"""What one does on a page, done in a browser; each page must be without errors and requests."""

from __future__ import annotations

import re
import struct

import pytest

from relayish.draw.diagram import Box, BoxKind, Diagram
from tests.support.browser import wait_until
from tests.support.diagrams import chain, cyclic, hostile, leaps, marked, small, wide

pytestmark = pytest.mark.references

DIAGRAMS = {
    "small": small,
    "marked": marked,
    "cyclic": cyclic,
    "hostile": hostile,
    "wide": lambda: wide(40),
    "scopes": lambda: chain(60, per_scope=7, skip=3),
    "leaps": lambda: leaps(200),
    "empty": lambda: chain(0),
}


def told(page):
    """Return what the panel says."""
    return page.locator(".relayish-details").inner_text()


def heading(page):
    return page.locator(".relayish-details h2").text_content()


def geometry(page):
    return {box["key"]: box for box in page.evaluate("relayish.views[0].geometry()")}


def shown(page):
    """Return how many boxes are shown, as the page itself says."""
    page.evaluate("relayish.views[0]._paint()")  # which else waits for the next frame
    return int(page.locator(".relayish-status").inner_text().partition(" ")[0].replace(",", ""))


def place_of(page, key, corner=False):
    """Return where a box is on the screen: its middle, or its upper left corner."""
    return page.evaluate(
        """([key, corner]) => {
            const view = relayish.views[0], { x, y, scale } = view.camera;
            const box = view.geometry().find((each) => each.key === key);
            const { left, top } = view.stage.getBoundingClientRect();
            const aside = corner ? 10 : box.width / 2, down = corner ? 14 : box.height / 2;
            return [left + (box.left + aside - x) * scale, top + (box.top + down - y) * scale];
        }""",
        [key, corner],
    )


def click(page, key, *, corner=False, **options):
    page.mouse.click(*place_of(page, key, corner), **options)


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def overlapping(boxes):
    """Return the pairs of siblings that overlap, and boxes that reach out of those around them."""
    found = []
    by_parent = {}
    for box in boxes.values():
        by_parent.setdefault(box["parent"], []).append(box)
        around = boxes.get(box["parent"])
        if around and not (
            around["left"] <= box["left"]
            and around["top"] <= box["top"]
            and box["left"] + box["width"] <= around["left"] + around["width"]
            and box["top"] + box["height"] <= around["top"] + around["height"]
        ):
            found.append((box["key"], "leaves", around["key"]))
    for siblings in by_parent.values():
        siblings.sort(key=lambda box: box["top"])
        for number, one in enumerate(siblings):
            for two in siblings[number + 1 :]:
                if two["top"] >= one["top"] + one["height"]:
                    break
                if (
                    one["left"] < two["left"] + two["width"]
                    and two["left"] < one["left"] + one["width"]
                ):
                    found.append((one["key"], "overlaps", two["key"]))
    return found


@pytest.mark.parametrize("name", DIAGRAMS)
def test_page_shows_every_box_apart_without_error_or_request(show, name):
    diagram = DIAGRAMS[name]()
    page = show(diagram)
    press(page, "]")
    assert shown(page) == len(diagram.boxes)
    assert overlapping(geometry(page)) == []


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("op:power", ["power"]),
        ("type:float32[64", ["nn.conv2d"]),
        ("attr:strides=[2", ["nn.conv2d"]),
        ("name:if/else/out", ["else"]),
        ("POWER if/then", ["power"]),
        ("small.relay:3", ["nn.conv2d"]),
        ("op:power name:else", []),
    ],
)
def test_search_finds_by_name_operator_type_and_attribute(show, query, found):
    page = show(small())
    press(page, "/")
    page.keyboard.type(query)
    rows = page.locator(".relayish-results li span:first-child")
    assert rows.all_text_contents() == found


def test_enter_goes_from_match_to_match_and_unfolds_what_hides_it(show):
    page = show(small())
    press(page, "[", "/")
    page.keyboard.type("out")
    press(page, "Enter")
    assert heading(page) == "then"
    press(page, "Enter")
    assert heading(page) == "else"
    assert page.locator(".relayish-search [role=status]").inner_text() == "2 of 2"
    assert "main/if/else/out" in geometry(page)
    press(page, "Escape", "n")
    assert page.locator(".relayish-results").is_hidden()


def test_fold_hides_what_is_inside_and_unfold_shows_it_where_it_was(show):
    page = show(small())
    before = geometry(page)
    click(page, "main/if", corner=True)
    assert shown(page) == 7
    assert overlapping(geometry(page)) == []
    page.mouse.dblclick(*place_of(page, "main/if"))
    assert geometry(page) == before
    click(page, "main/if/else/multiply")
    press(page, "f")
    assert shown(page) == 12
    assert "main/if/else" in geometry(page)


def test_what_is_folded_stays_under_the_pointer(show):
    page = show(chain(40, per_scope=5))
    before = place_of(page, "/layer.1", corner=True)
    click(page, "/layer.1", corner=True)
    assert place_of(page, "/layer.1", corner=True) == pytest.approx(before, abs=0.01)


def test_boxes_are_folded_by_kind(show):
    page = show(small())
    page.get_by_role("button", name="fold or unfold blocks").click()
    assert shown(page) == 9
    press(page, "2")
    assert shown(page) == 7
    press(page, "1")
    assert shown(page) == 1
    page.get_by_role("button", name="unfold all").click()
    assert shown(page) == 15


def test_click_shows_what_is_known_of_a_box(show):
    page = show(small())
    click(page, "main/conv")
    words = told(page)
    for fact in ("%1 = nn.conv2d(%x, weight)", "small.relay:3:8", "strides", "[2, 2]"):
        assert fact in words
    assert "weight: float32[64, 64]" in words
    assert "low -1" in words
    assert page.locator(".relayish-histogram span").count() == 16


def test_links_lead_to_operands_and_users_and_back(show):
    page = show(small())
    click(page, "main/conv")
    page.locator(".relayish-details section", has_text="Users").get_by_text("nn.relu").click()
    assert heading(page) == "nn.relu"
    assert page.url.endswith("#main%2Frelu")
    page.go_back()
    wait_until(page, "relayish.views[0].details.querySelector('h2').textContent === 'nn.conv2d'")
    page.go_forward()
    wait_until(page, "relayish.views[0].details.querySelector('h2').textContent === 'nn.relu'")


def test_operands_are_told_by_their_names(show):
    page = show(small())
    click(page, "main/if/then/power")
    rows = page.locator(".relayish-details section", has_text="Operands").locator("li")
    assert [" ".join(text.split()) for text in rows.all_inner_texts()] == [
        "base nn.conv2d capture · float32[1, 64, 56, 56]",
        "exponent %2",
    ]


def test_shift_click_shows_every_way_through_branches_too(show):
    page = show(small())
    click(page, "main/conv")
    page.keyboard.down("Shift")
    click(page, "main/result")
    page.keyboard.up("Shift")
    way = page.locator(".relayish-way").inner_text()
    assert re.fullmatch(r"\d+ boxes on the ways between nn.conv2d and result", way)
    number = page.evaluate("relayish.views[0].model.number.get('main/conv')")
    keys = page.evaluate(
        f"relayish.views[0].path({number}, relayish.views[0].model.number.get('main/result'))"
    )
    assert {"main/relu", "main/if/then/power", "main/if/then/out", "main/if"} <= set(keys)
    assert {"main/x", "main/flag", "main/if/else/retry"}.isdisjoint(keys)


def test_no_way_is_told(show):
    page = show(small())
    click(page, "main/flag")
    click(page, "main/relu")
    press(page, "s")
    assert page.locator(".relayish-way").inner_text().startswith("no way leads between greater and")


def test_table_counts_operators_and_goes_through_them(show):
    page = show(chain(12))
    row = page.locator(".relayish-operators tr", has_text="nn.relu")
    assert row.locator("td").last.inner_text() == "2"
    button = row.locator("button")
    keys = []
    for _ in range(3):
        button.click()
        keys.append(page.evaluate("decodeURIComponent(location.hash)"))
    assert keys == ["#main/2", "#main/8", "#main/2"]
    assert len(page.evaluate("[...relayish.views[0].state.only]")) == 2


def test_legend_lets_a_family_stand_out_until_it_is_clicked_again(show):
    page = show(small())
    chip = page.locator(".relayish-chip", has_text="elementwise")
    chip.click()
    names = "[...relayish.views[0].only].map((box) => relayish.views[0].model.nameOf(box))"
    assert page.evaluate(names) == ["power", "multiply"]
    chip.click()
    assert page.evaluate("relayish.views[0].only") is None


def test_keys_move_zoom_walk_and_help(show):
    page = show(small())
    camera = "(({ x, y, scale }) => [x, y, scale])(relayish.views[0].camera)"
    press(page, "0")
    fitted = page.evaluate(camera)
    press(page, "ArrowDown", "ArrowRight", "+")
    moved = page.evaluate(camera)
    assert [a < b for a, b in zip(fitted, moved, strict=True)] == [True, True, True]
    press(page, "0")
    assert page.evaluate(camera) == pytest.approx(fitted)
    click(page, "main/x")
    walked = []
    for key in ("j", "j", "k", "o", "i"):
        press(page, key)
        walked.append(heading(page))
    assert walked == ["nn.conv2d", "nn.relu", "nn.conv2d", "@main", "x"]
    press(page, "?")
    assert page.get_by_role("dialog").is_visible()
    press(page, "Escape")
    assert page.get_by_role("dialog").is_hidden()
    press(page, "Escape")
    assert heading(page) == "small"


def test_key_saves_what_is_seen_as_an_image(show):
    page = show(small())
    with page.expect_download() as saved:
        page.keyboard.press("e")
    image = saved.value.path().read_bytes()
    width, height = struct.unpack_from(">II", image, 16)  # of the first chunk
    seen = page.evaluate("[relayish.views[0].canvas.width, relayish.views[0].canvas.height]")
    assert (saved.value.suggested_filename, [width, height]) == ("small.png", seen)


def test_fragment_finds_a_box_in_a_folded_one(show):
    diagram = chain(900, per_scope=40)
    page = show(diagram, "#main%2F555")
    assert "%555 = nn.relu" not in told(page)
    assert "model.relay:555:3" in told(page)
    assert "main/555" in geometry(page)
    assert len(geometry(page)) < len(diagram.boxes)


@pytest.mark.parametrize("fragment", ["#nowhere", "#%E0%A4%A", "#__proto__"])
def test_fragment_that_names_nothing_is_passed_over(show, fragment):
    assert heading(show(small(), fragment)) == "small"


def test_names_are_text_whatever_they_are_made_to_do(show):
    page = show(hostile())
    titles = page.locator(".relayish-operators button").all_text_contents()
    assert "</script><script>throw 1</script>" in titles
    assert "bell \\x07 escape \\x1b[31m" in titles
    assert "right \\u202e to left" in titles
    for key in ("__proto__", "emoji 🦜 and עברית", "quotes \" ' ` & &amp;"):
        assert page.evaluate("(key) => relayish.views[0].select(key)", key)
        assert heading(page) == key
        assert page.evaluate("decodeURIComponent(location.hash.slice(1))") == key
    assert page.locator("img").count() == 0


def test_dark_follows_the_system_and_the_key(show):
    page = show(small(), color_scheme="dark")
    theme = page.locator("[data-theme]")
    paper = "getComputedStyle(relayish.views[0].element).backgroundColor"
    assert theme.get_attribute("data-theme") == "dark"
    dark = page.evaluate(paper)
    press(page, "t")
    assert theme.get_attribute("data-theme") == "light"
    assert page.evaluate(paper) != dark


def test_edges_under_the_pointer_are_told(show):
    page = show(chain(3))
    x, y = place_of(page, "main/0")
    _, below = place_of(page, "main/1")
    page.mouse.move(x, (y + below) / 2)
    hint = page.locator(".relayish-hint")
    assert hint.inner_text() == "nn.conv2d → nn.batch_norm\nfloat32[1, 64, 56, 56]"
    page.mouse.move(x + 200, y)
    assert hint.is_hidden()


def test_edges_too_long_to_be_drawn_are_links(show):
    page = show(leaps(200))
    stub = page.evaluate("""() => {
        const view = relayish.views[0];
        const stub = view.scene.stubs.find((each) => each.direction > 0 && each.y < 400);
        const { x, y, scale } = view.camera, stage = view.stage.getBoundingClientRect();
        return [stage.left + (stub.x - 20 - x) * scale, stage.top + (stub.y + 10 - y) * scale,
            view.model.boxes[stub.other].key];
    }""")
    page.mouse.click(*stub[:2])
    assert page.evaluate("decodeURIComponent(location.hash)") == f"#{stub[2]}"


def test_map_moves_what_is_looked_at(show):
    page = show(chain(300))
    before = page.evaluate("relayish.views[0].camera.y")
    box = page.locator(".relayish-map").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.75)
    down = page.evaluate("relayish.views[0].camera.whole.height")
    assert before < 0
    assert page.evaluate("relayish.views[0].camera.y") == pytest.approx(down * 0.75, rel=0.05)


def test_wheel_pans_and_with_control_zooms_at_the_pointer(show):
    page = show(chain(50))
    key = "main/5"
    page.mouse.move(*place_of(page, key))
    before = place_of(page, key)
    page.mouse.wheel(0, 100)
    wait_until(page, "relayish.views[0].camera.y > 0")
    assert place_of(page, key)[1] == pytest.approx(before[1] - 100)
    page.mouse.move(*place_of(page, key))
    before = place_of(page, key)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -50)
    page.keyboard.up("Control")
    wait_until(page, "relayish.views[0].camera.scale > 0.9")
    assert place_of(page, key) == pytest.approx(before, abs=1.5)


COUNTER = """() => {
    const { fillText } = CanvasRenderingContext2D.prototype;
    globalThis.texts = [];
    CanvasRenderingContext2D.prototype.fillText = function (...given) {
        globalThis.texts.push(given[0]);
        return fillText.apply(this, given);
    };
}"""


@pytest.mark.parametrize("make", [lambda: chain(3000, skip=50), lambda: wide(1000)])
def test_only_what_is_seen_is_painted(show, make):
    page = show(make())
    page.evaluate(COUNTER)
    press(page, "ArrowRight")
    wait_until(page, "texts.length > 0")
    painted = page.evaluate("texts")
    assert {"nn.conv2d", "nn.relu"} < set(painted)
    assert len(painted) < 100


def test_lines_of_an_open_box_are_written_beside_its_title(show):
    diagram = Diagram("open")
    loop = diagram.add(Box(BoxKind.LOOP, "for", "for", lines=("extent = 7", "parallel")))
    diagram.add(Box(BoxKind.OPERATOR, "add", "add", loop))
    page = show(diagram)
    page.evaluate(COUNTER)
    press(page, "+")
    wait_until(page, "texts.length > 0")
    assert "loop · extent = 7 · parallel" in page.evaluate("texts")


def test_views_in_one_page_select_each_other(opener):
    from relayish.draw.page.document import make_document  # noqa: PLC0415 - pages alone need it
    from relayish.draw.page.page import embed_json, viewer_script, viewer_style  # noqa: PLC0415

    documents = [make_document(small()), make_document(marked())]
    data = "".join(
        f'<div class="half" style="height:380px"></div><script type="application/json">'
        f"{embed_json(document)}</script>"
        for document in documents
    )
    script = """
        globalThis.selected = [];
        for (const half of document.querySelectorAll(".half"))
            relayish.view(half, JSON.parse(half.nextElementSibling.textContent), {
                panel: false, map: false, onselect: (key) => selected.push(key),
            });
    """
    page = opener.open(
        f"<meta charset=utf-8><style>{viewer_style()}</style>{data}"
        f"<script>{viewer_script()}{script}</script>"
    )
    assert page.evaluate("relayish.views[1].select('main/2')")
    assert not page.evaluate("relayish.views[0].select('main/2')")
    assert page.evaluate("selected") == ["main/2"]
    assert page.evaluate("relayish.views[1].select('')")
    assert page.evaluate("selected") == ["main/2", ""]
    assert page.evaluate("location.hash") == ""
    assert page.locator(".relayish-panel:visible").count() == 0


@pytest.mark.slow("opens 10,000 boxes twice, and scrolls through them")
@pytest.mark.parametrize("per_scope", [0, 40])
def test_ten_thousand_boxes_open_within_a_second_and_scroll(show, per_scope):
    diagram = chain(10_000, per_scope=per_scope, skip=50)
    painted = "performance.getEntriesByName('relayish:painted')[0].startTime"
    # the best of some: what else the machine does is not what is measured
    times = []
    for _ in range(5):
        page = show(diagram)
        times.append(page.evaluate(painted))
        if times[-1] < 1000:
            break
    assert min(times) < 1000
    frames = page.evaluate(
        """async () => {
            const view = relayish.views[0], times = [];
            for (let frame = 0; frame < 40; frame++) {
                const start = performance.now();
                view.camera.pan(0, 700);
                view._paint();
                times.push(performance.now() - start);
                await new Promise(requestAnimationFrame);
            }
            return times.sort((one, two) => one - two);
        }"""
    )
    assert frames[len(frames) // 2] < 50
