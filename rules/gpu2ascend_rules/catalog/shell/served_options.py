"""NPU1021: what commands ask of vLLM that its plugin for the NPU lacks, or has from a release on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, zip_longest

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Rule, on
from ...facts.packages.library_settings import library_settings
from ...flow.settings.required import is_kept_below, is_written_for
from ...kinds.shell.places import Command, Word
from ...model.finding import Finding, Severity

_OPTIONS = ("--quantization", "-q")
_LIBRARY = "vllm"


class ServedOption(Rule):
    """A command serves weights of a kind that the plugin for the NPU may not take.

    What it does: Looks up ``--quantization`` of ``vllm serve`` and of vLLM's modules in scripts, container
    files and configurations, as NPU712 does ``quantization=`` in code.

    Why it matters on the NPU: vllm-ascend raises for weights that it has no kernels for, or takes them from a
    release on.

    Example: ``vllm serve model --quantization awq_marlin``.

    Use instead: weights that msModelSlim has quantized, with ``--quantization ascend``, or bfloat16.
    """

    code = "NPU1021"
    words = (_LIBRARY,)
    example_path = "serve.sh"
    examples = (
        Example("vllm serve m --quantization awq_marlin -tp 2\n"),
        Example("python -m vllm.entrypoints.openai.api_server --model m -q fp8\n"),
        Example('CMD ["vllm", "serve", "m", "--quantization=gptq"]\n', path="Dockerfile"),
        Example.unchanged("vllm serve m --quantization ascend\nquantize vllm.txt --quantization awq\n"),
        Example.unchanged("python serve.py --vllm --quantization awq\n"),
    )

    @on.place(Command)
    def given(self, command: Command, ctx: PlaceContext) -> Iterator[Finding]:
        if not _is_of_library(command.words):
            return
        for word, following in zip_longest(command.words, command.words[1:]):
            option, _, value = (word.text or "").partition("=")
            written = word if value else following
            if option in _OPTIONS and written is not None and written.text:
                yield from self._asked(written, value or written.text, ctx)

    def _asked(self, written: Word, value: str, ctx: PlaceContext) -> Iterator[Finding]:
        for row in library_settings()["quantization"]:
            if row.value.fullmatch(value) is None or is_written_for(ctx, row.package, row.since):
                continue
            is_older = bool(row.package) and is_kept_below(ctx, row.package, row.since)
            severity = Severity.ERROR if is_older else row.severity
            since = ".".join(map(str, row.since))
            yield self.report(written, row.id, severity, asked=value, since=since)
            return


def _is_of_library(words: Sequence[Word]) -> bool:
    """Whether a command is vLLM's own, or runs one of its modules."""
    texts = [word.text or "" for word in words]
    programs = (text.rpartition("/")[2] for text, after in pairwise(texts) if after == "serve")
    modules = (after.partition(".")[0] for text, after in pairwise(texts) if text == "-m")
    return _LIBRARY in programs or _LIBRARY in modules
