"""URIs of documents: one key for each document however a client spells it, and its path if it has one."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

_DRIVE = re.compile(r"/?([A-Za-z])(?::|%3[Aa])(?=/|$)")


def document_key(uri: str) -> str:
    """The same text for every spelling of a document's URI.

    Clients differ in what they percent-encode and in the letter case of Windows drives.
    """
    scheme, separator, rest = uri.partition(":")
    if not separator:
        return unquote(uri)
    plain = unquote(rest)
    if scheme.lower() == "file":
        plain = re.sub(r"^//localhost(?=/)", "//", plain)
        plain = re.sub(r"^(///?)([A-Za-z])(?=:)", lambda match: match[1] + match[2].lower(), plain)
    return f"{scheme.lower()}:{plain}"


def path_of(uri: str) -> Path | None:
    """The path of a document in the file system; ``None`` for one that is elsewhere, or nowhere yet."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme.lower() != "file" or "\0" in unquote(parts.path):
        return None
    path = unquote(parts.path, errors="surrogateescape")
    if os.name == "nt":
        path = path.removeprefix("/") if _DRIVE.match(path) else path
        if parts.netloc and parts.netloc != "localhost":
            path = f"//{parts.netloc}{path}"
    elif parts.netloc not in ("", "localhost"):
        return None
    return Path(path) if path else None


def uri_of(path: Path) -> str:
    """The URI of an absolute path, as most clients spell it."""
    text = path.as_posix()
    return "file://" + quote(
        os.fsencode(text if text.startswith("/") else f"/{text}"), safe="/:~@!$&'()*+,;="
    )
