# SPDX-License-Identifier: MIT
"""Every number that the engine was given, with its meaning and source.

`ROUNDING`, `SAFEGUARDS`, `SCANS` and `COSTS` are shared by all parts: what double precision leaves, the most of something, the places at which something is looked at, what one way costs beside another.
All other numbers trade accuracy for cost, and stand with the part that they belong to. `tools/count.py` counts them.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace


@dataclass(frozen=True, kw_only=True)
class Rounding:
    """What double precision (2.2e-16) leaves, relative, by how it was computed.

    Parameters
    ----------
    last
        Of a value after a step: some fifty units of the last place. No budget and no tolerance is below.
    sums
        Of sums of thousands of values, and of second derivatives of polynomials of degree 30, which lose two digits: two that differ by less are one.
    solved
        Of what follows from a linear system: pressures, eigenvalues, singular values, curves on the side of a box.
    iterated
        Of what an iteration ends at that is linear at its end.
    zero
        Size of an unknown, or a distance, relative to the largest, that is told from zero.
    root
        Of the place of an extremum or of a double root, about the square root of precision.
    stagnant
        Corrections of Newton's method below that do not shrink any more are rounding, on the worst conditioned equations.
    small
        Large beside the rounding of a difference, and small beside whatever happens: steps of one-sided differences in time and in parameters, the instant in which something begins to move, edges that are
        the same one, coefficients that have vanished, diffusion that is none, the shortest step along a branch.
    exponent
        Where an exponential that grows is beyond all numbers.
    """

    last: float = 1e-14
    sums: float = 1e-12
    solved: float = 1e-11
    iterated: float = 1e-10
    zero: float = 1e-9
    root: float = 1e-8
    stagnant: float = 1e-7
    small: float = 1e-6
    exponent: float = 300.0


@dataclass(frozen=True, kw_only=True)
class Safeguards:
    """The most of something: an end for what does not come to one by itself. They decide when something is given up, not what it comes to.

    Parameters
    ----------
    iterations, path_iterations
        Of Newton's method, of refinements and of sweeps; of all along a path. Active sets move by whole cells, some at a time, and need the most of them.
    halvings
        Of an interval until two floating-point numbers are neighbors, from 1e-3 of it on.
    patience
        Rejections of one step in a row: a first step of 1e-15 of the time span on cells of the greatest depth needs 60.
    settled, steps, layer
        After so many steps no initial layer is left; an integration that would then need so many more, and has needed them for as many steps as a
        layer inside the time span takes, is stopped.
    tries, pairs
        How often a time span is lengthened; pairs of a solve and its comparison until the best is returned as it is.
    points, depth, box_depth
        Per cell: with more, derivatives of polynomials are rounding; depth of the smallest cells below their root; of boxes, which have 24 bits for their numbers along an axis.
    quarters, eighths, edge_eighths, halvings_of_sides
        Depth of quarters of a box in which a curve is no graph: what is left then is a 1000th of it; of eighths of a box in which a surface is none, of those at an edge of the domain, at which no depth
        helps, and of quarters of the sides of boxes.
    cells, boxes
        Above so many cells are not split any more: along an axis and in space, where factors grow with the square of their number; in the plane.
    regions
        Of a box, sides of the lines at which something given jumps and layers together: they have eight bits beside the number of the box.
    singular_points
        Along one coordinate: as many as `lrfm.problem.landmarks` keeps of one part of a formula.
    dense, box_unknowns, unknowns
        Rows of a matrix that is looked at by dense methods: eigenvectors of so many take a few seconds; those of a box whose terms are all in one dense matrix: its factors take two
        seconds and 70 MB; unknowns of modes, above which their cells are not split any more.
    runs
        Solves of a prepared problem of which values are kept.
    in_cache, in_memory
        Numbers of an array of which some twenty are in use at the same time; bytes of the steps of one solve that are kept in memory, those beyond on the disk: half a gigabyte of two solves, so that flows in the plane stay below one.
    numbers, factors, sets
        That are kept in matrices, 100 MB; and factors that are kept at the least: those of three eigenvalues for two sizes of steps, or of real shifts from one to the 1000 times as large; sets of matrices of exponentials: those that one step takes, of h/2 and between its ends.
    axes, modes, polynomials
        Of a series: dimensions, the highest mode along an axis of several, the highest degree between walls, a dense matrix of that size per mode of the other axes.
    terms
        Of a polynomial of unknowns that is written as derivatives of simpler ones.
    krylov, rational
        Iterations of GMRES: where they do not get there, which a positive pencil does in a dozen, the shift has factors of its own; functions of a rational Krylov space for each that it begins with: a step that needs more is too long.
    volumes, grid_volumes, front_volumes
        In the first of two solves if all were as narrow as the narrowest, on an interval, where it decides how many steps there are, and in a box: above, steps that are kept take gigabytes; where something diffuses, with explicit steps that shrink with the square of the width.
    shortest
        Part of a step of u that is not cut any more for ∂u/∂p: a layer that this has and u has not is resolved to a millionth of the time span.
    stages
        Of one explicit step for diffusion: four hundred times as long as an Euler step.
    degree
        Of polynomials on cells of the plane: what 1e-8 asks for; with twice as many nothing changed down to 1e-4.
    jump_halvings
        Of a cell of a box in which data jump, where no depth helps: a 32nd of the error that the cell makes itself.
    times
        Steps and cells of ∂u/∂p in units of those of u: an eighth mode from u = 0 took three times as many.
    damping
        The least damping factor of Newton's method (Deuflhard's is 1e-4), and the shortest step along a path.
    recent, parametric
        Solves of a prepared problem, per parameter, that serve the next, and the degree of the polynomial through them; half and twice as many changed nothing.
    """

    iterations: int = 60
    path_iterations: int = 600
    halvings: int = 44
    patience: int = 80
    settled: int = 200
    steps: float = 1e5
    layer: int = 60
    tries: int = 12
    pairs: int = 4
    points: int = 16
    depth: int = 34
    box_depth: int = 21
    quarters: int = 10
    eighths: int = 5
    edge_eighths: int = 3
    halvings_of_sides: int = 6
    cells: int = 4000
    boxes: int = 20000
    regions: int = 256
    singular_points: int = 24
    dense: int = 1000
    box_unknowns: int = 3000
    unknowns: int = 60_000
    runs: int = 40
    in_cache: int = 65536
    in_memory: float = 2.5e8
    numbers: float = 1.3e7
    factors: int = 6
    sets: int = 2
    axes: int = 5
    modes: int = 512
    polynomials: int = 160
    terms: int = 400
    krylov: int = 30
    rational: int = 80
    volumes: int = 60_000
    grid_volumes: int = 6_000_000
    front_volumes: int = 1500
    shortest: float = 1e-4
    stages: int = 39
    degree: int = 10
    jump_halvings: int = 5
    times: int = 8
    damping: float = 1e-4
    recent: int = 8
    parametric: int = 6


@dataclass(frozen=True, kw_only=True)
class Scans:
    """Places at which something is looked at: they decide what is seen, not how accurate it is.

    Parameters
    ----------
    axis, finer
        Of an interval, and of the time span, at which functions are looked at: what is wider than a 4000th is seen in functions and tables; formulas are read. So many times
        more along the time span where data are functions or tables of the user, which name no singular times. As many and twice as many fill a square and a cube.
    points, instants
        At which residuals, and data of a series, are looked at; and times among them, steps at which ends are looked at.
    coarse
        Places or times along one coordinate where a sign, a size or a shape is all that is asked for.
    along, samples
        Times at which changes are looked at, beside the singular ones; points per interval of time.
    inside, between
        Times within each step at which signs are looked at; states between two at which the speed of a flux that is not quadratic is.
    nodes, cells
        Gauss points per cell in the difference of two solves; cells on which it is looked at whether a linear statement is singular.
    flux_nodes
        Gauss points along ∇u by which a flux is found from its derivatives: exact for coefficients that are polynomials in ∇u of degree seven.
    windows, rungs
        Intervals around a place, each an eighth of the one before (the last is wider than the distance by which a search misses a kink); times at which the size of what starts from nothing is foreseen.
    angles
        Around a point in which layers meet, as many as exponents that are tried.
    wedge, exponent
        Chebyshev points less one along the angle of a corner, in two discretizations that tell which of its exponents there are; and the number around which they are looked for, half and twice which found the same.
    sides, looks
        Intervals along the side of a box in which crossings are looked for, with a parabola between two of them; places along each direction by which surfaces in a box of space, and curves in its sides, are found.
    uneven, phase, shorter
        Cells on which the spectrum of points is computed, with widths 1 + sin(phase i)/2, no two alike; and how much narrower they are taken, for waves that are short beside what is given: the highest derivatives decide.
    """

    axis: int = 4096
    finer: int = 16
    points: int = 512
    instants: int = 32
    flux_nodes: int = 4
    coarse: int = 100
    along: int = 9
    samples: int = 8
    inside: int = 4
    between: int = 3
    nodes: int = 20
    cells: int = 3
    windows: int = 7
    rungs: int = 3
    angles: int = 720
    wedge: tuple[int, int] = (16, 22)
    exponent: float = 0.3717
    sides: int = 16
    looks: int = 5
    uneven: int = 6
    phase: float = 2.4
    shorter: float = 64.0


@dataclass(frozen=True, kw_only=True)
class Costs:
    """What one way costs beside another, measured: they decide which of two is taken that both keep the tolerance.

    Parameters
    ----------
    pair
        What a second pair of a solve and its comparison is expected to take, in units of the first; a third one is foreseen by these two.
    factors
        Iterations as dear as a factorization for one right-hand side: up to so many, factors of the step before are taken again.
    linearized
        Matrices of all steps of a kept solve cost as much as about ten iterations of Newton's method for all of them, and are made so often before the integrator is asked, which takes as long as five of them.
    directions
        Derivatives that are integrated together with u where all of them are unknowns of one statement: each adds two blocks to the matrices of a step, and u is shared.
    column
        Modes of sines or cosines as dear as one polynomial: a mode costs a product, a polynomial a column.
    short
        Modes up to which a series is so short that what is around its transforms costs more than they do.
    served, solutions, cycles, few, called
        In the plane, what decides between factors and iterations (`lrfm.linalg.multilevel`): solutions of steps for which a factorization serves, with the dozen solutions that each takes by GMRES, and
        iterations that each would take with cycles over degrees; both where two digits are enough; and what the calls of a cycle cost, in operations.
    flows
        Tolerance at which diagonally implicit steps of order four cost a flow what Radau IIA does: at 1e-2 a flow past a cylinder (Re = 100, t ≤ 2.5) took 17 s with them, and 90 s up to t = 2 with
        Radau IIA; at 1e-3 vortices on 17 cells took 27 s and 24 s. In between, by their logarithms.
    points
        A cell of k points costs k to this power: the blocks of a band matrix in NumPy, where calls cost as much as operations.
    padded
        Ratio of the numbers of points of cells of the plane that are handled together: points of weight zero in between cost less than calls.
    """

    pair: float = 3.0
    factors: int = 3
    linearized: int = 4
    directions: int = 6
    column: float = 4.0
    short: int = 20_000
    served: int = 40
    solutions: int = 12
    cycles: int = 20
    few: int = 8
    called: float = 6e6
    flows: float = 3e-3
    points: float = 1.5
    padded: float = 1.25


ROUNDING, SAFEGUARDS, SCANS, COSTS = Rounding(), Safeguards(), Scans(), Costs()
SINGLE = 2.0**-23  # machine precision of single numbers


@dataclass(frozen=True, kw_only=True)
class Options:
    """Numbers of one integration; all errors are relative to the size of the unknown that they belong to.

    Parameters
    ----------
    tol
        The relative L² error over space and time that is aimed at.
    minor
        Part of a budget that is left to what is secondary to it: Newton's method, rounding of eigenvectors, the error of an error. A tenth of a tenth, where it adds up.
    closer
        Factor by which the tolerance of a comparison solve is smaller.
    visible
        Difference at single places, or variation in a cell, in tolerances, that a solution within its tolerance may have: data may differ so much from their series, and below nothing is a shock.
    smooth
        Last coefficients of a cell, relative to the others, of a function that is resolved, at the most: a hundredth usually, a fifth for a step, a tenth and more for rates of data with kinks.
    fewest
        Points per cell, and modes, at the least.
    time_share, space_share
        Parts of it for the errors of steps and of cells. What is left is for what comes of errors that are carried on; the last coefficients of a cell overestimate what is left out by one factor of their decay.
    stages
        Of Radau IIA; two more where steps of order nine would be too short.
    safety, shrink, grow
        The usual factors of a step-size controller (Hairer, Wanner, Solving Ordinary Differential Equations II, IV.8).
    keep
        Growth of the step size that is not worth new factors (the same section).
    iterations, newton_share
        Of the simplified Newton method: how many are tried with one matrix, and the part of the budget that is left to them.
    contraction
        Rate of convergence below which the matrix is used again in the next step (the same section, 0.001 there; matrices are cheaper here).
    overshoot
        Space error in units of its budget up to which a step is kept and its cells are split afterwards; above, it is repeated on split cells. Waves keep what is
        left out for ever: with 4 a train of KdV at 4e-7 had an error of 6.7 tolerances.
    ahead
        Growth of the last coefficients of a cell during the next step that is reckoned with at the most, as that of a step: cells are split before a step is repeated for them.
    coarsen
        Part of the budget that joining two cells may cost: a tenth of a tenth, since a cell that is joined and split again has cost two regrids.
    calm
        What the last coefficients of joined cells count in the same measure: they have to be below a tenth of the budget.
    deepest, patience, settled, most_steps, layer, most_cells
        See `Safeguards`.
    floor, smallest, derived, same_edge
        Relative rounding error of a step; the size of an unknown that is told from zero; rounding errors of multipliers, such as a pressure; edges that are the same one (`Rounding`).
    driven
        Part of what data make of an unknown at the most that counts as its size while it starts from nothing.
    rough
        A tolerance of three digits: what is looked at before more are asked for.
    first_step
        The first step is at most this part of the time span, if data do not say more.
    best_rate
        Rate of convergence that Newton's method is trusted with before it has shown one.
    join_every
        Steps after which cells are looked at that may be joined, and one in how many has to be joined if nothing else changes: a change of cells costs the matrices of a step. Two layers that move
        took 3.4 times the work when looked at after every step.
    neighbor
        A cell beside one that is split is split, too, if it is wider by more than this: halves and quarters of one cell lie side by side, not halves and eighths. In the middle between as wide and twice as wide.
    comparison
        Whether this is a comparison solve: it has one coefficient more per cell than tol asks for, and one cell more between two singular points.
    """

    tol: float
    minor: float = 0.1
    closer: float = 4.0
    visible: float = 3.0
    smooth: float = 0.03
    fewest: int = 4
    time_share: float = 0.2
    space_share: float = time_share
    stages: int = 5
    safety: float = 0.9
    grow: float = 6.0
    shrink: float = 1 / grow
    keep: float = 1.2
    iterations: int = 8
    newton_share: float = minor
    contraction: float = minor
    deepest: int = SAFEGUARDS.depth
    overshoot: float = 2.0
    ahead: float = grow
    coarsen: float = minor * minor
    calm: float = minor
    patience: int = SAFEGUARDS.patience
    settled: int = SAFEGUARDS.settled
    most_steps: float = SAFEGUARDS.steps
    layer: int = SAFEGUARDS.layer
    floor: float = ROUNDING.last
    smallest: float = ROUNDING.zero
    derived: float = ROUNDING.sums
    driven: float = coarsen
    most_cells: int = SAFEGUARDS.cells
    first_step: float = coarsen
    best_rate: float = coarsen * minor
    rough: float = best_rate
    join_every: int = 8
    neighbor: float = math.sqrt(2)
    same_edge: float = ROUNDING.small
    comparison: int = 0

    @property
    def count(self) -> int:
        """Points per cell, k ≈ ln(1/tol)/1.5: with K ~ tol^(−1/k) cells at a cost of k^1.5 each (`COSTS.points`), this k is the cheapest."""
        return self.points(0)

    def points(self, order: int) -> int:
        """The same for equations with derivatives in space up to some order m, which take m + 1 points at the least."""
        return (
            max(self.fewest, order + 1, min(SAFEGUARDS.points, round(math.log(1 / self.tol) / COSTS.points)))
            + self.comparison
        )

    @property
    def first_cells(self) -> int:
        """Equal cells between two singular points to begin with: two, and one more in each comparison solve, so that no cell is as wide as before."""
        return 2 + self.comparison

    @property
    def newton_goal(self) -> float:
        """What is left to the iterations of a step; space and time have equal shares of the tolerance."""
        return max(self.newton_share * self.time_share * self.tol, self.floor)

    @property
    def told(self) -> float:
        """Size of an unknown, relative to the largest, below which its errors count as if it were larger: rounding of the largest is no error of it, whatever the tolerance."""
        return max(self.smallest, self.floor / self.tol)

    @property
    def asked(self) -> float:
        """The tolerance of the first of two solves: a comparison is to differ from it by one degree, not by two."""
        return self.tol * self.closer**self.comparison

    @property
    def whatever_begun(self) -> Options:
        """The same numbers whatever the first step: what tells two kinds of solves apart."""
        return replace(self, first_step=1.0)

    def compared(self, begun: float = math.inf) -> Options:
        """The numbers of a comparison solve: the same rules, with a quarter of the tolerance, other degrees, cells and step sizes."""
        return self.compared_by(self.closer, begun)

    def compared_by(self, factor: float, begun: float = math.inf) -> Options:
        """The same with another part of the tolerance; `begun` is the first step of the solve that is compared, as a part of the time span.

        A layer at the start that is thinner than the first step has an error like a root of that step, whatever the tolerance: the comparison begins with
        a step that is shorter by the factor of its tolerance, or both would share it (0.8 of the error of a needle that is switched on).
        """
        return replace(
            self,
            tol=self.tol / factor,
            comparison=self.comparison + 1,
            first_step=min(self.first_step, begun) / factor,
        )

    def at_a_point(self) -> Options:
        """The numbers for ordinary equations, whose steps cost next to nothing: layers may be long."""
        return replace(self, layer=int(self.most_steps))


def stages_for(tol: float) -> int:
    """Stages of Radau IIA: five (order nine), or an odd number of about half the points of a cell, so that errors in time fall with tol as those in space do.

    Two moving layers at 1e-3 with five instead of three: 0.59 of the time; Burgers' front at 1e-9 with seven instead of five: 0.62; van der Pol's equation at 1e-8: 0.75.
    """
    return max(Options.stages, 2 * (Options(tol=tol).count // 2 // 2) + 1)


@dataclass(frozen=True, kw_only=True)
class ScanOptions:
    """What is seen in what is given.

    Parameters
    ----------
    rough
        Part of its range by which a function changes between two places of a scan where it is thin.
    same
        Relative difference below which two numbers are one and the same that were found in two ways: the sides of a jump, singular exponents, and eigenvalues and turning points in two discretizations.
    visible
        Part of its range by which a function may differ from its polynomial on an interval of time: steps see the rest by their errors.
    overlap
        A step is at most so many times as long as an interval of time that it overlaps: as by a controller, it grows by no more from one to the next.
    unstable
        Real part over the spectral radius from which points of a cell are refused: on 38 layouts of the catalog and of random statements stable ones had at most 4e-6, unstable ones 1.
    """

    rough: float = 0.05
    same: float = 1e-3
    visible: float = Options.coarsen
    overlap: float = Options.grow
    unstable: float = Options.coarsen


@dataclass(frozen=True, kw_only=True)
class MotionOptions:
    """When and how cells move with what travels.

    Parameters
    ----------
    left
        Part of ‖u_t‖ that may be left along the motion, as much as a cell may be squeezed. Two layers of Burgers' equation leave 0.01 while they are apart, 0.2 where they merge.
    stride
        Widths of a cell by which a step has to carry it to set out, while none is squeezed by more than `squeeze`; below one it stands still again. A pulse of FitzHugh and Nagumo on a
        short interval took 50 steps instead of 26 without that.
    smooth
        θ: a layer's speed is wrong by about this part, and what has less than this part of ∫ u_x² dx is not followed by itself.
    squeeze
        Change of the width of a cell in a step: the matrix of the middle of the step is that of all its stages, and Newton's rate of convergence is about the same number. Two layers took 28 steps, one
        repeated, with a fifth; 34, 24 repeated, with a half.
    """

    squeeze: float = 0.2
    left: float = squeeze
    stride: float = 3.0
    smooth: float = ScanOptions.same


@dataclass(frozen=True, kw_only=True)
class FeatureOptions:
    """Random features as functions of a cell.

    Parameters
    ----------
    count
        That are drawn: the square of what a cell takes at the most, of which the first singular vectors are. With twice as many as 16 functions a line was held to 8e-7 instead of 5e-12: the last singular vectors are then rounding.
    """

    count: int = SAFEGUARDS.points**2


@dataclass(frozen=True, kw_only=True)
class PairOptions:
    """Pairs of a solve and its comparison.

    Parameters
    ----------
    aim
        Part of what the last estimate asks for at which the next pair aims: what steps and cells may contribute together.
    apart
        Ratio of the numbers of cells, or of functions, of a solve and its comparison where these are not chosen by a tolerance: no whole number, so that no edge of one is one of the other.
    """

    aim: float = Options.time_share + Options.space_share
    apart: float = 2.2


@dataclass(frozen=True, kw_only=True)
class PlaneOptions:
    """Cells of the plane.

    Parameters
    ----------
    beside
        Distance, relative to the size of the domain, below which a curve lies on the side of a box: rounding, with room for that of formulas.
    together, samples, looks, between
        See `Costs` and `Scans`; and the part of the range of values at its corners by which a function may go on in between, as small as a piece of a box.
    upright, leaning
        The same as `steep` in space, where no axis has more than 1/√3 = 0.58 of the normal (1, 1, 1): with 0.3 one of ten cells of a ball missed ∮ φ n = ∫ ∇φ by 7e-3, with 0.4 by 9e-5; and for curves in the sides of boxes, where 0.4 took nine times the points for the same digits.
    eighths, edge_eighths, halvings, quarters
        See `Safeguards`.
    steep
        The least part of its normal along the axis in which a curve is taken as a graph, and Gauss points on it: nearer to where its slope is infinite they converge slowly (0.35 with seven points left 1e-6 of the area of a box).
    short
        Of the segments of curves by which boxes find them, at the most: length in units of the box, and change of the normal. From 0.2 to 0.8 it made no difference to solutions; with 0.3 the length of an arc between two layers was right to 1e-10, with 0.5 to 1e-12.
    small
        Part of its box below which a piece joins a neighbor: no cell is then much smaller than its box, whatever cuts it.
    points_more
        Points along each direction beyond the degree less the dimension: Gauss' rule is exact for products with coefficients of degree five, or three, and converges as fast as they do.
    degree_least, degree_most
        Degree of polynomials by the digits of tol, which it is above by the first less the dimension: with n ~ tol^(−2/p) cells of p² functions and work (n p²)^1.5, the cheapest p grows like ln(1/tol). For the plate with
        17 holes at 1e-3 degree 5 cost less than 4, 6 and 8; waves, which need the same everywhere, take `raised` more. In space, n ~ tol^(−3/p) cells of p³/6 functions and work n² p⁹ ask for one less.
    raised
        Degrees that are added at the most in space, where half the box size is eight times the cells, and for waves, whose boxes are all of one size; those are taken that need the fewest unknowns.
    size, shift
        Of the boxes of a comparison solve: their size relative to those of the first, and their offset, in units of a box, so that no side of one is one of the other, of whatever size: with a size of 0.77 a pulse on a disk took 1.5 times as long, with an offset of 0.2 a pulse on a disk took 1.4 times as long; with 0.382 the comparison of a flow through a channel with a pressure at its end did not end.
    nearby
        Ratio of two real shifts at which matrices are factored: with 16 GMRES takes 7 to 15 solutions, with 4 it took 6 to 10 and as many factors again.
    rate
        Of Newton's method, to which solutions by cycles are good enough for linear rows: two iterations end at what an iteration leaves.
    """

    beside: float = ROUNDING.solved
    samples: int = SCANS.sides
    small: float = 0.3
    steep: float = 0.6
    looks: int = SCANS.looks
    between: float = small
    upright: float = 0.4
    leaning: float = 0.3
    eighths: int = SAFEGUARDS.eighths
    edge_eighths: int = SAFEGUARDS.edge_eighths
    halvings: int = SAFEGUARDS.halvings_of_sides
    short: float = 0.5
    quarters: int = SAFEGUARDS.quarters
    points_more: int = 5
    together: float = COSTS.padded
    degree_least: int = Options.fewest
    degree_most: int = SAFEGUARDS.degree
    raised: int = 2
    size: float = 0.8
    shift: float = 0.37
    nearby: float = 16.0
    rate: float = math.sqrt(ROUNDING.iterated)

    def degree(self, tol: float, more: int, dimension: int = 2) -> int:
        """Of polynomials for a tolerance."""
        least = self.degree_least - dimension
        wanted = round(least + math.log10(1 / tol))
        return max(least + 2, min(self.degree_most, wanted)) + more


@dataclass(frozen=True, kw_only=True)
class RationalOptions:
    """Exponentials by rational Krylov spaces.

    Parameters
    ----------
    stages
        Nodes of the polynomial that a step is kept as: with ten a step of heat is four times as long as with five, in a space of half as many functions more.
    steps
        Shifts are powers of `PLANE.nearby`, so that factors serve several step sizes, near the step size over this: spaces for all times up to a step are smallest with a shift of about a tenth of it.
    """

    stages: int = 2 * Options.stages
    steps: float = 1 / Options.minor

    @property
    def words(self) -> str:
        """For a report."""
        return f"exponentials, {self.stages} nodes"


@dataclass(frozen=True, kw_only=True)
class CornerOptions:
    """Singular exponents at corners of the plane.

    Parameters
    ----------
    points
        Chebyshev points along the angle less one, of two discretizations: eigenfunctions are smooth, and those of exponents below one have few oscillations.
    stiff
        κ of p = −κ div u in units of the viscosity: the exponents are then those of the flow to its inverse (`Rounding`).
    beside
        A number near all exponents that matter, and no exponent itself of any angle that is named often: eigenvalues are found around it.
    """

    points: tuple[int, int] = SCANS.wedge
    stiff: float = 1 / ROUNDING.small
    beside: float = SCANS.exponent


@dataclass(frozen=True, kw_only=True)
class SeriesOptions:
    """Series on boxes and exponential schemes.

    Parameters
    ----------
    finer
        Factor of the highest mode, or of the degree, where it is too low; its inverse, where it is higher than need be.
    spare
        The highest mode of a comparison solve beyond what tol asks for, half of the way to the next rung: other modes, and another grid.
    lengths
        Step sizes are 2^(j/n), so that matrices are made once for each: as far apart as it takes for new factors to be worth it (`Options.keep`).
    apart
        Condition of the eigenvectors of a small matrix below which functions of it are those of its eigenvalues, to what is left of a linear system (`Rounding`): five of sixteen digits are lost at the most.
    strict
        Tolerance above which single precision, and explicit stages between walls, serve: a hundredth of the budget of a step is then above the rounding of single precision.
    """

    finer: float = 1.3
    spare: float = math.sqrt(finer)
    lengths: int = round(math.log(2) / math.log(Options.keep))
    apart: float = ROUNDING.solved / sys.float_info.epsilon
    strict: float = SINGLE / (Options.coarsen * Options.time_share)

    def most(self, dimension: int) -> int:
        """The highest mode along each axis."""
        along = SCANS.axis if dimension == 1 else SAFEGUARDS.modes
        return min(along, round(SAFEGUARDS.numbers ** (1 / dimension) / 2))


@dataclass(frozen=True, kw_only=True)
class ShockOptions:
    """Conservation laws on cells.

    Parameters
    ----------
    courant
        Part of the greatest stable step that is taken.
    reach
        Cells that the fastest wave may cross in one step: narrow ones go along with what is steep.
    still
        Part of the fastest speed anywhere below which a wave does not come in: a wall is met weakly, and what is at rest there moves by an error.
    join_every, calm
        Steps after which cells are looked at that may be joined, and widths of volumes are chosen anew; part of the budget that data at the start may take.
    degrees
        Most coefficients per cell: explicit steps shrink with their square.
    rung
        The first tolerance where there are shocks is its square, an answer early; and factor by which a later attempt is stricter at the most: with shocks a digit costs ten times as much as the one before.
    least_volumes
        Fewest volumes of equal width of the first of two solves, in a box along the shortest axis: a comparison solve then has some cells more than three times those from which one is reconstructed.
        As many of the narrowest cells there are for all that waves have passed that come out of a jump of the data.
    pilot
        Times the tolerance at which the first pair of solves aims: a sixteenth of the cost, after which the number of volumes is known.
    volume_courant
        Part of a volume that the fastest wave crosses in a stable step: a quarter more, which a last step may take, is all of it.
    volume_steps
        Stable steps that are kept as one.
    volume_aim
        Part of the tolerance at which a later pair of solves aims: a little less than one, as a step does, since the estimate goes with the width.
    halvings
        Times that a cell of a box is halved for the integral of data that jump in it (`Safeguards`).
    """

    courant: float = Options.safety
    reach: float = 1.35
    still: float = Options.coarsen
    join_every: int = Options.join_every
    calm: float = Options.calm
    degrees: int = Options.fewest + Options.fewest
    rung: float = Options.minor
    least_volumes: int = 40
    pilot: float = Options.closer
    volume_courant: float = 0.8
    volume_steps: int = 2
    volume_aim: float = Options.safety
    halvings: int = SAFEGUARDS.jump_halvings

    @property
    def passed(self) -> int:
        """Narrowest volumes that the fastest wave crosses before widths are looked at again."""
        return math.ceil(self.join_every * self.volume_steps * self.volume_courant)


@dataclass(frozen=True, kw_only=True)
class ExactOptions:
    """Exponentials of linear equations that stay the same.

    Parameters
    ----------
    nodes
        Of the polynomial in time that a step is kept as: a wave takes about one for each radian, and three with seven.
    kept
        Part of the eigenfunctions, the slowest ones, that are those of the equation: polynomials of high degree take π to the wavelength, so that 2/π of them are waves.
    noise
        Part of the tolerance that rounding of eigenvectors may come to, and that is left out of the data where it is fast.
    """

    nodes: int = 40
    kept: float = 2 / math.pi
    noise: float = Options.minor * Options.time_share

    @property
    def words(self) -> str:
        """For a report."""
        return f"exponentials, {self.nodes} nodes"


@dataclass(frozen=True, kw_only=True)
class LinearOptions:
    """Linear integrations along a computed solution.

    Parameters
    ----------
    slack
        Tolerance of ∂u/∂p in units of that of u: on steps and cells of u its errors were a tenth to a thousandth of the tolerance of u.
    most
        See `Safeguards.times`.
    order
        Power of h with which the error of a step has to fall for a shorter one to be of use; rates that do not fit to the state at its start leave one of the first power.
    more
        Points per cell by which the space of an error is larger than that of its solution: with one more the error of a cell's last coefficients alone is seen.
    safety, apart
        Error that is claimed in units of the size of its field; ratio of this size and of the distance of a comparison solve from which they do not agree:
        2 % and a factor of 2 were usual in 40 solves, and the comparison has a quarter of the tolerance.
    stages
        Steps with more stages are cut into some with so many, until the last coefficients of these have vanished: the eigenvectors of Radau's matrix, by which
        stages are split, lose a digit for every two. As many as the strictest solve takes (`stages_for`).
    """

    slack: float = Options.closer
    most: int = SAFEGUARDS.times
    order: float = 1.5
    more: int = 2
    safety: float = 1.25
    apart: float = Options.closer
    stages: int = stages_for(ROUNDING.last)


@dataclass(frozen=True, kw_only=True)
class SteadyOptions:
    """Newton's method for steady states and what goes around it.

    Parameters
    ----------
    least_damping
        Damping factor below which the iteration has failed, and the shortest step along a path (`Safeguards`).
    slowest
        Rate of convergence of Newton's method from which it is none, halving would be as fast: small corrections are then rounding, and matrices of another solve are too far away.
    first_theta, rough
        Steps along a path: the first one, and how far Newton's method is taken before its end: two iterations more, which double the digits, end at precision.
    rest
        An integration is taken to rest where T‖u′‖/‖u‖ is below; time spans grow until it is. Distance from the end of the range, and speed, relative to the range, at which a branch that comes to its end ever
        more slowly is left.
    part
        Of the tolerance, to which an integration comes to rest that determines a constant by itself: twice it, the safety of every claim, is still a small part.
    beside
        Relative distance of the shift of Arnoldi's method from the number that is looked at, which may be an eigenvalue (`ScanOptions.same`).
    first_along, longest_along, few
        Steps along a branch in units of u and of the range of λ: the first and the longest one; they are doubled where Newton's method took few iterations.
    """

    least_damping: float = SAFEGUARDS.damping
    slowest: float = 1 / 2
    first_theta: float = Options.minor
    rough: float = math.sqrt(ROUNDING.root)
    rest: float = Options.coarsen
    part: float = Options.minor
    beside: float = ScanOptions.same
    first_along: float = Options.first_step
    longest_along: float = Options.minor
    few: int = COSTS.factors


@dataclass(frozen=True, kw_only=True)
class KeptOptions:
    """What is kept from solve to solve of a prepared problem.

    Parameters
    ----------
    recent
        From how many kept solves per parameter the next is interpolated, of how many the matrices are kept, and how many are taken to other cells and steps.
    degree, amplified
        Of the polynomial in the parameters that passes through kept solves, at most, and the largest sum of the absolute values of their weights: one digit is lost at the most.
    """

    recent: int = SAFEGUARDS.recent
    degree: int = SAFEGUARDS.parametric
    amplified: float = 1 / Options.minor


@dataclass(frozen=True, kw_only=True)
class EventOptions:
    """When something happens.

    Parameters
    ----------
    wider
        Factor by which an interval of time grows where it was not enough, as steps do: around an event that a comparison solve has, too; beyond an event; of an integration to rest.
    rough
        Tolerance at which an event is looked for first: three digits.
    longer, less
        Part of the time to an event that is solved beyond it, to begin with, and its factor where there was no solution so far: what happens before a blow-up is found so.
    """

    wider: float = Options.grow
    rough: float = Options.rough
    longer: float = Options.first_step
    less: float = Options.minor


SCAN, PAIRS = ScanOptions(), PairOptions()
LINEAR, STEADY, SERIES, SHOCKS = LinearOptions(), SteadyOptions(), SeriesOptions(), ShockOptions()
EXACT, RATIONAL = ExactOptions(), RationalOptions()
PLANE, CORNERS, EVENTS, KEPT = PlaneOptions(), CornerOptions(), EventOptions(), KeptOptions()
MOTION, FEATURES = MotionOptions(), FeatureOptions()
