#include "warp.cuh"

// Streaming tells the caches that nothing is used again: lines loaded and stored go first when room
// is needed.
template <bool STREAM, typename V> __device__ __forceinline__ V fetch(const V* from) {
    if constexpr (STREAM && sizeof(V) == 16) {
        uint4 bits = __ldcs(reinterpret_cast<const uint4*>(from));
        return *reinterpret_cast<V*>(&bits);
    } else return *from;
}
template <bool STREAM, typename V> __device__ __forceinline__ void put(V* to, V value) {
    if constexpr (STREAM && sizeof(V) == 16) __stcs(reinterpret_cast<uint4*>(to), *reinterpret_cast<uint4*>(&value));
    else *to = value;
}

// A thread adds EACH vectors, a block's width apart, and all its loads leave before the first sum. Where
// VECTOR is more than 1 every step is 1.
template <typename T, int VECTOR, int EACH, bool STREAM>
__global__ void add(const T* a, const T* b, T* c, long long length, long long a_step, long long b_step,
                    long long c_step) {
    using V = Vector<T, VECTOR>;
    const long long first = (blockIdx.x * (long long)EACH * blockDim.x + threadIdx.x) * VECTOR;
    V left[EACH], right[EACH];
    #pragma unroll
    for (int k = 0; k < EACH; k++) {
        long long i = first + k * blockDim.x * VECTOR;
        if (i + VECTOR > length) break;
        left[k] = fetch<STREAM>(reinterpret_cast<const V*>(a + i * a_step));
        right[k] = fetch<STREAM>(reinterpret_cast<const V*>(b + i * b_step));
    }
    #pragma unroll
    for (int k = 0; k < EACH; k++) {
        long long i = first + k * blockDim.x * VECTOR;
        if (i + VECTOR > length) {  // at most one thread finds part of a vector here
            for (; i < length; i++) c[i] = from_float<T>(to_float(a[i]) + to_float(b[i]));
            break;
        }
        #pragma unroll
        for (int e = 0; e < VECTOR; e++)
            left[k].at[e] = from_float<T>(to_float(left[k].at[e]) + to_float(right[k].at[e]));
        put<STREAM>(reinterpret_cast<V*>(c + i * c_step), left[k]);
    }
}
