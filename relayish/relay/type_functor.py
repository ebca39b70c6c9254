"""Functors of types, under the names of ``tvm.relay.type_functor``."""

from __future__ import annotations

from relayish._support.absent import set_finder
from relayish.functor import TypeFunctor, TypeMutator, TypeVisitor

__all__ = ["TypeFunctor", "TypeMutator", "TypeVisitor"]

set_finder(__name__)
