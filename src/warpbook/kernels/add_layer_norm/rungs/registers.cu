#include "moments.cuh"

// The sum of two vectors, in float32 for what follows and rounded to h.
template <typename T, int VECTOR>
__device__ __forceinline__ Vector<float, VECTOR> add(Vector<T, VECTOR> a, Vector<T, VECTOR> b, T* h) {
    Vector<float, VECTOR> sum;
    #pragma unroll
    for (int e = 0; e < VECTOR; e++) {
        sum.at[e] = to_float(a.at[e]) + to_float(b.at[e]);
        a.at[e] = from_float<T>(sum.at[e]);
    }
    store(h, a);
    return sum;
}
template <typename T, typename V, int VECTOR>
__device__ __forceinline__ void write(T* y, const Vector<V, VECTOR>& values, const T* weight, const T* bias, float mean,
                                      float factor) {
    Vector<T, VECTOR> scale = load<VECTOR>(weight);
    const Vector<T, VECTOR> shift = load<VECTOR>(bias);
    #pragma unroll
    for (int e = 0; e < VECTOR; e++)
        scale.at[e] = from_float<T>((to_float(values.at[e]) - mean) * factor * to_float(scale.at[e]) +
                                    to_float(shift.at[e]));
    store(y, scale);
}

// A thread holds VECTORS vectors of the sum. What a row has beyond that is read back from h. At least 1024 threads
// at a time are to fit an SM's registers.
template <typename T, int VECTOR, int VECTORS, int THREADS>
__global__ void __launch_bounds__(THREADS, 1024 / THREADS)
add_layer_norm(const T* __restrict__ x, const T* __restrict__ residual, const T* __restrict__ weight,
               const T* __restrict__ bias, T* __restrict__ y, T* __restrict__ h, long long columns, long long x_row,
               long long residual_row, long long y_row, long long h_row, float eps) {
    constexpr int STEP = THREADS * VECTOR, HELD = VECTORS * STEP;
    const int first = threadIdx.x * VECTOR;
    const int end = columns < HELD ? columns : HELD;
    x += blockIdx.x * x_row + first;
    residual += blockIdx.x * residual_row + first;
    y += blockIdx.x * y_row + first;
    h += blockIdx.x * h_row + first;
    weight += first;
    bias += first;

    Vector<T, VECTOR> a[VECTORS], b[VECTORS];
    #pragma unroll
    for (int k = 0; k < VECTORS; k++)
        if (first + k * STEP < end) a[k] = load<VECTOR>(x + k * STEP), b[k] = load<VECTOR>(residual + k * STEP);
    Vector<float, VECTOR> held[VECTORS];
    Moments own = {0, 0, 0};
    #pragma unroll
    for (int k = 0; k < VECTORS; k++)
        if (first + k * STEP < end) own = merge(own, moments(held[k] = add(a[k], b[k], h + k * STEP)));
    for (long long i = HELD; first + i < columns; i += STEP)
        own = merge(own, moments(add(load<VECTOR>(x + i), load<VECTOR>(residual + i), h + i)));
    const Moments row = block_merge<THREADS / 32>(own);

    const float factor = rsqrtf(row.squares / columns + eps);
    #pragma unroll
    for (int k = 0; k < VECTORS; k++)
        if (first + k * STEP < end)
            write(y + k * STEP, held[k], weight + k * STEP, bias + k * STEP, row.mean, factor);
    for (long long i = HELD; first + i < columns; i += STEP)
        write(y + i, load<VECTOR>(h + i), weight + i, bias + i, row.mean, factor);
}
