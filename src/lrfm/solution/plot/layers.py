# SPDX-License-Identifier: MIT
"""What is drawn of an unknown: u itself, or |ψ| and arg ψ, and log10|u - u_ref| or log10|e| on request."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from lrfm.solution.plot.look import NO_ERROR, Look, Scale, error_scale, phase_scale, symbol, value_scale

# Below this fraction of the largest modulus the phase is rounding noise, and is left blank.
_PHASELESS = 1e-10
_FAINT = 0.1  # and below this fraction of the largest one of its time it fades


@dataclass(frozen=True, kw_only=True)
class Layer:
    """Real values (t, x, y, ...), the rule that chooses colors for such values, and how opaque they are drawn, 0 to 1."""

    label: str
    values: np.ndarray
    rule: Callable[[np.ndarray], Scale] = value_scale
    opacity: np.ndarray | None = None

    @property
    def scale(self) -> Scale:
        """One scale for all times."""
        return self.rule(self.values)

    def colored(self, map: str | None) -> "Layer":
        """The same with another color map, errors and phases apart."""
        if map is None or self.rule is not value_scale:
            return self
        return replace(self, rule=lambda values: replace(value_scale(values), map=map))

    def each_time(self) -> "Layer":
        """Values relative to the largest one of their time."""
        if self.rule in (phase_scale, error_scale):
            return self
        sizes = np.nanmax(np.abs(self.values), axis=tuple(range(1, self.values.ndim)), keepdims=True)
        bare = self.label.strip("$")
        label = f"${bare}\\,/\\,\\max_{{\\mathrm{{each}}\\ t}}|{bare}|$"
        return replace(self, label=label, values=self.values / np.where(sizes > 0, sizes, 1.0))


def value_layers(name: str, values: np.ndarray) -> list[Layer]:
    """u for a real unknown; |ψ| and arg ψ for a complex one."""
    letter = symbol(name)
    if not np.iscomplexobj(values):
        return [Layer(label=f"${letter}$", values=values)]
    modulus = np.abs(values)
    largest = np.max(modulus, where=np.isfinite(modulus), initial=0.0)
    phase = np.where(modulus > _PHASELESS * largest, np.angle(values), np.nan)
    return [
        Layer(label=f"$|{letter}|$", values=modulus),
        Layer(label=f"$\\arg\\,{letter}$", values=phase, rule=phase_scale, opacity=_faded(modulus)),
    ]


def _faded(modulus: np.ndarray) -> np.ndarray:
    """min(1, |ψ| / (0.1 max_x |ψ|)), time by time: where ψ vanishes, its phase means nothing."""
    each = tuple(range(1, modulus.ndim))
    largest = np.max(modulus, axis=each, where=np.isfinite(modulus), initial=0.0, keepdims=True)
    share = modulus / np.where(largest > 0, _FAINT * largest, 1.0)
    return np.clip(np.nan_to_num(share, nan=0.0, posinf=1.0), 0.0, 1.0)


def dressed(layers: list[Layer], look: Look) -> list[Layer]:
    """The layers in the look that was asked for."""
    layers = [layer.colored(look.cmap) for layer in layers]
    return [layer.each_time() for layer in layers] if look.each else layers


def error_layer(name: str, values: np.ndarray, reference: np.ndarray) -> Layer:
    """log10|u - u_ref|, cut at 1e-17 where the difference is zero."""
    letter = symbol(name)
    logarithms = np.log10(np.maximum(np.abs(values - reference), NO_ERROR))
    label = f"$\\log_{{10}}|{letter} - {letter}^{{\\mathrm{{ref}}}}|$"
    return Layer(label=label, values=logarithms, rule=error_scale)


def estimate_layer(name: str, errors: np.ndarray) -> Layer:
    """log10|e| of the estimated error, where there is no known solution."""
    layer = error_layer(name, errors, np.zeros_like(errors))
    return replace(layer, label=f"$\\log_{{10}}|{symbol(name)} - {symbol(name)}_h|$, estimated")


def profile_parts(name: str, values: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """Curves of an unknown: (u), or (|ψ|, Re ψ, Im ψ)."""
    letter = symbol(name)
    if not np.iscomplexobj(values):
        return [(f"${letter}$", values)]
    return [
        (f"$|{letter}|$", np.abs(values)),
        (f"$\\mathrm{{Re}}\\,{letter}$", np.real(values)),
        (f"$\\mathrm{{Im}}\\,{letter}$", np.imag(values)),
    ]
