// Hopper's own: copies of whole tiles by the copy engine (TMA), barriers that count them in, and what surrounds the
// matrix instructions of a warpgroup (wgmma). The instructions themselves are in wgmma.cuh.
#pragma once
#include "warp.cuh"

// How a matrix lies in memory and how it is cut into tiles: 128 bytes that tensor_map.py has the driver write. A kernel
// takes it by value, as `const __grid_constant__ TensorMap`, before all its other arguments.
struct alignas(64) TensorMap { unsigned long long opaque[16]; };

using Barrier = unsigned long long;

__device__ __forceinline__ unsigned shared_address(const void* here) { return unsigned(__cvta_generic_to_shared(here)); }

// A barrier's phase ends when `count` threads have arrived and all the bytes that were announced have come in. It is
// waited for by the phase's parity: 0 for the first, then 1, then 0.
__device__ __forceinline__ void barrier_init(Barrier* barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}
// After the last barrier is set up, before other blocks or the copy engine use one; then a __syncthreads or a cluster's.
__device__ __forceinline__ void barriers_ready() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ __forceinline__ void barrier_arrive(Barrier* barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
// At the barrier in the same place of another block of the cluster. It says that something was read; it passes on no writes,
// for which every arrival would have to wait until all of them are seen on the whole device.
__device__ __forceinline__ void barrier_arrive(Barrier* barrier, unsigned rank) {
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(cluster_address(barrier, rank)) : "memory");
}
// Arrives, and announces bytes.
__device__ __forceinline__ void barrier_expect(Barrier* barrier, unsigned bytes) { bytes_announce(barrier, bytes); }
__device__ __forceinline__ void barrier_wait(Barrier* barrier, unsigned parity) { bytes_wait(barrier, int(parity)); }
// The same, where threads of other blocks arrive too.
__device__ __forceinline__ void barrier_wait_cluster(Barrier* barrier, unsigned parity) {
    asm volatile(
        "{\n.reg .pred done;\nagain:\n"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again;\n}" ::"r"(shared_address(barrier)), "r"(parity) : "memory");
}
// Some warps of a block, in multiples of 32 threads, by one of its 16 numbered barriers; __syncthreads is number 0.
__device__ __forceinline__ void part_sync(int number, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

// A tile, whose first element is in column x and row y of the matrix, into shared memory. What is outside the matrix
// comes as zeros, and counts among the bytes. One thread asks for all of it.
__device__ __forceinline__ void tile_load(void* to, const TensorMap& map, Barrier* barrier, int x, int y) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];"
                 ::"r"(shared_address(to)), "l"(&map), "r"(shared_address(barrier)), "r"(x), "r"(y) : "memory");
}
// The same into every block of the cluster whose bit is set in `blocks`, each at the same place, each counted in by its
// own barrier.
__device__ __forceinline__ void tile_load(void* to, const TensorMap& map, Barrier* barrier, int x, int y, unsigned short blocks) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%3, %4}], [%2], %5;"
                 ::"r"(shared_address(to)), "l"(&map), "r"(shared_address(barrier)), "r"(x), "r"(y), "h"(blocks) : "memory");
}
// From shared memory; what would be outside the matrix is not written. The stores of a thread end in groups.
__device__ __forceinline__ void tile_store(const TensorMap& map, const void* from, int x, int y) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];"
                 ::"l"(&map), "r"(shared_address(from)), "r"(x), "r"(y) : "memory");
}
__device__ __forceinline__ void stores_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
// Until all but the last `PENDING` groups have read their shared memory, which may then be used again.
template <int PENDING> __device__ __forceinline__ void stores_wait_read() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
}
__device__ __forceinline__ void tile_prefetch_map(const TensorMap& map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}
// Between writes to shared memory by threads and reads of it by the copy engine or the matrix unit: in each thread that
// wrote, before the barrier that the reader waits for.
__device__ __forceinline__ void fence_shared() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// wgmma runs behind the program: fence before the first one that uses registers just written, commit what was issued as
// a group, wait until at most PENDING groups are unfinished before reading their sums.
__device__ __forceinline__ void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int PENDING> __device__ __forceinline__ void wgmma_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

// Where wgmma finds an operand: a tile in shared memory at a multiple of 1024 bytes, swizzled by 128 bytes as TMA leaves
// it. Rows are 128 bytes: 64 elements of 16 bits or 32 of float32; 8 rows are a group of 1024 bytes.
//   k along a row (rows are m or n):  next_group is 1024, next_slab is not used; 32 bytes further is the next step of k.
//   m or n along a row (rows are k):  next_group, from 8 rows of k to the next 8, is 1024; next_slab is from the first 64
//                                     of m or n to the next 64; 2048 bytes further is the next step of k (16 rows).
//                                     Only for 16-bit elements, with the instruction's transpose bit set.
__device__ __forceinline__ unsigned long long operand(const void* tile, unsigned next_slab = 16, unsigned next_group = 1024) {
    const unsigned long long start = (shared_address(tile) & 0x3ffff) >> 4;
    return start | (unsigned long long)(next_slab >> 4) << 16 | (unsigned long long)(next_group >> 4) << 32 | 1ull << 62;
}

// Warpgroups that only copy give registers back, and those that multiply take them. Each is called by all warps of a
// warpgroup; the kernel needs __launch_bounds__(threads, 1).
template <int COUNT> __device__ __forceinline__ void registers_give() { asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(COUNT)); }
template <int COUNT> __device__ __forceinline__ void registers_take() { asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(COUNT)); }
