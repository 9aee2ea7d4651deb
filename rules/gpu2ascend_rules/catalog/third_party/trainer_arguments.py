"""NPU708: what arguments of transformers' trainer ask of a GPU."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.context import Context
from ...engine.events import KeywordRef
from ...engine.rule import Example, Rule, on, replace
from ...model.finding import Applicability, Finding, Severity
from ...text.syntax import last_name


class TrainerTf32(Rule):
    """A trainer of transformers uses TF32.

    What it does: Writes ``tf32=False`` in the call of ``TrainingArguments``, or of a class made of it.

    Why it matters on the NPU: transformers raises ValueError: TF32 needs CUDA.

    Example: ``TrainingArguments(output_dir, tf32=True)``.

    Use instead: ``tf32=False``; for faster float32 products ``torch_npu.npu.matmul.allow_hf32 = True``.
    """

    code = "NPU708"
    only_importing = frozenset({"transformers", "trl", "sentence_transformers", "setfit", "optimum"})
    examples = (
        Example(
            "from transformers import TrainingArguments as T\nargs = T('out', tf32=True)\n",
            "from transformers import TrainingArguments as T\nargs = T('out', tf32=False)\n",
        ),
        Example(
            "import trl\nargs = trl.SFTConfig(bf16=True, tf32=True)\n",
            "import trl\nargs = trl.SFTConfig(bf16=True, tf32=False)\n",
        ),
        Example.unchanged("import transformers\nrun(tf32=True)\n"),
        Example.unchanged("from transformers import TrainingArguments as T\nT(tf32=None)\nT(tf32=on)\n"),
    )

    @on.keyword("tf32")
    def given(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        name = ref.callee_name or last_name(ref.call)
        if ref.value.type == "true" and name.endswith(("Arguments", "Config")):
            fix = self.fix(Applicability.SAFE, edits=[replace(ref.value, "False")])
            yield self.report(ref.node, "raises", Severity.ERROR, fix=fix)
