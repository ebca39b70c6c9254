"""Handlers written in the natural recursive style, at depths no stack holds."""

from __future__ import annotations

import contextvars
import functools
import os
import signal
import subprocess
import sys
import textwrap
import threading
import traceback

import pytest

import relayish as relay
from relayish._support import interrupts, segments, stacks
from relayish.ir.relay.traversal import EXPRESSIONS
from tests.support import deep, depth
from tests.support.guard import HANGS

DEPTH = max(depth.DEPTH, 25_000)
"""Three stacks deep."""


@pytest.fixture
def levels(monkeypatch):
    """How many levels nests of every kind have: three stacks as well, which are smaller here."""
    if depth.DEPTH < DEPTH:
        monkeypatch.setattr(segments, "LEVELS", min(segments.LEVELS, depth.DEPTH // 3))
    return depth.DEPTH


@pytest.fixture(autouse=True)
def _limit_is_restored():
    before = sys.getrecursionlimit()
    yield
    assert sys.getrecursionlimit() == before
    assert not segments._limit_users
    assert segments._stack.levels.depth == 0


class Height(relay.ExprFunctor[int]):
    """Counts levels, with one natural handler for everything."""

    def visit_expr(self, expr: relay.Expr) -> int:
        highest = 0
        for child in EXPRESSIONS.children(expr):
            highest = max(highest, self.visit(child))
        return highest + 1

    visit_clause = visit_pattern = visit_expr


class RebuildAll(relay.ExprMutator):
    def visit_expr(self, expr):
        return self.mutate_children(expr)

    visit_clause = visit_pattern = visit_expr


class VisitAll(relay.ExprVisitor):
    def visit_expr(self, expr):
        for child in EXPRESSIONS.children(expr):
            self.visit(child)

    visit_clause = visit_pattern = visit_expr


@pytest.mark.deep
@pytest.mark.parametrize("nest", deep.DEEP_NESTS)
def test_functor_with_natural_handlers_reaches_the_bottom(nest, levels):
    assert Height().visit(deep.DEEP_NESTS[nest](levels)) >= levels


@pytest.mark.deep
@pytest.mark.parametrize("nest", deep.DEEP_NESTS)
def test_natural_mutator_of_every_kind_returns_the_same_object(nest, levels):
    expr = deep.DEEP_NESTS[nest](levels)
    assert RebuildAll().visit(expr) is expr


@pytest.mark.deep
@pytest.mark.parametrize("nest", deep.DEEP_NESTS)
def test_natural_visitor_of_every_kind_visits_each_node_once(nest, levels):
    expr = deep.DEEP_NESTS[nest](levels)
    visitor = VisitAll()
    visitor.visit(expr)
    assert set(visitor.visit_counter) == set(EXPRESSIONS.post_order(expr))


@pytest.mark.deep
def test_visitor_that_overrides_let_alone_reaches_the_bottom():
    class Lets(relay.ExprVisitor):
        count = 0

        def visit_let(self, let):
            self.count += 1
            self.visit(let.value)
            self.visit(let.body)

    for nest in (deep.let_body, deep.let_value):
        visitor = Lets()
        visitor.visit(nest(DEPTH))
        assert visitor.count == DEPTH


@pytest.mark.deep
def test_visitor_through_super_reaches_the_bottom():
    class Calls(relay.ExprVisitor):
        count = 0

        def visit_call(self, call):
            self.count += 1
            super().visit_call(call)

    visitor = Calls()
    visitor.visit(deep.call_chain(DEPTH))
    assert visitor.count == DEPTH


THROUGH_C = {
    "genexpr": lambda self, tup: tuple(self.visit(f) for f in tup.fields),
    "list comprehension": lambda self, tup: [self.visit(f) for f in tup.fields],
    "map": lambda self, tup: list(map(self.visit, tup.fields)),
    "sorted": lambda self, tup: (
        [self.visit(f) for f in tup.fields]
        and sorted(tup.fields, key=self.visit)
        and [self.visit(f) for f in tup.fields]
    ),
    "sorted first": lambda self, tup: [
        self.visit(f) for f in sorted(tup.fields, key=lambda f: -self.visit(f))
    ],
    "reduce": lambda self, tup: [
        functools.reduce(lambda so_far, f: so_far + self.visit(f), tup.fields, 0)
    ],
    "max": lambda self, tup: [self.visit(max(tup.fields, key=self.visit))],
    "dict": lambda self, tup: list({f: self.visit(f) for f in tup.fields}.values()),
    "star": lambda self, tup: [self.visit(*tup.fields)],
    "partial": lambda self, tup: [functools.partial(self.visit, f)() for f in tup.fields],
}


@pytest.mark.parametrize("way", THROUGH_C)
def test_handler_that_crosses_c_works_10_500_deep(way):
    class Crossing(relay.ExprFunctor[int]):
        def visit_constant(self, const):
            return 0

        def visit_tuple(self, tup):
            return 1 + sum(THROUGH_C[way](self, tup))

    assert Crossing().visit(deep.tuple_nest(10_500)) == 10_500


@pytest.mark.parametrize(
    "depth",
    [
        *[0, 1, 7, 8, 9],
        *[segments.FIRST_LEVELS + more for more in (-1, 0, 1, 2, 500)],
        *[segments.FIRST_LEVELS + segments.LEVELS + more for more in (-1, 0, 1)],
    ],
)
def test_result_and_order_are_the_same_at_every_depth(depth):
    events = []

    class Traced(relay.ExprFunctor[int]):
        def visit_constant(self, const):
            return 0

        def visit_tuple(self, tup):
            events.append(tup)
            result = self.visit(tup.fields[0]) + 1
            events.append(tup)
            return result

    expr = deep.tuple_nest(depth)
    assert Traced().visit(expr) == depth
    chain = [expr]
    while type(chain[-1]) is relay.Tuple:
        chain.append(chain[-1].fields[0])
    assert events == chain[:-1] + chain[:-1][::-1]


@pytest.mark.deep
def test_type_and_pattern_functors_reach_the_bottom():
    class Depth(relay.TypeFunctor[int]):
        def visit_tensor_type(self, ty):
            return 0

        def visit_tuple_type(self, ty):
            return 1 + self.visit(ty.fields[0])

    class PatternDepth(relay.PatternFunctor[int]):
        def visit_pattern_wildcard(self, pattern):
            return 0

        def visit_pattern_tuple(self, pattern):
            return 1 + self.visit(pattern.patterns[0])

    class Rebuild(relay.TypeMutator):
        def visit_tuple_type(self, ty):
            return ty.with_fields(fields=[self.visit(f) for f in ty.fields])

    ty = deep.type_nest(DEPTH)
    assert Depth().visit(ty) == DEPTH
    assert Rebuild().visit(ty) is ty
    assert PatternDepth().visit(deep.pattern_nest(DEPTH)) == DEPTH


def test_extra_arguments_are_carried_to_the_bottom():
    for extra in ((1,), (1, 2), (1, 2, 3)):

        class Summing(relay.ExprFunctor[int]):
            def visit_constant(self, const, total, *rest):
                return total + sum(rest)

            def visit_tuple(self, tup, total, *rest):
                return self.visit(tup.fields[0], total + 1, *rest)

        assert Summing().visit(deep.tuple_nest(10_500), *extra) == 10_500 + sum(extra)


def test_mixed_mode_handlers_that_recurse_reach_the_bottom():
    class Ifs(relay.MixedModeVisitor):
        count = 0

        def visit_if(self, if_):
            self.visit(if_.cond)
            self.count += 1
            self.visit(if_.true_branch)

    class Swap(relay.MixedModeMutator):
        def visit_if(self, if_):
            return self.visit(if_.true_branch)

    expr = deep.if_true(10_500)
    visitor = Ifs()
    visitor.visit(expr)
    assert visitor.count == 10_500
    assert type(Swap().visit(expr)) is relay.Constant


# Exceptions


@pytest.mark.deep
def test_exception_comes_back_with_type_notes_and_short_traceback():
    class Failing(relay.ExprVisitor):
        def visit_constant(self, const):
            error = ZeroDivisionError("at the bottom")
            error.add_note("a note")
            raise error

        def visit_tuple(self, tup):
            self.visit(tup.fields[0])

    with pytest.raises(ZeroDivisionError, match="at the bottom") as caught:
        Failing().visit(deep.tuple_nest(DEPTH))
    assert caught.value.__notes__ == ["a note", "while visiting 0"]
    assert len(list(traceback.walk_tb(caught.value.__traceback__))) < 500


def test_handler_may_catch_what_comes_from_another_stack():
    class Catching(relay.ExprFunctor[int]):
        def visit_constant(self, const):
            raise KeyError("bottom")

        def visit_tuple(self, tup):
            try:
                return self.visit(tup.fields[0]) + 1
            except KeyError:
                return 1

    assert Catching().visit(deep.tuple_nest(10_500)) == 10_500


def test_functor_works_on_after_an_exception():
    class Once(relay.ExprFunctor[int]):
        failed = False

        def visit_constant(self, const):
            if not self.failed:
                self.failed = True
                raise KeyError
            return 0

        def visit_tuple(self, tup):
            return self.visit(tup.fields[0]) + 1

    functor, expr = Once(), deep.tuple_nest(10_500)
    with pytest.raises(KeyError):
        functor.visit(expr)
    assert functor.visit(expr) == 10_500


def test_system_exit_and_generator_exit_cross_stacks():
    class Leaving(relay.ExprVisitor):
        kind = SystemExit

        def visit_constant(self, const):
            raise self.kind

        def visit_tuple(self, tup):
            self.visit(tup.fields[0])

    for kind in (SystemExit, GeneratorExit):
        Leaving.kind = kind
        with pytest.raises(kind):
            Leaving().visit(deep.tuple_nest(10_500))


# Several functors


@pytest.mark.deep
def test_functors_that_call_each_other_reach_the_bottom():
    class Even(relay.ExprFunctor[int]):
        other: relay.ExprFunctor[int]

        def visit_constant(self, const):
            return 0

        def visit_tuple(self, tup):
            return 1 + sum(tuple(self.other.visit(f) for f in tup.fields))

    functors = [Even() for _ in range(5)]
    for one, other in zip(functors, functors[1:] + functors[:1], strict=True):
        one.other = other
    assert functors[0].visit(deep.tuple_nest(DEPTH)) == DEPTH


@pytest.mark.deep
def test_fresh_functor_at_every_level_reaches_the_bottom():
    class Fresh(relay.ExprFunctor[int]):
        def visit_constant(self, const):
            return 0

        def visit_tuple(self, tup):
            return 1 + Fresh().visit(tup.fields[0])

    assert Fresh().visit(deep.tuple_nest(DEPTH)) == DEPTH


def test_functor_started_within_a_deep_handler_reaches_the_bottom():
    inner = deep.let_body(10_500)

    class Outer(relay.ExprFunctor[int]):
        def visit_constant(self, const):
            return Height().visit(inner)

        def visit_tuple(self, tup):
            return self.visit(tup.fields[0])

    assert Outer().visit(deep.tuple_nest(10_500)) == 10_501


def test_functor_visits_at_the_top_again_after_each_deep_visit():
    functor, expr = Height(), deep.tuple_nest(10_500)
    leaves = [relay.Tuple((expr,)) for _ in range(5)]
    assert {functor.visit(leaf) for leaf in leaves} == {10_502}


def test_threads_traverse_at_the_same_time():
    results = []

    def work(nest):
        results.append(Height().visit(nest(30_000)))

    threads = [
        threading.Thread(target=work, args=(nest,))
        for nest in (deep.tuple_nest, deep.let_value, deep.ref_nest, deep.if_cond)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [30_001, 30_001, 30_001, 60_001]


def test_recursion_limit_set_high_by_the_caller_stays():
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(200_000)
    try:
        assert Height().visit(deep.tuple_nest(10_500)) == 10_501
        assert sys.getrecursionlimit() == 200_000
    finally:
        sys.setrecursionlimit(before)


def test_traversal_works_near_the_end_of_the_callers_stack():
    expr = deep.tuple_nest(1_000)

    def nested(levels):
        return nested(levels - 1) if levels else Height().visit(expr)

    free = sys.getrecursionlimit() - len(traceback.extract_stack())
    assert nested(free - 150) == 1_001


# Context variables

PLACE: contextvars.ContextVar[object] = contextvars.ContextVar("place")


def test_context_variables_go_down_and_come_back():
    class Counting(relay.ExprVisitor):
        def visit_tuple(self, tup):
            PLACE.set(PLACE.get() + 1)
            self.visit(tup.fields[0])

    def count():
        PLACE.set(0)
        Counting().visit(deep.tuple_nest(10_500))
        return PLACE.get()

    assert contextvars.copy_context().run(count) == 10_500


def test_context_variable_first_set_to_none_deep_down_comes_back():
    class Setting(relay.ExprVisitor):
        def visit_constant(self, const):
            PLACE.set(None)

        def visit_tuple(self, tup):
            self.visit(tup.fields[0])

    def look():
        Setting().visit(deep.tuple_nest(10_500))
        return PLACE.get("never set")

    assert contextvars.copy_context().run(look) is None


def test_context_variables_set_around_a_visit_are_reset_on_the_same_stack():
    class Scoped(relay.ExprVisitor):
        def visit_tuple(self, tup):
            token = PLACE.set(tup)
            self.visit(tup.fields[0])
            assert PLACE.get() is tup
            PLACE.reset(token)

    def look():
        PLACE.set("outside")
        Scoped().visit(deep.tuple_nest(10_500))
        return PLACE.get()

    assert contextvars.copy_context().run(look) == "outside"


def test_context_variables_come_back_with_an_exception():
    class Failing(relay.ExprVisitor):
        def visit_constant(self, const):
            PLACE.set("bottom")
            raise KeyError

        def visit_tuple(self, tup):
            self.visit(tup.fields[0])

    def look():
        with pytest.raises(KeyError):
            Failing().visit(deep.tuple_nest(2_000))
        return PLACE.get()

    assert contextvars.copy_context().run(look) == "bottom"


# Heavy handlers


@pytest.mark.parametrize("frames", [30, 100])
def test_handler_with_many_frames_a_level_works_10_500_deep(frames):
    class Heavy(relay.ExprFunctor[int]):
        def visit_constant(self, const):
            return 0

        def visit_tuple(self, tup):
            return 1 + self.help(frames, tup.fields[0])

        def help(self, left, node):
            return self.help(left - 1, node) if left else self.visit(node)

    assert Heavy().visit(deep.tuple_nest(10_500)) == 10_500


def test_handlers_that_grow_heavier_on_the_way_down_reach_the_bottom():
    class Growing(relay.ExprFunctor[int]):
        level = 0

        def visit_constant(self, const):
            return 0

        def visit_tuple(self, tup):
            self.level += 1
            return 1 + self.help(0 if self.level % 10_000 < 5_000 else 40, tup.fields[0])

        def help(self, left, node):
            return self.help(left - 1, node) if left else self.visit(node)

    assert Growing().visit(deep.tuple_nest(10_500)) == 10_500


def test_helper_that_recurses_without_end_by_itself_is_a_recursion_error():
    class Helpless(relay.ExprVisitor):
        def visit_constant(self, const):
            self.help()

        def help(self):
            self.help()

        def visit_tuple(self, tup):
            self.visit(tup.fields[0])

    with pytest.raises(RecursionError) as caught:
        Helpless().visit(deep.tuple_nest(1_000))
    assert not isinstance(caught.value, relay.RelayishError)


# Endless recursion


class Circling(relay.ExprFunctor[int]):
    def visit_expr(self, expr):
        return self.visit(expr)


def test_handler_that_visits_its_own_node_without_end_is_told_so():
    with pytest.raises(
        relay.EndlessRecursionError, match=r"Circling runs in circles.*Var\(name_hint='x'"
    ):
        Circling().visit(relay.Var("x"))


def test_handlers_that_send_each_other_in_circles_are_told_so():
    a, b = relay.Var("a"), relay.Var("b")

    class Ring(relay.ExprFunctor[int]):
        def visit_var(self, var):
            return self.visit(b if var is a else a)

    with pytest.raises(relay.EndlessRecursionError, match="Ring runs in circles"):
        Ring().visit(a)


def test_mutator_that_visits_what_it_makes_of_ever_new_nodes_is_told_so(monkeypatch):
    monkeypatch.setattr(segments, "MAX_LEVELS", 2_000)
    monkeypatch.setattr(segments, "LEVELS", 400)

    class Growing(relay.ExprMutator):
        def visit_tuple(self, tup):
            return self.visit(relay.Tuple((tup,)))

    with pytest.raises(
        relay.EndlessRecursionError, match=r"Growing nests deeper than 2,000 levels.*Mixed"
    ):
        Growing().visit(relay.Tuple(()))


def test_endless_recursion_with_arguments_ends(monkeypatch):
    monkeypatch.setattr(segments, "MAX_LEVELS", 2_000)
    monkeypatch.setattr(segments, "LEVELS", 400)

    class Counting(relay.ExprFunctor[int]):
        def visit_var(self, var, count):
            return self.visit(var, count + 1)

    with pytest.raises(relay.EndlessRecursionError, match="nests deeper"):
        Counting().visit(relay.Var("x"), 0)


@pytest.mark.parametrize("rounds", [10, 500, 5_000])
def test_handler_may_visit_its_own_node_a_bounded_number_of_times(rounds):
    class Bounded(relay.ExprFunctor[int]):
        left = rounds

        def visit_var(self, var):
            if not self.left:
                return 0
            self.left -= 1
            return 1 + self.visit(var)

    assert Bounded().visit(relay.Var("x")) == rounds


# Interrupts


class Raised(BaseException):
    pass


LONG = 10**9
"""Rounds of a loop that only an interrupt ends."""


@pytest.fixture
def alarm():
    before = signal.signal(signal.SIGALRM, signal.SIG_DFL)
    yield lambda handler: signal.signal(signal.SIGALRM, handler)
    signal.signal(signal.SIGALRM, before)


def raising(kind):
    def handler(signum, frame):
        raise kind

    return handler


@pytest.mark.parametrize("kind", [KeyboardInterrupt, Raised])
@pytest.mark.parametrize("depth", [100, 200, 30_000])
def test_signal_stops_a_deep_traversal_at_once(kind, depth, alarm):
    class Slow(relay.ExprVisitor):
        done = False

        def visit_constant(self, const):
            os.kill(os.getpid(), signal.SIGALRM)
            for _ in range(LONG):
                pass
            Slow.done = True

        def visit_tuple(self, tup):
            self.visit(tup.fields[0])

    alarm(raising(kind))
    stacks.leave_parked_threads()
    threads = threading.active_count()
    with pytest.raises(kind):
        Slow().visit(deep.tuple_nest(depth))
    assert not Slow.done
    stacks.leave_parked_threads()
    for thread in threading.enumerate():
        if thread.name == "relayish-stack":  # not parked, as there are enough: about to end
            thread.join(HANGS)
    assert threading.active_count() <= threads


def test_interrupt_that_a_handler_swallows_is_raised_when_its_stack_is_left(alarm):
    class Stubborn(relay.ExprVisitor):
        def visit_constant(self, const):
            os.kill(os.getpid(), signal.SIGALRM)
            try:
                for _ in range(LONG):
                    pass
            except KeyboardInterrupt:
                return

        def visit_tuple(self, tup):
            self.visit(tup.fields[0])

    alarm(raising(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        Stubborn().visit(deep.tuple_nest(500))


def test_interrupt_while_a_stack_is_about_to_run_is_not_lost():
    passed_on = interrupts.Interrupts()
    passed_on.interrupt()
    with pytest.raises(KeyboardInterrupt):
        passed_on.run_interruptibly(lambda: pytest.fail("it was interrupted before"))
    assert passed_on._open is None


def test_interrupt_on_its_way_is_taken_before_the_thread_is_left():
    passed_on = interrupts.Interrupts()
    seen = []

    def work():
        try:
            passed_on.run_interruptibly(passed_on.interrupt)
        except KeyboardInterrupt:
            seen.append("raised")
        for _ in range(1_000):
            seen[-1].upper()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == ["raised"]


class Plain(relay.ExprVisitor):
    def visit_tuple(self, tup):
        self.visit(tup.fields[0])


def once(function, when, kind=KeyboardInterrupt):
    """Return ``function``, raising after the call of that number as an interrupt would."""
    calls = 0

    def called(*arguments):
        nonlocal calls
        calls += 1
        number = calls  # other threads count on meanwhile
        result = function(*arguments)
        if number == when:
            raise kind
        return result

    return called


@pytest.mark.parametrize(
    ("module", "name", "when"),
    [
        *[(interrupts, "_take_interrupt", when) for when in range(1, 7)],
        *[(segments, "start_on_stack", when) for when in range(1, 7)],
        (segments, "_release_recursion_limit", 1),
    ],
)
def test_interrupt_between_stacks_stops_the_traversal_and_leaves_nothing(
    monkeypatch, module, name, when
):
    monkeypatch.setattr(segments, "LEVELS", 20)
    monkeypatch.setattr(module, name, once(getattr(module, name), when))
    with pytest.raises(KeyboardInterrupt):
        Plain().visit(deep.tuple_nest(300))


INTERRUPTED_EVERYWHERE = """
    import os, signal, sys
    sys.path.insert(0, {root!r})
    from relayish._support import segments
    from relayish.functor import ExprVisitor
    from tests.support import deep, depth
    segments.LEVELS = 20

    class Plain(ExprVisitor):
        def visit_tuple(self, tup):
            self.left -= 1
            if not self.left:
                os.kill(os.getpid(), signal.SIGALRM)
            self.visit(tup.fields[0])

    def handler(signum, frame):
        raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, handler)
    expr = deep.tuple_nest(700)
    for level in range(1, 651, 13):
        plain = Plain()
        plain.left = level
        try:
            plain.visit(expr)
        except KeyboardInterrupt:
            pass
        else:
            raise AssertionError(level)
        assert not segments._limit_users
        assert sys.getrecursionlimit() == 1000
    print("stopped")
"""


def test_interrupt_while_stacks_are_being_started_leaves_nothing_behind(request):
    script = textwrap.dedent(INTERRUPTED_EVERYWHERE.format(root=str(request.config.rootpath)))
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=HANGS, check=False
    )
    assert ran.stdout == "stopped\n", ran.stderr


def test_threads_that_cannot_be_started_are_an_error_and_leave_no_trace(monkeypatch):
    def refuse(self):
        raise RuntimeError("can't start new thread")

    stacks.leave_parked_threads()
    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        Height().visit(deep.tuple_nest(1_000))


@pytest.mark.deep
def test_natural_mutator_changes_a_leaf_at_the_bottom():
    class Replace(relay.ExprMutator):
        def visit_constant(self, const):
            return relay.Var("new")

        def visit_let(self, let):
            return relay.Let(let.var, self.visit(let.value), self.visit(let.body))

    image = Replace().visit(deep.let_value(DEPTH))
    for _ in range(DEPTH):
        image = image.value
    assert isinstance(image, relay.Var)


def called_functions(levels: int) -> relay.Expr:
    """``(fn (y) { (fn (y) { x })(y) })(y)``."""
    expr: relay.Expr = relay.Var("x")
    for _ in range(levels):
        param = relay.Var("y")
        expr = relay.Call(relay.Function((param,), expr), (param,))
    return expr


@pytest.mark.deep
def test_handlers_of_a_mixed_mode_visitor_may_visit_what_is_no_child():
    class Bodies(relay.MixedModeVisitor):
        bodies = 0

        def visit_function(self, func: relay.Function) -> None:
            """Leave ``func`` to the call of it."""

        def visit_call(self, call: relay.Call) -> None:
            assert isinstance(call.op, relay.Function)
            self.bodies += 1
            self.visit(call.op.body)

    visitor = Bodies()
    visitor.visit(called_functions(DEPTH))
    assert visitor.bodies == DEPTH


@pytest.mark.deep
def test_handlers_of_a_mixed_mode_mutator_may_visit_what_is_no_child():
    class Bodies(relay.MixedModeMutator):
        def visit_function(self, func: relay.Function) -> relay.Expr:
            return func

        def rewrite_call(self, pre: relay.Call, post: relay.Call) -> relay.Expr:
            assert isinstance(pre.op, relay.Function)
            return self.visit(pre.op.body)

    assert isinstance(Bodies().visit(called_functions(DEPTH)), relay.Var)
