"""What code is migrated to: a target owns its rules and its names, and nobody asks which one it is."""

from __future__ import annotations

import ast
import pickle
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

import gpu2ascend
import gpu2ascend_rules
from gpu2ascend_rules.checking import check
from gpu2ascend_rules.engine.registry import all_rules, rules_of
from gpu2ascend_rules.options.contradictions import refuse_contradictions
from gpu2ascend_rules.options.options import MigrationOptions, OptionError, options_from
from gpu2ascend_rules.options.schema import option_properties, option_values
from gpu2ascend_rules.targets.registry import DEFAULT, all_targets, known_targets, target_named
from gpu2ascend_rules.targets.target import Target
from gpu2ascend_rules.text.source_file import SourceFile

SOURCES = (Path(gpu2ascend_rules.__file__).parent, Path(gpu2ascend.__file__).parent)
ROOM = SOURCES[0] / "targets"
MODULES = frozenset(path.stem for path in ROOM.glob("*.py")) - {"__init__", "helpers", "registry", "target"}
OTHERS = frozenset(target.name for target in known_targets()) - {DEFAULT.name}
"""Names that are nothing but names of targets; that of the default is a package's, too."""


def of_no_target(codes: Iterable[str]) -> list[str]:
    return [code for code in codes if not any(target.owns(code) for target in known_targets())]


def test_every_rule_runs_for_a_target() -> None:
    assert of_no_target(["XYZ1", all_rules()[0].code]) == ["XYZ1"]
    assert of_no_target(rule.code for rule in all_rules()) == []


def test_the_rules_of_a_target_run_for_no_other() -> None:
    catalogues = {
        target.name: {rule.code for rule in rules_of(target)}
        for target in known_targets()
        if not target.ways or target is DEFAULT
    }
    roots = [target_named(name) for name in catalogues]
    for one in (target for target in roots if target is not None):
        for other in (target for target in roots if target is not None and target != one):
            shared = catalogues[one.name] & catalogues[other.name]
            assert {code[:3] for code in shared} <= {"CUS"}, f"{one.name} and {other.name}"


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("y = torch.stft(x, 512)\n", "NPU009"),
        ("import torch\nx, y = iter(loader).next()\n", "NPU010"),
        ("from torch._six import container_abcs\n", "NPU007"),
    ],
)
def test_what_is_true_of_torch_itself_is_said_for_any_accelerator(code: str, found: str) -> None:
    options = options_from({"target": "accelerator", "version": "2.8.0"})
    assert [item.code for item in check(SourceFile(f"import torch\n{code}"), options)] == [found]


def test_the_rules_of_the_user_run_for_every_target() -> None:
    own = {rule.code for rule in all_rules() if rule.code.startswith("CUS")}
    assert own
    for target in known_targets():
        assert own <= {rule.code for rule in rules_of(target)}


def test_outputs_are_told_apart_by_their_names() -> None:
    suffixes = [
        suffix
        for target in known_targets()
        for suffix in (target.suffix, target.distributed_suffix)
        if suffix
    ]
    roots = [name for target in known_targets() for name in [target.suffix]]
    assert len(set(suffixes)) >= len({target.name for target in all_targets()})
    assert {"_msft", "_accelerator", "_x2ms"} <= set(roots)


def test_a_target_is_an_option_by_its_name() -> None:
    assert MigrationOptions().target is DEFAULT
    assert options_from({"target": "Torch_NPU"}).target is DEFAULT
    assert option_values(MigrationOptions())["target"] == "torch_npu"
    assert option_properties()["target"]["enum"] == [target.name for target in all_targets()]


def test_an_unknown_target_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(OptionError) as error:
        options_from({"target": "tpu"})
    assert dict(error.value.reason.arguments)["choices"] == ", ".join(target.name for target in all_targets())


def test_options_that_a_target_has_nothing_for_are_refused() -> None:
    target = Target(name="t", codes=(), suffix="_t", without_options=frozenset({"enable_amp"}))
    refuse_contradictions(MigrationOptions(target=target))
    with pytest.raises(OptionError) as error:
        refuse_contradictions(MigrationOptions(target=target, enable_amp=True))
    assert error.value.option == "enable_amp"


