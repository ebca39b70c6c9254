"""The rooms of packages that have some: who may import whom."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tests.support.each import each
from tests.test_architecture import FILES, ROOT, Import, imports_of, module_name

# for each package, lowest first; those on one line are peers
ROOMS = {
    "relayish.ir": (
        ("values", "registration"),
        ("fields", "attributes"),
        ("domains",),
        ("nodes",),
        ("modules",),
        ("kinds",),
        ("scopes",),
        ("equality", "verification"),
        ("relay",),
    ),
    "relayish.passes": (
        ("loops",),
        ("relay", "core"),
        ("utility",),
        ("onnx",),
    ),
    "relayish.op": (
        ("declaration", "values"),
        ("types",),
        ("builders", "layouts"),
        ("tensor", "random"),
        ("nn", "runtime"),
        ("image", "qnn"),
        ("vision", "dyn"),
        ("contrib",),
    ),
    "relayish.tir.analysis": (
        ("values",),
        ("linear",),
        ("facts",),
        ("flow", "dependence"),
        ("regions",),
        ("work",),
    ),
}
PACKAGES = sorted(ROOMS)
HEIGHT = {
    package: {name: height for height, names in enumerate(rooms) for name in names}
    for package, rooms in ROOMS.items()
}
MODULES = [
    (package, path)
    for package in PACKAGES
    for path in FILES
    if module_name(path).startswith(f"{package}.")
]


def room_of(package: str, module: str) -> str | None:
    """Return the room of a module of a package; its face is in none."""
    prefix = f"{package}."
    return module.removeprefix(prefix).split(".")[0] if module.startswith(prefix) else None


def problems(package: str, imports: Iterable[Import]) -> list[str]:
    """Return the imports that do not point down."""
    heights = HEIGHT[package]
    return [
        f"{each.importer}:{each.line} imports {each.imported}"
        for each in imports
        if (there := room_of(package, each.imported)) is not None
        and (here := room_of(package, each.importer)) != there
        and heights[there] >= heights[str(here)]
    ]


@each(("package", "path"), MODULES)
def test_a_module_imports_only_from_rooms_below(package, path):
    assert problems(package, imports_of(path)) == []


@each("package", PACKAGES)
def test_every_module_is_in_a_room(package):
    found = {room_of(package, module_name(path)) for each, path in MODULES if each == package}
    assert found == set(HEIGHT[package])


@each("package", PACKAGES)
def test_the_picture_in_the_documentation_is_this_table(package):
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    picture = re.search(rf"<!-- rooms of {package} -->\n```text\n(.*?)```", text, re.DOTALL)
    assert picture is not None
    heads = [re.split(r"\s{3,}", line, maxsplit=1)[0] for line in picture[1].splitlines()]
    assert tuple(tuple(head.split(" | ")) for head in heads[::-1]) == ROOMS[package]


@each(
    ("package", "importer", "imported"),
    [
        ("relayish.op", "relayish.op.types.layout", "relayish.op.nn.product"),
        (
            "relayish.tir.analysis",
            "relayish.tir.analysis.values.interval",
            "relayish.tir.analysis.linear.linear_form",
        ),
    ],
)
def test_an_import_from_a_room_above_is_found(package, importer, imported):
    found = Import(importer, imported, 3, guarded=False)
    assert problems(package, [found]) == [f"{importer}:3 imports {imported}"]
