"""Plots of ventures: a storm, a secret door, a contest, something built, something grown, a trip."""

from __future__ import annotations

from core.training.lessons.grammar import beats

PLOTS = {
    "storm": beats("""
{Time}, {n} and {f} the {fkind} were at {place} when the sky turned [{col3}|as dark as a {thing2}|black]. "[Run|Look|My {cloth}], {f}!" said {n}.
{Time}, {n} and {his} friend {f}, a {fkind}, were playing at {place} when it began to [rain|thunder|snow].
{n} and {f} the {fkind} were on their way from {place} to {place2}. {Time}, [it was as dark as in a {thing2}|the {tree} began to shake|it thundered {num} times].
"[It smells of rain|My ears are cold|There is no bird in the sky], {n}," said {f}, a {trait2} {fkind}. And then the storm came to {place}.

[The thunder was loud|The wind howled|The rain fell harder and harder], and {n} was afraid.
{f}, the {fkind}, was [shaking|wet and cold|as white as {food}], and {n} [thought of {his} {grown}|held a {thing3} tight|counted to {num}].
[A tree fell|A branch broke|A door banged] near {place2}. {n} held {f} by the hand.
The wind took {n}'s {col2} {thing2}, and {f} [jumped|cried out|hid behind a {thing3}] at every [clap of thunder|flash of light].

"[Take my hand|Stay close to me|Do not be afraid]," said {n2}. "[I know a safe place|We can hide {shelter}|Together we are brave]."
{n2} saw {shelter2}. "Quick, [over there|let us run there]!" {n2} called.
"[Run|Come|Faster], {f}!" called {n}, and {n} and {f} ran [past {place2}|over the wet grass|through the mud|hand in hand] to {shelter2}.
[A little {wrong}|An old {old}|A {rival}] waved to {n} and {f}. "[Come in here|There is room for you too|Quick, out of the rain]!"

{Shelter}, {n} told {f} [a story|{num} jokes] about [{place2}|a {wrong} with a {thing3}|a {folk} who ate {food}]. [Soon {f} was laughing.|Now it was not so bad.]
They sang [a song about {food}|every song that {f} knew|{num} songs], louder than the thunder.
{n} had a {col} {thing} with {him}. [They played {game} with it|They put {food} on it|To {f} it was a {wrong}] [and forgot the storm|until {num} o'clock|and laughed].
{f} had some {food} in a {thing2}, and {n} had {drink}. [So the time went by.|They ate {shelter}.|It was almost like a picnic.]
{n} counted from the flash to the thunder: {num}! {f} counted, too: {num2}! "[It is going away|It is over {place2} now], {n}," said {f}.

[At last|After {num} hours|Before {n} got to number {num2}], the storm was over. [{f} saw a rainbow over {place}.|A bird sang in the {tree}.|All of {place2} smelled fresh.]
Then it was quiet. "[The storm is gone|It is over|Look, a rainbow], {n}!" said {f}.
[By {num} o'clock|Before dinner|When the clock struck {num}], the sky was {col2} again, and {n} and {f} [jumped over the puddles|danced in the wet grass|waved to the last cloud].
"[Are you still afraid|That was loud|Now I want some {food}], {f}?" asked {n}. "[Not with you, {n}|Only a little|I never was]," said {f}, and they laughed.
"""),
    "door": beats("""
{Time}, {n} found a [small|secret|{col3}] door [behind the {thing3}|in a {tree}|under the stairs|near {place}]. [It was {num} feet high.|It was warm.|{n} knocked.]
{Time}, {n} found [an old map|a letter without a name|a {col} key] at {place}. "[What is this?|How strange!]" {he} [said|thought].
{Time}, a {wrong} [whispered to|told] {n}: "Look {where}, but tell nobody!" There {n} found [a key|a map|a way down].
[At|Near] {place} there was a {col2} gate, [always closed|older than the {tree}]. {Time}, {n} saw it open [a little|for a {wrong}|and heard music].

"[Should I open it|Where does it lead|Shall we look]?" {n} asked {his} friend {f} the {fkind}. "[Yes|Of course|Gladly]," said {f}. "[But let us be careful|I will come with you]."
{He} showed it to {f}, a {trait2} {fkind}. "[Let us find out together|This could be an adventure|I am a little afraid]," said {f}.
{n} ran to {f} the {fkind}, who was eating {food} at {place2}. "[Come quickly|Bring a lamp|You must see this], {f}!" {n} called.
Alone {n} was too afraid. So {he} asked {f}, the {trait2} {fkind} next door. "[Give me {num} minutes|Wait, I will get my {thing2}|I thought you would never ask]," said {f}.

They [walked|went] [for a long time|down a long path|through the dark], until they came to {place2}.
[It was dark at first|First {n} saw nothing]. Then {n} and {f} saw {place2}, but everything there was {col}.
{Num} steps went down, {num2} went up. {n} [counted them|held {f}'s hand|smelled {food}]. [Behind the last one|At the end] {n} saw {place2}.
They held hands. "[Mind your {cloth}|It smells of {food}|I see a {thing3}], {f}," said {n}. Then it was [bright|warm|{col2}]: they were at {place2}.

There stood a [chest|box|basket] with a {col} {thing} in it.
In the middle, on a [stone|table|chair], there was a {col} {thing}. [It shone like the moon.|It was the most beautiful {thing} that {n} had ever seen.]
{Where}, {f} saw a {col} {thing}. [It was covered with dust.|"Look, {n}," {fhe} whispered.|It looked as old as the hills.]
They looked {where} and found [only a {thing}|nothing but a {thing}|a {thing}]. It was {col} [and very old|and quite warm|and light as a feather].

"Whose is it, {f}?" asked {n}. "Mine," said an old {old}. "[I waited {num} years|I lost it at {place}|I forgot it when I was eating {food}]."
An old {old} [in a {col2} {cloth}|with {food} in one hand|with a {thing3}] came out of the dark. "[Welcome, {n}|Do not be afraid, {f}|{Num} years I waited, {n}]."
Behind {him} [laughed|sneezed|sang] an old {old} [in a {col2} {cloth}|with a {thing2}]. "[You found my {thing}|What can that {thing} do], {n}," said the {old}.
"[Who is there|Do I hear guests|Is it {day} already]?" asked an old {old}. {n} and {f} told the {old} [everything|how they had come|about the way], and the {old} [nodded|smiled].

The old {old} gave them [{food}|{drink}|{num} {flowers}] and told them [about the old days|about a {trait} {rival} with a {thing3}|how {place2} got its name].
"[Come on {day}|Visit me soon|Take it with you|Eat more {food}], {n}," said the old {old}, and gave {n} the {col} {thing}.
They ate {food} with the old {old} and played {game} until {n} was tired. "[The {thing} is yours now|Keep the {thing}|It belongs to you], {n}," said the {old}.

{n} put the {col} {thing} [in {his} {cloth}|next to a {thing3}|{where}], and [nobody|not even the {folk}|only a {rival}] ever found the place again.
They went home with the {col} {thing}, and {n} and {f} [kept the secret|told nobody|promised to come back].
When {n} came back [on {day}|with {his} {grown}], there was only [a wall|a {tree}|a {wrong} with a {thing3}]. But the {col} {thing} [was still there|stayed with {him}].
Back at {place}, it was [already {num} o'clock|time for {food}|{season}]. "[Nobody will believe us|Did we dream|Let us go there again on {day}], {n}," said {f}.
"""),
    "contest": beats("""
{Time}, there was a [big race|race|contest|singing contest|baking contest] at {place}. {n} wanted to win.
Every {month} there was a [race|contest|great game] at {place}. [This time|Now that {he} was {num}|For once], {n} wanted to take part too.
"[Who is the fastest|Who wants to win a {thing3}]? {place} on {day}!" said a {col2} [note|sign] {where}. {n} [read it {num} times|was {good}|told the {folk}].
On {day}, everybody met at {place}[| with {food}| in {season} clothes]. {n} was number {num} [in the contest|of {num2}, in a {col2} {cloth}].

"You will never win, {n}," said a [proud|big|loud] {rival}. "[You are too small|I am much faster|I always win]."
[{Num} others were bigger|Most were older|The {old} was stronger]. The {rival} [laughed|ate {food}] and said, "[I will win|This is easy], {n}."
Next to {n} stood a {rival} [in {col2} shoes|with long legs|who had won {num} times]. "[Go home, {n}|A {kind} cannot win|Look at my legs]," said the {rival}.
{n} saw the {rival} in a {col3} {cloth} and felt {bad}. [It had won at {place2}, too.|It could {skill}, too.|It had a {thing3} for luck.]

{n} [practised every day|got up early and practised|did not listen]. {f} the {fkind} [helped {him}|came with {him}|believed in {him}].
"Just do your best, {n}," said {f}, the {fkind}. And {n} [did|nodded|took a deep breath].
{f}, a {trait2} {fkind}, gave {n} [some {food}|a cup of {drink}|a {col2} ribbon] for luck. "[I will stand near {place2} and wave|Do not look at the {rival}|Think of {food}]," said {f}.
But {f} the {fkind} said, "[You have something better, {n}: you are {trait}|Legs are not everything, {n}|I know you, {n}, and you can do it]."

[Near the {tree}|Behind {place2}|After {num} minutes], the {rival} fell over a {thing3}. {n} [stopped|turned around] and [helped|gave it some {drink}].
The {rival} was in front, but then it [slept under the {tree}|lost a {thing3}|ate some {food}|met a {folk}]. {n} [went on and on|ran past {place2}].
Near {place2}, {n} heard somebody cry {where}: a little {wrong}! {n} [took it to the {folk}|helped it up|gave it a {thing3}], and the {rival} ran [on|past].
[Ready, steady, go|One, two, three, go]! The {rival} was first, then a {wrong}, then {n}. "[Run, {n}|Go on, {n}|You can do it, {n}]!" called {f}.

{n} did not win, but [everyone at {place}|{f} and {num} others|the {folk}] clapped for {him}. [The {rival} said, "You ran well, {n}."|"That was kind, {n}," said {f}.]
In the end, {n} won by [a nose|one step|{num} points]! The prize was a {col} {thing}.
{n} came second and got a {col} {thing}. {He} was [as {good} as a king|very {good}].
The {rival} won, and {n} was number {num}. "[I was never so fast before|It was fun|Next year I will try again], {f}," said {n}, and {f} gave {him} a {col} {thing}.
"[Again next year|Will you teach me that|You are good], {n}?" asked the {rival}. {n} [laughed|nodded] and they shook hands, and {f} brought {food} for everyone.
"""),
    "build": beats("""
{n} wanted to build a [house|tree house|boat|kite|snowman|bridge|cart] with {f} the {fkind}. They met at {place}.
{Time}, {n} said to {f} the {fkind}, "Let us [build a house|make a boat|make a kite|build a tower]!"
"[What shall we do today|I am bored|It is {season}], {n}," said {f}, a {trait2} {fkind}. "[We could build something at {place}|Let us build a hut|I want to make a flying machine]," said {n}.
In {season}, {n} and a {fkind} called {f} [drew|had] a plan: a [house|tower|hut|boat|bridge] of their own [near {place}|of {num} boards|under a {tree}].

They needed [wood|paper|rope], [nails|glue|paint] and a {col} {thing}. [{n} found the {thing} {where}.|They had everything except the {thing}.]
{n} brought a {col} {thing}, and {f} brought [wood and rope|paper and glue|a bag of nails].
{n}'s {grown} gave them {num} [boards|boxes|old chairs], and {n} found a {col} {thing} {where}.
"[I have {num} nails|I have a rope|I have some {food}], and you, {f}?" asked {n}. "I have [only|just|nothing but] a {col} {thing}," said {f}.

[First|Until {day}], [all went well|they sang]. Then [the wind blew it against the {tree}|a {wrong} ran into it|{num} boards broke]. "Oh no, {n}!" cried {f}.
It was not easy for {n}. [It fell on a {thing3}.|{Num} nails were missing.|{f} hurt a finger.] "[Let us start again|We need help], {f}," said {n}.
A {rival} [with a {thing3}|in a {col2} {cloth}|from {place2}] [laughed|looked at it]. "[That will never stand|Is that a {thing2}], {n}?" {n} was {bad}.
{f} wanted it {col2} and {n} wanted it {col3}. [So nothing happened for {num} hours.|"Then do it alone, {n}!" said {f}.|They ate {food} and did not talk.]

{His} {grown} [showed them how|helped them a little]. "[Start with a strong bottom|Take your time|Use the {thing}], {n}," {ghe} said.
They ate {food} and [thought|talked]. "[Now I know|Again|Give me the {col} {thing}], {n}!" said {f}, and [this time|a minute later] it [stood|held].
[At last|After some {food}|On {day}], {f} had an idea: the {col} {thing} [on top|in the middle|under the {thing3}]! {n} [laughed|tried it], and it [worked|held].
{n} held it and {f} [hammered|tied the rope|used {num} nails]. [On {day}|Before dinner|When the {folk} came by], they put the {col} {thing} on it.

In the evening it was ready. "[It is beautiful|We made it ourselves|Look what we made], {f}!" [said|cried] {n}.
It was not [straight|perfect], but {n} and {f} were {good}, and the {col} {thing} [shone|stood] on top.
[{Num} children from {place2}|A {wrong} and a {folk}|{n}'s {grown}] came to see it. "[May I come in|Who made that|Is it a {thing3}], {n}?"
{n} and {f} sat [in front of it|under the {tree}|on a {thing3}], ate {food} and [looked at the {col} {thing}|were {good}|told the {folk} about it].
"""),
    "grow": beats("""
{Time}, {his} {grown} gave {n} a [tiny|small|round] seed. "What will it be?" asked {n}. "[Wait and see|You must be patient]," {ghe} said.
{n} found a [strange|tiny|{col}] seed at {place}[| under the {tree}| in an old {thing3}] and planted it in a {col} {pot}.
{Time}, {n} bought a [tiny|small] seed from an old {old} at {place} for [one coin|some {food}|a {thing}].
In [a letter|a {thing2}|an old book] {where}, {n} found {num} seeds. {He} put them all in a {col} {pot}.

{n} [watered|visited] it every day, [with a {thing3} beside {him}|before school|even on {day}s]. [{Num} days passed.|Nothing.] {f} the {fkind} was {bad}.
"Nothing is growing," {n} told {f} the {fkind}. "Give it time, {n}," said {f}. "[Good things are slow|Even tall trees were small once]."
[Every morning|Before school|After dinner], {n} brought some water and [sang a song|said good morning|told it about {place}]. {f}, a {fkind}, [shook {fhis} head|laughed].
"[Is it asleep|Does it like {drink}|Is it afraid of me]?" {n} asked {his} friend {f}, a {trait2} {fkind}. "[It needs sun, {n}|It works where you cannot see it|Wait until {day}]," said {f}.

Then, [one morning|on {day}|after {num} weeks], {n} saw a [tiny|little] green leaf! {n} [danced around the {thing3}|jumped for joy|kissed {his} {grown}].
It rained [for {num} days|at {place}|all night], then [the sun shone|{season} came|it was warm], and {n} [found|saw] a green leaf in the {pot}.
On {day}, {n} [bent down|put on a {col3} {cloth}|was eating {food}] and saw a leaf, [as thin as a thread|no bigger than a pea|as {col3} as a {thing3}].
"[Come quickly|Look|A leaf, a leaf], {f}!" called {n} on {day}. It was [as green as {n}'s {thing2}|as green as a frog|green and no bigger than a button|as small as an ant].
[When {n} came home from {place}|On {day}, before breakfast], something green [was in|looked out of] the {pot}. [{n} ran to {f}.|{n} called {f} and the {folk}.]

The plant grew [and grew|higher than {n}|up to the window|as high as {f}]. [In summer|In {month}|After {num} weeks] {n} saw {col2} flowers on it.
It became a [tall|strong|crooked] plant with {col2} flowers, and {num} [bees|birds|butterflies] from {place2} came to visit {n}.
[Before long|After {num} weeks|When {month} came], {n} saw {col2} flowers [on every branch|as big as a {thing3}|that looked like {flowers}].
[By {month}|After {num} months|In the middle of summer], {n} counted {num2} {col2} flowers, and they smelled [of {food}|of {drink}|like {flowers}].
One flower opened on {day}, [and {num} more on {day2}|another on {day2}]. [All were {col2}.|{n} had never seen such a {col2}.|They were as {col2} as a {thing3}.]

{n} gave one {col2} flower to {his} {grown} and one to {f}.
"[You were right|It was worth the wait]," {n} said to {f}, and they sat down beside the {col2} flowers.
[People|The {folk} and {num} others|Two bees and a {folk}] came from {place2}. "[Who planted them|How did you do it], {n}?" they asked. "[I waited|{f} helped me]!"
[In autumn|One {day}|After {month}], {n} [found|counted] {num} new seeds. {He} put {num2} in a {thing2} and gave the others to [{f}|the {folk}|{his} {grown}].
"""),
    "away": beats("""
{Time}, {n} [went|travelled|drove] with {his} {grown} to {place}. It was [far away|the first time|a long way].
{n} had never been to {place}. {Time}, {his} {grown} said, "Today we will go there, {n}!"
"[Get up|Wake up|Put on your coat], {n}!" said {his} {grown} at {num} o'clock. "[The bus|The train|The boat] to {place} does not wait."
In {month}, {n} got a [{col2} letter|card with {flowers} on it] from {his} {grown}: "[Visit me at|Come to|Bring a {thing3} to] {place}, {n}!"

{n} packed a {col} {thing}, [some {food}|{num} eggs|a second {cloth}] and [a bottle of {drink}|a {thing3}|a book about a {rival}].
{He} took only two things: a {col} {thing} and some {food}.
{n}'s bag was so full [of {food}|of {flowers}|of {num} jumpers] that {he} carried the {col} {thing} in {his} hand.
"[What do you need|Do you have everything], {n}?" asked {his} {grown}. "[Only|Nothing but] my {col} {thing} and some {food}," said {n}.

[On the way|On the train|At the bus stop], a {wrong} asked, "Where are you going, {n}?" "To {place}," said {n}. "[Have you ever been there|And you]?"
There {he} saw [{num} towers|a {wrong} in a {cloth}|{num} {flowers}]. {n} [stood still|sat down|ate {food}] and [lost {his} way|forgot the time]. "[Help!|Where am I?]"
It was so [big|loud|full of {flowers}] there that {n} [did not know where to look|held the {col} {thing} tight|asked a {folk}].
{Num} hours later, {n} was there. [It was bigger than {place2}.|It smelled of {food}.|"Is this it?" {he} asked.]

A {fkind} called {f} saw the {col} {thing} in {his} hand. "What a nice {thing}, {n}," said {f}. "[Can I show you the way|Shall we look around together]?"
{f}, the {fkind}, knew {place} well and showed {n} [everything|the way|the {num} best places].
{n} asked [a {trait2}|the nearest] {fkind} for the way. "I am {f}," said the {fkind}, "[and I have lived here for {num} years|and I know a short way|come with me]."
Next to {n} stood {f}, a {fkind} with {food} in a {thing2}. "[Are you new here|Do you come from {place2}|Are you hungry], {n}?" asked {f}.

They [saw|visited] [the old tower|the big fountain|the boats|the animals] and ate {food}. "[It is wonderful here|I want to stay for ever], {f}," said {n}.
{n} gave {f} the {col} {thing} to say thank you. "[I will put it {where}|I will think of you when I eat {food}], {n}," said {f}.
They played {game}, drank {drink} and [counted {num} boats|fed the birds|laughed at a {wrong} with a {col2} hat].
{f} and {n} [sat {where}|climbed a {tree}|ate {food2}] until [{num} o'clock|it was dark]. {f} asked about {place2} and about the {col} {thing}.

In the evening, {n} went home from {place}, [tired but {good}|with many stories to tell|with {num} new friends].
"[Did you like it|How was it], {n}?" asked {his} {grown}. "It was the best trip ever," said {n}.
On the way home {n} [slept|sang|counted the trees], and {his} {grown} carried the bag.
Now a letter comes from {f} every {day}, [and it smells of {food}|with a picture of {place}|and {n} reads it {num} times].
"""),
}

QUESTIONS = {
    "storm": [("Who was with {n}?", "{f} the {fkind}.", "{f} the {fkind} was with {n}.")],
    "door": [
        ("What did they find?", "A {col} {thing}.", "They found a {col} {thing}."),
        ("Who lived there?", "An old {old}.", "An old {old} lived there."),
    ],
    "contest": [
        ("Who [helped|was a help to] {n}?", "{f} the {fkind}.", "{f} the {fkind} [helped {n}|did]."),
        ("Who else was in the contest?", "A {rival}.", "A {rival} was in it too."),
    ],
    "build": [
        ("Who built it with {n}?", "{f} the {fkind}.", "{f} the {fkind} built it with {n}."),
        ("What colour was the {thing}?", "{Col}.", "The {thing} was {col}."),
    ],
    "grow": [("What colour were the flowers?", "{Col2}.", "The flowers were {col2}.")],
    "away": [
        ("Where did {n} go?", "To {place}.", "{n} went to {place}."),
        ("What colour was the {thing}?", "{Col}.", "The {thing} was {col}."),
    ],
}
