"""Origins: the line of a Python program that built a node, kept as its span while that is asked.

Construction is the hottest path of all, so it pays nothing for what nobody asks: constructors
have other code while some context asks for origins, and their own again behind the last.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import CodeType, FrameType, FunctionType
from typing import Any, Final
from weakref import WeakKeyDictionary

from relayish.errors import FieldError
from relayish.ir.fields.field import Field
from relayish.ir.fields.generate import compile_function
from relayish.ir.fields.naming import brief, is_node
from relayish.ir.fields.roles import Atom, Role
from relayish.ir.nodes.span import Span

_PASSED_OVER: Final = sys.stdlib_module_names | {__name__.partition(".")[0], "multipledispatch"}
"""Packages whose frames are nobody's program: the library itself, and what calls for it."""


@contextmanager
def trace_origins() -> Iterator[None]:
    """Give each node that is built inside the Python file and line it is built at, as its span.

    That is the innermost frame outside the library: the line with ``relay.add(a, b)``, ``a + b``,
    ``relay.Call(...)``, or of the handler of a functor, that made the node; of nodes that a pass of
    the library makes, the line that runs the pass. Nodes that are built with a span, as by the
    parser, keep that. Spans are shown by errors, pictures and :func:`origin_of`, stay on what is
    rewritten, and are stored. Types and names of what is defined elsewhere have none, since others
    share them.

    Contexts nest; other threads and tasks are not concerned, but those that are started with the
    context at hand, as tasks are, until it ends. May decorate a function, though none that is
    asynchronous or a generator: calling these only makes what is run later.

    Complexity:
        A few microseconds a node inside; nothing outside, where constructors are as they were.

    Example:
        >>> from relayish.ir.relay.expr import Tuple, Var
        >>> with trace_origins():
        ...     pair = Tuple((Var("x"), Var("y")))
        >>> origin_of(pair).line, origin_of(Tuple(()))
        (2, None)
    """
    places = _ASKED.get()
    if places is None:
        places = _Places()
        _ASKED.set(places)
    _exchange(places, 1)
    try:
        yield
    finally:  # maybe in another context, or before one inside: generators end when they like
        _exchange(places, -1)
        if not places.asking and _ASKED.get() is places:
            _ASKED.set(None)


def origin_of(node: object) -> Span | None:
    """Return where ``node`` comes from: a place in Python, or in a text that was parsed.

    ``None`` for one that was built outside of :func:`trace_origins`.

    Raises:
        FieldError: If it is no node.
    """
    if not is_node(node):
        raise FieldError(f"origin_of takes a node; found {brief(node)} ({type(node).__name__})")
    found: Span | None = getattr(node, "span", None)  # some kinds have none
    return found


class _Places:
    """Spans of places in code that runs, each made once.

    Attributes:
        asking: How many contexts are open that ask for them.
    """

    def __init__(self) -> None:
        self.asking = 0
        self._positions: dict[int, tuple[CodeType, str, list[Any]]] = {}
        self._spans: dict[tuple[int, int], Span] = {}

    def of(self, frame: FrameType) -> Span:
        """Return the span of what ``frame`` is at."""
        code, at = frame.f_code, frame.f_lasti
        found = self._spans.get((id(code), at))
        if found is not None:
            return found
        known = self._positions.get(id(code))
        if known is None:  # what is kept keeps the code alive, so that none has its number
            known = code, _source_name(code.co_filename), list(code.co_positions())
            self._positions[id(code)] = known
        _, name, positions = known
        _, end_line, column, end_column = positions[at // 2]
        line = frame.f_lineno
        start, end = (0, 1) if column is None else (column, end_column)
        found = Span(name, line, end_line or line, start + 1, end + 1)
        self._spans[id(code), at] = found
        return found


def _source_name(path: str) -> str:
    """Return the name of a file of code, from the working directory if it is below: ``model.py``.

    A cell of a notebook is called by its number: ``Cell [3]``.
    """
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    name_cell = getattr(getattr(shell, "compile", None), "format_code_name", None)
    told = None if name_cell is None else name_cell(path)
    if told is not None:
        return " ".join(told).replace("In[", "[")
    here = os.path.join(os.getcwd(), "")  # noqa: PTH109, PTH118 - paths of code are strings
    return path.removeprefix(here)


_ASKED: Final[ContextVar[_Places | None]] = ContextVar("origins", default=None)
_LOCK: Final = threading.Lock()
_asking = 0

_CODES: Final[WeakKeyDictionary[FunctionType, tuple[CodeType, CodeType | None]]] = (
    WeakKeyDictionary()
)
"""By constructor: its own code, and the code that asks for an origin, once it was made."""


def watch_constructor(kind: type[Any], fields: tuple[Field, ...]) -> None:
    """Let nodes of ``kind`` have origins where somebody asks; if it has spans and is no type."""
    is_shared = kind.held_as_ is Role.ANNOTATION or kind.traits_.atom is Atom.NAME
    if is_shared or not any(declared.name == "span" for declared in fields):
        return
    constructor: Any = kind.__new__  # Any: the generated function
    with _LOCK:
        _CODES.setdefault(constructor, (constructor.__code__, None))
        if _asking:
            _put_tracing(constructor)


def _exchange(places: _Places, change: int) -> None:
    """Count who asks; give constructors the code for the first, and their own after the last."""
    global _asking  # noqa: PLW0603 - how many contexts are open in all threads
    with _LOCK:
        places.asking += change
        _asking += change
        if _asking == 1:
            for constructor in list(_CODES):
                _put_tracing(constructor)
        elif not _asking:
            for constructor, (own, _) in list(_CODES.items()):
                constructor.__code__ = own


def _put_tracing(constructor: FunctionType) -> None:
    own, tracing = _CODES[constructor]
    if tracing is None:
        names = own.co_varnames[: own.co_argcount]
        given = ["_find_origin() if span is None else span" if n == "span" else n for n in names]
        signature = f"__new__({', '.join(names)})"
        tracing = compile_function(signature, [f"return _own({', '.join(given)})"], {}).__code__
        scope = constructor.__globals__  # its own, as that of all generated functions
        scope["_own"] = FunctionType(own, scope, "__new__", constructor.__defaults__)
        scope["_find_origin"] = _find_origin
        _CODES[constructor] = (own, tracing)
    constructor.__code__ = tracing


def _find_origin() -> Span | None:
    """Return the span of the innermost frame that is no frame of the library."""
    places = _ASKED.get()
    if places is None or not places.asking:
        return None
    frame: FrameType | None = sys._getframe(2)  # noqa: SLF001 - there is no other way to tell
    while frame is not None:
        module = frame.f_globals.get("__name__")  # generated functions stand in none
        if isinstance(module, str) and module.partition(".")[0] not in _PASSED_OVER:
            return places.of(frame)
        frame = frame.f_back
    return None
