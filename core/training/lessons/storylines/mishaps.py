"""Plots in which something goes wrong and ends well: a chain of swaps, a noise at night, a pudding, a song before everybody."""

from __future__ import annotations

from core.training.lessons.grammar import beats

PLOTS = {
    "swap": beats("""
{n} had a {col} {thing} and {num} more. "I [will|shall] swap it [at {place}|for {food2}|on {day}]," {he} told a {wrong}.
"Who wants a {col} {thing}?" asked {n}. "[Not me|I have {num}|Not again], {n}," said {his} {grown}. "[Swap it|Ask a {wrong}]."
{Time}, {n} set out for {place} with a {col} {thing}. "[I want {food2} for it|Somebody needs it|I shall swap it]," {he} said.
{Where}, {n} found a {col} {thing}. "[Swap it|It is in my way|Take it], {n}," said {his} {grown}, "but not for a {wrong}!"
[For {num} years|Since {month}|All {season}], a {col} {thing} had stood {where}. "I will swap it [at {place}|for {food2}]," said {n}.
Nobody needed the {col} {thing} that {n} had [won|made|bought] at {place}. "[Somebody will|I shall swap it|Wait until {day}]," {he} said.

Soon {n} met a {folk}. "[I need|How I want] a {thing}! Take this {pot} of {food}." "[Done|Gladly|Why not], {folk}!" said {n}.
"Your {thing} for my {pot} of {food}?" asked a {folk}. {n} [thought for {num} seconds|smelled the {food}|looked at a {tree}] and said yes.
On {day}, {n} met a {folk} with a {pot} of {food}. "[Let us swap|I like your {thing}|That {thing}]!" said the {folk}. So {n} swapped.
A {folk} gave {n} a {pot} of {food} for the {thing}. "[Mind the {pot}|Do not spill any|I made too much], {n}," said the {folk}.
[{Num2} minutes later|At {place2}|Under a {tree}], {n} gave a {folk} the {col} {thing} and got a {pot} of {food}.
"What a [fine|useful|splendid] {thing}!" said a {folk} [from {place2}|in a {cloth}]. Soon {n} had a {pot} of {food} instead.

Then {n} met a [hungry|thin|sniffing] {rival}. "Do I smell {food}?" it asked. "Will you take {num} {flowers} for [it all|the {pot}], {n}?"
But [behind a {tree}|outside {place2}] stood a {rival} that loved {food}. {n} gave it the {pot} and got {num} {flowers}.
"{Num} {flowers} for your {food}," said a {rival}. "[Not one more|They smell of {place2}]." "[Agreed|Gladly]," said {n}.
A {rival} [followed|stopped] {n}. It ate the {food} [in {num2} bites|without a spoon|under a {tree}] and paid with {num} {flowers}.
[{Num2} minutes later|Near a {tree}|At {place2}], {n} had {num} {flowers}, and a {rival} [had the {food}|licked the {pot}].
{n} met a {rival} with {num} {flowers} [behind one ear|in a {thing2}]. It got the {food}, and {n} got the {flowers}.

"I had such {flowers} when I was {num2}," said an old {old}. "[Take|You get|I give you] my {col2} {thing3} for them, {n}."
"Oh, {flowers}!" cried an old {old}. "Here is a {col2} {thing3} for them." [{n} took it gladly.|{n} said yes {num2} times.]
Who needs {flowers}? An old {old} did, for [a party on {day2}|a {col3} cake]. {n} got a {col2} {thing3} for the {num}.
Then {n} gave the {num} {flowers} to an old {old} for a {col2} {thing3}. "[It was {where}|I never use it]," said the {old}.
[By {num2} o'clock|Near {place2}], an old {old} had the {flowers}, and {n} had a {col2} {thing3}. "[What next|And now]?" asked {n}.
Next came an old {old} with a {col2} {thing3}. "[Swap|A swap]?" asked {n}. "For {num} {flowers}? [Always|Oh yes]," said the {old}.

On the way home, {n} saw {f}, a {trait2} {fkind}, who looked [sad|glum]. "My {thing3} is [gone|broken|lost], {n}," said {f}.
Near {home} sat a {fkind} called {f}, [sighing|as glum as a wet {wrong}|all alone]. "I have lost my {thing3}, {n}," said {f}.
"Why are you so [sad|quiet|glum]?" {n} asked {f} the {fkind}. "[Somebody sat on|A {wrong} ate|The wind took] my {thing3}," said {f}.
{f} the {fkind} [sighed|looked sad]. "Have you seen my {thing3}, {n}?" {fhe} asked. "I cannot [sleep|sing|eat {food2}] without it."
At {place2}, a {fkind} named {f} [kicked a stone|cried a little|sighed]. "My {thing3} [broke in {month}|is gone], {n}," {fhe} said.
"[If only I had|All I need is|How I miss having] a {thing3}!" said {f}, a {trait2} {fkind} [near|behind] {home}. {Fhe} [sighed|looked sad].

{n} [did not think long|laughed|held it out]. "Here, {f}, take mine," {he} said. Never had a {col2} {thing3} made a {fkind} so {good}.
So {n} gave {fhim} the {col2} {thing3}. "[For me|For nothing|Really], {n}?" asked {f}, and [hugged|kissed|patted] it {num2} times.
"[This is yours|Look|Do not cry], {f}!" said {n}, and gave {fhim} the {col2} {thing3}. {f} danced [like a {rival}|for {num2} minutes].
{n} showed {f} the {col2} {thing3}. "I got it for {num} {flowers}," {he} said. "[It is yours|You need it more|Take it], {f}."
How {f} jumped when {n} gave {fhim} the {col2} {thing3}! "[Do I dream|For me|May I keep it], {n}?" asked {f}.
{f} wanted to pay with {food2}. "[This is a gift|You pay nothing], {f}," said {n}, and gave {fhim} the {col2} {thing3}.

"And where is your {thing}, {n}?" asked {his} {grown}. "[I swapped it for|It turned into|It is now] a happy {fkind}," said {n}.
All that for one {col} {thing}! {n} walked home [past {place2}|with empty pockets|without a {thing3}] and [hummed|whistled|sang].
"[First|This morning] I had a {thing}, {f}," said {n}. "Now I have [nothing|no {food}|no {flowers}], and I am {good}."
The {folk} had a {thing}, the {rival} was full of {food}, and {f} [beamed|sang|danced]. "[Good work|That was fun|What a day]," said {n}.
On {day2}, {f} brought {n} a {thing2} full of {food2}. "[This is no swap|Not for swapping|Just because], {n}," {fhe} said.
-
"""),
    "noise": beats("""
On {day} night, {n} woke up. [Bump|Scratch|Clonk|Rattle]! It came from {place}, like a {wrong} with a {thing3}.
At {num} minutes [past|to] midnight, {n} heard [a howl|a hum] from {place}. "[Who is there|Was that a {thing3}|A {wrong}]?" {he} asked.
"[Squeak|Plop|Boom]!" it went at {place} one {day} night. {n} sat up in {his} {cloth}. "Is that a {wrong}?" {he} asked.
One night in {month}, {n} heard a noise from {place}, like [{num} wet shoes|a {thing3} in a {pot}|a {wrong} with a {thing3}].
"Do you hear that?" {n} asked {his} {thing3}. It was {day} night, and {num} times something [hummed|knocked] at {place}.
At night, {home} was as quiet as a {thing3}. But on {day}, {n} heard [a bang|a groan|a giggle] from {place}, and then {num} more.

{He} ran to {f} the {fkind}, who slept {where}. "[Get up|Wake up], {f}! [It is a ghost|It is an old {old}|There is a noise]!" said {n}.
By the door stood a {fkind} called {f} with a {pot} of {food}. "I hear it too, {n}," said {f}. "[Is it a ghost|Is it {day} already]?"
{f} the {fkind} lived next door. "[Is that your tummy|Do you snore like that|Was that you], {f}?" asked {n}. "No, {n}," said {f}.
{f}, a {trait2} {fkind}, opened one eye. "[That is no {wrong}|I want to sleep|It is only {num2} o'clock], {n}," {fhe} said, and got up.
A {trait2} {fkind} named {f} came [running|yawning] in a {cloth}. "[Shall we look|Do you hear it|Is it a {wrong}], {n}?" asked {f}.
There was a knock. It was {f} the {fkind}, with {food} in {fhis} mouth. "[I hear it too|Come and look|It is a {wrong}], {n}!" said {f}.

They took a {col} {thing}, [just in case|for luck], and crept [past {place2}|over {num2} puddles]. "[Shh|Slowly], {f}!" said {n}.
"You first, {f}," said {n}, and [held up|hid behind|took] a {col} {thing}. "[No, you|You have the {thing}|After you], {n}," said {f}.
{n} took a {col} {thing}, and {f} [carried a {thing2}|counted the steps|came behind]. "[Quiet|Slowly|Stay close], {f}," said {n}.
With a {col} {thing}, {n} felt [braver|as old as a {old}|like {num} bears]. "[Now come|This way|Let us go], {f}," {he} said.
They took a {col} {thing} [to scare it|for luck]. "And if it [likes that|bites|laughs], {n}?" asked {f}. "[Run|Then run|Bow], {f}!"
"What do we need, {n}?" asked {f}. "A {col} {thing}," said {n}. "[Why|What for]?" "[I do not know|It looks brave|You will see], {f}."

"[A ghost|A witch|An old {old}]!" cried {f}. But it was only [a {cloth} on a line|a {tree} in the moonlight|{n}'s shadow|a tired {folk}].
Something [tickled|touched] {n}. "Was that you, {f}?" {he} asked. It was only a [{tree}|bush of {flowers}|{col2} {cloth} on a line].
"It is [as big as {place2}|hungry|near], {f}," said {n}, for it came again, {num2} times. "[I have {food}|Hush], {n}!" said {f}.
"Are you [shaking|trembling], {f}?" asked {n}. "[Only my {cloth} is|No, you are|Only since {place2}], {n}," said {f}.
-

And there it was at {place}: a {rival} with [its head in a {pot}|a {pot} on one foot|a {thing3} on its back]! "[Oh|Look], {n}!" said {f}.
{n} looked round the corner. At {place}, a {rival} in a {cloth} [danced|jumped|skated] on {num} [boxes|pots|tins]. {f} [gasped|stared].
"No ghost, {f}, but a {rival}!" said {n}. It sat at {place} and [ate {food} from|snored into|played on] a {pot}. {f} stared.
"[Oh|Look], {n}!" said {f}. At {place}, a {rival} was [asleep|on its back|on a {thing3}] and snored like {num} [trains|bears|drums].
What did {n} see at {place}? A {rival} [rolled {num} tins|rang {num} bells|pushed a {pot}] up and down and looked for {food}.
Near {num} [boxes|bottles] at {place}, a {rival} tried to [sing|whistle|juggle], and a {pot} fell down. "[Oh|Look], {n}!" said {f}.

"[I am so sorry|Oh dear]," said the {rival}. "[I do it every {day}|It is worse in {month}|I ate all the {food}]." {f} [giggled|stared].
{n} laughed so [loudly|hard] that {f} [fell over|got the hiccups|woke {num2} birds]. "[Good evening|Hello], {n}," said the {rival}.
"And I [feared|ran from|shook because of] a {rival}, {f}!" said {n}. "[Me too|So did I]," said {f}, [laughing|very red|holding the {thing}].
"[Good evening|Hello|So it is you], {rival}!" said {n}. "[Is it {num2} o'clock|Am I too loud|Do you want {food2}]?" asked the {rival}.
{n} put down the {col} {thing}. "It is you!" {he} said. The {rival} [bowed|winked] and gave {f} [some {food2}|{num2} {flowers}].

They went back to bed and slept until {num2} o'clock. [The {rival}|{f}] slept {where}, with the {col} {thing} for a pillow.
Back in bed, {n} laughed {num2} more times. "[Good night|Sleep well|Stop it], {n}," said {f}, and [hugged|put away] the {col} {thing}.
"If we hear it on {day2}, {f}," said {n}, "we will bring {food2}." "[And a bigger {pot}|And the {thing}|And a pillow]," said {f}.
Now, when something bumps at {place}, {n} only says, "[Good night|Sleep well|Not so loud], {rival}," and {f} [snores on|turns over|laughs].
{His} {grown} made {drink} for all, even the {rival}. "[It is night|And now to bed|What a night], {n}!" said {his} {grown}.
-
"""),
    "cook": beats("""
{Time}, {n} and {f} the {fkind} wanted to make a pudding with {food} for [{n}'s {grown}|a sick {wrong}|an old {old}].
"Let us make a pudding with {food}, {n}!" said {f}, a {trait2} {fkind} [from {place2}|in a {cloth}]. "[Yes|Now|Gladly], {f}!" said {n}.
{n} had {food}, and {f} the {fkind} had a {pot}. "[We need a pudding|Pudding would be nice|Let us make pudding], {f}," said {n}.
In a [{col2}|thick|dusty] book, {n} read of a pudding with {food}. {He} called {f}, a {trait2} {fkind}. "[Come|Help me|Quick], {f}!"
"What can I give my {grown}?" asked {n}. "A pudding with {food}," said {f}, a {trait2} {fkind}. "[I can stir|I will eat it too]."
It was {day}, and {n} and a {fkind} called {f} were hungry. "[What about|How about|Do you like] a pudding with {food}, {f}?" asked {n}.

{n} stirred, and {f} [read aloud|washed the spoon|tasted the {food}]. "[Now {num} spoons of salt|More sugar|Not so fast], {n}," said {f}.
{n} took {num} spoons of flour and all the {food}. "[Ready|Shall I stir|Where is my {cloth}], {f}?" {he} asked. "[Yes|No], {n}."
Into a {pot} went milk, {num} spoons of sugar and all the {food}. "[My arm is tired|It looks easy|Stop eating], {f}," said {n}.
First {f} lost the spoon {where}, so {n} stirred with a [broom|ruler|brush]. "[Round and round|Faster|Not like that], {n}!" said {f}.
"How much {drink} do we need, {f}?" asked {n}. "[A {thing2} full|{Num} cups|Yes]," said {f}, and [poured|stirred|smiled].
-

Then {f} sneezed, and a whole {thing2} of {food2} fell in. [Plop!|Splash!|Oh dear!] {n} looked: the pudding turned {col}.
"[More sugar|The sugar|Sugar], {f}, quickly!" said {n}. But {f} gave {him} {food2} instead, and the pudding turned {col}.
Nobody knows why {n} put in {food2}, too. The pudding [hissed|burped] {num2} times and turned {col}. "[Oops|Help|Oh no], {n}!" said {f}.
A {rival} looked in. {f} [jumped|cried out|got the hiccups], {n} dropped {food2} in the pudding, and it turned {col}.
While {n} [played {game}|ran to {place2}], {food2} fell into the pudding. {f} [stared|screamed|blinked]: it turned {col}!
{f} had [read the wrong page|mixed up {num2} jars]. So {n} put {food2} in the pudding, and it turned {col}!

"[It looks like paint|It looks at me|A {wrong} would run away], {f}," said {n}. The {col} pudding [wobbled|burped|said "blub"].
{n} [sighed|groaned|stared]. "[Who will eat that|Does it smell of wet {wrong}|Shall we hide it {where}], {f}?" {he} asked. How {col} it was!
The {col} pudding rose and rose, as high as a [{thing3}|{fkind}|{wrong}]. "[Hold it|Sit on it|Shut the door], {f}!" said {n}.
"Whose idea was that?" asked {n}. "[Yours|The book's|Not mine], {n}," said {f}. The {col} pudding wobbled like a {wrong} in a {cloth}.
It smelled of [old socks|{food2}|{season}], not of {food}. {n} poked the {col} thing {num2} times. "[Look|Run|Oh dear], {f}!" {he} said.

{n}'s {grown} came in and ate a spoonful. "[Mmm|Oh my|Well], {n} and {f}," {ghe} said, "I like it better than {food}!"
"What smells so [good|strange]?" asked a {folk} from {place2}. {f} held out a spoon, and the {folk} ate {num} [plates|bowls|cups] of it.
There was a knock. "I am so hungry, {n}," said an old {old} from {place2}. The {old} ate {num} [plates|bowls|cups] and asked for more.
{f} tried a bit and [blinked|hummed|sat still] for {num} seconds. "It is [good|wonderful|better than {food}], {n}!" said {f}.
"You try it first, {f}," said {n}. {f} took a bite, and then {num} more. It was [lovely|better than {food2}|a wonder]!

By {num2} o'clock, [half of {place}|a {wrong} with {num} children|a long line] stood at {n}'s door. {f} sold [cups|bowls] of {col} pudding.
"What is it called?" asked a {wrong}. "[{Col} Surprise|Pudding {n}|{n}'s Mistake]," said {f}. So it is called at {place} to this day.
A {wrong} asked how it was made. "[With {food2}|By mistake|With a {fkind}]," said {n}. {f} [coughed|grinned] and gave it {num} bowls.
They took the {col} pudding to {place}. {Num} [sailors|farmers|teachers] ate it with {drink}, and {f} [licked|washed] the bowls.
Now {n} makes {col} pudding every {day}, and {f} never forgets [the {food2}|the mistake|to do it wrong]. [{Num}|About {num}] people come.
They won {num} [prizes|medals|spoons] with it at {place}. "[We only wanted {food}|It was an accident|Thank the {food2}], {f}," said {n}.

"[Next time|On {day2}|Tomorrow] we make soup, {f}," said {n}. "With {food2}?" asked {f}. "[Who knows|In {col2}|Why not], {f}," said {n}.
They ate [until {num2}|with {num2} spoons]. "My tummy is {col} inside, {n}," said {f}, and [lay down|fell asleep|laughed].
And who washed up? {n} and {f} [looked away|ran to {place2}|played {game} for it], and {n}'s {grown} [laughed|found them {where}].
-
"""),
    "stage": beats("""
On {day}, {n} was to sing a song about a {col} {thing} at {place}. A {folk} had [asked {him}|picked {him}|put {num} chairs there].
"{n} will sing about a {col} {thing}," said a {folk} who planned a [party|concert|show] at {place} for [{day}|{num} guests|{month}].
On a list at {place}, a {folk} wrote: "{n} sings about a {col} {thing}." {n} [gulped|turned {col2}|read it {num} times].
{n} made up a song about a {col} {thing}. "[Sing it|We must hear it|You must sing that] at {place} on {day}, {n}," said a {folk}.
"{n}, I love your song about a {col} {thing}," said a {folk}. "Sing it at {place} [on {day}|in {month}|for us all]!"
"[Listen|Come], everyone: {n} will sing about a {col} {thing}," said a {folk} to {num} [aunts|guests]. It would be at {place} on {day}.

{n} was so shy that {he} [hid {where}|only sang to a {thing3}]. "[I will forget it|I will faint|I sing like a {wrong}]," {he} said.
"I am too shy," {n} told {his} {grown}. "My voice [hides {where}|runs off to {place2}|sounds like a {rival}] on {day}s."
{n} was shy. {His} tummy felt like {food} in a {thing2}. "[Can I be ill|Must I|Can a {rival} sing it] on {day}?" asked {n}.
So shy was {n}! "I dreamed of a {wrong}, a {thing3} and {num} people, all laughing," {he} told {his} {grown}.
Shy {n} sang to [a {thing3}|{num} {flowers}|a {cloth}]. "Did you hear me, {grown}?" {he} asked. "[No|Not a word|Only a little], {n}."

"What is the matter, {n}?" asked {f}, a {trait2} {fkind} from {place2}. "[I have a trick|I was shy too|I will help you]: think of {food}!"
{f} the {fkind} had an idea. "[Sing it just for me|Think they are all {food}|Look only at my {cloth}], {n}," said {f}.
Next door, a {fkind} named {f} hummed along. "You sing well, {n}," said {f}. "[I will sit in front|I will wave a {thing3}]."
Luckily, {n} had {f}, a {trait2} {fkind}. "[I will be near|Take my {col2} {cloth}|Eat {food} first], {n}," {fhe} said. "That helps."
There came a {fkind} called {f} with {food}. "[First eat|Sing with me|Close your eyes], {n}," said {f}, "and [breathe|count to {num}]."
"[I know shy people|Even a {rival} is shy], {n}," said {f}, a {fkind} in a {col2} {cloth}. "I will come to {place} with you."

They practised {where}, first before {num} {flowers}, then before a {wrong}, and then before [{num2} sheep|a {thing3}|{n}'s {grown}].
So {n} sang to {f}, then to {f} and a {wrong}, and then to [{num} chairs|a {thing3}|{n}'s {grown}]. It [went well|got better|was loud].
"[Louder|Once more|And again], {n}!" said {f}. [By {day2}|Soon|{Num} days later], a {rival} at {place2} could sing of the {col} {thing}.
"Again, {n}," said {f} at {place2}. [{Num} times|On {day2}|All morning], {n} sang, and {f} clapped with [a spoon|both ears|two pots].
-

Then the day came. At {place} sat an old {old} and {num} [cousins|babies|aunts]. {f} [waved|winked|nodded], and {n} went up.
"Now, {n}!" called the {folk}. It was so quiet at {place} that {n} heard a {wrong} [yawn|swallow|chew {food}]. {f} [waved|winked].
{Num} [lamps|candles] were lit at {place}. "Now, {n}," said {f}, and [pushed|pulled|led] {him} past an old {old} to the middle.
"{n}!" called the {folk}. {Num} rows of people sat at {place}, but {n} looked only at {f} and {fhis} [{cloth}|{thing3}].
At {place}, {n} hid behind {f}. "[Go|Now|One, two, three], {n}!" said {f}. [Up {he} went.|An old {old} clapped already.|It was still.]

{n} opened {his} mouth, and out came [a hiccup|a squeak|nothing]! Then {f} held up a {col} {thing}, and {n} [laughed|smiled] and sang.
After {num2} words {n} was stuck. "[A {col} {thing}|The {thing}], {n}!" said {f}. A {rival} giggled, and {n} sang on.
First {he} sang [like a mouse|very softly]. Then {n} [saw|heard] {f} and sang so loudly that a {rival} [fell off a chair|woke up].
{n} sang "{food}" instead of "{thing}". [A {wrong}|A {rival}|The {folk}] laughed, {f} laughed, and {n} sang on, louder.
A {rival} in {f}'s {thing2} sang along! How {n} laughed! Now {he} sang all {num} verses [to {f}|to the {folk}|twice].
{n} [looked at {f}|thought of {food}] and sang about the {col} {thing}, [clear as a bell|like a {rival} in {season}|without a slip].

How they clapped! "[Again|More|Once more], {n}!" called the {folk}, and a {wrong} threw {num2} {flowers} and a {cloth}.
"[Once more|Another song|Again], {n}!" called [a {wrong}|somebody|the {folk}]. So {n} and {f} sang it together, {num2} times.
{n}'s {grown} clapped [and woke a {wrong}|for {num2} minutes]. "[That was lovely|I knew it|Well done], {n}!" {ghe} said.
They bowed {num2} times. "You [clapped|hummed] louder than I sang, {f}," said {n}. "[I did not|That was a {wrong}], {n}," said {f}.
Soon all of {place2} [sang|hummed] about a {col} {thing}. Even the {folk}'s {num2} [goats|hens|aunts] did, and {f} [knew why|sang loudest].

"[Were you shy|Was it hard], {n}?" asked {f}. "[Only at first|For {num} minutes|Ask my tummy]," said {n}, and ate {food2}.
On {day2}, {f} has to dance at {place2}. "[I am shy|Help me], {n}," said {f}. "[Think of {food2}|I know a trick], {f}," said {n}.
{n} gave {f} a {col3} {thing3}. "[For your help|For the best ears], {f}," {he} said. "[Now sing for me|Thank you|Oh], {n}," said {f}.
Now {n} sings at {place2}, {where} and in the bath. "[What have I done|A little softer|Bravo], {n}," says {f} {num} times a day.
-
"""),
}

QUESTIONS = {
    "swap": [
        ("What did {n} [have at first|swap first]?", "A {col} {thing}.", "At first it was a {col} {thing}."),
        ("What did {n} give to {f}?", "A {col2} {thing3}.", "{n} gave {f} a {col2} {thing3}."),
    ],
    "noise": [
        ("[Who|What] made the noise?", "A {rival}.", "It was a {rival}."),
        ("What did they take with them?", "A {col} {thing}.", "They took a {col} {thing} with them."),
        ("Where did the noise come from?", "From {place}.", "The noise came from {place}."),
    ],
    "cook": [
        ("What did {n} and {f} make?", "A pudding.", "{n} and {f} made a pudding."),
        ("What colour was the pudding?", "{Col}.", "The pudding was {col}."),
    ],
    "stage": [
        ("What was the song about?", "A {col} {thing}.", "It was about a {col} {thing}."),
        ("Where did {n} sing?", "At {place}.", "{n} sang at {place}."),
        ("Who [helped|was a help to] {n}?", "{f} the {fkind}.", "{f} the {fkind} [helped {n}|did]."),
    ],
}
