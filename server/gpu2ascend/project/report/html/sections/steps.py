"""What to do next, in order: environment, installation, what blocks, smoke test, launch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

from gpu2ascend_rules.facts.packages.pairs import Pair
from gpu2ascend_rules.model.finding import Severity

from .....texts.catalogue import Texts
from .....texts.shell import shell_line
from ..collect import PageCollector
from ..markup import Child, Html, element, with_code
from ..model import RunFacts
from .common import section

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


_Step = tuple[Child, ...]


def _steps(run: RunFacts, found: PageCollector, texts: Texts) -> Iterator[_Step]:
    if run.output is None:
        yield _step(texts, "migrate", _command(run))
    for name in run.route.steps:
        step = _STEPS[name](run, found, texts)
        if step is not None:
            yield step


def _command(run: RunFacts) -> str:
    project = PurePosixPath(run.project)
    chosen = ("-o", "out", "-v", run.version, *run.route.flags)
    return shell_line("gpu2ascend", "migrate", "-i", project, *chosen)


def _installation(run: RunFacts, found: PageCollector, texts: Texts) -> _Step:
    return (
        *_step(texts, "install" if run.pair.torch_npu else "install-vendor", _install(run.pair)),
        element("p", element("a", texts("report.step-releases"), href=_RELEASES, rel="noreferrer")),
    )


def _what_blocks(run: RunFacts, found: PageCollector, texts: Texts) -> _Step | None:
    if not run.obstacles and not run.summary.errors_on_way:
        return None
    blockers = (with_code(text) for text in (*run.obstacles, *_blockers(found)))
    return (*_step(texts, "blockers"), element("ul", *(element("li", text) for text in blockers)))


def _others(run: RunFacts, found: PageCollector, texts: Texts) -> _Step | None:
    return _step(texts, "others") if found.unexamined.notice() is not None else None


def _smoke(run: RunFacts, found: PageCollector, texts: Texts) -> _Step:
    return _step(texts, "smoke", _SMOKE_TEST)


def _launch(run: RunFacts, found: PageCollector, texts: Texts) -> _Step:
    launch = "\n".join(f"bash {name}" for name in run.launchers if name.endswith(".sh"))
    return _step(texts, "launch" if launch else "start", launch)


def _step(texts: Texts, name: str, command: str = "", **arguments: object) -> _Step:
    title = element("h3", texts(f"report.step-{name}"))
    text = element("p", with_code(texts(f"report.step-{name}-text", **arguments)))
    block = element("pre", element("code", command), translate="no", tabindex=0) if command else None
    return title, text, block


def _environment(run: RunFacts, found: PageCollector, texts: Texts) -> _Step:
    made_for = texts("report.step-cann", release=run.pair.documented, cann=run.pair.cann)
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
    on_way = [cause for cause in found.causes.in_order() if not cause.is_outside]
    errors = [cause for cause in on_way if cause.severity is Severity.ERROR]
    for cause in errors[:5]:
        yield f"{cause.place}: {cause.text}"
    if len(errors) > 5:
        yield "…"


_STEPS: dict[str, Callable[[RunFacts, PageCollector, Texts], _Step | None]] = {
    "environment": _environment,
    "install": _installation,
    "blockers": _what_blocks,
    "others": _others,
    "smoke": _smoke,
    "launch": _launch,
}
"""The steps by the names that targets have for them."""
