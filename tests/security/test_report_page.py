"""The report for people is text of the project in a browser: nothing in it acts, and nothing is fetched."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from gpu2ascend.__main__ import main
from gpu2ascend.project.report.html import document
from gpu2ascend_rules.messages import LANGUAGES

EVIL = '</script></style></title><script>alert(1)</script><img src=//evil.example/x onerror="alert(2)">'
NAMES = (
    "plain.py",
    "<script>alert(1)<!--.py",
    '" onmouseover="alert(1).py',
    "&lt;b&gt;.py",
    "a\u202eyp.py",
    "java\x00script:".replace("\x00", "") + "x.py",
    "two\nlines.py",
    "\x1b[2J.py",
)
SOURCE = f"""\
import torch
# {EVIL} \u202e\u2066 \x1b[31m -->
x = torch.ones(2).cuda()  # {EVIL}
torch.cuda.comm.broadcast("{EVIL.replace('"', "'")}", [0, 1])
torch.cuda.nvtx.mark('<b>')
evil_call(x)
"""
RULES = (
    '{"rules": {"PatternRule": [{"pattern": "evil_call($x)",'
    ' "message": "</style><script>alert(3)</script> `<i>` [x](javascript:y)"}]}}'
)
ELEMENTS = frozenset(
    {
        *(
            "html",
            "head",
            "meta",
            "title",
            "style",
            "body",
            "a",
            "header",
            "div",
            "h1",
            "p",
            "nav",
            "ul",
            "li",
        ),
        *(
            "fieldset",
            "legend",
            "label",
            "input",
            "span",
            "main",
            "section",
            "h2",
            "h3",
            "strong",
            "b",
            "wbr",
        ),
        *("figure", "figcaption", "svg", "g", "rect", "text", "details", "summary", "ol", "pre", "code"),
        *("table", "caption", "thead", "tbody", "tr", "th", "td", "colgroup", "col", "del", "ins", "article"),
        "footer",
    }
)
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="such file names do not exist there")


class _Seen(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.addresses: set[str] = set()
        self.comments = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        for name, value in attrs:
            self.attributes.add(name)
            if name in ("href", "src", "action", "data"):
                self.addresses.add(value or "")

    handle_startendtag = handle_starttag

    def handle_comment(self, data: str) -> None:
        self.comments += 1


def seen(html: str) -> _Seen:
    parser = _Seen()
    parser.feed(html)
    parser.close()
    return parser


@pytest.fixture(params=["one page", "two pages"])
def pages(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The pages about a project that is hostile in every name and text that its author chooses."""
    folder = tmp_path / "<img src=x>"
    folder.mkdir()
    for name in NAMES:
        (folder / name).write_text(SOURCE, encoding="utf-8", newline="\n")
    (folder / "<b>.sh").write_text(EVIL, encoding="utf-8")
    (folder / "broken<i>.py").write_text(f"def ({EVIL}\n", encoding="utf-8")
    (folder / "rules.json").write_text(RULES, encoding="utf-8")
    if request.param == "two pages":
        monkeypatch.setattr(document, "MAX_INLINE_BYTES", 0)
    monkeypatch.chdir(folder)
    for language in LANGUAGES:
        main(["migrate", "-i", ".", "-o", str(tmp_path / language), "-v", "2.8.0", "-r", "rules.json",
              "--jobs", "1", "--language", language])  # fmt: skip
    found = sorted(path for path in tmp_path.rglob("report*.html"))
    assert len(found) == (2 if request.param == "one page" else 4)
    return [path.read_text(encoding="utf-8") for path in found]


def test_no_element_and_no_attribute_comes_from_the_project(pages: list[str]) -> None:
    for page in pages:
        found = seen(page)
        assert found.elements - ELEMENTS == set() and found.comments == 0
        assert not {name for name in found.attributes if name.startswith("on") or name == "style"}


def test_every_address_is_ours(pages: list[str]) -> None:
    known = re.compile(
        r"#[\w-]+|report(?:_diffs)?\.html(?:#diff-\d+)?|\w+\.(?:csv|txt|md)|https://gitcode\.com/Ascend/pytorch"
    )
    for page in pages:
        assert [address for address in seen(page).addresses if not known.fullmatch(address)] == []


def test_nothing_turns_text_around_or_hides_it(pages: list[str]) -> None:
    for page in pages:
        assert UNSEEN.findall(page) == []


def test_the_texts_of_the_project_are_shown(pages: list[str]) -> None:
    whole = "".join(pages)
    assert "&lt;/script&gt;&lt;/style&gt;" in whole and "\\u202e" in whole


def test_the_policy_of_the_page_allows_its_style_and_nothing_else(pages: list[str]) -> None:
    for page in pages:
        (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
        directives = [part.split()[0] for part in policy.replace("&#x27;", "'").split(";")]
        assert directives == ["default-src", "style-src", "base-uri", "form-action"]
        assert "unsafe" not in policy and "script-src" not in policy and "http" not in policy
        assert page.index("Content-Security-Policy") < page.index("<style>")
