// The mean and the spread of numbers that are seen once, in one pass and in any order.
#pragma once
#include "warp.cuh"

// How many numbers, their mean, and the sum of their squared distances from it. The difference of two sums of squares
// would say the same with one operation less, and is noise when the mean is large beside the spread.
struct Moments { float count, mean, squares; };

// Of two sets of numbers together: their means are `apart`, and the joint mean lies between them.
__device__ __forceinline__ Moments merge(Moments a, Moments b) {
    const float count = a.count + b.count, apart = b.mean - a.mean;
    const float share = a.count == 0 ? 1 : __fdividef(b.count, count);  // exactly 1, or the first mean is off
    return {count, a.mean + apart * share, a.squares + b.squares + apart * apart * a.count * share};
}

// Of a few numbers that are at hand: the mean first, then the distances.
template <typename T, int N> __device__ __forceinline__ Moments moments(const Vector<T, N>& values) {
    float sum = 0, squares = 0;
    #pragma unroll
    for (int e = 0; e < N; e++) sum += to_float(values.at[e]);
    const float mean = sum * (1.0f / N);
    #pragma unroll
    for (int e = 0; e < N; e++) squares += (to_float(values.at[e]) - mean) * (to_float(values.at[e]) - mean);
    return {N, mean, squares};
}

template <int WIDTH = 32> __device__ __forceinline__ Moments warp_merge(Moments own) {
    #pragma unroll
    for (int apart = WIDTH / 2; apart; apart /= 2)
        own = merge(own, {__shfl_xor_sync(~0u, own.count, apart), __shfl_xor_sync(~0u, own.mean, apart),
                          __shfl_xor_sync(~0u, own.squares, apart)});
    return own;
}

// Over a block, behind one barrier: a warp's result goes into its slot, and every warp merges all the slots.
template <int WARPS> __device__ __forceinline__ Moments block_merge(Moments own) {
    __shared__ Moments slots[WARPS];
    own = warp_merge(own);
    if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = own;
    __syncthreads();
    return warp_merge<WARPS>(slots[threadIdx.x % WARPS]);
}
