// The best of many keys: over a warp, and of a list in shared memory that a block selects from and sorts. The threads of a
// block are any number of whole warps, and all of them call these functions.
#pragma once
#include "warp.cuh"

constexpr int RANKED = 128;      // as many are sorted by counting, for each, how many are above it
constexpr int MOST_WARPS = 256;  // of a cluster

// Candidates: a key, and where in the row it was found.
struct List { unsigned *keys, *places; };

// What the threads of a block tell each other.
struct Desk {
    unsigned count, aside, merged, offset, high, kept, ties, tally[3], rank[RANKED], same[RANKED], found[2][MOST_WARPS];
};

// The largest key, or nearly, that at least `wanted` of the warp's are not below; up to `more` may be over what is wanted.
template <int N> __device__ __forceinline__ unsigned warp_threshold(const unsigned (&keys)[N], int wanted, int more) {
    auto reaching = [&](unsigned least) {
        if (N == 1) return __popc(__ballot_sync(~0u, keys[0] >= least));
        unsigned count = 0;
        #pragma unroll
        for (int i = 0; i < N; i++) count += keys[i] >= least;
        return int(__reduce_add_sync(~0u, count));
    };
    unsigned own = keys[0];
    #pragma unroll
    for (int i = 1; i < N; i++) own = max(own, keys[i]);
    unsigned high = __reduce_max_sync(~0u, own), low = __reduce_min_sync(~0u, own);
    if (wanted == 1) return high;
    if (low && reaching(low) < wanted) high = low - 1, low = 0;
    while (low < high) {
        const unsigned middle = high - (high - low) / 2;
        const int found = reaching(middle);
        if (found < wanted) high = middle - 1;
        else {
            low = middle;
            if (found <= wanted + more) break;
        }
    }
    return low;
}

// Keeps the candidates above `floor`, and of those at it `equal`. Returns how many that are.
__device__ __forceinline__ unsigned prune(Desk& desk, List list, unsigned count, unsigned floor, unsigned equal) {
    __syncthreads();
    if (threadIdx.x == 0) desk.kept = desk.ties = 0;
    #pragma unroll 1
    for (unsigned start = 0; start < count; start += blockDim.x) {
        const unsigned i = start + threadIdx.x, key = i < count ? list.keys[i] : 0, place = i < count ? list.places[i] : 0;
        __syncthreads();  // all have read what may now be written over
        if (key > floor || (equal && key == floor && atomicAdd(&desk.ties, 1u) < equal)) {
            const unsigned slot = atomicAdd(&desk.kept, 1u);
            list.keys[slot] = key, list.places[slot] = place;
        }
    }
    __syncthreads();
    return desk.kept;
}

// Keeps the `wanted` best of candidates that are above `floor`, of which there are that many. Returns a floor
// that they all are above, and the last of them by one if it is one of many equal.
__device__ __forceinline__ unsigned select(Desk& desk, List list, unsigned count, unsigned wanted, unsigned floor) {
    __syncthreads();
    if (threadIdx.x == 0) desk.high = desk.tally[0] = 0;
    __syncthreads();
    unsigned best = 0;
    #pragma unroll 1
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) best = max(best, list.keys[i]);
    best = __reduce_max_sync(~0u, best);
    if (threadIdx.x % 32 == 0) atomicMax(&desk.high, best);
    __syncthreads();
    unsigned low = floor + 1, high = desk.high, above = 0;
    for (int turn = 0; low < high; turn = (turn + 1) % 3) {
        const unsigned middle = high - (high - low) / 2;
        unsigned found = 0;
        #pragma unroll 2
        for (unsigned i = threadIdx.x; i < count; i += blockDim.x) found += list.keys[i] >= middle;
        found = __reduce_add_sync(~0u, found);
        if (threadIdx.x % 32 == 0 && found) atomicAdd(&desk.tally[turn], found);
        if (threadIdx.x == 0) desk.tally[(turn + 1) % 3] = 0;
        __syncthreads();
        found = desk.tally[turn];
        if (found < wanted) high = middle - 1, above = found;
        else low = middle;
        if (found == wanted) {
            prune(desk, list, count, low - 1, 0);
            return low - 1;
        }
    }
    prune(desk, list, count, low, wanted - above);
    return low - 1;
}

