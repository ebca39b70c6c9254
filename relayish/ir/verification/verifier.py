"""Verifiers of languages: one entry, for programs, pieces of them, and modules.

It asks each node the rule of its kind, once, and each program what only the language can tell of
the whole, and reports in order of the program.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from relayish._support.collector import pause_collection
from relayish.ir.modules.module import AnyModule
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import EVERYTHING, Traversal
from relayish.ir.verification.rules import (
    VERIFY_RULES,
    Report,
    Violation,
    definitions_of,
    failure,
    place_violations,
)

Around = TypeVar("Around")
"""What a language knows of the module in which a definition stands."""


class Piece(NamedTuple, Generic[Around]):
    """What is verified by itself.

    Attributes:
        root: A definition, or a piece of one.
        name: Its name, or ``""``.
        around: What is known of what stands around it; ``None``: nothing.
    """

    root: Any  # Any: a node of the language
    name: str
    around: Around | None


class ProgramVerifier(ABC, Generic[Around]):
    """The verifier of one language.

    Attributes:
        language: What errors call it.
        family: The nodes that are programs of it.
        definitions: Those among the definitions of a module that are its own.
        traversal: What reaches the nodes that are asked.

    Complexity:
        Linear in the number of distinct nodes of each piece, but for what :meth:`check_whole` does;
        no recursion.
    """

    language: ClassVar[str]
    family: ClassVar[type[Node]]
    definitions: ClassVar[tuple[type[Node], ...]]
    traversal: ClassVar[Traversal] = EVERYTHING

    @abstractmethod
    def around(self, mod: AnyModule) -> Around:
        """Return what is known of a module by those who verify what stands in it."""

    def pieces(
        self,
        program: Node,
        name: str,
        around: Around | None,
        report: Report,  # noqa: ARG002 - for overriding
    ) -> Iterable[Piece[Around]]:
        """Return what of a program is verified by itself, in order; report what is no part of any.

        Args:
            program: A definition, called ``name``, or a piece of a program, called ``""``.
            name: See above.
            around: What is known of what stands around it.
            report: Takes down what is found.
        """
        return (Piece(program, name, around),)

    @abstractmethod
    def check_whole(self, piece: Piece[Around], nodes: list[Node], report: Report) -> None:
        """Report what is wrong with a piece as a whole; ``nodes`` are all, children first."""

    def verify(
        self, program: Node | AnyModule, within: AnyModule | None = None
    ) -> tuple[Violation, ...]:
        """Return what is wrong with ``program``, all of it; nothing if it keeps the rules.

        Args:
            program: A module, of which the definitions of the language are looked at, or one of its
                nodes.
            within: The module in which a definition stands.

        Raises:
            FieldError: If it is neither.
        """
        mod, own = definitions_of(program, self.language, self.family, self.definitions)
        with pause_collection():
            found = self._verify_all(own, within if mod is None else mod)
            return tuple([violation for _, violation in found])

    def check(self, program: Node | AnyModule, within: AnyModule | None = None) -> None:
        """Raise unless ``program`` keeps the rules; see :meth:`verify`.

        Raises:
            VerificationError: That says what is wrong, and where; its ``violations`` are all of it.
        """
        found = self.verify(program, within)
        if found:
            raise failure(found)

    def verify_definitions(
        self, definitions: Mapping[str, Node], mod: AnyModule | None
    ) -> Iterator[Violation]:
        """Yield what is wrong with definitions, for whoever asks whether a module is well formed.

        It is the :data:`~relayish.ir.verification.rules.DefinitionRule` of the language.
        """
        for name, violation in self._verify_all(definitions, mod):
            yield violation._replace(definition=name)

    def _verify_all(
        self, definitions: Mapping[str, Node], mod: AnyModule | None
    ) -> Iterator[tuple[str, Violation]]:
        """Yield what is wrong with definitions, by name; what several share is asked once."""
        around = None if mod is None else self.around(mod)
        seen: set[Node] = set()
        for name, definition in definitions.items():
            report = Report()
            for piece in self.pieces(definition, name, around, report):
                report.violations += self._verify_piece(piece, seen)
            for violation in report.violations:
                yield name, violation

    def _verify_piece(self, piece: Piece[Around], seen: set[Node]) -> list[Violation]:
        report, rules = Report(), VERIFY_RULES
        nodes = self.traversal.post_order(piece.root)
        for node in nodes:
            if node not in seen:
                seen.add(node)
                rules[type(node)](node, report)
        self.check_whole(piece, nodes, report)
        return place_violations(report.violations, nodes, self.traversal, piece.name)
