"""The grammar of types.

Beyond TVM's: ``ref(T)``, a type that occurs twice written once (``#0=(int32, int32)`` and then
``#0``), kinds of type variables (``fn [S: ShapeVar]``), constraints of function types, and
``#"odd name"`` for a name that is no identifier.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from relayish._support.trampoline import Rule
from relayish.errors import FieldError
from relayish.ir.relay.adt import Constructor, TypeData
from relayish.ir.relay.expr import Var
from relayish.ir.relay.type import Any as AnyDim
from relayish.ir.relay.type import (
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    PrimExpr,
    RefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeConstraint,
    TypeKind,
    TypeRelation,
    TypeVar,
)
from relayish.ir.relay.virtual_device import VirtualDevice, is_unconstrained
from relayish.ir.values.dtype import check_dtype
from relayish.text.node_reader import node_form
from relayish.text.reader import Binder
from relayish.text.relay.lexer import DEVICE, INTEGER, LABEL, TYPE
from relayish.text.relay.reader import Reader
from relayish.text.source import BLANK, unquote_name
from relayish.text.tables import NODE, Read
from relayish.text.values_reader import attribute_name, attribute_value, meta

_SIMPLE: Final = re.compile(
    rf"{BLANK}(?:Tensor\[\(((?:(?:\d++|\?)(?:, |,? ?(?=\))))*+)\), ([a-z]+\d+|bool)\]"
    r"|((?:float|u?int)\d++|bool)(?![A-Za-z0-9_.:\[]))"
)
"""A tensor type of plain dimensions, or a scalar type: nearly all types there are."""
_CUSTOM: Final = re.compile(rf"{BLANK}(custom\[\w+\]\d+(?:x\d+)?)")
_SIZE: Final = re.compile(rf"{BLANK}(-?\d++)(?:i(?:8|16|32|64))?(?![A-Za-z0-9_.])")
_DIMENSION: Final = re.compile(r"\d+|\?")


def simple_type(reader: Reader) -> Type | None:
    """Read a tensor type without symbolic dimensions, or return ``None`` and stay."""
    found = _SIMPLE.match(reader.text, reader.pos)
    if found is None:
        return None
    dims, dtype, scalar = found.groups()
    if scalar is not None and scalar in reader.type_vars:
        return None
    shape: tuple[int | PrimExpr, ...] = ()
    if dims:
        if len(dims) > 1000:  # the general rule knows about absurd numbers
            return None
        shape = tuple([AnyDim() if d == "?" else int(d) for d in _DIMENSION.findall(dims)])
    reader.pos = end = found.end()
    name = scalar or dtype
    start = end - len(name) if scalar else reader.text.index("T", found.start())
    try:
        return TensorType(shape, name, span=reader.span(start, end))
    except FieldError as error:
        reader.fail(str(error), start)


def type_(reader: Reader) -> Rule:
    """A type."""
    simple = simple_type(reader)
    if simple is not None:
        return simple
    found = reader.match(TYPE)
    if found is None:
        reader.fail(f"expected a type such as Tensor[(1, 10), float32]; {reader.found()}")
    start = found.start(found.lastgroup or 0)
    reader.pos = found.end()
    if found["label"]:
        return (yield reader.read_labelled("type", type_, found, start - 1))
    if found["mark"]:
        return (yield _tuple_type(reader, start))
    word = found["name"]
    plain = _PLAIN_KEYWORDS.get(word)
    if plain is not None:
        return plain(reader, start)
    rule = TYPE_WORDS.get(word)
    if rule is not None:
        made = yield rule(reader, start)
        if isinstance(made, Type):
            return made
        reader.fail(f"expected a type; found {type(made).__name__}", start)
    return (yield _read_named(reader, word, start))


_NO_ANNOTATION: Final = re.compile(rf"_(?![\w.])(?!{LABEL.pattern})")


def simple_variable(reader: Reader, binder: Binder) -> Var | None:
    """Read a variable, from behind its name, of a simple type or of none; or stay."""
    here = reader.pos
    if reader.take(":"):
        annotation = simple_type(reader)
        if annotation is not None:
            return reader.make_var(binder, annotation, None)
    elif not reader.text.startswith("{", reader.pos):
        return reader.make_var(binder, None, None)
    reader.pos = here
    return None


def variable(reader: Reader, binder: Binder) -> Rule:
    """A variable of Relay, from behind its name: ``{virtual_device=...}: type``."""
    annotation: Type | None = None
    device: VirtualDevice | None = None
    is_typed = reader.take(":")
    if not is_typed and reader.text.startswith("{", reader.pos):
        reader.pos += 1
        device = yield _device_of_variable(reader)
        is_typed = reader.take(":")
    if is_typed:
        annotation = simple_type(reader)
        if annotation is None:
            unknown = _NO_ANNOTATION.match(reader.text, reader.skip())
            if unknown is None:
                annotation = yield type_(reader)
            else:
                reader.pos = unknown.end()  # as TVM reads it: no annotation at all
    return reader.make_var(binder, annotation, device)


def _device_of_variable(reader: Reader) -> Rule:
    name, at = attribute_name(reader, f"{DEVICE}=...")
    if name != DEVICE:
        reader.fail(f"expected {DEVICE} of a variable; found {name}", at)
    found = yield attribute_value(reader)
    if not isinstance(found, VirtualDevice):
        reader.fail(f"{DEVICE} must be a VirtualDevice; found {found!r}", at)
    reader.expect("}", f"after the {DEVICE} of a variable")
    return None if is_unconstrained(found) else found


def type_list(reader: Reader, close: str) -> Rule:
    """Types separated by commas, up to and including ``close``."""
    return reader.items(close, "after a type", type_)


def _tuple_type(reader: Reader, start: int) -> Rule:
    fields = yield type_list(reader, ")")
    if len(fields) == 1 and not reader.has_comma:
        return fields[0]  # parentheses that only group
    return TupleType(fields, span=reader.span(start, reader.pos))


def _tensor_type(reader: Reader, start: int) -> Type:
    reader.expect("[", "after Tensor")
    reader.expect("(", "before the dimensions of a tensor type")
    after = "after the dimensions of a tensor type"
    shape = tuple([_dimension(reader) for _ in reader.until(")", after)])
    reader.expect(",", "between the dimensions and the element type")
    custom = reader.match(_CUSTOM)
    if custom is not None:
        name, at, reader.pos = custom[1], custom.start(1), custom.end()
    else:
        name, at = reader.name_here("an element type such as float32")
    reader.expect("]", "after the element type")
    try:
        return TensorType(shape, name, span=reader.span(start, reader.pos))
    except FieldError as error:
        raise reader.error(str(error), at) from None


def size(reader: Reader) -> Rule:
    """A dimension."""
    yield from ()
    return _dimension(reader)


def _dimension(reader: Reader) -> int | PrimExpr:
    if reader.take("?"):
        return AnyDim()
    found = reader.match(_SIZE)
    if found is not None:
        if len(found[1]) > 1000:  # no such size exists
            reader.fail(f"a dimension of {len(found[1])} digits is too long", found.start(1))
        reader.pos = found.end()
        return int(found[1])
    at = reader.skip()
    if reader.take("meta"):
        made = meta(reader, at)
        if isinstance(made, (int, PrimExpr)):
            return made
        reader.fail(f"a dimension is a number, ? or a size; found {type(made).__name__}", at)
    raise reader.error(f"expected a dimension: a number, ? or meta[...]; {reader.found()}")


def _meta_type(reader: Reader, start: int) -> Rule:
    made = meta(reader, start)
    if isinstance(made, GlobalTypeVar):
        made = reader.types.setdefault(made.name_hint, made)
        if not reader.take("["):
            return made
        args = yield type_list(reader, "]")
        return TypeCall(made, args, span=reader.span(start, reader.pos))
    if isinstance(made, Type):
        return made
    reader.fail(f"expected a type; the metadata has a {type(made).__name__} here", start)


def _function_type(reader: Reader, start: int) -> Rule:
    mark = len(reader.hidden_types)
    params = type_params(reader)
    reader.expect("(", "before the argument types of a function type")
    args = yield type_list(reader, ")")
    reader.expect("->", "before the result type of a function type")
    result = simple_type(reader) or (yield type_(reader))
    constraints: tuple[TypeConstraint, ...] = ()
    if reader.take("where"):
        reader.expect("(", "after where")
        constraints = yield type_list(reader, ")")
    reader.leave_types(mark)
    try:
        return FuncType(args, result, params, constraints, span=reader.span(start, reader.pos))
    except FieldError as error:
        reader.fail(str(error), start)


def type_params(reader: Reader) -> tuple[TypeVar, ...]:
    """Read ``[A, B]``, if it is there, and bring the variables into scope."""
    if not reader.take("["):
        return ()
    return tuple([type_param(reader) for _ in reader.until("]", "after type parameters")])


def type_param(reader: Reader) -> TypeVar:
    """Read a type variable where it is bound."""
    name, at = reader.name_here("a type parameter")
    if reader.text.startswith("-malformed-ir", reader.pos):
        reader.pos += len("-malformed-ir")
        known: TypeVar | None = reader.bound_types.get(name)
        if known is None:
            reader.fail(
                f"{name}-malformed-ir is bound again, but it was not bound before; leave "
                f"-malformed-ir out",
                at,
            )
        reader.bind_type(name, known)
        return known
    var = _type_variable(reader, name, at)
    reader.bind_type(name, var)
    return var


def free_type(reader: Reader) -> None:
    """Read a type variable that nothing binds, from behind ``free_type``."""
    name, at = reader.name_here("a type variable after free_type")
    reader.type_vars[name] = reader.bound_types[name] = _type_variable(reader, name, at)


def _type_variable(reader: Reader, name: str, at: int) -> TypeVar:
    kind = TypeKind.Type
    if reader.take(":"):
        word, where = reader.name_here("a kind of type variable")
        if word not in TypeKind.__members__:
            reader.unknown("kind", word, TypeKind.__members__, where)
        kind = TypeKind[word]
    return TypeVar(name, kind, span=reader.span(at, reader.pos))


def _ref_type(reader: Reader, start: int) -> Rule:
    reader.expect("(", "after ref")
    value = simple_type(reader) or (yield type_(reader))
    reader.expect(")", "after the type in ref(...)")
    return RefType(value, span=reader.span(start, reader.pos))


def _read_incomplete(reader: Reader, start: int) -> Type:
    made = IncompleteType(span=reader.span(start, reader.pos))
    label = LABEL.match(reader.text, reader.pos)
    if label is None:
        return made
    reader.pos = label.end()
    found = reader.labels.setdefault(f"type #{label[1]}", made)
    if isinstance(found, IncompleteType):
        return found
    raise reader.error(f"#{label[1]} is no unknown type; leave the comment out", label.start(1))


def _relation(reader: Reader, start: int) -> Rule:
    name, _ = reader.name_here("the name of a type relation")
    reader.expect("[", "before the number of inputs of a type relation")
    found = reader.match(INTEGER)
    if found is None or len(found[1]) > 9:  # a count of arguments
        reader.fail(f"expected a number of inputs; {reader.found()}")
    reader.pos = found.end()
    reader.expect("]", "after the number of inputs of a type relation")
    reader.expect("(", "before the arguments of a type relation")
    args = yield type_list(reader, ")")
    attrs: Any = None  # Any: what the metadata holds; TypeRelation checks it
    if reader.take("with"):
        at = reader.skip()
        reader.expect("meta", "after with")
        attrs = meta(reader, at)
    try:
        span = reader.span(start, reader.pos)
        return TypeRelation(name, args, int(found[1]), attrs, span=span)
    except FieldError as error:
        reader.fail(str(error), start)


def _read_named(reader: Reader, word: str, start: int) -> Rule:
    name = unquote_name(word)
    variable = reader.type_vars.get(name)
    if variable is None and not word.startswith("#") and name not in reader.types:
        try:
            return TensorType((), check_dtype(name), span=reader.span(start, reader.pos))
        except FieldError:
            pass  # then it is a type that the module defines
    head: Type = variable if variable is not None else reader.global_type(name, start)
    if reader.take("["):
        args = yield type_list(reader, "]")
        return TypeCall(head, args, span=reader.span(start, reader.pos))
    if variable is not None:
        return variable
    return TypeCall(head, (), span=reader.span(start, reader.pos))


TYPE_WORDS: Final[dict[str, Read]] = {
    NODE: node_form,
    "fn": _function_type,
    "ref": _ref_type,
    "meta": _meta_type,
    "relation": _relation,
}
"""The rules of types that begin with a word."""
_PLAIN_KEYWORDS: Final[dict[str, Callable[[Reader, int], Type]]] = {
    "Tensor": _tensor_type,
    "_": _read_incomplete,
}


def is_type_word(word: str) -> bool:
    """Return whether ``word`` is no name of a type, unless in quotes."""
    return word in TYPE_WORDS or word in _PLAIN_KEYWORDS or word in ("where", "with")


def type_definition(reader: Reader, start: int, is_extern: bool) -> Rule:
    """A type definition, from behind ``type``."""
    name, at = reader.name_here("the name of a type")
    reader.type_uses.pop(name, None)
    header = reader.types.get(name)
    if header is None:
        header = reader.types[name] = GlobalTypeVar(name, span=reader.span(at, reader.pos))
    params = type_params(reader)
    constructors: tuple[Constructor, ...] = ()
    if is_extern:
        reader.take(";")
    if reader.take("{"):
        after = "after the constructors of a type"
        constructors = yield reader.items("}", after, partial(_constructor, header=header))
    elif not is_extern:
        reader.fail(f"expected '{{' before the constructors of a type; {reader.found()}")
    reader.leave_types(0)
    span = reader.span(start, reader.pos)
    data = TypeData(header, params, constructors, is_extern, span=span)
    reader.define_type(data)
    return data


def _constructor(reader: Reader, header: GlobalTypeVar) -> Rule:
    name, at = reader.name_here("a constructor")
    inputs: tuple[Type, ...] = ()
    if reader.take("("):
        inputs = yield type_list(reader, ")")
    return Constructor(name, inputs, header, span=reader.span(at, reader.pos))
