"""What a failure means is decided by the form of the line and by whose code raised it."""

from __future__ import annotations

import re
from string import Formatter

import pytest

from gpu2ascend.doctor.logs.failures import Failure, failures
from gpu2ascend.doctor.logs.frames import Frame
from gpu2ascend.doctor.logs.owners import owned_frames, owner_of_module, owner_of_words
from gpu2ascend.doctor.logs.reasons import Answer, answer_of
from gpu2ascend.doctor.logs.table import table
from gpu2ascend.doctor.tables import rows
from gpu2ascend.texts.catalogue import Texts
from gpu2ascend_rules.messages import LANGUAGES, translated

OWN = "/home/them/job/pkg/train.py"
FAST = "/usr/lib/python3.11/site-packages/fastserve/engine.py"
SETTINGS = "/usr/lib/python3.11/site-packages/fastserve/config/model.py"
PLUGIN = "/vllm-workspace/vllm-ascend/vllm_ascend/worker/worker.py"
TORCH = "/usr/lib/python3.11/site-packages/torch/functional.py"
COMPILED = "/usr/lib/python3.11/site-packages/torch_npu/_inductor/codegen/triton.py"
SCRIPTED = "/usr/lib/python3.11/site-packages/torch/jit/_script.py"
NPU = "/usr/lib/python3.11/site-packages/torch_npu/dynamo/__init__.py"
CANN = "/usr/local/Ascend/ascend-toolkit/latest/tools/transplant/bridge.py"
NO_NAME = "AttributeError: module 'torch_npu' has no attribute 'npu_foo'"
TWO_DEVICES = "RuntimeError: Expected all tensors to be on the same device, but found cpu and npu:0!"
NO_CUDA = "AssertionError: Torch not compiled with CUDA enabled"
CASES = (
    # what an operator or a compiler says of a call
    (
        (),
        "E69999: op[FooMul], k [7] must be even, actual [3][FUNC:Check][FILE:foo.cc][LINE:4]",
        "operator-limit.quoted",
        "k [7] must be even, actual [3]",
    ),
    (
        (),
        "E69999: op[FooMul], this platform takes transposed x2[FUNC:Check][FILE:foo.cc][LINE:4]",
        "operator-limit.chip",
        "FooMul takes less on this chip",
    ),
    ((), "RuntimeError: call aclnnFooMul failed, error code is 561002", "operator-limit.operator", "FooMul"),
    (
        (),
        "[ERROR] GE(7,python): Op type FooAnd of ops kernel AIcoreEngine is unsupported, reason : x",
        "operator-form.operator",
        "FooAnd",
    ),
    (
        (),
        "error: 'hfusion.foo' op operand #0 must be a tensor of floats",
        "triton-compile.quoted",
        "hfusion.foo",
    ),
    ((), "TVMError: unknown type foo4", "kernel-language", "TileLang"),
    (
        (),
        "RuntimeError: npu_foo_attention: layout must be BSH or TND",
        "operator-limit.quoted",
        "layout must be BSH or TND",
    ),
    ((), "NotImplementedError: \"foo_npu\" not implemented for 'Float'", "dtype", "data type"),
    # a line that wants CUDA, of which nothing else is known
    ((), "ValueError: Expected a cuda device, but got: npu", "library-cuda", "CUDA"),
    ((), "StrangeError: Foo Error [CUDA]: image is invalid", "library-cuda", "CUDA"),
    ((), "StrangeError: cannot read /opt/cuda/foo", "unknown.path", "/opt/cuda/foo"),
    ((), "FileNotFoundError: [Errno 2] No such file or directory: 'npu-smi'", "npu-smi-container", "driver"),
    # what is wrong with a file of weights
    (
        (),
        "_pickle.UnpicklingError: Weights only load failed. Re-run it",
        "checkpoint.unsafe",
        "weights_only=False",
    ),
    ((), "RuntimeError: Error(s) in loading state_dict for Net:", "checkpoint.differs", "config.json"),
    ((), "RuntimeError: PytorchStreamReader failed reading zip archive", "checkpoint.damaged", "checksum"),
    # whose code asks for what the NPU or its package does not have
    ((OWN,), NO_NAME, "torch-npu-name.own", "npu_foo"),
    ((OWN, PLUGIN), NO_NAME, "torch-npu-name.pair", "vllm-ascend"),
    ((OWN, NPU), NO_NAME, "torch-npu-name.own", "npu_foo"),
    ((NPU,), NO_NAME, "torch-npu-name.itself", ".postN"),
    ((OWN, CANN), NO_NAME, "torch-npu-name.cann", "torch_npu.contrib"),
    ((OWN, FAST, TORCH), TWO_DEVICES, "tensor-on-cpu.library", "fastserve"),
    ((OWN, TORCH), TWO_DEVICES, "tensor-on-cpu", "CPU"),
    ((OWN, FAST, TORCH), NO_CUDA, "cuda-build.library", "fastserve"),
    ((OWN, TORCH), NO_CUDA, "cuda-build", "migrate"),
    (
        (),
        "NotImplementedError: Operator npu.foo.default does not have a sharding strategy registered.",
        "dtensor-operator",
        "npu.foo.default",
    ),
    (
        (),
        "EZ9999: Aicore kernel execute failed, fault kernel_name=te_foograd_056c4a3260bed2722ace, x",
        "aicore.operator",
        "foograd",
    ),
    (
        (),
        "EZ3003: No supported Ops kernel and engine are found for [Foo1], optype [FooGrad].",
        "no-kernel.operator",
        "FooGrad",
    ),
    # a module that is missing
    ((), "ModuleNotFoundError: No module named 'warp_ctc'", "module-path.cuda", "warp_ctc"),
    ((), "ModuleNotFoundError: No module named 'deep_ep'", "module-path.replaced", "sgl-kernel-npu"),
    ((), "ModuleNotFoundError: No module named 'opc_tool'", "module-path.cann", "set_env.sh"),
    ((), "ModuleNotFoundError: No module named 'nobodys'", "module-path.install", "nobodys"),
    ((OWN,), "ModuleNotFoundError: No module named 'utils.misc'", "module-path.own", "utils.misc"),
    ((), "AttributeError: module 'somelib' has no attribute '__version__'", "module-path.shadow", "somelib"),
    ((), "ModuleNotFoundError: No module named 'vllm.v1.gone'", "part-of-library.pair", "vllm-ascend"),
    ((), "ModuleNotFoundError: No module named 'peft.gone'", "part-of-library.library", "peft"),
    # a name that is missing
    ((), "AttributeError: 'AscendFoo' object has no attribute 'bar'", "versions-differ.pair", "vllm-ascend"),
    ((OWN,), "AttributeError: module 'peft' has no attribute 'bar'", "versions-differ.call", "peft"),
    ((FAST,), "AttributeError: module 'peft' has no attribute 'bar'", "versions-differ.library", "fastserve"),
    ((), "AttributeError: module 'peft' has no attribute 'bar'", "versions-differ.plain", "peft"),
    ((OWN,), "AttributeError: 'Net' object has no attribute 'bar'", "versions-differ.own", ""),
    (
        (OWN,),
        "TypeError: Net.forward() missing 1 required positional argument: 'x'",
        "versions-differ.signature",
        "Net",
    ),
    ((), "AttributeError: 'FooConfig' object has no attribute 'bar'", "versions-differ.config", "bar"),
    ((OWN,), "AttributeError: 'list' object has no attribute 'bar'", "wrong-type.own", ""),
    ((FAST,), "TypeError: 'int' object is not subscriptable", "wrong-type.library", "fastserve"),
    ((), "AttributeError: 'DeepSpeedEngine' object has no attribute 'bar'", "wrapped", "bar"),
    # a value that is missing
    ((OWN, TORCH), "TypeError: 'NoneType' object is not iterable", "none-value.own", ""),
    ((OWN, FAST), "TypeError: 'NoneType' object is not iterable", "none-value.library", "fastserve"),
    ((OWN, SETTINGS), "TypeError: 'NoneType' object is not iterable", "none-value.settings", "fastserve"),
    ((), "KeyError: 'MY_VARIABLE'", "missing-key.variable", "MY_VARIABLE"),
    ((OWN,), "KeyError: 'CUDA_HOME'", "none-value.cuda", ""),
    ((), "KeyError: 'npu'", "missing-key.device", "npu"),
    ((OWN,), "KeyError: 'labels'", "missing-key.own", "labels"),
    ((FAST,), "KeyError: 'labels'", "missing-key.library", "fastserve"),
    ((OWN,), "IndexError: list index out of range", "short-list.own", ""),
    ((FAST,), "IndexError: tuple index out of range", "short-list.library", "fastserve"),
    ((FAST,), "RecursionError: maximum recursion depth exceeded", "recursion.library", "fastserve"),
    # a check of the code
    ((PLUGIN,), "AssertionError: Foo config is not set", "used-too-early.pair", "vllm"),
    ((OWN,), "AssertionError: Foo config is not set", "used-too-early.own", ""),
    ((SETTINGS,), "ValueError: x must be 1", "refused.settings", "fastserve"),
    ((OWN,), "ValueError: x must be 1", "refused.own", ""),
    (
        (),
        "RuntimeError: no pool was set. Use foo.set_pool to specify one.",
        "used-too-early.call",
        "foo.set_pool",
    ),
    # a kernel, a file
    (
        (),
        "NotImplementedError: Could not run 'foo::bar' with arguments from the 'NPU' backend",
        "no-npu-operator.library",
        "foo",
    ),
    (
        (),
        "NotImplementedError: Could not run 'aten::bar' with arguments from the 'SparseNPU' backend",
        "no-npu-operator.layout",
        "Sparse",
    ),
    (
        (),
        "FileNotFoundError: [Errno 2] No such file or directory: 'nvidia-smi'",
        "no-file.cuda",
        "nvidia-smi",
    ),
    ((), "FileNotFoundError: [Errno 2] No such file or directory: '/m/config.json'", "no-file.model", "/m"),
    # nothing is known but who raised it
    ((OWN,), "StrangeError: no such thing", "unknown.own", ""),
    ((FAST,), "StrangeError: no such thing", "unknown.library", "fastserve"),
    ((OWN, COMPILED), "StrangeError: no such thing", "refused.compile", "npugraph_ex"),
    ((PLUGIN,), "StrangeError: no such thing", "unknown.pair", "vllm"),
    ((OWN, SCRIPTED), "StrangeError: no such thing", "jit-fuser", "jit.script"),
)


