# What type checkers see of relayish.relay.op, which is relayish.op.
# ruff: noqa: F403 - one name for another

from relayish.op import *
