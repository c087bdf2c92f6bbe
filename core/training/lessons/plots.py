"""The frame of the stories: how they begin and end, and what may be asked of them. What happens in between is in storylines.

Slots: {n} {kind} {he} {his} {him} the hero; {f} {fkind} {fhe} {fhis} {fhim} the friend who helps; {col} {thing} a thing of one colour;
{place} {home} two places; {where} a hiding place; {food}; {grown} an older person, {ghe} {gher} the words for that person; {trait}; {good}
and {bad} feelings; {time} "one day". A thing that is named early comes back later with the same colour: that is what the stories teach.
"""

from __future__ import annotations

from core.training.lessons.grammar import beats

OPENINGS = beats("""
Once upon a time, there was a [little|little|little|small|young|{trait}] {kind} named {n}.
Once upon a time, there was a [little|little|small|{trait} little] {kind} called {n}.
Once upon a time, there was a little {kind}. [{His}|The {kind}'s] name was {n}[, and {he} lived near {home}|, but most people said "little {n}"|].
Once upon a time, a [little|small|{trait}] {kind} named {n} lived [near|close to|not far from] {home}.
Once there was a {trait} {kind} [called|named|whose name was] {n}.
Once, in a [small|quiet|faraway|busy] [town|village|valley|land], there lived a {kind} named {n}.
There was once a {trait} {kind} [named|called] {n}.
A [little|small|young|{trait}] {kind} [named|called] {n} lived [near|beside|close to] {home}.
[Long ago|Many years ago|A long time ago], a {trait} {kind} named {n} lived near {home}.
{n} was a [little|small|young|{trait}|{trait} little] {kind}.
{n} was a {kind} who [lived near|loved|often played at|went every day to] {home}.
In a [little|small|yellow|red|white] house near {home} lived a {kind} named {n}.
[Far away|Not far from here|In a warm country|In a cold country|On a green hill], there lived a {trait} {kind} [named|called] {n}.
This is the story of {n}, a {trait} {kind}.
Once upon a time, there was a [little|small|{trait}] {kind} who lived [by|near|beside|next to] {home}. [{His} name was {n}.|Everybody called {him} {n}.]
Once upon a time, in a [faraway|small|quiet|warm] [land|town|village|valley], there was a {kind} [named|called] {n}.
Once upon a time, there was a {trait} {kind} who [loved {food}|could not {skill}|had a {col3} {cloth}|was never {bad}]. [{His} name was {n}.|Everybody called {him} {n}.]
A long time ago, when [animals could still talk|the moon was young|the {tree} was no higher than a {thing3}], there was a {kind} [named|called] {n}.
Nobody near {home} was as {trait} as {n} the {kind}.
{n} the {kind} lived [by|near|next to] {home} with {his} {grown}.
""")[0]

MIDDLES = beats("""
{He} was always {trait3}.
{He} loved [to play|to sing|to run|to laugh|to explore|to help|to dance|to listen to stories|to look at the stars|to make new friends].
{n} liked {food} more than anything else.
{n} had a good friend, a {fkind} named {f}.
{His} best friend was a {fkind} [named|called] {f}.
[Every morning|Every day|Every evening|On sunny days], {he} [went for a walk|sang a little song|looked out of the window|played near {home}].
Everybody [liked|knew] {n} because {he} was so {trait3}.
{n} lived with {his} {grown} [and {num} birds|and a {wrong}|near {place2}|in a {col2} house].
Every morning, the {kind} went [down|out|over] to {home} [to drink|to swim|to play|to look at the {flowers}|with {his} {grown}].
{n} had [{num} brothers|a {col3} {cloth}|a bed under the {tree}|a house full of {flowers}].
[Most of all|On {day}s|After {food}], {n} liked to {skill}.
[On {day}s|In {season}|When it rained], {n} [ate {food}|drank {drink}|went to {place2}] with {his} {grown}.
-
-
-
""")[0]

TIMES = """one day|one morning|one evening|one afternoon|one sunny day|one rainy day|one cold morning|on Monday|on Saturday|one summer day|one windy
day|one snowy morning|on a warm day|last week|after breakfast|before lunch|early in the morning|late in the afternoon""".replace(
    "\n", " "
).split("|")

