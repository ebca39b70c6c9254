"""Writing types. A type that occurs twice and is large is written once and referred to."""

# ruff: noqa: SLF001 - the tables behind a class name its methods

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final, cast

from relayish.errors import FieldError
from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.ir.relay.adt import Constructor, TypeData
from relayish.ir.relay.language import RELAY
from relayish.ir.relay.traversal import TYPES
from relayish.ir.relay.type import Any as AnyDim
from relayish.ir.relay.type import (
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    PrimExpr,
    PrimOp,
    RefType,
    SizeVar,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeKind,
    TypeRelation,
    TypeVar,
)
from relayish.ir.scopes.scoping import free_variables, type_variables_bound_by
from relayish.ir.values.dtype import check_dtype
from relayish.text.generic_form import assemble, find_repeated, node_parts, separate_by_commas
from relayish.text.literals import quote
from relayish.text.metadata_writer import MetadataWriter
from relayish.text.names import Names
from relayish.text.relay.type_parser import is_type_word
from relayish.text.tables import REGISTER, Parts
from relayish.text.values_writer import spell_key

_LARGE: Final = 16
"""From this many nodes on, written out as a tree, a type is referred to when it occurs again.

One that binds variables counts as such, for it binds them once.
"""
_HUGE: Final = 1 << 30


