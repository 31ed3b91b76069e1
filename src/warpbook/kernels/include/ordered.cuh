// Numbers as integers that are in the same order, the best one largest, and what is cheaper than that: the best of two words
// and whether any number of a word is past a bound.
#pragma once
#include "words.cuh"

__device__ __forceinline__ unsigned nan_max(float, unsigned a, unsigned b) {
    float best;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(best) : "f"(__uint_as_float(a)), "f"(__uint_as_float(b)));
    return __float_as_uint(best);
}
__device__ __forceinline__ unsigned nan_max(half16, unsigned a, unsigned b) {
    unsigned best;
    asm("max.NaN.f16x2 %0, %1, %2;" : "=r"(best) : "r"(a), "r"(b));
    return best;
}
__device__ __forceinline__ unsigned nan_max(bf16, unsigned a, unsigned b) {
    unsigned best;
    asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(best) : "r"(a), "r"(b));
    return best;
}
__device__ __forceinline__ unsigned plain_min(float, unsigned a, unsigned b) {
    return __float_as_uint(fminf(__uint_as_float(a), __uint_as_float(b)));
}
__device__ __forceinline__ unsigned plain_min(half16, unsigned a, unsigned b) {
    unsigned best;
    asm("min.f16x2 %0, %1, %2;" : "=r"(best) : "r"(a), "r"(b));
    return best;
}
__device__ __forceinline__ unsigned plain_min(bf16, unsigned a, unsigned b) {
    unsigned best;
    asm("min.bf16x2 %0, %1, %2;" : "=r"(best) : "r"(a), "r"(b));
    return best;
}
// Whether a number of `a` is above, or below, that of `bound`, or either of them is NaN.
__device__ __forceinline__ bool any_above(float, unsigned a, unsigned bound) { return !(__uint_as_float(a) <= __uint_as_float(bound)); }
__device__ __forceinline__ bool any_below(float, unsigned a, unsigned bound) { return !(__uint_as_float(a) >= __uint_as_float(bound)); }
__device__ __forceinline__ bool any_above(half16, unsigned a, unsigned bound) {
    unsigned any;
    asm("{\n.reg .pred p, q;\nsetp.gtu.f16x2 p|q, %1, %2;\nor.pred p, p, q;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(any) : "r"(a), "r"(bound));
    return any;
}
__device__ __forceinline__ bool any_below(half16, unsigned a, unsigned bound) {
    unsigned any;
    asm("{\n.reg .pred p, q;\nsetp.ltu.f16x2 p|q, %1, %2;\nor.pred p, p, q;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(any) : "r"(a), "r"(bound));
    return any;
}
__device__ __forceinline__ bool any_above(bf16, unsigned a, unsigned bound) {
    unsigned any;
    asm("{\n.reg .pred p, q;\nsetp.gtu.bf16x2 p|q, %1, %2;\nor.pred p, p, q;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(any) : "r"(a), "r"(bound));
    return any;
}
__device__ __forceinline__ bool any_below(bf16, unsigned a, unsigned bound) {
    unsigned any;
    asm("{\n.reg .pred p, q;\nsetp.ltu.bf16x2 p|q, %1, %2;\nor.pred p, p, q;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(any) : "r"(a), "r"(bound));
    return any;
}

// 16 bytes that are used once, if wanted; else `held` keeps what it has.
__device__ __forceinline__ void refill(Words& held, const void* from, bool wanted) {
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %5, 0;\n@p ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];\n}"
                 : "+r"(held.at[0]), "+r"(held.at[1]), "+r"(held.at[2]), "+r"(held.at[3]) : "l"(from), "r"(unsigned(wanted)));
}

template <typename T> struct Infinity { static constexpr unsigned BITS = T::BRAIN ? 0x7f80 : 0x7c00; };
template <> struct Infinity<float> { static constexpr unsigned BITS = 0x7f800000; };

// A key is larger the better a number is, and 0 is no number. NaN is above everything, and -0 below 0.
template <typename T, bool LARGEST> struct Order {
    static constexpr int PACKED = 4 / sizeof(T), VECTOR = 4 * PACKED;
    static constexpr unsigned ALL = sizeof(T) == 4 ? ~0u : 0xffffu, SIGN = ALL / 2 + 1, INF = Infinity<T>::BITS;
    static __device__ constexpr unsigned twice(unsigned bits) { return PACKED == 2 ? bits | bits << 16 : bits; }
    static constexpr unsigned WORST = twice(LARGEST ? SIGN | INF : SIGN - 1);  // a word of it

    static __device__ __forceinline__ unsigned key(unsigned bits) {
        const unsigned size = bits & SIGN - 1;
        const unsigned up = size > INF ? ALL - 1 : bits & SIGN ? bits ^ ALL : bits | SIGN;
        return LARGEST ? up : ALL - up;
    }
    static __device__ __forceinline__ unsigned bits(unsigned key) {
        const unsigned up = LARGEST ? key : ALL - key;
        return up & SIGN ? up ^ SIGN : up ^ ALL;
    }
    static __device__ __forceinline__ unsigned key_of(T number) {
        return key(*reinterpret_cast<const typename Word<sizeof(T)>::type*>(&number));
    }
    static __device__ __forceinline__ T number(unsigned key) {
        const auto found = typename Word<sizeof(T)>::type(bits(key));
        return *reinterpret_cast<const T*>(&found);
    }
    static __device__ __forceinline__ unsigned key_of(const Words& words, int e) {
        return key(PACKED == 2 ? words.at[e / 2] >> e % 2 * 16 & ALL : words.at[e]);
    }
    static __device__ __forceinline__ unsigned better(unsigned a, unsigned b) { return LARGEST ? nan_max(T(), a, b) : plain_min(T(), a, b); }
    static __device__ __forceinline__ unsigned best(const Words& words) {
        return better(better(words.at[0], words.at[1]), better(words.at[2], words.at[3]));
    }
    // What `past` compares with so that it finds every key above `floor`, and hardly another.
    static __device__ __forceinline__ unsigned bound(unsigned floor) {
        if (LARGEST && floor > (SIGN | INF)) return twice(INF);     // only NaN is above
        return twice(bits(floor == SIGN - 1 ? floor - 1 : floor));  // between 0 and -0, which are the same to `past`
    }
    static __device__ __forceinline__ bool past(unsigned word, unsigned bound) {
        return LARGEST ? any_above(T(), word, bound) : any_below(T(), word, bound);
    }
};
