"""Let storyteller and storyteller-mini learn from each other: the small one what the large one thinks, the large one to be foreseen.

    python -m core.training.together --corpus TEXTS --run RUN

Reads RUN/checkpoint.pt and RUN/mini.pt, writes and resumes RUN/together.pt, and at the end puts both models back where they came from.

Where a text may go on in many ways, the large one has a favourite all the same: one of several words that are nearly as likely, and which
one is an accident of what it read last. No pupil can foresee an accident. So where the large one has no favourite worth the name, it moves
towards what the small one thinks; where it has one it stays as it was, for there it knows something: a name that it looked up, a fact, the
end of a word. In lessons it stays as it was, too. (Mutual learning, Zhang and others, 2018, with the one who began as its own teacher.)
Where two words are as likely, who comes first hardly moves a divergence; so the favourite itself is asked for, too, by a small lead.
At the end either is the mean of the weights that it began and ended with.

The simple stories it has read so often that it is sure of how each goes on, and unsure in any other of their kind: learned in their own
words, nothing would carry over. So a part of the prose is patchwork: a sentence from each of many stories, and in them some tokens that
the small one might have said. There nothing can be known, and only a favourite beyond doubt is left alone.
"""

from __future__ import annotations

import argparse
import json
import math
import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional
from transformers import AutoTokenizer, LlamaForCausalLM

from core.device import CPU_MULTIPLIES_BF16
from core.finetuning.optimizer import Optimizers
from core.training import growth
from core.training.corpus import Corpus
from core.training.data import IGNORED, Batch, Lessons
from core.training.distill import divergence
from core.training.export import load_checkpoint
from core.training.lessons import fingerprint
from core.training.models import CHECKPOINTS, SHAPES
from core.training.spelling import Spelling, auxiliary_loss, known_words
from core.training.train import Plan, Trainer, device, finished, run, size_of
from core.training.workers import launch, workers

CHECKPOINT, BEGUN = "together.pt", "together.json"
STEPS = 1000
PLAN = replace(
    Plan(),
    steps=STEPS,
    decay=800,
    averaged=True,
    long_from=0,
    early_steps=0,
    muon_rate=1e-3,
    adam_rate=1e-3,
    prose_share=0.6,
    patchwork=0.45,
    spelling=5.0,
    deterrence=0.3,
    seed=6,
)
SURE, SURE_IN_PATCHWORK = 0.55, 0.7  # a favourite of this probability is one
# So many times likelier than to the small one is what only the large one finds in the text. At twice, most are commas and articles.
LOOKED_UP = 4
STRANGE = 0.15  # share of the tokens of a patchwork that the small one chose
STUDENT_WEIGHT = 0.85  # in what the large one is to think where it was not sure
TEXT_WEIGHT = 0.5  # of the text itself, beside what the other thinks
RANK_WEIGHT, RANK_MARGIN = 0.25, 0.15  # of a favourite that is another's, and by how many nats it is to lead
STUDENT_RATE = 3.0  # the small one's rate beside the large one's


class Pair(nn.Module):
    """Two models that learn in the same steps; asked as a model, the large one answers."""

    def __init__(self, large: LlamaForCausalLM, small: LlamaForCausalLM) -> None:
        super().__init__()
        self.large, self.small = large, small

    def forward(self, **asked: Any) -> Any:
        """What the large one says."""
        return self.large(**asked)


def target_distribution(was: torch.Tensor, small: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor, sure: torch.Tensor) -> torch.Tensor:
    """What the large one is to think: log probabilities [rows, length, vocabulary], of the logits of itself as it was and of the small one.

    Where it knew something, that is what it thought. It knew something if its favourite had at least the probability `sure` [rows, length],
    or if that stands in the text already and the small one sees it `LOOKED_UP` times less. Elsewhere the two are mixed as a weighted
    geometric mean, `STUDENT_WEIGHT` parts of the small one: what either thinks impossible stays so. ids and mask are those of a `Batch`.
    """
    was, small = functional.log_softmax(was.float(), -1), functional.log_softmax(small.float(), -1)
    surest, favourite = was.max(-1, keepdim=True)
    stands_there = ((ids[:, None, :] == favourite) & mask[:, 0]).any(-1)
    looked_up = stands_there & (surest - small.gather(-1, favourite) > math.log(LOOKED_UP))[..., 0]
    knew = (surest[..., 0] >= sure.log()) | looked_up
    mixed = functional.log_softmax((1 - STUDENT_WEIGHT) * was + STUDENT_WEIGHT * small, -1)
    return torch.where(knew[..., None], was, mixed)


