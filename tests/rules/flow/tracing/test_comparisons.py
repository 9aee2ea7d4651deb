"""What a text is compared with says whether it is a device: ``device.type == "cuda"``, but not ``mode``."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.flow import Role
from tests.rules.probing import verdict_on_cuda


def role(code: str) -> Role:
    return verdict_on_cuda(code).role


ACCELERATE = "from accelerate import Accelerator\naccelerator = Accelerator()\n"


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(ACCELERATE + "if accelerator.device.type == 'cuda': ...\n", id="Accelerate's device"),
        pytest.param(
            ACCELERATE + "chosen = accelerator.device\nif chosen.type == 'cuda': ...\n",
            id="Accelerate's device in a variable",
        ),
        pytest.param(
            ACCELERATE + "kind = accelerator.device.type\nif kind == 'cuda': ...\n",
            id="its type in a variable",
        ),
        pytest.param(
            "import torch\ndevice = torch.accelerator.current_accelerator()\nif device == 'cuda': ...\n",
            id="whatever accelerator there is, by a telling name",
        ),
        pytest.param(
            "import torch\nnow = torch.accelerator.current_accelerator()\nif now.type == 'cuda': ...\n",
            id="the device of whatever accelerator there is",
        ),
        pytest.param("import torch\nif x.type == 'cuda': ...\n", id="a type, where torch is imported"),
        pytest.param("mode = args.device\nif mode == 'cuda': ...\n", id="a variable that holds a device"),
        pytest.param("mode = x\nmode = args.device\nif mode == 'cuda': ...\n", id="its second assignment"),
        pytest.param("import torch\nmode = torch.device(x)\nif mode == 'cuda': ...\n", id="a device is made"),
        pytest.param("import torch\nif torch.device(x) == 'cuda': ...\n", id="a device, made on the spot"),
        pytest.param(
            "import torch\nmode = x\nif mode == 'cuda': ...\ntorch.zeros(2, device=mode)\n",
            id="used as a device elsewhere",
        ),
        pytest.param(
            "import torch\nif self.mode == 'cuda': ...\ntorch.zeros(2, device=self.mode)\n",
            id="an attribute that is used as a device elsewhere",
        ),
        pytest.param("from config import device\nif device == 'cuda': ...\n", id="an imported name"),
        pytest.param("if args['device'] == 'cuda': ...\n", id="an entry called device"),
        pytest.param("if device['kind'] == 'cuda': ...\n", id="an entry of a device"),
        pytest.param("if args.get('device') == 'cuda': ...\n", id="got by the name"),
        pytest.param("if getattr(args, 'device') == 'cuda': ...\n", id="an attribute by its name"),
        pytest.param("if get_device() == 'cuda': ...\n", id="a function called device"),
        pytest.param("if str(device) == 'cuda': ...\n", id="the text of a device"),
        pytest.param("if device.split(':')[0] == 'cuda': ...\n", id="a part of its text"),
        pytest.param("if (a if b else device) == 'cuda': ...\n", id="one of two"),
        pytest.param("if (mode or device) == 'cuda': ...\n", id="the one or the other"),
        pytest.param("if device + x == 'cuda': ...\n", id="a device with something behind"),
        pytest.param("if (device ==  # of torch\n        'cuda'): ...\n", id="behind a comment"),
        pytest.param("if 'cuda' == device: ...\n", id="on the left"),
        pytest.param("if 'cpu' != device == 'cuda': ...\n", id="in a chain"),
        pytest.param("if device != 'cuda': ...\n", id="another"),
        pytest.param("if device is not 'cuda': ...\n", id="by identity"),
        pytest.param("if 'cuda' in device: ...\n", id="a part"),
        pytest.param("if 'cuda' not in devices: ...\n", id="none of several"),
        pytest.param("match device:\n    case 'cuda': ...\n", id="case"),
        pytest.param("match str(device):\n    case 'cuda': ...\n", id="case of a text"),
    ],
)
def test_what_is_compared_with_a_device_is_one(code: str) -> None:
    assert role(code) is Role.TEST


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("if x.type == 'cuda': ...\n", id="a type of anything, without torch"),
        pytest.param("kind = x.type\nif kind == 'cuda': ...\n", id="in a variable"),
        pytest.param("import torch\nif mode == 'cuda': ...\n", id="a name that says nothing"),
        pytest.param("import torch\nmode: str\nif mode == 'cuda': ...\n", id="without a value"),
        pytest.param("import torch\nmode = mode\nif mode == 'cuda': ...\n", id="defined by itself"),
        pytest.param(
            "import torch\nfrom config import mode\nif mode == 'cuda': ...\ntorch.zeros(2, device=mode)\n",
            id="an imported name, though used as a device",
        ),
        pytest.param("for mode in (device, 1):\n    if mode == 'cuda': ...\n", id="one of several things"),
        pytest.param("if args['mode'] == 'cuda': ...\n", id="another entry"),
        pytest.param("if args.get('mode') == 'cuda': ...\n", id="got by another name"),
        pytest.param("if str(mode) == 'cuda': ...\n", id="the text of something"),
        pytest.param("if str() == 'cuda': ...\n", id="no text"),
        pytest.param("if is_device() == 'cuda': ...\n", id="a question about devices"),
        pytest.param("if get_mode() == 'cuda': ...\n", id="another function"),
        pytest.param("if device.find('x') == 'cuda': ...\n", id="a method that gives something else"),
        pytest.param("if mode.split(':')[0] == 'cuda': ...\n", id="a part of another text"),
        pytest.param("if 'x' + device == 'cuda': ...\n", id="a device behind something"),
        pytest.param("if device > 'cuda': ...\n", id="an order"),
        pytest.param("if device == 'cpu' == 'cuda': ...\n", id="beside another text"),
        pytest.param("if ['cuda'] in devices: ...\n", id="a list among them"),
        pytest.param("if device == ['cuda', 'cpu']: ...\n", id="a list beside it"),
        pytest.param("if mode in ('cuda', 'cpu'): ...\n", id="one of several, of a name that says nothing"),
        pytest.param("if device in ('cuda', 'mode'): ...\n", id="one of several that are no devices"),
        pytest.param("match mode:\n    case 'cuda': ...\n", id="case"),
        pytest.param("match mode:\n    case 'cuda' | 'cpu': ...\n", id="cases"),
        pytest.param(
            "import torch, jax\ndevice = x\nif device == 'cuda': ...\njax.device_put(a, device)\n",
            id="another framework's, by its use",
        ),
        pytest.param(
            "import torch, jax\nif self.device == 'cuda': ...\njax.device_put(a, self.device)\n",
            id="another framework's attribute, by its use",
        ),
        pytest.param(
            "import torch, jax\nif jax.f().device == 'cuda': ...\n", id="another framework's attribute"
        ),
        pytest.param("import torch, jax\nif jax.f().type == 'cuda': ...\n", id="another framework's type"),
        pytest.param(
            "import torch, jax\nif jax.config['device'] == 'cuda': ...\n", id="another framework's entry"
        ),
        pytest.param("x = 'cuda'\nif x == other: ...\n", id="in a variable beside anything"),
    ],
)
def test_what_is_compared_with_anything_else_is_not(code: str) -> None:
    assert role(code) is Role.SHOWN


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("if device in ('cuda', 'cpu'): ...\n", id="in"),
        pytest.param("if device.type not in ['cuda']: ...\n", id="not in"),
        pytest.param("match device:\n    case 'cuda' | 'cpu': ...\n", id="case"),
    ],
)
def test_a_device_is_looked_up_among_several_which_may_be_more_than_devices(code: str) -> None:
    found = verdict_on_cuda(f"import torch\n{code}")
    assert (found.role, found.certain) == (Role.MEMBER, False)


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("def f(d: Info):\n    return d.kind == 'cuda'\n", id="equal"),
        pytest.param("def f(d: Info):\n    return 'cuda' != d.kind\n", id="on the right"),
        pytest.param("def f(d: Info):\n    match d.kind:\n        case 'cuda': ...\n", id="case"),
        pytest.param("ok = [d for d in ds if d.kind == 'cuda']\n", id="in a comprehension"),
    ],
)
def test_a_field_that_another_file_fills_is_not_tested_for_a_new_word_alone(code: str) -> None:
    assert role(code + "def g(d: Info):\n    return torch.device(d.kind, 0)\n") is Role.UNKNOWN


@pytest.mark.parametrize(
    "setter",
    [
        pytest.param("d.kind = pick()\n", id="assigned"),
        pytest.param("d = Info(kind=pick())\n", id="keyword"),
        pytest.param("class Info:\n    kind: str\n", id="declared"),
        pytest.param("parser.add_argument('--kind')\n", id="option"),
        pytest.param("setattr(d, 'kind', pick())\n", id="setattr"),
    ],
)
def test_a_field_that_the_file_itself_fills_is_a_device(setter: str) -> None:
    uses = "def g(d):\n    return torch.device(d.kind, 0) if d.kind == 'cuda' else None\n"
    assert role(setter + uses) is Role.TEST


USE = "    def f(self, x):\n        if self.kind == 'cuda':\n            return x.to(self.kind)\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from .base import Base\nclass C(Base):\n" + USE, Role.UNKNOWN),
        ("from some_lib import Base\nclass C(Base):\n" + USE, Role.UNKNOWN),
        ("import base\nclass C(base.Base, torch.nn.Module):\n" + USE, Role.UNKNOWN),
        ("class C(torch.nn.Module):\n" + USE, Role.TEST),
        ("class C:\n" + USE, Role.TEST),
        (
            "from .base import Base\nclass C(Base):\n    def __init__(self, x):\n        self.kind = x\n"
            + USE,
            Role.TEST,
        ),
        ("from .base import Base\nclass C(Base):\n" + USE.replace("kind", "device"), Role.TEST),
    ],
)
def test_an_attribute_that_a_base_class_elsewhere_may_fill_is_unknown(text: str, expected: Role) -> None:
    assert role(f"import torch\n{text}") is expected
