"""Which public functions of a library reach what does not work on the NPU, and by which names."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.project.inspect.check import check_paths
from gpu2ascend.project.inspect.library.affected import Affected, Need, reached_in
from gpu2ascend.project.inspect.library.read import affected_of_library
from gpu2ascend_rules.options.options import options_from

OPTIONS = options_from({"version": "2.8.0"})
POOL = "torch.nn.MaxPool3d"


def affected(tmp_path: Path, **files: str) -> list[Affected]:
    root = tmp_path / "project"
    for name, text in files.items():
        path = root / (name.replace("__init__", "@").replace("__", "/").replace("@", "__init__") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    found = {}
    for file in check_paths([root], OPTIONS):
        path_ = Path(file.path).relative_to(root).as_posix()
        found[path_] = reached_in(file, path_)
    return list(affected_of_library(root, found, max_bytes=10**6))


def apis(rows: list[Affected]) -> dict[str, set[str]]:
    return {name: {use.api for use in row.reaches} for row in rows for name in row.names}


NET = """from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return nn.MaxPool3d(2)(x)
"""
BASE = "from torch import nn\n\n\nclass B:\n    def pool(self, x):\n        return nn.MaxPool3d(2)(x)\n"
RUN = "from torch import nn\n\nP = nn.MaxPool3d(2)\n"
A = "import torch.nn as nn\n\n\ndef f(x):\n    return nn.MaxPool3d(2)(x)\n"


def test_what_calls_through_a_reexport_is_affected_under_every_public_name(tmp_path: Path) -> None:
    found = apis(
        affected(
            tmp_path,
            lib____init__="from .a import f\nfrom .b import g\n",
            lib__a=A,
            lib__b="from lib import f\n\n\ndef g(x):\n    return f(x.cuda())\n",
        )
    )
    assert found == {
        "lib.f": {POOL},
        "lib.a.f": {POOL},
        "lib.g": {POOL, "x.cuda"},
        "lib.b.g": {POOL, "x.cuda"},
    }


def test_functions_that_call_each_other_all_reach_it(tmp_path: Path) -> None:
    text = f"{A}\n\ndef g(n):\n    return h(n)\n\n\ndef h(n):\n    return g(n - 1) if n else f(n)\n"
    assert apis(affected(tmp_path, a=text)) == {"a.f": {POOL}, "a.g": {POOL}, "a.h": {POOL}}


def test_what_a_module_runs_counts_for_those_that_import_it(tmp_path: Path) -> None:
    rows = affected(
        tmp_path,
        lib____init__="",
        lib__a="import torch.nn as nn\n\nP = nn.MaxPool3d(2)\n",
        b="import lib.a\n",
    )
    assert apis(rows) == {"lib.a": {POOL}, "b": {POOL}}


def test_who_imports_a_function_does_not_run_it(tmp_path: Path) -> None:
    rows = affected(tmp_path, lib__a=A, b="from lib.a import f\n\nTABLE = [f]\n")
    assert list(apis(rows)) == ["lib.a.f"]


@pytest.mark.parametrize(
    "body",
    [
        "return Net()(x)",
        "net = Net()\n    return net(x)",
        "return Net().forward(x)",
        "return [n(x) for n in map(Net, x)]",
    ],
)
def test_who_makes_an_object_runs_its_class(tmp_path: Path, body: str) -> None:
    found = apis(affected(tmp_path, a=f"{NET}\n\ndef g(x):\n    {body}\n"))
    assert found == {"a.Net.forward": {POOL}, "a.g": {POOL}}


def test_a_method_of_a_base_class_in_another_file(tmp_path: Path) -> None:
    child = "from a import B\n\n\nclass Child(B):\n    def run(self, x):\n        return self.pool(x)\n"
    assert apis(affected(tmp_path, a=BASE, b=child)) == {"a.B.pool": {POOL}, "b.Child.run": {POOL}}


def test_private_functions_are_followed_and_not_listed(tmp_path: Path) -> None:
    text = A.replace("def f", "def _f") + "\n\ndef g(x):\n    return _f(x)\n"
    assert list(apis(affected(tmp_path, a=text))) == ["a.g"]


def test_a_star_import_passes_names_on(tmp_path: Path) -> None:
    found = apis(affected(tmp_path, lib____init__="from .a import *\n", lib__a=A))
    assert found == {"lib.f": {POOL}, "lib.a.f": {POOL}}


def test_re_exports_in_a_circle_end(tmp_path: Path) -> None:
    found = apis(affected(tmp_path, a="from b import f, g\n", b="from a import f\n", c=A))
    assert list(found) == ["c.f"]


def test_a_folder_for_sources_is_no_part_of_a_name(tmp_path: Path) -> None:
    assert list(apis(affected(tmp_path, src__lib____init__="", src__lib__a=A))) == ["lib.a.f"]


def test_a_project_that_is_a_package_has_its_name_in_front(tmp_path: Path) -> None:
    found = apis(affected(tmp_path, __init__="from .a import f\n", a=A))
    assert list(found) == ["project.f", "project.a.f"]


def test_why_an_api_is_listed(tmp_path: Path) -> None:
    (row,) = affected(
        tmp_path, a="from torch import nn\n\n\ndef f(x):\n    return nn.MaxPool3d(2)(x.cuda())\n"
    )
    uses = [(use.need, use.api, use.path, use.line) for use in row.reaches]
    assert uses == [(Need.UNSUPPORTED, POOL, "a.py", 5), (Need.MIGRATION, "x.cuda", "a.py", 5)]


def test_what_reaches_nothing_is_not_listed(tmp_path: Path) -> None:
    text = f"{A}\n\ndef fine(x):\n    return x\n"
    assert list(apis(affected(tmp_path, a=text))) == ["a.f"]


PROGRAM = "    import torch\n    model = Net()\n    model(torch.rand(2).cuda())\n"


def test_what_a_module_runs_as_a_program_only_is_not_reached_by_who_imports_it(tmp_path: Path) -> None:
    found = apis(
        affected(
            tmp_path,
            lib____init__="from .net import Net\n",
            lib__net=f"{NET}\n\nif __name__ == '__main__':\n{PROGRAM}",
        )
    )
    assert found == {"lib.Net.forward": {POOL}, "lib.net.Net.forward": {POOL}}


def test_what_a_module_runs_under_another_condition_is_reached_by_who_imports_it(tmp_path: Path) -> None:
    found = apis(
        affected(
            tmp_path,
            lib____init__="from .net import Net\n",
            lib__net=f"import os\n{NET}\n\nif os.environ.get('WARM_UP') == '1':\n{PROGRAM}",
        )
    )
    assert found["lib"] == found["lib.net"] == {POOL, "torch.rand(2).cuda"}


def test_the_script_that_installs_a_library_is_no_module_of_it(tmp_path: Path) -> None:
    setup = "from setuptools import setup\n\nsetup(install_requires=['torch >= 1.6.0'])\n"
    assert apis(affected(tmp_path, setup=setup, lib=A)) == {"lib.f": {POOL}}


@pytest.mark.parametrize(("guard", "importing"), [("__name__ == '__main__'", set()), ("True", {"lib.other"})])
def test_an_import_of_a_program_only_is_none_of_the_module(
    tmp_path: Path, guard: str, importing: set[str]
) -> None:
    other = f"if {guard}:\n    from lib.pool import P as p\n"
    found = apis(affected(tmp_path, lib____init__="", lib__pool=RUN, lib__other=other))
    assert {name for name in found if name.startswith("lib.other")} == importing


@pytest.mark.parametrize("statement", ["import lib.pool", "import lib.pool as pool", "from lib import pool"])
def test_a_module_that_is_imported_under_another_name_is_run_as_well(tmp_path: Path, statement: str) -> None:
    found = apis(affected(tmp_path, lib____init__="", lib__pool=RUN, lib__other=f"{statement}\n"))
    assert found["lib.other"] == {POOL}


def test_to_ask_for_a_class_is_no_use_of_it(tmp_path: Path) -> None:
    body = "def asked(x):\n    return isinstance(x, Net)\n\n\ndef made(x):\n    return Net()(x)\n"
    body = f"from lib.net import Net\n\n\n{body}"
    found = apis(affected(tmp_path, lib____init__="", lib__net=NET, lib__other=body))
    assert {name for name in found if "other" in name} == {"lib.other.made"}


STARRED = "from numpy import *\nfrom .a import *\n"


def test_a_star_import_passes_no_private_names_on(tmp_path: Path) -> None:
    private = A.replace("def f", "def _f") + "\n\ndef g(x):\n    return _f(x)\n"
    users = "from lib import _f\n\n\ndef h(x):\n    return _f(x)\n"
    found = apis(affected(tmp_path, lib____init__=STARRED, lib__a=private, lib__b=users))
    assert "lib.g" in found and "lib.b.h" not in found


def test_a_star_import_of_what_is_not_there_passes_nothing_on(tmp_path: Path) -> None:
    users = "from lib import f, g\n\n\ndef h(x):\n    return f(x)\n\n\ndef i(x):\n    return g(x)\n"
    found = apis(affected(tmp_path, lib____init__=STARRED, lib__a=A, lib__b=users))
    assert "lib.b.h" in found and "lib.b.i" not in found
