# Written by gpu2ascend: paths of this project on ModelArts.
from .modelarts_path_manager import ModelArtsPathManager

__all__ = ["ModelArtsPathManager"]
