# What type checkers see of relayish.relay.op.contrib.register.
# ruff: noqa: F403 - one name for another

from relayish.op.contrib.register import *
