"""The click group every app starts from: one-line errors and exit codes."""

from __future__ import annotations

import gc
import os
import sys

import click

from .errors import DONE, FAILED, USAGE, AppError


class App(click.Group):
    """A group whose commands return their exit code and whose failures take one line on stderr."""

    def main(self, *args, **kwargs):
        """Run a command line and exit."""
        # Imports and corpora are many objects and hardly a cycle: look for these less often.
        gc.set_threshold(100_000)
        kwargs["standalone_mode"] = False
        try:
            sys.exit(super().main(*args, **kwargs) or DONE)
        except click.ClickException as error:
            message = " ".join(error.format_message().split())
            if isinstance(error, click.UsageError) and error.ctx is not None:
                message += f" (see '{error.ctx.command_path} --help')"
            click.echo(f"error: {message}", err=True)
            sys.exit(error.exit_code)
        except click.Abort:
            sys.exit(FAILED)

    def invoke(self, ctx):
        """Run the chosen command; what it raises becomes a message, never a traceback."""
        # A terminal that cannot show a character gets its escape, not an exception.
        sys.stdout.reconfigure(errors="backslashreplace")
        try:
            self._refuse_unknown_variables(ctx)
            code = super().invoke(ctx)
            sys.stdout.flush()
            return code
        except AppError as error:
            raise _failure(str(error), error.exit_code) from error
        except KeyboardInterrupt:
            raise _failure("interrupted", FAILED) from None
        except BrokenPipeError:
            # The reader (`| head`) has seen enough. Python flushes stdout once more at exit: into nothing.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return DONE
        except OSError as error:
            what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
            raise _failure(what, FAILED) from error

    def _refuse_unknown_variables(self, ctx):
        prefix = f"{ctx.auto_envvar_prefix}_"
        known = {
            f"{prefix}{name}_{option.name}".upper()
            for name, command in self.commands.items()
            for option in command.params
            if isinstance(option, click.Option)
        }
        if unknown := [name for name in os.environ if name.startswith(prefix) and name not in known]:
            raise AppError(f"unknown environment variable {', '.join(unknown)}", USAGE)


def _failure(message: str, exit_code: int) -> click.ClickException:
    failure = click.ClickException(message)
    failure.exit_code = exit_code
    return failure
