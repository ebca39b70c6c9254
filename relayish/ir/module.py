"""What every module is: named definitions, which comparison, hashing and passes ask for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

from relayish.ir.attrs import DictAttrs
from relayish.ir.node import Node


class Module:
    """The root of modules: values that hold definitions by name and are never changed.

    Relay's is :class:`~relayish.ir.relay.module.IRModule`.
    """

    __slots__ = ()

    attrs: DictAttrs | None

    @abstractmethod
    def sections(self) -> Mapping[str, Mapping[str, Node]]:
        """Return the definitions by name, by what they are: ``"types"``, ``"functions"``.

        Definitions and names are in an order that does not depend on how the module was made.
        """
