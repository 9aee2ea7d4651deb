"""Methods in the support lists: reported where the receiver is proven, and only there."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.model.finding import Finding, Severity
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile


def findings(code: str, version: str = "2.8.0", **options: object) -> list[Finding]:
    settings = options_from({"version": version, "select": ["NPU00"], **options})
    return list(check(SourceFile("import torch\nfrom torch import nn\n" + code), settings))


def apis(code: str, version: str = "2.8.0", **options: object) -> list[str | None]:
    return [finding.api for finding in findings(code, version, **options)]


def test_a_method_of_a_tensor_is_reported_at_its_name() -> None:
    code = "x = torch.ones(2)\ny = x.to_dense()\n"
    (finding,) = findings(code)
    source = SourceFile("import torch\nfrom torch import nn\n" + code)
    assert (finding.api, finding.severity) == ("torch.Tensor.to_dense", Severity.ERROR)
    assert source.slice(finding.start, finding.end) == "to_dense"
    arguments = dict(finding.message.arguments)
    assert (arguments["version"], arguments["hardware"]) == ("2.8.0", "A2")


def test_an_inherited_method_is_reported_as_the_list_has_it() -> None:
    assert apis("nn.Linear(1, 1).share_memory()\n") == ["torch.nn.Module.share_memory"]


def test_an_attribute_is_reported_like_a_method() -> None:
    assert apis("x = torch.ones(1)\ns = x.storage()\ns.is_hpu\n") == ["torch.TypedStorage.is_hpu"]


@pytest.mark.parametrize(
    "code",
    [
        "def f(x):\n    x.to_dense()\n",
        "class Net(nn.Module):\n    def share_memory(self):\n        pass\nNet().share_memory()\n",
        "x = torch.ones(2)\nx.cpu().to_dense()\n",
        "x = torch.ones(2).cpu()\nx.view(-1).to_dense()\n",
        "import numpy as np\ntorch.from_numpy(np.ones(2)).to_dense()\n",
        "x = torch.ones(2)\nx.to('cpu').to_dense()\n",
        "torch.FloatTensor(2).to_dense()\n",
        "def f(x: torch.Tensor):\n    x = x.cpu().numpy()\n    x = x[1:]\n    return (x == 1).to_dense()\n",
        "def f(x):\n    if torch.is_tensor(x):\n        pass\n    else:\n        x.to_dense()\n",
        "def f(x):\n    if torch.is_tensor(x):\n        pass\n    elif x:\n        x.to_dense()\n",
        "def f(x):\n    return torch.is_tensor(x) or x.to_dense()\n",
        "def f(x):\n    if not isinstance(x, torch.Tensor):\n        x.to_dense()\n",
        "def f(x):\n    if x is None or torch.is_tensor(x):\n        x.to_dense()\n",
        "x = torch.ones(2)\nx.to_dense = None\n",
        "o = torch.optim.Adam([])\no.step()\n",
        "nn.Linear(1, 1).npu()\n",
    ],
)
def test_nothing_is_said_without_proof(code: str) -> None:
    assert [api for api in apis(code) if api and api != "torch.optim.Adam"] == []


def test_restrictions_are_told_on_request_where_their_lists_are_limits() -> None:
    code = "x = torch.ones(2)\nx.matmul(x)\ntorch.matmul(x, x)\nnn.Identity()\nx.size()\nx.cpu().bmm(x)\n"
    assert apis(code) == []
    assert apis(code, restricted_apis=True) == ["torch.Tensor.matmul", "torch.matmul"]
    assert apis(code, version="2.1.0", restricted_apis=True) == []  # its list is of names alone


def test_a_tensor_that_comes_back_from_the_cpu_counts() -> None:
    assert apis("x = torch.ones(2)\nx.cpu().to('npu').to_dense()\n") == ["torch.Tensor.to_dense"]


def test_a_check_of_the_type_is_proof() -> None:
    assert apis("def f(x):\n    if isinstance(x, torch.Tensor):\n        x.to_dense()\n") == [
        "torch.Tensor.to_dense"
    ]


def test_a_member_that_another_rule_speaks_of_is_left_to_it() -> None:
    assert apis("torch.ones(1).to_sparse()\n") == []


def test_what_works_on_the_cpu_is_told_as_information() -> None:
    (finding,) = findings("nn.Linear(1, 1).share_memory()\n")
    assert (finding.severity, finding.message.id) == (Severity.INFORMATION, "NPU001.elsewhere")


def test_a_list_that_contradicts_itself_is_told_as_information() -> None:
    (finding,) = findings("nn.MaxPool3d(2)\n")
    assert (finding.severity, finding.message.id) == (Severity.INFORMATION, "NPU001.contradicted")
    assert dict(finding.message.arguments)["other"] == "torch.nn.functional.max_pool3d"


def test_an_alternative_is_named_where_there_is_one() -> None:
    (finding,) = findings("torch.hypot(x, y)\n", "1.11.0")
    assert dict(finding.message.arguments)["alternative"] == "`torch.sqrt(x * x + y * y)`"


def test_an_older_name_of_what_is_supported_is_no_finding() -> None:
    assert apis("nn.utils.clip_grad_norm(ps, 1)\n", unknown_apis=True) == []


def test_a_kernel_that_torch_npu_registers_speaks_against_the_list() -> None:
    assert apis("torch.var_mean(x)\n", unknown_apis=True) == []


def test_what_a_list_has_by_another_name_is_not_unknown() -> None:
    assert apis("torch.log_softmax(x, 1)\ntorch.distributions.normal.Normal(0, 1)\n", unknown_apis=True) == []


def test_an_unlisted_method_is_unknown_on_request_only() -> None:
    code = "torch.ones(1).lgamma_()\n"
    assert apis(code) == []
    (finding,) = findings(code, unknown_apis=True)
    assert (finding.api, finding.kind) == ("torch.Tensor.lgamma_", "unknown")


def test_a_fallback_is_told_where_there_is_no_kernel() -> None:
    assert apis("torch.ones(1).index_reduce_(0, i, s, 'prod')\n") == ["torch.Tensor.index_reduce_"]
    assert apis("torch.ones(1).normal_()\n") == []


@pytest.mark.parametrize(
    "code",
    [
        "class Net(nn.Sequential):\n    def __init__(self):\n        super().__init__(nn.RReLU())\n",
        "layers = nn.Sequential(nn.Linear(1, 1), nn.RReLU())\n",
        "class Mine(nn.RReLU):\n    pass\n",
        "from torch.nn import RReLU as R\nx = R\n",
        "import torch.nn as layers\nlayers.RReLU(1)\n",
        "def f(kind=nn.RReLU):\n    return kind()\n",
        "TABLE = {'rrelu': nn.RReLU}\n",
    ],
)
def test_a_class_is_found_wherever_it_stands(code: str) -> None:
    assert "torch.nn.RReLU" in apis(code)


@pytest.mark.parametrize(
    "code",
    [
        "@torch.func.functionalize\ndef f():\n    pass\n",
        "@torch.func.functionalize()\ndef f():\n    pass\n",
        "from torch import func\nclass A:\n    @func.functionalize\n    def f(self):\n        pass\n",
    ],
)
def test_a_decorator_is_found(code: str) -> None:
    assert "torch.func.functionalize" in apis(code)
