"""Environments: a gymnasium environment each, and a simulator that steps many episodes at once."""
