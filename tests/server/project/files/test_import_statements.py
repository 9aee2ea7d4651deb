"""Import statements: what is found, and that a text is searched once for all who ask about it."""

from __future__ import annotations

import pytest

from gpu2ascend.project.entries.facts.python_facts import python_facts
from gpu2ascend.project.files.content.import_statements import import_statements
from gpu2ascend.project.index.facts.file_facts import facts_of

TEXT = b"import models.unet as unet, tools\nfrom .heads import (\n    Wide,\n    Deep,\n)\nx = 1\n"


def test_both_forms_are_found_with_what_they_name() -> None:
    plain, given = import_statements(TEXT)
    assert (plain.source, plain.plain) == (b"", b"models.unet as unet, tools")
    assert (given.source, given.plain) == (b".heads", b"")
    assert b"Wide" in given.names
    assert b"Deep" in given.names


def test_a_text_without_one_has_none() -> None:
    assert import_statements(b"x = 'imported'\n") == ()


def test_who_asks_for_links_names_and_programs_share_one_search() -> None:
    import_statements.cache_clear()
    facts, programs = facts_of("a.py", TEXT), python_facts(TEXT)
    assert facts.modules == ("Deep", "Wide", "heads", "tools", "unet")
    assert facts.imported == ("heads.Wide", "heads.Deep")
    assert programs.imports == (".heads", ".heads.Deep", ".heads.Wide", "models.unet", "tools")
    found = import_statements.cache_info()
    assert (found.misses, found.hits) == (1, 4)


def test_what_only_reads_like_a_plain_import_names_its_first_module() -> None:
    assert facts_of("a.py", b'"""\nimport nets from the list, and tools\n"""\n').modules == ("nets",)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b"import a; import b\n", [(b"", b"", b"a")]),
        (b"from a import (b,\nimport c)\nimport d", [(b"a", b"(b,\nimport c)", b""), (b"", b"", b"d")]),
        (b"x = 'import'; import a\n\timport b", [(b"", b"", b"b")]),
        (b"from a import b, \\\n    c\n", [(b"a", b"b, \\\n    c", b"")]),
    ],
)
def test_a_statement_begins_its_line_and_none_is_within_another(
    text: bytes, found: list[tuple[bytes, ...]]
) -> None:
    assert [(item.source, item.names, item.plain) for item in import_statements(text)] == found


def test_an_indented_statement_is_not_outer() -> None:
    text = b"import a\ntry:\n    import b\nexcept ImportError:\n\timport c\n"
    assert [item.is_outer for item in import_statements(text)] == [True, False, False]


OF_EXPORTS = """\
from deploy import a
def export(model, name):
    try:
        from deploy import b
    except ImportError:
        raise
async def to_onnx(model):
    import deploy.c
class Run:
    def export_model(self):

        # what follows needs the extra
        from deploy import d
    def train(self):
        from steps import e
        if self.kind == 'export_model':
            from deploy import f
        elif self.kind == 'train':
            from steps import g
def exported(path): return path
def load(path):
    from steps import h
"""


def test_an_import_of_an_export_is_one_in_its_function_or_below_a_test_for_it() -> None:
    found = {item.names or item.plain: item.is_of_export for item in import_statements(OF_EXPORTS.encode())}
    wanted = {b"b", b"deploy.c", b"d", b"f"}
    assert {name for name, is_of_export in found.items() if is_of_export} == wanted