def rank_loss(wanted: torch.Tensor, said: torch.Tensor, asked: torch.Tensor) -> torch.Tensor:
    """Mean of the nats by which the favourite of `wanted` falls short of leading all others by `RANK_MARGIN` in `said`.

    wanted, said: logits [rows, length, vocabulary]; asked [rows, length]. (Margin ranking loss, as in Herbrich and others, 1999.)
    """
    is_favourite = torch.arange(said.shape[-1], device=said.device) == wanted.argmax(-1, keepdim=True)
    said = said.float()
    lead = said.masked_fill(~is_favourite, -torch.inf).amax(-1) - said.masked_fill(is_favourite, -torch.inf).amax(-1)
    return (functional.relu(RANK_MARGIN - lead) * asked).sum() / asked.sum()


def sure_from(batch: Batch) -> torch.Tensor:
    """From which probability on a favourite is left alone [rows, length]: any in a lesson."""
    return SURE * batch.prose + (SURE_IN_PATCHWORK - SURE) * batch.patchwork


def with_strangers(batch: Batch, small: nn.Module, generator: torch.Generator) -> Batch:
    """The batch with `STRANGE` of the tokens of its patchwork drawn anew, from what the small one expects there; all on one device."""
    chosen = batch.patchwork & (torch.rand(batch.ids.shape, generator=generator, device=batch.ids.device) < STRANGE)
    # What is drawn at a position stands at the next one. The first token of a document is expected by none, and stays.
    row, at = (chosen[:, :-1] & batch.mask[:, 0].diagonal(-1, 1, 2)).nonzero(as_tuple=True)
    if not len(row):
        return batch
    rows, of_rows = row.unique(return_inverse=True)
    with torch.no_grad(), torch.autocast(batch.ids.device.type, dtype=torch.bfloat16, enabled=_in_bf16(batch.ids)):
        expected = small(input_ids=batch.ids[rows], attention_mask=batch.mask[rows], use_cache=False).logits
    drawn = torch.multinomial(expected[of_rows, at].float().softmax(-1), 1, generator=generator)[:, 0]
    ids, targets = batch.ids.clone(), batch.targets.clone()
    ids[row, at + 1] = targets[row, at] = drawn
    return replace(batch, ids=ids, targets=targets)


def _in_bf16(ids: torch.Tensor) -> bool:
    return ids.device.type != "cpu" or CPU_MULTIPLIES_BF16


def loss_of(
    pair: Pair,
    was: nn.Module,
    ids: torch.Tensor,
    targets: torch.Tensor,
    mask: torch.Tensor,
    sure: torch.Tensor,
    written: torch.Tensor,
    *auxiliary: Any,
) -> torch.Tensor:
    """The sum of what both are asked, in nats per target token.

    The large one: KL(`target_distribution` || large), and the auxiliary loss as in `train.loss_of`. The small one: KL(large || small).
    Both: `RANK_WEIGHT` of the `rank_loss` on the favourites of that, and where the text was `written` by somebody [rows, length],
    `TEXT_WEIGHT` of its cross-entropy, or moving towards the one who knows less would be all loss. Each looks at the other as it is:
    nobody is made easier to follow, or to imitate, by the other's gradient. was: the large one as it was.
    """
    with torch.autocast(ids.device.type, dtype=torch.bfloat16, enabled=_in_bf16(ids)):
        with torch.no_grad():
            before = was(input_ids=ids, attention_mask=mask, use_cache=False).logits
        large = pair.large(input_ids=ids, attention_mask=mask, use_cache=False).logits
        small = pair.small(input_ids=ids, attention_mask=mask, use_cache=False).logits
    asked = targets != IGNORED
    wanted = target_distribution(before, small.detach(), ids, mask, sure)
    told = torch.where(written, targets, IGNORED).flatten()
    of_the_text = sum(
        functional.cross_entropy(said.flatten(0, 1).float(), told, ignore_index=IGNORED, reduction="sum") for said in (large, small)
    )
    loss = (
        TEXT_WEIGHT * of_the_text / asked.sum()
        + divergence(wanted, large, asked)
        + divergence(large.detach(), small, asked)
        + RANK_WEIGHT * (rank_loss(wanted, large, asked) + rank_loss(large.detach(), small, asked))
    )
    return loss + auxiliary_loss(large, asked, *auxiliary) if auxiliary else loss


