# What type checkers see of relayish.relay.transform, which is relayish.transform.
# ruff: noqa: F403 - one name for another

from relayish.transform import *
