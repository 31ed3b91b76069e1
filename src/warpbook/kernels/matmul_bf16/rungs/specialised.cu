// Sums are of P [rows, k] and Q [columns, k]: a warpgroup has 64 rows of P. The product C lies as `step_i` and `step_j` say, so
// P is either of A and B. Of k there come DEPTH times 64 in a step: 128 bytes of each row, or 64 rows where k goes across the
// rows in memory.
#include "hopper.cuh"
#include "wgmma.cuh"

constexpr int SLAB = 64 * 64 * 2;

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

// A ring of stages, each full or empty. A producer begins with the phase turned, since all are empty.
struct Ring {
    Barrier *full, *empty;
    int stages, bytes, stage;
    unsigned phase;
    __device__ __forceinline__ void advance() {
        if (++stage == stages) stage = 0, phase ^= 1;
    }
};

// The steps of one part, for one warpgroup. The matrix unit always has the next step before the last one is done: a stage is
// given back, to both blocks of a pair, when the step after it has been issued and its own has ended.
template <typename T, int BM, int BN, int DEPTH, int PAIR, bool P_ACROSS, bool Q_ACROSS>
__device__ __forceinline__ void multiply(float (&sums)[BN / 2], Ring& ring, const unsigned char* p, const unsigned char* q, int count) {
    const unsigned long long p_at = operand(p, SLAB), q_at = operand(q, SLAB);
    const int p_next = BM * 128 / 16, q_next = ring.bytes / 16 / DEPTH - p_next;  // descriptors count in 16 bytes
    const auto give_back = [&](int stage) {
        const unsigned lane = threadIdx.x % 32;
        if (lane >= PAIR) return;
        if constexpr (PAIR > 1) barrier_arrive(&ring.empty[stage], lane);
        else barrier_arrive(&ring.empty[stage]);
    };
    int done = 0;
    #pragma unroll
    for (int i = 0; i < BN / 2; i++) sums[i] = 0;
    #pragma unroll 1
    for (int step = 0; step < count; step++) {
        barrier_wait(&ring.full[ring.stage], ring.phase);
        wgmma_fence();
        #pragma unroll
        for (int i = 0; i < 4 * DEPTH; i++) {
            const int stage = ring.stage * (ring.bytes / 16), p_step = i / 4 * p_next + i % 4 * (P_ACROSS ? 128 : 2);
            const int q_step = i / 4 * q_next + i % 4 * (Q_ACROSS ? 128 : 2);
            Wgmma<T, BN>::template add<P_ACROSS, Q_ACROSS>(sums, p_at + (stage + p_step), q_at + (stage + q_step));
        }
        wgmma_commit();
        wgmma_wait<1>();
        if (step) give_back(done);
        done = ring.stage;
        ring.advance();
    }
    wgmma_wait<0>();
    give_back(done);
}

// Blocks that share a unit leave their sums in memory; whoever comes last adds all of them up, in one order whoever that is.
// `at` says where a worker's sums begin for this thread, `ticket` counts those that have come.
template <int BN, int THREADS, typename F>
__device__ __forceinline__ bool came_last(float (&sums)[BN / 2], F at, int from, int mine, int sharers, unsigned* ticket, int* last) {
    const int thread = threadIdx.x - 128;
    #pragma unroll
    for (int g = 0; g < BN / 8; g++)
        __stcg(at(mine) + g * THREADS, {sums[4 * g], sums[4 * g + 1], sums[4 * g + 2], sums[4 * g + 3]});
    part_sync(1, THREADS);
    if (thread == 0) {
        __threadfence();
        *last = atomicAdd(ticket, 1) == sharers - 1;
        if (*last) *ticket = 0;
        __threadfence();
    }
    part_sync(1, THREADS);
    if (!*last) return false;
    #pragma unroll
    for (int i = 0; i < BN / 2; i++) sums[i] = 0;
    #pragma unroll (BN > 64 ? 1 : 4)
    for (int worker = from; worker < from + sharers; worker++) {
        const float4* there = at(worker);
        #pragma unroll
        for (int g = 0; g < BN / 8; g++) {
            const float4 more = __ldcg(there + g * THREADS);
            sums[4 * g] += more.x, sums[4 * g + 1] += more.y, sums[4 * g + 2] += more.z, sums[4 * g + 3] += more.w;
        }
    }
    return true;
}

__device__ __forceinline__ float4 cluster_load(const float4* here, unsigned rank) {
    float4 value;
    asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w) : "r"(cluster_address(here, rank)) : "memory");
    return value;
}

