"""Many agents drawn over ranges: Figure 7."""
