"""The process group of HCCL."""

from .._extension import library

ProcessGroupHCCL = library.ProcessGroupHCCL
