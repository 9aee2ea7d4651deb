"""Runs what the table of MindSpore writes for a sample of each API, as it is and compiled, and compares both.

``python -m tests.execution.mindspore.compiled_rows`` prints as JSON how many samples agree, and those that do
not. The functions are written to a file: the compiler reads them there.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import mindspore
import numpy as np
from mindspore import Tensor, mint, nn, ops

from gpu2ascend_mindspore.correspondences.table import entries
from gpu2ascend_mindspore.correspondences.values import Refused
from gpu2ascend_mindspore.helpers import MINDSPORE
from gpu2ascend_rules.similar.assemble import modules, stand_ins
from gpu2ascend_rules.text.source_file import SourceFile
from tools.mindspore_tables.running import RANDOM
from tools.mindspore_tables.samples import calls, tensors
from tools.mindspore_tables.translate import translate, uses

NOTHING = "nothing"


class Case(NamedTuple):
    """A text of MindSpore, and the names of the tensors that it is given; a layer is called with them."""

    text: str
    names: tuple[str, ...]
    is_layer: bool


def cases() -> Iterator[Case]:
    """One for each API that both the samples and the verified rows have."""
    table = entries(compiled=True)
    verified = {api for api, rows in table.items() if rows and all(row.verified for row in rows)}
    seen: set[str] = set()
    for sample, inputs in calls():
        apis = {use.api for use in uses(SourceFile(sample, "sample.py").root)}
        if inputs == RANDOM or apis <= seen or not apis <= verified:
            continue
        try:
            text, _ = translate(sample, table)
        except Refused:
            continue
        seen |= apis
        used = {use for use in tensors() if use in _words(text)}
        yield Case(text, inputs or tuple(sorted(used)), bool(inputs))


def _words(text: str) -> set[str]:
    return {node.text.decode() for node in _nodes(SourceFile(text, "text.py").root) if node.text}


def _nodes(root: Any) -> Iterator[Any]:
    stack = [root]
    while stack:
        node = stack.pop()
        stack += node.named_children
        if node.type == "identifier":
            yield node


def _written(found: list[Case], path: Path) -> None:
    lines = []
    for index, case in enumerate(found):
        body = f"layer_{index}({', '.join(case.names)})" if case.is_layer else case.text
        given = ", ".join(dict.fromkeys(case.names))
        lines.append(f"def case_{index}({given}):\n    return {body}\n")
    path.write_text("\n".join(lines), encoding="utf-8")


def _helpers(folder: Path) -> Any:
    """The helper file with all that stands for torch's functions, where the compiler can read it."""
    parts = [part for api, part in stand_ins(MINDSPORE).items() if not api.startswith("torchvision.")]
    (folder / MINDSPORE.package).mkdir()
    for name, text in modules(parts).items():
        (folder / MINDSPORE.package / f"{name}.py").write_text(text, encoding="utf-8")
    sys.path.insert(0, str(folder))
    return importlib.import_module(f"{MINDSPORE.package}.{MINDSPORE.module}")


def _values(result: Any) -> list[Any]:
    if isinstance(result, Tensor):
        return [result.asnumpy()]
    if isinstance(result, (tuple, list)):
        return [value for one in result for value in _values(one)]
    return [np.asarray(result)] if isinstance(result, (int, float, bool)) else []


def _agree(first: list[Any], second: list[Any]) -> bool:
    return len(first) == len(second) and all(
        one.shape == other.shape
        and np.allclose(one.astype(complex), other.astype(complex), atol=1e-4, rtol=1e-3, equal_nan=True)
        for one, other in zip(first, second, strict=True)
    )


def _outcome(module: Any, index: int, case: Case, arrays: dict[str, Any]) -> str:
    """What compiling a case changes; empty if nothing. Of what raises anyway it is nothing to say."""
    given = [Tensor(arrays[name].copy()) for name in dict.fromkeys(case.names)]
    function = getattr(module, f"case_{index}")
    if case.is_layer:
        layer = eval(case.text, vars(module))
        if isinstance(layer, nn.Cell):
            layer.set_train(True)
        setattr(module, f"layer_{index}", layer)
    try:
        expected = _values(function(*given))
    except TypeError:
        return NOTHING
    try:
        compiled = _values(mindspore.jit(function)(*given))
    except Exception as error:
        return f"raises {type(error).__name__}"
    return "" if _agree(expected, compiled) else "differs"


def main() -> None:
    """Run all cases."""
    mindspore.runtime.launch_blocking()
    arrays = tensors()
    names: dict[str, Any] = {f"{name}_ARRAY": array for name, array in arrays.items()}
    names |= {"ms": mindspore, "mindspore": mindspore, "ops": ops, "nn": nn, "mint": mint, "Tensor": Tensor}
    names |= {"np": np, "partial": partial, "Normal": mindspore.common.initializer.Normal}
    found = list(cases())
    with tempfile.TemporaryDirectory() as folder:
        names["like_torch"] = _helpers(Path(folder))
        path = Path(folder) / "compiled_cases.py"
        _written(found, path)
        spec = importlib.util.spec_from_file_location("compiled_cases", path)
        assert spec is not None and spec.loader is not None
        module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        vars(module).update(names)
        outcomes = [_outcome(module, index, case, arrays) for index, case in enumerate(found)]
    refuted = {
        case.text: outcome
        for case, outcome in zip(found, outcomes, strict=True)
        if outcome not in ("", NOTHING)
    }
    print(json.dumps({"agreeing": outcomes.count(""), "refuted": refuted}))


if __name__ == "__main__":
    main()
