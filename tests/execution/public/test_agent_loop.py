"""The loop of an agent, replayed: from what a migration of a public project left, by edits that were recorded
by hand, to a run that passes. The client is scripted; each order must be done by its own edit."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import pytest
from mcp.client.client import Client
from mcp_types import ElicitResult

from gpu2ascend.agents.server import build
from gpu2ascend.agents.settings import Settings
from tests.execution.public.sources import Project, copy_parts

pytestmark = [pytest.mark.slow, pytest.mark.execution, pytest.mark.network]

TRAIN = """\
import torch

{imported}

model = torch.nn.Linear(8, 1).cuda()
optimizer = {optimizer}
inputs = torch.ones(4, 8).cuda()
for _ in range(5):
    loss = model(inputs).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


class Edit(NamedTuple):
    """One edit by hand: a piece of a file, and what takes its place. Without an old piece the file goes."""

    path: str
    old: str
    new: str


class Recorded(NamedTuple):
    """A public project, a program of ours that trains with it, and how each order was done."""

    project: Project
    imported: str
    optimizer: str
    edits: dict[str, tuple[Edit, ...]]
    """By the code of the order."""
    beside: Project | None = None
    """A project that it imports."""


LION = Recorded(
    Project("lion_pytorch", "0.2.5", (("lion_pytorch", "lion_pytorch"),)),
    "from lion_pytorch import Lion",
    "Lion(model.parameters(), lr=1e-3)",
    {
        "NPU706": (
            Edit(
                "lion_pytorch/lion_pytorch.py",
                "            from lion_pytorch.triton import update_fn as triton_update_fn\n"
                "            self.update_fn = triton_update_fn\n",
                "            raise NotImplementedError('there is no Triton kernel of Lion for the NPU')\n",
            ),
            Edit("lion_pytorch/triton.py", "", ""),
        )
    },
)
OPTIMIZERS = Recorded(
    Project("torch-optimizer", "0.3.0", (("torch_optimizer", "torch_optimizer"), ("tests", "tests"))),
    "import torch_optimizer",
    "torch_optimizer.AdaBound(model.parameters(), lr=0.01)",
    {
        "NPU122": (
            Edit(
                "tests/test_param_validation.py",
                "to_sparse().requires_grad_(True)\n",
                "to_sparse().requires_grad_(True)  # gpu2ascend: ignore[NPU122] on the CPU\n",
            ),
            Edit(
                "tests/test_param_validation.py",
                "grad = torch.randn(1, 1).to_sparse()\n",
                "grad = torch.randn(1, 1).to_sparse()  # gpu2ascend: ignore[NPU122] on the CPU\n",
            ),
        )
    },
    Project("pytorch_ranger", "0.1.1", (("pytorch_ranger", "pytorch_ranger"),)),
)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("recorded", [LION, OPTIMIZERS], ids=lambda item: item.project.name)
def test_what_is_left_is_edited_order_by_order_until_the_project_passes(
    recorded: Recorded, tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    source = tmp_path / "project"
    copy_parts(recorded.project, source)
    if recorded.beside is not None:
        copy_parts(recorded.beside, source)
    program = TRAIN.format(imported=recorded.imported, optimizer=recorded.optimizer)
    (source / "train.py").write_text(program)
    questions: list[str] = []

    async def consent(context: Any, question: Any) -> ElicitResult:
        questions.append(question.message)
        return ElicitResult(action="accept", content={"run": True})

    async def main() -> tuple[list[str], dict[str, Any]]:
        server = build(Settings((tmp_path,), False, Path(sys.executable), "en"))
        async with Client(server, elicitation_callback=consent) as session:
            return await _loop(session, recorded, tmp_path)

    done, verified = anyio.run(main)
    assert sorted(done) == sorted(recorded.edits)
    assert verified["passed"], verified
    assert verified["differs_at"] is None and verified["steps_done"] == 3
    assert len(questions) == 1


async def _loop(session: Any, recorded: Recorded, root: Path) -> tuple[list[str], dict[str, Any]]:
    """The codes of the orders as they were done, and the answer of the last run."""

    async def ask(tool: str, **arguments: Any) -> dict[str, Any]:
        result = await session.call_tool(tool, arguments)
        assert not result.is_error, result.content[0].text
        data: dict[str, Any] = result.structured_content
        return data

    shown = await ask("migrate", project="project", version="2.13.0")
    assert "train.py" in shown["files"]
    written = await ask("migrate", project="project", output="out", version="2.13.0", write=True)
    place = written["output"]
    done: list[str] = []
    while (left := await ask("what_is_left", project=place, limit=1))["orders"]:
        (order,) = left["orders"]
        assert order["code"] in recorded.edits, order
        paths = sorted({f"{place}/{item['path']}" for item in order["places"]})
        for edit in recorded.edits[order["code"]]:
            _make(root / place, edit)
        still = [path for path in paths if (root / path).exists()]
        found = await ask("check", paths=still, code=order["code"]) if still else {"total": 0}
        assert found["total"] == 0
        after = await ask("what_is_left", project=place)
        assert order["id"] in [item["id"] for item in after["done"]] and after["total"] == left["total"] - 1
        done.append(order["code"])
    verified = await ask("verify", project=place, arguments=["train.py"], original="project")
    return done, verified


def _make(project: Path, edit: Edit) -> None:
    path = project / edit.path
    if not edit.old:
        path.unlink()
        return
    text = path.read_text(encoding="utf-8")
    assert text.count(edit.old) == 1
    path.write_text(text.replace(edit.old, edit.new), encoding="utf-8")
