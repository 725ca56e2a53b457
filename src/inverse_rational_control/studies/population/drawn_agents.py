"""Which agents' maxima are searched again; apart, since the Snakefile asks before anything is loaded."""

from __future__ import annotations

from inverse_rational_control.random_streams import stream

__all__ = ["drawn_agents"]


def drawn_agents(root_seed: int, n_agents: int, share: float) -> list[int]:
    """Numbers of the agents that are searched again, in order: a share, at least one."""
    rng = stream(root_seed, "population", "search again", "agents")
    size = max(1, round(share * n_agents))
    return sorted(int(agent) for agent in rng.choice(n_agents, size, replace=False))
