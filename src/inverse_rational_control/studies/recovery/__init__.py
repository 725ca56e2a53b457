"""Recovery against data length: Figure 6."""
