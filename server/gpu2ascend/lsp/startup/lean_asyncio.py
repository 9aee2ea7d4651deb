"""asyncio without TLS, which a server on pipes never speaks.

asyncio does without the ssl module where Python was built without it. To import it, with OpenSSL, is a tenth
of the time until the server answers.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any, cast


def import_asyncio() -> None:
    """Import asyncio, and leave ssl to whoever asks for it later."""
    if "asyncio" in sys.modules or "ssl" in sys.modules:
        return
    modules = cast("dict[str, Any]", sys.modules)
    modules["ssl"] = None
    try:
        import_module("asyncio")
    finally:
        del modules["ssl"]
