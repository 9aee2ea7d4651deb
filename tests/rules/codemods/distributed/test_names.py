"""New text uses the names that a file has already, as far as they mean the same wherever the text stands."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.codemods.distributed.names import FileNames
from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile


def names(code: str) -> FileNames:
    source = SourceFile(code)
    return FileNames(source, Context(source, options_from({"version": "2.8.0"})))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param("import torch.distributed as dist\n", "dist", id="the usual name"),
        pytest.param("import torch.distributed as d\n", "d", id="another name"),
        pytest.param("from torch import distributed\n", "distributed", id="from its package"),
        pytest.param(
            "try:\n    import torch.distributed as d\nexcept E:\n    d = None\n", "dist", id="perhaps"
        ),
        pytest.param("def f():\n    import torch.distributed as d\n", "dist", id="in a function only"),
        pytest.param("import torch.distributed as d\nd = 1\n", "dist", id="bound again"),
        pytest.param("import torch.distributed\n", "dist", id="a dotted name"),
        pytest.param("from torch.distributed import *\n", "dist", id="a star"),
        pytest.param("import json as dist\n", "dist_2", id="the usual name of something else"),
        pytest.param("dist = 1\n", "dist_2", id="the usual name of a variable"),
    ],
)
def test_how_torch_distributed_is_named(code: str, expected: str) -> None:
    assert names(code).dist == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("from torch.utils.data import DistributedSampler\n", "DistributedSampler"),
        ("from torch.utils.data.distributed import DistributedSampler as S\n", "S"),
        ("from mine import DistributedSampler\n", "DistributedSampler_2"),
    ],
)
def test_how_the_sampler_is_named(code: str, expected: str) -> None:
    assert names(code).sampler == expected


@pytest.mark.parametrize(
    ("code", "imports"),
    [
        pytest.param("import os\n", ["import torch.distributed as dist"], id="a new name"),
        pytest.param("dist = 1\n", ["import torch.distributed as dist_2"], id="another new name"),
        pytest.param("import torch.distributed as d\n", [], id="a name that is there"),
    ],
)
def test_what_is_imported_for_the_names_that_new_text_has(code: str, imports: list[str]) -> None:
    given = names(code)
    operations = given.operations(f"{given.dist}.barrier()")
    assert [line for item in operations for line in item.text.splitlines()] == imports


def test_nothing_is_imported_for_a_name_that_no_new_text_has() -> None:
    given = names("import os\n")
    assert given.dist == "dist"
    assert given.operations("x = 1") == ()


def test_each_new_variable_has_a_name_of_its_own() -> None:
    given = names("rank = 1\n")
    assert [given.new("rank"), given.new("rank"), given.new("other")] == ["rank_2", "rank_3", "other"]


def test_a_helper_brings_what_it_names_and_nothing_else() -> None:
    given = names("x = 1\n")
    text = "".join(item.text for item in given.operations(f"{given.unwrap_model}(m)"))
    assert "return model.module if isinstance(model, DistributedDataParallel) else model" in text
    assert "from torch.nn.parallel import DistributedDataParallel\n" in text
    assert "import os" not in text


def test_a_helper_that_asks_the_environment_imports_os() -> None:
    given = names("x = 1\n")
    text = "".join(item.text for item in given.operations(f"{given.set_up}()"))
    assert 'os.environ.get("LOCAL_RANK"' in text
    assert "import os\n" in text
    assert "DistributedDataParallel" not in text
