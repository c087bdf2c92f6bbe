"""The plots of the stories: what happens, beat by beat, each beat in several ways.

Slots: {n} {kind} {he} {his} {him} the hero; {f} {fkind} {fhe} {fhis} {fhim} the friend who helps; {col} {thing} a thing of one colour;
{place} {home} two places; {where} a hiding place; {food}; {grown} an older person, {ghe} {gher} the words for that person; {trait}; {good}
and {bad} feelings; {time} "one day". A thing that is named early comes back later with the same colour: that is what the stories teach.
"""

from __future__ import annotations

from core.training.lessons.grammar import beats

OPENINGS = beats("""
Once upon a time, there was a [little|little|little|small|young|{trait}] {kind} named {n}.
Once upon a time, there was a [little|little|small|{trait} little] {kind} called {n}.
Once upon a time, there was a little {kind}. [{His}|The {kind}'s] name was {n}.
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
""")[0]

MIDDLES = beats("""
{He} was always {trait3}.
{He} loved [to play|to sing|to run|to laugh|to explore|to help|to dance|to listen to stories|to look at the stars|to make new friends].
{n} liked {food} more than anything else.
{n} had a good friend, a {fkind} named {f}.
{His} best friend was a {fkind} [named|called] {f}.
[Every morning|Every day|Every evening|On sunny days], {he} [went for a walk|sang a little song|looked out of the window|played in {home}].
Everybody [liked|knew] {n} because {he} was so {trait3}.
{n} lived with {his} {grown}.
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
[In the evening|At home|At dinner], {n} told {his} {grown} the whole story. {Ghe} [laughed|smiled|listened] and [gave {him} a hug.|said, "Well done!"|made {him} some {food}.]
And to this day, {n} [smiles|laughs] when {he} thinks of it.
They ate {food} together, and everyone was {good}.
The sun went down, and the two friends walked home.
The end.
""")[0]

