"""Members of PyTorch's classes that a support list names: of a known receiver, and of one that may be any."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.model.finding import Finding, Severity
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.unresolved import UnresolvedMember, resolved_finding, unresolved_members

TENSOR = "torch.Tensor"


def found(code: str, **options: object) -> list[Finding]:
    """What the rules on the support lists find."""
    given = {"version": "2.8.0", "select": ["NPU001", "NPU002", "NPU003"], **options}
    return check(SourceFile(f"import torch\n{code}\n"), options_from(given))


def said(code: str, **options: object) -> list[str]:
    """The messages of what is found."""
    return [item.message.id for item in found(code, **options)]


def unresolved(code: str) -> tuple[UnresolvedMember, ...]:
    """The members that may be some of PyTorch's."""
    return unresolved_members(SourceFile(f"import torch\n{code}\n"), options_from({"version": "2.8.0"}))


MEMBERS = {"mode": "NPU001.unsupported", "smm": "NPU001.unsupported", "apply_": "NPU002.fallback"}


@pytest.mark.parametrize("name", MEMBERS)
def test_a_member_of_a_tensor_is_reported_by_its_status(name: str) -> None:
    assert said(f"x = torch.ones(2)\nx.{name}()") == [MEMBERS[name]]
    assert said(f"x = make()\nx.{name}()") == []
    assert said(f"import torch\nclass A:\n    def {name}(self): pass\nA().{name}()") == []


@pytest.mark.parametrize("name", ["digamma", "cauchy_", "cholesky_inverse"])
def test_a_member_of_which_no_list_speaks_is_reported_where_that_is_asked_for(name: str) -> None:
    code = f"x = torch.ones(2)\nx.{name}()"
    assert said(code, unknown_apis=True) == ["NPU003.on_cpu"]
    assert said(code) == []


@pytest.mark.parametrize(
    "use", ["y = x.digamma", "x.mode()", "x.relu()", "y.digamma()", "x.no_such_member()"]
)
def test_what_is_not_called_or_known_or_no_tensors_is_not_unknown(use: str) -> None:
    code = f"x = torch.ones(2)\ny = make()\n{use}"
    assert "NPU003.on_cpu" not in said(code, unknown_apis=True)
    assert "NPU003.on_cpu" in said(f"{code}\nx.digamma()", unknown_apis=True)


@pytest.mark.parametrize("name", MEMBERS)
def test_of_a_receiver_that_nothing_proves_it_is_said_what_it_would_be(name: str) -> None:
    (member,) = unresolved(f"def f(x):\n    x.{name}()")
    assert member.line == 3
    assert [owner for owner, _ in member.prospects] == [TENSOR]
    finding = resolved_finding(member, TENSOR, options_from({"version": "2.8.0"}))
    assert finding is not None
    assert finding.message.id == MEMBERS[name]
    assert finding.api == f"{TENSOR}.{name}"
    assert resolved_finding(member, "builtins.dict", options_from({"version": "2.8.0"})) is None


@pytest.mark.parametrize(
    "use",
    [
        pytest.param("x.relu()", id="supported"),
        pytest.param("x.no_such_member()", id="of no class"),
        pytest.param("y = x.mode", id="not called"),
        pytest.param("x.cuda()", id="of another rule"),
        pytest.param("torch.ones(2).mode()", id="proven"),
    ],
)
def test_other_members_are_no_question(use: str) -> None:
    assert [item.line for item in unresolved(f"def f(x):\n    {use}\n    x.mode()")] == [4]


def test_the_severity_is_that_of_what_it_may_be() -> None:
    (finding,) = found("x = torch.ones(2)\nx.mode()")
    (member,) = unresolved("def f(x):\n    x.mode()")
    assert finding.severity is member.prospects[0][1].severity is Severity.ERROR
