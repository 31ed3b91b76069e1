#include "matmul/results.cuh"
constexpr int SIDE = 128, DEEP = 8, EACH = 8, THREADS = SIDE * SIDE / EACH / EACH;
constexpr int DOWN = 4, ALONG = 8;  // lanes of a warp, whose results are 32 x 64; warps of a block are four by two
constexpr int PAD = 4;           // moves each row of A's turned tile on by four banks

__device__ __forceinline__ float4 four(const float* from) { return *reinterpret_cast<const float4*>(from); }

// Rows of A and of B begin on 16 bytes, and hold zeros up to the end of their last piece of 16.
__global__ void __launch_bounds__(THREADS, 2)
matmul(const float* a, const float* b, float* c, long long m, long long n, long long k,
       long long a_row, long long b_row, long long c_row, long long c_column, long long whole) {
    __shared__ __align__(16) float of_a[DEEP][SIDE + PAD], of_b[DEEP][SIDE];
    const long long tiles = (n + SIDE - 1) / SIDE, i0 = blockIdx.x / tiles * SIDE, j0 = blockIdx.x % tiles * SIDE;
    const int t = threadIdx.x, warp = t / 32, lane = t % 32;
    const int row = warp / 2 * DOWN * EACH + lane / ALONG * 4, column = warp % 2 * ALONG * EACH + lane % ALONG * 4;
    const int a_i = t / 2, a_p = t % 2 * 4, b_p = t / 32, b_j = t % 32 * 4;
    const float4 zero = make_float4(0, 0, 0, 0);
    float sum[EACH][EACH] = {};
    for (long long start = 0; start < k; start += DEEP) {
        const float4 x = i0 + a_i < m && start + a_p < k ? four(a + (i0 + a_i) * a_row + start + a_p) : zero;
        const float4 y = start + b_p < k && j0 + b_j < n ? four(b + (start + b_p) * b_row + j0 + b_j) : zero;
        of_a[a_p][a_i] = x.x; of_a[a_p + 1][a_i] = x.y; of_a[a_p + 2][a_i] = x.z; of_a[a_p + 3][a_i] = x.w;
        *reinterpret_cast<float4*>(&of_b[b_p][b_j]) = y;
        __syncthreads();
        #pragma unroll
        for (int p = 0; p < DEEP; p++) {
            float x[EACH], y[EACH];
            #pragma unroll
            for (int e = 0; e < EACH; e += 4) *reinterpret_cast<float4*>(x + e) = four(&of_a[p][row + e * DOWN]);
            #pragma unroll
            for (int e = 0; e < EACH; e += 4) *reinterpret_cast<float4*>(y + e) = four(&of_b[p][column + e * ALONG]);
            #pragma unroll
            for (int r = 0; r < EACH; r++)
                #pragma unroll
                for (int e = 0; e < EACH; e++) sum[r][e] += x[r] * y[e];
        }
        __syncthreads();
    }
    #pragma unroll
    for (int r = 0; r < EACH; r++)
        #pragma unroll
        for (int e = 0; e < EACH; e += 4)
            write_four(c, i0 + row + r / 4 * 4 * DOWN + r % 4, j0 + column + e * ALONG, m, n, c_row, c_column, whole,
                       sum[r][e], sum[r][e + 1], sum[r][e + 2], sum[r][e + 3]);
}
