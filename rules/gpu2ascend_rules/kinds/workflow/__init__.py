"""The files by which a service of continuous integration runs commands: YAML whose texts are shell code."""

from __future__ import annotations

from ..kind import Kind
from ..settings import Setting
from ..shell.places import SHELL_NEEDS, SHELL_PLACES
from .workflow_file import WorkflowFile

KIND = Kind(
    name="workflow",
    file=WorkflowFile,
    places=(*SHELL_PLACES, Setting),
    needs=SHELL_NEEDS,
    patterns=(
        *(".github/workflows/*.yml", ".github/workflows/*.yaml", ".github/actions/*.yml"),
        *(".github/actions/*.yaml", ".gitlab-ci*.yml", "*.gitlab-ci.yml", ".gitlab/*.yml"),
        *(".circleci/*.yml", ".buildkite/*.yml", ".buildkite/*.yaml", ".travis.yml", ".drone.yml"),
        *("azure-*.yml", ".azure*/*.yml", "bitbucket-pipelines.yml"),
    ),
    languages=("github-actions-workflow",),
)
