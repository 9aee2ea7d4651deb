"""What a target that is not the usual one says of an API or a library, as a user may write it."""

from __future__ import annotations

from typing import NamedTuple

from gpu2ascend_rules.facts import Facts
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import NEWEST, Version
from gpu2ascend_rules.targets.target import Target

from .api_page import api_page
from .asked_names import meanings
from .close_names import close_names
from .package_page import package_named


class TargetPage(NamedTuple):
    """What is said of an API, under its qualified name."""

    name: str
    said: tuple[Message, ...]


def target_page(asked: str, version: Version | None, route: Target) -> TargetPage | None:
    """The page of the library or of the likeliest API that is meant.

    It is ``None`` where the target has no pages of its own, or knows nothing.

    Args:
        asked: What a user wrote: a qualified name, one with an alias, a call, a word alone.
        version: Of what the target writes.
    """
    if route.explains is None:
        return None
    package = package_named(asked)
    if package is not None:
        stops = Message.of("cli.explain.stops", library=package.name, target=route.name)
        stopped = not route.stops_at.isdisjoint(package.modules)
        return TargetPage(package.name, (stops,)) if stopped else None
    pages = [TargetPage(name, route.explains(name, version)) for name in meanings(asked)]
    known = [page for page in pages if page.said]
    best = next((page for page in known if not _is_denial(page)), None)
    if best is not None:
        return best
    listed = api_page(asked, Facts.load(NEWEST, Hardware.A2))
    if listed.is_known:
        stays = Message.of("cli.explain.stays", api=listed.name, target=route.name)
        return TargetPage(listed.name, route.explains(listed.name, version) or (stays,))
    if not known or "." not in asked.strip("."):
        return None
    denied = known[0]
    close = close_names(denied.name, NEWEST)
    similar = (Message.of("cli.explain.similar", names=", ".join(close)),) if close else ()
    return denied._replace(said=(*denied.said, *similar))


def _is_denial(page: TargetPage) -> bool:
    return all(message.id.endswith(".none") for message in page.said)
