"""The vendor's own torch_npu on an emulated CANN: stand-ins for its C functions, torch's CPU kernels.

`prepare` finds the wheel and builds the stand-ins, before a run; `start` has the imported wheel compute;
`elf` and `wheel` know what a wheel needs.
"""
