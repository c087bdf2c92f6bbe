"""Stories for the n-gram model and its measure, from the pieces of the corpus: `python -m core.bundled.recipe.stories_text`.

The stories are those of the world that the storyteller learnt from, which the app does not import.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

from core.bundled.recipe.world.tell import story

FOLDER = Path(__file__).parents[1] / "stories"
STORIES = {"stories.txt": 400, "held_out.txt": 12}


def main() -> None:
    """Write both files. Stories are separated by blank lines, so paragraphs within a story are joined."""
    FOLDER.mkdir(exist_ok=True)
    for name, count in STORIES.items():
        rng = Random(f"n-grams/{name}")
        texts = (" ".join(story(rng).text.split()) for _each in range(count))
        (FOLDER / name).write_text("\n\n".join(texts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
