#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#define RELAYISH_APART __attribute__((noinline)) /* else compilers forget which memory is which */
#pragma GCC diagnostic ignored "-Wunknown-pragmas" /* of OpenMP, which say what is so anyway */
#else
#define RELAYISH_APART
#endif
#if defined(__FAST_MATH__)
#warning "numbers may differ: this is compiled with rules of its own for floats"
#endif
#if defined(RELAYISH_LOOSE)
/* whoever says so wants sums in another order, and functions of vectors, which are 4 units off */
#if defined(__GLIBC__) && defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define RELAYISH_SIMD __attribute__((simd("notinbranch"))) extern
RELAYISH_SIMD float expf(float), logf(float), sinf(float), cosf(float), powf(float, float);
RELAYISH_SIMD double exp(double), log(double), sin(double), cos(double), pow(double, double);
#if __GLIBC_PREREQ(2, 35)
RELAYISH_SIMD float tanf(float), asinf(float), acosf(float), atanf(float), atan2f(float, float);
RELAYISH_SIMD float sinhf(float), coshf(float), tanhf(float), asinhf(float), acoshf(float);
RELAYISH_SIMD float atanhf(float), erff(float), exp2f(float), expm1f(float), log2f(float);
RELAYISH_SIMD float log10f(float), log1pf(float), cbrtf(float);
RELAYISH_SIMD double tan(double), asin(double), acos(double), atan(double), atan2(double, double);
RELAYISH_SIMD double sinh(double), cosh(double), tanh(double), asinh(double), acosh(double);
RELAYISH_SIMD double atanh(double), erf(double), exp2(double), expm1(double), log2(double);
RELAYISH_SIMD double log10(double), log1p(double), cbrt(double);
#endif
#endif
#elif defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

int32_t matmul(const float *restrict A, const float *restrict B, float *restrict C)
{
  int32_t status = 0;
  float C_stack_temp_buffer[128];
  float *restrict B_heap_temp_buffer = NULL;
  float *restrict A_heap_temp_buffer = NULL;
  {
    B_heap_temp_buffer = malloc(1048576 * sizeof(float));
    if (!B_heap_temp_buffer) { status = 1; goto done; }
    A_heap_temp_buffer = malloc(1048576 * sizeof(float));
    if (!A_heap_temp_buffer) { status = 2; goto done; }
    for (int32_t cache_ax0 = 0; cache_ax0 < 1024; ++cache_ax0) {
      for (int32_t cache_ax1 = 0; cache_ax1 < 1024; ++cache_ax1) {
        B_heap_temp_buffer[cache_ax1 / 16 * 16384 + cache_ax0 * 16 + cache_ax1 % 16] = B[cache_ax0 * 1024 + cache_ax1];
      }
    }
    for (int32_t cache_ax0 = 0; cache_ax0 < 1024; ++cache_ax0) {
      for (int32_t cache_ax1 = 0; cache_ax1 < 1024; ++cache_ax1) {
        A_heap_temp_buffer[cache_ax0 / 8 * 8192 + cache_ax1 * 8 + cache_ax0 % 8] = A[cache_ax0 * 1024 + cache_ax1];
      }
    }
    for (int32_t j_0 = 0; j_0 < 64; ++j_0) {
      for (int32_t i_0 = 0; i_0 < 128; ++i_0) {
        for (int32_t ax0 = 0; ax0 < 8; ++ax0) {
#pragma omp simd
          for (int32_t ax1 = 0; ax1 < 16; ++ax1) {
            C_stack_temp_buffer[ax0 * 16 + ax1] = 0.0f;
          }
        }
        for (int32_t k = 0; k < 1024; ++k) {
          for (int32_t i_1 = 0; i_1 < 8; ++i_1) {
#pragma omp simd
            for (int32_t j_1 = 0; j_1 < 16; ++j_1) {
              C_stack_temp_buffer[i_1 * 16 + j_1] = C_stack_temp_buffer[i_1 * 16 + j_1] + A_heap_temp_buffer[i_0 * 8192 + k * 8 + i_1] * B_heap_temp_buffer[j_0 * 16384 + k * 16 + j_1];
            }
          }
        }
        for (int32_t ax0 = 0; ax0 < 8; ++ax0) {
          for (int32_t ax1 = 0; ax1 < 16; ++ax1) {
            C[(8 * i_0 + ax0) * 1024 + (16 * j_0 + ax1)] = C_stack_temp_buffer[ax0 * 16 + ax1];
          }
        }
      }
    }
  }
done:
  free(B_heap_temp_buffer);
  free(A_heap_temp_buffer);
  return status;
}
