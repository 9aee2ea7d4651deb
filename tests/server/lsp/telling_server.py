"""The language server with ids of messages for texts: ``python -m tests.server.lsp.telling_server lsp``."""

from __future__ import annotations

import sys

import pytest

from gpu2ascend.__main__ import main
from gpu2ascend_rules.options import schema
from tests.telling import tell_ids, told_catalogue

if __name__ == "__main__":
    patch = pytest.MonkeyPatch()
    tell_ids(patch)
    patch.setattr(schema, "catalogue", told_catalogue)
    sys.exit(main())
