# %% [markdown]
# # Watch a step, and draw it
# A step of a run says which tokens the model considered, which the settings excluded, and which one the roll chose.

# %%
from token_probability_viewer import Generation, SamplingSettings, load_model

model = load_model("storyteller")  # comes with the package; a folder, a GGUF file or a Hugging Face id works too
run = Generation(model, "Once upon a time", SamplingSettings(temperature=0.9, top_p=0.9, seed=102))
for step in run.stream(4):
    print(f"{step.piece:10} {step.model_probability:6.1%}  rank {step.rank}")

# %% [markdown]
# The model's own probability, and the probability after the settings. `removed_by` names the stage that excluded a token.

# %%
step = run.step()
for candidate in step.candidates[:8]:
    excluded = f"excluded by {candidate.removed_by}" if candidate.removed_by else ""
    print(f"{candidate.piece:10} {candidate.model_probability:6.1%} -> {candidate.sampling_probability:6.1%}  {excluded}")
print(f"The roll is {step.roll:.4f}: {step.piece}")

# %% [markdown]
# How many tokens are left after each stage of sampling, and how uncertain the choice among them is.

# %%
for stage in step.stages:
    print(f"{stage.name:12} {stage.kept:6,} tokens, {stage.entropy:.2f} bits")

# %% [markdown]
# A slide of the step. `run.to_gif` writes the whole run as an animation, `run.to_html` as a page that replays it.

# %%
step.to_image("watch_a_step.png")

# %% [markdown]
# Go back and take the second token instead. The run keeps both branches; the rolls that follow are the same.

# %%
run.go_to(step.index - 1)
run.force(step.candidates[1])
run.generate(8)
print(f"{len(run.branches())} branches; now: {run.text}")
