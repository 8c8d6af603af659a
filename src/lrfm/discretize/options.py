# SPDX-License-Identifier: MIT
"""Every number that the integrator and the adaptation of cells were given, with its meaning and source."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace


@dataclass(frozen=True, kw_only=True)
class Options:
    """Numbers of one integration; all errors are relative to the size of the unknown that they belong to.

    Parameters
    ----------
    tol
        The relative L² error over space and time that is aimed at.
    time_share, space_share
        Parts of it for the errors of steps and of cells. The embedded formula of Radau IIA overestimates smooth errors (it is of order K against 2K − 1), and
        the last coefficients of a cell overestimate what is left out by one factor of their decay.
    stages
        Of Radau IIA.
    safety, shrink, grow
        The usual factors of a step-size controller (Hairer, Wanner, Solving Ordinary Differential Equations II, IV.8).
    keep
        Growth of the step size that is not worth new factors (the same section).
    iterations, newton_share
        Of the simplified Newton method: how many are tried, and the part of the budget that is left to them.
    contraction
        Rate of convergence below which the matrix is used again in the next step (the same section, 0.001 there; matrices are cheaper here).
    deepest
        Depth of the smallest cells below their root.
    overshoot
        Space error in units of its budget up to which a step is kept and its cells are split afterwards; above, it is repeated on split cells. Waves keep what is
        left out for ever: with 4 a train of KdV at 4e-7 had an error of 6.7 tolerances.
    ahead
        Growth of the last coefficients of a cell during the next step that is reckoned with at the most: cells are split before a step is repeated for them.
    coarsen
        Part of the budget that joining two cells may cost: a tenth of a tenth, since a cell that is joined and split again has cost two regrids.
    calm
        What the last coefficients of joined cells count in the same measure: they have to be below a tenth of the budget.
    patience
        Rejections of one step in a row until the integration is stopped: a first step of 1e-15 of the time span on cells of the greatest depth needs 60.
    settled, most_steps, layer
        After so many steps no initial layer is left; an integration that would then need so many more, and has needed them for as many steps as a
        layer inside the time span takes, is stopped.
    floor
        Relative rounding error of a step, below which no budget is.
    smallest
        Size of an unknown, relative to the largest, that is told from zero.
    derived
        Rounding error of multipliers, such as a pressure, relative to the largest unknown: second derivatives of polynomials of degree 30 lose two digits.
    driven
        Part of what data make of an unknown at the most that counts as its size while it starts from nothing.
    most_cells
        Above so many cells are not split any more.
    first_step
        The first step is at most this part of the time span, if data do not say more.
    best_rate
        Rate of convergence that Newton's method is trusted with before it has shown one.
    join_every
        Steps after which cells are looked at that may be joined.
    worth_joining
        Cells are joined alone only where these are more than one in so many: a change of cells costs the matrices of a step.
    neighbor
        A cell beside one that is split is split, too, if it is wider by more than this: halves and quarters of one cell lie side by side, not halves and eighths.
    same_edge
        Distance of two edges, relative to the cell, below which they are the same one.
    ladder
        Ratio of two times at which what is left of an error is looked at: three per power of 512, each a solution with new factors.
    degrees_more, first_cells
        Of a comparison solve: coefficients per cell more than tol asks for; equal cells between two singular points to begin with.
    """

    tol: float
    time_share: float = 0.2
    space_share: float = 0.2
    stages: int = 5
    safety: float = 0.9
    shrink: float = 0.2
    grow: float = 6.0
    keep: float = 1.2
    iterations: int = 8
    newton_share: float = 0.1
    contraction: float = 0.1
    deepest: int = 34
    overshoot: float = 2.0
    ahead: float = 4.0
    coarsen: float = 0.01
    calm: float = 0.1
    patience: int = 80
    settled: int = 200
    most_steps: float = 1e5
    layer: int = 60
    floor: float = 1e-14
    smallest: float = 1e-9
    derived: float = 1e-12
    driven: float = 0.01
    most_cells: int = 4000
    first_step: float = 0.01
    best_rate: float = 1e-3
    join_every: int = 4
    worth_joining: int = 8
    neighbor: float = 1.5
    same_edge: float = 1e-6
    ladder: float = 8.0
    degrees_more: int = 0
    first_cells: int = 2

    @property
    def count(self) -> int:
        """Points per cell, k ≈ ln(1/tol)/1.5: with K ~ tol^(−1/k) cells at a cost of k^1.5 each, this k is the cheapest."""
        return self.points(0)

    def points(self, order: int) -> int:
        """The same for equations with derivatives in space up to some order m, which take m + 1 points at the least."""
        return max(4, order + 1, min(16, round(math.log(1 / self.tol) / 1.5))) + self.degrees_more

    @property
    def asked(self) -> float:
        """The tolerance of the first of two solves: a comparison is to differ from it by one degree, not by two."""
        return self.tol * (PAIRS.stricter if self.degrees_more else 1)

    @property
    def whatever_begun(self) -> Options:
        """The same numbers whatever the first step: what tells two kinds of solves apart."""
        return replace(self, first_step=1.0)

    def compared(self, begun: float = math.inf) -> Options:
        """The numbers of a comparison solve: the same rules, with a quarter of the tolerance, other degrees, cells and step sizes."""
        return self.compared_by(PAIRS.stricter, begun)

    def compared_by(self, factor: float, begun: float = math.inf) -> Options:
        """The same with another part of the tolerance; `begun` is the first step of the solve that is compared, as a part of the time span.

        A layer at the start that is thinner than the first step has an error like a root of that step, whatever the tolerance: the comparison begins with
        a step that is shorter by the factor of its tolerance, or both would share it (0.8 of the error of a needle that is switched on).
        """
        return replace(
            self,
            tol=self.tol / factor,
            degrees_more=1,
            first_cells=3,
            first_step=min(0.7 * self.first_step, begun / factor),
            grow=5.0,
        )

    def at_a_point(self) -> Options:
        """The numbers for ordinary equations, whose steps cost next to nothing: layers may be long, and stages many.

        Seven (order 13) from 1e-7 on: van der Pol's equation with mu = 1000 took 240 steps instead of 506 at 1e-8, in 0.75 of the time.
        """
        return replace(self, layer=20_000, stages=7 if self.tol <= 1e-7 else self.stages)


def stages_for(tol: float) -> int:
    """Stages of Radau IIA: five (order nine), and seven where steps of order nine would be too short.

    Two moving layers at 1e-3 with five instead of three: 0.59 of the time; Burgers' front at 1e-9 with seven instead of five: 0.62.
    """
    return 5 if tol > 3e-8 else 7


@dataclass(frozen=True, kw_only=True)
class ScanOptions:
    """How what is given is looked at: numbers that decide what is seen, not how accurate it is.

    Parameters
    ----------
    places
        Of the interval, and of the time span, at which functions are looked at: what is wider than a 4000th is seen in functions and tables; formulas are read.
    finer
        So many times more are looked at along the time span where data are functions or tables of the user, which name no singular times.
    most
        Singular points along one coordinate: as many as `lrfm.problem.landmarks` keeps of one part of a formula.
    apart
        Of two of them, relative to the interval: nearer ones are one, found twice by searches that end at the square root of rounding.
    rough
        Part of its range by which a function changes between two places of a scan where it is thin.
    near, jump
        Distance, relative to the interval, on which a jump is told from what is steep, by a difference that large, relative to the values.
    bisections
        Of that distance until two floating-point numbers are neighbors.
    along
        Places at which changes in time are looked at, beside the singular ones.
    visible
        Part of its range by which a function may differ from its polynomial on an interval of time: steps see the rest by their errors.
    deepest, most_intervals
        Halvings of the time span, and intervals of time; more is an oscillation, which the error of steps sees by itself.
    samples
        Points per interval of time.
    windows, vanishing
        Intervals around a place, each an eighth of the one before (the last is wider than the distance by which a search misses a kink), and the part of a function's coefficients that the last ones are of where it is smooth.
    overlap
        A step is at most so many times as long as an interval of time that it overlaps.
    """

    places: int = 4096
    finer: int = 16
    most: int = 24
    apart: float = 1e-9
    rough: float = 0.05
    near: float = 1e-8
    jump: float = 1e-3
    bisections: int = 60
    along: int = 9
    visible: float = 0.01
    deepest: int = 40
    most_intervals: int = 4096
    samples: int = 8
    windows: int = 7
    vanishing: float = 1e-6
    overlap: float = 4.0


@dataclass(frozen=True, kw_only=True)
class PointOptions:
    """How points of a cell are judged.

    Parameters
    ----------
    cells, phase
        Uneven ones on which the spectrum is computed, with widths 1 + sin(phase i)/2: no two are alike.
    finer
        How much narrower they are taken: waves that are short beside what is given, so that the highest derivatives decide.
    unstable
        Real part over the spectral radius from which points are refused: stable ones had at most 0.04, unstable ones 0.6 to 1.
    singular
        Condition of the mass matrix from which rates do not follow from the rows.
    """

    cells: int = 6
    phase: float = 2.4
    finer: float = 64.0
    unstable: float = 0.02
    singular: float = 1e12


@dataclass(frozen=True, kw_only=True)
class MotionOptions:
    """When and how cells move with what travels.

    Parameters
    ----------
    left
        Part of ‖u_t‖ that may be left along the motion: as for the frame of a soliton (`solver/frames.py`). Two layers of Burgers' equation leave 0.01 while they are apart, 0.2 where they merge.
    far
        Widths of a cell that it has to have before it to set out: on cells that stand still a layer takes a step per width, on those that move with it the whole way takes some twenty.
    stride
        Widths of a cell by which a step has to carry it to set out, for the same reason, while none is squeezed by more than `squeeze`; below one it stands still again. A pulse of FitzHugh and Nagumo on a
        short interval took 50 steps instead of 26 without that.
    smooth
        θ: a layer's speed is wrong by about this part, and what has less than this part of ∫ u_x² dx is not followed by itself.
    squeeze
        Change of the width of a cell in a step: the matrix of the middle of the step is that of all its stages, and Newton's rate of convergence is about the same number. Two layers took 28 steps, one
        repeated, with a fifth; 34, 24 repeated, with a half.
    """

    left: float = 0.3
    far: float = 20.0
    stride: float = 3.0
    smooth: float = 1e-3
    squeeze: float = 0.2


@dataclass(frozen=True, kw_only=True)
class StartOptions:
    """How a consistent start is found.

    Parameters
    ----------
    settle
        Part of the time span in which algebraic unknowns settle: an implicit Euler step in which others hardly move.
    soon
        Part of the time span in which what changes in conditions is looked at: a one-sided difference, exact to about its root.
    sweeps
        Of Newton's method.
    rungs
        Times at which the size of what starts from nothing is foreseen.
    """

    settle: float = 1e-7
    soon: float = 1e-6
    sweeps: int = 12
    rungs: int = 3


@dataclass(frozen=True, kw_only=True)
class PairOptions:
    """Pairs of a solve and its comparison.

    Parameters
    ----------
    most
        Pairs until the best is returned as it is.
    strictest
        Tolerance below which nothing is tried: rounding.
    stricter
        Factor between the tolerances of both: an error that is a quarter of the other one makes twice the difference 1.5 times the error.
    aim, guessed
        Part of what the last estimate asks for at which the next pair aims, and the least factor where the sizes of the unknowns were guessed.
    longer
        What a second pair is expected to take, in units of the first; a third one is foreseen by these two.
    fresh, instants
        Points at which the residual is looked at, and at how many times these are.
    parts
        In which an integration tells how far it is.
    looks
        Steps at which the ends of a solution are looked at.
    in_memory
        Bytes of the steps of one solve that are kept in memory, those beyond on the disk: half a gigabyte of two solves, so that flows in the plane stay below one.
    """

    most: int = 4
    strictest: float = 1e-14
    stricter: float = 4.0
    aim: float = 0.4
    guessed: float = 0.1
    longer: float = 3.0
    fresh: int = 512
    instants: int = 32
    parts: int = 100
    looks: int = 16
    in_memory: float = 2.5e8


@dataclass(frozen=True, kw_only=True)
class PlaneOptions:
    """Cells of the plane.

    Parameters
    ----------
    beside
        Distance, relative to the size of the domain, below which a curve lies on the side of a box: rounding, with room for that of formulas.
    looks, between
        Places along each direction by which surfaces in a box of space, and curves in its sides, are found; and the part of the range of values at its corners by which a function may go on in between.
    upright, leaning, eighths, edge_eighths, halvings
        The same as `steep` in space, where no axis has more than 1/√3 = 0.58 of the normal (1, 1, 1): with 0.3 one of ten cells of a ball missed ∮ φ n = ∫ ∇φ by 7e-3, with 0.4 by 9e-5; and for curves in the sides of boxes, where 0.4 took nine times the points for the same digits. Depth of eighths of a box in which a surface
        is no graph, of those at an edge of the domain, at which no depth helps, and of quarters of the sides of boxes.
    samples
        Intervals along the side of a box in which crossings are looked for; between two of them a parabola is.
    steep
        The least part of its normal along the axis in which a curve is taken as a graph, and Gauss points on it: nearer to where its slope is infinite they converge slowly (0.35 with seven points left 1e-6 of the area of a box).
    turn, short
        Of the segments of curves by which boxes find them: change of the normal, length in units of the box.
    quarters
        Depth of quarters of a box in which a curve is no graph; what is left then is a 1000th of it.
    small
        Part of its box below which a piece joins a neighbor: no cell is then much smaller than its box, whatever cuts it.
    points_more, points_more_space
        Points along each direction beyond the degree, in the plane and in space: Gauss' rule is exact for products with coefficients of degree five, or three, and converges as fast as they do.
    together
        Ratio of the numbers of points of cells that are handled together, with points of weight zero in between.
    degree_least, degree_least_space, degree_per_digit, degree_most, degree_undamped
        Degree of polynomials by the digits of tol: with n ~ tol^(−2/p) cells of p² functions and work (n p²)^1.5, the cheapest p grows like ln(1/tol). For the plate with
        17 holes at 1e-3 degree 5 cost less than 4, 6 and 8; waves, which need the same everywhere, take two more. In space, n ~ tol^(−3/p) cells of p³/6 functions and work n² p⁹ ask for one less.
    raised, raised_space
        Degrees that are added in space, where half the box size is eight times the cells, and for waves, whose boxes are all of one size; those are taken that need the fewest unknowns.
    first_boxes
        Root boxes along the longer side of the domain.
    shift, size
        Of the boxes of a comparison solve: their offset, in units of a box, and their size relative to those of the first.
    deepest
        Depth of the smallest boxes, which have 24 bits for their numbers along an axis.
    most_cells, most_cells_space
        Above so many cells are not split any more, in the plane and in space, where factors grow with the square of their number.
    scan, scan_space
        Places along each axis of the plane, and of space, at which given functions are looked at, beside points of cells and the places that formulas name.
    dividers
        Lines at most at which something given jumps: their sides number the regions of a box.
    regions
        Of a box at most, sides of lines and layers together: they have eight bits beside the number of the box.
    joins
        Part of the budget that the last coefficients of joined cells may come to, as their halves tell.
    factors
        How many are kept: those of three eigenvalues for two sizes of steps, or of real shifts from one to the 1000 times as large.
    nearby
        Ratio of two real shifts at which matrices are factored: with 16 GMRES takes 7 to 15 solutions, with 4 it took 6 to 10 and as many factors again.
    exactly, inexact, left, roughly, rate, krylov
        Relative residual of a solution by cycles that stands for one by factors; that of one by factors of another shift, at the least, and the part of what Newton's method may leave that it is else (a tenth, and a factor for solutions by factors of a shift that is 16 times as large, which are smaller by as much); that of one that only estimates an error; the rate of Newton's method that this is for linear rows; and its iterations at most: where they do not
        get there, which a positive pencil does in a dozen, the shift has factors of its own.
    served, solutions, cycles, few, called
        What decides between factors and iterations (`lrfm.linalg.multilevel`): solutions of steps for which a factorization serves, with the dozen solutions that each takes by GMRES, and
        iterations that each would take with cycles over degrees; both where two digits are enough; and what the calls of a cycle cost, in operations.
    same
        Relative difference up to which two numbers of a statement are the same: rounding of formulas, with room.
    """

    beside: float = 1e-11
    samples: int = 16
    steep: float = 0.6
    looks: int = 5
    between: float = 0.25
    upright: float = 0.4
    leaning: float = 0.3
    eighths: int = 5
    edge_eighths: int = 3
    halvings: int = 6
    turn: float = 0.4
    short: float = 0.5
    quarters: int = 10
    small: float = 0.3
    points_more: int = 3
    points_more_space: int = 2
    together: float = 1.25
    degree_least: int = 2
    degree_least_space: int = 1
    degree_per_digit: float = 1.0
    degree_most: int = 10
    degree_undamped: int = 3
    raised: tuple[int, ...] = (2, 1, 0)
    raised_space: tuple[int, ...] = (2, 1, 0)
    first_boxes: int = 2
    shift: float = 0.37
    size: float = 0.8
    deepest: int = 21
    most_cells: int = 20000
    most_cells_space: int = 4000
    scan: int = 48
    scan_space: int = 20
    dividers: int = 6
    regions: int = 256
    joins: float = 0.1
    factors: int = 6
    nearby: float = 16.0
    exactly: float = 1e-10
    inexact: float = 1e-6
    left: float = 0.005
    roughly: float = 1e-2
    rate: float = 1e-5
    krylov: int = 30
    served: int = 40
    solutions: int = 12
    cycles: int = 20
    few: int = 8
    called: float = 6e6
    same: float = 1e-8

    def degree(self, tol: float, more: int, dimension: int = 2) -> int:
        """Of polynomials for a tolerance."""
        least = self.degree_least if dimension == 2 else self.degree_least_space
        wanted = round(least + self.degree_per_digit * math.log10(1 / tol))
        return max(least + 2, min(self.degree_most, wanted)) + more


@dataclass(frozen=True, kw_only=True)
class RationalOptions:
    """Exponentials by rational Krylov spaces.

    Parameters
    ----------
    stages
        Nodes of the polynomial that a step is kept as: with ten a step of heat is four times as long as with five, in a space of half as many functions more.
    ratio, steps
        Shifts are powers of the first, so that factors serve several step sizes, near the step size over the second: spaces for all times up to a step are smallest with a shift of about a tenth of it.
    most
        Functions of a space; a step that needs more is too long.
    """

    stages: int = 10
    ratio: float = 16.0
    steps: float = 8.0
    most: int = 80

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
    same
        Distance of two exponents that are one and the same in both.
    stiff
        κ of p = −κ div u in units of the viscosity: the exponents are then those of the flow to its inverse.
    least
        Exponents below are taken for zero, which constants have.
    beside
        A number near all exponents that matter, and no exponent itself of any angle that is named often: eigenvalues are found around it.
    around, near
        Places around a point in which layers meet, as many as exponents that are tried, and their distance from it in units of the domain.
    """

    points: tuple[int, int] = (16, 22)
    same: float = 1e-3
    stiff: float = 1e5
    least: float = 0.05
    beside: float = 0.3717
    around: int = 720
    near: float = 1e-5


