"""Optimization paths by method and start: Figure 8."""