// Calls write(position, key, place) for the `wanted` best, of at most RANKED: one's position is how many are above it. The
// list has room for three more.
template <typename Write> __device__ __forceinline__ void rank(Desk& desk, List list, unsigned count, unsigned wanted, Write write) {
    const unsigned log = count > 64 ? 7 : count > 32 ? 6 : 5, parts = max(blockDim.x >> log, 1u);
    #pragma unroll 1
    for (unsigned i = threadIdx.x; i < RANKED; i += blockDim.x) desk.rank[i] = desk.same[i] = 0;
    if (threadIdx.x < (-count & 3)) list.keys[count + threadIdx.x] = 0;
    __syncthreads();
    #pragma unroll 1
    for (unsigned unit = threadIdx.x; unit < parts << log; unit += blockDim.x) {
        const unsigned i = unit & (1 << log) - 1;
        if (i >= count) continue;
        const unsigned own = list.keys[i];
        unsigned above = 0;
        #pragma unroll 2
        for (unsigned j = unit >> log; j * 4 < count; j += parts) {
            const uint4 four = reinterpret_cast<const uint4*>(list.keys)[j];
            above += (four.x > own) + (four.y > own) + (four.z > own) + (four.w > own);
        }
        if (above) atomicAdd(&desk.rank[i], above);
    }
    __syncthreads();
    #pragma unroll 1
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        const unsigned above = desk.rank[i];
        if (above >= wanted) continue;
        const unsigned position = above + atomicAdd(&desk.same[above], 1u);
        if (position < wanted) write(position, list.keys[i], list.places[i]);
    }
}

// A key and where it stands in its list.
template <int BITS> struct Item;
template <> struct Item<32> { using type = unsigned long long; static constexpr int SHIFT = 32; };
template <> struct Item<16> { using type = unsigned; static constexpr int SHIFT = 16; };

// Calls write(position, key, place) for all: a bitonic sort, with four items in each of as many threads as it takes. `spare`
// has room for the next power of two of items. BITS is the size of a key.
template <int BITS, typename Write> __device__ __forceinline__ void sort(List list, unsigned count, void* spare, Write write) {
    using I = typename Item<BITS>::type;
    constexpr int SHIFT = Item<BITS>::SHIFT;
    const unsigned length = max(2u << 31 - __clz(count - 1), 128u), threads = length / 4, first = threadIdx.x * 4;
    const bool mine = threadIdx.x < threads;
    I* shelf = static_cast<I*>(spare);
    I at[4];
    #pragma unroll
    for (int e = 0; e < 4; e++) at[e] = first + e < count ? I(list.keys[first + e]) << SHIFT | first + e : 0;
    auto take = [&](I& own, I other, bool larger) { own = (own > other) == larger ? own : other; };
    for (unsigned size = 2; size <= length; size *= 2) {
        for (unsigned apart = size / 2; apart >= 128; apart /= 2) {
            __syncthreads();
            #pragma unroll
            for (int e = 0; e < 4; e++) if (mine) shelf[e * threads + threadIdx.x] = at[e];
            __syncthreads();
            const bool larger = !(first & apart) == !(first & size);
            #pragma unroll
            for (int e = 0; e < 4; e++) if (mine) take(at[e], shelf[e * threads + (threadIdx.x ^ apart / 4)], larger);
        }
        for (unsigned apart = min(size / 2, 64u); mine && apart >= 4; apart /= 2) {
            const bool larger = !(first & apart) == !(first & size);
            #pragma unroll
            for (int e = 0; e < 4; e++) take(at[e], __shfl_xor_sync(~0u, at[e], apart / 4), larger);
        }
        #pragma unroll
        for (int apart = 2; apart; apart /= 2) {
            if (apart * 2 > size) continue;
            #pragma unroll
            for (int e = 0; e < 4; e++) {
                if (e & apart) continue;
                const I a = at[e], b = at[e | apart];
                const bool down = !((first | e) & size), swap = down ? a < b : a > b;
                at[e] = swap ? b : a, at[e | apart] = swap ? a : b;
            }
        }
    }
    #pragma unroll
    for (int e = 0; e < 4; e++)
        if (mine && first + e < count) write(first + e, unsigned(at[e] >> SHIFT), list.places[at[e] & (I(1) << SHIFT) - 1]);
}

// A word in the shared memory of the cluster's block `rank`, where `here` is in this one's.
__device__ __forceinline__ void cluster_write(unsigned* here, unsigned rank, unsigned value) {
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(cluster_address(here, rank)), "r"(value) : "memory");
}
__device__ __forceinline__ unsigned cluster_add(unsigned* here, unsigned rank, unsigned value) {
    unsigned before;
    asm volatile("atom.shared::cluster.add.u32 %0, [%1], %2;" : "=r"(before) : "r"(cluster_address(here, rank)), "r"(value) : "memory");
    return before;
}
