"""Why a run has ended, in a sentence that says how it can continue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.reports.live_view.texts import ENDED
from core.sources.capabilities import Can
from pages.ui.i18n.translation import N_, _

if TYPE_CHECKING:
    from core import Generation

FINISHED = ENDED | {
    "out of memory": N_("There is no memory left for this text. Press Back, or use a shorter prompt."),
    "stop text": N_("The text contains one of its stop texts. Press Back, or click an earlier token to take another way."),
    "loop": N_("The text repeats itself, and stops on a loop. Press Back, or click an earlier token to take another way."),
    "enough tokens": N_("The text has as many tokens as were asked for. Press Back, or click an earlier token to take another way."),
    "constraint fulfilled": N_("The text has the form of the constraint. Press Back, or click an earlier token to take another way."),
    "limit reached": N_("The text has reached the length limit of this app. Press Back or Restart to continue from an earlier token."),
}
RECORDING = N_("The recording ends here. Press Play to see it from its beginning.")


def why_ended(run: Generation) -> str:
    """Return why the run has ended here, "" if it goes on."""
    reason = run.finished or ""
    if reason and Can.NEW_TOKENS not in run.can:
        return _(RECORDING)
    if run.messages and reason == "end of text":
        return _("The answer is complete. Write the next message, or click an earlier token to take another way.")
    return _(FINISHED[reason]) if reason in FINISHED else reason
