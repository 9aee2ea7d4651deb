"""The same findings and the same text after, whichever front end examines the examples of the rules."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import attrs
import pytest

from gpu2ascend_rules.custom.reading.reader import read_rules
from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.options.options import MigrationOptions, options_from
from gpu2ascend_rules.options.spelling import camel_case
from tests.same_everywhere.doors import CAN, Served, by_check, by_migrate, by_server, safe_only
from tests.sampling import shares
from tests.server.lsp.editor import editing

SHARES = 4
"""Parts of the rules, each a workspace and a case of its own."""
pytestmark = pytest.mark.slow

RULE_FILE = "rules.json"


class Group(NamedTuple):
    """The examples that hold under the same options: the files of one folder of a workspace."""

    settings: tuple[tuple[str, Any], ...]
    rules: str

    @property
    def options(self) -> MigrationOptions:
        given = dict(self.settings)
        custom = read_rules(self.rules) if self.rules else ()
        return attrs.evolve(options_from({**given, "replace_unsupported": False}), custom=custom)

    @property
    def client_settings(self) -> dict[str, Any]:
        names = {camel_case(name): value for name, value in self.settings if name != "replace_unsupported"}
        return {**names, "customRule": RULE_FILE} if self.rules else names


def groups(share: int) -> dict[Group, dict[str, str]]:
    """The examples of a share of the rules by what they are examined with, each under its own file name."""
    found: dict[Group, dict[str, str]] = defaultdict(dict)
    for rule in all_rules()[share::SHARES]:
        for number, example in enumerate(rule.examples):
            settings = {"version": example.version, **dict(example.settings)}
            group = Group(tuple(sorted(settings.items())), example.rules)
            name = f"{rule.code.lower()}_{number}"
            place = f"{name}/{example.path}" if example.path else f"{name}.py"
            found[group][place] = example.before
    return found


@pytest.fixture(scope="module", params=shares(SHARES))
def folders(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> dict[Path, Group]:
    """A folder for each group, with its examples as files."""
    made = {}
    for number, (group, files) in enumerate(groups(request.param).items()):
        folder = tmp_path_factory.mktemp(f"group{number}")
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(text.encode())
        (folder / "program.py").touch()  # a project has Python files; what is migrated must be one
        if group.rules:
            (folder / RULE_FILE).write_text(group.rules)
        made[folder] = group
    return made


@pytest.fixture(scope="module")
def served(folders: dict[Path, Group]) -> dict[Path, Served]:
    """What the language server says of all of them, opened as one workspace."""
    settings: dict[str | None, Any] = {
        folder.as_uri(): group.client_settings for folder, group in folders.items()
    }

    async def session() -> dict[Path, Served]:
        async with editing(*folders, settings=settings, can=CAN) as editor:
            await editor.until(lambda: editor.ended_progress == len(folders))
            return {folder: await by_server(editor, folder) for folder in folders}

    return asyncio.run(session())


def test_the_editor_and_the_command_line_agree(
    folders: dict[Path, Group], served: dict[Path, Served], tmp_path: Path
) -> None:
    for number, (folder, group) in enumerate(folders.items()):
        checked = by_check(folder, safe_only(group.options), tmp_path / str(number))
        answer = served[folder]
        assert answer.findings == checked.findings, group
        assert answer.fixed == checked.texts, group


def test_migrate_and_the_editor_make_the_same(
    folders: dict[Path, Group], served: dict[Path, Served], tmp_path: Path
) -> None:
    for number, (folder, group) in enumerate(folders.items()):
        migrated = by_migrate(folder, group.options, tmp_path / str(number))
        answer = served[folder]
        assert answer.migrated == migrated.texts, group
        assert answer.previewed == migrated.texts, group
