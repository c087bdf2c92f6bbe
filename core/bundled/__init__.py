"""The bundled models as ordinary Hugging Face folders, their recorded results, and the recipe that makes them."""
