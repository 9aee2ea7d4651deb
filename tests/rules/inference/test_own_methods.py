"""Whether a call is one of a method that the file's own class defines: only where that is certain."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.inference.own_methods import OwnMethods
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import field

CLASSES = """\
class Net:
    def cuda(self):
        return self

class Deep(Net):
    pass

class Other:
    def cuda(self):
        return self

"""


def is_own(text: str, name: str = "cuda") -> bool:
    """What is said of the last call of a method in a text behind the classes."""
    source = SourceFile(CLASSES + text)
    start = source.text.rindex(f".{name}()")
    method = source.root.descendant_for_byte_range(start, start + 1)
    attribute = method.parent if method is not None and method.type == "." else method
    assert attribute is not None
    receiver = field(attribute, "object")
    assert receiver is not None
    return OwnMethods(source).is_called(receiver, name)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Net().cuda()\n", id="what is made there"),
        pytest.param("n = Net()\nn.cuda()\n", id="a variable"),
        pytest.param("n = Deep()\nn.cuda()\n", id="a method of a base"),
        pytest.param("n = Net() if a else Net()\nn.cuda()\n", id="either way"),
        pytest.param("n = Net()\nif a:\n    n = Net()\nn.cuda()\n", id="whichever assignment"),
        pytest.param("n = Net()\nn = n.cuda()\nn.cuda()\n", id="given itself again"),
        pytest.param("class A(Net):\n    def cuda(self):\n        super().cuda()\n", id="super"),
        pytest.param(
            "class A(Module, Net):\n    def f(self):\n        super(A, self).cuda()\n",
            id="super, a second base",
        ),
    ],
)
def test_a_class_of_the_file_is_known(text: str) -> None:
    assert is_own(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("make().cuda()\n", id="made elsewhere"),
        pytest.param("n = Net()\nif a:\n    n = make()\nn.cuda()\n", id="perhaps made elsewhere"),
        pytest.param("n = Net() if a else Other()\nn.cuda()\n", id="one class or another"),
        pytest.param("def f(n):\n    n.cuda()\n", id="a parameter"),
        pytest.param("n = n.cuda()\nn.cuda()\n", id="itself alone"),
        pytest.param("class A(Module):\n    def cuda(self):\n        super().cuda()\n", id="super of others"),
        pytest.param("class A:\n    def cuda(self):\n        super().cuda()\n", id="super of nothing"),
        pytest.param("super().cuda()\n", id="super outside a class"),
    ],
)
def test_what_is_not_certain_is_no_class_of_the_file(text: str) -> None:
    assert is_own("Net().cuda()\n") and not is_own(text)


def test_a_class_without_the_method_is_none_of_it() -> None:
    assert is_own("n = Net()\nn.cuda()\n") and not is_own("n = Net()\nn.half()\n", "half")
