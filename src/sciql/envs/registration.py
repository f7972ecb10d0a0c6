"""The environments by name: for gymnasium, and their batch simulators for everything else."""

from collections.abc import Callable
from dataclasses import dataclass

from sciql.envs.simulator import EnvironmentSpec, Simulator
from sciql.errors import unknown


@dataclass(frozen=True)
class Registered:
    """Where to find an environment; nothing of it is imported before it is asked for."""

    entry_point: str
    simulator: Callable[..., Simulator]
    horizon: int


def _circle2d(**settings: object) -> Simulator:
    from sciql.envs.circle2d import Circle2dSimulator, circle2d_settings

    return Circle2dSimulator(circle2d_settings(**settings))


def _halfcheetah() -> Simulator:
    from sciql.envs.halfcheetah import HalfCheetahSimulator

    return HalfCheetahSimulator()


ENVIRONMENTS = {
    "sciql/Circle2d-v0": Registered("sciql.envs.circle2d:Circle2d", _circle2d, horizon=1000),
    "sciql/HalfCheetah-v0": Registered("sciql.envs.halfcheetah:HalfCheetah", _halfcheetah, horizon=1000),
}


def register() -> None:
    """Tell gymnasium of the environments, for `gymnasium.make`."""
    import gymnasium

    for env_id, environment in ENVIRONMENTS.items():
        if env_id not in gymnasium.registry:
            gymnasium.register(env_id, entry_point=environment.entry_point, max_episode_steps=environment.horizon)


def get_simulator(env_id: str, **settings: object) -> Simulator:
    """The batch simulator of an environment, with the settings that `gymnasium.make` takes for it."""
    if env_id not in ENVIRONMENTS:
        raise unknown("environment", env_id, ENVIRONMENTS)
    return ENVIRONMENTS[env_id].simulator(**settings)


def get_spec(env_id: str, **settings: object) -> EnvironmentSpec:
    """The facts about an environment."""
    return get_simulator(env_id, **settings).spec


def signals_in(env_id: str | None) -> tuple[str, ...] | None:
    """The signals of one of sciql's own environments; None where it is another's or there is none."""
    return get_spec(env_id).signals if env_id in ENVIRONMENTS else None
