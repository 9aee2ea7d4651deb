"""NPU102: imports of ``torch.cuda`` and of what is below it."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...edits.removal import imported_name_removal
from ...engine.context import Context
from ...engine.events import ImportRef
from ...engine.registry import has_exclusive_rule
from ...engine.rule import Event, Example, Rule, on, replace
from ...engine.scan import imported_name
from ...flow.guards.cuda_guards import is_build_script
from ...limits.parents import parent_type
from ...model.finding import Applicability, Edit, Finding, Fix, Severity
from ...renames.cuda_names import CUDA, Move, Uses, move_of, uses_of
from ...renames.moved_arguments import naming_edits_of_uses
from ...renames.qualified_names import imported_as, is_handed_on, uses_become
from ...renames.split_imports import split_statement
from ...similar.replacements import replacement_for
from ...text.scopes import Binding
from ...text.syntax import field, same, text_of


class CudaImport(Rule):
    """torch.cuda, or a name below it, is imported.

    What it does: Changes an import of ``torch.cuda``, of one of its submodules, or of names from them to
    ``torch_npu.npu``, and updates the affected uses. A name that the chosen torch_npu lacks is left unchanged
    and reported; the other names of the statement are moved.

    Why it matters on the NPU: The imported names work on CUDA devices only; a submodule that torch_npu does
    not have cannot be imported from there.

    Example: ``from torch.cuda.amp import autocast`` becomes ``from torch_npu.npu.amp import autocast``.

    Use instead: the same import from ``torch_npu.npu``.
    """

    code = "NPU102"
    examples = (
        Example(
            "from torch.cuda.amp import autocast, GradScaler\nwith autocast():\n    pass\n",
            "from torch_npu.npu.amp import autocast, GradScaler\nwith autocast():\n    pass\n",
        ),
        Example(
            "from torch import cuda\n\nif cuda.is_available():\n    cuda.empty_cache()\n",
            "from torch_npu import npu\n\nif npu.is_available():\n    npu.empty_cache()\n",
        ),
        Example(
            "from torch import cuda, nn\ncuda.init()\n",
            "from torch import nn\nfrom torch_npu import npu\nnpu.init()\n",
        ),
        Example(
            "from torch import cuda\nnpu = 1\ncuda.init()\n",
            "from torch_npu import npu as cuda\nnpu = 1\ncuda.init()\n",
        ),
        Example("import torch.cuda as tc\ntc.init()\n", "import torch_npu.npu as tc\ntc.init()\n"),
        Example("import torch.cuda\n", "import torch\n"),
        Example("import torch\nimport torch.cuda\nx = 1\n", "import torch\nx = 1\n"),
        Example(
            "from torch.cuda import synchronize, nvtx\n",
            "from torch.cuda import nvtx\nfrom torch_npu.npu import synchronize\n",
        ),
        Example("import torch.cuda.nccl as nccl\nnccl.version()\n"),
        Example(
            "from torch.cuda.amp.grad_scaler import GradScaler as GS\n",
            "from torch_npu.npu.amp import GradScaler as GS\n",
        ),
        Example(
            "from torch.cuda.amp import GradScaler\ns = GradScaler(1., 2., .5, 2000, amp)\n",
            "from torch_npu.npu.amp import GradScaler\ns = GradScaler(1., 2., .5, 2000, enabled=amp)\n",
        ),
        Example(
            "from torch.cuda import amp\ns = amp.GradScaler(1., 2., .5, 2000, on)\n",
            "from torch_npu.npu import amp\ns = amp.GradScaler(1., 2., .5, 2000, enabled=on)\n",
        ),
        Example(
            "from torch.cuda import synchronize\n", "from torch.npu import synchronize\n", version="1.5.0"
        ),
        Example.unchanged("import cuda\nfrom utils import cuda\nfrom .cuda import amp\nimport torch\n"),
    )

    @on.imports("torch.cuda.**")
    def imported(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        if is_build_script(ctx):
            return
        if ref.statement.type == "import_statement":
            yield from self._module_import(ref, ctx)
        elif same(self._first(ref.statement, ctx), ref.node):
            yield from self._from_import(ref.statement, ctx)

    def _first(self, statement: Node, ctx: Context) -> Node | None:
        """The first CUDA name of a statement: it speaks for all of them."""
        return next((item.node for item in ctx.source.names.imported_by(statement) if _is_cuda(item)), None)

    # -- import torch.cuda [as name] ---------------------------------------------------------------

    def _module_import(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        if ref.node.type != "aliased_import":
            yield self._plain_import(ref, ctx)
            return
        move, uses = move_of(ref.name, ctx), uses_of(ref.binding, ctx)
        name = field(ref.node, "name")
        if move is None or not uses.all_move or name is None:
            if not has_exclusive_rule(ref.name, Event.IMPORT):
                yield self._stays(ref.node, ref.name, move, ctx)
            return
        edits = [replace(name, move.target), *naming_edits_of_uses(ref.name, uses.roots)]
        fix = self.fix(Applicability.SAFE if move.is_safe else Applicability.UNSAFE, edits=edits)
        yield self._moves(ref.node, ref.name, move.target, fix)

    def _plain_import(self, ref: ImportRef, ctx: Context) -> Finding:
        """``import torch.cuda`` binds ``torch``: the uses move by themselves, the import must only go."""
        is_plain = parent_type(ref.statement) == "module"
        earlier = any(
            item.name == "torch" and item.statement.end_byte <= ref.statement.start_byte
            for item in ctx.source.names.imports
            if item.scope.id == ctx.source.root.id
        )
        if is_plain and earlier:
            edit = imported_name_removal(ctx.source, ref.binding)
        else:
            edit = replace(ref.node, "torch")
        fix = self.fix(Applicability.SAFE, edits=[edit])
        move = move_of(ref.name, ctx)
        target = move.target if move is not None else ctx.spell("torch_npu.npu")
        return self._moves(ref.node, ref.name, target, fix)

    # -- from ... import ... -----------------------------------------------------------------------

    def _from_import(self, statement: Node, ctx: Context) -> Iterator[Finding]:
        module = field(statement, "module_name") or statement  # it always has one
        if text_of(module).replace(" ", "").startswith(CUDA) and _is_star(statement):
            yield self._star_import(statement, module, ctx)
            return
        moving: list[tuple[Binding, Move, Uses]] = []
        staying: list[Binding] = []
        for binding in ctx.source.names.imported_by(statement):
            if not _is_cuda(binding):
                staying.append(binding)
                continue
            move, uses = move_of(binding.target, ctx), uses_of(binding, ctx)
            if move is not None and move.is_safe and uses.all_move:
                moving.append((binding, move, uses))
                continue
            staying.append(binding)
            if (
                not has_exclusive_rule(binding.target, Event.IMPORT)
                and replacement_for(binding.target, ctx) is None
            ):
                yield self._stays(binding.node, binding.target, move, ctx)
        if moving:
            yield self._from_import_moves(statement, module, moving, staying, ctx)

    def _star_import(self, statement: Node, module: Node, ctx: Context) -> Finding:
        name = text_of(module).replace(" ", "")
        move = move_of(name, ctx)
        if move is None:
            return self._stays(statement, name, move, ctx)
        fix = self.fix(Applicability.SAFE, edits=[replace(module, move.target)])
        return self._moves(statement, name, move.target, fix)

    def _from_import_moves(
        self,
        statement: Node,
        module: Node,
        moving: list[tuple[Binding, Move, Uses]],
        staying: list[Binding],
        ctx: Context,
    ) -> Finding:
        groups: dict[str, list[str]] = {}
        edits: list[Edit] = []
        for binding, move, uses in moving:
            new_module = move.target.rpartition(".")[0]
            text = imported_as(binding, move.target, ctx, keeps_name=is_handed_on(binding, ctx))
            groups.setdefault(new_module, []).append(text)
            edits.extend(uses_become(uses.roots, text))
            edits.extend(naming_edits_of_uses(binding.target, uses.roots))
        names_kept = all(item == text_of(binding.node) for (binding, _, _), item in _zip(moving, groups))
        if not staying and len(groups) == 1 and names_kept:
            edits.insert(0, replace(module, next(iter(groups))))
        else:
            edits.insert(0, split_statement(statement, module, groups, staying, ctx))
        target = moving[0][1].target
        return self._moves(statement, moving[0][0].target, target, self.fix(Applicability.SAFE, edits=edits))

    # -- findings ----------------------------------------------------------------------------------

    def _moves(self, node: Node, api: str, target: str, fix: Fix) -> Finding:
        return self.report(node, "moves", Severity.WARNING, fix=fix, api=api, target=target)

    def _stays(self, node: Node, api: str, move: Move | None, ctx: Context) -> Finding:
        key = "stays" if move is None else "stays_for_uses"
        severity = Severity.ERROR if move is None else Severity.INFORMATION
        kind = "unsupported" if move is None else ""
        return self.report(node, key, severity, api=api, kind=kind, version=ctx.version)


def _is_cuda(binding: Binding) -> bool:
    name = imported_name(binding)
    return name == CUDA or name.startswith(f"{CUDA}.")


def _is_star(statement: Node) -> bool:
    return any(child.type == "wildcard_import" for child in statement.children)


def _zip(
    moving: list[tuple[Binding, Move, Uses]], groups: dict[str, list[str]]
) -> Iterator[tuple[tuple[Binding, Move, Uses], str]]:
    texts = [text for group in groups.values() for text in group]
    yield from zip(moving, texts, strict=True)
