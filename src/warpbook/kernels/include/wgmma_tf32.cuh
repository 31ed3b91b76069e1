// The matrix instruction of a warpgroup for TF32: sums[64, 128] += P[64, 8] Q[128, 8]^T, in float32. P is in registers, Q
// in shared memory, as `operand` of hopper.cuh describes it, with k along its rows. Of each number the 19 highest bits count.
#pragma once
#include "hopper.cuh"

// Of P a thread has p[0] in row 16 w + l / 4 and column l % 4, where w is the warp and l the lane; p[1] 8 rows further down;
// p[2] and p[3] like them, 4 columns on. Of the sums it has d[4 j] and d[4 j + 1] in that row and columns 8 j + 2 (l % 4) and
// the next, and d[4 j + 2] and d[4 j + 3] 8 rows further down. Without `add` the sums start at 0.
#define SUMS_8(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define NAMES_10(t) "%" #t "0, %" #t "1, %" #t "2, %" #t "3, %" #t "4, %" #t "5, %" #t "6, %" #t "7, %" #t "8, %" #t "9, "
__device__ __forceinline__ void wgmma_tf32(float (&d)[64], const float* p, unsigned long long q, bool add) {
    asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %69, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {" NAMES_10() NAMES_10(1) NAMES_10(2) NAMES_10(3)
                 NAMES_10(4) NAMES_10(5) "%60, %61, %62, %63}, {%64, %65, %66, %67}, %68, add, 1, 1;\n}"
                 : SUMS_8(0), SUMS_8(8), SUMS_8(16), SUMS_8(24), SUMS_8(32), SUMS_8(40), SUMS_8(48), SUMS_8(56)
                 : "r"(__float_as_uint(p[0])), "r"(__float_as_uint(p[1])), "r"(__float_as_uint(p[2])),
                   "r"(__float_as_uint(p[3])), "l"(q), "r"(int(add)));
}
#undef SUMS_8
#undef NAMES_10

// The compiler keeps what it does with these registers before or after this place: it does not know that wgmma works on
// them behind the program.
template <int N> __device__ __forceinline__ void settle(float (&registers)[N]) {
    #pragma unroll
    for (int i = 0; i < N; i++) asm volatile("" : "+f"(registers[i])::"memory");
}
