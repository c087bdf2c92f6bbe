"""The list of `mutations.py` is true of the code as it is. `python -m tests.mutations` tries them."""

from __future__ import annotations

from tests.mutations import MUTATIONS, ROOT


def test_each_line_is_there_once_and_its_tests_exist() -> None:
    assert len({mutation.name for mutation in MUTATIONS}) == 20
    for mutation in MUTATIONS:
        assert (ROOT / mutation.file).read_text("utf-8").count(mutation.line) == 1, mutation.name
        assert mutation.line != mutation.wrong
        assert all((ROOT / test.partition("::")[0]).is_file() for test in mutation.tests.split()), mutation.name
