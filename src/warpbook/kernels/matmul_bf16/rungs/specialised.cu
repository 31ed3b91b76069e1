// Sums are of P [rows, k] and Q [columns, k]: a warpgroup has 64 rows of P. The product C lies as `step_i` and `step_j` say, so
// P is either of A and B. A step is 64 of k: 128 bytes of each row, or 64 rows where k is not along the rows.
#include "hopper.cuh"
#include "wgmma.cuh"

constexpr int STEP = 64, SLAB = 64 * STEP * 2;

// Which part of the work a cluster has next: `count` steps of k, from `first`, of a unit: a tile of C, or a pair of them.
struct Part { int unit, first, count; };

// Units below `whole` are taken in turns. All steps of the others, one after the other, are cut into equal shares of `each`.
struct Shares {
    int whole, steps, each, worker, workers, unit, at, end;
    __device__ __forceinline__ Shares(int units, int whole, int steps, int each, int worker, int workers)
        : whole(whole), steps(steps), each(each), worker(worker), workers(workers), unit(worker), at(worker * each),
          end(min((worker + 1) * each, (units - whole) * steps)) {}
    __device__ __forceinline__ bool next(Part& part) {
        if (unit < whole) {
            part = {unit, 0, steps};
            unit += workers;
            return true;
        }
        if (at >= end) return false;
        const int shared = at / steps, first = at - shared * steps;
        part = {whole + shared, first, min(steps - first, end - at)};
        at += part.count;
        return true;
    }
    // Of a shared unit: the first worker that has some of it, how many there are, and where a worker leaves its sums, which
    // has at most two units that are not all its own, its first and its last.
    __device__ __forceinline__ int first_worker(int unit) const { return (unit - whole) * steps / each; }
    __device__ __forceinline__ int sharers(int unit) const {
        return ((unit - whole + 1) * steps - 1) / each - first_worker(unit) + 1;
    }
    __device__ __forceinline__ int place(int unit, int of) const { return 2 * of + (of * each / steps != unit - whole); }
};

// Where a unit lies: down `group` rows of units, then one column further.
__device__ __forceinline__ int2 unit_at(int unit, int tall, int wide, int group) {
    const int before = unit / (group * wide) * group, inside = unit % (group * wide), here = min(group, tall - before);
    return {before + inside % here, inside / here};
}

__device__ __forceinline__ float relu(float x) { return x < 0 ? 0 : x; }  // NaN stays
__device__ __forceinline__ float silu(float x) { return x * quick_inverse(1 + quick_exp(-x)); }
// x / 2 (1 + erf(x / sqrt(2))), with erf by Abramowitz and Stegun's 7.1.26, which is off by 1.5e-7 at most.
__device__ __forceinline__ float gelu(float x) {
    const float z = fabsf(x) * 0.70710678f, t = quick_inverse(1 + 0.3275911f * z);
    const float tail = t * (0.254829592f + t * (-0.284496736f + t * (1.421413741f + t * (-1.453152027f + t * 1.061405429f))))
                       * quick_exp(-z * z);
    return 0.5f * x * (x < 0 ? tail : 2 - tail);
}

template <int N, typename F> __device__ __forceinline__ void each(float (&sums)[N], F function) {
    #pragma unroll
    for (int i = 0; i < N; i++) sums[i] = function(sums[i]);
}

// Four 8x8 matrices of 16-bit numbers, of which each thread has a pair of each; each lane names where a row of 16 bytes goes.
template <bool TRANSPOSED> __device__ __forceinline__ void matrices_store(const void* to, const unsigned (&pairs)[4]) {
    if constexpr (TRANSPOSED)
        asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};"
                     ::"r"(shared_address(to)), "r"(pairs[0]), "r"(pairs[1]), "r"(pairs[2]), "r"(pairs[3]) : "memory");
    else
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
                     ::"r"(shared_address(to)), "r"(pairs[0]), "r"(pairs[1]), "r"(pairs[2]), "r"(pairs[3]) : "memory");
}

