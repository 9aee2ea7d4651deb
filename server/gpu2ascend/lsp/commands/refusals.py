"""Why a command was not carried out, as the plain data of its result; docs/lsp.md describes it."""

from __future__ import annotations

from collections.abc import Iterable

from gpu2ascend_rules.messages import render

from ...project.errors import ProjectError
from ...project.migrate.request import FieldError
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
