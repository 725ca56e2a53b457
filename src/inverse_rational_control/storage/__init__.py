"""NetCDF contracts, atomic writing, provenance."""
