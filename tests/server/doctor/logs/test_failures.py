"""A log's failures by their text, each once, with the place in the project and the rules there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpu2ascend.doctor.logs.failures import failures
from gpu2ascend.doctor.logs.places import library_of, place_of
from gpu2ascend.doctor.tables import rows
from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.messages import LANGUAGES, translated
from gpu2ascend_rules.options.options import options_from

from ..host import sample

LINES = {
    "cuda-build": "AssertionError: Torch not compiled with CUDA enabled",
    "map-location": "RuntimeError: Attempting to deserialize object on a CUDA device but ...",
    "source-tree": "ModuleNotFoundError: No module named 'torch_npu._C'",
    "no-torch-npu": "ModuleNotFoundError: No module named 'torch_npu'",
    "static-tls": "OSError: /lib/libgomp.so.1: cannot allocate memory in static TLS block",
    "driver-library": "ImportError: libascend_hal.so: cannot open shared object file: No such file",
    "cann-library": "ImportError: libhccl.so: cannot open shared object file: No such file or directory",
    "undefined-symbol": "ImportError: /x/torch_npu/lib/libtorch_npu.so: undefined symbol: _ZN3c1017Reg",
    "two-accelerators": "RuntimeError: Two accelerators cannot be used at the same time in PyTorch: ...",
    "compile-option": "RuntimeError: InnerRun:AclSetCompileopt failed, error code is 500001",
    "out-of-memory": "RuntimeError: NPU out of memory. Tried to allocate 20.00 MiB (NPU 0; 60.97 GiB total",
    "module-path": "ModuleNotFoundError: No module named 'mypkg.models'",
    "cann-python": "ModuleNotFoundError: No module named 'tbe'",
    "no-nccl": "RuntimeError: Distributed package doesn't have NCCL built in",
    "cpu-fallback": "Warning: CAUTION: The operator 'aten::isin.Tensor_Tensor_out' is not currently supported"
    " on the NPU backend and will fall back to run on the CPU.",
}
SEEN = {
    "RuntimeError: npuSynchronizeDevice:NPUStream.cpp:455 NPU error: x, error code is 507018": "aicore",
    "[Error]: The vector core execution is abnormal.": "aicore",
    "[Error]: The aicpu execution times out.": "task-timeout",
    "RuntimeError: The DDR address of the MTE instruction is out of range.": "aicore",
    "EZ9903: [PID: 4] rtKernelLaunchWithHandleV2 failed: 507899": "device-busy",
    "ACL stream synchronize failed, error code:507046": "task-timeout",
    "RuntimeError: aclopCreateHandle, error code is 100024": "no-kernel",
    "RuntimeError: aclmdlInitDump, error code is 100044": "cann-setting",
    "RuntimeError: aclrtFoo, error code is 100098": "family-runtime",
    "EL0012: [PID: 7] The service queue is full.": "handles",
    "EL0099: [PID: 7] Something new.": "family-runtime",
    "EE1011: [PID: 7] rtFoo failed. Value 9 for parameter devId is invalid.": "cann-argument",
    "[PID: 7] E21001: Failed to open file /x/ops.json.": "cann-file",
    "ERR03006 GRAPH memory error": "out-of-memory",
    "[rank3]: EI0006: [PID: 123] 2025-04-01-10:11:12 Getting socket times out.": "socket-timeout",
    "Communication_Error_Get_Socket(EI0006): connection to rank 3": "socket-timeout",
    "EI0021: [PID: 5] something new in HCCL": "family-hccl",
    "EE9999[PID: 1] 2026-02-03 (EE9999): Inner Error!": "runtime-internal",
    "EZ9999: Inner Error! [PID: 8] Cannot find bin of op Range": "no-kernel",
    "Op ArgMaxV2 does not has any binary.": "no-kernel",
    "call aclnnFlashAttentionScore failed, detail:EZ9999: Inner Error! Do tiling failed": "operator-limit",
    "RuntimeError: numHeads / numKvHeads = 8, MLA only support {32, 64, 128}.": "operator-limit",
    "RuntimeError: call aclnnMm failed, errno: 161002": "operator-argument",
    "E39999: Inner Error! TsdOpen failed": "device-busy",
    "E39999: Inner Error! something new": "family-graph",
    "ERR02005 DIST internal error": "family-torch-npu",
    "ImportError: libatb.so: cannot open shared object file: No such file or directory": "atb-library",
    "torch.OutOfMemoryError: NPU out of memory. Tried to allocate 2 GiB": "out-of-memory",
    "[W] aclrtMalloc, error code is 207018": "out-of-memory",
    "AttributeError: module 'torch_npu.npu' has no attribute 'ExternalStream'": "torch-npu-name",
    "[HcclSocket][Listen] ip[10.0.0.1] and specific port[16666] fail": "npu-port",
    "OSError: [Errno 98] Address already in use": "port-in-use",
    "[E compiler_depend.ts:429] [Rank 3] Watchdog caught collective operation timeout": "notify-timeout",
    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:": "elastic",
    "  exitcode  : -9 (pid: 123)": "killed",
    "RuntimeError: HCCL error in: hcclCommInitRootInfoConfig, error code is 19": "hccl-connect",
    "[rank1]: RuntimeError: Tensors must be contiguous": "hccl-argument",
    "RuntimeError: Expected all tensors to be on the same device, found npu:0 and cpu!": "tensor-on-cpu",
    "RuntimeError: Failed to infer device type": "no-device",
    "[ERROR] HBM MULTI BIT ECC ERROR.": "device-memory-error",
    "triton.compiler.errors.MLIRCompilationError: ///---": "triton-compile",
    "ValueError: sizes must be positive": "shape",
    "torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:": "inductor",
    "RuntimeError: moe dispatch: HCCL_BUFFSIZE is too SMALL, set at least 2048": "hccl-buffer",
    "AttributeError: module 'numpy' has no attribute 'bool'": "numpy-names",
    "RuntimeError: operator torchvision::roi_align does not exist": "torchvision-pair",
    "RuntimeError: Expected a 'npu' device type for generator but found 'cpu'": "generator-device",
    "RuntimeError: cannot pin 'torch.npu.HalfTensor' only dense CPU tensors can be pinned": "pin-memory",
    "ERROR: Package 'x' requires a different Python: 3.8.10 not in '>=3.9'": "python-version",
    "RuntimeError: this fused kernel is not supported on Ascend310P3": "chip-unsupported",
    "[E:onnxruntime] CANNGRAPH failure -1: GRAPH_FAILED ; NPU=0 ; expr=ge::aclgrphBuildModel": "onnx-graph",
    "ValueError: tokenizer.chat_template is not set and no template was given": "chat-template",
    "ValueError: Image features and image tokens do not match: tokens: 7, features 9": "image-tokens",
    "ValueError: This model's maximum context length is 4096 tokens": "context-length",
    "RuntimeError: coreDim=70000 can't be greater than UINT16_MAX": "triton-grid",
    "OSError: [Errno 116] Stale file handle: '/mnt/share/x'": "file-system",
    "error: externally-managed-environment": "pip-environment",
    "[ERROR]Drv_dkms_env_check failed": "driver-install",
    "[Toolkit] [20250101-10:00:00] [ERROR] the package does not fit this machine": "cann-install",
    "E10002: Value [x] of option [--input_shape] has no name": "atc-option",
    "RuntimeError: HCCL function error: f(), error code is 11": "hccl-connect",
    "RuntimeError: HCCL function error: f(), error code is 16": "hccl-device",
    "RuntimeError: HCCL function error: f(), error code is 1": "hccl-parameter",
    "RuntimeError: HCCL function error: f(), error code is 7": "port-in-use",
    "AssertionError": "assertion",
    "KeyError: 'nothing_of_the_kind'": "missing-key",
    "ModuleNotFoundError: No module named 'mindspeed.core.foo'": "part-of-library",
    "RuntimeError: Only torch.contiguous_format or torch.preserve_format is supported.": "memory-format",
    "Assertion `(0 <= val && val < this->size_)' Index 9 out of range[0 9)!": "index-range",
    "TypeError: _jit_script() got an unexpected keyword argument 'foo'": "transfer-to-npu",
    "Warning  FailedScheduling  0/3 nodes: Insufficient huawei.com/Ascend910": "kubernetes",
    "Host key verification failed.": "ssh",
    "failed to get device health: ret code: -8010": "device-plugin",
    "EZ9999: The first dim of x should be 8.[FUNC:F][FILE:foo_tiling.cpp][LINE:1]": "operator-limit",
    "RuntimeError: Cannot access accelerator device when none is available.": "not-imported",
    "ImportError: /opt/Ascend/cann/lib64/libfoo.so: undefined symbol: _ZN3barEv": "cann-mixed",
    "error: no member named 'Foo' in namespace 'AscendC'": "ascendc-source",
    "RuntimeError: trying to initialize the default process group twice!": "process-group",
    "ValueError: Target modules ['foo'] not found in the base model": "lora-target",
    "RuntimeError: value cannot be converted to type at::Half without overflow": "half-overflow",
    "ValueError: num_samples should be positive, but got num_samples=0": "empty-data",
    "RuntimeError: No input files found in photos": "empty-data",
    "[Find][LocalHostIP]ip[10.0.0.1] of [eth7] is not found in the nic list": "host-interface",
    "Some ranks tlsStatus are inconsistent": "tls",
    "E89999: op[Foo_1] op dtype is not same, type1:DT_FLOAT, type2:DT_INT64": "graph-infer",
    "RuntimeError: tensor's device must be `meta`, got cpu instead": "meta-function",
    "[ERROR] create channel failed, Error 0xA0058003": "dvpp",
    "[server] [ERROR] [MIE04E02041C] cannot listen": "mindie",
    "ValueError: Running send on global rank 3 which does not belong to the given group": "group-member",
    "RuntimeError: Unsupported device target Ascend": "mindspore-device",
    "RuntimeError: Unsupported statement 'Try'.": "mindspore-graph",
    "RuntimeError: Exception thrown from dataset pipeline.": "mindspore-data",
    "[ERROR] Failed to connect to the meta server node": "mindspore-cluster",
    "TypeError: Failed calling Foo with 'Foo(Tensor)'. The valid calling should be": "mindspore-operator",
    "[ERROR] DRV(12,python): [foo.c] something new went wrong": "family-driver",
    "[ERROR] HCCP(12,python): [foo.c] something new went wrong": "family-hccl",
    "NameError: name 'torch_npu' is not defined": "not-imported",
    "bash: torchrun: command not found": "command-missing",
    "[ERROR] TBE subprocess ended": "unknown",
    "AttributeError: 'PPMissingLayer' object has no attribute 'norm'": "pipeline-layer",
    "RuntimeError: There is no current event loop in thread 'Worker-1'.": "event-loop",
    "AssertionError: 3 layers are not correctly initialized": "unloaded-layers",
    "AssertionError: no cached item for mm_hash='f00'": "multimodal-cache",
    "TypeError: unhashable type: 'dict'": "unhashable",
    "ImportError: cannot import name '_version' from 'someplugin'": "part-of-library",
    "ValueError: could not broadcast input array from shape (3,) into shape (4,)": "shape",
    "AssertionError: Shape: 4097 out of considered ranges: [(1, 4096)]": "kv-cache",
    "AttributeError: 'LlamaForCausalLM' object has no attribute 'save_checkpoint'": "not-wrapped",
    "RuntimeError: An attempt has been made to start a new process before x": "main-guard",
    "RuntimeError: the tensor's data is not allocated yet": "no-storage",
    "CppCompileError: C++ compile error": "compiler-for-graphs",
    "HCCL error: communication failure": "rank-timeout",
    "a.cpp:3:1: error: 'RunOp' is not a member of 'at_npu::native::OpCommand'": "build-versions",
    "maskDim 0 shall be 2048": "attention-arguments",
    "ERROR CheckIniMatch failed, Supported Combs: x": "atb-arguments",
    "AssertionError: train_batch_size must be a multiple of 24": "batch-sizes",
    "ValueError: not enough values to unpack (expected 3, got 2)": "returns-differ",
    "RuntimeError: aten.mul: got mixed torch.Tensor and DTensor": "dtensor-mixed",
    "RuntimeError: aclnnFooDispatch not found": "operators-not-installed",
    "NameError: name 'x1' is not defined": "inductor",
    "ValueError: FRACTAL_NZ mode is enabled, which RL cannot use": "nz-format",
    "AssertionError: Expandable segments are not compatible with this pool": "expandable-and-pool",
    "RuntimeError: SOC_VERSION ascend310p3 is not supported": "other-chip",
    "TypeError: 'NoneType' object is not callable": "optional-missing",
    "[ERROR] HCCL LINK_ERROR_INFO of device 3": "link-down",
    "omegaconf.errors.ConfigAttributeError: Key 'rollout' is not in struct": "configuration",
    "RuntimeError: scatter(): Expected self.dtype to be equal to src.dtype": "dtype",
    "pkg_resources.ContextualVersionConflict: (numpy 2.1, ...)": "versions-conflict",
    "run.sh: line 3: torchrun: command not found": "command-missing",
    "the socversion Ascend310P3 of bin package does not match Ascend910B1": "other-chip",
    "ImportError: libfoo_kernels.so: undefined symbol: aclrtFooBar": "not-in-opapi",
    "AttributeError: module 'torch_npu' has no attribute 'synchronize'": "torch-npu-module",
    "CMake Error: No CMAKE_C_COMPILER could be found.": "build-failed",
    "errorStr: Illegal instruction, usually caused by unaligned UUB addresses": "unaligned",
    "[ERROR] RUNTIME(7,python):Memory async copy failed, device_id=1": "copy-failed",
    "op.asc:3:1: error: unknown type name 'pipe'": "ascendc-source",
    "The current installation package and environment is not match": "driver-host",
    "ACL_ERROR_RT_STREAM_SYNC_TIMEOUT": "task-timeout",
    "IndexError: invalid index of a 0-dim tensor. Use `tensor.item()` first": "tensor-to-python",
    "CheckpointError: trying to save more tensors during recomputation than before": "recomputed-differs",
    "RuntimeError: none of output has requires_grad=True, x": "checkpoint-frozen",
    "RuntimeError: probability tensor contains either `inf` or so": "sampling-nan",
    "RuntimeError: Found dtype Double but expected Half": "dtype",
    "RuntimeError: found at least two devices, npu:2 and npu:5!": "two-npus",
    "ImportError: libfoo.so.6: version `GLIBC_2.77' not found (required by x)": "system-glibc",
    "ImportError: libfoo.so.6: version `GLIBCXX_9.9' not found (required by x)": "system-library",
    "KeyError: 'FooNet is not in the bar registry'": "registry",
    "AttributeError: 'FooSampler' object has no attribute 'set_epoch'": "sampler",
    "ValueError: Template foo_bar does not exist.": "template",
    "ValueError: Undefined dataset foo in dataset_info.json.": "dataset-info",
    "KeyError: 'conversations'": "data-fields",
    "pyarrow.lib.ArrowInvalid: Column(/a) changed from number to array in row 2": "data-types",
    "ValueError: Column name foo not in the dataset. Current columns in the dataset: ['b']": "data-columns",
    "ValueError: Unknown split \"foo\". Should be one of ['train'].": "data-split",
    "ValueError: Adapter with name 'foo' does not exist.": "adapter-name",
    "AssertionError: foo group is already initialized": "initialized-twice",
    "AssertionError: First dimension of the tensor should be divisible by 4": "sequence-multiple",
    "AssertionError: Check batch related parameters. 3 != 1 * 1 * 2": "ds-batch",
    "TypeError: FooTrainer.compute_loss() got an unexpected keyword argument 'bar'": "trainer-method",
    "AssertionError: Non-root FSDP instance's x": "fsdp-root",
    "AssertionError: num_elems 9> buffer 8": "nvme-offload",
    "KeyError: 'master_param'": "saved-optimizer",
    "foo-1.0-cp39-cp39-linux_aarch64.whl is not a supported wheel on this platform.": "wheel-tag",
    "ModuleNotFoundError: No module named 'foo._C'": "native-part",
    "RuntimeError: Failed to connect to GCS at address 10.0.0.1:1": "ray-head",
    "[c10d] recvValue failed on SocketImpl(fd=1): x": "store-lost",
}
"""Lines as logs have them, with what the table makes of them; no pattern quotes one."""
TRACEBACK = """\
Traceback (most recent call last):
  File "/home/them/job/pkg/train.py", line 4, in main
    x = torch.ones(2).cuda()
  File "/opt/conda/lib/python3.10/site-packages/torch/cuda/__init__.py", line 310, in _lazy_init
    raise AssertionError("Torch not compiled with CUDA enabled")
