# Reduced models, a floor and grid search beside the full model (Figure 10).
