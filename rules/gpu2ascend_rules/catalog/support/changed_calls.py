"""NPU009: calls that later releases of PyTorch answer otherwise, or refuse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import MemberRef, NameRef
from ...engine.rule import Example, Rule, on, replace
from ...facts import SupportStatus
from ...facts.releases.changes import Change, change_of, changes
from ...flow.guards.fallbacks import has_fallback
from ...flow.settings.required import is_written_for
from ...inference.classes.torch_classes import TENSOR
from ...inference.naming_hints import TENSOR_METHODS
from ...limits.parents import parent_of
from ...model.finding import Finding, Requirement, Rewrite, Severity
from ...receivers.loaded_files import is_kept_in_arrays
from ...receivers.saved_files import (
    MODEL_METHODS,
    SETTINGS,
    is_saved_with_objects,
    loads_what_is_tested,
    may_be_saved_with_options,
)
from ...text.guards import is_version_dependent
from ...text.names import Certainty
from ...text.scopes import BindingKind
from ...text.syntax import Arguments, call_of, call_with, field, is_field, last_name, passed_to, same, text_of
from ...text.uses import uses_of_variable

_LACKS, _GIVEN, _REAL, _KIND = changes("lacks"), changes("given"), changes("real"), changes("kind")
_MASK = change_of("mask")
_METHODS_OF_BOTH = frozenset({"cuda", "npu", "to", "half", "float"})
_METHODS_OF_MODULES = frozenset({"eval", "train", "state_dict", "parameters", "modules", "module"})
_METHODS_OF_MODULES |= _METHODS_OF_BOTH
"""What is used of a loaded object that is a model."""
_AS_COMPLEX = "torch.view_as_complex"
_COMPLEX = ("view_as_complex", "return_complex=True", "torch.complex", "torch.polar", "complex64")
_BYTES = (".byte()", ".to(torch.uint8)", ".type(torch.uint8)", ".type(torch.ByteTensor)")
_TENSOR_OF_BYTES = re.compile(
    r"torch\.(?:cuda\.)?ByteTensor\("
    r"|torch\.(?:zeros|ones|full|empty|tensor)(?:_like)?\(.*\bdtype ?= ?torch\.uint8\b"
)


class ChangedCall(Rule):
    """A call relies on what PyTorch did before the chosen release.

    What it does: Looks calls up in a table of changes: ``torch.load`` of more than tensors, which raises from
    2.6 on; ``stft`` without ``return_complex`` and ``istft`` of real numbers (2.0); masks of bytes (2.1);
    ``verbose`` of learning-rate schedulers (2.7); tests for ``_LRScheduler`` (2.0). Each is reported from the
    release on that behaves so, unless the project requires that release or a later one.

    Why it matters on the NPU: A project is often migrated to a newer PyTorch than it was written for. The
    call raises there, on every device, or tests for the wrong class.

    Example: ``torch.load('model.pt').eval()`` with PyTorch 2.6 or newer.

    Use instead: what the message names; the fix keeps the behaviour of the older release.
    """

    code = "NPU009"
    fails = frozenset({"weights_only", "stft", "istft", "verbose", "isinstance", "byte_mask"})
    examples = (
        Example(
            "import torch\nmodel = torch.load('a.pt')\nmodel.eval()\n",
            unsafe="import torch\nmodel = torch.load('a.pt', weights_only=False)\nmodel.eval()\n",
        ),
        Example(
            "import torch\nopt = torch.load(path, map_location='cpu')['args']\n",
            unsafe="import torch\nopt = torch.load(path, map_location='cpu', weights_only=False)['args']\n",
        ),
        Example(
            "import torch\ny = torch.stft(x, 512, hop_length=128)\n",
            unsafe="import torch\ny = torch.stft(x, 512, hop_length=128, return_complex=False)\n",
        ),
        Example(
            "import torch\ny = torch.stft(x, 512, return_complex=False)\nz = torch.istft(y, 512)\n",
            unsafe="import torch\ny = torch.stft(x, 512, return_complex=False)\n"
            "z = torch.istft(torch.view_as_complex(y), 512)\n",
        ),
        Example(
            "from torch.optim.lr_scheduler import ReduceLROnPlateau as R\ns = R(opt, 'min', verbose=True)\n",
            "from torch.optim.lr_scheduler import ReduceLROnPlateau as R\ns = R(opt, 'min')\n",
        ),
        Example(
            "import torch\nok = isinstance(s, torch.optim.lr_scheduler._LRScheduler)\n",
            "import torch\nok = isinstance(s, torch.optim.lr_scheduler.LRScheduler)\n",
        ),
        Example(
            "import torch\ny = x.masked_fill(mask.byte(), 0)\n",
            "import torch\ny = x.masked_fill(mask.bool(), 0)\n",
        ),
        Example("import torch\nm = (x > 0).byte()\ny = x.masked_select(m)\n"),
        Example("import torch\nm = torch.zeros(3, dtype=torch.uint8)\ny = x.masked_select(m)\n"),
        Example(
            "import torch\nc = torch.load('a')\nw = c['m'].float().state_dict()\n",
            unsafe="import torch\nc = torch.load('a', weights_only=False)\nw = c['m'].float().state_dict()\n",
        ),
        Example(
            "import numpy as np\nimport torch\nseen = np.empty(9)\ndata = torch.load(f)\nseen[:3] = data\n",
            unsafe="import numpy as np\nimport torch\nseen = np.empty(9)\n"
            "data = torch.load(f, weights_only=False)\nseen[:3] = data\n",
        ),
        Example(
            "import torch\nface = torch.load(f, map_location='cpu')\nface = torch.from_numpy(face)\n",
            unsafe="import torch\nface = torch.load(f, map_location='cpu', weights_only=False)\n"
            "face = torch.from_numpy(face)\n",
        ),
        Example(
            "import torch\ndef test(x):\n    net.eval()\n    return net(x)\n"
            "net = torch.load('a.pt')\ntest(3)\n",
            unsafe="import torch\ndef test(x):\n    net.eval()\n    return net(x)\n"
            "net = torch.load('a.pt', weights_only=False)\ntest(3)\n",
        ),
        Example(
            "import torch\ndef save(args, net):\n    c = {'net': net.state_dict(), 'step': 1, 'args': args}\n"
            "    torch.save(c, args.path)\ndef load(path):\n    c = torch.load(path)\n"
            "    return c['net'], c['step']\n",
            unsafe="import torch\ndef save(args, net):\n"
            "    c = {'net': net.state_dict(), 'step': 1, 'args': args}\n    torch.save(c, args.path)\n"
            "def load(path):\n    c = torch.load(path, weights_only=False)\n    return c['net'], c['step']\n",
        ),
        Example(
            "import torch\nnet = torch.load('a')['model']\nnet.cuda().eval().half()\n",
            unsafe="import torch\nnet = torch.load('a', weights_only=False)['model']\n"
            "net.cuda().eval().half()\n",
        ),
        Example.unchanged("import torch\nw = torch.load('a')['w']\nw.cuda().float()\n"),
        Example.unchanged(
            "import torch\nw = torch.load('a')['w']\nif not isinstance(w, dict):\n    w = w.state_dict()\n"
        ),
        Example.unchanged("import torch\nc = torch.load('a.pt')\nw = c['model'].float().mean()\n"),
        Example.unchanged("import torch\nmodel = torch.load('a.pt')\nmodel.eval()\n", version="2.5.1"),
        Example.unchanged("import torch\nnet.load_state_dict(torch.load('a.pt'))\n"),
        Example.unchanged("import torch\nc = torch.load('a.pt')\nadam.load_state_dict(c['opt'])\n"),
        Example.unchanged("import torch\nmel = torch.load(f)\nmel = mel.unsqueeze(0)\nmel = mel.cuda()\n"),
        Example.unchanged("import torch\nw = torch.load('w.pt').to(device)\nx = x + 3 * w\n"),
        Example.unchanged(
            "import torch\nfrom argparse import Namespace\nc = torch.load('a.pt')\nopts = c['opts']\n"
            "opts['lr'] = 1\nopts = Namespace(**opts)\nlr = opts.lr\n"
        ),
        Example.unchanged(
            "import torch\nif a:\n    w = torch.load('w.pt').to(device)\nelse:\n    w = torch.cat(x)\nf(w)\n"
        ),
        Example(
            "import torch\nc = torch.load('a.pt')\no = c['opts']\nlr = o.lr\n",
            unsafe="import torch\nc = torch.load('a.pt', weights_only=False)\no = c['opts']\nlr = o.lr\n",
        ),
        Example.unchanged("import torch\nm = torch.load('a.pt', weights_only=True)\nm.eval()\n"),
        Example.unchanged("import dill, torch\nm = torch.load('a', pickle_module=dill)\nm.eval()\n"),
        Example.unchanged("import torch\ny = torch.stft(x, 9, return_complex=True)\nz = torch.istft(y, 9)\n"),
        Example.unchanged("import torch\ny = x.masked_fill(mask, 0)\nb = mask.byte()\n"),
    )

    @on.name(*_LACKS)
    def lacks(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        change = _LACKS[ref.name]
        if ref.call is None or not self._concerns(change, ref, ctx) or _gives(ref.arguments, change):
            return
        severity = _severity_of_load(ref.call, ctx) if change.id == "weights_only" else Severity.WARNING
        if severity is None:
            return
        steps = (("set", f"{change.keyword}={change.becomes}"),)
        rewrite = Rewrite(ref.call.start_byte, ref.call.end_byte, steps)
        fix = self.fix(change.fix, rewrites=[rewrite])
        yield self._report(change, ref, fix=fix, severity=severity)

    @on.name(*_GIVEN)
    def given(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        change = _GIVEN[ref.name]
        argument = ref.arguments.keyword(change.keyword)
        if ref.call is None or argument is None or not self._concerns(change, ref, ctx):
            return
        rewrite = Rewrite(ref.call.start_byte, ref.call.end_byte, (("drop", change.keyword),))
        yield self._report(change, ref, at=argument.node, fix=self.fix(change.fix, rewrites=[rewrite]))

    @on.name(*_REAL)
    def real(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        """``istft`` in a file that makes no complex numbers."""
        change, first = _REAL[ref.name], ref.arguments.get("input", 0)
        if ref.call is None or first is None or not self._concerns(change, ref, ctx):
            return
        text = ctx.source.text
        if "stft(" not in text.replace("istft(", "") or any(word in text for word in _COMPLEX):
            return
        edits = [replace(first.value, f"{ctx.spell(_AS_COMPLEX)}({text_of(first.value)})")]
        fix = self.fix(change.fix, edits=edits, requires=[Requirement("torch")])
        is_supported = ctx.facts.status(_AS_COMPLEX) is not SupportStatus.UNSUPPORTED
        yield self._report(change, ref, fix=fix if is_supported else None)

    @on.name(*_KIND)
    def kind(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        change, call = _KIND[ref.name], _test_of(ref.node)
        if call is None or not self._concerns(change, ref, ctx):
            return
        edits = [replace(ref.node, ctx.spell(change.becomes))]
        fix = self.fix(change.fix, edits=edits, requires=[Requirement("torch")])
        yield self._report(change, ref, fix=fix, instead=change.becomes)

    @on.member(*_MASK.names)
    def masked(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        mask = ref.arguments.get("mask", 0)
        if ref.call is None or mask is None or not _MASK.concerns(ctx.version):
            return
        ending = next((item for item in _BYTES if text_of(mask.value).endswith(item)), None)
        if ending is not None:
            start = mask.value.end_byte - len(ending)
            edit = replace(mask.value, text_of(mask.value)[: -len(ending)] + ".bool()")
            fix = self.fix(_MASK.fix, edits=[edit._replace(start=start, text=".bool()")])
            yield self.report(mask.value, _MASK.id, Severity.WARNING, fix=fix, api=ref.name)
        elif _is_made_of_bytes(mask.value, ctx):
            yield self.report(mask.value, _MASK.id, Severity.ERROR, api=ref.name)

    def _concerns(self, change: Change, ref: NameRef, ctx: Context) -> bool:
        if ref.certainty is Certainty.AMBIGUOUS or not change.concerns(ctx.version):
            return False
        if is_version_dependent(ref.node):
            return False
        return change.since is None or not is_written_for(ctx, "torch", tuple(change.since[:2]))

    def _report(
        self,
        change: Change,
        ref: NameRef,
        *,
        at: Node | None = None,
        severity: Severity = Severity.WARNING,
        **given: Any,
    ) -> Finding:
        return self.report(at or ref.node, change.id, severity, api=ref.name, **given)


def _severity_of_load(call: Node, ctx: Context) -> Severity | None:
    """How bad it is that a load takes tensors alone; nothing where it reads nothing else. A checkpoint from
    which the program goes on only if a setting says so keeps no training from starting."""
    if _is_more_than_tensors(call, ctx) or is_kept_in_arrays(call, ctx):
        return Severity.WARNING
    if not is_saved_with_objects(call, ctx):
        return Severity.INFORMATION if may_be_saved_with_options(call, ctx) else None
    is_left = loads_what_is_tested(call) or has_fallback(call, ctx, by_default=True)
    return Severity.INFORMATION if is_left else Severity.WARNING


def _gives(arguments: Arguments, change: Change) -> bool:
    """Whether a call gives the argument, may give it, or with its own unpickler takes everything."""
    if arguments.unpacked or any(map(arguments.keyword, (change.keyword, "pickle_module"))):
        return True
    return change.position is not None and arguments.at(change.position) is not None


def _is_more_than_tensors(call: Node, ctx: Context) -> bool:
    """Whether what is loaded is used as a model, or holds objects by the names of its items."""
    whole = _moved(call)
    is_moved, parent = whole.id != call.id, parent_of(whole)
    if parent is None:
        return False
    if parent.type in ("attribute", "subscript", "call") and not is_field(whole, "arguments"):
        return is_moved or _shows_object(whole, ctx)
    target = field(parent, "left") if parent.type == "assignment" else None
    if target is None or target.type != "identifier" or not is_field(whole, "right"):
        return is_moved
    later = _uses_after(target, whole, ctx)
    is_object = is_moved or any(_shows_object(use, ctx) for use in later)
    return is_object and not any(map(_shows_tensor, later)) and not _is_a_tensor_else(target, whole, ctx)


def _uses_after(target: Node, loaded: Node, ctx: Context) -> list[Node]:
    """The uses of a variable that come after a load: those of functions of a module run when it is read."""
    scope = ctx.source.names.scope_of(target)
    is_global = parent_of(scope) is None
    return [
        use
        for use in ctx.source.names.readers(text_of(target), scope)
        if use.start_byte > loaded.end_byte
        or (is_global and ctx.source.enclosing(use, "function_definition") is not None)
    ]


def _moved(loaded: Node) -> Node:
    """What is loaded, after methods that tensors and models have: ``torch.load(f).to(device)``."""
    attribute = parent_of(loaded)
    if attribute is None or attribute.type != "attribute" or not is_field(loaded, "object"):
        return loaded
    moved = call_of(attribute) if text_of(field(attribute, "attribute")) in _METHODS_OF_BOTH else None
    return _moved(moved) if moved is not None else loaded


def _is_a_tensor_else(target: Node, loaded: Node, ctx: Context) -> bool:
    """Whether a variable is a tensor where it is not loaded."""
    bindings = ctx.source.names.bindings_in_scope(text_of(target), target)
    others = (item.value for item in bindings if item.value is not None and not same(item.value, loaded))
    made = (ctx.instances.of(value) for value in others)
    return any(instance is not None and instance.class_name == TENSOR for instance in made)


def _shows_tensor(loaded: Node) -> bool:
    """Whether what is loaded is used as only a tensor is."""
    parent = parent_of(loaded)
    if parent is not None and parent.type == "binary_operator":
        return True
    name = field(parent, "attribute") if parent is not None and parent.type == "attribute" else None
    return text_of(name) in TENSOR_METHODS or text_of(name) == "shape"


def _is_a_mapping(item: Node, ctx: Context | None) -> bool:
    """Whether an item is used as a dictionary: ``Namespace(**item)``, or ``item['lr']`` of a variable, where
    that is used first."""
    parent = parent_of(item)
    if parent is None or parent.type in ("dictionary_splat", "subscript"):
        return parent is not None
    target = field(parent, "left") if parent.type == "assignment" else None
    if ctx is None or target is None or target.type != "identifier":
        return False
    later = [use for use in uses_of_variable(target, ctx.source) if use.start_byte > item.end_byte]
    return bool(later) and _is_a_mapping(later[0], None)


def _shows_object(loaded: Node, ctx: Context) -> bool:
    parent = parent_of(loaded)
    if parent is None:
        return False
    if parent.type == "call" and is_field(loaded, "function"):
        return loaded.type != "call"
    if parent.type == "attribute":
        name = field(parent, "attribute")
        return text_of(name) in _METHODS_OF_MODULES
    index = field(parent, "subscript") if parent.type == "subscript" and is_field(loaded, "value") else None
    if index is None:
        return False
    passed = passed_to(parent)
    is_state = passed is not None and last_name(passed.call) == "load_state_dict"
    is_named = text_of(index).strip("'\"") in SETTINGS and not is_state
    return (is_named and not _is_a_mapping(parent, ctx)) or _is_a_model(parent, ctx)


def _is_a_model(item: Node, ctx: Context) -> bool:
    """Whether an item, or the variable that it is given, is used as a model."""
    target = field(parent_of(item), "left") if is_field(item, "right") else None
    if target is None or target.type != "identifier":
        return _is_used_as_model(item)
    later = [use for use in uses_of_variable(target, ctx.source) if use.start_byte > item.end_byte]
    given = (passed_to(use) for use in later)
    is_asked = any(place is not None and last_name(place.call) == "isinstance" for place in given)
    return not is_asked and any(map(_is_used_as_model, later))


def _is_used_as_model(item: Node) -> bool:
    """Whether an item is used as a model, also after methods of tensors: ``['model'].float().eval()``."""
    parent = parent_of(item)
    while parent is not None and parent.type in ("attribute", "call") and not is_field(item, "arguments"):
        name = field(parent, "attribute")
        if text_of(name) in MODEL_METHODS:
            return True
        item, parent = parent, parent_of(parent)
    return False


def _test_of(node: Node) -> Node | None:
    """The call of ``isinstance`` or ``issubclass`` that a class is given to."""
    parent = parent_of(node)
    call = call_with(parent if parent is not None and parent.type == "tuple" else node)
    return call if text_of(field(call, "function")) in ("isinstance", "issubclass") else None


def _is_made_of_bytes(value: Node, ctx: Context) -> bool:
    """Whether a variable is set to a mask of bytes, and to nothing else."""
    if value.type != "identifier":
        return False
    bindings = ctx.source.names.bindings_in_scope(text_of(value), value)
    values = [field(item.statement, "right") for item in bindings if item.kind is BindingKind.ASSIGNMENT]
    return bool(values) and len(values) == len(bindings) and all(map(_is_of_bytes, values))


def _is_of_bytes(value: Node | None) -> bool:
    if value is None or value.type != "call":
        return False
    text = text_of(value)
    return text.endswith(_BYTES) or _TENSOR_OF_BYTES.search(text) is not None
