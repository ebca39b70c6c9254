"""Drivers: options, traces, phases and timing of a whole run, seen from the pass infrastructure.

A :class:`Driver` is a ``Sequential``, a :class:`DriverCtx` says under which ``PassContext`` its
passes run and which options they have; :class:`Traced` gives contexts of visitors access to both.
"""

from __future__ import annotations

from relayish.domain.driver.config import GlobalConfig
from relayish.domain.driver.context import DriverCtx
from relayish.domain.driver.driver import Driver
from relayish.domain.traced import Traced

__all__ = ["Driver", "DriverCtx", "GlobalConfig", "Traced"]