PLOTS = {
    "lost": beats("""
{n} had a {col} {thing}. [{He} loved it very much.|It was {his} favourite thing.|{He} took it everywhere.]
{n} owned a [beautiful|lovely|little|shiny] {thing}. It was {col}. [{His} {grown} had given it to {him}.|{He} played with it every day.]
{His} {grown} gave {n} a {col} {thing}. "[Take good care of it|Look after it|Do not lose it]," said {his} {grown}.

{Time}, {n} could not find the {col} {thing}. [{He} looked everywhere.|It was gone!|{He} felt very {bad}.]
{Time}, {n} went to {place} and [lost|forgot|dropped] the {col} {thing}. [{He} was {bad}.|When {he} noticed it, {he} began to cry.]
{Time}, the {col} {thing} was gone. "Where is my {thing}?" [cried|asked|said] {n}.

{n} looked [under the bed|behind the door|in the kitchen|in the garden] and [in the cupboard|under the table|behind the tree], but the {thing} was not there.
{He} [searched|looked] for a long time. [There was no {thing} anywhere.|The {thing} was not in the house.]
-

Then {n} met {f}, a {trait2} {fkind}. "[What is wrong|Why are you so {bad}|What happened]?" asked {f}. "I lost my {col} {thing}," said {n}.
A {fkind} named {f} [came by|saw {him}|heard {him}]. "[Can I help you|What are you looking for]?" asked the {fkind}. "I am looking for my {col} {thing}," {n} [said|answered].
{n} asked {f} the {fkind} for help. "Have you seen a {col} {thing}?" {he} asked. "[Not yet|No], but [we can look together|I will help you]," said {f}.

They [looked|searched] together. [At last|Finally|After a while], {f} found the {thing} {where}.
{f} had [an idea|a good nose|sharp eyes]. {Fhe} looked {where}, and there was the {col} {thing}!
"Look {where}!" [said|cried|called] {f}. And there it was: the {col} {thing}.

{n} [hugged|thanked] {f} and held the {col} {thing} [tight|close]. [{He} was {good} again.|Now everything was good again.]
"My {thing}!" [cried|said] {n}. {He} was so {good} that {he} [danced|jumped|laughed|sang].
"Thank you, {f}!" said {n}. [From then on, {he} took good care of the {col} {thing}.|{He} put the {col} {thing} in a safe place.]
"""),
    "learn": beats("""
{n} wanted to learn to {skill}. [But it was hard.|But {he} did not know how.|All {his} friends could do it already.]
More than anything, {n} wanted to {skill}. [{He} dreamed of it every night.|{He} talked about it every day.]
{Time}, {n} saw {f} the {fkind}, who could {skill}. "I want to {skill} too!" said {n}.

{n} tried [once|one time], but it did not work. {He} tried [again|a second time], and it [still did not work|went wrong again].
The first time, {n} [fell down|made a mistake|was afraid|laughed so much that {he} had to stop]. "[I will never learn it|It is too hard|I cannot do it]," {he} said.
[Everybody said it was too hard|Some people laughed], and {n} felt {bad}.

Then {f}, a {trait2} {fkind}, came to {place}. "I can show you how to {skill}," said {f}. "[You only need time|We will do it slowly|First watch, then try]."
"Do not give up," said {his} friend {f}. {f} was a {fkind} who could {skill} very well. "[Let us practise together|Try it once more|I will help you]."
A {fkind} named {f} watched {him}. "May I help?" asked {f}. "Yes, please," said {n}. "I want to {skill}."

[Every day|Every morning|All week], they practised at {place}. [Slowly|Day by day|Little by little], it got better.
They practised [for an hour|the whole afternoon|until it was dark]. [It was hard work.|{n} did not stop.|They laughed a lot.]

[At last|Finally|One day|After a week], {n} could {skill}! "[I did it|Look at me|I can do it]!" {he} [shouted|cried|said].
And then, [suddenly|all at once], it worked. {n} could {skill}. {f} clapped and {n} was very {good}.

{His} {grown} [was proud|smiled|clapped] and said, "[I knew it|Well done|You worked hard for this], {n}."
Now {n} [shows others|teaches the little ones] how to {skill}.
-
"""),
    "gift": beats("""
It was {f}'s birthday. {f} was a {fkind} and {n}'s best friend.
{Time}, {n} remembered that it was the birthday of {his} friend {f}, a {trait2} {fkind}.

{n} wanted to give {f} [a present|something special|something nice], but {he} had no money.
"What can I give {f}?" {n} [asked|thought]. {He} had [no money|only one coin|no idea].

{n} went to {place} to think. There {he} found a {col} {thing}. "[This is perfect|{f} will like this|What a lovely {thing}]!" {he} said.
{His} {grown} said, "[You can make something|The best presents are made by hand]." So {n} made a {col} {thing}.
{n} worked all morning and made a {col} {thing}. [It was not perfect, but it was pretty.|It took a long time.]

{He} [put it in a box|wrapped it in paper|hid it behind {his} back] and walked to {f}'s house.
On the way it began to rain, and {n} [kept|held] the {thing} under {his} coat.
-

"Happy birthday, {f}!" said {n}. {f} opened the [present|box]. It was a {col} {thing}!
{f} opened the door. "This is for you," said {n}, and gave {fhim} the {col} {thing}.

"[It is the best present of all|What a beautiful {thing}|I love it]!" [said|cried] {f}. "Thank you, {n}."
{f} [smiled|laughed|danced] and put the {col} {thing} [on the table|next to the bed|in the window], where everyone could see it.

Then they ate [cake|{food}] and played {game} until the evening.
They [played|sang|laughed] together and ate {food}.
"""),
    "animal": beats("""
{Time}, {n} went to {place}. [There {he} heard|Suddenly {he} heard|Behind a tree {he} heard] a [small|strange|sad|quiet] sound.
{Time}, {n} was walking to {place} when {he} [saw|found] something under a bush.

It was a [little|small|baby|young] {pet}. It was [hurt|cold and wet|hungry|lost and afraid].
There sat a [tiny|little|young] {pet}. It [looked at {him} with big eyes|was shaking with cold|had lost its mother].

"[Do not be afraid|Poor little {pet}|I will help you]," said {n} [softly|quietly|kindly].
{n} was not afraid. {He} sat down [slowly|quietly] and waited until the {pet} came closer.

{He} gave the {pet} some [water|milk|{food}] and [put it in {his} hat|wrapped it in {his} scarf|took it home].
{n} [carried|took] the {pet} home and made a warm bed for it in a {col} {thing2}.

"[Can we keep it|May it stay here|Can it stay with us]?" {n} asked {his} {grown}. "[It can stay until it is well|Only if you take care of it|First we must look for its mother]," said {his} {grown}.
{His} {grown} helped {him}. "It needs [sleep|food and rest|a friend]," {ghe} said.

[Every day|Each morning], {n} [fed|visited|talked to] the {pet}, and it grew stronger. {n} called it {p}.
{n} gave the {pet} a name: {p}. [Soon|After some days], {p} was strong and well again.

[One day|One morning|After a week], {p}'s mother came to the house. {n} was a little sad, but {he} let {p} go.
When {p} was well, it ran [in circles|through the garden] for joy. It did not want to leave {n}.
{p} stayed, and the {pet} and {n} were always together.

[Sometimes|Every spring|On quiet evenings], {p} still comes to visit {n}.
Since then, {p} sleeps [next to|at the feet of] {n} every night.
-
"""),
    "share": beats("""
{n} and {f} the {fkind} [went|walked] to {place} together. {n} had [some {food}|a bag of {food}] and {f} had nothing.
{Time}, {n} had a [whole basket|big bag|plate] of {food}. {f}, a [hungry|small|{trait2}] {fkind}, looked at it.

"[May I have some|Can I have a little|Could you give me some {food}], please?" asked {f}. "No," said {n}. "[It is all mine|I am too hungry|There is not enough]."
{f} was hungry. "Will you share your {food} with me?" {fhe} asked. {n} shook {his} head.

{f} was {bad} and walked away. [Then {n} did not like the {food} any more.|{n} ate alone, but it was not nice.]
{f} did not say anything. {Fhe} [sat down|looked at the ground]. {n} saw it and felt {bad} too.

Then {n} [thought about it|remembered how {f} had helped {him} before|had an idea]. {He} ran after {f}. "[I am sorry|Please come back]!" {he} [called|cried].
"I am sorry, {f}," said {n}. "[Here, take half of it|Let us share it|It is better to eat together]."

{n} gave {f} half of the {food}. [It tasted much better now.|They sat in the sun and ate.]
They sat down and shared the {food}. "Thank you," said {f}. "[You are kind|Next time I will share with you]."

The next day, {f} brought {drink} and shared it with {n}.
[After that|From then on], they [always shared everything|shared everything they had].
-
"""),
    "storm": beats("""
{Time}, {n} and {f} the {fkind} were at {place} when [dark clouds came up|the sky turned black|a strong wind began to blow]. "[A storm is coming|We must go inside|Look at the sky]!" said {n}.
{Time}, {n} and {his} friend {f}, a {fkind}, were playing at {place} when it began to [rain|thunder|snow].

[The thunder was loud|The wind howled|The rain fell harder and harder], and {n} was afraid.
{f}, the {fkind}, was [shaking with fear|very afraid|wet and cold]. {n} was afraid too, but {he} did not say so.

"[Take my hand|Stay close to me|Do not be afraid]," said {n2}. "[I know a safe place|We can hide {shelter}|Together we are brave]."
{n2} saw {shelter2}. "Quick, [in there|let us go inside]!" {n2} called.

They [hid|sat] {shelter} and told each other [stories|jokes]. [Then the storm did not seem so bad.|Soon they were laughing.]
They sang [a song|every song they knew], louder than the thunder.
{n} had a {col} {thing} with {him}. [They played with it|They looked at it] and forgot the storm.

[At last|After an hour|In the end], the storm was over. The sun came out, and [there was a rainbow over {place}|the birds began to sing|everything smelled fresh].
Then it was quiet. "[The storm is gone|It is over|Look, a rainbow]!" said {f}.
"""),
    "door": beats("""
{Time}, {n} found a [small|little|secret|{col}] door [behind the bookshelf|in the wall|in an old tree|under the stairs]. {He} had never seen it before.
{Time}, {n} found [an old map|a letter without a name|a {col} key] at {place}. "[What is this|How strange]?" {he} [said|thought].

"[Should I open it|Where does it lead|Shall we look]?" {n} asked {his} friend {f} the {fkind}. "[Yes|Of course|Why not]," said {f}. "[But let us be careful|I will come with you]."
{He} showed it to {f}, a {trait2} {fkind}. "[Let us find out together|This could be an adventure|I am a little afraid]," said {f}.

They [walked|went] [for a long time|down a long path|through the dark], until they came to {place2}.
[It was dark at first|First they saw nothing]. Then they saw {place2}, but everything there was {col}.

There stood a [chest|box|basket] with a {col} {thing} in it.
In the middle, on a [stone|table|chair], there was a {col} {thing}. [It shone like the moon.|It was the most beautiful {thing} they had ever seen.]

"[Whose is it|Who put it here]?" asked {n}. "It is mine," said a [deep|soft|friendly] voice. It was an old {old}. "[I have waited for somebody to find it|I lost it many years ago|You may keep it]."
An old {old} came out of the shadow. "[Welcome|Do not be afraid|You are the first guests in a hundred years]," said the {old}. "This {thing} brings luck to those who are kind."

The old {old} gave them [tea|{food}|{drink}] and told them [wonderful stories|about the old days].
"[Come again|Visit me soon]," said the old {old}, and gave {n} the {col} {thing}.

{n} put the {col} {thing} [in {his} pocket|on the shelf at home|next to {his} bed], and nobody else ever found the place.
They went home with the {col} {thing}, and they [kept the secret|told nobody|promised to come back].
"""),
    "contest": beats("""
{Time}, there was a [big race|race|contest|singing contest|baking contest] at {place}. {n} wanted to win.
Every year there was a [race|contest] at {place}. This year, {n} wanted to take part too.

"You will never win," said a [proud|big|loud] {rival}. "[You are too small|I am much faster|I always win]."
All the others were [bigger|older|stronger]. The {rival} [laughed|smiled] and said, "[I will win anyway|This is easy for me]."

{n} [practised every day|got up early and practised|did not listen]. {f} the {fkind} [helped {him}|came with {him}|believed in {him}].
"Just do your best," said {f}, the {fkind}. And {n} [did|nodded|took a deep breath].

[On the way|In the middle of it], the {rival} fell and hurt a foot. {n} [stopped|turned around] and helped, [although {he} lost time|and they went on together].
The {rival} was in front, but then [stopped to sleep|lost the way|grew tired]. {n} [went on and on|did not stop].

{n} did not win, but everyone clapped for {him}. [The {rival} said, "You are the real winner."|"That was kind," they said.]
In the end, {n} won by [a nose|one step]! The prize was a {col} {thing}.
{n} came second and got a {col} {thing}. {He} was [as {good} as a king|very {good}].
"""),
    "sleep": beats("""
It was late, but {n} could not sleep. [The moon was bright.|The wind was loud.|{He} thought of too many things.]
[The stars were out|It was night|The moon was up], and {n} lay in bed with open eyes. "I cannot sleep," {he} said.

{He} counted [sheep|stars|clouds], one, two, three, [but it did not help|up to a hundred].
{His} {grown} brought [a cup of warm milk|a {col} blanket|a glass of water]. "Close your eyes," {ghe} said.

Then {f} the {fkind} [knocked at the window|looked in|lay down beside {him}]. "[I cannot sleep either|Are you still awake]," {fhe} whispered.
"[Tell me a story|Sing me a song], please," said {n}. So {his} {grown} told {him} about a {col} {thing} that could [fly|talk|sing].

Together they looked [at the moon|at the stars|out of the window]. "[The moon is awake too|How quiet it is|It looks like a {thing}]," said {n}.
The story was about a {fkind} named {f}, who travelled to {place} with a {col} {thing}.

[Soon|Slowly|Little by little], {his} eyes grew [heavy|small], and before the end, {n} was asleep.
"Good night, {n}," said {his} {grown}, [and turned off the light|and kissed {him}]. {n} did not answer. {He} was already asleep.
"""),
    "build": beats("""
{n} wanted to build a [house|tree house|boat|kite|snowman|bridge|cart] with {f} the {fkind}. They met at {place}.
{Time}, {n} said to {f} the {fkind}, "Let us [build a house|make a boat|make a kite|build a tower]!"

They needed [wood|paper|rope], [nails|glue|paint] and a {col} {thing}. [{n} found the {thing} {where}.|They had everything except the {thing}.]
{n} brought a {col} {thing}, and {f} brought [wood and rope|paper and glue|a bag of nails].

[First|In the beginning], everything went well. Then [the wind blew it over|it fell down|a piece broke]. "Oh no!" [cried|said] {f}.
It was not easy. [The first one fell apart.|Nothing fitted.] "[Let us start again|We need help]," said {n}.

{His} {grown} [showed them how|helped them a little]. "[Start with a strong bottom|Take your time]," {ghe} said.
They [thought|talked] about it and tried it [another way|once more]. [This time|Now] they put the {col} {thing} on top.

In the evening it was ready. "[It is beautiful|We made it ourselves|Look what we made]!" [said|cried] {n}.
It was not [straight|perfect], but it was theirs, and the {col} {thing} [shone|stood] on top.
"""),
    "grow": beats("""
{Time}, {his} {grown} gave {n} a [tiny|small|round] seed. "What will it be?" asked {n}. "[Wait and see|You must be patient]," {ghe} said.
{n} found a [strange|tiny|{col}] seed at {place} and planted it in a {col} {pot}.

{n} [watered|visited] it every day, but nothing happened. [One day. Two days. Three days.|A whole week passed.] {He} was {bad}.
"Nothing is growing," {n} told {f} the {fkind}. "Give it time," said {f}. "[Good things are slow|Even tall trees were small once]."

[Then, one morning|After two weeks], there was a [tiny|little] green leaf! {n} [danced|jumped] for joy.
[It rained, and the sun shone|Spring came], and a green leaf came out of the ground.

The plant grew [and grew|higher than {n}|up to the window]. In summer it had {col2} flowers.
It became a [tall|strong] plant with {col2} flowers, and [bees|birds|butterflies] came to visit.

{n} gave one {col2} flower to {his} {grown} and one to {f}.
"[You were right|It was worth the wait]," {n} said to {f}, and they sat down beside the {col2} flowers.
"""),
    "away": beats("""
{Time}, {n} [went|travelled|drove] with {his} {grown} to {place}. It was [far away|the first time|a long way].
{n} had never been to {place}. {Time}, {his} {grown} said, "Today we will go there!"

{n} packed a {col} {thing}, [some {food}|a sandwich] and a bottle of {drink}.
{He} took only two things with {him}: a {col} {thing} and some {food}.

[On the way|On the train], {he} met {f}, a {trait2} {fkind}. "Where are you going?" asked {f}. "To {place}," said {n}. "[Come with us|And you]?"
There {he} saw so many [people|new things] that {he} [lost {his} way|forgot the time]. "[Where is everybody|I am lost]," said {n} and was {bad}.

A {fkind} called {f} saw the {col} {thing} in {his} hand. "What a nice {thing}," said {f}. "[Can I show you the way|Shall we look around together]?"
{f}, the {fkind}, knew {place} well and showed {him} [everything|the way].

They [saw|visited] [the old tower|the big fountain|the boats|the animals] and ate {food}. "[It is wonderful here|I want to stay for ever]," said {n}.
{n} gave {f} the {col} {thing} to say thank you. "[I will never forget you|I will think of you when I see it]," said {f}.

In the evening, {n} went home, [tired but {good}|with many stories to tell].
"[Did you like it|How was it]?" asked {his} {grown}. "It was the best trip ever," said {n}.
"""),
}

