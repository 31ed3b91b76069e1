#include "held_row.cuh"

template <typename T, int VECTOR, int VECTORS, int THREADS, int ROWS, int CLUSTER, bool EDGES>
__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(THREADS * ROWS)
softmax(const T* x, T* y, long long rows, long long columns, long long x_row, long long y_row) {
    using Row = HeldRow<T, VECTOR, VECTORS, THREADS, ROWS, CLUSTER, EDGES>;
    const Row held(x, rows, columns, x_row);
    typename Row::Piece piece[VECTORS];
    held.read(x + held.row * x_row, piece);

    float value[VECTORS][VECTOR], largest = -INFINITE;
    #pragma unroll
    for (int k = 0; k < VECTORS; k++)
        #pragma unroll
        for (int e = 0; e < VECTOR; e++) {
            value[k][e] = held.has(held.start(k) + e) ? to_float(piece[k].at[e]) : -INFINITE;
            largest = fmaxf(largest, value[k][e]);
        }
    largest = warp_max<Row::WIDTH>(largest);
    const float shift = largest == -INFINITE ? 0 : largest;  // -inf - -inf is NaN
    float total = 0;
    #pragma unroll
    for (int k = 0; k < VECTORS; k++)
        #pragma unroll
        for (int e = 0; e < VECTOR; e++) total += value[k][e] = __expf(value[k][e] - shift);
    total = warp_sum<Row::WIDTH>(total);

    float factor = 1 / total;
    if (Row::PARTS > 1) {  // each warp has shifted by its own largest
        __shared__ float2 parts[Row::PARTS];
        held.exchange(parts, make_float2(largest, total));
        float row_largest = -INFINITE, row_total = 0;
        for (int i = held.thread % 32; i < Row::PARTS; i += 32) row_largest = fmaxf(row_largest, parts[i].x);
        row_largest = warp_max(row_largest);
        for (int i = held.thread % 32; i < Row::PARTS; i += 32)
            row_total += parts[i].y * __expf(parts[i].x - row_largest);
        factor = __expf(largest - row_largest) / warp_sum(row_total);
    }

    #pragma unroll
    for (int k = 0; k < VECTORS; k++) {
        #pragma unroll
        for (int e = 0; e < VECTOR; e++) piece[k].at[e] = from_float<T>(value[k][e] * factor);
        held.write(y + held.row * y_row, k, piece[k]);
    }
}
