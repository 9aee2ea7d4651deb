"""Names that a user might have meant by one that nothing is known of."""

from __future__ import annotations

import difflib

from gpu2ascend_rules import all_rules
from gpu2ascend_rules.facts.api_support import names_starting_with
from gpu2ascend_rules.facts.names.npu_names import all_names
from gpu2ascend_rules.facts.packages.third_party import known_packages
from gpu2ascend_rules.guides import TOPICS
from gpu2ascend_rules.model.versions import Version

_SUGGESTIONS = 3
_NPU_ROOTS = ("torch_npu.", "torch.npu.")
_NPU_NAMESPACE = "torch_npu.npu."


def close_names(name: str, version: Version) -> list[str]:
    """Names that might be meant: the same last part somewhere else first, then a similar spelling."""
    if name.startswith(_NPU_ROOTS):
        name = name.replace(_NPU_ROOTS[1], _NPU_NAMESPACE, 1)
        known = [known for known in all_names(version) if not known.rpartition(".")[2].startswith("_")]
    else:
        known = [*names_starting_with("torch.", version), *TOPICS, *known_packages()]
        known += [text for rule in all_rules() for text in (rule.code, rule.name)]
    last = f".{name.rpartition('.')[2].lower()}"
    same_end = [text for text in known if text.lower().endswith(last)]
    similar = difflib.get_close_matches(name, known, n=_SUGGESTIONS, cutoff=0.6)
    by_likeness = sorted(
        same_end, key=lambda text: difflib.SequenceMatcher(None, name, text).ratio(), reverse=True
    )
    return list(dict.fromkeys([*by_likeness[:_SUGGESTIONS], *similar]))[:_SUGGESTIONS]
