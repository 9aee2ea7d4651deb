"""What one process writes, the others wait for before they open it: where all come by, or it is said."""

from __future__ import annotations

from textwrap import indent

import pytest

from tests.rules.codemods.distributed.conversion import converted, script

IMPORTS = "import json, os, pickle\nimport numpy as np\n"
WAIT = "if dist.is_initialized():\n    dist.barrier()\n"


def after_training(lines: str) -> tuple[str, list[str]]:
    """The text of a script with lines after its loop, and what it leaves to a person."""
    done = converted(script(body=indent(lines, "    "), before=IMPORTS))
    return done.text, done.left


READ_BACK = {
    "a checkpoint that is opened": (
        "with open('m.pt', 'wb') as f:\n    torch.save(s, f)\n",
        "with open('m.pt', 'rb') as f:\n    s = torch.load(f)\n",
    ),
    "a checkpoint that was opened": (
        "torch.save(s, 'm.pt')\n",
        "g = open('m.pt', 'rb')\ns = torch.load(g)\n",
    ),
    "a pickle that is made once": (
        "if not os.path.exists('c'):\n    with open('c', 'wb') as f:\n        pickle.dump(s, f)\n",
        "with open('c', 'rb') as f:\n    s = pickle.load(f)\n",
    ),
    "a table of figures": ("with open('c', 'w') as f:\n    json.dump(s, f)\n", "s = json.load(open('c'))\n"),
    "an array": ("np.save('x.npy', s)\n", "s = np.load('x.npy')\n"),
    "an array under a name": ("p = 'x.npy'\nnp.save(p, s)\n", "s = np.load(p)\n"),
}


@pytest.mark.parametrize(("written", "read"), READ_BACK.values(), ids=READ_BACK)
def test_all_wait_before_a_file_is_opened_that_one_wrote(written: str, read: str) -> None:
    text, left = after_training(written + read)
    assert indent(WAIT + read, "    ") in text
    assert "NPU426.unwaited" not in left


@pytest.mark.parametrize(
    "read",
    [
        "s = np.load('other.npy')\n",
        "with open('config.json') as f:\n    s = json.load(f)\n",
        "s = pickle.load(open('c', 'rb'))\n",
    ],
)
def test_nobody_waits_for_what_the_program_does_not_write(read: str) -> None:
    text, _ = after_training(
        f"np.save('x.npy', s)\nwith open('h.json', 'w') as f:\n    json.dump(s, f)\n{read}"
    )
    assert "dist.barrier()" not in text


def test_a_variable_of_another_function_is_another_file() -> None:
    before = IMPORTS + "def keep(path, s):\n    np.save(path, s)\ndef take(path):\n    return np.load(path)\n"
    done = converted(script(before=before, body="    keep('a.npy', 1)\n    take('b.npy')\n"))
    assert "dist.barrier()" not in done.text
    done = converted(script(before=before, body="    keep('a.npy', 1)\n    take('a.npy')\n"))
    assert "dist.barrier()" in done.text


class TestBelowACondition:
    WRITE_AND_READ = "    torch.save(s, 'b.pt')\n    s = torch.load('b.pt')\n"

    def test_that_all_answer_alike_all_wait(self) -> None:
        body = indent(f"if epoch % 2 == 0:\n{self.WRITE_AND_READ}", "        ")
        done = converted(script(body=body))
        assert indent(WAIT + "s = torch.load('b.pt')\n", "            ") in done.text

    @pytest.mark.parametrize("head", ["if loss < best:\n", "while loss < best:\n"])
    def test_that_they_answer_differently_no_place_is_left(self, head: str) -> None:
        done = converted(script(body=indent(head + self.WRITE_AND_READ, "        ")))
        assert "dist.barrier()" not in done.text
        assert "NPU426.unwaited" in done.left

    def test_also_where_a_function_writes(self) -> None:
        before = "def keep(s):\n    torch.save(s, 'b.pt')\n"
        body = indent("if loss < best:\n    keep(s)\n    s = torch.load('b.pt')\n", "        ")
        done = converted(script(body=body, before=before))
        assert "dist.barrier()" not in done.text and "NPU426.unwaited" in done.left

    def test_what_the_other_branch_writes_was_written_before(self) -> None:
        lines = "if loss < best:\n    torch.save(s, 'b.pt')\nelse:\n    s = torch.load('b.pt')\n"
        done = converted(script(body=indent(lines, "        ")))
        assert indent(WAIT + "if loss < best:", "        ") in done.text


def test_nobody_waits_within_the_turn_of_one() -> None:
    data = (
        "import json\ndef made(download):\n    with open('c', 'w') as f:\n        json.dump(1, f)\n"
        "    return json.load(open('c'))\n"
    )
    entry = script(before="from data import made\n", body="    s = made({})\n")
    done = converted(entry.format("download=True"), data=data)
    assert "with main_process_first():" in done.text and "barrier" not in done.files["data.py"]
    assert "dist.barrier()\n" in converted(entry.format("True"), data=data).files["data.py"]


def test_all_wait_before_it_is_asked_whether_there_is_a_checkpoint() -> None:
    asked = "if args.resume and os.path.exists('m.pt'):\n    if args.all:\n        s = torch.load('m.pt')\n"
    text, left = after_training(f"torch.save(s, 'm.pt')\n{asked}")
    assert indent(WAIT + asked, "    ") in text and text.count("barrier()") == 1
    assert "NPU426.unwaited" not in left
