#include "held_row.cuh"

template <typename T, int VECTOR, int VECTORS, int THREADS, int ROWS, int CLUSTER, int FIT, int STAGES>
__global__ void __launch_bounds__(THREADS * ROWS, blocks(THREADS, CLUSTER, FIT, STAGES))
softmax(const T* x, T* y, long long rows, long long columns, long long x_row, long long y_row) {
    using Row = HeldRow<T, VECTOR, VECTORS, THREADS, ROWS, CLUSTER, FIT>;
    __shared__ Board<float2, Row, CLUSTER, (STAGES > 0)> board;
    board.set_up();
    Ahead<T, Row, VECTOR, CLUSTER, STAGES> ahead(x, rows, columns, x_row);
    int turn = 0;
    for (long long at = Row::first();; at += ahead.step(), turn++) {
        const Row row(at, x, rows, columns, x_row);
        auto held = row.unpack(ahead.read(row), -INFINITE);

        float largest = -INFINITE, total = 0;
        held.each([&](float& value) { largest = fmaxf(largest, value); });
        largest = warp_max<Row::WIDTH>(largest);
        const float shift = largest == -INFINITE ? 0 : largest;  // -inf - -inf is NaN
        held.each([&](float& value) { total += value = quick_exp(value - shift); });
        total = warp_sum<Row::WIDTH>(total);

        float factor = quick_inverse(total);
        if constexpr (Row::PARTS > 1) {  // each warp has shifted by its own largest
            const auto parts = board.exchange(row, turn, make_float2(largest, total));
            ahead.refill();
            float row_largest = -INFINITE, row_total = 0;
            row.over(parts, [&](float2 part) { row_largest = fmaxf(row_largest, part.x); });
            row_largest = warp_max(row_largest);
            row.over(parts, [&](float2 part) { row_total += part.y * quick_exp(part.x - row_largest); });
            factor = quick_exp(largest - row_largest) * quick_inverse(warp_sum(row_total));
        }
        held.each([&](float& value) { value *= factor; });
        row.write(y + row.row * y_row, held);
        if (STAGES == 0 || at + ahead.step() >= rows) break;
    }
}
