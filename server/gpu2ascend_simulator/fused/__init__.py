"""Fused operators that code is ported to, in plain PyTorch: one value for one, not one rounding for one.

Their signatures are those of torch_npu's schemas (``torch_npu._C._VariableFunctions`` of its wheels).
"""
