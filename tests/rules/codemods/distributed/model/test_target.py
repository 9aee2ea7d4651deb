"""Which variable the name of the model means, of several: the one that is used as a model."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from gpu2ascend_rules.codemods.distributed.job import Job
from gpu2ascend_rules.codemods.distributed.model.target import Target, find_target
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import text_of
from tests.rules.codemods.distributed.conversion import ENTRY, Files


def target(text: str, name: str = "model", **modules: str) -> Target | None:
    """What a name means in a program."""
    files = {ENTRY: dedent(text), **{f"{module}.py": dedent(code) for module, code in modules.items()}}
    options = options_from({"version": "2.8.0", "distributed": True, "main_file": ENTRY})
    return find_target(Job(SourceFile(files[ENTRY], ENTRY), options, Files(files)), name)


def function_of(found: Target | None) -> str:
    """The name of the function that makes a model."""
    assert found is not None
    name = found.scope.child_by_field_name("name")
    assert name is not None
    return text_of(name)


def with_uses(first: str, second: str, made: str = "make()") -> str:
    """Two functions that each have a variable ``model``, and use it."""
    bodies = (indent(dedent(use), "    ") for use in (first, second))
    functions = zip(("first", "second"), bodies, strict=True)
    return "from torch import nn\n" + "\n".join(
        f"def {name}():\n    model = {made if name == 'second' else 'make()'}\n{body}\n"
        for name, body in functions
    )


SIGNS = ("model.to(device)", "model.cuda()", "model.train()", "opt = SGD(model.parameters())")
NO_SIGNS = ("model.name", "model.save()", "model.train", "other.train()", "model.net.train()",
            "def later():\n    model.train()")  # fmt: skip


@pytest.mark.parametrize("sign", SIGNS)
def test_of_several_variables_the_one_that_is_used_as_a_model_is_it(sign: str) -> None:
    assert function_of(target(with_uses(sign, "pass"))) == "first"
    assert function_of(target(with_uses("pass", sign))) == "second"


@pytest.mark.parametrize("use", NO_SIGNS)
def test_another_use_says_nothing(use: str) -> None:
    assert function_of(target(with_uses(use, "model.train()"))) == "second"
    assert function_of(target(with_uses(use, "pass"))) == "first"  # the first of equals


def test_more_signs_weigh_more_and_a_known_class_weighs_two() -> None:
    assert function_of(target(with_uses("model.train()", "model.train()\nmodel.cuda()"))) == "second"
    assert function_of(target(with_uses("model.train()", "pass", made="nn.Linear(2, 1)"))) == "second"
    assert (
        function_of(
            target(with_uses("model.train()\nmodel.cuda()\nmodel.cuda()", "pass", made="nn.Linear(2, 1)"))
        )
        == "first"
    )


def test_a_name_that_is_not_bound_is_no_model() -> None:
    assert target("model = make()\n") is not None
    assert target("net = make()\n") is None
    assert target("model = make()\n", name="not a name") is None
    assert target("class Config:\n    model = 'resnet'\n") is None
    assert target("for model in models:\n    pass\n") is None


def test_of_an_attribute_the_class_that_the_object_has_keeps_it() -> None:
    text = """
    class Trainer:
        def __init__(self):
            self.model, self.rest = make(), 1

    class Other:
        def __init__(self):
            self.model = make()

    trainer = Trainer()
    """
    found = target(text, name="trainer.model")
    assert found is not None
    assert found.owner is not None
    assert found.owner.text.startswith("class Trainer")
    assert target(text, name="trainer.net") is None


def test_a_module_of_the_program_may_make_it() -> None:
    found = target(
        "from making import build\nbuild()\n", making="def build():\n    model = make()\n    model.train()\n"
    )
    assert found is not None
    assert found.file.path == "making.py"


def test_the_entry_script_comes_before_its_modules() -> None:
    found = target("from making import model\nmodel = make()\n", making="model = make()\nmodel.train()\n")
    assert found is not None
    assert found.file.path == ENTRY
