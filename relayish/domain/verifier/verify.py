"""The verifier: what programs of all domains have to be, every rule of it."""

from __future__ import annotations
