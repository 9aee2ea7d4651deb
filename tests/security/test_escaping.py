"""No output lets a project's author act on its reader: in a spreadsheet, a terminal, an editor, a CI job.

The project is hostile in every name that its author chooses: of files, in strings, in the cells of a
notebook, and in the texts of the rules that it brings along.
"""

from __future__ import annotations

import csv
import json
import os
import re
import sys
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote_to_bytes, urlsplit

import pytest
from lsprotocol import types

from gpu2ascend.__main__ import main
from gpu2ascend.cli.output.diffs import coloured_diff
from gpu2ascend.cli.output.terminal import Terminal
from gpu2ascend.lsp.features.hover import page_at
from gpu2ascend.lsp.server import Server
from gpu2ascend.lsp.session.work_progress import WorkProgress
from gpu2ascend.project.paths import shown
from gpu2ascend.project.report.diff import file_diff
from gpu2ascend.texts.escaping import (
    csv_cell,
    github_property,
    github_text,
    json_text,
    label,
    markdown,
    sarif_text,
    terminal_line,
    unescaped,
)
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.messages.visible import visible
from gpu2ascend_rules.model.finding import Finding, Message, Severity
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

NAMES = (
    "=cmd|' !A0.py",
    "@SUM(1).py",
    "+1.py",
    "-2.py",
    "\t=3.py",
    "\r=4.py",
    "[run](command:evil.now).py",
    "![](x).py",
    "$(flame).py",
    "<img src=x onerror=alert(1)>.py",
    "a\u202eyp.py",
    "a\x1b]0;title\x07\x1b[2J.py",
    "two\nlines.py",
    "::error file=x,line=1::forged.py",
    "##[add-mask]a.py",
    "50%0A.py",
    "a,b:c.py",
    "c1\x9b31m.py",
)
SOURCE = """\
import os
import torch
torch.cuda.comm.broadcast(x, [0, 1])
x = torch.ones(2).cuda()
os.environ["CUDA_\x1b[31m\u202e"] = "1"
torch.cuda.set_device(f"cuda:{'=1+1'}")
evil_call("](command:evil)")
torch.cuda.nvtx.mark("x")
"""
CELLS = [
    "=1+1\n",
    "import torch\n",
    "torch.cuda.comm.broadcast(x, [0])  # =cmd\n",
    "torch.ones(2).cuda('\x1b[2J')",
]
EVIL_TEXT = (
    "=1+1 [run](command:evil.now) `` ![](https://example.org/p.png) <b> $(flame)\x1b[2J \u202e ::error::x"
)
RULES = {
    "rules": {
        "PatternRule": [{"pattern": "evil_call($x)", "message": EVIL_TEXT}],
        "FuncNameModifyRule": [{"old_name": "to_gpu", "new_name": "to_npu"}],
    }
}

UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
FORMULA = re.compile("[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
COMMAND = re.compile(r"\s*::|.*##\[")
NOTIFICATION_LINK = re.compile(r"\[([^\]]+)\]\(")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="such file names do not exist there")


class Project(NamedTuple):
    """The hostile project, and the names in it that the file system took."""

    path: Path
    names: tuple[str, ...]


class Ran(NamedTuple):
    """What a command wrote."""

    code: int
    out: str
    err: str


@pytest.fixture
def project(tmp_path: Path) -> Project:
    folder = tmp_path / "project"
    folder.mkdir()
    for name in NAMES:
        (folder / name).write_text(SOURCE, encoding="utf-8", newline="\n")
    cells = [{"cell_type": "code", "metadata": {}, "source": [cell], "outputs": []} for cell in CELLS]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "=notebook.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    (folder / "rules.json").write_text(json.dumps(RULES), encoding="utf-8")
    (folder / "uses.py").write_text("to_gpu(x)\n", encoding="utf-8")
    return Project(folder, NAMES)


