"""The stubs of the default handlers of functors, from the kinds that are declared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from relayish import tir
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Expr
from relayish.stubs.hints import HintWriter

HEAD = """\
# What type checkers see of default handlers: generated from the kinds that are declared.
# fmt: off
# ruff: noqa: E501, I001 - generated
"""


class Handlers(NamedTuple):
    """Handlers of the functors of one language.

    Attributes:
        path: Where the stub stands in the package.
        package: Where the kinds are declared that relayish itself has.
        language: A family of the language.
        families: What mutators return for the kinds below each, but those below several.
        root: What they return for these; for kinds below none they return the kind, or the family
            right below ``Node`` where there are no ``families``.
    """

    path: str
    package: str
    language: type[Node]
    families: tuple[type[Node], ...] = ()
    root: type[Node] = Node


RELAY: Final = Handlers("functor/relay/handlers.pyi", "relayish.ir.relay.", Expr)
LOOPS: Final = Handlers(
    "tir/handlers.pyi",
    "relayish.tir.ir.",
    tir.IrNode,
    (tir.Expr, tir.Stmt, tir.FunctionBase),
    tir.IrNode,
)


def handler_stub(handlers: Handlers, packages: Sequence[str] = ()) -> str:
    """Return the whole stub, with the kinds that modules of ``packages`` declare as well."""
    kinds = served(handlers, packages)
    named = {*kinds, *(image(handlers, kind) for kind in kinds)}
    own = {kind.__name__: kind for kind in named if kind.__module__.startswith("relayish.")}
    writer = HintWriter(known=own)
    shown = {kind: writer.name(kind) for kind in named}
    found = {kind: shown[image(handlers, kind)] for kind in kinds}
    parts = ["\nclass VisitorHandlers:\n"]
    parts += [_visit(kind, shown[kind], "object") for kind in kinds]
    parts += ["\nclass MutatorHandlers:\n"]
    parts += [_visit(kind, shown[kind], found[kind]) for kind in kinds]
    for family in handlers.families[:2]:
        both = [k for k in kinds if set(handlers.families[:2]) <= set(k.__mro__)]
        parts += [f"\nclass {family.__name__}MutatorHandlers(MutatorHandlers):\n"]
        parts += [_visit(kind, shown[kind], family.__name__) for kind in both]
    parts += ["\nclass RewriterHandlers:\n"]
    for kind in kinds:
        given = f"pre: {shown[kind]}, post: {shown[kind]}, /"
        parts += [f"    def rewrite_{kind.visit_name}(self, {given}) -> {found[kind]}: ...\n"]
    imports = sorted(f"from {kind.__module__} import {kind.__name__}\n" for kind in own.values())
    return "".join([HEAD, *imports, *writer.imports(), *parts])


def _visit(kind: type[Node], shown: str, found: str) -> str:
    return f"    def visit_{kind.visit_name}(self, node: {shown}, /) -> {found}: ...\n"


def served(handlers: Handlers, packages: Sequence[str] = ()) -> list[type[Node]]:
    """Return the kinds and families of a language, by visit name, with those of ``packages``."""
    homes = (handlers.package, *(f"{package}." for package in packages))
    kinds: Iterable[type[Node]] = handlers.language.language_.kinds.values()
    found = {
        base
        for kind in kinds
        if f"{kind.__module__}.".startswith(homes)
        for base in kind.__mro__
        if "visit_name" in base.__dict__
    }
    return sorted(found, key=lambda kind: kind.visit_name)


def image(handlers: Handlers, kind: type[Node]) -> type[Node]:
    """Return what a mutator returns for ``kind``: a node that may stand where it stood."""
    if kind is Node:
        return kind
    if not handlers.families:
        return kind.__mro__[kind.__mro__.index(Node) - 1]
    found = [family for family in handlers.families if issubclass(kind, family)]
    if len(found) == 1:
        return found[0]
    return handlers.root if found or kind.kinds != {kind} else kind
