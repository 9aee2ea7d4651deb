"""NPU206: a load that leaves what was saved on a GPU where it was."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import NameRef
from ...engine.rule import Example, Rule, on, replace
from ...flow.guards.conditions.checkpoint_loads import cpu_arm, loads_on_cpu_otherwise, loads_without_place
from ...limits.below import nodes_in
from ...limits.parents import parent_of, parent_type
from ...model.finding import Applicability, Finding, Rewrite, Severity
from ...receivers.loaded_files import names_no_gpu
from ...receivers.residence import is_host_code
from ...receivers.used_in_place import is_used_in_place
from ...text.syntax import Argument, ancestors, field, parts_of, same, text_of, without_parentheses
from .map_location import assigned_to

_ASKS = re.compile(r"\b(cuda|npu)\.(is_available|device_count)\b")
"""A test that asks for the device itself: the rule on torch.cuda decides over it."""
_OF_DEVICE = re.compile(r"cuda|gpu|npu|device", re.I)
_TO_CPU = "'cpu'"
_GPU_TO_NPU = "{'cuda:0': 'npu:0', 'npu:0': 'npu:0'}"
"""Leaves what was saved on the CPU where it is."""


class LoadWithoutMapLocation(Rule):
    """A checkpoint is loaded without map_location.

    What it does: Offers ``map_location='cpu'`` for ``torch.load`` and for functions that download and load,
    if no map_location is given. If the program itself loads to the CPU when there is no GPU, by a conditional
    expression or in another branch, it is changed to always do so. A module that is used as it was loaded,
    and a tensor that is used in a computation, are mapped from the GPU to the NPU instead, because nothing
    moves them later; tensors saved on the CPU stay there. Files of PyTorch's own server, what data sets load,
    what a function loads that it has saved itself or that the loop in which it trains has written, and what
    is put into arrays of NumPy, are not reported.

    Why it matters on the NPU: A file that was saved on a GPU is loaded to the CUDA device that is stored with
    its tensors, and raises if there is none. A file that was saved on an NPU loads.

    Example: ``torch.load('model.pth')``.

    Use instead: ``torch.load('model.pth', map_location='cpu')``; ``load_state_dict`` copies to the device.
    For a whole model, use ``model.to(device)``.
    """

    code = "NPU206"
    examples = (
        Example(
            "import torch\nw = torch.load('a.pth')\n",
            unsafe="import torch\nw = torch.load('a.pth', map_location='cpu')\n",
        ),
        Example(
            "import torch\nw = torch.hub.load_state_dict_from_url(url, progress=True)\n",
            unsafe="import torch\n"
            "w = torch.hub.load_state_dict_from_url(url, progress=True, map_location='cpu')\n",
        ),
        Example(
            "import torch\nuse_cuda = torch.cuda.is_available()\n"
            "w = torch.load(f, map_location=None if use_cuda else 'cpu')\n",
            "import torch\nuse_cuda = torch.cuda.is_available()\nw = torch.load(f, map_location='cpu')\n",
        ),
        Example(
            "import torch\nplace = 'cpu' if args.no_cuda else None\nw = torch.load(f, map_location=place)\n",
            unsafe="import torch\nplace = 'cpu'\nw = torch.load(f, map_location=place)\n",
        ),
        Example(
            "import torch\nw = torch.load(f, map_location='cpu' if args.on_cpu else None)\n",
            unsafe="import torch\nw = torch.load(f, map_location='cpu')\n",
        ),
        Example(
            "import torch\nif torch.cuda.is_available():\n    w = torch.load(f)\n    model.cuda()\n"
            "else:\n    w = torch.load(f, map_location='cpu')\n",
            "import torch\nif torch.cuda.is_available():\n    w = torch.load(f, map_location='cpu')\n"
            "    model.cuda()\nelse:\n    w = torch.load(f, map_location='cpu')\n",
        ),
        Example(
            "import torch\nif path.startswith('http'):\n    w = torch.hub.load_state_dict_from_url(path)\n"
            "else:\n    w = torch.load(path, map_location='cpu')\n",
            unsafe="import torch\nif path.startswith('http'):\n"
            "    w = torch.hub.load_state_dict_from_url(path, map_location='cpu')\n"
            "else:\n    w = torch.load(path, map_location='cpu')\n",
        ),
        Example(
            "import torch\nif torch.cuda.is_available() and path is not None:\n    w = torch.load(path)\n"
            "    model.cuda()\nelse:\n    w = torch.load(path, map_location='cpu')\n",
            "import torch\nif torch.cuda.is_available() and path is not None:\n"
            "    w = torch.load(path, map_location='cpu')\n"
            "    model.cuda()\nelse:\n    w = torch.load(path, map_location='cpu')\n",
        ),
        Example.unchanged(
            "import torch\nif use_cuda and path is not None:\n    w = torch.load(path)\n"
            "else:\n    w = torch.load(path, map_location='cpu')\n"
        ),
        Example(
            "import torch\nmodel = torch.load('a.pth')\nmodel.eval()\ny = model(x)\n",
            unsafe="import torch\nimport torch_npu\n"
            "model = torch.load('a.pth', map_location={'cuda:0': 'npu:0', 'npu:0': 'npu:0'})\n"
            "model.eval()\ny = model(x)\n",
        ),
        Example(
            "import torch\nmodel = torch.load('a.pth')\nmodel.eval()\nmodel.to(device)\n",
            unsafe="import torch\nmodel = torch.load('a.pth', map_location='cpu')\n"
            "model.eval()\nmodel.to(device)\n",
        ),
        Example.unchanged(
            "import io, torch\ndef send(x):\n    buffer = io.BytesIO()\n    torch.save(x, buffer)\n"
            "    return buffer.getvalue()\ndef take(data):\n    return torch.load(io.BytesIO(data))\n"
        ),
        Example(
            "import io, torch\ndef send(x):\n    buffer = io.BytesIO()\n    torch.save(x, buffer)\n"
            "    return buffer.getvalue()\ndef take(file):\n    return torch.load(io.BytesIO(file.read()))\n",
            unsafe="import io, torch\ndef send(x):\n    buffer = io.BytesIO()\n    torch.save(x, buffer)\n"
            "    return buffer.getvalue()\ndef take(file):\n"
            "    return torch.load(io.BytesIO(file.read()), map_location='cpu')\n",
        ),
        Example(
            "import io, torch\nw = torch.load(io.BytesIO(data))\n",
            unsafe="import io, torch\nw = torch.load(io.BytesIO(data), map_location='cpu')\n",
        ),
        Example.unchanged(
            "import torch\nw = torch.load(f, map_location=None if torch.cuda.is_available() else 'cpu')\n"
        ),
        Example.unchanged("import torch\nw = torch.load('a.pth', map_location=device)\n"),
        Example.unchanged("import torch\nw = torch.load('a.pth', 'cpu')\nv = torch.load(*args)\n"),
        Example.unchanged("import numpy as np\nw = np.load('a.npz')\n"),
        Example.unchanged(
            "import torch\ndef test(m, path):\n    torch.save(m, path)\n    again = torch.load(path)\n"
        ),
        Example.unchanged(
            "import torch\ndef train(m, data, stop):\n    for x in data:\n        m(x).backward()\n"
            "        stop(m, 'best.pth')\n    m.load_state_dict(torch.load('best.pth'))\n"
        ),
        Example(
            "import torch\ndef main(m):\n    def train():\n        for x in d:\n            m(x).backward()\n"
            "    m.load_state_dict(torch.load('a.pth'))\n    train()\n",
            unsafe="import torch\ndef main(m):\n    def train():\n        for x in d:\n"
            "            m(x).backward()\n"
            "    m.load_state_dict(torch.load('a.pth', map_location='cpu'))\n    train()\n",
        ),
        Example(
            "import torch\ndef train(m, data):\n    m.load_state_dict(torch.load('first.pth'))\n"
            "    for x in data:\n        m(x).backward()\n",
            unsafe="import torch\ndef train(m, data):\n"
            "    m.load_state_dict(torch.load('first.pth', map_location='cpu'))\n"
            "    for x in data:\n        m(x).backward()\n",
        ),
        Example(
            "import torch\ndef test(m, path):\n    w = torch.load(path)\n    torch.save(m, path)\n",
            unsafe="import torch\ndef test(m, path):\n    w = torch.load(path, map_location='cpu')\n"
            "    torch.save(m, path)\n",
        ),
        Example(
            "import torch\ndef test(m, path):\n    if m:\n        torch.save(m, path)\n"
            "    w = torch.load(path)\n",
            unsafe="import torch\ndef test(m, path):\n    if m:\n        torch.save(m, path)\n"
            "    w = torch.load(path, map_location='cpu')\n",
        ),
        Example.unchanged(
            "import torch\nclass Speech(torch.utils.data.Dataset):\n    def __getitem__(self, i):\n"
            "        return torch.load(self.files[i])\n"
        ),
        Example.unchanged(
            "import numpy as np\nimport torch\nseen = np.empty(9)\ndata = torch.load(f)\nseen[:3] = data[0]\n"
        ),
        Example(
            "import torch\nseen = torch.empty(9)\ndata = torch.load(f)\nseen[:3] = data[0]\n",
            unsafe="import torch\nseen = torch.empty(9)\ndata = torch.load(f, map_location='cpu')\n"
            "seen[:3] = data[0]\n",
        ),
        Example.unchanged(
            "from torch.utils import model_zoo\n"
            "URLS = {'resnet18': 'https://download.pytorch.org/models/resnet18-5c106cde.pth'}\n"
            "w = model_zoo.load_url(URLS['resnet18'])\n"
            "def load(depth):\n    url = URLS['resnet{}'.format(depth)]\n    return model_zoo.load_url(url)\n"
        ),
        Example(
            "from torch.utils import model_zoo\nURLS = {'net': 'https://example.org/net.pth'}\n"
            "w = model_zoo.load_url(URLS['net'])\n",
            unsafe="from torch.utils import model_zoo\nURLS = {'net': 'https://example.org/net.pth'}\n"
            "w = model_zoo.load_url(URLS['net'], map_location='cpu')\n",
        ),
    )

    @on.name("torch.load", "torch.hub.load_state_dict_from_url", "torch.utils.model_zoo.load_url")
    def load(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        call, arguments = ref.call, ref.arguments
        position = 1 if ref.name == "torch.load" else 2
        place = arguments.get("map_location", position)
        if place is not None:
            yield from self._without_choice(place.value, ctx)
            return
        if call is None or arguments.unpacked or not same(ref.chain.node, ref.node):
            return
        if ctx.source.enclosing(call, "ERROR") is not None or is_host_code(call, ctx):
            return
        if names_no_gpu(call, arguments.at(0), ctx):
            return
        arm = _arm_around(call, arguments.at(0), ctx)
        if arm is not None and loads_without_place(arm, ctx):
            return  # the test for CUDA stays, and so the other arm loads
        is_known = arm is not None and loads_on_cpu_otherwise(arm, ctx)
        applicability = Applicability.SAFE if is_known else Applicability.UNSAFE
        yield self._without_place(ref, call, applicability, ctx)

    def _without_place(self, ref: NameRef, call: Node, applicability: Applicability, ctx: Context) -> Finding:
        """Nothing is said: the CPU does, but for what nothing moves from there."""
        stays = ref.name == "torch.load" and is_used_in_place(call, ctx.source)
        given = f"map_location={_GPU_TO_NPU if stays else _TO_CPU}"
        fix = self.fix(
            applicability,
            rewrites=[Rewrite(call.start_byte, call.end_byte, (("set", given),))],
            requires=ctx.names_the_npu if stays else (),
            title=self.message("fix-in-place") if stays else None,
        )
        key = "in-place" if stays else "missing"
        return self.report(ref.node, key, Severity.INFORMATION, fix=fix, api=ref.name)

    def _without_choice(self, place: Node, ctx: Context) -> Iterator[Finding]:
        """``None if use_cuda else 'cpu'``: where the flag comes to mean the NPU, the CPU stays the place."""
        for value in (without_parentheses(place), *assigned_to(place, ctx)):
            arm = cpu_arm(value)
            parts = parts_of(value)
            if arm is None or len(parts) != 3 or _asks_directly(parts[1]):
                continue
            is_known = any(_asks_directly(item) for item in _flags(parts[1], ctx))
            applicability = Applicability.SAFE if is_known else Applicability.UNSAFE
            fix = self.fix(applicability, edits=[replace(value, text_of(arm))])
            if is_known:
                yield self.report(value, "chosen", Severity.ERROR, fix=fix)
            else:
                yield self.report(value, "chosen_perhaps", Severity.WARNING, fix=fix)


def _arm_around(call: Node, loaded: Argument | None, ctx: Context) -> Node | None:
    """The arm of an ``if`` in which a call is, unless what it asks for is the file and not the device."""
    for item in ancestors(call):
        if parent_type(item) == "if_statement":
            condition = field(parent_of(item), "condition")
            names_file = condition is not None and loaded is not None and _names(condition, loaded.value)
            is_of_file = names_file and condition is not None and not _asks_for_device(condition, ctx)
            return item if item.type in ("block", "else_clause") and not is_of_file else None
    return None


def _asks_for_device(condition: Node, ctx: Context) -> bool:
    return _OF_DEVICE.search(text_of(condition)) is not None or any(
        _asks_directly(item) for item in _flags(condition, ctx)
    )


def _names(condition: Node, file: Node) -> bool:
    words = (node for node in nodes_in(condition) if node.type == "identifier")
    return file.type == "identifier" and any(text_of(word) == text_of(file) for word in words)


def _asks_directly(test: Node) -> bool:
    return _ASKS.search(text_of(test)) is not None


def _flags(test: Node, ctx: Context) -> Iterator[Node]:
    """What the variables of a test were given."""
    for node in nodes_in(test):
        if node.type == "identifier":
            yield from assigned_to(node, ctx)
