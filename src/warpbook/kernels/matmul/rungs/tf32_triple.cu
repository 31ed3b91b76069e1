#include "wgmma_tf32.cuh"

constexpr int TILE = 128, DEPTH = 32, WORKERS = 2;  // results a side of a block, k a stage, warpgroups that multiply
struct Stage { float a[TILE * DEPTH], high[TILE * DEPTH], low[TILE * DEPTH]; };

// x 2^13 = high + low, where high has the 11 bits that TF32 keeps, and low the other 12, one of which it may lose. Without
// the 2^13 the ends of small numbers would be below the smallest of TF32. Numbers past 2^102, infinities and NaN become NaN.
struct Halves { float high, low; };
__device__ __forceinline__ Halves halves(float x) {
    const float scaled = __fmul_rn(x, 0x1p13f), wide = __fmul_rn(x, 0x1p13f * 8193);
    const float high = __fadd_rn(wide, __fsub_rn(scaled, wide));
    return {high, __fsub_rn(scaled, high)};
}

// A matrix of `rows` by k, in HALVES or as it is, with k along rows that the copy engine can read. ALONG_K says how it lies in
// memory so far. With HALVES it also takes the mark in `odd` down.
template <bool ALONG_K, bool HALVES>
__global__ void __launch_bounds__(256)
rewrite(const float* __restrict__ from, float* __restrict__ high, float* __restrict__ low, int* odd, long long rows, long long k,
        long long row_step, long long k_step, long long pitch) {
    __shared__ float tile[64][65];  // rows, k
    if (HALVES && blockIdx.x == 0 && threadIdx.x == 0) *odd = 0;
    const long long across = (k + 63) / 64, first_row = blockIdx.x / across * 64, first_k = blockIdx.x % across * 64;
    #pragma unroll
    for (int i = 0; i < 16; i++) {
        const int near = threadIdx.x % 64, far = threadIdx.x / 64 + 4 * i, p = ALONG_K ? near : far, y = ALONG_K ? far : near;
        const bool inside = first_k + p < k && first_row + y < rows;
        tile[y][p] = inside ? from[(first_row + y) * row_step + (first_k + p) * k_step] : 0;
    }
    __syncthreads();
    #pragma unroll
    for (int i = 0; i < 4; i++) {
        const int y = threadIdx.x / 16 + 16 * i, p = threadIdx.x % 16 * 4;
        if (first_row + y >= rows || first_k + p >= k) continue;
        Vector<float, 4> highs, lows;
        #pragma unroll
        for (int e = 0; e < 4; e++) {
            const Halves both = halves(tile[y][p + e]);
            highs.at[e] = HALVES ? both.high : tile[y][p + e];
            lows.at[e] = both.low;
        }
        const long long at = (first_row + y) * pitch + first_k + p;
        store(high + at, highs);
        if (HALVES) store(low + at, lows);
    }
}

// The `which`th tile, in groups of 8 tiles downwards, so that blocks at work at one time share rows of A and columns of B.
struct Place { int row, column; };
__device__ __forceinline__ Place place(int which, int tall, int wide) {
    const int group = which / (8 * wide), left = tall - 8 * group, high = left < 8 ? left : 8, within = which - 8 * wide * group;
    return {8 * group + within % high, within / high};
}

// A warpgroup's part of a stage of A, as wgmma wants it, in halves. Row r of the stage has its 16-byte pieces in the order
// that TMA's swizzle gives them: piece p is at p ^ r % 8.
__device__ __forceinline__ void fetch(const float* a, int row, float (&high)[DEPTH / 2], float (&low)[DEPTH / 2]) {
    const int lane = threadIdx.x % 32;
    #pragma unroll
    for (int i = 0; i < DEPTH / 2; i++) {
        const int piece = i / 4 * 2 + i / 2 % 2;
        const Halves both = halves(a[(row + i % 2 * 8) * DEPTH + (piece ^ row % 8) * 4 + lane % 4]);
        high[i] = both.high;
        low[i] = both.low;
    }
}

