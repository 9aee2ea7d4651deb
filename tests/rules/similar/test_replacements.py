"""Where ``--similar`` puts an equivalent, and where it changes nothing."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.model.finding import REPLACEMENT, Applicability, Finding
from gpu2ascend_rules.model.versions import SUPPORTED_VERSIONS
from gpu2ascend_rules.options.options import MigrationOptions, options_from
from gpu2ascend_rules.text.source_file import SourceFile

VERSIONS = [str(version) for version in SUPPORTED_VERSIONS]
OLD = ["1.5.0", "1.8.1"]
TEN = {
    "apex.parallel.DistributedDataParallel(m)": VERSIONS,
    "torch.cuda.get_device_properties(0)": ["1.5.0", "1.8.1", "1.11.0", "2.0.1"],
    "torch.nn.Conv3d(1, 1, 3)": [*OLD, "2.0.1", "2.3.1", "2.4.0", "2.5.1"],
    "torch.nn.functional.pad(x, (1, 1))": OLD,
    "torch.nn.ReflectionPad2d(1)": OLD,
    "torch.nn.ReplicationPad2d(1)": OLD,
    "torch.nn.SyncBatchNorm(3)": OLD,
    "torch.nn.SyncBatchNorm.convert_sync_batchnorm(m)": OLD,
    "torch.repeat_interleave(x, 2)": OLD,
    "torch.set_default_tensor_type(torch.FloatTensor)": OLD,
}


def options(version: str, *, on: bool = True, **more: object) -> MigrationOptions:
    return options_from({"version": version, "replace_unsupported": on, **more})


def migrated(text: str, chosen: MigrationOptions) -> str:
    return apply_fixes(SourceFile(text), chosen).text


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("use", TEN)
def test_each_replacement_has_its_own_versions(use: str, version: str) -> None:
    text = f"import apex\nimport torch\ny = {use}\n"
    last = use.partition("(")[0].rpartition(".")[2]
    prefix = "similar_api.SyncBatchNorm." if last == "convert_sync_batchnorm" else "similar_api."
    new = migrated(text, options(version))
    assert (f"y = {prefix}{last}({use.partition('(')[2]}" in new) == (version in TEN[use])
    assert ("from ascend_function import similar_api\n" in new) == (version in TEN[use])
    assert migrated(new, options(version)) == new


@pytest.mark.parametrize("use", TEN)
@pytest.mark.parametrize("version", ["1.8.1", "2.3.1", "2.8.0"])
def test_without_the_option_no_fix_of_this_kind_is_applied(use: str, version: str) -> None:
    text = f"import apex\nimport torch\ny = {use}\n"
    assert "similar_api" not in migrated(text, options(version, on=False, unsafe_fixes=True))


@pytest.mark.parametrize("version", VERSIONS)
def test_where_a_list_says_unsupported_the_finding_offers_it(version: str) -> None:
    """Whether it is sure or, between versions that support it, only reported on request."""
    chosen = options(version, on=False, unknown_apis=True)
    found = check(SourceFile("import torch\ny = torch.nn.Conv3d(1, 1, 3)\n"), chosen)
    offered = [finding.fix for finding in found if finding.code == "NPU001"]
    assert bool(offered) == (version in TEN["torch.nn.Conv3d(1, 1, 3)"][2:])
    for fix in offered:
        assert fix is not None
        assert (fix.applicability, fix.kind) == (Applicability.UNSAFE, REPLACEMENT)


@pytest.mark.parametrize(
    "use",
    [
        "import torch.nn as nn\nlayer = nn.ReflectionPad2d(1)\n",
        "from torch.nn import ReflectionPad2d\nlayer = ReflectionPad2d(1)\n",
        "from torch import nn\nclass Pad(nn.ReflectionPad2d):\n    pass\n",
        "from torch import nn\nkinds = {'reflect': nn.ReflectionPad2d}\n",
        "from torch.nn.modules.padding import ReflectionPad2d as R\nlayer = R(1)\n",
        "from torch import nn\nlayers = nn.Sequential(nn.ReflectionPad2d(1))\n",
    ],
)
def test_however_the_name_is_reached(use: str) -> None:
    assert "similar_api.ReflectionPad2d" in migrated(use, options("1.8.1"))


@pytest.mark.parametrize(
    "use",
    [
        "import torch\nok = isinstance(m, torch.nn.ReflectionPad2d)\n",
        "import torch\nok = isinstance(m, (torch.nn.Conv3d, torch.nn.Conv2d))\n",
        "import torch\ndef f(m: torch.nn.Conv3d) -> torch.nn.Conv3d:\n    return m\n",
        "import torch\ndef f(m: list[torch.nn.Conv3d]) -> None:\n    pass\n",
        "from mine import Conv3d, pad\nlayer = Conv3d(pad(1))\n",
        "class Conv3d:\n    pass\nlayer = Conv3d()\n",
    ],
)
def test_what_is_no_use_of_it_stays(use: str) -> None:
    assert migrated(use, options("1.8.1")) == use


def test_the_one_class_that_is_no_subclass_is_replaced_in_type_tests_too() -> None:
    text = "import torch\nok = isinstance(m, torch.nn.SyncBatchNorm)\n"
    assert "isinstance(m, similar_api.SyncBatchNorm)" in migrated(text, options("1.8.1"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x.repeat_interleave(2)", "similar_api.repeat_interleave(x, 2)"),
        ("x.repeat_interleave(repeats=r, dim=0)", "similar_api.repeat_interleave(x, repeats=r, dim=0)"),
        ("(x + 1).repeat_interleave(2, 0)", "similar_api.repeat_interleave((x + 1), 2, 0)"),
        ("x.repeat_interleave(\n    2,\n    dim=0,\n)", "similar_api.repeat_interleave(x, 2,\n    dim=0,\n)"),
        ("x.repeat_interleave(  # twice\n    2)", "similar_api.repeat_interleave(x,   # twice\n    2)"),
        ("x.repeat_interleave(*a, **k)", "similar_api.repeat_interleave(x, *a, **k)"),
        ("[t.repeat_interleave(2) for t in x]", "[similar_api.repeat_interleave(t, 2) for t in x]"),
        (
            "lambda net: next(torch.nn.ReLU().parameters()).repeat_interleave(2)",
            "lambda net: similar_api.repeat_interleave(next(torch.nn.ReLU().parameters()), 2)",
        ),
        ("unknown.repeat_interleave(2)", "unknown.repeat_interleave(2)"),
    ],
)
def test_the_method_of_what_is_certainly_a_tensor(before: str, after: str) -> None:
    text = "import torch\nx = torch.ones(3)\ny = {}\n"
    new = migrated(text.format(before), options("1.8.1"))
    assert f"\ny = {after}\n" in new


def test_a_file_that_calls_something_else_by_that_name_is_left_alone() -> None:
    text = "import torch\nfrom mine import similar_api\ny = torch.nn.Conv3d(1, 1, 3)\n"
    assert migrated(text, options("1.8.1")) == text


def test_an_import_that_is_there_is_not_made_twice() -> None:
    text = "import torch\nfrom ascend_function import similar_api\ny = torch.nn.Conv3d(1, 1, 3)\n"
    new = migrated(text, options("1.8.1"))
    assert new.count("import similar_api") == 1 and "similar_api.Conv3d" in new


def test_an_import_of_what_is_replaced_is_no_error_any_more() -> None:
    text = "from torch.cuda import get_device_properties\np = get_device_properties(0)\n"
    outcome = apply_fixes(SourceFile(text), options("1.11.0"))
    assert "p = similar_api.get_device_properties(0)" in outcome.text
    assert outcome.remaining == ()


def test_the_parts_that_were_used_are_reported() -> None:
    text = "import torch\na = torch.nn.Conv3d(1, 1, 3)\nb = torch.nn.functional.pad(a, (1, 1))\n"
    assert apply_fixes(SourceFile(text), options("1.8.1")).equivalents == {"conv3d", "padding"}
    assert apply_fixes(SourceFile(text), options("2.3.1")).equivalents == {"conv3d_slices"}
    assert apply_fixes(SourceFile(text), options("2.8.0")).equivalents == frozenset()


def test_apex_arguments_that_torch_lacks_are_offered_the_wrapper_that_has_them() -> None:
    text = "import apex\nm = apex.parallel.DistributedDataParallel(m, gradient_average=False)\n"
    found: list[Finding] = [
        finding for finding in check(SourceFile(text), options("2.8.0", on=False)) if finding.code == "NPU315"
    ]
    assert [finding.fix is not None and finding.fix.kind for finding in found] == [REPLACEMENT]


def test_a_type_of_cuda_that_the_equivalent_takes_is_nothing_left_to_do() -> None:
    source = SourceFile("import torch\ntorch.set_default_tensor_type(torch.cuda.FloatTensor)\n")
    outcome = apply_fixes(source, options("1.5.0"))
    assert "similar_api.set_default_tensor_type(torch.cuda.FloatTensor)" in outcome.text
    assert outcome.remaining == ()
