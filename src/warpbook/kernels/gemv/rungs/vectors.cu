#include "warp.cuh"

// A lane has BATCH loads of the matrix on their way before it looks at the first.
template <typename T, int VECTOR, int BATCH>
__global__ void gemv(const T* matrix, const T* vector, T* y, long long rows, long long columns,
                     long long row_step, long long y_step) {
    const long long row = (blockIdx.x * (long long)blockDim.x + threadIdx.x) / 32;
    if (row >= rows) return;
    matrix += row * row_step;
    constexpr int ACROSS = 32 * VECTOR;
    float total = 0;
    for (long long i = threadIdx.x % 32 * VECTOR; i < columns; i += BATCH * ACROSS) {
        Vector<T, VECTOR> a[BATCH] = {}, x[BATCH] = {};
        #pragma unroll
        for (int k = 0; k < BATCH; k++) if (i + k * ACROSS < columns) a[k] = load<VECTOR>(matrix + i + k * ACROSS);
        #pragma unroll
        for (int k = 0; k < BATCH; k++) if (i + k * ACROSS < columns) x[k] = load<VECTOR>(vector + i + k * ACROSS);
        #pragma unroll
        for (int k = 0; k < BATCH; k++)
            #pragma unroll
            for (int e = 0; e < VECTOR; e++) total += to_float(a[k].at[e]) * to_float(x[k].at[e]);
    }
    total = warp_sum(total);
    if (threadIdx.x % 32 == 0) y[row * y_step] = from_float<T>(total);
}