def test_versions_that_a_target_cannot_be_chosen_for_are_refused() -> None:
    target = Target(name="t", codes=(), suffix="_t", versions=DEFAULT.versions[-2:])
    refuse_contradictions(MigrationOptions(target=target, version=DEFAULT.versions[-1]))
    with pytest.raises(OptionError) as error:
        refuse_contradictions(MigrationOptions(target=target, version=DEFAULT.versions[0]))
    assert error.value.option == "version"


def test_a_way_of_reaching_a_target_is_chosen_by_its_option() -> None:
    way = Target(name="t by amp", codes=(), suffix="_t")
    target = Target(name="t", codes=(), suffix="_t", ways=(("enable_amp", way),))
    assert MigrationOptions(target=target).route is target
    assert MigrationOptions(target=target, enable_amp=True).route is way


def test_the_copy_of_a_worker_process_is_the_same_target() -> None:
    for target in known_targets():
        copy = pickle.loads(pickle.dumps(target))
        assert copy == target and hash(copy) == hash(target)


def _is_a_target(node: ast.AST) -> bool:
    """Whether an expression is the options' target, its route, or the name of one of these."""
    if not isinstance(node, ast.Attribute):
        return False
    if node.attr == "name":
        return _is_a_target(node.value)
    is_option = node.attr == "target" and ast.unparse(node.value).endswith("options")
    return is_option or node.attr == "route"


def _names_a_target(node: ast.AST) -> bool:
    """Whether a comparison is with a target's name. Those of libraries' options are words like these."""
    names = {part.value for part in ast.walk(node) if isinstance(part, ast.Constant)} & OTHERS
    speaks_of_targets = any(word in ast.unparse(node) for word in ("target", "route"))
    return bool(names) and speaks_of_targets


def asks_which_target(text: str) -> bool:
    """Whether code compares a target, or something of a target's with a target's name."""
    if "target" not in text and "route" not in text:
        return False
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Compare):
            if any(map(_is_a_target, (node.left, *node.comparators))) or _names_a_target(node):
                return True
        elif isinstance(node, ast.Match) and (_is_a_target(node.subject) or _names_a_target(node)):
            return True
    return False


@pytest.mark.parametrize(
    "code",
    [
        "if options.target.name == 'x': pass",
        "if ctx.options.route is DEFAULT: pass",
        "if target == 'mindspore': pass",
        "if values['target'] in ('accelerator', 'other'): pass",
        "match options.target.name:\n    case 'mindspore': pass",
    ],
)
def test_the_search_finds_code_that_asks(code: str) -> None:
    assert asks_which_target(code)


def modules_outside(root: Path, judge: Callable[[str], bool], *rooms: Path) -> list[str]:
    """The modules below a folder, but in no room, of whose text something holds."""
    return [
        str(path.relative_to(root))
        for path in sorted(root.rglob("*.py"))
        if not {*rooms} & {*path.parents} and judge(path.read_text("utf-8"))
    ]


def test_nobody_outside_asks_which_target_it_is(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("if options.target.name == 'x': pass")
    assert modules_outside(tmp_path, asks_which_target) == ["a.py"]
    for root in SOURCES:
        assert modules_outside(root, asks_which_target, ROOM) == []


def imports_a_single_target(text: str) -> bool:
    single = tuple(f"targets.{item}" for item in MODULES)
    if not any(name in text for name in single):
        return False
    nodes = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom))
    return any((node.module or "").endswith(single) for node in nodes)


def test_nobody_outside_imports_a_single_target(tmp_path: Path) -> None:
    """But the rules of a target, which lie in the folder of their family."""
    (tmp_path / "a.py").write_text(f"from ..targets.{min(MODULES)} import x")
    (tmp_path / "b.py").write_text("from ..targets.registry import x")
    assert modules_outside(tmp_path, imports_a_single_target) == ["a.py"]
    for root in SOURCES:
        assert modules_outside(root, imports_a_single_target, ROOM, root / "catalog") == []


def test_under_transfer_to_npu_programs_take_the_words_that_they_took() -> None:
    (target,) = (item for item in known_targets() if item.name == "torch_npu_auto")
    of_words = ("NPU907", "NPU1009", "NPU1012", "NPU1013")
    assert not any(map(target.owns, of_words)) and all(map(DEFAULT.owns, of_words))
    assert target.owns("NPU1001")
