"""NPU505: whether the program computes the same every time."""

from __future__ import annotations

from ...engine.rule import Example
from ...renames.named_rule import NamedRule


class Determinism(NamedRule):
    """The program asks for deterministic algorithms.

    What it does: Reports ``torch.use_deterministic_algorithms(True)``.

    Why it matters on the NPU: The setting applies to operations on a single device; collective operations
    have a separate setting. Uninitialized memory is not filled.

    Example: ``torch.use_deterministic_algorithms(True)``.

    Use instead: the same call, and ``HCCL_DETERMINISTIC=true`` in the environment of distributed jobs.
    """

    code = "NPU505"
    examples = (
        Example("import torch\ntorch.use_deterministic_algorithms(True)\n"),
        Example("import torch\ntorch.use_deterministic_algorithms(args.det, warn_only=True)\n"),
        Example("import torch\ntorch.utils.deterministic.fill_uninitialized_memory = True\n"),
        Example.unchanged("import torch\ntorch.use_deterministic_algorithms(False)\n"),
        Example.unchanged("import torch\nif torch.are_deterministic_algorithms_enabled():\n    pass\n"),
    )
