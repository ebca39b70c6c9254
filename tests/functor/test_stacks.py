"""Threads with large stacks that are parked between deep traversals."""

from __future__ import annotations

import contextvars
import gc
import os
import subprocess
import sys
import textwrap
import threading
import weakref
from pathlib import Path

import pytest

from relayish._support import segments, stacks
from relayish.errors import EndlessRecursionError
from relayish.functor import ExprFunctor, ExprMutator, ExprVisitor, MixedModeMutator
from relayish.ir.relay.expr import Constant, Tuple, Var
from tests.support import deep
from tests.support.guard import HANGS

DEPTH = segments.FIRST_LEVELS + 300


@pytest.fixture(autouse=True)
def _nothing_is_parked():
    stacks.leave_parked_threads()
    yield
    stacks.leave_parked_threads()
    left = [t for t in threading.enumerate() if t.name == "relayish-stack"]
    for thread in left:  # one that was told to end may be about to
        thread.join(HANGS)
    assert not [thread for thread in left if thread.is_alive()]


class Bottom(ExprFunctor[object]):
    """Returns what ``look`` says at the bottom of a nest."""

    def __init__(self, look):
        self.look = look

    def visit_constant(self, const):
        return self.look()

    def visit_tuple(self, tup):
        return self.visit(tup.fields[0])


def at_the_bottom(look=threading.get_ident, depth=DEPTH):
    return Bottom(look).visit(deep.tuple_nest(depth))


def stacks_alive():
    return [t for t in threading.enumerate() if t.name == "relayish-stack"]


def test_traversal_that_is_not_deep_starts_no_thread():
    assert at_the_bottom(depth=segments.FIRST_LEVELS - 20) == threading.get_ident()
    assert stacks_alive() == []


class Tuples(ExprVisitor):
    def visit_tuple(self, tup):
        for field in tup.fields:
            self.visit(field)


class Rebuilt(ExprMutator):
    def visit_tuple(self, tup):
        return tup.with_fields(fields=self.mutate_all(tup.fields))


def nest_of(expr, levels):
    for _ in range(levels):
        expr = Tuple((expr,))
    return expr


class SeeingEveryVisit(ExprVisitor):
    def visit(self, expr):
        super().visit(expr)


@pytest.mark.parametrize("functor", [Tuples, Rebuilt, SeeingEveryVisit])
def test_leaves_start_no_thread_where_there_is_no_room_to_nest(functor, monkeypatch):
    started = []
    start = segments.start_on_stack
    monkeypatch.setattr(segments, "start_on_stack", lambda *work: started.append(1) or start(*work))
    leaves = Tuple(tuple(leaf(str(i)) for i in range(50) for leaf in (Var, Constant)))
    functor().visit(nest_of(leaves, segments.FIRST_LEVELS - 1))
    assert started == []
    functor().visit(nest_of(leaves, segments.FIRST_LEVELS))
    assert started == [1]


def test_leaves_whose_handlers_visit_ever_new_ones_are_an_endless_recursion(monkeypatch):
    class Endless(MixedModeMutator):
        def rewrite_tuple(self, pre, post):
            return self.visit(Tuple(()))

    monkeypatch.setattr(segments, "MAX_LEVELS", 2_000)
    monkeypatch.setattr(segments, "LEVELS", 400)
    with pytest.raises(EndlessRecursionError, match="nests deeper than 2,000 levels"):
        Endless().visit(Tuple(()))


def test_next_traversal_goes_on_on_the_stack_of_the_one_before():
    first = at_the_bottom()
    assert first != threading.get_ident()
    assert at_the_bottom() == first
    assert len(stacks_alive()) == 1


def test_stack_is_used_again_after_an_exception():
    def fail():
        raise KeyError(threading.get_ident())

    with pytest.raises(KeyError) as caught:
        at_the_bottom(fail)
    assert at_the_bottom() == caught.value.args[0]


def test_parked_threads_hold_nothing_of_what_was_visited():
    class Thing:
        pass

    things = [Thing() for _ in range(4)]
    left = [weakref.ref(thing) for thing in things]
    functor, expr = Bottom(lambda: things[0]), deep.tuple_nest(DEPTH)
    functor.kept = things[1]
    left += [weakref.ref(functor), weakref.ref(expr)]
    assert functor.visit(expr) is things[0]

    def fail():
        raise KeyError(things[2])

    with pytest.raises(KeyError):
        Bottom(fail).visit(expr)
    place = contextvars.ContextVar("place")
    contextvars.copy_context().run(at_the_bottom, lambda: place.set(things[3]) and None)
    assert len(stacks_alive()) == 1
    del functor, expr
    things.clear()
    gc.collect()
    assert [ref for ref in left if ref() is not None] == []


def test_context_of_one_traversal_is_not_met_by_the_next():
    place = contextvars.ContextVar("place", default="nowhere")
    contextvars.copy_context().run(at_the_bottom, lambda: place.set("there") and None)
    assert at_the_bottom(place.get) == "nowhere"


def test_no_more_levels_are_granted_than_a_stack_has():
    levels = segments.Levels(step=4, capacity=12)
    while segments._extend(levels):
        assert levels.limit <= 12
    assert levels.limit == 12