@pytest.fixture
def ran(project: Project, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> object:
    monkeypatch.chdir(project.path)
    for name in ("NO_COLOR", "FORCE_COLOR", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: str) -> Ran:
        capfd.readouterr()
        code = main([*arguments, "--language", "en"])
        out, err = capfd.readouterr()
        return Ran(code, out, err)

    return run


CHECK = ("check", ".", "-v", "2.8.0", "-r", "rules.json", "--jobs", "1")
ANALYZE = ("analyze", ".", "-v", "2.8.0", "-r", "rules.json", "--jobs", "1")
MIGRATE = ("migrate", "-i", ".", "-v", "2.8.0", "-r", "rules.json", "--jobs", "1")


def files(output: Path) -> dict[str, list[list[str]]]:
    """The rows of every report."""
    found = {}
    for path in output.rglob("*.csv"):
        with path.open(encoding="utf-8-sig", newline="") as file:
            found[path.name] = list(csv.reader(file))
    return found


class TestSpreadsheets:
    @pytest.mark.parametrize(
        "cell", ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "\n=1", " =1", "\uff1d1", "\u202e=1", "\ufeff=1"]
    )
    def test_what_would_be_run_begins_with_a_quotation_mark_or_is_written_out(self, cell: str) -> None:
        written = str(csv_cell(cell))
        assert written.startswith(("'", "\\"))

    @pytest.mark.parametrize("cell", ["src/train.py", "NPU101 `x = -1`", "a=b", "torch.cuda.comm", "模型.py"])
    def test_harmless_cells_stay(self, cell: str) -> None:
        assert csv_cell(cell) == cell

    def test_numbers_stay_numbers(self) -> None:
        assert csv_cell(-1) == -1

    def test_no_report_of_a_migration_holds_a_formula(self, project: Project, tmp_path: Path, ran) -> None:
        ran(*MIGRATE, "-o", str(tmp_path / "out"))
        rows = files(tmp_path / "out")
        assert len(rows["change_list.csv"]) > len(project.names)
        cells = [cell for report in rows.values() for row in report for cell in row]
        assert [cell for cell in cells if FORMULA.match(cell) or UNSEEN.search(cell)] == []
        assert any(cell.startswith("'=cmd|") for cell in cells), "the file was reported by its name"


class TestTerminals:
    @pytest.mark.parametrize("command", [CHECK, ANALYZE, (*MIGRATE, "-o", "../out")])
    @pytest.mark.parametrize("coloured", [False, True])
    def test_nothing_acts_on_a_terminal_or_on_a_ci_job(
        self, command: tuple[str, ...], coloured: bool, ran, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if coloured:
            monkeypatch.setenv("FORCE_COLOR", "1")
        result = ran(*command)
        text = COLOURS.sub("", result.out + result.err) if coloured else result.out + result.err
        assert "comm.broadcast" in text, "the findings are there"
        assert UNSEEN.findall(text) == []
        assert [line for line in text.split("\n") if COMMAND.match(line)] == []

    def test_of_sequences_only_our_own_colours_stay(self) -> None:
        assert terminal_line("\x1b[1mbold\x1b[0m\x1b[2J", styled=True) == "\x1b[1mbold\x1b[0m\\x1b[2J"
        assert terminal_line("\x1b[1mbold") == "\\x1b[1mbold"

    def test_a_diff_on_a_terminal_shows_what_a_file_hides(self) -> None:
        class Screen:
            def isatty(self) -> bool:
                return True

        diff = file_diff("a.py", "x\n", "evil()\r# harmless\x1b[2K\u202e\n")
        shown_diff = coloured_diff(diff, Terminal(Screen(), {"NO_COLOR": "1"}))  # type: ignore[arg-type]
        assert "+evil()\\x0d# harmless\\x1b[2K\\u202e\n" in shown_diff

    def test_messages_write_out_what_is_not_seen_in_their_arguments(self) -> None:
        text = render(Message.of("CUS004.own", text="a\x1bb\u202ec\ud800d\u200be"))
        assert text == "a\\x1bb\\u202ec\\ud800d\\u200be"

    def test_a_path_is_one_line_of_what_can_be_seen(self) -> None:
        assert shown("a\n\u202eb\udcff") == "a\\x0a\\u202eb\\xff"
        assert visible("模型/परीक्षा/👩‍💻.py") == "模型/परीक्षा/👩‍💻.py"


class TestLogs:
    def test_every_line_of_the_log_of_a_migration_is_a_record(self, tmp_path: Path, ran) -> None:
        ran(*MIGRATE, "-o", str(tmp_path / "out"))
        (log,) = (tmp_path / "out").rglob("msFmkTranspltlog.txt")
        lines = log.read_text(encoding="utf-8").splitlines()
        record = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} (INFO|WARNING|ERROR) ")
        assert [line for line in lines if not record.match(line) or UNSEEN.search(line)] == []
        assert any("=cmd|" in line for line in lines)


class TestGitHub:
    def test_every_line_is_one_command_that_names_a_file_of_the_project(self, project: Project, ran) -> None:
        out = ran(*CHECK, "--output-format", "github").out
        command = re.compile(r"::(?:error|warning|notice) ([^:]*)::(.*)")
        named = set()
        for line in out.splitlines():
            match = command.fullmatch(line)
            assert match is not None, line
            properties = dict(pair.split("=", 1) for pair in match[1].split(","))
            assert set(properties) <= {"title", "file", "line", "col", "endLine", "endColumn"}
            named.add(unquote_to_bytes(properties["file"]).decode())
        assert {shown(name) for name in project.names} <= {Path(name).name for name in named}

    def test_texts_and_properties_are_escaped_as_the_format_wants(self) -> None:
        assert github_text("100%\r\n::x") == "100%25%0D%0A::x"
        assert github_property("a:b,c%\n") == "a%3Ab%2Cc%25%0A"


