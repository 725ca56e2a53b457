"""From the agent's ten parameters to its behavior: beliefs, planner, simulator."""
