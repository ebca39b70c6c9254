"""What functors do to random programs, event by event: the same with the compiled core.

Each program is visited by functors of each class, whose handlers are drawn, and do what handlers
may and may not do: visit children themselves, prune, return odd things, raise, change their own
memo and counter, begin anew inside. Constructors, updates and traversals are given odd arguments.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from relayish import tir
from relayish.dataflow import FixpointFunctor, RecordingFunctor
from relayish.functor import (
    ExprFunctor,
    ExprMutator,
    ExprRewriter,
    ExprVisitor,
    Memoized,
    MixedModeMutator,
    MixedModeVisitor,
    Mutator,
    PatternMutator,
    PatternVisitor,
    PostOrderVisitor,
    Rewriter,
    TypeMutator,
    TypeVisitor,
    Visitor,
    post_order_rewrite,
)
from relayish.functor.vtable import handler_names
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.equality.structural_hash import structural_hash
from relayish.ir.nodes.node import Node, declared_temporarily
from relayish.ir.nodes.traversal import EVERYTHING, Traversal
from relayish.ir.relay.adt import Pattern
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import Type
from tests.support.random_exprs import random_expr, random_type
from tests.support.random_kinds import RandomKinds, random_program
from tests.support.tir_programs import random_func

MOST_EVENTS: Final = 400
"""A visit with more is ended: handlers that forget what they have visited may go on for long."""

RELAY: Final = (
    ExprVisitor, ExprMutator, MixedModeVisitor, MixedModeMutator, Visitor, Mutator,
    PostOrderVisitor, Rewriter,
)  # fmt: skip
LOOPS: Final = (
    tir.IRVisitor, tir.IRMutator, tir.IRRewriter, tir.StmtVisitor, tir.StmtMutator,
    tir.ExprVisitor, tir.ExprMutator,
)  # fmt: skip


class Ended(BaseException):
    """Ends a visit that goes on for long."""


class Text(str):
    """Text of a class of its own."""

    __slots__ = ()


class Log:
    """Lines; nodes are called by when they were first met."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.known: dict[Node, int] = {}
        self._left = MOST_EVENTS

    def begin(self, *words: object) -> None:
        self._left = MOST_EVENTS
        self.lines.append(" ".join(map(self.show, words)))

    def add(self, *words: object) -> None:
        self._left -= 1
        if self._left < 0:
            raise Ended
        self.lines.append("  " + " ".join(map(self.show, words)))

    def show(self, value: object) -> str:
        if isinstance(value, Node):
            number = self.known.setdefault(value, len(self.known))
            return f"{type(value).__name__}#{number}"
        if type(value) in (tuple, list):
            return f"{type(value).__name__}[{' '.join(map(self.show, value))}]"
        shown = value if type(value) is str else f"{type(value).__name__}:{value!r}"
        return re.sub(r"0x[0-9a-f]{6,}", "0x", shown)

    def show_program(self, root: object) -> None:
        """Write every node below ``root`` with all that it holds, as no traversal tells it."""
        pending, met = [root], set[int]()
        while pending:
            value = pending.pop()
            if isinstance(value, tuple):
                pending += value
            if not isinstance(value, Node) or id(value) in met:
                continue
            met.add(id(value))
            kind = type(value)
            names = [*(f.name for f in kind.fields_), *kind.derived_]
            held = [getattr(value, name) for name in names]
            self.lines.append(f"  = {self.show(value)}({', '.join(map(self.show, held))})")
            pending += held

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Write the error that comes up inside, with its notes, and end it."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - whatever it is, it is compared
            notes = [self.show(note) for note in getattr(error, "__notes__", ())]
            self.lines.append(f"  ! {type(error).__name__}: {self.show(str(error))} {notes}")
        except BaseException as error:  # noqa: BLE001 - as above
            self.lines.append(f"  ! {type(error).__name__}")

    def show_tables(self, functor: Any) -> None:
        """Write what a functor has found out, in the order in which it did."""
        for name in ("memo_map", "visit_counter"):
            with self.errors():
                table = getattr(functor, name)
                shown = [f"{self.show(k)}: {self.show(v)}" for k, v in (table or {}).items()]
                self.lines.append(f"  {name} {', '.join(shown)}")


