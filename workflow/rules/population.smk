# Many agents, drawn over stated ranges: recovery, coverage, fixed points of their plans (Figure 7).
