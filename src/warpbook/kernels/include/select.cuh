// The best of many keys: over a warp, and of a list in shared memory that a block selects from and sorts. The threads of a
// block are any number of whole warps, and all of them call these functions.
#pragma once
#include "warp.cuh"

constexpr int RANKED = 128;      // as many are sorted by counting, for each, how many are above it
constexpr int FULLEST = 96;      // candidates of a bucket that are compared with each other
constexpr int MOST_TEAMS = 256;  // of a cluster, that each report what they have reached
constexpr int MOST_BEST = 512;   // groups of a block that are surveyed by one warp

// Candidates: a key, and where in the row it was found.
struct List { unsigned *keys, *places; };

// How a row lies: up to a multiple of 16 bytes and after the last one are edges; the vectors between are shared out to the
// blocks of a cluster. And how a floor is found that so many elements as wanted are above: `each` of a team's groups reach
// what the team reports, and `needed` teams report no less.
struct Cut { int head, vectors, edges, share, chunks, each, needed; };

// What the threads of a block tell each other.
struct Desk {
    unsigned long long reported[2];  // barriers that count the bytes of `found`
    Cut cut;
    unsigned count, aside, merged, offset, high, kept, ties, tally[3], rank[RANKED], same[RANKED], found[2][MOST_TEAMS], best[MOST_BEST];
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
            low--, above = wanted;
            break;
        }
    }
    const unsigned equal = wanted - above;
    prune(desk, list, count, low, equal);
    return equal ? low - 1 : low;
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

// Calls write(position, key, place) for the `wanted` best of candidates above `floor`: each goes into one of 2^log buckets by
// its distance from the floor, and its position is how many are in better buckets, and above it in its own. `spare` has
// place for the buckets and the candidates. Returns false, and has called nothing, where a bucket is too full for that.
template <typename Write>
__device__ __forceinline__ bool bucket_sort(Desk& desk, List list, unsigned count, unsigned wanted, unsigned floor, unsigned log,
                                            unsigned* spare, Write write) {
    const unsigned buckets = 1 << log, each = (buckets + blockDim.x - 1) / blockDim.x, lane = threadIdx.x % 32;
    unsigned* const ends = spare;
    const List sorted = {spare + buckets, spare + buckets + count};
    __syncthreads();
    if (threadIdx.x == 0) desk.high = desk.kept = 0;
    #pragma unroll 1
    for (unsigned i = threadIdx.x; i < buckets; i += blockDim.x) ends[i] = 0;
    __syncthreads();
    unsigned best = 0;
    #pragma unroll 1
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) best = max(best, list.keys[i]);
    best = __reduce_max_sync(~0u, best);
    if (lane == 0) atomicMax(&desk.high, best);
    __syncthreads();
    const int spread = 32 - __clz(desk.high - floor) - int(log), shift = max(spread, 0);
    auto bucket = [&](unsigned key) { return key > floor ? buckets - 1 - (key - floor >> shift) : buckets - 1; };  // the best first
    #pragma unroll 1
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) atomicAdd(&ends[bucket(list.keys[i])], 1u);
    __syncthreads();

    // Where each bucket starts: `each` of them a thread, the threads of a warp, the warps.
    unsigned own = 0, fullest = 0;
    const unsigned from = threadIdx.x * each;
    #pragma unroll 1
    for (unsigned i = from; i < from + each && i < buckets; i++) own += ends[i], fullest = max(fullest, ends[i]);
    unsigned before = own;
    #pragma unroll
    for (int apart = 1; apart < 32; apart *= 2) {
        const unsigned other = __shfl_up_sync(~0u, before, apart);
        before += lane >= apart ? other : 0;
    }
    if (lane == 31) desk.best[threadIdx.x / 32] = before;
    fullest = __reduce_max_sync(~0u, fullest);
    if (lane == 0) atomicMax(&desk.kept, fullest);
    __syncthreads();
    if (desk.kept > FULLEST) return false;
    before -= own;
    for (unsigned warp = 0; warp < threadIdx.x / 32; warp++) before += desk.best[warp];
    #pragma unroll 1
    for (unsigned i = from; i < from + each && i < buckets; i++) {
        const unsigned size = ends[i];
        ends[i] = before, before += size;
    }
    __syncthreads();
    #pragma unroll 1
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        const unsigned key = list.keys[i], slot = atomicAdd(&ends[bucket(key)], 1u);
        sorted.keys[slot] = key, sorted.places[slot] = list.places[i];
    }
    __syncthreads();
    #pragma unroll 1
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        const unsigned key = sorted.keys[i], home = bucket(key), first = home ? ends[home - 1] : 0, end = ends[home];
        if (first >= wanted || key <= floor) continue;
        unsigned position = first;
        #pragma unroll 1
        for (unsigned j = first; j < end; j++) position += sorted.keys[j] > key || (sorted.keys[j] == key && j < i);
        if (position < wanted) write(position, key, sorted.places[i]);
    }
    return true;
}

