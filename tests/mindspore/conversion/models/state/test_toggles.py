"""Flags of parameters that are off while another optimizer updates."""

from __future__ import annotations

from textwrap import dedent

import pytest

from gpu2ascend_mindspore.conversion.conversion import Conversion
from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.options.options import MigrationOptions, options_from
from gpu2ascend_rules.text.source_file import SourceFile

from ...converting import converted
from ...importers import Importers

HEAD = dedent(
    """\
    import torch
    import torch.nn.functional as F
    from torch import nn


    def set_flags(nets, on=False):
        if not isinstance(nets, list):
            nets = [nets]
        for net in nets:
            for p in net.parameters():
                p.requires_grad = on


    netG, netD = nn.Linear(3, 2), nn.Linear(2, 1)
    optD = torch.optim.SGD(netD.parameters(), lr=0.1)
    optG = torch.optim.SGD(netG.parameters(), lr=0.1)
    for z, real in loader:
    """
)
LOOP = """\
    ON
    optD.zero_grad()
    errD = netD(netG(z).detach()).mean() - netD(real).mean()
    errD.backward()
    optD.step()
    OFF
    optG.zero_grad()
    errG = -netD(netG(z)).mean()
    errG.backward()
    optG.step()
    """


def text_of(on: str, off: str) -> str:
    body = dedent(LOOP).replace("ON", on).replace("OFF", off)
    return HEAD + "".join(f"    {line}\n" for line in body.splitlines())


def loop(flag: str) -> str:
    return f"for p in netD.parameters():\n        p.requires_grad = {flag}"


FORMS = {
    "loops": (loop("True"), loop("False")),
    "a function": ("set_flags(netD, True)", "set_flags(netD)"),
    "of a list": ("set_flags([netD], on=True)", "set_flags([netD], on=False)"),
    "of modules": ("netD.requires_grad_(True)", "netD.requires_grad_(False)"),
}


@pytest.mark.parametrize(("on", "off"), FORMS.values(), ids=FORMS)
def test_they_go_where_each_optimizer_updates_what_is_on(on: str, off: str) -> None:
    answer = converted(text_of(on, off))
    assert not answer.blockers
    assert "requires_grad" not in answer.text
    assert "set_flags" not in answer.text


OTHERS = {
    "off in its own step": (loop("False"), loop("True")),
    "never on again": ("pass", loop("False")),
    "on under a condition": (loop("first"), loop("False")),
    "asked for": (loop("True"), f"{loop('False')}\n    print(netD.weight.requires_grad)"),
}


@pytest.mark.parametrize(("on", "off"), OTHERS.values(), ids=OTHERS)
def test_others_stay(on: str, off: str) -> None:
    answer = converted(text_of(on, off))
    assert answer.blockers or "requires_grad" in answer.text


def test_those_of_a_part_of_what_an_optimizer_updates_stay() -> None:
    text = text_of(loop("True"), loop("False")).replace(
        "netD = nn.Linear(3, 2), nn.Linear(2, 1)", "netD = A, B"
    )
    text = text.replace("for p in netD.parameters", "for p in netD.body.parameters")
    assert "freed" in converted(text).blockers.values()


def test_the_turn_before_may_leave_them_off() -> None:
    body = text_of("pass", loop("False")).replace("    optG.step()\n", "    optG.step()\n    print(0)\n")
    assert converted(body).blockers


def test_what_is_on_anyway_is_not_turned_on() -> None:
    answer = converted(text_of(loop("True"), "pass"))
    assert not answer.blockers
    assert "requires_grad" not in answer.text


IN_METHODS = """\
    import torch
    from torch import nn


    class Gan:
        def __init__(self):
            self.netD = nn.Linear(2, 1)
            self.netG = nn.Linear(3, 2)
            self.optD = torch.optim.SGD(self.netD.parameters(), lr=0.1)
            self.optG = torch.optim.SGD(self.netG.parameters(), lr=0.1)

        def of_critic(self, z, real):
            self.optD.zero_grad()
            errD = self.netD(self.netG(z).detach()).mean() - self.netD(real).mean()
            errD.backward()
            self.optD.step()

        def of_generator(self, z):
            self.netD.requires_grad_(False)
            self.optG.zero_grad()
            errG = -self.netD(self.netG(z)).mean()
            errG.backward()
            self.optG.step()
            BEHIND
    """


