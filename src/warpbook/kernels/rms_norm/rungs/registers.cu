#include "warp.cuh"

template <int WARPS> __device__ __forceinline__ float block_sum(float value) {
    __shared__ float slots[WARPS];
    value = warp_sum(value);
    if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = value;
    __syncthreads();
    return warp_sum<WARPS>(slots[threadIdx.x % WARPS]);
}
template <typename T, int VECTOR> __device__ __forceinline__ float sum_of_squares(const Vector<T, VECTOR>& values) {
    float squares = 0;
    #pragma unroll
    for (int e = 0; e < VECTOR; e++) squares += to_float(values.at[e]) * to_float(values.at[e]);
    return squares;
}
template <typename T, int VECTOR>
__device__ __forceinline__ void write(T* y, Vector<T, VECTOR> values, const T* weight, float factor) {
    const Vector<T, VECTOR> scale = load<VECTOR>(weight);
    #pragma unroll
    for (int e = 0; e < VECTOR; e++)
        values.at[e] = from_float<T>(to_float(values.at[e]) * factor * to_float(scale.at[e]));
    store(y, values);
}

// A thread holds VECTORS vectors. What a row has beyond that is read again to be written.
template <typename T, int VECTOR, int VECTORS, int THREADS>
__global__ void __launch_bounds__(THREADS)
rms_norm(const T* __restrict__ x, const T* __restrict__ weight, T* __restrict__ y, long long columns,
         long long x_row, long long y_row, float eps) {
    constexpr int STEP = THREADS * VECTOR, HELD = VECTORS * STEP;
    const int first = threadIdx.x * VECTOR;
    const int end = columns < HELD ? columns : HELD;
    x += blockIdx.x * x_row + first;
    y += blockIdx.x * y_row + first;
    weight += first;

    Vector<T, VECTOR> held[VECTORS];
    #pragma unroll
    for (int k = 0; k < VECTORS; k++)
        if (first + k * STEP < end) held[k] = load<VECTOR>(x + k * STEP);
    float squares = 0;
    #pragma unroll
    for (int k = 0; k < VECTORS; k++)
        if (first + k * STEP < end) squares += sum_of_squares(held[k]);
    for (long long i = HELD; first + i < columns; i += STEP) squares += sum_of_squares(load<VECTOR>(x + i));
    const float factor = rsqrtf(block_sum<THREADS / 32>(squares) / columns + eps);

    #pragma unroll
    for (int k = 0; k < VECTORS; k++)
        if (first + k * STEP < end) write(y + k * STEP, held[k], weight + k * STEP, factor);
    for (long long i = HELD; first + i < columns; i += STEP) write(y + i, load<VECTOR>(x + i), weight + i, factor);
}