// A ring of stages, each full or empty. A producer begins with the phase turned, since all are empty.
struct Ring {
    Barrier *full, *empty;
    int stage;
    unsigned phase;
    template <int STAGES> __device__ __forceinline__ void advance() {
        if (++stage == STAGES) stage = 0, phase ^= 1;
    }
};

// The steps of one part, for one warpgroup. The matrix unit always has the next step before the last one is done: a stage is
// given back, to both blocks of a pair, when the step after it has been issued and its own has ended.
template <typename T, int BN, int STAGES, int STAGE_BYTES, int CLUSTER, bool P_ACROSS, bool Q_ACROSS>
__device__ __forceinline__ void multiply(float (&sums)[BN / 2], Ring& ring, const unsigned char* p, const unsigned char* q, int count) {
    const unsigned long long p_at = operand(p, SLAB), q_at = operand(q, SLAB);
    const unsigned lane = threadIdx.x % 32;
    int done = 0;
    #pragma unroll
    for (int i = 0; i < BN / 2; i++) sums[i] = 0;
    #pragma unroll 1
    for (int step = 0; step < count; step++) {
        barrier_wait(&ring.full[ring.stage], ring.phase);
        wgmma_fence();
        #pragma unroll
        for (int i = 0; i < 4; i++) {
            const int stage = ring.stage * (STAGE_BYTES / 16);
            Wgmma<T, BN>::template add<P_ACROSS, Q_ACROSS>(
                sums, p_at + (stage + i * (P_ACROSS ? 128 : 2)), q_at + (stage + i * (Q_ACROSS ? 128 : 2)));
        }
        wgmma_commit();
        wgmma_wait<1>();
        if (step && lane < CLUSTER) barrier_arrive(&ring.empty[done], lane);
        done = ring.stage;
        ring.template advance<STAGES>();
    }
    wgmma_wait<0>();
    if (lane < CLUSTER) barrier_arrive(&ring.empty[done], lane);
}

