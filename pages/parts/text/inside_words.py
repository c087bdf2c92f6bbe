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
LOOKED_AT_STEP = "Piece {place} of the text, {piece}: number {number} of those that the model wrote"
CONTENTS = {
    "pieces": "What does it read?",
    "meaning": "What do pieces mean?",
    "layers": "What does each layer say?",
    "attention": "Where does it look?",
    "settings": "What do the settings do?",
    "dice": "What do the dice decide?",
}
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
HEAT_WHOLE = "mean over heads, share of each layer's look; all {count} pieces"
HEAT_PART = "mean over heads, share of each layer's look; the first and the newest {newest} of {count} pieces"
HEAT_ALT = "One row per layer, one column per token: the darker, the larger its share of the look, on one scale for all layers."

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
    "A tale": "Once upon a time, there was a little cat named Tom. Tom put his ball under the old bed. The sun is shining today. A small "
    "bird is singing in the tree. The children play football near the river. "
    "Question: Where is Tom's ball? Answer: It is under the old bed.",
    "A twist": "Once upon a time, there was a little cat named Tom. Tom put his submarine under the tax office. The sun is shining today. "
    "A small bird is singing in the tree. The submarine was on holiday.",
    "Shuffled": "named cat little a was there, time a upon Once. the under ball his put Tom. bed old today shining is sun The.",
    "Another tongue": "Es war einmal ein kleiner Fuchs, der am Fluss wohnte. 昔々、あるところに小さな狐がいました。",
}
READ_OWN = "What it wrote"
TINTS = {"rank": "Its place", "probability": "How likely", "entropy": "How unsure"}
TINT_HELP = (
    "What the colour says: the place of each piece in the model's order, its probability, or how unsure the model was before it. "
    "Darker always means: less expected."
)
TINT_ENDS = {
    "rank": ("its favourite", "in its top 10", "in its top 100", "further down"),
    "probability": ("likely", "unlikely"),
    "entropy": ("sure before it", "unsure before it"),
}
STRIP_ALT = "The text, token by token, tinted by what the model expected."
CURVE = "Where was it surprised?"
CURVE_TERM = "surprise along the text, bits"
CURVE_ALT = "Surprise of every token along the text in bits."
STRANGE = "Most surprising"
SURE = "Most certain"
INSTEAD = "expected {piece}"
CURVE_CUT = "↑ Bars are cut at {most} bits; the highest stands for {highest}."
PERPLEXITY = "Perplexity"
BLIND = "blind guessing: {number}"
WORSE_THAN_BLIND = "Worse than blind guessing: it was sure of other things, and wrong."
PERPLEXITY_HELP = (
    "exp(−(ln p₁ + … + ln pₙ) / n) over the {count} scored pieces: the number of equal choices that would leave it as unsure. "
    "Whoever knows nothing chooses among all {size} pieces. "
    "Perplexities compare only between models that cut the text into the same pieces."
)
NLL = "Loss, nats"
NLL_HELP = "Negative log-likelihood: the mean of −ln p over the scored pieces, which training makes small. Perplexity is e to this power."
BITS = "Bits per byte"
UNPACKED = "unpacked: 8"
BITS_HELP = (
    "{bits} bits of surprise in all, divided by {bytes} bytes: what the text would take up if this model packed it ({character} bits per "
    "character). This compares fairly between any two models."
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
    "Nobody wrote rules into {name}. It read {read} pieces of text and guessed every next piece. {updates} times it was nudged a little, "
    "each time by the mean of about {each} guesses. Here it is at {count} moments on the way: written down while it learned, and not "
    "edited."
)
GROWING_OTHER = "Nobody kept such a record of {name}; this is {known}, the model that came with the app."
GROWING_NONE = "None of the models here has a record of how it grew up."
GROWING_ASKED = "Go on from"
GROWING_GUESSES = "What did it expect next?"
GROWING_GUESSES_TERM = "its five favourites, after so many pieces read"
GROWING_ALT = "One row for each moment of the training, its five likeliest next pieces in it, bluer when surer."
GROWING_HOW = (
    "Top: before it had read anything, every piece is as good as any other. Bottom: today. The bluer, the surer; **bold** is what it "
    "expects first today. Where there is one right end it should grow sure; where many are right, as with a die, it should stay pale."
)
GROWING_WROTE = "What did it write?"
GROWING_WROTE_TERM = "the same beginning, the same dice, every time"
GROWING_AGE = "Pieces read so far"
GROWING_THEN = "as it was after {age}, written down in its training"
GROWING_SURPRISE = "{bits} of surprise at every piece of its lessons, on average."
GROWING_SURPRISE_HELP = (
    "The training loss of that moment, divided by ln 2. It does not fall evenly, because the mixture of lessons was changed on the way. "
    "Choosing among all {size} pieces by chance would be {chance}."
)
LOSS = "How wrong was it, on average?"
LOSS_TERM = "loss, nats per piece"
LOSS_LESSONS = "text it learned from"
LOSS_HELD_OUT = "text it never learned from (held out)"
LOSS_ALT = "One dot for each moment of the training: the mean negative log-likelihood of a piece, in nats."
LOSS_SAYS = (
    "Choosing blindly among all {size} pieces would be {blind}. "
    "It does not fall evenly, because the mixture of texts was changed on the way."
)
LOSS_NOT_HELD_OUT = "Measured on the text of that moment; text held out from the training was not measured along the way."
SOURCES = "What did it read?"
SOURCES_TERM = "training data, from the model's card"
GROWING_TIPS = (("rank", "place"), ("read", "after"))
