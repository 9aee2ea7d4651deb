"""What services run is shell code with the place of each part, in whatever form YAML has the text."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.edits.offsets import apply_edits
from gpu2ascend_rules.edits.suppression import ignore_line
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.kinds.registry import kind_file, kind_of
from gpu2ascend_rules.kinds.shell.places import Command, Variable
from gpu2ascend_rules.kinds.workflow import WorkflowFile
from gpu2ascend_rules.model.finding import Severity
from gpu2ascend_rules.options.options import options_from

PATH = ".github/workflows/test.yml"
STEPS = "jobs:\n  a:\n    steps:\n"
SAFE = options_from({"version": "2.8.0"})
ALL = options_from({"version": "2.8.0", "unsafe_fixes": True})


def workflow(text: str) -> WorkflowFile:
    file = kind_file(PATH, text)
    assert isinstance(file, WorkflowFile) and not file.has_syntax_error
    return file


@pytest.mark.parametrize(
    "path", [PATH, "a/.github/workflows/X.YAML", ".gitlab-ci.yml", ".circleci/config.yml", ".travis.yml"]
)
def test_names(path: str) -> None:
    found = kind_of(path)
    assert found is not None and found.name == "workflow"


@pytest.mark.parametrize("path", ["config.yml", ".github/dependabot.yml", "workflows/test.yml"])
def test_other_names(path: str) -> None:
    found = kind_of(path)
    assert found is not None and found.name == "yaml"


@pytest.mark.parametrize(
    "step",
    [
        "run: CUDA_VISIBLE_DEVICES=0 python é.py",
        "run: 'CUDA_VISIBLE_DEVICES=0 python é.py'  # x",
        'run: "é && CUDA_VISIBLE_DEVICES=0 python \\"a\\""',
        'run: "cd a\\nCUDA_VISIBLE_DEVICES=0 python a.py"',
        "run: 'bash -c ''CUDA_VISIBLE_DEVICES=0 python'' '",
        "run: |\n          CUDA_VISIBLE_DEVICES=0 python a.py",
        "run: |2-  # é\n          ls\n          if a; then\n"
        "            CUDA_VISIBLE_DEVICES=0 python\n          fi",
        "run: |\n          cat <<EOF > é\n            a\n          EOF\n"
        "          CUDA_VISIBLE_DEVICES=0 python",
        "run: |\n          cat <<'END' > é\n          a $(\n          END\n"
        "          CUDA_VISIBLE_DEVICES=0 python",
        "run: >-\n          CUDA_VISIBLE_DEVICES=0\n          python a.py",
        "run: >\n          ls\n\n          CUDA_VISIBLE_DEVICES=0\n          python a.py",
        "run: ls &&\n          CUDA_VISIBLE_DEVICES=0 python a.py",
        "run: &x |\n          ${{ matrix.x }} && CUDA_VISIBLE_DEVICES=0 python ${{ x.y }}",
        "shell: bash -l {0}\n        run: CUDA_VISIBLE_DEVICES=0 python",
        "env:\n          CUDA_VISIBLE_DEVICES: 0\n        run: python",
        'env: {A: x, "CUDA_VISIBLE_DEVICES": "0"}',
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_place_of_a_variable(step: str, newline: str) -> None:
    file = workflow(f"{STEPS}      - {step}\n      - name: last\n".replace("\n", newline))
    found = [place for place in file.places() if isinstance(place, Variable)]
    (variable,) = (place for place in found if place.name == "CUDA_VISIBLE_DEVICES")
    assert file.slice(variable.start, variable.end) == "CUDA_VISIBLE_DEVICES"
    assert variable.value is not None and variable.value.text == "0"
    assert file.slice(variable.value.start, variable.value.end) in ("0", '"0"')


@pytest.mark.parametrize(
    "step",
    [
        "run: nvidia-smi\n        shell: pwsh",
        "run: |\n          nvidia-smi\n        shell: python",
        "uses: actions/github-script\n        with:\n          script: nvidia-smi",
        "run: |\n          cat <<EOF > a\n          nvidia-smi\n          EOF",
        "run: |\n          # nvidia-smi",
        "name: nvidia-smi",
        "run: !x nvidia-smi",
    ],
)
def test_what_no_shell_runs(step: str) -> None:
    file = workflow(f"{STEPS}      - {step}\n")
    commands = [place for place in file.places() if isinstance(place, Command)]
    assert "nvidia-smi" not in [command.program for command in commands]
    assert check(file, SAFE) == ()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".gitlab-ci.yml", "test:\n  before_script: [ls, nvidia-smi]\n"),
        (".gitlab-ci.yml", "test:\n  script:\n    - |\n      nvidia-smi\n"),
        (".circleci/config.yml", "jobs:\n  a:\n    steps:\n      - run:\n          command: nvidia-smi\n"),
        (".circleci/config.yml", "jobs:\n  a:\n    steps:\n      - run: nvidia-smi\n"),
        (".travis.yml", "install:\n  - nvidia-smi\n"),
        ("azure-pipelines.yml", "steps:\n- script: |\n    nvidia-smi\n"),
    ],
)
def test_services(path: str, text: str) -> None:
    file = kind_file(path, text)
    assert file is not None
    assert [finding.code for finding in check(file, SAFE)] == ["NPU1004"]


def test_a_value_that_the_service_fills_in_is_not_known() -> None:
    text = f"{STEPS}      - run: CUDA_VISIBLE_DEVICES=${{{{ matrix.gpu }}}} python a.py\n"
    (variable,) = (place for place in workflow(text).places() if getattr(place, "use", None) is not None
                   and place.name == "CUDA_VISIBLE_DEVICES")  # type: ignore[attr-defined]  # fmt: skip
    assert variable.value is not None and variable.value.text is None


def test_changes_are_only_offered() -> None:
    text = f"{STEPS}      - run: nvidia-smi\n        env:\n          CUDA_VISIBLE_DEVICES: 0\n"
    assert apply_fixes(workflow(text), SAFE).text == text
    assert apply_fixes(workflow(text), ALL).text == text.replace("nvidia-smi", "npu-smi info").replace(
        "CUDA_VIS", "ASCEND_RT_VIS"
    )


@pytest.mark.parametrize(
    "step",
    [
        "run: nvidia-smi",
        "run: |\n          nvidia-smi\n          ls",
        "run: |\n          ls && \\\n            nvidia-smi && \\\n            ls",
        "run: >\n          ls &&\n          nvidia-smi",
        "run: ls &&\n          nvidia-smi",
        "run: 'ls &&\n          nvidia-smi'",
    ],
)
def test_a_comment_silences_a_finding_and_the_commands_are_the_same(step: str) -> None:
    file = workflow(f"{STEPS}      - {step}\n")
    (finding,) = check(file, SAFE)
    edit = ignore_line(file, finding)
    assert edit is not None
    silenced = workflow(apply_edits(file.data, [edit]).decode())
    assert check(silenced, SAFE) == ()
    words = [
        [[word.text for word in place.words] for place in one.places() if isinstance(place, Command)]
        for one in (file, silenced)
    ]
    assert words[0] == words[1]


def test_a_file_that_is_no_yaml_has_no_places() -> None:
    file = kind_file(PATH, "jobs: [a\n  - run: nvidia-smi\n")
    assert isinstance(file, WorkflowFile) and file.has_syntax_error
    assert list(file.places()) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("defaults:\n  run:\n    shell: python\njobs:\n  a:\n    steps:\n", 0),
        ("jobs:\n  a:\n    defaults: {run: {shell: pwsh}}\n    steps:\n", 0),
        ("jobs:\n  a:\n    runs-on: windows-2022\n    steps:\n", 0),
        ("jobs:\n  a:\n    runs-on: windows-2022\n    defaults: {run: {shell: bash}}\n    steps:\n", 1),
        ("defaults: {run: {shell: bash -l}}\njobs:\n  a:\n    runs-on: ubuntu\n    steps:\n", 1),
        ("jobs:\n  b:\n    defaults: {run: {shell: python}}\n  a:\n    steps:\n", 1),
    ],
)
def test_what_another_shell_runs_by_default_is_no_shell_code(text: str, count: int) -> None:
    steps = "      - run: CUDA_VISIBLE_DEVICES=0 python a.py\n      - run: ls\n        shell: bash\n"
    commands = [place for place in workflow(text + steps).places() if isinstance(place, Command)]
    assert sum(command.program == "python" for command in commands) == count
    assert sum(command.program == "ls" for command in commands) == 1


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("jobs:\n  a:\n    container: nvidia/cuda:12.4.1-base\n", ["nvidia/cuda:12.4.1-base"]),
        ("a:\n  image: 'nvidia/cuda:12.4.1-base'\n  services: [x]\n", ["nvidia/cuda:12.4.1-base"]),
        ("jobs:\n  a:\n    docker:\n      - image: nvidia/cuda:12.4.1-base\n", ["nvidia/cuda:12.4.1-base"]),
        (
            "jobs:\n  a:\n    services:\n      s: {image: x, options: --runtime nvidia}\n",
            ["--runtime nvidia"],
        ),
        (
            "jobs:\n  a:\n    machine: {image: ubuntu-2004-cuda-11.4:202110-01}\n",
            ["ubuntu-2004-cuda-11.4:202110-01"],
        ),
        ("jobs:\n  a:\n    resource_class: gpu.small\n    tags: [gpu-2]\n", ["gpu.small", "gpu-2"]),
        ("on:\n  push:\n    tags: [v1-gpu]\njobs:\n  a:\n    runs-on: ubuntu\n", []),
        ("on:\n  workflow_dispatch:\n    inputs:\n      image: {options: [nvidia/cuda]}\n", []),
    ],
)
def test_containers_with_cuda_are_reported(text: str, values: list[str]) -> None:
    file = workflow(text)
    found = [item for item in check(file, SAFE) if item.code == "NPU1303"]
    assert [file.slice(item.start, item.end) for item in found] == values


def test_what_a_service_lacks_is_no_error_of_the_project() -> None:
    text = "jobs:\n  a:\n    container: {image: 'nvidia/cuda:12.4.1-base', options: --gpus all}\n"
    assert {item.severity for item in check(workflow(text), SAFE)} == {Severity.WARNING}
