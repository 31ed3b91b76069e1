constexpr int SIDE = 64, DEEP = 8, EACH = 8;  // a block's results, its terms at a time, a thread's results

__global__ void __launch_bounds__(SIDE * SIDE / EACH, 2)
matmul(const float* a, const float* b, float* c, long long m, long long n, long long k,
       long long a_row, long long a_column, long long b_row, long long b_column,
       long long c_row, long long c_column) {
    __shared__ float of_a[SIDE][DEEP], of_b[DEEP][SIDE];
    const long long tiles = (n + SIDE - 1) / SIDE, i0 = blockIdx.x / tiles * SIDE, j0 = blockIdx.x % tiles * SIDE;
    const int t = threadIdx.x, row = t / SIDE * EACH, column = t % SIDE;
    // What this thread fetches of each tile.
    const int a_i = t / DEEP, a_p = t % DEEP, b_p = t / SIDE;
    const bool a_inside = i0 + a_i < m, b_inside = j0 + column < n;
    a += (i0 + a_i) * a_row + a_p * a_column;
    b += b_p * b_row + (j0 + column) * b_column;
    float sum[EACH] = {};
    for (long long left = k; left > 0; left -= DEEP) {
        of_a[a_i][a_p] = a_inside && a_p < left ? *a : 0;
        of_b[b_p][column] = b_inside && b_p < left ? *b : 0;
        a += DEEP * a_column;
        b += DEEP * b_row;
        __syncthreads();
        #pragma unroll 4
        for (int p = 0; p < DEEP; p++) {
            const float y = of_b[p][column];
            #pragma unroll
            for (int e = 0; e < EACH; e++) sum[e] += of_a[row + e][p] * y;
        }
        __syncthreads();
    }
    #pragma unroll
    for (int e = 0; e < EACH; e++)
        if (i0 + row + e < m && b_inside) c[(i0 + row + e) * c_row + (j0 + column) * c_column] = sum[e];
}
