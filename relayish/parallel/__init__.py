"""Work on many items by many workers: threads, processes, Dask, Ray, or any other executor.

It knows nothing of programs: items, functions and bytes that items share.
"""

from __future__ import annotations

from relayish.parallel.engines import Workers
from relayish.parallel.map_over import map_over
from relayish.parallel.outcome import Outcome
from relayish.parallel.processes import ProcessExecutor
from relayish.parallel.sharing import Share

__all__ = ["Outcome", "ProcessExecutor", "Share", "Workers", "map_over"]
