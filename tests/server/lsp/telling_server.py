"""The language server with ids of messages for texts: ``python -m tests.server.lsp.telling_server lsp``."""

from __future__ import annotations

import sys

import pytest

from gpu2ascend.__main__ import main
from tests.telling import tell_ids

if __name__ == "__main__":
    tell_ids(pytest.MonkeyPatch())
    sys.exit(main())
