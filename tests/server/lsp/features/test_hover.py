"""What is shown of the name under the cursor."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from lsprotocol import types

from gpu2ascend.lsp.features.hover import Page, _content, page_at
from gpu2ascend_rules.checking import check
from gpu2ascend_rules.explaining import translations
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0"})


def hover(text: str, language: str = "en") -> Page | None:
    """At the mark ``^``, which is taken out."""
    offset = text.encode().index(b"^")
    source = SourceFile(text.replace("^", ""))
    here = tuple(item for item in check(source, OPTIONS) if item.start <= offset <= item.end)
    return page_at(source, offset, here, OPTIONS, language)


def markdown(text: str, language: str = "en") -> str:
    page = hover(text, language)
    assert page is not None
    return page.markdown


def test_the_support_of_every_version_is_a_table() -> None:
    text = markdown("import torch.nn.functional as F\nF.conv^3d(x, w)\n")
    assert "`torch.nn.functional.conv3d`" in text and "PyTorch | A2 | A3 | 950DT" in text


def test_data_types_and_restrictions_are_reported() -> None:
    text = markdown("import torch.nn.functional as F\nF.conv^3d(x, w)\n")
    assert "float16, bfloat16, float32" in text and "float64" in text


def test_a_finding_is_reported_with_its_reason_its_counterpart_and_a_link() -> None:
    text = markdown("import torch as th\nth.cuda.empty^_cache()\n")
    assert "[NPU101](file://" in text and "torch_npu.npu.empty_cache" in text and "2.8.0" in text


def test_what_the_diagnostic_says_is_not_said_twice() -> None:
    """Editors show the diagnostic's message above it."""
    text = "import torch as th\nth.cuda.empty^_cache()\n"
    (finding,) = check(SourceFile(text.replace("^", "")), OPTIONS)
    assert render(finding.message, "en") not in markdown(text)


def test_a_reason_stands_once_for_several_findings_of_a_rule() -> None:
    text = "import torch\nx = torch.ones(1, device='cuda').cu^da().cuda()\n"
    assert markdown(text).count("[NPU110]") == 1


def test_in_chinese() -> None:
    assert "支持" in markdown("import torch\ntorch.cuda.empty_cac^he()\n", "zh")


@pytest.mark.parametrize(
    "text",
    [
        "import os\nos.path.jo^in()\n",
        "torch = 1\ntorch.cu^da\n",
        "x = ^1\n",
        "^",
        "import torch\n^\n",
        "import torch\nx = tor^ch.zeros(2)\n",
        "import torch_npu\nx = torch_n^pu.npu\n",
    ],
)
def test_other_names_are_nothing_to_tell_of(text: str) -> None:
    assert hover(text) is None


def test_a_name_at_its_very_end_and_in_broken_code() -> None:
    assert "torch.zeros" in markdown("import torch\nx = (torch.zeros^\n")


@pytest.mark.parametrize(
    ("text", "api"),
    [
        ("import torch\nx = torch.zeros(2)\nx.rot^90()\n", "torch.Tensor.rot90"),
        ("import torch\ndef f(x: torch.Tensor):\n    return x.to_den^se()\n", "torch.Tensor.to_dense"),
        ("import torch\nx = torch.zeros(2)\nx.no_such_met^hod()\n", None),
        ("import torch\ny.to_den^se()\n", None),
    ],
)
def test_a_member_is_reported_where_the_file_proves_its_receiver(text: str, api: str | None) -> None:
    page = hover(text)
    assert (f"`{api}`" in page.markdown and "PyTorch | A2" in page.markdown) if page and api else page is None


def test_a_member_of_a_class_of_the_files_own_is_its_own() -> None:
    own = "import torch\nclass T(torch.Tensor):\n    def rot90(self): ...\nT().rot^90()\n"
    assert hover(own) is None


def test_the_reason_of_the_rule_in_chinese() -> None:
    text = markdown("import torch as th\nth.cuda.empty^_cache()\n", "zh")
    assert translations("zh")["NPU101"]["why"].replace("``", "`") in text


def test_a_client_that_shows_no_markdown_gets_plain_text() -> None:
    def kinds(*formats: types.MarkupKind) -> Any:
        hover = types.HoverClientCapabilities(content_format=list(formats))
        document = types.TextDocumentClientCapabilities(hover=hover)
        return SimpleNamespace(client_capabilities=types.ClientCapabilities(text_document=document))

    text = "**Bold** `code` [NPU101](file:///x)"
    both = _content(kinds(types.MarkupKind.PlainText, types.MarkupKind.Markdown), text)
    plain = _content(kinds(types.MarkupKind.PlainText), text)
    assert (both.kind, both.value) == (types.MarkupKind.Markdown, text)
    assert (plain.kind, plain.value) == (types.MarkupKind.PlainText, "Bold code NPU101: file:///x")


def test_a_module_of_others_is_explained_by_its_package() -> None:
    assert "from version 0.21 on" in markdown("import acce^lerate\n")


def test_a_name_below_a_module_of_others_is_nothing_to_tell_of() -> None:
    assert hover("import accelerate\naccelerate.Acce^lerator()\n") is None
