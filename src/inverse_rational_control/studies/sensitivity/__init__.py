"""What bins, diffusion and discount change: Figure 11."""
