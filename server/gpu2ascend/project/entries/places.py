"""What the path of a file says of its part in the project."""

from __future__ import annotations

import re

_CI = re.compile(
    r"(?:^|/)(?:\.github|\.circleci|\.buildkite|\.gitlab|\.azure-pipelines|\.jenkins|\.ci|ci)/"
    r"|(?:^|/)(?:\.gitlab-ci\.ya?ml|\.travis\.ya?ml|azure-pipelines\.ya?ml|appveyor\.ya?ml|jenkinsfile|tox\.ini|noxfile\.py"
    r"|\.pre-commit-config\.ya?ml|\.readthedocs\.ya?ml)$",
    re.IGNORECASE,
)
_TESTS = re.compile(
    r"(?:^|/)(?:tests?|testing|unit_tests|test_scripts?)/|(?:^|/)conftest\.py$", re.IGNORECASE
)
_TEST_NAME = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test|tests?)\.py$", re.IGNORECASE)
_DOCUMENTS = re.compile(r"(?:^|/)docs?/", re.IGNORECASE)
_PACKAGING = re.compile(r"(?:^|/)(?:setup|noxfile|versioneer)\.py$")
_OTHER_SYSTEM = re.compile(r"(?:^|[_.-])(?:mac(?:_?os)?x?|osx|darwin|windows|win(?:32|64)?)(?:[_.-]|$)", re.I)
_LIST = re.compile(
    r"(?:^|/)[^/]*(?:env|requirement|conda|depend|install|setup)[^/]*\.(?:ya?ml|txt|toml|lock|sh)$", re.I
)
_SOURCE = re.compile(r"\.(?:cuh?|[ch](?:c|h|pp|xx)?)$")
_SETTINGS = re.compile(
    r"(?:^|/)(?:configs?|confs?|cfgs?|configurations?)/|(?:^|/)\w*config\w*\.py$", re.IGNORECASE
)


def is_of_ci(path: str) -> bool:
    """Whether a file belongs to a service that builds and tests the project."""
    return _CI.search(path) is not None


def is_among_tests(path: str) -> bool:
    """Whether a file lies where tests lie."""
    return _TESTS.search(path) is not None


def has_name_of_test(path: str) -> bool:
    """Whether a file is called as runners of tests expect it; a script ``test_net.py`` is, too."""
    return _TEST_NAME.search(path) is not None


def is_for_other_system(path: str) -> bool:
    """Whether a list of dependencies is named after a system on which no NPU runs: ``env_macos.yaml``."""
    name = path.rpartition("/")[2].rpartition(".")[0]
    is_for_linux_too = "linux" in name.lower()
    return not is_for_linux_too and _LIST.search(path) is not None and _OTHER_SYSTEM.search(name) is not None


def is_among_documents(path: str) -> bool:
    """Whether a file lies where the documentation lies."""
    return _DOCUMENTS.search(path) is not None


def is_of_packaging(path: str) -> bool:
    """Whether a Python file builds or installs the project."""
    return _PACKAGING.search(path) is not None


def is_source(path: str) -> bool:
    """Whether a file is a source in C++ or CUDA C++."""
    return _SOURCE.search(path) is not None


def holds_settings(path: str) -> bool:
    """Whether a Python file is likely read by name, as the configuration that a command gives."""
    return _SETTINGS.search(path) is not None
