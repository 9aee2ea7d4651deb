"""The tables of an analysis, with the vendor's names and columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from gpu2ascend_rules.hosting import HINT_KIND as DYNAMIC_SHAPE
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Finding, Message
from gpu2ascend_rules.options.choices import AnalysisMode

from ..errors import OutputError, writing
from ..examination import Examination
from ..kernels.model import SizedKernel
from ..paths import shown
from ..report.csv_report import CsvReport
from ..report.reports import operator_of, table_of, with_way
from .library.affected import Affected, Need
from .modes import AFFINITY, ThirdParty
from .packages import PackageUse

Row = tuple[str | int, ...]
SUFFIX = "_analysis"
"""Ends the name of the directory, after that of the project."""
_API = ("File", "Start Line", "End Line", "OP", "Tips")
_BY_API = ("Torch API", "Affected 3rd-party API")
_HINTS = "dynamic_shape_hints"
_SIZES = "kernel_sizes"
_OF_KIND = {AFFINITY: "affinity_api_call", DYNAMIC_SHAPE: _HINTS}
_COLUMNS: dict[AnalysisMode, dict[str, tuple[str, ...]]] = {
    AnalysisMode.TORCH_APIS: {
        "unsupported_api": _API,
        "unknown_api": _API,
        "cuda_op_list": ("File", "Api"),
        _SIZES: (
            "File", "Start Line", "End Line", "Kernel", "Language", "Features", "Callers", "Guarded",
            "Effort", "Days From", "Days To", "Way",
        ),
    },
    AnalysisMode.THIRD_PARTY: {
        "full_unsupported_results": ("File", "3rd-party API", "Message"),
        Need.UNSUPPORTED.value: _BY_API,
        Need.MIGRATION.value: _BY_API,
        Need.CUDA_OPERATOR.value: ("OP Name", "Affected 3rd-party API"),
        Need.UNKNOWN.value: _BY_API,
        "third_party_packages": (
            "Package", "Verdict", "Works From", "Replacement", "Requested", "File", "Line", "Tips",
        ),
    },
    AnalysisMode.ADVICE: {"api_precision_advice": _API, "api_performance_advice": _API},
    AnalysisMode.AFFINITY_APIS: {
        "affinity_api_call": (
            "File", "Start Line", "End Line", "Api Type", "Api Call Name", "Affinity Api Name",
        ),
    },
    AnalysisMode.DYNAMIC_SHAPE: {_HINTS: _API},
}  # fmt: skip
_NAMES_IN_A_ROW = 100
"""The vendor's tool begins another row after so many names."""
_LONGEST_CALL = 80
_NOTHING = "NA"
_PRECISION = "ADV12"
"""Begins the codes of advice about numbers."""


