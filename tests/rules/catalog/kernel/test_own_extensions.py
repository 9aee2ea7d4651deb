"""NPU622: the project's own CUDA extensions, by their names, by setup.py, and as they are called."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.model.finding import Severity
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.control import found_before

OPTIONS = options_from({"version": "2.8.0", "select": ["NPU622"]})


class Project(Standalone):
    """A project of files by their modules, and of a setup script in a folder."""

    def __init__(self, script: str = "", **texts: str) -> None:
        self._texts = texts
        self._script = script
        self.setup_scripts = ("ops/setup.py",) if script else ()

    def text_at(self, path: str) -> str | None:
        return self._script

    def has_module(self, importer_path: str, module: str) -> bool:
        return module.lstrip(".") in self._texts

    def find_module(self, importer_path: str, module: str) -> tuple[str, str] | None:
        return (f"{module}.py", self._texts[module]) if module in self._texts else None

    def path_of_module(self, importer_path: str, module: str) -> str | None:
        return (self.find_module(importer_path, module) or (None,))[0]


def found(text: str, project: Project | None = None) -> list[str | None]:
    return [item.api for item in check(SourceFile(text, "a.py"), OPTIONS, project or Project())]


@pytest.mark.parametrize(
    ("text", "apis"),
    [
        ("import nms_cuda\nnms_cuda.nms(b)\n", ["nms_cuda", "nms_cuda.nms"]),
        ("import upfirdn2d_cuda as op\nop.run(x)\n", ["upfirdn2d_cuda", "upfirdn2d_cuda.run"]),
        ("from nms_cuda import nms\nnms(b)\n", ["nms_cuda", "nms_cuda.nms"]),
        ("import nms_cuda\n", ["nms_cuda"]),
    ],
)
def test_an_extension_is_known_by_its_name(text: str, apis: list[str]) -> None:
    assert found(f"import torch\n{text}") == apis


@pytest.mark.parametrize(
    "setup",
    [
        "CUDAExtension('pointops', ['src/a.cu'])",
        "CUDAExtension(\n    name='pointops',\n    sources=['src/a.cu'])",
        "make_cuda_ext(name='pointops', module='ops', sources=['a.cu'])",
    ],
)
def test_an_extension_is_known_by_the_setup_of_the_project(setup: str) -> None:
    text = "import torch\nimport pointops\npointops.knn(x)\n"

    assert found(text, Project(setup=setup)) == ["pointops", "pointops.knn"]
    assert found(text, Project(setup="CppExtension('pointops', ['a.cpp'])")) == []


@pytest.mark.parametrize(
    "text",
    [
        "from utils import to_cuda\nto_cuda(x)\n",
        "import cuda_utils\ncuda_utils.f()\n",
        "from .ops_cuda import f\nf()\n",
        "from transformers.utils import is_torch_cuda_available\nis_torch_cuda_available()\n",
        "import torch.cuda\ntorch.cuda.f()\n",
        "import pycuda\npycuda.f()\n",
        "try:\n    import nms_cuda\nexcept ImportError:\n    nms_cuda = None\n",
    ],
)
def test_other_modules_are_none(text: str) -> None:
    project = Project(cuda_utils="", ops_cuda="", utils="")
    control = "import torch\nimport ms_cuda\n"
    assert found_before(control, f"import torch\n{text}", lambda both: found(both, project)) == []


def test_what_is_loaded_from_cuda_sources_is_called() -> None:
    head = "from torch.utils.cpp_extension import load\n"

    assert found(f"{head}ops = load(name='a', sources=['a.cpp', 'b.cu'])\nops.f(x)\nops.g(x)\n") == [
        "ops.f",
        "ops.g",
    ]
    assert found(f"{head}ops = load(name='a', sources=['a.cpp'])\nops.f(x)\n") == []


def test_operators_of_a_loaded_library_are_called() -> None:
    text = "import torch\ntorch.ops.load_library(p)\ntorch.ops.my.f(x)\ntorch.ops.aten.add(x, y)\n"
    text += "torch.ops._caffe2.AliasWithName(x, 'y')\n"

    assert found(text) == ["torch.ops.my.f"]


BUILT = "CUDAExtension('pkg._C', ['a.cu'])"


@pytest.mark.parametrize(
    ("text", "apis"),
    [
        ("from . import _C\n_C.f(x)\n", ["_C", "._C.f"]),
        ("from .. import _C\n_C.f(x)\n", ["_C", ".._C.f"]),
        ("from ._C import f\nf(x)\n", ["_C", "._C.f"]),
        ("from pkg import _C\n_C.f(x)\n", ["pkg._C", "pkg._C.f"]),
        ("from pkg._C import f\nf(x)\n", ["pkg._C", "pkg._C.f"]),
        ("import pkg._C as ext\next.f(x)\n", ["pkg._C", "pkg._C.f"]),
        ("import pkg\npkg._C.f(x)\n", ["pkg._C.f"]),
        ("import pkg\npkg.other.f(x)\n", []),
        ("from other import _C\n_C.f(x)\n", []),
        ("from pkg import _C\n_C.f_cpu(x)\n_C.f_cpu_forward(x)\n", ["pkg._C"]),
    ],
)
@pytest.mark.parametrize("where", ["setup", "script"])
def test_an_extension_in_a_package_is_known_however_it_is_imported(
    text: str, apis: list[str], where: str
) -> None:
    control = "import torch\nimport ms_cuda\n"
    assert found_before(control, text, lambda both: found(both, Project(**{where: BUILT}))) == apis


def test_an_extension_that_is_called_like_a_package_of_the_project_is_meant_by_its_name_alone() -> None:
    project = Project("CUDAExtension('voxlib', ['a.cu'])", **{".voxlib": "", "gan.voxlib": ""})
    text = "import torch\nimport voxlib\nvoxlib.run(x)\n"

    assert found(text, project) == ["voxlib", "voxlib.run"]


def test_what_a_module_defines_is_no_extension_of_its_name() -> None:
    project = Project("CUDAExtension('GANet', ['a.cu'])", **{"models.deep": "class GANet: pass\n"})

    assert found("from models.deep import GANet\nmodel = GANet(3)\n", project) == []
    assert found("from ..build.lib import GANet\nGANet.run(x)\n", project) != []


@pytest.mark.parametrize("source", ["nms/kernel.cu", "nms/kernel.c"])
def test_an_extension_of_c_is_one_where_it_has_cuda_sources(source: str) -> None:
    script = (
        f"from distutils.extension import Extension\nExtension('nms.gpu_nms', ['{source}', 'nms/a.pyx'])\n"
    )
    apis = found("from .nms.gpu_nms import gpu_nms\ngpu_nms(boxes)\n", Project(script))

    assert apis == (["nms.gpu_nms", ".nms.gpu_nms.gpu_nms"] if source.endswith(".cu") else [])


def test_what_may_be_missing_is_an_error_where_nothing_tests_for_it() -> None:
    tried = "import torch\ntry:\n    import nms_cuda\nexcept ImportError:\n    {}\n"

    assert found(tried.format("nms_cuda = None") + "nms_cuda.nms(b)\n") == ["nms_cuda.nms"]
    assert found(tried.format("raise") + "nms_cuda.nms(b)\n") == ["nms_cuda", "nms_cuda.nms"]
    assert found(tried.format("nms_cuda = None")) == []


FFI = "from torch.utils.ffi import create_extension\nffi = create_extension('_ext.nms', with_cuda=True)\n"


@pytest.mark.parametrize(
    "files", [{}, {"._ext.nms": "from torch.utils.ffi import _wrap_function\n"}], ids=["built", "shipped"]
)
def test_an_extension_of_the_old_builder_is_one(files: dict[str, str]) -> None:
    text = "from ._ext import nms\ny = nms.run_gpu(x)\n"
    assert found(text, Project(FFI, **files)) == ["_ext.nms", "._ext.nms.run_gpu"]


def test_one_import_line_has_one_finding() -> None:
    text = "from my_ops_cuda import forward, backward\n"
    assert found(text) == ["my_ops_cuda"]


class InFolder(Project):
    """A project with a module in a folder that scripts put on their path."""

    def is_in_folder(self, module: str) -> bool:
        return module == "cuda_timer"


def test_a_module_in_a_folder_of_the_project_is_no_extension() -> None:
    assert found("from cuda_timer import Timer\nt = Timer()\n", InFolder()) == []


class Beside(Project):
    """A project with a module beside the importing file that is called like an extension."""

    def names_in(self, directory: str) -> tuple[str, ...]:
        return ("nms.py",)


def test_a_module_beside_the_file_is_no_extension() -> None:
    assert found("from nms import run\ny = run(x)\n", Beside(FFI)) == []


@pytest.mark.parametrize(
    ("body", "handler", "severity"),
    [
        ("        y = nms_cuda.run(x)\n        y = y + 1\n", "y = x", Severity.HINT),
        ("        y = nms_cuda.run(x)\n        y = y + 1\n", "raise", Severity.ERROR),
        ("        y = nms_cuda.run(x)\n" + "        y = y + 1\n" * 4, "y = x", Severity.ERROR),
        ("        for x in xs:\n            y = nms_cuda.run(x)\n", "y = x", Severity.HINT),
    ],
)
def test_a_call_without_which_a_function_goes_on(body: str, handler: str, severity: Severity) -> None:
    code = f"def fill(x, xs):\n    try:\n{body}    except Exception:\n        {handler}\n    return y\n"
    checked = check(SourceFile("import torch\nimport nms_cuda\n" + code, "a.py"), OPTIONS, Project())
    assert [item.severity for item in checked if item.api == "nms_cuda.run"] == [severity]


@pytest.mark.parametrize(
    ("rest", "severity"),
    [
        ("    return 0\nif __name__ == '__main__':\n    main(xs)\n", Severity.ERROR),
        ("    print('done')\nmain(xs)\n", Severity.ERROR),
        ("    torch.save(net.state_dict(), p)\nmain(xs)\n", Severity.ERROR),
        ("    step(x)\nmain(xs)\n", Severity.HINT),
        ("    return 0\ndef other(x):\n    main(x)\n    step(x)\nother(xs)\n", Severity.HINT),
        ("    return 0\ndef other(x):\n    main(x)\nother(xs)\n", Severity.ERROR),
        ("    return 0\nfor x in xs:\n    main(x)\n", Severity.HINT),
    ],
    ids=[
        "the last",
        "with a message",
        "with what it keeps",
        "before a step",
        "before its caller's",
        "its caller's last",
        "in a loop",
    ],
)
def test_a_try_around_a_whole_program_is_no_other_way(rest: str, severity: Severity) -> None:
    code = (
        f"def main(x):\n    try:\n        nms_cuda.run(x)\n    except Exception as e:\n        log(e)\n{rest}"
    )
    checked = check(SourceFile("import torch\nimport nms_cuda\n" + code, "a.py"), OPTIONS, Project())
    assert [item.severity for item in checked if item.api == "nms_cuda.run"] == [severity]


def test_a_try_around_a_whole_program_may_be_in_a_method() -> None:
    code = (
        "class Runner:\n    def run_all(self, x):\n        try:\n            nms_cuda.run(x)\n"
        "        except Exception as e:\n            log(e)\n"
        "def main():\n    Runner().run_all(xs)\nmain()\n"
    )
    checked = check(SourceFile("import torch\nimport nms_cuda\n" + code, "a.py"), OPTIONS, Project())
    assert [item.severity for item in checked if item.api == "nms_cuda.run"] == [Severity.ERROR]


@pytest.mark.parametrize(
    ("handler", "severity"),
    [
        ("return slow(x)", Severity.HINT),
        ("self.run_slow(x)", Severity.HINT),
        ("log.error('failed for %s', x)", Severity.ERROR),
        ("save(x)", Severity.ERROR),
    ],
)
def test_a_handler_that_does_the_same_otherwise_is_another_way_at_the_end(
    handler: str, severity: Severity
) -> None:
    code = (
        "class Runner:\n    def run_all(self, x):\n        try:\n            return nms_cuda.run(x)\n"
        f"        except RuntimeError:\n            {handler}\nprint(Runner().run_all(xs))\n"
    )
    checked = check(SourceFile("import torch\nimport nms_cuda\n" + code, "a.py"), OPTIONS, Project())
    assert [item.severity for item in checked if item.api == "nms_cuda.run"] == [severity]
