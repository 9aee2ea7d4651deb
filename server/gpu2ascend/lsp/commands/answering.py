"""How long work ends for the client: with its result, cancelled, or refused with the reason."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from gpu2ascend_rules.messages import render

from ...project.errors import CancelledError, ProjectError
from ...project.migrate.request import FieldError
from ..session.work_progress import WorkProgress
from .results.finding_data import JsonObject


def failed(error: ProjectError, language: str) -> JsonObject:
    """The result of a command in the way of which something came."""
    return {"status": "failed", "message": render(error.message, language, in_form=True)}


def field_errors(errors: Iterable[FieldError], language: str) -> list[JsonObject]:
    """What is wrong with the fields of a form."""
    return [
        {
            "field": error.field,
            "message": render(error.message, language, in_form=True),
            "allowedBy": error.allowed_by,
        }
        for error in errors
    ]


async def answer_of(
    doing: Awaitable[JsonObject], cancel: Callable[[], object], progress: WorkProgress, language: str
) -> JsonObject:
    """The answer to a request whose work is shown; where the request itself is cancelled, so is the work."""
    try:
        return await doing
    except asyncio.CancelledError:
        cancel()
        raise
    except CancelledError:
        return {"status": "cancelled"}
    except ProjectError as error:
        return failed(error, language)
    finally:
        progress.end()
