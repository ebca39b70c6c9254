"""Mapping over items: order, errors, windows, what is lost with workers, and what is not."""

from __future__ import annotations

import contextvars
import functools
import itertools
import multiprocessing
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import pytest

from relayish.errors import ParallelError, WorkerLostError
from relayish.parallel import Packed, ProcessExecutor, map_over
from tests.support import tasks
from tests.support.tasks import Packing

VARIABLE: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="none")


@pytest.fixture(scope="module")
def two() -> Iterator[ProcessExecutor]:
    """Two processes for all tests of the file; those that end are replaced."""
    with ProcessExecutor(2) as executor:
        yield executor


@pytest.fixture(scope="module")
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as executor:
        yield executor


def values(outcomes: Any) -> list[Any]:
    return [each.value if each.error is None else type(each.error).__name__ for each in outcomes]


def make_pool() -> Executor:
    return ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))


def test_outcomes_are_in_order_and_carry_item_index_and_worker(two) -> None:
    outcomes = list(map_over(two, tasks.square, [3, 4]))
    assert [(each.index, each.item, each.result()) for each in outcomes] == [(0, 3, 9), (1, 4, 16)]
    assert all(each.worker and each.tries == 1 and each.error is None for each in outcomes)
    assert not {each.worker.split(":")[1] for each in outcomes} & {str(os.getpid())}


def test_without_executor_each_item_is_done_when_it_is_asked_for() -> None:
    done: list[int] = []
    outcomes = map_over(None, done.append, range(5))
    assert done == []
    next(outcomes)
    assert done == [0]
    next(outcomes)
    assert done == [0, 1]


@pytest.mark.parametrize("ordered", [True, False])
def test_no_more_than_the_window_is_taken_and_not_given_back(ordered) -> None:
    taken: list[int] = []
    given: list[int] = []
    with ThreadPoolExecutor(3) as executor:
        items = (taken.append(each) or each for each in range(50))
        for outcome in map_over(executor, tasks.square, items, window=4, ordered=ordered):
            given.append(outcome.index)
            assert len(taken) - len(given) <= 4
    assert sorted(given) == list(range(50))
    assert ordered is False or given == sorted(given)


def test_a_slow_first_item_lets_no_more_begin_than_the_window() -> None:
    executor = tasks.LateExecutor()
    outcomes = map_over(executor, tasks.square, range(10), window=3)
    thread = threading.Thread(target=lambda: found.append(next(outcomes)))
    found: list[Any] = []
    thread.start()
    while len(executor.waiting) < 3:
        time.sleep(0.001)
    executor.do(2)
    executor.do(1)
    time.sleep(0.02)
    assert len(executor.waiting) == 1  # the first, for which the others wait
    executor.do(0)
    thread.join()
    assert found[0].index == 0


def test_outcomes_come_as_they_are_there_if_order_is_not_asked_for() -> None:
    executor = tasks.LateExecutor()
    outcomes = map_over(executor, tasks.square, range(3), ordered=False, window=3)
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.extend(each.index for each in outcomes))
    thread.start()
    for place in (2, 0, 0):
        while len(executor.waiting) <= place:
            time.sleep(0.001)
        executor.do(place)
        while len(found) + len(executor.waiting) < 3:
            time.sleep(0.001)
    thread.join()
    assert found == [2, 0, 1]


def test_what_is_raised_belongs_to_its_item_and_tells_the_traceback_of_the_worker(two) -> None:
    outcomes = list(map_over(two, tasks.fail_at_two, range(4)))
    assert values(outcomes) == [0, 1, "ValueError", 3]
    failed = outcomes[2]
    assert failed.tries == 1
    (note,) = failed.error.__notes__
    assert note.startswith(f"in worker {failed.worker}:\nTraceback")
    assert "in fail_at_two" in note
    with pytest.raises(ValueError, match="two"):
        failed.result()


def test_what_threads_raise_is_the_very_error(threads) -> None:
    error = KeyError("x")

    def fail(_item: int) -> None:
        raise error

    (outcome,) = map_over(threads, fail, [1])
    assert outcome.error is error
    assert not hasattr(error, "__notes__")


@pytest.mark.parametrize(
    ("function", "item", "told"),
    [
        (tasks.fail_oddly, 1, "OddError: odd one"),
        (tasks.leave, 1, "3"),
        (tasks.make_function, 1, "local object 'make_function"),
        (tasks.square, lambda: None, "pickle"),
        (tasks.square, tasks.NotReadAgain(), "no number"),
    ],
)
def test_what_cannot_travel_is_an_error_of_its_item_and_no_other(two, function, item, told) -> None:
    bad, good = (*map_over(two, function, [item]), *map_over(two, tasks.square, [2]))
    assert told in str(bad.error)
    assert good.value == 4


