"""The user's rules are found and applied like the built-in ones, and before them."""

from __future__ import annotations

import json

import attrs
import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.custom.reading.reader import read_rules
from gpu2ascend_rules.custom.rule_base import matched_rules
from gpu2ascend_rules.edits.offsets import apply_edits
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.model.outcome import FixOutcome
from gpu2ascend_rules.options.options import MigrationOptions, options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.all_edits import edits_of_all


def options(kind: str, *rules: dict[str, object], **others: object) -> MigrationOptions:
    read = read_rules(json.dumps({"rules": {kind: list(rules)}}))
    return attrs.evolve(options_from({"version": "2.8.0", **others}), custom=read)


def function(old: str, new: str) -> MigrationOptions:
    return options("FuncNameModifyRule", {"old_name": old, "new_name": new})


def argument(name: str, new: str, **which: object) -> MigrationOptions:
    return options("ArgsModifyRule", {"func_name": name, "arg_new": new, **which})


def module(old: str, new: str, parent: str = "") -> MigrationOptions:
    return options("ModuleNameModifyRule", {"old_name": old, "new_name": new, "parent_module": parent})


def pattern(form: str, new: str, **more: object) -> MigrationOptions:
    return options("PatternRule", {"pattern": form, "replace": new, **more})


def fixed(text: str, chosen: MigrationOptions, path: str = "a.py") -> str:
    source = SourceFile(text, path)
    outcome = apply_fixes(source, chosen)
    assert apply_edits(source.data, edits_of_all(source, chosen)).decode() == outcome.text
    return outcome.text


def outcome_of(text: str, chosen: MigrationOptions) -> FixOutcome:
    return apply_fixes(SourceFile(text), chosen)


class TestArguments:
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("f(a, b)\n", "f(b)\n"),
            ("f(a)\n", "f()\n"),
            ("x.f(a, k=1)\n", "x.f(k=1)\n"),
            ("from m import f as g\ng(a, b)\n", "from m import f as g\ng(b)\n"),
            ("f(f(a, b), c)\n", "f(c)\n"),
            ("f(k=1)\n", "f(k=1)\n"),
        ],
    )
    def test_an_empty_arg_new_deletes_once(self, before: str, after: str) -> None:
        assert fixed(before, argument("f", "", arg_idx=0)) == after

    def test_two_rules_change_two_arguments_of_a_call(self) -> None:
        chosen = options(
            "ArgsModifyRule",
            {"func_name": "f", "arg_idx": 0, "arg_new": ""},
            {"func_name": "f", "arg_idx": 1, "arg_new": ""},
            {"func_name": "f", "arg_idx": 2, "arg_new": "z"},
        )
        assert fixed("f(a, b, c, d)\n", chosen) == "f(z, d)\n"

    def test_a_keyword_keeps_its_name(self) -> None:
        assert fixed("f(1, device='cuda')\n", argument("f", "None", arg_keyword="device")) == (
            "f(1, device=None)\n"
        )

    def test_a_white_list_exempts(self) -> None:
        chosen = argument("set_device", "local_rank", arg_idx=0, white_list=["^rank$"])
        assert (
            fixed("set_device(rank)\nset_device(0)\n", chosen) == "set_device(rank)\nset_device(local_rank)\n"
        )

    def test_a_dotted_name_is_the_full_name(self) -> None:
        chosen = argument("m.sub.f", "0", arg_idx=0)
        text = "import m.sub as s\nfrom m import sub\ns.f(1)\nsub.f(1)\nf(1)\nother.f(1)\n"
        assert fixed(text, chosen) == text.replace("s.f(1)", "s.f(0)").replace("sub.f(1)", "sub.f(0)")

    def test_a_relative_import_is_resolved_from_the_file(self) -> None:
        text = "from .sub import f\nf(1)\n"
        assert fixed(text, argument("m.sub.f", "0", arg_idx=0), "m/a.py") == text.replace("1", "0")

    def test_new_text_brings_its_import(self) -> None:
        assert "import torch_npu\n" in fixed(
            "import torch\nf(1)\n", argument("f", "torch_npu.npu.current_device()", arg_idx=0)
        )

    @pytest.mark.parametrize("text", ["f(*a)\n", "f(**k)\n"])
    def test_an_unpacked_argument_is_left_to_a_person(self, text: str) -> None:
        assert [item.fix for item in check(SourceFile(text), argument("f", "", arg_idx=0))] == [None]