SKILLS = """swim|ride a bike|sing|dance|paint|bake bread|read|fly a kite|climb trees|whistle|play the drum|skate|jump over the fence|tie a knot
play chess|write letters|cook soup|juggle|row a boat|count to a hundred|tell jokes|draw a horse|stand on one leg|catch a ball""".replace(
    "\n", "|"
).split("|")

# What may be asked after a story, by plot: question, short answer, answer as a sentence.
QUESTIONS = {
    "lost": [
        ("What did {n} lose?", "A {col} {thing}.", "{n} lost a {col} {thing}."),
        ("Where was the {thing}?", "{Where}.", "The {thing} was {where}."),
        ("Who [helped|was a help to] {n}?", "{f} the {fkind}.", "{f} the {fkind} [helped {n}|did]."),
    ],
    "learn": [
        ("What did {n} want to learn?", "To {skill}.", "{n} wanted to learn to {skill}."),
        ("Who [helped|was a help to] {n}?", "{f} the {fkind}.", "{f} the {fkind} [helped {n}|did]."),
    ],
    "gift": [
        ("Whose birthday was it?", "It was {f}'s birthday.", "It was {f}'s birthday."),
        ("What did {n} give to {f}?", "A {col} {thing}.", "{n} gave {f} a {col} {thing}."),
    ],
    "animal": [
        ("What did {n} find?", "A {pet}.", "{n} found a {pet}."),
        ("What was the name of the {pet}?", "{p}.", "The {pet} was called {p}."),
    ],
    "share": [
        ("What did they share?", "{Food}.", "They shared the {food}."),
        ("Who was hungry?", "{f} the {fkind}.", "{f} the {fkind} was hungry."),
    ],
    "storm": [("Who was with {n}?", "{f} the {fkind}.", "{f} the {fkind} was with {n}.")],
    "door": [
        ("What did they find?", "A {col} {thing}.", "They found a {col} {thing}."),
        ("Who lived there?", "An old {old}.", "An old {old} lived there."),
    ],
    "contest": [
        ("Who [helped|was a help to] {n}?", "{f} the {fkind}.", "{f} the {fkind} [helped {n}|did]."),
        ("Who else was in the contest?", "A {rival}.", "A {rival} was in it too."),
    ],
    "sleep": [("Who could not sleep?", "{n}.", "{n} could not sleep.")],
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
