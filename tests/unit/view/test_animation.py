import sys
from dataclasses import replace
from itertools import pairwise

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image

import pliant.view
from pliant.core.errors import PliantError

QUICK = {"width": 3.0, "dpi": 60, "fps": 10, "seconds": 1.0}


def frames_of(path):
    with Image.open(path) as film:
        for index in range(film.n_frames):
            film.seek(index)
            yield np.asarray(film.convert("RGB")), film.info["duration"]


def test_a_gif_has_a_picture_for_every_tenth_of_a_second_and_rests_at_the_end(blocks, tmp_path):
    pliant.view.animate(blocks, tmp_path / "a.gif", **QUICK, hold=2.0)
    durations = [duration for _, duration in frames_of(tmp_path / "a.gif")]
    assert durations == [100] * 9 + [2100]
    with Image.open(tmp_path / "a.gif") as film:
        assert film.info["loop"] == 0
        assert film.size[0] == 180


def test_pictures_between_frames_differ_although_the_motion_has_four(blocks, tmp_path):
    pliant.view.animate(replace(blocks, marks=()), tmp_path / "a.gif", **QUICK)
    films = [picture for picture, _ in frames_of(tmp_path / "a.gif")]
    assert all((a != b).any() for a, b in pairwise(films))
    assert (films[0][0, 0] == 255).all()


def test_the_red_outline_rests_while_the_body_moves(blocks, tmp_path):
    pliant.view.animate(
        replace(blocks, marks=()), tmp_path / "a.gif", width=6.0, dpi=100, fps=5, seconds=1, names=False
    )
    films = [picture.astype(int) for picture, _ in frames_of(tmp_path / "a.gif")]
    reds = [(film[..., 0] - film[..., 1] > 100) & (film[..., 0] > 180) for film in films]
    assert (reds[2] == reds[-1]).mean() > 0.998
    assert reds[-1].sum() > 100


def test_forth_and_back_returns_to_the_start_without_repeating_it(blocks, tmp_path):
    pliant.view.animate(blocks, tmp_path / "a.gif", **QUICK, back=True, hold=0)
    films = [picture for picture, _ in frames_of(tmp_path / "a.gif")]
    assert len(films) == 18
    assert (films[1] == films[-1]).all()
    assert (films[0] != films[-1]).any()


def test_what_comes_round_loops_without_a_rest_or_a_picture_shown_twice(crank, tmp_path):
    pliant.view.animate(crank, tmp_path / "a.gif", **QUICK)
    films = list(frames_of(tmp_path / "a.gif"))
    assert [duration for _, duration in films] == [100] * 10
    moved = [(a != b).any(axis=2).mean() for (a, _), (b, _) in pairwise([*films, films[0]])]
    assert min(moved) > 0.5 * max(moved) > 0  # the step from the end to the start is one like the others


def test_an_mp4_plays_for_as_long_as_was_asked(blocks, tmp_path):
    pliant.view.animate(blocks, tmp_path / "a.mp4", **QUICK, hold=1.0)
    count, seconds = imageio_ffmpeg.count_frames_and_secs(str(tmp_path / "a.mp4"))
    assert count == 20
    assert seconds == pytest.approx(2.0)


def test_an_mp4_without_ffmpeg_says_what_to_install(blocks, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(PliantError, match=r'pip install "pliant\[video\]"'):
        pliant.view.animate(blocks, tmp_path / "a.mp4", **QUICK)
    assert not list(tmp_path.iterdir())


def test_progress_counts_the_pictures_and_stopping_it_leaves_no_file(blocks, tmp_path):
    calls = []

    def stop(done, total, text):
        calls.append((done, total))
        if done == 3:
            raise KeyboardInterrupt

    for name in ("a.gif", "a.mp4"):
        with pytest.raises(KeyboardInterrupt):
            pliant.view.animate(blocks, tmp_path / name, **QUICK, hold=0, progress=stop)
    assert calls == [(1, 10), (2, 10), (3, 10)] * 2
    assert not list(tmp_path.iterdir())


def test_a_motion_of_one_frame_is_a_still(blocks, tmp_path):
    still = replace(
        blocks,
        values=np.zeros(1),
        poses=blocks.poses[:1].copy(),
        body_scalars={},
        signals={},
        marks=(),
        events=(),
    )
    pliant.view.animate(still, tmp_path / "a.gif", **QUICK)
    assert len(list(frames_of(tmp_path / "a.gif"))) == 1


@pytest.mark.parametrize(
    ("name", "options"), [("a.avi", {}), ("a.gif", {"fps": 0}), ("a.gif", {"seconds": 0})]
)
def test_what_cannot_be_made_is_refused(blocks, tmp_path, name, options):
    with pytest.raises(PliantError):
        pliant.view.animate(blocks, tmp_path / name, **{**QUICK, **options})
