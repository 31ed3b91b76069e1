constexpr int SIDE = 128, DEEP = 8, EACH = 8, ACROSS = SIDE / EACH, THREADS = ACROSS * ACROSS;
constexpr int AT_ONCE = THREADS / DEEP, STEP = THREADS / SIDE;  // rows of A, and of B, that a block fetches at once

// A thread has EACH x EACH results, and takes EACH numbers of A and of B into registers for every term.
__global__ void __launch_bounds__(THREADS)
matmul(const float* a, const float* b, float* c, long long m, long long n, long long k,
       long long a_row, long long a_column, long long b_row, long long b_column,
       long long c_row, long long c_column) {
    __shared__ float of_a[SIDE][DEEP], of_b[DEEP][SIDE];
    const long long tiles = (n + SIDE - 1) / SIDE, i0 = blockIdx.x / tiles * SIDE, j0 = blockIdx.x % tiles * SIDE;
    const int t = threadIdx.x, row = t / ACROSS * EACH, column = t % ACROSS * EACH;
    const int a_i = t / DEEP, a_p = t % DEEP, b_p = t / SIDE, b_j = t % SIDE;
    a += (i0 + a_i) * a_row + a_p * a_column;
    b += b_p * b_row + (j0 + b_j) * b_column;
    float sum[EACH][EACH] = {};
    for (long long left = k; left > 0; left -= DEEP) {
        #pragma unroll
        for (int r = 0; r < SIDE; r += AT_ONCE) of_a[a_i + r][a_p] = i0 + a_i + r < m && a_p < left ? a[r * a_row] : 0;
        #pragma unroll
        for (int r = 0; r < DEEP; r += STEP) of_b[b_p + r][b_j] = b_p + r < left && j0 + b_j < n ? b[r * b_row] : 0;
        a += DEEP * a_column;
        b += DEEP * b_row;
        __syncthreads();
        #pragma unroll
        for (int p = 0; p < DEEP; p++) {
            float x[EACH], y[EACH];
            #pragma unroll
            for (int e = 0; e < EACH; e++) x[e] = of_a[row + e][p];
            #pragma unroll
            for (int e = 0; e < EACH; e++) y[e] = of_b[p][column + e];
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
        for (int e = 0; e < EACH; e++)
            if (i0 + row + r < m && j0 + column + e < n) c[(i0 + row + r) * c_row + (j0 + column + e) * c_column] = sum[r][e];
}
