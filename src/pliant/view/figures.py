"""Still pictures of a motion: before as red outlines, after filled, as the papers draw it.

Where curves are traced, they show the motion, and one pose alone shows the bodies: the first of a motion
that comes round, the last of one that ends elsewhere. What comes round without curves is shown where it is
farthest from its start.
"""

from __future__ import annotations

import io
from pathlib import Path

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from pliant.core.errors import PliantError
from pliant.core.given import given_path, refused
from pliant.core.motion import Motion
from pliant.core.plot import Plot
from pliant.core.store import write_whole
from pliant.view.charts import chart
from pliant.view.frames import cycles, farthest_frame, telling_frames
from pliant.view.page import (
    DIRECTIONS,
    MAX_PICTURE,
    Page,
    add_colour_bar,
    add_header,
    add_key,
    add_scale_bar,
    add_stage,
    key_entries,
    lay_out,
    readout,
)
from pliant.view.palette import FAINT, RC
from pliant.view.scene import (
    Before,
    HasMotion,
    frame_before,
    motion_of,
    room,
    spatial,
    traced_names,
    whole_frame,
)
from pliant.view.stage import DrawOptions, Stage

COLOUR_BAR = 0.85  # inches


def figure(
    result: Motion | Plot | HasMotion,
    *,
    frame: int | None = None,
    before: Before = "auto",
    scalar: str | None = None,
    marks: bool = True,
    names: bool | None = None,
    trails: bool | None = None,
    title: str | None = None,
    rulers: bool = False,
    width: float = 6.4,
    tallest: float = MAX_PICTURE,
) -> Figure:
    """One frame filled, over the outline in red of where things were `before` (None: no outline).

    Without a choice, the last frame over the first, or of a motion that comes round the one farthest from
    it; where curves are traced the last alone, or the first of a motion that comes round.

    Args:
        result: what is drawn; a `Plot` gives its chart.
        frame: index of the frame; negative ones count from the end.
        before: index of the frame outlined in red; None draws none.
        scalar: name of the figures that colour bodies or strokes.
        marks: whether forces, paths and the like are drawn.
        names: whether parts are named; left out, where there are few.
        trails: whether points leave their path behind.
        title: above the picture; left out, the motion's own.
        rulers: whether there are axes with the unit instead of a scale bar.
        width: in inches.
        tallest: how high a picture may be, in inches.

    Returns:
        A matplotlib Figure.

    Raises:
        PliantError: there is no such frame or scalar.
    """
    if isinstance(result, Plot):
        return chart(result, width=width)
    motion = motion_of(result)
    frame = _pose(motion) if frame is None else whole_frame(motion, frame)
    start = frame_before(motion, before)
    shown = [frame] if start is None else [start, frame]
    options = DrawOptions(
        None if start == frame else start, scalar or motion.heat or None, marks, names, trails
    )
    if options.shows_trails(motion) and motion.points.shape[1]:
        shown = list(range(motion.frames))
    after = frame if options.before is not None else None
    return compose(motion, options, [frame], shown, title, rulers, width, after, tallest)[0]


def _pose(motion: Motion) -> int:
    """The frame that shows a motion best."""
    if not cycles(motion):
        return motion.frames - 1
    return 0 if traced_names(motion) else farthest_frame(motion)


def filmstrip(
    result: Motion | HasMotion,
    *,
    frames: int = 5,
    before: Before = "auto",
    scalar: str | None = None,
    marks: bool = True,
    names: bool | None = False,
    trails: bool | None = None,
    title: str | None = None,
    width: float = 6.4,
) -> Figure:
    """A motion as a row of pictures, all at one scale: its ends, its events, and evenly what is between.

    Args:
        result: what is drawn.
        frames: how many pictures.
        before: index of the frame outlined in red; None draws none.
        scalar: name of the figures that colour bodies or strokes.
        marks: whether forces, paths and the like are drawn.
        names: whether parts are named.
        trails: whether points leave their path behind.
        title: above the picture; left out, the motion's own.
        width: of the whole row, in inches.

    Returns:
        A matplotlib Figure.

    Raises:
        PliantError: fewer than one picture, or there is no such frame or scalar.
    """
    motion = motion_of(result)
    if frames < 1:
        raise PliantError(f"frames = {frames}: a filmstrip needs at least one")
    options = DrawOptions(frame_before(motion, before), scalar or motion.heat or None, marks, names, trails)
    return compose(
        motion, options, telling_frames(motion, frames), list(range(motion.frames)), title, width=width
    )[0]


def compose(
    motion: Motion,
    options: DrawOptions,
    frames: list[int],
    shown: list[int],
    title: str | None = None,
    rulers: bool = False,
    width: float = 6.4,
    after: int | None = None,
    tallest: float = MAX_PICTURE,
) -> tuple[Figure, Page, list[Stage]]:
    """A page with one panel a frame; `shown` are the frames that must find room in each.

    `after` is the frame to name in the key, where one picture stands for all.
    """
    title = motion.title if title is None else title
    strip = len(frames) > 1
    captions = [readout(motion, frame) for frame in frames] if strip else []
    labels = [mark.text for mark in motion.marks if strip and options.marks and mark.frame in frames]
    with mpl.rc_context(RC):
        key = key_entries(motion, options, after)
        side = 0.0 if options.scalar is None else COLOUR_BAR
        page = lay_out(
            room(motion, shown, options.marks),
            width,
            len(frames),
            bool(title) or not strip,
            key,
            side,
            rulers,
            max(map(len, (*captions, *labels)), default=0),
            DIRECTIONS if spatial(motion) else 0.0,
            tallest,
        )
        sheet = Figure(figsize=(page.width, page.height), facecolor="white")
        FigureCanvasAgg(sheet)
        stages = [add_stage(sheet, page, panel, motion, options, rulers) for panel in page.panels]
        for stage, frame in zip(stages, frames, strict=True):
            stage.show(frame)
        for stage, caption in zip(stages, captions, strict=False):
            stage.axes.set_title(caption, fontsize=8, color=FAINT, pad=4)
        add_header(sheet, page, title)
        add_key(sheet, page, key)
        if not rulers:
            add_scale_bar(sheet, page, motion)
        add_colour_bar(sheet, page, stages[0])
    return sheet, page, stages


FORMATS = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


def save_figure(sheet: Figure, path: str | Path, *, dpi: int = 200) -> None:
    """Write a figure as PNG, SVG or PDF by the file's suffix: whole, and the same bytes every time.

    Args:
        sheet: what `figure`, `filmstrip`, `chart` or `signals` gave.
        path: a .png, .svg or .pdf file.
        dpi: pixels an inch, of a .png.

    Raises:
        PliantError: the suffix is none of these, or the file cannot be written.
    """
    if not isinstance(sheet, Figure):  # pyright: ignore[reportUnnecessaryIsInstance]
        cure = "Give what figure, filmstrip, chart or signals gives"
        raise refused("sheet", sheet, "figure", cure)
    suffix = given_path(path).suffix.lower()
    if suffix not in FORMATS:
        raise PliantError(f"{path}: a figure is saved as {', '.join(FORMATS)}. Name the file so.")
    content = io.BytesIO()
    with mpl.rc_context(RC):
        sheet.savefig(content, format=suffix[1:], dpi=dpi, metadata=FORMATS[suffix])
    write_whole(path, content.getvalue())
