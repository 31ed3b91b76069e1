#include "warp.cuh"

// A warp adds up by itself, without a barrier. Its sum goes into a slot, and behind one barrier every warp adds up all
// the slots for itself.
template <int WARPS> __device__ float block_sum(float value) {
    __shared__ float slots[WARPS];
    value = warp_sum(value);
    if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = value;
    __syncthreads();
    return warp_sum<WARPS>(slots[threadIdx.x % WARPS]);
}

template <typename T, int THREADS>
__global__ void __launch_bounds__(THREADS)
rms_norm(const T* x, const T* weight, T* y, long long columns, long long x_row, long long y_row, float eps) {
    x += blockIdx.x * x_row;
    y += blockIdx.x * y_row;

    float squares = 0;
    for (long long i = threadIdx.x; i < columns; i += THREADS) squares += to_float(x[i]) * to_float(x[i]);
    const float factor = rsqrtf(block_sum<THREADS / 32>(squares) / columns + eps);

    for (long long i = threadIdx.x; i < columns; i += THREADS)
        y[i] = from_float<T>(to_float(x[i]) * factor * to_float(weight[i]));
}
