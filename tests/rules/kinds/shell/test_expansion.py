"""The commands that a script runs under another name: each word stays where it is written."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.kinds.shell.places import Command

from .test_reading import script

_RUNS = "python train.py --device cuda"


def lines_run(text: str) -> list[str]:
    """The commands of a script as they are run, without those that stand in it as they are."""
    file = script(text)
    found = [place for place in file.places() if isinstance(place, Command)]
    return [" ".join(text.encode()[word.start : word.end].decode() for word in one.words) for one in found]


@pytest.mark.parametrize(
    "text",
    [
        f'CMD="{_RUNS}"\n$CMD\n',
        f"CMD='{_RUNS}'\neval $CMD\n",
        f'CMD="{_RUNS}"\neval "$CMD"\n',
        f'CMD="{_RUNS}"\nbash -c "$CMD"\n',
        f'CMD="{_RUNS}"\nsrun -n 2 $CMD\n',
        f'CMD="{_RUNS}"\nnohup $CMD > log &\n',
        f'CMD="{_RUNS}"\nsbatch --wrap="$CMD"\n',
        'CMD=(python train.py --device cuda)\n"${CMD[@]}"\n',
        'CMD="python train.py"\n$CMD --device cuda\n',
        'PYTHON="python"\n$PYTHON train.py --device cuda\n',
        'CMD="python train.py"\nCMD+=" --device cuda"\neval "$CMD"\n',
        'CMD="python train.py"\nCMD="$CMD --device cuda"\n$CMD\n',
        'CMD="python"\nCMD="${CMD} train.py"\nif true; then CMD+=" --device cuda"; fi\n$CMD\n',
        'CMD=(python train.py)\nCMD+=(--device cuda)\n"${CMD[@]}"\n',
        'run() { python train.py "$@"; }\nrun --device cuda\n',
        "function run {\n  python train.py $1 $2\n}\nrun --device cuda\n",
        'run() { shift; python train.py "$@"; }\nrun 8 --device cuda\n',
        'run() { python train.py "${@:2}"; }\nrun 8 --device cuda\n',
        'run() { python train.py --device "$1"; }\nrun cuda\n',
        "run() { python train.py --device=${1:-cpu}; }\nrun cuda\n",
        "run() { local n=$1 d=$2; python train.py --device $d; }\nrun 8 cuda\n",
        "run() { n=$1; shift; d=${1}; python train.py --device $d; }\nrun 8 cuda\n",
        'inner() { python train.py "$@"; }\nouter() { inner "$@"; }\nouter --device cuda\n',
        'CMD="python train.py"\nrun() { $CMD "$@"; }\nrun --device cuda\n',
        f'sbatch --wrap "{_RUNS}"\n',
        f'sbatch --wrap="{_RUNS}"\n',
        f"bash <<EOF\n{_RUNS}\nEOF\n",
        f"ssh node1 <<'EOF'\n{_RUNS}\nEOF\n",
        f"cat > job.slurm <<EOF\n#SBATCH -n 1\n{_RUNS}\nEOF\n",
        f"cat <<EOF > job.sh\n{_RUNS}\nEOF\n",
        f"tee run.sh <<EOF\n{_RUNS}\nEOF\n",
    ],
)
def test_a_command_is_run_under_another_name(text: str) -> None:
    assert _RUNS in lines_run(text)


def test_a_line_may_be_joined_within_a_text() -> None:
    text = 'bash -c "python train.py \\\n  --device cuda"\n'
    assert _RUNS in lines_run(text)


@pytest.mark.parametrize(
    "text",
    [
        f'NOTE="{_RUNS}"\necho $NOTE\n',
        f'CMD="{_RUNS}"\npython other.py --run "$CMD"\n',
        f"cat > notes.txt <<EOF\n{_RUNS}\nEOF\n",
        f"cat <<EOF\n{_RUNS}\nEOF\n",
        'run() { python train.py; }\nrun --device cuda\n',
        'python train.py "$@"\n',
        'CMD="python train.py"\nOTHER+=" --device cuda"\n$CMD\n',
    ],
)  # fmt: skip
def test_another_text_runs_nothing(text: str) -> None:
    assert _RUNS not in lines_run(text)


@pytest.mark.parametrize(
    "text",
    [
        'f() { f "$@"; }\nf a\n',
        "A=$B\nB=$A\n$A\n",
        'f() { g "$@"; }\ng() { f "$@" x; }\nf a\n',
        'C="$C x"\n$C\n',
    ],
)
def test_what_runs_itself_ends(text: str) -> None:
    assert len(lines_run(text)) < 1000
