"""Syntax tables: how kinds of nodes are written and read; every package may add to them.

A kind that is in none of them has the generic form (``node_writer``, ``node_reader``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any, Final, NamedTuple, TypeAlias

from relayish._support.trampoline import Rule
from relayish.errors import DeclarationError
from relayish.ir.nodes.getters import is_declaration
from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.ir.registration.claims import Claims
from relayish.ir.registration.declarations import declared_temporarily, watch_table
from relayish.ir.scopes.scoping import binders
from relayish.text.literals import IDENTIFIER_ONLY

Write: TypeAlias = Callable[[Any, Any, int], "str | Rule"]  # Any: the writer, a node of the kind
"""``write(writer, node, depth)``: the text, or a rule that writes it where it holds blocks."""

Read: TypeAlias = Callable[[Any, int], Rule]  # Any: the reader
"""``read(reader, start)``: the rule of what follows a word that stands at ``start``."""

Parts: TypeAlias = Callable[[Any, Any], Iterator[object]]  # Any: the context, a node of the kind
"""``parts(context, node)``: pieces of text, and nodes to be written between them."""

NODE: Final = "node"
"""The word of the generic form."""

REGISTER: Final = "relay.text.register_text"

TEXTS: Final[KindTable[Write]] = KindTable("the text printer", REGISTER)
"""How nodes are written where any expression may stand."""

LEAVES: Final[dict[type[Node], Callable[[Any, Any], str]]] = {}  # Any: as above
"""Kinds that are written where they are used, each time, and how; the reader knows them by name."""

BRACKETED: Final[set[type[Node]]] = set()
"""Kinds whose text stands in parentheses where it gets a name: TVM reads it nowhere else."""

WHOLES: Final[set[type[Node]]] = set()
"""Kinds whose text holds all that is below a node, none of which is written elsewhere."""

LAYOUTS: Final[KindTable[Callable[[Any, Any, Any], None]]] = KindTable("the layout", REGISTER)
"""``lay_out(layout, node, scope)``: where what a node holds is written; for most, roles tell that.

