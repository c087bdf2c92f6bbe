"""From the model's odds to one token: transformers' processors, observed stage by stage, and the dice."""
