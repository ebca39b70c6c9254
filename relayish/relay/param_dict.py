"""Parameter files, under the names of ``tvm.relay.param_dict``."""

from __future__ import annotations

from relayish._support.absent import set_finder
from relayish.frontend import load_param_dict, save_param_dict

__all__ = ["load_param_dict", "save_param_dict"]

set_finder(__name__)
