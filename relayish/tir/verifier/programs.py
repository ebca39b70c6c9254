"""The verifier: every rule of the loop IR, asked of a program."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final, NamedTuple

from relayish.ir.modules.module import AnyModule
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.ir.verification.rules import DEFINITION_RULES, Report, Violation
from relayish.ir.verification.verifier import Piece, ProgramVerifier
from relayish.tir.analysis.facts.loop_ranges import LoopRanges
from relayish.tir.ir.family import IrNode
from relayish.tir.ir.function import LoweredFunc, Module
from relayish.tir.ir.traversal import NODES
from relayish.tir.verifier.affine import check_iteration_values
from relayish.tir.verifier.bounds import check_bounds
from relayish.tir.verifier.calls import Callees, check_calls
from relayish.tir.verifier.dependences import check_dependences
from relayish.tir.verifier.lifetime import check_lifetimes
from relayish.tir.verifier.mentioned import check_mentioned
from relayish.tir.verifier.names import check_module_names, check_tensor_names
from relayish.tir.verifier.nests import check_nests
from relayish.tir.verifier.nodes import ProgramNodes
from relayish.tir.verifier.regions import check_regions
from relayish.tir.verifier.scoping import check_scopes


class Surroundings(NamedTuple):
    """What is known of what stands around a program.

    Attributes:
        known: What is bound outside of it; ``None``: whatever it does not bind.
        callees: The functions that it may call; ``None``: not known.
    """

    known: Collection[Node] | None
    callees: Callees | None = None


def verify(
    program: IrNode | AnyModule, *, within: AnyModule | None = None
) -> tuple[Violation, ...]:
    """Return what is wrong with ``program``, all of it; nothing if it keeps the rules.

    Args:
        program: A function or a module of the loop IR, a module of definitions, of which those of
            the loop IR are looked at, or a piece of a program. What a piece does not bind is taken
            for bound outside; a function must be closed.
        within: The module in which a function stands, whose functions it may call.

    Complexity:
        Linear in the number of distinct nodes, but for a logarithm of the depth where one is used
        in several scopes; no recursion.

    Source:
        CINN ``IrVerify``, which asks each node for its types.

    Example:
        >>> from relayish.tir.ir.operators import Add, const
        >>> verify(Add(const(1), const(2)))
        ()
        >>> print(*verify(Add(const(1), const(2.0))))
        Add is given 1 of type int32 and 2.0 of type float32; both must have one type: cast one, \
or broadcast it
    """
    return VERIFIER.verify(program, within)


def check(program: IrNode | AnyModule, *, within: AnyModule | None = None) -> None:
    """Raise unless ``program`` keeps the rules of the loop IR; see :func:`verify`.

    Raises:
        VerificationError: That says what is wrong, and where; its ``violations`` are all of it.
    """
    VERIFIER.check(program, within)


class LoopVerifier(ProgramVerifier[Surroundings]):
    """The verifier of the loop IR: of functions, and of modules function by function."""

    language = "the loop IR"
    family = IrNode
    definitions = (LoweredFunc, Module)
    traversal = NODES

    def around(self, mod: AnyModule) -> Surroundings:
        callees = Callees(
            lambda name: mod[name] if name in mod else None,  # noqa: SIM401 - a module has no get
            lambda: [mod.name_of(key) or "" for key in mod.functions],
        )
        return Surroundings((), callees)

    def pieces(
        self, program: Node, name: str, around: Surroundings | None, report: Report
    ) -> Iterable[Piece[Surroundings]]:
        if isinstance(program, Module):
            return _functions(program, report)
        if isinstance(program, LoweredFunc):
            return (Piece(program, program.name, around or Surroundings(())),)
        return (Piece(program, name, None),)

    def check_whole(
        self,
        piece: Piece[Surroundings],
        nodes: list[Node],  # noqa: ARG002 - those of annotations are asked by themselves alone
        report: Report,
    ) -> None:
        around = piece.around or Surroundings(None)
        program = ProgramNodes(piece.root, PROGRAM.post_order(piece.root))
        check_tensor_names(program, report)
        check_nests(program, report)
        check_iteration_values(program, report)
        check_calls(program, around.callees, report)
        check_lifetimes(program, report, given=around.known or ())
        local = len(report.violations)
        check_scopes(program, report, known=around.known)
        if around.known is not None:
            check_mentioned(program, report, known=around.known)
        if len(report.violations) > local:
            return  # what a variable is cannot be told where it is bound twice, or not at all
        ranges = LoopRanges(program.order)
        check_bounds(program, ranges, report)
        check_regions(program, ranges, report)
        check_dependences(program, report)


VERIFIER: Final = LoopVerifier()
DEFINITION_RULES.register(LoweredFunc, VERIFIER.verify_definitions)
DEFINITION_RULES.register(Module, VERIFIER.verify_definitions)


def _functions(module: Module, report: Report) -> Iterator[Piece[Surroundings]]:
    """Yield the functions of a module and its submodules, which know the buffers of both.

    A call may name a function of its module, or of one around that.
    """
    known: dict[Node, None] = {}
    named: dict[str, list[LoweredFunc]] = {}
    callees = Callees(lambda name: named[name][-1] if named.get(name) else None, named.keys)
    pending: list[tuple[Module, bool]] = [(module, True)]
    while pending:
        each, enters = pending.pop()
        if not enters:
            for buffer in each.buffers:
                known.pop(buffer, None)
            for func in each.functions:
                named[func.name].pop()
            continue
        check_module_names(each, report)
        known.update(dict.fromkeys(each.buffers))
        for func in each.functions:
            named.setdefault(func.name, []).append(func)
        for func in each.functions:
            yield Piece(func, func.name, Surroundings(known, callees))
        pending.append((each, False))
        pending += [(inner, True) for inner in reversed(each.submodules)]
