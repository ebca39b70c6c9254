# What type checkers see of relayish.relay.prelude, which is relayish.prelude.
# ruff: noqa: F403 - one name for another

from relayish.prelude import *
