"""Members that a program gives to its own objects, by assignment, in a class, or by their name as a text."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.receivers.given_members import may_be_given
from gpu2ascend_rules.text.source_file import SourceFile

GIVEN = [
    "x.name = 1\n",
    "x.y.name = 1\n",
    "x.name += 1\n",
    "x.name: int = 1\n",
    "x.name, y = 1, 2\n",
    "(y, x.name) = 1, 2\n",
    "[y, (z, x.name)] = a\n",
    "y = x.name = 1\n",
    "for x.name in a: pass\n",
    "for y, x.name in a: pass\n",
    "with a as x.name: pass\n",
    "class A:\n    name = 1\n",
    "class A:\n    name: int = 1\n",
    "class A:\n    name: int\n",
    "class A:\n    y, name = 1, 2\n",
    "class A:\n    for name in a: pass\n",
    "class A:\n    if a:\n        name = 1\n",
    "class A:\n    def name(self): pass\n",
    "class A:\n    @property\n    def name(self): pass\n",
    "class A:\n    class name: pass\n",
    "def f():\n    class A:\n        name = 1\n",
    "print(x.name)\nx.name = 1\n",
]
NOT_GIVEN = [
    "",
    "x.name\n",
    "x.name()\n",
    "x.name.y = 1\n",
    "x.name[0] = 1\n",
    "x[y.name] = 1\n",
    "name.x = 1\n",
    "y = x.name\n",
    "y = z, x.name\n",
    "y += x.name\n",
    "for y in x.name: pass\n",
    "with x.name as y: pass\n",
    "name = 1\n",
    "name, y = 1, 2\n",
    "def name(): pass\n",
    "class name: pass\n",
    "class A(name): pass\n",
    "class A:\n    x = f(name=1)\n",
    "def f(name=1): pass\n",
    "class A:\n    y = name\n",
    "class A:\n    print(name)\n",
    "class A:\n    def f(self):\n        name = 1\n",
    "class A:\n    def f(self):\n        def name(): pass\n",
    "class A:\n    def f(self, name): pass\n",
    "class A:\n    def f(self):\n        print(self.name)\n",
    "x.other = 1\n",
]
AS_TEXT = [
    "setattr(x, 'name', 1)\n",
    "x.register_buffer('name', y)\n",
    "y = {'name': 1}\n",
    "class A:\n    def __getattr__(self, n): pass\n",
    "class A:\n    def __getattribute__(self, n): pass\n",
]
NOT_AS_TEXT = [
    "setattr(x, 'names', 1)\n",
    "setattr(x, 'a name', 1)\n",
    "# name\n",
    "f(name)\n",
    "class A:\n    def __setattr__(self, n, v): pass\n",
]


@pytest.mark.parametrize("text", GIVEN)
@pytest.mark.parametrize("is_own_class", [False, True])
def test_what_is_assigned_or_in_the_body_of_a_class_is_given(text: str, is_own_class: bool) -> None:
    assert may_be_given("name", SourceFile(text), is_own_class=is_own_class)


@pytest.mark.parametrize("text", NOT_GIVEN)
@pytest.mark.parametrize("is_own_class", [False, True])
def test_what_is_read_or_a_variable_is_not_given(text: str, is_own_class: bool) -> None:
    assert not may_be_given("name", SourceFile(text), is_own_class=is_own_class)


@pytest.mark.parametrize("text", AS_TEXT)
def test_the_name_as_a_text_may_give_it_to_an_object_of_an_own_class(text: str) -> None:
    assert may_be_given("name", SourceFile(text), is_own_class=True)
    assert not may_be_given("name", SourceFile(text), is_own_class=False)


@pytest.mark.parametrize("text", NOT_AS_TEXT)
def test_only_the_very_name_as_a_text_counts(text: str) -> None:
    assert not may_be_given("name", SourceFile(text), is_own_class=True)
