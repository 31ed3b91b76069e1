// A row of a matrix held in registers: over the threads of a warp, a block, or a cluster of blocks.
#pragma once
#include "warp.cuh"

// CLUSTER blocks of THREADS threads hold a row, VECTORS vectors of VECTOR elements in each thread. Where a row takes
// no more than a warp, a block has ROWS of them. With EDGES rows may start and end anywhere: vectors are then counted
// from the last 16-byte boundary before a row's start, and the vectors at its two ends are taken apart.
template <typename T, int VECTOR, int VECTORS, int THREADS, int ROWS, int CLUSTER, bool EDGES>
struct HeldRow {
    static constexpr int WIDTH = THREADS < 32 ? THREADS : 32, WARPS = THREADS / WIDTH, PARTS = WARPS * CLUSTER;
    using Piece = Vector<T, VECTOR>;

    int rank, thread, first, last;  // elements first to last, counted from the boundary, are the row's
    long long row;

    __device__ HeldRow(const T* x, long long rows, long long columns, long long x_row) {
        rank = CLUSTER > 1 ? cluster_rank() : 0;
        thread = threadIdx.x % THREADS;
        row = ROWS > 1 ? blockIdx.x * (long long)ROWS + threadIdx.x / THREADS : blockIdx.x / CLUSTER;
        first = EDGES ? unsigned(size_t(x + row * x_row) % 16) / unsigned(sizeof(T)) : 0;
        last = row < rows ? first + int(columns) : 0;
        if (CLUSTER > 1) cluster_arrive();  // others may write to this block's memory from now on
    }
    // Neighbouring threads hold neighbouring vectors.
    __device__ int start(int k) const { return ((k * CLUSTER + rank) * THREADS + thread) * VECTOR; }
    __device__ bool has(int i) const { return EDGES ? i >= first && i < last : i < last; }
    __device__ bool whole(int i) const { return EDGES ? i >= first && i + VECTOR <= last : i < last; }

    // `from` and `to` are where the row begins.
    __device__ void read(const T* from, Piece (&pieces)[VECTORS]) const {
        #pragma unroll
        for (int k = 0; k < VECTORS; k++) {
            const int i = start(k);
            if (whole(i)) pieces[k] = load<VECTOR>(from - first + i);
            else if (EDGES) {
                #pragma unroll
                for (int e = 0; e < VECTOR; e++) if (has(i + e)) pieces[k].at[e] = from[i + e - first];
            }
        }
    }
    __device__ void write(T* to, int k, Piece piece) const {
        const int i = start(k);
        if (whole(i)) store<VECTOR>(to - first + i, piece);
        else if (EDGES) {
            #pragma unroll
            for (int e = 0; e < VECTOR; e++) if (has(i + e)) to[i + e - first] = piece.at[e];
        }
    }
    // What is the same for all rows: a weight for each column.
    __device__ Piece shared_by_rows(const T* from, int k) const {
        Piece piece;
        const int i = start(k);
        if (!EDGES && i < last) piece = load<VECTOR>(from + i);
        else if (EDGES) {
            #pragma unroll
            for (int e = 0; e < VECTOR; e++) if (has(i + e)) piece.at[e] = from[i + e - first];
        }
        return piece;
    }

    // Every warp of the row puts its part where all of them find it: one barrier, however far they are apart.
    template <typename Part> __device__ void exchange(Part (&parts)[PARTS], Part mine) const {
        const int lane = thread % 32, slot = rank * WARPS + thread / 32;
        if (CLUSTER > 1) {
            cluster_wait();
            if (lane < CLUSTER) cluster_store(&parts[slot], lane, mine);
            cluster_arrive(), cluster_wait();
        } else {
            if (lane == 0) parts[slot] = mine;
            __syncthreads();
        }
    }
};
