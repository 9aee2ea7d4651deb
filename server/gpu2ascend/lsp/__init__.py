"""The language server.

What it stands on is imported in the way that makes its start short; every process of it begins here.
"""

from .startup.lazy_classes import define_lazily
from .startup.lean_asyncio import import_asyncio

import_asyncio()
define_lazily()
