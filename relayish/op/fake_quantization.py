"""Quantised operators: which of them dequantise and quantise."""

from __future__ import annotations

from relayish.ir.relay.op import intern_op
from relayish.op.declaration.op_table import OpTable

dequantizes: OpTable[bool] = OpTable("dequantizes")
"""True for operators that turn integers into the floating point numbers they stand for."""
quantizes: OpTable[bool] = OpTable("quantizes")
"""True for operators that turn floating point numbers into the integers that stand for them."""

dequantizes.set(intern_op("qnn.dequantize"), value=True)
quantizes.set(intern_op("qnn.quantize"), value=True)
