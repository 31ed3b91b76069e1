#include "warp.cuh"

template <typename T>
__global__ void gemv(const T* matrix, const T* vector, T* y, long long rows, long long columns,
                     long long row_step, long long column_step, long long vector_step, long long y_step) {
    const long long row = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (row >= rows) return;
    matrix += row * row_step;
    float total = 0;
    for (long long i = 0; i < columns; i++)
        total += to_float(matrix[i * column_step]) * to_float(vector[i * vector_step]);
    y[row * y_step] = from_float<T>(total);
}
