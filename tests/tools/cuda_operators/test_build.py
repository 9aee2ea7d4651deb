"""The table of operators is joined from readings, collected facts, wheels and the sources of mmcv."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

from tools.cuda_operators import build
from tools.cuda_operators.build import READINGS, TABLES, SourceError, read_rows, tables
from tools.cuda_operators.wheels import read_build

FACTS = (
    "source_library\tsource_api\tnpu_package\tnpu_api\tsignature\tdifferences\tlimits\tsince\tevidence\n"
    "lib\tlib.f\tmx_driving\tmx_driving.f\tf(a)\tsame\t\tads v6.0.0-RC1 as npu_f; f v7.0.RC1\ta page\n"
)
COLUMNS = "library names instead differs limits otherwise parameters target extension told since source"
HEAD = COLUMNS.replace(" ", "\t") + "\n"
METADATA = (
    "Metadata-Version: 2.1\nName: mx_driving\nVersion: {release}\nSummary: for PyTorch {series} on Atlas A2\n"
)


def wheel(folder: Path, release: str = "26.2.0", series: str = "2.6.x/2.8.x", parameter: str = "a") -> Path:
    path = folder / f"{release}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mx_driving/__init__.py", "__all__ = ['f']\nfrom .ops.f import f\n")
        archive.writestr(
            "mx_driving/ops/f.py",
            f"class F:\n    @staticmethod\n    def forward(ctx, {parameter}, b=None): ...\nf = F.apply\n",
        )
        archive.writestr("x.dist-info/METADATA", METADATA.format(release=release, series=series))
    return path


@pytest.fixture
def mmcv(tmp_path: Path) -> Path:
    repository = tmp_path / "mmcv"
    sources = repository / "mmcv/ops/csrc/pytorch/npu"
    sources.mkdir(parents=True)
    git = ["git", "-C", str(repository), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "init", "-q", "-b", "1.x"], check=True)
    (sources / "a.cpp").write_text("REGISTER_NPU_IMPL(old_impl, old_npu);\n")
    for branch in ("1.x", "main"):
        if branch == "main":
            subprocess.run([*git, "checkout", "-q", "-b", branch], check=True)
            (sources / "b.cpp").write_text("REGISTER_NPU_IMPL(new_impl_forward, new_npu);\n")
        subprocess.run([*git, "add", "-A"], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "a"], check=True)
    return repository


def made(tmp_path: Path, mmcv: Path, readings: str, *wheels: Path) -> list[dict[str, str]]:
    (tmp_path / "facts.tsv").write_text(FACTS)
    (tmp_path / "readings.tsv").write_text(HEAD + readings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "READINGS", tmp_path / "readings.tsv")
        texts = tables(tmp_path / "facts.tsv", mmcv, wheels)
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return read_rows(tmp_path / "cuda_operators")


def test_the_parameters_are_those_of_the_wheel_and_the_rest_is_of_the_facts(
    tmp_path: Path, mmcv: Path
) -> None:
    (row,) = made(tmp_path, mmcv, "lib\tf\tmx_driving.f" + "\t" * 9 + "\n", wheel(tmp_path))
    assert (row["signature"], row["since"], row["source"]) == ("a, b=None", "v6.0.0-RC1", "a page")


@pytest.mark.parametrize(("function", "branches"), [("old", "1.x 2.x"), ("new_forward", "2.x"), ("none", "")])
def test_the_branches_of_mmcv_say_what_its_build_has(
    tmp_path: Path, mmcv: Path, function: str, branches: str
) -> None:
    (row,) = made(tmp_path, mmcv, "mmcv\tg" + "\t" * 7 + function + "\t" * 3 + "\n", wheel(tmp_path))
    assert row["built"] == branches


def test_an_operator_that_a_wheel_lacks_is_refused(tmp_path: Path, mmcv: Path) -> None:
    with pytest.raises(SourceError, match="not in every wheel"):
        made(tmp_path, mmcv, "lib\tg\tmx_driving.g" + "\t" * 9 + "\n", wheel(tmp_path))


def test_parameters_that_differ_between_wheels_are_refused(tmp_path: Path, mmcv: Path) -> None:
    wheels = wheel(tmp_path), wheel(tmp_path, "26.1.0", parameter="other")
    with pytest.raises(SourceError, match="same parameters"):
        made(tmp_path, mmcv, "lib\tf\tmx_driving.f" + "\t" * 9 + "\n", *wheels)


def test_a_row_without_a_source_is_refused(tmp_path: Path, mmcv: Path) -> None:
    with pytest.raises(SourceError, match="no source"):
        made(tmp_path, mmcv, "other\tg" + "\t" * 10 + "\n", wheel(tmp_path))


def test_a_wheel_is_for_the_series_that_it_was_compiled_for(tmp_path: Path) -> None:
    assert read_build(wheel(tmp_path)).torch == ("2.6.0", "2.8.0")


def test_the_committed_table_has_every_reading() -> None:
    table, readings = read_rows(TABLES / "cuda_operators.tsv"), read_rows(READINGS)
    columns = ("library", "names", "instead", "differs", "limits", "parameters", "target")
    assert [[row[name] for name in columns] for row in table] == [
        [row[name] for name in columns] for row in readings
    ]
