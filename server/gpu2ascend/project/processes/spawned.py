"""Where a process of this program begins: see ``processes.py``, which starts it.

Run as a script by ``python -I``, with the number of its channel and the name of what it is for. Of this
program nothing can be imported before the first message has said from where.
"""

import sys

if sys.platform == "win32":
    from multiprocessing.connection import PipeConnection as Connection
else:
    from multiprocessing.connection import Connection


def main() -> None:
    """Do what the parent wants; it ends the channel, or this process, when it no longer does."""
    channel = Connection(int(sys.argv[1]))
    try:
        sys.path[:] = channel.recv()
        target, arguments = channel.recv()
    except (EOFError, OSError):
        return
    target(channel, *arguments)


if __name__ == "__main__":
    main()
