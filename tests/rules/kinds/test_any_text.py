"""No text ends the program, whatever kind its name says, and every place lies within it."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.edits.suppression import ignore_line
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.kinds.registry import kind_file
from gpu2ascend_rules.options.options import options_from

TEXTS = {
    "requirements.txt": "-i https://x/whl/cu118\ntorch[a]>=1.7 ; os_name=='nt' \\\n --hash=x:0\nä @ b\n",
    "pyproject.toml": '[project]\ndependencies = ["torch>=2", # ä\n "b"]\n[tool.poetry.dependencies]\n'
    'torch = {version="1"}\n',
    "Pipfile": '[[source]]\nurl = "https://x/cu118"\n[packages]\ntorch = "*"\n',
    "setup.cfg": "[options]\ninstall_requires =\n  torch>=1 # ä\n\n[options.extras_require]\nx =\n\ttorch\n",
    "environment.yaml": "name: x\ndependencies:\n  - pytorch=1.7\n  - pip:\n    - 'torch>=1'\n    - -f https://x/cu118\n",
    "config.yaml": "a: &b\n  device: 'cuda:0' # ä\nc: !d [nccl, {device: cuda}]\n---\ne: |\n  device: cuda\n",
    ".gitlab-ci.yml": "a:\n  script:\n    - |\n      cat <<EOF\n      ä\n      EOF\n"
    "      nvidia-smi \\\n        -L\n"
    '    - >\n      CUDA_VISIBLE_DEVICES=${{ x }}\n      python\n    - "a \\"nvidia-smi\\" \'\' "\n',
    "Dockerfile": "# escape=\\\nFROM nvidia/cuda:12\nRUN <<EOF\nnvidia-smi\nEOF\n"
    'CMD ["nvidia-smi", \\\n# ä\n "a"]\n',
    ".env": "export A = 'ä'\nCUDA_VISIBLE_DEVICES=3,1 # x\nB=${CUDA_VISIBLE_DEVICES}$\n",
    "config.json": '{"ä": [{"device": "cuda"}, "nccl", 1, true, null]}',
    "config.toml": "[a.'b c']\ndevice = '''cuda'''\nbackend = [\"nccl\", {device = 'cuda'}]\n",
    "config.ini": "[a]\ndevice = cuda ; ä\n  more\nbackend: 'nccl'\n",
    "poetry.lock": '[[package]]\nname = "torch"\nversion = "2.0"\n',
}
OPTIONS = options_from({"version": "2.8.0", "select": ["NPU1xxx"], "unsafe_fixes": True})


@pytest.mark.parametrize("path", TEXTS)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_cut_anywhere_it_is_survived(path: str, newline: str) -> None:
    text = TEXTS[path].replace("\n", newline)
    for end in range(len(text) + 1):
        for part in (text[:end], text[end:]):
            file = kind_file(path, part)
            assert file is not None
            for place in file.places():
                start, stop = place.start, place.end  # type: ignore[attr-defined]
                assert 0 <= start <= stop <= len(file.data)
            for finding in check(file, OPTIONS):
                file.comment_at(finding.start, finding.end)
                file.line_for_comment(file.lines.line_of(finding.start))
                ignore_line(file, finding)


@pytest.mark.parametrize("path", TEXTS)
def test_migrating_again_changes_nothing(path: str) -> None:
    file = kind_file(path, TEXTS[path])
    assert file is not None
    once = apply_fixes(file, OPTIONS).text
    assert apply_fixes(file.renewed(once), OPTIONS).text == once