// A key and where it stands in its list.
template <int BITS> struct Item;
template <> struct Item<32> { using type = unsigned long long; static constexpr int SHIFT = 32; };
template <> struct Item<16> { using type = unsigned; static constexpr int SHIFT = 16; };

// The larger or the smaller of two. For 32 bits there is an instruction; 64 are compared once.
template <typename I> __device__ __forceinline__ I one_of(I a, I b, bool larger) {
    if constexpr (sizeof(I) == 4) return larger ? max(a, b) : min(a, b);
    else return (a > b) == larger ? a : b;
}

// One round of a bitonic sort, the largest first, that merges runs of size / 2 into runs of `size`: the steps within a warp,
// of which a lane has N items side by side, and `first` is the number of its first. Steps from warp to warp come before.
template <int N, typename I> __device__ __forceinline__ void merge_in_warp(I (&at)[N], unsigned first, unsigned size) {
    #pragma unroll 1
    for (unsigned apart = min(size / 2, 16u * N); apart >= N; apart /= 2) {
        const bool larger = !(first & apart) == !(first & size);
        #pragma unroll
        for (int e = 0; e < N; e++) {
            const I other = __shfl_xor_sync(~0u, at[e], apart / N);
            at[e] = one_of(at[e], other, larger);
        }
    }
    #pragma unroll
    for (int apart = N / 2; apart; apart /= 2) {
        if (apart * 2 > size) continue;
        #pragma unroll
        for (int e = 0; e < N; e++) {
            if (e & apart) continue;
            const I a = at[e], b = at[e | apart];
            const bool down = !((first | e) & size);
            at[e] = one_of(a, b, down), at[e | apart] = one_of(b, a, !down);
        }
    }
}

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
    #pragma unroll 1
    for (unsigned size = 2; size <= length; size *= 2) {
        #pragma unroll 1
        for (unsigned apart = size / 2; apart >= 128; apart /= 2) {
            __syncthreads();
            #pragma unroll
            for (int e = 0; e < 4; e++) if (mine) shelf[e * threads + threadIdx.x] = at[e];
            __syncthreads();
            const bool larger = !(first & apart) == !(first & size);
            #pragma unroll
            for (int e = 0; e < 4; e++) {
                const I other = mine ? shelf[e * threads + (threadIdx.x ^ apart / 4)] : 0;
                at[e] = one_of(at[e], other, larger);
            }
        }
        if (mine) merge_in_warp(at, first, size);
    }
    #pragma unroll
    for (int e = 0; e < 4; e++)
        if (mine && first + e < count) write(first + e, unsigned(at[e] >> SHIFT), list.places[at[e] & (I(1) << SHIFT) - 1]);
}

// A word in the shared memory of the cluster's block `rank`, where `here` is in this one's.
__device__ __forceinline__ void cluster_write(unsigned* here, unsigned rank, unsigned value) {
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(cluster_address(here, rank)), "r"(value) : "memory");
}
// The same without waiting for it; the barrier of that block counts the bytes as they come in.
__device__ __forceinline__ void cluster_send(unsigned* here, unsigned rank, unsigned value, unsigned long long* barrier) {
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];"
                 ::"r"(cluster_address(here, rank)), "r"(value), "r"(cluster_address(barrier, rank)) : "memory");
}
__device__ __forceinline__ unsigned cluster_add(unsigned* here, unsigned rank, unsigned value) {
    unsigned before;
    asm volatile("atom.shared::cluster.add.u32 %0, [%1], %2;" : "=r"(before) : "r"(cluster_address(here, rank)), "r"(value) : "memory");
    return before;
}