@dataclass(frozen=True, kw_only=True)
class SeriesOptions:
    """Series on boxes and exponential schemes.

    Parameters
    ----------
    first
        The highest mode along each axis, in units of `Options.first_cells`, to begin with.
    most
        The highest mode along each axis in one to five dimensions.
    most_polynomials
        The highest degree along an axis with walls: a dense matrix of that size per mode of the other axes.
    most_unknowns
        Of a box whose terms are all in one dense matrix: its factors take two seconds and 70 MB.
    own_factors
        Unknowns of such a box up to which complex factors cost less than a dozen solutions with real ones for every iteration.
    peclet
        Speed times the gap of the grid at a wall over diffusion up to which explicit stages carry something through it: of order four they are stable up to about that many radians per step, and implicit diffusion damps what is faster.
    sparing
        Modes of sines or cosines per polynomial from which these are taken although conditions allow the former: a mode costs a product there, a column here.
    iterations
        Of Newton's method with the matrices of the linear terms alone: what it leaves out is a contraction in steps that follow it.
    low, high
        Parts of the highest mode at which the two bands begin whose energies tell the decay: a third each, so that one wave in every third is seen.
    finer, coarser
        Factors of the highest mode where it is too low, and where it is higher than need be.
    spare
        The highest mode of a comparison solve beyond what tol asks for: other modes, and another grid.
    lengths
        Step sizes are 2^(j/n), so that matrices are made once for each.
    numbers_kept, least_kept
        Numbers per matrix times the step sizes whose matrices are kept, and the least of these.
    apart
        Condition of the eigenvectors of a small matrix below which functions of it are those of its eigenvalues: five of sixteen digits are lost at the most.
    random
        Places, beside those that formulas name, at which data are compared with their series.
    off, named
        Part of the largest value by which they may differ there, in tolerances; and what a difference at a place that formulas name counts beside the mean of random ones.
    short
        Modes up to which a series is so short that what is around its transforms costs more than they do.
    terms
        Of a polynomial of unknowns that is written as derivatives of simpler ones.
    order, additive_order
        Of the scheme whose error is controlled: exponential, and implicit-explicit; the latter's steps are kept as cubics.
    degree, strict_degree, strict
        Degree in time of what is kept of a step; above a tolerance, and below it.
    """

    first: int = 4
    most: tuple[int, ...] = (4096, 512, 96, 30, 12)
    most_polynomials: int = 160
    most_unknowns: int = 3000
    own_factors: int = 1000
    peclet: float = 4.0
    sparing: float = 4.0
    iterations: int = 16
    low: float = 1 / 3
    high: float = 2 / 3
    finer: float = 1.3
    coarser: float = 0.75
    spare: float = 1.1
    lengths: int = 4
    numbers_kept: float = 2e6
    least_kept: int = 6
    apart: float = 1e5
    random: int = 512
    off: float = 3.0
    named: float = 0.1
    short: int = 20_000
    terms: int = 400
    order: int = 4
    additive_order: int = 3
    degree: int = 4
    strict_degree: int = 6
    strict: float = 3e-5

    def degree_for(self, tol: float) -> int:
        """Degree in time of what is kept of a step at a tolerance."""
        return self.degree if tol > self.strict else self.strict_degree


