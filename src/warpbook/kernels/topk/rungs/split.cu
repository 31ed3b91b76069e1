#include "ordered.cuh"
#include "select.cuh"

// How a row lies: up to a multiple of 16 bytes and after the last one are edges; the vectors between are shared out to the
// blocks of a cluster.
template <typename T, int VECTOR> struct Row {
    const T* at;
    int head, vectors, edges, share;

    __device__ __forceinline__ Row(const T* at, int columns, int cluster) : at(at) {
        head = min(columns, int(-(long long)at & 15) / int(sizeof(T)));
        vectors = (columns - head) / VECTOR, edges = columns - vectors * VECTOR, share = (vectors + cluster - 1) / cluster;
    }
    __device__ __forceinline__ int edge(int i) const { return i < head ? i : i + vectors * VECTOR; }
};

// A thread's vectors of one chunk: every 32nd, as far as there are any.
template <typename T, int VECTOR> struct Part {
    const T* at;
    int first, left;  // the first vector's column; the row's share from there

    __device__ __forceinline__ bool has(int u) const { return u * 32 < left; }
    __device__ __forceinline__ void fetch(Words& held, int u) const { refill(held, at + u * 32 * VECTOR, has(u)); }
    __device__ __forceinline__ Part after(int chunk) const { return {at + chunk * VECTOR, first + chunk * VECTOR, left - chunk}; }
};

