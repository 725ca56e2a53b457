"""The studies behind the figures, one package each; they do not import each other."""