@dataclass(frozen=True, kw_only=True)
class ShockOptions:
    """Conservation laws on cells.

    Parameters
    ----------
    courant
        Part of the greatest stable step that is taken.
    reach
        Cells that the fastest wave may cross in one step: cells beside a shock are as narrow as the one that holds it.
    between
        States between two at which the speed of a flux that is not quadratic is looked at.
    complex_root
        Cosine of an angle above which an eigenvalue is complex: rounding of double roots apart.
    smooth, rough
        Last coefficient and jumps at edges, relative to the variation in a cell, at which sub-cells begin to count, and from which they count alone:
        the last of four coefficients of a step is about a fifth of its variation, that of a resolved function a hundredth.
    visible
        Variation, in tolerances, below which nothing is a shock: what is resolved stays below `smooth` of it.
    width
        What a shock costs: part of (width of its cell) × (jump), found by comparison with exact solutions.
    beside, alone
        A cell with this part of the variation of so many cells on either side holds a shock.
    halvings
        Of the deviation from the mean until all of a cell is admissible.
    met
        Relative change at which conditions at an end are met.
    still
        Part of the fastest speed anywhere below which a wave does not come in: a wall is met weakly, and what is at rest there moves by an error.
    same
        Relative difference of two states that is rounding.
    seen
        Places at which the size of data is measured.
    seen_times
        Times at which values at the ends are looked at.
    join_every
        Steps after which cells are looked at that may be joined: a step moves a shock by a cell.
    relax_every, calm, around
        Steps after which cells of shocks are looked at that may be wider; part of the budget below which they and so many on either side are joined.
    degrees
        Most coefficients per cell: explicit steps shrink with their square.
    fewest, shocks
        Coefficients per cell down to this tolerance: where there are shocks narrow cells count, and cubics have longer steps than others.
    begin
        Part of the budget for jumps at the start, out of which several waves come that are in one cell at first.
    loose
        Tolerances of attempts where there are shocks, until the one that is asked for: an answer early, then a better one.
    rung
        Factor by which a later attempt is stricter at the most: with shocks a digit costs ten times as much as the one before.
    closer
        Part of the tolerance of a comparison solve, as with other cells: that of a shock is then at most half as wide, whatever halvings of cells allow.
    meets
        Times the time span in which characteristics meet: what steepens is taken for a shock before it is one.
    least_volumes, most_volumes
        Fewest and most volumes of equal width of the first of two solves: below, ends are a large part of all; above, steps that are kept take a gigabyte.
    pilot
        Times the tolerance at which the first pair of solves aims: a ninth of the cost, after which the number of volumes is known.
    volume_courant
        Part of a volume that the fastest wave crosses in a stable step.
    volume_steps
        Stable steps that are kept as one.
    most_fronts
        Most volumes of the first of two solves where something diffuses: explicit steps shrink with the square of the width.
    most_stages
        Of one explicit step for diffusion: four hundred times as long as an Euler step.
    degenerate
        Diffusion, relative to the largest of the data, that is taken for none.
    volume_aim
        Part of the tolerance at which a later pair of solves aims: a little less than one, since the estimate goes with the width.
    volume_rung
        Factor by which a later pair is stricter at the most.
    wider
        Width of cells in a comparison solve with volumes: no whole number, so that no edge of one is one of the other.
    """

    courant: float = 0.9
    reach: float = 1.35
    between: int = 3
    complex_root: float = 1.0 + 1e-6
    smooth: float = 0.03
    rough: float = 0.1
    visible: float = 3.0
    width: float = 0.05
    beside: int = 4
    alone: float = 0.2
    halvings: int = 12
    met: float = 1e-12
    still: float = 0.02
    same: float = 1e-13
    seen: int = 4097
    seen_times: int = 65
    join_every: int = 2
    relax_every: int = 16
    calm: float = 0.3
    around: int = 2
    degrees: int = 8
    fewest: int = 4
    shocks: float = 1e-4
    begin: float = 0.25
    loose: tuple[float, ...] = (1e-2, 1e-3)
    rung: float = 0.1
    closer: float = 4.0
    meets: float = 1.5
    least_volumes: int = 100
    most_volumes: int = 6000
    pilot: float = 3.0
    volume_courant: float = 0.8
    volume_steps: int = 2
    most_stages: int = 39
    degenerate: float = 1e-6
    most_fronts: int = 1500
    volume_aim: float = 0.7
    volume_rung: float = 0.04
    wider: float = 2.2


