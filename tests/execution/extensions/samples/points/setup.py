import glob
import os

from setuptools import find_packages, setup
from torch.utils.cpp_extension import BuildExtension


def extensions():
    if os.getenv("POINTS_WITH_CUDA", "0") == "1":
        from torch.utils.cpp_extension import CUDAExtension as Extension

        files = glob.glob("points/csrc/*.cu")
    else:
        from torch.utils.cpp_extension import CppExtension as Extension

        files = glob.glob("points/csrc/*.cpp")
    return [Extension(name="points._ext", sources=files)]


setup(name="points", packages=find_packages(), ext_modules=extensions(), cmdclass={"build_ext": BuildExtension})
