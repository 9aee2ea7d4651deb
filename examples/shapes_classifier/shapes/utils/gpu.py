"""What the GPU is and can do."""

import shutil
import subprocess

import torch

try:
    import pynvml
except ImportError:
    pynvml = None


def autocast_dtype(name):
    """The autocast type for --amp-dtype; "auto" picks bfloat16 from Ampere on."""
    if name == "auto":
        major, _ = torch.cuda.get_device_capability()
        return torch.bfloat16 if major >= 8 else torch.float16
    return {"fp16": torch.float16, "bf16": torch.bfloat16}[name]


def describe(device):
    """One line for the head of the log."""
    if device.type != "cuda":
        return "running on the CPU"
    name = torch.cuda.get_device_name(device)
    total = torch.cuda.get_device_properties(device).total_memory / 1024**3
    return f"running on {name} ({total:.0f} GB), {torch.cuda.device_count()} visible"


def utilization():
    """Utilization of the first GPU in percent, or None where no NVIDIA driver tells."""
    if pynvml is not None:
        pynvml.nvmlInit()
        handle = pynvml.nvmlDeviceGetHandleByIndex(0)
        return pynvml.nvmlDeviceGetUtilizationRates(handle).gpu
    if shutil.which("nvidia-smi"):
        query = ["nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits"]
        return int(subprocess.check_output(query, text=True).splitlines()[0])
    return None
