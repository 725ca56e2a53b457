"""From arrays to datasets and back: where results become xarray, one module per kind."""
