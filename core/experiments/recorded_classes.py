"""The classes that a file of a recorded experiment may contain, and the old names of classes and fields."""

from __future__ import annotations

# Every class that a file may contain, by module. A new experiment adds the classes that it yields.
_CLASSES = {
    "core.sampling.settings": "SamplingSettings",
    "core.engine.shape": "ModelShape",
    "core.engine.attention_layers": "AttentionLayers",
    "core.experiments.cache_race": "RaceStep",
    "core.experiments.sweep": "ComparisonStep SweepResult",
    "core.experiments.unread": "Unread",
    "core.experiments.candidate_sequence": "CandidateSequence BatchStep",
    "core.experiments.beam": "Beam BeamStep",
    "core.experiments.thinking": "PromptingStyle Question ReasoningStep Answered",
    "core.experiments.cache_budget": "MemoryBudget RecallTask CacheStep Answer PolicyOutcome",
    "core.experiments.context": "Spread LengthPoint LimitReached",
    "core.experiments.request": "RequestCost",
    "core.costs.receipt": "Receipt Assumptions",
    "core.costs.machine": "Peak",
    "core.experiments.batching": "PlannedRequest Served",
    "core.batching.scheduler": "Policy",
    "core.batching.request": "RequestState",
    "core.batching.server": "RequestProgress FinishedRequest Iteration",
    "core.experiments.batch_curve": "CurvePoint",
    "core.experiments.speculative": "DraftedToken SpeculativeRound PlainStep",
    "core.experiments.quantization": "Rounded PartDamage",
    "core.experiments.two_versions": "Version TwoVersions",
    "core.experiments.rounded_cache": "RoundedCache",
    "core.experiments.two_models": "ModelFigures TokenScore JudgedToken JudgedPart JudgedParts",
    "core.experiments.cascade": "CascadeToken CascadeScore",
    "core.experiments.student_report": "StudentReport",
    "core.experiments.waiting": "PhaseSpan Watched ServiceTimes LoadPoint",
    "core.experiments.teach": "Probe Ended Waiting",
    "core.experiments.scratch_training": "ScratchTrainingStep",
    "core.experiments.training_step": "StepComparison",
    "core.costs.training": "StepWork",
    "core.experiments.hidden_words": "HiddenPart HiddenWords",
    "core.experiments.ablated_heads": "AblatedHeads WithoutHeads",
    "core.experiments.traced_fact": "TracedFact",
    "core.experiments.logit_sum": "LogitSum",
    "core.inspection.attribution.logit_parts": "LogitPart",
    "core.experiments.steered_run": "SteeredRun",
    "core.finetuning.finetune": "TrainingPlan TrainingStep",
}
CLASSES = {name: module for module, names in _CLASSES.items() for name in names.split()}
RENAMED = {
    "Opinion": "TokenScore",
    "Stretch": "PhaseSpan",
    "LatencyTrace": "RequestCost",
    "Reader": "PlannedRequest",
    "CacheBlock": "CacheStep",
    "SchoolReport": "StudentReport",
    "Look": "Probe",
    "Growth": "ScratchTrainingStep",
}  # old names of classes in files
REMOVED = {"LatencyTrace": {"parts", "first_token", "total"}, "Assumptions": {"network_seconds"}}  # fields of old files that nothing reads
RENAMED_FIELDS = {
    ("Provenance", "unsaid"): "hidden_inputs",
    ("RecallTask", "told"): "text",
    ("Version", "odds"): "probabilities",
    ("Rounded", "odds"): "probabilities",
    ("Rounded", "full_odds"): "full_probabilities",
}  # old names of fields in files, by class
