"""A migration's parameters as plain data: a request, or an error for each field that is wrong."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from gpu2ascend.project.migrate.request import (
    CheckedRequest,
    checked_request,
    options_document,
    proposals,
    request_schema,
)
from gpu2ascend.project.options.custom_rules import with_custom_rules
from gpu2ascend_rules.messages import LANGUAGES, render
from gpu2ascend_rules.options.options import MigrationOptions, option_infos, options_from
from gpu2ascend_rules.options.spelling import camel_case
from tests.server.project.samples import CUDA, Files, make_tree, permissions_are_ignored

Make = Callable[[Files], Path]
Check = Callable[..., CheckedRequest]

RULES = '{"rules": {"FuncNameModifyRule": [{"old_name": "to_gpu", "new_name": "to_npu"}]}}'


@pytest.fixture
def check(make: Make, tmp_path: Path) -> Check:
    """Check parameters that are right but for the changes."""
    root = make({"train.py": CUDA})

    def call(**changes: object) -> CheckedRequest:
        values = {"inputPath": str(root), "outputPath": str(tmp_path / "out"), "version": "2.8.0"}
        return checked_request({**values, **changes})

    return call


def reported(checked: CheckedRequest) -> dict[str, str]:
    """The message's id by field."""
    assert checked.request is None
    fields = [error.field for error in checked.errors]
    assert len(set(fields)) == len(fields)
    return {error.field: error.message.id for error in checked.errors}


def test_what_is_right_becomes_a_request(check: Check, tmp_path: Path) -> None:
    checked = check(hardware="A3", force=True)
    assert checked.errors == () and checked.request is not None
    assert checked.request.options == options_from({"version": "2.8.0", "hardware": "A3"})
    assert checked.request.force and checked.request.output == tmp_path / "out"
    assert checked.target == tmp_path / "out" / "proj_msft"


def test_fields_left_out_or_null_are_those_of_the_settings(make: Make, tmp_path: Path) -> None:
    values = {"inputPath": str(make({"a.py": CUDA})), "outputPath": str(tmp_path / "out"), "hardware": None}
    base = options_from({"version": "2.1.0", "hardware": "A3"})
    checked = checked_request(values, base)
    assert checked.request is not None and checked.request.options == base


@pytest.fixture
def base(tmp_path: Path) -> MigrationOptions:
    """Settings that choose everything that can be chosen or not."""
    file = tmp_path / "rules.json"
    file.write_text(RULES)
    values = {"version": "2.1.0", "mainFile": "train.py", "launcher": "torchrun", "customRule": str(file)}
    return with_custom_rules(options_from(values))


@pytest.mark.parametrize(
    ("field", "without"),
    [
        ("customRule", {"custom_rule": None, "custom": ()}),
        ("mainFile", {"main_file": None}),
        ("main-file", {"main_file": None}),
        ("launcher", {"launcher": None}),
    ],
)
def test_null_means_none_where_there_may_be_none(
    make: Make, tmp_path: Path, base: MigrationOptions, field: str, without: dict[str, Any]
) -> None:
    values = {"inputPath": str(make({"train.py": CUDA})), "outputPath": str(tmp_path / "out")}
    kept = checked_request(values, base)
    assert kept.request is not None and kept.request.options == base and base.custom
    checked = checked_request({**values, field: None}, base)
    assert checked.request is not None and checked.request.options == attrs.evolve(base, **without)


def test_without_its_main_file_the_distributed_rule_does_not_take_that_of_the_settings(
    make: Make, tmp_path: Path, base: MigrationOptions
) -> None:
    values = {"inputPath": str(make({"train.py": CUDA})), "outputPath": str(tmp_path / "out")}
    checked = checked_request({**values, "distributed": True, "mainFile": None}, base)
    assert reported(checked) == {"mainFile": "project.main-not-given"}


def test_a_version_that_is_null_is_that_of_the_settings_before_that_of_the_project(
    make: Make, tmp_path: Path, base: MigrationOptions
) -> None:
    root = make({"train.py": CUDA, "requirements.txt": "torch==2.6.0\n"})
    values = {"inputPath": str(root), "outputPath": str(tmp_path / "out"), "version": None}
    assert checked_request(values, base).options.version == base.version
    found = checked_request(values)
    assert found.request is not None and "2.6.0" in render(found.notices[0])


def test_rules_of_ones_own_need_their_file(check: Check) -> None:
    assert reported(check(customRule="")) == {"customRule": "request.custom_rule.missing"}


