# %% [markdown]
# # Compare two models on a text
# Each model reads the same text and says of every token how likely it was. Nothing is generated.

# %%
import altair as alt
import pandas as pd
from token_probability_viewer import load_model, score_text

TEXT = "There was once a king who had three sons. The eldest was proud, the second was lazy, but the youngest was kind to everybody."
NAMES = ("storyteller", "storyteller-mini")  # any two names, folders or Hugging Face ids
scores = {name: score_text(load_model(name), TEXT) for name in NAMES}

# %% [markdown]
# The perplexity is per token, so it compares models with the same tokenizer. Bits per character compare all models.

# %%
for name, score in scores.items():
    print(f"{name:20} perplexity {score.perplexity:6.2f}, {score.total_bits / len(TEXT):.3f} bits per character")

# %% [markdown]
# Where do they differ most? These two models have the same tokenizer, so each token has one row.

# %%
rows = [
    {"model": name, "number": token.position, "token": f"{token.position:3} {token.piece}", "surprise": token.surprise}
    for name, score in scores.items()
    for token in score.tokens
    if token.surprise is not None
]
table = pd.DataFrame(rows)
wide = table.pivot(index="token", columns="model", values="surprise")
wide["difference"] = wide[NAMES[1]] - wide[NAMES[0]]
print(wide.sort_values("difference").round(1).to_string())

# %%
chart = (
    alt.Chart(table)
    .mark_bar()
    .encode(
        x=alt.X("token:N", sort=alt.SortField("number"), title=None, axis=alt.Axis(labelExpr="slice(datum.label, 4)")),
        y=alt.Y("surprise:Q", title="surprise, bits"),
        color="model:N",
        xOffset="model:N",
    )
    .properties(width=900, height=240)
)
chart.save("compare_two_models.png", scale_factor=2)
chart
