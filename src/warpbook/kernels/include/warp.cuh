// What the kernels here share: 16-bit floats, vectors of 16 bytes, sums and maxima over a warp, and
// the few instructions of thread-block clusters. Needs no header of the CUDA toolkit.
#pragma once

struct half16 { unsigned short bits; static constexpr bool BRAIN = false; };  // torch.float16
struct bf16 { unsigned short bits; static constexpr bool BRAIN = true; };     // torch.bfloat16

__device__ __forceinline__ float to_float(float value) { return value; }
__device__ __forceinline__ float to_float(bf16 value) { return __uint_as_float(unsigned(value.bits) << 16); }
__device__ __forceinline__ float to_float(half16 value) {
    float wide;
    asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(value.bits));
    return wide;
}

template <typename T> __device__ __forceinline__ T from_float(float value);
template <> __device__ __forceinline__ float from_float<float>(float value) { return value; }
template <> __device__ __forceinline__ bf16 from_float<bf16>(float value) {
    bf16 narrow;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(narrow.bits) : "f"(value));
    return narrow;
}
template <> __device__ __forceinline__ half16 from_float<half16>(float value) {
    half16 narrow;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(narrow.bits) : "f"(value));
    return narrow;
}

// N elements that are read or written by one instruction, where N of them are at most 16 bytes and
// the address is a multiple of their size.
template <typename T, int N> struct alignas(sizeof(T) * N) Vector { T at[N]; };

// The type that moves so many bytes in one instruction.
template <int BYTES> struct Word;
template <> struct Word<1> { using type = unsigned char; };
template <> struct Word<2> { using type = unsigned short; };
template <> struct Word<4> { using type = unsigned; };
template <> struct Word<8> { using type = uint2; };
template <> struct Word<16> { using type = uint4; };

template <int N, typename T> __device__ __forceinline__ Vector<T, N> load(const T* from) {
    Vector<T, N> value;
    using W = typename Word<sizeof(value)>::type;
    *reinterpret_cast<W*>(&value) = *reinterpret_cast<const W*>(from);
    return value;
}
template <int N, typename T> __device__ __forceinline__ void store(T* to, const Vector<T, N>& value) {
    using W = typename Word<sizeof(value)>::type;
    const W word = *reinterpret_cast<const W*>(&value);
    // Spelled out, because the compiler has been seen to take 16 bytes apart. It may still move loads past it.
    if constexpr (sizeof(W) == 16)
        asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(word.x), "r"(word.y), "r"(word.z), "r"(word.w));
    else *reinterpret_cast<W*>(to) = word;
}

// Two at a time where the hardware can: one instruction rounds and packs a pair of 16-bit floats.
template <typename T, int N> __device__ __forceinline__ Vector<T, N> rounded(const float (&wide)[N]) {
    Vector<T, N> narrow;
    if constexpr (sizeof(T) == 2 && N % 2 == 0) {
        unsigned* pair = reinterpret_cast<unsigned*>(&narrow);
        #pragma unroll
        for (int i = 0; i < N; i += 2) {
            if constexpr (T::BRAIN) asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair[i / 2]) : "f"(wide[i + 1]), "f"(wide[i]));
            else asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair[i / 2]) : "f"(wide[i + 1]), "f"(wide[i]));
        }
    } else {
        #pragma unroll
        for (int i = 0; i < N; i++) narrow.at[i] = from_float<T>(wide[i]);
    }
    return narrow;
}

#define INFINITE __int_as_float(0x7f800000)

// exp, one over, and one over the root, each in one or two instructions and right to about an ulp. Subnormals are 0.
__device__ __forceinline__ float quick_exp(float value) {
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(value * 1.4426950408889634f));
    return result;
}
__device__ __forceinline__ float quick_inverse(float value) {
    float result;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(value));
    return result;
}
__device__ __forceinline__ float quick_inverse_root(float value) {
    float result;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(value));
    return result;
}

// Over WIDTH neighbouring lanes, a power of two; every one of them gets the result.
template <int WIDTH = 32> __device__ __forceinline__ float warp_sum(float value) {
    #pragma unroll
    for (int apart = WIDTH / 2; apart; apart /= 2) value += __shfl_xor_sync(~0u, value, apart);
    return value;
}
// A whole warp's maximum is one instruction for integers, and floats are in order as integers once the negative ones
// are turned around. NaN may win or lose.
template <int WIDTH = 32> __device__ __forceinline__ float warp_max(float value) {
    if constexpr (WIDTH == 32) {
        int bits = __float_as_int(value);
        bits = __reduce_max_sync(~0u, bits ^ (bits >> 31 & 0x7fffffff));
        return __int_as_float(bits ^ (bits >> 31 & 0x7fffffff));
    }
    #pragma unroll
    for (int apart = WIDTH / 2; apart; apart /= 2) value = fmaxf(value, __shfl_xor_sync(~0u, value, apart));
    return value;
}

// A cluster is a few blocks that run at the same time and reach each other's shared memory.
__device__ __forceinline__ unsigned cluster_rank() {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
// What was written before arriving is seen by every thread of the cluster after it has waited. The relaxed kind says
// nothing of writes: only that all blocks have started, and that their barriers are set up.
__device__ __forceinline__ void cluster_arrive() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
__device__ __forceinline__ void cluster_arrive_relaxed() { asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory"); }
__device__ __forceinline__ void cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
// Where `here`, in this block's shared memory, lies in that of the block `rank`.
__device__ __forceinline__ unsigned cluster_address(const void* here, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(unsigned(__cvta_generic_to_shared(here))), "r"(rank));
    return there;
}
__device__ __forceinline__ void cluster_store(float* here, unsigned rank, float value) {
    asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(cluster_address(here, rank)), "f"(value) : "memory");
}
// Written without waiting for it; the barrier of that block counts the bytes as they come in.
__device__ __forceinline__ void cluster_send(float2* here, unsigned rank, float2 value, unsigned long long* barrier) {
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [%0], {%1, %2}, [%3];"
                 ::"r"(cluster_address(here, rank)), "f"(value.x), "f"(value.y), "r"(cluster_address(barrier, rank)) : "memory");
}
__device__ __forceinline__ void cluster_send(float4* here, unsigned rank, float4 value, unsigned long long* barrier) {
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];"
                 ::"r"(cluster_address(here, rank)), "f"(value.x), "f"(value.y), "f"(value.z), "f"(value.w),
                   "r"(cluster_address(barrier, rank)) : "memory");
}

// A barrier in shared memory that counts bytes: some are announced, then they come in, in any order.
__device__ __forceinline__ void bytes_init(unsigned long long* barrier) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(unsigned(__cvta_generic_to_shared(barrier))) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ __forceinline__ void bytes_announce(unsigned long long* barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 ::"r"(unsigned(__cvta_generic_to_shared(barrier))), "r"(bytes) : "memory");
}
__device__ __forceinline__ void bytes_wait(unsigned long long* barrier, int phase) {
    asm volatile(
        "{\n.reg .pred done;\nagain:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again;\n}" ::"r"(unsigned(__cvta_generic_to_shared(barrier))), "r"(phase) : "memory");
}
// From memory to shared memory in 16-byte steps, without a thread waiting for it.
__device__ __forceinline__ void bulk_copy(void* to, const void* from, unsigned bytes, unsigned long long* barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 ::"r"(unsigned(__cvta_generic_to_shared(to))), "l"(from), "r"(bytes),
                   "r"(unsigned(__cvta_generic_to_shared(barrier))) : "memory");
}
