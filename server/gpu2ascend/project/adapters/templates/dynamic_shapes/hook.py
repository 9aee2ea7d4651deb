# Written by gpu2ascend: finds operators whose shapes change while a training runs.
"""``DETECTOR.start(loader)`` around the loop over batches; the report is written when the program ends,
and after 10, 100, 1000 ... iterations.

Variables of the environment: ``DYNAMIC_SHAPE_CALLS``, how many calls are kept (10000; others are counted);
``DYNAMIC_SHAPE_FULL``, how many iterations are looked at in full (200; then one in ten, and each whose batch
has other shapes than those before).
"""

import atexit
import multiprocessing
import os
import sys
import warnings

# Compiled code hides its operators.
os.environ.setdefault("TORCHDYNAMO_DISABLE", "1")

from .modes import DATA_DEPENDENT, modes
from .report import write_reports
from .shapes import Record, shapes_in

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_PROJECT = os.path.dirname(_PACKAGE)
_FOREIGN = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)
_MAX_STACK = 12
_EVERY = 10
_SAVED_AT = frozenset(10**power for power in range(1, 10))


class Detector:
    """What one process has seen. Whatever goes wrong in here, the training goes on."""

    def __init__(self):
        self.records = {}
        self.dropped = 0
        self.iterations = 0
        self._counts = {}
        self._places = {}
        self._is_running = False
        self._is_calling = False
        self._current = None
        self._operators = set()
        self._batches = set()
        self._batch = None
        self._has_failed = False
        self._max_calls = _number("DYNAMIC_SHAPE_CALLS", 10000)
        self._full = _number("DYNAMIC_SHAPE_FULL", 200)
        self._pid = os.getpid()

    def start(self, iterable):
        """Iterate, and look at what is called in each iteration; a loop within it is a part of it."""
        if self._is_running or self._has_failed or os.getpid() != self._pid:
            yield from iterable
            return
        self._is_running = True
        place = self._guarded(self._place) or ("", 0, "")
        last = None
        try:
            for item in iterable:
                self._guarded(self._begin, item, place)
                last = self._guarded(_batch_of, item)
                self._batch = max(self._batch or 0, last or 0)
                if self._guarded(self._is_looked_at, item):
                    with modes(self):
                        yield item
                else:
                    yield item
        finally:
            self._is_running = False
            self._guarded(self._finish, last)

    def hook_func(self, func, name, number, *args, **kwargs):
        """Call a function, and note the shapes of what it gets and gives under a name."""
        if not self._is_running or self._is_calling:
            return func(*args, **kwargs)
        return self.call("%s#%s" % (name, number), func, args, kwargs)

    def call(self, name, func, args, kwargs):
        """Call a function of torch and note its shapes; what it calls itself is a part of it."""
        outer, self._operators, was_calling = self._operators, set(), self._is_calling
        self._is_calling = True
        try:
            result = func(*args, **kwargs)
            self._guarded(self._note, name, args, kwargs, result)
            return result
        finally:
            outer |= self._operators
            self._operators, self._is_calling = outer, was_calling

    def pass_by(self, func, args, kwargs):
        """Call a function of torch that changes no shape, with nothing noted of what it calls."""
        was_calling, self._is_calling = self._is_calling, True
        try:
            return func(*args, **kwargs)
        finally:
            self._is_calling = was_calling

    def function_name(self, name_of, func):
        """The name of a function; None where nothing is to be noted of it."""
        return self._guarded(name_of, func)

    def operator(self, func, args, kwargs, result):
        """An operator ran, by a function that is noted or by itself, as in compiled code."""
        self._guarded(self._operator, func, args, kwargs, result)

    def save(self):
        """Write the reports of what was seen so far."""
        if self.records and os.getpid() == self._pid:
            self._guarded(self._save)

    # -- what may fail -----------------------------------------------------------------------------

    def _guarded(self, function, *args):
        """The result of a function of ours; a failure is said, and ends the looking, not the training."""
        if self._has_failed:
            return None
        try:
            return function(*args)
        except Exception as error:
            self._has_failed = True
            warnings.warn("The detector of dynamic shapes stopped: %r" % (error,), stacklevel=2)
            return None

    def _operator(self, func, args, kwargs, result):
        schema = getattr(func, "_schema", None)
        name = schema.name if schema is not None else str(func)
        if name in DATA_DEPENDENT:
            self._operators.add(name)
        elif name == "aten::index" and any(_is_mask(index) for index in _indices(args)):
            self._operators.add("aten::index (mask)")
        if not self._is_calling:
            self._note(name, args, kwargs, result)
            self._operators.clear()

    def _begin(self, item, place):
        self._settle(None, None)
        if self.iterations in _SAVED_AT:  # for a training that is killed
            self._write()
        self.iterations += 1
        self._counts.clear()
        path, line, stack = place
        record = self._record_at(("", path, line, 0), "DataLoader", path, line, stack)
        if record is not None:
            record.note([], shapes_in(item))

    def _is_looked_at(self, item):
        known = len(self._batches)
        if known < 1000:
            self._batches.add(tuple(shapes_in(item)))
        return self.iterations <= self._full or self.iterations % _EVERY == 0 or len(self._batches) > known

    def _finish(self, last):
        self._settle(self._batch, last)

    def _settle(self, batch, tail):
        for record in self.records.values():
            if record.pending is not None:
                record.settle() if batch is None else record.settle_last(batch, tail)

    def _note(self, name, args, kwargs, result):
        outputs = shapes_in(result)
        if not outputs:
            return
        path, line, stack = self._place()
        counted = (name, path, line)
        number = self._counts[counted] = self._counts.get(counted, 0) + 1
        record = self._record_at((*counted, number), name, path, line, stack)
        if record is not None:
            record.note(shapes_in((args, kwargs)), outputs)
            record.operators |= self._operators

    def _record_at(self, key, name, path, line, stack):
        record = self.records.get(key)
        if record is None:
            if len(self.records) >= self._max_calls:
                self.dropped += 1
                return None
            record = self.records[key] = Record(name, path, line, stack)
        return record

    def _place(self):
        """The innermost line of the project that is being run, and the lines that called it."""
        frames, frame = [], sys._getframe(1)
        while frame is not None and len(frames) < _MAX_STACK:
            path = frame.f_code.co_filename
            is_ours = self._places.get(path)
            if is_ours is None:
                is_ours = self._places[path] = _is_of_project(path)
            if is_ours:
                frames.append((path, frame.f_lineno))
            frame = frame.f_back
        if not frames:
            return "", 0, ""
        stack = " <- ".join("%s:%d" % (os.path.relpath(path, _PROJECT), line) for path, line in frames)
        path, line = frames[0]
        return os.path.relpath(path, _PROJECT), line, stack

    def _save(self):
        self._settle(None, None)
        for path in self._write():
            print("dynamic shapes: %s" % path, file=sys.stderr)

    def _write(self):
        folder = _PROJECT if os.access(_PROJECT, os.W_OK) else os.getcwd()
        return write_reports(self, folder, _suffix())


