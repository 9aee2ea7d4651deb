"""Runs short texts of PyTorch beside what they are converted to, all in one process.

``python -m tests.execution.mindspore.both FILE`` takes texts from a file, each below a line
``# --- name``, and prints as JSON by name what each left in ``result`` in both frameworks, or why it was
not converted.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from .alike import _module
from .helper_files import provide
from .pictures import import_torchvision, write_pictures


def plain(value: Any) -> Any:
    """A value as JSON, with the types of tensors and of arrays."""
    if hasattr(value, "asnumpy"):
        value = value.asnumpy()
    elif hasattr(value, "detach"):
        value = value.detach().numpy()
    if hasattr(value, "getbands"):
        return {"mode": value.mode, "size": list(value.size), "bytes": value.tobytes().hex()}
    if isinstance(value, (np.ndarray, np.generic)):
        return {"type": str(value.dtype), "shape": list(value.shape), "values": np.ravel(value).tolist()}
    if isinstance(value, dict):
        return {"keys": [[str(key), plain(one)] for key, one in value.items()]}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return repr(value)


def texts(path: Path) -> dict[str, str]:
    """The texts of a file by their names."""
    found: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# --- "):
            found[line.removeprefix("# --- ").strip()] = []
        elif found:
            found[next(reversed(found))].append(line)
    return {name: "\n".join(lines).strip() + "\n" for name, lines in found.items()}


def _written_out(text: str, folder: Path) -> dict[str, Any]:
    """Run a text that loads a file of PyTorch's after that, and what its model gives, were written."""
    import torch

    head = text.rpartition("\nresult = ")[0]
    model = _module("first", head)["Net"]()
    for parameter in model.norm.buffers():
        if parameter.is_floating_point():
            parameter.uniform_(0.5, 1.5)
    torch.save({"model": model.state_dict(), "epoch": 3}, folder / "old.pth")
    inputs = torch.from_numpy(np.arange(20).reshape(2, 10) % 9)
    np.save(folder / "expected.npy", model.eval()(inputs).detach().numpy())
    return _module("before", text)


def main() -> None:
    """Run all texts of a file."""
    warnings.simplefilter("ignore")
    import mindspore

    from tests.mindspore.conversion.converting import converted

    mindspore.runtime.launch_blocking()
    folder = tempfile.TemporaryDirectory()
    os.environ["OLD_FILES"] = folder.name
    found = texts(Path(sys.argv[1]))
    if any("torchvision" in text for text in found.values()):
        import_torchvision()
        os.environ["PICTURES"] = str(Path(folder.name, "pictures"))
        write_pictures(Path(folder.name, "pictures"))
    shown: dict[str, Any] = {}
    for name, text in found.items():
        answer = converted(text)
        if answer.blockers:
            shown[name] = {"blockers": answer.blockers}
            continue
        if answer.parts:
            provide(answer.parts)
        print(name, file=sys.stderr, flush=True)
        before = _written_out(text, Path(folder.name)) if "OLD_FILES" in text else _module("before", text)
        expected = plain(before["result"])
        after = plain(_module("after", answer.text)["result"])
        shown[name] = {"torch": expected, "mindspore": after}
    print(json.dumps(shown))


if __name__ == "__main__":
    main()
