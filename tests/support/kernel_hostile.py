"""What tries to break the compiled core: each scenario yields what happens, which both modes share.

A scenario that ends a process shows as one that both modes do not share.
"""

from __future__ import annotations

import collections
import contextlib
import copy
import enum
import gc
import os
import pickle
import random
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from relayish import tir
from relayish.functor import (
    ExprMutator,
    ExprVisitor,
    MixedModeMutator,
    MixedModeVisitor,
    Mutator,
    Visitor,
)
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.equality.structural_hash import structural_hash
from relayish.ir.nodes.node import Node, declared_temporarily, field, node, node_kinds
from relayish.ir.nodes.origins import origin_of, trace_origins
from relayish.ir.nodes.traversal import EVERYTHING, Traversal
from relayish.ir.relay.expr import Call, Constant, Expr, Let, Tuple, TupleGetItem, Var
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.text.source import Source
from tests.support import deep
from tests.support.depth import DEPTH
from tests.support.kernel_events import Log
from tests.support.random_exprs import random_expr

Happening = Iterator[Callable[[], object]]
"""What a scenario tries, one by one."""

ADD: Final = intern_op("add")
X: Final = Var("x")
Y: Final = Var("y")
PROGRAM: Final = Let(X, Tuple((Y, Constant(1), Y)), Call(ADD, (X, TupleGetItem(Tuple((X, Y)), 1))))
FUNCTORS: Final = (ExprVisitor, ExprMutator, MixedModeVisitor, MixedModeMutator, Visitor, Mutator)


def handled(base: type[Any], name: str, handle: Callable[[Any, Any], Any]) -> Any:
    """Return a functor with one handler, also of a class that sees calls after their children."""
    if issubclass(base, MixedModeMutator):

        def rewrite(self: Any, _: Any, post: Any) -> Any:
            return handle(self, post)

        return type("Drawn", (base,), {f"rewrite_{name}": rewrite})()
    return type("Drawn", (base,), {f"visit_{name}": handle})()


def unset_slots() -> Happening:
    for kind in node_kinds().values():
        bare: Any = object.__new__(kind)
        yield lambda bare=bare: EVERYTHING.post_order(bare)
        yield lambda bare=bare: structural_hash(bare)
        yield lambda bare=bare, kind=kind: bare.with_fields(**dict.fromkeys(kind.__match_args__))
        yield lambda bare=bare: EVERYTHING.rebuild[type(bare)](bare, {}.get)
        yield lambda bare=bare: EVERYTHING.carry[type(bare)](bare, {}.get, {})
    partly: Any = object.__new__(Call)
    for name, value in (("args", (X, Y)), ("op", ADD), ("attrs", None)):
        object.__setattr__(partly, name, value)
        for base in FUNCTORS:
            yield lambda base=base: base().visit(partly)
            yield lambda base=base: base().visit(Tuple((X, partly)))
        yield lambda: partly.with_fields(args=[X, Y])
        yield lambda: EXPRESSIONS.retype[Call](partly, max, None)


def slots_of_other_things() -> Happening:
    for value in ([X, Y], 5, None, (5, X), (), {X: Y}, "xy", [[]]):
        odd = Call(ADD, (X, Y))
        object.__setattr__(odd, "args", value)
        for base in FUNCTORS:
            yield lambda base=base, odd=odd: base().visit(Tuple((odd,)))
        yield lambda odd=odd: structural_hash(odd)
        yield lambda odd=odd: EVERYTHING.post_order(odd)
        yield lambda odd=odd: odd.with_fields(op=X)
        yield lambda odd=odd: EXPRESSIONS.rebuild[Call](odd, {X: Y}.get)


def recording(base: type[Any], calls: list[str], *names: str) -> Any:
    """Return a subclass of a table that records calls of some of its methods."""

    def watched(name: str) -> Any:
        def method(self: Any, *args: Any) -> Any:
            calls.append(name)
            return getattr(super(made, self), name)(*args)

        return method

    made = type("Watched", (base,), {name: watched(name) for name in names})
    return made