def _number(variable, usual):
    text = os.environ.get(variable, "")
    return int(text) if text.isdigit() else usual


def _is_of_project(path):
    full = os.path.abspath(path)
    if not full.startswith(_PROJECT + os.sep) or full.startswith(_PACKAGE + os.sep):
        return False
    return not any(part in full[len(_PROJECT) :] for part in _FOREIGN)


def _batch_of(item):
    """The number of samples in what a loader gives: the first size of its first tensor."""
    shapes = [shape for shape in shapes_in(item) if shape]
    return shapes[0][0] if shapes else None


def _indices(args):
    indices = args[1] if len(args) > 1 else ()
    return indices if isinstance(indices, (list, tuple)) else ()


def _is_mask(index):
    return index is not None and str(getattr(index, "dtype", "")) in ("torch.bool", "torch.uint8")


def _suffix():
    """What tells the files of several processes apart; nothing for the first one."""
    rank = os.environ.get("RANK") or os.environ.get("LOCAL_RANK")
    distributed = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        rank = str(distributed.get_rank())
    if rank is None:
        return "" if multiprocessing.current_process().name == "MainProcess" else "_process%d" % os.getpid()
    return "" if rank == "0" else "_rank" + rank


DETECTOR = Detector()
atexit.register(DETECTOR.save)
