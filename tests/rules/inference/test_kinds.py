"""What an expression likely is: by its form, by what is assigned, by annotations and telling names."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.inference.kinds import Kind, TypeInference
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.probing import receiver_of_probe

IMPORTS = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\nfrom lib import make, Base\n"


def kind(code: str) -> Kind:
    """The kind of the receiver of ``.PROBE`` in a file with the usual imports."""
    source = SourceFile(IMPORTS + code)
    return TypeInference(source).kind(receiver_of_probe(source))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = 3\nx.PROBE", Kind.INTEGER),
        ("x = 'a'\nx.PROBE", Kind.TEXT),
        ("x = 'a' 'b'\nx.PROBE", Kind.TEXT),
        ("x = True\nx.PROBE", Kind.BOOLEAN),
        ("x = False\nx.PROBE", Kind.BOOLEAN),
        ("x = a < b\nx.PROBE", Kind.BOOLEAN),
        ("x = not a\nx.PROBE", Kind.BOOLEAN),
        ("None.PROBE", Kind.NONE),
        ("[1].PROBE", Kind.OTHER),
        ("{}.PROBE", Kind.OTHER),
        ("x = 1.5\nx.PROBE", Kind.OTHER),
        ("len(y).PROBE", Kind.INTEGER),
        ("str(y).PROBE", Kind.TEXT),
        ("bool(y).PROBE", Kind.BOOLEAN),
        ("torch.ones(2).PROBE", Kind.TENSOR),
        ("F.relu(y).PROBE", Kind.TENSOR),
        ("torch.cuda.FloatTensor(2).PROBE", Kind.TENSOR),
        ("nn.Parameter(y).PROBE", Kind.TENSOR),
        ("nn.Linear(1, 2).PROBE", Kind.MODULE),
        ("torch.optim.Adam(p).PROBE", Kind.OPTIMIZER),
        ("torch.device('cpu').PROBE", Kind.DEVICE),
        ("torch.cuda.current_stream().PROBE", Kind.STREAM),
        ("torch.cuda.device_count().PROBE", Kind.INTEGER),
        ("make.PROBE", Kind.OTHER),
        ("from utils import get_rank\nget_rank().PROBE", Kind.INTEGER),
        ("get_colour().PROBE", Kind.UNKNOWN),
    ],
)
def test_what_an_expression_shows_by_itself(code: str, expected: Kind) -> None:
    assert kind(code) is expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param("x = 1 if torch.ones(2) else 2\nx.PROBE", Kind.INTEGER, id="not of the condition"),
        pytest.param("x = torch.ones(2) if 1 else y.view(1)\nx.PROBE", Kind.TENSOR, id="of both branches"),
        pytest.param("x = 1 if 2 else torch.ones(2)\nx.PROBE", Kind.UNKNOWN, id="branches that disagree"),
        pytest.param("x = make() if 2 else 3\nx.PROBE", Kind.UNKNOWN, id="a first branch that says nothing"),
        pytest.param("x = 3 if 2 else make()\nx.PROBE", Kind.UNKNOWN, id="a second one"),
    ],
)
def test_a_conditional_expression_is_what_its_branches_are(code: str, expected: Kind) -> None:
    assert kind(code) is expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("(torch.ones(2) + 1).PROBE", Kind.TENSOR),
        ("(1 + torch.ones(2)).PROBE", Kind.TENSOR),
        ("(1 + 2).PROBE", Kind.INTEGER),
        ("('a' + y).PROBE", Kind.TEXT),
        ("('a' % 1).PROBE", Kind.TEXT),
        ("(1 + y).PROBE", Kind.UNKNOWN),
        ("(-torch.ones(2)).PROBE", Kind.TENSOR),
        ("(-make()).PROBE", Kind.UNKNOWN),
        ("torch.ones(2)[0].PROBE", Kind.TENSOR),
        ("[1][0].PROBE", Kind.UNKNOWN),
        ("torch.ones(2).view(1).to(d).PROBE", Kind.TENSOR),
        ("nn.Linear(1, 2).cuda().PROBE", Kind.MODULE),
        ("y.item().numel().PROBE", Kind.INTEGER),
        ("'a'.upper().PROBE", Kind.TEXT),
        ("'a'.count('b').PROBE", Kind.UNKNOWN),
        ("torch.ones(2).grad.PROBE", Kind.TENSOR),
        ("make().grad.PROBE", Kind.UNKNOWN),
        ("y.device.PROBE", Kind.DEVICE),
        ("(x := torch.ones(2)).PROBE", Kind.TENSOR),
    ],
)
def test_what_operators_methods_and_attributes_make_of_it(code: str, expected: Kind) -> None:
    assert kind(code) is expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = 1\nx = 2\nx.PROBE", Kind.INTEGER),
        ("x = None\nx = torch.ones(2)\nx.PROBE", Kind.TENSOR),
        ("x = 1\nx = torch.ones(2)\nx.PROBE", Kind.UNKNOWN),
        ("x = 1\nx = make()\nx.PROBE", Kind.UNKNOWN),
        ("local_rank = 0\nlocal_rank = make()\nlocal_rank.PROBE", Kind.INTEGER),
        ("local_rank = 'a'\nlocal_rank = make()\nlocal_rank.PROBE", Kind.UNKNOWN),
        ("local_rank.PROBE", Kind.INTEGER),
        ("args.local_rank.PROBE", Kind.INTEGER),
        ("config.LOCAL_RANK.PROBE", Kind.INTEGER),
        ("for i in range(3):\n    i.PROBE", Kind.INTEGER),
        ("for i, x in enumerate(y):\n    i.PROBE", Kind.INTEGER),
        ("for x in make():\n    x.PROBE", Kind.UNKNOWN),
        ("for a, b in range(3):\n    a.PROBE", Kind.UNKNOWN),
        ("def f(local_rank: Thing):\n    local_rank.PROBE", Kind.INTEGER),
        ("x.PROBE", Kind.UNKNOWN),
    ],
)
def test_what_a_name_is(code: str, expected: Kind) -> None:
    assert kind(code) is expected


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        ("int", Kind.INTEGER),
        ("str", Kind.TEXT),
        ("bool", Kind.BOOLEAN),
        ("Tensor", Kind.TENSOR),
        ("torch.Tensor", Kind.TENSOR),
        ("'torch.Tensor'", Kind.TENSOR),
        ("torch.LongTensor", Kind.TENSOR),
        ("Optional[torch.Tensor]", Kind.TENSOR),
        ("torch.Tensor | None", Kind.TENSOR),
        ("None | int", Kind.INTEGER),
        ("nn.Module", Kind.MODULE),
        ("torch.device", Kind.DEVICE),
        ("LongTensor", Kind.UNKNOWN),
        ("Thing", Kind.UNKNOWN),
        ("int | torch.device | None", Kind.UNKNOWN),
        ("int | str | torch.device", Kind.UNKNOWN),
        ("Optional[Union[int, torch.device]]", Kind.UNKNOWN),
        ("Union[int, torch.device, None]", Kind.UNKNOWN),
        ("Union[int, torch.Tensor]", Kind.UNKNOWN),
        ("typing.Union[torch.device, str]", Kind.DEVICE),
        ("str | torch.device | None", Kind.TEXT),
        ("None | str | torch.device", Kind.TEXT),
        ("int | DeviceLike | None", Kind.UNKNOWN),
        ("'int | DeviceLike'", Kind.UNKNOWN),
        ("Union[int, Foo]", Kind.UNKNOWN),
        ("Optional[Union[Foo, int]]", Kind.UNKNOWN),
        ("torch.device | str | Foo", Kind.UNKNOWN),
        ("Optional[Union[int]]", Kind.INTEGER),
        ("Union[int, None]", Kind.INTEGER),
    ],
)
def test_what_an_annotation_says(annotation: str, expected: Kind) -> None:
    assert kind(f"def f(x: {annotation}):\n    x.PROBE") is expected


def test_a_default_does_not_choose_between_the_kinds_of_an_annotation() -> None:
    assert kind("def f(x: int | torch.device = 0):\n    x.PROBE") is Kind.UNKNOWN


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("class N(nn.Module): pass\nN().PROBE", Kind.MODULE),
        ("class M(nn.Module): pass\nclass N(M): pass\nN().PROBE", Kind.MODULE),
        ("class N(nn.Module):\n    def f(self):\n        self.PROBE", Kind.MODULE),
        ("class N:\n    def f(self):\n        self.PROBE", Kind.UNKNOWN),
        ("class N: pass\nN().PROBE", Kind.OTHER),
        ("class N(object): pass\nN().PROBE", Kind.OTHER),
        ("class N(Base): pass\nN().PROBE", Kind.UNKNOWN),
        (
            "class N(nn.Module):\n    def __init__(self):\n        self.a = nn.ReLU()\n"
            "    def f(self):\n        self.a.PROBE",
            Kind.MODULE,
        ),
    ],
)
def test_what_a_class_of_the_file_makes(code: str, expected: Kind) -> None:
    assert kind(code) is expected