// A row belongs to a cluster of blocks, of which each has LOADS vectors a thread on their way. The best of each of GROUPS
// groups of a thread's vectors give a floor, which k elements are above; what is not cannot be one of the k best.
// Vectors with something above the floor are put aside, `aside` of them, and then the elements themselves listed: a block has
// room for `most_listed`, and up to `lot` of each are joined in the cluster's first.
template <typename T, bool LARGEST, int LOADS, int GROUPS, int MOST, int FIT>
__global__ void __launch_bounds__(MOST, FIT)
topk(const T* x, T* values, long long* indices, long long rows, long long columns, long long row_step, long long values_step,
     long long indices_step, long long k, long long aside, long long most_listed, long long lot, long long cluster_size, long long sorted) {
    using O = Order<T, LARGEST>;
    constexpr int VECTOR = O::VECTOR, SPAN = 32 * LOADS;  // vectors that a warp has
    constexpr unsigned CROWDED = 1u << 31;
    extern __shared__ __align__(16) unsigned memory[];
    __shared__ Desk desk;
    const int cluster = int(cluster_size), wanted = int(k), room = int(most_listed), places = int(aside), lane = threadIdx.x % 32, warps = blockDim.x / 32, chunk = warps * SPAN;
    const int block = cluster > 1 ? cluster_rank() : 0, start = threadIdx.x / 32 * SPAN + lane, all_warps = warps * cluster;
    uint4* const vectors = reinterpret_cast<uint4*>(memory);
    unsigned *const columns_of = memory + 4 * places, *const lists = memory + 5 * places;
    const List own = {lists, lists + room}, joint = {lists + 2 * room, lists + 2 * room + lot * cluster};
    const long long step = gridDim.x / cluster;
    auto everyone = [&] {
        if (cluster == 1) return __syncthreads();
        cluster_arrive(), cluster_wait();
    };
    auto row_at = [&](long long row) { return Row<T, VECTOR>(x + row * row_step, int(columns), cluster); };
    auto part_of = [&](long long row) {
        if (row >= rows) return Part<T, VECTOR>{x, 0, 0};
        const Row<T, VECTOR> line = row_at(row);
        const int from = block * line.share + start, first = line.head + from * VECTOR;
        return Part<T, VECTOR>{line.at + first, first, min(line.vectors - block * line.share, line.share) - start};
    };

    long long row = blockIdx.x / cluster;
    Part<T, VECTOR> now = part_of(row);
    Words held[LOADS] = {};
    #pragma unroll
    for (int u = 0; u < LOADS; u++) now.fetch(held[u], u);
    int side = 0;  // of the desk's `found`, by turns
    if (cluster > 1) everyone();  // is there

    for (; row < rows; row += step) {
        const Row<T, VECTOR> line = row_at(row);
        const int chunks = max((line.share + chunk - 1) / chunk, 1), given = min(line.share, chunk);
        const int edges = block == 0 ? line.edges : 0;
        unsigned edge = 0;
        if (threadIdx.x < edges) {
            const T last = line.at[line.edge(threadIdx.x)];
            edge = O::key(sizeof(T) == 4 ? *reinterpret_cast<const unsigned*>(&last) : *reinterpret_cast<const unsigned short*>(&last));
        }
        if (threadIdx.x == 0) desk.count = edges, desk.aside = desk.merged = 0;
        unsigned best[GROUPS];
        #pragma unroll
        for (int g = 0; g < GROUPS; g++) best[g] = O::WORST;
        #pragma unroll
        for (int u = 0; u < LOADS; u++) best[u % GROUPS] = O::better(best[u % GROUPS], now.has(u) ? O::best(held[u]) : O::WORST);

        // A warp that has `each` groups that reach its own threshold is one of so many that `wanted` elements reach the lowest.
        const int full = max((given + SPAN - 32 * GROUPS) / SPAN, 1), groups = min(given, 32 * GROUPS) * O::PACKED;
        const int each = (wanted + full * cluster - 1) / (full * cluster), needed = (wanted + each - 1) / each;
        auto threshold = [&] {
            unsigned keys[GROUPS * O::PACKED];
            #pragma unroll
            for (int i = 0; i < GROUPS * O::PACKED; i++) keys[i] = O::key(O::PACKED == 2 ? best[i / 2] >> i % 2 * 16 & O::ALL : best[i]);
            const unsigned reached = warp_threshold(keys, each, each / 8);
            if (lane < cluster) {
                unsigned* const slot = &desk.found[side][block * warps + threadIdx.x / 32];
                if (cluster == 1) *slot = reached;
                else cluster_write(slot, lane, reached);
            }
            everyone();
            unsigned lowest = ~0u;
            for (int i = lane; i < all_warps; i += 32) lowest = min(lowest, desk.found[side][i]);
            lowest = __reduce_min_sync(~0u, lowest);
            if (needed < all_warps) {
                unsigned others[MOST_WARPS / 32];
                #pragma unroll
                for (int i = 0; i < MOST_WARPS / 32; i++) others[i] = i * 32 + lane < all_warps ? desk.found[side][i * 32 + lane] : lowest;
                lowest = warp_threshold(others, needed, 0);
            }
            side ^= 1;
            return max(lowest, 1u) - 1;
        };
        unsigned floor = 0;  // at least `wanted` candidates of the cluster will be above it
        if (3 * wanted <= 2 * full * cluster * groups) floor = threshold();
        else everyone();

        unsigned bar = floor;  // what a new one has to be above
        if (threadIdx.x < edges) own.keys[threadIdx.x] = edge > floor ? edge : 0, own.places[threadIdx.x] = line.edge(threadIdx.x);

        // Lists what was put aside. Where there might be too little room, the best so far are selected.
        auto list_all = [&] {
            const unsigned count = min(desk.aside, unsigned(places));
            #pragma unroll 1
            for (unsigned from = 0; from < count; from += blockDim.x) {
                const unsigned listed = desk.count, i = from + threadIdx.x;
                __syncthreads();
                if (listed + min(count - from, blockDim.x) * VECTOR > unsigned(room)) {
                    floor = max(floor, select(desk, own, listed, wanted, 0)), bar = floor + 1;
                    if (threadIdx.x == 0) desk.count = wanted;
                    __syncthreads();
                }
                if (i < count) {
                    const uint4 found = vectors[i];
                    const Words words = {found.x, found.y, found.z, found.w};
                    unsigned keys[VECTOR], above = 0;
                    #pragma unroll
                    for (int e = 0; e < VECTOR; e++) keys[e] = O::key_of(words, e), above += keys[e] > bar;
                    unsigned slot = atomicAdd(&desk.count, above);
                    #pragma unroll
                    for (int e = 0; e < VECTOR; e++)
                        if (keys[e] > bar) own.keys[slot] = keys[e], own.places[slot++] = columns_of[i] + e;
                }
                __syncthreads();
            }
            if (threadIdx.x == 0) desk.aside = 0;
            __syncthreads();
        };
        unsigned late = 0;  // those for which there was no place, a bit each, and CROWDED if there soon will be none
        auto put_aside = [&](const Words& words, int u) {
            const unsigned slot = atomicAdd(&desk.aside, 1u);
            if (slot >= unsigned(places) / 2) late |= slot < places ? CROWDED : 1u << u;
            if (slot >= unsigned(places)) return;
            vectors[slot] = make_uint4(words.at[0], words.at[1], words.at[2], words.at[3]);
            columns_of[slot] = now.first + u * 32 * VECTOR;
        };
        for (int done = 1; done <= chunks; done++) {
            const Part<T, VECTOR> next = done < chunks ? now.after(chunk) : part_of(row + step);
            const unsigned bound = O::bound(bar);
            #pragma unroll
            for (int u = 0; u < LOADS; u++) {
                const bool here = now.has(u);
                const unsigned top = here ? O::best(held[u]) : O::WORST;
                best[u % GROUPS] = O::better(best[u % GROUPS], top);
                if (here && O::past(top, bound)) put_aside(held[u], u);
                next.fetch(held[u], u);
            }
            while (__syncthreads_or(late)) {
                list_all();
                unsigned again = late & ~CROWDED;
                for (late = 0; again; again &= again - 1) {
                    Words words = {};
                    now.fetch(words, __ffs(again) - 1);
                    put_aside(words, __ffs(again) - 1);
                }
            }
            const bool again = done == chunks || !(done & done - 1);
            if (again) list_all();
            if (again && done > 1) {
                const int count = desk.count;
                floor = max(floor, threshold());
                if (done < chunks && count * 2 > room) {
                    const unsigned kept = prune(desk, own, count, floor, 0);
                    if (threadIdx.x == 0) desk.count = kept;
                    __syncthreads();
                }
            }
            bar = floor + 1, now = next;
        }

        auto write = [&](unsigned position, unsigned key, unsigned place) {
            const unsigned bits = O::bits(key);
            T value;
            if (sizeof(T) == 4) *reinterpret_cast<unsigned*>(&value) = bits;
            else *reinterpret_cast<unsigned short*>(&value) = (unsigned short)bits;
            values[row * values_step + position] = value, indices[row * indices_step + position] = place;
        };
        auto finish = [&](List list, unsigned count, void* spare) {
            if (count > RANKED && count > wanted) select(desk, list, count, wanted, floor), count = wanted;
            __syncthreads();
            if (count == wanted && !sorted) {
                for (unsigned i = threadIdx.x; i < count; i += blockDim.x) write(i, list.keys[i], list.places[i]);
            } else if (count <= RANKED) rank(desk, list, count, wanted, write);
            else sort<sizeof(T) * 8>(list, count, spare, write);
        };
        unsigned count = desk.count;
        if (chunks > 1 || cluster > 1) count = prune(desk, own, count, floor, 0);
        if (cluster == 1) finish(own, count, joint.keys);
        else {
            if (count > lot) select(desk, own, count, wanted, floor), count = wanted;
            if (threadIdx.x == 0) desk.offset = cluster_add(&desk.merged, 0, count);
            __syncthreads();
            for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
                cluster_write(&joint.keys[desk.offset + i], 0, own.keys[i]);
                cluster_write(&joint.places[desk.offset + i], 0, own.places[i]);
            }
            everyone();
            if (block == 0) finish(joint, desk.merged, own.keys);
        }
    }
}