@pytest.mark.parametrize("function", [tasks.die_at_two, tasks.kill_at_two])
def test_an_item_that_ends_its_worker_again_and_again_is_an_error_alone(two, function) -> None:
    outcomes = list(map_over(two, function, range(5), retries=1))
    assert values(outcomes) == [0, 1, "WorkerLostError", 3, 4]
    assert [each.tries for each in outcomes] == [1, 1, 2, 1, 1]
    how = "exit code 7" if function is tasks.die_at_two else "SIGKILL"
    assert "the worker of item 2 was lost 2 times, last: process" in str(outcomes[2].error)
    assert how in str(outcomes[2].error)


def test_an_item_whose_worker_was_lost_once_is_done_by_another(two, tmp_path) -> None:
    items = [(str(tmp_path / "died"), each) for each in range(4)]
    outcomes = list(map_over(two, tasks.die_once, items))
    assert values(outcomes) == [0, 1, 2, 3]
    assert [each.tries for each in outcomes] == [1, 1, 2, 1]


def test_without_retries_a_lost_item_is_an_error_at_once(two) -> None:
    outcomes = list(map_over(two, tasks.die_at_two, range(4), retries=0))
    assert values(outcomes) == [0, 1, "WorkerLostError", 3]
    assert outcomes[2].tries == 1


def test_a_pool_that_breaks_is_made_anew_and_suspects_run_alone() -> None:
    made: list[Executor] = []

    def make() -> Executor:
        made.append(make_pool())
        return made[-1]

    outcomes = list(map_over(make, tasks.die_at_two, range(5), retries=0, ordered=False, window=4))
    by_index = sorted(outcomes, key=lambda each: each.index)
    assert values(by_index) == [0, 1, "WorkerLostError", 3, 4]
    assert len(made) == 3  # broken by some, then by the one alone


def test_a_pool_that_was_given_and_breaks_says_which_items_are_lost() -> None:
    with make_pool() as pool:
        outcomes = list(map_over(pool, tasks.die_at_two, [2, 2, 2], window=1))
    assert values(outcomes) == ["WorkerLostError"] * 3
    for index, each in enumerate(outcomes):
        assert f"item {index} is lost with the executor" in str(each.error)
        assert "give what makes one" in str(each.error)


def test_an_executor_that_was_shut_down_is_refused() -> None:
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.raises(RuntimeError, match="after shutdown"):
        list(map_over(executor, tasks.square, [1]))


def test_closing_early_cancels_what_has_not_begun_and_leaves_no_process(tmp_path) -> None:
    file = str(tmp_path / "processes")
    seconds = [0, 60, 60, 60, 60, 60, 60, 60]
    outcomes = map_over("processes:2", tasks.sleep, [(file, each) for each in seconds])
    begin = time.monotonic()
    assert next(outcomes).value == 0
    outcomes.close()  # type: ignore[attr-defined]
    assert time.monotonic() - begin < 30
    assert_ended(file)


def assert_ended(file: str) -> None:
    with open(file, encoding="utf-8") as lines:  # noqa: PTH123
        numbers = [int(line) for line in lines]
    assert 1 <= len(numbers) <= 3
    for number in numbers:
        with pytest.raises(ProcessLookupError):
            os.kill(number, 0)


def test_an_interrupt_leaves_no_process_and_ends_no_executor_that_was_given(tmp_path, two) -> None:
    def interrupt(_outcome: Any) -> None:
        raise KeyboardInterrupt

    file = str(tmp_path / "processes")
    items = [(file, each) for each in (0, 60, 60)]
    with pytest.raises(KeyboardInterrupt):
        list(map_over("processes:2", tasks.sleep, items, progress=interrupt))
    assert_ended(file)
    with pytest.raises(KeyboardInterrupt):
        list(map_over(two, tasks.square, [1, 2], progress=interrupt))
    assert values(map_over(two, tasks.square, [3])) == [9]


def test_an_error_of_the_items_themselves_is_raised(threads) -> None:
    def items() -> Iterator[int]:
        yield 1
        raise LookupError("no more")

    with pytest.raises(LookupError, match="no more"):
        list(map_over(threads, tasks.square, items()))