@dataclass(frozen=True, kw_only=True)
class ComplementarityOptions:
    """Equations of the form min(A, B) = 0.

    Parameters
    ----------
    iterations
        Of Newton's method in a stage: active sets move by whole cells, some at a time.
    met
        Relative change at which it ends: once sets stay, what is linear is exact.
    instant
        Part of the time span in which it is seen how fast something begins to move.
    least, most
        Fewest and most cells of the first of two solves.
    """

    iterations: int = 60
    met: float = 1e-10
    instant: float = 1e-4
    least: int = 50
    most: int = 4000


@dataclass(frozen=True, kw_only=True)
class ExactOptions:
    """Exponentials of linear equations that stay the same.

    Parameters
    ----------
    nodes
        Of the polynomial in time that a step is kept as: a wave takes about one for each radian, and three with seven.
    share
        Part of the tolerance for what eigenfunctions leave of the data: there is next to no other error.
    most
        Functions at most: eigenvectors of so many take a few seconds.
    fewer
        Factor by which a solve has fewer functions than its comparison, where as many are taken as there may be: what both leave out is not seen.
    kept
        Part of the eigenfunctions, the slowest ones, that are those of the equation: polynomials of high degree take π to the wavelength, so that 2/π of them are waves.
    finer
        Degrees grow by this factor until eigenfunctions hold the data.
    places
        At which what eigenfunctions of two degrees make of the data is compared, over the whole time.
    noise
        Part of the tolerance that rounding of eigenvectors may come to, and that is left out of the data where it is fast.
    least
        Part of the largest field that errors of a field are relative to at the least, at the start.
    steepest
        Exponent at which what grows is beyond all numbers.
    kinks
        Last coefficients of the rates at the start, relative to them, from which data have kinks, inside or where they contradict a condition: at most 0.01 without, at least 0.1 with kinks.
    """

    nodes: int = 40
    share: float = 0.5
    most: int = 1000
    fewer: float = 2.5
    kept: float = 0.6
    finer: float = 1.4
    places: int = 64
    noise: float = 0.02
    least: float = 0.01
    steepest: float = 300.0
    kinks: float = 0.03

    @property
    def words(self) -> str:
        """For a report."""
        return f"exponentials, {self.nodes} nodes"


