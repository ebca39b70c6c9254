"""The prelude as TVM has it."""

from __future__ import annotations

import gzip
import json
from functools import cache

from relayish.ir.relay.type import FuncType
from relayish.text import parse
from tests.support.shared_data import shared_path


def type_of(func):
    """Return the type of a function by its annotations."""
    return FuncType(tuple(p.type_annotation for p in func.params), func.ret_type, func.type_params)


@cache
def recorded_prelude():
    """Return the shortest recorded program that has the prelude, natural numbers included."""
    path = shared_path("corpus/pairs.jsonl.gz")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        programs = (json.loads(line)["before"] for line in lines if "@nat_add" in line)
        return parse(min(filter(lambda text: "@nat_add" in text, programs), key=len))
