"""Writes the pages of all rules, to which the language server links: ``python docs/build_rules.py``."""

from __future__ import annotations

from gpu2ascend.lsp.documentation.rule_pages import page, path_of_page
from gpu2ascend_rules.messages import LANGUAGES

if __name__ == "__main__":
    for language in LANGUAGES:
        path_of_page(language).write_text(page(language), encoding="utf-8")
        print(f"wrote {path_of_page(language)}")