def log(paths: tuple[str, ...], error: str, code: str = "f(x)") -> list[str]:
    frames = (line for path in paths for line in (f'  File "{path}", line 3, in f', f"    {code}"))
    return ["Traceback (most recent call last):", *frames, error]


def answer(paths: tuple[str, ...], error: str, code: str = "f(x)") -> Answer:
    return answer_of(failures(log(paths, error, code))[0])


@pytest.mark.parametrize(
    ("paths", "error", "text", "names"), CASES, ids=[f"{c[2]}-{c[1][:30]}" for c in CASES]
)
def test_the_answer_is_of_the_form_and_the_owner(
    paths: tuple[str, ...], error: str, text: str, names: str
) -> None:
    found = answer(paths, error)
    assert found.cause.id == f"doctor.log.{text}.cause"
    said = "".join(Texts("en").of(message) for message in (found.cause, found.remedy))
    assert names in said and "{" not in said


def test_a_value_of_cuda_that_is_none_is_known_by_the_line() -> None:
    error = "TypeError: expected str, bytes or os.PathLike object, not NoneType"
    codes = ("join(CUDA_HOME, name)", "join(folder, name)")
    assert [answer((FAST,), error, code).cause.id for code in codes] == [
        "doctor.log.none-value.cuda.cause", "doctor.log.none-value.library.cause",
    ]  # fmt: skip


