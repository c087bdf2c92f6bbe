# %% [markdown]
# # Read a saved answer
# An inference server that is asked for log-probabilities says how sure it was of every token. `saved_answer.json` is such an
# answer in OpenAI's form: a llama-server with SmolLM2-135M was asked "Why is the sky blue?", with `"top_logprobs": 5`.

# %%
from pathlib import Path

import altair as alt
from token_probability_viewer import Recording
from token_probability_viewer.core.record.tables import steps_table

FOLDER = Path(__file__).parent if "__file__" in globals() else Path()
run = Recording.load(FOLDER / "saved_answer.json").replay()
steps = list(run.stream())
print(run.written)

# %% [markdown]
# Where could the answer have been another one? The tokens of which the server was least sure, and what else it listed there.

# %%
for step in sorted(steps, key=lambda step: step.model_probability)[:5]:
    others = [f"{other.piece} {other.model_probability:.0%}" for other in step.candidates if other.key != step.key]
    print(f"{step.index:3} {step.piece:12} {step.model_probability:4.0%}   also: {', '.join(others[:3])}")

# %% [markdown]
# A table of the steps. Values that are not in the file (settings, cache, times) are missing, not invented.

# %%
table = steps_table(steps)
print(table[["index", "piece", "model_probability", "rank", "surprise"]].head(10).round(3).to_string(index=False))

# %% [markdown]
# The same file opens in the app: on Watch, *Keep or share*, *Open a recording*. There each step can be looked at.

# %%
table["token"] = [f"{step.index:3} {step.piece}" for step in steps]
chart = (
    alt.Chart(table)
    .mark_bar()
    .encode(
        x=alt.X("token:N", sort=alt.SortField("index"), title=None, axis=alt.Axis(labelExpr="slice(datum.label, 4)")),
        y=alt.Y("model_probability:Q", title="probability of the token", axis=alt.Axis(format="%")),
    )
    .properties(width=900, height=240)
)
chart.save("read_a_saved_answer.png", scale_factor=2)
chart
