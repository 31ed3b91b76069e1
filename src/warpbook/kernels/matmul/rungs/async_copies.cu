#include "matmul/pieces.cuh"

template <int N> __device__ __forceinline__ void take(float (&to)[N], const float* from, int apart) {
    #pragma unroll
    for (int e = 0; e < N; e += 4) *reinterpret_cast<float4*>(to + e) = *reinterpret_cast<const float4*>(from + e / 4 * apart);
}

// A thread has HIGH x WIDE results, a warp LANES threads above each other, a block DOWN x BESIDE warps. STAGES pieces of k, each
// of DEEP terms, are in shared memory or on their way there. Blocks along y each add up a part of k, and their results lie
// one product after another.
template <int HIGH, int WIDE, int LANES, int DOWN, int BESIDE, int DEEP, int STAGES, int BLOCKS, int A_WAY, int B_WAY>
__global__ void __launch_bounds__(32 * DOWN * BESIDE, BLOCKS)
matmul(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, long long m, long long n, long long k,
       long long part, long long a_row, long long a_column, long long b_row, long long b_column, long long c_row, long long c_column) {
    constexpr int THREADS = 32 * DOWN * BESIDE, ALONG = 32 / LANES, ROWS = HIGH * LANES * DOWN, COLUMNS = WIDE * ALONG * BESIDE;
    constexpr int BAND = 8;  // rows of tiles that blocks go through together, so that they share more of A and B in the L2
    using A = Pieces<ROWS, DEEP, THREADS, A_WAY>;
    using B = Pieces<COLUMNS, DEEP, THREADS, B_WAY>;
    constexpr int STAGE = A::SIZE + B::SIZE;
    extern __shared__ __align__(16) float stages[];
    const int tiles_m = int((m + ROWS - 1) / ROWS), tiles_n = int((n + COLUMNS - 1) / COLUMNS);
    const int band = blockIdx.x / (BAND * tiles_n), within = blockIdx.x % (BAND * tiles_n);
    const int high = tiles_m - band * BAND < BAND ? tiles_m - band * BAND : BAND;
    const long long i0 = (band * BAND + within % high) * (long long)ROWS, j0 = within / high * (long long)COLUMNS, first = blockIdx.y * part;

    A of_a(a + first * a_column, i0, m, a_row, a_column);
    B of_b(b + first * b_row, j0, n, b_column, b_row);
    const bool inside = i0 + ROWS <= m && j0 + COLUMNS <= n;
    int left = int(k - first < part ? k - first : part);
    const int count = (left + DEEP - 1) / DEEP;
    auto fetch = [&](float* stage) {
        if (inside && left >= DEEP) { of_a.template fetch<false>(stage, DEEP); of_b.template fetch<false>(stage + A::SIZE, DEEP); }
        else { of_a.template fetch<true>(stage, left); of_b.template fetch<true>(stage + A::SIZE, left); }
        left -= DEEP;
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    #pragma unroll 1
    for (int s = 0; s < STAGES - 1; s++) fetch(stages + s * STAGE);

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int row = warp % DOWN * (HIGH * LANES) + lane % LANES * 4, column = warp / DOWN * (WIDE * ALONG) + lane / LANES * 4;
    float sum[HIGH][WIDE] = {};
    int full = 0, empty = (STAGES - 1) * STAGE;
    #pragma unroll 1
    for (int s = 0; s < count; s++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();  // this stage has come for all threads, and all have left the one that is fetched now
        fetch(stages + empty);
        const float* from_a = stages + full + row;
        const float* from_b = stages + full + A::SIZE + column;
        float x[2][HIGH], y[2][WIDE];
        take(x[0], from_a, 4 * LANES);
        take(y[0], from_b, 4 * ALONG);
        #pragma unroll
        for (int p = 0; p < DEEP; p++) {
            if (p + 1 < DEEP) {
                take(x[(p + 1) % 2], from_a + (p + 1) * A::ROW, 4 * LANES);
                take(y[(p + 1) % 2], from_b + (p + 1) * B::ROW, 4 * ALONG);
            }
            // Along one row and back along the next, so that a number of A or of B is always the last one's again.
            #pragma unroll
            for (int i = 0; i < HIGH; i++)
                #pragma unroll
                for (int e = 0; e < WIDE; e++) {
                    const int j = i % 2 ? WIDE - 1 - e : e;
                    sum[i][j] += x[p % 2][i] * y[p % 2][j];
                }
        }
        empty = full;
        full = full + STAGE == STAGES * STAGE ? 0 : full + STAGE;
    }
    // One by one: four that are stored in one piece have to be in four registers in a row, which are in fixed banks. The loop
    // above then has up to half of its FFMAs with two operands in one bank, by its machine code; like this, about a tenth.
    c += blockIdx.y * m * n;
    #pragma unroll
    for (int i = 0; i < HIGH; i++)
        #pragma unroll
        for (int j = 0; j < WIDE; j++) {
            const long long to_i = i0 + row + i / 4 * 4 * LANES + i % 4, to_j = j0 + column + j / 4 * 4 * ALONG + j % 4;
            if (to_i < m && to_j < n) c[to_i * c_row + to_j * c_column] = sum[i][j];
        }
}

// The sum of the products that blocks along y have made, always in the same order.
template <int THREADS>
__global__ void add_parts(const float* parts, float* c, long long m, long long n, long long count, long long c_row, long long c_column) {
    const long long at = blockIdx.x * (long long)THREADS + threadIdx.x;
    if (at >= m * n) return;
    float total = 0;
    for (long long p = 0; p < count; p++) total += parts[p * m * n + at];
    c[at / n * c_row + at % n * c_column] = total;
}

// What lies along k, `wide` rows of k numbers, laid across it: rows of `wide` numbers, `row` apart.
template <int THREADS>
__global__ void turn(const float* from, float* to, long long k, long long wide, long long from_row, long long row) {
    constexpr int SIDE = 64, STEP = THREADS / SIDE;
    __shared__ float tile[SIDE][SIDE + 1];
    const long long tiles = (k + SIDE - 1) / SIDE, p0 = blockIdx.x % tiles * SIDE, i0 = blockIdx.x / tiles * SIDE;
    const int along = threadIdx.x % SIDE, first = threadIdx.x / SIDE;
    #pragma unroll
    for (int r = 0; r < SIDE; r += STEP)
        if (i0 + first + r < wide && p0 + along < k) tile[first + r][along] = from[(i0 + first + r) * from_row + p0 + along];
    __syncthreads();
    #pragma unroll
    for (int r = 0; r < SIDE; r += STEP)
        if (p0 + first + r < k && i0 + along < wide) to[(p0 + first + r) * row + i0 + along] = tile[along][first + r];
}
