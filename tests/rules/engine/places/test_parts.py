"""Parts of files are examined as files are: what is found and changed in them is that of the file."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.edits.offsets import edited
from gpu2ascend_rules.edits.suppression import ignore_line
from gpu2ascend_rules.engine.places.parts import findings_of_parts
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.kinds.kind import KindFile
from gpu2ascend_rules.kinds.registry import kind_file
from gpu2ascend_rules.model.finding import Severity
from gpu2ascend_rules.model.project.project_view import NoProgram, Standalone
from gpu2ascend_rules.options.options import MigrationOptions, options_from
from gpu2ascend_rules.text.parts.part import Part, Piece
from gpu2ascend_rules.text.plain.text_file import TextFile

OPTIONS = options_from({"version": "2.8.0"})
UNSAFE = options_from({"version": "2.8.0", "unsafe_fixes": True})


def file_of(text: str, path: str = "run.sh") -> KindFile:
    file = kind_file(path, text)
    assert file is not None
    return file


def fixed(text: str, path: str = "run.sh", options: MigrationOptions = OPTIONS) -> str:
    return apply_fixes(file_of(text, path), options).text


SCRIPTS = [
    ('N=$(python -c "import torch; print(torch.cuda.device_count())")\n',
     'N=$(python -c "import torch; import torch_npu; print(torch_npu.npu.device_count())")\n'),
    ("N=`$PYTHON -c 'import torch; print(torch.cuda.device_count())'`\n",
     "N=`$PYTHON -c 'import torch; import torch_npu; print(torch_npu.npu.device_count())'`\n"),
    ("python -uc \"import torch\nx = torch.ones($N).to(\\\"cuda:$GPU\\\")\"\n",
     "python -uc \"import torch\nimport torch_npu\nx = torch.ones($N).to(\\\"npu:$GPU\\\")\"\n"),
    ("python -c 'import torch; torch.ones(1).to('\\''cuda'\\'')'\n",
     "python -c 'import torch; import torch_npu; torch.ones(1).to('\\''npu'\\'')'\n"),
    ("python - <<'EOF'\nimport torch\nif 1:\n    x = torch.ones(1).cuda()\nEOF\n",
     "python - <<'EOF'\nimport torch\nimport torch_npu\nif 1:\n    x = torch.ones(1).npu()\nEOF\n"),
    ("python - $A <<EOF > log\nimport torch\nprint(torch.ones($N).cuda(), '`date`', '\\$x')\nEOF\n",
     "python - $A <<EOF > log\nimport torch\nimport torch_npu\n"
     "print(torch.ones($N).npu(), '`date`', '\\$x')\nEOF\n"),
    ("if a; then\n\tpython <<-EOF\n\t\timport torch\n\t\ttorch.ones(1).cuda()\n\tEOF\nfi\n",
     "if a; then\n\tpython <<-EOF\n\t\timport torch\n\t\timport torch_npu\n"
     "\t\ttorch.ones(1).npu()\n\tEOF\nfi\n"),
    ("cat > train.py <<EOF\nimport torch\ntorch.ones(1).cuda()\nEOF\n",
     "cat > train.py <<EOF\nimport torch\nimport torch_npu\ntorch.ones(1).npu()\nEOF\n"),
    ("bash -c 'python -c \"import torch; torch.ones(1).cuda()\"'\n",
     "bash -c 'python -c \"import torch; import torch_npu; torch.ones(1).npu()\"'\n"),
    ("python <<< 'import torch; torch.ones(1).cuda()'\n",
     "python <<< 'import torch; import torch_npu; torch.ones(1).npu()'\n"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), SCRIPTS)
def test_code_in_a_script_is_migrated(before: str, after: str) -> None:
    assert fixed(before) == after
    assert fixed(after) == after


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs a shell")
@pytest.mark.parametrize("before", [before for before, _ in SCRIPTS])
def test_the_script_stays_one(before: str) -> None:
    after = fixed(before)
    for text in (before, after):
        done = subprocess.run(["bash", "-n"], input=text.encode(), capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("Dockerfile",
         'FROM a\nRUN python -c "import torch; \\\n    torch.ones(1).cuda()"\n',
         'FROM a\nRUN python -c "import torch; import torch_npu; \\\n    torch.ones(1).npu()"\n'),
        ("Dockerfile",
         'FROM a\nCMD ["python", "-c", "import torch\\nx = torch.ones(1).to(\\"cuda\\")"]\n',
         'FROM a\nCMD ["python", "-c", "import torch\\nimport torch_npu\\n'
         'x = torch.ones(1).to(\\"npu\\")"]\n'),
        ("Dockerfile",
         "FROM a\nRUN python - <<EOF\nimport torch\ntorch.ones(1).cuda()\nEOF\n",
         "FROM a\nRUN python - <<EOF\nimport torch\nimport torch_npu\ntorch.ones(1).npu()\nEOF\n"),
        ("Makefile",
         "a:\n\t@$(PY) -c 'import torch; torch.ones($(N)).to(\"cuda:$$GPU\")'\n",
         "a:\n\t@$(PY) -c 'import torch; import torch_npu; torch.ones($(N)).to(\"npu:$$GPU\")'\n"),
    ],
)  # fmt: skip
def test_code_in_other_files_is_migrated(path: str, before: str, after: str) -> None:
    assert fixed(before, path) == after
    assert fixed(after, path) == after


WORKFLOW = """jobs:
  a:
    runs-on: linux
    steps:
      - run: "python -c \\"import torch; torch.ones(1).cuda()\\""
      - run: |
          python - <<'EOF'
          import torch
          if True:
              x = torch.ones(${{ a.b }}).cuda()
          EOF
