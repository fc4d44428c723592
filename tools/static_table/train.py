"""Trains a row for each piece, so that the sum of a text's rows has the direction of the teacher's vector of the text.

First the rows are fitted to the teacher's vectors. They start as the teacher's vectors of the pieces, weighted as in
smooth inverse frequency (Arora, Liang, Ma 2017). Then a copy of these rows is trained to tell the text of a heading
from the texts of other headings (InfoNCE: van den Oord, Li, Vinyals 2018). The mean of both tables is better than each
of them.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn.functional import cross_entropy, embedding_bag, normalize

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Training makes the first 64, 128 and 256 columns of the rows useful on their own. The package has the first 128.
WIDTHS = (64, 128, 256)
SIF = 1e-3
BATCH = 1_024
RATE = 2e-3
REGRESSION_EPOCHS = 4
CONTRAST_EPOCHS = 2
TEMPERATURE = 0.05
PCA_TEXTS = 40_000
MIN_COUNT = 4


class Bags:
    """The pieces of many texts, in one array."""

    def __init__(self, texts: Sequence[Sequence[int]]) -> None:
        """Store the pieces of all texts in one array."""
        self.lengths = np.array([len(text) for text in texts])
        self._ends = np.array(list(accumulate(self.lengths)))
        self.pieces = np.array([piece for text in texts for piece in text])

    def sums(self, rows: torch.Tensor, numbers: np.ndarray) -> torch.Tensor:
        """For each of the texts at the positions `numbers`, the sum of the rows of its pieces."""
        lengths = self.lengths[numbers]
        offsets = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        begins = self._ends[numbers] - lengths
        places = np.arange(lengths.sum()) + np.repeat(begins - offsets, lengths)
        return embedding_bag(torch.from_numpy(self.pieces[places]), rows, torch.from_numpy(offsets), mode="sum")


def start_rows(piece_vectors: np.ndarray, counts: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """The teacher's vectors of the pieces on the given axes; the vectors of frequent pieces are shortened."""
    frequencies = (counts + 1) / (counts + 1).sum()
    centred = (piece_vectors - piece_vectors.mean(0)) @ axes
    return (centred * (SIF / (SIF + frequencies))[:, None]).astype(np.float32)


def main_axes(vectors: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The mean vector, and the first principal axes as columns."""
    some = vectors[:PCA_TEXTS].astype(np.float64)
    mean = some.mean(0)
    _, axes = np.linalg.eigh(np.cov((some - mean).T))
    return mean.astype(np.float32), axes[:, ::-1][:, :count].astype(np.float32)


def fit_to_teacher(rows: np.ndarray, texts: Bags, vectors: np.ndarray) -> np.ndarray:
    """Train rows whose sums have large cosines with the teacher's vectors, which are projected on their first axes."""
    mean, axes = main_axes(vectors, max(WIDTHS))
    targets = torch.from_numpy((vectors.astype(np.float32) - mean) @ axes)

    def loss(rows: torch.Tensor, numbers: np.ndarray) -> torch.Tensor:
        sums = texts.sums(rows, numbers)
        wanted = targets[numbers]
        cosines = [(normalize(sums[:, :width]) * normalize(wanted[:, :width])).sum(1).mean() for width in WIDTHS]
        return len(WIDTHS) - torch.stack(cosines).sum()

    return _descend(rows, np.flatnonzero(texts.lengths >= 2), loss, REGRESSION_EPOCHS, warm_up=50)


def tell_apart(rows: np.ndarray, headings: Bags, texts: Bags) -> np.ndarray:
    """Train the rows so that each heading is closest to its own text within a batch, and each text to its heading."""

    def loss(rows: torch.Tensor, numbers: np.ndarray) -> torch.Tensor:
        above, below = headings.sums(rows, numbers), texts.sums(rows, numbers)
        same = torch.arange(len(numbers))
        losses = []
        for width in WIDTHS:
            cosines = normalize(above[:, :width]) @ normalize(below[:, :width]).T / TEMPERATURE
            losses.append((cross_entropy(cosines, same) + cross_entropy(cosines.T, same)) / 2)
        return torch.stack(losses).sum()

    numbers = np.flatnonzero((headings.lengths >= 1) & (texts.lengths >= 3))
    return _descend(rows, numbers, loss, CONTRAST_EPOCHS, warm_up=30)


def mean_length_one(rows: np.ndarray) -> np.ndarray:
    """The rows scaled so that their mean length is 1."""
    return rows / np.linalg.norm(rows, axis=1).mean()


def _descend(
    rows: np.ndarray,
    numbers: np.ndarray,
    loss: Callable[[torch.Tensor, np.ndarray], torch.Tensor],
    epochs: int,
    warm_up: int,
) -> np.ndarray:
    """Minimise a loss over shuffled batches with Adam; the learning rate rises, then falls almost to zero."""
    torch.set_num_threads(1)
    generator = np.random.default_rng(0)
    numbers = numbers.copy()
    table = torch.nn.Parameter(torch.from_numpy(mean_length_one(rows)))
    descent = torch.optim.Adam([table], lr=RATE)
    batches = len(numbers) // BATCH
    for epoch in range(epochs):
        generator.shuffle(numbers)
        total = 0.0
        for batch in range(batches):
            step = epoch * batches + batch
            rate = RATE * min(1, (step + 1) / warm_up) * max(0.02, 1 - step / (epochs * batches))
            descent.param_groups[0]["lr"] = rate
            value = loss(table, numbers[batch * BATCH : (batch + 1) * BATCH])
            descent.zero_grad()
            value.backward()
            descent.step()
            total += value.item()
        print(f"epoch {epoch + 1} of {epochs}: mean loss {total / batches:.4f}", flush=True)
    return table.detach().numpy()
