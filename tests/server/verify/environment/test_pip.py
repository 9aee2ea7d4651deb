"""What pip printed, as one problem with the packages that it is about."""

from __future__ import annotations

import pytest

from gpu2ascend.verify.environment.pip import problem_of, relaxed

OFFLINE = """\
WARNING: Retrying after connection broken by 'NewConnectionError: Failed to establish a new connection'
ERROR: Could not find a version that satisfies the requirement torch==2.13.0 (from versions: none)
ERROR: No matching distribution found for torch==2.13.0
"""
CUT_OFF = """\
WARNING: Retrying after connection broken by 'NewConnectionError: Failed to establish a new connection'
"""
OLD = """\
ERROR: Ignored the following versions that require a different python version: 1.21.2
ERROR: Could not find a version that satisfies the requirement numpy==1.16.2 (from versions: 1.3.0, 2.4.0)
ERROR: No matching distribution found for numpy==1.16.2
"""
CONFLICT = """\
ERROR: Cannot install lightning==1.9 and torchmetrics==0.2 because these package versions have conflicts
ERROR: ResolutionImpossible: for help visit https://pip.pypa.io
"""
BROKEN = """\
Collecting numpy
Collecting pycocotools==2.0.1
  error: subprocess-exited-with-error
  × Getting requirements to build wheel did not run successfully.
      ModuleNotFoundError: No module named 'Cython'
"""
ASKED = """\
ERROR: Could not find a version that satisfies the requirement tokenizers==0.9 (from transformers)
ERROR: No matching distribution found for tokenizers==0.9
"""
WHEEL = "  error: command 'gcc' failed\nERROR: Failed building wheel for Apex_Like\n"


@pytest.mark.parametrize(
    ("text", "kind", "packages", "said"),
    [
        (OFFLINE, "network", (), "last"),
        (CUT_OFF + OLD, "missing", ("numpy",), "numpy==1.16.2"),
        (OLD, "missing", ("numpy",), "numpy==1.16.2"),
        (ASKED, "missing", ("tokenizers", "transformers"), "tokenizers==0.9"),
        (CONFLICT, "conflict", ("lightning", "torchmetrics"), "lightning==1.9 and torchmetrics==0.2"),
        (BROKEN, "build", ("pycocotools",), "pycocotools: ModuleNotFoundError: No module named 'Cython'"),
        (WHEEL, "build", ("apex-like",), "Apex_Like: error: command 'gcc' failed"),
        ("OSError: [Errno 28] No space left on device", "space", (), "last"),
        ("Segmentation fault", "unknown", (), "last"),
    ],
)
def test_a_problem_is_one_with_its_packages(
    text: str, kind: str, packages: tuple[str, ...], said: str
) -> None:
    assert problem_of(text, "last") == (kind, packages, said)


def test_only_the_versions_of_the_packages_behind_the_first_are_given_up() -> None:
    given = ("numpy<2", "numpy==1.16", 'Fire[all]==0.3; python_version >= "3"', "tqdm==4")
    major = ("numpy<2", "numpy<2", 'Fire[all]<1; python_version >= "3"', "tqdm==4")
    wanted = ("numpy<2", "numpy", 'Fire[all]; python_version >= "3"', "tqdm==4")
    assert relaxed(given, ("numpy", "fire"), 1) == major
    assert relaxed(major, ("numpy", "fire"), 1) == wanted
    assert relaxed(wanted, ("numpy", "fire"), 1) is None


def test_a_major_number_is_given_up_only_for_packages_that_have_no_such_release() -> None:
    given = ("numpy==1.19", "pandas==0.25", "scipy==1.2")
    bound = ("numpy<2", "pandas<1", "scipy<2")
    assert relaxed(given, ("numpy", "pandas", "scipy"), 0, ("pandas",)) == bound
    assert relaxed(bound, ("numpy", "pandas", "scipy"), 0, ("pandas",)) == ("numpy<2", "pandas", "scipy<2")
