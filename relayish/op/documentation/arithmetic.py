"""Arithmetic, comparisons, functions of single elements, and reductions."""

from __future__ import annotations

from typing import Final

TEXT: Final = """
abs: Take the absolute value of each element.
  data (...) -> (...), of the element type of the data
acos: Take the inverse cosine of each element.
  data (...) -> (...), of the element type of the data
acosh: Take the inverse hyperbolic cosine of each element.
  data (...) -> (...), of the element type of the data
asin: Take the inverse sine of each element.
  data (...) -> (...), of the element type of the data
asinh: Take the inverse hyperbolic sine of each element.
  data (...) -> (...), of the element type of the data
atan: Take the inverse tangent of each element.
  data (...) -> (...), of the element type of the data
atanh: Take the inverse hyperbolic tangent of each element.
  data (...) -> (...), of the element type of the data
bitwise_not: Turn around every bit of each element.
  data (...) -> (...), of the element type of the data
ceil: Round each element up.
  data (...) -> (...), of the element type of the data
copy: Copy a tensor.
  data (...) -> (...), of the element type of the data
cos: Take the cosine of each element.
  data (...) -> (...), of the element type of the data
cosh: Take the hyperbolic cosine of each element.
  data (...) -> (...), of the element type of the data
erf: Take the error function of each element.
  data (...) -> (...), of the element type of the data
exp: Raise e to the power of each element.
  data (...) -> (...), of the element type of the data
fast_erf: Approximate the error function of each element.
  data (...) -> (...), of the element type of the data
fast_exp: Approximate e to the power of each element.
  data (...) -> (...), of the element type of the data
fast_tanh: Approximate the hyperbolic tangent of each element.
  data (...) -> (...), of the element type of the data
floor: Round each element down.
  data (...) -> (...), of the element type of the data
log: Take the natural logarithm of each element.
  data (...) -> (...), of the element type of the data
log10: Take the logarithm to base 10 of each element.
  data (...) -> (...), of the element type of the data
log2: Take the logarithm to base 2 of each element.
  data (...) -> (...), of the element type of the data
negative: Change the sign of each element.
  data (...) -> (...), of the element type of the data
round: Round each element to the nearest integer, halves away from zero or to even as numpy does.
  data (...) -> (...), of the element type of the data
rsqrt: Take one over the square root of each element.
  data (...) -> (...), of the element type of the data
sigmoid: Take 1 / (1 + exp(-x)) of each element x.
  data (...) -> (...), of the element type of the data
sign: Take the sign of each element: -1, 0 or 1.
  data (...) -> (...), of the element type of the data
sin: Take the sine of each element.
  data (...) -> (...), of the element type of the data
sinh: Take the hyperbolic sine of each element.
  data (...) -> (...), of the element type of the data
sqrt: Take the square root of each element.
  data (...) -> (...), of the element type of the data
tan: Take the tangent of each element.
  data (...) -> (...), of the element type of the data
tanh: Take the hyperbolic tangent of each element.
  data (...) -> (...), of the element type of the data
trunc: Round each element towards zero.
  data (...) -> (...), of the element type of the data
zeros_like: Make zeros of the shape and element type of a tensor.
  data (...) -> (...), of the element type of the data
ones_like: Make ones of the shape and element type of a tensor.
  data (...) -> (...), of the element type of the data
isfinite: Say of each element whether it is a finite number.
  data (...) -> (...) bool
isinf: Say of each element whether it is infinite.
  data (...) -> (...) bool
isnan: Say of each element whether it is no number.
  data (...) -> (...) bool
logical_not: Say of each element whether it is false.
  data (...) bool -> (...) bool
add: Add two tensors element by element, with broadcasting.
  lhs (...); rhs (...) of the same element type -> (...), broadcast of both
subtract: Subtract two tensors element by element, with broadcasting.
  lhs (...); rhs (...) of the same element type -> (...), broadcast of both
multiply: Multiply two tensors element by element, with broadcasting.
  lhs (...); rhs (...) of the same element type -> (...), broadcast of both
divide: Divide two tensors element by element, with broadcasting; integers are cut off towards
      zero.
  lhs (...); rhs (...) of the same element type -> (...), broadcast of both
floor_divide: Divide element by element and round down, with broadcasting.
  lhs (...); rhs (...) of the same element type -> (...), broadcast of both
floor_mod: Take what is left of a division rounded down; it has the sign of the divisor.
  lhs (...); rhs (...) of the same element type -> (...), broadcast of both
trunc_divide: Divide element by element and cut off towards zero, with broadcasting.
  lhs (...); rhs (...) of the same element type -> (...), broadcast of both
trunc_mod: Take what is left of a division cut off towards zero; it has the sign of the dividend.
  lhs (...); rhs (...) of the same element type -> (...), broadcast of both
mod: Take what is left of a division cut off towards zero, with broadcasting.
  lhs (...); rhs (...) of the same element type -> (...), broadcast of both
power: Raise the elements of one tensor to the power of those of another, with broadcasting.
  lhs (...); rhs (...) of the same element type -> (...), broadcast of both
maximum: Take the larger of two elements, with broadcasting.
  lhs (...); rhs (...) of the same element type -> (...), broadcast of both
minimum: Take the smaller of two elements, with broadcasting.
  lhs (...); rhs (...) of the same element type -> (...), broadcast of both
bitwise_and: Combine the bits of two tensors of integers by and, with broadcasting.
  lhs (...); rhs (...) of the same element type -> (...), broadcast of both
bitwise_or: Combine the bits of two tensors of integers by or, with broadcasting.
  lhs (...); rhs (...) of the same element type -> (...), broadcast of both
bitwise_xor: Combine the bits of two tensors of integers by exclusive or, with broadcasting.
  lhs (...); rhs (...) of the same element type -> (...), broadcast of both
left_shift: Shift the bits of one tensor to the left by the elements of another, with
      broadcasting.
  lhs (...); rhs (...) of the same element type -> (...), broadcast of both
right_shift: Shift the bits of one tensor to the right by the elements of another, with
      broadcasting.
  lhs (...); rhs (...) of the same element type -> (...), broadcast of both
logical_and: Say where both of two tensors of booleans hold, with broadcasting.
  lhs (...) bool; rhs (...) bool -> (...) bool, broadcast of both
logical_or: Say where at least one of two tensors of booleans holds, with broadcasting.
  lhs (...) bool; rhs (...) bool -> (...) bool, broadcast of both
logical_xor: Say where exactly one of two tensors of booleans holds, with broadcasting.
  lhs (...) bool; rhs (...) bool -> (...) bool, broadcast of both
equal: Say where two tensors are equal, with broadcasting.
  lhs (...); rhs (...) of the same element type -> (...) bool, broadcast of both
not_equal: Say where two tensors differ, with broadcasting.
  lhs (...); rhs (...) of the same element type -> (...) bool, broadcast of both
less: Say where the left tensor is the smaller one, with broadcasting.
  lhs (...); rhs (...) of the same element type -> (...) bool, broadcast of both
less_equal: Say where the left tensor is not the larger one, with broadcasting.
  lhs (...); rhs (...) of the same element type -> (...) bool, broadcast of both
greater: Say where the left tensor is the larger one, with broadcasting.
  lhs (...); rhs (...) of the same element type -> (...) bool, broadcast of both
greater_equal: Say where the left tensor is not the smaller one, with broadcasting.
  lhs (...); rhs (...) of the same element type -> (...) bool, broadcast of both
clip: Bring elements that are too small or too large to the nearest bound.
  a (...) -> (...)
fixed_point_multiply: Multiply integers by a fixed-point number and shift, rounding halves up.
  data (...) int32 -> (...) int32
fixed_point_multiply_per_axis: Multiply integers by fixed-point numbers that vary along axes.
  x (...) int32; y factors with 31 bits behind the point, a vector; lshift shifts to the left, a
      vector; rshift shifts to the right, a vector -> (...) int32
all: Say whether all elements along axes hold.
  data (...); axis the axes, all of them if None -> (...) bool, without the axes
any: Say whether some element along axes holds.
  data (...); axis the axes, all of them if None -> (...) bool, without the axes
max: Take the largest element along axes.
  data (...); axis the axes, all of them if None -> (...), without the axes
min: Take the smallest element along axes.
  data (...); axis the axes, all of them if None -> (...), without the axes
mean: Take the mean along axes.
  data (...); axis the axes, all of them if None -> (...), without the axes
prod: Multiply the elements along axes.
  data (...); axis the axes, all of them if None -> (...), without the axes
sum: Add up the elements along axes.
  data (...); axis the axes, all of them if None -> (...), without the axes
argmax: Find where the largest element along axes is.
  data (...); axis the axes, all of them if None -> (...) int32, without the axes
argmin: Find where the smallest element along axes is.
  data (...); axis the axes, all of them if None -> (...) int32, without the axes
variance: Take the variance along axes, about the mean.
  data (...); axis the axes, all of them if None -> (...), without the axes
std: Take the standard deviation along axes.
  data (...); axis the axes, all of them if None -> (...), without the axes
mean_variance: Take the mean and the variance along axes.
  data (...); axis the axes, all of them if None -> a tuple of two (...), without the axes
mean_std: Take the mean and the standard deviation along axes.
  data (...); axis the axes, all of them if None -> a tuple of two (...), without the axes
logsumexp: Take the logarithm of the sum of exponentials along axes, without overflow.
  data (...); axis the axes, all of them if None -> (...), without the axes
cumsum, cumprod: Add up, or multiply, the elements up to each place along an axis.
  data (...); axis the axis, of the flattened data if None -> (...)
"""
