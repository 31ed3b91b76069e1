// Short rows that start anywhere, fetched as one piece.
#pragma once
#include "warp.cuh"

// 16 bytes from memory to shared memory; a thread has its own once it has waited.
__device__ __forceinline__ void fetch16(void* to, const void* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(unsigned(__cvta_generic_to_shared(to))), "l"(from) : "memory");
}
__device__ __forceinline__ void fetched() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// One thread a row, for short rows that start anywhere. A block has THREADS rows side by side: it fetches them as one piece,
// 16 bytes at a time, into shared memory, where a thread may walk along its row without wasting what its neighbours need.
template <typename T, int THREADS>
__global__ void __launch_bounds__(THREADS)
short_rows(const T* __restrict__ matrix, const T* __restrict__ vector, T* y, long long rows, long long columns,
           long long row_step, long long, long long y_step) {
    constexpr int VECTOR = 16 / sizeof(T);
    extern __shared__ uint4 room[];
    float* x = reinterpret_cast<float*>(room);
    T* tile = reinterpret_cast<T*>(room + (columns + 3) / 4);
    const long long first = blockIdx.x * (long long)THREADS;
    const int count = int(rows - first < THREADS ? rows - first : THREADS), length = int(columns), step = int(row_step);
    const T* start = matrix + first * row_step;
    const int off = int((long long)start & 15) / int(sizeof(T)), end = off + (count - 1) * step + length;
    for (int i = threadIdx.x * VECTOR; i < end; i += THREADS * VECTOR) {
        if (i >= off && i + VECTOR <= end) fetch16(tile + i, start - off + i);
        else
            #pragma unroll 1
            for (int e = max(i, off); e < min(i + VECTOR, end); e++) tile[e] = (start - off)[e];
    }
    #pragma unroll 1
    for (int i = threadIdx.x; i < length; i += THREADS) x[i] = to_float(vector[i]);
    fetched();
    __syncthreads();
    // 16-bit rows an odd number apart would share banks two by two: a warp takes every second one.
    const int t = threadIdx.x, mine = sizeof(T) == 2 && step % 2 ? t / 64 * 64 + t % 32 * 2 + t / 32 % 2 : t;
    if (mine >= count) return;
    const T* row = tile + off + mine * step;
    float total = 0;
    #pragma unroll 8
    for (int i = 0; i < length; i++) total += to_float(row[i]) * x[i];
    y[(first + mine) * y_step] = from_float<T>(total);
}
