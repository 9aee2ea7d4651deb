"""The table of what stands for torch's APIs in MindSpore."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from gpu2ascend_rules.model.finding import Message

from ..data import load_tsv
from .entry import Entry, read_entry
from .readable import readable_parameters, readable_target

_TABLE = "mindspore_apis"
_COMPILED = "mindspore_compiled_apis"
"""The rows that stand in the place of others in code that is compiled."""
_MASKED = "mindspore_masked_apis"
"""The rows that stand in the place of others where a file masks with ``-inf``."""
_MINT = "mindspore_mint_apis"
"""What stands for torch's APIs in ``mindspore.mint``."""
_COMPILED_HELPERS = frozenset(
    {
        "CrossEntropyLoss", "NLLLoss", "_Loss", "FloatTensor", "avg_pool1d", "avg_pool2d", "avg_pool3d",
        "checkpoint", "conv1d", "conv2d", "conv3d", "cross_entropy", "cummin", "interpolate", "layer_norm",
        "load_state_dict_from_url", "nll_loss", "pairwise_distance", "roll", "scaled_dot_product_attention",
        "scatter", "scatter_add",
        "softmax", "sort", "topk",
    }
)  # fmt: skip
"""The helpers that were compiled and gave the same, and those that nobody calls in what is compiled."""
_STRUCTURAL = "mindspore_structural"
"""What becomes of APIs that no expression of the table stands for: the code around them changes as well."""
_BY_HAND = "mindspore_by_hand"
"""What to write by hand: by API, by API with an argument, ``torch.x(argument)``, or by an argument alone."""
_NO_TARGET = "none"


@cache
def entries(
    *, compiled: bool = False, mint: bool = False, masked: bool = False
) -> Mapping[str, tuple[Entry, ...]]:
    """The entries by API; none for an API without a counterpart that gives the same results.

    Args:
        compiled: Whether what is written is to be compiled into graphs: some text means something else there.
        mint: Whether ``mindspore.mint`` comes first. A layer is then that of mint or none: its weights have
            other names than those of the others.
        masked: Whether there are masks of ``-inf``, of which some functions make ``nan``.
    """
    found = _of_table(_TABLE)
    if compiled:
        found = {api: tuple(filter(_compiles, forms)) for api, forms in found.items()}
        found.update(_of_table(_COMPILED))
    if masked:
        found.update(_of_table(_MASKED))
    if mint:
        for api, first in _of_table(_MINT).items():
            is_layer = api.rpartition(".")[2][:1].isupper()
            found[api] = first if is_layer else (*first, *found.get(api, ()))
    return found


def _of_table(table: str) -> dict[str, tuple[Entry, ...]]:
    """The entries of a table by API; none where it says that there is no counterpart."""
    found: dict[str, tuple[Entry, ...]] = {}
    for row in load_tsv(table):
        read = (read_entry(row),) if row["target"] != _NO_TARGET else ()
        found[row["api"]] = (*found.get(row["api"], ()), *read)
    return found


def _compiles(entry: Entry) -> bool:
    """Whether what an entry writes can be compiled: of the helpers those that were."""
    called = entry.target_text.partition("(")[0].rpartition(".")[2]
    return not entry.is_of_helper or called in _COMPILED_HELPERS


@cache
def by_hand() -> Mapping[str, str]:
    """What to write by hand for what is not converted; a text may have several lines."""
    return {row["api"]: row["text"].replace("\\n", "\n") for row in load_tsv(_BY_HAND)}


@cache
def of_steps() -> frozenset[str]:
    """What is converted with the training step around it, and has no counterpart by itself."""
    return frozenset(row["api"] for row in load_tsv(_STRUCTURAL) if row["form"] == "step")


def shown(text: str) -> str:
    """A text of several lines in one, each in marks of code."""
    return "`; `".join(text.splitlines())


def explained(name: str) -> tuple[Message, ...]:
    """What is said of an API by its qualified name; nothing where torch has no such API."""
    if not name.startswith(("torch.", "torchvision.", "einops.")):
        return ()
    said = list(_explained_otherwise(name))
    if not entries().get(name) and not said:
        return (Message.of("mindspore.none", api=name), *_explained_by_mint(name))
    for row in load_tsv(_TABLE):
        if row["api"] == name and row["target"] != _NO_TARGET:
            form = "renamed" if row["parameters"] in ("-", "name") else "verified"
            if form == "verified" and row["verified"] != "yes":
                form = "unverified"
            said.append(_message_of_row(form, row))
    return (*said, *_explained_by_mint(name))


def _explained_otherwise(name: str) -> Iterator[Message]:
    """What is written with the code around it, by a helper, or by hand."""
    for row in load_tsv(_STRUCTURAL):
        if row["api"] == name:
            yield Message.of(f"mindspore.{row['form']}", api=name, target=row["target"])
    if name in by_hand():
        yield Message.of("MS002.by_hand", api=name, detail=shown(by_hand()[name]))


def _explained_by_mint(name: str) -> Iterator[Message]:
    for row in load_tsv(_MINT):
        if row["api"] == name:
            yield _message_of_row("mint", row)


def _message_of_row(form: str, row: Mapping[str, str]) -> Message:
    parameters, target = readable_parameters(row["parameters"]), readable_target(row["target"])
    return Message.of(f"mindspore.{form}", api=row["api"], parameters=parameters, target=target)
