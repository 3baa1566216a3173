"""The command `nbmf`. Each of its commands is a module of `commands`; the others here serve several of them.

Nothing but the arguments is imported before it is known what to do, so that help is there at once.
"""

import functools
import importlib
import os
import sys
import threading
import warnings

from nbmf.errors import NbmfError

FAILED, INTERRUPTED = 2, 130


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code.

    0, FAILED after an error a user can cause (one line says what), or INTERRUPTED by Ctrl-C.
    """
    from nbmf.cli import kernel_cache
    from nbmf.cli.arguments import COMMANDS, parse, render_message
    from nbmf.cli.options import refuse_too_small

    options = parse(argv)
    os.environ.setdefault("MPLBACKEND", "agg")  # pictures go to files, on any screen
    try:
        refuse_too_small(options, COMMANDS[options.command].declared)
        kernel_cache.prepare()
        with warnings.catch_warnings():
            warnings.showwarning = functools.partial(_show_warning, command=options.command, shown=set())
            importlib.import_module(f"nbmf.cli.commands.{options.command.replace('-', '_')}").run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # what reads our output has had enough: nbmf info FILE | head -1
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (NbmfError, OSError, MemoryError) as error:
        text = render_message(error.message, options.command) if isinstance(error, NbmfError) else error
        print(f"nbmf: error: {text}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt as stopped:
        note = f": {stopped}" if str(stopped) else ""
        print(f"\nnbmf: interrupted{note}", file=sys.stderr)
        if threading.active_count() > 1:  # fits in threads, which nobody waits for any more
            sys.stdout.flush()
            os._exit(INTERRUPTED)
        return INTERRUPTED
    return 0


def _show_warning(message: Warning, category: type[Warning], *_, command: str, shown: set[str], **__) -> None:
    """Show a warning in a line, once, without the place in the code; those of libraries to programmers are not shown.

    Python would show it again wherever filters have changed since.
    """
    from nbmf.cli.arguments import render_message

    if issubclass(category, UserWarning) or sys.warnoptions:
        text = " ".join(str(render_message(message.args[0] if message.args else "", command)).split())
        if text not in shown:
            print(f"nbmf: warning: {text}", file=sys.stderr)
        shown.add(text)
