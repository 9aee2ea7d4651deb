"""A training script for one device, made one for several from an editor's menu."""

from __future__ import annotations

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.lsp.test_editing import actions, edited, open_file
from tests.rules.codemods.distributed.conversion import converted, script

TITLE = "Let this training run on several devices (gpu2ascend)"
REWRITE = types.CodeActionKind.RefactorRewrite.value


@pytest.mark.asyncio
async def test_a_training_script_can_be_made_distributed(client: LanguageClient) -> None:
    await open_file(client, script())
    found = await actions(client, 0, only=[REWRITE])
    assert await edited(client, found[TITLE], script()) == converted(script()).text


@pytest.mark.asyncio
async def test_a_module_is_not_offered_it(client: LanguageClient) -> None:
    await open_file(client)
    assert await actions(client, 0, only=[REWRITE]) == {}
