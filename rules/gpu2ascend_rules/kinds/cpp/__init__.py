"""Sources in C++ and CUDA C++: what in them needs CUDA."""

from __future__ import annotations

from ..kind import Kind
from .cpp_file import CppFile
from .places import CudaUse

KIND = Kind(
    name="cpp",
    file=CppFile,
    places=(CudaUse,),
    patterns=("*.cu", "*.cuh", "*.c", "*.cc", "*.cpp", "*.cxx", "*.h", "*.hh", "*.hpp", "*.hxx"),
    languages=("cuda-cpp",),
    is_searched=True,
)
