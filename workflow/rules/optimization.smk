# Ways to the maximum: plain and accelerated EM, quasi-Newton, many starts (Figure 8).
