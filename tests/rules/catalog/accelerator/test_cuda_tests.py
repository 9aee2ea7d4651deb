"""A test for CUDA changes only with all that it decides over, and leaves other devices their arms."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

HEAD = "import torch\ndevice = torch.device(name)\nx = torch.ones(1)\n"


def after(code: str, version: str = "2.10.0") -> str:
    """The code after all safe fixes of the target."""
    options = options_from({"target": "accelerator", "version": version})
    return apply_fixes(SourceFile(HEAD + code), options).text.removeprefix(HEAD)


def said(code: str, version: str = "2.10.0") -> list[str]:
    """Message and severity of what is found."""
    options = options_from({"target": "accelerator", "version": version})
    found = check(SourceFile(HEAD + code), options)
    return [f"{item.message.id} {item.severity.value}" for item in found]


TESTS = {
    "type": "device.type == 'cuda'",
    "text": "'cuda' in str(device)",
    "tensor": "x.is_cuda",
    "availability": "torch.cuda.is_available()",
    "operand": "device.type == 'cuda' and flag",
}
STAYS = {
    "a key called so": "state['cuda'] = torch.cuda.get_rng_state_all()",
    "a range": "torch.cuda.nvtx.range_push('a')",
    "a capability": "print(torch.cuda.get_device_capability())",
    "a property": "n = torch.cuda.get_device_properties(0).major",
    "a stream": "with torch.cuda.stream(s): pass",
}
NEEDS = "def capture():\n    return torch.cuda.CUDAGraph()\n"


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
@pytest.mark.parametrize("body", STAYS.values(), ids=STAYS)
def test_a_test_whose_body_stays_cudas_stays(test: str, body: str) -> None:
    code = f"if {test}:\n    {body}\n"
    assert after(code) == code
    assert "error" not in " ".join(said(code))


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
def test_the_operands_behind_it_count(test: str) -> None:
    code = f"ok = {test} and torch.cuda.get_device_capability()[0] >= 8\n"
    assert after(code) == code
    code = f"dtype = a if {test} and torch.cuda.get_device_properties(0).major >= 7 else b\n"
    assert after(code) == code


def test_the_operands_behind_a_negated_one_count() -> None:
    code = "kind = a if not torch.cuda.is_available() or torch.cuda.get_device_capability()[0] >= 8 else b\n"
    assert after(code) == code
    assert said(code) == ["ACC101.kept information"]
    code = "wide = not torch.cuda.is_available() or torch.cuda.device_count() > 1\n"
    assert "cuda" not in after(code)


def test_what_leaves_before_the_rest_of_a_block_counts() -> None:
    code = "def f():\n    if device.type != 'cuda':\n        return\n    torch.cuda.nvtx.range_push('a')\n"
    assert after(code) == code


def test_a_variable_counts_for_all_that_it_decides_over() -> None:
    code = "def f():\n    gpu = torch.cuda.is_available()\n    if gpu:\n        torch.cuda.nvtx.mark('a')\n"
    assert after(code) == code
    assert said(code) == ["ACC101.kept information"]
    both = f"{code}    if gpu:\n        x.cuda()\n"
    assert "ACC101.divided error" in said(both)


@pytest.mark.parametrize("name", ["args.cuda", "self.cuda"])
def test_an_attribute_counts_for_all_that_it_decides_over(name: str) -> None:
    lines = ["class T:", "    def f(self, args):", f"        {name} = torch.cuda.is_available()"]
    lines += [f"        if {name} and args.half:", "            torch.cuda.set_device(0)"]
    lines += ["            y = x.type(torch.cuda.HalfTensor)", ""]
    code = "\n".join(lines)
    assert "torch.cuda.is_available()" in after(code)
    assert "ACC101.divided error" in said(code)
    assert "ACC101.divided error" in said(after(code))  # it stays told where the rest is migrated
    other = code.replace(f"if {name}", "if args.other")
    assert "torch.accelerator.is_available()" in after(other)


def test_a_name_of_torch_that_a_star_import_brings_stays_with_its_test() -> None:
    options = options_from({"target": "accelerator", "version": "2.10.0"})
    kind = "kind = torch.cuda.FloatTensor if x.is_cuda else torch.FloatTensor\n"
    code = f"import torch.nn as nn\nfrom helpers import *\n\ndef f(x):\n    x = x.cuda()\n    {kind}"
    assert kind in apply_fixes(SourceFile(code), options).text


def test_a_test_whose_whole_body_changes_changes_with_it() -> None:
    code = "if torch.cuda.is_available():\n    torch.cuda.reset_peak_memory_stats()\n"
    assert after(code) == code.replace("torch.cuda", "torch.accelerator")


def test_before_the_release_with_the_name_the_test_stays() -> None:
    code = "if torch.cuda.is_available():\n    torch.cuda.reset_peak_memory_stats()\n"
    assert after(code, "2.8.0") == code
    assert said(code, "2.8.0") == ["ACC101.later information"]


def test_without_a_test_a_name_that_stays_is_an_error() -> None:
    assert said("torch.cuda.nvtx.mark('a')\n") == ["ACC101.none error"]
    assert said("torch.cuda.reset_peak_memory_stats()\n", "2.8.0") == ["ACC101.later error"]


@pytest.mark.parametrize("test", ["device.type == 'cuda'", "x.is_cuda", "torch.cuda.is_available()"])
def test_a_test_that_also_decides_where_tensors_go_is_an_error(test: str) -> None:
    code = f"if {test}:\n    torch.cuda.nvtx.mark('a')\n    y = x.cuda()\n"
    assert after(code).startswith(f"if {test}:\n    torch.cuda.nvtx.mark('a')\n")
    assert any("divided error" in line for line in said(code))


ARMS = {
    "elif": "if {}:\n    a()\nelif device.type == 'xpu':\n    b()\n",
    "else": "if {}:\n    a()\nelse:\n    if device.type == 'mps':\n        b()\n",
    "expression": "y = a() if {} else b() if device.type == 'mps' else c()\n",
    "after a return": "def f():\n    if {}:\n        return\n    if device.type == 'mps':\n        b()\n",
}


@pytest.mark.parametrize("test", ["device.type == 'cuda'", "x.is_cuda", "torch.cuda.is_available()"])
@pytest.mark.parametrize("arms", ARMS.values(), ids=ARMS)
def test_a_later_arm_for_another_device_stays_reachable(arms: str, test: str) -> None:
    code = arms.format(test)
    assert after(code) == code
    assert said(code) != []


def test_where_the_device_is_chosen_an_arm_that_only_names_another_one_is_not_needed() -> None:
    code = (
        "if torch.cuda.is_available():\n    d = 'cuda'\nelif torch.backends.mps.is_available():\n"
        "    d = 'mps'\nelse:\n    d = 'cpu'\nx.to(d)\n"
    )
    changed = after(code)
    assert changed.startswith(
        "if torch.accelerator.is_available():\n    d = torch.accelerator.current_accelerator()"
    )


CURRENT = "(torch.accelerator.is_available() and {} torch.accelerator.current_accelerator().type{})"
BESIDE = {
    "type": (
        "ok = device.type == 'cuda' or device.type == 'xpu'\n",
        f"ok = {CURRENT.format('device.type ==', '')} or device.type == 'xpu'\n",
    ),
    "text": (
        "ok = str(device) == 'cpu' or 'cuda' in str(device) or 'xpu' in str(device)\n",
        f"ok = str(device) == 'cpu' or {CURRENT.format('', ' in str(device)').replace('and  ', 'and ')}"
        " or 'xpu' in str(device)\n",
    ),
    "tensor": (
        "ok = x.is_cuda or x.device.type == 'mps'\n",
        f"ok = {CURRENT.format('x.device.type ==', '')} or x.device.type == 'mps'\n",
    ),
    "negation": (
        "ok = device.type != 'cuda' and device.type != 'mps'\n",
        f"ok = (not {CURRENT.format('device.type ==', '')}) and device.type != 'mps'\n",
    ),
    "an earlier arm": (
        "if device.type == 'mps':\n    a()\nelif device.type == 'cuda':\n    b()\n",
        f"if device.type == 'mps':\n    a()\nelif {CURRENT.format('device.type ==', '')}:\n    b()\n",
    ),
    "a later arm": (
        "if device.type == 'cuda':\n    a()\nelif flag:\n    b()\n",
        f"if {CURRENT.format('device.type ==', '')}:\n    a()\nelif flag:\n    b()\n",
    ),
    "an operand about something else": (
        "ok = x.is_cuda and flag\n",
        f"ok = {CURRENT.format('x.device.type ==', '')} and flag\n",
    ),
    "a choice in an expression": (
        "y = a() if device.type == 'cuda' else b() if flag else c()\n",
        f"y = a() if {CURRENT.format('device.type ==', '')} else b() if flag else c()\n",
    ),
}


@pytest.mark.parametrize(("before", "expected"), BESIDE.values(), ids=BESIDE)
def test_beside_operands_and_arms_it_compares_with_the_current_accelerator(
    before: str, expected: str
) -> None:
    assert after(before) == expected
    assert after(expected) == expected


def test_a_test_before_nvidia_smi_stays() -> None:
    code = (
        "import subprocess\ndef used():\n    return subprocess.check_output(['nvidia-smi', '-L'])\n"
        "if torch.cuda.is_available():\n    print(used())\n"
    )
    assert after(code) == code


def test_a_test_stays_before_a_call_of_what_only_cuda_has() -> None:
    code = f"{NEEDS}if torch.cuda.is_available():\n    g = capture()\n"
    assert after(code) == code
    code = f"{NEEDS}if not torch.cuda.is_available():\n    raise RuntimeError\ng = capture()\n"
    assert after(code) == code.replace("torch.cuda.is", "torch.accelerator.is")


@pytest.mark.parametrize("quote", ["'", '"'])
def test_a_default_tensor_type_keeps_its_test_and_is_an_error(quote: str) -> None:
    kind = f"{quote}torch.cuda.FloatTensor{quote}"
    code = f"if torch.cuda.is_available():\n    torch.set_default_tensor_type({kind})\n"
    assert after(code) == code
    assert said(code) == ["ACC101.tensor_type error"]


def test_tests_in_the_call_of_a_trainer_agree() -> None:
    code = (
        "t = Trainer(\n    accelerator='gpu' if torch.cuda.is_available() else 'cpu',\n"
        "    devices=-1 if torch.cuda.is_available() else 1,\n)\n"
    )
    assert after(code) == code
    assert said(code) == 2 * ["ACC101.divided error"]
    one = "t = Trainer(accelerator='auto', devices=2 if torch.cuda.is_available() else 1)\n"
    assert after(one) == one.replace("torch.cuda", "torch.accelerator")


def test_beside_the_cpu_another_device_is_the_machines() -> None:
    code = "ok = x.is_cuda or 'cpu' in str(x.device)\n"
    kind = "torch.accelerator.current_accelerator().type"
    expected = f"(torch.accelerator.is_available() and x.device.type == {kind}) or 'cpu' in str(x.device)"
    assert after(code) == f"ok = {expected}\n"


@pytest.mark.parametrize("test", ["device.type != 'cuda'", "not x.is_cuda", "'cuda' not in str(device)"])
def test_a_name_behind_a_way_out_without_cuda_is_no_error(test: str) -> None:
    code = (
        f"def peak(x, device):\n    if {test}:\n        return 0\n    return torch.cuda.max_memory_cached()\n"
    )
    assert after(code, "2.6.0") == code
    assert "error" not in " ".join(said(code, "2.6.0"))
    assert "error" in " ".join(said(code.replace("return 0", "print(0)"), "2.6.0"))


@pytest.mark.parametrize(
    ("look_up", "severity"),
    [("{'cuda': 2, 'mps': 1}[x.device.type]", "error"), ("{'cuda': 2}.get(x.device.type, 1)", "warning")],
)
def test_a_table_by_device_type_is_reported(look_up: str, severity: str) -> None:
    assert said(f"n = {look_up}\n") == [f"ACC106.table {severity}"]
    assert said(f"n = {look_up.replace('cuda', 'npu')}\n") == []


def test_what_is_written_finds_torch() -> None:
    code = "def f(device, flag):\n    return device.type == 'cuda' and flag\n"
    options = options_from({"target": "accelerator", "version": "2.10.0"})
    assert "import torch\n" in apply_fixes(SourceFile(code), options).text


@pytest.mark.parametrize(
    ("moved", "expected"),
    [("storage.cuda(0)", "device=torch.device(device.type, 0)"), ("storage.cuda()", "device=device")],
)
def test_a_storage_is_given_its_device_by_name(moved: str, expected: str) -> None:
    code = f"w = torch.load('a', map_location=lambda storage, loc: {moved})\n"
    assert f"storage.to({expected})" in after(code)


def test_what_a_library_for_cuda_answers_is_compared_with_cuda() -> None:
    code = "from isaacgym import gymutil\ndevice_type, n = gymutil.parse(d)\nok = device_type == 'cuda'\n"
    assert after(code) == code
    other = code.replace("isaacgym", "robots")
    assert after(other) != other


CALLED = "def mark():\n    torch.cuda.nvtx.mark('a')\ndef run():\n    {}mark()\n"


@pytest.mark.parametrize(("before", "severity"), [("if x.is_cuda:\n        ", "information"), ("", "error")])
def test_a_name_in_a_function_that_is_only_called_behind_tests_is_no_error(
    before: str, severity: str
) -> None:
    assert severity in " ".join(said(CALLED.format(before)))
    twice = CALLED.format(before) + "mark()\n"
    assert "error" in " ".join(said(twice))


def test_a_test_before_a_kernel_of_the_project_and_a_move_stays_and_is_told() -> None:
    code = "import torch\nimport ops_cuda\ndef f(x):\n    if not x.is_cuda:\n        return slow(x)\n    {}"
    divided = code.format("return ops_cuda.run(x.cuda())\n")
    assert "is_cuda" in after(divided)
    assert "ACC104.divided error" in said(divided)
    assert "ACC104.divided error" in said(divided.replace("cuda()", "to(get_device())"))
    assert "divided error" not in " ".join(said(code.format("return fast(x.cuda())\n")))


COMPANY = """
def show(step):
    text = 'step {step}'
    if torch.cuda.is_available():
        text += ' memory {memory}'
    if torch.cuda.is_available():
        print(text.format(step=step, memory=torch.cuda.max_memory_allocated()))
    else:
        print(text.format(step=step))
"""


def test_a_test_keeps_company_with_the_same_one_that_stays() -> None:
    assert after(COMPANY, "2.8.0") == COMPANY


def test_both_change_where_what_the_second_opens_has_a_neutral_form() -> None:
    assert "torch.cuda" not in after(COMPANY, "2.9.0")


def test_a_test_that_opens_more_changes_by_itself() -> None:
    code = COMPANY.replace("text += ' memory {memory}'", "torch.cuda.synchronize()")
    assert after(code, "2.8.0").count("torch.accelerator.is_available()") == 1


@pytest.mark.parametrize(
    ("end", "is_changed"),
    [("", False), ("if __name__ == '__main__':\n    unittest.main()\n", False),
     ("if __name__ == '__main__':\n    evaluate(x.cuda())\n", True)],
)  # fmt: skip
def test_a_program_that_is_called_like_a_unit_test_is_none(end: str, is_changed: bool) -> None:
    text = f"import torch\nx = torch.ones(1).cuda()\n{end}"
    options = options_from({"target": "accelerator", "version": "2.8.0"})
    found = apply_fixes(SourceFile(text, "scripts/test_images.py"), options).text
    assert (found != text) is is_changed
