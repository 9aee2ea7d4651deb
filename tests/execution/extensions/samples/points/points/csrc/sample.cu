__global__ void sample(float* x) { x[threadIdx.x] = 0; }