def tables_of_other_classes() -> Happening:
    names = ("get", "__getitem__", "__setitem__", "__contains__", "__delitem__", "__missing__")
    for base in FUNCTORS:
        for table in ("memo_map", "visit_counter"):
            for name in names[:-1]:
                calls: list[str] = []
                functor = base()
                setattr(functor, table, recording(dict, calls, name)())

                def visit(functor: Any = functor, calls: list[str] = calls) -> object:
                    result = functor.visit(PROGRAM)
                    return result, calls, len(functor.memo_map)

                yield visit
            for made in (
                collections.UserDict(), collections.OrderedDict(), collections.Counter(), [], 5,
                collections.defaultdict(list), collections.ChainMap({}, {Y: X}), {X: 5, 5: X},
            ):  # fmt: skip
                functor = base()
                setattr(functor, table, made)
                yield lambda functor=functor: functor.visit(PROGRAM)
                yield lambda functor=functor: functor.visit(PROGRAM)


class Same:
    """Something with the hash of a node, which says whatever it likes when it is compared."""

    def __init__(self, like: Any, compare: Callable[[], Any]) -> None:
        self._hash, self._compare = hash(like), compare

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> Any:
        return self._compare()

    def __repr__(self) -> str:
        return "Same"


def keys_that_compare() -> Happening:
    for base in FUNCTORS:
        for table in ("memo_map", "visit_counter"):
            for target in (X, Y, PROGRAM, PROGRAM.value, PROGRAM.body):
                for what in range(6):
                    functor = base()
                    held: Any = getattr(functor, table)
                    if held is None:
                        continue

                    def compare(
                        functor: Any = functor,
                        table: str = table,
                        what: int = what,
                        n: Any = target,
                    ) -> Any:
                        held: Any = getattr(functor, table)
                        match what:
                            case 0:
                                raise ValueError("compared")
                            case 1:
                                held.clear()
                            case 2:
                                held.update(dict.fromkeys(range(100), 1))
                            case 3:
                                setattr(functor, table, {})
                            case 4 if type(n) is Tuple:
                                object.__setattr__(n, "fields", ())
                            case 5:
                                return True
                        return False

                    held[Same(target, compare)] = X if table == "memo_map" else 1
                    yield lambda functor=functor: functor.visit(PROGRAM)
    object.__setattr__(PROGRAM.value, "fields", (Y, Constant(1), Y))


def handlers_that_spoil() -> Happening:
    def forget(self: Any, node: Any) -> Any:
        del self.memo_map
        return node

    def uncount(self: Any, node: Any) -> Any:
        self.visit_counter = None
        return node

    def empty(self: Any, node: Any) -> Any:
        self.memo_map.clear()
        self._push.clear()
        self._handlers.clear()
        return node

    def begin_anew(self: Any, node: Any) -> Any:
        inner = type(self)()
        inner.visit(ADD)
        self.visit(ADD)
        return node

    def become(self: Any, node: Any) -> Any:
        self.__class__ = type("Other", (type(self).__mro__[1],), {})
        return node

    def leave(self: Any, node: Any) -> Any:
        raise SystemExit(3)

    def stop(self: Any, node: Any) -> Any:
        raise GeneratorExit

    def collect(self: Any, node: Any) -> Any:
        gc.collect()
        return node

    def iterate(self: Any, node: Any) -> Any:
        for each in self.memo_map:
            self.memo_map[Var("new")] = each
        return node

    def fork(self: Any, node: Any) -> Any:
        pid = os.fork()
        if not pid:
            try:
                self.visit(Constant(5))
            finally:
                os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
        return node

    def elsewhere(self: Any, node: Any) -> Any:
        made = []
        thread = threading.Thread(target=lambda: made.append(type(self)().visit(ADD)))
        thread.start()
        thread.join()
        return node

    for handle in (
        forget, uncount, empty, begin_anew, become, leave, stop, collect, iterate, fork, elsewhere,
    ):  # fmt: skip
        for base in FUNCTORS:
            for name in ("call", "var", "tuple", "let"):
                if name == "tuple" and handle in (begin_anew, fork):
                    continue
                try:
                    functor = handled(base, name, handle)
                except Exception:  # noqa: BLE001 - such a class may not be
                    continue

                def visit(functor: Any = functor) -> object:
                    result = functor.visit(PROGRAM)
                    return result, list(functor.memo_map.items())

                yield visit


