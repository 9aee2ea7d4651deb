"""Rules of one file that meet: on one import both a rule for the module and one for the function apply."""

from __future__ import annotations

import itertools
import json

import attrs
import pytest

from gpu2ascend_rules.custom.reading.reader import read_rules
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

MODULES = [
    {"old_name": "old", "new_name": "new", "parent_module": "pkg"},
    {"old_name": "pkg.old", "new_name": "pkg.new"},
    {"old_name": "old", "new_name": "new"},
]
FUNCTIONS = [{"old_name": "f", "new_name": "g"}, {"old_name": "pkg.old.f", "new_name": "pkg.old.g"}]
PROGRAMS = [
    ("from pkg.old import f\nf(1)\n", "from pkg.new import g\ng(1)\n"),
    ("from pkg.old import f as h\nh(1)\n", "from pkg.new import g as h\nh(1)\n"),
    ("from pkg.old import a, f\nf(a)\n", "from pkg.new import a\nfrom pkg.new import g\ng(a)\n"),
    ("from pkg.old import f, a\nf(a)\n", "from pkg.new import a\nfrom pkg.new import g\ng(a)\n"),
    (
        "from pkg.old import (\n    a,\n    f as k,\n    b,\n)\nk(a, b)\n",
        "from pkg.new import (\n    a,\n    b,\n)\nfrom pkg.new import g as k\nk(a, b)\n",
    ),
    ("def run():\n    from pkg.old import f, a\n    return f(a)\n",
     "def run():\n    from pkg.new import a\n    from pkg.new import g\n    return g(a)\n"),
    ("import pkg.old\npkg.old.f(1)\n", "import pkg.new\npkg.new.g(1)\n"),
    ("import pkg.old as o\no.f(1)\n", "import pkg.new as o\no.g(1)\n"),
    ("from pkg import old\nold.f(1)\n", "from pkg import new\nnew.g(1)\n"),
]  # fmt: skip


def changed(text: str, **rules: object) -> str:
    options = options_from({"version": "2.8.0"})
    given = read_rules(json.dumps({"rules": rules}))
    return apply_fixes(SourceFile(text), attrs.evolve(options, custom=given)).text


@pytest.mark.parametrize(("module", "function"), [*itertools.product(MODULES, FUNCTIONS)])
@pytest.mark.parametrize(("before", "after"), PROGRAMS)
def test_a_rule_for_the_module_and_one_for_the_function(
    before: str, after: str, module: dict[str, str], function: dict[str, str]
) -> None:
    rules = {"ModuleNameModifyRule": [module], "FuncNameModifyRule": [function]}
    assert changed(before, **rules) == after


def test_a_function_that_moves_elsewhere_goes_there() -> None:
    rules = {
        "ModuleNameModifyRule": [{"old_name": "pkg.old", "new_name": "pkg.new"}],
        "FuncNameModifyRule": [{"old_name": "pkg.old.f", "new_name": "x.y.g"}],
    }
    after = "from pkg.new import a\nfrom x.y import g\ng(a)\n"
    assert changed("from pkg.old import f, a\nf(a)\n", **rules) == after


@pytest.mark.parametrize("listed", ["^TRUE$", "true", "^tRuE$", "TR.E"])
@pytest.mark.parametrize("given", ["True", "true", "TRUE"])
def test_a_white_list_ignores_case(listed: str, given: str) -> None:
    rule = {"func_name": "pkg.f", "arg_keyword": "x", "arg_new": "other", "white_list": [listed]}
    text = f"import pkg\npkg.f(x={given})\n"
    assert changed(text, ArgsModifyRule=[rule]) == text
    assert "x=other" in changed("import pkg\npkg.f(x=1)\n", ArgsModifyRule=[rule])
