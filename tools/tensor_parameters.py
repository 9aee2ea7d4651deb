"""``python -m tools.tensor_parameters``: which parameters of torch's functions take tensors and nothing else.

Read from the type stubs of the torch that is installed, which it writes to ``data/tensor_parameters.json``. A
parameter counts where every overload of the function has it at the same place, as ``Tensor`` or
``Tensor | None``: torch refuses a number, a list or an array of NumPy there.
"""

from __future__ import annotations

import ast
import importlib.util
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

TABLE = Path(__file__).parents[1] / "rules" / "gpu2ascend_rules" / "data" / "tensor_parameters.json"
_STUBS = (
    ("torch.", "_C/_VariableFunctions.pyi"),
    ("torch.nn.functional.", "nn/functional.pyi"),
    ("torch.nn.functional.", "nn/functional.py"),
)
_TENSOR = frozenset({"Tensor", "Tensor | None", "Optional[Tensor]"})
_ALSO_NUMBERS = frozenset({"torch.result_type", "torch.where", "torch.is_tensor", "torch.is_storage"})
Places = dict[str, int]


def main() -> None:
    """Write the table."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        raise SystemExit("torch is not installed")
    found = {
        name: " ".join(f"{one}={place}" for one, place in sorted(places.items(), key=lambda item: item[1]))
        for name, places in sorted(_functions(Path(spec.origin).parent).items())
        if places and name not in _ALSO_NUMBERS
    }
    TABLE.write_text(json.dumps(found, indent=0) + "\n", encoding="utf-8")
    print(f"{len(found)} functions")


def _functions(folder: Path) -> dict[str, Places]:
    overloads: dict[str, list[Places]] = defaultdict(list)
    for prefix, file in _STUBS:
        tree = ast.parse((folder / file).read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                overloads[f"{prefix}{node.name}"].append(dict(_tensors(node)))
    return {
        name: {one: place for one, place in some[0].items() if all(other.get(one) == place for other in some)}
        for name, some in overloads.items()
    }


def _tensors(function: ast.FunctionDef) -> Iterator[tuple[str, int]]:
    arguments = function.args
    for place, one in enumerate([*arguments.posonlyargs, *arguments.args]):
        if one.annotation is not None and ast.unparse(one.annotation) in _TENSOR:
            yield one.arg, place


if __name__ == "__main__":
    main()