@dataclass(frozen=True, kw_only=True)
class LinearOptions:
    """Linear integrations along a computed solution.

    Parameters
    ----------
    smallest
        Size of a component, relative to the largest of the same right-hand side, that is told from zero.
    iterations, reused
        How many are tried at one step, and up to how many the factors of the step before are taken again: a factorization costs about as much as three of them for one right-hand side.
    slack
        Tolerance of ∂u/∂p in units of that of u: on steps and cells of u its errors were a tenth to a thousandth of the tolerance of u.
    driven
        Part of u/p that counts as the size of ∂u/∂p while it starts from nothing, and of the component that moves most that counts as the size of another.
    noise
        Rounding errors of ∂u/∂p, relative to u/p: second derivatives on cells have so many digits less than u.
    per_mode
        Points of cells for each half wave of a function that drives ∂u/∂p: with fewer one wave is taken for another.
    shortest
        Part of a step of u that is not cut any more: a layer that ∂u/∂p has and u has not is resolved to a millionth of the time span.
    most
        Steps and cells of ∂u/∂p in units of those of u: an eighth mode from u = 0 took three times as many.
    order
        Power of h with which the error of a step has to fall for a shorter one to be of use; rates that do not fit to the state at its start leave one of the first power.
    single
        Part of the tolerance to which a statement is integrated without a comparison.
    met
        Gap between two cells at the start, relative to u, from which they do not meet: that of continuous functions is rounding there, and the accuracy of Newton's method later.
    more
        Points per cell by which the space of an error is larger than that of its solution: with one more the error of a cell's last coefficients alone is seen.
    known
        Part of the error to which its own equations are solved.
    safety, apart
        Error that is claimed in units of the size of its field; ratio of this size and of the distance of a comparison solve from which they do not agree:
        2 % and a factor of 2 were usual in 40 solves.
    rough
        Error of u, relative to u, from which an error that is linear in it is none.
    stages, vanishing
        Steps with more stages are cut into some with so many, until the last coefficients of these are such a part of the others: the eigenvectors of Radau's matrix, by which
        stages are split, lose a digit for every two.
    together
        Derivatives that are integrated together with u where all of them are unknowns of one statement: each adds two blocks to the matrices of a step, and u is shared.
    """

    smallest: float = 1e-9
    iterations: int = 40
    reused: int = 3
    slack: float = 4.0
    driven: float = 0.01
    noise: float = 1e-12
    per_mode: float = 2.0
    shortest: float = 1e-4
    most: int = 8
    order: float = 1.5
    single: float = 0.1
    met: float = 1e-11
    more: int = 2
    known: float = 1e-3
    safety: float = 1.25
    apart: float = 5.0
    rough: float = 0.1
    stages: int = 9
    vanishing: float = 1e-10
    together: int = 6


