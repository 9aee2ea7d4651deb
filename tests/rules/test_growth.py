"""What fixes and their imports cost grows no faster than the text, whatever is repeated in it.

Work is counted in calls of functions, as in the tests of hostile texts, so that no clock decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.edits.fix_edits import edits_of
from gpu2ascend_rules.edits.offsets import OffsetMap
from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.engine.registry import has_exclusive_rule
from gpu2ascend_rules.engine.rule import Event
from gpu2ascend_rules.engine.support_listed import longest_listed
from gpu2ascend_rules.facts import Facts
from gpu2ascend_rules.facts.releases.history import lacking
from gpu2ascend_rules.fix_closure import closure_edits
from gpu2ascend_rules.fixing import apply_fixes, proposals
from gpu2ascend_rules.kinds.registry import kind_file
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import Version
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.rewrite import RewriteDeclined
from gpu2ascend_rules.text.plain.json_text import parse_json
from gpu2ascend_rules.text.scopes import Binding
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.all_edits import edits_of_all
from tests.security.test_growth import HEAD, MOST, growth

pytestmark = pytest.mark.slow

OPTIONS = options_from({"version": "2.8.0"})
Text = Callable[[int], str]


def _repeated(begin: str, part: str, end: str = "", joiner: str = "") -> Text:
    """A text of so many parts; ``{i}`` in one is its number."""
    return lambda n: HEAD + begin + joiner.join(part.replace("{i}", str(i)) for i in range(n)) + end + "\n"


NPU = "import torch_npu\n"
SHAPES: dict[str, Text] = {
    "findings in a block": _repeated("def f(x):\n", "    x{i} = x.cuda()\n"),
    "removals in a block": _repeated("def f(x):\n", "    torch.cuda.nvtx.range_pop()\n"),
    "findings beside migrated ones": _repeated(NPU + "def f(x):\n    y = x.npu()\n", "    x.cuda()\n"),
    "branches that are half migrated": _repeated(
        NPU + "def f(x):\n", "    if is_npu():\n        x.npu()\n    x.cuda()\n"
    ),
    "clauses of a choice": _repeated(
        NPU + "if d == 'npu':\n    pass\n", "elif d == 'cuda:{i}':\n    x.cuda()\n"
    ),
    "findings in a line": _repeated("", "x.cuda()", joiner="; "),
    "removals in a line": _repeated("", "torch.cuda.nvtx.range_pop()", joiner="; "),
    "arguments in a line": _repeated("f(", "x.cuda()", ")", joiner=", "),
    "imports in a line": _repeated("", "import torch", "; x.cuda()", joiner="; "),
    "names of an import": _repeated("from torch.cuda import ", "a{i}", joiner=", "),
    "names of an import that move": _repeated("from torch.cuda import ", "synchronize as a{i}", joiner=", "),
    "names of an import that go": _repeated("from apex.optimizers import ", "a{i}", joiner=", "),
    "imports of torch": _repeated("", "import torch.m{i}\nx.cuda()\n"),
    "functions that import torch": lambda n: "".join(
        f"def f{i}():\n    import torch\n    torch.cuda.synchronize()\n" for i in range(n)
    ),
    "functions that import torch_npu": lambda n: "".join(
        f"def f{i}():\n    import torch\n    import torch_npu\n    torch.cuda.init()\n" for i in range(n)
    ),
    "a profiler's activities": _repeated(
        "", "torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA])\n"
    ),
    "values in a command": _repeated("import os\nos.system('", "--device cuda ", "')"),
    "keyword arguments of a call": _repeated("f(", "a{i}='cuda'", ")", joiner=", "),
    "a module's attributes in a chain": lambda n: HEAD + "y = torch" + ".cuda" * n + "()\n",
    "names of torch": _repeated("", "import torch as t{i}\nt{i}.cuda.synchronize()\n"),
    "words of a docstring": _repeated('def f():\n    """', "x.cuda() torch.cuda >>> ", '"""\n    x.cuda()'),
    "texts in a literal": _repeated("y = (", "'cuda' ", ")"),
}
LOOP = """\
for m in a b; do
  g=$(echo $CUDA_VISIBLE_DEVICES | cut -d, -f1)
  python r.py --gpu $g --mode $m --b $be
