"""From the agent's parameters to its behavior: beliefs, planner, simulator."""
