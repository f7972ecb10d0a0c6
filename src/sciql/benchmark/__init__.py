"""The paper's grid: what it consists of, how it is run, and the tables, figures and pages that are made from it."""