// The three products of a stage, those that are small first.
__device__ __forceinline__ void multiply(float (&part)[64], float (&high)[DEPTH / 2], float (&low)[DEPTH / 2], const Stage& stage,
                                         bool add) {
    const unsigned long long b_high = operand(stage.high), b_low = operand(stage.low);
    settle(high);
    settle(low);
    wgmma_fence();
    #pragma unroll
    for (int i = 0; i < DEPTH / 8; i++) wgmma_tf32(part, low + 4 * i, b_high + 2 * i, add || i);
    #pragma unroll
    for (int i = 0; i < DEPTH / 8; i++) wgmma_tf32(part, high + 4 * i, b_low + 2 * i, true);
    #pragma unroll
    for (int i = 0; i < DEPTH / 8; i++) wgmma_tf32(part, high + 4 * i, b_high + 2 * i, true);
    wgmma_commit();
}

// C = A B, where the blocks of a cluster have tiles below each other and share what they load of B. A warpgroup loads; two
// have 64 rows of the tile each, and bring their part of A into registers while the matrix unit works on the part before.
// The matrix unit rounds its sums toward zero, so it is given CHAIN stages at a time, and their sum is added to the
// others by the program. Puts a mark in `odd` if a result is not finite.
template <int CLUSTER, int STAGES, int CHAIN>
__global__ void __launch_bounds__(128 + 128 * WORKERS, 1)
product(const __grid_constant__ TensorMap a_map, const __grid_constant__ TensorMap high_map,
        const __grid_constant__ TensorMap low_map, float* c, int* odd, long long m, long long n, long long k, long long c_row,
        long long c_column) {
    extern __shared__ unsigned char room[];
    __shared__ Barrier full[STAGES], empty[STAGES];
    Stage* stages = reinterpret_cast<Stage*>(room + (-shared_address(room) & 1023));
    const int rank = CLUSTER > 1 ? cluster_rank() : 0;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            barrier_init(&full[i], 1);
            barrier_init(&empty[i], 4 * WORKERS * CLUSTER);
        }
        barriers_ready();
    }
    __syncthreads();
    if (CLUSTER > 1) cluster_arrive();
    if (CLUSTER > 1) cluster_wait();
    const int chains = int((k + CHAIN * DEPTH - 1) / (CHAIN * DEPTH));
    const int tall = int((m + TILE * CLUSTER - 1) / (TILE * CLUSTER)), wide = int((n + TILE - 1) / TILE);
    int stage = 0, phase = 0;
    auto advance = [&] {
        if (++stage == STAGES) stage = 0, phase ^= 1;
    };

    if (threadIdx.x < 128) {
        registers_give<40>();
        if (threadIdx.x == 0) {
            for (int tile = blockIdx.x / CLUSTER; tile < tall * wide; tile += gridDim.x / CLUSTER) {
                const Place at = place(tile, tall, wide);
                const int row = (at.row * CLUSTER + rank) * TILE, share = TILE / CLUSTER * rank, column = at.column * TILE + share;
                for (int x = 0; x < chains * CHAIN * DEPTH; x += DEPTH, advance()) {
                    barrier_wait(&empty[stage], phase ^ 1);
                    Barrier* barrier = &full[stage];
                    barrier_expect(barrier, sizeof(Stage));
                    tile_load(stages[stage].a, a_map, barrier, x, row);
                    float *high = stages[stage].high + share * DEPTH, *low = stages[stage].low + share * DEPTH;
                    if constexpr (CLUSTER == 1) {
                        tile_load(high, high_map, barrier, x, column);
                        tile_load(low, low_map, barrier, x, column);
                    } else {
                        tile_load(high, high_map, barrier, x, column, (1 << CLUSTER) - 1);
                        tile_load(low, low_map, barrier, x, column, (1 << CLUSTER) - 1);
                    }
                }
            }
        }
        __syncwarp();
        if (CLUSTER > 1) cluster_arrive();
        if (CLUSTER > 1) cluster_wait();
        return;
    }

    registers_take<232>();
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 - 64 + lane / 4;
    auto release = [&](int which) {
        if (lane < CLUSTER) barrier_arrive(&empty[which], lane);
    };
    for (int tile = blockIdx.x / CLUSTER; tile < tall * wide; tile += gridDim.x / CLUSTER) {
        float sum[64] = {}, part[64] = {}, high[2][DEPTH / 2], low[2][DEPTH / 2];
        barrier_wait(&full[stage], phase);
        fetch(stages[stage].a, row, high[0], low[0]);
        #pragma unroll 1
        for (int chain = 0; chain < chains; chain++) {
            #pragma unroll
            for (int i = 0; i < CHAIN; i++) {
                multiply(part, high[i % 2], low[i % 2], stages[stage], i);
                wgmma_wait<1>();
                if (chain + i) release(stage ? stage - 1 : STAGES - 1);
                advance();
                if (i + 1 == CHAIN && chain + 1 == chains) break;
                barrier_wait(&full[stage], phase);
                fetch(stages[stage].a, row, high[(i + 1) % 2], low[(i + 1) % 2]);
            }
            wgmma_wait<0>();
            settle(part);
            #pragma unroll
            for (int i = 0; i < 64; i++) sum[i] += part[i];
        }
        release(stage ? stage - 1 : STAGES - 1);

        const Place at = place(tile, tall, wide);
        const long long first_row = (at.row * CLUSTER + rank) * (long long)TILE + row, first_column = at.column * TILE + lane % 4 * 2;
        const bool together = c_column == 1 && c_row % 2 == 0 && (long long)c % 8 == 0;
        bool finite = true;
        #pragma unroll
        for (int i = 0; i < 64; i += 2) {
            const long long y = first_row + i / 2 % 2 * 8, x = first_column + i / 4 * 8;
            if (y >= m || x >= n) continue;
            float* to = c + y * c_row + x * c_column;
            const float left = sum[i] * 0x1p-26f, right = sum[i + 1] * 0x1p-26f;
            finite &= fabsf(sum[i]) < INFINITE;
            if (x + 1 < n) finite &= fabsf(sum[i + 1]) < INFINITE;
            if (together && x + 1 < n) {
                *reinterpret_cast<float2*>(to) = {left, right};
            } else {
                *to = left;
                if (x + 1 < n) to[c_column] = right;
            }
        }
        if (!finite) *odd = 1;
    }
    __syncwarp();
    if (CLUSTER > 1) cluster_arrive();
    if (CLUSTER > 1) cluster_wait();
}

