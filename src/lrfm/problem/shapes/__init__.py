# SPDX-License-Identifier: MIT
"""Domains of any shape: sets Ω = {x : inside} made of smooth pieces, with rules for points inside and on their boundary.

In: lengths, texts with inequalities, files. Out: points, weights, normals, names of parts. See `protocol` for what the rest of the
package asks of a domain; a `Box` answers the same questions.
"""

from lrfm.problem.shapes.known import (
    Annulus,
    Ball,
    Cylinder,
    Disk,
    Ellipse,
    Ellipsoid,
    HalfSpace,
    Polygon,
    Prism,
    Sector,
)
from lrfm.problem.shapes.protocol import BoundaryRule, Corner, Domain, Part, Rule
from lrfm.problem.shapes.region import Region
from lrfm.problem.shapes.shape import Shape

__all__ = [
    "Annulus",
    "Ball",
    "BoundaryRule",
    "Corner",
    "Cylinder",
    "Disk",
    "Domain",
    "Ellipse",
    "Ellipsoid",
    "HalfSpace",
    "Part",
    "Polygon",
    "Prism",
    "Region",
    "Rule",
    "Sector",
    "Shape",
]
