# SPDX-License-Identifier: MIT
"""DeepXDE: a physics-informed network, tanh, Adam and then L-BFGS, in double precision, on the torch backend.

As in DeepXDE's own examples, with everything its documentation offers against the usual troubles: inputs scaled,
periodicity in the inputs, initial and zero boundary values in the output wherever they can be put there, double
precision so that L-BFGS does not stop early. The error is followed along the way, the clocks stopped meanwhile.
"""

import os
import sys
import time

os.environ["DDE_BACKEND"] = "pytorch"

import answer
import deepxde as dde
import numpy as np
import torch

dde.config.set_default_float("float64")
PI = np.pi
POINTS = 1500  # at which the answer is wanted, per time
WIDTH, LAYERS = 32, 4
LOOKS = 40  # at the answer along the way


def u_t(x, y, i=0):
    return dde.grad.jacobian(y, x, i=i, j=x.shape[1] - 1)


def u_x(x, y, i=0):
    return dde.grad.jacobian(y, x, i=i, j=0)


def second(x, y, axis=0, component=0):
    return dde.grad.hessian(y, x, component=component, i=axis, j=axis)


# Statements ---------------------------------------------------------------------------------------


class Statement:
    """A box and a time, the residual, and what the network gets and gives; the subclasses are the problems."""

    box, end, periodic, outputs = [(-1.0, 1.0)], 0.1, False, 1

    def residual(self, x, y):
        raise NotImplementedError

    def initial(self, x):
        return torch.sin(PI * x[:, :1])

    def inputs(self, x):
        """cos πx and sin πx for a periodic axis, [-1, 1] otherwise; time to [0, 1]."""
        time_ = x[:, -1:] / self.end
        if self.periodic:
            return torch.cat([torch.cos(PI * x[:, :1]), torch.sin(PI * x[:, :1]), time_], 1)
        scaled = [2 * (x[:, i : i + 1] - a) / (b - a) - 1 for i, (a, b) in enumerate(self.box)]
        return torch.cat([*scaled, time_], 1)

    def output(self, x, y):
        """u₀ + t/T · d · N with d zero where the boundary values are."""
        return self.initial(x) + x[:, -1:] / self.end * self.bubble(x) * y

    def bubble(self, x):
        return 1.0

    def conditions(self, domain):
        return []


class Heat(Statement):
    end = 0.25

    def residual(self, x, y):
        return u_t(x, y) - second(x, y)

    def bubble(self, x):
        return 1 - x[:, :1] ** 2


class Heat2D(Statement):
    box, end = [(0.0, 1.0), (0.0, 1.0)], 0.12

    def initial(self, x):
        return torch.sin(PI * x[:, :1]) * torch.sin(PI * x[:, 1:2])

    def residual(self, x, y):
        return u_t(x, y) - second(x, y) - second(x, y, axis=1)

    def bubble(self, x):
        return 16 * x[:, :1] * (1 - x[:, :1]) * x[:, 1:2] * (1 - x[:, 1:2])


class AllenCahn(Statement):
    periodic = True

    def initial(self, x):
        return 0.55 * torch.sin(PI * x[:, :1]) + 0.25 * torch.sin(2 * PI * x[:, :1])

    def residual(self, x, y):
        return u_t(x, y) - 1e-4 * second(x, y) + y**3 - y


class AllenCahnLong(AllenCahn):
    end = 2.0


class Burgers(Statement):
    periodic = True

    def initial(self, x):
        return -torch.sin(PI * x[:, :1])

    def residual(self, x, y):
        return u_t(x, y) + y * u_x(x, y) - 0.005 / PI * second(x, y)


class Multiscale(Statement):
    periodic = True

    def residual(self, x, y):
        t = x[:, -1:]
        source = sum((PI**2 - k) * torch.exp(-k * t) for k in (1.0, 100.0, 10000.0)) / 3
        return u_t(x, y) - second(x, y) - source * torch.sin(PI * x[:, :1])


class KdV(Statement):
    box, end = [(-8.0, 8.0)], 0.5

    @staticmethod
    def soliton(x, t):
        return 1 / np.cosh(np.sqrt(0.5) * (x + 3 - 2 * t)) ** 2

    def slope(self, x, t):
        return -np.sqrt(2.0) * self.soliton(x, t) * np.tanh(np.sqrt(0.5) * (x + 3 - 2 * t))

    def initial(self, x):
        return 1 / torch.cosh(np.sqrt(0.5) * (x[:, :1] + 3)) ** 2

    def residual(self, x, y):
        slope = u_x(x, y)
        third = dde.grad.hessian(slope, x, i=0, j=0)
        return u_t(x, y) + 6 * y * slope + third

    def conditions(self, domain):
        right = lambda x, on: on and np.isclose(x[0], 8.0)  # noqa: E731
        ends = dde.icbc.DirichletBC(domain, lambda x: self.soliton(x[:, :1], x[:, 1:]), lambda _, on: on)
        return [ends, dde.icbc.NeumannBC(domain, lambda x: self.slope(x[:, :1], x[:, 1:]), right)]


