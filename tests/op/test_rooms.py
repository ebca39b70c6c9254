"""The rooms of ``relayish/op``: who may import whom."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tests.support.each import each
from tests.test_architecture import FILES, ROOT, Import, imports_of, module_name

# lowest first; those on one line are peers
ROOMS = (
    ("declaration", "values"),
    ("types",),
    ("builders", "layouts"),
    ("tensor", "random"),
    ("nn", "runtime"),
    ("image", "qnn"),
    ("vision", "dyn"),
    ("contrib",),
)
HEIGHT = {name: height for height, names in enumerate(ROOMS) for name in names}
PREFIX = "relayish.op."

MODULES = [path for path in FILES if module_name(path).startswith(PREFIX)]


def room_of(module: str) -> str | None:
    """Return the room of a module of ``relayish.op``; its face is in none."""
    return module.removeprefix(PREFIX).split(".")[0] if module.startswith(PREFIX) else None


def problems(imports: Iterable[Import]) -> list[str]:
    """Return the imports that do not point down."""
    return [
        f"{each.importer}:{each.line} imports {each.imported}"
        for each in imports
        if (there := room_of(each.imported)) is not None
        and (here := room_of(each.importer)) != there
        and HEIGHT[there] >= HEIGHT[str(here)]
    ]


@each("path", MODULES)
def test_a_module_imports_only_from_rooms_below(path):
    assert problems(imports_of(path)) == []


def test_every_module_is_in_a_room():
    assert {room_of(module_name(path)) for path in MODULES} == set(HEIGHT)


def test_the_picture_in_the_documentation_is_this_table():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    picture = re.search(r"<!-- rooms -->\n```text\n(.*?)```", text, re.DOTALL)
    assert picture is not None
    heads = [re.split(r"\s{3,}", line, maxsplit=1)[0] for line in picture[1].splitlines()]
    assert tuple(tuple(head.split(" | ")) for head in heads[::-1]) == ROOMS


def test_an_import_from_a_room_above_is_found():
    found = Import("relayish.op.types.layout", "relayish.op.nn.product", 3, guarded=False)
    assert problems([found]) == ["relayish.op.types.layout:3 imports relayish.op.nn.product"]
