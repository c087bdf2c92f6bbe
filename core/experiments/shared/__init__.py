"""What the experiments of several pages share: results as files, claims, prompts as tokens, texts that are written together."""
