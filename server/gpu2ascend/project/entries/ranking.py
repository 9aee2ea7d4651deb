"""Which entry a project most likely trains with."""

from __future__ import annotations

import re

from .facts.python_facts import PythonFacts
from .model import Entry, EntryKind
from .places import is_among_documents, is_of_ci

_TRAIN = re.compile(
    r"(?:^|[_\-.])(?:pre|fine)?_?-?(?:train(?:ing|er)?|tune|tuning)(?:$|[_\-.\d])", re.IGNORECASE
)
_MAIN = re.compile(r"^(?:main|run|__main__)(?:$|[_-])", re.IGNORECASE)
_OTHERWISE = re.compile(
    r"(?:^|[/_\-.])(?:tests?|eval\w*|infer\w*|export\w*|convert\w*|predict\w*|serv(?:e|er|ing)|demo\w*|deploy\w*"
    r"|sampl(?:es?|ing)|generat\w+|visuali\w+|plot\w*|download\w*|prepare\w*|prepro\w*|bench\w*|profile\w*"
    r"|onnx\w*|trt\w*|tensorrt|track|triton\w*|gradio\w*|webui|api|app|calc\w*|compute|check\w*|merge\w*|combin\w*|get|extract\w*"
    r"|datasets?|data|tokeni\w+|detect|hubconf|split\w*|build\w*|clean\w*|averag\w*|collect\w*)(?:$|[/_\-.\d])",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"(?:^|[/_\-.])(?:archived?|legacy|old|deprecated|backup|attic)[/_\-.]"
    r"|(?:^|/)(?:records?|examples?|samples?|third_party|projects|contrib|benchmarks?|experiment(?:s|al)?|playground"
    r"|tutorials?)/",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(r"(?:^|[_\-.])(?:slurm|apex|horovod|mpi|tpu|xla)(?:$|[_\-.])", re.IGNORECASE)
"""What a script is called that needs more than a machine and torch."""
_KINDS = tuple(EntryKind)

Rank = tuple[int, int, int, int, str]


def is_named_otherwise(path: str) -> bool:
    """Whether a script is called for something else than training, and not for training."""
    return _OTHERWISE.search(path.rpartition(".")[0]) is not None and not is_named_training(path)


def is_named_training(path: str) -> bool:
    """Whether a script is called for training."""
    return _TRAIN.search(path.rpartition("/")[2].rpartition(".")[0]) is not None


def is_named_main(path: str) -> bool:
    """Whether a script is called for being the program."""
    return _MAIN.search(path.rpartition("/")[2].rpartition(".")[0]) is not None


def rank(entry: Entry, facts: PythonFacts | None, shown_at: int = 0) -> Rank:
    """By what entries are ordered, the likeliest first.

    Args:
        shown_at: The place of the entry among those that the project's README starts.
    """
    depth = entry.path.count("/")
    return _KINDS.index(entry.kind), -_score(entry, facts), depth, shown_at, entry.path


def _score(entry: Entry, facts: PythonFacts | None) -> int:
    """What speaks for an entry: its name, what starts it, a step in it; and against it."""
    name = entry.path.rpartition("/")[2].rpartition(".")[0]
    score = 4 if _TRAIN.search(name) else 2 if _MAIN.search(name) else 0
    score += 3 if any(not is_of_ci(path) and not is_among_documents(path) for path in entry.started_by) else 0
    score += 2 if facts is not None and facts.steps else 0
    score -= 1 if _ELSEWHERE.search(name) else 0
    score -= 4 if _PAST.search(entry.path) else 0
    score -= 3 if is_named_otherwise(entry.path) or entry.path.endswith(".ipynb") else 0
    return score - entry.path.count("/")
