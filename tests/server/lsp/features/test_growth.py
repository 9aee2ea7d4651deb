"""What an editor asks at each key and each click costs no more than in proportion to the text."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from lsprotocol import types

from gpu2ascend.lsp.features.hover import page_at
from gpu2ascend.lsp.features.refactorings import amp_refactorings
from gpu2ascend.lsp.session.text_changes import changed
from gpu2ascend_rules.checking import check
from gpu2ascend_rules.codemods.distributed.refactoring import is_offered
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.lines import ColumnUnit
from gpu2ascend_rules.text.source_file import SourceFile
from tests.security.test_growth import MOST, growth

OPTIONS = options_from({"version": "2.8.0"})
LOOP = "for x in loader:\n    loss = net(x.cuda())\n    loss.backward()\n    opt.step()\n"
LAST = "torch.cuda.empty_cache()\n"
HEAD = "import torch\nopt = torch.optim.SGD(net.parameters())\n"
SHAPES: dict[str, Callable[[int], str]] = {
    "findings in a block": lambda n: f"{HEAD}def f(x):\n" + "    x.cuda()\n" * n + LAST,
    "loops that train": lambda n: HEAD + LOOP * n + LAST,
    "nesting": lambda n: f"{HEAD}y = {'[x.cuda(), ' * n}{']' * n}\n{LAST}",
    "length of a chain": lambda n: f"{HEAD}y = x{'.cuda()' * n}\n{LAST}",
    "length of a line": lambda n: f"{HEAD}y = [{'x.cuda(), ' * n}]\n{LAST}",
    "imports": lambda n: "".join(f"import a{i}\n" for i in range(n)) + HEAD + LAST,
}
SIZE = 100
POINTED = 400
"""A short text costs a hover, or a menu, so little that what is done once a text is most of it."""


def type_a_key(source: SourceFile) -> None:
    """A letter before the last line, and the check that follows."""
    line = source.text.count("\n") - 1
    place = types.Range(types.Position(line, 0), types.Position(line, 0))
    change = types.TextDocumentContentChangePartial(place, "a")
    after = changed(source, [change], ColumnUnit.UTF16)
    assert isinstance(after, SourceFile) and after.text != source.text
    check(after, OPTIONS)


@pytest.mark.parametrize("name", SHAPES)
def test_a_key_grows_with_the_text(name: str) -> None:
    assert growth(lambda n: type_a_key(SourceFile(SHAPES[name](n))), SIZE) <= MOST


def point_at_the_last_line(text: str) -> None:
    page = page_at(SourceFile(text), text.index("empty_cache"), (), OPTIONS, "en")
    assert page is not None and "empty_cache" in page.markdown


@pytest.mark.parametrize("name", SHAPES)
def test_a_hover_grows_with_the_text(name: str) -> None:
    assert growth(lambda n: point_at_the_last_line(SHAPES[name](n)), POINTED) <= MOST


def offer(source: SourceFile) -> None:
    """The part of the menu that looks at the whole text."""
    assert isinstance([*amp_refactorings(source, OPTIONS), is_offered(source)], list)


@pytest.mark.parametrize("name", SHAPES)
def test_the_menu_of_refactorings_grows_with_the_text(name: str) -> None:
    assert growth(lambda n: offer(SourceFile(SHAPES[name](n))), POINTED) <= MOST
