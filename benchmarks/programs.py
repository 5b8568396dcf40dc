"""The first linear program of a structure, and the peers that solve it."""

from importlib.util import find_spec

import numpy as np

from pliant.flex.generate import masks
from pliant.flex.generate.table_structures import table_structure
from pliant.flex.generate.voxels import raise_study, upper_right, voxels
from pliant.flex.lp.program import Program
from pliant.flex.model import Assembly
from pliant.flex.problem.system import compile_system
from pliant.flex.stepping.step import configuration_at

GUROBI_LIMIT = 2000  # rows and columns of the licence that comes with gurobipy


def first_program(model: Assembly) -> Program:
    """Equation 11 at the drawn pose, without bounds."""
    system = compile_system(model, model.study.for_command("flex"))
    here = configuration_at(system, system.parts.drawn, system.reach, None)
    unbounded = np.full((len(system.parts.free), 3), np.inf)
    return system.program(here.contacts.rows, here.poses, unbounded)


def table_program(bodies: int) -> Program:
    """Of a structure of Table I."""
    return first_program(table_structure(bodies))


def slab(columns: int, rows: int, clearance: float = 0.01) -> Assembly:
    """A compact slab, its upper right cell moved right."""
    mask = masks.bar(columns, rows)
    return voxels(mask, clearance=clearance, study=raise_study(upper_right(mask), (1.0, 0.0)))


def gurobi(program: Program) -> float | None:
    """The optimum by Gurobi's default method, or None where it or its free licence does not reach."""
    if max(program.shape) > GUROBI_LIMIT or find_spec("gurobipy") is None:
        return None
    import gurobipy as gp

    with gp.Env(params={"OutputFlag": 0}) as environment, gp.Model(env=environment) as model:
        free = model.addMVar(program.cost.size, lb=-gp.GRB.INFINITY)
        model.addConstr(program.matrix() @ free >= -program.gaps)
        model.setObjective(program.cost.ravel() @ free, gp.GRB.MAXIMIZE)
        model.optimize()
        return float(model.ObjVal)
