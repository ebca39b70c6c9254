"""The pages of the reference: one for each face, with an entry for everything that is its own."""

from __future__ import annotations

import ast
import enum
import inspect
import posixpath
from collections.abc import Iterator
from functools import cache, partial
from typing import Any, Final

from relayish.passes import PASSES
from relayish.transform import pass_entry
from tools.links import BRANCH, ROOT, repository_url
from tools.pass_page import page_of_pass
from tools.reference_docstrings import Link, docstring_markdown, summary
from tools.reference_faces import (
    Entry,
    attribute_docstring,
    bare_names,
    entries,
    faces,
    public_names,
    source_of,
)
from tools.reference_signatures import signature_text
from tools.site_examples import operator_example

FAMILIES: Final = {
    "relayish.op.tensor": "Tensors",
    "relayish.nn": "Neural networks",
    "relayish.nn.internal": "Neural networks: internal",
    "relayish.image": "Images",
    "relayish.vision": "Vision",
    "relayish.qnn": "Quantised networks",
    "relayish.dyn": "Sizes known when the program runs",
    "relayish.dyn.image": "Images of such sizes",
    "relayish.dyn.nn": "Neural networks of such sizes",
    "relayish.random": "Random numbers",
    "relayish.annotation": "Marks",
    "relayish.memory": "Memory",
    "relayish.vm": "The virtual machine",
}
"""Faces of operators, whose pages stand below that of all operators."""
TITLES: Final = {"relayish": "relayish: programs and what is used most"}


@cache
def pages() -> dict[str, str]:
    """Return the text of every page by its address within the documentation."""
    return {address(face): page(face) for face in faces() if public_names(faces()[face])}


def address(face: str) -> str:
    """Return where the page of a face is."""
    last = face.removeprefix("relayish.").replace(".", "_")
    return f"operators/{last}.md" if face in FAMILIES else f"reference/{last}.md"


def target(entry: Entry) -> tuple[str, str]:
    """Return the page and the anchor at which a thing is told of."""
    if is_told_by_pass_page(entry):
        return page_of_pass(entry.name), entry.path
    return address(entry.face), entry.path


def is_told_by_pass_page(entry: Entry) -> bool:
    """Return whether an entry is a pass that comes with the library: docs/passes tells of it."""
    return entry.name in PASSES and pass_entry(entry.name).factory is entry.thing


def url(entry: Entry, page_address: str) -> str:
    """Return a link to an entry, from a page."""
    there, anchor = target(entry)
    if there == page_address:
        return f"#{anchor}"
    return f"{posixpath.relpath(there, posixpath.dirname(page_address) or '.')}#{anchor}"


def page(face: str) -> str:
    """Return the page of a face: what it is, a table of its names, and its own entries."""
    module = faces()[face]
    link = partial(find_link, page_address=address(face), face=face)
    told = inspect.getdoc(module) or ""
    title = FAMILIES.get(face) or TITLES.get(face, face)
    if face in FAMILIES:
        told = f"The operators that are called `{prefix(face)}NAME` in Python.\n\n{told}"
    own = {id(e): e for e in entries().values() if e.face == face and not is_told_by_pass_page(e)}
    shown = [f"# {title}", docstring_markdown(told, link), names_table(face, link)]
    shown += [entry_markdown(entry, link) for entry in sorted(own.values(), key=_order)]
    return "\n\n".join(shown) + "\n"


def prefix(face: str) -> str:
    """Return what stands before the names of a family of operators, in Python."""
    return "relay." if face == "relayish.op.tensor" else face.replace("relayish", "relay", 1) + "."


def _order(entry: Entry) -> tuple[bool, str]:
    return not inspect.isclass(entry.thing), entry.name.lower()


