"""Where the function for the device is written, in the form that the file has."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0", "target": "accelerator"})


def fixed(text: str) -> str:
    return apply_fixes(SourceFile(text), OPTIONS).text


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_its_lines_end_as_those_of_the_file(newline: str) -> None:
    text = fixed(newline.join(["import torch", "x.to('cuda')", ""]))
    assert f"{newline}def get_device():{newline}" in text
    assert newline == "\n" or "\n" not in text.replace("\r\n", "")
    assert newline != "\r" or "\n" not in text


def test_a_last_line_without_an_end_stays_without_one() -> None:
    text = fixed("import torch\ndef f(x):\n    return x.to('cuda')")
    assert text.endswith("    return x.to(get_device())")


USED_AMONG_IMPORTS = {
    "a try": "try:\n    import torch\n    d = torch.device('cuda')\nexcept Exception:\n    d = None\n",
    "its handler": "import torch\ntry:\n    import a\nexcept ImportError:\n    d = torch.device('cuda')\n",
    "an if": "import torch\nif True:\n    import a\n    d = torch.device('cuda')\n",
    "the line of an import": "import torch; d = torch.device('cuda')\n",
}


@pytest.mark.parametrize("text", USED_AMONG_IMPORTS.values(), ids=USED_AMONG_IMPORTS)
def test_it_is_defined_before_code_that_uses_it_among_the_imports(text: str) -> None:
    changed = fixed(text)
    assert 0 < changed.index("def get_device():") < changed.index("d = get_device()")


def test_imports_that_are_tried_stay_above_it() -> None:
    tried = "import torch\ntry:\n    import a\n    HAS_A = True\nexcept ImportError:\n    HAS_A = False\n"
    assert fixed(f"{tried}d = torch.device('cuda')\n").startswith(tried)


def test_it_stands_below_the_lines_for_the_system_and_the_encoding() -> None:
    head = "#!/usr/bin/env python3\n# -*- coding: shift_jis -*-\n"
    text = fixed(f"{head}with a:\n    import torch\n    x = torch.device('cuda')\n")
    assert text.startswith(head)
    assert "def get_device():" in text


def test_it_stands_below_a_docstring_that_follows_comments() -> None:
    head = '# Copyright\n"""What it does."""\nfrom __future__ import annotations\nimport torch\n'
    assert fixed(f"{head}x.to('cuda')\n").startswith(head)


def test_torch_is_imported_once_for_it() -> None:
    text = fixed("from a import *\nwith torch.cuda.amp.autocast():\n    x.to('cuda')\n")
    assert text.count("import torch\n") == 1
