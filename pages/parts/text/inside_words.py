"""The longer words of “Inside one step” and “Read a text”: plain, warm, exact."""

from __future__ import annotations

REST = "everything else"

TITLE = "How does one piece come about?"
TERM = "inside one step"
LEAD = (
    "Follow one piece through the model, from letters to dice. Everything below was computed just now by the model itself, "
    "for the very step you are looking at on Watch."
)
LOOKED_AT_COMING = "The piece to come, after these {count} pieces"
LOOKED_AT_STEP = "Piece {number}, {piece}, and the {count} pieces before it"
REPLAY_ELSEWHERE = (
    "This is a recording made with {name}. To look inside its steps, choose that model at the left; "
    "its odds and its dice are shown all the same."
)
AGREES = "This took {time}, in passes of its own; writing does not wait for it."

PIECES = "What does the model read?"
PIECES_TERM = "tokens"
PIECES_LEAD = "Not letters and not words, but pieces, and each piece is only a number to it. Type, and watch the pieces form."
PIECES_LABEL = "Type something"
PIECES_EXAMPLES: dict[str, str] = {
    "strawberry": "How many r are there in strawberry?",
    "a rare name": "Siobhán Przybyszewska met Bob.",
    "spaces and lines": "one  two\n\n\tthree",
    "a fox": "The fox 🦊 said 你好!",
    "numbers": "1 12 123 1234 12345",
}
PIECES_WHY = (
    "Frequent words have a piece of their own; rare ones are put together from smaller pieces, down to single bytes. So the model never "
    "sees the letters of a word, only numbers; that is why counting the r in *strawberry* is hard for it."
)
PIECES_ALT = "The text cut into tokens; hover shows number and bytes."
PIECES_NONE = "Nothing to cut yet."
PIECES_OTHER = "Beside it, as another model cuts it"
PIECES_SAME = "{name} cuts it in just the same way."
NOBODY = "choose a model"

MEANING = "What does a piece mean to it?"
MEANING_TERM = "embeddings"
MEANING_LEAD = "The model looks the number up in a table and finds a list of {size} numbers. Pieces used alike have lists alike."
MEANING_PICK = "Piece"
VECTOR = "The list of {piece}"
VECTOR_TERM = "vector of {count} numbers, faint is low, strong is high"
VECTOR_ALT = "Every number of the vector as a small field, from faint (low) to strong (high)."
NEAR = "Who is near?"
NEAR_TERM = "cosine similarity"
NEAR_ALT = "The tokens with the most similar vectors, with the cosine from 0 to 1."
MAP = "A map of its words"
MAP_TERM = "PCA of the embeddings"
MAP_ALT = "Tokens of the text among familiar words on a plane; near means alike."
MAP_KEPT = "A plane keeps {share} of the differences between these lists; the rest had to be flattened."
FAMILIAR = (
    *(
        "dog",
        "cat",
        "bird",
        "fish",
        "bear",
        "fox",
        "mouse",
        "horse",
        "dragon",
        "mom",
        "dad",
        "mother",
        "father",
        "boy",
        "girl",
        "king",
        "queen",
    ),
    *("red", "blue", "green", "yellow", "one", "two", "three", "four", "happy", "sad", "angry", "big", "small", "little", "house", "tree"),
    *("river", "sea", "forest", "sun", "moon", "run", "jump", "walk", "eat", "said", "asked", "was", "is", "the", "a", "he", "she", "they"),
)

LAYERS = "What would it say after each layer?"
LAYERS_TERM = "logit lens"
LAYERS_LEAD = (
    "The lists flow through {count} layers. Here each layer is asked early: its list goes straight to the model's own exit. "
    "The last layer is the real answer."
)
LAYERS_ALT = "One row per layer, its five favourite next tokens, tinted by probability."
FAVOURITES = "The five favourites of each layer"
FOLLOW = "One piece on its way"
FOLLOWED_ALT = "Probability of one token after every layer, 0 to 100 percent, with its rank."
GAZE = "Which pieces did it look at?"
GAZE_TERM = "attention"
GAZE_LEAD = (
    "To guess the next piece, the last one looks back. The stronger its tint, the more of the look went to a piece; the most was {most}."
)
GAZE_ALT = "The text; the stronger the tint of a token, the more attention it got."
GAZE_SINK = "Much of it often rests on the first piece: that is where heads look when they find nothing to look for."
GAZE_LAYER = "Layer"
GAZE_HEAD = "Head"
GAZE_ALL = "all"
GAZE_MEAN = "all heads, on average"
HEAT = "Layer by layer"
HEAT_TERM = "mean over heads; the newest {count} pieces"
HEAT_ALT = "One row per layer, one column per token: the stronger, the more attention."

STAGES = "What do the settings do to the odds?"
STAGES_TERM = "sampling stages"
STAGES_LEAD = (
    "Pale is before, deep is after. Move a slider at the left: this acts at once, for the model need not be asked again. "
    "Hover a bar for the arithmetic."
)
STAGES_ALT = "Bars of the likeliest tokens before (pale) and after (deep) this stage, 0 to 100 percent."
STAGES_OFF = "All settings are off: the dice use the model's own odds as they are."
STAGE_NAMES = {
    "model": "The model's own odds",
    "repetition penalty": "Hold back repetition",
    "temperature": "Warm up or cool down",
    "top-k": "Only the k likeliest",
    "top-p": "Cut the unlikely tail",
    "min-p": "Cut what is far behind",
    "typical-p": "Only the typical",
    "greedy": "Only the favourite",
}

