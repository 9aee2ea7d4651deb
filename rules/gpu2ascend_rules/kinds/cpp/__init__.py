"""Sources in C++ and CUDA C++: what in them needs CUDA.

They are searched, not parsed: macros and alternatives of the preprocessor leave no whole syntax to parse.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from ..kind import Kind, KindFile
from .places import CudaUse, Sign

_CUDA_SUFFIXES = (".cu", ".cuh")
_LIBRARIES = (
    rb"cublas\w*|cudnn\w*|cufft\w*|curand\w*|cusparse\w*|cusolver\w*|cutensor\w*|nccl|nvml|nvrtc|nvToolsExt"
)
_INCLUDE = re.compile(
    rb"^[ \t]*#[ \t]*include[ \t]*[<\"](?P<header>"
    rb"cuda(?:_(?:runtime\w*|fp\w+|bf\w+|profiler_api|device_runtime_api|texture_types|pipeline|awbarrier))?\.h(?:pp)?"
    rb"|(?:" + _LIBRARIES + rb")\.h"
    rb"|(?:ATen|c10|torch/csrc|torch/csrc/api/include/torch)/(?:[\w.]+/)*cuda/[\w./]+|ATen/cudnn/[\w./]+"
    rb"|(?:thrust|cub|cutlass|cute|nvtx3|cuda/std|cooperative_groups)/[\w./]+|cooperative_groups\.h|mma\.h"
    rb"|[\w./]+\.cuh)[>\"]",
    re.MULTILINE,
)
_CODE = re.compile(rb"\b__(?:global|device|shared|constant)__\b|<<<[^<>;{}]{1,400}>>>[ \t\r\n]*\(")
_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(if\w*|el\w+|endif)\b[ \t]*([^\n]*)", re.MULTILINE)
_OF_NVCC = re.compile(rb"(?:defined[ \t]*\(?[ \t]*)?__(?:CUDACC|CUDA_ARCH|NVCC)__[ \t]*\)?[ \t\r]*")
"""A condition that holds for the compiler of CUDA alone."""
_SKIPPED = re.compile(
    rb'//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"|' + rb"'(?:\\.|[^'\\\n]){1,8}'", re.DOTALL
)


class CppFile(KindFile):
    """One version of one source."""

    comment_mark = "//"
    joins_lines = True

    def read_places(self) -> Iterator[CudaUse]:
        """One at most: nothing of such a file is changed, and nothing in it is found twice."""
        is_cuda = self.path.lower().endswith(_CUDA_SUFFIXES)
        include = next(self._outside_comments(_INCLUDE, self.data), None)
        if include is not None:
            start, end = include.span("header")
            yield CudaUse(start, end, Sign.HEADER, include["header"].decode("utf-8", "replace"))
            return
        codes = _CODE.finditer(self._code)
        code = next((match for match in codes if not self._is_for_nvcc(match.start())), None)
        if code is not None:
            text = code[0].decode("utf-8", "replace") if code[0].startswith(b"__") else "<<<"
            yield CudaUse(code.start(), code.start() + len(text), Sign.CODE, text)
        elif is_cuda and self.data.strip():
            start = len(self.data) - len(self.data.lstrip())
            yield CudaUse(start, self.lines.line_span(self.lines.line_of(start))[1], Sign.NAME, "")

    def _outside_comments(self, pattern: re.Pattern[bytes], data: bytes) -> Iterator[re.Match[bytes]]:
        for match in pattern.finditer(data):
            at = match.start("header")
            if not self._is_in_comment(at) and not self._is_for_nvcc(at):
                yield match

    @cached_property
    def _skipped(self) -> tuple[tuple[int, int], ...]:
        """Comments, in text order; strings are among what is passed over to find them."""
        return tuple(
            match.span() for match in _SKIPPED.finditer(self.data) if match[0].startswith((b"//", b"/*"))
        )

    def _is_in_comment(self, at: int) -> bool:
        return any(start <= at < end for start, end in self._skipped)

    @cached_property
    def _for_nvcc(self) -> tuple[tuple[int, int], ...]:
        """The parts that the preprocessor leaves out for every other compiler; none in sources of CUDA."""
        found: list[tuple[int, int]] = []
        opened: list[int] = []  # where each part around began, or -1 for one of others
        for match in _DIRECTIVE.finditer(self.data):
            word, condition = match[1], match[2]
            if not word.startswith(b"if"):
                start = opened.pop() if opened else -1
                found += [(start, match.start())] if start >= 0 else []
            if word != b"endif":
                is_of_nvcc = word in (b"if", b"ifdef", b"elif") and _OF_NVCC.fullmatch(condition) is not None
                opened.append(match.end() if is_of_nvcc else -1)
        return tuple(found) if not self.path.lower().endswith(_CUDA_SUFFIXES) else ()

    def _is_for_nvcc(self, at: int) -> bool:
        return any(start <= at < end for start, end in self._for_nvcc)

    @cached_property
    def _code(self) -> bytes:
        """The text with blanks for comments and strings; no place moves."""
        return _SKIPPED.sub(lambda match: re.sub(rb"[^\n]", b" ", match[0]), self.data)

    def comment_at(self, start: int, end: int) -> str | None:
        found = next((span for span in self._skipped if span[0] <= start and end <= span[1]), None)
        return self.slice(*found) if found is not None else None


KIND = Kind(
    name="cpp",
    file=CppFile,
    places=(CudaUse,),
    patterns=("*.cu", "*.cuh", "*.c", "*.cc", "*.cpp", "*.cxx", "*.h", "*.hh", "*.hpp", "*.hxx"),
    languages=("cuda-cpp",),
    is_searched=True,
)