def test_a_command_is_shown_where_its_names_are_known() -> None:
    error = "PicklingError: Can't pickle <class '{}.A'>: it's not the same object as {}.A"
    assert answer((), error.format("vllm", "vllm")).command == "pip show vllm"
    assert answer((), error.format("their", "their")).command == ""


def test_a_text_gets_the_arguments_that_it_names() -> None:
    found = answer((FAST,), "ModuleNotFoundError: No module named 'deep_ep'")
    names = {
        field
        for language in LANGUAGES
        for message in (found.cause, found.remedy)
        for _, field, _, _ in Formatter().parse(translated(language)[message.id])
        if field
    }
    given = {name for message in (found.cause, found.remedy) for name, _ in message.arguments}
    assert given == names != set()


def test_a_root_comes_before_what_it_explains() -> None:
    log = ["RuntimeError: aclrtFoo, error code is 207004", "EE1001: set ASCEND_RT_VISIBLE_DEVICES:9 error"]
    assert [one.name for one in failures(log)] == ["visible-devices", "no-device"]
    assert [one.name for one in failures(log[:1])] == ["no-device"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_row_is_rendered(language: str) -> None:
    texts = Texts(language)
    for row in table():
        found = answer_of(
            Failure(name=row.name, line=1, text="x", said=dict.fromkeys(groups_of(row.name), "x"))
        )
        assert texts.of(found.cause) and texts.of(found.remedy)


def test_a_condition_without_words_is_quoted() -> None:
    found = answer((PLUGIN,), "AssertionError", "assert isinstance(device, torch.device)")
    assert "isinstance(device, torch.device)" in Texts("en").of(found.cause)


def test_a_condition_on_cuda_in_the_project_is_migrated() -> None:
    conditions = ("torch.cuda.is_available()", "torch.npu.is_available()")
    assert [answer((OWN,), "AssertionError", f"assert {text}").cause.id for text in conditions] == [
        "doctor.log.cuda-build.cause", "doctor.log.assertion.own.cause",
    ]  # fmt: skip


def test_a_message_may_begin_on_the_line_after_the_name() -> None:
    (found,) = failures(["RuntimeError:", "input tensor is too large", "epoch 2"])
    assert (found.name, found.line) == ("too-large", 2)
    assert [one.name for one in failures(["RuntimeError:"])] == ["unknown"]


def test_a_cpu_tensor_in_a_group_of_the_npu_is_no_missing_backend() -> None:
    error = "RuntimeError: No backend type associated with device type {}"
    assert [answer((), error.format(device)).cause.id for device in ("cpu", "npu")] == [
        "doctor.log.no-backend.cpu.cause", "doctor.log.no-backend.cause",
    ]  # fmt: skip


def test_the_owner_of_a_frame_is_that_of_its_folder() -> None:
    """An installed package, a checkout of a known one, and other code; Python's own library is left out."""
    paths = (
        OWN,
        PLUGIN,
        FAST,
        "/usr/lib/python3.11/asyncio/base.py",
        "<frozen importlib>",
        "/home/ray/train.py",
    )
    found = [owner.module for _, owner in owned_frames([Frame(path, 1) for path in paths])]
    assert found == ["", "fastserve", "vllm_ascend", ""]


@pytest.mark.parametrize(
    ("module", "role"),
    [("torch.nn", "torch"), ("vllm", "host"), ("vllm_ascend.ops", "plugin"), ("inspect", "python"),
     ("flash_attn", "cuda"), ("accelerate.utils", "library"), ("tbe", "cann")],
)  # fmt: skip
def test_the_role_of_a_module(module: str, role: str) -> None:
    owner = owner_of_module(module)
    assert owner is not None and owner.role == role


def test_words_name_an_owner_where_no_traceback_is() -> None:
    owner = owner_of_words("(Worker_TP0 pid=12) ERROR something")
    assert owner is not None and owner.module == "vllm"
    assert owner_of_words("something") is None


def test_a_path_of_a_log_writes_no_command() -> None:
    path = "/usr/lib/python3.11/site-packages/x; rm -rf ~/engine.py"
    assert "rm" not in answer((path,), "StrangeError: no such thing").command


STATED = {"path", "at", "code", "last", "building"}
"""What answers quote of a message and its frames."""


def groups_of(name: str) -> set[str]:
    """What the patterns of a failure take from a line."""
    patterns = (re.compile(row["pattern"]) for row in rows("failures") if row["id"] == name)
    return {group.rstrip("0123456789") for pattern in patterns for group in pattern.groupindex}


def test_each_reason_has_its_texts_and_names_a_failure() -> None:
    names = {row["id"] for row in rows("failures")} | {"unknown"}
    for row in rows("reasons"):
        re.compile(row["said"])
        ids = row["id"].split(",")
        assert set(ids) <= names
        own, _, of_other = row["text"].partition("/")
        stem = of_other or f"{row['id']}.{own}"
        known = groups_of(ids[0]) | STATED | {"package", "partner", "root", "raiser", "operator", "sentence"}
        for language in LANGUAGES:
            for part in ("cause", "remedy"):
                text = translated(language)[f"doctor.log.{stem}.{part}"]
                assert {field for _, field, _, _ in Formatter().parse(text) if field} <= known


def test_an_object_that_is_not_made_is_of_the_class_that_the_line_of_code_names() -> None:
    frame = Frame("/usr/lib/python3/site-packages/transformers/trainer.py", 7, "self.x = Accelerator(a=1)")
    said = {"type": "__init__", "name": "foo"}
    text = "TypeError: __init__() got an unexpected keyword argument 'foo'"
    found = Failure(name="versions-differ", line=1, text=text, frames=(frame,), said=said)
    assert dict(answer_of(found).cause.arguments) == {"package": "accelerate", "raiser": "transformers"}


def test_a_class_that_a_library_calls_without_its_name_is_of_that_library() -> None:
    """Several libraries have a Trainer; transformers is not meant where another one's wrapper calls it."""
    frame = '  File "/env/lib/python3.10/site-packages/lightning/pytorch/defaults.py", line 7, in insert'
    line = "TypeError: Trainer.__init__() got an unexpected keyword argument 'cards'"
    wrapped = failures([frame, "    return fn(self, **kwargs)", line])[0]
    assert ("package", "lightning") in answer_of(wrapped).cause.arguments
    plain = failures([line])[0]
    assert ("package", "transformers") in answer_of(plain).cause.arguments


def test_a_wrapper_of_an_exception_is_not_who_raised_it() -> None:
    line = "ray.exceptions.RayTaskError(ValueError): error message: ValueError: not enough values to unpack"
    assert answer_of(failures([line])[0]).cause.id == "doctor.log.returns-differ.cause"


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("ValueError: 12 samples are not divisible by num_generations 5", "not-divisible.numbers"),
        ("ValueError: num_heads 12 is not divisible by tensor parallel size 5", "not-divisible"),
        ("ValueError: Batch size (4) does not match number of answers (9)", "not-divisible.numbers"),
        ("ValueError: X is not for this kind of AutoModel: AutoModelForThings", "unknown-model.auto"),
        ("AttributeError: module 'transformer_engine' has no attribute 'tools'", "library-cuda.package"),
    ],
)
def test_a_broad_row_answers_only_for_what_its_message_is_about(line: str, answer: str) -> None:
    assert answer_of(failures([line])[0]).cause.id == f"doctor.log.{answer}.cause"