class NLS(Statement):
    """DeepXDE computes with real numbers, so real and imaginary part are two outputs, as in its own example."""

    box, end, outputs = [(-8.0, 8.0)], 0.4, 2

    def initial(self, x):
        envelope, phase = 1 / torch.cosh(x[:, :1] + 2), 0.5 * (x[:, :1] + 2)
        return torch.cat([envelope * torch.cos(phase), envelope * torch.sin(phase)], 1)

    def residual(self, x, y):
        a, b = y[:, :1], y[:, 1:]
        square = a**2 + b**2
        return [
            u_t(x, y, 0) + 0.5 * second(x, y, component=1) + square * b,
            u_t(x, y, 1) - 0.5 * second(x, y, component=0) - square * a,
        ]

    def conditions(self, domain):
        def part(turn):
            return lambda x: (
                turn(0.5 * (x[:, :1] + 2) + 0.375 * x[:, 1:]) / np.cosh(x[:, :1] + 2 - 0.5 * x[:, 1:])
            )

        return [
            dde.icbc.DirichletBC(domain, part(turn), lambda _, on: on, component=i)
            for i, turn in enumerate((np.cos, np.sin))
        ]


STATEMENTS = {
    "heat-1d": Heat,
    "allen-cahn": AllenCahn,
    "allen-cahn-long": AllenCahnLong,
    "burgers": Burgers,
    "kdv-consistent": KdV,
    "nls": NLS,
    "heat-2d": Heat2D,
    "multiscale-1d": Multiscale,
}


# Training -----------------------------------------------------------------------------------------


class Watch(dde.callbacks.Callback):
    """Looks at the answer now and then, with the clock stopped, and ends the training when its time is over."""

    def __init__(self, model, where, limit):
        super().__init__()
        self.points = np.column_stack([where[n] for n in (*(k for k in where if k != "t"), "t")])
        self.network, self.limit, self.began, self.paused = model, limit, time.perf_counter(), 0.0
        self.seconds, self.values, self.until = [], [], limit

    def elapsed(self):
        return time.perf_counter() - self.began - self.paused

    def check_deadline(self):
        now = time.perf_counter()
        self.seconds.append(self.elapsed())
        self.values.append(self.network.predict(self.points))
        self.paused += time.perf_counter() - now

    def on_epoch_end(self):
        if self.elapsed() > len(self.seconds) * self.limit / LOOKS:
            self.look()
        if self.elapsed() > self.until:
            self.model.stop_training = True


def build(statement, setting):
    if len(statement.box) == 1:
        space = dde.geometry.Interval(*statement.box[0])
    else:
        space = dde.geometry.Rectangle(*(list(c) for c in zip(*statement.box, strict=True)))
    domain = dde.geometry.GeometryXTime(space, dde.geometry.TimeDomain(0, statement.end))
    conditions = statement.conditions(domain)
    counts = {"num_domain": setting["points"], "num_boundary": 160 if conditions else 0}
    data = dde.data.TimePDE(domain, statement.residual, conditions, **counts)
    size = len(statement.box) + 1 + statement.periodic
    layers = [size, *[WIDTH] * LAYERS, statement.outputs]
    network = dde.nn.FNN(layers, "tanh", "Glorot normal")
    network.apply_feature_transform(statement.inputs)
    network.apply_output_transform(statement.output)
    return dde.Model(data, network)


def places(statement):
    """Random points in space, the same at each time."""
    rng, t = np.random.default_rng(1), answer.times(statement.end)
    where = {
        n: np.tile(a + (b - a) * rng.random(POINTS), len(t))
        for n, (a, b) in zip("xyz", statement.box, strict=False)
    }
    return where | {"t": np.repeat(t, POINTS)}


def train(statement, setting):
    """Adam for a third of the time, L-BFGS for the rest."""
    dde.config.set_random_seed(setting["seed"])
    model, where = build(statement, setting), places(statement)
    model.compile("adam", lr=1e-3)  # imports much of torch, so the clock of the solve starts after it
    watch = Watch(model, where, setting["seconds"])
    watch.until = setting["seconds"] / 3
    model.train(iterations=setting["adam"], callbacks=[watch], display_every=10**9, verbose=0)
    watch.until = setting["seconds"]
    model.stop_training = False
    # So that the watch is asked every 20 steps; the state of L-BFGS is kept.
    dde.optimizers.LBFGS_options.update(iter_per_step=20, fun_per_step=25)
    model.compile("L-BFGS")
    model.train(callbacks=[watch], display_every=10**9, verbose=0)
    watch.look()
    return where, watch


def main():
    name, setting, path, began = sys.argv[1:]
    statement, setting = STATEMENTS[name](), answer.json.loads(setting)
    where, watch = train(statement, setting)
    values = np.array(watch.values)
    values = values[..., 0] + 1j * values[..., 1] if statement.outputs == 2 else values[..., 0]
    # Everything before and between the looks: imports, building the model.
    started = time.time() - float(began) - (time.perf_counter() - watch.began)
    seconds = np.array(watch.seconds)
    answer.write(path, where, values, fresh=seconds + started, solve=seconds)


if __name__ == "__main__":
    main()
