# Written by gpu2ascend: paths of this project on ModelArts.
"""Paths of a training on ModelArts, where data and results lie in OBS.

``ModelArtsPathManager().get_path(path)`` gives the path to use in place of one of the code, by the mapping in
``path_mapping_config.py``. Where the package ``moxing`` is not installed every path stays as it is.

Variables of the environment:

ASCEND_MODELARTS        ``0``: leave every path as it is; ``1``: fail where moxing is missing.
ASCEND_MODELARTS_CACHE  the directory for the copies; ``/cache/modelarts_cache`` without it.
"""

import atexit
import contextlib
import hashlib
import importlib
import importlib.util
import logging
import multiprocessing
import os
import pathlib
import shutil
import signal
import sys
import threading

from .path_mapping_config import PATH_MAPPING_CONFIG

_LOG = logging.getLogger(__name__)
_PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_SWITCH, _CACHE = "ASCEND_MODELARTS", "ASCEND_MODELARTS_CACHE"
_DEFAULT_CACHE = "/cache/modelarts_cache"


class ModelArtsPathManager:
    """The one manager of a process."""

    _instance = None

    def __new__(cls):
        if cls._instance is None:
            cls._instance = super().__new__(cls)
            cls._instance._set_up()
        return cls._instance

    def _set_up(self):
        self.is_active = _is_active()
        self._cache = os.environ.get(_CACHE) or _DEFAULT_CACHE
        self._inputs, self._outputs = {}, {}
        self._ready = set()
        self._guard = threading.RLock()
        self._is_uploading = False
        if self.is_active:
            self._read_mapping()

    def get_path(self, path):
        """The path to use in place of ``path``, of its type.

        Numbers, bytes and open files are given back as they are.

        Raises OSError if the cache has no room for what must be downloaded.
        """
        if not self.is_active or not isinstance(path, (str, pathlib.Path)):
            return path
        found = self._found(str(path))
        return path if found is None else type(path)(found)

    def upload(self):
        """Upload the outputs now. At the end of the training it is done by itself, unless that is killed."""
        if not self.is_active or self._is_uploading:
            return
        self._is_uploading = True
        try:
            for local, remote in self._outputs.items():
                _upload(self._place(local), local, remote)
        finally:
            self._is_uploading = False

    def _read_mapping(self):
        for path, remote in PATH_MAPPING_CONFIG.get("input", {}).items():
            if os.path.isabs(path):
                self._inputs[_normal(path)] = remote
            else:
                _LOG.warning("The input path %s is not absolute; it is left out.", path)
        for path, remote in PATH_MAPPING_CONFIG.get("output", {}).items():
            self._outputs[_normal(path)] = remote

    def _found(self, path):
        """What stands for a path; None where it stays."""
        normal = _normal(path)
        if _is_below(normal, self._cache):
            return None
        keys = [key for key in (*self._inputs, *self._outputs) if _is_below(normal, key)]
        if not keys:
            return None
        key = max(keys, key=len)
        below = os.path.relpath(normal, key)
        place = self._prepared(key, is_below=below != os.curdir)
        return place if below == os.curdir else os.path.join(place, below)

    def _place(self, key):
        """Where the files of a mapped path are: in the project for a relative one, else in the cache."""
        if not os.path.isabs(key):
            return os.path.join(_PROJECT, key)
        return os.path.join(self._cache, _digest(key), os.path.basename(key) or "root")

    def _prepared(self, key, is_below):
        place = self._place(key)
        with self._guard:
            if key not in self._ready:
                os.makedirs(os.path.dirname(place), exist_ok=True)
                if key in self._inputs:
                    self._download(self._inputs[key], place)
                self._ready.add(key)
            if is_below and key in self._outputs and not os.path.exists(place):
                os.makedirs(place, exist_ok=True)
        return place

    def _download(self, remote, place):
        """Download what no process of this host has: the others wait, and try if the first one fails."""
        folder = os.path.dirname(place)
        marker = os.path.join(folder, _digest(remote) + ".done")
        with _locked(os.path.join(folder, "download.lock")):
            if os.path.exists(marker):
                return
            self._refuse_without_room(remote)
            partial = place + ".partial"  # of a process that did not come to its end
            _remove(partial)
            _copy(remote, partial, _storage().is_directory(remote))
            _move_into(partial, place)
            with open(marker, "w", encoding="utf-8") as file:
                file.write(remote)

    def _refuse_without_room(self, remote):
        storage = _storage()
        if not storage.exists(remote):
            raise FileNotFoundError("%s does not exist" % remote)
        needed = storage.get_size(remote, recursive=True)
        free = shutil.disk_usage(self._cache).free
        if needed > free:
            raise OSError(
                "%s has %d bytes, and %s has room for %d; choose another directory by the variable %s"
                % (remote, needed, self._cache, free, _CACHE)
            )


def _is_active():
    switch = os.environ.get(_SWITCH, "")
    if switch == "0":
        return False
    is_installed = importlib.util.find_spec("moxing") is not None
    if switch == "1" and not is_installed:
        raise ImportError("%s is 1, and the package moxing is not installed" % _SWITCH)
    return is_installed


def _storage():
    """The file functions of moxing, which is imported when it is first needed."""
    return importlib.import_module("moxing").file


def _normal(path):
    return os.path.normpath(path)


def _is_below(path, key):
    """Whether a normal path is ``key`` or lies below it."""
    return path == key or path.startswith(key.rstrip(os.sep) + os.sep)


def _digest(text):
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


def _copy(source, target, is_directory):
    if is_directory:
        _storage().copy_parallel(source, target)
    else:
        _storage().copy(source, target)


def _upload(place, local, remote):
    if not os.path.exists(place):
        _LOG.warning("There is nothing to upload for the output path %s.", local)
        return
    _copy(place, remote, os.path.isdir(place))


def _remove(path):
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.remove(path)


def _move_into(source, target):
    """Move a file or a directory; into a directory that is there, file by file."""
    if not os.path.isdir(target):
        os.replace(source, target)
        return
    for folder, _, names in os.walk(source):
        inside = os.path.join(target, os.path.relpath(folder, source))
        os.makedirs(inside, exist_ok=True)
        for name in names:
            os.replace(os.path.join(folder, name), os.path.join(inside, name))
    shutil.rmtree(source)


@contextlib.contextmanager
def _locked(path):
    """Hold a lock that the system releases even if the process is killed."""
    with open(path, "a+b") as file:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            while True:
                try:
                    msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)  # gives up after ten tries
                    break
                except OSError:
                    continue
            try:
                yield
            finally:
                file.seek(0)
                msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def _is_main_of_rank_0():
    """Whether this process uploads: not a worker that another one started, and of all ranks the first."""
    rank = os.environ.get("RANK") or os.environ.get("RANK_ID") or os.environ.get("LOCAL_RANK") or "0"
    return multiprocessing.current_process().name == "MainProcess" and rank == "0"


def _upload_at_end():
    """Upload at exit and at SIGTERM, with which ModelArts ends a job."""
    owner = os.getpid()  # a forked worker inherits what is registered here

    def finish():
        if os.getpid() == owner:
            ModelArtsPathManager().upload()

    atexit.register(finish)
    if threading.current_thread() is not threading.main_thread():
        return
    previous = signal.getsignal(signal.SIGTERM)

    def terminated(number, frame):
        finish()
        if callable(previous):
            previous(number, frame)
        elif previous != signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    signal.signal(signal.SIGTERM, terminated)


if _is_active() and _is_main_of_rank_0():
    _upload_at_end()
