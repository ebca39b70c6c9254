"""The class diagram of visitors is what the classes are."""

from __future__ import annotations

from tools.class_diagram import GENERATED, diagram


def test_diagram_in_the_documentation_is_what_is_generated() -> None:
    assert GENERATED.difference(GENERATED.text()) == ""


def test_diagram_says_what_derives_from_what() -> None:
    drawn = diagram()
    assert "StatementCtx <|-- TransformCtx" in drawn
    assert "NullHandler <|-- BlockNullHandler" in drawn
