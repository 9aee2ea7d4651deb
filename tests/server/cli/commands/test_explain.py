"""``explain`` shows all there is to know of a rule, or of an API."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from gpu2ascend.cli.output.terminal import WIDTH, display_width, filled
from gpu2ascend_rules.custom.reading.schema import json_schema
from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.engine.rule import Rule
from gpu2ascend_rules.explaining import PARTS, documentation, translations
from gpu2ascend_rules.facts import Facts, SupportStatus
from gpu2ascend_rules.facts.api_support import names_starting_with
from gpu2ascend_rules.messages import LANGUAGES, catalogue
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import NEWEST, SUPPORTED_VERSIONS, choose_version

from ..conftest import Run


class TestGuides:
    @pytest.mark.parametrize("language", LANGUAGES)
    def test_how_to_write_custom_rules(self, run: Run, language: str) -> None:
        ran = run("explain", "custom-rules", "--language", language)
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.startswith("# ") and "ArgsModifyRule" in ran.out

    def test_as_json_with_the_schema_of_the_file(self, run: Run) -> None:
        page = run("explain", "custom-rules", "--json").json
        assert page["kind"] == "guide" and page["schema"] == json_schema()

    def test_the_flag_that_it_is_about_names_it(self, run: Run) -> None:
        assert "gpu2ascend explain custom-rules" in " ".join(run("migrate", "--help-all").out.split())

    def test_is_suggested_for_a_name_that_is_close(self, run: Run) -> None:
        assert "custom-rules" in run("explain", "custom-rule").err


class TestRules:
    @pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
    def test_every_rule_has_a_page_with_its_four_parts_and_its_examples(self, run: Run, rule: Rule) -> None:
        ran = run("explain", rule.code)
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.startswith(f"{rule.code} {rule.name} ({rule.family.value})\n")
        for title in PARTS:
            assert f"\n{title}\n" in ran.out
        for example in rule.examples:
            assert example.before.split("\n")[0] in ran.out

    def test_by_name_and_in_lower_case(self, run: Run) -> None:
        by_code = run("explain", "NPU101").out
        assert run("explain", "cuda-namespace").out == by_code
        assert run("explain", "npu101").out == by_code

    def test_code_is_marked_as_in_messages(self, run: Run) -> None:
        page = run("explain", "NPU101").out
        assert "`torch.cuda.empty_cache()` becomes `torch_npu.npu.empty_cache()`" in page and "``" not in page

    def test_as_json(self, run: Run) -> None:
        page = run("explain", "NPU101", "--json").json
        assert page["kind"] == "rule"
        assert (page["code"], page["name"], page["family"]) == ("NPU101", "cuda-namespace", "cuda-api")
        assert all(page[part] for part in PARTS.values())
        assert page["examples"][0].keys() == {"version", "before", "after", "after_unsafe", "manual"}

    def test_in_chinese(self, run: Run) -> None:
        page = run("explain", "NPU101", "--language", "zh").out
        assert catalogue("zh")["NPU101.title"] in page
        assert "对 NPU 的影响" in page and translations("zh")["NPU101"]["why"][:10] in page

    def test_chinese_prose_fits_the_lines_and_loses_nothing(self) -> None:
        text = "在 ``torch.cuda`` 下的名称只能用于 CUDA 设备，" * 9
        lines = filled(text).split("\n")
        assert len(lines) > 1 and all(display_width(line) <= WIDTH + 2 for line in lines)
        assert not any(line.startswith("，") for line in lines)
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")

    def test_documentation_is_distinguished_by_its_titles(self) -> None:
        class Documented(Rule):
            """Sums up.

            What it does: One
            two.

            Why it matters on the NPU: Three.

            Example: ``a`` becomes ``b``.

            Use instead: Four.
            """

        parts = documentation(Documented())
        assert parts == {
            "summary": "Sums up.",
            "what": "One\ntwo.",
            "why": "Three.",
            "example": "``a`` becomes ``b``.",
            "instead": "Four.",
        }

    def test_paragraphs_are_wrapped_and_code_is_not(self) -> None:
        assert filled("a\nb\n\n    x\n    y\n\nc") == "a b\n\n    x\n    y\n\nc"


class TestDevices:
    @pytest.mark.parametrize("name", ["A2", "910B3", "Atlas 800T A2"])
    def test_a_device_is_explained_by_its_family(self, run: Run, name: str) -> None:
        assert run("explain", name).out.startswith("A2: the Atlas A2 training series.")

    def test_what_no_list_covers_is_said(self, run: Run) -> None:
        out = run("explain", "910A").out
        assert "There is no support list" in out and "PyTorch 2.1.0" in out and "--hardware 910A" in out

    def test_in_chinese_and_as_json(self, run: Run) -> None:
        page = run("explain", "910C", "--json", "--language", "zh").json
        assert (page["kind"], page["name"], page["has_lists"]) == ("hardware", "A3", True)
        assert "训练系列" in page["text"]


class TestApis:
    def test_a_cuda_name_with_its_counterpart(self, run: Run) -> None:
        ran = run("explain", "torch.cuda.empty_cache", "-v", "2.8.0")
        assert (ran.code, ran.err) == (0, "")
        assert "PyTorch 2.8.0 on A2: supported" in ran.out
        assert "torch_npu.npu.empty_cache" in ran.out

    def test_1_5_0_has_no_torch_npu(self, run: Run) -> None:
        page = run("explain", "torch.cuda.synchronize", "-v", "1.5.0", "--json").json
        assert page["counterpart"]["name"] == "torch.npu.synchronize"

    def test_a_name_without_a_counterpart_says_so(self, run: Run) -> None:
        assert (
            "No counterpart on the NPU in PyTorch 2.8.0"
            in run("explain", "torch.cuda.comm.broadcast", "-v", "2.8.0").out
        )

    def test_a_similar_name_is_not_sold_as_the_same(self, run: Run) -> None:
        assert "Similar on the NPU, but not the same" in run("explain", "torch.cuda.nvtx.mark").out

    def test_a_name_that_a_later_version_has(self, run: Run) -> None:
        """Of the wheels of torch_npu, that of 2.7.1 is the first with ``npu/memory.py:host_memory_stats``."""
        ran = run("explain", "torch.cuda.host_memory_stats", "-v", "2.1.0")
        assert ran.code == 0 and "there is one from 2.7.1" in " ".join(ran.out.split())

    def test_data_types_and_limits(self, run: Run) -> None:
        page = run("explain", "torch.abs", "-v", "2.8.0", "--json").json
        assert page["status"] == "restricted"
        assert any(page["listed"]["dtypes"].values())
        assert page["listed"]["source"]

    def test_the_matrix_is_whole(self, run: Run) -> None:
        matrix = run("explain", "torch.nn.Linear", "--json").json["matrix"]
        assert list(matrix) == [str(version) for version in SUPPORTED_VERSIONS]
        hardware = [member.value for member in Hardware]
        assert all(list(statuses) == hardware for statuses in matrix.values())

    def test_the_matrix_as_a_table(self, run: Run) -> None:
        lines = run("explain", "torch.nn.Linear").out.split("\n")
        head = lines.index(next(line for line in lines if line.startswith("PyTorch  ")))
        assert lines[head].split() == ["PyTorch", *(member.value for member in Hardware)]
        named = [line.split("  ")[0].split(" - ") for line in lines[head + 1 :] if line]
        ranges = [[choose_version(end).version for end in (row[0], row[-1])] for row in named]
        assert [v for first, last in ranges for v in SUPPORTED_VERSIONS if first <= v <= last] == [
            *SUPPORTED_VERSIONS
        ]

    def test_versions_of_which_the_lists_say_the_same_share_a_row(self, run: Run) -> None:
        lines = run("explain", "torch.nn.Linear").out.split("\n")
        head = lines.index(next(line for line in lines if line.startswith("PyTorch  ")))
        said = [tuple(line.split("  ", 1)[1].split()) for line in lines[head + 1 :] if line]
        assert len(said) > 1
        assert all(one != other for one, other in itertools.pairwise(said))

    def test_a_name_of_the_npu(self, run: Run) -> None:
        ran = run("explain", "torch_npu.npu.empty_cache", "-v", "2.8.0")
        assert ran.code == 0 and "torch_npu has it for PyTorch" in ran.out

    @pytest.mark.parametrize(
        ("written", "name"),
        [
            ("F.grid_sample", "torch.nn.functional.grid_sample"),
            ("F.grid_sample(x, grid, align_corners=True)", "torch.nn.functional.grid_sample"),
            ("nn.Conv3d", "torch.nn.Conv3d"),
            ("nn.Conv3d(3, 8, (1, 2, 2))", "torch.nn.Conv3d"),
            ("dist.all_reduce", "torch.distributed.all_reduce"),
            ("x.cuda()", "torch.Tensor.cuda"),
            ("self.model.cuda(0)", "torch.Tensor.cuda"),
            (".cuda()", "torch.Tensor.cuda"),
            ("model.register_forward_hook(f)", "torch.nn.Module.register_forward_hook"),
            ("torch.ones(2).to_sparse()", "torch.Tensor.to_sparse"),
            ("from torch.nn import MaxPool3d", "torch.nn.MaxPool3d"),
            ("torch.nn.modules.pooling.MaxPool3d", "torch.nn.MaxPool3d"),
            ("grid_sample", "torch.nn.functional.grid_sample"),
            ("`torch.abs`", "torch.abs"),
            ("y = torch.abs(x)", "torch.abs"),
            ("DDP", "torch.nn.parallel.DistributedDataParallel"),
            ("optim.SGD", "torch.optim.SGD"),
            ("cuda.synchronize()", "torch.cuda.synchronize"),
        ],
    )
    def test_a_name_as_people_write_it(self, run: Run, written: str, name: str) -> None:
        ran = run("explain", written, "-v", "2.8.0", "--json")
        assert (ran.code, ran.json["name"]) == (0, name)

    @pytest.mark.parametrize("library", ["torch"])
    def test_the_name_of_a_library_is_no_name_below_its_modules(self, run: Run, library: str) -> None:
        """There was a ``torch.linalg.torch``."""
        ran = run("explain", library, "-v", "2.8.0")
        assert (ran.code, ran.out) == (2, "") and "torch.linalg" not in ran.err

    @pytest.mark.parametrize(
        ("word", "counterpart"),
        [
            ("nccl", "hccl"),
            ("CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES"),
            ("nvidia-smi", "npu-smi info"),
        ],
    )
    def test_a_word_with_what_stands_for_it(self, run: Run, word: str, counterpart: str) -> None:
        ran = run("explain", word, "-v", "2.8.0")
        assert ran.code == 0 and counterpart in ran.out and "not listed" not in ran.out

    def test_the_counterpart_of_a_method(self, run: Run) -> None:
        assert "On the NPU it has another name: .npu()" in run("explain", "torch.Tensor.cuda").out

    def test_a_name_that_this_release_of_torch_lacks(self, run: Run) -> None:
        ran = run("explain", "torch.symeig", "-v", "2.8.0")
        assert "removed in 2.0" in ran.out and "torch.linalg.eigh" in ran.out
        assert run("explain", "torch.nn.RMSNorm", "-v", "2.1.0", "--json").json["lacking"]["added"] == "2.4"

    def test_what_speaks_for_and_against_the_list(self, run: Run) -> None:
        ran = run("explain", "nn.TransformerDecoder", "-v", "2.8.0")
        assert "`torch.nn.TransformerDecoder` is not supported on A2 with PyTorch 2.8.0" in ran.out
        assert "registers its own kernel" in run("explain", "torch.add", "-v", "2.8.0").out

    def test_an_equivalent_of_its_own(self, run: Run) -> None:
        assert "similar_api.Conv3d (`migrate --similar`)" in run("explain", "nn.Conv3d", "-v", "2.3.1").out

    def test_hardware_counts(self, run: Run) -> None:
        pages = [
            run("explain", "torch.nn.Linear", "-v", "2.7.1", "--hardware", name, "--json").json
            for name in ("A2", "950DT")
        ]
        assert pages[0]["status"] != pages[1]["status"]

    def test_rules_that_look_at_it_are_named(self, run: Run) -> None:
        ran = run("explain", "torch.cuda.empty_cache")
        assert "Rule NPU101 (cuda-namespace)" in ran.out
        assert "NPU101" in run("explain", "torch.cuda.empty_cache", "--json").json["rules"]

    def test_settings_choose_the_version(self, run: Run) -> None:
        Path("pyproject.toml").write_text('[tool.gpu2ascend]\nversion = "2.1.0"\n')
        assert run("explain", "torch.nn.Linear", "--json").json["version"] == "2.1.0"
        assert run("explain", "torch.nn.Linear", "-v", "2.8.0", "--json").json["version"] == "2.8.0"

    def test_without_settings_it_is_the_newest_whatever_the_project_asks_for_and_help_says_so(
        self, run: Run
    ) -> None:
        Path("requirements.txt").write_text("torch==2.1.0\n", encoding="utf-8")
        assert run("explain", "torch.cuda.empty_cache", "--json").json["version"] == str(NEWEST)
        reported = " ".join(run("explain", "--help").out.split())
        assert "that of the settings, else the newest" in reported and "found in the project" not in reported


class TestUnknownNames:
    def test_close_names_are_offered(self, run: Run) -> None:
        ran = run("explain", "torch.cuda.empty_cach")
        assert ran.code == 2 and "did you mean torch.cuda.empty_cache" in ran.err

    def test_so_is_the_same_name_elsewhere(self, run: Run) -> None:
        assert "torch.nn.Linear" in run("explain", "layers.Linear").err

    def test_nothing_close(self, run: Run) -> None:
        ran = run("explain", "qqqqqqqq.zzzzzzzz")
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.endswith("is neither a rule nor an API or package in the tables\n")


class TestEveryWordOfTheTablesHasAText:
    @pytest.mark.parametrize("language", LANGUAGES)
    def test_statuses(self, language: str) -> None:
        for status in SupportStatus:
            assert f"cli.status.{status.value}" in catalogue(language)

    def test_flags_tags_relations_and_conflicts(self) -> None:
        texts = catalogue("en")
        for version in (SUPPORTED_VERSIONS[0], SUPPORTED_VERSIONS[1], SUPPORTED_VERSIONS[11]):
            facts = Facts.load(version, Hardware.A2)
            for name in itertools.islice(names_starting_with("torch.", version), 0, None, 7):
                row, counterpart = facts.row(name), facts.npu_counterpart(name)
                assert row is not None
                assert all(f"cli.api.flag_{word}" in texts for word in row.flags | row.tags)
                assert all(f"cli.status.{word}" in texts for word in row.conflict.values())
                if counterpart is not None:
                    assert f"cli.api.relation_{counterpart.relation}" in texts


class TestPackages:
    @pytest.mark.parametrize("name", ["flash-attn", "flash_attn", "Flash.Attn", "`flash_attn`"])
    def test_by_its_name_or_that_of_a_module(self, run: Run, name: str) -> None:
        ran = run("explain", name)
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.startswith("flash-attn\n")
        assert "replacement: flash-attn-npu" in ran.out
        assert "source: MinghuasLab/flash-attention-npu" in ran.out

    def test_the_release_from_which_it_works(self, run: Run) -> None:
        assert "from version 0.8.0 on" in run("explain", "liger-kernel").out

    def test_as_plain_data(self, run: Run) -> None:
        page = run("explain", "spconv", "--json").json
        facts = (page["kind"], page["status"], page["replacement"], page["modules"], page["confidence"])
        assert facts == ("package", "replaced", "mx_driving", ["spconv"], "H")

    def test_in_chinese(self, run: Run) -> None:
        assert "替代：triton-ascend，从版本 3.2.0 起" in run("explain", "triton", "--language", "zh").out

    def test_a_misspelt_name_gets_those_that_are_close(self, run: Run) -> None:
        ran = run("explain", "acelerate")
        assert ran.code == 2 and "accelerate" in ran.err

    def test_an_api_of_torch_is_no_package(self, run: Run) -> None:
        assert run("explain", "torch.cuda.nvtx.range_push", "--json").json["kind"] == "api"
