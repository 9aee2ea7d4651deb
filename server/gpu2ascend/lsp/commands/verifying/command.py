"""Runs a migrated project on a simulated NPU, which executes its code: on this command and no other.

The run is a thread of the server, which starts processes and waits for them.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import attrs

from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Message

from ....project.errors import ProjectError
from ....project.paths import shown
from ....project.processes.threads import in_thread
from ....texts.catalogue import Texts
from ....texts.escaping import terminal_line
from ....verify.request import VerifyRequest
from ....verify.result.model import VerifyResult
from ....verify.showing.document import verify_data
from ....verify.showing.lines import verdict_text, verify_lines
from ....verify.verify import Listener, verify
from ...server import Server
from ...session.projects.verifications import Verification
from ...session.work_progress import WorkProgress
from ..answering import answer_of, failed
from ..parameters import Parameters
from ..results.finding_data import JsonObject
from .problems import problems_of
from .request import request_of

OUTPUT = "gpu2ascend/verifyOutput"
_TOGETHER = 0.05
"""Seconds in which lines are gathered for one notification."""
_MOST = 2_000
"""Lines of one notification; a client that is sent all that an endless loop prints has no memory left."""
_LONGEST = 10_000
"""Characters of a line."""


class Output:
    """The output of one run. Made in the event loop; lines come from any thread."""

    def __init__(self, server: Server, token: object, language: str) -> None:
        self._server = server
        self._token = token
        self._language = language
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._lines: list[str] = []
        self._left_out = 0
        self._is_waiting = False

    def line(self, text: str) -> None:
        """Send a line, as text that acts on no terminal."""
        with self._lock:
            if len(self._lines) >= _MOST:
                self._left_out += 1
                return
            self._lines.append(terminal_line(text[:_LONGEST]))
            if self._is_waiting:
                return
            self._is_waiting = True
        self._loop.call_soon_threadsafe(self._loop.call_later, _TOGETHER, self.flush)

    def flush(self) -> None:
        """Send what has come. In the event loop."""
        with self._lock:
            lines, left_out = self._lines, self._left_out
            self._lines, self._left_out, self._is_waiting = [], 0, False
        if left_out:
            lines.append(render(Message.of("lsp.verify.left-out", count=left_out), self._language))
        if lines:
            self._server.protocol.notify(OUTPUT, {"token": self._token, "lines": lines})


@attrs.frozen
class VerifyCommand:
    """The command of one server."""

    server: Server

    async def verify(self, *arguments: object) -> JsonObject:
        """Run a project, unless the workspace is not trusted."""
        parameters = Parameters.of(*arguments)
        language = self.server.settings.language
        try:
            if not self.server.settings.may_run_code:
                raise ProjectError(Message.of("lsp.verify.untrusted"))
            layered = self.server.settings.of_project(parameters.path("projectPath"))
            request = request_of(parameters, layered.options.version)
        except ProjectError as error:
            return failed(error, language)
        return await self._verified(parameters, request)

    async def _verified(self, parameters: Parameters, request: VerifyRequest) -> JsonObject:
        texts = Texts(self.server.settings.language)
        verification = Verification(request.project)
        name = shown(request.project.name or request.project)
        title = texts("lsp.progress.verify", name=name)
        progress = await WorkProgress.begin(self.server, parameters.token, title, verification.cancel)
        output = Output(self.server, parameters.token, texts.language)

        async def verified() -> JsonObject:
            try:
                work = self._work(
                    request, verification, self._listener(verification, output, progress, texts)
                )
                result = await in_thread(lambda: self.server.verifications.run(verification, work))
                for line in verify_lines(result, texts):
                    output.line(line)
                return await in_thread(lambda: self._answer(result, texts))
            finally:
                output.flush()

        return await answer_of(verified(), verification.cancel, progress, texts.language)

    def _work(
        self, request: VerifyRequest, verification: Verification, listener: Listener
    ) -> Callable[[], VerifyResult]:
        options = self.server.settings.of_project(request.project).options
        return lambda: verify(request, options, listener)

    def _listener(
        self, verification: Verification, output: Output, progress: WorkProgress, texts: Texts
    ) -> Listener:
        loop = asyncio.get_running_loop()

        def tell(message: Message) -> None:
            text = texts.of(message)
            output.line(text)
            loop.call_soon_threadsafe(progress.tell, text)

        return Listener(
            tell=tell,
            heard=lambda number, line: output.line(f"[{number}] {line}"),
            cancelled=verification.is_cancelled,
            installing=output.line,
        )

    def _answer(self, result: VerifyResult, texts: Texts) -> JsonObject:
        verdict = verdict_text(result, texts)
        self.server.log.write(Message.of("lsp.log.verified", path=shown(result.project), verdict=verdict))
        return {
            "status": "completed",
            "verdict": verdict,
            **verify_data(result, texts),
            "problems": problems_of(result, texts, self.server.unit),
        }
