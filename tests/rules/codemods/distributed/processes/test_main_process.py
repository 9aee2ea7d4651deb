"""What one process does alone, and what the others must have all the same."""

from __future__ import annotations

import pytest

from tests.rules.codemods.distributed.conversion import Converted, converted, script

IMPORTS = """
import os, pprint, shutil, subprocess, urllib.request, wandb, zipfile
import mlflow, tarfile
from pathlib import Path
from tqdm import tqdm
from torch.utils.tensorboard import SummaryWriter
"""
GUARD = "        if is_main_process():\n            "


def after_epoch(lines: str, before: str = "") -> Converted:
    """A script with lines at the end of each epoch."""
    body = "".join(f"        {line}\n" for line in lines.splitlines())
    return converted(script(body=body, before=IMPORTS + before))


class TestWriter:
    MADE = "writer = SummaryWriter('r')\n"

    @pytest.mark.parametrize(
        "use", ["out = writer.log_dir", "out = writer.get_logdir()", "save(writer.log_dir)"]
    )
    def test_that_is_looked_at_is_there_for_all(self, use: str) -> None:
        done = after_epoch(f"{use}\nwriter.add_scalar('a', 1)", self.MADE)
        assert f"\n{self.MADE}" in done.text and "NPU426.writer" in done.left
        assert f"{GUARD}writer.add_scalar('a', 1)\n" in done.text

    def test_that_only_records_is_there_for_one(self) -> None:
        done = after_epoch("writer.add_scalar('a', 1)\nwriter.close()", self.MADE)
        assert "writer = SummaryWriter('r') if is_main_process() else None\n" in done.text
        assert "NPU426.writer" not in done.left


class TestRun:
    DISABLED = "wandb.init(project='p', mode=None if is_main_process() else \"disabled\")\n"

    @pytest.mark.parametrize(
        "use",
        ["lr = wandb.config.lr", "wandb.summary['a'] = 1", "config = wandb.config", "wandb.run.name = 'a'"],
    )
    def test_that_is_looked_at_is_there_for_all(self, use: str) -> None:
        done = after_epoch(f"wandb.init(project='p')\nwandb.config.update(options)\n{use}")
        assert f"        {self.DISABLED}        wandb.config.update(options)\n        {use}\n" in done.text

    def test_that_only_records_is_there_for_one(self) -> None:
        done = after_epoch("wandb.init(project='p')\nwandb.config.update(options)\nwandb.log(norms)")
        assert f"{GUARD}wandb.init(project='p')\n            wandb.config.update(options)\n" in done.text


class TestFiles:
    @pytest.mark.parametrize(
        "statement",
        [
            "Path('last.pt').rename('b.pt')",
            "(Path('out') / 'last.pt').replace('b.pt')",
            "Path('out').touch()",
            "name.unlink()",
            "name.symlink_to(other)",
            "shutil.make_archive('a', 'zip')",
            "mlflow.log_artifact('a')",
            "mlflow.pytorch.log_model(net, 'a')",
        ],
    )
    def test_are_changed_by_one(self, statement: str) -> None:
        assert f"{GUARD}{statement}\n" in after_epoch(statement).text

    def test_are_changed_by_one_wherever_the_path_is_from(self) -> None:
        text = after_epoch("p = Path('out') / 'last.pt'\np.rename('b.pt')").text
        assert f"{GUARD}p.rename('b.pt')\n" in text

    @pytest.mark.parametrize(
        "statement", ["frame.rename(columns=names, inplace=True)", "s = t.replace('a', 'b')"]
    )
    def test_are_no_texts_and_tables(self, statement: str) -> None:
        done = after_epoch(statement)
        assert f"        {statement}\n" in done.text and not done.left

    @pytest.mark.parametrize(
        ("lines", "said"),
        [
            ("urllib.request.urlretrieve(url, 'f')", "NPU426.fetched"),
            ("with zipfile.ZipFile('a') as z:\n    z.extractall('d')", "NPU426.fetched"),
            ("t = tarfile.open('a')\nt.extractall()", "NPU426.fetched"),
            ("os.system('tar xf a')", "NPU426.unsure"),
            ("subprocess.run(['tar', 'xf', 'a'])", "NPU426.unsure"),
        ],
    )
    def test_that_all_would_write_at_once_are_said(self, lines: str, said: str) -> None:
        assert said in after_epoch(lines).left
        assert not after_epoch(f"if rank == 0:\n{lines}".replace("\n", "\n    ")).left


class TestReports:
    @pytest.mark.parametrize("statement", ["tqdm.write('a')", "pprint.pprint(norms)"])
    def test_are_made_by_one_however_they_are_printed(self, statement: str) -> None:
        assert f"{GUARD}{statement}\n" in after_epoch(statement).text

    @pytest.mark.parametrize("call", ["tqdm.write", "pprint.pprint", "print"])
    def test_that_compute_something_are_said(self, call: str) -> None:
        done = after_epoch(f"{call}([evaluate(model) for _ in x])")
        assert (
            f"        {call}([evaluate(model) for _ in x])\n" in done.text and "NPU426.printed" in done.left
        )


@pytest.mark.parametrize(
    ("shown", "is_left_to_one"),
    [
        ("torch.exp(torch.tensor(mean))", True),
        ("torch.nn.functional.softmax(scores, dim=0)", True),
        ("torch.linalg.norm(x)", True),
        ("np.mean(scores)", True),
        ("torch.rand(2)", False),
        ("torch.randint_like(x, 10)", False),
        ("torch.nn.functional.gumbel_softmax(scores)", False),
        ("np.random.rand()", False),
        ("torch.relu_(x)", False),
        ("torch.exp(x, out=y)", False),
        ("torch.set_num_threads(2)", False),
        ("torch.load('m.pt')", False),
        ("model(x)", False),
    ],
)
def test_functions_that_only_compute_of_tensors_are_left_to_one(shown: str, is_left_to_one: bool) -> None:
    text = after_epoch(f"print(epoch, {shown})").text
    assert (f"{GUARD}print(epoch, {shown})\n" in text) is is_left_to_one
