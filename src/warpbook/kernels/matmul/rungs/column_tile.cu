constexpr int SIDE = 64, DEEP = 8, EACH = 8;  // a block's results, its terms at a time, a thread's results

__global__ void __launch_bounds__(SIDE * SIDE / EACH)
matmul(const float* a, const float* b, float* c, long long m, long long n, long long k,
       long long a_row, long long a_column, long long b_row, long long b_column,
       long long c_row, long long c_column) {
    __shared__ float of_a[SIDE][DEEP], of_b[DEEP][SIDE];
    const long long tiles = (n + SIDE - 1) / SIDE, i0 = blockIdx.x / tiles * SIDE, j0 = blockIdx.x % tiles * SIDE;
    const int t = threadIdx.x, row = t / SIDE * EACH, column = t % SIDE;
    const long long a_i = i0 + t / DEEP, b_j = j0 + column;  // what this thread fetches of each tile
    float sum[EACH] = {};
    for (long long start = 0; start < k; start += DEEP) {
        const long long a_p = start + t % DEEP, b_p = start + t / SIDE;
        of_a[t / DEEP][t % DEEP] = a_i < m && a_p < k ? a[a_i * a_row + a_p * a_column] : 0;
        of_b[t / SIDE][column] = b_p < k && b_j < n ? b[b_p * b_row + b_j * b_column] : 0;
        __syncthreads();
        #pragma unroll
        for (int p = 0; p < DEEP; p++) {
            const float y = of_b[p][column];
            #pragma unroll
            for (int e = 0; e < EACH; e++) sum[e] += of_a[row + e][p] * y;
        }
        __syncthreads();
    }
    for (int e = 0; e < EACH; e++)
        if (i0 + row + e < m && b_j < n) c[(i0 + row + e) * c_row + b_j * c_column] = sum[e];
}
