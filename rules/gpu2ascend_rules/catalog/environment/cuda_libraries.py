"""NPU908: shared libraries of CUDA that a program loads by their file name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...engine.context import Context
from ...engine.events import StringRef
from ...engine.rule import Example, Rule, on
from ...model.finding import Finding, Severity
from ...text.syntax import last_name, passed_to

_FILE = re.compile(
    r"(?:.*[/\\])?(?:lib)?(cuda|cudart|nvrtc|cublas|cublasLt|cudnn|cufft|curand|cusparse|cusolver|nccl"
    r"|nvidia-ml|nvToolsExt|nvcuda|cupti)(?:[\w.-]*)?\.(?:so|dll|dylib)(?:\.[\d.]+)?"
)
_LOADERS = frozenset({"CDLL", "PyDLL", "WinDLL", "OleDLL", "LoadLibrary", "load_library"})


class CudaLibrary(Rule):
    """A shared library of CUDA is loaded by its file name.

    What it does: Reports file names of CUDA libraries that are passed to ``ctypes`` or
    ``torch.ops.load_library``.

    Why it matters on the NPU: A machine with NPUs does not have the file: loading it raises an OSError.

    Example: ``ctypes.CDLL('libcudart.so')``.

    Use instead: functions of ``torch_npu.npu``; ``libascendcl.so`` is the runtime library of CANN.
    """

    code = "NPU908"
    name = "cuda-library-file"
    only_importing = frozenset({"ctypes", "torch"})
    examples = (
        Example("import ctypes\nrt = ctypes.CDLL('libcudart.so.11.0')\n"),
        Example("from ctypes import cdll\nnccl = cdll.LoadLibrary('/usr/lib/libnccl.so')\n"),
        Example.unchanged("import ctypes\nc = ctypes.CDLL('libc.so.6')\nprint('libcudart.so')\n"),
    )

    @on.string("libcu", "libn", "nvcuda", "cudart")
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        passed = passed_to(ref.node)
        if passed is None or last_name(passed.call) not in _LOADERS or ref.is_formatted:
            return
        if _FILE.fullmatch(ref.text) is not None:
            yield self.report(ref.node, "loaded", Severity.ERROR, library=ref.text)
