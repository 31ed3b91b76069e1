#include "warp.cuh"

struct Words { unsigned at[4]; };

// 16 bytes of the matrix, if wanted. They are used once, and leave the L1 to the vector. Volatile, or the compiler puts loads
// off until there are registers to spare, and few are on their way.
__device__ __forceinline__ Words stream(const void* from, bool wanted) {
    Words found = {};
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %5, 0;\n"
                 "@p ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];\n}"
                 : "+r"(found.at[0]), "+r"(found.at[1]), "+r"(found.at[2]), "+r"(found.at[3])
                 : "l"(from), "r"(unsigned(wanted)));
    return found;
}
// As much of the vector, X elements at a time: it need not lie on 16 bytes as the rows do.
template <int X, typename T> __device__ __forceinline__ Words gather(const T* from, bool wanted) {
    union { Words words; T elements[16 / sizeof(T)]; } found = {};
    #pragma unroll
    for (int e = 0; e < 16 / sizeof(T); e += X)
        if (wanted) store(found.elements + e, load<X>(from + e));
    return found.words;
}
__device__ __forceinline__ float multiply_add(float, unsigned a, unsigned x, float sum) {
    return __uint_as_float(a) * __uint_as_float(x) + sum;
}
__device__ __forceinline__ float multiply_add(bf16, unsigned a, unsigned x, float sum) {
    sum = __uint_as_float(a << 16) * __uint_as_float(x << 16) + sum;
    return __uint_as_float(a & 0xffff0000) * __uint_as_float(x & 0xffff0000) + sum;
}
__device__ __forceinline__ float multiply_add(half16, unsigned a, unsigned x, float sum) {
    using H = half16;
    sum = to_float(H{(unsigned short)a}) * to_float(H{(unsigned short)x}) + sum;
    return to_float(H{(unsigned short)(a >> 16)}) * to_float(H{(unsigned short)(x >> 16)}) + sum;
}

// A row belongs to a team of TEAM threads in each block of a cluster; a team has ROWS rows at a time, as far apart as it takes
// for them to lie alike on 16 bytes, and UNROLL loads of each on their way. The few elements before the first and
// after the last whole 16 bytes of a row go one a thread.
template <typename T, int X, int THREADS, int TEAM, int ROWS, int UNROLL, int CLUSTER, int BLOCKS>
__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(THREADS, BLOCKS)
gemv(const T* __restrict__ matrix, const T* __restrict__ vector, T* y, long long rows, long long columns,
     long long row_step, long long log_apart, long long y_step) {
    constexpr int VECTOR = 16 / sizeof(T), ACROSS = TEAM * CLUSTER, PARTS = ACROSS > 32 ? ACROSS / 32 : 1;
    constexpr int EDGES = (2 * VECTOR + ACROSS - 1) / ACROSS;
    static_assert(TEAM <= 32 || TEAM == THREADS, "more than a warp a row is a whole block");
    static_assert(CLUSTER == 1 || TEAM == THREADS, "a cluster has one row");
    __shared__ float parts[ROWS][PARTS];
    const int rank = CLUSTER > 1 ? cluster_rank() : 0, member = rank * TEAM + threadIdx.x % TEAM;
    const long long apart = 1ll << log_apart, teams = (rows + ROWS * apart - 1) / ROWS >> log_apart << log_apart;
    if (CLUSTER > 1) cluster_arrive();

    for (long long block = blockIdx.x / CLUSTER; block * (THREADS / TEAM) < teams; block += gridDim.x / CLUSTER) {
        const long long team = block * (THREADS / TEAM) + threadIdx.x / TEAM;
        const long long first_row = (team >> log_apart) * ROWS * apart + (team & apart - 1);
        const T* row = matrix + first_row * row_step;
        const int off = int(-(long long)row & 15) / int(sizeof(T));
        const int head = off < columns ? off : int(columns), whole = int((columns - head) / VECTOR);
        const int edges = head + int((columns - head) % VECTOR);

        T a_edge[EDGES][ROWS] = {}, x_edge[EDGES] = {};
        #pragma unroll
        for (int k = 0; k < EDGES; k++) {
            const int e = member + k * ACROSS;
            const long long column = e < head ? e : e + (long long)whole * VECTOR;
            if (e < edges) x_edge[k] = vector[column];
            #pragma unroll
            for (int r = 0; r < ROWS; r++)
                if (e < edges && first_row + r * apart < rows) a_edge[k][r] = row[r * apart * row_step + column];
        }
        float total[ROWS] = {};
        for (int i = member; i < whole; i += UNROLL * ACROSS) {
            Words a[UNROLL][ROWS];
            #pragma unroll
            for (int k = 0; k < UNROLL; k++)
                #pragma unroll
                for (int r = 0; r < ROWS; r++)
                    a[k][r] = stream(row + head + r * apart * row_step + (long long)(i + k * ACROSS) * VECTOR,
                                             i + k * ACROSS < whole && first_row + r * apart < rows);
            #pragma unroll
            for (int k = 0; k < UNROLL; k++) {
                const auto x = gather<X>(vector + head + (long long)(i + k * ACROSS) * VECTOR, i + k * ACROSS < whole);
                #pragma unroll
                for (int r = 0; r < ROWS; r++) {
                    float sum = 0;
                    #pragma unroll
                    for (int w = 0; w < 4; w++) sum = multiply_add(T(), a[k][r].at[w], x.at[w], sum);
                    total[r] += sum;
                }
            }
        }
        #pragma unroll
        for (int r = 0; r < ROWS; r++) {
            #pragma unroll
            for (int k = 0; k < EDGES; k++) total[r] += to_float(a_edge[k][r]) * to_float(x_edge[k]);
            total[r] = warp_sum<TEAM < 32 ? TEAM : 32>(total[r]);
        }
        if constexpr (PARTS > 1) {
            CLUSTER > 1 ? cluster_wait() : __syncthreads();
            #pragma unroll
            for (int r = 0; r < ROWS; r++)
                if (threadIdx.x % 32 == 0) cluster_store(&parts[r][member / 32], 0, total[r]);
            if (CLUSTER > 1) cluster_arrive();
            CLUSTER > 1 ? cluster_wait() : __syncthreads();
            #pragma unroll
            for (int r = 0; r < ROWS; r++) {
                total[r] = 0;
                for (int i = threadIdx.x % 32; i < PARTS; i += 32) total[r] += parts[r][i];
                total[r] = warp_sum(total[r]);
            }
            if (CLUSTER > 1) cluster_arrive();
        }
        #pragma unroll
        for (int r = 0; r < ROWS; r++)
            if (member == r % TEAM && first_row + r * apart < rows)
                y[(first_row + r * apart) * y_step] = from_float<T>(total[r]);
    }
    if (CLUSTER > 1) cluster_wait();
}
