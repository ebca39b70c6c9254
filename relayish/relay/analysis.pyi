# What type checkers see of relayish.relay.analysis, which is relayish.analysis.
# ruff: noqa: F403 - one name for another

from relayish.analysis import *
