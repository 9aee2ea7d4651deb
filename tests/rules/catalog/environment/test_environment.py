"""Environment variables and commands: every row of the table, versions, traps and values."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.data import load_tsv
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.flow.subjects.environment import variable_for
from gpu2ascend_rules.messages import catalogue
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.model.versions import NEWEST, SUPPORTED_VERSIONS, Version
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.catalog.saying import said
from tests.rules.control import found_before
from tests.rules.fixing import migrated

ROWS = load_tsv("environment")
LATEST = NEWEST


def findings(text: str, version: str = "2.8.0") -> list[tuple[str, str]]:
    found = check(SourceFile(text), options_from({"version": version, "select": ["NPU9"]}))
    return [(item.code, item.applicability.value) for item in found]


def _release(text: str) -> tuple[int, ...]:
    """2.7 of 2.7.1: a bound names a release, with each patch of it."""
    return tuple(int(part) for part in text.split(".")[:2])


def _holds(row: dict[str, str], version: str) -> bool:
    """Whether a row is of a version."""
    return _release(row["since"] or "0.0") <= _release(version) <= _release(row["until"] or "99.0")


class TestTable:
    @pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['variable']}-{row['since']}")
    def test_a_row_is_complete(self, row: dict[str, str]) -> None:
        assert row["treatment"] in ("rename", "similar", "drop", "ignored", "advise", "keep")
        assert bool(row["target"]) is (row["treatment"] in ("rename", "similar"))
        assert row["source"]

    @pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['variable']}-{row['since']}")
    def test_its_advice_is_a_message(self, row: dict[str, str]) -> None:
        rule = "NPU903" if row["treatment"] in ("drop", "ignored") else "NPU901"
        assert not row["advice"] or f"{rule}.{row['advice']}" in catalogue("en")

    @pytest.mark.parametrize("version", SUPPORTED_VERSIONS, ids=str)
    def test_no_two_rows_of_a_variable_hold_for_one_version(self, version: Version) -> None:
        holding = [row["variable"] for row in ROWS if _holds(row, str(version))]
        assert len(holding) > 30
        assert [name for name in holding if holding.count(name) > 1] == []

    def test_the_longest_entry_decides(self) -> None:
        drop = variable_for("NCCL_IB_HCA", LATEST)
        assert drop is not None and drop.advice == "network"
        other = variable_for("NCCL_CHECKS_DISABLE", LATEST)
        assert other is not None and other.advice == "nccl"
        assert variable_for("MY_CUDA_FLAG", LATEST) is None


@pytest.mark.parametrize(
    ("version", "target"),
    [
        ("2.1.0", "HCCL_BLOCKING_WAIT"),
        ("2.6.0", "HCCL_BLOCKING_WAIT"),
        ("2.7.1", "TORCH_HCCL_BLOCKING_WAIT"),
        ("2.8.0", "HCCL_BLOCKING_WAIT"),
        ("2.9.0", "TORCH_HCCL_BLOCKING_WAIT"),
        ("2.13.0", "TORCH_HCCL_BLOCKING_WAIT"),
    ],
)
def test_of_two_names_the_one_is_written_that_the_release_reads(version: str, target: str) -> None:
    for name in ("NCCL_BLOCKING_WAIT", "TORCH_NCCL_BLOCKING_WAIT"):
        text = f"import os\nos.environ['{name}'] = '1'\n"
        assert migrated(text, version) == f"import os\nos.environ['{target}'] = '1'\n"


@pytest.mark.parametrize(
    ("name", "becomes"),
    [
        ("CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES"),
        ("CUDA_LAUNCH_BLOCKING", "ASCEND_LAUNCH_BLOCKING"),
        ("PYTORCH_NO_CUDA_MEMORY_CACHING", "PYTORCH_NO_NPU_MEMORY_CACHING"),
        ("NCCL_SOCKET_IFNAME", "HCCL_SOCKET_IFNAME"),
        ("TORCH_NCCL_ASYNC_ERROR_HANDLING", "HCCL_ASYNC_ERROR_HANDLING"),
        ("TORCH_NCCL_DUMP_ON_TIMEOUT", "TORCH_HCCL_DUMP_ON_TIMEOUT"),
        ("TORCH_NCCL_HIGH_PRIORITY", "TORCH_HCCL_HIGH_PRIORITY"),
        ("NCCL_IB_DISABLE", "NCCL_IB_DISABLE"),
        ("NCCL_ALGO", "NCCL_ALGO"),
        ("CUDA_HOME", "CUDA_HOME"),
        ("GLOO_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME"),
        ("MASTER_ADDR", "MASTER_ADDR"),
        ("LOCAL_RANK", "LOCAL_RANK"),
    ],
)
def test_what_a_variable_becomes(name: str, becomes: str) -> None:
    """Names of the public documentation of torch_npu and CANN; no other is written."""
    text = "import os\nos.environ['{}'] = '1'\n"
    assert migrated(text.format(name)) == text.format(becomes)


@pytest.mark.parametrize(
    ("version", "renamed"), [("2.4.0", False), ("2.5.1", True), ("2.13.0", True), (str(NEWEST), True)]
)
def test_settings_of_the_flight_recorder_are_renamed_where_they_exist(version: str, renamed: bool) -> None:
    text = "import os\nos.environ['TORCH_NCCL_TRACE_BUFFER_SIZE'] = '2000'\n"
    assert ("TORCH_HCCL_TRACE_BUFFER_SIZE" in migrated(text, version)) is renamed


def test_the_version_before_torch_npu_has_no_visible_devices() -> None:
    text = "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\n"
    assert migrated(text, "1.5.0") == text
    assert findings(text, "1.5.0") == [("NPU901", "manual")]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("os.environ['CUDA_DEVICE_MAX_CONNECTIONS'] = '1'\n", id="checked-by-Megatron"),
        pytest.param(
            "os.environ['GLOO_SOCKET_IFNAME'] = 'eth0'\nos.environ['OMP_NUM_THREADS'] = '1'\n"
            "os.environ['MASTER_ADDR'] = 'localhost'\nos.environ['MASTER_PORT'] = '29500'\n",
            id="other-variables",
        ),
        pytest.param("print('CUDA_VISIBLE_DEVICES', devices)\n", id="message"),
        pytest.param("log.info(f'CUDA_VISIBLE_DEVICES={devices}')\n", id="formatted-message"),
        pytest.param("parser.add_argument('--gpu', help='sets CUDA_VISIBLE_DEVICES')\n", id="help"),
        pytest.param("# CUDA_VISIBLE_DEVICES=0 python train.py\n", id="comment"),
        pytest.param('def f():\n    """CUDA_VISIBLE_DEVICES=0 python train.py"""\n', id="docstring"),
        pytest.param("info['CUDNN_VERSION_TEXT'] = version\n", id="report"),
        pytest.param("os.system('python -m torch.distributed.run --nproc_per_node=8 t.py')\n", id="launcher"),
        pytest.param(
            "os.system('accelerate launch train.py')\nos.system('deepspeed train.py')\n", id="others"
        ),
    ],
)
def test_left_alone(text: str) -> None:
    assert found_before(CONTROL, f"import os\n{text}", findings) == []


CONTROL = "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\n"


def test_the_switch_that_hides_every_device_is_renamed_with_its_value() -> None:
    text = "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '-1'  # force the CPU\n"
    assert migrated(text) == text.replace("CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES")
    assert findings(migrated(text)) == []


@pytest.mark.parametrize(
    ("value", "ordered"),
    [("3,1", "1,3"), ("0, 1", "0,1"), ("1,1", "1"), ("7,6,5,4", "4,5,6,7"), ("10,9", "9,10")],
)
def test_a_list_out_of_order_is_put_in_order_on_request(value: str, ordered: str) -> None:
    text = f"import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '{value}'\n"
    assert f"'{value}'" in migrated(text)
    assert migrated(text, unsafe=True) == (
        f"import os\nos.environ['ASCEND_RT_VISIBLE_DEVICES'] = '{ordered}'\n"
    )


@pytest.mark.parametrize("value", ["GPU-8932f937-d72c", "MIG-GPU-1/0/0", "0-3"])
def test_what_is_no_list_of_numbers_is_reported(value: str) -> None:
    text = f"import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '{value}'\n"
    assert ("NPU902", "manual") in findings(text)


@pytest.mark.parametrize("value", ["", "-1", "0", "0,1,2,3", "0,2,10"])
def test_what_the_runtime_takes_is_not_reported(value: str) -> None:
    text = "import os\nos.environ['ASCEND_RT_VISIBLE_DEVICES'] = '{}'\n"
    assert found_before(text.format("1,0"), text.format(value), findings) == []


@pytest.mark.parametrize(
    "name",
    ["NCCL_IB_DISABLE", "NCCL_P2P_DISABLE", "NCCL_ALGO", "NCCL_NET_GDR_LEVEL", "NCCL_DEBUG_SUBSYS",
     "CUDA_DEVICE_ORDER", "CUDNN_LOGINFO_DBG", "FORCE_CUDA", "TORCH_CUDA_ARCH_LIST", "CUDA_HOME"],
)  # fmt: skip
def test_a_setting_that_nothing_reads_is_removed_on_request(name: str) -> None:
    text = f"import os, torch\nos.environ['{name}'] = '1'\nx = 1\n"
    assert migrated(text) == text
    assert migrated(text, unsafe=True) == "import os, torch\nx = 1\n"


def test_two_names_of_the_allocator_s_settings_are_an_error_in_newer_releases() -> None:
    text = (
        "import os\nos.environ['PYTORCH_ALLOC_CONF'] = 'expandable_segments:True'\n"
        "os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'\n"
    )
    assert migrated(text, "2.10.0") == text
    assert "PYTORCH_NPU_ALLOC_CONF" in migrated(text, "2.9.0")


def test_unknown_settings_of_the_allocator_are_for_a_person() -> None:
    text = "import os\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'release_lock_on_cudamalloc:True'\n"
    assert findings(text) == [("NPU901", "unsafe")]


def test_an_environment_that_is_handed_to_a_process() -> None:
    text = (
        "import os, subprocess\nenv = dict(os.environ)\nenv.update(CUDA_VISIBLE_DEVICES='0')\n"
        "subprocess.Popen(cmd, env=dict(env, CUDA_LAUNCH_BLOCKING='1'))\n"
        "ray.init(runtime_env={'env_vars': {'CUDA_VISIBLE_DEVICES': '0'}})\n"
    )
    assert migrated(text) == text.replace("CUDA_VISIBLE", "ASCEND_RT_VISIBLE").replace(
        "CUDA_LAUNCH", "ASCEND_LAUNCH"
    )


def test_what_reads_a_variable_and_what_sets_it_are_renamed_together() -> None:
    text = (
        "import os\ndevices = os.environ['CUDA_VISIBLE_DEVICES'].split(',')\n"
        "if os.getenv('CUDA_VISIBLE_DEVICES') is None:\n"
        "    os.environ.setdefault('CUDA_VISIBLE_DEVICES', ','.join(map(str, range(8))))\n"
    )
    assert migrated(text) == text.replace("CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES")


def test_commands_of_several_kinds_in_one_text() -> None:
    text = (
        "import os\n"
        "os.system('CUDA_VISIBLE_DEVICES=0,1 NCCL_SOCKET_IFNAME=eth0 torchrun --nproc_per_node=gpu t.py')\n"
    )
    assert migrated(text) == (
        "import os\nos.system('ASCEND_RT_VISIBLE_DEVICES=0,1 HCCL_SOCKET_IFNAME=eth0 "
        "torchrun --nproc_per_node=npu t.py')\n"
    )


@pytest.mark.parametrize(("version", "known"), [("2.1.0", False), ("2.4.0", False), ("2.5.1", True)])
def test_a_process_for_each_npu_needs_a_launcher_that_loads_torch_npu(version: str, known: bool) -> None:
    text = "import subprocess\nsubprocess.run(['torchrun', '--nproc_per_node', 'gpu', 't.py'])\n"
    assert ("'npu'" in migrated(text, version)) is known
    assert findings(text, version) == [("NPU906", "safe" if known else "manual")]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("os.system('nvidia-smi')", "os.system('npu-smi info')"),
        ("os.system('watch -n 1 nvidia-smi')", "os.system('watch -n 1 npu-smi info')"),
        ('subprocess.run(["nvidia-smi"], check=True)', 'subprocess.run(["npu-smi", "info"], check=True)'),
    ],
)
def test_the_plain_table_of_devices(before: str, after: str) -> None:
    assert migrated(f"import os, subprocess\n{before}\n") == f"import os, subprocess\n{after}\n"


@pytest.mark.parametrize(
    ("call", "becomes", "applicability"),
    [
        ("'nvidia-smi', shell=True", "'npu-smi info', shell=True", "safe"),
        ("'nvidia-smi', shell=1, **options", "'npu-smi info', shell=1, **options", "safe"),
        ("'nvidia-smi', shell=False", "['npu-smi', 'info'], shell=False", "safe"),
        ("['nvidia-smi'], shell=True", "['npu-smi info'], shell=True", "safe"),
        ("'nvidia-smi', shell=given", "['npu-smi', 'info'], shell=given", "unsafe"),
        ("'nvidia-smi', **options", "['npu-smi', 'info'], **options", "unsafe"),
        ("'nvidia-smi', *options", "['npu-smi', 'info'], *options", "unsafe"),
        ("['nvidia-smi'], **options", "['npu-smi', 'info'], **options", "unsafe"),
    ],
)
def test_a_command_is_only_sure_where_it_is_known_whether_a_shell_runs_it(
    call: str, becomes: str, applicability: str
) -> None:
    text = f"import subprocess\nsubprocess.call({call})\n"
    assert findings(text) == [("NPU904", applicability)]
    assert migrated(text, unsafe=True) == f"import subprocess\nsubprocess.call({becomes})\n"


@pytest.mark.parametrize(
    ("arguments", "becomes", "applicability"),
    [
        ("'nvidia-smi'", "'npu-smi', 'info'", "safe"),
        ("'nvidia-smi', stdout=pipe", "'npu-smi', 'info', stdout=pipe", "safe"),
        ("'nvidia-smi', '-L'", "'npu-smi', 'info', '-l'", "unsafe"),
        ("'nvidia-smi', '--query-gpu=name'", None, "manual"),
        ("'nvidia-smi', *options", None, "manual"),
    ],
)
def test_a_command_of_one_argument_for_each_word_gets_no_list(
    arguments: str, becomes: str | None, applicability: str
) -> None:
    text = f"import asyncio\np = asyncio.create_subprocess_exec({arguments})\n"
    assert findings(text) == [("NPU904", applicability)]
    assert migrated(text, unsafe=True) == text.replace(arguments, becomes or arguments)


def test_a_program_that_is_named_beside_its_words_is_for_a_person() -> None:
    for call in ("os.execlp('nvidia-smi', 'nvidia-smi')", "os.execvp('nvidia-smi', ['nvidia-smi'])"):
        assert findings(f"import os\n{call}\n") == [("NPU904", "manual")] * 2


@pytest.mark.parametrize("value", ["not set", "all", "3,1"])
@pytest.mark.parametrize("name", ["CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES"])
def test_the_default_of_a_read_is_no_list_of_devices(name: str, value: str) -> None:
    """The runtime sees what is set, not what the script takes where nothing is."""

    def codes(statement: str) -> list[str]:
        return [code for code, _ in findings(f"import os\n{statement}\n") if code == "NPU902"]

    for read in (f"os.environ.get('{name}', {value!r})", f"os.getenv('{name}', {value!r})"):
        assert codes(f"devices = {read}") == []
    for write in (f"os.environ.setdefault('{name}', {value!r})", f"os.putenv('{name}', {value!r})"):
        assert codes(write) == ["NPU902"]


@pytest.mark.parametrize("literal", ["'gpu'", "r'gpu'", '"""gpu"""', "R'''gpu'''"])
def test_a_number_of_processes_keeps_its_quotes_and_prefix(literal: str) -> None:
    text = f"import subprocess\nsubprocess.run(['torchrun', '--nproc_per_node', {literal}, 't.py'])\n"
    assert migrated(text) == text.replace("gpu", "npu")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("os.system('echo é; CUDA_VISIBLE_DEVICES=3,1 python t.py')",
         "os.system('echo é; ASCEND_RT_VISIBLE_DEVICES=1,3 python t.py')"),
        ("os.system(r'CUDA_VISIBLE_DEVICES=3,1 python t.py')",
         "os.system(r'ASCEND_RT_VISIBLE_DEVICES=1,3 python t.py')"),
        ('os.system("""\nCUDA_VISIBLE_DEVICES=3,1 python t.py""")',
         'os.system("""\nASCEND_RT_VISIBLE_DEVICES=1,3 python t.py""")'),
        ("os.system(f'{env} CUDA_VISIBLE_DEVICES=3,1 python {script}')",
         "os.system(f'{env} ASCEND_RT_VISIBLE_DEVICES=1,3 python {script}')"),
        ("os.environ['CUDA_VISIBLE_DEVICES'] = '''3,1'''",
         "os.environ['ASCEND_RT_VISIBLE_DEVICES'] = '''1,3'''"),
    ],
)  # fmt: skip
def test_a_variable_and_its_value_change_in_whatever_literal_they_stand(before: str, after: str) -> None:
    assert migrated(f"import os\n{before}\n", unsafe=True) == f"import os\n{after}\n"


class Beside(Standalone):
    """A project most of whose files near this one import a framework."""

    def __init__(self, framework: str) -> None:
        self.framework = framework

    def main_framework(self, path: str) -> str:
        return self.framework


@pytest.mark.parametrize(
    ("framework", "head", "changes"),
    [
        ("tensorflow", "", False),
        ("tensorflow", "import tensorflow as tf\n", False),
        ("paddle", "", False),
        ("tensorflow", "import torch\n", True),
        ("torch", "", True),
        ("", "", True),
    ],
)
def test_programs_of_other_frameworks_stay_on_gpus(framework: str, head: str, changes: bool) -> None:
    text = head + 'import os\nos.environ["CUDA_VISIBLE_DEVICES"] = "0"\n'
    options = options_from({"version": "2.8.0", "select": ["NPU901"]})
    assert (apply_fixes(SourceFile(text, "a.py"), options, Beside(framework)).text != text) is changes


@pytest.mark.parametrize(
    "code",
    [
        "def update(inputs, n):\n    return inputs['x'].cuda(n)\n",
        "from own import CUDAExtension\nbuilt = CUDAExtension(sources=['a.cc', 'a.cu'])\n",
    ],
)
def test_tensors_and_kernels_of_other_frameworks_are_not_reported(code: str) -> None:
    options = options_from({"version": "2.8.0", "select": ["NPU110", "NPU621"]})
    assert check(SourceFile(code, "a.py"), options, Beside("torch"))
    assert not check(SourceFile(code, "a.py"), options, Beside("paddle"))


@pytest.mark.parametrize(
    "statement",
    [
        "os.environ |= {'CUDA_VISIBLE_DEVICES': '0'}\n",
        "env = os.environ | {'CUDA_VISIBLE_DEVICES': '0'}\n",
        "os.environ.update({'CUDA_VISIBLE_DEVICES': '0'})\n",
    ],
)
def test_the_environment_is_changed_by_an_operator_as_by_a_call(statement: str) -> None:
    assert findings("import os\n" + statement) == [("NPU901", "safe")]
    assert findings("import os\n" + statement.replace("os.environ", "other")) == [("NPU901", "unsafe")]


def test_a_test_that_asserts_a_variable_with_another_meaning_is_left_alone() -> None:
    text = "import os\nassert os.environ['NCCL_DEBUG'] == 'WARN'\n"
    assert said("NPU901", text, "train.py") == ["log unsafe warning: 'NCCL_DEBUG'"]
    assert said("NPU901", text, "tests/test_env.py") == []
    renamed = "import os\nassert os.environ['CUDA_VISIBLE_DEVICES'] == '0'\n"
    assert len(said("NPU901", renamed, "tests/test_env.py")) == 1
