"""Lattices: what the states of analyses are elements of."""

from relayish.dataflow.lattice.lattice import Lattice

__all__ = ["Lattice"]
