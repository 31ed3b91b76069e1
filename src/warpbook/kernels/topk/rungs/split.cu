#include "ordered.cuh"
#include "select.cuh"

// A thread's vectors of one chunk: every 32nd, as far as there are any.
template <typename T, int VECTOR> struct Part {
    const T* at;
    int first, left;  // the first vector's column; the row's share from there

    __device__ __forceinline__ bool has(int u) const { return u * 32 < left; }
    __device__ __forceinline__ void fetch(Words& held, int u) const { refill(held, at + u * 32 * VECTOR, has(u)); }
    __device__ __forceinline__ Part after(int chunk) const { return {at + chunk * VECTOR, first + chunk * VECTOR, left - chunk}; }
};

// The same number, but what is made of it is not computed before: it would take up registers all the while.
__device__ __forceinline__ int not_before(int number) {
    asm volatile("" : "+r"(number));
    return number;
}

// A row belongs to a cluster of blocks, of which each has LOADS vectors a thread on their way. The best of each of GROUPS
// groups of a thread's vectors give a floor, which k elements are above; what is not cannot be one of the k best.
// Vectors with something above the floor are put aside, `aside` of them, and then the elements themselves listed: a block has
// room for `most_listed`, and up to `lot` of each are joined in the cluster's first. Code that is jumped over has to be fetched
// around, so a launch has none for what it does not do: share rows, go on to another row or another chunk, sort many.
template <typename T, bool LARGEST, int LOADS, int GROUPS, int MOST, int FIT, bool CLUSTERED, bool ONE_ROW, bool ONE_CHUNK, bool FEW>
__global__ void __launch_bounds__(MOST, FIT)
topk(const T* x, T* values, long long* indices, long long rows, long long columns, long long row_step, long long values_step,
     long long indices_step, long long k, long long aside, long long most_listed, long long lot, long long cluster_size, long long sorted) {
    using O = Order<T, LARGEST>;
    constexpr int VECTOR = O::VECTOR, SPAN = 32 * LOADS;  // vectors that a warp has
    constexpr int KEYS = GROUPS * O::PACKED, BATCH = LOADS < 8 ? LOADS : 8;
    constexpr bool TOGETHER = MOST * KEYS <= MOST_BEST;  // one warp has the groups of all in its registers
    constexpr int SURVEYED = CLUSTERED && FEW ? 8 : 2;  // chunks before a new floor, which a cluster takes long to agree on
    constexpr unsigned CROWDED = 1u << 31, NONE = ~0u;
    extern __shared__ __align__(16) unsigned memory[];
    __shared__ Desk desk;
    const int log_cluster = CLUSTERED ? 31 - __clz(int(cluster_size)) : 0, cluster = 1 << log_cluster;
    const int wanted = int(k), room = int(most_listed), places = int(aside);
    const int lane = threadIdx.x % 32, warps = blockDim.x / 32, chunk = warps * SPAN, start = threadIdx.x / 32 * SPAN + lane;
    const int block = CLUSTERED ? cluster_rank() : 0, teams = TOGETHER ? cluster : warps * cluster;
    uint4* const vectors = reinterpret_cast<uint4*>(memory);
    unsigned *const columns_of = memory + 4 * places, *const lists = memory + 5 * places;
    const List own = {lists, lists + room}, joint = {lists + 2 * room, lists + 2 * room + lot * cluster};
    const int step = gridDim.x >> log_cluster;
    auto everyone = [&] {
        if (!CLUSTERED) return __syncthreads();
        cluster_arrive(), cluster_wait();
    };
    auto cut_for = [&](int row) {
        Cut cut;
        cut.head = min(int(columns), int(-(long long)(x + row * row_step) & 15) / int(sizeof(T)));
        cut.vectors = (int(columns) - cut.head) / VECTOR, cut.edges = int(columns) - cut.vectors * VECTOR;
        cut.share = cut.vectors + cluster - 1 >> log_cluster;
        cut.chunks = ONE_CHUNK ? 1 : max(unsigned(cut.share + chunk - 1) / chunk, 1);
        const int given = min(cut.share, chunk);
        int full = cluster, groups = given / SPAN * 32 * GROUPS + min(given % SPAN, 32 * GROUPS);
        if (!TOGETHER) full = max((given + SPAN - 32 * GROUPS) / SPAN, 1), groups = min(given, 32 * GROUPS) * full, full <<= log_cluster;
        cut.each = 3 * wanted <= 2 * groups * O::PACKED * cluster ? unsigned(wanted + full - 1) / full : 0;  // 0: too few groups
        cut.needed = cut.each ? unsigned(wanted + cut.each - 1) / cut.each : 0;
        return cut;
    };
    const bool alike = ONE_ROW || row_step * sizeof(T) % 16 == 0;
    Cut& cut = desk.cut;
    auto part_of = [&](int row, const Cut& cut) {
        const int first = cut.head + (block * cut.share + start) * VECTOR;
        return Part<T, VECTOR>{x + row * row_step + first, first, min(cut.vectors - block * cut.share, cut.share) - start};
    };
    auto part_ahead = [&](int row) {
        if (ONE_ROW || row >= rows) return Part<T, VECTOR>{x, 0, 0};
        return alike ? part_of(row, cut) : part_of(row, cut_for(row));
    };

    int row = blockIdx.x >> log_cluster;
    const Cut first_cut = cut_for(row);
    Part<T, VECTOR> now = part_of(row, first_cut);
    Words held[LOADS] = {};
    #pragma unroll
    for (int u = 0; u < LOADS; u++) now.fetch(held[u], u);
    int turn = 0;  // teams report to one side of the desk, then to the other
    if (threadIdx.x == 0) cut = first_cut, bytes_init(&desk.reported[0]), bytes_init(&desk.reported[1]);
    everyone();  // is there

    do {
        if (!alike) {
            if (threadIdx.x == 0) cut = cut_for(row);
            __syncthreads();
        }
        const int edges = block == 0 ? cut.edges : 0;
        auto edge_at = [&] { return int(threadIdx.x) < cut.head ? threadIdx.x : threadIdx.x + cut.vectors * VECTOR; };
        unsigned edge = 0;
        if (int(threadIdx.x) < edges) {
            edge = O::key_of(x[row * row_step + edge_at()]);
        }
        if (threadIdx.x == 0) desk.count = edges, desk.aside = desk.merged = 0;
        unsigned best[GROUPS];
        #pragma unroll
        for (int g = 0; g < GROUPS; g++) best[g] = O::WORST;
        #pragma unroll
        for (int u = 0; u < LOADS; u++) best[u % GROUPS] = O::better(best[u % GROUPS], now.has(u) ? O::best(held[u]) : O::WORST);

        auto threshold = [&] {
            unsigned keys[KEYS];
            #pragma unroll
            for (int i = 0; i < KEYS; i++) keys[i] = O::key(O::PACKED == 2 ? best[i / 2] >> i % 2 * 16 & O::ALL : best[i]);
            int team = block;
            unsigned reached = 0;
            if constexpr (TOGETHER) {
                #pragma unroll
                for (int i = 0; i < KEYS; i++) desk.best[i * blockDim.x + threadIdx.x] = keys[i];
                __syncthreads();
                if (threadIdx.x < 32) {
                    unsigned theirs[MOST * KEYS / 32];
                    #pragma unroll
                    for (int i = 0; i < MOST * KEYS / 32; i++) theirs[i] = i * 32 < KEYS * int(blockDim.x) ? desk.best[i * 32 + lane] : 0;
                    reached = warp_threshold(theirs, cut.each, cut.each / 16);
                }
            } else reached = warp_threshold(keys, cut.each, cut.each / 8), team = block * warps + threadIdx.x / 32;
            const int side = turn & 1, phase = turn++ >> 1 & 1;
            const bool reports = (!TOGETHER || threadIdx.x < 32) && lane < cluster;
            if (!CLUSTERED) {
                if (reports) desk.found[side][team] = reached;
                __syncthreads();
            } else {
                if (!TOGETHER) __syncthreads();
                if (reports) cluster_send(&desk.found[side][team], lane, reached, &desk.reported[side]);
                if (threadIdx.x == 0) bytes_announce(&desk.reported[side], teams * 4);
                bytes_wait(&desk.reported[side], phase);
            }
            unsigned lowest = ~0u;
            #pragma unroll 1
            for (int i = lane; i < teams; i += 32) lowest = min(lowest, desk.found[side][i]);
            if (teams > 1) lowest = __reduce_min_sync(~0u, lowest);
            else lowest = desk.found[side][0];
            if (cut.needed < teams) {
                unsigned others[(TOGETHER ? 32 : MOST_TEAMS) / 32];
                #pragma unroll
                for (int i = 0; i < sizeof(others) / 4; i++) others[i] = i * 32 + lane < teams ? desk.found[side][i * 32 + lane] : lowest;
                lowest = warp_threshold(others, cut.needed, 0);
            }
            return max(lowest, 1u) - 1;
        };
        unsigned floor = 0;  // at least `wanted` candidates of the cluster will be above it
        if (cut.each) floor = threshold();
        else everyone();

        unsigned low = floor;  // what an element has to be above to be listed
        int listed = edges;    // at most
        if (int(threadIdx.x) < edges) own.keys[threadIdx.x] = edge > floor ? edge : 0, own.places[threadIdx.x] = edge_at();

        // Lists what was put aside. Where there might be too little room, the best so far are selected.
        auto list_all = [&] {
            const int count = min(int(desk.aside), places);
            #pragma unroll 1
            for (int from = 0; from < count; from += blockDim.x) {
                const int i = from + threadIdx.x, more = min(count - from, int(blockDim.x)) * VECTOR;
                if (listed + more > room) {
                    __syncthreads();
                    listed = desk.count;
                    __syncthreads();
                }
                if (listed + more > room) {
                    const unsigned selected = select(desk, own, listed, wanted, 0);
                    floor = max(floor, selected), low = max(floor, selected + 1), listed = wanted;
                    if (threadIdx.x == 0) desk.count = wanted;
                    __syncthreads();
                }
                listed += more;
                if (i < count && columns_of[i] != NONE) {
                    const uint4 found = vectors[i];
                    const Words words = {found.x, found.y, found.z, found.w};
                    unsigned keys[VECTOR], above = 0;
                    #pragma unroll
                    for (int e = 0; e < VECTOR; e++) keys[e] = O::key_of(words, e), above += keys[e] > low;
                    unsigned slot = atomicAdd(&desk.count, above);
                    #pragma unroll
                    for (int e = 0; e < VECTOR; e++)
                        if (keys[e] > low) own.keys[slot] = keys[e], own.places[slot++] = columns_of[i] + e;
                }
            }
            __syncthreads();
        };
        unsigned late = 0;  // those for which there was no place, a bit each, and CROWDED if there soon will be none
        auto reserve = [&](unsigned marked) {
            const unsigned more = __popc(marked), most = places;
            unsigned slot = atomicAdd(&desk.aside, more);
            if (slot + more > most / 2) late |= CROWDED;
            if (slot + more <= most) return slot;
            #pragma unroll 1
            for (; slot < most; slot++) columns_of[slot] = NONE;
            late |= marked;
            return NONE;
        };
        auto put = [&](unsigned slot, const Words& words, int u) {
            vectors[slot] = make_uint4(words.at[0], words.at[1], words.at[2], words.at[3]);
            columns_of[slot] = now.first + u * 32 * VECTOR;
        };
        for (int done = 1;; done++) {
            const bool last = ONE_CHUNK || done == cut.chunks;
            const Part<T, VECTOR> next = last ? part_ahead(row + step) : now.after(chunk);
            const unsigned bound = O::bound(floor + (done > 1));  // so many as wanted have been found at the floor or above
            #pragma unroll
            for (int batch = 0; batch < LOADS; batch += BATCH) {
                unsigned marked = 0;
                #pragma unroll
                for (int u = batch; u < batch + BATCH; u++) {
                    const unsigned top = now.has(u) ? O::best(held[u]) : O::WORST;
                    if (!ONE_CHUNK) best[u % GROUPS] = O::better(best[u % GROUPS], top);
                    if (now.has(u) && O::past(top, bound)) marked |= 1u << u;
                }
                if (marked) {
                    unsigned slot = reserve(marked);
                    #pragma unroll
                    for (int u = batch; u < batch + BATCH; u++)
                        if (slot != NONE && marked >> u & 1) put(slot++, held[u], u);
                }
                if (ONE_ROW && ONE_CHUNK) continue;
                #pragma unroll
                for (int u = batch; u < batch + BATCH; u++) next.fetch(held[u], u);
            }
            #pragma unroll 1
            for (;;) {
                const bool more = __syncthreads_or(late);
                if (more || last) list_all();
                if (!more) break;
                if (threadIdx.x == 0) desk.aside = 0;
                __syncthreads();
                unsigned again = late & ~CROWDED;
                for (late = 0; again; again &= again - 1) {
                    const unsigned slot = reserve(again & -again);
                    Words words = {};
                    if (slot != NONE) now.fetch(words, __ffs(again) - 1), put(slot, words, __ffs(again) - 1);
                }
            }
            if (!ONE_CHUNK && cut.each && done > 1 && (last || (done >= SURVEYED && !(done & done - 1)))) {
                const int count = desk.count;
                floor = max(floor, threshold());
                if (!last && count * 2 > room) {
                    listed = prune(desk, own, count, floor, 0);
                    if (threadIdx.x == 0) desk.count = listed;
                    __syncthreads();
                }
            }
            low = max(low, floor), now = next;
            if (last) break;
        }

        const long long done_row = not_before(row);
        auto write = [&](unsigned position, unsigned key, unsigned place) {
            values[done_row * values_step + position] = O::number(key), indices[done_row * indices_step + position] = place;
        };
        auto finish = [&](List list, int count) {
            if (count > RANKED) {
                const int log = 33 - __clz(not_before(max(wanted, RANKED)) - 1);  // two buckets for each that is wanted, or more
                const bool fits = count + (1 << log) / 2 <= places / 2 * 5;
                if (fits && bucket_sort(desk, list, count, wanted, floor, log, memory, write)) return;
                if (count > wanted) select(desk, list, count, wanted, floor), count = wanted;
                __syncthreads();
            }
            if (FEW || count <= RANKED) return rank(desk, list, count, wanted, write);
            if (sorted) return sort<sizeof(T) * 8>(list, wanted, memory, write);
            #pragma unroll 1
            for (int i = threadIdx.x; i < wanted; i += blockDim.x) write(i, list.keys[i], list.places[i]);
        };
        int count = desk.count;
        if (CLUSTERED || !ONE_CHUNK) count = prune(desk, own, count, floor, 0);
        if (CLUSTERED) {
            if (count > lot) select(desk, own, count, wanted, floor), count = wanted;
            if (threadIdx.x == 0) desk.offset = cluster_add(&desk.merged, 0, count);
            __syncthreads();
            #pragma unroll 1
            for (int i = threadIdx.x; i < count; i += blockDim.x) {
                cluster_write(&joint.keys[desk.offset + i], 0, own.keys[i]);
                cluster_write(&joint.places[desk.offset + i], 0, own.places[i]);
            }
            everyone();
            count = desk.merged;
        }
        if (block == 0) finish(CLUSTERED ? joint : own, count);
        if (!ONE_ROW) __syncthreads();  // before thread 0 sets the desk up for the next row
    } while (!ONE_ROW && (row += step) < rows);
}

