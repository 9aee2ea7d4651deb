"""What of the rules' documentation is untranslated, or has changed since: ``python docs/translate_rules.py``.

Prints a JSON object from the codes of such rules to their English parts. Given a file that holds the same
object with the parts in Chinese, takes these in: ``python docs/translate_rules.py FILE``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from gpu2ascend_rules import explain as documentation
from gpu2ascend_rules.engine.registry import all_rules, rule_by_code

FOLDER = Path(documentation.__file__).parent / "messages" / "zh" / "rules"


def untranslated() -> dict[str, dict[str, str]]:
    """The English parts of each rule whose translation is missing, or of an earlier text."""
    known = documentation.translations("zh")
    return {
        rule.code: {
            name: text for name, text in documentation.documentation(rule).items() if name != "summary"
        }
        for rule in sorted(all_rules(), key=lambda rule: rule.code)
        if known.get(rule.code, {}).get(documentation.DIGEST) != documentation.digest(rule)
    }


def take_in(translated: dict[str, dict[str, str]]) -> None:
    """Write translations to the files of their families, each with the digest of its English text."""
    FOLDER.mkdir(exist_ok=True)
    for code, parts in sorted(translated.items()):
        rule = rule_by_code(code)
        if rule is None:
            raise SystemExit(f"there is no rule {code}")
        path = FOLDER / f"{code[:4]}.json"
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        known[code] = {documentation.DIGEST: documentation.digest(rule), **parts}
        text = json.dumps(dict(sorted(known.items())), ensure_ascii=False, indent=2)
        path.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        take_in(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    else:
        json.dump(untranslated(), sys.stdout, ensure_ascii=False, indent=2)
        print()
