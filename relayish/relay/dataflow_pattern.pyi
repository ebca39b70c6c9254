# What type checkers see of relayish.relay.dataflow_pattern, which is relayish.dataflow_pattern.
# ruff: noqa: F403 - one name for another

from relayish.dataflow_pattern import *
