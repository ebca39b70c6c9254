"""Functors of types, under the names of ``tvm.relay.type_functor``."""

from __future__ import annotations

from relayish._support.absent import names_of
from relayish.functor import TypeFunctor, TypeMutator, TypeVisitor

__all__ = ["TypeFunctor", "TypeMutator", "TypeVisitor"]

__getattr__ = names_of(__name__)
