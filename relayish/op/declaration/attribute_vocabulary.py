"""Documentation of attributes, by name: the same name means the same everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TEXT: Final = """
a_max: the largest value that is kept
a_min: the smallest value that is kept
activation_bits: bits of an element of the data
align: on which side short diagonals above, and below, the main one are: LEFT or RIGHT each
align_corners: whether the corners of input and output are at the same place
allowzero: whether 0 in the new shape means a size of 0 instead of the size that is there
alpha: the factor of the negative or scaled part
assert_shape: a shape the tensor is known to have, or none
axes: the axes, in order
axis: the axis; negative ones count from the end
batch_axis: the axis of the sequences
batch_dims: how many leading axes both operands share
begin: where the slice starts along each axis
beta: the exponent of the normalisation
bias: what is added before the normalisation
bit_axis: where the axis of bits is put
bits: bits of an element
block_shape: the size of a block along each spatial axis
block_size: the size of a block along both spatial axes
ceil_mode: whether a window that is only partly filled counts at the end
center: whether beta is added
channels: the number of output channels; None if the weight tells
clip: whether boxes are clipped to the image
compiler: the name of the external compiler
compute_dtype: the element type in which it is computed: int64, float32, float64 or None
constrain_body: whether the body is put on the device
constrain_result: whether the result is put on the device
convolution_algorithm: the number of the algorithm
coord_start: where the coordinates of a box start
coordinate_transformation_mode: half_pixel, align_corners, asymmetric, or another of Relay's modes
count_include_pad: whether padding counts in the mean
crop_size: height and width of a crop
crops: what is cut before and after each spatial axis
cubic_alpha: the coefficient of cubic interpolation
cubic_exclude: whether samples outside are left out of cubic interpolation
data_bits: bits of an element of the data
data_layout: the axes of the data, a letter each
debug_func: what is called with the state of the program
deformable_groups: in how many groups channels share their offsets
depth: the number of classes
device: the device, or its name, as cuda:1
dilation: the distance between elements of the kernel or window along each axis
dilation_value: what is put between the elements
dilations: the distance between elements of the kernel along each axis
dst_layout: the layout of the result
dst_device: where the result is put, as the source
dtype: the element type of the result
dtype_hint: the element type of what the memory will hold
end: where the slice ends along each axis, or its length
eps: what is added so that nothing is divided by zero
epsilon: what is added to the variance
equation: the subscripts, as for numpy.einsum
exclude: whether to reduce along all axes but these
exclusive: whether an element is left out of its own sum or product
extrapolation_value: the value outside of the data
feature_stride: pixels of the image to an element of the feature map
force_suppress: whether boxes of different classes suppress each other
grad_layout: the axes of the gradient, a letter each
groups: in how many groups the channels are convolved apart
high: above all numbers drawn
hop_length: the distance between windows
id_index: where the class of a box stands, -1 for nowhere
ignore_index: the class that does not count
index_map: which element goes where
index_rank: the number of indices to an element, where it is not known
indexing: ij for matrix order, xy for Cartesian order
indices_or_sections: the number of equal parts, or where each part but the first starts
invalid_to_bottom: whether what is suppressed is moved to the end
inverse: whether to transform back
iou_loss: whether boxes are predicted for the loss of intersection over union
iou_threshold: the overlap from which on a box is suppressed
is_sorted: whether elements are returned in order
is_ascend: whether the smallest come first
is_lshift_required: whether any shift is to the left
is_multiply: whether to multiply; else the absolute difference is taken
is_rshift_required: whether any shift is to the right
k: how many; all if less than 1
keep_background: whether the background is a class as others
keepdims: whether reduced axes stay, with size 1
kernel_layout: the axes of the kernel, a letter each
kernel_size: the size of the kernel; None if the weight tells
kind: weight, input, activation; or quantisation parameters for each tensor or channel
layout: the axes of the data, a letter each
lhs_axis: the axis along which the parameters of the left operand vary
lhs_begin: the first axis that takes a new size
lhs_end: the end of the axes that take a new size
low: at or below all numbers drawn
mask_value: what is put behind the end of a sequence
max_detections: boxes kept in all
max_detections_per_class: boxes kept of each class
max_displacement: how far the windows are moved apart
max_output_boxes_per_class: boxes kept of each class, -1 for all
max_output_size: boxes kept of each image, -1 for all
mean: the mean of the numbers drawn
metadata: what is known of the lowered function
method: how to interpolate: nearest_neighbor, linear or bilinear, cubic or bicubic
mode: which variant of the operator, see Relay
multiplier: the factor as a fixed-point number with 31 bits behind the point
n_fft: the size of the transform
name: the name of the operation
newshape: the new shape: -1 for what is left, 0 for the size that is there, -2 to -4 as in Relay
normalized: whether to divide by the root of the size of the transform
num_classes: the number of classes
num_groups: in how many groups the channels are normalised
num_newaxis: how many axes to insert
num_samples: how many to draw
offsets: where the centre of a box is in its cell, vertically and horizontally
onesided: whether only half of a symmetric result is returned
out_dtype: the element type of the result, '' for that of the data
out_layout: the axes of the result, '' for those of the data
output_format: onnx or tensorflow
output_padding: what is added to the size of the result along each axis
output_shape: the shape of the result
output_size: the spatial size of the result; None for that of the data
pack_axis: the axis along which bits are packed
pack_dtype: the element type that bits are packed into
pack_type: the element type that bits are packed into
pad_mode: constant, edge or reflect
pad_value: the value of the padding
pad_width: for each axis what is added before and after it
padding: what is added on both sides of each spatial axis, or before all and then after all of them
padding_mode: zeros, border or reflection
paddings: for each spatial axis what is added before and after it
pool_size: the size of the window
pooled_size: height and width of the result
rate: the part of the elements that is dropped
ratios: ratios of width to height of the boxes
reduction: what is done with several: update, add, mul, mean, min, max; for losses none, mean, sum
repeats: how often each element is repeated
reps: how often the tensor is repeated along each axis
ret_type: both, values or indices
return_counts: whether to return how often each element occurs
return_indices: whether to return indices of boxes in place of boxes
rhs_axis: the axis along which the parameters of the right operand vary
rhs_begin: the first axis that gives a size
rhs_end: the end of the axes that give a size
right: whether equal values go to the right of their place
roi: the region of the data that is resized, for tf_crop_and_resize
rounding: how halves are rounded: UPWARD, TONEAREST, or None for the default of the context
rounding_method: how coordinates of the nearest neighbour are rounded: round, floor, ceil, ...
rpn_min_size: the smallest width or height of a box
rpn_post_nms_top_n: boxes kept after suppression
rpn_pre_nms_top_n: boxes kept before suppression
sample_ratio: samples to a bin of the result, along each axis; -1 for as many as needed
scale: whether to multiply by gamma
scale_d: how many times deeper the result is
scale_h: how many times higher the result is
scale_w: how many times wider the result is
scales: sizes of the boxes
score_index: where the score of a box stands
score_threshold: the score below which a box is left out
select_last_index: whether the last of several equal elements counts
seq_axis: the axis along which sequences are reversed
shape: the shape of the result
shift: by how many bits the product is shifted to the left
sign: whether numbers are signed
size: the size of the result along each spatial axis
sizes: sizes of the boxes, as parts of the image
slice_mode: end if ends are positions, size if they are lengths
sparse_lhs: whether the sparse matrix is the left one
spatial_scale: elements of the feature map to a pixel of the image
src_layout: the layout of the data
src_device: where the data is: a device, or its name, as cuda:1
start: the first number, or the end if no other is given
step: the distance of two numbers
steps: the distance of the centres of boxes, vertically and horizontally; -1 for that of the cells
stop: where the numbers end, without it
stride: the distance of elements that go to different channels
stride1: the step of the windows of the first operand
stride2: the step by which the windows of the second one are moved
strides: the step along each axis
target_shape: height and width of the grid
threshold: the score below which a box is left out
tile_K: the size of a tile along the reduced axis
tile_N: the size of a tile along the columns
tile_size: the size of a tile of the result
top_k: boxes that are looked at, -1 for all
transpose_a: whether the first operand is transposed
transpose_b: whether the second operand is transposed
unbiased: whether to divide by one less than the number of elements
unipolar: whether bits of weights stand for 0 and 1, or else for -1 and 1
units: the number of results; None if the weight tells
upper: whether the upper triangle is kept
variances: the factors with which boxes were encoded
weight_bits: bits of an element of the weight
weight_layout: the axes of the weight
win_length: the size of the window
window: what each window is multiplied by
window_shape: the size of the window
with_mean: the mean, where it is known
"""


def _read(text: str) -> dict[str, str]:
    pairs = (line.partition(": ") for line in text.strip().splitlines())
    return {name: said for name, _, said in pairs}


ATTRIBUTES: Final[Mapping[str, str]] = _read(TEXT)
"""By name; text that follows a colon."""