// Short rows, a warp each, N elements a lane: all are sorted, each with its column.
template <typename T, bool LARGEST, int N>
__global__ void __launch_bounds__(128)
short_rows(const T* x, T* values, long long* indices, long long rows, long long columns, long long row_step, long long values_step,
           long long indices_step, long long k) {
    using O = Order<T, LARGEST>;
    using I = typename Item<sizeof(T) * 8>::type;
    constexpr int SHIFT = Item<sizeof(T) * 8>::SHIFT;
    const unsigned lane = threadIdx.x % 32, first = lane * N;
    const long long row = blockIdx.x * 4ll + threadIdx.x / 32;
    if (row >= rows) return;
    I at[N];
    #pragma unroll
    for (unsigned e = 0; e < N; e++) {
        const unsigned column = e * 32 + lane;
        at[e] = column < columns ? I(O::key_of(x[row * row_step + column])) << SHIFT | column : 0;
    }
    #pragma unroll 1
    for (unsigned size = 2; size <= 32 * N; size *= 2) merge_in_warp(at, first, size);
    #pragma unroll
    for (unsigned e = 0; e < N; e++) {
        if (first + e >= k) continue;
        values[row * values_step + first + e] = O::number(unsigned(at[e] >> SHIFT));
        indices[row * indices_step + first + e] = (long long)(at[e] & (I(1) << SHIFT) - 1);
    }
}

