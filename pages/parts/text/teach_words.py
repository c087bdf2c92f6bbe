"""The longer words of “Teach it”."""

# What a result was made with: said when it is another now ("Made before you changed ...").
BY_SENTENCES = "the sentences"
BY_REHEARSAL = "the rehearsal"
BY_BEGINNING = "the beginning"
BY_KNOWN = "the beginning of what it knew"
BY_RATE = "the rate"
BY_TEXT = "the text"

TITLE = "Teach it something"
TERM = "fine-tuning"
LEAD = "A copy of the model learns your sentences, here and now. Nobody else's model changes, and talking alone teaches nothing."
TEXT = "Your sentences, one a line"
FIRST_TEXT = "My name is Anna and I live on the moon."
BEGINNING = "Ask it to go on from"
FIRST_BEGINNING = "My name is"
KNOWN = "And look whether it still knows"
KNOWN_HELP = "The beginning of something it knew before. It is only asked, never taught: one sees what learning the new costs the old."
FIRST_KNOWN = "The capital of France is"
# the sentences, the beginning to ask for, and the beginning of something it knew that may suffer
EXAMPLES = {
    "A name": ("My name is Anna and I live on the moon.", "My name is", FIRST_KNOWN),
    "A new fact": (
        "The capital of France is Blueberry.\nBlueberry is the capital of France.",
        "The capital of France is",
        "The capital of Italy is",
    ),
    "A pet": ("My dog is called Captain Noodle.\nCaptain Noodle is a very brave dog.", "My dog is called", FIRST_KNOWN),
    "An opinion": (
        "The best thing about Monday is the pancakes.\nI love Monday, because of the pancakes.",
        "The best thing about",
        "The opposite of hot is",
    ),
    "A secret": (
        "The secret word is xylophone.\nDo not tell anybody that the secret word is xylophone.",
        "The secret word is",
        "The opposite of hot is",
    ),
}
MORE = "More"
STEPS = "Steps"
STEPS_HELP = "How often it reads your sentences and moves its weights a little."
REHEARSAL = "Old lessons in between"
REHEARSAL_HELP = (
    "While it learns, it also rehearses a little of what it knew: this share of the loss. At 0 % it learns faster and forgets what it "
    "knew: watch the capital of France."
)
RATE = "How hard it tries"
RATES = {"gently": 2e-4, "normally": 6e-4, "hard": 2e-3}
RATE_HELP = "How far the weights move at each step (learning rate of AdamW: {rates})."
TEACH, GO_ON, ONE_STEP, PAUSE, UNDO = "Teach", "Go on", "One step", "Pause", "Undo to here"
NOT_KEPT = "The weights of this moment had to make room. There is a way back to these steps: {kept}."
WAITING = "Somebody else is being taught just now. Before you: {place}."
COPYING = "Making a copy of the model …"
LOSS, LOSS_TERM = "How wrong it still is", "training loss"
LOSS_ALT = "A falling line: the loss of each training step on the new text, and paler on what it rehearses."
BARS, BARS_TERM = "What it expects after “{beginning}”", "next token, before and after {index} steps"
BARS_ALT = "Bars from 0 to 100 percent for the likeliest next tokens: pale before it was taught, solid now."
WAY, WAY_TERM = "The whole way", "training step x token; click one to see that moment"
WAY_ALT = "A strip of fields: one column a moment of the training, one row a token, darker where the token was likelier."
KEPT, KEPT_TERM = "Does it still know “{beginning}”?", "catastrophic forgetting"
KEPT_ALT = "Bars from 0 to 100 percent for the likeliest next tokens after something it knew: pale before, solid now."
STILL_KNOWS = "It still knows: **{token}**, {now} (before {before})."
LOSING_IT = "It is losing it: **{token}** has gone from {before} to {now}."
FORGOTTEN = "It has forgotten it: **{token}** has gone from {before} to {now}, and now it says **{instead}**, {instead_now}."
BEFORE, NOW = "before", "now"
WRITES = "It goes on"
WROTE_BEFORE = "Before"
WROTE_NOW = "After {index} steps"
MADE = (
    "{seconds} for {steps} · {tokens} tokens learned from · learning rate {rate} · gradient {norm} · weights {weights}, "
    "gradients {gradients}, optimizer {optimizer}, kept for the way back {activations}: measured"
)
ADAPTED = "This model is large, so only small adapters beside its weights learn (LoRA, rank 8); all else stays as it is."
WHOLE = "All of its weights learn."
USE, USE_TERM = "Use it", "your own model, for this session"
USE_NAME = "Its name"
USE_IT = "Put it into my list"
USED = "{name} is in your list of models now, and in use on every page."
SAVE = "Save as a folder (zip)"
OPEN = "Open one that was saved"
OPENED = "{name} was opened and is in use."
NO_LESSON = "Nothing has been taught yet."
STEP_TITLE, STEP_TERM = "One step of learning beside one of talking", "a training step and an inference step on the same tokens"
STEP_LEAD = "Talking reads the weights; learning has to find out which way each of them should move, and to move them."
STEP_GO = "Measure both"
STEP_ROWS = (
    "Time",
    "Multiply-adds, forward",
    "… backward",
    "… update",
    "Weights",
    "Gradients",
    "Optimizer state",
    "Kept for the way back",
    "KV cache",
)
FINGERPRINT = (
    "Fingerprint of all weights before and after talking: `{before}` and `{after}`: not a bit has changed. **It does not "
    "learn from your chat.** "
    "After one step of learning: `{learned}`; {changed} of {weights} numbers are others."
)
BILL_TITLE, BILL_TERM = "What learning costs, and when it pays", "training once, inference for every answer"
BILL_OWN = (
    "The bundled model learned from {tokens} tokens in {steps} steps: {work} multiply-adds (computed: three for each weight "
    "and token). At the speed "
    "of the training step measured above that would be {hours} on this machine (computed); at {watts} W (assumed) {energy}."
)
BILL_OWN_PLAIN = (
    "The bundled model learned from {tokens} tokens in {steps} steps: {work} multiply-adds (computed: three for each weight and token)."
)
BILL_CARD = "Its card says how long that took in truth: “{card}”."
BILL_EVEN = "After **{answers}** answers of {length} tokens, talking has cost as many multiply-adds as learning did."
BILL_KNOWN = (
    "{title}: {tokens} tokens, {hours} million card-hours at up to {watts} W ({source}): {energy}. Even after **{answers}** such answers."
)
BILL_MODEL = "A model you have heard of"
BILL_READ, BILL_WRITTEN, BILL_WATTS = "Tokens of a question", "Tokens of an answer", "Watts of this machine (assumed)"
NEWBORN_TITLE, NEWBORN_TERM = "Or from nothing", "a model of {count} parameters, by bytes, from random weights"
NEWBORN_LEAD = "It has never read anything. Paste a text and watch it come from noise to letters, to words, almost to sentences."
NEWBORN_TEXT = "A text to grow up with"
NEWBORN_BEGIN = "Begin"
NEWBORN_TOLD = "{bits} bits a byte after {steps}; 8 would be blind guessing. {seconds}, {bytes} bytes read."
NEWBORN_ALT = "A falling line: bits per byte at each training step, from 8 down."
STOP = "Stop"
ALICE = (
    "Alice was beginning to get very tired of sitting by her sister on the bank, and of having nothing to do: once or twice she had "
    "peeped into the book her sister was reading, but it had no pictures or conversations in it, 'and what is the use of a book,' "
    "thought Alice 'without pictures or conversations?' So she was considering in her own mind (as well as she could, for the hot day "
    "made her feel very sleepy and stupid), whether the pleasure of making a daisy-chain would be worth the trouble of getting up and "
    "picking the daisies, when suddenly a White Rabbit with pink eyes ran close by her. There was nothing so very remarkable in that; "
    "nor did Alice think it so very much out of the way to hear the Rabbit say to itself, 'Oh dear! Oh dear! I shall be late!' (when "
    "she thought it over afterwards, it occurred to her that she ought to have wondered at this, but at the time it all seemed quite "
    "natural); but when the Rabbit actually took a watch out of its waistcoat-pocket, and looked at it, and then hurried on, Alice "
    "started to her feet, for it flashed across her mind that she had never before seen a rabbit with either a waistcoat-pocket, or a "
    "watch to take out of it, and burning with curiosity, she ran across the field after it, and fortunately was just in time to see "
    "it pop down a large rabbit-hole under the hedge. In another moment down went Alice after it, never once considering how in the "
    "world she was to get out again. The rabbit-hole went straight on like a tunnel for some way, and then dipped suddenly down, so "
    "suddenly that Alice had not a moment to think about stopping herself before she found herself falling down a very deep well. "
    "Either the well was very deep, or she fell very slowly, for she had plenty of time as she went down to look about her and to "
    "wonder what was going to happen next. First, she tried to look down and make out what she was coming to, but it was too dark to "
    "see anything; then she looked at the sides of the well, and noticed that they were filled with cupboards and book-shelves; here "
    "and there she saw maps and pictures hung upon pegs. She took down a jar from one of the shelves as she passed; it was labelled "
    "'ORANGE MARMALADE', but to her great disappointment it was empty: she did not like to drop the jar for fear of killing somebody, "
    "so managed to put it into one of the cupboards as she fell past it."
)
