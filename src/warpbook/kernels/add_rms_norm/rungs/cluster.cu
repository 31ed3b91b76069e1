// The kernel of rms_norm, told to add first.
#include "rms_norm/rungs/cluster.cu"
