"""The bias of a token on Watch: a text becomes tokens, with and without the space before it."""

from __future__ import annotations

import math
from pathlib import Path

from core import load_model
from pages.watch.token_bias import described, forms_of
from tests import tiny_models
from tests.pages.apptest import Open, State, press, said, show_more


def test_a_word_that_is_no_bar_is_excluded_before_it_comes(open_app: Open, session: State) -> None:
    app = open_app(prompt="The old king")
    show_more(app)
    app.session_state["bias"] = True
    app.run()
    app.text_input(key="bias_text").set_value("dragon").run()
    assert "“␣dragon” is one token." in said(app)
    press(app, "bias_never")
    model = session(app).run.model
    (token,) = (token for token in model.tokenize(" dragon") if not token.special)
    assert dict(session(app).run.settings.biases) == {token.token_id: -math.inf}


def test_both_forms_of_a_text_are_shown_with_their_tokens() -> None:
    model = load_model("storyteller-mini")
    forms = forms_of(model, " grandmother ")
    assert ["".join(token.text for token in form) for form in forms] == [" grandmother", "grandmother"]
    assert all(str(len(form)) in described(form) or len(form) == 1 for form in forms)
    assert forms_of(model, "  ") == []


def test_a_sentencepiece_tokenizer_has_both_forms_too(tmp_path: Path) -> None:
    """It puts a space before the first word of a text, so a word alone is never without one."""
    model = load_model(tiny_models.save("llama", tmp_path / "llama"), device="cpu")
    assert [[token.piece for token in form] for form in forms_of(model, "upon")] == [["␣upon"], ["upon"]]
