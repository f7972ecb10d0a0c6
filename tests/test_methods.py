"""The methods by name."""

import pytest

from sciql.errors import SciqlError
from sciql.methods import METHODS, get_method, require_criterion
from sciql.training import weight_of


@pytest.mark.parametrize("name", METHODS)
def test_a_method_is_found_and_has_a_weight(name: str) -> None:
    method = get_method(name)
    assert method.name == name
    assert callable(weight_of(method))
    assert method.conditioned == (name not in ("bc", "iql"))


def test_sorl_takes_any_temperature() -> None:
    method = get_method("sorl_beta2.5")
    assert (method.beta, method.title, method.weight) == (2.5, "SORL (β=2.5)", "sorl")
    assert get_method("sorl_beta1.0") is METHODS["sorl_beta1"]


def test_sorl_without_temperature_needs_no_task_values() -> None:
    assert get_method("sorl_beta0").needs == {"chi"}
    assert get_method("sorl_beta0.5").needs == {"chi", "task"}


@pytest.mark.parametrize("name", ["sciql", "sorl_beta", "sorl_beta-1", "sorl_betaone", ""])
def test_another_name_is_refused(name: str) -> None:
    with pytest.raises(SciqlError, match="there is no method"):
        get_method(name)


def test_only_methods_that_see_no_style_do_without_a_criterion() -> None:
    require_criterion(METHODS["bc"], given=False)
    with pytest.raises(SciqlError, match="cbc learns styles and needs a criterion"):
        require_criterion(METHODS["cbc"], given=False)
