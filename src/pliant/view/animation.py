"""Moving pictures: GIF by Pillow, MP4 by ffmpeg. One figure is drawn; its artists move."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from numpy.typing import NDArray
from PIL import Image

from pliant.core.errors import PliantError
from pliant.core.given import given_path
from pliant.core.motion import Motion
from pliant.core.progress import Progress, silent
from pliant.core.store import write_whole
from pliant.view.figures import compose
from pliant.view.frames import cycles, frame_at, spread
from pliant.view.page import MAX_PICTURE, readout
from pliant.view.palette import FAINT, RC
from pliant.view.scene import Before, HasMotion, frame_before, motion_of
from pliant.view.stage import DrawOptions

Picture = NDArray[np.uint8]  # (height, width, 3)


def animate(
    result: Motion | HasMotion,
    path: str | Path,
    *,
    seconds: float = 4.0,
    fps: int = 20,
    hold: float | None = None,
    back: bool = False,
    before: Before = "auto",
    scalar: str | None = None,
    marks: bool = True,
    names: bool | None = None,
    trails: bool | None = None,
    title: str | None = None,
    width: float = 6.4,
    tallest: float = MAX_PICTURE,
    dpi: int = 120,
    progress: Progress = silent,
) -> None:
    """Write a GIF that loops, or an MP4, by the file's suffix; poses between frames are filled in.

    Args:
        result: what moves.
        path: a .gif or .mp4 file.
        seconds: the motion takes, once.
        fps: pictures a second.
        hold: seconds at its end; left out 1, or 0 where the end joins the start.
        back: whether it returns the way it came.
        before: the frame outlined in red, as in `figure`.
        scalar: name of the figures that colour bodies or strokes.
        marks: whether forces, paths and the like are drawn.
        names: whether parts are named; left out, where there are few.
        trails: whether points leave their path behind.
        title: above the picture; left out, the motion's own.
        width: of the picture in inches; times `dpi` it is in pixels.
        tallest: how high a picture may be, in inches.
        dpi: pixels an inch.
        progress: called as pictures are drawn.

    Raises:
        PliantError: the suffix is none of these, or the file cannot be written.
    """
    motion = motion_of(result)
    path = given_path(path)
    suffix = path.suffix.lower()
    writers = {".gif": _write_gif, ".mp4": _write_mp4}
    if suffix not in writers:
        raise PliantError(f"{path}: an animation is saved as .gif or .mp4. Name the file so.")
    hold = (0.0 if cycles(motion) else 1.0) if hold is None else hold
    if not (seconds > 0 and 1 <= fps <= 50 and hold >= 0):
        raise PliantError(
            f"seconds = {seconds}, fps = {fps}, hold = {hold}: need seconds > 0, fps 1 to 50, hold ≥ 0"
        )
    options = DrawOptions(frame_before(motion, before), scalar or motion.heat or None, marks, names, trails)
    reel = _Reel(motion, options, title, width, dpi, tallest)
    positions = _positions(motion, max(2, round(seconds * fps)) if motion.frames > 1 else 1, back)
    writers[suffix](path, reel, positions, fps, hold, progress)


def _positions(motion: Motion, count: int, back: bool) -> list[float]:
    """Places on the scrub bar, one a picture; a return leaves out both ends, which are shown already."""
    forth = spread(motion, count)
    return [*forth, *(forth[-2:0:-1] if back else ())]


class _Reel:
    """Draws pictures of a motion: the still part once, what moves on a copy of it each time."""

    def __init__(
        self, motion: Motion, options: DrawOptions, title: str | None, width: float, dpi: int, tallest: float
    ) -> None:
        self.motion = motion
        self.kept: dict[float, Picture] = {}  # by their places
        self._sheet, page, (self._stage,) = compose(
            motion, options, [0], list(range(motion.frames)), title, width=width, tallest=tallest
        )
        # Video is coded in blocks: both sides must be even.
        pixels = 2 * np.round(np.array([page.width, page.height]) * dpi / 2)
        self._sheet.set_size_inches(*(pixels / dpi))
        self._sheet.set_dpi(dpi)
        right = (page.panels[0].left + page.panels[0].width) / page.width
        with mpl.rc_context(RC):
            self._clock = self._sheet.text(
                right,
                1 - 0.22 / page.height,
                "",
                ha="right",
                va="top",
                fontsize=8.5,
                color=FAINT,
                animated=True,
            )
            self._canvas = FigureCanvasAgg(self._sheet)
            self._stage.axes.set_animated(True)
            self._canvas.draw()
        self._still = self._canvas.copy_from_bbox(self._sheet.bbox)

    def picture(self, position: float) -> Picture:
        """The motion at a place on the scrub bar."""
        frame = frame_at(self.motion, position)
        with mpl.rc_context(RC):
            self._stage.show(frame)
            self._clock.set_text(readout(self.motion, frame))
            self._canvas.restore_region(self._still)
            self._sheet.draw_artist(self._stage.axes)
            self._sheet.draw_artist(self._clock)
        return np.asarray(self._canvas.buffer_rgba())[..., :3].copy()

    def keep(self, positions: list[float]) -> None:
        """Draw some pictures ahead, which are then not drawn again."""
        self.kept = {position: self.picture(position) for position in positions}

    def pictures(self, positions: list[float], progress: Progress) -> Iterator[Picture]:
        """All of them, saying how far it is."""
        for index, position in enumerate(positions):
            yield self.kept[position] if position in self.kept else self.picture(position)
            progress(index + 1, len(positions), "drawing frames")


def _write_gif(
    path: str | Path, reel: _Reel, positions: list[float], fps: int, hold: float, progress: Progress
) -> None:
    # One palette for all pictures, taken from a few: colours do not flicker, and what rests compresses away.
    reel.keep(positions[:: max(1, len(positions) // 6)])
    palette = _palette(list(reel.kept.values()))
    pictures = [
        Image.fromarray(picture).quantize(palette=palette, dither=Image.Dither.NONE)
        for picture in reel.pictures(positions, progress)
    ]
    durations = [round(100 / fps) * 10] * len(positions)  # GIF counts hundredths of a second
    durations[int(np.argmax(positions))] += round(hold * 1000)
    content = io.BytesIO()
    pictures[0].save(
        content, "GIF", save_all=True, append_images=pictures[1:], duration=durations, loop=0, optimize=False
    )
    write_whole(path, content.getvalue())


def _palette(samples: list[Picture]) -> Image.Image:
    """The colours of some pictures; the lightest are made white, which the median cut leaves a shade off.

    Every other row and column has them all: lines are wider than that where their colour is not blended.
    """
    thinned = np.vstack([sample[::2, ::2] for sample in samples])
    reduced = Image.fromarray(thinned).quantize(160, method=Image.Quantize.MEDIANCUT)
    colours = np.array(reduced.getpalette(), np.int64).reshape(-1, 3)
    colours[(colours > 246).all(axis=1)] = 255
    reduced.putpalette(colours.ravel().tolist())
    return reduced


def _write_mp4(
    path: str | Path, reel: _Reel, positions: list[float], fps: int, hold: float, progress: Progress
) -> None:
    ffmpeg = _ffmpeg()
    end = int(np.argmax(positions))
    positions = [*positions[: end + 1], *[positions[end]] * round(hold * fps), *positions[end + 1 :]]
    with tempfile.TemporaryDirectory(prefix="pliant-") as folder:
        film = Path(folder) / "film.mp4"
        height, width = reel.picture(0.0).shape[:2]
        writer = ffmpeg.write_frames(
            str(film),
            (width, height),
            fps=fps,
            codec="libx264",
            pix_fmt_out="yuv420p",
            macro_block_size=2,
            output_params=["-crf", "18", "-movflags", "+faststart", "-fflags", "+bitexact"],
        )
        writer.send(None)
        try:
            for picture in reel.pictures(positions, progress):
                writer.send(np.ascontiguousarray(picture))
        finally:
            writer.close()
        write_whole(path, film.read_bytes())


def _ffmpeg() -> Any:
    try:
        import imageio_ffmpeg
    except ImportError as error:
        raise PliantError(
            'MP4 needs ffmpeg, which is an extra: pip install "pliant[video]". A .gif needs nothing more.'
        ) from error
    return imageio_ffmpeg
