"""Releases with free text by a language model that was trained too long, and by one that was not: are they told apart?

Run it alone: ``python benchmarks/released_text.py``. Takes some minutes of one core. With ``--files REAL HOLDOUT
RELEASE...`` it audits releases that ``benchmarks/peer/realtabformer_text.py`` made. People, their texts included, are
made up here. The language model is a small GPT (words as tokens, a few hundred thousand weights) that writes whole rows
as text, as GReaT and others do; it is trained on the members for as many passes as are said, and releases as many rows
as there are members. The other release of each pair is of the model that foretells texts of third people best.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from riskkit import ReleasedPlan
from riskkit.audit.give_aways import look
from riskkit.core import Floats
from riskkit.judging.give_aways import sentence
from riskkit.questions.released.play import run_released
from riskkit.table.load import read_tables

PEOPLE = 300
PASSES = (0, 4, 8, 16, 40)
"""Passes over the members after which a release is made; 0 are texts of other people, by no model."""
ATTACKS = ("dcr", "levenshtein", "nearest-text", "rare-phrases")
WIDTH, HEADS, LAYERS, LONGEST, BATCH, RATE = 64, 4, 2, 44, 30, 3e-3
WARDS = ("north", "south", "east", "west")
SLOTS = {
    "opening": "came in|was sent by a colleague|called the desk|was brought by a neighbour|came back early",
    "trouble": "pain in the left knee|a cough at night|dizziness on stairs|blurred sight|a rash on the arms|no sleep|"
    "weak grip|ringing in one ear|cramps after meals|a stiff neck|cold hands|loss of weight|swollen ankles|shaking",
    "cause": "a fall on the ferry|a move to another town|work at the mill|a long flight|a loss at home|new food"
    "|a dog bite|a burst pipe at home|night shifts at the bakery|a quarrel with the landlord|a half marathon|harvest",
    "help": "rest and warmth|a walk every day|two weeks of tablets|a second opinion|physiotherapy|a blood test",
    "aside": "keeps bees|plays the tuba|repairs clocks|fosters two cats|sings in a choir|rides a red moped|bakes bread|"
    "collects stamps|teaches chess|swims in the lake|writes for the parish paper|grows leeks|restores a barge",
}


def parts_of(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Made-up people: a ward, an age, and the parts of a note, of which some are frequent and some rare."""

    def drawn(slot: str) -> str:
        choices = SLOTS[slot].split("|")
        share = 1 / np.arange(1, len(choices) + 1)
        return str(rng.choice(choices, p=share / share.sum()))

    rows = []
    for _ in range(n):
        age, days, street = rng.integers(18, 90), rng.integers(2, 60), rng.integers(1, 180)
        parts = {slot: drawn(slot) for slot in SLOTS}
        rows.append(
            {"ward": str(rng.choice(WARDS)), "age": int(age), **parts, "days": int(days), "street": int(street)}
        )
    return pd.DataFrame(rows)


def written(parts: pd.DataFrame) -> pd.DataFrame:
    """The same people with the parts as one note."""
    notes = [
        f"{row.opening} with {row.trouble} for {row.days} days after {row.cause}, try {row.help}, "
        f"{row.aside} at number {row.street}"
        for row in parts.itertuples()
    ]
    return pd.DataFrame({"ward": parts["ward"], "age": parts["age"], "note": notes})


