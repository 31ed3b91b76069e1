#include "moments.cuh"

template <typename T, int VECTOR>
__device__ __forceinline__ void write(T* y, Vector<T, VECTOR> values, const T* weight, const T* bias, float mean,
                                      float factor) {
    const Vector<T, VECTOR> scale = load<VECTOR>(weight), shift = load<VECTOR>(bias);
    #pragma unroll
    for (int e = 0; e < VECTOR; e++)
        values.at[e] = from_float<T>((to_float(values.at[e]) - mean) * factor * to_float(scale.at[e]) +
                                     to_float(shift.at[e]));
    store(y, values);
}

// A thread holds VECTORS vectors. What a row has beyond that is read again to be written.
template <typename T, int VECTOR, int VECTORS, int THREADS>
__global__ void __launch_bounds__(THREADS)
layer_norm(const T* __restrict__ x, const T* __restrict__ weight, const T* __restrict__ bias, T* __restrict__ y,
           long long columns, long long x_row, long long y_row, float eps) {
    constexpr int STEP = THREADS * VECTOR, HELD = VECTORS * STEP;
    const int first = threadIdx.x * VECTOR;
    const int end = columns < HELD ? columns : HELD;
    x += blockIdx.x * x_row + first;
    y += blockIdx.x * y_row + first;
    weight += first;
    bias += first;

    Vector<T, VECTOR> held[VECTORS];
    #pragma unroll
    for (int k = 0; k < VECTORS; k++)
        if (first + k * STEP < end) held[k] = load<VECTOR>(x + k * STEP);
    Moments own = {0, 0, 0};
    #pragma unroll
    for (int k = 0; k < VECTORS; k++)
        if (first + k * STEP < end) own = merge(own, moments(held[k]));
    for (long long i = HELD; first + i < columns; i += STEP) own = merge(own, moments(load<VECTOR>(x + i)));
    const Moments row = block_merge<THREADS / 32>(own);

    const float factor = rsqrtf(row.squares / columns + eps);
    #pragma unroll
    for (int k = 0; k < VECTORS; k++)
        if (first + k * STEP < end)
            write(y + k * STEP, held[k], weight + k * STEP, bias + k * STEP, row.mean, factor);
    for (long long i = HELD; first + i < columns; i += STEP)
        write(y + i, load<VECTOR>(x + i), weight + i, bias + i, row.mean, factor);
}
