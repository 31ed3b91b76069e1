#include "held_row.cuh"

// With ADD the row is x + residual, which is written to h as well. With EARLY weight and bias are on their way while
// the row is, and stay for the next; otherwise they take up no registers until they are needed.
template <typename T, int VECTOR, int VECTORS, int THREADS, int ROWS, int CLUSTER, int FIT, int STAGES, bool EARLY, bool ADD>
__global__ void __launch_bounds__(THREADS * ROWS, blocks(THREADS, CLUSTER, FIT, STAGES))
layer_norm(const T* x, const T* residual, const T* weight, const T* bias, T* y, T* h, long long rows, long long columns,
           long long x_row, long long residual_row, long long y_row, long long h_row, float eps) {
    using Row = HeldRow<T, VECTOR, VECTORS, THREADS, ROWS, CLUSTER, FIT>;
    __shared__ Board<float4, Row, CLUSTER, (STAGES > 0)> board;
    board.set_up();
    Ahead<T, Row, VECTOR, CLUSTER, STAGES> ahead(x, rows, columns, x_row);
    typename Row::template Shared<(STAGES > 0)> scale, shift;
    int turn = 0;
    for (long long at = Row::first();; at += ahead.step(), turn++) {
        const Row row(at, x, rows, columns, x_row);
        auto pieces = ahead.read(row);
        if (EARLY && (FIT == CUT || at == Row::first())) row.read_shared(weight, scale), row.read_shared(bias, shift);
        typename Row::Pieces other;
        if (ADD) other = row.read(residual + row.row * residual_row);
        auto held = row.unpack(pieces, 0);
        if (ADD) {
            const auto more = row.unpack(other, 0);
            held.each([](float& value, float more) { value += more; }, more);
            row.write(h + row.row * h_row, held);
        }

        // Distances from the warp's own mean: no large numbers to cancel, and one exchange tells all.
        float sum = 0, squares = 0;
        held.each([&](float& value) { sum += value; });
        sum = warp_sum<Row::WIDTH>(sum);
        const float size = FIT == EXACT && ROWS == 1 ? Row::WIDTH * VECTORS * VECTOR : warp_sum<Row::WIDTH>(row.size());
        float mean = sum * quick_inverse(fmaxf(size, 1));
        row.each_own(held, [&](float value) { squares += (value - mean) * (value - mean); });
        squares = warp_sum<Row::WIDTH>(squares);
        if constexpr (Row::PARTS > 1) {
            const auto parts = board.exchange(row, turn, make_float4(sum, mean, squares, size));
            ahead.refill();
            sum = squares = 0;
            row.over(parts, [&](float4 part) { sum += part.x; });
            mean = warp_sum(sum) * quick_inverse(columns);
            row.over(parts, [&](float4 part) { squares += part.z + part.w * (part.y - mean) * (part.y - mean); });
            squares = warp_sum(squares);
        }

        const float factor = quick_inverse_root(squares * quick_inverse(columns) + eps);
        if (!EARLY) row.read_shared(weight, scale), row.read_shared(bias, shift);
        held.each([&](float& value, float weight, float bias) { value = (value - mean) * factor * weight + bias; }, scale, shift);
        row.write(y + row.row * y_row, held);
        if (STAGES == 0 || at + ahead.step() >= rows) break;
    }
}