class Handlers:
    """What drawn handlers do."""

    def __init__(self, log: Log, seed: object, root: Any) -> None:
        self.log = log
        self.chance = random.Random(repr(seed))
        self.root = root

    def visit(self, functor: Any, node: Any, default: Callable[[Any], Any]) -> Any:
        """Handle ``node`` in one of many ways."""
        self.log.add("visit", node)
        draw = self.chance.random()
        if draw < 0.35:
            return default(node)
        if draw < 0.55:
            return self._by_hand(functor, node)
        if draw < 0.65:
            return None if isinstance(functor, Visitor) else node
        if draw < 0.75:
            default(node)
            return self.odd(node)
        if draw < 0.8:
            functor.visit(self.chance.choice(list(self.log.known)))
            return default(node)
        if draw < 0.87:
            self._tamper(functor, node)
        if draw < 0.9:
            raise self.chance.choice((KeyError, ValueError, Ended, StopIteration))("handler")
        return default(node)

    def _by_hand(self, functor: Any, node: Any) -> Any:
        children = functor.traversal.children(node)
        if self.chance.random() < 0.3:
            children.reverse()
        images = [functor.visit(child) for child in children]
        if isinstance(functor, Visitor):
            return self.chance.choice((None, 0, "kept"))
        changed = functor.traversal.rebuild[type(node)](
            node, dict(zip(children, images, strict=True)).get
        )
        return self.updated(changed) if self.chance.random() < 0.3 else changed

    def odd(self, node: Node) -> Any:
        """Return something that may stand for ``node``, or may not."""
        known = list(self.log.known)
        alike = [each for each in known if type(each).language_ is type(node).language_]
        return self.chance.choice((node, self.chance.choice(known), self.chance.choice(alike), 5))

    def updated(self, node: Any) -> Any:
        """Return ``node`` with some field of another node of its kind."""
        others = [each for each in self.log.known if type(each) is type(node)]
        names = type(node).__match_args__
        if not others or not names:
            return node
        name = self.chance.choice(names)
        return node.with_fields(**{name: getattr(self.chance.choice(others), name)})

    def _tamper(self, functor: Any, node: Any) -> None:
        other = self.chance.choice(list(self.log.known))
        match self.chance.randrange(7):
            case 0:
                functor.memo_map[other] = self.odd(other)
            case 1:
                functor.memo_map.pop(other, None)
            case 2 if functor.visit_counter is not None:
                functor.visit_counter[other] = self.chance.choice((0, 1, 2, -1, 0.5, "a"))
            case 3 if functor.visit_counter is not None:
                functor.visit_counter.pop(other, None)
            case 4:
                functor.memo_map = dict(functor.memo_map)
            case 5:
                functor.memo_map.clear()
            case _:
                del functor.memo_map

    def rewrite(self, pre: Any, post: Any) -> Any:
        """Return what stands for ``pre``, which is ``post`` over its images."""
        self.log.add("rewrite", pre, post)
        draw = self.chance.random()
        if draw < 0.6:
            return post
        if draw < 0.75:
            return pre
        if draw < 0.9:
            return self.updated(post)
        if draw < 0.97:
            return self.odd(pre)
        raise self.chance.choice((KeyError, ValueError, Ended))("rewriter")


