"""The text of a pipeline: ``InferType,FoldConstant{fold_qnn=false, names=(a, "b c")}``.

::

    pipeline := entry ("," entry)*
    entry    := name [ "{" [ option ("," option)* [","] ] "}" ]
    option   := name "=" value
    value    := word | string | "(" [ value ("," value)* [","] ] ")"      (or with "[" "]")

A name may be a global one, with dots. What a value means depends on the option it is given to.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NoReturn, TypeAlias

from relayish.errors import PipelineError

_TOKEN: Final = re.compile(
    r"""(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
    r"""|(?P<word>[^\s,{}()\[\]="']+)"""
    r"""|(?P<mark>[,{}()\[\]=])""",
    re.DOTALL,
)
_NAME: Final = re.compile(r"[A-Za-z_][\w.]*")
_CLOSING: Final = {"(": ")", "[": "]"}
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r"}


@dataclass(frozen=True, slots=True)
class Written:
    """A value as it stands in the text, quotes and escapes resolved."""

    text: str
    quoted: bool
    position: int

    def __str__(self) -> str:
        return repr(self.text)


@dataclass(frozen=True, slots=True)
class WrittenSequence:
    """Several values in parentheses or brackets."""

    items: tuple[WrittenValue, ...]
    position: int

    def __str__(self) -> str:
        return f"a sequence of {len(self.items)}"


WrittenValue: TypeAlias = Written | WrittenSequence


@dataclass(frozen=True, slots=True)
class WrittenOption:
    """``name=value``."""

    name: str
    value: WrittenValue
    position: int


@dataclass(frozen=True, slots=True)
class PassSpec:
    """One entry of a pipeline."""

    name: str
    options: tuple[WrittenOption, ...]
    position: int


def parse_specs(text: str, what: str = "a pass") -> tuple[PassSpec, ...]:
    """Return the entries of a pipeline, in order.

    Args:
        text: What is written.
        what: What entries are names of, for errors.

    Raises:
        PipelineError: If the text does not follow the grammar; points at the place.

    Complexity:
        Linear in the text; nested values use no Python stack.
    """
    return _Reader(text, what).read_pipeline()


def parse_value(text: str) -> WrittenValue:
    """Return the one value that ``text`` is."""
    return _Reader(text).read_only_value()


def is_name(text: str) -> bool:
    """Return whether a pass, or an option, can be called ``text`` in a pipeline."""
    return _NAME.fullmatch(text) is not None


def point_at(text: str, position: int) -> str:
    """Return the line of ``text`` that holds ``position``, with a caret below the place."""
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    line = text[start : end if end >= 0 else len(text)]
    return f"\n  {line}\n  {' ' * (position - start)}^"


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str  # "word", "string", "end", or the mark itself
    text: str
    position: int


class _Reader:
    def __init__(self, text: str, what: str = "a pass") -> None:
        self.text = text
        self.what = what
        self.tokens = self._split()
        self.next = 0

    def _split(self) -> list[_Token]:
        tokens: list[_Token] = []
        position = 0
        while position < len(self.text):
            if self.text[position].isspace():
                position += 1
                continue
            found = _TOKEN.match(self.text, position)
            if found is None:
                self.fail("this quote is never closed", position)
            kind = str(found.lastgroup)
            tokens.append(_Token(found[0] if kind == "mark" else kind, found[0], position))
            position = found.end()
        tokens.append(_Token("end", "the end of the pipeline", len(self.text)))
        return tokens

    def fail(self, message: str, position: int) -> NoReturn:
        raise PipelineError(f"{message} (column {position + 1}){point_at(self.text, position)}")

    def take(self) -> _Token:
        token = self.tokens[self.next]
        self.next = min(self.next + 1, len(self.tokens) - 1)
        return token

    def peek(self) -> str:
        return self.tokens[self.next].kind

    def read_pipeline(self) -> tuple[PassSpec, ...]:
        specs = [self.read_spec()]
        while (token := self.take()).kind == ",":
            specs.append(self.read_spec())
        if token.kind != "end":
            self.fail(f"expected a comma or the end; found {token.text!r}", token.position)
        return tuple(specs)

    def read_spec(self) -> PassSpec:
        name = self.take()
        if name.kind in (",", "end", "{"):
            self.fail(f"expected the name of {self.what}; found nothing", name.position)
        self.check_name(name, self.what)
        options = self.read_options() if self.peek() == "{" else ()
        return PassSpec(name.text, options, name.position)

    def read_options(self) -> tuple[WrittenOption, ...]:
        opening = self.take()
        options: dict[str, WrittenOption] = {}
        while self.peek() != "}":
            name = self.take()
            if name.kind == "end":
                self.fail("this brace is never closed", opening.position)
            self.check_name(name, "an option")
            if name.text in options:
                self.fail(f"option {name.text!r} is given twice", name.position)
            if self.peek() != "=":
                self.fail(
                    f"option {name.text!r} has no value; write {name.text}=...", name.position
                )
            self.take()
            options[name.text] = WrittenOption(name.text, self.read_value(), name.position)
            if self.peek() == ",":
                self.take()
            elif self.peek() == "end":
                self.fail("this brace is never closed", opening.position)
            elif self.peek() != "}":
                stray = self.take()
                self.fail(f"expected a comma or a brace; found {stray.text!r}", stray.position)
        self.take()
        return tuple(options.values())

    def check_name(self, token: _Token, what: str) -> None:
        if token.kind != "word" or not is_name(token.text):
            self.fail(f"expected the name of {what}; found {token.text!r}", token.position)

    def read_only_value(self) -> WrittenValue:
        value = self.read_value()
        token = self.take()
        if token.kind != "end":
            self.fail(f"expected one value; found {token.text!r} after it", token.position)
        return value

    def read_value(self) -> WrittenValue:
        """Read a value; sequences that are still open wait on a stack."""
        opened: list[tuple[_Token, list[WrittenValue]]] = []
        while True:
            value = self.read_piece(opened)
            if value is None:
                continue
            if not opened:
                return value
            opened[-1][1].append(value)
            if self.peek() == ",":
                self.take()
            elif self.peek() != _CLOSING[opened[-1][0].kind]:
                self.fail_unclosed(opened[-1][0])

    def read_piece(self, opened: list[tuple[_Token, list[WrittenValue]]]) -> WrittenValue | None:
        token = self.take()
        if token.kind == "word":
            return Written(token.text, quoted=False, position=token.position)
        if token.kind == "string":
            return Written(_unquote(token.text), quoted=True, position=token.position)
        if opened and token.kind == _CLOSING[opened[-1][0].kind]:
            opening, items = opened.pop()
            return WrittenSequence(tuple(items), opening.position)
        if opened and token.kind == "end":
            self.fail_unclosed(opened[-1][0])
        if token.kind not in _CLOSING:
            found = "nothing" if token.kind in (",", "}", "end") else repr(token.text)
            self.fail(f"expected a value; found {found}", token.position)
        opened.append((token, []))
        return None

    def fail_unclosed(self, opening: _Token) -> NoReturn:
        self.fail(f"this {opening.text!r} is never closed", opening.position)


def _unquote(literal: str) -> str:
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), literal[1:-1], flags=re.DOTALL)
