"""Environments: a gymnasium environment each, and a simulator that steps many episodes at once.

gymnasium knows them as soon as this package is imported.
"""

from sciql.envs.registration import ENVIRONMENTS, get_simulator, get_spec, register, signals_in

__all__ = ["ENVIRONMENTS", "get_simulator", "get_spec", "register", "signals_in"]

register()