class Together(Trainer):
    """A Trainer of two models, the small one faster than the large one. was: the large one as it was."""

    def __init__(
        self, pair: Pair, was: LlamaForCausalLM, lessons: Lessons, plan: Plan, compiled: bool = True, spelling: Spelling | None = None
    ) -> None:
        super().__init__(pair, lessons, plan, compiled=False, spelling=spelling)
        self.pair, self.was = pair, was.eval().requires_grad_(False)
        self.optimizers = Optimizers(pair.large, plan.muon_rate, plan.adam_rate, plan.weight_decay)
        self.optimizers.add(Optimizers(pair.small, STUDENT_RATE * plan.muon_rate, STUDENT_RATE * plan.adam_rate, plan.weight_decay))
        self._loss = torch.compile(loss_of, dynamic=False) if compiled else loss_of

    def loss(self, batch: Batch) -> torch.Tensor:
        """The loss of both."""
        generator = torch.Generator(self.device).manual_seed(self.step * workers()[1] + workers()[0])
        there = with_strangers(batch.to(self.device), self.pair.small, generator)
        auxiliary = self.auxiliary(there.to(torch.device("cpu")))
        written = there.prose & ~there.patchwork
        return self._loss(self.pair, self.was, there.ids, there.targets, there.mask, sure_from(there), written, *auxiliary)


def put_back(folder: Path) -> None:
    """Both models where they came from, with all that was read; their step is past the plans that they came from."""
    state = torch.load(folder / CHECKPOINT, map_location="cpu", weights_only=True)
    for part, name in (("large.", "storyteller"), ("small.", "storyteller-mini")):
        weights = {key.removeprefix(part): value for key, value in state["model"].items() if key.startswith(part)}
        path = folder / CHECKPOINTS[name]
        torch.save({"model": weights, "optimizers": [], "step": state["step"], "tokens": state["tokens"]}, path.with_suffix(".new"))
        os.replace(path.with_suffix(".new"), path)


def plan_of(folder: Path, steps: int = STEPS) -> Plan:
    """The schedule of this run: so many steps on from where the large one stood when it was first asked for, which is written down."""
    path = folder / BEGUN
    if not path.exists():
        step = torch.load(folder / CHECKPOINTS["storyteller"], map_location="cpu", weights_only=True)["step"]
        path.write_text(json.dumps({"step": step}))
    begun = json.loads(path.read_text())["step"]
    return replace(PLAN, begin=begun, steps=begun + steps, decay=min(PLAN.decay, 4 * steps // 5))


def twin_of(plan: Plan) -> Plan:
    """What the small one's twin without a teacher does meanwhile: it reads the same kinds of texts, at the small one's rate.

    But no patchwork: that is no text, and nobody tells the twin what to think of it.
    """
    return replace(plan, patchwork=0.0, muon_rate=STUDENT_RATE * plan.muon_rate, adam_rate=STUDENT_RATE * plan.adam_rate)


def begin(corpus: Path | None, folder: Path, plan: Plan) -> None:
    """Load both models and let them learn, from the large one's step on."""
    tokenizer = AutoTokenizer.from_pretrained(folder / "tokenizer")
    prose = Corpus(corpus)
    large, small = (load_checkpoint(folder / CHECKPOINTS[name], SHAPES[name], tokenizer) for name in ("storyteller", "storyteller-mini"))
    was = load_checkpoint(folder / CHECKPOINTS["storyteller"], SHAPES["storyteller"], tokenizer).to(device())
    pair = Pair(large, small).to(device())
    spelling = Spelling(tokenizer, known_words(prose)) if plan.spelling else None
    both = Together(
        pair.train(), was, Lessons(tokenizer, prose, plan.prose_share, seed=plan.seed, patchwork=plan.patchwork), plan, spelling=spelling
    )
    if (folder / CHECKPOINT).exists():
        both.resume(folder / CHECKPOINT)
    else:
        state = torch.load(folder / CHECKPOINTS["storyteller"], map_location="cpu", weights_only=True)
        both.step, both.tokens = state["step"], state["tokens"]
    print(f"{size_of(both)}, from step {both.step}, lessons {fingerprint()}", flush=True)

    def note(_: float | None) -> None:
        # What this phase asks is no loss on the text of its lessons, and the record holds no other.
        entry = growth.moment(pair.large, tokenizer, both.step, both.tokens, None, both.exam_loss())
        growth.append(folder / "growth.json", entry)

    run(both, folder / CHECKPOINT, note)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help="folder of plain text files")
    parser.add_argument("--run", type=Path, required=True, help="folder with checkpoint.pt and mini.pt")
    parser.add_argument("--steps", type=int, default=STEPS, help="how many steps both learn")
    parser.add_argument("--workers", type=int, default=1, help="processes that share the work, one thread each")
    arguments = parser.parse_args()
    plan = plan_of(arguments.run, arguments.steps)
    launch(partial(begin, arguments.corpus, arguments.run, plan), (arguments.run / CHECKPOINT).with_suffix(".pid"), arguments.workers)
    if finished(arguments.run / CHECKPOINT, plan):
        put_back(arguments.run)


if __name__ == "__main__":
    main()
