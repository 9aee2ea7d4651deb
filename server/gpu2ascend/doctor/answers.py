"""Short answers of ``explain``: a code of an error, a word of the subject, and a family of rules."""

from __future__ import annotations

import re
from typing import NamedTuple

from gpu2ascend_rules import all_rules

from ..texts.catalogue import Texts
from ..texts.rule_title import title_of
from .logs.table import number_of_name, row_of_code, sentence_of_code, title_of_code

_CODE = re.compile(
    r"E[A-Z]\d{4}|E\d{5}|ERR\d{5}|[1-9]\d{5}|(?:ACL_ERROR|ACLNN_ERR|HCCL_E)_\w+", re.IGNORECASE
)
_FAMILY = re.compile(r"[A-Z]{2,4}\d{0,3}", re.IGNORECASE)
_WORDS = {
    "float64": ("NPU806",),
    "double": ("NPU806",),
    "complex64": ("NPU806",),
    "float8": (),
    "fsdp": ("NPU406",),
    "hccl": ("NPU401", "NPU402"),
    "nvcc": ("NPU1401", "NPU605"),
    "310p": (),
    "inf_nan_mode_enable": (),
    "oom_snapshot_enable": (),
    "torchinductor_npu_backend": ("NPU507",),
    "torch_hccl_zero_copy": (),
    "hccl_npu_socket_port_range": (),
}
"""Words that users ask for, with the rules that are about them; ``doctor.word.<word>`` is the answer."""
_SAME = {"double": "float64", "complex64": "float64"}


class Answer(NamedTuple):
    """What a short name means."""

    kind: str
    """``code``, ``word`` or ``rules``."""
    name: str
    lines: tuple[str, ...]


def answer_to(asked: str, texts: Texts) -> Answer | None:
    """The answer to a code, a word or the beginning of rule codes; None for another name."""
    name = asked.strip()
    if _CODE.fullmatch(name):
        return _of_code(name.upper(), texts)
    word = name.lower()
    if word in _WORDS:
        known = {rule.code for rule in all_rules()}
        rules = tuple(code for code in _WORDS[word] if code in known)
        more = (texts("doctor.log.rules", rules=", ".join(rules)),) if rules else ()
        return Answer("word", name, (texts(f"doctor.word.{_SAME.get(word, word)}"), *more))
    return _of_family(name.upper(), texts) if _FAMILY.fullmatch(name) else None


def _of_code(code: str, texts: Texts) -> Answer | None:
    row = row_of_code(code)
    if row is None:
        return None
    number = number_of_name(code) or code
    said = sentence_of_code(number) or title_of_code(number)
    lines = [f"{code}: {said}" if said else code]
    lines += [
        texts("doctor.log.why", text=texts(f"doctor.log.{row.name}.cause")),
        texts("doctor.log.do", text=texts(f"doctor.log.{row.name}.remedy")),
    ]
    lines += [f"$ {row.command}"] if row.command else []
    lines += [texts("doctor.log.rules", rules=", ".join(row.rules))] if row.rules else []
    return Answer("code", code, (*lines, texts("cli.api.source", source=row.source)))


def _of_family(prefix: str, texts: Texts) -> Answer | None:
    rules = sorted((rule for rule in all_rules() if rule.code.startswith(prefix)), key=_order)
    lines = tuple(f"{rule.code}  {title_of(rule, texts)}" for rule in rules)
    return Answer("rules", prefix, lines) if lines else None


def _order(rule: object) -> tuple[int, str]:
    code = str(getattr(rule, "code", ""))
    return len(code), code
