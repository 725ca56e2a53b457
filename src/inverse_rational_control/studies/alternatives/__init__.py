"""Alternative models beside the full one: Figure 10."""
