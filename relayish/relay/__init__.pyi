# What type checkers see of relayish.relay: all that relayish has, and what is another thing here.
# ruff: noqa: F403 - one name for another

from relayish import *
from relayish.relay.build_module import create_executor as create_executor  # type: ignore[assignment]  # it is another one here
