# SPDX-License-Identifier: MIT
"""Lines on global functions: u(x, t) = Σ_m a_m(t) ψ_m(x), features in space, implicit collocation in time.

`form` reads a statement as rows in y and y′; `choice` draws the functions ψ for what is known of the solution; `system` projects the rows on
them; `stages` and `newton` solve a step; `march` integrates from step to step; `attempts` makes pairs of realizations until they agree.

Words beside those of docs/design.md:

    basis           orthonormal functions ψ of space, made from random features of each axis; in boxes products of them
    chart           the coordinate map along an axis in which features are written: affine, periodic, cosine, or adapted to what is steep
    mode            one term of the Chebyshev or Fourier series of a function in its chart; their number is the resolution
    chooser         the space adapter: it draws bases, one kind in boxes and another in regions (`protocols.Chooses`)
    redraw          a regrid: a new basis for the same step, drawn for what the step showed
    draw            a realization: one random choice of features and points, made from the seed, and the integration with it
    rate            the time derivative of a component; the unknowns of a step are rates
    test            a function with which a row is projected; tests leave out as many directions as there are conditions
    leap            an exponential step: a stretch of time, all that is left if possible, crossed at once by linear equations that stay the same
    even leap       one on functions of uniform resolution, for kinks and pulses that travel
    generator       the matrix G of q' = G q + f: such equations on a basis, with their conditions solved for
    functional      a mean or a value at a place that stands in a row: a field with a row of its own, m − e = 0
    flat            a spatially constant unknown along some axis: a functional, an unknown of time alone
    undetermined    what no row feels of an algebraic unknown: a constant in a pressure; fixed by the smallest norm (its gauge)
    known           a warm start: charts, modes and first step of a nearby solution (`start=`)
    frame           coordinates that move along with what travels on a circle: x − c(t − t₀)
    misfit          initial projection error: relative distance of the solution at the start from the given data; it counts by what lives on of it
    lasting         damping time of modes that a basis does not resolve
    reach           T‖u_t‖ of what starts from nothing: its error weight as long as it is smaller; what stays below a hundredth of the largest is drowned
    pace            step limiter: how far a step may reach before data begin to change fast
    region          a domain that is no box, on which functions are of all coordinates at once, in families of one kind each
    motion          x = c(t) + s(t) ξ of a domain that moves as a whole, and the reference domain of ξ, which stays
    trace           what conditions make of functions on the boundary; functions without a trace are tests of the equations
    natural         a condition on the slope along the normal that an equation tested by parts imposes by itself
    wall, layer     a part whose condition the data contradict, and what opens beside it at the start: functions e^(−κd) hold it
    pilot           of a region: the data and two first steps on a basis, before anything is integrated
"""
