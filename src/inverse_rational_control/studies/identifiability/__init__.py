"""What the data cannot tell: Figure 9."""
