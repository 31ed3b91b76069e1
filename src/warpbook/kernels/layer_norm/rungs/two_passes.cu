#include "warp.cuh"

// Every thread brings a value and gets the sum of all: half of the threads add two slots each, then half of those,
// until slot 0 has it.
template <int THREADS> __device__ float block_sum(float value, float* slots) {
    slots[threadIdx.x] = value;
    __syncthreads();
    for (int apart = THREADS / 2; apart; apart /= 2) {
        if (threadIdx.x < apart) slots[threadIdx.x] += slots[threadIdx.x + apart];
        __syncthreads();
    }
    const float sum = slots[0];
    __syncthreads();  // the slots may now be used again
    return sum;
}

template <typename T, int THREADS>
__global__ void __launch_bounds__(THREADS)
layer_norm(const T* x, const T* weight, const T* bias, T* y, long long columns, long long x_row, long long y_row,
           float eps) {
    __shared__ float slots[THREADS];
    x += blockIdx.x * x_row;  // 64 bits: a large matrix holds more than 2^31 elements
    y += blockIdx.x * y_row;

    float sum = 0, squares = 0;
    for (long long i = threadIdx.x; i < columns; i += THREADS) sum += to_float(x[i]);
    const float mean = block_sum<THREADS>(sum, slots) / columns;

    for (long long i = threadIdx.x; i < columns; i += THREADS) {
        const float distance = to_float(x[i]) - mean;
        squares += distance * distance;
    }
    const float factor = rsqrtf(block_sum<THREADS>(squares, slots) / columns + eps);

    for (long long i = threadIdx.x; i < columns; i += THREADS)
        y[i] = from_float<T>((to_float(x[i]) - mean) * factor * to_float(weight[i]) + to_float(bias[i]));
}