template <typename T, int BM, int BN, int STAGES, int CLUSTER, bool SIDEWAYS, int BLOCKS>
__global__ void __launch_bounds__(128 + 2 * BM, BLOCKS)
matmul_bf16(const __grid_constant__ TensorMap p_map, const __grid_constant__ TensorMap q_map, const __grid_constant__ TensorMap c_map,
            T* c, const T* bias, float4* partials, unsigned* tickets, long long rows, long long columns, long long step_i,
            long long step_j, long long bias_of_rows, long long activation, long long p_across,
            long long q_across, long long direct, long long tall, long long wide, long long group, long long whole,
            long long steps, long long share) {
    constexpr int CONSUMERS = BM / 64, THREADS = 128 * CONSUMERS, Q_SLABS = BN < 64 ? 1 : BN / 64;
    constexpr int STAGE_BYTES = (CONSUMERS + Q_SLABS) * SLAB;
    extern __shared__ __align__(1024) unsigned char tiles[];
    unsigned char* staging = tiles + STAGES * STAGE_BYTES;
    Barrier* full = reinterpret_cast<Barrier*>(staging + (SIDEWAYS ? BN * 128 * CONSUMERS : THREADS * 128));
    Barrier* empty = full + STAGES;
    int* last = reinterpret_cast<int*>(empty + STAGES);
    const int rank = CLUSTER > 1 ? cluster_rank() : 0;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) barrier_init(&full[s], 1), barrier_init(&empty[s], 4 * CONSUMERS * CLUSTER);
        barriers_ready();
    }
    if constexpr (CLUSTER > 1) cluster_arrive(), cluster_wait();
    else __syncthreads();

    Shares shares(int(tall) * int(wide), whole, steps, share, blockIdx.x / CLUSTER, gridDim.x / CLUSTER);
    Part part;
    if (threadIdx.x < 128) {
        if constexpr (CONSUMERS == 2) registers_give<40>();
        if (threadIdx.x == 0) {
            Ring ring{full, empty, 0, 1};
            while (shares.next(part)) {
                const int2 unit = unit_at(part.unit, tall, wide, group);
                const int i = (unit.x * CLUSTER + rank) * BM, j = unit.y * BN;
                for (int step = part.first; step < part.first + part.count; step++) {
                    barrier_wait_cluster(&ring.empty[ring.stage], ring.phase);
                    barrier_expect(&full[ring.stage], STAGE_BYTES);
                    unsigned char* to = tiles + ring.stage * STAGE_BYTES;
                    const int k = step * STEP;
                    #pragma unroll
                    for (int s = 0; s < CONSUMERS; s++)
                        tile_load(to + s * SLAB, p_map, &full[ring.stage], p_across ? i + 64 * s : k, p_across ? k : i + 64 * s);
                    #pragma unroll
                    for (int n = 0; n < Q_SLABS / CLUSTER; n++) {
                        const int s = rank * (Q_SLABS / CLUSTER) + n;
                        const int x = q_across ? j + 64 * s : k, y = q_across ? k : j + 64 * s;
                        void* there = to + (CONSUMERS + s) * SLAB;
                        if constexpr (CLUSTER > 1) tile_load(there, q_map, &full[ring.stage], x, y, (1 << CLUSTER) - 1);
                        else tile_load(there, q_map, &full[ring.stage], x, y);
                    }
                    ring.template advance<STAGES>();
                }
            }
        }
        __syncwarp();
    } else {
        if constexpr (CONSUMERS == 2) registers_take<232>();
        const int thread = threadIdx.x - 128, mine = thread / 128, warp = thread / 32 % 4, lane = thread % 32;
        const unsigned char *p = tiles + mine * SLAB, *q = tiles + CONSUMERS * SLAB;
        Ring ring{full, empty, 0, 0};
        while (shares.next(part)) {
            const int2 unit = unit_at(part.unit, tall, wide, group);
            float sums[BN / 2];
            if (!p_across && !q_across) multiply<T, BN, STAGES, STAGE_BYTES, CLUSTER, false, false>(sums, ring, p, q, part.count);
            else if (!p_across) multiply<T, BN, STAGES, STAGE_BYTES, CLUSTER, false, true>(sums, ring, p, q, part.count);
            else if (!q_across) multiply<T, BN, STAGES, STAGE_BYTES, CLUSTER, true, false>(sums, ring, p, q, part.count);
            else multiply<T, BN, STAGES, STAGE_BYTES, CLUSTER, true, true>(sums, ring, p, q, part.count);

            if (part.count < steps) {
                // Each leaves its sums in memory; whoever comes last adds all of them, in one order whoever that is.
                const int from = shares.first_worker(part.unit), sharers = shares.sharers(part.unit);
                const auto at = [&](int worker) {
                    return partials + ((long long)shares.place(part.unit, worker) * CLUSTER + rank) * (BM * BN / 4) + thread;
                };
                float4* here = at(shares.worker);
                #pragma unroll
                for (int g = 0; g < BN / 8; g++)
                    __stcg(here + g * THREADS, {sums[4 * g], sums[4 * g + 1], sums[4 * g + 2], sums[4 * g + 3]});
                __threadfence();
                part_sync(1, THREADS);
                if (thread == 0) {
                    unsigned* ticket = &tickets[(part.unit - whole) * CLUSTER + rank];
                    *last = atomicAdd(ticket, 1) == sharers - 1;
                    if (*last) *ticket = 0;
                    __threadfence();
                }
                part_sync(1, THREADS);
                if (!*last) continue;
                #pragma unroll
                for (int i = 0; i < BN / 2; i++) sums[i] = 0;
                #pragma unroll 1
                for (int worker = from; worker < from + sharers; worker++) {
                    const float4* there = at(worker);
                    #pragma unroll
                    for (int g = 0; g < BN / 8; g++) {
                        const float4 more = __ldcg(there + g * THREADS);
                        sums[4 * g] += more.x, sums[4 * g + 1] += more.y, sums[4 * g + 2] += more.z, sums[4 * g + 3] += more.w;
                    }
                }
            }

            const int i = (unit.x * CLUSTER + rank) * BM + 64 * mine, j = unit.y * BN;
            const int row = i + 16 * warp + lane / 4, column = j + 2 * (lane % 4);
            if (bias && bias_of_rows) {
                const float above = row < int(rows) ? to_float(bias[row]) : 0, below = row + 8 < int(rows) ? to_float(bias[row + 8]) : 0;
                #pragma unroll
                for (int g = 0; g < BN / 2; g++) sums[g] += g & 2 ? below : above;
            } else if (bias) {
                const T* at = bias + column;
                const int left = int(columns) - column;
                #pragma unroll
                for (int g = 0; g < BN / 4; g++) {
                    const float more = g / 2 * 8 + g % 2 < left ? to_float(at[g / 2 * 8 + g % 2]) : 0;
                    sums[g / 2 * 4 + g % 2] += more, sums[g / 2 * 4 + g % 2 + 2] += more;
                }
            }
            if (activation == 1) each(sums, relu);
            else if (activation == 2) each(sums, gelu);
            else if (activation == 3) each(sums, silu);

            if (direct) {
                T* at = c + row * step_i + column * step_j;
                const bool above = row < int(rows), below = row + 8 < int(rows);
                const int left = int(columns) - column;
                #pragma unroll
                for (int g = 0; g < BN / 4; g++) {
                    const bool inside = g / 2 * 8 + g % 2 < left;
                    const int s = g / 2 * 4 + g % 2;
                    if (inside && above) at[0] = from_float<T>(sums[s]);
                    if (inside && below) at[8 * step_i] = from_float<T>(sums[s + 2]);
                    at += g % 2 ? 7 * step_j : step_j;
                }
                continue;
            }
            const auto pairs = [&](unsigned (&to)[4], int g) {  // of 16 columns
                #pragma unroll
                for (int e = 0; e < 4; e++) {
                    const Vector<T, 2> pair = rounded<T>({sums[8 * g + 2 * e], sums[8 * g + 2 * e + 1]});
                    to[e] = *reinterpret_cast<const unsigned*>(&pair);
                }
            };
            if constexpr (SIDEWAYS) {
                // C has a row for each column here: a warpgroup makes 64 neighbours in each of BN rows.
                unsigned char* room = staging + mine * BN * 128;
                if (lane == 0) stores_wait_read<0>();
                part_sync(2 + mine, 128);
                #pragma unroll
                for (int g = 0; g < BN / 16; g++) {
                    const int y = 16 * g + lane % 8 + lane / 16 * 8, x = 2 * warp + lane / 8 % 2;
                    unsigned four[4];
                    pairs(four, g);
                    matrices_store<true>(room + y * 128 + (x ^ y % 8) * 16, four);
                }
                fence_shared();
                part_sync(2 + mine, 128);
                if (lane == 0) {
                    for (int g = warp; g < BN / 16; g += 4) tile_store(c_map, room + g * 2048, i, j + 16 * g);
                    stores_commit();
                }
            } else {
                // A warp has 16 rows, and stages 64 columns of them at a time, in two places by turns.
                #pragma unroll
                for (int slab = 0; slab < BN / 64; slab++) {
                    unsigned char* room = staging + (thread / 32 * 2 + slab % 2) * 2048;
                    if (lane == 0) stores_wait_read<1>();
                    __syncwarp();
                    #pragma unroll
                    for (int g = 0; g < 4; g++) {
                        const int y = lane % 16, x = 2 * g + lane / 16;
                        unsigned four[4];
                        pairs(four, 4 * slab + g);
                        matrices_store<false>(room + y * 128 + (x ^ y % 8) * 16, four);
                    }
                    fence_shared();
                    __syncwarp();
                    if (lane == 0) tile_store(c_map, room, j + 64 * slab, i + 16 * warp), stores_commit();
                }
            }
        }
        if (lane == 0) stores_wait_read<0>();
        __syncwarp();
    }
    // The other block still counts on this one's barriers and memory.
    if constexpr (CLUSTER > 1) cluster_arrive(), cluster_wait();
}
