"""``gpu2ascend options``."""

from __future__ import annotations

from gpu2ascend.project.migrate.request import options_document
from gpu2ascend_rules.options.options import option_infos

from ..conftest import Run


def test_json_is_the_document_of_the_other_front_ends(run: Run) -> None:
    assert run("options", "--json", "--language", "zh").json == {"format": 1, **options_document("zh")}


def test_people_get_every_option_with_its_flags(run: Run) -> None:
    ran = run("options")
    assert ran.code == 0
    assert all(flag in ran.out for info in option_infos().values() for flag in info.flags)


def test_arguments_are_refused(run: Run) -> None:
    ran = run("options", "version")
    assert ran.code == 2 and "unexpected argument 'version'" in ran.err
