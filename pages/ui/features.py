"""The pages of the app: each is declared in the `__init__` of its folder `pages/<feature>`. There is no other list of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.experiments.shared.claim import Claim
from core.sources.capabilities import Can
from pages.ui.i18n.controls import COMMON, Control
from pages.ui.i18n.translation import N_, _

if TYPE_CHECKING:
    from core.engine.model import LanguageModel

FOLDER = Path(__file__).parents[1]
# The entries of the menu. The pages of one entry answer one question: they are its tabs.
SHOWN = (N_("Watch"), N_("Tour"), N_("Look inside"), N_("What if"), N_("How it learns"), N_("Present"))
WATCH, TOUR, INSIDE, WHAT_IF, LEARNING, PRESENT = SHOWN
FOLDED = (  # below "More"
    N_("What it costs"),
    N_("Many requests"),
    N_("Two models"),
    N_("Precision"),
    N_("Is it marked?"),
    N_("Gallery"),
    N_("Models"),
    N_("Glossary"),
)
WHAT_IT_COSTS, MANY_REQUESTS, TWO_MODELS, PRECISION, MARKED, GALLERY, MODELS, GLOSSARY = FOLDED
GROUPS = SHOWN + FOLDED
LANDING = "watch"  # the page without a path
NONE: frozenset[str] = frozenset()
IDS = (Can.TOKEN_IDS,)
PASSES = (Can.TOKEN_IDS, Can.PASSES)


@dataclass(frozen=True, slots=True)
class Recorded:
    """An experiment of a page that is bundled as a recording, and how it is started there.

    name: the experiment. press: the key of its button. observation, about: the types of its observations and of the values that the page
    stores with them; a file can contain only these. claim: what the result must show. view: key and value of the control that shows it.
    query: of the page's address. card: title and sentence of its card in the gallery. page: on which it stands, if not that of its feature.
    make: for a model that is not bundled: returns the observations of the model that `record_results NAME=FILE` names.
    """

    name: str
    press: str
    observation: Any
    about: Any = None
    claim: Claim = field(kw_only=True)
    view: tuple[str, str] | None = None
    query: tuple[tuple[str, str], ...] = ()
    card: tuple[str, str] | None = None
    page: str = ""
    make: Callable[[LanguageModel], Iterable[Any]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """A page. path: the name of its folder, which is an address, too.

    group, place: the entry of the menu whose tab it is, and where it stands among its tabs. The entry opens the first of them.
    title, sight: its name and one sentence. tab: its name among the tabs, if shorter than the title. address: its address, if not the path.
    settings: the settings of the sidebar that count on it, by name; None for all, or a function if that depends on its controls.
    needs: what the model must be able to do. recorded: its bundled results. controls: those that only its results store, by key.
    in_menu: False for a page without a tab, which others open. bare: without header, sidebar and player.
    former: names that its folder had; links with them still lead to it.
    for_operator: a tab only for the operator of a public instance; opens by its address.
    """

    group: str
    place: int
    title: str
    sight: str
    tab: str = ""
    address: str = ""
    settings: frozenset[str] | Callable[[], frozenset[str]] | None = None
    needs: tuple[Can, ...] = ()
    recorded: tuple[Recorded, ...] = ()
    controls: Mapping[str, Control] = field(default_factory=dict)
    in_menu: bool = True
    bare: bool = False
    for_operator: bool = False
    former: tuple[str, ...] = ()
    path: str = ""

    @property
    def file(self) -> Path:
        """The script of the page."""
        return file_of(self.path)

    @property
    def url(self) -> str:
        """The last part of its address."""
        return self.address or self.path


def paths() -> list[str]:
    """Return the paths of all features. It imports none of them."""
    return sorted(file.parent.name for file in FOLDER.glob("*/page.py"))


@cache
def features() -> dict[str, Feature]:
    """Return all features by path, in the order of the menu."""
    declared = [_declared(path) for path in paths()]
    return {feature.path: feature for feature in sorted(declared, key=lambda feature: (GROUPS.index(feature.group), feature.place))}


def _declared(path: str) -> Feature:
    declared: Feature = import_module(f"..{path}", __package__).FEATURE
    return replace(declared, path=path, recorded=tuple(replace(result, page=result.page or path) for result in declared.recorded))


@cache
def recorded() -> tuple[Recorded, ...]:
    """Return the experiments of all pages that are bundled as recordings."""
    return tuple(result for feature in features().values() for result in feature.recorded)


@cache
def controls() -> dict[str, Control]:
    """Return the controls that results store, by key."""
    return COMMON | {key: control for feature in features().values() for key, control in feature.controls.items()}


def is_here(path: str) -> bool:
    """Return whether this app has the page with this path. A page can be taken away by deleting its folder."""
    return path in features()


def file_of(path: str) -> Path:
    """Return the script of the page with this path, for `st.switch_page` and `st.page_link`."""
    return FOLDER / path / "page.py"


def path_of(address: str) -> str:
    """Return the path of the page at this address: the name of its folder.

    >>> path_of("loop"), path_of("looping"), path_of("growing"), path_of("")
    ('looping', 'looping', 'training', '')
    """
    return next((path for path, feature in features().items() if address and address in (feature.address, *feature.former)), address)


def feature_of(path: str) -> Feature:
    """Return the feature with this path; the landing page for another text, such as "" and "start"."""
    return features().get(path, features()[LANDING])


def title_of(path: str) -> str:
    """Return the title of the page with this path, translated; "start" is the landing page."""
    return _(feature_of(path).title)


def titles() -> dict[str, str]:
    """Return the title of every page in the menu, by its path, translated."""
    return {feature.path: _(feature.title) for group in GROUPS for feature in tabs(group)}


def tabs(group: str, for_operator: bool = False) -> list[Feature]:
    """Return the pages of an entry of the menu, in their order. for_operator: with those that only the operator sees."""
    listed = [feature for feature in features().values() if feature.group == group and feature.in_menu]
    return [feature for feature in listed if for_operator or not feature.for_operator]
