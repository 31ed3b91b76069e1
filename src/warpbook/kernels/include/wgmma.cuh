// The matrix instructions of a warpgroup (wgmma): sums[64, N] += P[64, 16] Q[N, 16]^T, in float32, of 16-bit operands that
// lie in shared memory and are described by `operand` of hopper.cuh. A thread has N / 2 of the sums: of each 8 columns, two
// neighbours in a row, and two 8 rows further down. ACROSS says of an operand that its rows are k.
#pragma once
#include "hopper.cuh"

template <typename T, int N> struct Wgmma;

// The sums are operands 0 to N / 2 - 1 of the instruction; what numbers the others have hangs on that.
#define TEN(d) "%" #d "0, %" #d "1, %" #d "2, %" #d "3, %" #d "4, %" #d "5, %" #d "6, %" #d "7, %" #d "8, %" #d "9, "
#define ALL16 TEN() "%10, %11, %12, %13, %14, %15"
#define ALL32 TEN() TEN(1) TEN(2) "%30, %31"
#define ALL40 TEN() TEN(1) TEN(2) "%30, %31, %32, %33, %34, %35, %36, %37, %38, %39"
#define ALL72 TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) "%70, %71"
#define ALL96 TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) "%90, %91, %92, %93, %94, %95"
#define ALL64 TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) "%60, %61, %62, %63"
#define ALL128 TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9) TEN(10) TEN(11) \
    "%120, %121, %122, %123, %124, %125, %126, %127"
#define SUMS8(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define SUMS16(i) SUMS8(i), SUMS8(i + 8)
#define SUMS32(i) SUMS16(i), SUMS16(i + 16)
#define SUMS40(i) SUMS32(i), SUMS8(i + 32)
#define SUMS72(i) SUMS64(i), SUMS8(i + 64)
#define SUMS96(i) SUMS64(i), SUMS32(i + 64)
#define SUMS64(i) SUMS32(i), SUMS32(i + 32)
#define SUMS128(i) SUMS64(i), SUMS64(i + 64)

#define WGMMA(T, TYPE, N, HALF, P, Q, P_ACROSS_AT, Q_ACROSS_AT)                                                              \
    template <> struct Wgmma<T, N> {                                                                                      \
        template <bool P_ACROSS, bool Q_ACROSS>                                                                           \
        static __device__ __forceinline__ void add(float (&d)[HALF], unsigned long long p, unsigned long long q) {        \
            asm volatile("wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPE "." TYPE " {" ALL##HALF "}, %" #P ", %" #Q \
                         ", 1, 1, 1, %" #P_ACROSS_AT ", %" #Q_ACROSS_AT ";"                                                \
                         : SUMS##HALF(0) : "l"(p), "l"(q), "n"(int(P_ACROSS)), "n"(int(Q_ACROSS)));                       \
        }                                                                                                                 \
    };
#define WGMMA_BOTH(N, HALF, ...) WGMMA(bf16, "bf16", N, HALF, __VA_ARGS__) WGMMA(half16, "f16", N, HALF, __VA_ARGS__)
WGMMA_BOTH(32, 16, 16, 17, 18, 19)
WGMMA_BOTH(64, 32, 32, 33, 34, 35)
WGMMA_BOTH(80, 40, 40, 41, 42, 43)
WGMMA_BOTH(144, 72, 72, 73, 74, 75)
WGMMA_BOTH(192, 96, 96, 97, 98, 99)
WGMMA_BOTH(128, 64, 64, 65, 66, 67)
WGMMA_BOTH(256, 128, 128, 129, 130, 131)
#undef WGMMA
#undef WGMMA_BOTH
