"""What stops a command: a text for the user, and the exit codes."""

from __future__ import annotations

from gpu2ascend_rules.model.finding import Message

EXIT_OK = 0
EXIT_FINDINGS = 1
"""Something is left. ``check``: findings, a file that could not be examined or to which fixes were not
written. ``migrate``: written, and errors on the way of the training or unexamined files are left."""
EXIT_ERROR = 2
"""Bad usage or bad input; ``migrate`` has written nothing."""


class UsageError(Exception):
    """The command cannot be run as it was given; the message says what to do."""

    def __init__(self, message_id: str, /, **arguments: object) -> None:
        self.message = Message.of(message_id, **arguments)
        super().__init__(message_id)


def not_installed(error: ModuleNotFoundError, package: str) -> UsageError:
    """What says that a command needs a package which is not there, and how it comes."""
    from ...project.own_packages import requirement

    return UsageError("cli.error.not_installed", module=error.name, requirement=requirement(package))
