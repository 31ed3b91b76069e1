#include "warp.cuh"

template <typename T>
__global__ void add(const T* a, const T* b, T* c, long long length, long long a_step,
                    long long b_step, long long c_step) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < length) c[i * c_step] = from_float<T>(to_float(a[i * a_step]) + to_float(b[i * b_step]));
}
