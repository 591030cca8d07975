"""The click group every app starts from: one-line errors and exit codes."""

import errno
import gc
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module

import click

from .endings import end_as_by_ctrl_c, ignore_endings
from .errors import DONE, FAILED, AppError, FormatError, is_shortage
from .guesses import meant_command
from .limits import check_variables
from .printing import discard_stream, one_line, write_to_stderr

STREAMS = ("stdin", "stdout", "stderr")


def open_closed_streams() -> list[str]:
    """Open the null device for each standard stream that is closed (under cron, or by `>&-`).

    Otherwise a file opened later would get the number of such a stream, and receive what is printed. Return
    the names of the closed streams.
    """
    closed = []
    for number, name in enumerate(STREAMS):
        try:
            os.fstat(number)
        except OSError:
            closed.append(name)
            # The system gives the lowest number that is free.
            if os.open(os.devnull, os.O_RDWR) != number:
                raise
        if getattr(sys, name) is None:
            mode = "w" if number else "r"
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 (stays open)
    return closed


class App(click.Group):
    """A group whose commands return their exit code and whose failures take one line on stderr."""

    def main(self, *args, **kwargs):
        """Run a command line and exit."""
        # Imports and corpora are many objects and hardly a cycle: look for these less often.
        gc.set_threshold(100_000)
        self._closed = open_closed_streams()
        kwargs["standalone_mode"] = False
        is_process = kwargs.get("args") is None and not args
        ended_by = end_as_by_ctrl_c() if is_process else []
        try:
            try:
                code = super().main(*args, **kwargs) or DONE
            except click.ClickException as error:
                message = one_line(error.format_message())
                if isinstance(error, click.MissingParameter) and error.ctx is not None:
                    wanted = " ".join(error.ctx.command.collect_usage_pieces(error.ctx)[1:])
                    message = f"{message.removesuffix('.')}; give {wanted}"
                if isinstance(error, click.UsageError) and error.ctx is not None:
                    message += f" (see '{error.ctx.command_path} --help')"
                write_to_stderr(f"error: {message}")
                code = error.exit_code
            except OSError as error:  # of --help: commands have none left
                write_to_stderr(f"error: {error.strerror or error}")
                code = FAILED
            finally:
                if is_process:  # it ends now, its work done
                    ignore_endings()
                    gc.freeze()  # or Python would look for cycles among all objects as it ends: 10 ms
        except (click.Abort, KeyboardInterrupt):
            write_to_stderr("error: interrupted")
            code = FAILED
        try:
            sys.stdout.flush()
        except OSError:
            discard_stream("stdout")
        sys.exit(128 + ended_by[0] if ended_by else code)

    def invoke(self, ctx):
        """Run the chosen command; expected errors become a message, not a traceback."""
        # A terminal that cannot show a character gets its escape, not an exception.
        sys.stdout.reconfigure(errors="backslashreplace")
        try:
            check_variables()
            code = super().invoke(ctx)
            sys.stdout.flush()  # what goes wrong here is told below
            command = self.get_command(ctx, ctx.invoked_subcommand)
            if "stdout" in self._closed and getattr(command, "needs_stdout", True):
                from fastsvm._utils import atomic

                if not atomic.has_written:  # else what was printed is not the result
                    raise AppError("<stdout>: is closed; redirect it to a file, or to /dev/null")
            return code
        except KeyboardInterrupt:
            raise AppError("interrupted") from None
        except ImportError as error:
            what = f"a library cannot be loaded: {error}"
            raise AppError(f"{what}; install fastsvm again, or add memory") from error
        except BrokenPipeError:  # the reader (`| head`) has seen enough
            discard_stream("stdout")
            return DONE
        except AppError as error:
            if isinstance(error, FormatError) or isinstance(error.__cause__, FormatError):
                error.message += f" (formats: '{ctx.command_path} {ctx.invoked_subcommand} --help')"
            raise
        except (click.ClickException, click.exceptions.Exit):
            raise
        except Exception as error:
            if is_shortage(error):
                what = f"out of memory ({error})" if str(error) else "out of memory"
                raise AppError(f"{what}; process less at a time, or add memory") from None
            from fastsvm.model_files import ModelFileError

            if not isinstance(error, (OSError, ModelFileError)):  # the second: of what cannot be saved
                raise
            is_full = getattr(error, "errno", None) == errno.ENOSPC  # of a file, the error names it
            file = getattr(error, "filename", None) or ("<stdout>" if is_full else None)
            what = f"{file}: {error.strerror}" if file else str(error)
            if isinstance(error, FileNotFoundError) and str(file).startswith("data/"):
                what += "; the examples' data are in the repository: run this in a clone of it"
            raise AppError(what) from error

    @property
    def commands(self):
        """All commands by their names, imported: documentation asks for them."""
        for name in self._named:
            self.get_command(None, name)
        return self._named

    @commands.setter
    def commands(self, named):
        self._named = dict(named)

    def list_commands(self, ctx):
        """Return the names of the commands in the order of use; they need no import."""
        return [*self._named]

    def parse_args(self, ctx, args):
        """Read the name of the command; `help train` is `train --help`."""
        return super().parse_args(ctx, [*args[1:2], "--help"] if args[:1] == ["help"] else args)

    def resolve_command(self, ctx, args):
        """Find a command; for the word of another program, suggest the command that does the same."""
        ctx.meta["words"] = args
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            error.message += meant_command(self.name, args[0])
            raise

    def get_command(self, ctx, cmd_name):
        """Return a command; import it if only its module is known."""
        found = self._named.get(cmd_name)
        if isinstance(found, str):
            found = self._named[cmd_name] = getattr(import_module(found), cmd_name)
        return found


def app(name: str, help: str, commands: Sequence[click.Command] | Mapping[str, str]) -> App:
    """Return the command line of an app.

    Parameters
    ----------
    name : str
    help : str
    commands : sequence of click.Command, or mapping of names to the modules that have them
    """

    @click.group(
        cls=App,
        name=name,
        help=help,
        commands=commands,
        invoke_without_command=True,
        context_settings={
            "help_option_names": ["-h", "--help"],
            "max_content_width": 100,
            "show_default": True,
        },
    )
    @click.version_option(package_name="fastsvm", prog_name=name, message="%(prog)s %(version)s")
    @click.pass_context
    def main(ctx):
        if ctx.invoked_subcommand is None:
            click.echo(ctx.get_help())

    return main
