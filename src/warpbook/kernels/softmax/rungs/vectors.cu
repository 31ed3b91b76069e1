#include "warp.cuh"

// The largest of some numbers, and the sum of exp(number - largest). The lowest finite number to
// start with, not -inf: -inf - -inf is NaN.
struct Pair { float largest, total; };
#define NOTHING Pair{-3.402823466e38f, 0}

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
// A whole vector at a time: the sum so far is mended once for all its numbers.
template <typename T, int VECTOR> __device__ __forceinline__ void add(Pair& own, Vector<T, VECTOR> values) {
    float largest = own.largest, total = 0;
    #pragma unroll
    for (int e = 0; e < VECTOR; e++) largest = fmaxf(largest, to_float(values.at[e]));
    #pragma unroll
    for (int e = 0; e < VECTOR; e++) total += quick_exp(to_float(values.at[e]) - largest);
    own = {largest, own.total * quick_exp(own.largest - largest) + total};
}

// A thread has up to BATCH loads on their way before it waits for the first.
template <typename T, int VECTOR, int BATCH, int THREADS>
__global__ void __launch_bounds__(THREADS)
softmax(const T* x, T* y, long long columns, long long x_row, long long y_row) {
    __shared__ Pair pairs[THREADS / 32];
    constexpr int ACROSS = THREADS * VECTOR;
    Vector<T, VECTOR> batch[BATCH];
    x += blockIdx.x * x_row;
    y += blockIdx.x * y_row;

    Pair own = NOTHING;
    for (long long i = threadIdx.x * VECTOR; i < columns; i += BATCH * ACROSS) {
        #pragma unroll
        for (int k = 0; k < BATCH; k++) if (i + k * ACROSS < columns) batch[k] = load<VECTOR>(x + i + k * ACROSS);
        #pragma unroll
        for (int k = 0; k < BATCH; k++) if (i + k * ACROSS < columns) add(own, batch[k]);
    }
    own = warp_merge(own);
    if (threadIdx.x % 32 == 0) pairs[threadIdx.x / 32] = own;
    __syncthreads();
    const Pair row = warp_merge<THREADS / 32>(pairs[threadIdx.x % (THREADS / 32)]);

    const float factor = 1 / row.total;
    for (long long i = threadIdx.x * VECTOR; i < columns; i += BATCH * ACROSS) {
        #pragma unroll
        for (int k = 0; k < BATCH; k++) if (i + k * ACROSS < columns) batch[k] = load<VECTOR>(x + i + k * ACROSS);
        #pragma unroll
        for (int k = 0; k < BATCH; k++) {
            #pragma unroll
            for (int e = 0; e < VECTOR; e++)
                batch[k].at[e] = from_float<T>(quick_exp(to_float(batch[k].at[e]) - row.largest) * factor);
            if (i + k * ACROSS < columns) store(y + i + k * ACROSS, batch[k]);
        }
    }
}
