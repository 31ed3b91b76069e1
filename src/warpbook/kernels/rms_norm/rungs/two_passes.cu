#include "warp.cuh"

// Every thread brings a value and gets the sum of all: half of the threads add two slots each, then half of those,
// until slot 0 has it.
template <int THREADS> __device__ float block_sum(float value) {
    __shared__ float slots[THREADS];
    slots[threadIdx.x] = value;
    __syncthreads();
    for (int apart = THREADS / 2; apart; apart /= 2) {
        if (threadIdx.x < apart) slots[threadIdx.x] += slots[threadIdx.x + apart];
        __syncthreads();
    }
    return slots[0];
}

template <typename T, int THREADS>
__global__ void __launch_bounds__(THREADS)
rms_norm(const T* x, const T* weight, T* y, long long columns, long long x_row, long long y_row, float eps) {
    x += blockIdx.x * x_row;  // 64 bits: a large matrix holds more than 2^31 elements
    y += blockIdx.x * y_row;

    float squares = 0;
    for (long long i = threadIdx.x; i < columns; i += THREADS) squares += to_float(x[i]) * to_float(x[i]);
    const float factor = rsqrtf(block_sum<THREADS>(squares) / columns + eps);

    for (long long i = threadIdx.x; i < columns; i += THREADS)
        y[i] = from_float<T>(to_float(x[i]) * factor * to_float(weight[i]));
}
