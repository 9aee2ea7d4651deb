"""The report page of a migration says what a run of the migrated project showed."""

from __future__ import annotations

import re
from pathlib import Path

import attrs
import pytest

from gpu2ascend.__main__ import main
from gpu2ascend.project.manifest.ledger import differences
from gpu2ascend.project.report.html.sections.verification import with_verification
from gpu2ascend.verify.result.model import FileCoverage, OperatorUse, Place, RankResult, VerifyResult
from gpu2ascend.verify.running.supervise import Ending
from gpu2ascend.verify.showing.filling import fill_page
from gpu2ascend.verify.showing.page import verification_content
from tests.security.test_report_page import ELEMENTS, EVIL, seen
from tests.server.project.report.html.pages import Page, page, words
from tests.server.project.samples import CUDA, make_tree
from tests.server.verify.results import FAILURE, LINE, REFUSALS, UNREGISTERED, failed, made_up

AT = 1_763_870_400.0


def empty(directory: Path, language: str = "en") -> Page:
    """The page of a migration whose output did not run yet."""
    return page(directory, [], language, output="proj_msft", script="train.py")


def filled(directory: Path, result: VerifyResult, language: str = "en") -> str:
    """The page after a run."""
    made = with_verification(
        empty(directory, language).html, lambda texts: verification_content(result, AT, texts)
    )
    assert made is not None
    return made


def part(html: str) -> str:
    """The words of the part about the run."""
    return words(html[html.index('<section id="verification"') : html.index('<section id="unexamined"')])


def test_before_a_run_the_page_has_the_command(tmp_path: Path) -> None:
    told = empty(tmp_path).section("verification")
    assert "has not run yet" in told and "gpu2ascend verify . -- train.py" in told


def test_an_analysis_has_nothing_to_run(tmp_path: Path) -> None:
    assert 'id="verification"' in empty(tmp_path / "a").html
    assert "verification" not in page(tmp_path / "b", []).html


def test_what_cannot_run_on_a_simulated_device_has_nothing_to_run(tmp_path: Path) -> None:
    told = page(tmp_path, [], output="proj_x2ms").html
    assert 'id="unexamined"' in told and 'id="verification"' not in told


def test_nothing_else_of_the_page_changes(tmp_path: Path) -> None:
    before = empty(tmp_path / "a").html
    after = filled(tmp_path / "b", made_up(tmp_path))
    start = '<section id="verification"'
    assert before.partition(start)[0] == after.partition(start)[0]
    end = '<section id="unexamined"'
    assert before.partition(end)[2] == after.partition(end)[2]


def test_a_later_run_takes_the_place_of_an_earlier_one(tmp_path: Path) -> None:
    once = filled(tmp_path, failed(tmp_path))
    again = with_verification(once, lambda texts: verification_content(made_up(tmp_path), AT, texts))
    assert again is not None and "RuntimeError" not in again and "PASSED" in part(again)


def test_it_says_what_ran_on_what_and_when(tmp_path: Path) -> None:
    told = part(filled(tmp_path, made_up(tmp_path)))
    assert "PASSED: 3 of 3 steps (ranks: 1) with the names of torch_npu 2.8.0, on torch 2.13.0+cpu" in told
    assert "train.py --epochs 1 ran on torch 2.13.0+cpu and Python 3.12.1" in told
    assert "4.2 s" in told and "2025-11-23 04:00 UTC" in told


def test_a_run_that_proves_less_than_it_seems_to_has_another_colour(tmp_path: Path) -> None:
    results = (made_up(tmp_path), made_up(tmp_path, made_up=("MNIST",)), failed(tmp_path))
    pages = [filled(tmp_path / str(number), result) for number, result in enumerate(results)]
    verdicts = [re.findall(r'<div class="verdict (\w+)"', html)[-1] for html in pages]
    assert verdicts == ["migrated", "open", "blocked"]


def test_it_has_the_steps_and_losses_of_every_rank(tmp_path: Path) -> None:
    ranks = (RankResult(0, 3, (0.75, 0.5), ""), RankResult(1, 2, (), ""))
    told = part(filled(tmp_path, made_up(tmp_path, ranks=ranks, asked_ranks=2)))
    assert "0 3 0.75, 0.5" in told and "1 2 none" in told


def test_it_has_the_lines_that_ran_of_each_file(tmp_path: Path) -> None:
    told = part(filled(tmp_path, made_up(tmp_path)))
    assert "train.py 9/12 (75 %) 4-5, 7" in told and "net.py 3/3 (100 %) –" in told
    assert "Never loaded (1): tools/other.py" in told


