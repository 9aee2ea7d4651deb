__global__ void bias_act(float* x, float slope) { x[threadIdx.x] *= slope; }