// Blocks of a cluster that have each a part of k: all leave their sums in their shared memory, `room`, and each adds up WIDTH
// of the columns from everybody's. Their threads that do not multiply come to the cluster's barrier too.
template <int BN, int WIDTH, int THREADS, int SPLIT>
__device__ __forceinline__ void add_up(float (&sums)[BN / 2], float4* room, int rank) {
    const int thread = threadIdx.x - 128;
    part_sync(1, THREADS);  // the last step has been read by all
    #pragma unroll
    for (int g = 0; g < BN / 8; g++)
        room[g * THREADS + thread] = {sums[4 * g], sums[4 * g + 1], sums[4 * g + 2], sums[4 * g + 3]};
    cluster_arrive(), cluster_wait();
    #pragma unroll
    for (int i = 0; i < WIDTH / 2; i++) sums[i] = 0;
    const float4* from = room + (WIDTH < BN ? rank : 0) * (WIDTH / 8) * THREADS + thread;
    #pragma unroll
    for (int block = 0; block < SPLIT; block++) {
        #pragma unroll
        for (int g = 0; g < WIDTH / 8; g++) {
            const float4 more = cluster_load(from + g * THREADS, block);
            sums[4 * g] += more.x, sums[4 * g + 1] += more.y, sums[4 * g + 2] += more.z, sums[4 * g + 3] += more.w;
        }
    }
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

template <int WIDTH, int N, typename F> __device__ __forceinline__ void each(float (&sums)[N], F function) {
    #pragma unroll
    for (int i = 0; i < WIDTH / 2; i++) sums[i] = function(sums[i]);
}

// Of a thread's sums, the first is in this row and column; there are `below` rows from there on and `left` columns.
template <int WIDTH, int N, typename T>
__device__ __forceinline__ void add_bias(float (&sums)[N], const T* bias, bool of_rows, int row, int column, int below, int left) {
    if (of_rows) {
        const float upper = 0 < below ? to_float(bias[row]) : 0, lower = 8 < below ? to_float(bias[row + 8]) : 0;
        #pragma unroll
        for (int i = 0; i < WIDTH / 2; i++) sums[i] += i & 2 ? lower : upper;
        return;
    }
    #pragma unroll
    for (int i = 0; i < WIDTH / 4; i++) {
        const int x = i / 2 * 8 + i % 2, s = i / 2 * 4 + i % 2;
        const float more = x < left ? to_float(bias[column + x]) : 0;
        sums[s] += more, sums[s + 2] += more;
    }
}

// One by one, wherever C lies; `c` is where the first of them goes.
template <int WIDTH, int N, typename T>
__device__ __forceinline__ void write_each(const float (&sums)[N], T* c, long long step_i, long long step_j, int below, int left) {
    #pragma unroll
    for (int i = 0; i < WIDTH / 4; i++) {
        const bool inside = i / 2 * 8 + i % 2 < left;
        const int s = i / 2 * 4 + i % 2;
        if (inside && 0 < below) c[0] = from_float<T>(sums[s]);
        if (inside && 8 < below) c[8 * step_i] = from_float<T>(sums[s + 2]);
        c += i % 2 ? 7 * step_j : step_j;
    }
}

// 16 columns of a warp's 16 rows, rounded: four 8x8 matrices. Each lane names where a row of 16 bytes of them goes.
template <typename T, bool TURNED, int N> __device__ __forceinline__ void stage(void* to, const float (&sums)[N], int sixteen) {
    unsigned pairs[4];
    #pragma unroll
    for (int e = 0; e < 4; e++) {
        const Vector<T, 2> pair = rounded<T>({sums[8 * sixteen + 2 * e], sums[8 * sixteen + 2 * e + 1]});
        pairs[e] = *reinterpret_cast<const unsigned*>(&pair);
    }
    if constexpr (TURNED)
        asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};"
                     ::"r"(shared_address(to)), "r"(pairs[0]), "r"(pairs[1]), "r"(pairs[2]), "r"(pairs[3]) : "memory");
    else
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
                     ::"r"(shared_address(to)), "r"(pairs[0]), "r"(pairs[1]), "r"(pairs[2]), "r"(pairs[3]) : "memory");
}

// Columns that are stored at a time: 64, or the most that come out even.
__device__ constexpr int stored_at_once(int width) {
    if (width % 64 == 0) return 64;
    int most = 80;
    while (width % most) most -= 16;
    return most;
}

