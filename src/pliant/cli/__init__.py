"""The command line: parse, call, print. Everything heavy is imported inside the commands."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from pliant.cli import (
    brace,
    check,
    compare,
    demo,
    draw,
    edit,
    evolve,
    examples,
    flex,
    importing,
    loosen,
    new,
    optimize,
    parts,
    play,
    relax,
    separate,
    snap,
    solve,
    sweep,
    synthesize,
    tolerances,
    trace,
    warm,
)
from pliant.core.errors import InputError, PliantError
from pliant.core.status import BAD_INPUT, INTERRUPTED, NO_ANSWER

FAULTS_SHOWN = 40


class Guarded(click.Group):
    """A group whose commands end in a sentence and an exit code, never in a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; say what went wrong on stderr."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise  # click's own, and it closes a broken pipe quietly
        except KeyboardInterrupt:
            click.echo("Stopped.", err=True)
            code = INTERRUPTED
        except PliantError as error:
            click.echo(_list_names(error), err=True)
            code = BAD_INPUT
        except OSError as error:
            click.echo(
                f"{error.filename or 'a file'}: {error.strerror or error}. Nothing more was written.",
                err=True,
            )
            code = BAD_INPUT
        except Exception as error:  # noqa: BLE001  the last door: whatever it is, no traceback
            _report(error)
            code = NO_ANSWER
        return ctx.exit(code)


def _list_names(error: PliantError) -> str:
    if not isinstance(error, InputError) or len(error.faults) <= FAULTS_SHOWN:
        return str(error)
    more = len(error.faults) - FAULTS_SHOWN
    shown = InputError(error.faults[:FAULTS_SHOWN], error.source)
    return f"{shown}\n… and {more} more faults. Mend these first."


def _report(error: Exception) -> None:
    if os.environ.get("PLIANT_DEBUG"):
        import traceback

        traceback.print_exception(error, file=sys.stderr)
    said = str(error).strip().split("\n")[0][:200]
    click.echo(f"pliant failed: {type(error).__name__}{': ' if said else ''}{said}", err=True)
    click.echo("This is a fault of pliant; please report it, with what PLIANT_DEBUG=1 prints.", err=True)


def _version(ctx: click.Context, _option: click.Parameter, asked: bool) -> None:
    if asked:
        import pliant

        click.echo(f"pliant {pliant.__version__}")
        ctx.exit()


EPILOG = """\b
Exit codes:
  0    answered (a lock, an overlap, a limit of the motion is an answer)
  2    bad input: the message says where and what to try
  3    no answer: the solver failed, the step limit was reached, or pliant itself failed
  130  stopped with Ctrl-C; what was done is written (of a trace, nothing)

Results go to stdout, progress to stderr. NO_COLOR is honoured; PLIANT_DEBUG=1 shows tracebacks."""


# Matrices here are small or sparse: threads of BLAS gain nothing on the largest assembly, and wait for each
# other so busily that beside other work they take a hundred times as long.
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@click.group(cls=Guarded, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version and exit.",
)
@click.pass_context
def main(ctx: click.Context) -> None:
    """How an assembly moves before you build it.

    Begin with "pliant demo", or "pliant new assembly -o mine.toml" and "pliant solve mine.toml";
    or with an example: "pliant examples drawer -o drawer.toml" and "pliant flex drawer.toml";
    for a linkage, "pliant examples jansen -o jansen.toml" and "pliant trace jansen.toml"; what settles
    in the plane or in space, with strings, gears and cylinders, is run with "pliant relax", and snap-fits,
    latches and ratchets are moved with "pliant snap".
    """
    if os.environ.get("NO_COLOR"):
        ctx.color = False
    for variable in ONE_THREAD:
        os.environ.setdefault(variable, "1")


COMMANDS = (
    new.new,
    importing.import_,
    check.check,
    solve.solve,
    flex.flex,
    play.play,
    separate.separate,
    loosen.loosen,
    brace.brace,
    trace.trace,
    edit.edit,
    synthesize.synthesize,
    relax.relax,
    evolve.evolve,
    snap.snap,
    compare.compare,
    sweep.sweep,
    sweep.batch,
    optimize.optimize,
    tolerances.tolerances,
    draw.draw,
    parts.parts,
    examples.examples,
    demo.demo,
    warm.warm,
)
for command in COMMANDS:
    main.add_command(command)
