"""Which names of modules need CUDA: one answer whoever is asked first, from few parses."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import permutations
from pathlib import Path

import pytest

from gpu2ascend.project.index.sources.project_texts import ProjectTexts
from gpu2ascend.project.index.view import ProjectFiles
from gpu2ascend_rules.limits import parsing
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.program.serving import needing_names
from gpu2ascend_rules.text import parsed_text

OPTIONS = options_from({"version": "2.8.0"})
USES = "import flash_attn\ndef attend(q):\n    return flash_attn.attend(q)\n"
IN_A_CIRCLE = {
    "ops.py": "from layers import layer\n" + USES,
    "layers.py": "from ops import attend\ndef layer(q):\n    return attend(q)\ndef plain(q):\n    return q\n",
    "model.py": "from layers import layer, plain\ndef model(q):\n    return layer(q)\n",
}
WITH_A_HINT_ALONE = {
    "layers.py": "USE_CUDA = has_cuda_graphs()\ndef layer(q):\n    return q\n",
    **{f"model_{number}.py": "from layers import layer\nlayer(1)\n" for number in range(5)},
}


def project(root: Path, files: Mapping[str, str]) -> ProjectFiles:
    for path, text in files.items():
        (root / path).write_text(text, encoding="utf-8")
    return ProjectFiles(root)


def needing(view: ProjectFiles, module: str) -> frozenset[str]:
    return view.cuda.names_needing_cuda("train.py", module, OPTIONS)


@pytest.mark.parametrize("order", list(permutations(("ops", "layers", "model"))))
def test_modules_that_import_one_another_have_one_answer(order: tuple[str, ...], tmp_path: Path) -> None:
    view = project(tmp_path, IN_A_CIRCLE)
    found = {module: needing(view, module) for module in order}
    assert found == {
        "ops": {"flash_attn", "attend", "layer"},
        "layers": {"attend", "layer"},
        "model": {"layer", "model"},
    }


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bytes]]:
    """The texts that were parsed."""
    texts: list[bytes] = []
    parse = parsing.parse

    def noted(data: bytes, *arguments: object, **named: object) -> object:
        texts.append(data)
        return parse(data, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(parsed_text, "parse", noted)
    yield texts


def test_modules_that_name_nothing_which_needs_cuda_are_not_parsed(
    tmp_path: Path, parsed: list[bytes]
) -> None:
    view = project(tmp_path, WITH_A_HINT_ALONE)
    assert not any(needing(view, path.removesuffix(".py")) for path in WITH_A_HINT_ALONE)
    assert parsed == [WITH_A_HINT_ALONE["layers.py"].encode()]


def test_a_module_that_is_asked_about_again_is_not_parsed_again(tmp_path: Path, parsed: list[bytes]) -> None:
    view = project(tmp_path, {"ops.py": USES})
    for name in ("attend", "other", "third"):
        view.cuda.answer_on_npu("train.py", "ops", f"{name}", OPTIONS)
        view.cuda.names_needing_cuda("train.py", "ops", OPTIONS)
        source = view.python_at("ops.py")
        assert source is not None and source.root.type == "module"
    assert parsed == [USES.encode()]


def test_a_module_that_imports_many_which_need_it_is_read_no_more_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reads(count: int) -> int:
        (tmp_path / str(count)).mkdir()
        layers = {f"layer_{number}.py": USES for number in range(count)}
        imports = "".join(f"from layer_{number} import attend\n" for number in range(count))
        view = project(
            tmp_path / str(count), {**layers, "model.py": f"{imports}def run(q):\n    attend(q)\n"}
        )
        read: list[str] = []
        text_at = ProjectTexts.text_at

        def noted(texts: ProjectTexts, path: str) -> str | None:
            read.append(path)
            return text_at(texts, path)

        with monkeypatch.context() as patch:
            patch.setattr(ProjectTexts, "text_at", noted)
            assert "run" in needing(view, "model")
        return read.count("model.py")

    assert reads(3) == reads(30)


def test_a_module_of_which_the_survey_knows_that_it_may_need_cuda_is_not_searched_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[bytes] = []
    may_need = needing_names.may_need_without_hint

    def noted(python: bytes, extensions: Collection[str]) -> bool:
        searched.append(python)
        return may_need(python, extensions)

    monkeypatch.setattr(needing_names, "may_need_without_hint", noted)
    assert needing(project(tmp_path, IN_A_CIRCLE), "model") == {"layer", "model"}
    assert IN_A_CIRCLE["ops.py"].encode() not in searched
    assert IN_A_CIRCLE["model.py"].encode() in searched
