"""A scheduler of Dask and its workers, as processes of this machine."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


class Cluster:
    """Processes, of which any may be killed.

    Attributes:
        address: That of the scheduler.
        workers: By process.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._options = ["--no-dashboard"]
        file = folder / "scheduler.json"
        words = ["--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file)]
        self._scheduler = self._start("dask_scheduler", *words)
        deadline = time.monotonic() + 60
        while not (file.exists() and file.read_text()):
            assert time.monotonic() < deadline
            assert self._scheduler.poll() is None
            time.sleep(0.02)
        self.address: str = json.loads(file.read_text())["address"]
        self.workers: list[subprocess.Popen[bytes]] = []

    def add_worker(self, *options: str) -> None:
        """Start one more, with one thread."""
        words = ["--nthreads", "1", "--local-directory", str(self._folder), *options]
        self.workers.append(self._start("dask_worker", self.address, *words))

    def wait(self, count: int) -> Any:  # Any: a client
        """Return a client once so many workers are there."""
        distributed = pytest.importorskip("distributed")
        client = distributed.Client(self.address, set_as_default=False)
        client.wait_for_workers(count, timeout=60)
        return client

    def close(self) -> None:
        """End all processes."""
        for process in (*self.workers, self._scheduler):
            process.kill()
            process.wait()

    def _start(self, program: str, *words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.{program}", *words, *self._options]
        with (self._folder / f"{program}.log").open("ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log)


@contextlib.contextmanager
def cluster(folder: Path, workers: int = 2) -> Iterator[Cluster]:
    """Start a scheduler and workers that nobody replaces, and end them behind the block."""
    made = Cluster(folder)
    try:
        for _ in range(workers):
            made.add_worker("--no-nanny")
        yield made
    finally:
        made.close()
