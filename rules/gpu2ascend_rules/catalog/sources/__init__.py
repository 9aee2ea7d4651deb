"""NPU14xx: sources in C++ and CUDA C++."""
