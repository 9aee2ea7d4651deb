"""A program for one process gets what it needs to run in several."""

from __future__ import annotations

from ..converting import converted

MAIN = (
    "import torch\nfrom torch import nn\n\nnet = nn.Linear(2, 1)\n\n\ndef main():\n"
    "    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n\n\nif __name__ == '__main__':\n    main()\n"
)
SENT = (
    "    optimizer = optim.SGD(net.trainable_params(), lr=0.1)\n    if mint.distributed.is_initialized():\n"
    "        for parameter in optimizer.parameters:\n            mint.distributed.broadcast(parameter, 0)\n"
)


def test_the_main_file_starts_communication() -> None:
    text = converted(MAIN, distributed=True, main_file="module.py").text
    assert text.endswith("if __name__ == '__main__':\n    communication.init()\n    main()\n")


def test_a_script_without_that_block_starts_it_behind_its_imports() -> None:
    script = MAIN.partition("\n\n\ndef")[0] + "\n"
    text = converted(script, distributed=True, main_file="./src/module.py").text
    assert text.endswith("nn\n\ncommunication.init()\nnet = nn.Dense(2, 1)\n")


def test_other_files_do_not() -> None:
    assert "init()" not in converted(MAIN, distributed=True, main_file="other.py").text.replace(
        "__init__", ""
    )


def test_all_processes_begin_with_the_weights_of_the_first() -> None:
    assert SENT in converted(MAIN, distributed=True, main_file="module.py").text


def test_one_process_sends_none() -> None:
    assert "broadcast" not in converted(MAIN).text
