"""What to do next, in order: environment, installation, what blocks, smoke test, launch."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from gpu2ascend_rules.facts.packages.pairs import Pair
from gpu2ascend_rules.model.finding import Severity

from ......texts.catalogue import Texts
from ...collect import PageCollector
from ...markup import Child, Html, element, with_code
from ...model import RunFacts
from ..common import section

_SET_ENV = """\
source /usr/local/Ascend/cann/set_env.sh || source /usr/local/Ascend/ascend-toolkit/set_env.sh"""
_SMOKE_TEST = (
    "gpu2ascend doctor\n"
    "python -c \"import torch, torch_npu; x = torch.ones(2, 3, device='npu'); print((x @ x.T).cpu())\""
)
_RELEASES = "https://gitcode.com/Ascend/pytorch"
_TORCH_INDEX = "https://download.pytorch.org/whl/cpu"


def steps(run: RunFacts, found: PageCollector, texts: Texts) -> Html:
    """The section."""
    items = (element("li", *step) for step in _steps(run, found, texts))
    return section("steps", texts("report.steps"), element("ol", *items, class_="steps"))


def _steps(run: RunFacts, found: PageCollector, texts: Texts) -> Iterator[tuple[Child, ...]]:
    if run.output is None:
        command = f"gpu2ascend migrate -i {shlex.quote(run.project)} -o out -v {run.version}"
        yield _step(texts, "migrate", command)
    yield _environment(run, texts)
    yield (
        *_step(texts, "install" if run.pair.torch_npu else "install-vendor", _install(run.pair)),
        element("p", element("a", texts("report.step-releases"), href=_RELEASES, rel="noreferrer")),
    )
    if run.obstacles or run.summary.errors:
        blockers = (with_code(text) for text in (*run.obstacles, *_blockers(found)))
        yield (*_step(texts, "blockers"), element("ul", *(element("li", text) for text in blockers)))
    if found.unexamined.notice() is not None:
        yield _step(texts, "others")
    yield _step(texts, "smoke", _SMOKE_TEST)
    launch = "\n".join(f"bash {name}" for name in run.launchers if name.endswith(".sh"))
    yield _step(texts, "launch" if launch else "start", launch)


def _step(texts: Texts, name: str, command: str = "", **arguments: object) -> tuple[Child, ...]:
    title = element("h3", texts(f"report.step-{name}"))
    text = element("p", with_code(texts(f"report.step-{name}-text", **arguments)))
    block = element("pre", element("code", command), translate="no", tabindex=0) if command else None
    return title, text, block


def _environment(run: RunFacts, texts: Texts) -> tuple[Child, ...]:
    made_for = texts("report.step-cann", release=run.pair.torch_npu, cann=run.pair.cann)
    set_env = _SET_ENV if run.environment is None else f"source ./{run.environment}"
    step = _step(texts, "environment", f"{set_env}\nnpu-smi info")
    return (*step, element("p", made_for) if run.pair.cann else None)


def _install(pair: Pair) -> str:
    """The pair for the version; of torchvision and torchaudio what there is."""
    named = (("torch", pair.torch), ("torchvision", pair.torchvision), ("torchaudio", pair.torchaudio))
    together = " ".join(f"{package}=={release}" for package, release in named if release)
    lines = [f"pip install {together} --index-url {_TORCH_INDEX}"]
    if pair.torch_npu:
        lines.append(f"pip install torch-npu=={pair.torch_npu}")
    return "\n".join(lines)


def _blockers(found: PageCollector) -> Iterator[str]:
    errors = [cause for cause in found.causes.in_order() if cause.severity is Severity.ERROR]
    for cause in errors[:5]:
        yield f"{cause.place}: {cause.text}"
    if len(errors) > 5:
        yield "…"
