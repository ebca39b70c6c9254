"""Operators that mark programs, place values, allocate memory, or draw random numbers."""

from __future__ import annotations

from typing import Final

TEXT: Final = """
annotation.bitpack_start, annotation.bitpack_end: Mark where packing of bits starts, or ends;
      the value passes through.
  data (...) -> (...)
annotation.cast_hint: Say which element type a value should be cast to; the value passes through.
  data (...) -> (...)
annotation.checkpoint: Mark a value that gradients compute again instead of keeping it.
  data anything -> the same
annotation.compiler_begin, annotation.compiler_end: Mark where a region for an external compiler
      begins, or ends.
  data anything -> the same
annotation.stop_fusion: Keep what stands before from fusing with what comes after.
  data (...) -> (...)
annotation.with_funcid: Give a function an identity.
  func a function -> the same
call_lowered: Call a function that is lowered already.
  func a global function; call_args a tuple of its arguments -> what it returns
debug: Stop and show the state of the program.
  expr anything -> the same
device_copy: Copy a value from one device to another.
  data (...) -> (...)
on_device, annotation.on_device: Say on which device a value is computed.
  body anything -> the same
memory.alloc_storage: Allocate memory.
  size () int64, in bytes; alignment () int64, in bytes; shape (k,) of integers -> storage
memory.alloc_tensor: Make a tensor out of allocated memory.
  storage from memory.alloc_storage; offset () int64, in bytes; shape (k,) of integers -> (...)
memory.kill: Say that a value is no longer needed.
  to_free (...) -> the empty tuple
vm.invoke_tvm_op: Call a lowered operator on memory that is there.
  func a function; inputs a tuple; outputs a tuple -> the empty tuple
vm.reshape_tensor: Give a tensor another shape without a copy.
  data (...); shape (k,) of integers -> newshape
vm.shape_of: Give the shape of a tensor.
  expr (d0, ..., dk) -> (k + 1,) of dtype
random.threefry_generate: Draw random bits.
  key (10,) uint64; shape the shape of the bits -> a tuple: the next key (10,) uint64, bits uint64
random.threefry_split: Make two independent keys of one.
  key (10,) uint64 -> a tuple of two keys (10,) uint64
random.uniform: Draw numbers that are equally likely everywhere between two bounds.
  key (10,) uint64; low (), or a number; high (), or a number -> a tuple: the next key (10,)
      uint64, numbers
random.normal: Draw numbers of the normal distribution.
  key (10,) uint64; mean (), or a number; scale the standard deviation (), or a number -> a
      tuple: the next key (10,) uint64, numbers
random.multinomial: Draw classes by their probabilities.
  key (10,) uint64; probs (..., classes) -> a tuple: the next key (10,) uint64, classes (...,
      num_samples) int32
"""
