"""Which files a test runner runs: by their paths, and by what they do when they are run themselves."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.unit_tests import is_unit_test

MAIN = "if __name__ == '__main__':\n    "
TEST = "def test_shape():\n    assert f().ndim == 2\n"
METHOD = "class TestNet:\n    def test_shape(self):\n        pass\n"


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("test_net.py", TEST, True),
        ("test_net.py", TEST + MAIN + "unittest.main()\n", True),
        ("tests/test_net.py", TEST + MAIN + "test_shape()\n", True),
        ("tests/test_net.py", METHOD + MAIN + "run()\n", True),
        ("tests/test_net.py", METHOD.replace("test_shape", "testShape") + MAIN + "run()\n", True),
        ("test_net.py", "class TestNet(TestCase):\n    pass\n" + MAIN + "run()\n", True),
        ("test_net.py", "class TestNet(\n    unittest.TestCase\n):\n    pass\n" + MAIN + "run()\n", True),
        ("test_net.py", "from unittest import main, skip\n" + MAIN + "main()\n", True),
        ("tests/test_net.py", MAIN + "evaluate()\n", False),
        ("tests/test_net.py", "def test(net):\n    pass\n" + MAIN + "test(make())\n", False),
        ("test_net.py", "from evaluation import main\n" + MAIN + "main()\n", False),
        ("scripts/test_net.py", "def test_net(net):\n    pass\n" + MAIN + "test_net(make())\n", False),
        ("test_net.py", "parser = argparse.ArgumentParser()\nargs = parser.parse_args()\n", False),
        ("test_net.py", f"parser = ArgumentParser()\n{TEST}", True),
        ("train.py", TEST, False),
    ],
)
def test_a_unit_test_is_run_by_a_runner(path: str, text: str, expected: bool) -> None:
    assert is_unit_test(SourceFile(text, path)) is expected
