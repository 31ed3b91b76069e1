#include "held_row.cuh"

// With ADD the row is x + residual, which is written to h as well. With EARLY the weights are on their way while the
// row is; otherwise they take up no registers until they are needed.
template <typename T, int VECTOR, int VECTORS, int THREADS, int ROWS, int CLUSTER, bool EDGES, bool EARLY,
          bool ADD>
__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(THREADS * ROWS)
layer_norm(const T* x, const T* residual, const T* weight, const T* bias, T* y, T* h, long long rows, long long columns,
           long long x_row, long long residual_row, long long y_row, long long h_row, float eps) {
    using Row = HeldRow<T, VECTOR, VECTORS, THREADS, ROWS, CLUSTER, EDGES>;
    const Row held(x, rows, columns, x_row);
    typename Row::Piece piece[VECTORS], other[VECTORS], scale[VECTORS], shift[VECTORS];
    held.read(x + held.row * x_row, piece);
    if (ADD) held.read(residual + held.row * residual_row, other);
    #pragma unroll
    for (int k = 0; k < VECTORS; k++)
        if (EARLY) scale[k] = held.shared_by_rows(weight, k), shift[k] = held.shared_by_rows(bias, k);

    float value[VECTORS][VECTOR], sum = 0, squares = 0;
    int count = 0;
    #pragma unroll
    for (int k = 0; k < VECTORS; k++) {
        #pragma unroll
        for (int e = 0; e < VECTOR; e++) {
            const bool inside = held.has(held.start(k) + e);
            value[k][e] = inside ? to_float(piece[k].at[e]) : 0;
            if (ADD && inside) value[k][e] += to_float(other[k].at[e]);
            if (ADD) other[k].at[e] = from_float<T>(value[k][e]);
            sum += value[k][e];
            count += inside;
        }
        if (ADD) held.write(h + held.row * h_row, k, other[k]);
    }
    // Distances from the warp's own mean: no large numbers to cancel, and no barrier before the squares.
    sum = warp_sum<Row::WIDTH>(sum);
    const float held_here = warp_sum<Row::WIDTH>(count), near = sum / fmaxf(held_here, 1);
    #pragma unroll
    for (int k = 0; k < VECTORS; k++)
        #pragma unroll
        for (int e = 0; e < VECTOR; e++) {
            value[k][e] = held.has(held.start(k) + e) ? value[k][e] - near : 0;
            squares += value[k][e] * value[k][e];
        }
    squares = warp_sum<Row::WIDTH>(squares);
    float mean = near;
    if (Row::PARTS > 1) {
        __shared__ float4 parts[Row::PARTS];
        held.exchange(parts, make_float4(sum, near, squares, held_here));
        sum = squares = 0;
        for (int i = held.thread % 32; i < Row::PARTS; i += 32) sum += parts[i].x;
        mean = warp_sum(sum) / columns;
        for (int i = held.thread % 32; i < Row::PARTS; i += 32)
            squares += parts[i].z + parts[i].w * (parts[i].y - mean) * (parts[i].y - mean);
        squares = warp_sum(squares);
    }

    const float factor = rsqrtf(squares / columns + eps);
    #pragma unroll
    for (int k = 0; k < VECTORS; k++) {
        if (!EARLY) scale[k] = held.shared_by_rows(weight, k), shift[k] = held.shared_by_rows(bias, k);
        #pragma unroll
        for (int e = 0; e < VECTOR; e++)
            piece[k].at[e] = from_float<T>((value[k][e] - (mean - near)) * factor * to_float(scale[k].at[e]) + to_float(shift[k].at[e]));
        held.write(y + held.row * y_row, k, piece[k]);
    }
}
