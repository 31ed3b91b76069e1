#include "warp.cuh"

// A warp reduces by itself, without a barrier. Its result goes into a slot, and behind one barrier
// every warp reduces all the slots for itself.
template <int WARPS> __device__ __forceinline__ float block_max(float value, float* slots) {
    value = warp_max(value);
    if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = value;
    __syncthreads();
    return warp_max<WARPS>(slots[threadIdx.x % WARPS]);
}
template <int WARPS> __device__ __forceinline__ float block_sum(float value, float* slots) {
    value = warp_sum(value);
    if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = value;
    __syncthreads();
    return warp_sum<WARPS>(slots[threadIdx.x % WARPS]);
}

template <typename T, int THREADS>
__global__ void __launch_bounds__(THREADS)
softmax(const T* x, T* y, long long columns, long long x_row, long long y_row) {
    __shared__ float maxima[THREADS / 32], sums[THREADS / 32];  // apart: no barrier between the two
    x += blockIdx.x * x_row;
    y += blockIdx.x * y_row;

    float largest = -INFINITE;
    #pragma unroll 8
    for (long long i = threadIdx.x; i < columns; i += THREADS) largest = fmaxf(largest, to_float(x[i]));
    largest = block_max<THREADS / 32>(largest, maxima);

    float total = 0;
    #pragma unroll 8
    for (long long i = threadIdx.x; i < columns; i += THREADS) total += quick_exp(to_float(x[i]) - largest);
    const float factor = 1 / block_sum<THREADS / 32>(total, sums);

    #pragma unroll 8
    for (long long i = threadIdx.x; i < columns; i += THREADS)
        y[i] = from_float<T>(quick_exp(to_float(x[i]) - largest) * factor);
}