def test_each_field_has_its_own_error(check: Check) -> None:
    checked = check(inputPath="", outputPath="out", version="9.9", hardware="V100", unsafeFixes=1)
    assert reported(checked) == {
        "inputPath": "request.input_path.missing",
        "outputPath": "request.relative",
        "version": "option.error.version_outside",
        "hardware": "option.error.choice",
        "unsafeFixes": "option.error.flag",
    }


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"inputPath": None}, "request.input_path.missing"),
        ({"inputPath": 7}, "option.error.text"),
        ({"inputPath": "proj"}, "request.relative"),
        ({"inputPath": "/a\0b"}, "request.relative"),
        ({"inputPath": "/no/such/directory"}, "project.input-missing"),
        ({"outputPath": ""}, "request.output_path.missing"),
        ({"force": "yes"}, "option.error.flag"),
        ({"select": ["NPU1", "NPU999"]}, "option.error.no_rule"),
        ({"ignore": "cuda-namespac"}, "option.error.no_rule"),
        ({"severities": {"NPU999": "hint"}}, "option.error.no_rule"),
        ({"severities": {"NPU101": "fatal"}}, "option.error.severity"),
        ({"verison": "2.8.0"}, "option.error.unknown_close"),
        ({"zzz": "2.8.0"}, "option.error.unknown"),
        ({"targetModel": "my model"}, "option.error.variable"),
        ({"ampModel": "net[0]"}, "option.error.variable"),
    ],
)
def test_a_bad_value(check: Check, changes: dict[str, object], message: str) -> None:
    assert reported(check(**changes)) == {next(iter(changes)): message}


