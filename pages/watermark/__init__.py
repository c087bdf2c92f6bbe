"""The page “Is it marked?”: a secret mark in the dice, token by token, its cost, an attack on it, and false alarms."""

from __future__ import annotations

from core.experiments.shared.claim import Claim
from core.experiments.watermark import MarkedToken, Measured, mark_is_found
from core.sampling.settings import SETTINGS, SamplingSettings
from pages.ui.features import IDS, MARKED, Feature, Recorded
from pages.ui.i18n.controls import Control
from pages.ui.i18n.translation import N_
from pages.ui.session import current
from pages.ui.session.sampling_controls import ALL

SAMPLING = {"plain": N_("temperature 1, all tokens"), "sidebar": N_("the sidebar's settings")}


def used_settings() -> frozenset[str]:
    """The settings of the sidebar count if they were chosen, else only the seed."""
    return ALL if current.field("watermark_sampling") == "sidebar" else frozenset({"seed"})


FEATURE = Feature(
    group=MARKED,
    place=10,
    title=N_("Is it marked?"),
    sight=N_("A secret mark in the dice: found, paid for, attacked."),
    address="is-it-marked",
    settings=used_settings,
    needs=IDS,
    recorded=(
        Recorded(
            "watermark",
            "watermark_start",
            MarkedToken | Measured,
            SamplingSettings,
            card=(N_("A mark in the dice"), N_("Marked and unmarked with the same dice, and 200 book excerpts.")),
            claim=Claim(
                "9 of 10 marked runs are called marked, no unmarked one, at most one book excerpt; an attack ends it", mark_is_found
            ),
        ),
    ),
    controls={
        "watermark": Control(N_("the watermark"), names=SETTINGS["watermark"].choices),
        "watermark_key": Control(N_("the key"), N_("key {key}")),
        "gamma": Control(N_("gamma"), N_("gamma {gamma}")),
        "delta": Control(N_("delta"), N_("delta {delta}")),
        "sampling": Control(N_("the sampling"), names=SAMPLING),
    },
)