def drawn_class(root: type[Any], handlers: Handlers) -> type[Any]:
    """Return a class of functors below ``root`` that overrides handlers, and maybe ``visit``."""
    chance = handlers.chance
    traversal = getattr(root, "traversal", EXPRESSIONS)
    names = sorted(handler_names((root.family, *traversal.families)) - {"node"})
    kinds = sorted({type(n).visit_name for n in handlers.log.known} & set(names))
    prefixes = ["visit_"] if not issubclass(root, Rewriter) else ["visit_", "rewrite_"]
    members: dict[str, Any] = {}

    def visiting(name: str) -> Callable[[Any, Any], Any]:
        def handle(self: Any, node: Any) -> Any:
            own = getattr(super(made, self), name)
            return handlers.visit(self, node, own)

        return handle

    def rewriting(_: Any, pre: Any, post: Any) -> Any:
        return handlers.rewrite(pre, post)

    for _ in range(chance.choice((0, 1, 1, 2, 3, 5))):
        prefix = chance.choice(prefixes)
        name = prefix + chance.choice(kinds or names)
        is_fixed = name in ("visit_call", "visit_tuple", "visit_tuple_getitem")
        if not (is_fixed and issubclass(root, MixedModeMutator)):
            members[name] = rewriting if prefix == "rewrite_" else visiting(name)
    if chance.random() < 0.1:

        def visit(self: Any, node: Any, *args: Any) -> Any:
            handlers.log.add("meet", node)
            return super(made, self).visit(node, *args)

        members["visit"] = visit
    if chance.random() < 0.1 and issubclass(root, PostOrderVisitor):
        members["post_order"] = None
    made = type("Drawn", (root,), members)
    return made


def run_class(log: Log, root: type[Any], program: Any, seed: object) -> None:
    """Visit ``program`` twice by a functor of a class that is drawn."""
    handlers = Handlers(log, seed, program)
    chance = handlers.chance
    log.begin("class", root.__name__)
    made = drawn_class(root, handlers)
    functor = made()
    if isinstance(functor, PostOrderVisitor) and chance.random() < 0.5:
        functor = made(visit_limit=chance.randrange(1, 10))
    if chance.random() < 0.2:
        target = chance.choice(list(log.known))
        functor.memo_map[target] = handlers.odd(target)
    if chance.random() < 0.1 and functor.visit_counter is not None:
        functor.visit_counter[chance.choice(list(log.known))] = chance.choice((0, 1, 3, 2.5))
    for _ in range(2):
        with log.errors():
            log.show_program(functor.visit(program))
        log.show_tables(functor)


def run_others(log: Log, program: Any, seed: object) -> None:
    """Visit ``program`` by rewriters, and by functors that keep what they found out."""
    handlers = Handlers(log, seed, program)

    class Rewrites(ExprRewriter):
        def rewrite_call(self, pre: Any, post: Any) -> Any:
            return handlers.rewrite(pre, post)

        def rewrite_var(self, pre: Any, post: Any) -> Any:
            return handlers.rewrite(pre, post)

    class Counts(ExprFunctor[int]):
        def visit_node(self, node: Any, height: int) -> int:
            log.add("count", node, height)
            below = EXPRESSIONS.children(node)
            return 1 + max([self.visit(child, min(height + 1, 3)) for child in below], default=0)

    class Fixed(FixpointFunctor[Any, int]):
        def visit_node(self, node: Any, height: int) -> int:
            log.add("fix", node, height)
            return sum(self.visit(child, height % 3) for child in EXPRESSIONS.children(node)) % 5

    log.begin("others")
    with log.errors():
        log.show_program(post_order_rewrite(program, Rewrites()))
    for functor in (Memoized(Counts)(), RecordingFunctor(Counts()), Fixed()):
        with log.errors():
            log.add("found", functor.visit(program, 0))
        log.show_tables(functor)


ODD: Final = (None, 5, True, 1.5, "text", Text("own"), b"", [], (), {}, [None], (5, "a"), int, ...)


