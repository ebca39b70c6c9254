"""Python source as a tree: blocks of lines, functions, branches, and variables read far off.

Python nests no more than a hundred levels. What stands deeper becomes a function at the top, a
*unit*. Such a function reads the variables of the functions it stood in from *frames*, objects with
one attribute for each variable that is read so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

LEVELS: Final = 12
"""How many levels of blocks stand in each other before a function at the top takes the next."""

INNER: Final = 64
"""How many functions stand in one at the top: for each, Python copies all names around it."""


class Activation:
    """A function of the program, or a whole definition; each call of it has variables of its own.

    Attributes:
        level: How many functions of the program are around it.
        frame: What its frame is called; ``None`` while nobody needs one.
    """

    __slots__ = ("frame", "level", "outer")

    def __init__(self, outer: Activation | None) -> None:
        self.outer = outer
        self.level: int = 0 if outer is None else outer.level + 1
        self.frame: str | None = None


class Unit:
    """What stands together in one function at the top.

    Attributes:
        around: The function it is a part of, or was inside of, whose frame it is given; ``None``
            if there is none.
        inner: How many functions stand in it.
    """

    __slots__ = ("around", "inner")

    def __init__(self, around: Activation | None = None) -> None:
        self.around = around
        self.inner = 0


class Name:
    """A variable of the source, assigned to in one unit and one activation.

    Attributes:
        is_far: Whether another unit reads it, so that it has to stand in the frame as well.
    """

    __slots__ = ("activation", "is_far", "text", "unit")

    def __init__(self, text: str, unit: Unit, activation: Activation) -> None:
        self.text = text
        self.unit = unit
        self.activation = activation
        self.is_far = False


class Assignment:
    """``a, b = value``."""

    __slots__ = ("names", "target", "value")

    def __init__(self, names: Sequence[Name], value: str, target: str | None = None) -> None:
        self.names = names
        self.target = names[0].text if target is None else target
        self.value = value


class Branches:
    """``if``, ``elif`` and ``else``: conditions, ``None`` for the last, and what follows."""

    __slots__ = ("cases",)

    def __init__(self) -> None:
        self.cases: list[tuple[str | None, Block]] = []


class Definition:
    """A function of the source.

    Attributes:
        name: The variable that holds it; text for functions at the top.
        given: Text of parameters before those of the program.
        opens: The activation that calling it begins; ``None`` where it is part of the one around.
    """

    __slots__ = ("block", "decorator", "given", "name", "opens", "params")

    def __init__(
        self,
        name: Name | str,
        params: Sequence[Name],
        block: Block,
        *,
        given: str = "",
        opens: Activation | None = None,
        decorator: str = "",
    ) -> None:
        self.name = name
        self.params = params
        self.block = block
        self.given = given
        self.opens = opens
        self.decorator = decorator


Item: TypeAlias = str | Assignment | Branches | Definition


class Block:
    """Lines of one indentation.

    Attributes:
        level: How many blocks of its unit are around it.
        scopes: The scopes of the program that are evaluated here, so that what belongs to one of
            them is at hand in all that follows when it is computed here.
        fetched: The variables that hold the values of shared nodes here.
    """

    __slots__ = ("fetched", "items", "level", "scopes")

    def __init__(self, level: int, scopes: set[int]) -> None:
        self.level = level
        self.scopes = scopes
        self.items: list[Item] = []
        self.fetched: dict[object, Name] = {}


def render(definition: Definition) -> Iterator[str]:
    """Yield the lines of a function at the top."""
    pending: list[tuple[int, Item]] = [(0, definition)]
    while pending:
        indent, item = pending.pop()
        margin = "    " * indent
        if isinstance(item, str):
            yield margin + item
        elif isinstance(item, Assignment):
            yield f"{margin}{item.target} = {item.value}"
            yield from (margin + line for line in _stores(item.names))
        elif isinstance(item, Definition):
            pending += [(indent, line) for line in _behind(item)]
            pending += [(indent + 1, inner) for inner in reversed(item.block.items)]
            yield from _head(item, margin)
        else:
            for index in reversed(range(len(item.cases))):
                condition, block = item.cases[index]
                pending += [(indent + 1, inner) for inner in reversed(block.items)]
                word = "elif" if index else "if"
                pending.append((indent, "else:" if condition is None else f"{word} {condition}:"))


def _head(item: Definition, margin: str) -> Iterator[str]:
    if item.decorator:
        yield f"{margin}@{item.decorator}"
    name = item.name if isinstance(item.name, str) else item.name.text
    params = ", ".join([text for text in (item.given, *[p.text for p in item.params]) if text])
    yield f"{margin}def {name}({params}):"
    opened = item.opens
    if opened is not None and opened.frame is not None:
        outer = "" if opened.outer is None else opened.outer.frame
        yield f"{margin}    {opened.frame} = Frame({outer})"
        yield from (f"{margin}    {line}" for line in _stores(item.params))


def _behind(item: Definition) -> list[str]:
    return [] if isinstance(item.name, str) else list(_stores([item.name]))


def _stores(names: Sequence[Name]) -> Iterator[str]:
    for name in names:
        if name.is_far:
            yield f"{name.activation.frame}.{name.text} = {name.text}"


def read(name: Name, unit: Unit) -> str:
    """Return the text by which what stands in ``unit`` reads ``name``."""
    if name.unit is unit:
        return name.text
    name.is_far = True
    around = unit.around
    assert around is not None
    if name.activation is around:
        return f"{around.frame}.{name.text}"
    return f"{around.frame}[{name.activation.level}].{name.text}"
