# What the number of bins, the diffusion and the discount change (Figure 11).
