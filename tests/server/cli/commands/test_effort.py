"""``analyze``, ``migrate``, ``handover`` and their documents and pages say the same of what is left."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from ..conftest import Run, make_project

V = ("-v", "2.8.0")
FILES = {
    "train.py": "import torch\nfrom lib import make\n\nmodel = torch.nn.Linear(2, 2).cuda()\n"
    "loader = torch.utils.data.DataLoader([1])\nopt = torch.optim.SGD(model.parameters(), lr=1)\n"
    "for x in loader:\n    model(x.cuda()).sum().backward()\n    opt.step()\n    make(x)\n",
    "lib.py": "import torch\nimport apex\n\n\ndef make(x):\n    torch.cuda.jiterator._create_jit_fn(x)\n"
    "    return torch.special.bessel_j0(x)\n",
}


def figures(data: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key != "lines_edited"}


def said(text: str) -> tuple[str, str, str]:
    (found,) = re.findall(r"automatically: (\d+); to review: (\d+); to write by hand: (\d+)", text)
    return found  # type: ignore[no-any-return]


def test_all_figures_are_the_same(run: Run, tmp_path: Path) -> None:
    project = make_project(tmp_path / "p", FILES)
    page = tmp_path / "page.html"
    analysed = run("analyze", project, *V, "--json", "--html", page).json["effort"]
    edited, review, write = (analysed[f"lines_{name}"] for name in ("edited", "to_review", "to_write"))
    expected = (str(edited), str(review), str(write))
    assert edited and write
    assert said(run("analyze", project, *V).out) == expected
    assert said(page.read_text(encoding="utf-8")) == expected
    assert analysed["method"].replace("<", "&lt;") in page.read_text(encoding="utf-8")

    ran = run("migrate", "-i", project, "-o", tmp_path / "out", *V)
    migrated = run("migrate", "-i", project, "-o", tmp_path / "out", *V, "--json", "--force").json["effort"]
    output = tmp_path / "out" / "p_msft"
    counts = tuple(str(migrated[f"lines_{name}"]) for name in ("edited", "to_review", "to_write"))
    assert counts == expected
    assert said(ran.out) == said((output / "report.html").read_text(encoding="utf-8")) == counts
    orders = json.loads((output / ".gpu2ascend" / "work-orders.json").read_text(encoding="utf-8"))["effort"]
    assert figures(migrated) == figures(orders) == figures(analysed)
    assert figures(run("handover", output, "--output-format", "json").json["effort"]) == figures(orders)
    hours = f"{orders['hours']['least']:g} to {orders['hours']['most']:g} hours"
    assert hours in (output / "MIGRATION.md").read_text(encoding="utf-8") and hours in ran.out
    assert [entry["entry"] for entry in migrated["entries"]] == ["train.py"]


def test_in_chinese(run: Run, tmp_path: Path) -> None:
    project = make_project(tmp_path / "p", FILES)
    assert "待手工编写" in run("analyze", project, *V, "--language", "zh").out
