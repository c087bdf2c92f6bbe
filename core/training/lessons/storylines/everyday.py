"""Plots of every day: something lost, something learned, a gift, an animal found, a meal shared, a night awake."""

from __future__ import annotations

from core.training.lessons.grammar import beats

PLOTS = {
    "lost": beats("""
{n} had a {col} {thing}. [{He} loved it very much.|It was {his} favourite thing.|{He} took it everywhere.|{His} {grown} had found it at {place2}.]
{n} owned a [beautiful|lovely|little|shiny] {thing}. It was {col}. [{His} {grown} had given it to {him}.|{He} played with it every day.|Nobody else had one like it.]
{His} {grown} gave {n} a {col} {thing}. "[Take good care of it|Look after it|Do not lose it|It was mine when I was small]," said {his} {grown}.
[On the shelf|Beside the bed|In the hall|In {his} bag], {n} kept a {col} {thing}. [{He} showed it to everybody.|It brought {him} luck.|It was {num} years old.]

{Time}, {n} could not find [the|{his}] {col} {thing}. [{He} looked everywhere.|It was gone!|{He} felt very {bad}.|Was it at {place2}?]
{Time}, {n} went to {place} and [lost|forgot|dropped] the {col} {thing}. [{He} was {bad}.|When {he} noticed it, {he} began to cry.|Nobody had seen it.]
{Time}, the {col} {thing} was gone. "Where is my {thing}?" [cried|asked|said] {n}.
{Time}, {n} came back from {place} with [empty hands|only {food}|a cold nose]. The {col} {thing} was [gone|not there any more|nowhere].

{n} looked [under the {thing3}|behind the {tree}|in {num} boxes] and [in the cupboard|at {place2}|{where}]. [Only {food} there.|No {thing}!|Nothing.]
{He} [searched|looked] for a long time. [There was no {thing} anywhere.|The {thing} was not in the house.]
"[Not here|Think, {n}, think]!" {He} looked [in {thing2} after {thing2}|at {place2}|in {num} boxes] and found [{food}|a {thing3}|{num2} buttons], but no {thing}.
{n} asked {his} {grown}, but {ghe} had not seen the {thing}.
-

Then {n} met {f}, a {trait2} {fkind}. "[What is wrong|Why are you so {bad}|What happened]?" asked {f}. "I lost my {col} {thing}," said {n}.
A {fkind} named {f} [came by|saw {him}|heard {him}]. "[Can I help you|What are you looking for]?" asked the {fkind}. "I am looking for my {col} {thing}," {n} [said|answered].
{n} asked {f} the {fkind} for help. "Have you seen a {col} {thing}?" {he} asked. "[Not yet|No], but [we can look together|I will help you]," said {f}.
Near {place2} sat {f}, a {trait2} {fkind}, eating {food}. "[Come and sit down, {n}|You look {bad}, {n}]," said {f}. So {n} told {fhim} about the {col} {thing}.
[Next door lived|By the gate stood|Up the road came] a {fkind} called {f}. "A {col} {thing}?" said {f}. "[Let us find it, {n}|Then we must hurry|I like to look for things]."

They [looked|searched] together. [At last|Finally|After a while], {f} found the {thing} {where}.
{f} had [an idea|a good nose|eyes like a {rival}]. {Fhe} looked {where}, and [under {num} leaves|beside some {food2}|next to a {thing3}] was the {col} {thing}!
"Look {where}!" [said|cried|called] {f}. And there it was: the {col} {thing}.
They went back to {place2} together. "[Stop|Wait|Oh], {n}, what is [so {col}|that] {where}?" asked {f}. [It was the {thing}!|"My {thing}!" said {n}.]
"[Where did you have it last|Did you look {where}], {n}?" asked {f}. {n} [ate some {food2}|thought hard|scratched {his} head] and ran: yes, there was the {thing}, {where}.

{n} [hugged|thanked] {f} and held the {col} {thing} [tight|close]. [{He} was {good} again.|Now everything was good again.]
"My {thing}!" [cried|said] {n}. {He} was so {good} that {he} [danced|jumped|laughed|sang].
"Thank you, {f}!" said {n}. [From then on, {he} took good care of the {col} {thing}.|{He} put the {col} {thing} in a safe place.]
{n} gave {f} some {food} to say thank you. [Then|After that], {f} and {n} played with the {col} {thing} at {place2}.
"[You are the best {fkind} I know|What would I do without you], {f}," said {n}, and put the {col} {thing} [in {his} pocket|in a {thing2}|under {his} arm].
"""),
    "learn": beats("""
{n} wanted to learn to {skill}. [But it was hard.|The {folk} could do it already.|{His} {grown} could do it with a {thing3} on {his} head.]
More than anything, {n} wanted to {skill}. [{He} dreamed of it every night.|{He} talked about it every day.|{He} even told the {wrong} next door.]
{Time}, [near {place2}|at {place}], {n} saw a {fkind} who could {skill}[| with one hand| like nobody else]. "[Me too|I want that too]!" said {n}.
"[When I am big|One day|Before the winter comes], I will {skill}," {n} told {his} {grown}. "[Why not today?|Begin now, {n}!|Then you must practise!]" {ghe} said.
{Time}, {n} read in a {col2} book how to {skill}. [It had {num} pages.|It looked easy.|"That is for me," {n} told the {folk}.]

{n} tried it [once|{num} times] [at {place2}|under the {tree}|with a {thing3} in one hand]. [It went wrong.|{He} fell into some {food}.|Only a {wrong} clapped.]
The first time, {n} [fell into the {flowers}|held it like a {thing3}|was afraid|laughed too much]. "[I will never learn it|It is too hard]," {he} told the {folk}.
[Everybody said it was too hard|Some people laughed], and {n} felt {bad}.
A {rival} saw {n} and [laughed|shook its head]. "[A {kind} cannot do that|You look funny, {n}|Give it up, {n}]," said the {rival}.
{Num} times {n} tried it at {place2}, and {num} times it went wrong. [{n} was {bad}.|{n} sat down {where}.|"Why is it so hard?" asked {n}.]

Then {f}, a {trait2} {fkind}, came to {place}. "I can show you, {n}," said {f}. "[You only need time and {food}|First put down that {thing3}|First watch]!"
"Do not give up," said {his} friend {f}. {f} was a {fkind} who could {skill} very well. "[Let us practise together|Try it once more|I will help you]."
A {fkind} named {f} watched {him}. "May I help?" asked {f}. "Yes, please," said {n}. "I want to {skill}."
But {f}, a {fkind} in a {col2} {cloth}, did not laugh. "[I needed {num} weeks for it|It took me the whole {season}|I fell {num} times], {n}."
{f} was a {trait2} {fkind} from {place2}. "[Watch my feet, {n}|Do it like me|Slowly, {n}, slowly]," said {f}, and showed {him} how to {skill}.

[Every day|Every {day}|All through {month}], they practised at {place}. [Slowly|After {num} weeks|With some {food}], {n} got better.
They practised [for {num} hours|with {num} {flowers}|under the {tree}|near {place2}]. [It was hard work.|{n} did not stop.|They laughed and ate {food}.]
On {day} they practised at {place}, on {day2} at {place2}. [{n} got a little better.|When {n} was tired, they ate {food}.|"Good, {n}!" said {f} again and again.]
They met at {place} every {day}[| and sat under the {tree}| with {food} and {drink}]. [After {num} weeks|When {season} came], it went better.

[At last|Finally|One day|After a week], {n} could {skill}! "[I did it|Look at me|I can do it]!" {he} [shouted|cried|said].
And then, [on {day}|all at once|near {place2}|with {food} in {his} mouth], {n} could {skill}. {f} [clapped|threw {fhis} {cloth} in the air].
[One {day}|On a {col2} and quiet morning|In the middle of {season}], {n} tried again. "[It works|You can do it|Well done, {n}]!" [cried|called|shouted] {f}. {n} could {skill}!
{n} [closed {his} eyes|counted to {num}|thought of {food}|held on to a {thing3}], tried once more, and [look|what a surprise|hurrah]: {n} could {skill}!

{His} {grown} [was proud|smiled|clapped] and said, "[I knew it|Well done|You worked hard for this], {n}."
Now {n} [shows others|teaches the little ones] how to {skill}.
"[Will you teach me too|How did you do that], {n}?" asked a {wrong}. "[Come to {place} on {day}|Ask {f}, too|Gladly]," said {n}.
{f} gave {n} a {col} {thing}, because {he} had not given up.
-
"""),
    "gift": beats("""
It was {f}'s birthday[: {num} years old!|, not an easy day for {n}.|.] {f} was a {fkind} [with a {col2} {cloth}|from {place2}] and {n}'s best friend.
{Time}, {n} [looked at a {col2} calendar|saw the {flowers}|ate {food}] and remembered: it was the birthday of {f}, a {trait2} {fkind}.
"[Do you know what day it is|What is the date], {n}?" asked {his} {grown}. "It is {f}'s birthday!" {f} was a {fkind} and lived near {place2}.
[In three days|On {day}|Tomorrow], {f} the {fkind} would be {num} years old, and {n} was invited to the birthday.

{n} wanted to give {f} [a present|something special|something nice], but {he} had no money.
"What can I give {f}?" {n} [asked|thought]. {He} had [no money|only one coin|no idea].
{n} thought about it [in bed|at breakfast|the whole day|on the way to {place2}]. "[Some {food}|A song|A picture]? No, {f} should get something better," {he} said.

{n} went to {place} to think. There {he} found a {col} {thing}. "[This is perfect|{f} will like this|What a lovely {thing}]!" {he} said.
{His} {grown} [pointed at|looked for|took] some {thing3} paper and said, "[Make something|Try it], {n}." So {n} made a {col} {thing}.
{n} worked [all morning|until {day}|for {num} hours] and made a {col} {thing}. [It smelled of {food2}.|It was pretty.|Even the {folk} said so.]
At {place}, an old {old} sold a {col} {thing}. "[It costs only one coin|I want some {food} for it]," said the {old}. [So {n} got the {thing}.|{n} was {good}.]
{He} had a {col} {thing} at home, and {he} loved it. [But {he} loved {f} even more.|"{f} always liked it," {n} said.|"Now it is for {f}," {n} thought.]

{He} [put it in a box|wrapped it in paper|hid it behind {his} back] and walked to {f}'s house.
[On the way|Near {place2}|Under the {tree}] it began to rain, and {n} [kept|held] the {thing} under {his} {col2} {cloth}.
{n} put it in a {col2} {thing2}, wrote "For {f}" on it and went [past {place2}|under a {col3} umbrella|{num} streets on foot] to the birthday.
{n} met a {rival} [near {place2}|with a {thing3}|under the {tree}]. "Is that for me?" asked the {rival}. "[Ha|No, no|For {f}]!" said {n} and [ran|went] on.
-

"Happy birthday, {f}!" said {n}. {f} [pulled the ribbon|tore the paper|opened it with a spoon]. [Inside was|Oh,|There it lay:] a {col} {thing}!
{f} opened the door [in a {col3} {cloth}|with {food} in one hand]. "[This is for you|Guess|For you], {f}!" said {n}. It was the {col} {thing}.
There were [{num} guests|cakes and candles|{col2} balloons everywhere], but {f} looked only at the {col} {thing} from {n}.
{n} was [shy|{bad}]. "[It is only a {thing}|I hope you like it], {f}." It was as {col} as [{flowers}|the sky over {place2}|a {folk}'s nose].

"[It is the best present of all|What a beautiful {thing}|I love it]!" [said|cried] {f}. "Thank you, {n}."
{f} [smiled|laughed|danced] and put the {col} {thing} [next to {fhis} {thing3}|between {num} {flowers}|{where}], where [the {folk}|a guest] could see it.
"[A {thing}|A {col} {thing}]! How did you know, {n}?" asked {f}. "[Friends know such things|You told me in your sleep|I only guessed]," said {n}.
{f} [hugged|kissed] {n} and took the {thing} [to bed|to {place2}|everywhere] that day.

Then they ate [cake|{food}] and played {game} until the evening.
They [played|sang|laughed] together and ate {food}.
There was {drink} and {food} for all, and {f} blew out {num} candles.
On {day} they wrote a card to {n}'s {grown}: "[The {thing} was perfect|Thank you for the idea|Come and visit us]!"
"""),
    "animal": beats("""
{Time}, {n} went to {place}. [There {he} heard|Suddenly {he} heard|Behind a tree {he} heard] a [small|strange|sad|quiet] sound.
{Time}, {n} was walking to {place} [with {num} eggs|in a {col3} {cloth}|alone] when {he} saw something under [a bush|a {tree}|the {flowers}].
{Time}, there was something [small|wet|soft|{col2}] {where}. {n} came closer on [quiet feet|{his} toes].
{Time}, {n} and {his} {grown} came home from {place}. "[What is that?|Stop, {grown}!|Do you hear it?]" [asked|said] {n}.

It was a [little|small|baby|young] {pet}. It was [hurt|cold and wet|hungry|lost and afraid].
There sat a [tiny|little|young] {pet}. It [looked at {him} with big eyes|was shaking with cold|had lost its mother].
A {col2} {pet} lay there [in the grass|on some leaves|beside a {thing3}|under the {tree}]. [It was too weak to stand.|One foot was hurt.]
Between [two stones|the flowers|the roots of a tree] {n} found a [little|thin|young] {pet}, [all alone|no bigger than a {thing}|as small as an apple].

"[Do not be afraid|Poor little {pet}|I will help you]," said {n} [softly|quietly|kindly].
{n} [put down {his} {thing3}|took off {his} {cloth}|knelt near the {tree}] and waited. [{Num} minutes later|Slowly|In the end], the {pet} came closer.
"[Who are you|Where is your mother|Are you hungry], little {pet}?" asked {n}. The {pet} [only looked at {him}|hid its head|answered very softly].
{n} held out {his} hand with some {food}. The {pet} [smelled it|took a small bite|looked up].

{He} gave the {pet} some [water|milk|{food}] and [put it in {his} hat|wrapped it in {his} scarf|took it home].
{n} [carried|took] the {pet} home [past {place2}|in {his} {cloth}|on {num} soft leaves] and made a bed in a {col} {thing2}[| beside a {thing3}].
Under {his} coat, {n} carried the {pet} from {place} to {his} {grown}. There it slept in a {col} {thing2} for {num} hours.
{n} put the {pet} in a {thing2} with a {col} {thing}, so that it would not be alone.

"[Can we keep it|May it stay {where}], {grown}?" [asked|begged] {n}. "[Until {day}|Only if you take care of it, {n}|Yes, but keep it away from my {food}]!"
{His} {grown} helped {him}. "It needs [sleep|food and rest|a friend]," {ghe} said.
"[A {pet} in our house|What do we have here|Oh, {n}]!" said {his} {grown}. But then {ghe} [smiled|brought some {drink}|looked at the {pet} and said nothing more].
The doctor [from {place2}|with the {thing3}] looked at the {pet}. "[Give it {drink} and {food}|It will run by {day}|You did well], {n}."

[Every day|Each morning], {n} [fed|visited|talked to] the {pet}, and it grew stronger. {n} called it {p}.
{n} gave the {pet} a name: {p}. [By {day}|After {num} days|With some {food}], {p} was [strong again|well and hungry|as {good} as {n}].
"You look like a {p}," {n} told the {pet}, and so it was {p}. [On {day}|After {num} days|In {month}], {p} could [run|play|eat {food}] again.
The {pet} liked {food} best. {n} called it {p} and [sang to it|read it stories|sat beside it] until it was well.

[On {day}|One morning|After {num} days], {p}'s mother [came|called from {place2}]. {n} was [{bad}|a little {bad}|brave], but {he} let {p} go.
When {p} was well, it [ran|hopped] around a {thing3} {num} times. But {p} [stayed|did not want to go back to {place}|only wanted {food}].
{p} stayed, and the {pet} and {n} were always together.
On {day}, {n} took {p} back to {place}. "[Go home|Be careful|You are free], {p}," said {n}. But the {pet} [stayed beside {him}|came back in the evening|turned around {num} times].
Soon {p} [knew every corner of {place2}|was afraid of nothing|slept {where}], and everybody asked {n} about the {pet}.

[Sometimes|Every spring|On quiet evenings], {p} still comes to visit {n}.
Since then, {p} sleeps [next to|at the feet of] {n} every night.
And when it is {season}, {n} and {p} go to {place} together and [look at the clouds|eat {food}|run until they are tired].
-
"""),
    "share": beats("""
{n} and {f} the {fkind} [went|walked] to {place} together. {n} had [some {food}|a bag of {food}] and {f} had nothing.
{Time}, {n} had a [whole basket|big bag|plate] of {food}. {f}, a [hungry|small|{trait2}] {fkind}, looked at it.
{Time}, {n} sat near {place2} with [a lot of {food}|{food} for {num}|the best {food} in town]. Then {f} came by, a {trait2} {fkind}.
{His} {grown} gave {n} some {food} for [the way|the day|lunch]. At {place} waited {f} the {fkind}, who had forgotten to bring anything.

"[May I have some|Can I have a little|Could you give me some {food}], please?" asked {f}. "No," said {n}. "[It is all mine|I am too hungry|There is not enough]."
{f} was hungry. "Will you share your {food} with me?" {fhe} asked. {n} shook {his} head.
"[That smells good|I have not eaten since {day}|I love {food}], {n}," said {f}. But {n} [put the {food} behind {his} back|turned away|ate a little faster].
{f} [looked at|smelled] the {food}. "[One bite|Only {num} bites|A little], {n}?" "[Buy some at {place2}|Eat your {thing3}|I need it all], {f}!"

{f} was {bad} and walked away [in the rain|past {place2}]. [Now {n} did not like the {food}.|{n} ate with a {thing3} for a friend.|{n} ate {num} bites.]
{f} [said nothing|looked at a {thing3}|counted {num} ants on the ground]. {n} saw it and [felt {bad} too|put the {food} down|thought of {day}].
"[All right|I understand]," said {f}, and went to {place2}. [It was very quiet now.|{n} looked at {num} empty chairs.|Now nobody laughed with {n}.]
A {wrong} had seen it. "[Is that how a {kind} eats|Was {f} not your friend|It was {f} who helped you on {day}], {n}?" asked the {wrong}. {n} felt {bad}.

Then {n} [thought about it|remembered how {f} had helped {him} before|had an idea]. {He} ran after {f}. "[I am sorry|Please come back]!" {he} [called|cried].
"I am sorry, {f}," said {n}. "[Here, take half of it|Let us share it|It is better to eat together]."
{n} looked for {f} [everywhere|at {place2}|under the {tree}] and found {fhim} at {home}. "[I was wrong|Are you still hungry], {f}," {he} said.
So {n} put the {food} in a {col} {thing2} and went to {f}'s house. "[There is enough for two|I do not like to eat alone|Will you eat with me], {f}," said {n}.

{n} gave {f} half of the {food}. [It tasted much better now.|They sat in the sun and ate.]
They sat down [under a {tree}|{where}|with {num} birds] and shared the {food}. "[You are kind|On {day} I will share with you], {n}," said {f}.
{f} cut the {food} in two with a {thing}. "[One half for you, {n}|The bigger half is yours|Now it is fair]," {fhe} said.
[Bite by bite|Slowly|With {drink}], {n} and {f} ate all the {food}, and {n} [told a joke|sang a song|was {good} again].

The next day, {f} brought {drink} and shared it with {n}.
[After that|From then on], they [always shared everything|shared everything they had].
On {day}, {f} knocked at {n}'s door with a {col} {thing2} full of {food2}. "[Today it is my turn|Half of it is yours|Look what I have]," said {f}.
-
"""),
    "sleep": beats("""
It was late, but {n} could not sleep. [The moon was {col2}.|{He} thought of {place}.|The {thing3} on the shelf looked like a {wrong}.|{He} had eaten {num} plates of {food}.]
[The stars were out|The moon stood over {place}], and {n} lay in bed [with {num} pillows|with {his} {cloth} on|and thought of {food}]. "I cannot sleep!"
The clock struck {num}, and {n} was still awake. [Tomorrow {he} would go to {place}.|{He} had seen a {wrong} that day.|{He} turned from left to right.]
[The {folk} next door|{n}'s {grown}|Even the {wrong} at {place}] was asleep, only {n} was not. [Was there a {rival} {where}?|{He} heard the {thing2} fall from the shelf.]

{He} counted [sheep|{col2} stars|{flowers}|the {thing3} {num} times], one, two, three, [but it did not help|up to {num2}|until {he} thought of {food}].
{His} {grown} brought [a cup of warm milk|a {col} blanket|a glass of water|some {drink}]. "Close your eyes, {n}," {ghe} said.
{n} [got up|lit a lamp|put on {his} {cloth}] and looked {where}. [Only|Nothing but] a {col} {thing}[| and some {food}|, {num} {flowers}| and a {thing3}]!
"[Are you still awake|Why is there light], {n}?" asked {his} {grown}. "[I counted my toes and there were {num}|My head is full of {food}|I must think of {place}]."

Then {f} the {fkind} [knocked at the window|looked in|lay down beside {him}]. "[I cannot sleep either|Are you still awake], {n}," {fhe} whispered.
"[Tell me of {place}|Sing me a song, please]!" said {n} to {f}, the {fkind} [with the {thing3}|from next door|who lay {where}].
[On the bed|In a {thing2}|Next to the {thing3}] sat {f}, a [toy|little|{trait2}] {fkind}. {n} told {fhim} about {place}[| and the {folk}| and {food}].
At the window stood a {trait2} {fkind} called {f}. "[The moon sent me|I heard you turn around {num} times|I have brought you a {col} {thing}], {n}," said the {fkind}.

Together they looked [at the moon|at the stars|out of the window]. "[The moon is awake too|How quiet it is|It looks like a {thing}]," said {n}.
{f} told {him} [a story|a long tale] about a {col} {thing} that could [fly|talk|sing] and that travelled to {place}.
[{f} knew|There was] a song about {place} with {num} parts. [In part {num2}, a {wrong} lost its {thing3}.|It was about {food} and {drink}.]
{f} and {n} thought of things that are {col}: a {thing}, a {thing2}, [a leaf|a flower|an old hat] and [{num} buttons|a cup of {drink}|a cloud].

[Soon|Slowly|Before number {num}], {n}'s eyes grew [heavy|small], and [the {thing3} fell from {his} hand|before the end {he} slept|{he} dreamed of {food}].
"Good night, {n}," said {his} {grown}[ and closed the window| with the {drink}|, and kissed {him}]. But {n} was asleep [and dreamed of {place}|and held a {thing3}].
"[One more|And then|Is that the end]?" asked {n} with closed eyes. But before {f} could answer, {n} [was asleep|slept|dreamed of {place}].
And {n} dreamed of {f}, of {place} and of a {col} {thing} until the morning.
"""),
}

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
    "sleep": [("Who could not sleep?", "{n}.", "{n} could not sleep.")],
}
