"""What the pages share, and how to write a page.

A page is one file under `pages/` and one line in `navigation.PAGES`. It reads like a page: title, widgets, one call into core, charts.

    # pages/compare.py
    import streamlit as st
    from pages.parts import charts, frame, palette, rows, strip, visit

    frame.page()                                                # always the first call: the way in for deep links
    frame.header("One word changes everything", "branching", "Two ways through the same story, with the same dice.")
    with frame.calm():                                          # around all that may fail: one sentence instead of a traceback
        run = visit.run()                                       # the visitor's current run (Generation or Replay), the same on every page
        strip.token_strip(run.prompt_tokens, run.path, key="compare_strip")
        charts.draw(charts.distribution, rows.odds_rows(visit.shown()), key="compare_odds", alt_text="...", rows=rows.USUAL + 1)

visit     the visitor's state: `model()`, `model_name()`, `run()`, `settings()`, `prompt()`, `shown()`, and verbs for `on_click`
          (`step`, `force`, `go_back`, `restart`, `switch`, `use_prompt`, `use_model`). The only room that touches `st.session_state`;
          a page reads its own widgets from what they return. A callback of your own goes through `@visit.calmly`; `visit.notify(...)`
          tells the visitor one sentence.
frame     `page`, `header`, `section`, `legend`, `show_notice`, `error_boundary`.
charts    one function per chart, theme in, constant specification out, cached; `charts.draw(chart, table, key=, alt_text=)` shows it.
          A new chart is authored in Altair in the same way: nothing that changes from step to step may stand in the specification.
rows      core's tables with the words that stand beside the bars. Pages that play share one rule: draw first, compute last.
strip, dice, notepad   components: the sentence token by token, the 0-1 strip of the dice, the gauge of the cache.
palette   colours by meaning (`palette.of(charts.theme()).chosen`); orange is the chosen token and nothing else.
numbers   12 %, 4.2 MB, 38 ms. words: every longer text on screen.

The sidebar (model, presets, sliders) is drawn by app.py for every page. Widget keys are shared by the whole app: begin yours with the
page's name.
"""
