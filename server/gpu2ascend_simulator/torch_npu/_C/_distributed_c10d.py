"""The process group of HCCL; where the device is mapped to the CPU, that of Gloo."""

from gpu2ascend_simulator.on_cpu.needed import IS_MAPPED

if IS_MAPPED:
    from torch.distributed import ProcessGroupGloo as ProcessGroupHCCL
else:
    from gpu2ascend_simulator.hccl.group import ProcessGroupHCCL as ProcessGroupHCCL
