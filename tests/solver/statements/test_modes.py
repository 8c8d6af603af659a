# SPDX-License-Identifier: MIT
"""Charts for kinks, sums over products, and the mixing of iterates."""

import numpy as np

from lrfm.spaces.axes.product import apply


def test_products_of_real_and_complex_matrices_are_those_of_kronecker():
    rng = np.random.default_rng(3)
    matrices = [rng.normal(size=shape) for shape in ((4, 3), (2, 5), (6, 2))]
    whole = np.kron(np.kron(matrices[0], matrices[1]), matrices[2])
    values = rng.normal(size=(2, 7, 30)) + 1j * rng.normal(size=(2, 7, 30))
    assert np.allclose(apply(matrices, values), values @ whole.T)
    assert np.allclose(apply(matrices, values.real), values.real @ whole.T)
    turned = [matrices[0], matrices[1] * (1 + 2j), matrices[2]]
    assert np.allclose(apply(turned, values), values @ whole.T * (1 + 2j))
