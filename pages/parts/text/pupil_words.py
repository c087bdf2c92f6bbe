"""The longer texts of the page about a small model beside a large one."""

TITLE = "A pupil and a teacher"
TERM = "model size, distillation"
LEAD = (
    "Two models on the same words. One writes, the other says of every piece how far it had expected it. A smaller model is faster and "
    "less clever; one that learnt from the large one's odds comes surprisingly near."
)
LARGE, SMALL = "Teacher", "Pupil"
LARGE_HELP, SMALL_HELP = "The larger of the two.", "The smaller of the two. The bundled mini learnt from the bundled storyteller's odds."
WRITER = "Who writes"
LENGTH = "Tokens"
START, AGAIN, STOP = "Write and judge", "Once more", "Stop"
FIRST = "Press the button: one writes with your settings and dice, and both say what they think of every piece."
ONLY_ONE = "Only one model is here. Fetch another one on the Models page."
TEXT = "The text, piece by piece"
TEXT_TERM = "surprise of both, bits"
EXPECTED = "{name} expected it more"
BELOW = "Below each piece: how surprised {writer} · {judge} was, in bits."
WROTE, JUDGES = "{name} writes", "{name} judges"
CARD = "{name}: {share}, {bits}, its choice no. {rank}"
CARD_FAVOURITE = "favourite of {name}: {piece}"
ODDS = "One place, both odds"
ODDS_TERM = "next-token distributions, before any setting"
PLACE = "Place in the text"
PLACE_HELP = "Which piece's odds are shown. At first the place where the two differ most."
SHARED = "{share} of their odds are the same here (overlap). How unsure they are: {writer} and {judge} (entropy)."
SURPRISES = "Surprise along the text"
SURPRISES_TERM = "up: {writer}, down: {judge}"
FIGURES = "In figures"
FIGURES_TERM = "measured, unless it says computed"
AGREED = "Same favourite at **{same} of {count}** places ({share}); on average {overlap} of their odds are the same."
ROWS = {
    "parameters": "parameters",
    "bits": "surprise at this text, a token",
    "speed": "time for a token · tokens a second",
    "bytes": "weights",
    "cache": "notepad for this text (computed)",
    "work": "multiply-adds for a token (computed)",
}
OWN_TEXT = (
    "The text is {writer}'s own, so it has the easier part: the fair question is how much more surprise {judge} has. Here it is "
    "{more} more a token."
)
OWN_TEXT_LESS = "Here {judge}, who did not write the text, is even less surprised than {writer}, by {more} a token."
PARTS = "The text, part by part"
PARTS_TERM = "surprise per character"
PARTS_WHY = (
    "The two cut text into different tokens. So only parts are compared at whose ends both have an end, by the character: {writer} needs "
    "{mine} a character, {judge} {theirs}."
)

CASCADE = "Let the small one answer, unless it is unsure"
CASCADE_TERM = "cascade"
CASCADE_LEAD = (
    "Wherever the small one's odds are spread wider than this, the large one takes over for that piece. Three texts with the same dice: "
    "both together, the small one alone, the large one alone."
)
THRESHOLD = "Asks the large one above"
THRESHOLD_HELP = "Bits of entropy of the small one's odds: 0 is dead sure, 1 is like a coin, 3 like a die with eight sides."
CASCADE_START, CASCADE_AGAIN = "Write all three", "Once more"
CASCADE_FIRST = "Press the button: each of the three texts grows by one piece in turn."
TOGETHER, ALONE_SMALL, ALONE_LARGE = "Together", "{name} alone", "{name} alone"
BY_LARGE, BY_SMALL = "written by the large one", "written by the small one"
TAKEN_OVER = "here the large one took over"
CASCADE_HEAD = "| | by the small one | large one's surprise, a token | multiply-adds (computed) | time of the passes |"
CASCADE_VERDICT = (
    "The small one wrote **{share}** of the pieces, with **{work}** the multiply-adds of the large one alone and **{time}** the time of "
    "its passes."
)
CASCADE_WHY = (
    "Quality here is what the large one makes of the text: less surprise is nearer to what it would have said itself. The large one has to "
    "read what was written meanwhile, in one pass, so its work does not vanish with its turns."
)
NEEDS_SAME = "These two cut text into different tokens, so neither can go on for the other."

SCHOOL = "What it learnt"
SCHOOL_TERM = "facts, perplexity, agreement"
SCHOOL_START, SCHOOL_AGAIN = "Examine them", "Once more"
SCHOOL_FIRST = "Press the button: each is asked {count} facts, and reads a short story that stands in no lesson."
SCHOOL_HEAD = "| | size | facts right | perplex\u00adity of the story | teacher's favourite kept | diver\u00adgence (KL, nats) |"
SCHOOL_WHY = (
    "Facts in the words of the bundled models' lessons, right where every piece of the answer is the favourite. The story was written for "
    "this page."
)
TWIN = (
    "**{twin}** has the pupil's size and read the same texts, without a teacher: the difference between the two is what the teacher's odds "
    "gave."
)
NO_TWIN = (
    "What the teacher gave would show beside a twin of the same size that learnt from the texts alone. No such model is bundled yet; "
    "`python -m core.training.distill --alone` trains it."
)
STORY = (
    "Once upon a time, there was a little mouse who lived in an old house. One day, the mouse was very hungry. It looked for food in the "
    "kitchen, but a big cat was sleeping under the table. The mouse was scared. It walked slowly and took a small piece of bread. Then the "
    'cat opened its eyes and smiled. "Do not be afraid," said the cat. "I am not hungry. Do you want to play with me?" The mouse was '
    "happy, and they played all day. From that day on, they were best friends."
)
FACTS = 60
