"""Tell a whole story: an opening, a plot for this hero, an ending."""

from __future__ import annotations

from random import Random

from core.bundled.recipe.world.scripts import PLACES, PLOTS, SETTINGS, STYLES, WORDING
from core.bundled.recipe.world.state import Entity
from core.bundled.recipe.world.story import Story

EVERYBODY = "child animal grown tale alive I my"
_ON = ("farm", "island", "ship", "top of", "plain", "big farm", "old farm", "small farm")
_BY = ("lake", "river", "pond", "oasis")
# Homes of which there is only one, and homes that are no place to begin with.
_THE_HOME = ("sky", "harbour", "valley", "hall", "kitchen", "garden", "field", "forest", "mountains", "corner", "attic")
_NO_HOME = ("shell", "rocks", "deep", "place", "leaf", "bamboo", "river", "meadow", "water")
# Plots whose hero is alone at first.
_ALONE = ("new_here", "made_one")


def story(rng: Random, plot: str = "", kinds: str = EVERYBODY) -> Story:
    """A story with its state. `plot` names the plot, `kinds` the kinds of heroes that may have it."""
    while True:
        tale = Story(rng, eager=rng.choice([0.45, 0.6, 0.75]))
        hero = tale.begin(kinds)
        fitting = {name: row.get("share", 1) for name, row in PLOTS.items() if hero.role in row["heroes"].split() and plot in ("", name)}
        if fitting:
            break
    name = rng.choices(list(fitting), list(fitting.values()))[0]
    tale.plot.insert(0, name)
    if rng.random() < 0.93 or not (hero.name or hero.owner_word or hero.pronoun == "I"):
        _open(tale)
        tale.paragraph(0.25)
    tale.play(name)
    return tale


def _open(s: Story) -> None:
    """Say who the story is about, and where; sometimes also what the hero likes."""
    hero = s.hero
    s.cast["where"] = _home(s, hero) or inside(s.rng.choice(SETTINGS[s.setting]["where"]))
    style = s.rng.choice([style for style in _styles(hero) if style != "together" or s.plot[0] not in _ALONE])
    s.plot.append(style)
    s.play(style, doing=WORDING["activities"][_activity(hero)], places=PLACES[s.setting])
    s.dated = style in STYLES["dated"].split()
    if hero.name and hero.noun not in ("girl", "boy") and not hero.owner_word and hero.noun not in s.text:
        s.say("[{h:n} was {h:a}|{h:p} was {h:a}].")
    if s.chance(0.3):
        habits = WORDING["habits"]
        s.say(f"{{h}} {habits.replace('|no friends', '') if 'f' in s.cast else habits}.")
    elif s.chance(0.15):
        s.say(f"{{h}} was {WORDING['quality']}.")
    s.sight(0.15)


def _styles(hero: Entity) -> list[str]:
    if hero.pronoun == "I" or hero.owner_word == "my":
        return STYLES[hero.owner_word or "I"].split()
    return f"{STYLES['common']} {STYLES['named' if hero.name else 'nameless']}".split()


def _activity(hero: Entity) -> str:
    if hero.pronoun == "I":
        return "I"
    if hero.noun in ("girl", "boy", "brother", "sister", "cousin"):
        return "child"
    return "animal" if hero.kind == "animal" else ""


def _home(s: Story, hero: Entity) -> str:
    """The home of an animal or of a thing that is alive, sometimes."""
    first = hero.home.split()[0]
    if hero.role == "alive":
        return f"{'on' if first == 'rock' else 'in'} {'the' if first in _THE_HOME else 'a'} {hero.home}"
    return f"in a {hero.home}" if hero.role == "animal" and first not in _NO_HOME and s.chance(0.35) else ""


def inside(where: str) -> str:
    """The place with its preposition.

    >>> inside("a farm on a hill"), inside("a quiet lake"), inside("a village")
    ('on a farm on a hill', 'by a quiet lake', 'in a village')
    """
    head = where.split(" with ")[0].split(" near ")[0].split(" by ")[0].split(" that ")[0].split(" at ")[0]
    words = head.split(" in ")[0].split(" on ")[0]
    if any(words.endswith(noun) for noun in _ON) or words.startswith("the top"):
        return f"on {where}"
    return f"by {where}" if any(words.split(" behind")[0].endswith(noun) for noun in _BY) else f"in {where}"
