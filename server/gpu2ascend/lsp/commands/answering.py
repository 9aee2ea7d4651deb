"""How long work ends for the client: with its result, cancelled, or with what came in its way."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from ...project.errors import CancelledError, ProjectError
from ..session.work_progress import WorkProgress
from .refusals import failed
from .results.finding_data import JsonObject


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
