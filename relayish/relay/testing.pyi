# What type checkers see of relayish.relay.testing, which is relayish.testing.
# ruff: noqa: F403 - one name for another

from relayish.testing import *