def test_it_has_the_first_error_its_rule_and_the_quick_fix(tmp_path: Path) -> None:
    told = part(filled(tmp_path, failed(tmp_path)))
    assert "train.py:12 RuntimeError: Expected all tensors" in told and "from train.py:30 in <module>" in told
    assert "Why: one of the tensors is on the CPU" in told and "What to do: move it" in told
    assert "NPU104: Installing once" in told and "Quick fix: What to expect" in told
    assert "Rules about this: NPU999" in told


def test_it_has_the_operators_and_the_types_that_the_npu_does_not_take(tmp_path: Path) -> None:
    told = part(filled(tmp_path, made_up(tmp_path, unregistered=UNREGISTERED, refusals=REFUSALS)))
    assert "aten::roll 6 train.py:12" in told
    assert "train.py:12: aten::mm does not support float64 on the NPU (2 times)" in told


def test_it_has_what_to_expect_on_the_device(tmp_path: Path) -> None:
    assert "other speed: this run does not show how fast" in part(filled(tmp_path, made_up(tmp_path)))


def test_a_hang_has_the_stacks_of_every_rank(tmp_path: Path) -> None:
    ranks = tuple(RankResult(number, 0, (), f"stack of {number}") for number in range(2))
    told = part(filled(tmp_path, made_up(tmp_path, ending=Ending.TIMEOUT, ranks=ranks, asked_ranks=2)))
    assert "stack of 0" in told and "stack of 1" in told


def test_it_has_the_language_of_the_page(tmp_path: Path) -> None:
    told = part(filled(tmp_path, failed(tmp_path), "zh"))
    assert "在模拟 NPU 上运行" in told and "第一个错误" in told and "Why" not in told


def test_text_of_the_project_stays_text(tmp_path: Path) -> None:
    evil = f"{EVIL}</section>\u202e"
    failure = attrs.evolve(FAILURE, type=evil, text=evil, traceback=(Place(evil, 1, evil), Place(evil, 2)))
    result = failed(
        tmp_path,
        failure,
        command=(evil,),
        coverage=(FileCoverage(evil, 1, (2,)),),
        not_loaded=(evil,),
        unregistered=(OperatorUse(evil, 1, Place(evil, 1)),),
    )
    before, after = seen(empty(tmp_path / "a").html), seen(filled(tmp_path / "b", result))
    assert after.elements - ELEMENTS == set() and after.comments == 0
    assert after.addresses == before.addresses and "\u202e" not in filled(tmp_path / "c", result)


@pytest.mark.slow
def test_its_length_has_a_limit(tmp_path: Path) -> None:
    lines = tuple(range(1, 20_001, 2))
    large = failed(
        tmp_path,
        attrs.evolve(FAILURE, text="x" * 1_000_000, traceback=(LINE,) * 1_000),
        coverage=tuple(FileCoverage(f"package/module_{number}.py", 1, lines) for number in range(1_000)),
        not_loaded=tuple(f"package/other_{number}.py" for number in range(5_000)),
        unregistered=UNREGISTERED * 2_000,
        refusals=REFUSALS * 2_000,
        ranks=tuple(RankResult(number, 3, (0.5,) * 1_000, "s" * 100_000) for number in range(64)),
        ending=Ending.TIMEOUT,
        asked_ranks=64,
    )
    assert len(filled(tmp_path / "a", large)) - len(empty(tmp_path / "b").html) < 300_000


class TestInAMigratedProject:
    @pytest.fixture
    def output(self, tmp_path: Path) -> Path:
        """What a migration wrote."""
        root, output = make_tree(tmp_path / "proj", {"train.py": CUDA}), tmp_path / "out"
        main(["migrate", "-i", str(root), "-o", str(output), "-v", "2.8.0", "--jobs", "1"])
        return output / "proj_msft"

    def test_the_page_is_filled_and_the_output_is_as_its_list_says(self, output: Path) -> None:
        assert fill_page(made_up(output), AT) == output / "report.html"
        assert "PASSED" in part((output / "report.html").read_text("utf-8"))
        found = differences(output)
        assert found is not None and found.count == 0

    def test_a_page_that_a_user_changed_stays(self, output: Path) -> None:
        (output / "report.html").write_text("mine")
        assert fill_page(made_up(output), AT) is None
        assert (output / "report.html").read_text() == "mine"

    def test_a_project_that_was_not_migrated_has_no_page(self, tmp_path: Path) -> None:
        root = make_tree(tmp_path / "proj", {"train.py": CUDA})
        assert fill_page(made_up(root), AT) is None
        assert [path.name for path in root.iterdir()] == ["train.py"]
