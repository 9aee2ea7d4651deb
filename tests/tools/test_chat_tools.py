"""The tools of the editor's chat take what the tools of the MCP server take."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from tools.chat_tools import input_schemas

MANIFEST = Path(__file__).parents[2] / "vscode-extension" / "package.json"


def test_the_manifest_has_the_parameters_of_the_server() -> None:
    contributed = json.loads(MANIFEST.read_text(encoding="utf-8"))["contributes"]["languageModelTools"]
    assert {tool["name"]: tool["inputSchema"] for tool in contributed} == input_schemas()


def test_a_call_of_the_one_is_a_call_of_the_other() -> None:
    schemas = input_schemas()
    jsonschema.validate({"paths": ["a.py"], "code": "NPU110"}, schemas["gpu2ascend_check"])
    jsonschema.validate({"project": ".", "arguments": ["train.py"]}, schemas["gpu2ascend_verify"])
    for tool, wrong in (("check", {"path": "a.py"}), ("verify", {"project": ".", "command": "train.py"})):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schemas[f"gpu2ascend_{tool}"])