@dataclass(frozen=True, kw_only=True)
class SteadyOptions:
    """Newton's method for steady states and what goes around it.

    Parameters
    ----------
    iterations, most_total
        Of one Newton iteration, and of all along a path.
    least_damping, halving
        Damping factor below which the iteration has failed (Deuflhard's is 1e-4), and what it is multiplied by where the monotonicity test fails.
    rounding, stalled
        A correction below the first that is not smaller than the second times the one before it is rounding.
    first_theta, grow_theta, least_theta, rough
        Steps along a path: the first one, their growth, the shortest one, and how far Newton's method is taken before its end.
    refinements
        Rounds of splitting cells.
    null, coarse
        Singular values relative to the largest from which a linear statement is singular, and cells on which that is looked at.
    balance
        Part of what is given by which it may fail to balance: quadrature and rounding.
    largest, small
        Matrices up to this size are looked at by dense methods: where nothing else is known, and where Arnoldi's method could be used.
    corner
        Part of its own share to which a comparison solve resolves corners with r^α: two solves of nearly the same size there would agree by chance.
    most_unknowns
        Of modes: with more their cells are not split any more.
    nodes
        Gauss points per cell in the difference of two solves.
    rest, longer, settled
        A march is taken to rest where T‖u′‖/‖u‖ is below the first; time spans grow by the second until it is; a rest state differs from the
        end of the march by the third at most.
    marches
        How often a time span is lengthened.
    beside, spare
        Relative distance of the shift of Arnoldi's method from the number that is looked at, which may be an eigenvalue; and how many more are computed.
    difference, along, along_floor, corrections, bisections
        Along a branch: the step of a difference in λ, the part of the tolerance that is left to Newton's method and the least there is, its iterations, and
        bisections until a fold is found.
    at_end
        Distance from the end of the range, and speed, relative to the range, at which a branch that comes to its end ever more slowly is left.
    first_along, least_along, longest_along, grow_along, few
        Steps along a branch in units of u and of the range of λ: the first, the shortest and the longest one, and their growth where Newton's method
        took few iterations.
    digits
        Rounding of eigenvalues relative to the largest one that is looked at: two discretizations may agree by chance.
    near
        Relative distance of two eigenvalues that are one and the same in two discretizations; others have no error that could be told.
    """

    iterations: int = 40
    most_total: int = 600
    least_damping: float = 1e-4
    halving: float = 0.5
    rounding: float = 1e-7
    stalled: float = 0.25
    first_theta: float = 0.1
    grow_theta: float = 2.0
    least_theta: float = 1e-4
    rough: float = 1e-4
    refinements: int = 40
    null: float = 1e-11
    coarse: int = 3
    balance: float = 1e-8
    largest: int = 1200
    small: int = 300
    corner: float = 0.25
    most_unknowns: int = 60_000
    nodes: int = 20
    rest: float = 1e-2
    longer: float = 4.0
    settled: float = 0.3
    marches: int = 12
    beside: float = 1e-3
    spare: int = 4
    difference: float = 1e-5
    along: float = 1e-3
    along_floor: float = 1e-11
    corrections: int = 8
    bisections: int = 44
    at_end: float = 0.01
    first_along: float = 0.02
    least_along: float = 1e-6
    longest_along: float = 0.1
    grow_along: float = 1.5
    few: int = 3
    digits: float = 2e-12
    near: float = 0.05