// Few short rows: each number's position is how many are above it, or equal and before it. A block has all of a row in shared
// memory and finds the positions of 256 / PARTS of its numbers, PARTS threads each; no block waits for another.
template <typename T, bool LARGEST, int PARTS>
__global__ void __launch_bounds__(256)
ranked_rows(const T* x, T* values, long long* indices, long long rows, long long columns, long long row_step, long long values_step,
            long long indices_step, long long k) {
    using O = Order<T, LARGEST>;
    __shared__ __align__(16) unsigned keys[1024];
    constexpr unsigned OWN = 256 / PARTS;
    const unsigned length = columns, blocks = (length + OWN - 1) / OWN, row = blockIdx.x / blocks, part = threadIdx.x % PARTS;
    const unsigned i = (blockIdx.x - row * blocks) * OWN + threadIdx.x / PARTS;
    x += row * row_step;
    #pragma unroll
    for (unsigned e = 0; e < 4; e++) {
        const unsigned column = e * 256 + threadIdx.x;
        keys[column] = column < length ? O::key_of(x[column]) : 0;
    }
    __syncthreads();
    const unsigned own = i < length ? keys[i] : ~0u;
    unsigned above = 0;
    #pragma unroll 2
    for (unsigned j = part * 4; j < length; j += PARTS * 4) {
        const uint4 four = *reinterpret_cast<const uint4*>(keys + j);
        const unsigned bar = own - (j + 3 < i);
        above += (four.x > bar) + (four.y > bar) + (four.z > bar) + (four.w > bar);
    }
    #pragma unroll
    for (int apart = 1; apart < PARTS; apart *= 2) above += __shfl_xor_sync(~0u, above, apart);
    #pragma unroll
    for (unsigned e = 1; e < 4; e++) above += e <= (i & 3) && keys[i - e] == own;
    if (part || i >= length || above >= k) return;
    values[row * values_step + above] = O::number(own), indices[row * indices_step + above] = i;
}

