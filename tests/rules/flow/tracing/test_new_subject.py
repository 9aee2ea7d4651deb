"""A new subject is a table and nothing else: the execution provider of ONNX Runtime for CUDA."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.engine.scan import scan_strings
from gpu2ascend_rules.flow import Role, device_flow, flow_of
from gpu2ascend_rules.flow.subject import Sink, Subject
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0"})
TEXT = "CUDAExecutionProvider"


def is_provider(text: str) -> bool:
    return text == TEXT


def names_providers(name: str) -> bool:
    return name.lower() in ("provider", "providers")


def sinks() -> dict[str, Sink]:
    return {"onnxruntime.InferenceSession": Sink(2, ("providers",))}


PROVIDERS = Subject(
    name="execution providers",
    is_text=is_provider,
    names=names_providers,
    sinks=sinks,
    sample=TEXT,
    of_torch=False,
)


def roles(code: str) -> list[Role]:
    """The roles of the texts that name the provider, in the order of the file."""
    source = SourceFile("import argparse\nimport onnxruntime\n" + code)
    flow = flow_of(PROVIDERS, Context(source, OPTIONS))
    return [flow.role_of(ref).role for _, ref in scan_strings(source, ["CUDA"])]


USE = "onnxruntime.InferenceSession(path, providers=%s)\n"


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(USE % f"['{TEXT}']", id="list"),
        pytest.param(f"onnxruntime.InferenceSession(path, None, ['{TEXT}'])\n", id="position"),
        pytest.param(f"chosen = '{TEXT}'\n" + USE % "[chosen]", id="variable"),
        pytest.param(f"a = b = '{TEXT}'\n" + USE % "[b]", id="chained assignment"),
        pytest.param(f"a, b = '{TEXT}', 1\n" + USE % "[a]", id="unpacking"),
        pytest.param(f"if (p := '{TEXT}'):\n    " + USE % "[p]", id="named expression"),
        pytest.param(f"c = ['{TEXT}', 'CPUExecutionProvider']\n" + USE % "c", id="list in a variable"),
        pytest.param(f"c = []\nc.append('{TEXT}')\n" + USE % "c", id="append"),
        pytest.param(f"c = []\nc += ['{TEXT}']\n" + USE % "c", id="augmented assignment"),
        pytest.param(f"for p in ['{TEXT}', 'x']:\n    " + USE % "[p]", id="loop"),
        pytest.param(f"cfg = {{'p': '{TEXT}'}}\n" + USE % "[cfg['p']]", id="dictionary"),
        pytest.param(f"cfg = dict(p='{TEXT}')\n" + USE % "[cfg.get('p')]", id="dict and get"),
        pytest.param(f"cfg = {{}}\ncfg['p'] = '{TEXT}'\n" + USE % "[cfg['p']]", id="item"),
        pytest.param(USE % f"[cfg.get('x', '{TEXT}')]", id="default of get"),
        pytest.param(f"def f(p='{TEXT}'):\n    " + USE % "[p]", id="default of a parameter"),
        pytest.param("def f(p):\n    " + USE % "[p]" + f"f('{TEXT}')\n", id="argument"),
        pytest.param("def f(p):\n    " + USE % "[p]" + f"f(p='{TEXT}')\n", id="keyword"),
        pytest.param(f"def f():\n    return '{TEXT}'\n" + USE % "[f()]", id="returned value"),
        pytest.param(f"self.p = '{TEXT}'\n" + USE % "[self.p]", id="attribute"),
        pytest.param(
            f"q = argparse.ArgumentParser()\nq.add_argument('--ep', default='{TEXT}')\na = q.parse_args()\n"
            + USE % "[a.ep]",
            id="default of an option",
        ),
        pytest.param(
            f"@dataclass\nclass C:\n    ep: str = field(default='{TEXT}')\nc = C()\n" + USE % "[c.ep]",
            id="default of a dataclass",
        ),
        pytest.param(USE % f"['{TEXT}' if gpu else 'CPUExecutionProvider']", id="conditional"),
        pytest.param(USE % f"[chosen or '{TEXT}']", id="or"),
        pytest.param(f"n = '{TEXT}'\n" + USE % "[f'{n}']", id="f-string"),
        pytest.param(f"provider = '{TEXT}'\n", id="name"),
        pytest.param(f"class C:\n    ep = '{TEXT}'\n" + USE % "[C.ep]", id="attribute of a class"),
        pytest.param(f"cfg.ep = '{TEXT}'\n" + USE % "[cfg.ep]", id="attribute of an object"),
        pytest.param(
            "def f(*, p: str):\n    " + USE % "[p]" + f"f(p='{TEXT}')\n", id="keyword-only parameter"
        ),
        pytest.param(
            "class C:\n    def __init__(self, p):\n        " + USE % "[p]" + f"C('{TEXT}')\n",
            id="constructor",
        ),
        pytest.param(f"def f():\n    return ['{TEXT}']\n" + USE % "f()", id="returned list"),
        pytest.param(
            f"class C:\n    @property\n    def ep(self):\n        return '{TEXT}'\n"
            "    def g(self):\n        " + USE % "[self.ep]",
            id="property",
        ),
        pytest.param(
            f"cfg = {{'providers': ['{TEXT}']}}\nonnxruntime.InferenceSession(path, **cfg)\n",
            id="list in a dictionary that is unpacked",
        ),
        pytest.param(f"cfg = {{'p': ['{TEXT}']}}\n" + USE % "cfg['p']", id="list in a dictionary"),
        pytest.param(
            f"cfg = {{'a': {{'p': '{TEXT}'}}}}\n" + USE % "[cfg['a']['p']]", id="nested dictionaries"
        ),
        pytest.param(f"cfg = {{'gpu': '{TEXT}', 'x': 'y'}}\n" + USE % "[cfg[name]]", id="any key"),
        pytest.param(f"n = '%s' % '{TEXT}'\n" + USE % "[n]", id="percent"),
        pytest.param(f"n = '{{}}'.format('{TEXT}')\n" + USE % "[n]", id="format"),
        pytest.param(
            f"@dataclass\nclass C:\n    ep: str = '{TEXT}'\nc = C()\n" + USE % "[c.ep]", id="dataclass"
        ),
        pytest.param(f"class E(Enum):\n    A = '{TEXT}'\n" + USE % "[E.A.value]", id="enumeration"),
        pytest.param(
            f"@click.option('--ep', default='{TEXT}')\ndef f(ep):\n    " + USE % "[ep]", id="option of click"
        ),
        pytest.param(
            f"q = argparse.ArgumentParser()\nq.set_defaults(ep='{TEXT}')\na = q.parse_args()\n"
            + USE % "[a.ep]",
            id="set_defaults",
        ),
    ],
)
def test_a_text_is_followed_to_the_sink_of_its_table(code: str) -> None:
    assert roles(code) == [Role.CONSUMED]


@pytest.mark.parametrize(
    ("code", "role"),
    [
        (f"print('{TEXT}')\n", Role.SHOWN),
        (f"raise ValueError('{TEXT}')\n", Role.SHOWN),
        (f"x = table['{TEXT}']\n", Role.SHOWN),
        (f"x = f'{{\"{TEXT}\"}}-1'\n", Role.SHOWN),
        (f"if session.get_provider() == '{TEXT}':\n    pass\n", Role.SHOWN),
        (f"if provider == '{TEXT}':\n    pass\n", Role.TEST),
        (f"match provider:\n    case '{TEXT}':\n        pass\n", Role.TEST),
        (f"if '{TEXT}' in providers:\n    pass\n", Role.TEST),
        (f"if provider.startswith('{TEXT}'):\n    pass\n", Role.TEST),
        (f"if provider in ('{TEXT}', 'x'):\n    pass\n", Role.MEMBER),
        (f"x = {{'{TEXT}': 1}}[provider]\n", Role.KEY),
        (f"q.add_argument('--ep', choices=['{TEXT}'])\n", Role.OPTION),
        (f"elsewhere('{TEXT}')\n", Role.UNKNOWN),
        ("def f(p):\n    " + USE % "[p]" + f"    if p == '{TEXT}': pass\n", Role.TEST),
        ("def f(p):\n    " + USE % "[p]" + f"    match p:\n        case '{TEXT}': pass\n", Role.TEST),
        ("def f(p):\n    " + USE % "[p]" + f"    if p in ('{TEXT}', 'x'): pass\n", Role.MEMBER),
        (f"def f(provider: Literal['{TEXT}', 'x']): pass\n", Role.OPTION),
        (
            f"@click.option('--ep', type=click.Choice(['{TEXT}', 'x']))\ndef f(ep):\n    " + USE % "[ep]",
            Role.OPTION,
        ),
        (f"cfg = {{'p': ['{TEXT}']}}\n", Role.UNKNOWN),
    ],
)
def test_what_does_not_reach_the_sink_is_told_apart(code: str, role: Role) -> None:
    assert roles(code) == [role]


def test_each_subject_follows_its_own_texts_in_one_file() -> None:
    source = SourceFile("import onnxruntime\nx.to('cuda')\n" + USE % f"['{TEXT}']")
    ctx = Context(source, OPTIONS)
    refs = [ref for _, ref in scan_strings(source, ["cuda", "CUDA"])]
    assert [device_flow(ctx).role_of(ref).role for ref in refs] == [Role.CONSUMED, Role.SHOWN]
    assert [flow_of(PROVIDERS, ctx).role_of(ref).role for ref in refs] == [Role.SHOWN, Role.CONSUMED]


@pytest.mark.parametrize(
    ("arguments", "is_taken"),
    [
        pytest.param(f"path, None, '{TEXT}'", True, id="its position"),
        pytest.param(f"path, providers='{TEXT}'", True, id="its keyword"),
        pytest.param(f"'{TEXT}'", False, id="the first"),
        pytest.param(f"path, '{TEXT}'", False, id="one before"),
        pytest.param(f"path, None, None, '{TEXT}'", False, id="one after"),
        pytest.param(f"path, sess_options='{TEXT}'", False, id="another keyword"),
    ],
)
def test_a_sink_takes_a_text_at_its_place_and_nowhere_else(arguments: str, is_taken: bool) -> None:
    (role,) = roles(f"onnxruntime.InferenceSession({arguments})\n")
    assert (role is Role.CONSUMED) is is_taken
