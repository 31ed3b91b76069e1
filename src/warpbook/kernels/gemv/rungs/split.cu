#include "gemv/short_rows.cuh"
#include "words.cuh"

// A row belongs to TEAM threads in each of CLUSTER blocks, which have ROWS rows at a time, `apart` so that they lie alike on
// 16 bytes, and UNROLL loads of each on their way. WHOLE rows are multiples of 16 bytes, on such multiples, and so is the
// vector. Others have edges, which go one a thread, and between them whole pieces, whose part of the vector lies across two.
// BLOCKS a multiprocessor are wanted: it is what leaves registers for the loads.
template <typename T, bool WHOLE, int THREADS, int TEAM, int ROWS, int UNROLL, int CLUSTER, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
gemv(const T* __restrict__ matrix, const T* __restrict__ vector, T* y, long long rows, long long columns,
     long long row_step, long long log_apart, long long y_step) {
    constexpr int VECTOR = 16 / sizeof(T), TEAMS = THREADS / TEAM, ACROSS = TEAM * CLUSTER;
    constexpr int PARTS = ACROSS > 32 ? ACROSS / 32 : 1;
    static_assert(TEAM == THREADS || (TEAM <= 32 && CLUSTER == 1), "more than a warp a row is all of a block");
    __shared__ float parts[ROWS][PARTS];
    if (CLUSTER > 1) cluster_arrive();
    const int member = (CLUSTER > 1 ? cluster_rank() * TEAM : 0) + threadIdx.x % TEAM, log = WHOLE ? 0 : int(log_apart);
    const long long apart = 1ll << log, teams = (rows + ROWS * apart - 1) / ROWS >> log << log;

    for (long long block = blockIdx.x / CLUSTER; block * TEAMS < teams; block += gridDim.x / CLUSTER) {
        const long long team = block * TEAMS + threadIdx.x / TEAM;
        const long long first = (team >> log) * ROWS * apart + (team & apart - 1);
        const T* row[ROWS];  // one past the last is taken for the first
        #pragma unroll
        for (int r = 0; r < ROWS; r++) row[r] = matrix + (first + r * apart < rows ? first + r * apart : first) * row_step;
        const long long length = first < rows ? columns : 0;
        const int off = WHOLE ? 0 : int(-(long long)row[0] & 15) / int(sizeof(T));
        const int head = off < length ? off : int(length), shift = WHOLE ? 0 : int((long long)(vector + head) & 15);
        // The last piece of the vector must not be across its end.
        const long long inner = length - head - (shift ? VECTOR - shift / int(sizeof(T)) : 0);
        const int whole = inner > 0 ? int(inner / VECTOR) : 0, edges = WHOLE ? 0 : int(length - (long long)whole * VECTOR);
        auto column_of = [&](int edge) { return edge < head ? edge : edge + (long long)whole * VECTOR; };

        T a_edge[ROWS] = {}, x_edge = {};
        if (member < edges) {
            x_edge = vector[column_of(member)];
            #pragma unroll
            for (int r = 0; r < ROWS; r++) a_edge[r] = row[r][column_of(member)];
        }
        float total[ROWS] = {};
        #pragma unroll 1
        for (int i = member; i < whole; i += UNROLL * ACROSS) {
            const long long column = head + (long long)i * VECTOR;
            Words a[UNROLL][ROWS];
            #pragma unroll
            for (int k = 0; k < UNROLL; k++)
                #pragma unroll
                for (int r = 0; r < ROWS; r++) a[k][r] = stream(row[r] + column + k * ACROSS * VECTOR, i + k * ACROSS < whole);
            #pragma unroll
            for (int k = 0; k < UNROLL; k++) {
                const bool wanted = i + k * ACROSS < whole;
                const T* from = vector + column + k * ACROSS * VECTOR - shift / int(sizeof(T));
                Words x = keep(from, wanted);
                if (!WHOLE) x = cut<T>(x, keep(from + VECTOR, wanted && shift), shift);
                #pragma unroll
                for (int r = 0; r < ROWS; r++) {
                    float sum = 0;
                    #pragma unroll
                    for (int w = 0; w < 4; w++) sum = multiply_add(T(), a[k][r].at[w], x.at[w], sum);
                    total[r] += sum;
                }
            }
        }
        for (int e = member + ACROSS; ACROSS < 3 * VECTOR && e < edges; e += ACROSS) {
            #pragma unroll
            for (int r = 0; r < ROWS; r++) total[r] += to_float(row[r][column_of(e)]) * to_float(vector[column_of(e)]);
        }
        #pragma unroll
        for (int r = 0; r < ROWS; r++) {
            total[r] += to_float(a_edge[r]) * to_float(x_edge);
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
            if (member == r % TEAM && first + r * apart < rows) y[(first + r * apart) * y_step] = from_float<T>(total[r]);
    }
    if (CLUSTER > 1) cluster_wait();
}
