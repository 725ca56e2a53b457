# What the data cannot tell: information, weakest directions, profile likelihoods (Figure 9).
