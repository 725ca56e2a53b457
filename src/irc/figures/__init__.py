"""The paper's figures, one module each: panels take (dataset, ax) and draw what it holds."""
