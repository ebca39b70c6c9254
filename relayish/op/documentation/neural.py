"""Operators of neural networks."""

from __future__ import annotations

from typing import Final

TEXT: Final = """
nn.conv1d: Slide a kernel over sequences and add up the products.
  data (n, c, w), axes as data_layout; weight (o, c / groups, kw), axes as kernel_layout -> (n,
      o, w')
nn.conv2d: Slide a kernel over images and add up the products.
  data (n, c, h, w), axes as data_layout; weight (o, c / groups, kh, kw), axes as kernel_layout
      -> (n, o, h', w')
nn.conv3d: Slide a kernel over volumes and add up the products.
  data (n, c, d, h, w), axes as data_layout; weight (o, c / groups, kd, kh, kw), axes as
      kernel_layout -> (n, o, d', h', w')
nn.conv1d_transpose: Put a kernel, scaled by each element, where that element is: the gradient
      of a convolution.
  data (n, c, w); weight (c, o / groups, kw) -> (n, o, w')
nn.conv2d_transpose: Put a kernel, scaled by each element, where that element is: the gradient
      of a convolution.
  data (n, c, h, w); weight (c, o / groups, kh, kw) -> (n, o, h', w')
nn.conv3d_transpose: Put a kernel, scaled by each element, where that element is: the gradient
      of a convolution.
  data (n, c, d, h, w); weight (c, o / groups, kd, kh, kw) -> (n, o, d', h', w')
nn.max_pool1d: Take the largest element of each window.
  data (n, c, w), axes as layout -> (n, c, w')
nn.avg_pool1d: Take the mean of each window.
  data (n, c, w), axes as layout -> (n, c, w')
nn.adaptive_max_pool1d: Take the largest element of each of as many windows as asked for.
  data (n, c, w), axes as layout -> (n, c, *output_size)
nn.adaptive_avg_pool1d: Take the mean of each of as many windows as asked for.
  data (n, c, w), axes as layout -> (n, c, *output_size)
nn.global_max_pool1d: Take the largest element of each channel.
  data (n, c, w), axes as layout -> (n, c, 1)
nn.global_avg_pool1d: Take the mean of each channel.
  data (n, c, w), axes as layout -> (n, c, 1)
nn.max_pool2d: Take the largest element of each window.
  data (n, c, h, w), axes as layout -> (n, c, h', w')
nn.avg_pool2d: Take the mean of each window.
  data (n, c, h, w), axes as layout -> (n, c, h', w')
nn.adaptive_max_pool2d: Take the largest element of each of as many windows as asked for.
  data (n, c, h, w), axes as layout -> (n, c, *output_size)
nn.adaptive_avg_pool2d: Take the mean of each of as many windows as asked for.
  data (n, c, h, w), axes as layout -> (n, c, *output_size)
nn.global_max_pool2d: Take the largest element of each channel.
  data (n, c, h, w), axes as layout -> (n, c, 1, 1)
nn.global_avg_pool2d: Take the mean of each channel.
  data (n, c, h, w), axes as layout -> (n, c, 1, 1)
nn.max_pool3d: Take the largest element of each window.
  data (n, c, d, h, w), axes as layout -> (n, c, d', h', w')
nn.avg_pool3d: Take the mean of each window.
  data (n, c, d, h, w), axes as layout -> (n, c, d', h', w')
nn.adaptive_max_pool3d: Take the largest element of each of as many windows as asked for.
  data (n, c, d, h, w), axes as layout -> (n, c, *output_size)
nn.adaptive_avg_pool3d: Take the mean of each of as many windows as asked for.
  data (n, c, d, h, w), axes as layout -> (n, c, *output_size)
nn.global_max_pool3d: Take the largest element of each channel.
  data (n, c, d, h, w), axes as layout -> (n, c, 1, 1, 1)
nn.global_avg_pool3d: Take the mean of each channel.
  data (n, c, d, h, w), axes as layout -> (n, c, 1, 1, 1)
nn.max_pool2d_grad: Take the gradient of nn.max_pool2d.
  out_grad (n, c, h', w'); data (n, c, h, w) -> (n, c, h, w)
nn.avg_pool2d_grad: Take the gradient of nn.avg_pool2d.
  out_grad (n, c, h', w'); data (n, c, h, w) -> (n, c, h, w)
nn.conv2d_backward_weight: Take the gradient of nn.conv2d with respect to the weight.
  grad (n, o, h', w'); data (n, c, h, w) -> (o, c / groups, kh, kw)
nn.deformable_conv2d: Slide a kernel whose elements are moved by offsets.
  data (n, c, h, w); offset (n, 2 * kh * kw * deformable_groups, h', w'); weight (o, c / groups,
      kh, kw) -> (n, o, h', w')
nn.bitserial_conv2d: Convolve integers of few bits, a bit at a time.
  data (n, c, h, w) of integers; weight (o, c, kh, kw), or packed -> (n, o, h', w')
nn.bitserial_dense: Multiply vectors and a matrix of integers of few bits, a bit at a time.
  data (n, k) of integers; weight (units, k), or packed -> (n, units)
nn.bitpack: Pack bits of integers into wider ones.
  data (...) of integers -> (..., bits, ...), shorter along pack_axis
nn.contrib_conv2d_NCHWc, nn.contrib_depthwise_conv2d_NCHWc, nn.contrib_conv2d_nchwc,
      nn.contrib_depthwise_conv2d_nchwc: Convolve with channels split into blocks.
  data (n, c / b, h, w, b); kernel (o / ob, c / b, kh, kw, b, ob) -> (n, o / ob, h', w', ob)
nn.contrib_conv2d_gemm_weight_transform: Bring a weight into the form the convolution by matrix
      products takes.
  weights (kh, kw, c, o) -> (o / tile_N, k / tile_K, tile_N, tile_K), both rounded up
nn.contrib_conv2d_gemm_without_weight_transform: Convolve by a matrix product, the weight
      transformed before.
  data (n, h, w, c); weight as the transform gives it -> (n, h', w', o)
nn.contrib_conv2d_winograd_weight_transform: Transform a weight for the convolution of Winograd.
  weight (o, c, k, k) -> (tile_size + k - 1, tile_size + k - 1, o, c)
nn.contrib_conv2d_winograd_nnpack_weight_transform: Transform a weight for the convolution of
      NNPACK.
  weight (o, c, 3, 3) -> (o, c, 8, 8)
nn.contrib_conv2d_winograd_without_weight_transform: Convolve as Winograd does, the weight
      transformed before.
  data (n, c, h, w); weight as the transform gives it -> (n, o, h', w')
nn.contrib_conv3d_winograd_weight_transform: Transform a weight for the convolution of volumes
      of Winograd.
  weight (o, c, d, k, k) -> (tile_size + k - 1, ..., o, c)
nn.contrib_conv3d_winograd_without_weight_transform: Convolve volumes as Winograd does, the
      weight transformed before.
  data (n, c, d, h, w); weight as the transform gives it -> (n, o, d', h', w')
nn.correlation: Compare windows of two images that are moved against each other.
  data1 (n, c, h, w); data2 (n, c, h, w) -> (n, displacements ** 2, h', w')
nn.dense: Multiply vectors by the transpose of a matrix.
  data (..., k); weight (units, k) -> (..., units)
nn.contrib_dense_pack: Multiply vectors by the transpose of a matrix whose rows are packed.
  data (n, k); weight (units / b, k, b) -> (n, units)
nn.matmul: Multiply two matrices.
  tensor_a (..., m, k), or (..., k, m) transposed; tensor_b (k, n), or (n, k) transposed ->
      (..., m, n)
nn.batch_matmul: Multiply two stacks of matrices.
  tensor_a (b, m, k), or (b, k, m) transposed; tensor_b (b, n, k) transposed, as by default, or
      (b, k, n) -> (b, m, n)
nn.batch_flatten: Make one axis of all but the first.
  data (n, d1, ..., dk) -> (n, d1 * ... * dk)
nn.bias_add: Add a vector along an axis.
  data (..., c, ...); bias (c,) -> (..., c, ...)
nn.batch_norm: Normalise by mean and variance of the batch, or by those that moved along.
  data (..., c, ...); gamma (c,); beta (c,); moving_mean (c,); moving_var (c,) -> a tuple: the
      result (..., c, ...), the new mean (c,), the new variance (c,)
  The call can be indexed and iterated: ``normalised, mean, var = nn.batch_norm(...)``.
nn.layer_norm: Normalise along one axis.
  data (..., c, ...); gamma (c,); beta (c,) -> (..., c, ...)
nn.instance_norm: Normalise each channel of each image.
  data (n, ..., c, ...); gamma (c,); beta (c,) -> (n, ..., c, ...)
nn.group_norm: Normalise groups of channels.
  data (n, ..., c, ...); gamma (c,); beta (c,) -> (n, ..., c, ...)
nn.l2_normalize: Divide by the root of the sum of squares along axes.
  data (...) -> (...)
nn.lrn: Normalise by the squares of neighbouring channels.
  data (n, c, h, w) -> (n, c, h, w)
nn.dropout: Drop elements while training; what is left is scaled.
  data (...) -> (...)
nn.dropout_raw: Drop elements while training, and say which were kept.
  data (...) -> a tuple: the result (...), the mask (...)
nn.relu: Replace negative elements by zero.
  data (...) -> (...)
nn.leaky_relu: Scale negative elements down.
  data (...); alpha the factor of negative elements -> (...)
nn.prelu: Scale negative elements by a factor for each channel.
  data (..., c, ...); alpha (c,) -> (..., c, ...)
nn.softmax: Take exponentials divided by their sum along an axis.
  data (...) -> (...)
nn.fast_softmax: Take exponentials, approximated, divided by their sum along an axis.
  data (...) -> (...)
nn.log_softmax: Take the logarithm of the softmax along an axis.
  data (...) -> (...)
nn.cross_entropy: Take the cross entropy of predicted probabilities, the mean over the batch.
  predictions (n, c); targets (n, c) -> ()
nn.cross_entropy_with_logits: Take the cross entropy of logarithms of probabilities, the mean
      over the batch.
  predictions (n, c); targets (n, c) -> ()
nn.nll_loss: Take the negative predictions of the right classes, weighted.
  predictions (n, c, ...); targets (n, ...) of integers; weights (c,) -> () or, with reduction
      none, (n, ...)
nn.pad: Add elements at the sides of a tensor.
  data (...); pad_value (), or a number -> (...), larger
nn.mirror_pad: Add mirror images at the sides of a tensor.
  data (...); mode SYMMETRIC with the edge or REFLECT without it -> (...), larger
nn.dilate: Put values between the elements of a tensor.
  data (...) -> (...), larger
nn.depth_to_space: Move channels into blocks of pixels.
  data (n, c * b * b, h, w); mode DCR or CRD, which axis comes first -> (n, c, h * b, w * b)
nn.space_to_depth: Move blocks of pixels into channels.
  data (n, c, h * b, w * b) -> (n, c * b * b, h, w)
nn.space_to_batch_nd: Move blocks of spatial elements into the batch.
  data (n, s0, ..., sk, ...) -> (n * blocks, s0 / b0, ..., sk / bk, ...)
nn.batch_to_space_nd: Move elements of the batch into blocks of spatial elements.
  data (n * blocks, s0, ..., sk, ...) -> (n, s0 * b0, ..., sk * bk, ...)
nn.upsampling: Enlarge images.
  data (n, c, h, w), axes as layout -> (n, c, h * scale_h, w * scale_w)
nn.upsampling3d: Enlarge volumes.
  data (n, c, d, h, w), axes as layout -> (n, c, d * scale_d, h * scale_h, w * scale_w)
nn.fifo_buffer: Append to a buffer of fixed length and drop what is oldest.
  data (..., n, ...); buffer (..., m, ...) -> (..., m, ...)
nn.sparse_dense: Multiply a dense matrix by the transpose of a sparse one.
  dense_mat (m, k);
      sparse_mat a tuple of data (nnz,) or blocks, indices (nnz,) and indptr (n + 1,), or a matrix
      that has them
      -> (m, n)
nn.sparse_add: Add a dense and a sparse matrix.
  dense_mat (m, n);
      sparse_mat a tuple of data (nnz,) or blocks, indices (nnz,) and indptr (m + 1,), or a matrix
      that has them
      -> (m, n)
nn.sparse_transpose: Transpose a sparse matrix.
  x a tuple of data (nnz,) or blocks, indices (nnz,) and indptr (m + 1,)
      -> a tuple of data, indices and indptr
nn.sparse_conv2d: Convolve with a sparse kernel.
  dense_data (n, h, w, c); sparse_data (nnz,) or blocks; sparse_indices (nnz,); sparse_indptr (o
      + 1,) -> (n, h, w, o)
nn.internal.sparse_dense_padded: Multiply a dense and a sparse matrix that is padded for a GPU.
  data (m, k); weight_data (nnz,); weight_indices (nnz,); weight_indptr (n + 1,) -> (m, n)
dyn.nn.pad: Add as many elements at the sides of a tensor as is known when the program runs.
  data (d0, ..., dk); pad_width (k + 1, 2) of integers; pad_val () -> (?, ..., ?)
dyn.nn.upsampling: Enlarge images by factors known when the program runs.
  data (n, c, h, w); scale_h (); scale_w () -> (n, c, ?, ?)
dyn.nn.upsampling3d: Enlarge volumes by factors known when the program runs.
  data (n, c, d, h, w); scale_d (); scale_h (); scale_w () -> (n, c, ?, ?, ?)
"""
