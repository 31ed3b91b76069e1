__global__ void matmul(const float* a, const float* b, float* c, long long m, long long n, long long k,
                       long long a_row, long long a_column, long long b_row, long long b_column,
                       long long c_row, long long c_column) {
    const long long tiles = (m + 31) / 32;
    const long long i = blockIdx.x % tiles * 32 + threadIdx.x % 32, j = blockIdx.x / tiles * 8 + threadIdx.x / 32;
    if (i >= m || j >= n) return;
    float total = 0;
    for (long long p = 0; p < k; p++) total += a[i * a_row + p * a_column] * b[p * b_row + j * b_column];
    c[i * c_row + j * c_column] = total;
}
