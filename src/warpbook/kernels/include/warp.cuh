// What the kernels here share: 16-bit floats, vectors of 16 bytes, sums and maxima over a warp, and
// the few instructions of thread-block clusters. Needs no header of the CUDA toolkit.
#pragma once

struct half16 { unsigned short bits; };  // IEEE half, torch.float16
struct bf16 { unsigned short bits; };    // torch.bfloat16

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

template <int N, typename T> __device__ __forceinline__ Vector<T, N> load(const T* from) {
    return *reinterpret_cast<const Vector<T, N>*>(from);
}
template <int N, typename T> __device__ __forceinline__ void store(T* to, Vector<T, N> value) {
    *reinterpret_cast<Vector<T, N>*>(to) = value;
}

#define INFINITE __int_as_float(0x7f800000)

// Over WIDTH neighbouring lanes, a power of two; every one of them gets the result.
template <int WIDTH = 32> __device__ __forceinline__ float warp_sum(float value) {
    #pragma unroll
    for (int apart = WIDTH / 2; apart; apart /= 2) value += __shfl_xor_sync(~0u, value, apart);
    return value;
}
template <int WIDTH = 32> __device__ __forceinline__ float warp_max(float value) {
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
// What was written before arriving is seen by every thread of the cluster after it has waited.
__device__ __forceinline__ void cluster_arrive() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
__device__ __forceinline__ void cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
// Writes to where `here`, in this block's shared memory, lies in that of the block `rank`.
__device__ __forceinline__ void cluster_store(float2* here, unsigned rank, float2 value) {
    unsigned address = unsigned(__cvta_generic_to_shared(here)), there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};" ::"r"(there), "f"(value.x), "f"(value.y) : "memory");
}
__device__ __forceinline__ void cluster_store(float4* here, unsigned rank, float4 value) {
    unsigned address = unsigned(__cvta_generic_to_shared(here)), there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(there), "f"(value.x), "f"(value.y), "f"(value.z), "f"(value.w) : "memory");
}

// exp in two instructions, as close as __expf. That takes three more, to keep results too small for
// a normal number; here they are 0.
__device__ __forceinline__ float fast_exp(float value) {
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(value * 1.4426950408889634f));
    return power;
}
