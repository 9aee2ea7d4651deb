# Written by gpu2ascend: finds operators whose shapes change while a training runs.
"""The reports: the calls with dynamic shapes, and what the shapes come from."""

import csv
import os

from .texts import PREFIX, TEXTS

_REPORT = PREFIX + "_dynamic_shape_analysis_report%s.csv"
_CAUSES = PREFIX + "_dynamic_shape_causes%s.csv"
_COLUMNS = (
    "Function Name", "File Path", "Line Number", "Call Stack", "Input Shape Range", "Output Shape Range",
)  # fmt: skip
_CAUSE_COLUMNS = ("File Path", "Line Number", "Function Name", "Cause", "Advice", "Calls")
_ORDER = ("data", "scalar", "images", "lengths", "arguments", "tail", "carried", "dropped")


def write_reports(detector, folder, suffix):
    """Write both files; gives their paths."""
    records = [record for record in detector.records.values() if record.is_dynamic]
    report = os.path.join(folder, _REPORT % suffix)
    with open(report, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(_COLUMNS)
        for record in records:
            ranges = ["; ".join(map(str, known)) for known in (record.inputs, record.outputs)]
            table.writerow([record.name, record.path, record.line, record.stack, *ranges])
    causes = os.path.join(folder, _CAUSES % suffix)
    with open(causes, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(_CAUSE_COLUMNS)
        table.writerows(_rows(detector, records))
    return report, causes


def cause_of(record):
    """Why the shapes of a call change, as a key of the texts."""
    if record.name == "DataLoader":
        return _of_batches(record)
    if record.operators - {"aten::_local_scalar_dense"}:
        return "data"
    if any(known.is_dynamic for known in record.inputs):
        return "carried"
    return "scalar" if record.operators else "arguments"


def _of_batches(record):
    """Images of several sizes, else sequences of several lengths."""
    for known in record.outputs:
        if set(known.by_rank) <= {4, 5} and known.changing() and min(known.changing()) >= -2:
            return "images"
    return "lengths"


def _rows(detector, records):
    found = {}
    for record in detector.records.values():
        causes = [cause_of(record)] if record.is_dynamic else []
        if record.has_tail and record.name == "DataLoader":
            causes.append("tail")
        for cause in causes:
            key = (cause, record.path, record.line, record.name)
            found[key] = found.get(key, 0) + 1
    ordered = sorted(found.items(), key=lambda item: (_ORDER.index(item[0][0]), item[0][1:]))
    for (cause, path, line, name), calls in ordered:
        yield [path, line, name, *TEXTS[cause], calls]
    if detector.dropped:
        yield ["", 0, "", *TEXTS["dropped"], detector.dropped]
