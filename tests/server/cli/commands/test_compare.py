"""``record`` writes a file and runs nothing; ``compare`` reads two traces as what others made."""

from __future__ import annotations

import ast
import json
import pickle
import sys
from pathlib import Path
from typing import Any

import pytest

from ..conftest import Run

EVENT: dict[str, Any] = {
    "step": 0, "kind": "output", "name": "Net.a", "index": 0, "shape": [2], "dtype": "float32",
    "type": "Linear", "line": "a.py:3", "hash": "1", "statistics": {"mean": 1.0, "maximum": 2.0},
}  # fmt: skip


HEAD = {"format": 1, "rank": 0, "steps": 1, "truncated": False, "events": []}
WRONG: tuple[dict[str, Any], ...] = ({"events": [{"kind": "x"}]}, {"events": 3}, {"rank": float("inf")})


def trace(path: Path, *events: dict[str, Any], **more: Any) -> Path:
    path.write_text(json.dumps({**HEAD, "events": list(events), **more}), encoding="utf-8")
    return path


class TestRecord:
    def test_the_file_needs_the_standard_library_and_torch_alone(self, run: Run, tmp_path: Path) -> None:
        ran = run("record", "--write", tmp_path / "r.py")
        assert ran.code == 0 and "gpu2ascend compare" in ran.out
        tree = ast.parse((tmp_path / "r.py").read_text(encoding="utf-8"), feature_version=(3, 8))
        nodes = list(ast.walk(tree))
        names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        names |= {node.module or "." for node in nodes if isinstance(node, ast.ImportFrom)}
        assert {name.partition(".")[0] for name in names} - sys.stdlib_module_names == {"torch"}
        assert all(node.level == 0 for node in nodes if isinstance(node, ast.ImportFrom))

    def test_a_file_that_is_there_stays(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / "r.py").write_text("mine")
        assert run("record", "--write", tmp_path / "r.py").code == 2
        assert (tmp_path / "r.py").read_text() == "mine"
        assert run("record", "--write", tmp_path / "r.py", "--force").code == 0
        assert "Recorder" in (tmp_path / "r.py").read_text()

    @pytest.mark.parametrize("arguments", [(), ("x.py",), ("--write", "missing/folder/r.py")])
    def test_bad_usage(self, run: Run, arguments: tuple[str, ...]) -> None:
        assert run("record", *arguments).code == 2


class TestCompare:
    def test_0_where_they_are_the_same(self, run: Run, tmp_path: Path) -> None:
        one = trace(tmp_path / "a", EVENT)
        assert run("compare", one, one) == (0, "The same but for rounding: 1 tensors.\n", "")

    def test_1_with_the_first_that_differs_in_both_languages(self, run: Run, tmp_path: Path) -> None:
        one = trace(tmp_path / "a", EVENT)
        other = trace(tmp_path / "b", {**EVENT, "hash": "2", "statistics": {"mean": 1.5}, "line": "b.py:9"})
        ran = run("compare", one, other)
        assert ran.code == 1
        assert "output 0 of Net.a (Linear), in step 1" in ran.out
        assert "mean: 1 | 1.5" in ran.out and "a.py:3 | b.py:9" in ran.out
        assert "均值：1 | 1.5" in run("compare", one, other, "--language", "zh").out

    def test_as_json(self, run: Run, tmp_path: Path) -> None:
        one, other = trace(tmp_path / "a", EVENT), trace(tmp_path / "b", {**EVENT, "dtype": "float16"})
        found = run("compare", one, other, "--output-format", "json").json
        assert (found["same"], found["first_difference"]["what"]) == (False, "dtype")
        assert found["first_difference"]["second"]["value"] == "float16"

    def test_names_of_a_trace_control_no_terminal(self, run: Run, tmp_path: Path) -> None:
        event = {**EVENT, "name": "\x1b[31mx\n::error::", "line": "\x1b]0;a"}
        ran = run("compare", trace(tmp_path / "a", event), trace(tmp_path / "b", {**event, "shape": [3]}))
        assert ran.code == 1 and "\x1b" not in ran.out and "\n::" not in ran.out

    @pytest.mark.parametrize(
        "content",
        [b"", b"[]", b"{}", b"null", b'{"format": 2}', b"[" * 100_000, pickle.dumps(print), b"\xff\xfe",
         *(json.dumps({**HEAD, **wrong}).encode() for wrong in WRONG)],
    )  # fmt: skip
    def test_what_is_no_trace_is_refused(self, run: Run, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "bad").write_bytes(content)
        ran = run("compare", tmp_path / "bad", trace(tmp_path / "a", EVENT))
        assert (ran.code, ran.out) == (2, "") and "is no trace" in ran.err

    def test_bad_usage(self, run: Run, tmp_path: Path) -> None:
        one = trace(tmp_path / "a", EVENT)
        assert run("compare", one).code == 2
        assert run("compare", one, tmp_path / "missing").code == 2
        assert run("compare", one, tmp_path).code == 2