class TypePrinter:
    """Writes types, and remembers names of type variables and what was written already.

    ``declared`` are type variables that the text declares at its beginning, because some use of
    them stands outside of what binds them; ``free`` collects those found while printing.
    ``met_again`` are unknown types that are written several times, and so get a label, and
    variables of type definitions that are bound elsewhere too; those found are collected anew.
    ``bound_late`` tells whether declarations bind one that was bound in what comes behind them.
    """

    language = RELAY.name

    def __init__(
        self,
        metadata: MetadataWriter,
        declared: Iterable[TypeVar] = (),
        met_again: Iterable[Type] = (),
    ) -> None:
        self.metadata = metadata
        self._shared = frozenset(met_again)
        self._met_once: set[Type] = set()
        self.met_again: set[Type] = set()
        self._names: dict[TypeVar, str] = {}
        self._taken = Names()
        self._defined: set[str] | None = None
        self._in_scope: dict[TypeVar, int] = {}
        self.bound: set[TypeVar] = set()
        self.declared = set(declared)
        self.free: dict[TypeVar, None] = {}
        self._tensors: dict[tuple[object, ...], str] = {}
        self._sizes: dict[Node, int] = {}
        self._labelled: set[Node] = set()
        self._labels: dict[Node, str] = {}
        self._count = 0
        self.label_all = False
        self.bound_late = False
        self._before: frozenset[TypeVar] = frozenset()

    def define(self, names: Iterable[str]) -> None:
        """Take note of the types that the module defines; others are then named by metadata."""
        self._defined = set(names)
        for name in self._defined:
            self._taken.reserve(name)

    def global_name(self, item: GlobalTypeVar) -> str:
        """Return the name of a defined type; where it would be misread, a reference to metadata."""
        name = item.name_hint
        if self._defined is None:
            clashes = name in self._names.values()
            self._taken.reserve(name)
        else:
            clashes = name not in self._defined
        return self.metadata.refer("GlobalTypeVar", item) if clashes else _spell_global(name)

    def count_uses(self, roots: list[Type]) -> None:
        """Find out which types occur more than once and are large, so get a label."""
        large = [root for root in roots if self.size(root) > _LARGE]
        self._labelled |= find_repeated(
            large, TYPES, lambda node: self._sizes.get(node, 1) <= _LARGE
        )

    def size(self, root: Type) -> int:
        """Return how many nodes the tree of a type counts as, or ``_HUGE`` if more than that."""
        sizes = self._sizes
        known = 1 if type(root) is TensorType else sizes.get(root)
        if known is not None:
            return known
        for node in TYPES.post_order(root, lambda node: node not in sizes):
            if node not in sizes:
                inner = sum([sizes[child] for child in TYPES.children(node)])
                own = _LARGE if type_variables_bound_by(node) else 1
                sizes[node] = min(own + inner, _HUGE)
        return sizes[root]

    def text(self, root: Type) -> str:
        """Return the text of a type."""
        if type(root) is TensorType:
            return self._tensor(root)
        return assemble(root, self._expand)

    def annotation(self, item: Type) -> str:
        """Return the text of the annotation of a variable: ``_`` alone would be read as none."""
        if type(item) is IncompleteType:
            self._labelled.add(item)
        return self.text(item)

    def _expand(self, item: Node) -> str | Iterator[object]:
        """Return the text of a type that has a label, or the pieces of one."""
        if not isinstance(item, Type):
            raise FieldError(f"a type that binds {item!r} has no text, for it is no type variable")
        label = self._label(item)
        if label is not None and not label.endswith("="):
            return label
        parts = TYPE_PARTS[type(item)](self, item)
        return parts if label is None else chain((label,), parts)

    def _label(self, item: Type) -> str | None:
        found = self._labels.get(item)
        if found is not None:
            return found
        wanted = self.label_all and self.size(item) > _LARGE
        if type(item) is IncompleteType:
            if item.kind is not TypeKind.Type:
                return None
            if item in self._met_once:
                self.met_again.add(item)
            self._met_once.add(item)
            wanted = item in self._shared
        if not wanted and item not in self._labelled:
            return None
        label = f"#{self._count}"
        self._count += 1
        if type(item) is IncompleteType:  # a comment, which TVM reads past
            label = self._labels[item] = f"_ /* {label} */"
            return label
        self._labels[item] = label
        return label + "="

    def begin_declarations(self) -> None:
        """Label all that is large, as what follows may refer to; what was written comes behind."""
        self._labels = {}
        self._before = frozenset(self.bound)
        self.label_all = True

    def make_quiet(self) -> TypePrinter:
        """Return a printer with the same names, for texts that are not read."""
        quiet = TypePrinter(MetadataWriter())
        quiet._names, quiet._taken, quiet._sizes = self._names, self._taken, self._sizes
        return quiet

    def _bind(self, var: TypeVar) -> str:
        again = var in self.bound or var in self.declared
        self.bound_late |= var in self._before
        if var in self._met_once:
            self.met_again.add(var)
        self.bound.add(var)
        self._in_scope[var] = self._in_scope.get(var, 0) + 1
        name = self.name(var)
        if again:
            return f"{name}-malformed-ir"
        return name if var.kind is TypeKind.Type else f"{name}: {var.kind.name}"

    def name(self, var: TypeVar) -> str:
        """Return the name of a type variable."""
        found = self._names.get(var)
        if found is None:
            hint = var.name_hint
            if _is_dtype(hint):
                hint = f"{hint}_"
            if is_type_word(hint):
                self._taken.reserve(hint)
            found = self._names[var] = spell_key(self._taken.take(hint))
        return found

    def declare(self, var: TypeVar) -> str:
        """Return the declaration of a free type variable."""
        kind = "" if var.kind is TypeKind.Type else f": {var.kind.name}"
        return f"free_type {self.name(var)}{kind};"

    def _tensor(self, item: TensorType) -> str:
        key = (item.shape, item.dtype)
        found = self._tensors.get(key)
        if found is None:
            found = item.dtype
            if item.shape or not _is_scalar_name(item.dtype):
                dims = ", ".join([self._dimension(size) for size in item.shape])
                found = f"Tensor[({dims}), {item.dtype}]"
            self._tensors[key] = found
        return found

    def _dimension(self, size: int | PrimExpr) -> str:
        if type(size) is int:
            return str(size)
        assert isinstance(size, PrimExpr)
        return self.dimension(size)

    def dimension(self, size: PrimExpr) -> str:
        """Return the text of a dimension that is no number."""
        return spell_dimension(self.metadata, size)

    def _var(self, var: TypeVar) -> Iterator[object]:
        if not self._in_scope.get(var):
            self.free[var] = None
            if var not in self.bound:
                self.declared.add(var)
        yield self.name(var)

    def _func(self, func: FuncType) -> Iterator[object]:
        binders = self.bind_types(func.type_params)
        yield f"fn {binders}("
        yield from separate_by_commas(func.arg_types)
        yield ") -> "
        yield func.ret_type
        if func.type_constraints:
            yield " where ("
            yield from separate_by_commas(func.type_constraints)
            yield ")"
        self.leave_types(func.type_params)

    def _relation(self, relation: TypeRelation) -> Iterator[object]:
        yield f"relation {spell_key(relation.func)}[{relation.num_inputs}]("
        yield from separate_by_commas(relation.args)
        attrs = relation.attrs
        yield ")" if attrs is None else f") with {self.metadata.refer(attrs.type_key, attrs)}"

    def _print_incomplete(self, item: IncompleteType) -> Iterator[object]:
        plain = item.kind is TypeKind.Type
        yield "_" if plain else self.metadata.refer("IncompleteType", item)

    def _call(self, call: TypeCall) -> Iterator[object]:
        if type(call.func) is GlobalTypeVar:
            yield self.global_name(call.func)
        elif type(call.func) is TypeVar:
            yield from self._var(call.func)
        else:
            raise FieldError(
                f"a TypeCall of {call.func!r} has no text form; expected a type name or variable"
            )
        yield "["
        yield from separate_by_commas(call.args)
        yield "]"

    def _global(self, item: GlobalTypeVar) -> Iterator[object]:
        yield self.metadata.refer("GlobalTypeVar", item)

    def _print_generic(self, item: Type) -> Iterator[object]:
        """A type of a kind that has no text of its own."""
        if type(item) in VARIABLES:
            yield self.metadata.refer(spell_key(type(item).visit_name), item)
        else:
            yield from node_parts(self, item, (Type,))

    # What the generic form asks for

    def operand(self, node: Node) -> str:
        """Return the text of a piece of a program in a type: it is closed, so stands alone."""
        free = free_variables(node)
        if free:
            raise FieldError(
                f"a type that holds {node!r} has no text, for {free[0]!r} in it is bound outside "
                f"of it"
            )
        return self.metadata.refer("node", node)

    def family_text(self, item: Node) -> str:
        """Return the text of a type or dimension inside of a value."""
        if isinstance(item, PrimExpr):
            return self.dimension(item)
        assert isinstance(item, Type)
        return self.text(item)

    def bind_types(self, variables: Sequence[TypeVar]) -> str:
        """Return ``[A, B]`` and bring the variables into scope; ``""`` for none."""
        return f"[{', '.join([self._bind(var) for var in variables])}]" if variables else ""

    def leave_types(self, variables: Iterable[TypeVar]) -> None:
        """Take variables out of scope."""
        for var in variables:
            self._in_scope[var] -= 1

    def definition(self, data: TypeData) -> str:
        """Return the text of a type definition."""
        params = self.bind_types(data.type_vars)
        head = f"type {_spell_global(data.header.name_hint)}{params} {{"
        if data.is_extern and not data.constructors:
            text = f"extern {head[:-2]}"
        else:
            lines = [f"  {self._constructor(c)},\n" for c in data.constructors]
            text = f"{'extern ' if data.is_extern else ''}{head}\n{''.join(lines)}}}"
        self.leave_types(data.type_vars)
        for var in data.type_vars:  # nobody else has them, mostly: their names are free again
            self._met_once.add(var)
            if var not in self._shared and var not in self.declared:
                self._taken.release(self.name(var))
        return text

    def _constructor(self, constructor: Constructor) -> str:
        inputs = ", ".join([self.text(item) for item in constructor.inputs])
        return spell_key(constructor.name_hint) + (f"({inputs})" if inputs else "")


