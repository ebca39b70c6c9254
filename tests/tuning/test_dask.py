"""Search by a scheduler of Dask and two workers: as one machine does, and if one is killed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from relayish.tir.schedule.records import read_records
from relayish.tir.tune import TuneOptions
from relayish.tuning.search import search
from tests.support.dask_cluster import Cluster, cluster
from tests.support.tuning import KilledOnce, by_program, scaled, tiles

pytest.importorskip("distributed")
pytestmark = pytest.mark.references

OPTIONS = TuneOptions(space=tiles, trials=20, batch=8)


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Two workers, for all tests of the file."""
    with cluster(tmp_path_factory.mktemp("dask")) as made:
        with made.wait(2):
            pass
        yield made


def programs(path: Path) -> list[str]:
    return sorted(each.program for each in read_records(path))


@pytest.mark.slow("starts a scheduler and two workers, which import all passes")
def test_two_workers_find_what_one_process_finds_though_one_of_them_is_killed(
    two: Cluster, tmp_path: Path
) -> None:
    alone, here, killed = tmp_path / "alone", tmp_path / "here", tmp_path / "killed"
    expected = search(scaled(), OPTIONS._replace(records=alone), measurer=by_program)
    measurer = KilledOnce(killed)
    options = OPTIONS._replace(records=here, executor=f"dask:{two.address}")
    found = search(scaled(), options, measurer=measurer)
    assert killed.read_text()
    assert [each.poll() is None for each in two.workers].count(False) == 1
    assert found.verdicts == expected.verdicts == {"right": 20}
    assert found.seconds == expected.seconds
    assert programs(here) == programs(alone)
    assert str(found.schedule.trace) == str(expected.schedule.trace)  # type: ignore[union-attr]


@pytest.mark.slow("a worker starts the compiler")
def test_an_executor_of_dask_measures_what_is_compiled(two: Cluster) -> None:
    with two.wait(1) as client:
        options = TuneOptions(
            space=tiles, trials=2, seconds=0, executor=client.get_executor(), batch=2
        )
        found = search(scaled(), options)
    assert found.verdicts == {"right": 2}
    assert 0 < found.seconds <= found.baseline < 1
