"""CUDA C on a processor: what a source needs of CUDA, by threads that wait for each other.

Blocks run one after the other. The threads of a block are coroutines: each runs until a barrier,
then the next one; behind the barrier they go on. So a program shows what it means on a device,
slowly, and what it must not do: a barrier that not all threads reach ends the process, and where
the order of threads matters, :data:`ORDER` shows it.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import Any, Final, overload

from relayish.codegen.c.native import NativeFunction, NativeModule
from relayish.codegen.c.toolchain import Toolchain
from relayish.codegen.cuda.source import to_cuda
from relayish.errors import CodegenError
from relayish.ir.modules.module import Module as IRModule
from relayish.tir.ir.function import LoweredFunc, Module

FLAGS: Final = ("-x", "c++", "-std=c++17", "-O1", "-ffp-contract=off", "-fno-math-errno")

ORDER: Final = "relayish_thread_order"
"""The integer of the compiled code that says in which order the threads of a block run: 1 forwards,
-1 backwards."""

ON_CPU: Final = r"""
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <functional>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __syncthreads() relayish_wait(__LINE__)
#define RELAYISH_LAUNCH relayish_launch

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

static dim3 threadIdx(0, 0, 0), blockIdx(0, 0, 0), blockDim, gridDim;

struct relayish_thread {
  ucontext_t context;
  std::vector<char> stack;
  dim3 index;
  int waits_at; /* the line of a barrier; 0: it runs, -1: it has ended */
};

extern "C" {
int relayish_thread_order = 1;
}
static ucontext_t relayish_scheduler;
static std::vector<relayish_thread> relayish_threads;
static relayish_thread *relayish_running;
static std::function<void()> relayish_body;

static void relayish_wait(int line)
{
  relayish_running->waits_at = line;
  swapcontext(&relayish_running->context, &relayish_scheduler);
}

static void relayish_begin()
{
  relayish_body();
  relayish_running->waits_at = -1;
}

static void relayish_go_on(relayish_thread &thread)
{
  relayish_running = &thread;
  threadIdx = thread.index;
  thread.waits_at = 0;
  swapcontext(&relayish_scheduler, &thread.context);
}

static bool relayish_fails();

static void relayish_run_block()
{
  const size_t count = (size_t)blockDim.x * blockDim.y * blockDim.z;
  if (relayish_threads.size() < count) relayish_threads.resize(count);
  for (size_t at = 0; at < count; ++at) {
    relayish_thread &thread = relayish_threads[at];
    thread.stack.resize(1 << 16);
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = thread.stack.data();
    thread.context.uc_stack.ss_size = thread.stack.size();
    thread.context.uc_link = &relayish_scheduler;
    const size_t row = at / blockDim.x;
    thread.index = dim3(at % blockDim.x, row % blockDim.y, row / blockDim.y);
    thread.waits_at = 0;
    makecontext(&thread.context, relayish_begin, 0);
  }
  for (size_t ended = 0; ended < count;) {
    int line = 0;
    ended = 0;
    for (size_t at = 0; at < count; ++at) {
      relayish_thread &thread = relayish_threads[relayish_thread_order < 0 ? count - 1 - at : at];
      if (thread.waits_at >= 0) relayish_go_on(thread);
      if (thread.waits_at < 0) {
        ++ended;
      } else if (line == 0) {
        line = thread.waits_at;
      } else if (line != thread.waits_at) {
        fprintf(stderr, "threads of a block wait in lines %d and %d\n", line, thread.waits_at);
        abort();
      }
    }
    if (0 < ended && ended < count && !relayish_fails()) {
      fprintf(stderr, "some threads of a block wait in line %d, and others have ended\n", line);
      abort();
    }
  }
}

template <typename... Params, typename... Args>
static void relayish_launch(void (*kernel)(Params...), dim3 grid, dim3 block, Args... args)
{
  gridDim = grid;
  blockDim = block;
  relayish_body = [=] { kernel(args...); };
  for (unsigned z = 0; z < grid.z; ++z) {
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned x = 0; x < grid.x; ++x) {
        blockIdx = dim3(x, y, z);
        relayish_run_block();
      }
    }
  }
}

enum cudaError_t { cudaSuccess, cudaErrorMemoryAllocation };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };

static int32_t *relayish_fault;

static bool relayish_fails()
{
  return relayish_fault != nullptr && *relayish_fault != 0;
}

static inline int32_t atomicCAS(int32_t *at, int32_t expected, int32_t wanted)
{
  relayish_fault = at;
  const int32_t found = *at;
  if (found == expected) *at = wanted;
  return found;
}

static inline cudaError_t cudaGetLastError() { return cudaSuccess; }
static inline cudaError_t cudaGetDeviceCount(int *count) { return *count = 1, cudaSuccess; }
static inline cudaError_t cudaFree(void *memory) { return free(memory), cudaSuccess; }

static inline cudaError_t cudaMalloc(void **memory, size_t bytes)
{
  *memory = malloc(bytes);
  return *memory == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}

static inline cudaError_t cudaMemset(void *memory, int value, size_t bytes)
{
  return memset(memory, value, bytes), cudaSuccess;
}

static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind)
{
  return memcpy(to, from, bytes), cudaSuccess;
}

template <typename T>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &from, size_t bytes)
{
  return memcpy(to, &from, bytes), cudaSuccess;
}

template <typename T>
static inline cudaError_t cudaMemcpyToSymbol(T &to, const void *from, size_t bytes)
{
  return memcpy(&to, from, bytes), cudaSuccess;
}
"""
"""What stands before a source of CUDA C that a compiler of C++ compiles for a processor."""


@overload
def build_on_cpu(program: LoweredFunc, flags: Sequence[str] = FLAGS) -> NativeFunction: ...
@overload
def build_on_cpu(program: Module | IRModule[Any], flags: Sequence[str] = FLAGS) -> NativeModule: ...
def build_on_cpu(
    program: LoweredFunc | Module | IRModule[Any], flags: Sequence[str] = FLAGS
) -> NativeFunction | NativeModule:
    """Return a program in CUDA C, compiled for this processor, to see what it computes.

    Args:
        program: A function, or a module of these.
        flags: What the compiler of C++ is called with.

    Raises:
        CodegenError: If CUDA C cannot say it, or there is no compiler of C++.
    """
    source = to_cuda(program)
    module = NativeModule(source._replace(text=f"{ON_CPU}\n{source.text}"), find_cpp(flags))
    return module[program.name] if isinstance(program, LoweredFunc) else module


def find_cpp(flags: Sequence[str] = FLAGS) -> Toolchain:
    """Return the compiler of C++ that is installed.

    Raises:
        CodegenError: If there is none.
    """
    found = next((each for each in ("g++", "clang++") if shutil.which(each)), None)
    if found is None:
        raise CodegenError("there is no compiler of C++: looked for g++ and clang++; install one")
    return Toolchain((found,), tuple(flags))
