# %% [markdown]
# # Sweep a sampler, and plot it
# What does a setting do to a text? Some seeds for each value: mean surprise, repeated words, and how many tokens could be chosen.

# %%
import altair as alt
import pandas as pd
from token_probability_viewer import Generation, SamplingSettings, load_model

model = load_model("storyteller")
PROMPT, SEEDS, TOKENS = "Once upon a time", range(4), 30

# %% [markdown]
# One row for each run. `surprise` is measured with the model's own probabilities, whatever the settings are.

# %%
rows = []
for min_p in (0.0, 0.05, 0.2):
    for temperature in (0.4, 0.8, 1.2, 1.6, 2.0):
        for seed in SEEDS:
            run = Generation(model, PROMPT, SamplingSettings(temperature=temperature, min_p=min_p, seed=seed))
            steps = list(run.stream(TOKENS))
            words = run.written.split()
            rows.append(
                {
                    "min-p": f"{min_p:g}",
                    "temperature": temperature,
                    "surprise": sum(step.surprise for step in steps) / len(steps),
                    "repeated words": 1 - len(set(words)) / len(words),
                    "tokens to choose from": sum(step.stages[-1].kept for step in steps) / len(steps),
                }
            )
runs = pd.DataFrame(rows)
print(runs.groupby(["min-p", "temperature"]).mean().round(2).to_string())

# %% [markdown]
# The line is the mean over the seeds, the band one standard deviation. Min-p takes back what a high temperature adds.

# %%
base = alt.Chart(runs).encode(x="temperature:Q", color=alt.Color("min-p:N", title="min-p"))
curve = base.mark_line(point=True).encode(y=alt.Y("mean(surprise):Q", title="surprise, bits per token"))
band = base.mark_errorband(extent="stdev").encode(y=alt.Y("surprise:Q", title="surprise, bits per token"))
chart = (band + curve).properties(width=520, height=300, title=f"{model.name}, {len(SEEDS)} runs of {TOKENS} tokens for each point")
chart.save("sweep_a_sampler.png", scale_factor=2)
chart
