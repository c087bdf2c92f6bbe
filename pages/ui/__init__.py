"""Shared parts of the pages, in six rooms; and how a page is written.

A page is one file under `pages/` and one line in `page_titles.PAGES`. It reads like a page: title, widgets, one call into core, charts.

    # pages/compare.py
    from pages.ui.i18n import page_titles
    from pages.ui.charts import charts, step_rows
    from pages.ui.components.token_strip.token_strip import token_strip
    from pages.ui.layout import frame
    from pages.ui.session import current

    frame.page()                                                # always the first call: the way in for deep links
    frame.header("One word changes everything", "branching", "Two ways through the same story, with the same dice.")
    with elements.error_boundary():                                # around all that may fail: one sentence instead of a traceback
        run = current.run()                                     # the session's run (Generation or Replay); raises if the prompt is refused
        token_strip(run.prompt_tokens, run.path, key="compare_strip")
        charts.draw(charts.distribution, step_rows.distribution_rows(current.shown()), key="odds", rows=11)

session      `current`: `model()`, `run()`, `settings()`, `prompt()`, `shown()`, and verbs for `on_click` (`step`, `force`, `go_back`,
             `restart`, `switch`, `use_prompt`, `use_model`). With `state` the only files that touch `st.session_state`; a page reads its
             own widgets from what they return, and gives each of them `**STAYS`: on coming back it is as it was.
notices      one message per action, beside what was pressed, gone at the next action. A callback of your own goes through
             `@current.error_boundary`; `current.at(place)` says where its message stands, `current.notify(sentence)` says it, and
             `elements.notices(place)` draws it there. What has no place stands at the head of the page.
results      whatever takes longer than a draw is an experiment: `experiment.start(name, make, made_by=now)` runs a generator of core/labs
             in a worker thread; `results.live(draw, name, key=)` draws it while it comes; `results.shown(name, now, again)` says what made
             it and pales what the controls no longer match. `provenance.now(...)` is what a result would be made of at this moment.
recordings   before a visitor has run it, `experiment.of(name)` is the recording that came with the app: a new experiment is one line in
             `runtime/takes.py`, its classes one each in `core/labs/codec.py`, and `python -m pages.ui.experiments.record <name>`. What a
             page hands over as `about` is plain values, never a model.
layout       `frame` (`page`, `header`, `section`, `legend`, `show_notice`, `error_boundary`), sidebar, navigation, player, palette: colours
             by meaning (`palette.of(charts.theme()).chosen`); orange is the chosen token and nothing else.
charts       one function per chart, theme in, constant specification out, cached; `charts.draw(chart, table, key=, alt_text=)` shows it.
             Nothing that changes from step to step may stand in a specification. `*_rows`: core's records with the words beside the marks.
components   what Streamlit has not got, a folder each with its .py, .js and .css: the token strip, the dice, the cache gauge, ...
text         `numbers` (12 %, 4.2 MB, 38 ms), names that several pages use, texts for the model, the glossary, the catalogue; a sentence
             stands where it is said, `_("...")` (core/language.py says how).
runtime      what outlasts a script run: preloading, loaded models, the playback scheduler, experiments that run while one watches.

The sidebar (model, presets, sliders) is drawn by app.py for every page. Widget keys are shared by the whole app: begin yours with the
page's name. Pages that play share one rule: draw first, compute last.
"""
