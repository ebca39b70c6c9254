"""CUDA C as a dialect of C: what a source begins with, and what stands for what C has."""

from __future__ import annotations

from typing import Final

from relayish.codegen.c.dialect import Dialect
from relayish.codegen.c.helpers import HELPERS, Helper
from relayish.codegen.c.types import C_TYPES
from relayish.codegen.cuda.host import LoopsOnHost

FLAGS: Final = ("-std=c++17", "-O3")
"""What nvcc is told; none of it changes what numbers are."""

HEAD: Final = f"""\
/* compile with: nvcc {" ".join(FLAGS)} */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__USE_FAST_MATH__)
#warning "numbers may differ: this is compiled with rules of its own for floats"
#endif
#define restrict __restrict__
#define RELAYISH_APART
#if defined(__CUDACC__)
#define RELAYISH_LAUNCH(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)
#endif

/* memory of the device; none where there is no more */
struct device_memory {{
  void *at;
  template <typename T> operator T *() const {{ return static_cast<T *>(at); }}
}};

[[maybe_unused]] static device_memory device_malloc(size_t bytes)
{{
  device_memory made = {{NULL}};
  if (cudaMalloc(&made.at, bytes) != cudaSuccess) made.at = NULL;
  return made;
}}

[[maybe_unused]] static device_memory device_calloc(size_t count, size_t bytes)
{{
  const device_memory made = device_malloc(count * bytes);
  if (made.at != NULL) cudaMemset(made.at, 0, count * bytes);
  return made;
}}

template <typename T> static T device_read(const T *place)
{{
  T found = T();
  cudaMemcpy(&found, place, sizeof found, cudaMemcpyDeviceToHost);
  return found;
}}

[[maybe_unused]] static void device_free(void *memory)
{{
  cudaFree(memory);
}}"""

_WORDS: Final = (
    "alignas alignof and and_eq asm bitand bitor bool catch char8_t char16_t char32_t class compl "
    "concept const_cast consteval constexpr constinit co_await co_return co_yield decltype delete "
    "dynamic_cast explicit export false friend mutable namespace new noexcept not not_eq nullptr "
    "operator or or_eq private protected public reinterpret_cast requires static_assert "
    "static_cast template this thread_local throw true try typeid typename using virtual wchar_t "
    "xor xor_eq blockDim blockIdx dim3 gridDim threadIdx uint3 warpSize min max abs "
    "device_memory device_malloc device_calloc device_free device_read device_fault"
)

NO_DEVICE: Final = -3
"""The status of a call for which there is no device."""

_FAILED: Final = f"""\
static __device__ int32_t device_fault;

/* the first of all threads that fail says why */
static __device__ void failed_int32(int32_t status)
{{
  atomicCAS(&device_fault, 0, status);
}}

/* what the kernels found that ran since this was asked last */
static int32_t found_failed_int32(void)
{{
  int32_t found = 0;
  const int32_t nothing = 0;
  if (cudaMemcpyFromSymbol(&found, device_fault, sizeof found) != cudaSuccess) return {NO_DEVICE};
  if (found != 0) cudaMemcpyToSymbol(device_fault, &nothing, sizeof nothing);
  return found;
}}"""
HELPERS.register("failed", lambda _: Helper(_FAILED))

_PRODUCT: Final = """\
static inline $T product_$E($T a, $T b)
{
#if defined(__CUDA_ARCH__) && !defined(RELAYISH_LOOSE)
  return $F(a, b); /* else it would be rounded together with the sum that it is part of */
#else
  return a * b;
#endif
}"""


def _product(element: str) -> Helper:
    function = {"float32": "__fmul_rn", "float64": "__dmul_rn"}[element]
    text = _PRODUCT.replace("$T", C_TYPES[element].value).replace("$E", element)
    return Helper(text.replace("$F", function))


HELPERS.register("product", _product)

CUDA: Final = Dialect(
    HEAD,
    (LoopsOnHost,),
    memory="device_",
    taken=frozenset(_WORDS.split()),
    outside='extern "C" ',
    inline="static inline __host__ __device__",
    contracts=True,
)
"""CUDA C++, as nvcc compiles it."""
