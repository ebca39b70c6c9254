"""Arrays, devices, parameter files and paths into programs, under the names of ``tvm.runtime``."""

from __future__ import annotations

from relayish import nd as ndarray
from relayish._support.absent import set_finder
from relayish.frontend import load_param_dict, save_param_dict
from relayish.ir import object_path
from relayish.ir.object_path import ObjectPath
from relayish.nd import Device, NDArray, cpu, cuda, device

__all__ = [
    "Device",
    "NDArray",
    "ObjectPath",
    "cpu",
    "cuda",
    "device",
    "load_param_dict",
    "ndarray",
    "object_path",
    "save_param_dict",
]

__path__: list[str] = []  # for the names of modules within that TVM has

set_finder(__name__)
