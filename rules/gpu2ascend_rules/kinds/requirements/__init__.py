"""Lists of what pip installs, and of the releases that it may take."""

from __future__ import annotations

from ..kind import Kind
from ..packages.places import Index, Locked, Requirement
from .requirements_file import RequirementsFile

KIND = Kind(
    name="requirements",
    file=RequirementsFile,
    places=(Requirement, Index, Locked),
    patterns=(
        *("*requirements*.txt", "*requirements*.in", "*requirements*.lock"),
        *("requirements/*.txt", "requirements/*.in"),
        *("reqs/*.txt", "constraints*.txt", "*-constraints.txt", "*_constraints.txt"),
    ),
    languages=("pip-requirements",),
)
