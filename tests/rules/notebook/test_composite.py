"""Cells as one source: names cross cells, edits go back to them."""

from __future__ import annotations

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.edits.fix_edits import edits_of
from gpu2ascend_rules.edits.offsets import apply_edits
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.notebook.composite import CellSpan, Composite
from gpu2ascend_rules.options.options import options_from

OPTIONS = options_from({"version": "2.8.0"})


def migrated(*cells: str | None) -> dict[int, str]:
    composite = Composite(cells)
    return composite.replay(apply_fixes(composite.source, OPTIONS))


def found(*cells: str | None) -> list[tuple[int, str]]:
    """Each finding's cell and text."""
    composite = Composite(cells)
    spans = []
    for finding in check(composite.source, OPTIONS):
        span = composite.span(finding.start, finding.end)
        assert span is not None
        text = (cells[span.cell] or "").encode()[span.start : span.end].decode()
        spans.append((span.cell, text))
    return spans


def codes(*cells: str | None) -> list[str]:
    return [finding.code for finding in check(Composite(cells).source, OPTIONS)]


class TestNames:
    def test_an_import_in_one_cell_resolves_in_the_next(self) -> None:
        assert found("import torch as th", "th.cuda.synchronize()") == [(1, "th.cuda.synchronize")]

    def test_a_name_that_another_cell_binds_is_not_torch(self) -> None:
        assert codes("torch = load()", "torch.cuda.synchronize()") == ["NPU115"]
        assert found("import torch", "torch.cuda.synchronize()") == [(1, "torch.cuda.synchronize")]

    def test_offsets_count_in_the_cell_as_written(self) -> None:
        cells = ("%time\nimport torch as th", "!echo é😀\nx = '文'; th.cuda.synchronize()\n")
        assert found(*cells) == [(1, "th.cuda.synchronize")]

    def test_a_cell_that_is_half_typed_does_not_hide_the_next(self) -> None:
        cells = ("import torch", "torch.cuda.empty_cache(", "torch.cuda.synchronize()")
        assert (2, "torch.cuda.synchronize") in found(*cells)

    def test_cells_of_other_languages_are_left_out(self) -> None:
        assert found("import torch", None, "%%perl\ntorch.cuda.synchronize()") == []

    def test_an_ignore_comment_for_the_file_is_one_for_the_notebook(self) -> None:
        assert found("# gpu2ascend: ignore-file\nimport torch", "torch.cuda.synchronize()") == []


class TestFixes:
    def test_the_import_goes_into_the_cell_that_first_imports_torch(self) -> None:
        assert migrated("import os", "import torch", "torch.cuda.synchronize()") == {
            1: "import torch\nimport torch_npu",
            2: "torch_npu.npu.synchronize()",
        }

    def test_magics_survive_among_fixes(self) -> None:
        cell = "%%time\n!echo nvidia\n%time torch.cuda.synchronize()\nx = !ls\ntorch.cuda.empty_cache?"
        assert migrated("import torch", cell) == {
            0: "import torch\nimport torch_npu",
            1: cell.replace("torch.cuda.synchronize", "torch_npu.npu.synchronize"),
        }

    def test_shell_code_is_changed_where_it_stands(self) -> None:
        cells = (
            "%%bash\nnvidia-smi",
            "if 1:\n    !nvidia-smi",
            "x = !nvidia-smi\ny=!nvidia-smi",
            "!nvidia-smi",
        )
        assert migrated(*cells) == {
            number: text.replace("nvidia-smi", "npu-smi info") for number, text in enumerate(cells)
        }

    def test_imports_never_go_into_a_cell_of_another_language(self) -> None:
        bash = "%%bash\necho"
        assert migrated(bash, "import torch", "torch.cuda.synchronize()").keys() == {1, 2}

    def test_a_statement_taken_out_of_the_end_of_a_cell_leaves_the_next_cell_alone(self) -> None:
        cells = ("import torch\nx = 1\nimport torch.cuda", "y = 1")
        composite = Composite(cells)
        outcome = apply_fixes(composite.source, OPTIONS)
        assert composite.replay(outcome) == {0: "import torch\nx = 1"}

    def test_line_ends_of_the_notebook_are_kept(self) -> None:
        assert (
            migrated("import torch", "x = 1\r\ntorch.cuda.synchronize()")[0]
            == "import torch\r\nimport torch_npu"
        )

    def test_what_follows_the_last_line_of_a_cell_is_of_that_cell(self) -> None:
        composite = Composite(["import torch", "x.cuda()"])
        options = options_from({"version": "2.10.0", "target": "accelerator"})
        outcome = apply_fixes(composite.source, options)
        first = composite.replay(outcome)[0]
        assert first.startswith("import torch\n\n\ndef get_device():\n")
        assert first.endswith('\n    return torch.device("cpu")')
        (finding,) = check(composite.source, options)
        assert finding.fix is not None
        edits = composite.cell_edits(edits_of(composite.source, finding.fix))[0]
        assert apply_edits(b"import torch", edits).decode() == first

    def test_migrating_again_changes_nothing(self) -> None:
        cells = ["import torch", "device = torch.device('cuda')\nx.cuda()", "%%bash\nls"]
        for index, text in migrated(*cells).items():
            cells[index] = text
        assert migrated(*cells) == {}


def test_edits_of_one_fix_go_to_the_cells_that_they_are_in() -> None:
    composite = Composite(["import torch", "torch.cuda.synchronize()"])
    (finding,) = check(composite.source, OPTIONS)
    assert finding.fix is not None
    by_cell = composite.cell_edits(edits_of(composite.source, finding.fix))
    assert by_cell[0] == [Edit(12, 12, "\nimport torch_npu")]
    assert apply_edits(b"torch.cuda.synchronize()", by_cell[1]) == b"torch_npu.npu.synchronize()"


def test_a_place_in_a_cell_leads_to_the_composite_and_back() -> None:
    composite = Composite(["a = 1", None, "%%html\n", "b = '文'"])
    for cell in (0, 3):
        offset = composite.offset(cell, 2)
        assert offset is not None and composite.span(offset, offset + 1) == CellSpan(cell, 2, 3)
    assert composite.offset(1, 0) is None and composite.offset(2, 0) is None