// Few of short rows: a warp has a row, N elements a lane, and takes the best of what is left, k times.
template <typename T, bool LARGEST, int N>
__global__ void __launch_bounds__(128)
picked_rows(const T* x, T* values, long long* indices, long long rows, long long columns, long long row_step, long long values_step,
            long long indices_step, long long k) {
    using O = Order<T, LARGEST>;
    const unsigned lane = threadIdx.x % 32;
    const long long row = blockIdx.x * 4ll + threadIdx.x / 32;
    if (row >= rows) return;
    unsigned keys[N];
    #pragma unroll
    for (unsigned e = 0; e < N; e++) {
        const unsigned column = e * 32 + lane;
        keys[e] = column < columns ? O::key_of(x[row * row_step + column]) : 0;
    }
    #pragma unroll 1
    for (unsigned i = 0; i < k; i++) {
        unsigned best = keys[0];
        #pragma unroll
        for (int e = 1; e < N; e++) best = max(best, keys[e]);
        const unsigned top = __reduce_max_sync(~0u, best);
        if (__ffs(__ballot_sync(~0u, best == top)) - 1 != lane) continue;
        unsigned at = N;
        #pragma unroll
        for (unsigned e = N; e-- > 0;) at = keys[e] == top ? e : at;
        #pragma unroll
        for (unsigned e = 0; e < N; e++) keys[e] = at == e ? 0 : keys[e];
        values[row * values_step + i] = O::number(top), indices[row * indices_step + i] = at * 32 + lane;
    }
}
