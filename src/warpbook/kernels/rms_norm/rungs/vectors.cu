#include "warp.cuh"

template <int WARPS> __device__ float block_sum(float value) {
    __shared__ float slots[WARPS];
    value = warp_sum(value);
    if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = value;
    __syncthreads();
    return warp_sum<WARPS>(slots[threadIdx.x % WARPS]);
}

// __restrict__ says that no store changes what is still to be loaded, so loads are made ahead.
template <typename T, int VECTOR, int THREADS>
__global__ void __launch_bounds__(THREADS)
rms_norm(const T* __restrict__ x, const T* __restrict__ weight, T* __restrict__ y, long long columns,
         long long x_row, long long y_row, float eps) {
    x += blockIdx.x * x_row;
    y += blockIdx.x * y_row;

    float squares = 0;
    #pragma unroll 4
    for (long long i = threadIdx.x * VECTOR; i < columns; i += THREADS * VECTOR) {
        const Vector<T, VECTOR> values = load<VECTOR>(x + i);
        #pragma unroll
        for (int e = 0; e < VECTOR; e++) squares += to_float(values.at[e]) * to_float(values.at[e]);
    }
    const float factor = rsqrtf(block_sum<THREADS / 32>(squares) / columns + eps);

    #pragma unroll 4
    for (long long i = threadIdx.x * VECTOR; i < columns; i += THREADS * VECTOR) {
        Vector<T, VECTOR> values = load<VECTOR>(x + i);
        const Vector<T, VECTOR> scale = load<VECTOR>(weight + i);
        #pragma unroll
        for (int e = 0; e < VECTOR; e++)
            values.at[e] = from_float<T>(to_float(values.at[e]) * factor * to_float(scale.at[e]));
        store(y + i, values);
    }
}
