"""A call in a process of its own gives what it gives here, and Ctrl-C ends it."""

import math
import sys

import numpy as np
import pytest
from tests.processes import start

from pliant import gallery
from pliant.flex.lp import solvers
from pliant.flex.lp.process import call_in_process
from pliant.flex.problem.system import compile_system
from pliant.flex.stepping.linearization import linear_step
from pliant.flex.stepping.step import configuration_at


def test_a_program_solved_apart_has_the_answer_that_it_has_here(monkeypatch: pytest.MonkeyPatch):
    model = gallery.load("eight-blocks")
    system = compile_system(model, model.study.for_command("flex"))
    here = configuration_at(system, system.parts.drawn, system.reach, None)
    program, _ = solvers.in_natural_units(linear_step(system, here, None).program)
    own = solvers.run_piqp(program, 1e-8)
    monkeypatch.setattr(solvers, "LONG", 1)
    there = solvers._piqp(program, 1e-8)
    assert np.array_equal(there.step, own.step)
    assert np.array_equal(there.forces, own.forces)
    assert (there.iterations, there.message) == (own.iterations, own.message)


def test_where_no_process_can_be_begun_it_is_called_here(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "executable", "/not/there")
    assert call_in_process(math.hypot, 3.0, 4.0) == 5.0


def test_what_goes_wrong_there_goes_wrong_here():
    with pytest.raises(ValueError, match="could not convert string to float: 'thick'"):
        call_in_process(float, "thick")


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_ctrl_c_is_heard_while_it_is_waited_for_and_ends_it():
    code = (
        "import hashlib, os, signal, subprocess, threading\nfrom pliant.cli.watch import Watch\n"
        "from pliant.flex.lp.process import call_in_process\n"
        "began, begin = [], subprocess.Popen\n"
        "def remember(*args, **options):\n    began.append(begin(*args, **options))\n    return began[-1]\n"
        "subprocess.Popen = remember\n"
        "with Watch(quiet=True):\n"
        "    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "    try:\n        call_in_process(hashlib.pbkdf2_hmac, 'sha256', b'', b'', 2_000_000_000)\n"
        "    except KeyboardInterrupt:\n        print('heard', began[0].wait(10))"
    )
    out, complaints = start(code, None).communicate(timeout=60)
    assert out == "heard -9\n", complaints
