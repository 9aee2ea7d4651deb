"""The back end ``hccl`` of torch.distributed: HCCL's rules about types and devices, Gloo's transport.

`installation.install` makes torch know it. Needs the device (`gpu2ascend_simulator.device`).
"""
