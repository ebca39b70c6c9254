"""Operators that make, move, select and order elements of tensors."""

from __future__ import annotations

from typing import Final

TEXT: Final = """
adv_index: Take elements by tensors of indices, as numpy does with several of them.
  inputs a tuple: data (n0, n1, ...), then indices (...) for the leading axes, broadcast ->
      (..., rest of the axes)
arange: Make the numbers from start up to stop in steps.
  start (); stop (); step () -> (n,), n = ceil((stop - start) / step)
argsort: Give the positions of the elements in order along an axis.
  data (...) -> (...) of dtype
argwhere: Give the positions of the elements that hold.
  condition (d0, ..., dk) -> (n, k + 1) int32, n the number of them
auto_scheduler_layout_transform, meta_schedule_layout_transform: Bring a weight into the layout
      a schedule has chosen.
  data (...) -> (...), in the new layout
broadcast_to: Repeat a tensor along axes of size 1 and new leading axes.
  data (...) -> shape
broadcast_to_like: Repeat a tensor until it has the shape of another.
  data (...); broadcast_type (s0, ..., sk) -> (s0, ..., sk)
cast: Convert the elements to another element type.
  data (...) -> (...) of dtype
cast_like: Convert the elements to the element type of another tensor.
  data (...); dtype_like (...) -> (...) of the element type of dtype_like
collapse_sum_like: Add up along the axes along which a tensor was broadcast to another's shape.
  data (...); collapse_type (s0, ..., sk) -> (s0, ..., sk)
collapse_sum_to: Add up along the axes along which a tensor was broadcast from a shape.
  data (...); shape the shape, a vector of integers or numbers -> shape
concatenate: Put tensors one behind another along an axis.
  data a tuple of tensors (..., n_i, ...) -> (..., sum of n_i, ...)
contrib_reverse_reshape, reverse_reshape: Give a tensor another shape, with special sizes
      matched from the right.
  data (...) -> newshape
dft: Take the discrete Fourier transform along the last axis.
  re_data (..., n); im_data (..., n) -> a tuple of real and imaginary part, (..., n) each
einsum: Sum products as numpy.einsum does.
  data a tuple of tensors -> what the equation says
expand_dims: Insert axes of size 1.
  data (...) -> (..., 1, ...)
full: Fill a tensor with a number.
  fill_value () -> shape
full_like: Fill a tensor of the shape of another with a number.
  data (...); fill_value () -> (...)
gather: Take elements along an axis at positions that vary along the others.
  data (..., n, ...); indices (..., m, ...) of integers -> (..., m, ...)
gather_nd: Take elements or slices at positions given by vectors.
  data (...); indices (k, ...) of integers, k axes behind the batch -> (..., rest of the axes)
invert_permutation: Invert a permutation.
  data (n,) of integers -> (n,)
layout_transform: Bring a tensor into another layout, such as NCHW into NCHW16c.
  data axes as src_layout -> axes as dst_layout
matrix_set_diag: Replace diagonals of matrices.
  data (..., m, n); diagonal (..., d), or (..., number, d) for several; k the diagonal, 0 the main
      one, or the lowest and the highest of several -> (..., m, n)
meshgrid: Spread vectors over a grid.
  data a tuple of vectors (n_i,) -> a tuple of tensors (n_0, ..., n_k)
ndarray_size: Give the number of elements.
  data (...) -> () of dtype
one_hot: Put one value where the class is and another elsewhere.
  indices (...) of integers; on_value (); off_value () -> (..., depth, ...)
ones: Make ones.
  shape sizes, or an expression for them -> shape
zeros: Make zeros.
  shape sizes, or an expression for them -> shape
reinterpret: Read the bits of the elements as another element type of the same width.
  data (...) -> (...) of dtype
repeat: Repeat each element along an axis.
  data (...); axis the axis, of the flattened data if None -> (...), longer along the axis
reshape: Give a tensor another shape; elements keep their order.
  data (...) -> newshape
reshape_like: Give a tensor, or some axes of it, the shape of another.
  data (...); shape_like (...) -> (...)
reverse: Turn the order along an axis around.
  data (...) -> (...)
reverse_sequence: Turn the beginning of each sequence around.
  data (...); seq_lengths (batch,) of integers -> (...)
scatter_elements: Put updates at positions along an axis, which vary along the others.
  data (...); indices (...) of integers; updates (...), as indices -> (...), as data
scatter_nd: Put updates at positions given by vectors.
  data (...); indices (k, ...) of integers; updates (..., rest of the axes) -> (...), as data
searchsorted: Find where values belong in sorted sequences.
  sorted_sequence (..., n); values (..., m) -> (..., m) of dtype
segment_sum: Add up the slices of each segment.
  data (n, ...); segment_ids (n,) of integers; num_segments the number of
      segments, one more than the largest if None -> (num_segments, ...)
sequence_mask: Put a value behind the end of each sequence.
  data (length, batch, ...), or (batch, length, ...) with axis 1; valid_length (batch,) -> (...)
shape_of: Give the shape as a tensor.
  data (d0, ..., dk) -> (k + 1,) of dtype
slice_like: Cut a tensor to the sizes of another.
  data (...); shape_like (...) -> (...); axes all that both have, if empty
sliding_window: Show all windows of a tensor.
  data (..., d0, ..., dk), the axes from axis on -> (..., w0, ..., wk, *window_shape)
sort: Put the elements along an axis in order.
  data (...) -> (...)
sparse_fill_empty_rows: Put a default into the empty rows of a sparse matrix.
  sparse_indices (n, 2); sparse_values (n,); dense_shape (2,); default_value () -> a tuple:
      indices (m, 2), values (m,), whether rows were empty (rows,) bool
sparse_reshape: Give a sparse tensor another shape.
  sparse_indices (n, k); prev_shape (k,); new_shape (m,) -> a tuple: indices (n, m), shape (m,)
sparse_to_dense: Put values at their places in a tensor of a default.
  sparse_indices (n, k), (n,) or (); sparse_values (n,) or (); default_value () -> output_shape
split: Cut a tensor into parts along an axis.
  data (..., n, ...) -> a tuple of tensors (..., n_i, ...)
  The call can be indexed and iterated: ``first, second = split(x, 2)``.
squeeze: Take out axes of size 1.
  data (...); axis the axes, all of size 1 if None -> (...)
stack: Put tensors one behind another along a new axis.
  data a tuple of n tensors (...) -> (..., n, ...)
stft: Take the Fourier transform of overlapping windows.
  data (batch, n) or (n,); window (win_length,), ones if None -> (batch, n_fft / 2 + 1, windows,
      2)
strided_set: Replace a slice of a tensor.
  data (...); v the slice; begin (k,) of integers; end (k,); strides (k,), ones if None -> (...)
strided_slice: Cut a slice out of a tensor.
  data (...) -> (...)
take: Take elements along an axis.
  data (..., n, ...); indices (...) of integers; axis the axis, of the flattened data if None;
      mode clip, wrap or fast for indices outside -> (..., *indices, ...)
tile: Repeat a tensor as a whole.
  data (...) -> (...)
topk: Take the first elements in order along an axis.
  data (..., n, ...) -> a tuple of values (..., k, ...) and indices (..., k, ...), or one of them
transpose: Put the axes in another order.
  data (d0, ..., dk); axes the axes, turned around if None -> (...)
trilu: Keep the upper or lower triangle of matrices.
  data (..., m, n); k (), the diagonal where it ends -> (..., m, n)
unique: Take each element once.
  data (n,) of integers -> a tuple: elements (n,), first positions (n,), places of all (n,),
      count (1,), and how often (n,) with return_counts
unravel_index: Turn positions in the flattened tensor into indices.
  indices (n,) or () of integers; shape (k,) -> (k, n) or (k,)
where: Take elements of one tensor where a condition holds and of another elsewhere.
  condition (...) bool; x (...); y (...) -> (...), broadcast of all
dyn.broadcast_to: Repeat a tensor to a shape known when the program runs.
  data (...); shape (k,) of integers -> (?, ..., ?)
dyn.expand_dims: Insert axes of size 1 at a place known when the program runs.
  data (...); axis () or (1,) of integers -> (..., 1, ...)
dyn.full: Fill a tensor of a shape known when the program runs with a number.
  fill_value (); shape (k,) of integers -> (?, ..., ?)
dyn.one_hot: Put one value where the class is, of a number of classes known when the program runs.
  indices (...) of integers; on_value (); off_value (); depth () -> (..., ?, ...)
dyn.ones: Make ones of a shape known when the program runs.
  shape (k,) of integers -> (?, ..., ?)
dyn.zeros: Make zeros of a shape known when the program runs.
  shape (k,) of integers -> (?, ..., ?)
dyn.reshape: Give a tensor a shape known when the program runs.
  data (...); newshape (k,) of integers -> (?, ..., ?)
dyn.sparse_to_dense: Put values at their places in a tensor of a shape known when the program
      runs.
  sparse_indices (n, k); sparse_values (n,); default_value (); output_shape (k,) -> (?, ..., ?)
dyn.squeeze: Take out axes of size 1 that are known when the program runs.
  data (...); axes (k,) of integers -> (?, ..., ?)
dyn.strided_slice: Cut out a slice known when the program runs.
  data (...); begin (k,) of integers; end (k,); strides (k,) -> (?, ..., ?)
dyn.tile: Repeat a tensor as often as is known when the program runs.
  data (...); reps (k,) of integers -> (?, ..., ?)
dyn.topk: Take as many first elements as is known when the program runs.
  data (..., n, ...); k () or (1,) of integers -> a tuple of values (..., ?, ...) and indices,
      or one of them
"""
