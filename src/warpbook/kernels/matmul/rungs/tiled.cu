constexpr int SIDE = 32;

// A block has SIDE x SIDE results, and SIDE x SIDE numbers of A and of B at a time.
__global__ void matmul(const float* a, const float* b, float* c, long long m, long long n, long long k,
                       long long a_row, long long a_column, long long b_row, long long b_column,
                       long long c_row, long long c_column) {
    __shared__ float of_a[SIDE][SIDE], of_b[SIDE][SIDE];
    const long long tiles = (n + SIDE - 1) / SIDE;
    const int row = threadIdx.x / SIDE, column = threadIdx.x % SIDE;
    const long long i = blockIdx.x / tiles * SIDE + row, j = blockIdx.x % tiles * SIDE + column;
    float total = 0;
    for (long long start = 0; start < k; start += SIDE) {
        of_a[row][column] = i < m && start + column < k ? a[i * a_row + (start + column) * a_column] : 0;
        of_b[row][column] = start + row < k && j < n ? b[(start + row) * b_row + j * b_column] : 0;
        __syncthreads();
        #pragma unroll
        for (int p = 0; p < SIDE; p++) total += of_a[row][p] * of_b[p][column];
        __syncthreads();
    }
    if (i < m && j < n) c[i * c_row + j * c_column] = total;
}
