"""`pliant solve`: a model of any kind, by the command of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from pliant.cli.options import max_size_option, set_option
from pliant.cli.run import Common, run, solving_command


@click.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.argument("model", type=click.Path(path_type=Path))
@max_size_option
@set_option
@click.pass_context
def solve(ctx: click.Context, model: Path, max_bytes: int, parameters: Mapping[str, str]) -> None:
    """Solve a model of any kind.

    Does what the command of its kind does (flex, trace, relax, snap), with that one's options.
    """
    from pliant.files import load
    from pliant.files.kinds import kind_named

    name = kind_named(load(model, max_bytes=max_bytes, parameters=parameters).kind).command
    group = ctx.parent.command if ctx.parent else None
    command = group.get_command(ctx, name) if isinstance(group, click.Group) else None
    command = command or _of_no_own_command
    changes = [flag for key, value in parameters.items() for flag in ("--set", f"{key}={value}")]
    given = [str(model), "--max-size", str(max_bytes / 1e6), *changes, *ctx.args]
    with command.make_context(name, given, parent=ctx.parent) as own:
        command.invoke(own)


@click.command()
@solving_command()
def _of_no_own_command(common: Common) -> int:
    """Solve a model of a kind whose command has no options of its own."""
    import pliant

    name = click.get_current_context().info_name or ""
    return run(name, common, lambda model, progress: pliant.solve(model, progress=progress), {})
