// Four neighbours of a row of C, of which those past its end are not written. In one piece where the caller knows that all rows
// begin on 16 bytes and are whole numbers of such pieces.
#pragma once

__device__ __forceinline__ void write_four(float* c, long long i, long long j, long long m, long long n, long long row_step,
                                           long long column_step, bool whole, float x, float y, float z, float w) {
    if (i >= m || j >= n) return;
    float* place = c + i * row_step + j * column_step;
    if (whole) {
        *reinterpret_cast<float4*>(place) = make_float4(x, y, z, w);
        return;
    }
    place[0] = x;
    if (j + 1 < n) place[column_step] = y;
    if (j + 2 < n) place[2 * column_step] = z;
    if (j + 3 < n) place[3 * column_step] = w;
}
