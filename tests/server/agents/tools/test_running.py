"""Nothing of a project runs without the user's consent; what broke is explained."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp_types import ElicitResult

from gpu2ascend.texts.answers.budget import BUDGET, tokens

from ..conftest import LEGACY, PROTOCOLS, asked

pytestmark = pytest.mark.slow

VERIFY = {"project": "proj", "arguments": ["train.py"]}
MARK = "from pathlib import Path\nPath(__file__).with_name('ran').touch()\n"
TRAINS = """
import torch, torch_npu
model = torch.nn.Linear(2, 1).npu()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(5):
    loss = model(torch.ones(4, 2).npu()).square().mean()
    optimizer.zero_grad(); loss.backward(); optimizer.step()
"""


def answering(result: ElicitResult) -> tuple[dict[str, Any], list[str]]:
    """A client that answers questions so, and the questions."""
    questions: list[str] = []

    async def answer(context: Any, question: Any) -> ElicitResult:
        questions.append(question.message)
        return result

    return {"elicitation_callback": answer}, questions


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "result",
    [
        ElicitResult(action="decline"),
        ElicitResult(action="cancel"),
        ElicitResult(action="accept", content={"run": False}),
    ],
)
def test_no_project_runs_against_the_will_of_the_user(
    project: Path, protocol: dict[str, Any], result: ElicitResult
) -> None:
    (project / "train.py").write_text(MARK)
    client, questions = answering(result)
    answer = asked("verify", VERIFY, (project.parent,), **client, **protocol)
    assert answer.failed and "does not want" in answer.text and len(questions) == 1
    assert not (project / "ran").exists()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_without_a_way_to_ask_nothing_runs(project: Path, protocol: dict[str, Any]) -> None:
    (project / "train.py").write_text(MARK)
    answer = asked("verify", VERIFY, (project.parent,), **protocol)
    assert answer.failed and "--allow-run" in answer.text and not (project / "ran").exists()


def test_a_project_outside_of_the_roots_is_not_even_asked_about(project: Path) -> None:
    client, questions = answering(ElicitResult(action="accept", content={"run": True}))
    answer = asked("verify", {**VERIFY, "project": "/"}, (project.parent,), **client)
    assert answer.failed and "outside of the roots" in answer.text and questions == []


@pytest.mark.execution
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_with_consent_it_trains(project: Path, protocol: dict[str, Any]) -> None:
    pytest.importorskip("torch")
    (project / "train.py").write_text(TRAINS)
    client, questions = answering(ElicitResult(action="accept", content={"run": True}))
    python = Path(sys.executable)
    answer = asked("verify", VERIFY, (project.parent,), python=python, **client, **protocol)
    assert answer.data["passed"] and answer.data["steps_done"] == 3 and len(answer.data["losses"]) >= 2
    assert "train.py" in questions[0] and str(project) in questions[0]


@pytest.mark.execution
def test_an_answer_is_short_whatever_the_program_prints(project: Path) -> None:
    pytest.importorskip("torch")
    (project / "train.py").write_text("print('word ' * 50_000)\nraise ValueError('word ' * 50_000)\n")
    answer = asked("verify", VERIFY, (project.parent,), allows_runs=True, python=Path(sys.executable))
    assert answer.data["failure"]["error"].startswith("ValueError: word")
    assert tokens(answer.text) <= BUDGET and tokens(json.dumps(answer.data, ensure_ascii=False)) <= BUDGET


@pytest.mark.execution
def test_the_first_error_comes_with_its_explanation(project: Path) -> None:
    pytest.importorskip("torch")
    python = Path(sys.executable)
    answer = asked("verify", VERIFY, (project.parent,), allows_runs=True, python=python, **LEGACY)
    failure = answer.data["failure"]
    assert not answer.data["passed"] and failure["place"] == "train.py:3"
    assert any("NPU110" in line for line in failure["explanation"])
    assert "train.py:3" in answer.text


def test_a_script_that_is_not_there_says_what_to_give(project: Path) -> None:
    arguments = {**VERIFY, "arguments": ["nope.py"]}
    answer = asked("verify", arguments, (project.parent,), allows_runs=True, python=Path(sys.executable))
    assert answer.failed and "nope.py" in answer.text and "`arguments`" in answer.text
