#include "warp.cuh"

// Every thread brings a value and gets all of them combined: half of the threads combine two slots
// each, then half of those, until slot 0 has the result.
template <int THREADS, typename Combine>
__device__ __forceinline__ float over_block(float value, float* slots, Combine combine) {
    slots[threadIdx.x] = value;
    __syncthreads();
    for (int apart = THREADS / 2; apart; apart /= 2) {
        if (threadIdx.x < apart) slots[threadIdx.x] = combine(slots[threadIdx.x], slots[threadIdx.x + apart]);
        __syncthreads();
    }
    float result = slots[0];
    __syncthreads();  // the slots may now be used again
    return result;
}

template <typename T, int THREADS>
__global__ void __launch_bounds__(THREADS)
softmax(const T* x, T* y, long long columns, long long x_row, long long y_row) {
    __shared__ float slots[THREADS];
    x += blockIdx.x * x_row;  // 64 bits: a large matrix holds more than 2^31 elements
    y += blockIdx.x * y_row;

    // fmaxf passes over NaN; the sum does not, and makes the whole row NaN.
    float largest = -INFINITE;
    #pragma unroll 8
    for (long long i = threadIdx.x; i < columns; i += THREADS) largest = fmaxf(largest, to_float(x[i]));
    largest = over_block<THREADS>(largest, slots, [](float a, float b) { return fmaxf(a, b); });

    float total = 0;
    #pragma unroll 8
    for (long long i = threadIdx.x; i < columns; i += THREADS) total += quick_exp(to_float(x[i]) - largest);
    total = over_block<THREADS>(total, slots, [](float a, float b) { return a + b; });

    const float factor = 1 / total;
    #pragma unroll 8
    for (long long i = threadIdx.x; i < columns; i += THREADS)
        y[i] = from_float<T>(quick_exp(to_float(x[i]) - largest) * factor);
}
