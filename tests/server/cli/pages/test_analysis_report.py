"""What ``analyze`` counts and says: findings, advice, restricted APIs, kernels and open members apart."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import attrs
import pytest

from gpu2ascend.cli.output.terminal import Terminal
from gpu2ascend.cli.pages.analysis_report import AnalysisReport, analysis_json, analysis_lines, analysis_of
from gpu2ascend.project.examination import Examination
from gpu2ascend.project.index.kernels import KernelFile
from gpu2ascend.project.inspect.library.affected import Affected, Need, Reached
from gpu2ascend.project.inspect.modes import ThirdParty
from gpu2ascend.project.kernels.model import SizedKernel
from gpu2ascend.project.report.result import FileStatus
from gpu2ascend.texts.catalogue import Texts
from gpu2ascend_rules.catalog.support.restricted_apis import RestrictedApi
from gpu2ascend_rules.model.finding import ADVICE, Applicability, Edit, Finding, Fix, Message, Plan, Severity
from gpu2ascend_rules.model.type_oracle import Question, Spot
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.unresolved import UnresolvedMember
from tests.server.project.samples import OPTIONS
from tests.telling import tell_ids

TEXT = "x = 1\ny = 2\n"
SAYS = Message.of("project.broken-edit")
KERNEL = SizedKernel("cuda", "k.cu", "add", 3, 7, (), "S", 1.0, 2.0, "elementwise")


@pytest.fixture(autouse=True)
def _ids(monkeypatch: pytest.MonkeyPatch) -> None:
    tell_ids(monkeypatch)


def finding(
    code: str = "NPU104",
    severity: Severity = Severity.ERROR,
    fix: Applicability | None = None,
    kind: str = "",
    start: int = 6,
) -> Finding:
    made = Fix(SAYS, fix, Plan((Edit(6, 7, "z"),))) if fix is not None else None
    return Finding(code, start, start + 1, SAYS, severity, made, "torch.x", kind)


def member(*apis: str | None) -> UnresolvedMember:
    question = Question("a.py", Spot(2, 4), "bump")
    prospects = tuple(("torch.Tensor", finding()._replace(api=api)) for api in apis)
    return UnresolvedMember(question, 2, prospects, SAYS, can_be_asked=True)


def file(*found: Finding, **changes: Any) -> Examination:
    return Examination(**{"path": "a.py", "text": TEXT, "findings": found, **changes})


def analysis(*files: Examination, kernels: tuple[KernelFile, ...] = (), **options: Any) -> AnalysisReport:
    return analysis_of(files, kernels, attrs.evolve(OPTIONS, **options), Texts("en"))


NOTHING = dict.fromkeys(
    (
        "findings", "errors", "warnings", "information", "hints", "safe_fixes", "unsafe_fixes", "manual",
        "unsupported", "unknown", "cuda_ops", "restricted", "advice", "unresolved", "troubled", "affected",
        "packages", "failing_packages", "silenced",
    ),
    0,
)  # fmt: skip
ONE = {"findings": 1, "errors": 1, "manual": 1}


@pytest.mark.parametrize(
    ("files", "counts"),
    [
        ([], {}),
        ([file()], {}),
        ([file(finding())], ONE),
        ([file(finding(severity=Severity.WARNING))], {**ONE, "errors": 0, "warnings": 1}),
        ([file(finding(severity=Severity.INFORMATION))], {**ONE, "errors": 0, "information": 1}),
        ([file(finding(severity=Severity.HINT))], {**ONE, "errors": 0, "hints": 1}),
        ([file(finding(fix=Applicability.SAFE))], {**ONE, "manual": 0, "safe_fixes": 1}),
        ([file(finding(fix=Applicability.UNSAFE))], {**ONE, "manual": 0, "unsafe_fixes": 1}),
        ([file(finding(fix=Applicability.MANUAL))], ONE),
        ([file(finding(kind="unsupported"))], {**ONE, "unsupported": 1}),
        ([file(finding(kind="unknown"))], {**ONE, "unknown": 1}),
        ([file(finding(kind="cuda_op"))], {**ONE, "cuda_ops": 1}),
        ([file(finding(kind=ADVICE))], {"advice": 1}),
        ([file(finding(RestrictedApi.code))], {"restricted": 1}),
        ([file(finding()), file(finding(), finding())], {"findings": 3, "errors": 3, "manual": 3}),
        ([file(unresolved=(member("a"), member()))], {"unresolved": 2}),
        ([file(finding(), problem=SAYS, status=FileStatus.UNPARSABLE)], {**ONE, "troubled": 1}),
    ],
)
def test_each_kind_is_counted_for_itself(files: list[Examination], counts: dict[str, int]) -> None:
    assert analysis(*files).summary == {"files": len(files), **NOTHING, **counts}


def test_kernels_count_as_operators_of_cuda() -> None:
    files = (KernelFile("k.cu", ("a", "b")), KernelFile("l.cu", ("c",)))
    assert analysis(file(finding(kind="cuda_op")), kernels=files).summary["cuda_ops"] == 4


def test_restricted_apis_are_findings_where_they_are_asked_for() -> None:
    found = analysis(file(finding(RestrictedApi.code)), restricted_apis=True)
    assert (found.summary["findings"], found.summary["restricted"], found.restricted) == (1, 0, ())


def test_what_the_files_show_together_is_counted_too() -> None:
    affected = Affected("a.py", 1, ("lib.f",), ())
    found = analysis(file()).with_third_party(ThirdParty((affected,)))
    assert (found.summary["affected"], found.summary["packages"], found.third_party.affected) == (
        1,
        0,
        (affected,),
    )


def lines(found: AnalysisReport, options: dict[str, object] | None = None) -> list[str]:
    chosen = options_from(options or {}, OPTIONS)
    return list(analysis_lines(found, chosen, Texts("en"), Terminal(io.StringIO(), {})))


ROWS = [
    ["«cli.summary.files»", "1"],
    ["«cli.summary.findings»", "1", "«cli.summary.severities(errors=1, warnings=0, information=0, hints=0)»"],
    ["«cli.summary.safe_fixes»", "0", "«cli.analyze.fixes(safe_fixes=0, unsafe_fixes=0, manual=1)»"],
    ["«cli.summary.unsupported»", "0"],
    ["«cli.summary.unknown»", "0"],
    ["«cli.summary.restricted»", "0"],
    ["«cli.summary.cuda_ops»", "0"],
    ["«cli.summary.unresolved»", "0"],
]


def test_the_findings_come_first_and_then_the_counts() -> None:
    said = lines(analysis(file(finding())))
    hardware = OPTIONS.hardware.value
    assert said[:2] == [
        "a.py:2:1: NPU104 «project.broken-edit»",
        f"«cli.analyze.headline(version=2.8.0, hardware={hardware})»",
    ]
    assert [line.split(maxsplit=2) for line in said[2 : 2 + len(ROWS)]] == ROWS
    assert [line.partition("(")[0] for line in said[2 + len(ROWS) :]] == [
        "«effort.total", "«effort.hours", "«effort.method"
    ]  # fmt: skip
    assert said[2].startswith("  «cli.summary.files»") and said[2].endswith("  1")


def test_what_is_there_besides_has_a_row_or_an_explanation() -> None:
    files = [
        file(finding(RestrictedApi.code), finding(kind=ADVICE), unresolved=(member(),)),
        file(problem=SAYS, status=FileStatus.UNPARSABLE),
    ]
    found = analysis(*files).with_third_party(ThirdParty((Affected("a.py", 1, ("lib.f",), ()),)))
    rows = {line.split()[0]: line.split(maxsplit=1)[1] for line in lines(found) if "cli.summary." in line}
    assert rows["«cli.summary.restricted»"].split() == ["1", "«cli.analyze.restricted»"]
    assert rows["«cli.summary.unresolved»"].split() == ["1", "«cli.analyze.unresolved»"]
    assert rows["«cli.summary.advice»"].split() == ["1"]
    assert rows["«cli.summary.affected»"].split() == ["1", "«cli.analyze.affected»"]
    assert rows["«cli.summary.troubled»"].split() == ["1"]
    assert "«cli.summary.packages»" not in rows
    assert "«cli.advice.heading(count=1)»" in lines(found)


def test_kernels_are_named_and_sized() -> None:
    found = analysis(file(), kernels=(KernelFile("k.cu", ("add", "mul")),))._replace(sized=(KERNEL,))
    said = lines(found)
    assert said[0] == "«cli.analyze.kernels(path=k.cu, names=add, mul)»"
    assert said[1].startswith("«kernel.line(place=k.cu:3, name=add, lines=5, ")
    assert said[2].startswith("«kernel.total(kernels=1, lines=5, counts=S: 1, low=1, high=2")
    assert not any("kernel." in line for line in lines(analysis(file())))


def test_what_a_library_passes_on_is_said_in_its_mode_alone() -> None:
    uses = (Reached(Need.UNSUPPORTED, "torch.x", "a.py", 2),)
    found = analysis(file()).with_third_party(ThirdParty((Affected("a.py", 1, ("lib.f",), uses),)))
    assert any("lib.f" in line for line in lines(found, {"modes": "third_party"}))
    assert not any("lib.f" in line for line in lines(found))


def document(found: AnalysisReport, exit_code: int = 1, page: str | None = None) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(
        analysis_json(found, Path("proj"), OPTIONS, exit_code, Texts("en"), page)
    )
    return loaded


def test_the_document_for_programs() -> None:
    files = [
        file(
            finding(),
            finding(RestrictedApi.code),
            finding(kind=ADVICE),
            unresolved=(member("torch.b", None, "torch.a", "torch.b"),),
        ),
        file(path="b.py", text=None, problem=SAYS, status=FileStatus.UNDECODABLE),
    ]
    found = analysis(*files, kernels=(KernelFile("k.cu", ("add",)),))._replace(sized=(KERNEL,))
    told, here = document(found), Path.cwd()
    assert (told["version"], told["hardware"]) == ("2.8.0", OPTIONS.hardware.value)
    assert (told["path"], told["exit_code"], told["html"]) == (str(here / "proj"), 1, None)
    assert told["summary"] == found.summary
    assert [[item["code"] for item in told[name]] for name in ("findings", "restricted", "advice")] == [
        ["NPU104"],
        [RestrictedApi.code],
        ["NPU104"],
    ]
    assert told["unresolved"] == [
        {
            "filename": str(here / "a.py"),
            "location": {"row": 2, "column": 5},
            "name": "bump",
            "apis": ["torch.a", "torch.b"],
            "reason": "«project.broken-edit»",
        }
    ]
    assert told["kernels"] == [{"filename": str(here / "k.cu"), "names": ["add"]}]
    assert told["kernel_sizes"]["total"]["lines"] == 5
    assert told["problems"] == [{"filename": str(here / "b.py"), "message": "«project.broken-edit»"}]
    assert told["modes"] == sorted(mode.value for mode in OPTIONS.analysis_modes)
    assert document(found, 0, "page.html")["html"] == str(here / "page.html")
