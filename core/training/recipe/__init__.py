"""The simpler recipe of the storyteller: mixture, training and evaluation. One command makes it from nothing and resumes:

python -m core.training.recipe.train --corpus TEXTS --checkpoints FOLDER
"""