DICE = "What do the dice decide?"
DICE_TERM = "sampling"
DICE_LEAD = "The odds become pieces of a strip from 0 to 1; one number falls on it. What if it had fallen again?"
DICE_GREEDY = "Greedy is on: the favourite is taken and no dice are thrown. Switch it off at the left to roll."
DICE_FREE = "The first roll is the one that the text itself gets. However often you roll, the text does not change."
TALLY = {
    "hundred": "Roll 100 times",
    "thousand": "Roll 1,000 times",
    "sweep": "Sweep away",
    "count": "{n} rolls",
    "before": "Colour: what to expect. Dark: what came. The line: how far luck usually reaches.",
    "told": "{within} of {all} came as close as luck usually allows. The more rolls, the closer.",
}
TO_WATCH = "Back to Watch"
TO_INSIDE = "How did this piece come about?"

READ_TITLE = "Read a text with the model's eyes"
READ_TERM = "forced scoring"
READ_LEAD = "The model writes nothing here. At every piece of a given text it says what it expected, and how surprised it is."
READ_MODES = {"one": "One text", "texts": "Two texts", "models": "Two models"}
READ_LABEL = "The text to be read"
READ_SECOND = "The text beside it"
READ_HELP = "Paste or write a text, then press Ctrl + Enter."
READ_OTHER = "The other model"
READ_ONE_MODEL = "There is only one model here. Add another one under Models, or compare two texts."
READ_EXAMPLES: dict[str, str] = {
    "A tale": "Once upon a time, there was a little fox who lived near the river. Her name was Ruby. One day, Ruby could not find her "
    "red hat. She looked under the bed and behind the door, but the hat was not there.",
    "A twist": "Once upon a time, there was a little fox who lived near the river. Her name was Ruby. One day, Ruby could not find her "
    "submarine. She looked under the bed and behind the tax office, but the submarine was on holiday.",
    "Shuffled": "river the near lived who fox little a was there, time a upon Once. Ruby was name Her. hat red her "
    "find not could Ruby, day One.",
    "Another tongue": "Es war einmal ein kleiner Fuchs, der am Fluss wohnte. 昔々、あるところに小さな狐がいました。",
}
READ_OWN = "What it wrote"
TINTS = {"rank": "Its place", "probability": "How likely", "entropy": "How unsure"}
TINT_HELP = "What the colour says: the place of each piece in the model's order, its probability, or how unsure the model was before it."
RANKS = ("its favourite", "in its top 10", "in its top 100", "further down")
STRIP_ALT = "The text, token by token, tinted by what the model expected."
CURVE = "Where was it surprised?"
CURVE_TERM = "surprise along the text, bits"
CURVE_ALT = "Surprise of every token along the text in bits."
STRANGE = "Most surprising"
SURE = "Most certain"
INSTEAD = "expected {piece}"
PERPLEXITY = "Equal choices :gray[:small[perplexity]]"
PERPLEXITY_HELP = (
    "exp(−(ln p₁ + … + ln pₙ) / n) over the {count} scored pieces: the number of equal choices that would leave it as unsure. "
    "Perplexities compare only between models that cut the text into the same pieces."
)
BITS = "Bits per character"
BITS_HELP = (
    "{bits} bits of surprise in all, divided by {characters} characters: what the text would take up if this model packed it. "
    "This compares fairly between any two models."
)
COUNTED = "{count} pieces, {scored} of them scored"
COUNTED_HELP = "The first piece has nothing before it, so there was nothing to guess it from."
READING = "Reading: {done} of {total} pieces"
STRIDES = "Longer than the {window} pieces this model can hold: read in windows that move on by {stride}."
PART = "Part of the text"
PART_NAME = "pieces {first} to {last}"
TOO_SHORT = "One piece alone cannot be scored: there is nothing before it to guess from. Write a little more."
CSV = "Save as CSV"
FIRST_PIECE = "nothing stood before it"

GROWING = "How did it learn to speak?"
GROWING_TERM = "training"
GROWING_LEAD = (
    "Nobody wrote rules into {name}. It read {read} pieces of text, guessed every next piece, and was nudged a little after every guess. "
    "Here it is at {count} moments on the way: written down while it learned, and not edited."
)
GROWING_OTHER = "Nobody kept such a record of {name}; this is {known}, the model that came with the app."
GROWING_NONE = "None of the models here has a record of how it grew up."
GROWING_ASKED = "Go on from"
GROWING_GUESSES = "What did it expect next?"
GROWING_GUESSES_TERM = "its five favourites, after so many pieces read"
GROWING_ALT = "One row for each moment of the training, its five likeliest next pieces in it, bluer when surer."
GROWING_HOW = (
    "Top: before it had read anything, every piece is as good as any other. Bottom: today. The bluer, the surer; **bold** is what it "
    "expects first today. Some answers stay pale for ever, and rightly so: nobody can know how a die will fall."
)
GROWING_WROTE = "What did it write?"
GROWING_WROTE_TERM = "the same beginning, the same dice, every time"
GROWING_AGE = "Pieces read so far"
GROWING_SURPRISE = "{bits} of surprise at every piece of its lessons, on average."
GROWING_SURPRISE_HELP = (
    "The training loss of that moment, divided by ln 2. It does not fall evenly, because the mixture of lessons was changed on the way. "
    "Choosing among all {size} pieces by chance would be {chance}."
)
GROWING_TIPS = (("rank", "place"), ("read", "after"))
