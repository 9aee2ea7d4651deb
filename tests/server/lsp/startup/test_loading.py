"""What is announced when the server is initialised is what answers once everything is imported."""

from __future__ import annotations

import subprocess
import sys

from gpu2ascend.lsp.commands.handlers import handlers_of
from gpu2ascend.lsp.server import Server
from gpu2ascend.lsp.startup.announcement import COMMANDS, REQUESTS
from gpu2ascend.lsp.startup.loading import imported, put_in_place

MOST = 450
"""Of our own modules, before a file is opened."""
OF_COMMANDS = ("gpu2ascend.verify", "gpu2ascend.doctor", "gpu2ascend.project.kernels")


async def test_every_announced_feature_has_its_handler_and_no_other_has() -> None:
    server = Server()
    announced = set(server.protocol.fm.features), set(server.protocol.fm.commands)
    placeholders = {*server.protocol.fm.features.values(), *server.protocol.fm.commands.values()}
    put_in_place(server, imported())
    await server.warming
    handlers = server.protocol.fm
    assert (set(handlers.features), set(handlers.commands)) == announced
    assert placeholders.isdisjoint([*handlers.features.values(), *handlers.commands.values()])
    server.shutdown()


def test_what_is_not_needed_for_the_first_answer_is_imported_after_it() -> None:
    program = (
        "import sys; from gpu2ascend.lsp.server import Server; Server();"
        "print(*{'gpu2ascend_rules.checking', 'tree_sitter', 'libcst', 'gpu2ascend.project.migrate.migrate'}"
        ".intersection(sys.modules))"
        "; from gpu2ascend.lsp.startup.loading import imported; imported();"
        "print('tree_sitter' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["", "True"]


def test_what_commands_need_is_imported_when_one_is_asked_for() -> None:
    program = (
        "import sys; from gpu2ascend.lsp.startup.loading import imported; imported();"
        "print(*(name for name in sys.modules if name.startswith('gpu2ascend')));"
        "import gpu2ascend.lsp.commands.handlers;"
        "print(*(name for name in sys.modules if name.startswith('gpu2ascend')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    before, after = (set(line.split()) for line in done.stdout.splitlines())
    assert len(before) <= MOST
    assert not {name for name in before if name.startswith(OF_COMMANDS)}
    assert {name for name in after if name.startswith(OF_COMMANDS)}


async def test_every_announced_command_and_request_has_what_answers_it() -> None:
    server = Server()
    put_in_place(server, imported())
    await server.warming
    assert set(handlers_of(server)) == {*COMMANDS, *REQUESTS}
    server.shutdown()