ENDINGS = beats("""
From that day on, {n} and {f} were [best friends|good friends|always together].
And they lived happily ever after.
{n} and {f} [laughed|smiled|hugged] and went home together.
That night, {n} slept very well.
{n} was [very|so] {good}.
"[Thank you|Thank you so much|You are a true friend], {f}," said {n}. {f} smiled.
{n} [learned|had learned] that [it is good to ask for help|friends help each other|small things can matter a lot|it is never too late to try again|sharing makes people happy|it is good to be kind].
It was the best day of [the week|the year|the summer|{his} life].
[In the evening|At home|At dinner|On {day}], {n} told {his} {grown} the whole story[| over some {food}| in {num} minutes]. {Ghe} [laughed|listened] and [gave {him} some {drink}.|said, "Well done, {n}!"|put down the {thing3}.]
And to this day, {n} [smiles|laughs] when {he} thinks of it.
They ate {food} together, and everyone was {good}.
The sun went down, and {n} and {f} walked home.
[Pass|Go to|Visit] {place} on a {day}[ in {month}| in {season}|, with a {thing3}], and you may [see|meet|hear] {n}[| in a {col2} {cloth}| and {num} friends].
{n} wrote it all down in a {col2} book.
"[See you on {day}|Good night|Until tomorrow], {f}," said {n}.
That was {num} years ago, and {n} still [remembers it|tells it to everybody|talks about it].
{n}'s {grown} [made|brought|ate] {food2} and [heard all about it|asked {num} questions|was {good}].
"[What a day|And that was only {day}|Now I want some {food2}]!" said {n} [in bed|and took off {his} {cloth}|to the {thing3}].
From then on, {f} [came every {day}|kept a {thing3} for {n}|knew the way to {n}'s house], and {n} [was never {bad} for long|had a second {thing2}|always had some {food2}].
Only the {folk} [never heard of it|still wonders what happened|knows where they went after that].
The end.
""")[0]

# What may be told between two beats of any plot, whatever happens: nothing depends on it. It keeps the beats from being learned as one piece.
ASIDES = beats("""
The air smelled of {food2} [and {flowers}|and rain|that day].
Somewhere [a bell|a clock|a {rival}] could be heard, {num} times.
A {col3} [bird|butterfly|balloon|leaf] flew [past {n}|over {place2}|by].
A {wrong} [with a {thing3}|from {place2}|in a {col3} {cloth}] [looked on|waved to {n}|walked by and said nothing].
It was [{num} o'clock|a quiet {day}|a {col3} kind of {day}|{season}, and {n} could feel it].
{n} [hummed a song|took a deep breath|scratched {his} nose|hopped on one leg] [{num} times|and thought of {food2}|without knowing why].
Nobody [said a word|moved], not even the {folk} [with the {thing3}|from {place2}|under the {tree}].
Far away, near {place2}, somebody [played a {col3} drum|laughed|called a {wrong}|sang about {food2}].
And now, [you will not believe it|listen well|hold on to your {thing3}].
{n} wore a {col3} {cloth} that day[, with {num} buttons|, and one sleeve was wet|].
A cloud [like a {thing3}|as big as {place2}|in the shape of a {rival}] [went by|hung over the {tree}|covered the sun].
{His} {grown} always said, "[First {food2}, then everything else|Look twice, {n}|{Num} heads are better than one]."
The light was [{col3}|soft|warm|as yellow as {drink}], and the {tree} [moved a little|stood still|threw a long shadow].
[What a {day}|What a {season}]!
{n} [had {food2} for breakfast|had forgotten {his} {thing3}|had slept {num} hours], and [it helped|that was a good thing|you could see it].
Behind the {tree}, {num} [ants|snails|sparrows|mice] [carried a crumb|held a meeting|looked at the {flowers}].
[Plop|Crack|Bang|Ding]! [Only a {thing3} fell down.|It was only the {folk}.|A {wrong} had sneezed.]
From there it is {num} [steps|minutes|streets] to {place2}[, or a little more|, if you run|].
{n}'s {thing3} [was still at home|was {col3} and a little wet|was back at {place2}].
There were {flowers} [everywhere|beside the {tree}|in {num} colours], and {n} [liked that|did not see them|picked one].
""")[0]

SKILLS = """swim|ride a bike|sing|dance|paint|bake bread|read|fly a kite|climb trees|whistle|play the drum|skate|jump over the fence|tie a knot
play chess|write letters|cook soup|juggle|row a boat|count to a hundred|tell jokes|draw a horse|stand on one leg|catch a ball""".replace(
    "\n", "|"
).split("|")

# What may be asked after any story (storylines has the questions of each plot): question, short answer, answer as a sentence.
ALWAYS_ASKED = [
    ("[What kind of animal was|What was] {f}?", "A {fkind}.", "{f} was a {fkind}."),
    ("Was {n} a {wrong}?", "No, {n} was a {kind}.", "No, {n} was a {kind}."),
    (
        "What was [the name of the {kind}|the {kind} called|the {kind}'s name]?",
        "{n}.",
        "[The name of the {kind} was|The {kind} was called|It was] {n}.",
    ),
    (
        "[Who|Whom] is [the|this] story about?",
        "{n} the {kind}.",
        "[It is about|It tells of|The story is about] a {kind} [named|called] {n}.",
    ),
]
