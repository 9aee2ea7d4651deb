"""Programs that ask ``ask(…)`` somewhere: what the tests of this room look at."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent

from gpu2ascend_rules.codemods.distributed.job import Job
from gpu2ascend_rules.codemods.program import Place
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import text_of
from tests.rules.codemods.distributed.conversion import ENTRY, Files


def asked(text: str, modules: Mapping[str, str] | None = None) -> tuple[Job, Place]:
    """A program, and its one call of ``ask``."""
    files = {ENTRY: dedent(text), **{f"{name}.py": dedent(code) for name, code in (modules or {}).items()}}
    options = options_from({"version": "2.8.0", "distributed": True, "main_file": ENTRY})
    job = Job(SourceFile(files[ENTRY], ENTRY), options, Files(files))
    (call,) = [place for place in job.program.places("call") if text_of(place.node).startswith("ask(")]
    return job, call
