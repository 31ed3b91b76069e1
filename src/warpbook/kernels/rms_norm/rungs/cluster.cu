#include "held_row.cuh"

// With ADD the row is x + residual, which is written to h as well. With EARLY the weights are on their way while the
// row is; otherwise they take up no registers until they are needed.
template <typename T, int VECTOR, int VECTORS, int THREADS, int ROWS, int CLUSTER, bool EDGES, bool EARLY,
          bool ADD>
__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(THREADS * ROWS)
rms_norm(const T* x, const T* residual, const T* weight, T* y, T* h, long long rows, long long columns,
         long long x_row, long long residual_row, long long y_row, long long h_row, float eps) {
    using Row = HeldRow<T, VECTOR, VECTORS, THREADS, ROWS, CLUSTER, EDGES>;
    const Row held(x, rows, columns, x_row);
    typename Row::Piece piece[VECTORS], other[VECTORS], scale[VECTORS];
    held.read(x + held.row * x_row, piece);
    if (ADD) held.read(residual + held.row * residual_row, other);
    #pragma unroll
    for (int k = 0; k < VECTORS; k++) if (EARLY) scale[k] = held.shared_by_rows(weight, k);

    float value[VECTORS][VECTOR], squares = 0;
    #pragma unroll
    for (int k = 0; k < VECTORS; k++) {
        #pragma unroll
        for (int e = 0; e < VECTOR; e++) {
            value[k][e] = held.has(held.start(k) + e) ? to_float(piece[k].at[e]) : 0;
            if (ADD && held.has(held.start(k) + e)) value[k][e] += to_float(other[k].at[e]);
            if (ADD) other[k].at[e] = from_float<T>(value[k][e]);
            squares += value[k][e] * value[k][e];
        }
        if (ADD) held.write(h + held.row * h_row, k, other[k]);
    }
    squares = warp_sum<Row::WIDTH>(squares);
    if (Row::PARTS > 1) {
        __shared__ float2 parts[Row::PARTS];
        held.exchange(parts, make_float2(squares, 0));
        squares = 0;
        for (int i = held.thread % 32; i < Row::PARTS; i += 32) squares += parts[i].x;
        squares = warp_sum(squares);
    }

    const float factor = rsqrtf(squares / columns + eps);
    #pragma unroll
    for (int k = 0; k < VECTORS; k++) {
        if (!EARLY) scale[k] = held.shared_by_rows(weight, k);
        #pragma unroll
        for (int e = 0; e < VECTOR; e++)
            piece[k].at[e] = from_float<T>(value[k][e] * factor * to_float(scale[k].at[e]));
        held.write(y + held.row * y_row, k, piece[k]);
    }
}
