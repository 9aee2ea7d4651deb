"""The process group is joined on the main path, never at import time, and left at its end."""

from __future__ import annotations

import pytest

from tests.rules.codemods.distributed.conversion import converted, script

LOOP = """\
    import torch
    from torch.utils.data import DataLoader
    model = torch.nn.Linear(1, 1).cuda()
    loader = DataLoader(data, 4)
    for epoch in range(2):
        for x in loader:
            model(x).backward()
    """


def test_a_main_guard_joins_first_and_leaves_last() -> None:
    text = converted(script()).text
    assert text.endswith(
        'if __name__ == "__main__":\n    setup_distributed()\n    main()\n    cleanup_distributed()\n'
    )


def test_an_exit_with_the_status_of_main_comes_after_leaving() -> None:
    text = converted(script().replace("    main()\n", "    raise SystemExit(main())\n")).text
    assert text.endswith(
        "exit_status = main()\n    cleanup_distributed()\n    raise SystemExit(exit_status)\n"
    )


def test_a_script_without_a_guard_joins_only_when_it_is_the_program() -> None:
    text = converted(LOOP).text
    assert 'if __name__ == "__main__":\n    setup_distributed()\n' in text
    assert text.endswith('if __name__ == "__main__":\n    cleanup_distributed()\n')


def test_the_group_takes_the_device_first_and_the_ranks_from_the_environment() -> None:
    text = converted(script()).text
    at_device, at_group = text.index(".set_device(local_rank)"), text.index("init_process_group(")
    assert at_device < at_group
    for new, old in (("LOCAL_RANK", "DEVICE_ID"), ("WORLD_SIZE", "RANK_SIZE"), ("RANK", "RANK_ID")):
        assert f'os.environ.get("{new}", os.environ.get("{old}"' in text


def test_before_torch_npu_there_is_no_module_of_that_name() -> None:
    text = converted(script(), version="1.5.0").text
    assert "torch_npu" not in text
    assert "torch.npu.set_device(local_rank)" in text


def test_names_that_the_script_uses_are_left_to_it() -> None:
    text = converted(
        script(before="def is_main_process(dist): ...\n", body="            print(loss.item())")
    ).text
    assert "import torch.distributed as dist_2\n" in text
    assert "if is_main_process_2():\n" in text


def test_a_second_conversion_changes_nothing() -> None:
    once = converted(script())
    again = converted(once.text)
    assert again.text == once.text
    assert again.left == ["NPU429.recognized"]


def test_line_ends_and_tabs_are_those_of_the_file() -> None:
    windows = converted(script().replace("\n", "\r\n")).text
    assert "\n" not in windows.replace("\r\n", "")
    tabs = converted(script().replace("    ", "\t")).text
    assert '\nif __name__ == "__main__":\n\tsetup_distributed()\n\tmain()\n' in tabs


def test_a_guard_of_one_line_gets_a_block() -> None:
    text = converted(script().replace('":\n    main()', '": main()')).text
    assert text.endswith("    setup_distributed()\n    main()\n    cleanup_distributed()\n")


EARLY = """\
import torch
from torch.utils.data import DataLoader
{made}

def main():
    for epoch in range(2):
        for x in loader:
            model(x).backward()


if __name__ == "__main__":
    main()
"""
MADE = """\
model = torch.nn.Linear(1, 1).cuda()
loader = DataLoader(data, 4)
"""
AT_TOP = 'if __name__ == "__main__":\n    setup_distributed()\n\n\n'


def test_what_is_made_as_the_script_is_read_is_made_after_joining() -> None:
    text = converted(EARLY.format(made=MADE)).text
    assert text.index(AT_TOP) < text.index("model = torch.nn")
    assert text.endswith('if __name__ == "__main__":\n    main()\n    cleanup_distributed()\n')


def test_so_is_what_a_function_of_the_program_makes_then() -> None:
    made = "from data import make_loader\nloader = make_loader()\nmodel = torch.nn.Linear(1, 1)"
    data = "from torch.utils.data import DataLoader\ndef make_loader():\n    return DataLoader(data, 4)\n"
    assert AT_TOP in converted(EARLY.format(made=made), data=data).text


def test_a_device_that_is_only_named_is_not_early() -> None:
    text = converted(
        script(before='device = torch.device("cuda:0")\nx = torch.ones(2).to(torch.float64)')
    ).text
    assert AT_TOP not in text