class AnalysisTables:
    """Collects the rows while the files come, and writes them.

    Args:
        relative: Gives a file's path within the project.
    """

    def __init__(self, modes: Iterable[AnalysisMode], language: str, relative: Callable[[str], str]) -> None:
        self._columns = {name: columns for mode in modes for name, columns in _COLUMNS[mode].items()}
        self._rows: dict[str, list[Row]] = {name: [] for name in self._columns}
        self._language = language
        self._relative = relative

    def add(self, file: Examination) -> None:
        """Add the rows of a file's findings."""
        for finding in file.findings:
            name = _table_of(finding)
            if name is not None and name in self._rows:
                self._rows[name].append(self._row(name, self._relative(file.path), file, finding))

    def _row(self, name: str, path: str, file: Examination, finding: Finding) -> Row:
        text = render(finding.message, self._language)
        if name == "cuda_op_list":
            return path, operator_of(finding, text)
        first, last = _lines(file, finding)
        if name == "affinity_api_call":
            return path, first, last, "special", _call(file, finding), finding.api or _NOTHING
        operator = _call(file, finding) if name == _HINTS else operator_of(finding, text)
        return path, first, last, operator, with_way(f"{finding.code} {text}", file.way, self._language)

    def add_kernels(self, path: str, names: Sequence[str]) -> None:
        """Add the kernels of a C++ or CUDA source."""
        if "cuda_op_list" in self._rows:
            self._rows["cuda_op_list"] += [(self._relative(path), name) for name in names]

    def add_sizes(self, kernels: Iterable[SizedKernel], way: Callable[[str], str]) -> None:
        """Add the kernels with their sizes.

        Args:
            way: Gives what to do, as a text.
        """
        if _SIZES not in self._rows:
            return
        for item in kernels:
            callers = "\n".join(f"{caller.path},{caller.line},{caller.name}" for caller in item.callers)
            size: Row = (item.path, item.first_line, item.last_line, item.name, item.language)
            made: Row = (", ".join(item.features) or _NOTHING, callers or _NOTHING, str(item.has_fallback))
            effort: Row = (item.effort, f"{item.low:g}", f"{item.high:g}", way(item.way))
            self._rows[_SIZES].append((*size, *made, *effort))

    def add_third_party(self, found: ThirdParty, tip: Callable[[PackageUse], tuple[str, str]]) -> None:
        """Add what the files show together.

        Args:
            tip: Gives the verdict on a package, and what to do, as texts.
        """
        if "full_unsupported_results" not in self._rows:
            return
        full = self._rows["full_unsupported_results"]
        for row in found.affected:
            places = [
                f"{use.path},{use.line},{use.api}" for use in row.reaches if use.need is not Need.UNKNOWN
            ]
            full += [(row.path, name, "\n".join(places)) for name in row.names if places]
        for need in Need:
            self._rows[need.value] += _by_api(found.affected, need)
        for use in found.packages:
            verdict, text = tip(use)
            known = use.verdict
            releases = (known.works_from, known.replacement) if known is not None else ("", "")
            cells: Row = (use.name, verdict, *(cell or _NOTHING for cell in (*releases, use.versions)))
            self._rows["third_party_packages"].append((*cells, use.path, use.line, text or _NOTHING))

    def write(self, directory: Path, *, force: bool) -> Path:
        """Write the tables into a directory, which is made.

        Raises:
            OutputError: it exists and ``force`` does not allow to replace the tables in it, or cannot be
                written.
        """
        if directory.exists() and not force:
            raise OutputError(Message.of("project.analysis-exists", path=shown(directory)))
        with writing(directory):
            directory.mkdir(parents=True, exist_ok=True)
            for name, rows in self._rows.items():
                path = directory / f"{name}.csv"
                path.unlink(missing_ok=True)
                table = CsvReport(path, self._columns[name])
                for row in rows:
                    table.add(row)
                table.close()
        return directory


def _table_of(finding: Finding) -> str | None:
    """The table that lists a finding."""
    if finding.is_advice:
        is_precision = finding.code.startswith(_PRECISION)
        return "api_precision_advice" if is_precision else "api_performance_advice"
    return _OF_KIND.get(finding.kind) or table_of(finding)


def _by_api(affected: Iterable[Affected], need: Need) -> Iterator[Row]:
    """A row for each API, with the names of the functions that reach it."""
    names: dict[str, dict[str, None]] = defaultdict(dict)
    for row in affected:
        for use in row.reaches:
            if use.need is need:
                names[use.api].update(dict.fromkeys(row.names))
    for api in sorted(names):
        listed = list(names[api])
        for start in range(0, len(listed), _NAMES_IN_A_ROW):
            yield api, "\n".join(listed[start : start + _NAMES_IN_A_ROW])


def _lines(file: Examination, finding: Finding) -> tuple[int, int]:
    source, notebook = file.source, file.notebook
    if source is None:
        return 1, 1
    first, last = (source.lines.line_of(place) + 1 for place in (finding.start, finding.end))
    return (first, last) if notebook is None else (notebook.file_line(first)[1], notebook.file_line(last)[1])


def _call(file: Examination, finding: Finding) -> str:
    """What the file has there, on one line."""
    data = file.source.data[finding.start : finding.end] if file.source is not None else b""
    text = " ".join(data.decode("utf-8", "replace").split())
    return text if len(text) <= _LONGEST_CALL else f"{text[: _LONGEST_CALL - 1]}…"
