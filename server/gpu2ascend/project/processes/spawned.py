"""Where a process of this program begins: see ``spawn.py``, which starts it.

Run as a script by ``python -I``, with the number of its channel, that of its lifeline if it is to end with
its parent, and the name of what it is for. Of this program nothing can be imported before the first message
has said from where.
"""

import os
import sys
import threading

if sys.platform == "win32":
    from multiprocessing.connection import PipeConnection as Connection
else:
    from multiprocessing.connection import Connection


def main() -> None:
    """Do what the parent wants; it ends the channel, or this process, when it no longer does."""
    handles = [int(argument) for argument in sys.argv[1:-1]]
    channel = Connection(handles[0])
    if len(handles) > 1:
        threading.Thread(target=end_with, args=(Connection(handles[1]),), daemon=True).start()
    try:
        sys.path[:] = channel.recv()
        target, arguments = channel.recv()
    except (EOFError, OSError):
        return
    target(channel, *arguments)


def end_with(lifeline: Connection) -> None:
    """End this process, in the middle of whatever it does, as soon as the parent has ended.

    The parent's end of the lifeline closes with it, also where it was killed and could do nothing itself.
    """
    try:
        lifeline.recv_bytes()
    except (EOFError, OSError):
        os._exit(1)


if __name__ == "__main__":
    main()
