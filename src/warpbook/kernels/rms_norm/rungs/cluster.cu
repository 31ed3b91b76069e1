#include "held_row.cuh"

// With ADD the row is x + residual, which is written to h as well. With EARLY the weights are on their way while the
// row is, and stay for the next; otherwise they take up no registers until they are needed.
template <typename T, int VECTOR, int VECTORS, int THREADS, int ROWS, int CLUSTER, int FIT, int STAGES, bool EARLY, bool ADD>
__global__ void __launch_bounds__(THREADS * ROWS, blocks(THREADS, CLUSTER, FIT, STAGES))
rms_norm(const T* x, const T* residual, const T* weight, T* y, T* h, long long rows, long long columns,
         long long x_row, long long residual_row, long long y_row, long long h_row, float eps) {
    using Row = HeldRow<T, VECTOR, VECTORS, THREADS, ROWS, CLUSTER, FIT>;
    __shared__ Board<float2, Row, CLUSTER, (STAGES > 0)> board;
    board.set_up();
    Ahead<T, Row, VECTOR, CLUSTER, STAGES> ahead(x, rows, columns, x_row);
    typename Row::template Shared<(STAGES > 0)> scale;
    int turn = 0;
    for (long long at = Row::first();; at += ahead.step(), turn++) {
        const Row row(at, x, rows, columns, x_row);
        auto pieces = ahead.read(row);
        if (EARLY && (FIT == CUT || at == Row::first())) row.read_shared(weight, scale);
        typename Row::Pieces other;
        if (ADD) other = row.read(residual + row.row * residual_row);
        auto held = row.unpack(pieces, 0);
        if (ADD) {
            const auto more = row.unpack(other, 0);
            held.each([](float& value, float more) { value += more; }, more);
            row.write(h + row.row * h_row, held);
        }

        float squares = 0;
        held.each([&](float& value) { squares += value * value; });
        squares = warp_sum<Row::WIDTH>(squares);
        if constexpr (Row::PARTS > 1) {
            const auto parts = board.exchange(row, turn, make_float2(squares, 0));
            ahead.refill();
            squares = 0;
            row.over(parts, [&](float2 part) { squares += part.x; });
            squares = warp_sum(squares);
        }
        const float factor = quick_inverse_root(squares * quick_inverse(columns) + eps);
        if (!EARLY) row.read_shared(weight, scale);
        held.each([&](float& value, float weight) { value *= factor * weight; }, scale);
        row.write(y + row.row * y_row, held);
        if (STAGES == 0 || at + ahead.step() >= rows) break;
    }
}
