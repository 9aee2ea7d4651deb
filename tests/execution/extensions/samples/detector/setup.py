import glob
import os

import torch
from setuptools import find_packages, setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CppExtension, CUDAExtension


def extensions():
    kind, sources = CppExtension, glob.glob("det/csrc/*.cpp")
    if (torch.cuda.is_available() and CUDA_HOME is not None) or os.getenv("FORCE_CUDA", "0") == "1":
        kind, sources = CUDAExtension, sources + glob.glob("det/csrc/*.cu")
    return [kind("det._C", sources)]


setup(name="det", packages=find_packages(), ext_modules=extensions(), cmdclass={"build_ext": BuildExtension})
