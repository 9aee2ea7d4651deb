"""How CUDA names, their arguments and device texts are written for the NPU; several families share it."""
