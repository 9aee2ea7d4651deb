"""NPU008, NPU009 and NPU010: what later releases do otherwise, from the table of changes."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.data import load_tsv
from gpu2ascend_rules.facts.releases.changes import changes
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.messages import LANGUAGES, translated
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

CODES = ("NPU008", "NPU009", "NPU010")


class Requiring(Standalone):
    """A project with a list of requirements."""

    def __init__(self, text: str) -> None:
        self._text = text

    def text_at(self, path: str) -> str | None:
        return self._text if path == "requirements.txt" else None


def found(text: str, version: str = "2.8.0", requires: str = "") -> list[str]:
    options = options_from({"version": version, "select": list(CODES)})
    source = SourceFile(text)
    return [source.slice(item.start, item.end) for item in check(source, options, Requiring(requires))]


def fixed(text: str, *, unsafe: bool = False, version: str = "2.8.0") -> str:
    options = options_from({"version": version, "select": list(CODES), "unsafe_fixes": unsafe})
    return apply_fixes(SourceFile(text), options).text


STFT = "import torch\ny = torch.stft(x, 512)\n"
INT = "import numpy as np\nx = np.zeros(3, np.int)\n"
URLS = "import torchvision.models.resnet as r\nprint(r.model_urls)\n"


@pytest.mark.parametrize(
    ("text", "first", "before"),
    [
        (STFT, "2.0.1", "1.11.0"),
        (URLS, "2.0.1", "1.11.0"),
        ("import torch\nm = torch.load(p)\nm.eval()\n", "2.6.0", "2.5.1"),
        ("import torch\ns = torch.optim.lr_scheduler.StepLR(o, 3, verbose=True)\n", "2.7.1", "2.6.0"),
        ("import torch\ny = x.masked_fill(m.byte(), 0)\n", "2.1.0", "2.0.1"),
        ("import torch\nb = iter(loader).next()\n", "2.0.1", "1.11.0"),
    ],
)
def test_a_change_is_reported_from_its_release_on(text: str, first: str, before: str) -> None:
    assert len(found(text, first)) == 1
    assert found(text, before) == []


@pytest.mark.parametrize("requires", ["torch>=2.0\n", "torch==2.1.0\n", "numpy\ntorch>=2.2,<2.9\n"])
def test_a_project_that_requires_the_release_knows_what_it_does(requires: str) -> None:
    assert found(STFT, requires=requires) == []


@pytest.mark.parametrize("requires", ["", "torch>=1.7\n", "torch<2\n", "torchvision==2.0\n"])
def test_a_project_for_an_older_release_does_not(requires: str) -> None:
    assert found(STFT, requires=requires) == ["torch.stft"]


@pytest.mark.parametrize("requires", ["numpy<1.24\n", "numpy==1.23.5\n", "numpy>=1.17,<1.24\n"])
def test_a_project_that_keeps_an_older_library_is_left_alone(requires: str) -> None:
    assert found(INT, requires=requires) == []
    assert found(INT, requires="numpy>=1.17\n") == ["np.int"]


@pytest.mark.parametrize(
    "text",
    [
        "import torch\nckpt = torch.load(p)\nnet.load_state_dict(ckpt['model'])\n",
        "import torch\nx = torch.load(p, pickle_module=dill, weights_only=False)\nx.eval()\n",
        "import torch\nx = torch.load(p, **options)\nx.eval()\n",
        "import torch\nif torch.__version__ < '2':\n    y = torch.stft(x, 512)\n",
        "import numpy as np\ntry:\n    t = np.int\nexcept AttributeError:\n    t = int\n",
        "import torch\nfloss = losses.data[1]\nloss.data[0] = 3\n",
        "import torch\ndef next_one(it):\n    return it.next()\n",
        "import torch\nfrom torch.autograd import Function\nclass F(Function):\n"
        "    def forward(self, x):\n        return x\ny = F.apply(x)\n",
        "import torch\nif float(torch.__version__[:3]) >= 1.5:\n    f()\n",
    ],
)
def test_code_that_is_right_is_left_alone(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(("version", "count"), [("2.9.0", 0), ("2.10.0", 1)])
def test_a_version_test_is_reported_where_it_decides_wrongly(version: str, count: int) -> None:
    """``'2.10.0'[:3]`` is 2.1."""
    assert len(found("import torch\nok = float(torch.__version__[:3]) >= 2.4\n", version)) == count


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import numpy as np\nint = 3\nx = np.int\n", "import numpy as np\nint = 3\nx = np.int\n"),
        ("from numpy import NaN\nx = NaN\n", "from numpy import nan\nx = nan\n"),
        (
            "from PIL import Image\nim.resize(s, Image.ANTIALIAS)\n",
            "from PIL import Image\nim.resize(s, Image.LANCZOS)\n",
        ),
        (
            "from torchvision import transforms\nt = transforms.Scale(256)\n",
            "from torchvision import transforms\nt = transforms.Resize(256)\n",
        ),
    ],
)
def test_a_safe_fix_writes_the_name_that_means_the_same(before: str, after: str) -> None:
    assert fixed(before) == after


def test_what_may_change_the_meaning_is_not_written_unasked() -> None:
    text = "import torch\nm = torch.load(p)\nm.eval()\n"
    assert fixed(text) == text
    assert "weights_only=False" in fixed(text, unsafe=True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_change_has_a_text(language: str) -> None:
    texts = translated(language)
    for row in load_tsv("changes"):
        assert any(f"{code}.{row['id']}" in texts for code in CODES), row["id"]


def test_every_change_has_a_source_and_is_read() -> None:
    rows = load_tsv("changes")
    assert all(row["source"] for row in rows)
    forms = {row["form"] for row in rows}
    read = {name for form in forms for name in changes(form)}
    assert read == {name for row in rows for name in row["names"].split()}
