// How a block's threads bring their share of one operand to shared memory, without waiting for it.
#pragma once

// Past the end of k, of a row or of a column nothing is read, and zeros are put down.
template <int FLOATS> __device__ __forceinline__ void copy(float* to, const float* from, bool wanted) {
    const unsigned there = (unsigned)__cvta_generic_to_shared(to), bytes = wanted ? 4 * FLOATS : 0;
    if (FLOATS == 4) asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(there), "l"(from), "r"(bytes) : "memory");
    else asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(there), "l"(from), "r"(bytes) : "memory");
}

// A stage holds WIDE rows of A, or columns of B, by DEEP terms, as [DEEP][WIDE], so that neighbours are what a thread reads together.
// An operand whose neighbours in memory are along k (WAY 0) is turned by copies of 4 bytes, and the stage's rows are 4 apart
// in banks for that: 8 lanes along k by 4 across it then meet in none. Others come as they are, by 4 or by 16 bytes (WAY 1, 4).
template <int WIDE, int DEEP, int THREADS, int WAY>
struct Pieces {
    static constexpr int EACH = WAY == 4 ? 4 : 1, ROW = WIDE + (WAY ? 0 : 4), SIZE = DEEP * ROW;
    static constexpr int COPIES = WIDE * DEEP / EACH / THREADS, ALONG = WAY ? 1 : DEEP / 8;  // ALONG copies go on by 8 terms each,
    static constexpr int TERMS = WAY ? THREADS * EACH / WIDE : 0, OTHERS = WAY ? 0 : THREADS / 8;  // and then a step by these
    static_assert(COPIES * THREADS * EACH == WIDE * DEEP && (WAY == 0 || TERMS * WIDE == THREADS * EACH), "threads share a stage evenly");
    const float* from;
    long long step, next;  // to the next copies, and to the next stage
    int term, room, to;

    __device__ __forceinline__ Pieces(const float* base, long long first, long long end, long long stride, long long k_stride) {
        const int t = threadIdx.x, other = WAY ? t % (WIDE / EACH) * EACH : t / 8;
        term = WAY ? t / (WIDE / EACH) : t % 8;
        room = int(end - first < WIDE ? end - first : WIDE) - other;
        from = base + (first + other) * stride + term * k_stride;
        step = TERMS * k_stride + OTHERS * stride;
        next = DEEP * k_stride;
        to = term * ROW + other;
    }
    template <bool CHECKED> __device__ __forceinline__ void fetch(float* stage, int left) {
        #pragma unroll
        for (int p = 0; p < COPIES; p++) {
            const int on = p % ALONG * 8, steps = p / ALONG;
            const bool wanted = !CHECKED || (term + on + steps * TERMS < left && steps * OTHERS < room);
            copy<EACH>(stage + to + on * ROW + steps * (TERMS * ROW + OTHERS), from + steps * step + on, wanted);
        }
        from += next;
    }
};
