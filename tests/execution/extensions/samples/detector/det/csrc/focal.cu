__global__ void focal(float* x) { x[threadIdx.x] *= 2; }
