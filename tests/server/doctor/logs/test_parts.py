"""The optional part of a library that failing code is of, and how to run without it."""

from __future__ import annotations

import re

import pytest

from gpu2ascend.doctor.logs.failures import Failure, failures
from gpu2ascend.doctor.logs.parts import part_of
from gpu2ascend.doctor.tables import rows
from gpu2ascend.texts.catalogue import Texts
from gpu2ascend_rules.messages import LANGUAGES, translated

SERVED = "/srv/vllm-ascend/vllm_ascend"
SITE = "/usr/lib/python3.11/site-packages"


def failing(*frames: str, text: str = "RuntimeError: strange things") -> Failure:
    lines = ["Traceback (most recent call last):"]
    for frame in frames:
        path, _, code = frame.partition(" ")
        lines += [f'  File "{path}", line 7, in f', f"    {code or 'g()'}"]
    return failures([*lines, text])[0]


def said(failure: Failure) -> str:
    part = part_of(failure)
    return Texts("en").of(part) if part is not None else ""


@pytest.mark.parametrize(
    ("frames", "named"),
    [
        ((f"{SERVED}/worker/runner.py self.capture_model()",), "with --enforce-eager"),
        ((f"{SERVED}/spec_decode/proposer.py",), "without --speculative-config"),
        ((f"{SITE}/deepspeed/runtime/zero/stage3.py",), '{"stage": 2}'),
        ((f"{SITE}/transformers/integrations/sdpa_attention.py",), 'attn_implementation="eager"'),
        ((f"{SITE}/torch/_inductor/graph.py",), "TORCHDYNAMO_DISABLE=1"),
    ],
    ids=["graph", "speculative", "zero", "attention", "compile"],
)
def test_the_frames_name_the_part(frames: tuple[str, ...], named: str) -> None:
    assert named in said(failing(*frames))


def test_the_innermost_frame_counts() -> None:
    outer, inner = f"{SERVED}/compilation/acl_graph.py", f"{SERVED}/lora/punica_npu.py"
    assert "--enable-lora" in said(failing(outer, inner))


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (f"{SERVED}/worker/x.py load(revision=1)", "ZorkError: strange things"),
        (f"{SERVED}/worker/x.py", "ZorkError: a provisional grade of a programmar"),
        (f"{SERVED}/lora/x.py", "ConnectionError: HTTPSConnectionPool(host='foo.co'): Max retries exceeded"),
        (f"{SERVED}/lora/x.py", "ValueError: rank must be one of [8, 16], got 7"),
    ],
    ids=["in a word of the code", "in a word of the message", "the network", "a value of an option"],
)
def test_what_is_not_of_the_part_names_none(frame: str, text: str) -> None:
    assert said(failing(frame, text=text)) == ""


def test_what_the_project_raises_is_of_no_part_that_called_it() -> None:
    worker, own = f"{SITE}/torch/utils/data/_utils/worker.py", "/home/me/data.py return self.rows[i]"
    assert "num_workers=0" in said(failing(own, worker))
    assert said(failing(worker, own)) == ""
    assert said(failing("/home/apex/train.py")) == ""


def test_an_option_is_one_of_a_library_that_takes_part() -> None:
    assert said(failing("/home/me/speculative/eagle.py")) == ""


def test_a_name_that_python_misses_is_of_no_part() -> None:
    text = "TypeError: run() got an unexpected keyword argument 'visual_masks'"
    assert said(failing(f"{SERVED}/worker/x.py", text=text)) == ""
    assert "--limit-mm-per-prompt" in said(failing(f"{SERVED}/worker/x.py", text="ZorkError: visual zork"))


def test_what_is_missing_is_of_no_part() -> None:
    assert said(failing(f"{SERVED}/lora/x.py", text="ModuleNotFoundError: No module named 'foo'")) == ""


def test_a_capture_is_of_graphs_wherever_its_operator_is_called() -> None:
    text = "RuntimeError: the stream is captured"
    assert "--enforce-eager" in said(failing(f"{SERVED}/ops/fused_moe/x.py", text=text))


def test_each_part_has_a_name_a_pattern_and_one_option() -> None:
    for row in rows("parts"):
        re.compile(row["pattern"])
        assert bool(row["with"]) != bool(row["without"])
        assert row["source"]
        for language in LANGUAGES:
            assert f"doctor.log.part.{row['part']}" in translated(language)
