#include "warp.cuh"

// The largest of some numbers, and the sum of exp(number - largest). It starts at the lowest finite
// number: were it -inf, a row that starts with -inf would meet -inf - -inf, which is NaN. A row of
// nothing but -inf ends with a sum of 0 and is NaN for that.
struct Pair { float largest, total; };
#define NOTHING Pair{-3.402823466e38f, 0}

__device__ __forceinline__ void add(Pair& own, float value) {
    float step = value - own.largest, factor = quick_exp(-fabsf(step));  // one exp in either case
    if (step > 0) own = {value, own.total * factor + 1};
    else own.total += factor;  // NaN comes here too, and stays
}
// With +inf on either side this is inf - inf, NaN, as it should be.
__device__ __forceinline__ Pair merge(Pair a, Pair b) {
    float largest = fmaxf(a.largest, b.largest);
    return {largest, a.total * quick_exp(a.largest - largest) + b.total * quick_exp(b.largest - largest)};
}
template <int WIDTH = 32> __device__ __forceinline__ Pair warp_merge(Pair own) {
    #pragma unroll
    for (int apart = WIDTH / 2; apart; apart /= 2)
        own = merge(own, {__shfl_xor_sync(~0u, own.largest, apart), __shfl_xor_sync(~0u, own.total, apart)});
    return own;
}

template <typename T, int THREADS>
__global__ void __launch_bounds__(THREADS)
softmax(const T* x, T* y, long long columns, long long x_row, long long y_row) {
    __shared__ Pair pairs[THREADS / 32];
    x += blockIdx.x * x_row;
    y += blockIdx.x * y_row;

    Pair own = NOTHING;
    #pragma unroll 8
    for (long long i = threadIdx.x; i < columns; i += THREADS) add(own, to_float(x[i]));
    own = warp_merge(own);
    if (threadIdx.x % 32 == 0) pairs[threadIdx.x / 32] = own;
    __syncthreads();
    const Pair row = warp_merge<THREADS / 32>(pairs[threadIdx.x % (THREADS / 32)]);

    const float factor = 1 / row.total;
    #pragma unroll 8
    for (long long i = threadIdx.x; i < columns; i += THREADS)
        y[i] = from_float<T>(quick_exp(to_float(x[i]) - row.largest) * factor);
}