class TestJson:
    @pytest.mark.parametrize(
        "command",
        [(*CHECK, "--output-format", "json"), (*ANALYZE, "--json"), (*MIGRATE, "--json", "-o", "../out")],
    )
    def test_is_ascii_on_lines_that_command_nothing(self, command: tuple[str, ...], ran) -> None:
        out = ran(*command).out
        assert json.loads(out)
        assert out.isascii() and UNSEEN.findall(out) == []
        assert [line for line in out.splitlines() if COMMAND.match(line)] == []

    def test_means_what_it_meant(self) -> None:
        assert json.loads(json_text({"a": "##[add-mask]"})) == {"a": "##[add-mask]"}


class TestSarif:
    def test_addresses_are_the_files_and_texts_have_no_links(self, project: Project, ran) -> None:
        out = ran(*CHECK, "--output-format", "sarif").out
        assert out.isascii()
        (run,) = json.loads(out)["runs"]
        uris, texts = set(), []
        for result in run["results"]:
            uris.add(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])
            texts += [
                result["message"]["text"],
                *(fix["description"]["text"] for fix in result.get("fixes", ())),
            ]
        assert all(re.fullmatch(r"file:///[\w./~%:@!$&'()*+,;=-]*", uri) for uri in uris)
        found = {os.fsdecode(unquote_to_bytes(urlsplit(uri).path)) for uri in uris}
        assert {str(project.path / name) for name in project.names} <= found
        assert any("command:evil.now" in text for text in texts), "the text of the project's own rule"
        assert [text for text in texts if re.search(r"(?<!\\)\]\(", text)] == []

    def test_brackets_that_make_no_link_stay(self) -> None:
        assert sarif_text("x[0] and (y)") == "x[0] and (y)"
        assert sarif_text("[a](1) \\") == r"\[a\](1) \\"


class TestMarkdown:
    def test_a_hover_has_the_rule_and_none_of_the_texts_of_a_project(self) -> None:
        message = Message.of("CUS004.own", text=EVIL_TEXT)
        finding = Finding("CUS004", 0, 4, message, Severity.WARNING)
        page = page_at(SourceFile("evil"), 1, (finding,), options_from({"version": "2.8.0"}), "en")
        assert page is not None
        assert re.match(
            r"\[CUS004\]\(file://[^)\s]+\): Your rule file, given with `--rule`, says so", page.markdown
        )
        assert "::error::x" in EVIL_TEXT and "::error::x" not in page.markdown
        assert UNSEEN.findall(page.markdown) == []

    def test_a_message_keeps_its_code_and_nothing_else_of_markdown(self) -> None:
        text = "`a_b` [x](y) ![i](https://e/x) <b> *c* __d__ & &lt; \\ | $(x) me@e.org www.e.org"
        assert markdown(text) == (
            r"`a_b` \[x\](y) !\[i\](https&#58;//e/x) \<b\> \*c\* \_\_d\_\_ & &#38;lt; \\ \| \$(x) "
            "me&#64;e.org www&#46;e.org"
        )
        assert unescaped(markdown(text)) == text

    @pytest.mark.parametrize("text", ["# a", "- a", "+ a", "> a", "1. a", "=== a", "| a |"])
    def test_no_line_begins_a_block(self, text: str) -> None:
        assert markdown(f"x\n{text}").splitlines()[1] != text

    def test_harmless_messages_stay(self) -> None:
        text = "`torch.cuda.nvtx` is not in torch_npu 2.8.0 (A2): see 3.1 - or x_1; a, b"
        assert markdown(text) == text


class TestEditors:
    """What the server has an editor show: messages, progress, names of changes."""

    LINK = "open [this](command:evil.now) $(flame)"

    def test_a_label_has_nothing_to_click_and_no_picture(self) -> None:
        assert not NOTIFICATION_LINK.search(label(self.LINK)) and "$(" not in label(self.LINK)
        assert label("a [1] (b) $HOME `x`") == "a [1] (b) $HOME `x`"

    def test_messages_are_labels(self, monkeypatch: pytest.MonkeyPatch) -> None:
        sent: list[types.ShowMessageParams] = []
        server = Server()
        monkeypatch.setattr(server, "window_show_message", sent.append)
        server.show(types.MessageType.Warning, self.LINK)
        assert [params.message for params in sent] == [label(self.LINK)]

    def test_the_server_shows_messages_in_no_other_way(self) -> None:
        package = Path(sys.modules[Server.__module__].__file__ or "").parent
        callers = [
            path.name for path in package.glob("*.py") if "window_show_message" in path.read_text("utf-8")
        ]
        assert callers == ["server.py"]

    def test_progress_is_a_label(self, monkeypatch: pytest.MonkeyPatch) -> None:
        sent: list[types.WorkDoneProgressReport] = []
        server = Server()
        monkeypatch.setattr(server.work_done_progress, "report", lambda token, value: sent.append(value))
        WorkProgress(server, "token").report(1, self.LINK)
        assert [value.message for value in sent] == [label(self.LINK)]
