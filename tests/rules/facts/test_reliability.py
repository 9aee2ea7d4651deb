"""Where facts speak against a support list, or decide what it leaves open."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.facts import Facts, SupportStatus, reliability
from gpu2ascend_rules.facts.reliability import MembersToLookAt, reliability_of, surely_falls_back
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import choose_version


def facts(version: str) -> Facts:
    return Facts.load(choose_version(version).version, Hardware.A2)


@pytest.mark.parametrize(
    ("api", "version"),
    [
        ("torch.nn.utils.rnn.pack_padded_sequence", "2.8.0"),  # its operator is _pack_padded_sequence
        ("torch.nn.MaxPool1d", "2.1.0"),  # computed by the operator of MaxPool2d
        ("torch.nn.functional.gumbel_softmax", "2.1.0"),
        ("torch.nn.utils.parametrize.register_parametrization", "1.11.0"),  # Python
    ],
)
def test_what_is_made_of_operators_with_kernels_works(api: str, version: str) -> None:
    assert reliability_of(api, facts(version)).is_refuted


def test_of_the_very_operator_the_list_decides() -> None:
    assert not reliability_of("torch.nn.MaxPool3d", facts("2.8.0")).is_refuted


def test_before_the_first_wheel_a_list_is_not_refuted_by_a_kernel_of_the_operator_it_names() -> None:
    assert reliability_of("torch.nan_to_num", facts("1.11.0")).is_sure


def test_where_lists_differ_a_missing_kernel_decides() -> None:
    found = reliability_of("torch.lgamma", facts("1.11.0"))
    assert (found.key, found.arguments) == ("on_cpu", {"operator": "lgamma"})


def test_where_lists_differ_and_the_kernels_are_there_nothing_is_to_be_done() -> None:
    assert reliability_of("torch.cdist", facts("1.11.0")).is_refuted


def test_a_method_falls_back_only_without_a_kernel() -> None:
    assert not surely_falls_back("torch.Tensor.scatter_", facts("2.8.0"))
    assert surely_falls_back("torch.linalg.lstsq", facts("2.8.0"))


def test_a_member_is_judged_when_a_file_has_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[str] = []

    def limits_matter(api: str, _: Facts) -> bool:
        judged.append(api)
        return True

    monkeypatch.setattr(reliability, "limits_matter", limits_matter)
    known = facts("2.8.0")
    members = MembersToLookAt(known, SupportStatus.RESTRICTED, with_doubtful=True)
    assert len(members.names) > 100 and judged == []
    first, *others = known.members_with(SupportStatus.RESTRICTED)
    name = first.rpartition(".")[2]
    words = {members.words_with(name.encode()) for _ in range(2)}
    assert judged == [api for api in (first, *others) if api.rpartition(".")[2] == name]
    assert words == {members.words_with(name.encode())}
    assert not MembersToLookAt(known, SupportStatus.RESTRICTED, with_doubtful=False).names
