"""NPU1101 on what the examples do not show."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.kinds.registry import text_file
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.options.options import MigrationOptions, options_from


def chosen(version: str) -> MigrationOptions:
    """All rules for dependencies but that for the index, which adds a line of its own."""
    return options_from({"version": version, "select": ["NPU11xx"], "ignore": ["NPU1107"]})


def after(text: str, path: str = "requirements.txt", version: str = "2.8.0") -> str:
    return apply_fixes(text_file(text, path), chosen(version)).text


def messages(text: str, path: str = "requirements.txt", version: str = "2.8.0") -> list[str]:
    return [finding.message.id for finding in check(text_file(text, path), chosen(version))]


def test_a_release_is_added_at_the_end_of_a_file_without_a_newline() -> None:
    assert after("numpy\ntorch") == "numpy\ntorch==2.8.0\ntorch-npu==2.8.0.post5"


def test_line_ends_and_margins_stay() -> None:
    assert after("  torch>=2 ; sys_platform=='linux'\r\nnumpy\r\n") == (
        "  torch==2.8.0 ; sys_platform=='linux'\r\n"
        "  torch-npu==2.8.0.post5; sys_platform=='linux'\r\nnumpy\r\n"
    )


def test_constraints_install_nothing_and_get_no_torch_npu() -> None:
    assert after("torch>=2\n", "constraints.txt") == "torch==2.8.0\n"


@pytest.mark.parametrize("path", ["docs/requirements.txt", "requirements/readthedocs.txt"])
def test_what_builds_documents_needs_no_npu(path: str) -> None:
    assert after("torch>=2\n", path) == "torch>=2\n" and messages("torch>=2\n", path) == []


@pytest.mark.parametrize("path", ["requirements-cpu.txt", "requirements/cpu.txt", "environment_cpu.yml"])
def test_what_is_for_a_cpu_alone_needs_no_npu(path: str) -> None:
    text = "torch>=2\n" if path.endswith("txt") else "name: c\ndependencies:\n  - pytorch>=2\n"
    assert after(text, path) == text and messages(text, path) == []
    other = path.replace("cpu", "npu")
    assert messages(text, other) != []


def test_a_torchaudio_that_there_is_not_is_said() -> None:
    assert messages("torchaudio>=2.0\n", version="2.13.0") == ["NPU1101.no_release"]


def test_a_list_in_one_line_stays_in_one_line() -> None:
    text = '[project]\ndependencies = ["torch>=2", "numpy"]\n'
    assert after(text, "pyproject.toml") == (
        '[project]\ndependencies = ["torch==2.8.0", "torch-npu==2.8.0.post5", "numpy"]\n'
    )


def test_the_last_item_without_a_comma_gets_one() -> None:
    text = "[project]\ndependencies = [\n    'numpy',\n    'torch'\n]\n"
    assert after(text, "pyproject.toml") == (
        "[project]\ndependencies = [\n    'numpy',\n    'torch==2.8.0',\n    'torch-npu==2.8.0.post5'\n]\n"
    )


def test_what_poetry_has_in_an_extra_is_not_commented_out() -> None:
    text = '[tool.poetry.dependencies]\npynvml = "^11"\n[tool.poetry.extras]\ngpu = ["pynvml"]\n'
    assert after(text, "pyproject.toml") == text
    assert messages(text, "pyproject.toml") == ["NPU1103.monitor"]


@pytest.mark.parametrize(
    "text",
    [
        "[project\ndependencies = [\n",
        "torch=={{ version }}\n",
        "torch==${TORCH}\n",
        "torch==\x00\n",
        "\ufefftorch\n",
    ],
)
def test_broken_texts_and_templates_stay(text: str) -> None:
    for path in ("requirements.txt", "pyproject.toml", "setup.cfg", "Pipfile", "poetry.lock"):
        assert after(text, path).replace("==2.8.0\ntorch-npu==2.8.0.post5", "") == text


def test_ignore_comments_hold() -> None:
    text = "torch>=2  # gpu2ascend: ignore[NPU1101]\n"
    assert after(text) == text


@pytest.mark.parametrize("folder", ["tensorflow", "paddlepaddle"])
def test_other_frameworks_stay_on_gpus(folder: str) -> None:
    assert messages("pynvml\n", f"{folder}/requirements.txt") == []


def test_what_belongs_to_another_torch_is_not_pinned_beside_one_that_stays() -> None:
    assert after("torch<2.7\ntorchvision\n") == "torch<2.7\ntorchvision\n"


def test_each_group_of_extras_gets_the_pair() -> None:
    text = '[project]\ndependencies = ["torch"]\n[project.optional-dependencies]\ndev = ["torch>=2"]\n'
    assert after(text, "pyproject.toml").count("torch==2.8.0") == 2


LEFT = "NPU1101.beside"


@pytest.mark.parametrize(
    ("text", "path", "written"),
    [
        ("torch==2.8.0\n", "requirements.txt", "torch==2.8.0\ntorch-npu==2.8.0.post5\n"),
        (
            '[packages]\ntorch = "==2.8.0"\n',
            "Pipfile",
            '[packages]\ntorch = "==2.8.0"\ntorch-npu = "==2.8.0.post5"\n',
        ),
        ("torch==2.8.0 --hash=sha256:abc\n", "requirements.txt", None),
        ("torch==2.8.0\ntorch==2.8.0; python_version<'3.9'\n", "requirements.txt", None),
        (
            '[tool.poetry.dependencies]\ntorch = {version = "2.8.0", optional = true}\n',
            "pyproject.toml",
            None,
        ),
    ],
)
def test_beside_the_right_torch_is_what_is_missing(text: str, path: str, written: str | None) -> None:
    """It is added where that is one line beside another, else only said."""
    found = check(text_file(text, path), chosen("2.8.0"))
    assert {item.message.id for item in found} == {LEFT}
    assert [item.fix is not None for item in found] == [written is not None] * len(found)
    assert after(text, path) == (written or text)


def test_beside_the_right_pair_nothing_is_missing() -> None:
    assert messages("torch==2.8.0\ntorch-npu==2.8.0.post5\n") == []
    assert messages("torch==2.8.0\n") == [LEFT]


def test_what_is_needed_is_named_once() -> None:
    """Of another torch-npu, too: what belongs to the right one is torch."""
    for entry in ("torch-npu==2.1.0", "torch==2.1.0", "torchvision==0.16.0"):
        (finding,) = [
            item
            for item in check(text_file(f"{entry}\n", "requirements.txt"), chosen("2.8.0"))
            if item.message.id == "NPU1101.excluded"
        ]
        text = render(finding.message)
        assert text.count("`torch-npu==2.8.0.post5`") == 1, text
    (finding,) = check(text_file("torch-npu==2.1.0\n", "requirements.txt"), chosen("2.8.0"))
    assert "needs `torch==2.8.0` and `torch-npu==2.8.0.post5`" in render(finding.message)