def test_no_more_threads_are_parked_than_a_few(monkeypatch):
    monkeypatch.setattr(segments, "LEVELS", 40)
    at_the_bottom(depth=DEPTH)
    for thread in stacks_alive():
        if thread not in stacks._parked:
            thread.join(HANGS)
    assert len(stacks_alive()) == stacks.MAX_PARKED


def test_parked_thread_ends_by_itself(monkeypatch):
    monkeypatch.setattr(stacks, "PARKED_SECONDS", 0)
    thread = at_the_bottom(threading.current_thread)
    thread.join(HANGS)
    assert not thread.is_alive()
    assert at_the_bottom() != threading.get_ident()


def test_work_is_done_when_the_parked_thread_ends_just_then(monkeypatch):
    monkeypatch.setattr(stacks, "PARKED_SECONDS", 0)
    idents = {at_the_bottom() for _ in range(200)}
    assert threading.get_ident() not in idents


class _Done:
    """Work that counts how often it was done, and knows by whom."""

    def __init__(self):
        self.done = threading.Lock()
        self.done.acquire()
        self.times = 0
        self.thread = None

    def run(self):
        self.times += 1
        self.thread = threading.current_thread()
        return True


def test_thread_that_ends_takes_what_was_handed_to_it_or_says_that_it_may_not(monkeypatch):
    monkeypatch.setattr(stacks, "PARKED_SECONDS", 0)
    first, late = _Done(), _Done()
    stacks.start_on_stack(first, segments.STACK_BYTES)
    first.done.acquire()
    first.thread.join(HANGS)
    assert first.thread.hand(late) is False
    assert late.times == 0


def test_thread_starts_anew_when_profiling_begins():
    first = at_the_bottom()
    seen = []
    threading.setprofile(lambda frame, event, arg: seen.append(frame.f_code.co_name))
    try:
        assert at_the_bottom() != first
    finally:
        threading.setprofile(None)
    assert "visit_tuple" in seen


def test_threads_that_traverse_at_once_use_stacks_of_their_own():
    meet = threading.Barrier(3, timeout=HANGS)
    found = []

    def look():
        meet.wait()
        found.append(threading.get_ident())

    threads = [threading.Thread(target=at_the_bottom, args=(look,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 3


def ran(script: str, *options: str) -> str:
    """Return what a fresh interpreter prints for ``script``."""
    paths = [str(Path(deep.__file__).parents[2]), *sys.path]
    done = subprocess.run(
        [sys.executable, *options, "-c", textwrap.dedent(script)],
        capture_output=True, text=True, timeout=HANGS, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


QUIET_FORK = ("-W", "ignore:This process:DeprecationWarning")
"""Python 3.12 joins threads before the system has ended them, and warns of them where it forks."""

DEEP_VISIT = """
    import threading
    from relayish._support import stacks
    from relayish.functor import ExprVisitor
    from tests.support import deep

    def stacks_alive():
        return [t for t in threading.enumerate() if t.name == "relayish-stack"]

    class Plain(ExprVisitor):
        bottom = None
        def visit_constant(self, const):
            self.bottom = threading.get_ident()
        def visit_tuple(self, tup):
            self.visit(tup.fields[0])

    def visit():
        visitor = Plain()
        visitor.visit(deep.tuple_nest(400))
        return visitor.bottom != threading.get_ident()
"""


def test_parked_thread_does_not_keep_the_process_alive():
    script = """
    stacks.PARKED_SECONDS = 3600
    print(visit(), len(stacks_alive()), flush=True)
    """
    assert ran(DEEP_VISIT + script, "-X", "dev") == "True 1\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_forked_process_traverses_on_stacks_of_its_own():
    script = """
    import os
    assert visit()
    child = os.fork()
    if child == 0:
        deep_down = visit() and visit()
        os._exit(0 if deep_down and len(stacks_alive()) == 1 else 1)
    print(os.waitpid(child, 0)[1], visit())
    """
    assert ran(DEEP_VISIT + script, *QUIET_FORK) == "0 True\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_fork_waits_until_parked_threads_have_ended():
    script = """
    import os
    stacks.PARKED_SECONDS = 3600
    assert visit()
    (parked,) = stacks_alive()
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    print(parked.is_alive(), threading.active_count())
    """
    assert ran(DEEP_VISIT + script, *QUIET_FORK) == "False 1\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_child_forgets_threads_that_were_parked_while_it_was_forked():
    script = """
    import os
    stacks.leave_parked_threads.__code__ = (lambda: None).__code__  # as if one came too late
    assert visit()
    child = os.fork()
    if child == 0:
        os._exit(0 if visit() else 1)
    print(os.waitpid(child, 0)[1])
    """
    assert ran(DEEP_VISIT + script, "-W", "ignore::DeprecationWarning") == "0\n"


def test_visitor_that_goes_to_and_fro_between_stacks_starts_few_threads():
    started = []

    class Many(ExprVisitor):
        def visit_constant(self, const):
            started.append(threading.get_ident())

        def visit_tuple(self, tup):
            for field in tup.fields:
                self.visit(field)

    wide = [deep.tuple_nest(segments.FIRST_LEVELS) for _ in range(50)]
    expr = Tuple(tuple(wide))
    for _ in range(20):
        expr = Tuple((expr,))
    Many().visit(expr)
    assert len(started) == 50
    assert len(set(started)) == 1
