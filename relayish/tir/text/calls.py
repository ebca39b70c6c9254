"""Reading what is written like a call: calls, casts, intrinsics, coarse operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from relayish.errors import suggest
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.tir.ir.expr import ArgumentGroup, Call, PrimitiveNode
from relayish.tir.ir.flags import CallType
from relayish.tir.ir.intrinsic import (
    ArgsConstruct,
    BufferCreate,
    BufferGetDataConstHandle,
    BufferGetDataHandle,
    BuiltinIntrin,
    GetAddr,
    PodValueToX,
)
from relayish.tir.ir.operators import Cast, Max, Min
from relayish.tir.ir.type import FLOAT32, VOID, Type
from relayish.tir.text.notes_reader import Word
from relayish.tir.text.numbers import adapt
from relayish.tir.text.reader import Reader
from relayish.tir.text.spelling import read_name, read_type

Args = tuple[Any, ...]  # Any: nodes
Note = dict[str, object]
_KINDS: Final = ("call", "cast", "primitive_node", "builtin_intrin")
_PREFIX: Final = "cinn_builtin_intrin_"


def finish_call(
    reader: Reader,
    form: str,
    what: Any,  # Any: a name or a type
    start: int,
    args: Args,
) -> Any:  # Any: a node
    """Return the node of what was read as ``name(args)``.

    Args:
        reader: The reader, behind the closing parenthesis.
        form: How it is written: ``"call"``, ``"cast"``, or a word of :data:`SPECIAL`.
        what: The name or type before the arguments.
        start: Where it begins.
        args: The arguments.
    """
    note = reader.note_at(start) if reader.notes else None
    if note is None:
        note = {}
    told = note.pop("kind", None)
    if told is not None:
        spelt = told.spelt if isinstance(told, Word) else repr(told)
        if form != "call" or spelt not in _KINDS:
            reader.unknown("kind of what is written like a call:", spelt, _KINDS, start)
        form = spelt
        if form == "cast":
            what = read_type(what)
        elif form == "builtin_intrin":
            form, what = _PREFIX, read_name(what).removeprefix(_PREFIX)
    made = _FINISH[form](reader, what, start, args, note)
    reader.refuse_rest(note, f"a {type(made).__name__}", start)
    return made


def _expect_count(reader: Reader, form: str, args: Args, count: int, start: int) -> None:
    if len(args) != count:
        operands = "operand" if count == 1 else "operands"
        reader.fail(f"{form} has {count} {operands}; found {len(args)}", start)


def _call(reader: Reader, what: str, start: int, args: Args, note: Note) -> Call:
    writes = note.pop("writes", 0)
    if not isinstance(writes, int) or not 0 <= writes <= len(args):
        reader.fail(f"writes= is the number of arguments that are written; found {writes!r}", start)
    reads = len(args) - writes
    dtype = args[0].type if reads else VOID
    if "dtype" in note:
        dtype = reader.type_of(note.pop("dtype"), start)
    func = note.pop("func", None)
    index = note.pop("value_index", -1)
    if not isinstance(index, int):
        reader.fail(f"value_index= is a number; found {index!r}", start)
    return Call(
        dtype,
        read_name(what),
        args[:reads],
        args[reads:],
        member(reader, CallType, note.pop("call_type", None), CallType.EXTERN, start),
        None if func is None else reader.resolve(func, "an operation", start),
        index,
        attributes(reader, note, start),
        span=reader.span(start, reader.pos),
    )


def attributes(reader: Reader, note: Note, start: int) -> DictAttrs | None:
    """Take the attributes out of a note."""
    found = note.pop("attrs", None)
    if found is not None and not isinstance(found, DictAttrs):
        reader.fail(f"attrs= are pairs in braces, {{key=value}}; found {found!r}", start)
    return found


def member(
    reader: Reader,
    kind: Any,  # Any: an enumeration
    word: object,
    default: object,
    start: int,
) -> Any:  # Any: a member of it
    """Return the member of an enumeration that a word of the section names."""
    if word is None:
        return default
    spelt = word.spelt if isinstance(word, Word) else str(word)
    names = {item.value: item for item in kind}
    if spelt not in names:
        known = ", ".join(names)
        reader.fail(
            f"unknown {kind.__name__} {spelt}{suggest(spelt, names)}; there are {known}",
            word.at if isinstance(word, Word) else start,
        )
    return names[spelt]


def _primitive(reader: Reader, what: str, start: int, args: Args, note: Note) -> PrimitiveNode:
    sizes = note.pop("groups", ())
    if not isinstance(sizes, tuple) or sum([n for n in sizes if type(n) is int]) != len(args):
        reader.fail(
            f"groups= gives the size of each group of arguments, {len(args)} in all; "
            f"found {sizes!r}",
            start,
        )
    groups, at = [], 0
    for size in sizes:
        groups.append(ArgumentGroup(args[at : at + size]))
        at += size
    dtype = reader.type_of(note.pop("dtype"), start) if "dtype" in note else VOID
    attrs = attributes(reader, note, start)
    span = reader.span(start, reader.pos)
    return PrimitiveNode(read_name(what), tuple(groups), attrs, dtype, span=span)


def _cast(reader: Reader, what: Type, start: int, args: Args, note: Note) -> Cast:
    del note
    _expect_count(reader, f"{what}(...)", args, 1, start)
    return Cast(what, args[0], span=reader.span(start, reader.pos))


def _two(kind: type[Min | Max]) -> Callable[..., Any]:  # Any: as above
    def finish(
        reader: Reader, what: None, start: int, args: Args, note: Note
    ) -> Any:  # Any: as above
        del what, note
        name = "cinn_min(a, b)" if kind is Min else "cinn_max(a, b)"
        _expect_count(reader, name, args, 2, start)
        a, b = args
        a, b = adapt(reader, a, b), adapt(reader, b, a)
        return kind(a, b, span=reader.span(start, reader.pos))

    return finish


def _one(kind: Any, name: str) -> Callable[..., Any]:  # Any: a kind of one field
    def finish(
        reader: Reader, what: None, start: int, args: Args, note: Note
    ) -> Any:  # Any: as above
        del what, note
        _expect_count(reader, name, args, 1, start)
        return kind(args[0], span=reader.span(start, reader.pos))

    return finish


def _pod(reader: Reader, what: Type, start: int, args: Args, note: Note) -> PodValueToX:
    del note
    _expect_count(reader, f"pod_value_to_{what}(...)", args, 1, start)
    return PodValueToX(args[0], what, span=reader.span(start, reader.pos))


def _builtin(reader: Reader, what: str, start: int, args: Args, note: Note) -> BuiltinIntrin:
    dtype = args[0].type if args else FLOAT32
    if "dtype" in note:
        dtype = reader.type_of(note.pop("dtype"), start)
    number, count = note.pop("id", -1), note.pop("arg_nums", 0)
    if not isinstance(number, int) or not isinstance(count, int):
        reader.fail("id= and arg_nums= are numbers", start)
    return BuiltinIntrin(what, args, dtype, number, count, span=reader.span(start, reader.pos))


def _create(reader: Reader, what: None, start: int, args: Args, note: Note) -> BufferCreate:
    del what
    _expect_count(reader, "cinn_buffer_t::new_()", args, 0, start)
    word = note.pop("buffer", None)
    if word is None:
        _fail_missing(
            reader, start, "cinn_buffer_t::new_() does not tell which buffer it makes", "buffer=_A"
        )
    buffer = reader.resolve(word, "a buffer", start)
    return BufferCreate(buffer, span=reader.span(start, reader.pos))


def _construct(reader: Reader, what: None, start: int, args: Args, note: Note) -> ArgsConstruct:
    del what
    word = note.pop("var", None)
    if word is None:
        _fail_missing(
            reader, start, "cinn_args_construct(...) does not tell the array it fills", "var=x"
        )
    var = reader.resolve(word, "a variable", start)
    return ArgsConstruct(var, args, span=reader.span(start, reader.pos))


def _fail_missing(reader: Reader, start: int, what: str, example: str) -> None:
    line, column = reader.locate(start)
    reader.fail(f"{what}; say it in the section, '{line}:{column}: {example}'", start)


def _group(reader: Reader, what: None, start: int, args: Args, note: Note) -> ArgumentGroup:
    del what, note
    return ArgumentGroup(args, span=reader.span(start, reader.pos))


_FINISH: Final[dict[str, Callable[..., Any]]] = {  # Any: as above
    "call": _call,
    "cast": _cast,
    "primitive_node": _primitive,
    "pod_value_to_": _pod,
    _PREFIX: _builtin,
    "cinn_min": _two(Min),
    "cinn_max": _two(Max),
    "get_addr": _one(GetAddr, "get_addr(x)"),
    "cinn_buffer_get_data_handle": _one(BufferGetDataHandle, "cinn_buffer_get_data_handle(x)"),
    "cinn_buffer_get_data_const_handle": _one(
        BufferGetDataConstHandle, "cinn_buffer_get_data_const_handle(x)"
    ),
    "cinn_buffer_t::new_": _create,
    "cinn_args_construct": _construct,
    "argument_group": _group,
}
SPECIAL: Final = frozenset(_FINISH) - {"call", "cast", "primitive_node", "pod_value_to_", _PREFIX}
"""Names before parentheses that are none of functions."""
