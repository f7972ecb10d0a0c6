"""What other libraries complain about, within one sentence of ours."""

from sciql.errors import LONGEST, reason


def test_a_complaint_of_many_lines_becomes_one_short_line() -> None:
    assert reason(ValueError("bad\n  magic\tnumber.")) == "bad magic number"
    assert reason(KeyError()) == "KeyError"
    long = reason(OSError("byte " * LONGEST))
    assert len(long) < LONGEST + 5
    assert long.endswith(" ...")
