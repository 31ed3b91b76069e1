#include "held_row.cuh"

// Of some numbers: how many there are, their mean, and the sum of the squares of their distances from it.
struct Moments {
    float size, mean, squares;
    __device__ __forceinline__ void add(Moments other) {
        const float share = other.size * quick_inverse(fmaxf(size + other.size, 1)), apart = other.mean - mean;
        squares += other.squares + apart * apart * size * share;
        mean += apart * share;
        size += other.size;
    }
};

// Over WIDTH lanes; SAME where all of them have as many.
template <int WIDTH, bool SAME> __device__ __forceinline__ Moments merged(Moments own) {
    #pragma unroll
    for (int apart = 1; apart < WIDTH; apart *= 2) {
        const float mean = __shfl_xor_sync(~0u, own.mean, apart), squares = __shfl_xor_sync(~0u, own.squares, apart);
        if (SAME) {
            const float half = 0.5f * (mean - own.mean);
            own = {2 * own.size, own.mean + half, own.squares + squares + 2 * own.size * half * half};
        } else own.add({__shfl_xor_sync(~0u, own.size, apart), mean, squares});
    }
    return own;
}

// With ADD the row is x + residual, which is written to h as well. With EARLY weight and bias are on their way while
// the row is, and stay for the next; otherwise they take up no registers until they are needed.
template <typename T, int VECTOR, int VECTORS, int THREADS, int ROWS, int CLUSTER, int FIT, int STAGES, bool EARLY, bool ADD>
__global__ void __launch_bounds__(THREADS * ROWS, blocks(THREADS * ROWS, STAGES))
layer_norm(const T* x, const T* residual, const T* weight, const T* bias, T* y, T* h, long long rows, long long columns,
           long long x_row, long long residual_row, long long y_row, long long h_row, float eps) {
    using Row = HeldRow<T, VECTOR, VECTORS, THREADS, ROWS, CLUSTER, FIT>;
    __shared__ Board<float4, Row, CLUSTER, (STAGES > 0)> board;
    board.set_up();
    Ahead<T, Row, VECTOR, CLUSTER, STAGES> ahead(x, rows, columns, x_row);
    typename Row::Pieces scale, shift;
    int turn = 0;
    for (long long at = Row::first();; at += ahead.step(), turn++) {
        const Row row(at, x, rows, columns, x_row);
        auto pieces = ahead.read(row);
        if (EARLY && (FIT == CUT || at == Row::first())) scale = row.shared(weight), shift = row.shared(bias);
        typename Row::Pieces other;
        if (ADD) other = row.read(residual + row.row * residual_row);
        auto held = row.unpack(pieces, 0);
        if (ADD) {
            const auto more = row.unpack(other, 0);
            held.each([](float& value, float more) { value += more; }, more);
            row.write(h + row.row * h_row, held);
        }

        // Each thread's own mean and distances from it, merged with a neighbour's again and again: nothing large
        // cancels, and one exchange tells all.
        Moments moments = {float(row.size()), 0, 0};
        held.each([&](float& value) { moments.mean += value; });
        moments.mean *= quick_inverse(fmaxf(moments.size, 1));
        row.each_own(held, [&](float value) { moments.squares += (value - moments.mean) * (value - moments.mean); });
        moments = merged<Row::WIDTH, FIT == EXACT>(moments);
        if constexpr (Row::PARTS > 1) {
            const auto parts = board.exchange(row, turn, make_float4(moments.size, moments.mean, moments.squares, 0));
            ahead.refill();
            moments = {0, 0, 0};
            row.over(parts, [&](float4 part) { moments.add({part.x, part.y, part.z}); });
            moments = merged<32, FIT == EXACT && Row::PARTS % 32 == 0>(moments);
        }

        const float mean = moments.mean, factor = quick_inverse_root(moments.squares * quick_inverse(columns) + eps);
        if (!EARLY) scale = row.shared(weight), shift = row.shared(bias);
        held.each([&](float& value, float weight, float bias) { value = (value - mean) * factor * weight + bias; }, scale, shift);
        row.write(y + row.row * y_row, held);
        if (STAGES == 0 || at + ahead.step() >= rows) break;
    }
}