Any: the layout, a node of the kind, its scope
"""

WORDS: Final[dict[str, Read]] = {}
"""The rules of what begins with a word, or a brace, where an expression may stand."""


def _stays(context: declared_temporarily, read: Read) -> bool:
    return context.stays(read.__module__)


watch_table(WORDS, _stays)

RESERVED: Final[set[str]] = {NODE}
"""Further words that are no names of operators, unless in quotes; see :func:`is_reserved`."""


class Family(NamedTuple):
    """A family of nodes with a grammar of its own, as types have.

    Attributes:
        word: ``word(...)`` is one of these nodes where any value may stand; ``""`` without.
        write: ``write(writer, node)``: the text of a node.
        read: ``read(reader)``: the rule that reads one.
        parts: What a node of each kind is written as.
        words: The rules of what begins with a word.
        bind: ``bind(writer, variables)``: their text where they are bound.
        leave: ``leave(writer, variables)``: takes them out of scope.
        read_bound: ``read_bound(reader)``: reads what ``bind`` wrote, and brings it into scope.
        entered: Whether these nodes hold pieces of the program, as patterns hold variables.
    """

    word: str
    write: Callable[[Any, Any], str]  # Any: as above
    read: Callable[[Any], Rule]
    parts: KindTable[Parts] | None = None
    words: dict[str, Read] | None = None
    bind: Callable[[Any, Any], str] | None = None
    leave: Callable[[Any, Any], None] | None = None
    read_bound: Callable[[Any], Any] | None = None
    entered: bool = False


FAMILIES: Final[KindTable[Family]] = KindTable(
    "the grammar", "relayish.text.tables.register_family"
)
"""Families with a grammar of their own, by their root."""


_FAMILY_OF: Final = FAMILIES.derive(lambda k: FAMILIES[k] if FAMILIES.knows(k) else None)


def family_of(kind: type[Node]) -> Family | None:
    """Return the grammar that nodes of class ``kind`` have of their own."""
    found: Family | None = _FAMILY_OF[kind]
    return found


VALUE_MARKS: Final[dict[str, Callable[[], Node]]] = {}
"""What makes the node that a mark stands for among values: a size that nobody knows, for ``?``."""

FAMILY_WORDS: Final[dict[str, Family]] = {}
"""The same, by the word that stands before them among other values."""
watch_table(FAMILY_WORDS, lambda context, family: context.stays(family.read.__module__))


def register_family(root: type[Node], family: Family) -> None:
    """Say that the nodes of a family have a grammar of their own; before any is written.

    Raises:
        DuplicateNameError: If somebody else gave it one, or its word is taken.
    """
    _CLAIMS.enter(
        family.word,
        root,
        f"the word {family.word!r} of the family {root.__name__}",
        taken=is_reserved(family.word),
        instead="choose another",
    )
    FAMILIES.register(root, family)
    if family.words is not None:
        watch_table(family.words, _stays)
    if family.word:
        FAMILY_WORDS[family.word] = family


def is_reserved(word: str) -> bool:
    """Return whether ``word`` means something of its own where an expression may stand."""
    return word in WORDS or word in RESERVED or word in FAMILY_WORDS


def register_text(
    kind: type[Node],
    keyword: str,
    *,
    write: Callable[[Any, Any], Rule],  # Any: the writer, a node of the kind
    read: Callable[[Any, int], Rule],  # Any: the reader
    replace: bool = False,
    whole: bool = False,
) -> None:
    r"""Give a kind of node a text of its own, in place of the generic form.

    The text begins with ``keyword``, which is written before ``write`` is asked for the rest, and
    read before ``read`` is. Both are generators: what holds blocks is asked for by ``yield``, so
    any depth works (see :mod:`relayish._support.trampoline`).

    Args:
        kind: The kind; none of variables, which are written where they are bound.
        keyword: A word that nothing else begins with; an operator of that name is then quoted.
        write: ``write(writer, node)``. It appends pieces by ``writer.write("...")``, and has, for
            texts, ``writer.operand(node)``, ``writer.declare(node, "field")`` of what a field
            binds, and ``writer.value(leaf)``. ``yield writer.block(node, "field")`` writes a field
            that is a scope, in braces, with what the node binds in scope there, and
            ``yield writer.field(node, "field")`` any field as the generic form does. For a kind of
            type or pattern: a generator of pieces of text and of the types, or patterns, between.
        read: ``read(reader, start)``. It has ``reader.expect("(", "where")``, ``reader.take(",")``,
            ``reader.word("do")``, ``reader.fail("what", at)``, ``reader.span(start, reader.pos)``;
            ``yield reader.read_expression()``, ``reader.read_binder()``, ``reader.read_value()``,
            ``reader.read_block(variable, ...)``, which reads braces with the variables in scope,
            and ``reader.read_field(kind, "field")``. It returns the node.
        replace: Put these in place of what the kind had.
        whole: What ``write`` writes holds all that is below a node, in a text of its own: no part
            of it gets a line elsewhere.

    Raises:
        DuplicateNameError: If the keyword is taken, or somebody else gave the kind a text.
        DeclarationError: If the keyword is no identifier, or the kind one of variables.

    Example:
        >>> from relayish.errors import DuplicateNameError
        >>> try:
        ...     register_text(Node, "let", write=None, read=None)
        ... except DuplicateNameError as error:
        ...     print(str(error).partition(";")[0])
        the keyword 'let' of Node is claimed by relayish and by relayish.ir.nodes.node.Node
    """
    if not IDENTIFIER_ONLY.fullmatch(keyword):
        raise DeclarationError(
            f"the keyword {keyword!r} of {kind.__name__} is no identifier; choose letters, digits "
            f"and underscores, such as {kind.visit_name}"
        )
    if kind in VARIABLES:
        raise DeclarationError(
            f"{kind.__name__} is a kind of variable, which is written where it is bound; "
            f"it has no other text"
        )
    family = family_of(kind)
    words = WORDS if family is None or family.words is None else family.words
    old = _KEYWORDS.get(kind)
    _CLAIMS.enter(
        keyword,
        kind,
        f"the keyword {keyword!r} of {kind.__name__}",
        taken=keyword in words or is_reserved(keyword),
        instead="choose another",
        replace=replace and old == keyword,
    )
    if family is None:
        written: Write = partial(_write_keyword, keyword, write)
        TEXTS.register(kind, written, replace=replace, by=write)
    elif family.parts is not None:
        parts: Parts = partial(_keyword_and_parts, keyword, write)
        family.parts.register(kind, parts, replace=replace, by=write)
    if old is not None:
        words.pop(old, None)
    if whole:
        WHOLES.add(kind)
    words[keyword] = partial(_read_declaration, read) if is_declaration(kind) else read
    _KEYWORDS[kind] = keyword


_CLAIMS: Final[Claims[str]] = Claims()
_KEYWORDS: Final[dict[type[Node], str]] = {}
watch_table(_KEYWORDS, module_of=lambda kind: _CLAIMS.module_of(_KEYWORDS[kind]))


def keyword_of(kind: type[Node]) -> str | None:
    """Return the word that the text of nodes of class ``kind`` begins with, if it has one."""
    return _KEYWORDS.get(kind)


def kind_of(keyword: str) -> type[Node] | None:
    """Return the kind whose text begins with a word, if it is that of one."""
    return next((kind for kind, word in _KEYWORDS.items() if word == keyword), None)


def _keyword_and_parts(
    keyword: str, write: Callable[[Any, Any], Iterable[object]], context: object, node: Node
) -> Iterator[object]:
    return chain((keyword,), write(context, node))


def _read_declaration(read: Callable[[Any, int], Rule], reader: Any, start: int) -> Rule:
    """Read a node of which the rest of the block knows what it binds."""
    made = yield read(reader, start)
    for var in binders(made):
        reader.bind(reader.keys[var], var)
    return made


def _write_keyword(
    keyword: str,
    write: Callable[[Any, Any], Rule],
    writer: Any,  # Any: as above
    node: Node,
    depth: int,
) -> Rule:
    writer.out.append(keyword)
    outside = writer.enter(depth)
    yield write(writer, node)
    writer.enter(outside)
    writer.forget(node)
