"""Logging to the terminal and to a file; only the main process speaks."""

import logging
import os
import sys

import torch

from shapes.utils.distributed import is_main_process

MB = 1024.0 * 1024.0


def get_logger(output):
    logger = logging.getLogger("shapes")
    logger.setLevel(logging.INFO if is_main_process() else logging.ERROR)
    logger.handlers.clear()
    formatter = logging.Formatter("%(asctime)s %(levelname)s %(message)s", "%H:%M:%S")
    handlers = [logging.StreamHandler(sys.stdout)]
    if is_main_process():
        handlers.append(logging.FileHandler(os.path.join(output, "train.log")))
    for handler in handlers:
        handler.setFormatter(formatter)
        logger.addHandler(handler)
    return logger


def memory_summary(device):
    """Peak memory of the CUDA device, or nothing on a CPU."""
    if device.type != "cuda":
        return ""
    return "mem {:.0f}MB".format(torch.cuda.max_memory_allocated() / MB)