@dataclass(frozen=True, kw_only=True)
class KeptOptions:
    """What is kept from solve to solve of a prepared problem.

    Parameters
    ----------
    iterations, slowest, linearized
        Of Newton's method with matrices of another solve, for all steps at once; above this rate of convergence new matrices are cheaper. Those of all steps cost as much
        as about ten iterations, and are made so often before the integrator is asked, which takes as long as five of them.
    runs, near_runs, matrices
        Of how many solves values are kept, from how many of them per parameter the next is interpolated, and of how many the matrices are kept.
    moved
        How many of the last values are taken to other cells and steps.
    degree, amplified
        Of the polynomial in the parameters that passes through kept solves, at most, and the largest sum of the absolute values of their weights.
    near
        Parameters that differ by less, relative to their size, are the same.
    numbers
        In the matrices of all steps of one solve: 100 MB of doubles.
    larger
        Cells and steps that serve several solves are at most so many times as many as the last one needs.
    """

    iterations: int = 8
    slowest: float = 0.4
    linearized: int = 4
    runs: int = 40
    near_runs: int = 8
    matrices: int = 8
    moved: int = 12
    degree: int = 6
    amplified: float = 20.0
    near: float = 1e-12
    numbers: float = 1.3e7
    larger: float = 2.0


@dataclass(frozen=True, kw_only=True)
class EventOptions:
    """When something happens.

    Parameters
    ----------
    times, inside
        Times at which signs are looked at, at the least, and how many of them are within each step: what happens and ends between two of them is not seen.
    root, noise
        Part of the time span to which a root is found, and relative error of a time below which two solves agree by chance.
    wider
        Factor by which the interval around a time grows in which a comparison solve has the same event.
    rough
        Tolerance at which an event is looked for first.
    longer, more, less, tries
        Part of the time to an event that is solved beyond it, to begin with; factors of that where it was not enough, and where there was no solution so
        far (what happens before a blow-up is found so); and how often that is done.
    places
        Of space, at which the rates of what comes to rest are looked at.
    closer
        Part of the tolerance to which what comes to rest is solved: at its end what is left to move is the tolerance itself, and is to be told from errors.
    """

    times: int = 101
    inside: int = 4
    root: float = 1e-14
    noise: float = 1e-11
    wider: float = 4.0
    rough: float = 1e-3
    longer: float = 2e-3
    more: float = 8.0
    less: float = 0.1
    tries: int = 6
    places: int = 256
    closer: float = 0.01


SCAN, POINTS, START, PAIRS = ScanOptions(), PointOptions(), StartOptions(), PairOptions()
LINEAR, STEADY, SERIES, SHOCKS = LinearOptions(), SteadyOptions(), SeriesOptions(), ShockOptions()
COMPLEMENTARITY, EXACT = ComplementarityOptions(), ExactOptions()
PLANE, CORNERS, EVENTS, KEPT = PlaneOptions(), CornerOptions(), EventOptions(), KeptOptions()
RATIONAL, MOTION = RationalOptions(), MotionOptions()
