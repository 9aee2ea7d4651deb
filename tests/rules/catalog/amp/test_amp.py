"""Mixed precision: what each construct becomes in each version, all rules together."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.edits.fix_edits import edits_of
from gpu2ascend_rules.edits.offsets import apply_edits
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.model.outcome import FixOutcome
from gpu2ascend_rules.model.versions import SUPPORTED_VERSIONS, Version
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.control import found_beside_control

FIRST_WITH_PACKAGE = Version(1, 8, 1)
WITH_PACKAGE = [version for version in SUPPORTED_VERSIONS if version >= FIRST_WITH_PACKAGE]


def migrated(line: str, version: Version | str, *, unsafe: bool = False) -> FixOutcome:
    """A file of ``import torch`` and a line after its migration."""
    options = options_from({"version": str(version), "unsafe_fixes": unsafe})
    return apply_fixes(SourceFile(f"import torch\n{line}\n"), options)


def line_after(line: str, version: Version | str, *, unsafe: bool = False) -> str:
    """What becomes of a line; the imports above it are others' concern."""
    return migrated(line, version, unsafe=unsafe).text.rstrip("\n").rpartition("\n")[2]


class TestNamesOfTorchCudaAmp:
    @pytest.mark.parametrize("version", WITH_PACKAGE, ids=str)
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("a = torch.cuda.amp.autocast(amp)", "a = torch_npu.npu.amp.autocast(amp)"),
            ("s = torch.cuda.amp.GradScaler(enabled=on)", "s = torch_npu.npu.amp.GradScaler(enabled=on)"),
            (
                "s = torch.cuda.amp.GradScaler(65536., 2., .5, 2000, on)",
                "s = torch_npu.npu.amp.GradScaler(65536., 2., .5, 2000, enabled=on)",
            ),
        ],
    )
    def test_are_renamed(self, before: str, after: str, version: Version) -> None:
        assert line_after(before, version) == after

    @pytest.mark.parametrize("version", WITH_PACKAGE, ids=str)
    def test_their_imports_are_renamed_and_positions_named(self, version: Version) -> None:
        text = "from torch.cuda.amp import autocast, GradScaler\ns = GradScaler(1., 2., .5, 2000, on)\n"
        assert apply_fixes(SourceFile(text), options_from({"version": str(version)})).text == (
            "from torch_npu.npu.amp import autocast, GradScaler\n"
            "s = GradScaler(1., 2., .5, 2000, enabled=on)\n"
        )

    @pytest.mark.parametrize("version", WITH_PACKAGE, ids=str)
    @pytest.mark.parametrize("name", ["custom_fwd", "custom_bwd"])
    def test_decorators_are_renamed_where_the_version_has_them(self, name: str, version: Version) -> None:
        outcome = migrated(f"f = torch.cuda.amp.{name}(g)", version)
        if f"torch_npu.npu.amp.{name}(g)" not in outcome.text:
            assert version < Version(2, 0)
            assert [item.finding.code for item in outcome.remaining] == ["NPU101"]

    @pytest.mark.parametrize(
        "line",
        [
            "a = torch.cuda.amp.autocast()",
            "a = torch.autocast('cuda')",
            "s = torch.cuda.amp.GradScaler(1., 2., .5, 2000, on)",
            "s = torch.amp.GradScaler('cuda')",
            "f = torch.cuda.amp.custom_fwd(g)",
        ],
    )
    def test_1_5_0_has_none_of_them(self, line: str) -> None:
        outcome = migrated(line, "1.5.0")
        assert outcome.text == f"import torch\n{line}\n"
        assert {item.finding.severity.value for item in outcome.remaining} == {"error"}

    def test_on_1_5_0_the_advice_is_apex(self) -> None:
        outcome = migrated("s = torch.cuda.amp.GradScaler()", "1.5.0")
        assert [item.finding.message.id for item in outcome.remaining] == ["NPU101.none_amp"]


class TestAutocastWithADevice:
    @pytest.mark.parametrize("version", WITH_PACKAGE, ids=str)
    @pytest.mark.parametrize(
        "before", ["torch.autocast('cuda', enabled=on)", "torch.amp.autocast(device_type='cuda', enabled=on)"]
    )
    def test_names_the_npu_from_2_1_on_and_is_another_class_before(
        self, before: str, version: Version
    ) -> None:
        expected = (
            before.replace("cuda", "npu")
            if version >= Version(2, 1)
            else "torch_npu.npu.amp.autocast(enabled=on)"
        )
        assert line_after(f"a = {before}", version) == f"a = {expected}"

    @pytest.mark.parametrize("version", WITH_PACKAGE, ids=str)
    def test_of_a_variable_is_right_from_2_1_on_and_reported_before(self, version: Version) -> None:
        outcome = migrated("a = torch.autocast(device_type=device.type)", version)
        assert outcome.text == "import torch\na = torch.autocast(device_type=device.type)\n"
        is_reported = "NPU302" in {item.finding.code for item in outcome.remaining}
        assert is_reported is (version < Version(2, 1))

    @pytest.mark.parametrize("call", ["torch.autocast('cuda', **more)", "torch.autocast(*every)"])
    def test_with_unpacked_arguments_is_left_to_the_user_before_2_1(self, call: str) -> None:
        outcome = migrated(f"a = {call}", "2.0.1")
        assert outcome.text == f"import torch\na = {call}\n"
        assert [item.finding.code for item in outcome.remaining] == ["NPU302"]
        assert (
            line_after("a = torch.autocast('cuda')", Version(2, 0, 1)) == "a = torch_npu.npu.amp.autocast()"
        )

    @pytest.mark.parametrize("version", ["1.11.0", "2.8.0"])
    def test_for_the_cpu_stays(self, version: str) -> None:
        assert migrated("a = torch.autocast('cpu', dtype=torch.bfloat16)", version).remaining == ()


