"""The paper's one agent: Figures 1 to 5."""