def _tuple(_: TypePrinter, item: TupleType) -> Iterator[object]:
    yield "("
    yield from separate_by_commas(item.fields)
    yield ",)" if len(item.fields) == 1 else ")"


TYPE_PARTS: Final[KindTable[Parts]] = KindTable("the printer of types", REGISTER)
"""What a type consists of, text and types in order; of an unknown kind its generic form."""
for _kind, _parts in {
    TensorType: lambda printer, item: iter((printer._tensor(item),)),
    TupleType: _tuple,
    TypeVar: TypePrinter._var,
    GlobalTypeVar: TypePrinter._global,
    FuncType: TypePrinter._func,
    RefType: lambda _, item: iter(("ref(", item.value, ")")),
    TypeCall: TypePrinter._call,
    IncompleteType: TypePrinter._print_incomplete,
    TypeRelation: TypePrinter._relation,
    Type: TypePrinter._print_generic,
}.items():
    TYPE_PARTS.register(_kind, cast(Parts, _parts))


def _prim_op(metadata: MetadataWriter, op: PrimOp) -> str:
    key = op.name if op.name.replace(".", "").replace("_", "").isalnum() else "PrimOp"
    return metadata.refer(key if key.isascii() else "PrimOp", op)


_DIMENSIONS: Final[KindTable[Callable[[MetadataWriter, Any], str]]] = KindTable(
    "the printer of dimensions", REGISTER
)  # Any: a dimension of the key's kind
for _dim, _text in {
    AnyDim: lambda _metadata, _size: "?",
    SizeVar: lambda metadata, var: metadata.refer(
        "tir.SizeVar" if var.nonnegative else "tir.Var", var
    ),
    PrimOp: _prim_op,
    PrimExpr: lambda metadata, size: metadata.refer("PrimExpr", size),
}.items():
    _DIMENSIONS.register(_dim, cast(Callable[[MetadataWriter, Any], str], _text))


def spell_dimension(metadata: MetadataWriter, size: PrimExpr) -> str:
    """Return the text of a dimension that is no number."""
    return _DIMENSIONS[type(size)](metadata, size)


def _is_dtype(name: str) -> bool:
    try:
        check_dtype(name)
    except FieldError:
        return False
    return True


def _is_scalar_name(dtype: str) -> bool:
    return dtype.isalnum() or "_float8" in dtype


def _spell_global(name: str) -> str:
    return f"#{quote(name)}" if is_type_word(name) or _is_dtype(name) else spell_key(name)
