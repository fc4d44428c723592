"""Logistic regression with a penalty, by Newton's method."""

import math
from typing import Any, TypeAlias

import numpy as np

# NumPy arrays of float64; a matrix has one row for each example.
Matrix: TypeAlias = "np.ndarray[Any, Any]"
Vector: TypeAlias = "np.ndarray[Any, Any]"

STEPS = 25


def solve(x: Matrix, y: Vector, penalty: float, counts: "Vector | None" = None) -> Vector:
    """The intercept, then the weights, of a logistic regression, by Newton's method with halved steps.

    `counts` is the weight of each row; without it every row has the weight 1.
    """
    counts = np.ones(len(x)) if counts is None else counts
    x = np.c_[np.ones(len(x)), x]
    ridge = np.full(x.shape[1], penalty)
    ridge[0] = 1e-6
    found = np.zeros(x.shape[1])
    found[0] = math.log(y.mean() / (1 - y.mean()))

    def loss(weights: Vector) -> float:
        z = x @ weights
        return float((counts * (np.logaddexp(0, z) - y * z)).sum() + 0.5 * (ridge * weights * weights).sum())

    reached = loss(found)
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(x @ found, -30, 30)))
        curvature = (x * (counts * chance * (1 - chance) + 1e-9)[:, None]).T @ x + np.diag(ridge)
        step = np.linalg.solve(curvature, x.T @ (counts * (y - chance)) - ridge * found)
        while np.abs(step).max() > 1e-9 and loss(found + step) > reached:
            step /= 2
        found = found + step
        before, reached = reached, loss(found)
        if before - reached < 1e-6 * abs(before):
            break
    return found
