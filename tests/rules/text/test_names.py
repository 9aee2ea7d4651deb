"""What an identifier stands for, through every form of alias, re-binding and shadowing."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.text.names import Certainty, NameResolution
from gpu2ascend_rules.text.source_file import SourceFile


def resolve_marked(text: str) -> NameResolution | None:
    """Resolve the dotted expression that follows the mark ``@`` in a text."""
    offset = text.index("@")
    source = SourceFile(text.replace("@", ""))
    end = offset
    while end < len(source.text) and (source.text[end].isalnum() or source.text[end] in "._"):
        end += 1
    node = source.node_at(len(source.text[:offset].encode()), len(source.text[:end].encode()))
    assert node is not None
    return source.names.qualified_name(node)


def name_of(text: str) -> str | None:
    resolution = resolve_marked(text)
    return resolution.qualified_name if resolution is not None else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import torch\n@torch.cuda", "torch.cuda"),
        ("import torch as th\n@th.cuda", "torch.cuda"),
        ("import torch.cuda.amp\n@torch.cuda", "torch.cuda"),
        ("import torch.cuda as tc\n@tc.init", "torch.cuda.init"),
        ("from torch import cuda\n@cuda.init", "torch.cuda.init"),
        ("from torch import cuda as c, nn\n@c.init", "torch.cuda.init"),
        ("from torch.cuda.amp import (\n    autocast as ac,\n)\n@ac", "torch.cuda.amp.autocast"),
        ("def f():\n    import torch as th\n    @th.cuda", "torch.cuda"),
        ("if x:\n    import torch as th\n@th.cuda", "torch.cuda"),
        ("import torch\ntc = torch.cuda\n@tc.init", "torch.cuda.init"),
        ("import torch\na = b = torch.cuda\n@a.init", "torch.cuda.init"),
        ("import torch\na = torch\nb = a.cuda\n@b.init", "torch.cuda.init"),
        ("torch = pytest.importorskip('torch', '2.0')\n@torch.cuda", "torch.cuda"),
        ("th = importlib.import_module('torch')\n@th.cuda", "torch.cuda"),
        ("torch = LazyLoader('torch', globals(), 'torch')\n@torch.cuda", "torch.cuda"),
        ("th = LazyLoader('th', globals(), 'torch')\n@th.cuda", "torch.cuda"),
        ("import lazy_loader as lazy\nth = lazy.load('torch')\n@th.cuda", "torch.cuda"),
        ("th = lazy_import(name='torch')\n@th.cuda", "torch.cuda"),
        (
            "class L:\n    def __getattr__(self, name):\n        import torch as t\n"
            "        return getattr(t, name)\ntorch = L()\n@torch.cuda",
            "torch.cuda",
        ),
        ("def get():\n    import torch\n    return torch\ntorch = get()\n@torch.cuda", "torch.cuda"),
        (
            "def get():\n    if not ok:\n        return None\n    import torch\n    return torch\n"
            "torch = get()\n@torch.cuda",
            "torch.cuda",
        ),
        ("from . import cuda\n@cuda.init", ".cuda.init"),
        ("from ..x import cuda\n@cuda.init", "..x.cuda.init"),
        ("import torch\nx = f'{@torch.cuda}'", "torch.cuda"),
        ("import torch\ndef f(x=@torch.cuda, torch=1): pass", "torch.cuda"),
        ("import torch\nclass A:\n    torch = 1\n    def f(self): @torch.cuda", "torch.cuda"),
        ("import torch\ny = [t for torch in @torch.cuda]", "torch.cuda"),
        ("def f():\n    global torch\n    import torch\n@torch.cuda", "torch.cuda"),
        ("import torch\n@torch\ufeff.cuda".replace("\ufeff", ""), "torch.cuda"),
        ("# héé 世界 🎉\nimport torch\nx = '🎉'; @torch.cuda", "torch.cuda"),
    ],
)
def test_aliases_are_followed(text: str, expected: str) -> None:
    assert name_of(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "import torch\ndef f(torch): @torch.cuda",
        "import torch\nf = lambda torch: @torch.cuda",
        "import torch\ndef f():\n    torch = load()\n    @torch.cuda",
        "import torch\ny = [@torch.cuda for torch in xs]",
        "import torch\ndef f():\n    with g() as torch:\n        @torch.cuda",
        "import torch\ndef f():\n    for torch in xs:\n        @torch.cuda",
        "import torch\ndef f():\n    def torch(): pass\n    @torch.cuda",
        "import torch\ndef f():\n    (torch := 1)\n    @torch.cuda",
        "import torch\ndef f():\n    x, torch = 1, 2\n    @torch.cuda",
        "import torch\ndef f(*torch): @torch.cuda",
        "x = x\n@x.cuda",
        "a = b\nb = a\n@a.cuda",
    ],
)
def test_shadowed_and_meaningless_names_are_nothing(text: str) -> None:
    assert name_of(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "import torch\ntry:\n    import torch\nexcept ImportError:\n    torch = None\n@torch.cuda",
        "try:\n    import torch\nexcept ImportError:\n    torch = None\n@torch.cuda",
        "import torch\ntorch: object\n@torch.cuda",
    ],
)
def test_a_placeholder_for_a_failed_import_leaves_the_name_certain(text: str) -> None:
    resolution = resolve_marked(text)
    assert resolution is not None and resolution.certainty is Certainty.CERTAIN


@pytest.mark.parametrize(
    "text",
    [
        "if x:\n    import torch\nelse:\n    import oneflow as torch\n@torch.cuda",
        "import torch\nif x:\n    torch = load()\n@torch.cuda",
        "try:\n    from torch.amp import autocast\nexcept ImportError:\n"
        "    from torch.cuda.amp import autocast\n@autocast",
    ],
)
def test_a_name_that_could_be_two_things_is_ambiguous(text: str) -> None:
    resolution = resolve_marked(text)
    assert resolution is not None and resolution.certainty is Certainty.AMBIGUOUS


def test_a_name_bound_nowhere_is_taken_at_face_value() -> None:
    resolution = resolve_marked("@torch.cuda.init()")
    assert resolution is not None and resolution.certainty is Certainty.ASSUMED


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("import a.b as n\nn = n.make()\nn.run()\n", "a.b", None),
        ("import a.b as n\nn = n.other\nn.run()\n", "a.b", "a.b.other"),
        ("def f():\n    import a.b as n\n    n = n.make()\n    n.run()\n", "a.b", None),
        ("import a as n\nimport c as n\nn.run()\n", "c", "c"),
        ("from a import n\nif n.ok:\n    n = None\n    n.run()\n", "a.n", None),
    ],
)
def test_a_place_reads_what_was_bound_last_before_it(text: str, first: str, last: str | None) -> None:
    source = SourceFile(text)
    names = source.names
    resolved = [names.resolve(node) for node in names.references("n")]

    assert resolved[0] is not None and resolved[0].qualified_name == first
    assert (resolved[-1].qualified_name if resolved[-1] is not None else None) == last
    assert resolved[0].certainty is Certainty.CERTAIN


@pytest.mark.parametrize(
    "text",
    [
        "import a as n\nfor x in y:\n    n.run()\n    n = make()\n",
        "if x:\n    import a as n\nelse:\n    import c as n\nn.run()\n",
        "import a as n\nif x:\n    n = make()\nn.run()\n",
        "import a as n\ndef f():\n    n.run()\nn = make()\n",
    ],
)
def test_what_may_have_been_bound_otherwise_is_ambiguous(text: str) -> None:
    source = SourceFile(text)
    names = source.names
    resolution = names.resolve(names.references("n")[0])

    assert resolution is not None and resolution.certainty is Certainty.AMBIGUOUS


def test_names_of_a_file_that_is_no_module_are_looked_up_in_all_of_it() -> None:
    source = SourceFile("import torch\ntorch.cuda.synchronize()\ndef f(:\n    return (\n# ))\n")
    root = source.tree.root_node
    assert root.type == "ERROR"
    at = source.node_at(13, 18)
    scope = source.names.scope_of(at)
    assert scope == root and source.names.scope_of(scope) == root


SCOPES = {
    "its own": ("x = 0\ndef f():\n    x = 1\n    @x", ["x = 1"]),
    "that around it": ("x = 0\ndef f():\n    def g():\n        x = 2\n    @x", ["x = 0"]),
    "of a function around it": ("x = 0\ndef f():\n    x = 1\n    def g():\n        @x", ["x = 1"]),
    "of the module by a declaration": (
        "x = 0\ndef f():\n    x = 1\n    def g():\n        global x\n        @x",
        ["x = 0"],
    ),
    "of no other function": ("def f():\n    x = 1\ndef g():\n    @x", []),
    "of no module that lacks it": ("def f():\n    x = 1\n    def g():\n        global x\n        @x", []),
    "of the function around it by a declaration": (
        "x = 0\ndef f():\n    x = 1\n    def g():\n        nonlocal x\n        @x",
        ["x = 1"],
    ),
    "of no class around a method": ("x = 0\nclass A:\n    x = 1\n    def f(self):\n        @x", ["x = 0"]),
    "of the class itself": ("x = 0\nclass A:\n    x = 1\n    @x", ["x = 1"]),
    "of the module for many": ("x = 0\nx = 9\ndef f():\n    @x", ["x = 0", "x = 9"]),
}
"""What binds a name at a place: the assignments of one scope."""


@pytest.mark.parametrize("name", SCOPES)
def test_the_bindings_at_a_place_are_those_of_the_scope_that_python_reads(name: str) -> None:
    text, expected = SCOPES[name]
    offset = text.index("@")
    source = SourceFile(text.replace("@", ""))
    node = source.node_at(offset, offset + 1)
    assert node is not None
    found = source.names.bindings_in_scope("x", node)
    assert [source.text_of(item.statement) for item in found if item.value is not None] == expected
