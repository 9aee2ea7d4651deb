"""The vendor's own torch_npu on an emulated CANN: stand-ins for the runtime's C functions, torch's CPU kernels.

`prepare` finds the wheel and builds the stand-ins, `operators` computes. `elf` and `wheel` know what a wheel needs.
"""
