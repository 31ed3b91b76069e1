#include "moments.cuh"

template <typename T, int THREADS>
__global__ void __launch_bounds__(THREADS)
layer_norm(const T* x, const T* weight, const T* bias, T* y, long long columns, long long x_row, long long y_row,
           float eps) {
    x += blockIdx.x * x_row;
    y += blockIdx.x * y_row;

    Moments own = {0, 0, 0};
    for (long long i = threadIdx.x; i < columns; i += THREADS) own = merge(own, {1, to_float(x[i]), 0});
    const Moments row = block_merge<THREADS / 32>(own);

    const float factor = rsqrtf(row.squares / columns + eps);
    for (long long i = threadIdx.x; i < columns; i += THREADS)
        y[i] = from_float<T>((to_float(x[i]) - row.mean) * factor * to_float(weight[i]) + to_float(bias[i]));
}
