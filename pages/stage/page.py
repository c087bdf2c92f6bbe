"""On stage: the visitor's run in large letters, one beat at a time, for an audience; driven by keys."""

from __future__ import annotations

from functools import partial

import streamlit as st

from pages.stage.stage_view import stage_data
from pages.ui import features
from pages.ui.components.stage import stage as stage_component
from pages.ui.presenting import phone_address, stage_state, stage_vote, talk
from pages.ui.session import address_bar, current
from pages.ui.session.error_boundary import action_boundary, drawing_boundary
from pages.ui.session.live_state import Scene
from pages.ui.session.state import current_session
from pages.ui.shell import frame

frame.page()


@action_boundary
def open_vote(state: stage_state.StageState) -> None:
    """Open the vote that another page asked for."""
    stage_vote.open_vote(state)


def scene() -> None:
    """Do what only the page can do for a key, then send the stage as it is now. Keys reach the run by its routes."""
    state = stage_state.stage_state()
    if state.leave:
        state.leave = False
        page = "watch" if talk.active_talk() is None else "talk"  # the Talk page can continue the talk
        talk.end()
        st.switch_page(features.file_of(page))
    talk.follow()
    current.begin_run()  # this part is also drawn alone, and the talk may have opened another stop
    if state.opens_vote:
        state.opens_vote = False
        open_vote(state)
    phone_address.note()
    current_session().live.scene = Scene(stage_data, partial(stage_state.act, stage_vote.VERBS))
    with drawing_boundary():
        stage_component.stage(stage_state.KEY, current.live_key(), stage_data())
        address_bar.write_address("address_stage")


st.fragment(scene, key="stage_scene")()
