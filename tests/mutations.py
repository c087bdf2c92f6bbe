"""Twenty faults of one line each, and the tests that must see them: `python -m tests.mutations` tries each in a copy of the project.

`python -m tests.mutations roll press` tries those whose names contain one of the words. `test_mutations.py` holds that the lines are there.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
NOT_COPIED = shutil.ignore_patterns(".git", "__pycache__", ".*_cache", ".hypothesis")
SEEN, MISSED = 1, 0  # how pytest ends: a test failed, or all passed
FEWEST_SEEN = 19


@dataclass(frozen=True, slots=True)
class Mutation:
    """name: what is wrong then. line: a text that is once in `file`; wrong: what stands there instead. tests: the arguments of pytest."""

    name: str
    file: str
    line: str
    wrong: str
    tests: str


MUTATIONS = (
    Mutation(
        "the rank of a chosen token that is not listed is too small by one",
        "core/sampling/stages_numpy.py",
        "len(listed)) + 1 for token_id",
        "len(listed)) for token_id",
        "tests/core/sampling/test_observe_stages.py",
    ),
    Mutation(
        "temperature multiplies",
        "core/sampling/stages_numpy.py",
        "row.scores / np.float32(setting)",
        "row.scores * np.float32(setting)",
        "tests/core/sampling/test_observe_stages.py",
    ),
    Mutation(
        "top-k keeps one token more",
        "core/sampling/cut_offs.py",
        "count = min(int(setting), len(row.scores))",
        "count = min(int(setting) + 1, len(row.scores))",
        "core/sampling/cut_offs.py tests/core/sampling/test_any_order.py",
    ),
    Mutation(
        "the roll reads the strip from the least likely token on",
        "core/sampling/dice.py",
        "order = np.lexsort((row.ids, -weights))",
        "order = np.lexsort((row.ids, weights))",
        "tests/core/sampling/test_dice.py tests/core/sampling/test_observe_stages.py",
    ),
    Mutation(
        "the bars add up to 0.999",
        "core/record/step_rows.py",
        "model = distribution.rest_model_probability + float(",
        "model = distribution.rest_model_probability - 0.001 + float(",
        "tests/core/record/test_step_rows.py",
    ),
    Mutation(
        "a cache is used for another text",
        "core/engine/kv_cache/prefix_reuse.py",
        "same = self._ids[:count] == ids[:count]",
        "same = ids[:count] == ids[:count]",
        "tests/core/engine/test_engine.py",
    ),
    Mutation(
        "a drafted token is accepted without the draft's probability",
        "core/experiments/speculative.py",
        "if not rolls[index] * q[token_id] < p[token_id]:",
        "if not rolls[index] < p[token_id]:",
        "tests/core/experiments/test_speculative.py",
    ),
    Mutation(
        "surprise is in nats",
        "core/inspection/scoring.py",
        "surprise=-log_probability / math.log(2)",
        "surprise=-log_probability",
        "tests/core/inspection/test_scoring.py",
    ),
    Mutation(
        "the deviation of a watermark's score is that of a Poisson number",
        "core/experiments/shared/watermark_score.py",
        "total * chance * (1 - chance) * (1 if",
        "total * chance * (1 if",
        "tests/core/experiments/test_watermark.py",
    ),
    Mutation(
        "a multiply-add is one operation",
        "core/costs/operations_and_bytes.py",
        "max(2 * adds / card.flops",
        "max(adds / card.flops",
        "tests/core/costs/test_costs.py",
    ),
    Mutation(
        "the cache of one layer is counted",
        "core/engine/shape.py",
        "numbers = sum(group.layer_count * group.cached_numbers",
        "numbers = sum(group.cached_numbers",
        "tests/core/costs/test_costs.py",
    ),
    Mutation(
        "a deleted branch leaves its visitor on a deleted step",
        "core/generation/tree.py",
        "if self.here in gone:",
        "if self.here == gone[0]:",
        "tests/core/generation/test_tree_delete.py",
    ),
    Mutation(
        "an address in the text of others becomes a link",
        "pages/ui/i18n/safe_text.py",
        "_STARTS_A_LINK.sub(_NO_BREAK, printable))",
        "printable)",
        "tests/pages/ui/i18n/test_safe_text.py",
    ),
    Mutation(
        "a press whose answer was lost is done twice",
        "pages/ui/session/live_state.py",
        "        numbers.add(number)",
        "        numbers.discard(number)",
        "tests/pages/ui/live/test_routes.py",
    ),
    Mutation(
        "a press that was overtaken is lost",
        "pages/ui/session/live_state.py",
        "        if number in numbers:",
        "        if number <= max(numbers, default=0):",
        "tests/pages/ui/live/test_routes.py",
    ),
    Mutation(
        "a result of another prompt does not pale",
        "pages/ui/session/provenance.py",
        '(_("the prompt"), "prompt"), ',
        "",
        "tests/pages/ui/session/test_provenance.py",
    ),
    Mutation(
        "a websocket of another site is let in",
        "pages/ui/server/allowed_hosts.py",
        "return origin_host if name in allowed or is_named(name) else None",
        "return origin_host",
        "tests/pages/ui/server/test_deployment.py tests/pages/ui/server/test_gate.py",
    ),
    Mutation(
        "every visitor is the operator",
        "pages/ui/session/operator_role.py",
        "    if not is_operator():",
        "    if False:",
        "tests/pages/operator/test_operator.py",
    ),
    Mutation(
        "phones are sent the votes before the end",
        "pages/ui/server/vote_page.py",
        "shows = question is not None and (question.is_live or question.result is not None)",
        "shows = question is not None",
        "tests/pages/ui/server/test_vote_page.py",
    ),
    Mutation(
        "the two bars of a token are exchanged",
        "core/reports/live_view/bars.js",
        "scale(bar.model), scale(bar.dice)",
        "scale(bar.dice), scale(bar.model)",
        "tests/browser/test_every_page.py::test_a_page_draws_its_result_and_is_accessible[watch-False]",
    ),
)


def outcome(project: Path, tests: str) -> tuple[int, str]:
    """Run these tests in a copy of the project, and return how pytest ended and its last lines."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", "not exhaustive", *tests.split()]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout[-2000:]


