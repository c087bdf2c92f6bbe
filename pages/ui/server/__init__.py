"""Runtime: what outlasts a script run: preload, loaded models, playback, experiments that run while one watches."""
