"""The lists of rules and the state of the server, as an editor asks for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.server.lsp.editor import editing
from tests.server.project.samples import CUDA, make_tree

pytestmark = pytest.mark.slow


async def ask(project: Path, command: str, **settings: object) -> dict[str, Any]:
    """The result of a command."""
    async with editing(project, settings={None: {"version": "2.8.0", **settings}}) as editor:
        result: dict[str, Any] = await editor.run(command)
        return result


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_tree(tmp_path / "proj", {"a.py": CUDA})


async def test_rules_can_be_chosen_from_by_what_they_do(project: Path) -> None:
    rules = {rule["code"]: rule for rule in (await ask(project, "rules"))["rules"]}
    assert rules["NPU101"]["name"] == "cuda-namespace"
    assert all(rule["summary"] and "\n" not in rule["summary"] for rule in rules.values())


async def test_rules_are_described_in_the_language_of_the_user(project: Path) -> None:
    rules = (await ask(project, "rules", language="zh"))["rules"]
    assert all(any("\u4e00" <= letter <= "\u9fff" for letter in rule["summary"]) for rule in rules)


async def test_codes_stand_in_the_order_of_their_numbers(project: Path) -> None:
    codes = [rule["code"] for rule in (await ask(project, "rules"))["rules"]]
    assert codes.index("NPU101") < codes.index("NPU901") < codes.index("NPU1001")


async def test_the_state_says_what_runs_and_what_counts(project: Path) -> None:
    status = await ask(project, "status", hardware="A3", enable=False)
    (folder,) = status["folders"]
    assert folder["folder"] == str(project) and folder["enabled"] is False
    assert folder["options"] == {"version": "2.8.0", "hardware": "A3"}
    assert status["version"] and status["python"].startswith("3.")


async def test_the_state_counts_documents_that_are_open(project: Path) -> None:
    async with editing(project) as editor:
        counts = [(await editor.run("status"))["documents"]]
        for name in ("a.py", "b.py"):
            uri = editor.open(project / name, CUDA)
            counts.append((await editor.run("status"))["documents"])
        editor.close(uri)
        result = [*counts, (await editor.run("status"))["documents"]]
    assert result == [0, 1, 2, 1]