def test_what_another_module_makes_when_it_is_imported_is_said() -> None:
    entry = EARLY.format(made="from parts import loader, model")
    done = converted(entry, parts=f"import torch\nfrom torch.utils.data import DataLoader\n{MADE}")
    assert set(done.said["parts.py"]) >= {"NPU420.import_time"}


def test_what_another_module_prints_when_it_is_imported_is_no_error() -> None:
    entry = EARLY.format(made=f"import parts\n{MADE}")
    parts = "print('options')\nopen('log.txt', 'w')\n"
    assert converted(entry, parts=parts).said["parts.py"] == ["NPU426.unsure"]


AS_MODULE = EARLY.partition("\n\n\nif __name__")[0].format(made="") + "\n"
"""A module that others start by its ``main``."""
INSIDE = AS_MODULE.replace(
    "def main():\n", f"def main():\n    {MADE.strip().replace(chr(10), chr(10) + '    ')}\n"
)


def test_a_module_that_others_start_joins_and_leaves_in_its_main() -> None:
    done = converted(INSIDE)
    assert "def main():\n    setup_distributed()\n" in done.text
    assert done.text.endswith("    cleanup_distributed()\n") and "__main__" not in done.text
    assert "NPU420.not_left" not in done.left


def test_a_main_with_decorators_is_one() -> None:
    text = converted(INSIDE.replace("def main", "@record\ndef main")).text
    assert "@record\ndef main():\n    setup_distributed()\n" in text


def test_a_main_that_returns_joins_and_is_said_not_to_leave() -> None:
    done = converted(INSIDE.rstrip("\n") + "\n    return model\n")
    assert "def main():\n    setup_distributed()\n" in done.text
    assert "    cleanup_distributed()\n" not in done.text
    assert "NPU420.not_left" in done.left


def test_what_a_function_within_main_returns_is_none_of_its_own() -> None:
    inner = INSIDE.replace("def main():\n", "def main():\n    def twice(x):\n        return 2 * x\n")
    assert "NPU420.not_left" not in converted(inner).left
    assert converted(inner).text.endswith("    cleanup_distributed()\n")


def test_what_such_a_module_makes_when_it_is_imported_is_said() -> None:
    assert "NPU420.import_time" in converted(AS_MODULE.replace("\n\n\ndef", f"\n{MADE}\n\ndef")).left
    assert "NPU420.import_time" not in converted(INSIDE).left


def test_a_module_that_runs_nothing_has_no_main_path() -> None:
    done = converted(INSIDE.replace("def main", "def fit"))
    assert "NPU420.no_main" in done.left
    assert "    setup_distributed()\n" not in done.text


def test_a_script_that_calls_its_own_function_is_the_program() -> None:
    text = converted(INSIDE.replace("def main", "def fit") + "\n\nfit()\n").text
    assert 'if __name__ == "__main__":\n    setup_distributed()\n' in text
    assert text.endswith('if __name__ == "__main__":\n    cleanup_distributed()\n')


def test_so_is_one_that_has_main_called_by_others_of_it() -> None:
    text = converted(INSIDE.replace("def main", "def fit") + "\n\nrun(fit)\n").text
    assert text.endswith('if __name__ == "__main__":\n    cleanup_distributed()\n')


ENDS = {
    "sys.exit()": "    cleanup_distributed()\n    sys.exit()\n",
    "sys.exit(0)": "    cleanup_distributed()\n    sys.exit(0)\n",
    "sys.exit(main())": "    exit_status = main()\n    cleanup_distributed()\n    sys.exit(exit_status)\n",
    "os._exit(main())": "    exit_status = main()\n    cleanup_distributed()\n    os._exit(exit_status)\n",
    "exit(0)": "    cleanup_distributed()\n    exit(0)\n",
}


@pytest.mark.parametrize(("end", "expected"), ENDS.items(), ids=ENDS)
def test_the_group_is_left_before_the_process_ends(end: str, expected: str) -> None:
    lines = f"    {end}\n" if "main()" in end else f"    main()\n    {end}\n"
    assert converted(script().replace("    main()\n", lines)).text.endswith(expected)


def test_a_call_that_is_no_end_comes_before_it() -> None:
    text = converted(script().replace("    main()\n", "    main()\n    finish(main)\n")).text
    assert text.endswith("    finish(main)\n    cleanup_distributed()\n")
