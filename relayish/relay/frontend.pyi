# What type checkers see of relayish.relay.frontend, which is relayish.frontend.
# ruff: noqa: F403 - one name for another

from relayish.frontend import *
