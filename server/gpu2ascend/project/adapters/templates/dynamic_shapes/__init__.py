# Written by gpu2ascend: finds operators whose shapes change while a training runs.
from .hook import DETECTOR

__all__ = ["DETECTOR"]
