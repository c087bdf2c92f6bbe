"""What the pages share, and how to write a page.

A page is one file under `pages/` and one line in `navigation.PAGES`. It reads like a page: title, widgets, one call into core, charts.

    # pages/compare.py
    import streamlit as st
    from pages.parts.components.token_strip import token_strip
    from pages.parts.layout import frame
    from pages.parts.session import current

    frame.page()                                                # always the first call: the way in for deep links
    frame.header("One word changes everything", "branching", "Two ways through the same story, with the same dice.")
    with frame.error_boundary():                                # around all that may fail: one sentence instead of a traceback
        run = current.run()                                     # the visitor's run (Generation or Replay); raises if the prompt is refused
        token_strip.token_strip(run.prompt_tokens, run.path, key="compare_strip")

current   the visitor's state: `model()`, `model_name()`, `run()`, `settings()`, `prompt()`, `shown()`, and verbs for `on_click`
          (`step`, `force`, `go_back`, `restart`, `switch`, `use_prompt`, `use_model`). The only room that touches `st.session_state`;
          a page reads its own widgets from what they return, and gives each of them `**STAYS`: on coming back it is as it was.
notices   one message per action, beside what was pressed, gone at the next action. A callback of your own goes through
          `@current.error_boundary`; `current.at(place)` says where its message stands, `current.notify(sentence)` says it, and
          `frame.notices(place)` draws it there. What has no place stands at the head of the page.
frame     `page`, `header`, `section`, `legend`, `show_notice`, `error_boundary`.
results   whatever takes longer than a draw is an experiment: `experiment.start(name, make, made_by=now)` runs a generator of core/labs in a
          worker thread; `results.live(draw, name, key=)` draws it while it comes; `results.shown(name, now, again)` says what made it and
          pales what the controls no longer match. `provenance.now(...)` is what a result would be made of at this moment.
charts    one function per chart, theme in, constant specification out, cached; `charts.draw(chart, table, key=, alt_text=)` shows it.
          A new chart is authored in Altair in the same way: nothing that changes from step to step may stand in the specification.
step_rows core's tables with the words that stand beside the bars. Pages that play share one rule: draw first, compute last.
components  the sentence token by token, the 0-1 strip of the dice, the gauge of the cache.
palette   colours by meaning (`palette.of(charts.theme()).chosen`); orange is the chosen token and nothing else.
numbers   12 %, 4.2 MB, 38 ms. words: every longer text on screen.

The sidebar (model, presets, sliders) is drawn by app.py for every page. Widget keys are shared by the whole app: begin yours with the
page's name.
"""