class TestFunctionNames:
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("f(1)\nmap(f, x)\n", "new(1)\nmap(new, x)\n"),
            ("from m import f\nf(1)\n", "from m import new\nnew(1)\n"),
            ("from m import f as g\ng(1)\n", "from m import new as g\ng(1)\n"),
            ("import m\nm.f(1)\n@m.f\ndef h(): pass\n", "import m\nm.new(1)\n@m.new\ndef h(): pass\n"),
            ("from m import *\nf(1)\n", "from m import *\nnew(1)\n"),
            ("x = obj.f\n", "x = obj.f\n"),
            ("def h(f):\n    return f(1)\n", "def h(f):\n    return f(1)\n"),
            ("g(f=1)\n", "g(f=1)\n"),
        ],
    )
    def test_without_dots_the_last_part_counts(self, before: str, after: str) -> None:
        assert fixed(before, function("f", "new")) == after

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("import m\nm.f(1)\nf(1)\nn.f(1)\n", "import m\nimport lib\nlib.new(1)\nf(1)\nn.f(1)\n"),
            ("from m import f, g\nf(g)\n", "from m import g\nfrom lib import new\nnew(g)\n"),
        ],
    )
    def test_with_dots_the_full_name_counts(self, before: str, after: str) -> None:
        assert fixed(before, function("m.f", "lib.new")) == after

    def test_a_swap_is_a_swap(self) -> None:
        chosen = options(
            "FuncNameModifyRule", {"old_name": "f", "new_name": "g"}, {"old_name": "g", "new_name": "f"}
        )
        assert fixed("f(g(1))\n", chosen) == "g(f(1))\n"

    def test_a_name_that_holds_the_old_one_is_written_once(self) -> None:
        assert fixed("f(1)\n", function("f", "lib.f")).endswith("\nlib.f(1)\n")


class TestModuleNames:
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("import p.a.old\np.a.old.f()\n", "import p.a.new\np.a.new.f()\n"),
            ("from p.a import old\nold.f()\n", "from p.a import new\nnew.f()\n"),
            ("from p.a.old import f\nf()\n", "from p.a.new import f\nf()\n"),
            ("import p.a.old.sub as s\n", "import p.a.new.sub as s\n"),
            ("from p.a.older import f\nx.old.f()\n", "from p.a.older import f\nx.old.f()\n"),
        ],
    )
    def test_below_a_parent(self, before: str, after: str) -> None:
        assert fixed(before, module("old", "new", "p.a")) == after

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("import old\nold.f()\n", "import q.new as old\nold.f()\n"),
            ("import old.sub\nold.sub.f()\n", "import q.new.sub\nq.new.sub.f()\n"),
            ("model.old.f()\nself.old = 1\n", "model.old.f()\nself.old = 1\n"),
        ],
    )
    def test_by_a_full_name(self, before: str, after: str) -> None:
        assert fixed(before, module("old", "q.new")) == after


class TestPatterns:
    @pytest.mark.parametrize(
        ("form", "new", "before", "after"),
        [
            ("foo($x, device=$d)", "bar($x)", "foo(net, device=0)\n", "bar(net)\n"),
            ("foo($x, device=$d)", "bar($x)", "foo(foo(a, device=0), device=1)\n", "bar(bar(a))\n"),
            ("foo($x, device=$d)", "bar($x)", "foo(net)\nfoo(a, b, device=0)\n", None),
            ("foo($x)", "lib.bar(foo($x))", "foo(1)\n", "lib.bar(foo(1))\n"),
            ("m.foo($a, $b)", "$b.bar($a)", "import m\nm.foo(1, x + y)\n", "import m\n(x + y).bar(1)\n"),
            ("foo($x)", "$x + 1", "y = foo(a) * 2\n", "y = (a + 1) * 2\n"),
            ("foo($x, $x)", "bar($x)", "foo(a, a)\nfoo(a, b)\n", "bar(a)\nfoo(a, b)\n"),
            ("foo('s', $x)", "bar($x)", 'foo("s", 1)\n', "bar(1)\n"),
            ("foo($*all)", "bar(0, $*all)", "foo()\nfoo(1, k=2)\n", "bar(0)\nbar(0, 1, k=2)\n"),
            ("$x.foo()", "bar($x)", "a.b.foo()\n", "bar(a.b)\n"),
            ("foo(a=$a, b=$b)", "bar($a, $b)", "foo(b=1, a=2)\n", "bar(2, 1)\n"),
            ("m.FLAG", "n.FLAG", "from m import FLAG\nprint(FLAG)\n", "from m import FLAG\nprint(n.FLAG)\n"),
        ],
    )
    def test_matches_syntax_and_names(self, form: str, new: str, before: str, after: str | None) -> None:
        assert fixed(before, pattern(form, new)) == (after or before)

    def test_a_comment_is_never_lost(self) -> None:
        text = "foo(\n    a,  # why\n    device=0,\n)\n"
        assert fixed(text, pattern("foo($x, device=$d)", "bar($x)")) == text

    def test_one_that_is_not_safe_is_applied_when_asked_for(self) -> None:
        chosen = pattern("foo($x)", "bar($x)", safe=False)
        assert fixed("foo(1)\n", chosen) == "foo(1)\n"
        assert fixed("foo(1)\n", attrs.evolve(chosen, unsafe_fixes=True)) == "bar(1)\n"

    def test_a_match_inside_another_is_replaced_too(self) -> None:
        chosen = pattern("foo($x, device=$d)", "bar($d, $x)")
        assert fixed("foo(foo(1, device=a), device=b)\n", chosen) == "bar(b, bar(a, 1))\n"

    def test_its_message_is_reported(self) -> None:
        (finding,) = check(SourceFile("foo(1)\n"), pattern("foo($x)", "bar($x)", message="use bar"))
        assert ("text", "use bar") in finding.message.arguments