class TestScalerOfTorchAmp:
    @pytest.mark.parametrize("version", WITH_PACKAGE, ids=str)
    def test_names_the_npu_from_2_3_on(self, version: Version) -> None:
        line = "s = torch.amp.GradScaler('cuda', enabled=on)"
        if version >= Version(2, 3):
            assert line_after(line, version) == "s = torch.amp.GradScaler('npu', enabled=on)"
        else:
            outcome = migrated(line, version)
            assert outcome.text == f"import torch\n{line}\n"
            assert [item.finding.code for item in outcome.remaining] == ["NPU303"]

    @pytest.mark.parametrize("version", [item for item in WITH_PACKAGE if item >= Version(2, 3)], ids=str)
    def test_without_a_device_is_given_one(self, version: Version) -> None:
        assert line_after("s = torch.amp.GradScaler()", version) == "s = torch.amp.GradScaler('npu')"

    def test_keeps_its_positions(self) -> None:
        line = "s = torch.amp.GradScaler('cuda', 65536., 2., .5, 2000, on)"
        assert line_after(line, "2.8.0") == line.replace("cuda", "npu")

    def test_moves_to_torch_npu_on_request_where_torch_lacks_it(self) -> None:
        line = "s = torch.amp.GradScaler('cuda', 65536., 2., .5, 2000, on)"
        after = line_after(line, "2.1.0", unsafe=True)
        assert after == "s = torch_npu.npu.amp.GradScaler(65536., 2., .5, 2000, enabled=on)"


class TestDecoratorsOfTorchAmp:
    @pytest.mark.parametrize("version", WITH_PACKAGE, ids=str)
    def test_name_the_npu_from_2_4_on(self, version: Version) -> None:
        line = "f = torch.amp.custom_fwd(device_type='cuda')"
        if version >= Version(2, 4):
            assert line_after(line, version) == line.replace("cuda", "npu")
        else:
            assert [item.finding.code for item in migrated(line, version).remaining] == ["NPU303"]


class TestNoSingleFixLeavesACallThatMeansSomethingElse:
    @pytest.mark.parametrize(
        "text",
        [
            "import torch\ns = torch.cuda.amp.GradScaler(1., 2., .5, 2000, on)\n",
            "from torch.cuda.amp import GradScaler\ns = GradScaler(1., 2., .5, 2000, on)\n",
            "from torch.cuda.amp import GradScaler as GS\ns = GS(1., 2., .5, 2000, on)\n",
            "from torch.cuda import amp\ns = amp.GradScaler(1., 2., .5, 2000, on)\n",
            "import torch.cuda.amp as amp\ns = amp.GradScaler(1., 2., .5, 2000, on)\n",
        ],
    )
    def test_each_fix_names_the_flag(self, text: str) -> None:
        source = SourceFile(text)
        findings = check(source, options_from({"version": "2.8.0"}))
        assert len(findings) == 2
        for finding in findings:
            assert finding.fix is not None
            after = apply_edits(source.data, edits_of(source, finding.fix)).decode()
            assert "2000, enabled=on)" in after


@pytest.mark.parametrize(
    "text",
    [
        "import torch\nscaler.scale(loss).backward()\nscaler.step(opt)\nscaler.update()\n",
        "import torch\nwith torch.autocast(device.type, dtype=torch.bfloat16):\n    pass\n",
        "import torch\nwith torch.amp.autocast('npu', enabled=on):\n    pass\n",
        "import torch\ns = torch.amp.GradScaler(device=device.type, enabled=on)\n",
        "import torch\nx = torch.zeros(2, dtype=torch.bfloat16)\n",
        "import torch\nfrom torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler\n",
    ],
)
def test_left_alone(text: str) -> None:
    assert found_beside_control(text) == []


def test_the_names_are_right_in_the_other_spelling() -> None:
    options = options_from({"version": "2.0.1", "api_style": "torch.npu"})
    text = "import torch\nwith torch.autocast('cuda', torch.float16):\n    pass\n"
    assert apply_fixes(SourceFile(text), options).text == (
        "import torch\nimport torch_npu\nwith torch.npu.amp.autocast(dtype=torch.float16):\n    pass\n"
    )


class TestScalerOfOneOfTwoPlaces:
    """nnU-Net imports the scaler of torch.amp where there is one, and that of torch.cuda.amp otherwise."""

    IMPORTS = (
        "try:\n    from torch{} import GradScaler\n    new = True\nexcept ImportError:\n"
        "    from torch.cuda.amp import GradScaler\n    new = False\n"
    )

    @pytest.mark.parametrize("place", ["", ".amp", ".amp.grad_scaler"])
    @pytest.mark.parametrize("version", ["1.11.0", "2.1.0", "2.2.0", "2.3.1", "2.8.0"])
    def test_each_is_called_as_it_is_there(self, version: str, place: str) -> None:
        uses = "s = GradScaler('cuda') if new else GradScaler()\n"
        source = SourceFile(self.IMPORTS.format(place) + uses)
        options = options_from({"version": version})
        new = apply_fixes(source, options).text
        assert new.endswith("s = GradScaler('npu') if new else GradScaler()\n")
        assert "from torch_npu.npu.amp import GradScaler" in new
        assert not [item for item in check(source, options) if item.code in ("NPU303", "NPU304")]

    def test_what_has_no_other_place_gets_its_device(self) -> None:
        text = "try:\n    from torch.amp import GradScaler\nexcept ImportError:\n    GradScaler = None\n"
        new = apply_fixes(SourceFile(f"{text}s = GradScaler()\n"), options_from({"version": "2.8.0"})).text
        assert new.endswith("s = GradScaler('npu')\n")
