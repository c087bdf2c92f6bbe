"""Blind ratings: continuations of several models in one shuffled sheet, and what the ratings say.

    python -m core.bundled.recipe.ratings sheet --to SHEET NAME=RESULTS [NAME=RESULTS ...]
    python -m core.bundled.recipe.ratings count SHEET RATED --to RATINGS.csv

RESULTS is a folder that `evaluate` wrote. SHEET gets sheet.txt, for the reader, and key.csv, which says whose text is whose. A line of
RATED is a number and a verdict. Rubric: `coherent` if people and things stay the same, causes hold, and sentences are whole (the last may
be cut); `wrong` if it is fluent but one of the first two fails; `garbled` if sentences are not English.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from random import Random

VERDICTS = ("coherent", "wrong", "garbled")
_COLUMNS = ["number", "model", "setting", "opening", "seed"]


def write_sheet(results: dict[str, Path], to: Path, seeds: int) -> None:
    """Shuffle the continuations of all models and write the sheet and its key."""
    texts = []
    for model, folder in results.items():
        for setting, written in json.loads((folder / "continuations.json").read_text()).items():
            texts += [(text, model, setting, number // seeds, number % seeds) for number, text in enumerate(written)]
    Random("sheet").shuffle(texts)
    to.mkdir(parents=True, exist_ok=True)
    (to / "sheet.txt").write_text("".join(f"=== {number} ===\n{text.strip()}\n\n" for number, (text, *_) in enumerate(texts)))
    with (to / "key.csv").open("w", newline="") as file:
        csv.writer(file).writerows([_COLUMNS, *([number, *origin] for number, (_, *origin) in enumerate(texts))])


def join(key: Path, rated: Path) -> list[dict[str, str]]:
    """Return the rows of the key with the verdict of each. ValueError if a text has none or an unknown one."""
    lines = (line.strip().partition(" ") for line in rated.read_text().splitlines())
    verdicts = {number: verdict.strip() for number, _, verdict in lines}
    rows = list(csv.DictReader(key.open(newline="")))
    for row in rows:
        row["verdict"] = verdicts.get(row["number"]) or "nothing"
        if row["verdict"] not in VERDICTS:
            raise ValueError(f"Text {row['number']} is rated {row['verdict']}; a verdict is one of {', '.join(VERDICTS)}.")
    return rows


def count(rows: Sequence[dict[str, str]]) -> dict[tuple[str, str], Counter[str]]:
    """Return how often each verdict was given, for each (model, setting)."""
    counts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for row in rows:
        counts[row["model"], row["setting"]][row["verdict"]] += 1
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["sheet", "count"])
    parser.add_argument("sources", nargs="+", help="NAME=RESULTS for a sheet; SHEET RATED to count")
    parser.add_argument("--to", type=Path, required=True, help="folder of the sheet, or file of the ratings")
    parser.add_argument("--seeds", type=int, default=4, help="texts for each opening")
    arguments = parser.parse_args()
    if arguments.what == "sheet":
        pairs = (source.split("=", 1) for source in arguments.sources)
        return write_sheet({name: Path(folder) for name, folder in pairs}, arguments.to, arguments.seeds)
    sheet, rated = map(Path, arguments.sources)
    rows = join(sheet / "key.csv", rated)
    with arguments.to.open("w", newline="") as file:
        writer = csv.DictWriter(file, [*_COLUMNS, "verdict"])
        writer.writeheader()
        writer.writerows(rows)
    for (model, setting), verdicts in sorted(count(rows).items()):
        print(f"| {model}, {setting} | " + "; ".join(f"{verdicts[name]} {name}" for name in VERDICTS) + " |")


if __name__ == "__main__":
    main()