def test_progress_is_told_of_each_outcome_once(two) -> None:
    told: list[int] = []
    list(map_over(two, tasks.fail_at_two, range(5), progress=lambda each: told.append(each.index)))
    assert sorted(told) == list(range(5))


def test_threads_see_what_is_in_force_for_the_caller(threads) -> None:
    token = VARIABLE.set("caller's")
    outcomes = map_over(threads, lambda _item: VARIABLE.get(), range(3))
    VARIABLE.reset(token)
    assert values(outcomes) == ["caller's"] * 3


def test_processes_are_used_again(two) -> None:
    assert len(set(values(map_over(two, tasks.process_of, range(20))))) <= 2


def test_results_are_unpacked_with_what_was_kept_and_errors_of_that_are_outcomes(two) -> None:
    def unpack(packed: Packed, value: int) -> object:
        return packed.kept, 1 // value

    transport = Packing(lambda item, _share: Packed(item, (), f"kept {item}"), unpack)
    outcomes = list(map_over(two, tasks.square, [1, 0], transport=transport))
    assert values(outcomes) == [("kept 1", 1), "ZeroDivisionError"]
    assert outcomes[1].value is None


def test_threads_get_items_as_they_are(threads) -> None:
    assert values(map_over(threads, tasks.square, [3], transport=Packing(None, None))) == [9]


@pytest.mark.parametrize("make", ["processes:1", "folder", "pool"])
def test_bytes_that_items_share_are_written_once_and_mapped(make, tmp_path, two) -> None:
    handles: list[Any] = []

    def pack(item: int, share: Any) -> Packed:
        handles.append((share("same", b"shared"), share(f"own {item}", bytes([item]))))
        return Packed(item * 10, handles[-1])

    executor = two if make == "folder" else make_pool if make == "pool" else make
    folder = str(tmp_path) if make == "folder" else None
    outcomes = list(
        map_over(executor, tasks.parts_of, [1, 2, 3], transport=Packing(pack), folder=folder)
    )
    assert [each.item for each in outcomes] == [1, 2, 3]
    assert values(outcomes) == [(10 * i, [b"shared", bytes([i])]) for i in (1, 2, 3)]
    assert len({same.path for same, _ in handles}) == 1
    assert not os.path.exists(handles[0][0].path)  # noqa: PTH110
    assert list(tmp_path.iterdir()) == []


def test_bytes_that_items_share_are_messages_where_nothing_is_known_of_workers(two) -> None:
    def pack(item: int, share: Any) -> Packed:
        return Packed(item, (share("key", memoryview(b"view")), share("empty", b"")))

    assert values(map_over(two, tasks.parts_of, [1], transport=Packing(pack))) == [
        (1, [b"view", b""])
    ]


def test_what_cannot_be_packed_is_an_error_of_its_item(two) -> None:
    def pack(item: int, _share: Any) -> Packed:
        if item == 2:
            raise TypeError("not this one")
        return Packed(item)

    outcomes = list(map_over(two, tasks.square, range(4), transport=Packing(pack)))
    assert values(outcomes) == [0, 1, "TypeError", 9]
    assert outcomes[2].tries == 0


@pytest.mark.parametrize(
    ("executor", "told"),
    [
        ("process:2", "there is no executor 'process:2'; did you mean processes?"),
        ("processes:0", "expected a number of workers from 1; found '0'"),
        ("threads:two", "expected a number of workers from 1; found 'two'"),
        (3, "expected an executor, a function that makes one, or one of processes:N"),
    ],
)
def test_what_is_no_executor_is_refused_at_once(executor, told) -> None:
    with pytest.raises(ParallelError) as caught:
        map_over(executor, tasks.square, [])
    assert told in str(caught.value)


def test_what_makes_no_executor_is_refused() -> None:
    with pytest.raises(ParallelError, match="was to make an executor; it made 3"):
        list(map_over(lambda: 3, tasks.square, []))  # type: ignore[arg-type,return-value]


@pytest.mark.parametrize("given", [{"retries": -1}, {"retries": True}, {"window": 0}])
def test_numbers_that_mean_nothing_are_refused_at_once(given) -> None:
    with pytest.raises(ParallelError, match="must be a whole number from"):
        map_over(None, tasks.square, [], **given)


def test_thousands_of_items_take_linear_time_in_the_loop(threads) -> None:
    waits = itertools.count()
    count = functools.partial(next, waits)
    list(map_over(threads, tasks.square, range(2000), progress=lambda _each: count()))
    assert next(waits) == 2000


def test_lost_workers_are_errors_of_parallel_work() -> None:
    assert issubclass(WorkerLostError, ParallelError)
