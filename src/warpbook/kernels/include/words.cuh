// 16 bytes as four words: how a matrix is streamed past the L1, and multiplied by a vector that stays in it.
#pragma once
#include "warp.cuh"

struct Words { unsigned at[4]; };

// 16 bytes of the matrix, or zeros if not wanted. They are used once, and leave the L1 to the vector.
__device__ __forceinline__ Words stream(const void* from, bool wanted) {
    Words found = {};
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %5, 0;\n@p ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];\n}"
                 : "+r"(found.at[0]), "+r"(found.at[1]), "+r"(found.at[2]), "+r"(found.at[3])
                 : "l"(from), "r"(unsigned(wanted)));
    return found;
}
// As much of the vector, which stays in the L1.
__device__ __forceinline__ Words keep(const void* from, bool wanted) {
    union { uint4 piece; Words words; } found = {};
    if (wanted) found.piece = *reinterpret_cast<const uint4*>(from);
    return found.words;
}
// 16 bytes of T that start `shift` bytes after a multiple of 16: cut out of the two pieces that they lie in.
template <typename T> __device__ __forceinline__ Words cut(const Words& low, const Words& high, int shift) {
    unsigned by_8[6], by_4[5];
    Words found;
    #pragma unroll
    for (int w = 0; w < 6; w++) by_8[w] = shift & 8 ? (w < 2 ? low.at[w + 2] : high.at[w - 2]) : w < 4 ? low.at[w] : high.at[w - 4];
    #pragma unroll
    for (int w = 0; w < 5; w++) by_4[w] = shift & 4 ? by_8[w + 1] : by_8[w];
    #pragma unroll
    for (int w = 0; w < 4; w++) found.at[w] = sizeof(T) == 4 ? by_4[w] : __funnelshift_r(by_4[w], by_4[w + 1], shift % 4 * 8);
    return found;
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