// By way of shared memory and the copy engine, from row `i` and column `j` on; what is outside of C is left away there.
// SIDEWAYS: C has a row for each column here; a warpgroup makes 64 neighbours in each of WIDTH rows.
template <typename T, int WIDTH, bool SIDEWAYS, int PLACES, int N>
__device__ __forceinline__ void write_tiles(const float (&sums)[N], const TensorMap& c_map, unsigned char* staging, int i, int j) {
    const int thread = threadIdx.x - 128, group = thread / 128, warp = thread / 32 % 4, lane = thread % 32;
    if constexpr (SIDEWAYS) {
        unsigned char* room = staging + group * WIDTH * 128;
        if (lane == 0) stores_wait_read<0>();
        part_sync(2 + group, 128);
        #pragma unroll
        for (int g = 0; g < WIDTH / 16; g++) {
            const int y = 16 * g + lane % 8 + lane / 16 * 8, x = 2 * warp + lane / 8 % 2;
            stage<T, true>(room + y * 128 + (x ^ y % 8) * 16, sums, g);
        }
        fence_shared();
        part_sync(2 + group, 128);
        if (lane == 0) {
            for (int g = warp; g < WIDTH / 16; g += 4) tile_store(c_map, room + g * 2048, i, j + 16 * g);
            stores_commit();
        }
    } else {
        // A warp has 16 rows, and stages some columns of them at a time, in PLACES by turns; 64 columns are swizzled.
        constexpr int AT_ONCE = stored_at_once(WIDTH);
        #pragma unroll
        for (int part = 0; part < WIDTH / AT_ONCE; part++) {
            unsigned char* room = staging + (thread / 32 * PLACES + part % PLACES) * AT_ONCE * 32;
            if (lane == 0) stores_wait_read<PLACES - 1>();
            __syncwarp();
            #pragma unroll
            for (int g = 0; g < AT_ONCE / 16; g++) {
                const int y = lane % 16, x = 2 * g + lane / 16;
                stage<T, false>(room + y * AT_ONCE * 2 + (AT_ONCE == 64 ? x ^ y % 8 : x) * 16, sums, AT_ONCE / 16 * part + g);
            }
            fence_shared();
            __syncwarp();
            if (lane == 0) tile_store(c_map, room, j + AT_ONCE * part, i + 16 * warp), stores_commit();
        }
    }
}

// A cluster of PAIR blocks has tiles below each other, and each fetches its part of Q for both. A cluster of SPLIT has one
// tile, and each a part of its k. What a launch does not do is not compiled into it: code, too, comes from memory, and of a
// product of 20 us the jumps over what others need were 2.
template <typename T, int BM, int BN, int DEPTH, int PAIR, int SPLIT, bool SIDEWAYS, int PLACES, bool P_ACROSS, bool Q_ACROSS,
          bool SHARED, bool DIRECT, bool FINISHED>
