"""Real prose: a folder of plain text files, cut into documents of the size of a lesson, with books that nobody trains on.

In a file whose name begins with `tinystories` a single line break parts two stories; in every other file blank lines part the pieces, and
line breaks the paragraphs. A folder may hold folders (`books/list.tsv` names the books of each author and how long they are). Three kinds
are drawn by share: simple modern stories, tales, novels. There are few simple stories and they come up often, so each time other people
live through them, in other words: none is learned by heart. And most begin with a girl or a boy, as if nobody else had stories; so foxes,
kings and bakers live through them too.

Held out for the examination, whatever the seed: the two books of `HELD_OUT_BOOKS`, and the sixty storybooks with the smallest checksums.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from random import Random

from core.experiments.questions.grammar import article, expand
from core.experiments.questions.words import BOYS, CHILDREN, CREATURES, FOODS, GIRLS, JOBS, SKILLS, TRAITS
from core.training.decency import hurtful
from core.training.lessons.retell import vary

HELD_OUT_BOOKS = ("The Railway Children", "Treasure Island")
HELD_OUT_STORYBOOKS = 60
# For grown-ups, in heavy dialect, or plays: no books for children, though they stand among them.
_LEFT_OUT = """Vagabondia1884|Through One Administration|The Shuttle|T. Tembarom|The Head of the House of Coombe|Robin|Lodusky
Theo: A Sprightly Love Story|Miss Crespigny|That Lass O' Lowrie's1877|Louisiana|One Day At Arle|The Pretty Sister Of José1889
A Fair Barbarian|In the Closed Room|Behind a Mask; or, a Woman's Power|The Mysterious Key and What It Opened|Man and Maid
The Abbot's Ghost, or Maurice Treherne's Temptation: A Christmas Story|In Homespun|The Prophet's Mantle|Lays and Legends
Comic TragediesWritten by 'Jo' and 'Meg' and Acted by The 'Little Women'|The Fate of a Crown|Daughters of Destiny
Death at the Excelsior, and Other Stories|The Gem Collector|The Disagreeable Woman: A Social Mystery""".replace("\n", "|").split("|")
# Share of the prose tokens by kind, and how much more or less often a file is read than its size would have it.
SHARES = {"simple": 0.26, "tale": 0.46, "novel": 0.28}
OTHER_HEROES = 0.4  # share of the simple stories
_SIMPLE = ("tinystories", "storybooks", "potter", "gutenberg_velveteen")
_NOVELS = {"alcott": 1.0, "alger": 0.6, "burnett": 0.8, "montgomery": 0.8, "wodehouse": 0.4, "stevenson": 1.0}
_OFTEN = {
    "baum": 0.4,
    "nesbit": 0.8,
    "lang": 0.8,
    "fairytales": 2.0,
    "gutenberg_grimm": 2.0,
    "gutenberg_andersen": 2.0,
    "wilde": 2.0,
    "storybooks": 1.3,
}

_LONGEST = 1750  # characters: about 512 tokens
_SHORTEST = 120
_PATCHWORK = 800
# One spelling for the whole small world: the lessons write "colour".
_SPELLING = {
    "color": "colour",
    "Color": "Colour",
    "favorite": "favourite",
    "Favorite": "Favourite",
    "neighbor": "neighbour",
    " gray": " grey",
}
# Some stories of the sample lost their quotation marks to an encoding: aHello there!a
_BROKEN_QUOTE = re.compile(r"\ba[A-Z]|[.,!?]a\b")
# Not for children: simple stories that end with somebody dead.
_DARK = re.compile(r"\b(die[sd]?|dead|death|dying|blood\w*|too late)\b")
# What a printer put before the tale.
_PRINTED = re.compile(
    r"rights reserved|copyright|published|transcribed|university press|author of|illustrat|gutenberg|e-text|chapter|\[|_|https?:",
    re.IGNORECASE,
)
_GIRLS = """Lily Anna Mia Sara Lucy Molly Sarah Jane Lila Sue Jill Daisy Sally Mary Amy Jenny Emma Jen Grace Sophie Lulu Emily Ella Lola
Kate Rachel Polly Claire Annie Nora Rita Alice Bella Ruby Lilly Milly Millie Suzy Susie Linda Chloe Becky Betty Maisy""".split()
_BOYS = """Ben Tom Timmy Jack Tim Sam Max Bob John Tommy Joe Jimmy Billy Andy Benny James Jake Jim George Oliver Charlie Peter Henry Danny
Ted Leo Frank Thomas Bill Paul Mike Bruce Dave Freddy Gary Pete Tony Joey Josh Jerry""".split()
_NAMES = re.compile(rf"\b({'|'.join(_GIRLS + _BOYS)})\b")
_HEROES = {*CREATURES, *CHILDREN, *"king queen princess prince farmer fairy witch giant teacher train car tree".split()}
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])|(?<=[.!?][\"'])\s+(?=[A-Z\"'])|\n\n")
# So many stories begin so that nothing else could: mostly they are picked up later.
_USUAL = re.compile(
    r"(?:Once upon a time,?|Once|One day,?) (?:there (?:was|lived)|in .{,30}there (?:was|lived))?\s*a (?:\w+ )?(?:girl|boy)\b"
)
# A story of one girl or boy, named in its first sentence.
_HERO = re.compile(
    r"(?P<opening>(?:Once upon a time|Once|One day),?(?: in [^,.]{,30},)? there (?:was|lived) an? )(?P<trait>\w+ )?(?P<child>girl|boy) "
    r"(?:named|called) (?P<name>[A-Z][a-z]+)\b(?P<rest>[^.!?]*)\."
)
_STORY_BREAK = re.compile(r"(?<!\n)\n(?!\n)")


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive prose. whole: it ends where its story ends."""

    text: str
    whole: bool = False