def names_table(face: str, link: Link) -> str:
    """Return a table of all names of a face, each with a link to its entry and what it is."""
    lines = ["| name | what it is |", "| --- | --- |"]
    for name in public_names(faces()[face]):
        entry = entries().get(f"{face}.{name}")
        if entry is not None:
            where = url(entry, address(face))
            lines.append(f"| [`{name}`]({where}) | {summary(documentation(entry), link)} |")
        elif f"{face}.{name}" in faces() and public_names(faces()[f"{face}.{name}"]):
            there = posixpath.relpath(address(f"{face}.{name}"), posixpath.dirname(address(face)))
            lines.append(f"| [`{name}`]({there}) | a module |")
    return "\n".join(lines)


def entry_markdown(entry: Entry, link: Link) -> str:
    """Return the section of a thing: signature, documentation, members, where it is declared."""
    own = partial(_but_for, entry.name, link)
    shown = [f"## {entry.name} {{ #{entry.path} }}", details(entry, own)]
    return "\n\n".join(part for part in shown if part)


def _but_for(name: str, link: Link, asked: str) -> str | None:
    """Return where a name leads, if it is not the one that is being told of."""
    return None if asked == name else link(asked)


def details(entry: Entry, link: Link, *, told: str | None = None) -> str:
    """Return what the section of a thing says below its heading.

    Args:
        entry: The thing.
        link: Where names lead.
        told: What to show of its documentation, in place of all of it.
    """
    others = [name for name in entry.names if name != entry.path]
    shown = [
        "".join(f'<a id="{name}"></a>' for name in others),
        f"```python\n{signature_text(entry.path, entry.thing)}\n```",
        docstring_markdown(documentation(entry) if told is None else told, link),
        *_members(entry, link),
        operator_example(entry.path) if entry.face in FAMILIES else "",
        _footer(entry, others),
    ]
    return "\n\n".join(part for part in shown if part)


def documentation(entry: Entry) -> str:
    """Return the docstring of a thing: of a table or a constant, that below its assignment."""
    if inspect.isclass(entry.thing) or inspect.isroutine(entry.thing):
        return inspect.getdoc(entry.thing) or ""
    return attribute_docstring(entry) or inspect.getdoc(entry.thing) or ""


def _footer(entry: Entry, others: list[str]) -> str:
    told = []
    if others:
        told.append("Also " + ", ".join(f"`{name}`" for name in others) + ".")
    source = source_of(entry)
    if source is not None and source[0].is_relative_to(ROOT):
        path, line = source
        name = path.relative_to(ROOT).as_posix()
        told.append(f"Declared in [{name}]({repository_url(path, BRANCH)}#L{line}).")
    return f'<p class="source" markdown="1">{" ".join(told)}</p>' if told else ""


def _members(entry: Entry, link: Link) -> Iterator[str]:
    """Yield what a class has for everybody: fields, members of an enumeration, methods."""
    thing = entry.thing
    if not inspect.isclass(thing):
        return
    if issubclass(thing, enum.Enum):
        yield "**Members**\n\n" + ", ".join(f"`{member.name}`" for member in thing)
    bases = [base for base in thing.__bases__ if _public(base) is not None]
    if bases:
        known = [(base, _public(base)) for base in bases]
        told = ", ".join(f"[`{b.__name__}`]({link(e.path)})" for b, e in known if e is not None)
        yield f"A kind of {told}."
    fields = _fields(thing)
    if fields:
        yield "**Fields**\n\n" + "\n".join(
            f"* `{name}`: `{kind}`{'. ' + summary(doc, link) if doc else ''}"
            for name, kind, doc in fields
        )
    for name, member in _methods(thing):
        yield _method(entry, name, member, link)


def _method(entry: Entry, name: str, member: Any, link: Link) -> str:  # Any: as in a class
    function = member.fget if isinstance(member, property) else inspect.unwrap(_function(member))
    heading = name
    if not isinstance(member, property):
        heading = signature_text(name, function).replace("self, ", "").replace("(self)", "()")
        heading = heading.replace("    self,\n", "").replace("cls, ", "").replace("(cls)", "()")
    told = docstring_markdown(inspect.getdoc(function) or "", link)
    body = "\n\n".join(part for part in (f"```python\n{heading}\n```", told) if part)
    return f'<div class="member" id="{entry.path}.{name}" markdown="1">\n\n{body}\n\n</div>'


