"""Every message that the project layer may use has a text, and every text is used somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import gpu2ascend
from gpu2ascend_rules.messages import LANGUAGES, catalogue
from gpu2ascend_rules.options.options import option_infos
from gpu2ascend_rules.targets.registry import known_targets


def test_ids_in_code_and_catalogue_are_the_same() -> None:
    sources = Path(gpu2ascend.__file__).parent.joinpath("project").rglob("*.py")
    used = {name for path in sources for name in re.findall(r'"(project\.[\w-]+)"', path.read_text("utf-8"))}
    texts = {own for target in known_targets() for _, own in target.texts}
    used |= {name for name in texts if name.startswith("project.")}
    for language in LANGUAGES:
        assert {name for name in catalogue(language) if name.startswith("project.")} == used


def test_no_text_spells_out_an_option_that_a_form_calls_otherwise() -> None:
    """Texts take an option as an argument, which a front end names in its own way."""
    of_the_command_line = "project.analysis-exists"
    flags = [flag for info in option_infos().values() for flag in info.flags if flag.startswith("--")]
    spelled = re.compile("|".join(rf"{re.escape(flag)}\b" for flag in (*flags, "--force")))
    assert spelled.search(catalogue("en")[of_the_command_line])
    for language in LANGUAGES:
        texts = {name: text for name, text in catalogue(language).items() if name.startswith("project.")}
        assert [name for name, text in texts.items() if spelled.search(text)] == [of_the_command_line]
