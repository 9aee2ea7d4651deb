"""Names of ``torch.cuda`` that become those of ``torch.accelerator``: with or without a question before."""

from __future__ import annotations

import pytest

from tests.rules.catalog.saying import fixed, said

NEUTRAL = {"target": "accelerator", "version": "2.9.0"}
HAS_ONE = "torch.accelerator.is_available()"


@pytest.mark.parametrize(
    ("before", "after", "key"),
    [
        (
            "torch.cuda.synchronize()\n",
            f"if {HAS_ONE}:\n    torch.accelerator.synchronize()\n",
            "renamed safe",
        ),
        (
            f"if {HAS_ONE}:\n    f = torch.cuda.synchronize\n",
            f"if {HAS_ONE}:\n    f = torch.accelerator.synchronize\n",
            "renamed safe",
        ),
        ("f = torch.cuda.synchronize\n", "f = torch.accelerator.synchronize\n", "renamed_perhaps unsafe"),
    ],
)
def test_what_needs_an_accelerator_is_safe_where_one_is_asked_for(before: str, after: str, key: str) -> None:
    text = f"import torch\n{before}"
    assert said("ACC101", text, **NEUTRAL) == [f"{key} warning: torch.cuda.synchronize"]
    assert fixed("ACC101", text, **NEUTRAL) == f"import torch\n{after}"


DEVICE = "import torch\ndevice = torch.device(name)\n"


@pytest.mark.parametrize(
    ("name", "use", "becomes"),
    [
        ("GradScaler", "GradScaler(init_scale=2.0)", "GradScaler(device.type, init_scale=2.0)"),
        ("GradScaler", "make(GradScaler)", None),
        ("GradScaler", "class Own(GradScaler): pass", None),
        ("autocast", "autocast()(g)", "autocast(device.type)(g)"),
        ("autocast", "autocast(on, half)", "autocast(device.type, enabled=on, dtype=half)"),
        ("autocast", "partial(autocast, enabled=False)", None),
        ("autocast", "autocast(*given, on)", None),
        ("custom_fwd", "custom_fwd(g)", "custom_fwd(g, device_type=device.type)"),
        ("custom_fwd", "custom_fwd(**given)", "custom_fwd(**given, device_type=device.type)"),
        ("custom_fwd", "wrap(custom_fwd)", None),
    ],
)
def test_a_name_changes_with_its_calls_or_not_at_all(name: str, use: str, becomes: str | None) -> None:
    module = "torch" if name == "autocast" else "torch.amp"
    imported = f"from torch.cuda.amp import {name}\n"
    spelled = use.replace(name, f"torch.cuda.amp.{name}")
    if becomes is None:
        assert fixed("ACC102", f"{DEVICE}{imported}{use}\n", **NEUTRAL) == f"{DEVICE}{imported}{use}\n"
        assert said("ACC102", f"{DEVICE}{imported}{use}\n", **NEUTRAL) == [f"by_hand manual error: {name}"]
        assert fixed("ACC101", f"{DEVICE}{spelled}\n", **NEUTRAL) == f"{DEVICE}{spelled}\n"
        return
    assert (
        fixed("ACC102", f"{DEVICE}{imported}{use}\n", **NEUTRAL)
        == f"{DEVICE}from {module} import {name}\n{becomes}\n"
    )
    after = becomes.replace(name, f"{module}.{name}")
    assert fixed("ACC101", f"{DEVICE}{spelled}\n", **NEUTRAL) == f"{DEVICE}{after}\n"


def test_a_name_that_other_files_import_from_here_keeps_what_its_calls_mean() -> None:
    text = "from torch.cuda.amp import autocast\n"
    assert fixed("ACC102", text, **NEUTRAL) == "from torch import autocast\n"
    handed_on = f"{text}__all__ = ['autocast']\n"
    assert fixed("ACC102", handed_on, **NEUTRAL) == handed_on


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x.cuda(non_blocking=True)", "x.to(device, non_blocking=True)"),
        ("x.cuda ()", "x.to(device)"),
        ("torch.Tensor.cuda(x, non_blocking=True)", "torch.Tensor.to(x, device, non_blocking=True)"),
        ("x.cuda(non_blocking=True, **more)", None),
        ("x.cuda(*more)", None),
        ("x.cuda(None, **more)", None),
        ("torch.Tensor.cuda(x, **more)", None),
    ],
)
def test_what_may_hold_the_device_of_a_move_is_left_to_a_person(before: str, after: str | None) -> None:
    assert fixed("ACC103", f"{DEVICE}{before}\n", **NEUTRAL) == f"{DEVICE}{after or before}\n"
    (finding,) = said("ACC103", f"{DEVICE}{before}\n", **NEUTRAL)
    assert finding.startswith("moved safe warning" if after else "moved manual error")


def test_the_uses_of_a_variable_that_holds_a_name_are_not_reported_again() -> None:
    text = "import torch\nautocast = torch.cuda.amp.autocast\nwith autocast(enabled=True):\n    pass\n"
    assert len(said("ACC101", text, **NEUTRAL)) == 1
