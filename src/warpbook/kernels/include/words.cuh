// 16 bytes as four words: how a matrix is streamed past the L1, and multiplied by a vector that stays in it.
#pragma once
#include "warp.cuh"

struct Words { unsigned at[4]; };

// 16 bytes of the matrix, if wanted. They are used once, and leave the L1 to the vector.
__device__ __forceinline__ Words stream(const void* from, bool wanted) {
    Words found = {};
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %5, 0;\n"
                 "@p ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];\n}"
                 : "+r"(found.at[0]), "+r"(found.at[1]), "+r"(found.at[2]), "+r"(found.at[3])
                 : "l"(from), "r"(unsigned(wanted)));
    return found;
}
// As much of the vector, X elements at a time: it need not lie on 16 bytes as the rows do.
template <int X, typename T> __device__ __forceinline__ Words gather(const T* from, bool wanted) {
    using Piece = typename Word<X * sizeof(T)>::type;
    union { Words words; Piece pieces[16 / sizeof(Piece)]; } found = {};
    #pragma unroll
    for (int p = 0; p < 16 / sizeof(Piece); p++)
        if (wanted) found.pieces[p] = reinterpret_cast<const Piece*>(from)[p];
    return found.words;
}
__device__ __forceinline__ float multiply_add(float, unsigned a, unsigned x, float sum) {
    return __uint_as_float(a) * __uint_as_float(x) + sum;
}
__device__ __forceinline__ float multiply_add(bf16, unsigned a, unsigned x, float sum) {
    sum = __uint_as_float(a << 16) * __uint_as_float(x << 16) + sum;
    return __uint_as_float(a & 0xffff0000) * __uint_as_float(x & 0xffff0000) + sum;
}
__device__ __forceinline__ float multiply_add(half16, unsigned a, unsigned x, float sum) {
    auto wide = [](unsigned bits) { return to_float(half16{(unsigned short)bits}); };
    return wide(a >> 16) * wide(x >> 16) + (wide(a) * wide(x) + sum);
}

// 16 bytes from memory to shared memory; a thread has its own once it has waited.
__device__ __forceinline__ void fetch16(void* to, const void* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(unsigned(__cvta_generic_to_shared(to))), "l"(from) : "memory");
}
__device__ __forceinline__ void fetched() { asm volatile("cp.async.wait_all;" ::: "memory"); }
