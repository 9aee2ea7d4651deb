"""The same findings and the same text after, whichever front end examines the files of a real package."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from gpu2ascend.project.inference.oracle import JediOracle
from gpu2ascend_rules.options.options import options_from
from tests.realworld.packages import PACKAGES, Package, unpacked
from tests.same_everywhere.doors import (
    CAN,
    Checked,
    Migrated,
    Served,
    by_check,
    by_migrate,
    by_server,
    fixed_alone,
)
from tests.server.lsp.editor import editing

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.one_in(4)]

OPTIONS = options_from({"version": "2.8.0", "unknown_apis": True, "restricted_apis": True})
SETTINGS = {"version": "2.8.0", "unknownApis": True, "restrictedApis": True}
NAMES = ("yolov5", "open-clip-torch", "denoising-diffusion-pytorch", "pytorch-lightning")


@pytest.fixture(
    scope="module", params=[item for item in PACKAGES if item.name in NAMES], ids=lambda item: item.name
)
def root(request: pytest.FixtureRequest) -> Path:
    package: Package = request.param
    return unpacked(package)


@pytest.fixture(scope="module")
def checked(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Checked:
    return by_check(root, OPTIONS, tmp_path_factory.mktemp("fixed") / root.name)


@pytest.fixture(scope="module")
def migrated(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Migrated:
    """Without what only the project as a whole proves of a receiver, which no check of a file has."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JediOracle, "class_of", lambda oracle, question: None)
        return by_migrate(root, OPTIONS, tmp_path_factory.mktemp("migrated"))


@pytest.fixture(scope="module")
def served(root: Path) -> Served:
    async def session() -> Served:
        async with editing(root, settings={None: SETTINGS}, can=CAN) as editor:
            await editor.until(lambda: editor.ended_progress == 1)
            return await by_server(editor, root)

    return asyncio.run(session())


def test_something_is_found_and_changed(checked: Checked) -> None:
    assert checked.findings and checked.texts


def test_migrate_writes_what_check_fix_writes(checked: Checked, migrated: Migrated) -> None:
    assert migrated.texts == checked.texts


def test_migrate_leaves_what_check_fix_leaves(checked: Checked, migrated: Migrated) -> None:
    assert migrated.left == checked.left


def test_the_editor_shows_what_check_reports(checked: Checked, served: Served) -> None:
    assert served.findings == checked.findings


def test_the_fixes_of_one_file_leave_what_other_files_share(root: Path, served: Served) -> None:
    alone = fixed_alone(root, OPTIONS)
    assert served.fixed == alone
    assert served.migrated == alone


def test_the_preview_shows_what_migrate_writes(migrated: Migrated, served: Served) -> None:
    assert served.previewed == migrated.texts