class Dying:
    """Something that raises when it is freed."""

    def __del__(self) -> None:
        raise KeyError("freed")


def odd_results() -> Happening:
    results: list[Callable[[Any], Any]] = [
        lambda _: NotImplemented, lambda _: Call, lambda _: ValueError("held"), lambda _: Dying(),
        lambda _: X, lambda node: [node], lambda _: object.__new__(Call), lambda _: 0, lambda _: {},
        lambda _: iter(()), lambda node: Tuple((node, node)),
    ]  # fmt: skip
    for result in results:
        for base in FUNCTORS:
            for name in ("call", "constant", "op"):
                functor = handled(base, name, lambda _, node, result=result: result(node))
                yield lambda functor=functor: type(functor.visit(PROGRAM)).__name__


class Loud(str):
    """A name that cannot be compared."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        raise ValueError("a name was compared")


class Pair(NamedTuple):
    one: Any
    other: Any


class Colour(enum.Enum):
    RED = 1


def odd_arguments() -> Happening:
    call = Call(ADD, (X, Y))
    for args, named in (
        ((), {}), ((ADD,), {}), ((ADD, (X,)), {"op": ADD}), ((ADD, (X,)), {"nothing": 1}),
        ((ADD, (X,), None, (), None, None, None), {}), ((ADD,), {"args": [X]}),
        ((), {Loud("op"): ADD, "args": (X,)}), ((ADD,), {"ar" + "gs"[:2]: (X,)}),
        ((ADD, Pair(X, Y)), {}), ((ADD, type("L", (list,), {})([X, Y])), {}), ((ADD, X), {}),
        ((ADD, iter([X])), {}), ((ADD, (1, 2)), {}), ((5,), {"args": {}}), ((ADD, (X,), 5), {}),
    ):  # fmt: skip
        for target in (Call, Call.__new__, Call._make, call.with_fields, call._make):
            yield lambda args=args, named=named, target=target: target(*args, **named)
        yield lambda args=args, named=named: Call.__new__(Call, *args, **named)
        yield lambda named=named: call.with_fields(**named)
    for odd in (5, None, "text", Call, (), X, object.__new__(Call)):
        yield lambda odd=odd: Node.with_fields(odd, op=X)
        yield lambda odd=odd: Node.with_fields(odd)
        yield lambda odd=odd: Visitor._walk(odd, X)
        yield lambda odd=odd: Mutator._mutate(odd, X)
        yield lambda odd=odd: MixedModeMutator._mutate(odd, X)
        yield lambda odd=odd: MixedModeVisitor._walk(odd, X)
        yield lambda odd=odd: Traversal.post_order(odd, X)
        yield lambda odd=odd: EVERYTHING.post_order(odd, odd)
        yield lambda odd=odd: EVERYTHING.post_order([X, odd])
        yield lambda odd=odd: Source.span(odd, 0, 1)
        yield lambda odd=odd: ExprVisitor().visit(odd)
        yield lambda odd=odd: ExprMutator().visit(odd)
        for table in ("push", "push_all", "rebuild", "retype", "carry"):
            entry = getattr(EXPRESSIONS, table)[Call]
            for arguments in ((odd,), (odd, odd), (call, odd), (call, odd, odd), (odd, odd, odd)):
                yield lambda entry=entry, arguments=arguments: entry(*arguments)
            yield lambda entry=entry, odd=odd: entry(node=call, get=odd)
    yield Node.with_fields  # type: ignore[call-arg]
    yield lambda: EVERYTHING.post_order(root=X)
    yield lambda: EVERYTHING.post_order(X, enter=None)
    yield lambda: EVERYTHING.post_order(X, leave=None)  # type: ignore[call-arg]
    yield lambda: EVERYTHING.post_order(X, None, enter=None)  # type: ignore[misc]
    yield EVERYTHING.post_order  # type: ignore[call-arg]
    for held in ([X, Y], (X, Y), Pair(X, Y), type("L", (list,), {})([X, Y]), (X, X), (), [X]):
        yield lambda held=held: call.with_fields(args=held) is call
    for value in (Pair(1, (2, X)), Colour.RED, {"a": 1}, [1, [2]], b"", 1.5, Dying):
        yield lambda value=value: Call(ADD, (X,), attrs=value)


def odd_places() -> Happening:
    text = "one\ntwo\n\nfour"
    for start in (0, 3, 4, 8, 12, 13, 99, -1, True, 2**70, "0", 1.0, None):
        for end in (0, 3, 5, 13, 99, -(2**70), True, "0", 1.0, None):
            yield lambda start=start, end=end: Source(text, "text").span(start, end)
    for name, odd in (
        ("_starts", ()), ("_starts", [0]), ("_starts", [0, "4"]), ("_starts", (0, 99)),
        ("_starts", [0, 2**70]), ("_index", True), ("_index", -1), ("_index", 99),
        ("_index", "0"), ("row", 2**70), ("row", -7), ("row", None), ("name", 5),
        ("name", Loud("text")),
    ):  # fmt: skip
        source = Source(text, "text")
        setattr(source, name, odd)
        for at in (0, 4, 9):
            yield lambda source=source, at=at: (source.span(at, at), source._index)
    bare = object.__new__(Source)
    yield lambda: bare.span(0, 0)
    yield lambda: Source(text, "text").span(start=0, end=1)  # which is right
    yield lambda: Source(text, "text").span(0, 1, more=2)  # type: ignore[call-arg]
    yield lambda: Source(text, "text").span(0)  # type: ignore[call-arg]


def constructors_in_place_of_others() -> Happening:
    own, made = Call.__dict__["__new__"], Call.__dict__["_make"]
    call = Call(ADD, (X, Y))
    for name, other in (
        ("__new__", lambda _, *args, **named: (args, named)),
        ("__new__", lambda cls, *args, **named: own(cls, *args, **named)),  # noqa: PLW0108 - no slot wrapper
        ("_make", staticmethod(lambda *args: args)),
    ):
        setattr(Call, name, other)
        try:
            yield lambda: Call(ADD, (X,))
            yield lambda: call.with_fields(args=(X,))
            yield lambda: Call._make(ADD, (X,), None, (), None, None)
            yield lambda: EXPRESSIONS.rebuild[Call](call, {X: Y}.get)
        finally:
            setattr(Call, "__new__", own)  # noqa: B010 - as it was declared
            setattr(Call, "_make", made)  # noqa: B010
    yield lambda: Call(ADD, (X,))
    told: list[Any] = []
    setattr(Call, "__init__", lambda *given: told.append(given[1:]))  # noqa: B010 - as above
    try:
        yield lambda: Call(ADD, (X,))
        yield lambda: call.with_fields(args=(X,))
        yield lambda: Call._make(ADD, (X,), None, (), None, None)
        yield lambda: told
    finally:
        setattr(Call, "__init__", object.__init__)  # noqa: B010 - as it was declared


def declared_kinds() -> Happening:
    def refuse(value: Any) -> Any:
        if isinstance(value, int):
            raise (ValueError, KeyError, SystemExit)[value]("refused")
        return value

    many = {f"field{number}": Expr if number % 2 else int for number in range(40)}
    with declared_temporarily():
        Many = node("many_fields")(type("Many", (Expr,), {"__annotations__": many}))

        @node("converted")
        class Converted(Expr):
            value: Any = field(convert=refuse)
            body: Expr = X

        @node("derived")
        class Derived(Expr):
            body: Expr
            what: int = 0
            found: Any = field(derived=True)

            @staticmethod
            def derive_found(node: Any) -> Any:
                object.__setattr__(node, "found", [node.body])
                if node.what == 1:
                    raise ValueError("not derived")
                if node.what == 2:
                    raise SystemExit
                return [(node,), [node], type(node).__name__, node.body][node.what - 3]

        calls: list[Any] = []

        class Telling(type):
            def __call__(cls, *given: Any, **named: Any) -> Any:
                calls.append((given, named))
                return super().__call__(*given, **named)

        Told = node("told")(Telling("Told", (Expr,), {"__annotations__": {"what": int}}))
        Abstract = node("abstract")(
            type(Sequence)("Abstract", (Expr, Sequence), {"__annotations__": {"what": int}})
        )
        yield lambda: (Told(1).with_fields(what=2), Told._make(3, None, None), calls)
        yield lambda: Abstract(1)
        yield lambda: Abstract._make(1, None, None)
        values = [Y if number % 2 else number for number in range(40)]
        yield lambda: Many(*values).with_fields(field39=X)
        yield lambda: Many(*values[:-1])
        yield lambda: Many._make(*values)
        yield lambda: Mutator().visit(Many(*values))
        yield lambda: structural_hash(Many(*values))
        yield lambda: EVERYTHING.post_order(Many(*values))
        for number in (0, 1, 2):
            yield lambda number=number: Converted(number)
            yield lambda number=number: Converted("a").with_fields(value=number)
        for number in range(8):
            yield lambda number=number: Derived(Y, number).found
            yield lambda number=number: Derived(Y, 5).with_fields(what=number)
            yield lambda number=number: Derived._make(Y, number, None, None)
        one = Derived(Converted("a"), 5)
        for base in (ExprMutator, MixedModeMutator):
            mutator = base()
            mutator.memo_map[one.body] = Y
            yield lambda mutator=mutator: mutator.visit(Tuple((one, one)))
    yield lambda: Derived(Y, 5)
    yield lambda: Tuple((one,))
    yield lambda: one.with_fields(body=X)


def origins_and_threads() -> Happening:
    def build(found: list[Any]) -> None:
        for _ in range(50):
            with trace_origins():
                found.append(origin_of(Tuple((Call(ADD, (X,)),))) is None)
            found.append(origin_of(Tuple((X,)).with_fields(fields=(Y,))) is None)

    def together() -> object:
        found: list[Any] = []
        threads = [threading.Thread(target=build, args=(found,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return collections.Counter(found)

    def inside(_: Any, call: Any) -> Any:
        with trace_origins():
            return call.with_fields(args=(Y,))

    yield together
    yield lambda: handled(ExprMutator, "call", inside).visit(PROGRAM).body.span is None
    with trace_origins():
        yield lambda: origin_of(Call(ADD, (X,))) is None
        yield lambda: origin_of(PROGRAM.body.with_fields(args=(X,))) is None
        yield lambda: Call(ADD, (X,), spam=1)
        yield Call


def copies() -> Happening:
    things: list[Any] = [
        Visitor._walk, Mutator._mutate, Node.with_fields, Traversal.post_order,
        EXPRESSIONS.push_all[Call], EXPRESSIONS.rebuild[Call], Call._make, Call,
    ]  # fmt: skip
    for thing in things:
        yield lambda thing=thing: copy.copy(thing) is thing
        yield lambda thing=thing: copy.deepcopy(thing) is thing
    for thing in (Visitor._walk, Node.with_fields, Traversal.post_order, Call, PROGRAM):
        yield lambda thing=thing: type(pickle.loads(pickle.dumps(thing))) is type(thing)
    for base in FUNCTORS:
        functor: Any = base()
        functor.visit(PROGRAM)
        yield lambda functor=functor: copy.copy(functor).visit(PROGRAM)
        yield lambda functor=functor: type(copy.deepcopy(functor).visit(PROGRAM))
    yield lambda: len(copy.deepcopy(EXPRESSIONS).post_order(PROGRAM))
    yield lambda: weakref.ref(Traversal.post_order)() is Traversal.post_order
    yield lambda: weakref.WeakMethod(PROGRAM.with_fields)()(body=X)  # type: ignore[misc]
    yield lambda: (Visitor._walk.__name__, Visitor._walk.__doc__, Node.with_fields.__qualname__)


def garbage() -> Happening:
    def with_threshold(threshold: int) -> object:
        before = gc.get_threshold()
        gc.set_threshold(threshold)
        gc.enable()
        try:
            expr = random_expr(7, 60)
            image = ExprMutator().visit(Tuple((expr, X)))
            ExprVisitor().visit(expr)
            return structural_hash(image)
        finally:
            gc.set_threshold(*before)
            gc.disable()

    def frozen() -> object:
        gc.freeze()
        return with_threshold(1)

    class Holder:
        def __init__(self) -> None:
            self.held: Any = None

    def cycle(hold: Callable[[Any], Any]) -> object:
        holder = Holder()
        made = hold(holder)
        holder.held = Tuple((Tuple((made, X)),))
        gone = weakref.ref(holder), weakref.ref(made), weakref.ref(holder.held)
        del holder, made
        gc.collect()
        return [each() is None for each in gone]

    def dead() -> object:
        called: list[Any] = []
        made = [Tuple((X, Y)) for _ in range(5)]
        refs = [weakref.ref(each, called.append) for each in made]
        proxy = weakref.proxy(made[0])
        keyed = weakref.WeakKeyDictionary(dict.fromkeys(made))
        shown = len(keyed), proxy.fields == (X, Y)
        del made
        return shown, len(called), len(keyed), [each() for each in refs]

    class Late(DictAttrs):
        def __init__(self) -> None:
            super().__init__()

    def later(attributes: Any, holder: Holder) -> Any:
        made = Holding(attributes)
        (attributes.what if isinstance(attributes, Open) else vars(attributes))["late"] = holder
        return made

    with declared_temporarily():

        @attrs("tests.kernel.Open")
        class Open(Attrs):
            what: Any

        @node("holding")
        class Holding(Expr):
            what: Any

        @node("keeping")
        class Keeping(Expr):
            body: Expr
            kept: Any = field(derived=True)

            @staticmethod
            def derive_kept(node: Any) -> Any:
                return (node,)

        yield lambda: with_threshold(1)
        yield frozen
        yield dead
        for hold in (
            Holding, lambda h: Holding(Pair(h, 1)), lambda h: Holding(((h,), 1)),
            lambda h: Holding(h.__init__), lambda h: Holding(lambda: h), lambda h: Call(Holding(h)),
            lambda h: Holding(X).with_fields(what=h), lambda h: Holding._make(h, None, None),
            lambda h: Holding(Holding(h).with_fields(span=None)), lambda h: Holding(iter([h])),
            lambda h: Holding(i for i in [h]), lambda h: Holding({1: h}), lambda h: Holding([h]),
            lambda h: Holding(frozenset([h])), lambda h: Holding(type("C", (), {"a": h})),
            lambda h: Holding((sys._getframe(), h)[:1]), lambda h: Holding(sys._getframe()),
            lambda h: Holding(time.struct_time((1,) * 9 + (h, 0))), lambda h: later(Open({}), h),
            lambda h: later(Late(), h), lambda h: Holding(DictAttrs({"a": (h,)})),
        ):  # fmt: skip
            yield lambda hold=hold: cycle(hold)

        def itself() -> object:
            gone = weakref.ref(Keeping(Y))
            gc.collect()
            return gone() is None

        yield itself


def values_that_keep_errors() -> Happening:
    class Value:
        error: Any = None

        def __eq__(self, other: object) -> bool:
            self.error = ValueError("compared")
            raise self.error

        __hash__ = None  # type: ignore[assignment]

    with declared_temporarily():

        @node("having")
        class Having(Expr):
            what: Any

        def compare() -> object:
            one, other = [Tuple((X, Having(Value()))) for _ in range(2)]
            gone = weakref.ref(one.fields[1].what)
            with contextlib.suppress(ValueError):
                assert not structural_equal(one, other)
            del one, other
            gc.collect()
            return gone() is None

        yield compare


def tuples_not_yet_whole() -> Happening:
    image, wide = Var("image"), Tuple((X,) * 5)

    def get(child: Any, _: Any) -> Any:
        for found in gc.get_referrers(image):
            if type(found) is tuple and len(found) == len(wide.fields):
                list(found)
        return image

    for table in (EXPRESSIONS.rebuild, EVERYTHING.rebuild):
        yield lambda table=table: len(table[Tuple](wide, get).fields)


def depth_and_width() -> Happening:
    for nest in (deep.call_chain, deep.let_body, deep.tuple_nest, deep.function_nest):
        made = nest(DEPTH)
        for base in (ExprVisitor, ExprMutator, MixedModeVisitor, MixedModeMutator):
            yield lambda base=base, made=made: len(_memo_after(base(), made))
        yield lambda made=made: structural_hash(made)
        yield lambda made=made: len(EVERYTHING.post_order(made))
    wide = Tuple((X,) * 20_000 + (Y,))
    for base in FUNCTORS:
        yield lambda base=base: len(_memo_after(base(), wide))


def _memo_after(functor: Any, root: Any) -> Any:
    functor.visit(root)
    return functor.memo_map if functor.visit_counter is None else functor.visit_counter


def loops_of_other_languages() -> Happening:
    i = tir.Var("i", "int32")
    loop = (
        tir.For(i, tir.const(0), tir.const(4), tir.Evaluate(i + 1))
        if hasattr(tir, "Evaluate")
        else i
    )
    for base in (tir.IRVisitor, tir.IRMutator, tir.IRRewriter):
        yield lambda base=base: base().visit(loop)
        yield lambda base=base: base().visit(X)
    yield lambda: tir.StmtVisitor().visit(PROGRAM)
    yield lambda: ExprMutator().visit(loop)


SCENARIOS: Final = (
    unset_slots, slots_of_other_things, tables_of_other_classes, keys_that_compare,
    handlers_that_spoil, odd_results, odd_arguments, odd_places, constructors_in_place_of_others,
    declared_kinds, origins_and_threads, copies, garbage, values_that_keep_errors,
    tuples_not_yet_whole, depth_and_width, loops_of_other_languages,
)  # fmt: skip


def happenings(*names: str) -> list[str]:
    """Return what happens in scenarios, all or those of a name, one line for each thing tried."""
    log = Log()
    unraised: list[str] = []
    sys.unraisablehook = lambda told: unraised.append(repr(told.exc_value))
    random.seed(0)
    gc.collect()
    gc.freeze()  # what there is now is not looked through again
    gc.disable()  # so that nothing is freed earlier or later than in the other mode
    for scenario in SCENARIOS:
        if names and scenario.__name__ not in names:
            continue
        for number, attempt in enumerate(scenario()):
            log.begin(f"{scenario.__name__} {number}")
            with log.errors():
                log.add(attempt())
            del attempt
            log.lines += unraised
            unraised.clear()
        gc.collect()
        log.lines += unraised
        unraised.clear()
    gc.enable()
    return log.lines
