"""A training script for one device, made one for several from an editor's menu."""

from __future__ import annotations

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.lsp.test_editing import actions, edited, open_file
from tests.rules.codemods.distributed.conversion import converted, script

pytestmark = pytest.mark.slow

TITLE = "Run this training on several devices (gpu2ascend)"
REWRITE = types.CodeActionKind.RefactorRewrite.value


@pytest.mark.one_in(3)
async def test_a_training_script_can_be_made_distributed(client: LanguageClient) -> None:
    await open_file(client, script())
    found = await actions(client, 0, only=[REWRITE])
    assert await edited(client, found[TITLE], script()) == converted(script()).text


async def test_a_module_is_not_offered_it(client: LanguageClient) -> None:
    await open_file(client)
    assert await actions(client, 0, only=[REWRITE]) == {}


async def test_a_menu_that_asks_for_everything_has_it_in_the_loop_alone(client: LanguageClient) -> None:
    await open_file(client, "# trains a net\n" + PLAIN)
    menus = [ENABLE in await actions(client, line) for line in (0, 1, 4, 6)]
    document = client.capabilities.text_document
    action = document.code_action if document is not None else None
    can_resolve = action is not None and action.resolve_support is not None
    assert menus == [False, False, can_resolve, can_resolve]


PLAIN = """\
import torch
model = Net()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for x, y in loader:
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
"""
MIXED = """\
import torch
import torch_npu
model = Net()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
scaler = torch_npu.npu.amp.GradScaler()
for x, y in loader:
    with torch_npu.npu.amp.autocast():
        loss = criterion(model(x), y)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
"""
ENABLE = "Enable mixed precision, AMP (gpu2ascend)"


@pytest.mark.one_in(3)
async def test_a_float32_loop_can_be_given_mixed_precision(client: LanguageClient) -> None:
    await open_file(client, PLAIN)
    found = await actions(client, 0, only=[REWRITE])
    assert await edited(client, found[ENABLE], PLAIN) == MIXED


@pytest.mark.one_in(3)
async def test_where_that_is_not_possible_the_reason_is_reported(client: LanguageClient) -> None:
    text = PLAIN.replace("model(x)", "net(x)")
    await open_file(client, text)
    action = (await actions(client, 0, only=[REWRITE]))[ENABLE]
    if action.edit is None:
        action = await client.code_action_resolve_async(action)
    assert action.edit is None
    assert any("'model / self.model' is not called" in message.message for message in client.messages)
