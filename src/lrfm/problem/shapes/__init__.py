# SPDX-License-Identifier: MIT
"""Domains of any shape: sets Ω = {x : inside} made of smooth pieces, with rules for points inside and on their boundary.

In: lengths, texts with inequalities, files. Out: points, weights, normals, names of parts. See `protocol` for what the rest of the
package asks of a domain; a `Box` answers the same questions. Nothing is imported here: a statement on a box loads no geometry.
"""
