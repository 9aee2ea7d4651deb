"""What becomes of members that a file leaves unresolved."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.project.index.resolve_members import MemberResolver, Resolution
from gpu2ascend_rules.messages import LANGUAGES, render
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.type_oracle import Question, Spot
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.unresolved import UnresolvedMember, unresolved_members

OPTIONS = options_from({"version": "2.8.0"})
ASKED = "import torch\nfrom .other import make\nx = make()\nx.to_dense()\n"


class Oracle:
    """Answers every question the same."""

    def __init__(self, answer: str | None) -> None:
        self.answer = answer
        self.questions: list[Question] = []
        self.is_closed = False

    def class_of(self, question: Question) -> str | None:
        self.questions.append(question)
        return self.answer

    def close(self) -> None:
        self.is_closed = True


def members(code: str, **options: object) -> tuple[UnresolvedMember, ...]:
    return unresolved_members(SourceFile(code, "pkg/a.py"), options_from({"version": "2.8.0", **options}))


def resolved_by(code: str, answer: str | None) -> Resolution:
    with MemberResolver(OPTIONS, lambda root: Oracle(answer)) as resolver:
        return resolver.resolve("/project", members(code))


def test_a_question_tells_where_the_member_and_the_values_of_its_receiver_stand() -> None:
    (member,) = members(ASKED)
    assert member.question == Question("pkg/a.py", Spot(4, 2), "to_dense", (Spot(3, 0),))


def test_what_the_project_proves_becomes_the_finding_it_would_have_been() -> None:
    (proven,) = resolved_by(ASKED, "torch.nn.Parameter").resolved
    assert (proven.finding.code, proven.finding.api, proven.line) == ("NPU001", "torch.Tensor.to_dense", 4)


def test_what_nobody_can_tell_stays_open() -> None:
    assert resolved_by(ASKED, None) == ((), members(ASKED))


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_open_says_why(language: str) -> None:
    (member,) = resolved_by("import torch\ndef f(x):\n    x.to_dense()\n", None).open
    assert member.reason == Message.of("walk.parameter", text="x")
    assert "`x`" in render(member.reason, language)


def test_what_is_something_else_is_neither_a_finding_nor_open() -> None:
    assert resolved_by(ASKED, "") == ((), ())


@pytest.mark.parametrize(
    "code",
    [
        "import torch\ndef f(x):\n    x.to_dense()\n",
        "import torch\nimport pandas\nx = pandas.read()\nx.to_dense()\n",
        "import torch\nfor x in unbound():\n    x.to_dense()\n",
        "import torch\nclass A(torch.nn.Module):\n    def f(self):\n        self.x.to_dense()\n",
    ],
)
def test_nobody_is_asked_what_no_file_of_the_project_can_tell(code: str) -> None:
    oracle = Oracle("torch.Tensor")
    with MemberResolver(OPTIONS, lambda root: oracle) as resolver:
        assert len(resolver.resolve("/project", members(code)).open) == 1
    assert oracle.questions == []


LAYER = "import torch.nn as nn\nfrom .other import make\nx = make()\nx.predict(nn.Linear(1, 1))\n"


@pytest.mark.parametrize(
    ("other", "asked"),
    [
        ("def make():\n    return torch.nn.AdaptiveLogSoftmaxWithLoss(8, 4, [2])\n", True),
        ("def make():\n    return sklearn.svm.SVC()\n", False),
    ],
)
def test_of_a_layer_is_asked_only_where_a_file_names_it(tmp_path: Path, other: str, asked: bool) -> None:
    (tmp_path / "other.py").write_text(other)
    oracle = Oracle("torch.nn.AdaptiveLogSoftmaxWithLoss")
    with MemberResolver(OPTIONS, lambda root: oracle) as resolver:
        done = resolver.resolve(str(tmp_path), members(LAYER))
    assert (len(oracle.questions), len(done.resolved), len(done.open)) == (asked, asked, 0)


def test_an_oracle_is_closed_in_the_end() -> None:
    oracle = Oracle(None)
    with MemberResolver(OPTIONS, lambda root: oracle) as resolver:
        resolver.resolve(str(Path("/project")), members(ASKED))
    assert oracle.is_closed


@pytest.mark.parametrize(
    "code",
    [
        "import torch\nx = torch.ones(1)\nx.to_dense()\n",
        "import torch\nx = {}\nx.to_dense()\n",
        "import torch\nargs.mode = 1\nprint(args.mode)\n",
        "import torch\nx.to_dense()  # gpu2ascend: ignore[NPU001]\n",
        "x.to_dense()\n",
    ],
)
def test_what_is_proven_or_of_no_concern_is_not_unresolved(code: str) -> None:
    assert members(code) == ()


def test_a_rule_that_is_left_out_leaves_nothing_unresolved() -> None:
    assert members(ASKED, ignore=["NPU001"]) == ()
