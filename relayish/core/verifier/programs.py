"""The verifier: every rule of core, asked of a program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from relayish.core.ir.definition import FuncEntry
from relayish.core.ir.family import CoreNode, Definition
from relayish.core.ir.language import CORE
from relayish.core.ir.memory import Idname
from relayish.core.verifier.names import Names
from relayish.core.verifier.returns import check_returns
from relayish.core.verifier.rule import Rule
from relayish.ir.kinds.one_line import one_line
from relayish.ir.modules.module import AnyModule
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM, free_variables
from relayish.ir.verification.rules import DEFINITION_RULES, Report, Violation
from relayish.ir.verification.verifier import Piece, ProgramVerifier


def verify(
    program: CoreNode | AnyModule, *, within: AnyModule | None = None
) -> tuple[Violation, ...]:
    """Return what is wrong with ``program``, all of it; nothing if it keeps the rules.

    Args:
        program: A module, of which the definitions of core are looked at, a definition, or a piece
            of a function.
        within: The module in which a definition stands, which defines what it names. Without, what
            is named is taken for what it is used as.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        AIR ``CONTAINER::Verify``, which stops at the first thing that is wrong.

    Example:
        >>> from relayish.core.ir.expr import Add, const
        >>> verify(Add(const(1), const(2)))
        ()
        >>> print(*verify(Add(const(1), const(True))))
        add is given 1 of type int32 and 1 of type bool; both must have one type
    """
    return VERIFIER.verify(program, within)


def check(program: CoreNode | AnyModule, *, within: AnyModule | None = None) -> None:
    """Raise unless ``program`` keeps the rules of core; see :func:`verify`.

    Raises:
        VerificationError: That says what is wrong, and where; its ``violations`` are all of it.
    """
    VERIFIER.check(program, within)


class CoreVerifier(ProgramVerifier[Names]):
    """The verifier of core; what stands around a definition is known by its names."""

    language = "core"
    family = CoreNode
    definitions = (CoreNode,)

    def around(self, mod: AnyModule) -> Names:
        return Names(mod)

    def check_whole(self, piece: Piece[Names], nodes: list[Node], report: Report) -> None:
        root = piece.root
        _check_names_of_symbols(nodes, report)
        if isinstance(root, FuncEntry):
            check_returns(root, nodes, report)
        if isinstance(root, Definition):
            _check_scope(root, nodes, report)
        if piece.around is not None:
            piece.around.check(piece.name, root, nodes, report)


VERIFIER: Final = CoreVerifier()
DEFINITION_RULES.register(Definition, VERIFIER.verify_definitions)


def _check_names_of_symbols(everything: Sequence[Node], report: Report) -> None:
    """Report operators of core that are given the name of a symbol, which has no value."""
    if not any(type(node) is Idname for node in everything):
        return
    for node in everything:
        if type(node).domain_ != CORE.name:  # those of packages may take names
            continue
        for child in PROGRAM.children(node):
            if type(child) is Idname:
                report(
                    Rule.TYPE,
                    node,
                    f"{type(node).visit_name} is given {one_line(child)}, the name of a symbol, "
                    f"which has no value; load it by ld, or take its address by lda",
                )


def _check_scope(definition: Definition, everything: Sequence[Node], report: Report) -> None:
    """Report variables and registers that are not in the symbol table of the function."""
    free = set(free_variables(definition))
    if not free:
        return
    for node in everything:
        for child in PROGRAM.children(node):
            if child in free:
                report(
                    Rule.SCOPE,
                    node,
                    f"{type(node).visit_name} uses {one_line(child)}, which is no symbol of the "
                    f"function; put it among its formals, locals or pregs",
                )
