"""What the tables of back ends, variables and commands say, beside the examples of their rules."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tree_sitter import Node

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.engine.scan import scan_strings
from gpu2ascend_rules.flow import Role
from gpu2ascend_rules.flow.subjects.backends import backend_role
from gpu2ascend_rules.flow.subjects.commands import command_role
from gpu2ascend_rules.flow.subjects.environment import variable_role
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0"})


def role_of(word: str, code: str, role: Callable[[Node, Context], Role]) -> Role:
    """The role of the one text of a program that has a word."""
    source = SourceFile(code)
    (ref,) = [ref for _, ref in scan_strings(source, [word])]
    return role(ref.node, Context(source, OPTIONS))


def role_of_backend(string: Node, ctx: Context) -> Role:
    return backend_role(string, ctx).role


@pytest.mark.parametrize(
    ("code", "role"),
    [
        ("init_process_group('nccl')", Role.CONSUMED),
        ("init_process_group(None, 'nccl')", Role.CONSUMED),
        ("setup_ddp('nccl')", Role.CONSUMED),
        ("backend = 'nccl'", Role.CONSUMED),
        ("def f(backend='nccl'):\n    print(backend)", Role.CONSUMED),
        ("x = args.backend or 'nccl'", Role.CONSUMED),
        ("x = {'a': 'gloo', 'b': 'nccl'}", Role.CONSUMED),
        ("f('nccl' if gpu else 'gloo')", Role.CONSUMED),
        ("if args.backend == 'nccl':\n    pass", Role.TEST),
        ("p.add_argument('--x', choices=['nccl', 'gloo'])", Role.OPTION),
        ("BACKENDS = ['nccl', 'gloo']", Role.MEMBER),
        ("if backend in ('nccl', 'gloo'):\n    pass", Role.MEMBER),
        ("x: Literal['nccl', 'gloo']", Role.MEMBER),
        ("make = {'nccl': f, 'gloo': g}", Role.KEY),
        ("name = 'nccl'", Role.UNKNOWN),
        ("name = 'nccl'\nif backend == name:\n    pass", Role.UNKNOWN),
        ("if name == 'nccl':\n    pass", Role.UNKNOWN),
        ("f('nccl')", Role.UNKNOWN),
        ("print('nccl')", Role.SHOWN),
        ("run(['--x', 'nccl'])", Role.SHOWN),
        ("x = {'cuda': 'nccl'}", Role.UNKNOWN),
        ("x = 'hccl' if npu else 'nccl'", Role.SHOWN),
        ("x = d['nccl']", Role.SHOWN),
        ("f(label='nccl')", Role.SHOWN),
    ],
)
def test_back_ends(code: str, role: Role) -> None:
    assert role_of("nccl", code, role_of_backend) is role


@pytest.mark.parametrize(
    ("code", "role"),
    [
        ("os.getenv('CUDA_HOME')", Role.CONSUMED),
        ("x = env['CUDA_HOME']", Role.CONSUMED),
        ("x = os.environ.get('CUDA_HOME')", Role.CONSUMED),
        ("x = 'CUDA_HOME' in os.environ", Role.CONSUMED),
        ("run(cmd, env={'CUDA_HOME': x})", Role.CONSUMED),
        ("get_env('CUDA_HOME')", Role.CONSUMED),
        ("def get_env(name):\n    return 1\nget_env('CUDA_HOME')", Role.CONSUMED),
        ("x = settings['CUDA_HOME']", Role.UNKNOWN),
        ("x = settings.get('CUDA_HOME')", Role.UNKNOWN),
        ("x = {'CUDA_HOME': 1}", Role.UNKNOWN),
        ("x = ['CUDA_HOME']", Role.UNKNOWN),
        ("x = line.startswith('CUDA_HOME')", Role.UNKNOWN),
        ("if name == 'CUDA_HOME':\n    pass", Role.UNKNOWN),
        ("click.option('--x', envvar='CUDA_HOME')", Role.UNKNOWN),
        ("f(1, 'CUDA_HOME')", Role.UNKNOWN),
        ("print('CUDA_HOME')", Role.SHOWN),
        ("raise KeyError('CUDA_HOME')", Role.SHOWN),
        ("x = 'MY_' + 'CUDA_HOME'", Role.SHOWN),
    ],
)
def test_environment_variables(code: str, role: Role) -> None:
    assert role_of("CUDA_HOME", code, variable_role) is role


@pytest.mark.parametrize(
    ("code", "role"),
    [
        ("os.system('nvidia-smi')", Role.CONSUMED),
        ("subprocess.run(args=['nvidia-smi'])", Role.CONSUMED),
        ("os.execlp('sh', 'nvidia-smi')", Role.CONSUMED),
        ("os.system(f'sudo {\"nvidia-smi\"} -L')", Role.CONSUMED),
        ("os.system(' '.join(['sudo', 'nvidia-smi']))", Role.CONSUMED),
        ("x = 'nvidia-smi' + y\nos.popen(x.strip())", Role.CONSUMED),
        ("x = ['sudo']\nx += ['nvidia-smi']\ncall(x)", Role.CONSUMED),
        ("x = ['sudo']\nx.append('nvidia-smi')\ncall(x)", Role.CONSUMED),
        ("subprocess.run([*['nvidia-smi'], '-L'])", Role.CONSUMED),
        ("self.command = 'nvidia-smi'", Role.NAMED),
        ("start(cmd='nvidia-smi')", Role.NAMED),
        ("cmd = 'nvidia-smi'\nprint(cmd)", Role.NAMED),
        ("subprocess.run(x, 'nvidia-smi')", Role.SHOWN),
        ("x = 'nvidia-smi'", Role.SHOWN),
        ("print('nvidia-smi')", Role.SHOWN),
        ("f('nvidia-smi')", Role.SHOWN),
    ],
)
def test_commands(code: str, role: Role) -> None:
    assert role_of("nvidia-smi", code, command_role) is role
