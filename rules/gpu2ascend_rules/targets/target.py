"""What a target owns. Everything else asks this object, never which target it is."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from ..model.codes import matched_length
from ..model.finding import Message
from ..model.versions import SUPPORTED_VERSIONS, Version
from .helpers import NPU, Home

_OF_THE_USER = "CUS"
"""The user's own rules hold for every target."""

_OF_THE_NPU = (
    "report.title", "report.subject", "report.made-for", "report.verdict-blocked", "report.not-run",
    "report.step-start-text", "report.step-others-text", "report.severity-error-text",
    "report.severity-information-text", "report.apis-text", "project.log-start", "cli.migrate.complete",
    "cli.migrate.incomplete",
)  # fmt: skip
"""Texts that speak of the NPU."""

Explain = Callable[[str, "Version | None"], tuple[Message, ...]]
"""What a target says of an API, by its qualified name and for a release of torch: nothing where it knows it
not."""


@attrs.frozen(kw_only=True, eq=False)
class Target:
    """What code is migrated to, or a way of getting there. There is one of a name in a process."""

    name: str
    """As options spell it."""
    codes: tuple[str, ...]
    """The catalogue: patterns of codes whose rules run. Of other targets' rules only those of ``also`` do."""
    also: tuple[str, ...] = ()
    """Patterns of codes of another catalogue, whose rules say what is true of torch itself."""
    rules: tuple[str, ...] = ()
    """The packages of those of its rules that are not among :mod:`gpu2ascend_rules.catalog`."""
    catalogues: str = ""
    """The folder of its own message catalogues."""
    flags: tuple[str, ...] = ()
    """What a command line chooses it by; nothing where it is chosen anyway."""
    but_not: tuple[str, ...] = ()
    """Patterns of codes among these whose rules say nothing here."""
    only_reports: tuple[str, ...] = ()
    """Patterns of codes whose rules report here without a fix."""
    suffix: str
    """Ends the name of the output, which begins with the project's."""
    distributed_suffix: str = ""
    """Likewise, of a project that was made to run in several processes."""
    versions: tuple[Version, ...] = SUPPORTED_VERSIONS
    """The releases of torch that it can be chosen for, the oldest first."""
    default_version: Version | None = None
    """Taken where nobody names one that it can be chosen for; None where the project or the user must."""
    version_option: str = "version"
    """The field of the options that chooses the release of the framework that new text is for."""
    releases: tuple[Version, ...] = ()
    """Of the framework that new text is for, where that is not torch; the oldest first."""
    without_options: frozenset[str] = frozenset()
    """The fields of options that it has nothing for: to set one is a mistake."""
    starts_by_msrun: bool = False
    """Whether its rules write all that several processes need, which msrun starts; else a codemod wraps a
    model, and scripts start the processes."""
    device_module: str | None = None
    """The package that brings the device and that a program must have loaded, if it needs one."""
    is_simulated: bool = True
    """Whether a migrated project runs on the simulated NPU, without one."""
    sets_environment: bool = True
    """Whether the output gets a script that sets the environment of the device."""
    tables: tuple[str, ...] = ("change_list", "unsupported_api")
    """What the reports have tables of; each file is named after its table."""
    log_name: str = "msFmkTranspltlog.txt"
    """The name of the log."""
    paths_package: str = "ascend_modelarts_function"
    """The package, by its dotted name, that a project gets for its paths on ModelArts."""
    helpers: Home = NPU
    """The package that a project gets for what its new framework lacks."""
    shapes_prefix: str = "msft"
    """Begins the names of the reports that the detector of dynamic shapes writes."""
    stops_at: frozenset[str] = frozenset()
    """Libraries that it has no counterpart of: a project that imports one at the top of a file is refused."""
    not_beside: str = ""
    """The framework that it writes for: a file that imports it beside torch is half converted already, and
    the project is refused."""
    steps: tuple[str, ...] = ("launch",)
    """What the report says to do next, in order."""
    texts: tuple[tuple[str, str], ...] = ()
    """Texts that are other ones where it is migrated to: the usual message id, and the one instead."""
    explains: Explain | None = None
    """What it says of an API. Without it the pages of the support lists do."""
    ways: tuple[tuple[str, Target], ...] = ()
    """Other ways of reaching it, each with the option that chooses it."""
    notes: tuple[str, ...] = ()
    """Message ids of what the report says of this way beside others."""

    def has_option(self, name: str) -> bool:
        """Whether the field of the options with this name changes anything here."""
        if name == "version" and self.version_option != name:
            return False  # it may be given: a project's settings name it for other targets
        return name not in self.without_options

    def runs(self, code: str) -> bool:
        """Whether the rule with a code runs for this target, of its catalogue or not."""
        return self.owns(code) or _matches(self.also, code)

    def owns(self, code: str) -> bool:
        """Whether the rule with a code is in the catalogue of this target."""
        return _matches((*self.codes, _OF_THE_USER), code) and not _matches(self.but_not, code)

    def changes(self, code: str) -> bool:
        """Whether what the rule with a code writes is right here; else it only reports."""
        return not _matches(self.only_reports, code)

    def text_id(self, usual: str) -> str:
        """The message id to take where the usual one is meant."""
        return dict(self.texts).get(usual, usual)

    @property
    def paths_folder(self) -> str:
        """Where the package for paths on ModelArts lies, from the project's directory."""
        return self.paths_package.replace(".", "/")

    @property
    def title_id(self) -> str:
        """Message id of what texts call it."""
        return f"target.{self.name}"


def own_texts(ending: str, *further: str) -> tuple[tuple[str, str], ...]:
    """For ``Target.texts``: what speaks of the NPU, and further texts, with an ending for the target."""
    return tuple((usual, f"{usual.removesuffix('-text')}-{ending}") for usual in (*_OF_THE_NPU, *further))


def _matches(patterns: tuple[str, ...], code: str) -> bool:
    return any(matched_length(pattern, code) >= 0 for pattern in patterns)
