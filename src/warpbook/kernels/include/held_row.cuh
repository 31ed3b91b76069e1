// A row of a matrix held in registers: over the threads of a warp, of a block, or of a cluster of blocks.
#pragma once
#include "warp.cuh"

// How a row fits the vectors that are there for it: all of them whole; whole, but fewer; or it starts and ends anywhere,
// and up to a vector's worth of elements at either end is taken singly, one a thread.
enum Fit { EXACT, FEWER, CUT };

// Blocks to make room for on a multiprocessor: where a block has a row to itself, enough for 1024 threads, of 64
// registers. Blocks of few threads are many by themselves, and rows that are cut or spread need more registers.
__host__ __device__ constexpr int blocks(int threads, int cluster, int fit, int stages) {
    return cluster == 1 && fit == EXACT && !stages && threads >= 128 && threads <= 512 ? 1024 / threads : 1;
}

template <int VECTOR, int VECTORS, bool SINGLE> struct Values {
    float of[VECTORS][VECTOR], single;
    // f(value, others' values at the same place...)
    template <typename F, typename... Others> __device__ __forceinline__ void each(F f, const Others&... others) {
        #pragma unroll
        for (int k = 0; k < VECTORS; k++)
            #pragma unroll
            for (int e = 0; e < VECTOR; e++) f(of[k][e], others.at(k, e)...);
        if (SINGLE) f(single, others.alone()...);
    }
    __device__ __forceinline__ float at(int k, int e) const { return of[k][e]; }
    __device__ __forceinline__ float alone() const { return single; }
};

// The same places as they lie in memory: half the registers for 16-bit floats.
template <typename T, int VECTOR, int VECTORS> struct Packed {
    Vector<T, VECTOR> piece[VECTORS];
    T single;
    __device__ __forceinline__ float at(int k, int e) const { return to_float(piece[k].at[e]); }
    __device__ __forceinline__ float alone() const { return to_float(single); }
};

template <bool FIRST, typename A, typename B> struct Either { using type = A; };
template <typename A, typename B> struct Either<false, A, B> { using type = B; };

// CLUSTER blocks of THREADS threads hold a row, VECTORS vectors of VECTOR elements in each thread. Where a row takes no
// more than a warp, a block has ROWS of them. Neighbouring threads hold neighbouring vectors.
template <typename T, int VECTOR, int VECTORS, int THREADS, int ROWS, int CLUSTER, int FIT> struct HeldRow {
    static constexpr int WIDTH = THREADS < 32 ? THREADS : 32, WARPS = THREADS / WIDTH, PARTS = WARPS * CLUSTER;
    static constexpr int PART = VECTORS * THREADS;  // vectors of a block
    using Held = Values<VECTOR, VECTORS, FIT == CUT>;
    using Pieces = Packed<T, VECTOR, VECTORS>;
    // What all rows share: as it is in memory, or unpacked once where it is kept for many rows.
    template <bool KEPT> using Shared = typename Either<KEPT, Held, Pieces>::type;

    int rank, thread, count, head, single;  // `count` vectors after `head` elements; `single` is this thread's own, or -1
    long long row;

    static __device__ __forceinline__ long long first() {
        return ROWS > 1 ? blockIdx.x * (long long)ROWS + threadIdx.x / THREADS : blockIdx.x / CLUSTER;
    }
    __device__ __forceinline__ HeldRow(long long row, const T* x, long long rows, long long columns, long long x_row) : row(row) {
        rank = CLUSTER > 1 ? cluster_rank() : 0;
        thread = ROWS > 1 ? threadIdx.x % THREADS : threadIdx.x;
        const int size = row < rows ? int(columns) : 0;
        head = FIT == CUT ? min(size, int(-(size_t(x + row * x_row) / sizeof(T)) % VECTOR)) : 0;
        count = (size - head) / VECTOR;
        single = -1;
        if (FIT == CUT && rank == 0) {
            const int after = thread < head ? thread : thread + count * VECTOR;
            if (after < size && thread < 2 * VECTOR) single = after;
        }
    }
    __device__ __forceinline__ int at(int k) const { return rank * PART + k * THREADS + thread; }
    __device__ __forceinline__ bool has(int k) const { return (FIT == EXACT && ROWS == 1) || at(k) < count; }

    // `from` and `to` are where the row begins. With NEAR the vectors come from this block's part of it, which was
    // brought to shared memory before.
    template <bool NEAR = false> __device__ __forceinline__ Pieces read(const T* from, const T* near = nullptr) const {
        Pieces pieces;
        if (FIT == CUT && single >= 0) pieces.single = from[single];
        #pragma unroll
        for (int k = 0; k < VECTORS; k++)
            if (has(k)) pieces.piece[k] = load<VECTOR>(NEAR ? near + (k * THREADS + thread) * VECTOR : from + head + at(k) * VECTOR);
        return pieces;
    }
    // As numbers; where this thread has no element, `missing`.
    __device__ __forceinline__ Held unpack(const Pieces& pieces, float missing) const {
        Held held;
        #pragma unroll
        for (int k = 0; k < VECTORS; k++)
            #pragma unroll
            for (int e = 0; e < VECTOR; e++) held.of[k][e] = has(k) ? pieces.at(k, e) : missing;
        held.single = FIT == CUT && single >= 0 ? pieces.alone() : missing;
        return held;
    }
    __device__ __forceinline__ void write(T* to, const Held& held) const {
        #pragma unroll
        for (int k = 0; k < VECTORS; k++)
            if (has(k)) store<VECTOR>(to + head + at(k) * VECTOR, rounded<T>(held.of[k]));
        if (FIT == CUT && single >= 0) to[single] = from_float<T>(held.single);
    }
    // What all rows share, a number a column, at this thread's columns. Cut rows shift against it: no vectors then.
    __device__ __forceinline__ Pieces shared(const T* from) const {
        if (FIT != CUT) return read(from);
        Pieces pieces;
        #pragma unroll
        for (int k = 0; k < VECTORS; k++)
            #pragma unroll
            for (int e = 0; e < VECTOR; e++) if (has(k)) pieces.piece[k].at[e] = from[head + at(k) * VECTOR + e];
        if (single >= 0) pieces.single = from[single];
        return pieces;
    }
    __device__ __forceinline__ void read_shared(const T* from, Pieces& into) const { into = shared(from); }
    __device__ __forceinline__ void read_shared(const T* from, Held& into) const { into = unpack(shared(from), 0); }
    __device__ __forceinline__ int size() const {
        int elements = single >= 0;
        #pragma unroll
        for (int k = 0; k < VECTORS; k++) elements += has(k) ? VECTOR : 0;
        return elements;
    }
    // f(value) for what this thread has of the row, and not for what is missing.
    template <typename F> __device__ __forceinline__ void each_own(const Held& held, F f) const {
        #pragma unroll
        for (int k = 0; k < VECTORS; k++)
            if (has(k)) {
                #pragma unroll
                for (int e = 0; e < VECTOR; e++) f(held.of[k][e]);
            }
        if (FIT == CUT && single >= 0) f(held.single);
    }

    // f(part) for all parts of the row, shared out over the lanes of a warp.
    template <typename Part, typename F> __device__ __forceinline__ void over(const Part* parts, F f) const {
        #pragma unroll 4
        for (int k = 0; k < PARTS; k += 32) if (PARTS % 32 == 0 || k + thread % 32 < PARTS) f(parts[k + thread % 32]);
    }
};