class Corpus:
    """Prose to draw from, by kind, and `held_out`: title to prose that is only for the examination. No folder (None) is empty."""

    def __init__(self, folder: Path | None) -> None:
        self.pieces: dict[str, list[Piece]] = {kind: [] for kind in SHARES}
        self._weights: dict[str, list[float]] = {kind: [] for kind in SHARES}
        self.held_out: dict[str, list[str]] = {}
        for path in sorted(folder.rglob("*.txt")) if folder else []:
            text = path.read_text(encoding="utf-8").replace("\r", "")
            kind = "simple" if path.stem.startswith(_SIMPLE) else "novel" if path.stem in _NOVELS else "tale"
            weight = _NOVELS.get(path.stem, _OFTEN.get(path.stem, 1.0))
            for piece in self._read(path, text):
                self.pieces[kind].append(piece)
                self._weights[kind].append(weight * len(piece.text))
        self._cumulated = {kind: list(accumulate(weights)) for kind, weights in self._weights.items()}
        self._with_hero = [piece for piece in self.pieces["simple"] if piece.whole and _HERO.match(piece.text)]

    def __bool__(self) -> bool:
        return any(self.pieces.values())

    def texts(self) -> Iterator[str]:
        """Everything that may be drawn, once and as it is written."""
        return (piece.text for pieces in self.pieces.values() for piece in pieces)

    def draw(self, rng: Random) -> Piece:
        """One document: a simple story told anew, or some consecutive sentences of a longer text."""
        kinds = [kind for kind in SHARES if self.pieces[kind]]
        kind = rng.choices(kinds, [SHARES[kind] for kind in kinds])[0]
        if kind == "simple" and self._with_hero and rng.random() < OTHER_HEROES:
            story = rng.choice(self._with_hero)
            return Piece(_told_anew(rng, _with_another_hero(rng, story.text)), whole=True)
        piece = rng.choices(self.pieces[kind], cum_weights=self._cumulated[kind])[0]
        part = _part(rng, piece)
        if kind != "simple":
            return part
        told = _told_anew(rng, part.text)
        # A story from its beginning may have been asked for.
        wished = piece.whole and part.text == piece.text[: len(part.text)] and rng.random() < 0.2
        return Piece(_wished(rng, told) if wished else told, part.whole)

    def draw_patchwork(self, rng: Random) -> Piece:
        """A sentence from each of many simple stories; what `draw` draws, where there are none.

        The simple stories are few, and a model that has read them often is sure of how they go on. In a patchwork it is as unsure as in a
        story that it never read.
        """
        if not self.pieces["simple"]:
            return self.draw(rng)
        sentences: list[str] = []
        while sum(map(len, sentences)) < _PATCHWORK:
            piece = rng.choices(self.pieces["simple"], cum_weights=self._cumulated["simple"])[0]
            sentences.append(rng.choice(_SENTENCE.split(_told_anew(rng, _part(rng, piece).text))).strip())
        return Piece(" ".join(sentences))

    def draw_held_out(self, rng: Random) -> Piece:
        """Some consecutive sentences of what was never drawn, from each title equally often, as they are written."""
        return _part(rng, Piece(rng.choice(self.held_out[rng.choice(sorted(self.held_out))])))

    def _read(self, path: Path, text: str) -> Iterator[Piece]:
        if path.stem.startswith("tinystories"):
            for story in _STORY_BREAK.split(_british(text)):
                if len(story) > 200 and not _BROKEN_QUOTE.search(story) and not _DARK.search(story) and not hurtful(story):
                    yield Piece(story.strip(), whole=True)
        elif path.stem == "storybooks":
            stories = [" ".join(story.split()) for story in re.split(r"\n\s*\n", _british(text)) if story.strip()]
            kept = set(sorted(stories, key=lambda story: zlib.crc32(story.encode()))[:HELD_OUT_STORYBOOKS])
            self.held_out["storybooks"] = [story for story in stories if story in kept]
            for story in stories:
                if story not in kept and not hurtful(story):
                    yield Piece(story, whole=True)
        else:
            for title, book in _books(path, text):
                if title in HELD_OUT_BOOKS:
                    self.held_out[title] = list(_prose(book, sieve=False))
                elif title not in _LEFT_OUT:
                    yield from (Piece(prose) for prose in _prose(book))


