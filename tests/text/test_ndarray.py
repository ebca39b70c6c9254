"""Arrays as metadata holds them."""

from __future__ import annotations

import base64
import struct

import numpy as np

from relayish.text.ndarray import encode_array


def test_array_is_written_as_tvm_writes_it() -> None:
    data, dtype = encode_array(np.array([[7, 8, 9]], "int32"))
    magic, reserved, device = 0xDD5E40F096B4A13F, 0, (1, 0)
    rank, code, bits, lanes = 2, 0, 32, 1
    head = struct.pack("<QQiiiBBH", magic, reserved, *device, rank, code, bits, lanes)
    assert base64.b64decode(data) == head + struct.pack("<qqqiii", 1, 3, 12, 7, 8, 9)
    assert dtype is None
