"""What of a project was not examined, by kinds of file: the page, the log and the notices say the same."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator

import attrs

from gpu2ascend_rules.model.finding import Message

from .causes import further_places

NAMED = 12
"""Files of a kind that are named."""


class OtherKind(enum.Enum):
    """Kinds of file beside Python and CUDA sources; the first ones may say where a program computes."""

    DEPENDENCIES = "dependencies"
    CONTAINERS = "containers"
    SHELL = "shell"
    CONFIGURATION = "configuration"
    SOURCES = "sources"
    """C and C++."""
    OTHER = "other"
    """Documentation, data, pictures, and what names no GPU: nothing that chooses a device."""

    @property
    def may_matter(self) -> bool:
        """Whether such a file may name a device, a back end or a CUDA package."""
        return self is not OtherKind.OTHER


_NAMES = (
    (
        OtherKind.DEPENDENCIES,
        r"(?:.*requirements.*|constraints.*)\.(?:txt|in)|requirements/.*\.txt|pipfile(?:\.lock)?|setup\.cfg"
        r"|pyproject\.toml|poetry\.lock|uv\.lock|conda.*\.ya?ml|environment.*\.ya?ml",
    ),
    (
        OtherKind.CONTAINERS,
        r"(?:.*\.)?(?:dockerfile|containerfile)(?:\..*)?|(?:docker-)?compose.*\.ya?ml|devcontainer\.json",
    ),
    (OtherKind.SHELL, r".*\.(?:sh|bash|zsh|ksh|fish|slurm|sbatch|bat|cmd|ps1)|(?:gnu)?makefile|.*\.mk"),
    (OtherKind.CONFIGURATION, r".*\.(?:ya?ml|json|jsonc|toml|ini|cfg|conf|gin|env|hydra)|\.env(?:\..*)?"),
    (OtherKind.SOURCES, r".*\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx|pyx|pxd)|cmakelists\.txt|.*\.cmake"),
)
_PATTERNS = tuple((kind, re.compile(pattern, re.DOTALL)) for kind, pattern in _NAMES)


def kind_of(path: str) -> OtherKind:
    """The kind of a file by its name."""
    name = path.rpartition("/")[2].lower()
    return next((kind for kind, pattern in _PATTERNS if pattern.fullmatch(name)), OtherKind.OTHER)


@attrs.define
class OtherFiles:
    """Files of a kind: how many, and the first of them by name."""

    kind: OtherKind
    count: int = 0
    names: list[str] = attrs.field(factory=list)

    def add(self, path: str) -> None:
        """Note one."""
        self.count += 1
        if len(self.names) < NAMED:
            self.names.append(path)


@attrs.define
class Unexamined:
    """Collects files that were copied as they are. What it holds does not grow with the project."""

    _found: dict[OtherKind, OtherFiles] = attrs.field(factory=dict)

    def add(self, path: str, *, names_gpus: bool = True) -> None:
        """Note one, by its path as it can be shown."""
        kind = kind_of(path) if names_gpus else OtherKind.OTHER
        self._found.setdefault(kind, OtherFiles(kind)).add(path)

    def in_order(self) -> tuple[OtherFiles, ...]:
        """Each kind of which there are files, those that may matter first."""
        return tuple(self._found[kind] for kind in OtherKind if kind in self._found)

    def lines(self, language: str) -> Iterator[Message]:
        """A line of the log for each kind."""
        for files in self.in_order():
            first, *more = files.names
            text = first + further_places(more, files.count - 1, language)
            yield Message.of(f"report.unexamined-{files.kind.value}", count=files.count, names=text)

    def notice(self) -> Message | None:
        """What the user should know: that files which may name a device were not looked at."""
        count = sum(files.count for files in self.in_order() if files.kind.may_matter)
        names = [name for files in self.in_order() if files.kind.may_matter for name in files.names][:5]
        listed = ", ".join(names) + (", …" if count > len(names) else "")
        return Message.of("report.unexamined", count=count, names=listed) if count else None