"""


def test_code_in_steps_of_a_workflow_is_changed_on_request_with_the_indentation_of_yaml() -> None:
    path = ".github/workflows/a.yml"
    assert fixed(WORKFLOW, path) == WORKFLOW
    after = fixed(WORKFLOW, path, UNSAFE)
    assert after == WORKFLOW.replace("import torch;", "import torch; import torch_npu;").replace(
        "          import torch\n", "          import torch\n          import torch_npu\n"
    ).replace(".cuda()", ".npu()")


@pytest.mark.parametrize(
    ("text", "code", "span"),
    [
        ("python -c 'import torch; x = torch.cuda.device_count()'\n", "NPU101", "torch.cuda.device_count"),
        ('python -c "f(\\"\\"); import torch; torch.cuda.init()"\n', "NPU101", "torch.cuda.init"),
        ("python <<-E\n\t\timport torch\n\t\ttorch.ones($N).cuda()\n\tE\n", "NPU110", "torch.ones($N).cuda"),
    ],
)
def test_a_finding_is_the_rules_own_at_its_place_in_the_file(text: str, code: str, span: str) -> None:
    file = file_of(text)
    (finding,) = check(file, OPTIONS)
    assert (finding.code, file.slice(finding.start, finding.end)) == (code, span)
    assert "shell_value" not in str(finding.message)


def test_rules_are_chosen_as_in_a_file() -> None:
    file = file_of("python -c 'import torch; torch.cuda.init(); torch.ones(1).cuda()'\n")
    chosen = options_from({"version": "2.8.0", "select": "NPU110"})
    assert [finding.code for finding in check(file, OPTIONS)] == ["NPU101", "NPU110"]
    assert [finding.code for finding in check(file, chosen)] == ["NPU110"]


class MovedOption(NoProgram):
    """A program with an option that no longer takes an old word."""

    def moved_options(self, options: Any) -> Mapping[str, frozenset[str]]:
        return {"--device": frozenset({"cuda"})}


class WithMovedOption(Standalone):
    """Its project."""

    program = MovedOption()


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ('python -c \'import torch; main(["--device", "cuda"])\'\n', ["NPU907"]),
        ("python -c 'import os; os.system(\"python a.py --device cuda\")'\n", ["NPU907"]),
        ('parallel "python a.py --device cuda"\n', ["NPU1013"]),
    ],
)
def test_what_a_part_has_reported_is_no_old_word_that_is_left(text: str, codes: list[str]) -> None:
    found = check(file_of(text), OPTIONS, project=WithMovedOption())
    assert [finding.code for finding in found] == codes


class OnePart(TextFile):
    """A file with a part in which nothing can be written."""

    def parts(self) -> Iterator[Part]:
        yield Part([Piece(0, len(self.data), self.data)], forbidden="npu")


def test_what_cannot_be_written_is_an_error_without_a_fix() -> None:
    file = OnePart("import torch\ntorch.ones(1).cuda()\n")
    (finding,) = findings_of_parts(file, lambda source: check(source, OPTIONS))
    assert (finding.code, finding.fix, finding.severity) == ("NPU110", None, Severity.ERROR)


def test_code_that_does_not_parse_is_left_alone_but_for_what_the_shell_fills_in() -> None:
    broken = "python -c 'import torch; torch.ones(1).cuda(); x = = 1'\n"
    filled = 'python -c "import torch; torch.ones(1).cuda(); $MORE y"\n'
    assert fixed(broken) == broken
    assert [finding.code for finding in check(file_of(broken), OPTIONS)] == ["NPU110"]
    assert ".npu(); $MORE y" in fixed(filled)


@pytest.mark.parametrize(
    ("text", "ignored"),
    [
        ("python - <<EOF > log\nimport torch\ntorch.ones(1).cuda()\nEOF\n",
         "python - <<EOF > log\nimport torch\ntorch.ones(1).cuda()  # gpu2ascend: ignore[NPU110]\nEOF\n"),
        ("python - <<EOF\nimport torch\nx = '''\n''' + torch.ones(1).cuda()\nEOF\n",
         "python - <<EOF\nimport torch\nx = '''\n''' + torch.ones(1).cuda()"
         "  # gpu2ascend: ignore[NPU110]\nEOF\n"),
        ("python -c 'import torch\ntorch.ones(1).cuda()'\n",
         "python -c 'import torch\ntorch.ones(1).cuda()'  # gpu2ascend: ignore[NPU110]\n"),
        ("cat <<EOF > a\n$CUDA_VISIBLE_DEVICES\nEOF\n",
         "cat <<EOF > a  # gpu2ascend: ignore[NPU1001]\n$CUDA_VISIBLE_DEVICES\nEOF\n"),
    ],
)  # fmt: skip
def test_a_comment_silences_where_it_is_one(text: str, ignored: str) -> None:
    file = file_of(text)
    (finding,) = check(file, OPTIONS)
    comment = ignore_line(file, finding)
    assert comment is not None
    after = edited(file, [comment])
    assert after.text == ignored
    assert check(after, OPTIONS) == ()
