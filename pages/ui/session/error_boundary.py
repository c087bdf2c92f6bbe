"""What a visitor is told if an action or a part of a page fails: one sentence. Errors that nobody expected are logged."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec

from core.errors import ViewerError
from pages.ui.i18n.translation import N_, _, say
from pages.ui.session.notices import ACTION, Action, notify, show_notice
from pages.ui.session.state import current_session

P = ParamSpec("P")
UNEXPECTED = N_("Something went wrong in the app. Your text is still there. Try again.")
log = logging.getLogger(__name__)


def action_boundary(verb: Callable[P, None]) -> Callable[P, None]:
    """Decorate an action of the visitor. It removes the notices of the last action and turns errors into a notice.

    After it the run has a new version, so that the live view is drawn again (`live.changed`).

    Actions of one visitor run one at a time: Streamlit may start the next script while the old one is still in a forward pass.
    """

    @wraps(verb)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
        session = current_session()
        with session.action_lock:
            act(*args, **kwargs)
            session.live.changed()

    def act(*args: P.args, **kwargs: P.kwargs) -> None:
        inside_another = ACTION.get() is not None
        if not inside_another:
            current_session().notices.latest.clear()
        action = ACTION.set(ACTION.get() or Action())
        try:
            verb(*args, **kwargs)
        except ViewerError as error:
            if error is not current_session().begun.refusal:  # the page shows a refusal in place of the run
                notify(say(error))
        except Exception:
            log.exception("%s failed", verb.__name__)
            notify(_(UNEXPECTED))
        finally:
            ACTION.reset(action)

    return guarded


@contextmanager
def drawing_boundary() -> Iterator[None]:
    """Turn every exception inside into one sentence for the visitor; unexpected ones are logged."""
    try:
        yield
    except ViewerError as error:
        show_notice(say(error))
    except Exception:
        log.exception("The page failed")
        show_notice(_(UNEXPECTED))