def test_an_input_that_is_a_file(check: Check, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(CUDA)
    assert reported(check(inputPath=str(file))) == {"inputPath": "project.input-not-directory"}


def test_an_input_without_python(check: Check, tmp_path: Path) -> None:
    root = make_tree(tmp_path / "empty", {"README.md": ""})
    assert reported(check(inputPath=str(root))) == {"inputPath": "project.input-no-python"}


def test_an_output_inside_the_input(check: Check, tmp_path: Path) -> None:
    assert reported(check(outputPath=str(tmp_path / "in/proj/out"))) == {
        "outputPath": "project.output-in-input"
    }


def test_an_output_that_is_a_file(check: Check, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    assert reported(check()) == {"outputPath": "project.output-not-directory"}


def test_an_output_with_something_else_in_its_place(check: Check, tmp_path: Path) -> None:
    make_tree(tmp_path / "out" / "proj_msft", {"thesis.txt": "years of work"})
    assert reported(check(force=True)) == {"outputPath": "project.output-foreign"}


def test_an_output_that_cannot_be_written_to(
    check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "out").mkdir(mode=0o500)
    if permissions_are_ignored():
        monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path / "out")
    assert reported(check(outputPath=str(tmp_path / "out" / "new"))) == {"outputPath": "project.cannot-write"}


def test_the_version_is_found_in_the_project(make: Make, tmp_path: Path) -> None:
    root = make({"train.py": CUDA, "requirements.txt": "torch==2.1.0\n"})
    checked = checked_request({"inputPath": str(root), "outputPath": str(tmp_path / "out")})
    assert checked.request is not None
    assert [notice.id for notice in checked.notices] == ["project.version-detected"]


@pytest.mark.parametrize(
    ("target", "notices"), [("accelerator", ["project.version-of-target"]), ("mindspore", [])]
)
def test_a_target_without_pytorch_says_nothing_of_its_version(
    check: Check, target: str, notices: list[str]
) -> None:
    checked = check(version=None, target=target)
    assert checked.errors == () and [notice.id for notice in checked.notices] == notices


def test_no_version_anywhere(check: Check) -> None:
    assert reported(check(version=None)) == {"version": "project.version-missing"}


def test_another_patch_release_is_reported(check: Check) -> None:
    checked = check(version="2.8.1+cu121")
    assert checked.errors == ()
    assert [notice.id for notice in checked.notices] == ["project.version-mapped"]


@pytest.mark.parametrize(
    ("changes", "errors"),
    [
        ({}, {"mainFile": "project.main-not-given"}),
        ({"mainFile": "none.py"}, {"mainFile": "project.main-missing"}),
        ({"mainFile": __file__}, {"mainFile": "project.main-outside"}),
        ({"mainFile": "train.py"}, {"targetModel": "project.model-not-found"}),
        ({"mainFile": 7}, {"mainFile": "option.error.text"}),
    ],
)
def test_the_distributed_rule_needs_its_script_and_its_model(
    check: Check, changes: dict[str, object], errors: dict[str, str]
) -> None:
    assert reported(check(distributed=True, **changes)) == errors


@pytest.mark.parametrize(
    ("language", "text"), [("en", "give it as “Main File”"), ("zh", "请用 “主文件” 指定")]
)
def test_a_form_hears_of_fields_and_a_command_line_of_flags(check: Check, language: str, text: str) -> None:
    message = check(distributed=True).errors[0].message
    assert text in render(message, language, in_form=True)
    assert "--main" in render(message, language) and "--" not in render(message, language, in_form=True)


@pytest.mark.parametrize(("text", "is_right"), [(RULES, True), ("{", False), (None, False)])
def test_the_rule_file_is_read(check: Check, tmp_path: Path, text: str | None, is_right: bool) -> None:
    file = tmp_path / "rules.json"
    if text is not None:
        file.write_text(text)
    checked = check(customRule=str(file))
    assert {error.field for error in checked.errors} == (set() if is_right else {"customRule"})


@pytest.mark.parametrize("distributed", [False, True])
def test_of_an_input_that_is_no_folder_the_script_is_not_looked_for(
    check: Check, tmp_path: Path, distributed: bool
) -> None:
    checked = check(
        inputPath=str(tmp_path / "none"), distributed=distributed, mainFile="train.py", targetModel="m"
    )
    assert reported(checked) == {"inputPath": "project.input-missing"}


def test_without_the_distributed_rule_its_script_does_not_matter(check: Check) -> None:
    assert check(mainFile="none.py").errors == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_errors_have_texts_in_both_languages(check: Check, language: str) -> None:
    for error in check(inputPath="", outputPath="", version=1, select=["x"], nonsense=1).errors:
        assert render(error.message, language)


def test_the_schema_has_the_paths_and_every_option() -> None:
    schema = request_schema()
    assert schema["required"] == ["inputPath", "outputPath"]
    assert set(schema["properties"]) == {
        *("inputPath", "outputPath", "force", "discardChanges"),
        *(camel_case(name) for name in option_infos()),
    }


def test_every_group_of_a_property_is_in_the_document() -> None:
    document = options_document("zh")
    groups = {group["id"] for group in document["groups"]}
    assert {schema["group"] for schema in document["schema"]["properties"].values()} <= groups


def test_nothing_that_a_form_shows_names_a_flag_of_the_command_line(make: Make, tmp_path: Path) -> None:
    flag = re.compile(r"(?<![\w-])--?[a-z][a-z-]*\b")
    root = make({"train.py": CUDA, "requirements.txt": "torch>=2.1\n"})
    wrong = {"distributed": True, "targetModel": "none", "severities": ["NPU101=loud"], "force": "x"}
    cases: tuple[dict[str, object], ...] = (
        {"inputPath": str(root / "train.py")},
        {"version": None},
        {"version": "0.1"},
        wrong,
        {**wrong, "mainFile": "train.py"},
        {"target": "accelerator", "version": "1.5.0"},
        {"version": "1.5.0", "ampTransplant": True, "enableAmp": True},
    )
    values = {"inputPath": str(root), "outputPath": str(tmp_path / "out"), "version": "2.8.0"}
    for language in LANGUAGES:
        checks = [checked_request({**values, **case}, None, language) for case in cases]
        texts = [render(error.message, language, in_form=True) for check in checks for error in check.errors]
        properties = request_schema(language)["properties"].values()
        texts += [option["description"] for option in properties if option.get("ofMigration", True)]
        assert len(texts) > len(cases)
        assert [text for text in texts if flag.search(text.replace(str(root), ""))] == []


def test_the_code_proposes_the_main_file_and_the_model(check: Check, make: Make) -> None:
    training = "from torch import nn\nnet = nn.Linear(1, 1).cuda()\nnet.train()\nloss.backward()\n"
    root = make({"run.py": training, "data.py": "import torch\n"})
    checked = check(inputPath=str(root), distributed=True, mainFile="run.py")
    assert reported(checked) == {"targetModel": "project.model-not-found"}
    assert proposals(checked) == {"mainFile": ["run.py"], "targetModel": ["net"], "entries": ["run.py"]}
    assert proposals(check(inputPath=str(root))) == {"entries": ["run.py"]}


GUARD = "if __name__ == '__main__':\n    pass\n"
TRAINING_CELL = (
    '{"cells": [{"cell_type": "code", "source": "loss.backward()", "metadata": {}}], "nbformat": 4}'
)


@pytest.mark.parametrize(
    ("files", "proposed"),
    [
        ({"train.ipynb": TRAINING_CELL, "serve.py": GUARD}, ["train.ipynb"]),
        ({"serve.py": GUARD, "model.py": "class A: pass\n"}, ["serve.py"]),
    ],
    ids=["a notebook that trains", "without any, other programs"],
)
def test_the_code_proposes_entries(
    check: Check, make: Make, files: dict[str, str], proposed: list[str]
) -> None:
    assert proposals(check(inputPath=str(make(files)))) == {"entries": proposed}


AMP = """
import torch
from torch.cuda.amp import GradScaler, autocast

net = torch.nn.Linear(1, 1).cuda()
optimizer = torch.optim.SGD(net.parameters(), 0.1)
scaler = GradScaler()
with autocast():
    loss = net(torch.ones(1, 1).cuda()).sum()
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update()
"""


@pytest.mark.parametrize(("model", "refused"), [("other", True), ("net", False)])
def test_a_model_of_amp_transplant_that_no_file_has_is_an_error_of_its_field(
    check: Check, make: Make, model: str, refused: bool
) -> None:
    root = make({"train.py": AMP})
    checked = check(inputPath=str(root), version="1.5.0", ampTransplant=True, ampModel=model)
    if refused:
        assert reported(checked) == {"ampModel": "amp.transplant.declined.other-model"}
    else:
        assert checked.request is not None


def test_amp_transplant_of_a_project_without_amp_asks_for_no_model(check: Check) -> None:
    assert check(version="1.5.0", ampTransplant=True, ampModel="other").request is not None
