"""NPU108: programs of which no module loads torch_npu, for versions that do not load it by themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ...engine.context import TORCH_NPU, Context
from ...engine.events import MemberRef, StringRef
from ...engine.rule import Example, Rule, on
from ...flow.programs import ModuleReader, executed_imports, program_of
from ...limits.parents import parent_of
from ...model.finding import Applicability, Finding, Message, Severity
from ...model.versions import Version
from ...renames.cuda_names import move_of
from ...text.guards import is_for_types
from ...text.scopes import BindingKind
from ...text.source_file import SourceFile
from ...text.syntax import OWN_SCOPES, enclosing, text_of

_DEVICE = re.compile(rb"""(==|!=|\bin)?\s*[(\[{]?\s*(?<![\w"'])[rRfF]?(["'])(?:cuda|npu)(?::[^"'\n]*)?\2""")
_BACKEND = re.compile(rb"""(?<![\w"'])["'](?:nccl|hccl)["']""", re.I)
_JOINS = re.compile(rb"\binit_process_group\s*\(")
_CUDA_NAME = re.compile(rb"\btorch\.cuda\.(\w+)")
_MOVES = re.compile(
    rb"""[\w)\]]\.cuda\(|\.to\(\s*["']cuda|\btorch\.device\(\s*["']cuda|\bdevice\s*=\s*["']cuda["':]"""
)
_COMMENT = re.compile(rb"^[ \t]*#.*$", re.MULTILINE)


class NpuNotLoaded(Rule):
    """A program names an NPU but never imports torch_npu.

    What it does: Follows the imports of a script through the project. If a module of the program names a
    device, as the default of an option or in a configuration, and none imports torch_npu, the import is added
    to the script.

    Why it matters on the NPU: Before 2.5.1, torch does not load torch_npu automatically, so
    ``torch.device('npu')`` and the back end ``'hccl'`` raise.

    Example: a script with ``parser.add_argument('--device', default='cuda')`` that leaves the rest to a
    library.

    Use instead: ``import torch_npu`` in the script.
    """

    code = "NPU108"
    last_version = Version(2, 4)
    examples = (
        Example(
            "import argparse\nfrom models import build\n\nif __name__ == '__main__':\n"
            "    parser = argparse.ArgumentParser()\n"
            "    parser.add_argument('--device', default='cuda')\n"
            "    build(parser.parse_args().device)\n",
            "import argparse\nfrom models import build\nimport torch_npu\n\nif __name__ == '__main__':\n"
            "    parser = argparse.ArgumentParser()\n"
            "    parser.add_argument('--device', default='cuda')\n"
            "    build(parser.parse_args().device)\n",
            version="2.1.0",
        ),
        Example(
            "import argparse, lib\np = argparse.ArgumentParser()\np.add_argument('--gpu', default='cuda:0')\n"
            "lib.run(p.parse_args().gpu)\n",
            "import argparse, lib\nimport torch_npu\np = argparse.ArgumentParser()\n"
            "p.add_argument('--gpu', default='cuda:0')\nlib.run(p.parse_args().gpu)\n",
            version="1.11.0",
        ),
        Example.unchanged(
            "import torch\nimport torch_npu\nif __name__ == '__main__':\n    run(device='npu')\n",
            version="2.1.0",
        ),
        Example.unchanged(
            "import argparse\np.add_argument('--backend', default='hccl')\nif __name__ == '__main__':\n"
            "    main()\n",
            version="2.1.0",
        ),
        Example.unchanged(
            "def f(x):\n    return x.is_npu and x.device.type == 'npu'\nif __name__ == '__main__':\n"
            "    f(y)\n",
            version="2.1.0",
        ),
        Example.unchanged("if __name__ == '__main__':\n    run(device='cuda')\n"),
        Example.unchanged("def f(device='cuda'):\n    return device\n", version="2.1.0"),
    )

    @on.string("__main__")
    def script(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        guard = parent_of(ref.node)
        if guard is not None and guard.type == "comparison_operator" and "__name__" in text_of(guard):
            yield from self._entry(ref.node, ctx)

    @on.member("parse_args")
    def options(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        if not ctx.source.occurrences("__main__") and enclosing(ref.node, *OWN_SCOPES) is None:
            yield from self._entry(ref.node, ctx)

    def _entry(self, node: Node, ctx: Context) -> Iterator[Finding]:
        if not ctx.has_torch_npu or not ctx.project.is_complete:
            return
        where = _unserved(ctx)
        if where is None:
            return
        fix = self.fix(
            Applicability.SAFE,
            requires=[TORCH_NPU],
            title=Message.of("fix.import", statement=TORCH_NPU.statement),
        )
        yield self.report(node, "program", Severity.ERROR, fix=fix, where=where, version=ctx.version)


class _Module(NamedTuple):
    """What one module of a program says of the NPU."""

    imports: tuple[str, ...]
    """Qualified names of what it imports, relative ones with their dots."""
    loads_npu: bool
    """Whether it imports torch_npu already."""
    imports_torch: bool
    """Whether its own scope imports torch, so that a migration can put the import beside it."""
    moves: bool
    """Whether it moves something to a CUDA device by itself."""
    cuda_names: frozenset[str]
    names_device: bool
    names_backend: bool
    joins_group: bool


def _module(source: SourceFile) -> _Module:
    data = _COMMENT.sub(b"", source.data)
    executed = [item for item in source.names.imports if not is_for_types(item.statement, source)]
    return _Module(
        imports=executed_imports(source),
        loads_npu=any(item.target.partition(".")[0] == "torch_npu" for item in executed),
        imports_torch=any(
            item.target.partition(".")[0] == "torch" and item.scope.id == source.root.id
            for item in executed
            if item.kind is BindingKind.IMPORT
        ),
        moves=_MOVES.search(data) is not None,
        cuda_names=frozenset(name.decode() for name in _CUDA_NAME.findall(data)),
        names_device=any(not match[1] for match in _DEVICE.finditer(data)),
        names_backend=_BACKEND.search(data) is not None,
        joins_group=_JOINS.search(data) is not None,
    )


_MODULES = ModuleReader(_module)


def _unserved(ctx: Context) -> str | None:
    """The module that gives a script's program the name of an NPU, where none of it imports torch_npu."""
    where: str | None = None
    names_backend, joins = None, False
    for path, module in program_of(ctx, _MODULES):
        if module.loads_npu or _will_load(module, ctx):
            return None
        if module.names_device:
            where = where or path
        if module.names_backend:
            names_backend = names_backend or path
        joins = joins or module.joins_group
    return where or (names_backend if joins else None)


def _will_load(module: _Module, ctx: Context) -> bool:
    """Whether the migration of a module brings the import with what it writes there."""
    if not module.imports_torch:
        return False
    moves = (move_of(f"torch.cuda.{name}", ctx) for name in module.cuda_names)
    return module.moves or any(move is not None and move.is_safe for move in moves)