def _function(member: Any) -> Any:  # Any: as in a class
    return member.__func__ if isinstance(member, classmethod | staticmethod) else member


def _methods(thing: type) -> Iterator[tuple[str, object]]:
    """Yield methods and properties of a class, and of its bases that are not public, documented."""
    shown: set[str] = set()
    for base in thing.__mro__:
        if base is not thing and (_public(base) is not None or not _ours(base)):
            continue
        for name, member in vars(base).items():
            kinds = (property, classmethod, staticmethod)
            if name.startswith("_") or name in shown:
                continue
            if not (inspect.isfunction(member) or isinstance(member, kinds)):
                continue
            documented = member if isinstance(member, property) else _function(member)
            if documented.__doc__:
                shown.add(name)
                yield name, member


def _ours(base: type) -> bool:
    return base.__module__.partition(".")[0] == "relayish"


@cache
def _by_class() -> dict[type, Entry]:
    return {e.thing: e for e in entries().values() if inspect.isclass(e.thing)}


def _public(base: type) -> Entry | None:
    return _by_class().get(base)


def _fields(thing: type) -> list[tuple[str, str, str]]:
    """Return annotated fields of a class that are public: name, type, docstring."""
    try:
        tree = ast.parse(inspect.cleandoc("\n" + inspect.getsource(thing)))
    except (OSError, TypeError, SyntaxError):
        return []  # it is made while the program runs
    found: list[tuple[str, str, str]] = []
    (body,) = [statement.body for statement in tree.body if isinstance(statement, ast.ClassDef)]
    for statement, following in zip(body, [*body[1:], None], strict=True):
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        kind = ast.unparse(statement.annotation)
        if statement.target.id.startswith("_") or kind.startswith("ClassVar"):
            continue
        match following:
            case ast.Expr(ast.Constant(str(doc))):
                told = inspect.cleandoc(doc)
            case _:
                told = ""
        found.append((statement.target.id, kind, told))
    return found


def find_link(name: str, page_address: str, face: str = "relayish") -> str | None:
    """Return where a name in code leads, as written on a page; ``None`` if it names nothing public.

    A call may stand for what is called. Names in lower case without a dot are those of parameters
    more often than not, so they lead somewhere only with brackets, or if of several words.
    """
    called = name.endswith("()")
    plain = name.removesuffix("()")
    if not plain.replace(".", "").isidentifier():
        return None
    entry = _entry_of(plain, face, by_case=called or plain[:1].isupper() or "_" in plain)
    return None if entry is None else url(entry, page_address)


def _entry_of(name: str, face: str, *, by_case: bool) -> Entry | None:
    """Return what a name means to who reads of ``face``; a single word, only there."""
    known = entries()
    if "." in name:
        beginnings = ("", "relayish.", f"{face}.")
        spelt = name.replace("relay.", "relayish.", 1) if name.startswith("relay.") else name
        found = next((known[b + spelt] for b in beginnings if b + spelt in known), None)
        return found or _inner(spelt)
    if not by_case:
        return None
    is_word = name.islower() and "_" not in name
    inside = known.get(f"{face}.{name}") or known.get(f"relayish.{name}")
    return inside or (None if is_word else bare_names().get(name))


@cache
def _by_place() -> dict[str, Entry]:
    """Return entries by the module that declares them and their name there, as roles write it."""
    return {
        f"{entry.thing.__module__}.{entry.thing.__qualname__}": entry
        for entry in entries().values()
        if inspect.isclass(entry.thing) or inspect.isfunction(entry.thing)
    }


def _inner(path: str) -> Entry | None:
    """Return the entry of what a role names by the module it is declared in."""
    found = _by_place().get(path)
    if found is None and path.startswith("relayish."):
        found = bare_names().get(path.rpartition(".")[2])
    return found