done
"""
SCRIPTS: dict[str, Text] = {
    "loops over programs": lambda n: "be=nccl\n" + LOOP * n,
    "programs in a pipe": lambda n: "nvidia-smi" + " | cat" * n + "\n",
    "variables made of each other": lambda n: (
        "A0=cuda\n" + "".join(f"A{i + 1}=$A{i}$A{i}\n" for i in range(n)) + f"python t.py --device $A{n}\n"
    ),
    "values of a variable for an option": lambda n: "D=cuda\npython t.py --device $D\n" * n,
    "values of a variable for other options": lambda n: "".join(
        f"D=cuda\npython t.py --device{i} $D\n" for i in range(n)
    ),
    "values of a variable as arguments": lambda n: "D=cuda:0\npython t.py $D\n" * n,
    "values of a variable that is shown": lambda n: "D=cuda\necho $D\n" * n,
    "loops over devices": lambda n: "for d in cuda:0 cuda:1; do python t.py --device $d; done\n" * n,
    "loops in each other": lambda n: "for d in cuda:0; do\n" * n + "python t.py --device $d\n" + "done\n" * n,
    "words of a loop": lambda n: f"for d in {'cuda:0 ' * n}; do python t.py --device $d; done\n",
    "lists for loops": lambda n: "L='cuda:0 cuda:1'\nfor d in $L; do python t.py --device $d; done\n" * n,
    "options in a variable": lambda n: "ARGS='--device cuda'\npython t.py $ARGS\n" * n,
    "options of a program": lambda n: f"D=cuda\npython t.py {'--device cuda --b $D ' * n}\n",
    "calls of functions": lambda n: "".join(f"f{i}() {{ python t.py $1; }}\nf{i} cuda:0\n" for i in range(n)),
    "values with other words": lambda n: "export NCCL_DEBUG=INFO\n" * n,
    "settings of a command": lambda n: f"{'CUDNN_X=1 NCCL_IB_DISABLE=1 ' * n}python t.py\n",
    "sequences": lambda n: "for i in $(seq 0 8); do RANK=$i python t.py; done\n" * n,
    "packages of a command": lambda n: f"pip install {'nvidia-cublas-cu12 ' * n}\n",
    "texts for a shell": lambda n: "bash -c 'CUDA_VISIBLE_DEVICES=0 python t.py --device cuda'\n" * n,
}
CODE = "python -c 'import torch; torch.ones(1).cuda()'"
LINES = "import torch\ntorch.ones($N).cuda()\n"
JOBS = "jobs:\n  a:\n    runs-on: linux\n    steps:\n"
PARTS: dict[str, tuple[str, Text]] = {
    "code in backquotes": ("a.sh", lambda n: "".join(f"A{i}=`{CODE}`\n" for i in range(n))),
    "code whose output options get": ("a.sh", lambda n: f"A=$({CODE})\npython t.py --device $A\n" * n),
    "code in a pipe": ("a.sh", lambda n: f"{CODE} | " * n + "cat\n"),
    "code in blocks": ("a.sh", lambda n: f"if a; then\n{CODE}\n" * n + "fi\n" * n),
    "code for a shell": ("a.sh", lambda n: f'bash -c "{CODE}"\n' * n),
    "here-documents": ("a.sh", lambda n: f"python <<E\n{LINES}E\n" * n),
    "lines of a here-document": ("a.sh", lambda n: f"python <<E\n{LINES * n}E\n"),
    "lines behind tabs": ("a.sh", lambda n: "python <<-E\n" + "\ttorch.ones($N).cuda()\n" * n + "\tE\n"),
    "escapes": ("a.sh", lambda n: 'python -c "' + 'torch.ones(1).to(\\"cuda\\")\n' * n + '"\n'),
    "readers of a here-document": ("a.sh", lambda n: f"cat <<E{' | python' * n}\n{LINES}E\n"),
    "instructions": ("Dockerfile", lambda n: "FROM a\n" + f"RUN {CODE}\n" * n),
    "lines of an instruction": ("Dockerfile", lambda n: "FROM a\nRUN a" + f" && \\\n  {CODE}" * n + "\n"),
    "lines of a recipe": ("Makefile", lambda n: "a:\n" + f"\t{CODE}\n" * n),
    "shells within a function": ("Makefile", lambda n: "a:\n\t$(if " + "$(shell a " * n + ")" * n + ")\n"),
    "steps": (".github/workflows/a.yml", lambda n: JOBS + f"      - run: |\n          {CODE}\n" * n),
    "lines of a step": (
        ".github/workflows/a.yml", lambda n: JOBS + "      - run: |\n" + f"          {CODE}\n" * n
    ),
}  # fmt: skip
SHARED = {"a profiler's activities"}
"""Of which every finding has the edits of all."""
SIZE = 100
BLOCKS = ("def f(x):", "class A:", "if a:", "with torch.cuda.device(0):")
IN_BLOCKS = ("x.cuda()", "torch.cuda.nvtx.range_pop()", "import torch; torch.cuda.synchronize()")
MOST_BLOCKS = 90
"""Python takes a hundred levels."""


def _nested(block: str, statement: str, depth: int) -> str:
    return HEAD + "".join(f"{' ' * i}{block}\n{' ' * (i + 1)}{statement}\n" for i in range(depth))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", SHAPES)
def test_fixing_grows_with_the_text(name: str) -> None:
    assert growth(lambda n: apply_fixes(SourceFile(SHAPES[name](n)), OPTIONS), SIZE) <= MOST


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", SCRIPTS)
def test_checking_a_script_grows_with_the_text(name: str) -> None:
    def work(size: int) -> None:
        script = kind_file("train.sh", SCRIPTS[name](size))
        assert script is not None
        check(script, OPTIONS)

    assert growth(work, SIZE) <= MOST


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", PARTS)
def test_checking_code_within_a_script_grows_with_the_text(name: str) -> None:
    path, text = PARTS[name]

    def work(size: int) -> None:
        file = kind_file(path, text(size))
        assert file is not None
        check(file, OPTIONS)

    assert growth(work, SIZE) <= MOST


def resolve_each(text: str) -> None:
    """Find out the edits of every fix by itself, as an editor does that asks for one after the other."""
    source = SourceFile(text)
    for finding in check(source, OPTIONS):
        if finding.fix is not None:
            try:
                edits_of(source, finding.fix)
            except RewriteDeclined:
                continue


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", sorted(SHAPES.keys() - SHARED))
def test_resolving_every_fix_grows_with_the_text(name: str) -> None:
    assert growth(lambda n: resolve_each(SHAPES[name](n)), SIZE) <= MOST


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", SHAPES)
def test_resolving_one_fix_grows_with_the_text(name: str) -> None:
    def work(size: int) -> None:
        source = SourceFile(SHAPES[name](size))
        findings = check(source, OPTIONS)
        fixable = [item for item in findings if item.fix is not None]
        closure_edits(source, fixable[len(fixable) // 2 :][:1], findings, OPTIONS)

    assert growth(work, SIZE) <= MOST


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", SHAPES)
def test_offering_the_fixes_grows_with_the_text(name: str) -> None:
    def work(size: int) -> None:
        source = SourceFile(SHAPES[name](size))
        proposals(source, check(source, OPTIONS), edits_of_all(source, OPTIONS))

    assert growth(work, SIZE) <= MOST


@pytest.mark.one_in(3)
@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("statement", IN_BLOCKS)
@pytest.mark.parametrize("task", ["fix", "resolve"])
def test_fixes_in_nested_blocks_grow_with_the_text(block: str, statement: str, task: str) -> None:
    def work(depth: int) -> None:
        text = _nested(block, statement, depth)
        if task == "fix":
            apply_fixes(SourceFile(text), OPTIONS)
        else:
            resolve_each(text)

    assert growth(work, MOST_BLOCKS // 2) <= MOST


class Searched(bytes):
    """A text that counts the bytes that are passed over in searches for others."""

    passed = 0

    def find(self, sub: bytes, start: int = 0, end: int | None = None) -> int:  # type: ignore[override]
        end = len(self) if end is None else end
        found = super().find(sub, start, end)
        self.passed += (end if found < 0 else found) - start
        return found

    def rfind(self, sub: bytes, start: int = 0, end: int | None = None) -> int:  # type: ignore[override]
        end = len(self) if end is None else end
        found = super().rfind(sub, start, end)
        self.passed += end - (start if found < 0 else found)
        return found


WORDS: dict[str, tuple[Text, Callable[[int], list[str]]]] = {
    "one in a line": (_repeated("y = '", "torch.cuda ", "'"), lambda n: ["torch"]),
    "many": (_repeated("", "t{i} = t{i}.a\n"), lambda n: [f"t{i}" for i in range(n)]),
}


@pytest.mark.parametrize("name", WORDS)
def test_the_searches_for_words_grow_with_the_text(name: str) -> None:
    text, words = WORDS[name]

    def passed(size: int) -> int:
        source = SourceFile(text(size))
        assert source.root is not None
        source.data = searched = Searched(source.data)
        for word in words(size):
            source.bare_identifiers(word)
        return searched.passed

    assert passed(1000) / passed(500) <= MOST


def test_a_check_grows_with_the_arguments_of_a_call() -> None:
    text = SHAPES["keyword arguments of a call"]
    assert growth(lambda n: check(SourceFile(text(n)), OPTIONS), 5 * SIZE) <= MOST


def test_of_a_long_name_the_beginning_shows_whether_a_rule_is_for_it() -> None:
    names = count()
    assert growth(lambda n: has_exclusive_rule(f"a{next(names)}" + ".cuda" * n, Event.NAME), SIZE) <= 1.1


def test_of_a_long_name_the_beginning_shows_what_the_tables_know() -> None:
    names, version = count(), Version(2, 8, 0)
    facts = Facts.load(version, Hardware.A2)

    def ask(size: int) -> None:
        name = f"torch.cuda.a{next(names)}" + ".cuda" * size
        assert lacking(name, version) is None
        longest_listed(name, facts)

    assert growth(ask, SIZE) <= 1.1


def test_the_name_of_a_module_in_a_file_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    source = SourceFile("import torch as t\n" * SIZE)

    class Imports(tuple[Binding, ...]):
        """The imports of a file, which count how often somebody goes through them."""

        looks = 0

        def __iter__(self) -> Iterator[Binding]:
            self.looks += 1
            return super().__iter__()

    imports = Imports(source.names.imports)
    monkeypatch.setattr(source.names, "_imports", imports)
    with Context(source, OPTIONS) as context:
        spelled = {context.spell("torch.device") for _ in range(SIZE)}
    assert (spelled, imports.looks) == ({"t.device"}, 1)


def test_a_map_of_offsets_grows_with_its_edits() -> None:
    def work(size: int) -> None:
        moves = OffsetMap(Edit(3 * at, 3 * at + 1, "xx") for at in range(size))
        for at in range(size):
            moves.given(moves.present(at))

    assert growth(work, SIZE) <= MOST


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}"), ("[[1], ", "]")])
def test_reading_json_grows_with_its_nesting(opening: str, closing: str) -> None:
    assert growth(lambda n: parse_json(opening * n + "1" + closing * n), SIZE) <= MOST