__global__ void __launch_bounds__(128 + 2 * BM, 1)
matmul_bf16(const __grid_constant__ TensorMap p_map, const __grid_constant__ TensorMap q_map, const __grid_constant__ TensorMap c_map,
            T* c, const T* bias, float4* partials, unsigned* tickets, long long rows, long long columns, long long step_i,
            long long step_j, long long bias_of_rows, long long activation, long long q_bytes, long long stages,
            long long stage_bytes, long long tall, long long wide, long long group, long long whole, long long steps,
            long long share) {
    constexpr int CONSUMERS = BM / 64, THREADS = 128 * CONSUMERS, CLUSTER = PAIR * SPLIT;
    constexpr int WIDTH = BN / SPLIT < 16 ? BN : BN / SPLIT;  // columns that a block writes in the end
    static_assert(WIDTH % 16 == 0 && (BN >= 64 || !Q_ACROSS));  // few columns have no room for slabs of 64
    constexpr int STAGING = SIDEWAYS ? WIDTH * 128 * CONSUMERS : THREADS * PLACES * stored_at_once(WIDTH);
    extern __shared__ __align__(1024) unsigned char tiles[];
    unsigned char* staging = tiles + int(stages) * int(stage_bytes);
    Barrier* full = reinterpret_cast<Barrier*>(staging + STAGING);
    Barrier* empty = full + stages;
    int* last = reinterpret_cast<int*>(empty + stages);
    const int rank = CLUSTER > 1 ? cluster_rank() : 0, below = PAIR > 1 ? rank : 0, behind = SPLIT > 1 ? rank : 0;
    if (threadIdx.x == 0) {
        tile_prefetch_map(p_map), tile_prefetch_map(q_map), tile_prefetch_map(c_map);
        for (int s = 0; s < int(stages); s++) barrier_init(&full[s], 1), barrier_init(&empty[s], 4 * CONSUMERS * PAIR);
        barriers_ready();
    }
    if constexpr (CLUSTER > 1) cluster_arrive(), cluster_wait();
    else __syncthreads();

    Shares shares(int(tall) * int(wide), whole, steps, share, blockIdx.x / CLUSTER, gridDim.x / CLUSTER);
    Part part;
    const auto next = [&] {
        if (!shares.next(part)) return false;
        if constexpr (SPLIT > 1) {
            part.first = behind * int(steps) / SPLIT;
            part.count = (behind + 1) * int(steps) / SPLIT - part.first;
        }
        return true;
    };
    if (threadIdx.x < 128) {
        if constexpr (CONSUMERS == 2) registers_give<40>();
        if (threadIdx.x == 0) {
            Ring ring{full, empty, int(stages), int(stage_bytes), 0, 1};
            while (next()) {
                const int2 unit = unit_at(part.unit, tall, wide, group);
                const int i = (unit.x * PAIR + below) * BM, j = unit.y * BN;
                #pragma unroll 1
                for (int step = part.first; step < part.first + part.count; step++) {
                    barrier_wait_cluster(&ring.empty[ring.stage], ring.phase);
                    Barrier* arrived = &full[ring.stage];
                    barrier_expect(arrived, DEPTH * (BM * 128 + int(q_bytes)));
                    unsigned char* p = tiles + ring.stage * ring.bytes;
                    unsigned char* q = p + DEPTH * BM * 128;
                    #pragma unroll
                    for (int d = 0; d < DEPTH; d++) {
                        const int k = (step * DEPTH + d) * 64;
                        if constexpr (!P_ACROSS) tile_load(p, p_map, arrived, k, i);
                        else
                            for (int s = 0; s < CONSUMERS; s++) tile_load(p + s * SLAB, p_map, arrived, i + 64 * s, k);
                        if constexpr (PAIR > 1) {
                            constexpr int MINE = BN / PAIR;
                            constexpr unsigned short BOTH = (1 << PAIR) - 1;
                            unsigned char* to = q + rank * MINE * 128;
                            if constexpr (!Q_ACROSS) tile_load(to, q_map, arrived, k, j + rank * MINE, BOTH);
                            else
                                for (int s = 0; s < MINE / 64; s++)
                                    tile_load(to + s * SLAB, q_map, arrived, j + rank * MINE + 64 * s, k, BOTH);
                        } else if constexpr (!Q_ACROSS) tile_load(q, q_map, arrived, k, j);
                        else
                            for (int s = 0; s < (BN + 63) / 64; s++) tile_load(q + s * SLAB, q_map, arrived, j + 64 * s, k);
                        p += BM * 128, q += ring.bytes / DEPTH - BM * 128;
                    }
                    ring.advance();
                }
            }
        }
        __syncwarp();
        if constexpr (SPLIT > 1) cluster_arrive(), cluster_wait();
    } else {
        if constexpr (CONSUMERS == 2) registers_take<232>();
        const int thread = threadIdx.x - 128, mine = thread / 128, warp = thread / 32 % 4, lane = thread % 32;
        const unsigned char *p = tiles + mine * SLAB, *q = tiles + DEPTH * BM * 128;
        Ring ring{full, empty, int(stages), int(stage_bytes), 0, 0};
        while (next()) {
            float sums[BN / 2];
            multiply<T, BM, BN, DEPTH, PAIR, P_ACROSS, Q_ACROSS>(sums, ring, p, q, part.count);

            if constexpr (SPLIT > 1) {
                add_up<BN, WIDTH, THREADS, SPLIT>(sums, reinterpret_cast<float4*>(tiles), rank);
                if (WIDTH == BN && rank) break;
            } else if (SHARED && part.count < steps) {
                const auto at = [&](int worker) {
                    return partials + ((long long)shares.place(part.unit, worker) * PAIR + below) * (BM * BN / 4) + thread;
                };
                unsigned* ticket = tickets + (part.unit - whole) * PAIR + below;
                const int from = shares.first_worker(part.unit), sharers = shares.sharers(part.unit);
                if (!came_last<BN, THREADS>(sums, at, from, shares.worker, sharers, ticket, last)) continue;
            }

            const int2 unit = unit_at(part.unit, tall, wide, group);
            const int i = (unit.x * PAIR + below) * BM + 64 * mine, j = unit.y * BN + (WIDTH < BN ? rank * WIDTH : 0);
            const int row = i + 16 * warp + lane / 4, column = j + 2 * (lane % 4);
            const int under = int(rows) - row, left = int(columns) - column;
            if constexpr (FINISHED) {
                if (bias) add_bias<WIDTH>(sums, bias, bias_of_rows, row, column, under, left);
                if (activation == 1) each<WIDTH>(sums, relu);
                else if (activation == 2) each<WIDTH>(sums, gelu);
                else if (activation == 3) each<WIDTH>(sums, silu);
            }
            if constexpr (DIRECT) write_each<WIDTH>(sums, c + row * step_i + column * step_j, step_i, step_j, under, left);
            else write_tiles<T, WIDTH, SIDEWAYS, PLACES>(sums, c_map, staging, i, j);
        }
        if (lane == 0) stores_wait_read<0>();
        __syncwarp();
    }
    // Others of the cluster still count on this block's barriers and memory.
    if constexpr (CLUSTER > 1) cluster_arrive(), cluster_wait();
}
