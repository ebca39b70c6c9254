"""docs/passes.md and docs/passes/*.md, generated from the registry and from tests/cases/passes."""

from __future__ import annotations

import ast
import builtins
import doctest
import inspect
import re
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from pathlib import Path

import relayish as relay
from relayish.op.declaration.target import register_target_support
from relayish.passes import PASSES
from relayish.text import astext, parse
from relayish.transform import PassContext, PassEntry, parse_pipeline, pass_entry
from tools.generated import ROOT, Generated

INDEX = ROOT / "docs" / "passes.md"
CASES = ROOT / "tests" / "cases" / "passes"
HEADER = '#[version = "0.0.5"]\n'

FACE = frozenset(vars(relay)["__all__"])


def rooms() -> dict[str, list[str]]:
    """Return the passes of each room; those that stand in that of a language are pipelines."""
    found: dict[str, list[str]] = {}
    for name, module in PASSES.items():
        room = module.rpartition(".")[0]
        found.setdefault("pipelines" if room == "relay" else room, []).append(name)
    return found


def page_of_pass(name: str) -> str:
    """Return where the page is that tells of a pass, within the documentation."""
    room = PASSES[name].rpartition(".")[0]
    return _address("pipelines" if room == "relay" else room)


def _address(room: str) -> str:
    """Return where the page of a room is, from that of the index."""
    return f"passes/{room.replace('.', '/')}.md"


def title(room: str) -> str:
    """Return what the first line of the package says it holds, without the full stop."""
    if room == "pipelines":
        return "Default pipelines"
    package = import_module(f"relayish.passes.{room}")
    return inspect.cleandoc(package.__doc__ or "").splitlines()[0].rstrip(".")


INDEX_HEAD = """\
# Passes

Every pass that comes with relayish, by subject; a page tells of each its level, what it requires,
its options, and shows what it does to a program. These pages are written by `make generate`, and
their examples are run.
[How to compose passes](how-to/compose_passes.md) tells what levels and requirements mean;
`relayish passes NAME` shows an entry in a terminal.

A pass that *infers types* sees a typed program and returns one, also when it is called directly. An
*idempotent* pass returns the very module it is given when that is its own result.
"""

HEAD = """\
# {title}

Examples are shown without inferred types; `show` applies a pipeline to a program and prints the
result:

```python
>>> from relayish.text import astext, parse
>>> from relayish.transform import PassContext, parse_pipeline
>>> def show(pipeline, program):
...     with PassContext(opt_level=4):
...         mod = parse_pipeline(pipeline)(parse('#[version = "0.0.5"]' + program))
...     text = astext(mod, show_meta_data=False, annotate=lambda expr: "")
...     print("\\n".join(line for line in text.splitlines()[1:] if line.strip()))

```
"""

OTHER_COMPILERS = """\
Examples about other compilers know one that takes `nn.softmax`:

```python
>>> from relayish.op.declaration.target import register_target_support
>>> register_target_support("nn.softmax", "example", replace=True)

```
"""


register_target_support("nn.softmax", "example", replace=True)


def shown(pipeline: str, program: str) -> str:
    """Return what ``show`` of the page prints."""
    with PassContext(opt_level=4):
        mod = parse_pipeline(pipeline)(parse(HEADER + program))
    text = astext(mod, show_meta_data=False, annotate=lambda _: "")
    return "\n".join(line for line in text.splitlines()[1:] if line.strip())


def cases(name: str) -> Iterator[Path]:
    """Yield the examples of a pass, the one that bears its plain name first."""
    plain = CASES / f"{name}.relay"
    if plain.exists():
        yield plain
    yield from sorted(CASES.glob(f"{name}.*.relay"))


