"""What a Python file has of kernels: those of Triton, CUDA code in strings, extensions, and calls."""

from __future__ import annotations

import pytest

from gpu2ascend.project.kernels.python_side import PythonFile, may_be_of_extension
from gpu2ascend_rules.text.source_file import SourceFile


def file(text: str) -> PythonFile:
    return PythonFile(SourceFile(text, "pkg/a.py"))


GUARDED = "try:\n    import fast.ops\n    from pkg import ext\nexcept ImportError:\n    pass\nimport torch\n"


@pytest.mark.parametrize(
    ("module", "answer"), [("fast", True), ("pkg", True), ("pkg.ext", True), ("fas", False), ("torch", False)]
)
def test_the_modules_whose_absence_a_file_survives(module: str, answer: bool) -> None:
    assert file(GUARDED).is_guarded(module) is answer


def test_what_a_file_imports_by_the_names_that_it_binds() -> None:
    assert file("import a.b as c\nfrom d import e as f, g\n").imported == {"c": "a.b", "f": "d.e", "g": "d.g"}


TRITON = """\
import triton
from triton import jit as compiled
{language}

@triton.autotune(configs=[])
@triton.jit
def first(x):
    {name}.dot(x, x)

@compiled
def second(x):
    pass

@triton.jit(noinline=True)
def third(x):
    pass

@triton.testing.perf_report
def fourth(x):
    {name}.dot(x, x)

@triton.jit
class Fifth:
    pass

def sixth(x):
    pass
"""


@pytest.mark.parametrize(
    ("language", "name", "is_dot"),
    [
        ("import triton.language as tl", "tl", True),
        ("import triton.language as L", "L", True),
        ("from triton import language as lang", "lang", True),
        ("from elsewhere import tl", "tl", True),
        ("from elsewhere import other", "other", False),
    ],
)
def test_functions_under_jit_are_kernels(language: str, name: str, is_dot: bool) -> None:
    found = list(file(TRITON.format(language=language, name=name)).triton_kernels())
    places = [(item.name, item.first_line, item.last_line) for item in found if item.name != "Fifth"]
    assert places == [("first", 5, 8), ("second", 10, 12), ("third", 14, 16)]
    assert found[0].features == (("dot", "autotune") if is_dot else ("autotune",))
    assert {(item.language, item.path, item.has_fallback) for item in found} == {
        ("triton", "pkg/a.py", False)
    }


def test_a_guarded_import_of_triton_is_a_fallback() -> None:
    text = "try:\n    import triton\nexcept ImportError:\n    triton = None\n@triton.jit\ndef k(x): pass\n"
    assert [item.has_fallback for item in file(text).triton_kernels()] == [True]


def test_cuda_code_in_strings_is_given_once_with_the_line_before_it() -> None:
    text = (
        "# __global__ void none() {}\n"
        "one = '''__global__ void a() {}\n__global__ void b() {}'''\n"
        "__global__ = 1\n"
        "two = r'__global__ void c() {}'\n"
    )
    found = list(file(text).inline_sources())
    assert [(line, code) for line, code, _ in found] == [
        (1, "__global__ void a() {}\n__global__ void b() {}"),
        (4, "__global__ void c() {}"),
    ]
    assert [[item.name for item in functions] for *_, functions in found] == [["a", "b"], ["c"]]


@pytest.mark.parametrize(
    ("call", "names"),
    [
        ("CUDAExtension('pkg.fast', [])", ["fast"]),
        ("cpp.CUDAExtension(name='fast', sources=[])", ["fast"]),
        ("load(name=r'fast')", ["fast"]),
        ("load_inline('fast', '')", ["fast"]),
        ("load('buffer_of_fur')", ["buffer_of_fur"]),
        ("CppExtension(NAME, [])", []),
        ("CppExtension()", []),
        ("Extension('fast')", []),
    ],
)
def test_the_extensions_that_are_built_or_loaded(call: str, names: list[str]) -> None:
    assert list(file(f"{call}\n").extensions()) == names


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("ext.add(x)", ("add", "pkg.ext", "", False)),
        ("plain(x)", ("plain", "other.module", "", False)),
        ("unknown(x)", ("unknown", "", "", False)),
        ("self.ops.add(x)", ("add", "self.ops", "", False)),
        ("torch.ops.my.add(x)", ("add", "torch.ops.my", "", False)),
        ("kernel[(1,)](x)", ("kernel", "", "", True)),
        ("ext.kernel[(1,)](x)", ("kernel", "pkg.ext", "", True)),
    ],
)
def test_a_call_has_its_name_and_what_it_is_called_on(
    call: str, expected: tuple[str, str, str, bool]
) -> None:
    head = "from pkg import ext\nfrom other.module import plain\nimport torch\n"
    (found,) = file(f"{head}{call}\n").calls()
    assert (found.name, found.owner, found.place.name, found.is_launch) == expected
    assert (found.place.path, found.place.line) == ("pkg/a.py", 4)


def test_a_call_names_the_function_around_it() -> None:
    text = "class A:\n    def m(self):\n        f(1)\n        return lambda: g(2)\nh(3)\n"
    places = {item.name: (item.place.line, item.place.name) for item in file(text).calls()}
    assert places == {"f": (3, "m"), "g": (4, "m"), "h": (5, "")}


def test_what_has_no_name_is_no_call_of_a_kernel() -> None:
    assert [item.name for item in file("(lambda: 1)()\nf()()\nlist[0][1]()\nf()[1]()\n").calls()] == [
        "f",
        "f",
    ]


@pytest.mark.parametrize(
    ("owner", "answer"),
    [
        ("pkg.fast", True),
        ("torch.ops.my", True),
        ("torch.ops", True),
        ("my.torch.ops.x", False),
        ("pkg._C", True),
        ("_ext", True),
        ("add_cuda", True),
        ("pkg.cuda_add", True),
        ("pkg.kernels", True),
        ("pkg.Carrot", False),
        ("pkg.text", False),
        ("x", False),
        ("", False),
    ],
)
def test_what_may_be_a_compiled_module(owner: str, answer: bool) -> None:
    assert may_be_of_extension(owner, frozenset({"fast"})) is answer