// Where the warps of a row tell each other their parts: one step, however far they are apart. Two boards, in turns:
// a warp that is ahead writes to the one that nobody reads any more.
template <typename Part, typename Row, int CLUSTER, bool AGAIN> struct Board {
    Part parts[2][Row::PARTS];
    unsigned long long full[2];

    // Before the block first sends: what others write to must be there, and they must have started.
    __device__ __forceinline__ void set_up() {
        if (CLUSTER == 1) return;
        if (threadIdx.x == 0) for (int i = 0; i < 2; i++) bytes_init(&full[i]), bytes_announce(&full[i], sizeof(parts[i]));
        cluster_arrive_relaxed();
    }
    __device__ __forceinline__ const Part* exchange(const Row& row, int turn, Part mine) {
        const int lane = row.thread % 32, slot = row.rank * Row::WARPS + row.thread / 32, board = turn % 2;
        if (CLUSTER > 1) {
            if (turn == 0) cluster_wait();
            if (lane < CLUSTER) cluster_send(&parts[board][slot], lane, mine, &full[board]);
            bytes_wait(&full[board], turn / 2 % 2);
            if (AGAIN && threadIdx.x == 0) bytes_announce(&full[board], sizeof(parts[board]));
        } else {
            if (lane == 0) parts[board][slot] = mine;
            __syncthreads();
        }
        return parts[board];
    }
};

// Rows on their way to shared memory, STAGES of them ahead of the one at work. A cluster takes every so-manieth row.
// With no stages a cluster takes one row and reads it directly.
template <typename T, typename Row, int VECTOR, int CLUSTER, int STAGES> struct Ahead {
    const T* x;
    T* ring;
    unsigned long long* full;
    long long rows, columns, x_row, next;
    int stage = 0, phase = 0;

    __device__ __forceinline__ Ahead(const T* x, long long rows, long long columns, long long x_row)
        : x(x), rows(rows), columns(columns), x_row(x_row), next(Row::first()) {
        if constexpr (STAGES > 0) {
            extern __shared__ __align__(128) unsigned char memory[];
            __shared__ unsigned long long barriers[STAGES];
            ring = reinterpret_cast<T*>(memory), full = barriers;
            if (threadIdx.x == 0) {
                for (int i = 0; i < STAGES; i++) bytes_init(&full[i]);
                for (int i = 0; i < STAGES; i++) fetch(i);
            }
            __syncthreads();
        }
    }
    __device__ __forceinline__ long long step() const { return STAGES ? gridDim.x / CLUSTER : rows; }
    __device__ __forceinline__ void fetch(int into) {
        if (next < rows) {
            const Row row(next, x, rows, columns, x_row);
            const int from = row.rank * Row::PART, vectors = max(0, min(row.count - from, Row::PART));
            const unsigned bytes = vectors * VECTOR * sizeof(T);
            bytes_announce(&full[into], bytes);
            if (bytes) bulk_copy(ring + into * Row::PART * VECTOR, x + next * x_row + row.head + from * VECTOR, bytes, &full[into]);
        }
        next += step();
    }
    __device__ __forceinline__ auto read(const Row& row) {
        if constexpr (STAGES == 0) return row.read(x + row.row * x_row);
        bytes_wait(&full[stage], phase);
        return row.template read<true>(x + row.row * x_row, ring + stage * Row::PART * VECTOR);
    }
    // Once every thread of the block has read its part.
    __device__ __forceinline__ void refill() {
        if constexpr (STAGES > 0) {
            if (threadIdx.x == 0) fetch(stage);
            if (++stage == STAGES) stage = 0, phase ^= 1;
        }
    }
};