@pytest.mark.parametrize(("behind", "goes"), [("self.netD.requires_grad_(True)", True), ("pass", False)])
def test_a_method_that_turns_them_on_again_leaves_other_methods_what_they_had(
    behind: str, goes: bool
) -> None:
    answer = converted(dedent(IN_METHODS).replace("BEHIND", behind))
    assert ("requires_grad" not in answer.text and not answer.blockers) is goes


def test_flags_that_are_on_again_in_some_turns_only_stay() -> None:
    answer = converted(
        text_of("if late:\n        netD.requires_grad_(True)", "pass").replace(
            "for z", "netD.requires_grad_(False)\nfor z"
        )
    )
    assert answer.blockers


def test_flags_that_are_set_between_losses_and_update_stay() -> None:
    text = text_of("netD.requires_grad_(False)", "pass")
    text = text.replace("    errD.backward()", "    netD.requires_grad_(True)\n    errD.backward()")
    assert converted(text).blockers


LEFT = [
    "if late:\n            return\n        self.netD.requires_grad_(True)",
    "self.of_critic(z, z)\n        self.netD.requires_grad_(True)",
]


@pytest.mark.parametrize("behind", LEFT, ids=["returned before", "another step before"])
def test_flags_that_are_on_again_too_late_stay(behind: str) -> None:
    assert converted(dedent(IN_METHODS).replace("BEHIND", behind)).blockers


class Project(Standalone):
    """A project with another file."""

    def __init__(self, text: str) -> None:
        self._text = text

    def find_module(self, importer_path: str, module: str) -> tuple[str, str] | None:
        return ("helpers.py", self._text) if module == "helpers" else None


@pytest.mark.parametrize(("flag", "goes"), [("False", False), ("on", False), ("True", True)])
def test_another_file_may_have_turned_them_off(flag: str, goes: bool) -> None:
    helpers = f"def setting(net, on):\n    for p in net.parameters():\n        p.requires_grad = {flag}\n"
    text = text_of(loop("True"), loop("False")).replace("for z", "helpers.setting(netD, 1)\nfor z")
    source = SourceFile(f"import helpers\n{text}", "train.py")
    options = options_from({}, MigrationOptions(version="2.8.0"))
    with Context(source, options, Project(helpers)) as context:
        found = context.shared(Conversion).blockers
    assert (not found) is goes


OFF = "from trainers.gan import netD\n\nfor p in netD.parameters():\n    p.requires_grad = False\n"
THROUGH = {
    "main.py": "import steps\n\nsteps.gan.netD.requires_grad_(False)\n",
    "steps.py": "from trainers import gan\nimport trainers.gan\n",
}
HANDED = {
    "main.py": "from trainers.gan import netD\nimport freezing\n\nfreezing.freeze(netD)\n",
    "freezing.py": "def freeze(net):\n    net.requires_grad_(False)\n",
}
IMPORTERS: list[tuple[dict[str, str], frozenset[str], bool]] = [
    ({"main.py": OFF}, frozenset({"gan.netD"}), False),
    ({"trainers/freeze.py": OFF}, frozenset({"gan.netD"}), False),
    (THROUGH, frozenset({"gan.netD"}), False),
    (HANDED, frozenset({"gan.netD"}), False),
    ({}, frozenset({"gan.netD"}), False),
    ({"main.py": OFF.replace("False", "True")}, frozenset({"gan.netD"}), True),
    ({"other.py": OFF.replace("trainers.gan", "nets")}, frozenset(), True),
]


@pytest.mark.parametrize(("texts", "names", "goes"), IMPORTERS)
def test_a_file_that_imports_this_one_may_turn_them_off(
    texts: dict[str, str], names: frozenset[str], goes: bool
) -> None:
    text = text_of(loop("True"), loop("False"))
    options = options_from({}, MigrationOptions(version="2.8.0"))
    source = SourceFile(text, "trainers/gan.py")
    with Context(source, options, Importers(texts, text, names)) as context:
        found = context.shared(Conversion).blockers
    assert (not found) is goes
