#include "warp.cuh"

// Numbers are compared as unsigned words that they fill from the top: 16-bit floats leave LOW bits at 0.
template <typename T> constexpr int LOW = 32 - 8 * sizeof(T);
template <typename T> constexpr unsigned STEP = 1u << LOW<T>;
template <typename T> constexpr unsigned INFINITE_WORD = 0x7f800000;
template <> constexpr unsigned INFINITE_WORD<half16> = 0x7c000000;
constexpr unsigned SIGN = 1u << 31;

// Negative numbers grow with their bits where they should shrink: turn all of theirs around, and put the others above.
// `nan` is what a NaN has for a key, whatever its sign and payload: next to the largest or next to the smallest.
template <typename T> __device__ __forceinline__ unsigned key_of(unsigned word, unsigned nan) {
    return (word & ~SIGN) > INFINITE_WORD<T> ? nan : (word ^ (int(word) >> 31 | SIGN)) & ~(STEP<T> - 1);
}
template <typename T> __device__ __forceinline__ unsigned word_of(unsigned key) {
    return (key ^ (key & SIGN ? SIGN : ~0u)) & ~(STEP<T> - 1);
}
template <typename T> __device__ __forceinline__ float number_of(unsigned key) {
    if constexpr (sizeof(T) == 4) return __uint_as_float(word_of<T>(key));
    else return to_float(T{static_cast<unsigned short>(word_of<T>(key) >> 16)});
}
template <typename T> __device__ __forceinline__ unsigned word_at(const T* at) {
    if constexpr (sizeof(T) == 4) return *reinterpret_cast<const unsigned*>(at);
    else return unsigned(at->bits) << 16;
}
// As memory has them: one number a word, or two.
template <typename T> __device__ __forceinline__ unsigned larger(unsigned a, unsigned b) {
    unsigned result;
    if constexpr (sizeof(T) == 4) result = __float_as_uint(fmaxf(__uint_as_float(a), __uint_as_float(b)));
    else if constexpr (T::BRAIN) asm("max.bf16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
    else asm("max.f16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
    return result;
}
// All bits of each number that is greater than the bound, or is NaN.
template <typename T> __device__ __forceinline__ unsigned beyond(unsigned a, unsigned bound) {
    unsigned result;
    if constexpr (sizeof(T) == 4) asm("set.gtu.u32.f32 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(bound));
    else if constexpr (T::BRAIN) asm("set.gtu.u32.bf16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(bound));
    else asm("set.gtu.u32.f16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(bound));
    return result;
}
// Keys to select from: of the maxima of a thread's vectors, or the maximum of all of them; or of what was found. Maxima are
// worked out anew each time, behind the compiler's back: it would keep them in registers, of which there are too few.
template <typename T, int N> struct Maxima {
    const uint4 (&held)[N];
    int size;  // vectors of this thread
    bool joint;
    unsigned nan;
    template <typename F> __device__ __forceinline__ void each(F f) const {
        unsigned best = 0;
        #pragma unroll
        for (int j = 0; j < N; j++) {
            if (j >= size) break;
            unsigned first = held[j].x;
            asm volatile("" : "+r"(first));
            const unsigned most = larger<T>(larger<T>(first, held[j].y), larger<T>(held[j].z, held[j].w));
            best = joint && j ? larger<T>(best, most) : most;
            if (joint && j + 1 < size) continue;
            f(key_of<T>(best & ~(STEP<T> - 1), nan));
            if (sizeof(T) == 2) f(key_of<T>(best << 16, nan));
        }
    }
};
template <int THREADS> struct Found {
    const unsigned long long* pairs;
    int size;
    template <typename F> __device__ __forceinline__ void each(F f) const {
        for (int i = threadIdx.x; i < size; i += THREADS) f(unsigned(pairs[i] >> 32));
    }
};

struct Range { unsigned low, high; };
// What is beyond `bound`, and `ties` of what equals it.
struct Cut { unsigned bound; int ties; };

template <int THREADS> struct Block {
    static constexpr int PER_THREAD = 4, BINS = PER_THREAD * THREADS, WARPS = THREADS / 32;
    int bins[BINS + 1];  // all 0 between uses
    int totals[WARPS], bin, above, inside, count, tied;
    unsigned least, most;

    __device__ void set_up(int found) {
        for (int i = 0; i < PER_THREAD; i++) bins[i * THREADS + threadIdx.x] = 0;
        if (threadIdx.x == 0) bins[BINS] = 0, least = ~0u, most = 0, count = found;
    }
    template <typename Keys> __device__ Range range(const Keys& keys) {
        unsigned low = ~0u, high = 0;
        keys.each([&](unsigned key) { low = min(low, key), high = max(high, key); });
        low = __reduce_min_sync(~0u, low), high = __reduce_max_sync(~0u, high);
        if (threadIdx.x % 32 == 0) atomicMin(&least, low), atomicMax(&most, high);
        __syncthreads();
        return {least, most};
    }
    // How far to shift a key's distance from the lowest so that it is a bin.
    template <typename T> static __device__ int shift_for(Range range) {
        return max(LOW<T>, 32 - __clz(range.high - range.low) - (31 - __clz(BINS)));
    }
    // Adds up the bins from the top, after a barrier. Each thread has PER_THREAD of them, f(bin, counts above, count in it).
    template <typename F> __device__ void add_up(F f) {
        const int top = BINS - 1 - PER_THREAD * threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        int mine[PER_THREAD], sum = 0;
        #pragma unroll
        for (int i = 0; i < PER_THREAD; i++) sum += mine[i] = bins[top - i];
        int before = sum;
        #pragma unroll
        for (int apart = 1; apart < 32; apart *= 2) {
            const int other = __shfl_up_sync(~0u, before, apart);
            if (lane >= apart) before += other;
        }
        if (lane == 31) totals[warp] = before;
        if (threadIdx.x == 0) least = ~0u, most = 0;
        __syncthreads();
        before -= sum;
        for (int w = 0; w < warp; w++) before += totals[w];
        #pragma unroll
        for (int i = 0; i < PER_THREAD; before += mine[i++]) f(top - i, before, mine[i]);
        __syncthreads();
    }
    // Radix select of the `need`-th key. A digit is as many bits as there are bins for, from the highest in which the keys
    // that are left differ. It may end with a bound that up to `more` keys too many are beyond.
    template <typename T, typename Keys> __device__ Cut cut(int need, int more, const Keys& keys) {
        Range left = range(keys);
        while (true) {
            const int shift = shift_for<T>(left);
            keys.each([&](unsigned key) { if (left.low <= key && key <= left.high) atomicAdd(&bins[(key - left.low) >> shift], 1); });
            __syncthreads();
            add_up([&](int at, int before, int here) {
                if (before < need && need <= before + here) bin = at, above = before, inside = here;
                bins[at] = 0;
            });
            const unsigned width = (1u << shift) - 1;
            left.low += unsigned(bin) << shift, left.high = min(left.high - left.low, width) + left.low, need -= above;
            if (inside <= need + more) return {left.low - STEP<T>, 0};
            if (shift == LOW<T>) return {left.low, need};
        }
    }
};

// One block a row, which is read once, in stretches of 8 vectors a thread. The first yields a bound: that of the k-th
// largest of as many maxima. What is beyond it goes to `found`, as key and column; when much is found, a radix select
// leaves the k largest and a new bound.
template <typename T, int THREADS>
__global__ void __launch_bounds__(THREADS, 1024 / THREADS)
radix(const T* x, T* values, long long* indices, long long columns, long long x_row, long long values_row, long long values_step,
      long long indices_row, long long indices_step, long long k_, long long largest, long long room_) {
    constexpr int VECTOR = 16 / sizeof(T), STRETCH = 8, PACKED = 4 / sizeof(T), RANKED = THREADS < 128 ? 64 : 128;
    extern __shared__ __align__(16) unsigned long long found[];
    __shared__ Block<THREADS> block;
    const int thread = threadIdx.x, k = k_, room = room_;
    const unsigned flip = largest ? 0 : sizeof(T) == 4 ? SIGN : SIGN | SIGN >> 16;
    const unsigned nan = largest ? ~0u - STEP<T> * 2 + 1 : STEP<T>;
    unsigned short* const order = reinterpret_cast<unsigned short*>(found + room);
    x += blockIdx.x * x_row;

    // `found` is in order by key, and where keys are equal, the first column is the largest.
    const auto pair = [&](unsigned key, unsigned column) { return (unsigned long long)key << 32 | ~column; };
    const auto key_at = [&](unsigned column) { return key_of<T>(word_at(x + column) ^ flip & SIGN, nan); };

    // What lies before the first and after the last multiple of 16 bytes is found without being asked.
    const unsigned size = columns, head = min(size, unsigned(-(size_t(x) / sizeof(T)) % VECTOR));
    const int count = (size - head) / VECTOR, ragged = size - count * VECTOR;
    block.set_up(ragged);
    if (thread < ragged) {
        const unsigned column = thread < head ? thread : thread + count * VECTOR;
        found[thread] = pair(key_at(column), column);
    }
    __syncthreads();
    int n = ragged;
    Cut cut = {0, 0};
    const auto shrink = [&] {
        cut = block.template cut<T>(k, 0, Found<THREADS>{found, n});
        if (thread == 0) block.count = 0, block.tied = 0;
        for (int first = 0; first < n; first += THREADS) {
            const unsigned long long one = first + thread < n ? found[first + thread] : 0;
            const unsigned key = one >> 32;
            __syncthreads();
            if (key > cut.bound || (key == cut.bound && cut.ties && atomicAdd(&block.tied, 1) < cut.ties)) found[atomicAdd(&block.count, 1)] = one;
        }
        n = k;
        __syncthreads();
    };

    bool crowded = false;
    for (int stretch = 0; stretch < count; stretch += STRETCH * THREADS) {
        const T* from = x + head + size_t(stretch + thread) * VECTOR;
        const auto here = [&](int j) { return stretch + j * THREADS + thread < count; };
        uint4 held[STRETCH];
        #pragma unroll
        for (int j = 0; j < STRETCH; j++)
            held[j] = here(j) ? *reinterpret_cast<const uint4*>(from + j * THREADS * VECTOR) : make_uint4(0, 0, 0, 0);
        #pragma unroll
        for (int j = 0; j < STRETCH; j++) held[j].x ^= flip, held[j].y ^= flip, held[j].z ^= flip, held[j].w ^= flip;

        // A bound from maxima: one a thread where that is enough, else one a vector, or two of 16-bit floats.
        const int vectors = min(count - stretch, STRETCH * THREADS);
        const bool by_thread = 2 * k <= min(vectors, THREADS);
        if ((stretch == 0 || crowded) && k <= vectors * PACKED) {
            const int mine = min(STRETCH, (count - stretch - thread + THREADS - 1) / THREADS);
            const Cut first = block.template cut<T>(k, k / 8 + 4, Maxima<T, STRETCH>{held, mine, by_thread, nan});
            cut = {max(cut.bound, first.ties ? first.bound - STEP<T> : first.bound), 0};
        }
        // As floats, -0.0 is not below 0.0.
        unsigned bound = word_of<T>(cut.bound == SIGN - STEP<T> ? cut.bound - STEP<T> : cut.bound);
        if (sizeof(T) == 2) bound |= bound >> 16;
        unsigned masks[PACKED] = {};
        #pragma unroll
        for (int j = 0; j < STRETCH; j++) {
            const unsigned words[] = {held[j].x, held[j].y, held[j].z, held[j].w};
            #pragma unroll
            for (int w = 0; w < 4; w++) {
                const int bit = j * 4 + w;
                const unsigned those = sizeof(T) == 4 ? 1u << bit : 0x10001u << bit % 16;
                if (here(j)) masks[bit * PACKED / 32] |= beyond<T>(words[w], bound) & those;
            }
        }
        // Looks again at those of this thread's vectors from `first` to `end` that were beyond the bound.
        const auto add = [&](int first, int end) {
            #pragma unroll
            for (int m = 0; m < PACKED; m++)
                for (unsigned left = masks[m]; left; left &= left - 1) {
                    const int bit = __ffs(left) - 1, word = sizeof(T) == 4 ? bit : m * 16 + bit % 16, j = word / 4;
                    const int place = sizeof(T) == 4 ? word % 4 : word % 4 * 2 + bit / 16;
                    if (j < first || j >= end) continue;
                    const unsigned column = head + (stretch + j * THREADS + thread) * VECTOR + place, key = key_at(column);
                    if (key <= cut.bound) continue;
                    const int at = atomicAdd(&block.count, 1);
                    if (at < room) found[at] = pair(key, column);
                }
        };
        for (int j = 0, step = STRETCH; j < STRETCH;) {
            const int before = n;
            if (stretch || j) __syncthreads();
            add(j, j + step);
            __syncthreads();
            n = block.count;
            if (n > room) {  // too much at once: vector by vector, with a better bound after each
                __syncthreads();
                if (thread == 0) block.count = before;
                n = before, step = 1, crowded = true;
                __syncthreads();
            } else {
                j += step;
            }
            const bool more = j < STRETCH || stretch + STRETCH * THREADS < count;
            if (more && n > max(k, step == 1 ? room - THREADS * VECTOR : room / 2)) shrink();
        }
    }

    const auto write = [&](int at, unsigned long long one) {
        const unsigned word = word_of<T>(one >> 32) ^ flip & SIGN;
        T* value = values + blockIdx.x * values_row + at * values_step;
        if constexpr (sizeof(T) == 4) *reinterpret_cast<unsigned*>(value) = word;
        else value->bits = word >> 16;
        indices[blockIdx.x * indices_row + at * indices_step] = ~unsigned(one);
    };
    if (n <= RANKED) {  // a few: the place of each is how many are larger, which neighbouring threads count together
        int together = 1;
        while (together < 32 && 2 * together * n <= THREADS) together *= 2;
        for (int first = 0; first < n; first += THREADS / together) {
            const int i = first + thread / together;
            const unsigned long long mine = i < n ? found[i] : ~0ull;
            int rank = 0;
            #pragma unroll 4
            for (int j = thread % together; j < n; j += together) rank += found[j] > mine;
            for (int apart = together / 2; apart; apart /= 2) rank += __shfl_xor_sync(~0u, rank, apart);
            if (i < n && thread % together == 0 && rank < k) write(rank, mine);
        }
        return;
    }
    // Many: the same among those of a bin, after all bins above it. Where keys are of both signs, bins are of equal width
    // as numbers: as keys, most would be for numbers next to 0.
    const Range all = block.range(Found<THREADS>{found, n});
    const int shift = block.template shift_for<T>(all);
    const float least = number_of<T>(all.low), scale = (block.BINS - 1) / (number_of<T>(all.high) - least);
    const bool linear = all.low < SIGN && all.high >= SIGN && scale > 0 && scale < INFINITE;
    const auto bin_of = [&](unsigned long long one) {
        const unsigned key = one >> 32;
        return linear ? int((number_of<T>(key) - least) * scale) : int((key - all.low) >> shift);
    };
    for (int i = thread; i < n; i += THREADS) atomicAdd(&block.bins[bin_of(found[i])], 1);
    __syncthreads();
    block.add_up([&](int at, int before, int) { block.bins[at] = before; });
    for (int i = thread; i < n; i += THREADS) order[atomicAdd(&block.bins[bin_of(found[i])], 1)] = i;
    __syncthreads();
    for (int i = thread; i < n; i += THREADS) {
        const unsigned long long mine = found[i];
        const int bin = bin_of(mine), start = block.bins[bin + 1], end = block.bins[bin];
        if (start >= k) continue;
        int rank = start;
        #pragma unroll 4
        for (int j = start; j < end; j++) rank += found[order[j]] > mine;
        if (rank < k) write(rank, mine);
    }
}
