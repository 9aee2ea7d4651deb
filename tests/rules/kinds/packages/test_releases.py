"""Whether a list allows a release."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.kinds.packages.places import Requirement, Style
from gpu2ascend_rules.kinds.packages.releases import Fit, fit_of, holds_on_ascend


def asked(versions: str, style: Style = Style.PIP) -> Requirement:
    return Requirement(0, 0, "torch", 0, (), versions, (0, 0), "", style, False, False, None, None, True)


@pytest.mark.parametrize(
    ("versions", "style", "fit"),
    [
        ("==2.8.0", Style.PIP, Fit.EXACT),
        ("==2.8.0+cu126", Style.PIP, Fit.ALLOWED),
        ("==2.8.1", Style.PIP, Fit.ALLOWED),
        ("==2.8.*", Style.PIP, Fit.ALLOWED),
        ("", Style.PIP, Fit.ALLOWED),
        (">=1.7,!=1.8", Style.PIP, Fit.ALLOWED),
        ("(>=1.7)", Style.PIP, Fit.ALLOWED),
        ("<2.7", Style.PIP, Fit.EXCLUDED),
        ("==1.7.1+cu110", Style.PIP, Fit.EXCLUDED),
        ("~=2.7.0", Style.PIP, Fit.EXCLUDED),
        ("2.8.0", Style.POETRY, Fit.EXACT),
        ("^2.1", Style.POETRY, Fit.ALLOWED),
        ("^1.13.1", Style.POETRY, Fit.EXCLUDED),
        ("~2.8.0", Style.POETRY, Fit.ALLOWED),
        ("~2.7", Style.POETRY, Fit.EXCLUDED),
        (">=2,<3", Style.POETRY, Fit.ALLOWED),
        ("*", Style.PIPFILE, Fit.ALLOWED),
        ("==2.8.0", Style.PIPFILE, Fit.EXACT),
        ("nonsense", Style.PIP, Fit.UNREADABLE),
        ("^x", Style.POETRY, Fit.UNREADABLE),
    ],
)
def test_fit(versions: str, style: Style, fit: Fit) -> None:
    assert fit_of(asked(versions, style), "2.8.0") is fit


@pytest.mark.parametrize(
    ("marker", "holds"),
    [
        ("", True),
        ("sys_platform == 'linux'", True),
        ("sys_platform == 'darwin'", False),
        ("platform_machine == 'x86_64'", True),
        ("platform_machine == 'arm64'", False),
        ("python_version < '3.7'", False),
        ("extra == 'gpu'", True),
        ("what is this", True),
    ],
)
def test_a_condition_may_hold_on_a_machine_with_npus(marker: str, holds: bool) -> None:
    assert holds_on_ascend(marker) is holds


@pytest.mark.parametrize(
    ("versions", "said"),
    [("4.30.2", "==4.30.2"), ("^0.12", "^0.12"), (" >=1.7", ">=1.7"), ("==2.8.0", "==2.8.0"), ("", "")],
)
def test_what_messages_say_behind_the_name(versions: str, said: str) -> None:
    assert asked(versions).shown_versions == said
