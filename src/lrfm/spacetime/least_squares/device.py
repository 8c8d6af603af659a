# SPDX-License-Identifier: MIT
"""QR of a matrix on a device of PyTorch, [ρI; A] = Q [R; 0], by PyTorch's own Householder QR: MKL on a CPU, CUDA's there.

Only the triangle, n × n, and vectors come back to NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lrfm.spacetime.least_squares.backends import Array, Torch, backend_of


@dataclass(frozen=True)
class DeviceReflections:
    """Q in LAPACK's compact form, on the device."""

    packed: Array
    tau: Array

    def transposed(self, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Qᵀ[0; b], upper and lower part, for b of shape (m,) or (m, k)."""
        height, n = self.packed.shape
        xp = _backend(self.packed)
        stacked = np.zeros((height, *b.shape[1:]))
        stacked[n:] = b
        columns = xp.asarray(stacked.reshape(height, -1))
        z = xp.to_numpy(xp.torch.ormqr(self.packed, self.tau, columns, transpose=True)).reshape(stacked.shape)
        return z[:n], z[n:]


def _backend(array: Array) -> Torch:
    found = backend_of(array)
    assert isinstance(found, Torch)
    return found


def factor(A: Array, ridge: float) -> tuple[DeviceReflections, np.ndarray]:
    """Q of [ρI; A] on the device, and Rᵀ, column-major, in NumPy."""
    m, n = A.shape
    xp = _backend(A)
    stacked = xp.zeros((n, n + m)).T
    stacked[:n].fill_diagonal_(ridge)
    stacked[n:] = A
    packed, tau = xp.torch.geqrf(stacked)
    return DeviceReflections(packed, tau), np.asfortranarray(xp.to_numpy(packed[:n].triu()).T)


def column_norms(A: Array) -> np.ndarray:
    """‖a_j‖ as a NumPy vector."""
    xp = _backend(A)
    return xp.to_numpy(xp.torch.linalg.vector_norm(A, dim=0))
