"""Options that several commands share, and the types of what they take."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

PICTURES = (".png", ".svg", ".pdf")
FILMS = (".gif", ".mp4")
TABLES = (".csv", ".parquet")
SUFFIXES = (*PICTURES, *FILMS, ".html", ".json", *TABLES)


class OutputFile(click.ParamType):
    """A file to be written, refused before any work is done where it could not be."""

    name = "file"

    def __init__(self, suffixes: tuple[str, ...] = SUFFIXES) -> None:
        self.suffixes = suffixes

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Check the suffix, the folder, and what the format needs."""
        path = Path(value)
        if self.suffixes and path.suffix.lower() not in self.suffixes:
            self.fail(f"{value!r} must end in one of {', '.join(self.suffixes)}", param, ctx)
        if path.is_dir():
            self.fail(f"{value!r} is a folder; name a file in it", param, ctx)
        if not path.parent.is_dir():
            self.fail(f"the folder {str(path.parent)!r} does not exist; make it first", param, ctx)
        if path.suffix.lower() == ".mp4" and find_spec("imageio_ffmpeg") is None:
            self.fail(
                '.mp4 needs the extra: pip install "pliant[video]"; .gif needs nothing more', param, ctx
            )
        return path


class NumberPair(click.ParamType):
    """Two numbers, such as "1,0". They are read by the model, exactly."""

    name = "X,Y"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Split at the comma."""
        if isinstance(value, tuple):
            return value
        parts = [part.strip() for part in str(value).strip("[]() ").split(",")]
        if len(parts) != 2 or not all(parts):
            self.fail(f"{value!r} is not two numbers; write 1,0", param, ctx)
        return parts[0], parts[1]


class Share(click.ParamType):
    """A share between 0 and 1, such as "0.02" or "2%"."""

    name = "SHARE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read a number, or a percentage."""
        text = str(value).strip()
        try:
            share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except ValueError:
            share = float("nan")
        if not 0 < share < 1:
            self.fail(f"{value!r} is no share between 0 and 1; write 0.02, or 2%", param, ctx)
        return share


class Target(click.ParamType):
    """A name and a place, such as "P=3,4"."""

    name = "JOINT=X,Y"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, tuple[str, str]]:
        """Split at the last equals sign: names may hold one."""
        if isinstance(value, tuple):
            return value
        joint, _, place = str(value).rpartition("=")
        if not joint.strip():
            self.fail(f"{value!r} names no joint and place; write P=3,4", param, ctx)
        return joint.strip(), NumberPair().convert(place, param, ctx)


class NameList(click.ParamType):
    """Names apart by commas."""

    name = "A,B"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Split at the commas."""
        if isinstance(value, tuple):
            return value
        names = tuple(name.strip() for name in str(value).split(","))
        if not all(names):
            self.fail(f"{value!r} holds an empty name; write A,B", param, ctx)
        return names


OLD = "old_"  # before the name of a parameter: what it was called once


def once_called(old: str, key: str, **how: Any) -> Callable[[F], F]:
    """A former spelling of an option, which scripts may still use; `key` is the parameter it stands for."""
    return click.option(old, f"{OLD}{key}", hidden=True, **how)


def spelled_now(settings: dict[str, Any], quiet: bool) -> dict[str, Any]:
    """Settings with former spellings taken for those of today, and a note on each."""
    flags = flags_of(settings)
    for key in [key for key in settings if key.startswith(OLD)]:
        now, value = key.removeprefix(OLD), settings.pop(key)
        if value is not None:
            settings[now] = value if settings[now] is None else settings[now]
            if not quiet:
                click.echo(f"{flags[key]} is called {flags[now]} now.", err=True)
    return settings


def flags_of(settings: Iterable[str]) -> dict[str, str]:
    """By parameter of the command that runs, the flag that sets it."""
    flags = {str(param.name): param.opts[0] for param in click.get_current_context().command.params}
    return {key: flags[key] for key in settings if key in flags}


model_argument = click.argument("model", type=click.Path(path_type=Path))
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")


def _bytes(_ctx: click.Context, _option: click.Parameter, megabytes: float) -> int:
    return int(megabytes * 1e6)


max_size_option = click.option(
    "--max-size",
    "max_bytes",
    type=click.FloatRange(min=0, min_open=True, max=1e6),
    default=10.0,
    metavar="MB",
    callback=_bytes,
    help="Read model files up to this size (default 10).",
)


def output_option(required: bool = False, suffixes: tuple[str, ...] = SUFFIXES) -> Callable[[F], F]:
    """`-o FILE`, as often as wanted."""
    model = ", or a .toml model" if ".toml" in suffixes else ""
    return click.option(
        "-o",
        "--output",
        "outputs",
        type=OutputFile(suffixes),
        multiple=True,
        required=required,
        metavar="FILE",
        help="Write a .png, .svg or .pdf picture, a .gif or .mp4 film, an .html player, a .csv or .parquet "
        f"table or .json{model}. Repeatable.",
    )


def _values(_ctx: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """By name, the values of "a=12"."""
    values: dict[str, str] = {}
    for text in given:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            raise click.BadParameter(f"{text!r} sets nothing; write a=12", param=option)
        values[name] = value
    return values


set_option = click.option(
    "--set",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_values,
    help='Give a parameter of the file another value, such as a=12 or wall="1/8 in", or a key by its path, '
    "such as pawls[0].stiffness=90. Repeatable.",
)

plot_option = click.option(
    "--plot",
    "chart",
    metavar="NAME",
    help="Pictures and tables are of this chart of the result, such as force; a wrong name lists them.",
)

json_option = click.option(
    "--json",
    "json_to",
    metavar="FILE|-",
    help="Write the whole result as JSON to a file, or to stdout in place of the summary.",
)


def same_file(outputs: tuple[Path, ...], model: Path, what: str = "model") -> None:
    """Refuse to write over a file that is read."""
    for path in outputs:
        if path.exists() and model.exists() and path.samefile(model):
            raise click.UsageError(f"{path} is the {what} itself; name another file to write.")
