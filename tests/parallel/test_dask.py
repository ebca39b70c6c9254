"""Dask's scheduler and two workers: order, what is shared, one killed in the midst."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from relayish.binary import to_binary
from relayish.errors import ParallelError
from relayish.parallel import Packed, map_over
from relayish.transform import parse_pipeline
from tests.support import tasks
from tests.support.dask_cluster import Cluster, cluster
from tests.support.tasks import Packing
from tests.support.weighted import weighted

pytest.importorskip("distributed")
pytestmark = pytest.mark.references


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The cluster of the file: tests that kill a worker start another."""
    with cluster(tmp_path_factory.mktemp("dask")) as made:
        with made.wait(2):
            pass
        yield made


@pytest.mark.slow("starts a scheduler and two workers")
def test_outcomes_are_in_order_and_errors_of_their_items(two) -> None:
    outcomes = list(map_over(f"dask:{two.address}", tasks.fail_at_two, range(6)))
    assert [each.value for each in outcomes] == [0, 1, None, 3, 4, 5]
    assert isinstance(outcomes[2].error, ValueError)
    assert "in fail_at_two" in str(outcomes[2].error.__notes__)


def test_equal_items_are_as_many(two) -> None:
    numbers = [each.value for each in map_over(f"dask:{two.address}", tasks.next_number, [0] * 4)]
    assert len(set(numbers)) == 4


@pytest.mark.parametrize("sees_files", [True, False])
def test_bytes_that_items_share_go_as_files_here_and_else_as_messages(
    two, sees_files, monkeypatch
) -> None:
    def pack(item: int, share: Any) -> Packed:
        return Packed(item, (share("same", b"shared" * 9), share(f"own {item}", bytes([item]))))

    if not sees_files:
        monkeypatch.setattr("relayish.parallel.dask._is_here", lambda _address: False)
    spec = f"dask:{two.address}"
    outcomes = list(map_over(spec, tasks.parts_of, [1, 2, 3], transport=Packing(pack)))
    assert [each.result() for each in outcomes] == [
        (number, [b"shared" * 9, bytes([number])]) for number in (1, 2, 3)
    ]


@pytest.mark.slow("workers import all passes")
def test_modules_come_back_as_the_pass_makes_them(two) -> None:
    pipeline = parse_pipeline("FoldConstant,DeadCodeElimination")
    modules = [weighted(small=each) for each in (1.0, 2.0, 3.0)]
    modules.append(pipeline(modules[0]))
    with two.wait(2) as client:
        found = [each.result() for each in pipeline.map(modules, client.get_executor())]
    assert [to_binary(each) for each in found] == [to_binary(pipeline(each)) for each in modules]
    assert found[3] is modules[3]


def test_what_a_killed_worker_was_given_is_done_by_the_other(two, tmp_path) -> None:
    file = tmp_path / "killed"
    items = [(str(file), number) for number in range(12)]
    outcomes = list(map_over(f"dask:{two.address}", tasks.be_killed_once, items))
    two.add_worker("--no-nanny")
    assert [each.value for each in outcomes] == list(range(12))
    killed = file.read_text()
    left = {each.worker.split(":")[1] for each in outcomes[2:]}
    assert len(left) == 1
    assert left != {killed}


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense:", ""])
def test_an_address_where_nobody_listens_is_refused(address, monkeypatch) -> None:
    monkeypatch.setattr("relayish.parallel.dask.CONNECTS_WITHIN", 0.2)
    outcomes = map_over(f"dask:{address}", tasks.square, [1])
    with pytest.raises(ParallelError, match="there is no scheduler of Dask at"):
        next(outcomes)
