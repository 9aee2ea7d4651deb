"""NPU008: names that later releases of the libraries around PyTorch do not have any more."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import ImportRef, MemberRef, NameRef
from ...engine.rule import Example, Rule, on, replace
from ...facts.releases.changes import Change, changes
from ...flow.settings.required import is_kept_below, is_written_for
from ...model.finding import Applicability, Finding, Fix, Requirement, Severity
from ...renames.qualified_names import changes_with_import, name_becomes
from ...text.guards import has_other_way, is_expected_missing
from ...text.names import Certainty
from ...text.syntax import field, text_of

_NAMES = tuple(changes("name"))
_MEMBERS = changes("member")
_FRAME = re.compile(r"(?:\w*_)?df\d*|(?:\w*_)?(?:data_?)?frame")
"""Names that data frames have by custom."""
_RENAMED_EARLIER = frozenset({"numpy_two", "numpy_again"})
"""Changes that concern some of the releases that a migrated project may get."""


class MovedName(Rule):
    """A name is used that newer releases of NumPy, torchvision, pandas or Pillow do not have.

    What it does: Looks names up in a table of names that the releases lack which belong to the chosen
    PyTorch: NumPy's aliases of built-in types, helpers of torchvision, and others. It writes the name that
    means the same. Projects that require an older release are left alone, and so is code that tests for the
    name.

    Why it matters on the NPU: A port moves to new images, with new releases: the import or the first use
    raises, on every device.

    Example: ``np.int``.

    Use instead: ``int``; otherwise what the message names.
    """

    code = "NPU008"
    examples = (
        Example(
            "import torch\nimport numpy as np\nx = np.zeros(3, dtype=np.int)\n",
            "import torch\nimport numpy as np\nx = np.zeros(3, dtype=int)\n",
        ),
        Example("import torch\nimport numpy\ny = numpy.NaN\n", "import torch\nimport numpy\ny = numpy.nan\n"),
        Example(
            "import torch\nimport numpy as np\nm = np.zeros(3, dtype=np.bool)\n",
            unsafe="import torch\nimport numpy as np\nm = np.zeros(3, dtype=bool)\n",
        ),
        Example(
            "from torchvision.models.utils import load_state_dict_from_url\nload_state_dict_from_url(u)\n",
            "from torch.hub import load_state_dict_from_url\nload_state_dict_from_url(u)\n",
        ),
        Example("from torchvision.models.resnet import model_urls\nprint(model_urls)\n"),
        Example.unchanged("from torchvision.models.resnet import model_urls\n", version="1.11.0"),
        Example(
            "import torch\nimport pandas as pd\nt = pd.read_csv(p)\nfor k, v in t.iteritems(): ...\n",
            "import torch\nimport pandas as pd\nt = pd.read_csv(p)\nfor k, v in t.items(): ...\n",
        ),
        Example(
            "import pandas as pd\nx = pd.np.stack(a)\n",
            "import pandas as pd\nimport numpy\nx = numpy.stack(a)\n",
        ),
        Example(
            "import numpy as np\nimport pandas as pd\nx = pd.np.stack(a)\n",
            "import numpy as np\nimport pandas as pd\nx = np.stack(a)\n",
        ),
        Example("import torch\nimport pandas\ndf = df.append(row)\np = pandas.Panel(x)\n"),
        Example.unchanged("import torch\nimport pandas\nrows.append(df)\nx = d.iteritems()\n"),
        Example.unchanged("import numpy as np\nx = np.int64(3)\ny = np.float32\n"),
        Example.unchanged(
            "import torchvision.ops\nif hasattr(torchvision.ops, '_new_empty_tensor'):\n"
            "    torchvision.ops._new_empty_tensor(x, s)\n"
        ),
    )

    @on.name(*_NAMES)
    def used(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        change = changes("name")[ref.name]
        if ref.certainty is Certainty.AMBIGUOUS or changes_with_import(ref):
            return
        if not self._concerns(change, ref.name, ref.node, ctx):
            return
        yield self._finding(change, ref.node, ref.name, self._fix(change, ref, ctx))

    @on.member(*_MEMBERS, needs="pandas")
    def of_frame(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        """A member of a data frame that pandas does not have any more."""
        change = _MEMBERS[ref.name]
        if not ctx.imports_module("pandas") or not _is_frame(ref.receiver, ctx):
            return
        if not self._concerns(change, ref.name, ref.node, ctx):
            return
        fix = None
        if change.fix is Applicability.SAFE:
            fix = self.fix(change.fix, edits=[replace(ref.identifier, change.becomes)])
        yield self._finding(change, ref.node, ref.name, fix)

    @on.imports(*_NAMES)
    def imported(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        change = changes("name").get(ref.name)
        if change is None or ref.is_star or not self._concerns(change, ref.name, ref.statement, ctx):
            return
        renaming = name_becomes(ref, change.becomes, ctx) if "." in change.becomes else None
        fix = self.fix(change.fix, edits=renaming.edits) if renaming is not None else None
        yield self._finding(change, ref.node, ref.name, fix)

    def _fix(self, change: Change, ref: NameRef, ctx: Context) -> Fix | None:
        target, last = change.becomes, field(ref.node, "attribute")
        module, _, name = target.rpartition(".")
        if last is not None and module and module == ref.name.rpartition(".")[0]:
            return self.fix(change.fix, edits=[replace(last, name)])
        if target and not hasattr(builtins, target):
            requires = [Requirement(target.partition(".")[0])]
            return self.fix(change.fix, edits=[replace(ref.node, ctx.spell(target))], requires=requires)
        if target and not ctx.source.names.bindings(target):
            return self.fix(change.fix, edits=[replace(ref.node, target)])
        return None

    def _concerns(self, change: Change, name: str, node: Node, ctx: Context) -> bool:
        if not change.concerns(ctx.version) or is_expected_missing(node, ctx.source) or has_other_way(node):
            return False
        if change.pinned:
            package, _, release = change.pinned.partition("<")
            return not is_kept_below(ctx, package, tuple(map(int, release.split("."))))
        return change.since is None or not is_written_for(ctx, "torch", tuple(change.since[:2]))

    def _finding(self, change: Change, node: Node, name: str, fix: Fix | None) -> Finding:
        is_sure = change.id not in _RENAMED_EARLIER
        severity = Severity.ERROR if is_sure and not _is_mended(fix) else Severity.WARNING
        return self.report(node, change.id, severity, fix=fix, api=name, instead=change.becomes)


def _is_mended(fix: Fix | None) -> bool:
    return fix is not None and fix.applicability is Applicability.SAFE


def _is_frame(receiver: Node, ctx: Context) -> bool:
    """Whether something is a data frame: by what it is set to, or by its name."""
    if receiver.type != "identifier":
        return False
    values = [item.value for item in ctx.source.names.bindings_in_scope(text_of(receiver), receiver)]
    made = [_is_of_pandas(value, ctx) for value in values if value is not None]
    return (bool(made) and all(made)) or _FRAME.fullmatch(text_of(receiver)) is not None


def _is_of_pandas(value: Node, ctx: Context) -> bool:
    return value.type == "call" and ctx.source.names.called_in(value).startswith("pandas.")
