"""The class diagram in docs/domains.md, generated from the classes of visitors."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Final

import relayish.domain
from relayish.domain import AnalyzeCtx, Handler, Visitor
from relayish.domain.driver import Traced
from tools.generated import ROOT, Generated

PAGE: Final = ROOT / "docs" / "domains.md"
REGION: Final = re.compile(r"(?<=```mermaid\n).*?(?=```\n)", re.DOTALL)
ROOTS: Final = (Traced, AnalyzeCtx, Handler, Visitor)
"""Whose subclasses are drawn, as far as the package shows them."""


def classes() -> list[type]:
    """Return the classes that are drawn: bases first, in the order of their roots."""
    shown = [getattr(relayish.domain, name) for name in vars(relayish.domain)["__all__"]]
    found = {cls: None for cls in (*ROOTS, *shown) if inspect.isclass(cls)}
    drawn = [cls for cls in found if issubclass(cls, ROOTS)]
    return sorted(drawn, key=lambda cls: ([issubclass(cls, r) for r in ROOTS], len(cls.__mro__)))


def members(cls: type) -> Iterator[str]:
    """Yield what a class itself adds for its users: attributes, then methods with parameters."""
    own = {name: value for name, value in vars(cls).items() if not name.startswith("_")}
    stated = [name for name in inspect.get_annotations(cls) if not name.startswith("_")]
    methods = {name: value for name, value in own.items() if inspect.isfunction(value)}
    yield from sorted({*stated, *own} - set(methods))
    for name in sorted(methods):
        parameters = list(inspect.signature(methods[name]).parameters)[1:]
        yield f"{name}({', '.join(parameters)})"


def diagram() -> str:
    """Return the diagram as Mermaid has it."""
    drawn = classes()
    lines = ["classDiagram"]
    for cls in drawn:
        held = [f"        {member}" for member in members(cls)]
        lines += (
            [f"    class {cls.__name__} {{", *held, "    }"]
            if held
            else [f"    class {cls.__name__}"]
        )
    for cls in drawn:
        lines += [f"    {b.__name__} <|-- {cls.__name__}" for b in cls.__bases__ if b in drawn]
    lines += [
        "    Visitor --> AnalyzeCtx : context",
        "    Visitor o-- Handler : one for each domain",
    ]
    return "\n".join(lines) + "\n"


def page() -> str:
    """Return the text of the page, with the diagram as it is now."""
    return REGION.sub(lambda _: diagram(), PAGE.read_text(encoding="utf-8"))


GENERATED: Final = Generated(PAGE, page)
