"""Operators on quantised tensors."""

from __future__ import annotations

from typing import Final

TEXT: Final = """
qnn.abs: Take the absolute value of quantised elements.
  x (...) int8 or uint8; scale () of x; zero_point () of x; output_scale (); output_zero_point
      () -> (...), as x
qnn.erf: Take the error function of quantised elements.
  x (...) int8 or uint8; scale () of x; zero_point () of x; output_scale (); output_zero_point
      () -> (...), as x
qnn.exp: Raise e to the power of quantised elements.
  x (...) int8 or uint8; scale () of x; zero_point () of x; output_scale (); output_zero_point
      () -> (...), as x
qnn.hardswish: Take x * clip(x + 3, 0, 6) / 6 of quantised elements x.
  x (...) int8 or uint8; scale () of x; zero_point () of x; output_scale (); output_zero_point
      () -> (...), as x
qnn.log: Take the logarithm of quantised elements.
  x (...) int8 or uint8; scale () of x; zero_point () of x; output_scale (); output_zero_point
      () -> (...), as x
qnn.rsqrt: Take one over the square root of quantised elements.
  x (...) int8 or uint8; scale () of x; zero_point () of x; output_scale (); output_zero_point
      () -> (...), as x
qnn.sigmoid: Take 1 / (1 + exp(-x)) of quantised elements x.
  x (...) int8 or uint8; scale () of x; zero_point () of x; output_scale (); output_zero_point
      () -> (...), as x
qnn.softmax: Take exponentials divided by their sum along an axis, on quantised elements.
  x (...) int8 or uint8; scale () of x; zero_point () of x; output_scale (); output_zero_point
      () -> (...), as x
qnn.sqrt: Take the square root of quantised elements.
  x (...) int8 or uint8; scale () of x; zero_point () of x; output_scale (); output_zero_point
      () -> (...), as x
qnn.tanh: Take the hyperbolic tangent of quantised elements.
  x (...) int8 or uint8; scale () of x; zero_point () of x; output_scale (); output_zero_point
      () -> (...), as x
qnn.add: Add two quantised tensors element by element, with broadcasting.
  lhs (...) int8 or uint8; rhs (...) of the same element type; lhs_scale () or (c,);
      lhs_zero_point () or (c,); rhs_scale () or (c,); rhs_zero_point () or (c,); output_scale ();
      output_zero_point () -> (...), broadcast of both
qnn.mul: Multiply two quantised tensors element by element, with broadcasting.
  lhs (...) int8 or uint8; rhs (...) of the same element type; lhs_scale () or (c,);
      lhs_zero_point () or (c,); rhs_scale () or (c,); rhs_zero_point () or (c,); output_scale ();
      output_zero_point () -> (...), broadcast of both
qnn.subtract: Subtract two quantised tensors element by element, with broadcasting.
  lhs (...) int8 or uint8; rhs (...) of the same element type; lhs_scale () or (c,);
      lhs_zero_point () or (c,); rhs_scale () or (c,); rhs_zero_point () or (c,); output_scale ();
      output_zero_point () -> (...), broadcast of both
qnn.quantize: Quantise numbers: round(x / scale) + zero point.
  data (...) float32; output_scale () or (c,); output_zero_point () or (c,) int32 -> (...) of
      out_dtype
qnn.dequantize: Turn quantised elements into numbers: (x - zero point) * scale.
  data (...) of integers; input_scale () or (c,); input_zero_point () or (c,) int32 -> (...) of
      out_dtype
qnn.requantize: Turn elements quantised one way into elements quantised another way.
  data (...) of integers; input_scale () or (c,); input_zero_point () or (c,); output_scale ();
      output_zero_point () -> (...) of out_dtype
qnn.simulated_quantize: Quantise numbers, leaving them of their element type.
  data (...) float32; out_dtype () int32, a number for the element type; output_scale () or
      (c,); output_zero_point () or (c,) -> (...) float32
qnn.simulated_dequantize: Undo a simulated quantisation.
  data (...) float32; in_dtype () int32, a number for the element type; input_scale () or (c,);
      input_zero_point () or (c,) -> (...) float32
relay.op.annotation.simulated_quantize: Round numbers as quantisation would.
  data (...); dom_scale (); clip_min (); clip_max () -> (...)
qnn.concatenate: Put quantised tensors one behind another, all brought to one scale.
  data a tuple of tensors (..., n_i, ...); input_scales a tuple of (); input_zero_points a tuple
      of (); output_scale (); output_zero_point () -> (..., sum of n_i, ...)
qnn.conv2d: Slide a quantised kernel over quantised images and add up the products.
  data (n, c, h, w) int8 or uint8; kernel (o, c / groups, kh, kw); input_zero_point ();
      kernel_zero_point () or (o,); input_scale (); kernel_scale () or (o,) -> (n, o, h', w') of
      out_dtype
qnn.conv2d_transpose: Take the gradient of a convolution of quantised tensors.
  data (n, c, h, w) int8 or uint8; weight (c, o / groups, kh, kw); input_zero_point ();
      kernel_zero_point () or (o,); input_scale (); kernel_scale () or (o,) -> (n, o, h', w') of
      out_dtype
qnn.dense: Multiply quantised vectors by the transpose of a quantised matrix.
  data (n, k) int8 or uint8; weight (units, k); input_zero_point (); kernel_zero_point () or
      (units,); input_scale (); kernel_scale () or (units,) -> (n, units) of out_dtype
qnn.contrib_dense_pack: Multiply quantised vectors by the transpose of a quantised matrix whose
      rows are packed.
  data (n, k) int8 or uint8; weight packed as kernel_layout says; input_zero_point ();
      kernel_zero_point () or (units,); input_scale (); kernel_scale () or (units,) -> (n, units) of
      out_dtype
qnn.batch_matmul: Multiply two stacks of quantised matrices, the second transposed.
  x (b, m, k) int8 or uint8; y (b, n, k); x_zero_point (); y_zero_point (); x_scale (); y_scale
      () -> (b, m, n) of out_dtype
qnn.leaky_relu: Scale negative quantised elements down.
  x (...) int8 or uint8; input_scale (); input_zero_point (); output_scale (); output_zero_point
      () -> (...)
qnn.avg_pool2d: Take the mean of each window of quantised elements.
  data (n, h, w, c) int8 or uint8, axes as layout; input_scale (); input_zero_point ();
      output_scale (); output_zero_point () -> (n, h', w', c)
"""