def is_seen(mutation: Mutation, project: Path) -> bool:
    """Return whether a test fails with this mutation. The tests must run: an error of pytest itself proves nothing."""
    file = project / mutation.file
    text = file.read_text("utf-8")
    if text.count(mutation.line) != 1:
        raise SystemExit(f"{mutation.name}: the line is not once in {mutation.file}")
    file.write_text(text.replace(mutation.line, mutation.wrong), "utf-8")
    try:
        code, told = outcome(project, mutation.tests)
    finally:
        file.write_text(text, "utf-8")
    if code not in (SEEN, MISSED):
        raise SystemExit(f"{mutation.name}: pytest ended with {code}\n{told}")
    return code == SEEN


def main(words: list[str]) -> None:
    """Try the mutations whose names contain one of these words, all without words. Exit with 1 if more than one is missed."""
    chosen = [mutation for mutation in MUTATIONS if not words or any(word in mutation.name for word in words)]
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        shutil.copytree(ROOT, project, ignore=NOT_COPIED)
        code, told = outcome(project, " ".join(dict.fromkeys(test for mutation in chosen for test in mutation.tests.split())))
        if code != MISSED:
            raise SystemExit(f"the tests fail without a mutation\n{told}")
        missed = []
        for mutation in chosen:
            seen = is_seen(mutation, project)
            missed += [] if seen else [mutation.name]
            print("seen  " if seen else "MISSED", mutation.name, flush=True)
    print(f"{len(chosen) - len(missed)} of {len(chosen)} are seen")
    sys.exit(len(missed) > len(MUTATIONS) - FEWEST_SEEN)


if __name__ == "__main__":
    main(sys.argv[1:])
