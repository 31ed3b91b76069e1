constexpr int SIDE = 128, DEEP = 8, EACH = 8, ACROSS = SIDE / EACH, THREADS = ACROSS * ACROSS;

// A thread has EACH x EACH results, and takes EACH numbers of A and of B into registers for every term.
__global__ void __launch_bounds__(THREADS)
matmul(const float* a, const float* b, float* c, long long m, long long n, long long k,
       long long a_row, long long a_column, long long b_row, long long b_column,
       long long c_row, long long c_column) {
    __shared__ float of_a[SIDE][DEEP], of_b[DEEP][SIDE];
    const long long tiles = (n + SIDE - 1) / SIDE, i0 = blockIdx.x / tiles * SIDE, j0 = blockIdx.x % tiles * SIDE;
    const int t = threadIdx.x, row = t / ACROSS * EACH, column = t % ACROSS * EACH;
    float sum[EACH][EACH] = {};
    for (long long start = 0; start < k; start += DEEP) {
        for (int r = t / DEEP; r < SIDE; r += THREADS / DEEP) {
            const long long i = i0 + r, p = start + t % DEEP;
            of_a[r][t % DEEP] = i < m && p < k ? a[i * a_row + p * a_column] : 0;
        }
        for (int r = t / SIDE; r < DEEP; r += THREADS / SIDE) {
            const long long p = start + r, j = j0 + t % SIDE;
            of_b[r][t % SIDE] = p < k && j < n ? b[p * b_row + j * b_column] : 0;
        }
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
