"""Lattices: what the states of analyses are elements of."""

from relayish._support.face import imported_names as _imported_names
from relayish._support.persistent_map import PersistentMap
from relayish._support.persistent_set import PersistentSet
from relayish.dataflow.lattice.booleans import Booleans, MustBooleans
from relayish.dataflow.lattice.cofinite_set import UNIVERSE, AnySet, CofiniteSet
from relayish.dataflow.lattice.congruences import (
    ANY_RESIDUE,
    AnyResidues,
    Congruence,
    Congruences,
    congruent,
)
from relayish.dataflow.lattice.flat import Flat, same_value
from relayish.dataflow.lattice.interval import INFINITE, AnyIntegers, Interval
from relayish.dataflow.lattice.intervals import EVERY_INTEGER, Intervals
from relayish.dataflow.lattice.lattice import IsLattice, Lattice
from relayish.dataflow.lattice.law_check import check_laws
from relayish.dataflow.lattice.lift import Lift
from relayish.dataflow.lattice.map_lattice import Everywhere, MapLattice
from relayish.dataflow.lattice.operations import equal, join, leq, meet, narrow, widen
from relayish.dataflow.lattice.powerset import MustPowerset, Powerset
from relayish.dataflow.lattice.product import Product
from relayish.dataflow.lattice.signs import Sign, Signs
from relayish.dataflow.lattice.symbols import BOTTOM, TOP, UNREACHABLE

__all__ = _imported_names(__name__)
