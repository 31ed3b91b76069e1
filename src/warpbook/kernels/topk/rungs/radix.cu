#include "warp.cuh"

// Numbers are compared as unsigned words that they fill from the top: 16-bit floats leave LOW bits at 0.
template <typename T> constexpr int LOW = 32 - 8 * sizeof(T);
template <typename T> constexpr unsigned STEP = 1u << LOW<T>;
template <typename T> constexpr unsigned INFINITE_WORD = 0x7f800000;
template <> constexpr unsigned INFINITE_WORD<half16> = 0x7c000000;
constexpr unsigned SIGN = 1u << 31, MINUS_ZERO = SIGN - 1;  // the latter as a key

// Negative numbers grow with their bits where they should shrink: turn all of theirs around, and put the others above.
// `nan` is what a NaN has for a key, whatever its sign and payload: next to the largest or next to the smallest.
template <typename T> __device__ __forceinline__ unsigned key_of(unsigned word, unsigned nan) {
    return (word & ~SIGN) > INFINITE_WORD<T> ? nan : (word ^ (int(word) >> 31 | SIGN)) & ~(STEP<T> - 1);
}
template <typename T> __device__ __forceinline__ unsigned word_of(unsigned key) {
    return (key ^ (key & SIGN ? SIGN : ~0u)) & ~(STEP<T> - 1);
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

// Keys to select from: the maxima that each thread has, 0 where it has none, or what was found.
template <int N> struct Maxima {
    unsigned keys[N];
    template <typename F> __device__ __forceinline__ void each(F f) const {
        #pragma unroll
        for (int i = 0; i < N; i++) if (keys[i]) f(keys[i]);
    }
};
template <int THREADS> struct Found {
    const unsigned long long* pairs;
    int size;
    template <typename F> __device__ __forceinline__ void each(F f) const {
        for (int i = threadIdx.x; i < size; i += THREADS) f(unsigned(pairs[i] >> 32));
    }
};

// What is beyond `bound`, and `ties` of what equals it.
struct Cut { unsigned bound; int ties; };

template <int THREADS> struct Block {
    static constexpr int PER_THREAD = 4, BINS = PER_THREAD * THREADS, WARPS = THREADS / 32;
    int bins[BINS];  // all 0 between uses
    int totals[WARPS], bin, above, inside, count, tied;
    unsigned least, most;

    __device__ void set_up() {
        for (int i = 0; i < PER_THREAD; i++) bins[i * THREADS + threadIdx.x] = 0;
        if (threadIdx.x == 0) count = 0, least = ~0u, most = 0;
        __syncthreads();
    }
    // The bin in which the `need`-th count from the top is, how many counts are above it, and how many are in it.
    __device__ void find(int need) {
        const int top = BINS - 1 - PER_THREAD * threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        int mine[PER_THREAD], sum = 0;
        #pragma unroll
        for (int i = 0; i < PER_THREAD; i++) sum += mine[i] = bins[top - i], bins[top - i] = 0;
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
        for (int i = 0; i < PER_THREAD; before += mine[i++])
            if (before < need && need <= before + mine[i]) bin = top - i, above = before, inside = mine[i];
        __syncthreads();
    }
    // Radix select of the `need`-th key. A digit is as many bits as there are
    // bins for, from the highest in which the keys that are left differ. Without EXACT the first digit will do: a
    // bound that at least `need` keys are beyond.
    template <typename T, bool EXACT, typename Keys> __device__ Cut cut(int need, const Keys& keys) {
        unsigned low = ~0u, high = 0;
        keys.each([&](unsigned key) { low = min(low, key), high = max(high, key); });
        low = __reduce_min_sync(~0u, low), high = __reduce_max_sync(~0u, high);
        if (threadIdx.x % 32 == 0) atomicMin(&least, low), atomicMax(&most, high);
        __syncthreads();
        low = least, high = most;
        while (true) {
            const int shift = max(LOW<T>, 32 - __clz(high - low) - (31 - __clz(BINS)));
            keys.each([&](unsigned key) { if (low <= key && key <= high) atomicAdd(&bins[(key - low) >> shift], 1); });
            __syncthreads();
            find(need);
            const unsigned width = (1u << shift) - 1;
            low += unsigned(bin) << shift, high = min(high - low, width) + low, need -= above;
            if (!EXACT || inside == need) return {low - STEP<T>, 0};
            if (shift == LOW<T>) return {low, need};
        }
    }
};

// One block a row, which is read once, in stretches of 8 vectors a thread. The first yields a bound: that of the k-th
// largest of as many maxima. What is beyond it goes to `found`, as key and column; when much is found, a radix select
// leaves the k largest and a new bound.
template <typename T, int THREADS>
__global__ void __launch_bounds__(THREADS, 1024 / THREADS < 16 ? 1024 / THREADS : 16)
radix(const T* x, T* values, long long* indices, long long columns, long long x_row, long long values_row, long long values_step,
      long long indices_row, long long indices_step, long long k_, long long largest, long long sorted, long long room_) {
    constexpr int VECTOR = 16 / sizeof(T), STRETCH = 8, MASKS = 4 / sizeof(T), RANKED = THREADS < 64 ? 128 : 256;
    extern __shared__ __align__(16) unsigned long long found[];
    __shared__ Block<THREADS> block;
    const int thread = threadIdx.x, k = k_, room = room_;
    const unsigned flip = largest ? 0 : sizeof(T) == 4 ? SIGN : SIGN | SIGN >> 16;
    const unsigned nan = largest ? ~0u - STEP<T> * 2 + 1 : STEP<T>;
    x += blockIdx.x * x_row;
    block.set_up();

    // `found` is in order by key, and where keys are equal, the first column is the largest.
    const auto pair = [&](unsigned key, unsigned column) { return (unsigned long long)key << 32 | ~column; };
    const auto key_at = [&](unsigned column) { return key_of<T>(word_at(x + column) ^ flip & SIGN, nan); };

    // What lies before the first and after the last multiple of 16 bytes is found without being asked.
    const unsigned size = columns, head = min(size, unsigned(-(size_t(x) / sizeof(T)) % VECTOR));
    const int count = (size - head) / VECTOR, ragged = size - count * VECTOR;
    if (thread < ragged) {
        const unsigned column = thread < head ? thread : thread + count * VECTOR;
        found[atomicAdd(&block.count, 1)] = pair(key_at(column), column);
    }
    int n = ragged;
    Cut cut = {0, 0};
    const auto shrink = [&] {
        cut = block.template cut<T, true>(k, Found<THREADS>{found, n});
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

    for (int stretch = 0; stretch < count; stretch += STRETCH * THREADS) {
        const T* from = x + head + size_t(stretch + thread) * VECTOR;
        const auto here = [&](int j) { return stretch + j * THREADS + thread < count; };
        uint4 held[STRETCH];
        #pragma unroll
        for (int j = 0; j < STRETCH; j++)
            held[j] = here(j) ? *reinterpret_cast<const uint4*>(from + j * THREADS * VECTOR) : make_uint4(0, 0, 0, 0);
        #pragma unroll
        for (int j = 0; j < STRETCH; j++) held[j].x ^= flip, held[j].y ^= flip, held[j].z ^= flip, held[j].w ^= flip;

        const bool by_thread = 2 * k <= min(count, THREADS);  // a maximum a thread; else a maximum a vector
        if (stretch == 0 && k <= min(count, STRETCH * THREADS)) {
            Maxima<STRETCH> maxima;
            unsigned best = 0;
            #pragma unroll
            for (int j = 0; j < STRETCH; j++) {
                const unsigned most = larger<T>(larger<T>(held[j].x, held[j].y), larger<T>(held[j].z, held[j].w));
                best = j == 0 || !by_thread ? most : here(j) ? larger<T>(best, most) : best;
                const unsigned key = key_of<T>(best & ~(STEP<T> - 1), nan);
                const bool counts = by_thread ? j == STRETCH - 1 && here(0) : here(j);
                maxima.keys[j] = !counts ? 0 : sizeof(T) == 4 ? key : max(key, key_of<T>(best << 16, nan));
            }
            cut = block.template cut<T, false>(k, maxima);
        }
        // As floats, -0.0 is not below 0.0.
        unsigned bound = word_of<T>(cut.bound == MINUS_ZERO - (STEP<T> - 1) ? cut.bound - STEP<T> : cut.bound);
        if (sizeof(T) == 2) bound |= bound >> 16;
        unsigned masks[MASKS] = {};
        #pragma unroll
        for (int j = 0; j < STRETCH; j++) {
            const unsigned words[] = {held[j].x, held[j].y, held[j].z, held[j].w};
            #pragma unroll
            for (int w = 0; w < 4; w++) {
                const int bit = j * 4 + w;
                const unsigned those = sizeof(T) == 4 ? 1u << bit : 0x10001u << bit % 16;
                if (here(j)) masks[bit * MASKS / 32] |= beyond<T>(words[w], bound) & those;
            }
        }
        // Looks again at those of this thread's vectors from `first` to `last` that were beyond the bound.
        const auto add = [&](int first, int last) {
            #pragma unroll
            for (int m = 0; m < MASKS; m++)
                for (unsigned left = masks[m]; left; left &= left - 1) {
                    const int bit = __ffs(left) - 1, word = sizeof(T) == 4 ? bit : m * 16 + bit % 16, j = word / 4;
                    const int place = sizeof(T) == 4 ? word % 4 : word % 4 * 2 + bit / 16;
                    if (j < first || j >= last) continue;
                    const unsigned column = head + (stretch + j * THREADS + thread) * VECTOR + place, key = key_at(column);
                    if (key <= cut.bound) continue;
                    const int at = atomicAdd(&block.count, 1);
                    if (at < room) found[at] = pair(key, column);
                }
        };
        for (int j = 0, step = STRETCH; j < STRETCH;) {
            const int before = n;
            __syncthreads();
            add(j, j + step);
            __syncthreads();
            n = block.count;
            if (n > room) {  // too much at once: vector by vector, with a better bound after each
                __syncthreads();
                if (thread == 0) block.count = before;
                n = before, step = 1;
            } else {
                j += step;
            }
            const bool last = j == STRETCH && stretch + STRETCH * THREADS >= count;
            if (n > max(k, last ? RANKED : step == 1 ? room - THREADS * VECTOR : room / 2)) shrink();
        }
    }
    __syncthreads();

    const auto write = [&](int at, unsigned long long one) {
        const unsigned word = word_of<T>(one >> 32) ^ flip & SIGN, column = ~unsigned(one);
        T* value = values + blockIdx.x * values_row + at * values_step;
        if constexpr (sizeof(T) == 4) *reinterpret_cast<unsigned*>(value) = word;
        else value->bits = word >> 16;
        indices[blockIdx.x * indices_row + at * indices_step] = column;
    };
    if (n <= RANKED) {  // a few: each counts those that are larger
        for (int i = thread; i < n; i += THREADS) {
            const unsigned long long mine = found[i];
            int rank = 0;
            #pragma unroll 4
            for (int j = 0; j < n; j++) rank += found[j] > mine;
            if (rank < k) write(rank, mine);
        }
        return;
    }
    if (sorted) {
        const int size = 1 << (32 - __clz(k - 1));
        for (int i = k + thread; i < size; i += THREADS) found[i] = 0;
        for (int run = 2; run <= size; run *= 2)
            for (int apart = run / 2; apart; apart /= 2) {
                __syncthreads();
                for (int i = thread; i < size / 2; i += THREADS) {
                    const int a = 2 * i - (i & (apart - 1)), b = a + apart;
                    const unsigned long long first = found[a], second = found[b];
                    if ((first < second) == !(a & run)) found[a] = second, found[b] = first;
                }
            }
        __syncthreads();
    }
    for (int i = thread; i < k; i += THREADS) write(i, found[i]);
}
