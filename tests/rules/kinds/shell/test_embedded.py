"""Where shell code holds code of Python, and what of it Python gets."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu2ascend_rules.kinds.registry import kind_file


def codes(text: str, path: str = "run.sh") -> list[str]:
    file = kind_file(path, text)
    assert file is not None
    return [part.text for part in file.parts()]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("python -c 'f()'", "f()"),
        ('python3 -u -c "f(\\"a\\", \\$b, \\`c, \\d)"', 'f("a", $b, `c, \\d)'),
        ("python -uc 'f()'", "f()"),
        ("python -X dev -W error -c 'f()' c d", "f()"),
        ("N=$(python -c 'f()')", "f()"),
        ("N=`$PYTHON -c 'f()'`", "f()"),
        ('"$PYTHON" -c "f()"', "f()"),
        ("${PYTHON} -c 'f()'", "f()"),
        ("${INTERPRETER:-python3} -c 'f()'", "f()"),
        ("$VENV/bin/python -c 'f()'", "f()"),
        ("$(which python3) -c 'f()'", "f()"),
        ("python $OPTIONS -c 'f()'", "f()"),
        ("CUDA_VISIBLE_DEVICES=0 srun -n 2 python -c 'f()'", "f()"),
        ("python -c 'f('\\''a'\\'')'", "f('a')"),
        ("python -c 'f('\"'\"'a'\"'\"')'", "f('a')"),
        ("python -c $'f(\"\\'a\\x41\\n\")'", 'f("\'aA\n")'),
        ("python -c f\\(\\)", "f()"),
        ('python -c "a\\\nb"', "ab"),
        ("python -c 'a\\\nb'", "a\\\nb"),
        ("bash -c 'python -c \"f()\"'", "f()"),
        ("python <<< 'f()'", "f()"),
        ("python - <<EOF\nf()\nEOF\n", "f()\n"),
        ("python <<'EOF'\n  f(`a`, $b, \\$c)\nEOF\n", "  f(`a`, shell_value_1_, \\shell_value_2_)\n"),
        ("python3 -u - a b <<EOF > log\nf(\\$c, \\`d, \\\\n, \\n)\nEOF\n", "f($c, `d, \\n, \\n)\n"),
        ("python -u - <<-'EOF'\n\tif a:\n\t    f()\n\tEOF\n", "if a:\n    f()\n"),
        ("cat <<EOF | python\nf()\nEOF\n", "f()\n"),
        ("cat > a.py <<EOF\nf()\nEOF\n", "f()\n"),
        ("cat <<EOF >> 'src/a.py'\nf()\nEOF\n", "f()\n"),
        ("python <<'PY'\nPYTHON = 1\nf()\nPY\n", "PYTHON = 1\nf()\n"),
        ("cat <<E > a.py\n  E = 1\nEx = 2\nE\n", "  E = 1\nEx = 2\n"),
        ("python <<-A\n\tAB = 1\n\tA\n", "AB = 1\n"),
        ("sudo tee a.py <<EOF\nf()\nEOF\n", None),
        ("tee a.py <<EOF\nf()\nEOF\n", "f()\n"),
    ],
)
def test_code_of_python_is_found(text: str, code: str | None) -> None:
    assert codes(text) == ([] if code is None else [code])


@pytest.mark.parametrize(
    "text",
    [
        "python train.py -c 'f()'",
        "python -m pip -c 'f()'",
        "bash -c 'f()'",
        "echo python -c 'f()'",
        "$PYTHON_SCRIPT -c 'f()'",
        "$PYTHONPATH -c 'f()'",
        "$RUN -c 'f()'",
        "python -c $CODE",
        'python -c "$CODE"',
        "python -c",
        'N=`python -c "f(\\"a\\")"`',
        "python train.py <<EOF\nf()\nEOF\n",
        "bash <<EOF\nf()\nEOF\n",
        "cat > a.txt <<EOF\nf()\nEOF\n",
        "cat <<EOF\nf()\nEOF\n",
        "python -c 'f()",
    ],
)
def test_what_is_for_other_programs_is_none(text: str) -> None:
    assert codes(text) == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('python -c "f($N, ${M}, $(a "b)"), `c`, $((1 + 2)), $1)"',
         "f(shell_value_1_, shell_value_2_, shell_value_3_, shell_value_4_, shell_value_5_, shell_value_6_)"),
        ("python -c 'f('$N')'", "f(shell_value_1_)"),
        ("python - <<EOF\nf('cuda:$GPU')\nEOF\n", "f('cuda:0')\n"),
        ("python - <<EOF\nf($(a\nb))\nEOF\n", "f(shell_value_1_)\n"),
    ],
)  # fmt: skip
def test_what_the_shell_replaces_is_unknown(text: str, code: str) -> None:
    assert codes(text) == [code]


@pytest.mark.parametrize(
    ("path", "text", "code"),
    [
        ("Dockerfile", "FROM a\nRUN python -c \"a; \\\n  b\"\n", "a;   b"),
        ("Dockerfile", 'FROM a\nCMD ["python", "-c", "f(\\"a\\")\\ng($x)"]\n', 'f("a")\ng(shell_value_1_)'),
        ("Dockerfile", "FROM a\nCMD [\"python\", \"-c\", \"f()\"]\n", "f()"),
        ("Dockerfile", "FROM a\nRUN python - <<EOF\nf()\nEOF\n", "f()\n"),
        ("Makefile", "a:\n\t@$(PY) -c 'f($(N), \"$$x\")'\n", 'f(shell_value_1_, "shell_value_2_")'),
        ("Makefile", "a:\n\tpython -c \"f(); \\\n\t  g()\"\n", "f(); \t  g()"),
    ],
)  # fmt: skip
def test_other_kinds_have_shell_code_too(path: str, text: str, code: str) -> None:
    assert codes(text, path) == [code]


WORKFLOW = "jobs:\n  a:\n    runs-on: linux\n    steps:\n"


@pytest.mark.parametrize(
    ("step", "code"),
    [
        ("      - run: python -c 'f()'\n", "f()"),
        ('      - run: "python -c \\"f()\\""\n', "f()"),
        ("      - run: 'python -c \"f()\"'\n", "f()"),
        ("      - run: |\n          python -c '\n          if a:\n              f(${{ a.b }})\n          '\n",
         "\nif a:\n    f(shell_value_1_)\n"),
        ("      - run: |\n          python - <<'EOF'\n          if a:\n              f()\n          EOF\n",
         "if a:\n    f()\n"),
        ("      - run: >\n          python -c \"f();\n          g()\"\n", "f();           g()"),
    ],
)  # fmt: skip
def test_steps_of_workflows_are_without_the_indentation_of_yaml(step: str, code: str) -> None:
    assert codes(WORKFLOW + step, ".github/workflows/a.yml") == [code]


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs a shell")
@given(st.text(alphabet="ab '\"\\$`(){}\n#!", max_size=12), st.sampled_from(["'", '"', "EOF", "'EOF'"]))
def test_python_gets_what_the_shell_gives_it(text: str, quote: str) -> None:
    """Whatever stands between the quotes, bash hands the same text over."""
    script = f"python - <<{quote}\n{text}\nEOF\n" if "EOF" in quote else f"python -c {quote}{text}{quote}\n"
    parts = codes(script)
    if len(parts) != 1 or "shell_value" in parts[0] or bash(script, "-n").returncode:
        return
    shown = script.replace("python -c", "show", 1).replace("python -", "cat", 1)
    assert bash(f'show() {{ printf %s "$1"; }}\n{shown}').stdout.decode() == parts[0]


def bash(script: str, *options: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["bash", *options], input=script.encode(), capture_output=True, check=False)
