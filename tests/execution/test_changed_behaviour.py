"""What NPU009 and NPU010 fix raises with torch as it is, and computes the same as before with the fix."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from gpu2ascend_rules.fixing import apply_fixes  # noqa: E402
from gpu2ascend_rules.options.options import options_from  # noqa: E402
from gpu2ascend_rules.text.source_file import SourceFile  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.execution]

OPTIONS = options_from({"version": "2.13.0", "select": ["NPU009", "NPU010"], "unsafe_fixes": True})
RAISED = (RuntimeError, AttributeError, IndexError, TypeError, pickle.UnpicklingError)
HEAD = (
    "import io, torch\nfrom torch.utils.data import DataLoader\nx = torch.arange(64.0)\n"
    "window = torch.ones(16)\nfile = io.BytesIO()\n"
)


def run(text: str) -> Any:
    names: dict[str, Any] = {}
    exec(text, names)
    return names["y"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (
            "y = torch.stft(x, 16, window=window)\n",
            "y = torch.view_as_real(torch.stft(x, 16, window=window, return_complex=True))\n",
        ),
        (
            "s = torch.stft(x, 16, window=window, return_complex=False)\n"
            "y = torch.istft(s, 16, window=window)\n",
            "y = x\n",
        ),
        ("y = x.masked_fill((x > 3).byte(), 0)\n", "y = x.where(x <= 3, torch.zeros(()))\n"),
        ("y = x.masked_select((x > 3).to(torch.uint8))\n", "y = x[x > 3]\n"),
        ("y = iter(DataLoader(x, 4)).next()\n", "y = x[:4]\n"),
        ("it = iter(DataLoader(x, 4))\nit.next()\ny = it.next()\n", "y = x[4:8]\n"),
        ("loss = x.sum()\ny = loss.data[0]\n", "y = x.sum().item()\n"),
        (
            "torch.save(torch.nn.Linear(1, 1).double(), file)\nfile.seek(0)\nnet = torch.load(file)\n"
            "net.eval()\ny = net.weight.dtype\n",
            "y = torch.float64\n",
        ),
        (
            "o = torch.optim.SGD([x.requires_grad_()], 0.5)\n"
            "y = torch.optim.lr_scheduler.StepLR(o, 1, verbose=True).get_last_lr()\n",
            "y = [0.5]\n",
        ),
    ],
)
def test_the_fix_computes_what_was_computed_before(code: str, expected: str) -> None:
    fixed = apply_fixes(SourceFile(HEAD + code), OPTIONS).text
    with pytest.raises(RAISED):
        run(HEAD + code)
    result, wanted = run(fixed), run(HEAD + expected)
    if isinstance(wanted, torch.Tensor):
        torch.testing.assert_close(result, wanted)
    else:
        assert result == wanted


def test_schedulers_are_instances_of_the_class_that_the_fix_writes() -> None:
    code = (
        "o = torch.optim.SGD([x], 0.5)\ns = torch.optim.lr_scheduler.StepLR(o, 1)\n"
        "y = isinstance(s, torch.optim.lr_scheduler._LRScheduler)\n"
    )
    assert run(HEAD + code) is False
    assert run(apply_fixes(SourceFile(HEAD + code), OPTIONS).text) is True


def test_a_version_is_compared_by_its_numbers() -> None:
    code = "y = float(torch.__version__[:3]) >= 2.4\n"
    assert run(HEAD + code) is False
    assert run(apply_fixes(SourceFile(HEAD + code), OPTIONS).text) is True
