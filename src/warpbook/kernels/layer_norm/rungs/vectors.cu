#include "moments.cuh"

// __restrict__ says that no store changes what is still to be loaded, so loads are made ahead.
template <typename T, int VECTOR, int THREADS>
__global__ void __launch_bounds__(THREADS)
layer_norm(const T* __restrict__ x, const T* __restrict__ weight, const T* __restrict__ bias, T* __restrict__ y,
           long long columns, long long x_row, long long y_row, float eps) {
    x += blockIdx.x * x_row;
    y += blockIdx.x * y_row;

    Moments own = {0, 0, 0};
    #pragma unroll 4
    for (long long i = threadIdx.x * VECTOR; i < columns; i += THREADS * VECTOR)
        own = merge(own, moments(load<VECTOR>(x + i)));
    const Moments row = block_merge<THREADS / 32>(own);

    const float factor = rsqrtf(row.squares / columns + eps);
    #pragma unroll 4
    for (long long i = threadIdx.x * VECTOR; i < columns; i += THREADS * VECTOR) {
        Vector<T, VECTOR> values = load<VECTOR>(x + i);
        const Vector<T, VECTOR> scale = load<VECTOR>(weight + i), shift = load<VECTOR>(bias + i);
        #pragma unroll
        for (int e = 0; e < VECTOR; e++)
            values.at[e] = from_float<T>((to_float(values.at[e]) - row.mean) * factor * to_float(scale.at[e]) +
                                         to_float(shift.at[e]));
        store(y + i, values);
    }
}