def example(path: Path) -> list[str]:
    """Return an example as lines of the page."""
    before = path.read_text(encoding="utf-8").partition("\n==>\n")[0]
    found = re.match(r"// run: (.*)\n// (.*)\n", before)
    assert found is not None, f"{path.name} does not begin with its pipeline and a sentence"
    program = [line for line in before[found.end() :].splitlines() if line.strip()]
    quoted = [line.replace("\\", "\\\\") for line in program]
    return [
        found[2],
        "",
        "```python",
        f">>> show({found[1]!r}, '''",
        *(f"... {line}" for line in quoted),
        "... ''')",
        shown(found[1], "\n".join(program)),
        "",
        "```",
        "",
    ]


def docstring_examples(entry: PassEntry) -> list[str]:
    """Return the examples in the docstring of a pass as lines of the page."""
    found = doctest.DocTestParser().get_examples(inspect.getdoc(entry.factory) or "")
    if not found:
        return []
    lines = ["```python", *imports_for("".join(one.source for one in found), entry)]
    for one in found:
        first, *rest = one.source.splitlines()
        lines += [f">>> {first}", *(f"... {line}" for line in rest), *one.want.splitlines()]
    return [*lines, "", "```", ""]


def imports_for(source: str, entry: PassEntry) -> list[str]:
    """Return the imports that an example needs outside the module it is written in."""
    names = {node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
    made = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    imported = {
        alias.asname or alias.name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    used = {node.id for node in names} - made - imported - set(dir(builtins))
    of_face = sorted(used & FACE)
    own = sorted(used - FACE)
    module = entry.factory.__module__
    return [
        *([f">>> from relayish import {', '.join(of_face)}"] if of_face else []),
        *([f">>> from {module} import {', '.join(own)}"] if own else []),
    ]


def facts(entry: PassEntry) -> str:
    """Return what the registry knows of a pass, as one line."""
    info = entry.info
    told = [f"Level {info.opt_level}"]
    if info.required:
        told.append("requires " + ", ".join(f"`{name}`" for name in info.required))
    if info.infer_types:
        told.append("infers types")
    if info.idempotent:
        told.append("idempotent")
    if info.requires:
        told.append("takes " + ", ".join(f"`{name}`" for name in info.requires))
    if info.ensures:
        told.append("ensures " + ", ".join(f"`{name}`" for name in info.ensures))
    if info.preserves:
        told.append("preserves " + ", ".join(f"`{name}`" for name in info.preserves))
    return "; ".join(told) + "."


def prose(entry: PassEntry) -> list[str]:
    """Return the docstring of a pass up to its first section, roles of Sphinx taken off."""
    text = inspect.getdoc(entry.factory) or entry.info.description
    kept = re.split(r"\n(?:Args|Returns|Raises|Complexity|Source|Example|Examples):\n", text)[0]
    plain = re.sub(r":\w+:`~?(?:[\w.]+\.)?(\w+)`", r"`\1`", kept)
    return [*plain.replace("``", "`").strip().splitlines(), ""]


def entry_lines(name: str) -> list[str]:
    """Return the entry of one pass."""
    entry = pass_entry(name)
    lines = [f"## {name}", "", *prose(entry), facts(entry), ""]
    if entry.options:
        lines += ["Options: " + "; ".join(f"`{option}`" for option in entry.options) + ".", ""]
    shown_examples = [line for path in cases(name) for line in example(path)]
    return lines + (shown_examples or docstring_examples(entry))


def index() -> str:
    """Return the page that lists all passes."""
    lines = [INDEX_HEAD]
    for room, names in rooms().items():
        lines += [f"## [{title(room)}]({_address(room)})", ""]
        for name in names:
            description = pass_entry(name).info.description.replace("``", "`")
            lines.append(f"* [{name}]({_address(room)}#{name.lower()}): {description}")
        lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def page(room: str) -> str:
    """Return the page of one room."""
    lines = [
        HEAD.format(title=title(room)),
        *([OTHER_COMPILERS] if room == "relay.offload" else []),
    ]
    for name in rooms()[room]:
        lines += entry_lines(name)
    return "\n".join(lines).rstrip("\n") + "\n"


GENERATED = (
    Generated(INDEX, index),
    *(Generated(INDEX.parent / _address(room), partial(page, room)) for room in rooms()),
)