// The plain product, in tiles of 64 x 64: of ALL, or, if the mark is up, of those with a result that is not finite.
template <bool ALL>
__global__ void __launch_bounds__(256)
plain(const float* __restrict__ a, const float* __restrict__ b, float* c, const int* odd, long long m, long long n, long long k,
      long long a_row, long long a_column, long long b_row, long long b_column, long long c_row, long long c_column) {
    __shared__ __align__(16) float rows[16][68], columns[16][68];
    if (!ALL && !*odd) return;
    const bool a_along = a_column <= a_row, b_along = b_row <= b_column;  // k
    const long long wide = (n + 63) / 64, tiles = (m + 63) / 64 * wide;
    const int down = threadIdx.x / 16 * 4, right = threadIdx.x % 16 * 4;
    for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const long long first_row = tile / wide * 64, first_column = tile % wide * 64;
        auto result = [&](int i, int j) {
            const long long y = first_row + down + i, x = first_column + right + j;
            return y < m && x < n ? c + y * c_row + x * c_column : nullptr;
        };
        bool finite = !ALL;
        for (int i = 0; !ALL && i < 16; i++)
            if (const float* found = result(i / 4, i % 4)) finite &= fabsf(*found) < INFINITE;
        if (__syncthreads_and(finite)) continue;
        float sum[4][4] = {};
        for (long long first = 0; first < k; first += 16) {
            for (int i = threadIdx.x; i < 16 * 64; i += 256) {
                const int pa = a_along ? i % 16 : i / 64, y = a_along ? i / 16 : i % 64;
                const int pb = b_along ? i % 16 : i / 64, x = b_along ? i / 16 : i % 64;
                const bool a_in = first + pa < k && first_row + y < m, b_in = first + pb < k && first_column + x < n;
                rows[pa][y] = a_in ? a[(first_row + y) * a_row + (first + pa) * a_column] : 0;
                columns[pb][x] = b_in ? b[(first + pb) * b_row + (first_column + x) * b_column] : 0;
            }
            __syncthreads();
            #pragma unroll
            for (int p = 0; p < 16; p++) {
                const Vector<float, 4> left = load<4>(&rows[p][down]), top = load<4>(&columns[p][right]);
                #pragma unroll
                for (int i = 0; i < 16; i++) sum[i / 4][i % 4] += left.at[i / 4] * top.at[i % 4];
            }
            __syncthreads();
        }
        #pragma unroll
        for (int i = 0; i < 16; i++)
            if (float* to = result(i / 4, i % 4)) *to = sum[i / 4][i % 4];
    }
}