def run_entries(log: Log, chance: random.Random, times: int = 12) -> None:
    """Call constructors, updates and traversals with arguments of all sorts."""
    log.begin("entries")
    for _ in range(times):
        node: Any = chance.choice(list(log.known))
        kind = type(node)
        names = list(kind.__match_args__)
        values = [getattr(node, name) for name in names]
        for _ in range(chance.choice((0, 0, 1, 2))):
            if values:
                place = chance.randrange(len(values))
                values[place] = _other(log, chance, values[place])
        split = chance.randrange(len(names) + 1)
        named = dict(zip(names[split:], values[split:], strict=True))
        positional = values[:split] + ([chance.choice(ODD)] if chance.random() < 0.1 else [])
        if chance.random() < 0.1:
            named[chance.choice((Text("op"), "nothing", "span"[:2] + "an", "_cls"))] = None
        if chance.random() < 0.1 and named:
            named.pop(chance.choice(list(named)))
        with log.errors():
            log.show_program(kind(*positional, **named))
        with log.errors():
            log.show_program(node.with_fields(**named))
        with log.errors():
            log.add("hash", structural_hash(node))
        alike = chance.choice([each for each in log.known if type(each) is kind])
        for other in (alike, node.with_fields(), chance.choice(list(log.known))):
            with log.errors():
                assert_structural_equal(node, other, map_free_vars=chance.random() < 0.5)
                log.add("equal", node, other)


def _other(log: Log, chance: random.Random, value: Any) -> Any:
    """Return something in the place of ``value``: alike, of another class, or odd."""
    if type(value) is tuple and chance.random() < 0.6:
        more = (chance.choice(list(log.known)),) if chance.random() < 0.5 else ()
        return chance.choice((list, tuple))([*value, *more])
    return chance.choice((chance.choice(list(log.known)), chance.choice(ODD)))


def run_traversals(log: Log, chance: random.Random, program: Any) -> None:
    """Walk by what traversals are made of, also with functions in the place of tables."""
    log.begin("traversals")
    traversal: Traversal = chance.choice((EVERYTHING, EXPRESSIONS))
    for root in (program, [program, *list(log.known)[:3]], tuple(log.known)[:2], 5):
        with log.errors():
            log.show_program(tuple(traversal.post_order(root)))

    def enter(node: Node) -> object:
        log.add("enter", node)
        if chance.random() < 0.02:
            raise ValueError("enter")
        return chance.choice((True, False, 1, "", [0]))

    with log.errors():
        log.lines.append(log.show(traversal.post_order(program, enter=enter)))
    images = {n: chance.choice(list(log.known)) for n in list(log.known) if chance.random() < 0.2}

    def get(node: Any, default: Any) -> Any:
        log.add("image", node)
        return images.get(node, default)

    for node in list(log.known)[:30]:
        kind: Any = type(node)
        told: dict[Any, Any] = {}
        for table, more in (("rebuild", ()), ("retype", (None,)), ("carry", (told,))):
            with log.errors():
                made = getattr(traversal, table)[kind](
                    node, chance.choice((get, images.get)), *more
                )
                log.show_program(made)
        found: list[Any] = []
        for table, args in (
            ("push", (images, found.append)),
            ("push_all", (found.append, found.extend)),
        ):
            push = getattr(traversal, table)[kind]
            if push is not None:
                push(node, *args)
        log.lines.append(log.show(found) + log.show(list(told.items())))


def events(seed: int) -> list[str]:
    """Return what happens to the programs of ``seed``."""
    log, chance = Log(), random.Random(seed)
    with declared_temporarily():
        program: Any
        if seed % 5 == 4:
            program = random_func(seed, size=5).body
            classes = chance.sample(LOOPS, 3)
        elif seed % 5 == 3:
            own = chance.random() < 0.5
            program = random_program(RandomKinds(seed, own_language=own), seed, 20)
            classes = [Visitor, Mutator, PostOrderVisitor, Rewriter]
            classes = chance.sample(classes if own else [*RELAY], 3)
        else:
            program = random_expr(seed, 25)
            classes = chance.sample(RELAY, 3)
        log.show_program(program)
        for number, root in enumerate(classes):
            run_class(log, root, program, (seed, number))
        for family, pair in (
            (Type, (TypeVisitor, TypeMutator)),
            (Pattern, (PatternVisitor, PatternMutator)),
        ):
            of_family = [n for n in log.known if isinstance(n, family)]
            of_family += [random_type(seed)] if family is Type else []
            if of_family:
                run_class(
                    log, chance.choice(pair), chance.choice(of_family), (seed, family.__name__)
                )
        if seed % 5 < 3:
            run_others(log, program, seed)
        run_traversals(log, chance, program)
        run_entries(log, chance)
    return log.lines
