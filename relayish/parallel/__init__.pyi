from relayish.parallel.engines import Workers as Workers
from relayish.parallel.map_over import map_over as map_over
from relayish.parallel.outcome import Outcome as Outcome
from relayish.parallel.processes import ProcessExecutor as ProcessExecutor
from relayish.parallel.sharing import Packed as Packed
from relayish.parallel.sharing import Share as Share
from relayish.parallel.sharing import Transport as Transport

__all__ = ["Outcome", "Packed", "ProcessExecutor", "Share", "Transport", "Workers", "map_over"]
