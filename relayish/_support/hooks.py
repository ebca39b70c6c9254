"""Late-bound hooks: what nodes do by code that stands high above them, as ``str`` and ``x + y``.

Whatever stands above puts itself here when it is imported: the printer of Relay text, and the
functions of ``relayish.op``. Until then the face of the package is asked, which knows what to
import and was imported before all else, whether anybody uses it or not.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def _find_nothing() -> None:
    """Stand for a hook that nobody has put anything into."""


def _by_face(name: str) -> Callable[..., Any]:  # Any: as the function says
    """Return the function of that name in the face of the package, found when it is called."""

    def ask(*given: object, **named: object) -> Any:  # Any: as above
        face: Any = importlib.import_module(__name__.partition(".")[0])  # Any: told by its names
        return getattr(face, name)(*given, **named)

    return ask


printer: Callable[[object], str] = _by_face("_text")
"""What ``str`` shows of a program."""

text: Callable[..., str] = _by_face("_astext")
"""The text of a program, with its metadata unless the second argument says otherwise; the third
annotates expressions."""

display: Callable[[object], dict[str, str]] = _by_face("_display")
"""What a notebook shows of an object, by type."""

printers: dict[str, Callable[[Any], str]] = {}  # Any: a node of the language
"""What ``str`` shows of a node, by the name of its language, where that has a text of its own."""

annotators: dict[str, Callable[[Any, Any], str]] = {}  # Any: a program, notes about its lines
"""What writes a program with comments around its lines, by the name of its language."""

result_keepers: list[Callable[[Any, Any, str, tuple[str, ...]], None]] = []  # Any: modules
"""Who keeps results of analyses: told what a pass of some name made of a module, and what it says
that it preserves."""

writer: Callable[[Any], str] = repr  # Any: a module
"""The text of a module with its metadata, which parses back to the same."""


def _make_plain_writer(*, types: bool) -> Callable[[Any], str]:  # Any: as above
    del types  # nobody has put in what could leave them out
    return writer


brief_writer: Callable[..., Callable[[Any], str]] = _make_plain_writer  # Any: as above
"""What makes, given whether to show inferred types, a function that returns the text of a module
that people compare, in which the same constant is the same text."""

running_pass: Callable[[], Any] = _find_nothing  # Any: a pass
"""What tells the innermost pass that runs; ``None`` outside of all."""

current_driver: Callable[[], Any] = _find_nothing  # Any: a driver context
"""What tells the innermost driver context that was entered; ``None`` outside of all."""

program_writer: Callable[[Any, str, str], None] | None = None  # Any: a module
"""What writes a module into the file of some path, and after which pass it is so."""

program_reader: Callable[[str], tuple[Any, str]] | None = None  # Any: a module
"""What reads such a file, and tells the name of the pass; ``""`` if the file tells none."""

languages: dict[str, Callable[[], object]] = {
    "core": _by_face("_load_core"),
    "onnx": _by_face("_load_onnx"),
    "relay": _by_face("_load_operators"),
    "tir": _by_face("_load_loops"),
}
"""By the name of a language, what imports the package that declares its kinds."""

operators: dict[str, Callable[[str, str], object]] = {"onnx": _by_face("_declare_of_onnx")}
"""By what names of domains begin with, what declares an operator of such a domain, given the domain
and the name: where there are too many to declare all, or nobody knows them before."""

values: dict[str, Callable[[], object]] = {"target": _by_face("_load_targets")}
"""By the name that files give to values of a class, what imports the package that registers it."""

members: dict[str, Callable[[], Any]] = {  # Any: a function or a module
    "qnn.transform": _by_face("_load_passes_of_qnn"),
}
"""By full name, what loads a member of a family of operators that is none: ``qnn.transform``."""

functions: dict[str, Callable[..., Any]] = {}  # Any: expressions, which stand above this file
"""By the name of an operator, what builds a call of it; further ``call``, ``get``, ``fields`` and
``refuse_truth``."""


def print_text(thing: object) -> str:
    """Return ``thing`` as ``str`` is to show it."""
    language = getattr(type(thing), "language_", None)
    own = None if language is None else printers.get(language.name)
    return printer(thing) if own is None else own(thing)


def write_text(
    thing: object,
    show_meta_data: bool = True,
    annotate: Callable[[Any], str] | None = None,  # Any: an expression
    *,
    show_spans: bool = False,
) -> str:
    """Return the text of this program; see :func:`relayish.text.astext`.

    A node of a language with a text of its own is shown as ``str`` shows it.
    """
    language = getattr(type(thing), "language_", None)
    own = None if language is None else printers.get(language.name)
    if own is not None:
        return own(thing)
    return text(thing, show_meta_data, annotate, show_spans=show_spans)


other_name: Callable[[str, str], Any] = _by_face("_other_name")  # Any: whatever goes by the name
"""What stands for a name that a module lacks, given both; a text says what to write instead."""

absent_members: Callable[[str], Mapping[str, str]] = _by_face("_absent_members")
"""What to write instead of members that a class of some name lacks, by their names."""

load_functions: Callable[[], None] = _by_face("_load_operators")
"""Fills :data:`functions`."""

load_passes: Callable[[], None] = _by_face("_load_passes")
"""Lets passes be found by name, and programs be read from files."""

load_analyses: Callable[[], None] = _by_face("_load_analyses")
"""Imports what registers data-flow analyses of relayish's own languages."""

build_loops: Callable[..., Any] = _by_face("_build_loops")  # Any: a program, what is compiled
"""Compiles functions of the loop IR."""

tune_loops: Callable[..., Any] = _by_face("_tune_loops")  # Any: as above, a result
"""Searches for a schedule of a function of the loop IR."""

build_executor: Callable[..., Any] = _by_face("_build_executor")  # Any: modules, executors
"""What evaluates functions of a module as code of this machine, given values of parameters."""

build_core: Callable[..., Any] = _by_face("_build_core")  # Any: a module, what is compiled
"""Compiles modules of core."""

load_handlers: Callable[[str], None] = _by_face("_load_handlers")
"""Imports what registers rules and handlers of relayish's own domains for a task.

Without them a program would be verified by fewer rules, and nobody would know."""


load_of_user: Callable[[str], object] = _by_face("_load_of_user")
"""Imports a file of Python, or a package, for what it registers."""


def load_languages(text: str) -> None:
    """Import the packages of languages that a text speaks of, as far as they are known."""
    for name, load in languages.items():
        if f"node {name}." in text or f"= {name}" in text:
            load()


def build(what: str, *operands: object, **attributes: object) -> Any:  # Any: as above
    """Return what the function called ``what`` makes of ``operands``.

    Raises:
        OperatorError: If nobody loaded the operators, or the function refuses its operands.
    """
    function = functions.get(what)
    if function is None:
        load_functions()
        function = functions[what]
    return function(*operands, **attributes)
