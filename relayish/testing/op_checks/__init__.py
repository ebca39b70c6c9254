"""Tests of what is declared of an operator; :func:`relayish.testing.opcheck` runs them all."""