AssertionError: Torch not compiled with CUDA enabled
"""


@pytest.mark.parametrize("name", LINES)
def test_a_line_is_recognised(name: str) -> None:
    assert [failure.name for failure in failures([LINES[name]])] == [name]


@pytest.mark.parametrize("line", SEEN)
def test_a_line_of_a_real_log_is_understood(line: str) -> None:
    assert [failure.name for failure in failures(["epoch 1", line])] == [SEEN[line]]


def test_a_line_of_the_error_level_is_an_error_although_it_speaks_of_info() -> None:
    log = "[ERROR][ncx.cpp:208] frobnicating failed, ret = 254, dump info: 1"
    assert [one.name for one in failures([log])] == ["unknown"]
    assert not failures([log.replace("ERROR", "INFO")])


def test_an_unknown_error_is_the_last_exception_with_the_operator_of_the_log() -> None:
    log = [*TRACEBACK.splitlines()[:3], "KeyError: 'a'", "call aclnnFooBar", "ValueError: no such thing"]
    (found,) = failures(log)
    assert (found.name, found.text, found.operator) == ("unknown", "ValueError: no such thing", "aclnnFooBar")
    assert found.frames[0].path.endswith("train.py")


def test_an_exception_without_a_text_is_known_by_the_line_of_code() -> None:
    frame, *_ = TRACEBACK.splitlines()[1:2]
    log = [frame, "    assert param.shape == loaded_weight.shape", "AssertionError"]
    assert [found.name for found in failures(log)] == ["checkpoint"]
    assert [found.name for found in failures([frame, "    assert a == b", "AssertionError"])] == ["assertion"]


def test_the_line_of_code_is_found_behind_what_launchers_and_loggers_write() -> None:
    before = "[rank1]: (Worker pid=7) ERROR 01-02 03:04:05 [core.py:6] "
    frame = f'{before}  File "/home/them/job/pkg/train.py", line 4, in main'
    (found,) = failures([frame, f"{before}    assert state.ready", f"{before}AssertionError"])
    assert (found.name, found.said["condition"]) == ("assertion", "state.ready")


@pytest.mark.parametrize("name", ["BadFooFile", "[rank0]: them.StopFoo", "FooInvalid"])
def test_below_the_frames_an_exception_may_have_any_name(name: str) -> None:
    log = [*TRACEBACK.splitlines()[:3], f"{name}: no such thing"]
    (found,) = failures(log)
    assert (found.name, found.line) == ("unknown", 4)
    assert failures([f"{name}: no such thing"]) == []


def test_an_operator_that_refuses_an_argument_is_named_as_the_one_who_did() -> None:
    refused = "RuntimeError: The expert count must not be negative"
    (found,) = failures([refused, "[ERROR] 2026-01-02 (PID:7) ERR01002 OPS invalid type"])
    assert found.said["refuser"] == "operator"
    assert "refuser" not in failures([refused])[0].said


def test_a_vague_row_does_not_hide_a_later_exception() -> None:
    found = failures(["KeyError: 'a'", "During handling of this another came", "FooError: no such thing"])
    assert [(one.name, one.line) for one in found] == [("unknown", 3)]


def test_a_note_does_not_explain_an_exception() -> None:
    found = failures([LINES["cpu-fallback"], "ValueError: no such thing"])
    assert {failure.name for failure in found} == {"unknown", "cpu-fallback"}


def test_what_follows_of_a_failure_comes_after_it() -> None:
    log = ["Watchdog caught collective operation timeout", "ERR02200 DIST call hccl api failed",
           "[Error]: The vector core execution is abnormal."]  # fmt: skip
    assert [(found.name, found.kind) for found in failures(log)] == [
        ("aicore", "cause"), ("notify-timeout", "follows"),
    ]  # fmt: skip


def test_what_is_a_failure_only_at_the_end_of_a_log() -> None:
    line = "Using /root/.cache/torch_extensions/py38_cpu as PyTorch extensions root..."
    assert [found.name for found in failures([line, ""])] == ["extension-lock"]
    assert failures([line, "epoch 1"]) == []


@pytest.mark.parametrize(("log", "name"), [("log_ei0006", "socket-timeout"), ("log_ej0001", "hccp-busy")])
def test_recorded_logs(log: str, name: str) -> None:
    assert [failure.name for failure in failures(sample(log).splitlines())] == [name]


def test_a_failure_is_listed_once_where_it_is_first() -> None:
    (found,) = failures(["epoch 1", LINES["out-of-memory"], LINES["out-of-memory"]])
    assert (found.line, found.lines) == (2, 2)


def test_numbers_of_lines_that_look_alike_are_codes_all_the_same() -> None:
    log = [
        "wait for the stream, result = 0",
        "wait for the stream, result = 507011",
        "EI0001 here",
        "EI0006 here",
    ]
    assert [found.name for found in failures(log)] == ["model-execution", "hccl-variable", "socket-timeout"]


def test_a_log_without_failures_has_none() -> None:
    assert failures(["epoch 1 loss 0.3", "saved to /data/cuda_runs"]) == []


def test_the_innermost_line_of_the_project_is_named_with_its_rules(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "train.py").write_text("import torch\n\ndef main():\n    x = torch.ones(2).cuda()\n")
    failure = next(one for one in failures(TRACEBACK.splitlines()) if one.name == "cuda-build")
    place = place_of(failure, tmp_path, options_from({"version": "2.8.0"}))
    assert place is not None and (Path(place.path).name, place.line) == ("train.py", 4)
    assert place.rules == ("NPU110",)


def test_without_a_project_the_place_is_that_of_the_log() -> None:
    failure = failures(TRACEBACK.splitlines())[-1]
    place = place_of(failure, None, options_from({"version": "2.8.0"}))
    assert place == ("/home/them/job/pkg/train.py", 4, ())


LIBRARY = """Traceback (most recent call last):
  File "/home/them/job/serve.py", line 4, in main
    engine.start(queue)
  File "/usr/lib/python3.11/site-packages/fastserve/engine.py", line 31, in start
    return self.run(torch.stack(items))
  File "/usr/lib/python3.11/site-packages/torch/functional.py", line 9, in stack
    return _stack(items)
{error}
"""


@pytest.mark.parametrize(
    ("error", "library"),
    [
        ("TypeError: 'NoneType' object is not iterable", "fastserve"),
        ("StrangeError: of nobody's table", "fastserve"),
        ("ModuleNotFoundError: No module named 'torch_npu'", ""),
    ],
)
def test_a_failure_known_by_its_class_names_the_library_that_met_it(error: str, library: str) -> None:
    """torch itself refuses what others give it; a certain cause needs no library."""
    failure = failures(LIBRARY.format(error=error).splitlines())[0]
    assert library_of(failure) == library


def test_a_failure_in_own_code_names_no_library() -> None:
    lines = LIBRARY.replace("site-packages/fastserve", "work").format(error="StrangeError: x").splitlines()
    assert library_of(failures(lines)[0]) == ""


def test_a_frame_never_leads_out_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("x = 1\n")
    (tmp_path / "project").mkdir()
    log = 'File "/a/../secret.py", line 1, in f\nAssertionError: Torch not compiled with CUDA enabled\n'
    (failure,) = failures(log.splitlines())
    assert place_of(failure, tmp_path / "project", options_from({"version": "2.8.0"})) is None


def test_every_row_has_its_texts_and_names_rules_that_exist() -> None:
    codes = {rule.code for rule in all_rules()}
    for row in rows("failures"):
        re.compile(row["pattern"])
        assert row["source"] and row["kind"] in (
            "root",
            "cause",
            "likely",
            "vague",
            "follows",
            "general",
            "note",
            "last",
        )
        assert row["codes"] or row["pattern"]
        assert set(filter(None, row["rules"].split(","))) <= codes
        for language in LANGUAGES:
            assert {f"doctor.log.{row['id']}.{part}" for part in ("cause", "remedy")} <= set(
                translated(language)
            )