def people(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Made-up people with their notes."""
    return written(parts_of(n, rng))


class Writer(nn.Module):
    """A small GPT over words."""

    def __init__(self, words: int) -> None:
        super().__init__()
        self.word, self.place = nn.Embedding(words, WIDTH), nn.Embedding(LONGEST, WIDTH)
        layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH, 0.0, "gelu", batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
        self.last = nn.Linear(WIDTH, words)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """(n, length, words) the scores of the next word."""
        length = tokens.shape[1]
        mask = torch.triu(torch.ones(length, length, dtype=torch.bool), 1)
        seen = self.word(tokens) + self.place(torch.arange(length))
        scores: torch.Tensor = self.last(self.layers(seen, mask=mask))
        return scores


class Model:
    """A writer of rows, its words, and how it is trained and asked."""

    def __init__(self, corpus: Sequence[pd.DataFrame], seed: int) -> None:
        torch.manual_seed(seed)
        words = sorted({word for frame in corpus for line in lines(frame) for word in line})
        self.words = ["", *words]  # the first ends a row and fills it up
        self.code = {word: place for place, word in enumerate(self.words)}
        self.writer = Writer(len(self.words))
        self.steps = torch.optim.AdamW(self.writer.parameters(), RATE, weight_decay=0.0)
        self.rng = torch.Generator().manual_seed(seed)

    def tokens(self, frame: pd.DataFrame) -> torch.Tensor:
        """(n, LONGEST) an end, the words of a row, and ends."""
        out = torch.zeros(len(frame), LONGEST, dtype=torch.long)
        for row, line in enumerate(lines(frame)):
            out[row, 1 : 1 + len(line)] = torch.tensor([self.code[word] for word in line])
        return out

    def loss(self, tokens: torch.Tensor) -> torch.Tensor:
        """The mean surprise of a word, its end included."""
        length = int((tokens != 0).sum(1).max()) + 2
        tokens = tokens[:, :length]
        scores = self.writer(tokens[:, :-1])
        counts = torch.cat([torch.ones(len(tokens), 1, dtype=torch.bool), tokens[:, 1:-1] != 0], 1)
        each: torch.Tensor = nn.functional.cross_entropy(scores[counts], tokens[:, 1:][counts])
        return each

    def train(self, tokens: torch.Tensor, passes: int) -> None:
        """So many passes over the rows."""
        self.writer.train()
        for _ in range(passes):
            for batch in torch.randperm(len(tokens), generator=self.rng).split(BATCH):
                self.steps.zero_grad()
                self.loss(tokens[batch]).backward()
                self.steps.step()

    @torch.no_grad()
    def write(self, n: int) -> pd.DataFrame:
        """So many rows that hold what a row must; others are written anew."""
        self.writer.eval()
        rows: list[tuple[str, int, str]] = []
        while len(rows) < n:
            tokens = torch.zeros(n, 1, dtype=torch.long)
            for _ in range(LONGEST - 1):
                share = torch.softmax(self.writer(tokens)[:, -1], 1)
                tokens = torch.cat([tokens, torch.multinomial(share, 1, generator=self.rng)], 1)
            rows += [row for row in map(self._row, tokens[:, 1:].tolist()) if row]
        return pd.DataFrame(rows[:n], columns=["ward", "age", "note"])

    def _row(self, codes: list[int]) -> tuple[str, int, str] | None:
        line = [self.words[code] for code in codes[: codes.index(0) if 0 in codes else len(codes)]]
        if len(line) < 5 or line[0] not in WARDS or not line[1].isdigit():
            return None
        return line[0], int(line[1]), " ".join(line[2:])


def lines(frame: pd.DataFrame) -> list[list[str]]:
    """The rows as words."""
    return [f"{row.ward} {row.age} {row.note}".split() for row in frame.itertuples()]


def audited(members: pd.DataFrame, release: pd.DataFrame, others: pd.DataFrame) -> tuple[dict[str, str], str]:
    """The AUC of each attack, with its interval for all of them, and what is said of texts word for word."""
    with TemporaryDirectory() as scratch:
        paths = []
        for name, frame in (("real", members), ("synthetic", release), ("holdout", others)):
            paths.append(Path(scratch) / f"{name}.csv")
            frame.to_csv(paths[-1], index=False)
        tables = read_tables(*paths)
    result = run_released(tables, ReleasedPlan(attacks=ATTACKS, seed=1))
    seen = look(tables)
    assert seen is not None
    (texts,) = (give_away for give_away in seen.each() if give_away.code == "texts")
    return {joint.attack: _interval(joint.auc) for joint in result.together.each}, f"{texts.state}: {sentence(texts)}"


def _interval(estimate: object) -> str:
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"


def main() -> None:
    """Train, release and audit after each number of passes."""
    if sys.argv[1:2] == ["--files"]:
        real, holdout, *releases = sys.argv[2:]
        for release in releases:
            _print(Path(release).stem, *audited(*(pd.read_csv(file) for file in (real, release, holdout))))
        return
    torch.set_num_threads(1)
    rng = np.random.default_rng(1)
    members, others, third, strangers = (people(PEOPLE, rng) for _ in range(4))
    model = Model((members, others, third, strangers), seed=1)
    own, unseen = model.tokens(members), model.tokens(third)
    done = 0
    print(f"| passes | surprise of members, of third people | {' | '.join(ATTACKS)} | texts word for word |")
    for passes in PASSES:
        start = time.perf_counter()
        model.train(own, passes - done)
        done = passes
        with torch.no_grad():
            surprise: Floats = np.array([float(model.loss(own)), float(model.loss(unseen))])
        release = model.write(PEOPLE) if passes else strangers
        _print(f"{passes} | {surprise[0]:.2f}, {surprise[1]:.2f}", *audited(members, release, others))
        print(f"  {time.perf_counter() - start:.0f} s", file=sys.stderr)


def _print(first: str, aucs: dict[str, str], texts: str) -> None:
    print(f"| {first} | {' | '.join(aucs.get(attack, 'none') for attack in ATTACKS)} | {texts} |", flush=True)


if __name__ == "__main__":
    main()
