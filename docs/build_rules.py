"""Writes the page of all rules, to which the language server links: ``python docs/build_rules.py``."""

from __future__ import annotations

from gpu2ascend.lsp.documentation import PAGE, page

if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE}")
