"""Files that set environment variables, one in a line: ``.env``."""

from __future__ import annotations

from ..kind import Kind
from ..shell.places import Variable
from .env_file import EnvFile

KIND = Kind(
    name="env",
    file=EnvFile,
    places=(Variable,),
    patterns=(".env", ".env.*", "*.env"),
    languages=("dotenv",),
    is_private=True,
)
