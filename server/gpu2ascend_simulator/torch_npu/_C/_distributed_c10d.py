"""The process group of HCCL."""

from gpu2ascend_simulator.hccl.group import ProcessGroupHCCL as ProcessGroupHCCL
