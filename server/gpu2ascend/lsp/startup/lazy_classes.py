"""The classes of lsprotocol, completed when they are first used.

lsprotocol has some 550 classes, and attrs writes the methods of each when it is defined: half of the time
until the server answers ``initialize``, while a session needs about a hundred. Here a class is left as
it was written until an object of it is made or its fields are asked for; then attrs completes it, in place.

For the users of a class nothing else differs, but that objects have a ``__dict__`` instead of slots.
Where lsprotocol is imported already, or defines its classes in another way, all is as it always is.
"""

from __future__ import annotations

import inspect
import sys
import typing
from collections.abc import Callable
from importlib import import_module
from threading import RLock
from typing import Any

import attrs

_CLASSES = "lsprotocol.types"
_lock = RLock()


def define_lazily() -> None:
    """Import lsprotocol so that its classes are completed one by one."""
    if _CLASSES in sys.modules:
        return
    define = attrs.define
    setattr(attrs, "define", _deferred(define))  # noqa: B010 - it is no assignment that types allow
    try:
        import_module(_CLASSES)
    finally:
        setattr(attrs, "define", define)  # noqa: B010
    from lsprotocol import _hooks

    # It would ask all classes for their fields, to resolve names in annotations, which `_complete` does.
    _hooks._resolved_forward_references = True


def _deferred(define: Callable[..., Any]) -> Callable[..., Any]:
    """The decorator ``attrs.define`` that leaves a class of lsprotocol to be completed later."""

    def decorator(cls: type[Any] | None = None, **options: Any) -> Any:
        def wrap(cls: type[Any]) -> type[Any]:
            if cls.__module__ != _CLASSES:
                return typing.cast("type[Any]", define(cls, **options))
            cls.__attrs_attrs__ = _Unknown(define, options)
            cls.__init__ = _complete_and_initialize
            return cls

        return wrap if cls is None else wrap(cls)

    return decorator


class _Unknown:
    """In the place of the fields of a class: to ask for them completes the class."""

    def __init__(self, define: Callable[..., Any], options: dict[str, Any]) -> None:
        self.define = define
        self.options = options

    def __get__(self, instance: object, cls: type[Any]) -> Any:
        _complete(cls)
        return cls.__attrs_attrs__


def _complete_and_initialize(self: Any, *arguments: Any, **keywords: Any) -> None:
    """In the place of ``__init__``."""
    _complete(type(self))
    self.__init__(*arguments, **keywords)


def _complete(cls: type[Any]) -> None:
    """Have attrs complete a class and those it is derived from, once, whatever threads use it first."""
    with _lock:
        for base in cls.__mro__[1:-1]:
            _complete(base)
        unknown = cls.__dict__.get("__attrs_attrs__")
        if not isinstance(unknown, _Unknown):
            return
        # Resolved before attrs sees them: no other thread may find fields whose types are still names.
        names = sys.modules[_CLASSES].ALL_TYPES_MAP
        own = inspect.get_annotations(cls)
        hints = typing.get_type_hints(cls, names)
        cls.__annotations__ = {name: hints[name] for name in own}
        unknown.define(cls, **{"init": True, **unknown.options, "slots": False})
        cls.__attrs_types_resolved__ = cls
