# SPDX-License-Identifier: MIT
"""DeepXDE on the two inverse problems of its own documentation, with its own setting: networks, points, steps of Adam as published.

    python inverse_deepxde.py NAME DATA STATE SECONDS

NAME is diffusion or reaction, DATA an .npz with the places and values that lrfm is given too, STATE a file that is written after every thousand
steps and gone on from, SECONDS the CPU time after which this process ends. It prints one line: steps, CPU seconds so far, values.
"""

import json
import os
import sys
import time
from pathlib import Path

os.environ["DDE_BACKEND"] = "pytorch"

import deepxde as dde
import numpy as np
import torch

STEPS = {"diffusion": 50_000, "reaction": 80_000}
AT_ONCE = 1000


def on_boundary(_, on):
    return on


def diffusion(known):
    """C from ten values at the end; three layers of 32."""
    c = dde.Variable(2.0)

    def residual(x, y):
        source = torch.exp(-x[:, 1:]) * (1 - np.pi**2) * torch.sin(np.pi * x[:, :1])
        second = dde.grad.hessian(y, x, i=0, j=0)
        return dde.grad.jacobian(y, x, i=0, j=1) - c * second + source

    def exact(x):
        return np.sin(np.pi * x[:, :1]) * np.exp(-x[:, 1:])

    domain = dde.geometry.GeometryXTime(dde.geometry.Interval(-1, 1), dde.geometry.TimeDomain(0, 1))
    places = np.column_stack([known["x"], known["t"]])
    conditions = [
        dde.icbc.DirichletBC(domain, exact, on_boundary),
        dde.icbc.IC(domain, exact, on_boundary),
        dde.icbc.PointSetBC(places, known["u"][:, None], component=0),
    ]
    counts = {"num_domain": 40, "num_boundary": 20, "num_initial": 10}
    data = dde.data.TimePDE(domain, residual, conditions, anchors=places, **counts)
    network = dde.nn.FNN([2, 32, 32, 32, 1], "tanh", "Glorot uniform")
    return dde.Model(data, network), {"C": (c, 1.0)}


def reaction(known):
    """D and k of two fields; D in units of 1e-3, three layers of 20."""
    d, k = dde.Variable(1.0), dde.Variable(0.05)

    def residual(x, y):
        a, b = y[:, :1], y[:, 1:]
        rate = k * a * b**2
        parts = [
            dde.grad.jacobian(y, x, i=i, j=1) - 1e-3 * d * dde.grad.hessian(y, x, component=i, i=0, j=0)
            for i in (0, 1)
        ]
        return [parts[0] + rate, parts[1] + 2 * rate]

    domain = dde.geometry.GeometryXTime(dde.geometry.Interval(0, 1), dde.geometry.TimeDomain(0, 10))
    places = np.column_stack([known["x"], known["t"]])
    conditions = []
    for i, name in enumerate("ab"):
        conditions += [
            dde.icbc.DirichletBC(domain, lambda x: 1 - x[:, :1], on_boundary, component=i),
            dde.icbc.IC(domain, lambda x: np.exp(-20 * x[:, :1]), on_boundary, component=i),
            dde.icbc.PointSetBC(places, known[name][:, None], component=i),
        ]
    counts = {"num_domain": 2000, "num_boundary": 100, "num_initial": 100}
    data = dde.data.TimePDE(domain, residual, conditions, anchors=places, **counts)
    network = dde.nn.FNN([2, 20, 20, 20, 2], "tanh", "Glorot uniform")
    return dde.Model(data, network), {"D": (d, 1e-3), "k": (k, 1.0)}


def main():
    name, data, state, limit = sys.argv[1:]
    dde.config.set_random_seed(0)
    model, unknowns = {"diffusion": diffusion, "reaction": reaction}[name](np.load(data))
    variables = [v for v, _ in unknowns.values()]
    model.compile("adam", lr=1e-3, external_trainable_variables=variables, verbose=0)
    done, spent = 0, 0.0
    if Path(state).exists():
        kept = torch.load(state, weights_only=True)
        model.net.load_state_dict(kept["net"])
        model.opt.load_state_dict(kept["opt"])
        with torch.no_grad():
            for variable, value in zip(variables, kept["variables"], strict=True):
                variable.copy_(value)
        done, spent = kept["done"], kept["spent"]
    began = time.process_time()
    while done < STEPS[name] and time.process_time() - began < float(limit):
        before = time.process_time()
        model.train(iterations=AT_ONCE, display_every=10**9, verbose=0)
        done, spent = done + AT_ONCE, spent + time.process_time() - before
        kept = {
            "net": model.net.state_dict(), "opt": model.opt.state_dict(), "variables": [v.detach() for v in variables],
            "done": done, "spent": spent,
        }  # fmt: skip
        torch.save(kept, state)
    values = {key: factor * float(v.detach()) for key, (v, factor) in unknowns.items()}
    print(
        json.dumps(
            {"steps": done, "of": STEPS[name], "seconds": spent, "values": values, "version": dde.__version__}
        )
    )


if __name__ == "__main__":
    main()