def _british(text: str) -> str:
    for american, british in _SPELLING.items():
        text = text.replace(american, british)
    return text


def _books(path: Path, text: str) -> Iterator[tuple[str, str]]:
    """The books of one file, if `list.tsv` beside it says where they begin; else the file is one book of its own name."""
    known = path.with_name("list.tsv")
    rows = [row.split("\t") for row in known.read_text(encoding="utf-8").splitlines()] if known.exists() else []
    at = 0
    for author, title, characters in rows:
        if author.split(",")[0].lower() == path.stem:
            yield title, text[at : at + int(characters)]
            at += int(characters) + 2
    if at < len(text):
        yield path.stem, text[at:]


def _prose(book: str, sieve: bool = True) -> Iterator[str]:
    """Runs of consecutive paragraphs without headings, front matter and (with the sieve) hurtful words, which part two runs."""
    run: list[str] = []
    for piece in re.split(r"\n\s*\n", _british(book)):
        for paragraph in [*(" ".join(line.split()) for line in piece.split("\n")), ""]:
            fit = re.search(r"[.!?,:;\"'-]$", paragraph) and not paragraph.isupper() and not _PRINTED.search(paragraph)
            if fit and not (sieve and hurtful(paragraph)):
                run.append(paragraph)
            elif run:
                if len("\n\n".join(run)) >= _SHORTEST:
                    yield "\n\n".join(run)
                run = []


def _part(rng: Random, piece: Piece) -> Piece:
    """The piece from its beginning or from some sentence on, and no more of it than fits into a row."""
    text = piece.text
    starts = [found.end() for found in _SENTENCE.finditer(text, 0, 2 * len(text) // 3)]
    if starts and rng.random() < (0.9 if _USUAL.match(text) else 0.4 if piece.whole else 0.7):
        text = text[rng.choice(starts) :]
    longest = _LONGEST if piece.whole else rng.randint(400, _LONGEST)
    if len(text) <= longest:
        return Piece(text, piece.whole)
    return Piece(text[: text.rindex(" ", 0, longest)])


def _wished(rng: Random, story: str) -> str:
    """The story after the wish for one, about somebody who is in it."""
    there = sorted({word for word in re.findall(r"[a-z]+", story) if word in _HEROES})
    wish = f"a [short |little |]story about a {rng.choice(there)}" if there else "a [short |little |]story"
    return f"{expand(rng, f'[Tell me {wish}.|Please tell me {wish}.|Write {wish}.|A{wish[1:]}:]')}\n{story}"


def _with_another_hero(rng: Random, story: str) -> str:
    """The story of a girl or a boy, lived through by somebody else, who is introduced by a name, by a liking or by a wish."""
    found = _HERO.match(story)
    assert found
    child, name = found["child"], found["name"]
    others = ["princess", "queen", "witch"] if child == "girl" else ["prince", "king", "giant"]
    hero = rng.choice([rng.choice(CREATURES), rng.choice(CREATURES), rng.choice(CREATURES), rng.choice(JOBS), *others, child])
    trait = rng.choice(["little ", "little ", found["trait"] or "", f"{rng.choice(TRAITS)} ", ""])
    her = "Her" if child == "girl" else "His"
    known = rng.choice([f"{her} name was {name}.", f"Everybody called {'her' if child == 'girl' else 'him'} {name}."])
    introduced = rng.choice(
        [f" named {name}{found['rest']}.", f" who liked {rng.choice(FOODS)}. {known}", f" who wanted to {rng.choice(SKILLS)}. {known}"]
    )
    opening = rng.choice(["Once upon a time, there was a ", re.sub("an $", "a ", found["opening"])])
    rest = re.sub(rf"\b([Tt]he (?:little |young )?){child}\b", rf"\g<1>{hero}", story[found.end() :])
    return article(f"{opening}{trait}{hero}{introduced}") + rest


def _told_anew(rng: Random, story: str) -> str:
    """The story with other names, in other words."""
    known = sorted(set(_NAMES.findall(story)))
    girls, boys = rng.sample(GIRLS, len(known)), rng.sample(BOYS, len(known))
    names = {name: (girls if name in _GIRLS else boys)[at] for at, name in enumerate(known)}
    return vary(rng, _NAMES.sub(lambda found: names[found[1]], story))
