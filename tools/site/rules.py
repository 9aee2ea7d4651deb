"""A page for each rule and each step of a codemod, and one that lists them."""

from __future__ import annotations

from collections.abc import Iterator

from gpu2ascend.lsp.documentation.explanation import explanation
from gpu2ascend.texts.catalogue import Texts
from gpu2ascend_rules.engine.registry import all_codes
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import NEWEST

FOLDER = "rules"


def rule_pages(language: str) -> Iterator[tuple[str, str]]:
    """Names below the language's folder and texts, the list first."""
    hardware, version, texts = next(iter(Hardware)), NEWEST, Texts(language)
    rows, bodies = [], []
    for rule in sorted(all_codes(), key=lambda rule: rule.code):
        head, _, body = explanation(rule.code, version, hardware, language).markdown.partition("\n")
        title = head.lstrip("# ")
        summary = next((line for line in body.splitlines() if line.strip()), "")
        rows.append(f"| [{title}]({rule.code}.md) | {summary.replace('|', chr(92) + '|')} |")
        bodies.append((f"{FOLDER}/{rule.code}.md", f"# {title}\n{body.rstrip()}\n"))
    table = "\n".join(["| | |", "|---|---|", *rows])
    yield f"{FOLDER}/index.md", f"# {texts('lsp.page.title')}\n\n{texts('lsp.page.about')}\n\n{table}\n"
    yield from bodies