class TestLikeAnyRule:
    def test_they_come_before_the_built_in_ones(self) -> None:
        chosen = function("torch.cuda.synchronize", "torch.cuda.empty_cache")
        text = fixed("import torch\ntorch.cuda.synchronize()\n", chosen)
        assert text == "import torch\nimport torch_npu\ntorch_npu.npu.empty_cache()\n"

    def test_what_they_did_is_not_found_again(self) -> None:
        done = outcome_of("f(a, b)\n", argument("f", "", arg_idx=0))
        assert [item.code for item in done.applied] == ["CUS001"] and done.remaining == ()

    @pytest.mark.parametrize("comment", ["# gpu2ascend: ignore[CUS002]", "# gpu2ascend: ignore"])
    def test_a_comment_silences_them(self, comment: str) -> None:
        assert check(SourceFile(f"f(1)  {comment}\n"), function("f", "g")) == ()

    @pytest.mark.parametrize("ignored", ["CUS", "CUS002", "custom-function-name"])
    def test_they_can_be_ignored_by_code_and_name(self, ignored: str) -> None:
        chosen = attrs.evolve(function("f", "g"), ignore=(ignored,))
        assert check(SourceFile("f(1)\n"), chosen) == ()

    def test_they_hold_where_the_code_knows_the_npu(self) -> None:
        text = "import torch\nif torch.npu.is_available():\n    f(1)\n"
        assert "g(1)" in fixed(text, function("f", "g"))

    def test_a_file_without_any_other_trigger_is_looked_at(self) -> None:
        assert fixed("f(1)\n", function("f", "g")) == "g(1)\n"

    def test_a_silenced_match_is_a_match(self) -> None:
        source = SourceFile("f(1)  # gpu2ascend: ignore\n")
        assert matched_rules(source, function("f", "g")) == {0}
        assert matched_rules(source, function("h", "g")) == frozenset()


class TestMethods:
    """A dotted name may be that of a method: where the receiver is certainly of the class."""

    TEXT = (
        "import torch\n\n\ndef f(x: torch.Tensor, y, model: torch.nn.Linear):\n"
        "    x.put(1, 2)\n    y.put(1, 2)\n    model.put(1, 2)\n    torch.ones(2).put(1, 2)\n"
    )

    def test_an_argument_of_a_method(self) -> None:
        after = fixed(self.TEXT, argument("torch.Tensor.put", "", arg_idx=0))
        expected = self.TEXT.replace("x.put(1, 2)", "x.put(2)").replace("ones(2).put(1, 2)", "ones(2).put(2)")
        assert after == expected

    def test_another_method_of_the_same_class(self) -> None:
        after = fixed(self.TEXT, function("torch.Tensor.put", "torch.Tensor.place"))
        assert after.count(".place(1, 2)") == 2 and "y.put" in after and "model.put" in after
        assert fixed(self.TEXT, function("torch.Tensor.put", "place")) == after

    def test_a_class_that_it_derives_from(self) -> None:
        after = fixed(self.TEXT, function("torch.nn.Module.put", "torch.nn.Module.place"))
        assert after == self.TEXT.replace("model.put", "model.place")

    def test_the_files_own_method_is_another(self) -> None:
        text = "import torch\nclass N(torch.nn.Module):\n    def put(self): pass\nN().put()\n"
        assert fixed(text, function("torch.nn.Module.put", "torch.nn.Module.place")) == text

    def test_a_function_in_its_place_is_left_to_a_person(self) -> None:
        outcome = outcome_of(self.TEXT, function("torch.Tensor.put", "tools.place"))
        assert outcome.text == self.TEXT
        assert [(item.start_line, item.finding.code) for item in outcome.remaining] == [
            (5, "CUS002"),
            (8, "CUS002"),
        ]
