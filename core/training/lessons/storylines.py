"""What happens in the stories: twelve plots, beat by beat, each beat in several ways. The slots are those of plots.py.

A beat is told in one of its ways (one line each); a line of a single dash means that it may be left out. "They" at the beginning of a
sentence always means the hero and the friend, "{He}" the hero and "{Fhe}" the friend: stories.py may put their names instead.
"""

from __future__ import annotations

from core.training.lessons.grammar import beats

PLOTS = {
    "lost": beats("""
{n} had a {col} {thing}. [{He} loved it very much.|It was {his} favourite thing.|{He} took it everywhere.|{His} {grown} had found it at {place2}.]
{n} owned a [beautiful|lovely|little|shiny] {thing}. It was {col}. [{His} {grown} had given it to {him}.|{He} played with it every day.|Nobody else had one like it.]
{His} {grown} gave {n} a {col} {thing}. "[Take good care of it|Look after it|Do not lose it|It was mine when I was small]," said {his} {grown}.
[On the shelf|Beside the bed|In the hall|In {his} bag], {n} kept a {col} {thing}. [{He} showed it to everybody.|It brought {him} luck.|It was {num} years old.]

{Time}, {n} could not find the {col} {thing}. [{He} looked everywhere.|It was gone!|{He} felt very {bad}.|Was it at {place2}?]
{Time}, {n} went to {place} and [lost|forgot|dropped] the {col} {thing}. [{He} was {bad}.|When {he} noticed it, {he} began to cry.|Nobody had seen it.]
{Time}, the {col} {thing} was gone. "Where is my {thing}?" [cried|asked|said] {n}.
{Time}, {n} came back from {place}, and {his} hands were empty. The {col} {thing} was [gone|not there any more|nowhere to be seen].

{n} looked [under the bed|behind the door|in the kitchen|in the garden] and [in the cupboard|under the table|behind the tree], but the {thing} was not there.
{He} [searched|looked] for a long time. [There was no {thing} anywhere.|The {thing} was not in the house.]
"[Not here|Not there either|Think, {n}, think]," {he} said, and looked [in {thing2} after {thing2}|in every corner of {place2}|in {num} boxes]. There was no {thing}.
{n} asked {his} {grown}, but {ghe} had not seen the {thing}.
-

Then {n} met {f}, a {trait2} {fkind}. "[What is wrong|Why are you so {bad}|What happened]?" asked {f}. "I lost my {col} {thing}," said {n}.
A {fkind} named {f} [came by|saw {him}|heard {him}]. "[Can I help you|What are you looking for]?" asked the {fkind}. "I am looking for my {col} {thing}," {n} [said|answered].
{n} asked {f} the {fkind} for help. "Have you seen a {col} {thing}?" {he} asked. "[Not yet|No], but [we can look together|I will help you]," said {f}.
Near {place2} sat {f}, a {trait2} {fkind}, eating {food}. "[Come and sit down, {n}|You look {bad}, {n}]," said {f}. So {n} told {fhim} about the {col} {thing}.
[Next door lived|By the gate stood|Up the road came] a {fkind} called {f}. "A {col} {thing}?" said {f}. "[Let us find it, {n}|Then we must hurry|I like to look for things]."

They [looked|searched] together. [At last|Finally|After a while], {f} found the {thing} {where}.
{f} had [an idea|a good nose|sharp eyes]. {Fhe} looked {where}, and there was the {col} {thing}!
"Look {where}!" [said|cried|called] {f}. And there it was: the {col} {thing}.
They went back to {place2} together. "[Stop|Wait|Oh], what is that {where}?" asked {f}. It was the {thing}!
"[Where did you have it last|Where have you not looked yet], {n}?" asked {f}. {n} thought hard. Then {he} looked {where}, and {he} [laughed|cried out]: there was the {thing}.

{n} [hugged|thanked] {f} and held the {col} {thing} [tight|close]. [{He} was {good} again.|Now everything was good again.]
"My {thing}!" [cried|said] {n}. {He} was so {good} that {he} [danced|jumped|laughed|sang].
"Thank you, {f}!" said {n}. [From then on, {he} took good care of the {col} {thing}.|{He} put the {col} {thing} in a safe place.]
{n} gave {f} some {food} to say thank you. [Then|After that], {f} and {n} played with the {col} {thing} at {place2}.
"[You are the best {fkind} I know|What would I do without you], {f}," said {n}, and put the {col} {thing} [in {his} pocket|in a {thing2}|under {his} arm].
"""),
    "learn": beats("""
{n} wanted to learn to {skill}. [But it was hard.|But {he} did not know how.|All {his} friends could do it already.|{His} {grown} could do it so well.]
More than anything, {n} wanted to {skill}. [{He} dreamed of it every night.|{He} talked about it every day.|{He} even told the {wrong} next door.]
{Time}, {n} saw a {fkind} who could {skill}. "I want to {skill} too!" said {n}.
"[When I am big|One day|Before the winter comes], I will {skill}," {n} told {his} {grown}. "[Why not today|Begin now, {n}|Then you must practise]?" {ghe} asked.
{Time}, {n} read in a {col} book how to {skill}. [It looked easy.|{He} wanted to try it at once.|"That is for me," said {n}.]

{n} tried [once|one time], but it did not work. {He} tried again [on {day}|at {place2}|after lunch], and it [still did not work|went wrong again].
The first time, {n} [fell down|made a mistake|was afraid|laughed so much that {he} had to stop]. "[I will never learn it|It is too hard|I cannot do it]," {he} said.
[Everybody said it was too hard|Some people laughed], and {n} felt {bad}.
A {rival} saw {n} and [laughed|shook its head]. "[A {kind} cannot do that|You look funny, {n}|Give it up, {n}]," said the {rival}.
{Num} times {n} tried it at {place2}, and {num} times it went wrong. [{n} was {bad}.|{n} sat down {where}.|"Why is it so hard?" asked {n}.]

Then {f}, a {trait2} {fkind}, came to {place}. "I can show you how to {skill}," said {f}. "[You only need time|We will do it slowly|First watch, then try]."
"Do not give up," said {his} friend {f}. {f} was a {fkind} who could {skill} very well. "[Let us practise together|Try it once more|I will help you]."
A {fkind} named {f} watched {him}. "May I help?" asked {f}. "Yes, please," said {n}. "I want to {skill}."
But {f}, a {fkind} with a {col} hat, did not laugh. "[I needed {num} weeks for it|I was afraid too|It took me the whole {season}], {n}," {fhe} said. "[Come to {place} with me|I will show you a trick]."
{f} was a {trait2} {fkind} from {place2}. "[Watch my feet, {n}|Do it like me|Slowly, {n}, slowly]," said {f}, and showed {him} how to {skill}.

[Every day|Every morning|All week], they practised at {place}. [Slowly|Day by day|Little by little], it got better.
They practised [for an hour|the whole afternoon|until it was dark]. [It was hard work.|{n} did not stop.|They laughed a lot.]
On {day} they practised at {place}, on {day2} at {place2}. [{n} got a little better.|When {n} was tired, they ate {food}.|"Good, {n}!" said {f} again and again.]
They met at {place} every {day}. [After {num} weeks|When {season} came], it went much better.

[At last|Finally|One day|After a week], {n} could {skill}! "[I did it|Look at me|I can do it]!" {he} [shouted|cried|said].
And then, [suddenly|all at once], it worked. {n} could {skill}. {f} clapped and {n} was very {good}.
[One {day}|On a {col2} and quiet morning|In the middle of {season}], {n} tried again. "[It works|You can do it|Well done, {n}]!" [cried|called|shouted] {f}. {n} could {skill}!
{n} [closed {his} eyes|counted to {num}|thought of {food}] and tried once more. And what a surprise: {n} could {skill}!

{His} {grown} [was proud|smiled|clapped] and said, "[I knew it|Well done|You worked hard for this], {n}."
Now {n} [shows others|teaches the little ones] how to {skill}.
"[Will you teach me too|How did you do that], {n}?" asked a {wrong}. "[Come to {place} on {day}|Ask {f}, too|Gladly]," said {n}.
{f} gave {n} a {col} {thing}, because {he} had not given up.
-
"""),
    "gift": beats("""
It was {f}'s birthday. {f} was a {fkind} and {n}'s best friend.
{Time}, {n} remembered that it was the birthday of {his} friend {f}, a {trait2} {fkind}.
"[Do you know what day it is|What is the date], {n}?" asked {his} {grown}. "It is {f}'s birthday!" {f} was a {fkind} and lived near {place2}.
[In three days|On {day}|Tomorrow], {f} the {fkind} would be {num} years old, and {n} was invited to the birthday.

{n} wanted to give {f} [a present|something special|something nice], but {he} had no money.
"What can I give {f}?" {n} [asked|thought]. {He} had [no money|only one coin|no idea].
{n} thought about it [in bed|at breakfast|the whole day|on the way to {place2}]. "[Some {food}|A song|A picture]? No, {f} should get something better," {he} said.

{n} went to {place} to think. There {he} found a {col} {thing}. "[This is perfect|{f} will like this|What a lovely {thing}]!" {he} said.
{His} {grown} said, "[You can make something|The best presents are made by hand]." So {n} made a {col} {thing}.
{n} worked all morning and made a {col} {thing}. [It was not perfect, but it was pretty.|It took a long time.]
At {place}, an old {old} sold a {col} {thing}. "[It costs only one coin|I want some {food} for it]," said the {old}. [So {n} got the {thing}.|{n} was {good}.]
{He} had a {col} {thing} at home, and {he} loved it. [But {he} loved {f} even more.|"{f} always liked it," {n} said.|"Now it is for {f}," {n} thought.]

{He} [put it in a box|wrapped it in paper|hid it behind {his} back] and walked to {f}'s house.
On the way it began to rain, and {n} [kept|held] the {thing} under {his} coat.
{n} put it in a {col2} {thing2}, wrote "For {f}" on it and went [past {place2}|over the hill|through {place}] to the birthday.
{n} met a {rival} on the way. "[What do you have there|Is that for me]?" asked the {rival}. "[It is a secret|No, it is for {f}]," said {n}.
-

"Happy birthday, {f}!" said {n}. {f} opened the [present|box]. It was a {col} {thing}!
{f} opened the door. "This is for you," said {n}, and gave {fhim} the {col} {thing}.
There were [{num} guests|cakes and candles|{col2} balloons everywhere], but {f} looked only at the {col} {thing} from {n}.
{n} was [shy|{bad}|a little afraid]. "It is only a {thing}, {f}," {he} said, and held it out. It was as {col} as [a flower|the evening sky|a sweet].

"[It is the best present of all|What a beautiful {thing}|I love it]!" [said|cried] {f}. "Thank you, {n}."
{f} [smiled|laughed|danced] and put the {col} {thing} [on the table|next to the bed|in the window], where everyone could see it.
"[A {thing}|A {col} {thing}]! How did you know, {n}?" asked {f}. "[Friends know such things|You told me in your sleep|I only guessed]," said {n}.
{f} [hugged|kissed] {n} and took the {thing} [to bed|to {place2}|everywhere] that day.

Then they ate [cake|{food}] and played {game} until the evening.
They [played|sang|laughed] together and ate {food}.
There was {drink} and {food} for all, and {f} blew out {num} candles.
On {day} they wrote a card to {n}'s {grown}: "[The {thing} was perfect|Thank you for the idea|Come and visit us]!"
"""),
    "animal": beats("""
{Time}, {n} went to {place}. [There {he} heard|Suddenly {he} heard|Behind a tree {he} heard] a [small|strange|sad|quiet] sound.
{Time}, {n} was walking to {place} when {he} [saw|found] something under a bush.
{Time}, there was something [small|wet|soft|{col2}] {where}. {n} came closer on [quiet feet|{his} toes].
{Time}, {n} and {his} {grown} came home from {place}. "[What is that|Stop, {grown}|Do you hear it]?" asked {n}.

It was a [little|small|baby|young] {pet}. It was [hurt|cold and wet|hungry|lost and afraid].
There sat a [tiny|little|young] {pet}. It [looked at {him} with big eyes|was shaking with cold|had lost its mother].
A {col2} {pet} lay there [in the grass|on some leaves|in the sand]. [It was too weak to stand up.|One foot was hurt.|It did not move.]
Between [two stones|the flowers|the roots of a tree] {n} found a [little|thin|young] {pet}, [all alone|no bigger than a {thing}|as small as an apple].

"[Do not be afraid|Poor little {pet}|I will help you]," said {n} [softly|quietly|kindly].
{n} was not afraid. {He} sat down [slowly|quietly] and waited until the {pet} came closer.
"[Who are you|Where is your mother|Are you hungry], little {pet}?" asked {n}. The {pet} [only looked at {him}|hid its head|answered very softly].
{n} held out {his} hand with some {food}. The {pet} [smelled it|took a small bite|looked up].

{He} gave the {pet} some [water|milk|{food}] and [put it in {his} hat|wrapped it in {his} scarf|took it home].
{n} [carried|took] the {pet} home and made a warm bed for it in a {col} {thing2}.
Under {his} coat, {n} carried the {pet} from {place} to {his} {grown}. There it slept in a {col} {thing2} for {num} hours.
{n} put the {pet} in a {thing2} with a {col} {thing}, so that it would not be alone.

"[Can we keep it|May it stay here|Can it stay with us]?" {n} asked {his} {grown}. "[It can stay until it is well|Only if you take care of it|First we must look for its mother]," said {his} {grown}.
{His} {grown} helped {him}. "It needs [sleep|food and rest|a friend]," {ghe} said.
"[A {pet} in our house|What do we have here|Oh, {n}]!" said {his} {grown}. But then {ghe} [smiled|brought some {drink}|looked at the {pet} and said nothing more].
The doctor from {place2} looked at the {pet}. "[Give it {drink} and {food}|It will be well by {day}|You did the right thing, {n}]," said the doctor.

[Every day|Each morning], {n} [fed|visited|talked to] the {pet}, and it grew stronger. {n} called it {p}.
{n} gave the {pet} a name: {p}. [Soon|After some days], {p} was strong and well again.
"You look like a {p}," {n} told the {pet}, and so it was called {p}. [On {day}|After {num} days|By the end of {season}], {p} could [run|play|eat {food}] again.
The {pet} liked {food} best. {n} called it {p} and [sang to it|read it stories|sat beside it] until it was well.

[One day|One morning|After a week], {p}'s mother came to the house. {n} was a little sad, but {he} let {p} go.
When {p} was well, it [ran|hopped] [in circles|through the garden|round and round {n}]. It did not want to leave {n}.
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
{f} looked at the {food} and asked for [a bite|a piece|the smallest bit]. "[Buy your own|Go home and eat there|I need it all], {f}," said {n}.

{f} was {bad} and walked away. [Then {n} did not like the {food} any more.|{n} ate alone, but it was not nice.]
{f} did not say anything. {Fhe} [sat down|looked at the ground]. {n} saw it and felt {bad} too.
"[All right|I understand]," said {f}, and went to {place2}. [It was very quiet now.|{n} looked at {num} empty chairs.|Now nobody laughed with {n}.]
A {wrong} had seen it. "[Is that how a {kind} eats|Was {f} not your friend|It was {f} who helped you on {day}], {n}?" asked the {wrong}. {n} felt {bad}.

Then {n} [thought about it|remembered how {f} had helped {him} before|had an idea]. {He} ran after {f}. "[I am sorry|Please come back]!" {he} [called|cried].
"I am sorry, {f}," said {n}. "[Here, take half of it|Let us share it|It is better to eat together]."
{n} looked for {f} everywhere and found {fhim} at {home}. "[I was wrong|That was not nice of me|Are you still hungry], {f}," {he} said.
So {n} put the {food} in a {col} {thing2} and went to {f}'s house. "[There is enough for two|I do not like to eat alone|Will you eat with me], {f}," said {n}.

{n} gave {f} half of the {food}. [It tasted much better now.|They sat in the sun and ate.]
They sat down and shared the {food}. "Thank you," said {f}. "[You are kind|Next time I will share with you]."
{f} cut the {food} in two with a {thing}. "[One half for you, {n}|The bigger half is yours|Now it is fair]," {fhe} said.
[Bite by bite|Slowly|With {drink}], {n} and {f} ate all the {food}, and {n} [told a joke|sang a song|was {good} again].

The next day, {f} brought {drink} and shared it with {n}.
[After that|From then on], they [always shared everything|shared everything they had].
On {day}, {f} knocked at {n}'s door with a {col} {thing2} full of {food2}. "[Today it is my turn|Half of it is yours|Look what I have]," said {f}.
-
"""),
    "storm": beats("""
{Time}, {n} and {f} the {fkind} were at {place} when [dark clouds came up|the sky turned black|a strong wind began to blow]. "[A storm is coming|We must go inside|Look at the sky], {f}!" said {n}.
{Time}, {n} and {his} friend {f}, a {fkind}, were playing at {place} when it began to [rain|thunder|snow].
{n} and {f} the {fkind} were on their way from {place} to {place2}. {Time}, the sky was suddenly as dark as [night|coal|a cellar].
"[It smells of rain|My ears are cold|There is no bird in the sky], {n}," said {f}, a {trait2} {fkind}. And then the storm came to {place}.

[The thunder was loud|The wind howled|The rain fell harder and harder], and {n} was afraid.
{f}, the {fkind}, was [shaking with fear|very afraid|wet and cold]. {n} was afraid too, but {he} did not say so.
[A tree fell|A branch broke|A door banged] near {place2}. {n} held {f} by the hand.
{n} lost {his} {thing2} in the wind, and {f} [jumped|cried out] at every [clap of thunder|flash of light].

"[Take my hand|Stay close to me|Do not be afraid]," said {n2}. "[I know a safe place|We can hide {shelter}|Together we are brave]."
{n2} saw {shelter2}. "Quick, [over there|let us run there]!" {n2} called.
"[Run|Come|Faster], {f}!" called {n}, and {n} and {f} ran [past {place2}|over the wet grass|through the mud|hand in hand] to {shelter2}.
[A little {wrong}|An old {old}|A {rival}] waved to {n} and {f}. "[Come in here|There is room for you too|Quick, out of the rain]!"

They [hid|sat] {shelter} and told each other [stories|jokes] [about {place2}|about a {wrong}|until it was dark]. [Then the storm did not seem so bad.|Soon {f} was laughing.]
They sang [a song about {food}|every song that {f} knew|{num} songs], louder than the thunder.
{n} had a {col} {thing} with {him}. [They played with it|They looked at it] and forgot the storm.
{f} had some {food} in a {thing2}, and {n} had {drink}. [So the time went by.|They ate {shelter}.|It was almost like a picnic.]
They counted from the flash to the thunder, and {n} counted to {num}. "[It is going away|Now it is farther away], {n}," said {f}.

[At last|After an hour|In the end], the storm was over. [The sun came out|The sky was bright again|Only a few drops fell], and [{f} saw a rainbow over {place}|the birds sang at {place}|all of {place2} smelled fresh].
Then it was quiet. "[The storm is gone|It is over|Look, a rainbow], {n}!" said {f}.
[By {num} o'clock|Before dinner|When the clock struck {num}], the sky was {col2} again, and {n} and {f} [jumped over the puddles|danced in the wet grass|waved to the last cloud].
"[Are you still afraid|That was loud|Now I want some {food}], {f}?" asked {n}. "[Not with you, {n}|Only a little|I never was]," said {f}, and they laughed.
"""),
    "door": beats("""
{Time}, {n} found a [small|little|secret|{col}] door [behind the bookshelf|in the wall|in an old tree|under the stairs]. {He} had never seen it before.
{Time}, {n} found [an old map|a letter without a name|a {col} key] at {place}. "[What is this|How strange]?" {he} [said|thought].
{Time}, a {wrong} [whispered to|told] {n}: "Look {where}, but tell nobody!" There {n} found [a key|a map|a way down].
At {place} there was a gate that was always closed. {Time}, {n} saw that it was open a little.

"[Should I open it|Where does it lead|Shall we look]?" {n} asked {his} friend {f} the {fkind}. "[Yes|Of course|Why not]," said {f}. "[But let us be careful|I will come with you]."
{He} showed it to {f}, a {trait2} {fkind}. "[Let us find out together|This could be an adventure|I am a little afraid]," said {f}.
{n} ran to {f} the {fkind}, who was eating {food} at {place2}. "[Come quickly|Bring a lamp|You must see this], {f}!" {n} called.
Alone {n} was too afraid. So {he} asked {f}, the {trait2} {fkind} next door. "[Give me {num} minutes|Wait, I will get my {thing2}|I thought you would never ask]," said {f}.

They [walked|went] [for a long time|down a long path|through the dark], until they came to {place2}.
[It was dark at first|First {n} saw nothing]. Then {n} and {f} saw {place2}, but everything there was {col}.
{Num} steps went down, and {num2} steps went up again. [Behind the last one|After that|At the end] {n} saw {place2}.
They held hands. "[Do you see anything|Mind your head|It smells of {food}], {f}?" asked {n}. And then it was bright: they stood in front of {place2}.

There stood a [chest|box|basket] with a {col} {thing} in it.
In the middle, on a [stone|table|chair], there was a {col} {thing}. [It shone like the moon.|It was the most beautiful {thing} that {n} had ever seen.]
{Where}, {f} saw a {col} {thing}. [It was covered with dust.|"Look, {n}," {fhe} whispered.|It looked as old as the hills.]
They looked {where} and found [only a {thing}|nothing but a {thing}|a {thing}]. It was {col} [and very old|and quite warm|and light as a feather].

"[Whose is it|Who put it here], {f}?" asked {n}. "It is mine," said a [deep|soft|friendly] voice. It was an old {old}. "[I have waited for somebody to find it|I lost it {num} years ago|You may keep it]."
An old {old} came out of the shadow. "[Welcome, {n}|Do not be afraid, {f}|You are the first guests in {num} years]," said the {old}. "This {thing} brings luck to those who are kind."
Behind {him} somebody [laughed|sneezed|sang]. It was an old {old} [with a {col2} hat|in a {col2} coat|with a {thing2}]. "[You found my {thing}|I see you like my {thing}|Do you know what that {thing} can do], {n}," said the {old}.
"[Who is there|Do I hear guests|Is it {day} already]?" asked an old {old}. {n} and {f} told the {old} [everything|how they had come|about the way], and the {old} [nodded|smiled].

The old {old} gave them [tea|{food}|{drink}] and told them [about the old days|the story of a {trait} {rival}|how {place2} got its name].
"[Come again|Visit me soon|Take it with you], {n}," said the old {old}, and gave {n} the {col} {thing}.
They ate {food} with the old {old} and played {game} until {n} was tired. "[The {thing} is yours now|Keep the {thing}|It belongs to you], {n}," said the {old}.

{n} put the {col} {thing} [in {his} pocket|on the shelf at home|next to {his} bed], and nobody else ever found the place.
They went home with the {col} {thing}, and {n} and {f} [kept the secret|told nobody|promised to come back].
When {n} came back [on {day}|in {season}|with {his} {grown}], there was only a wall. But the {col} {thing} was still in {his} {thing2}.
Back at {place}, it was [already {num} o'clock|still morning|time for dinner]. "[Nobody will believe us|Was it a dream|Let us go there again on {day}], {n}," said {f}.
"""),
    "contest": beats("""
{Time}, there was a [big race|race|contest|singing contest|baking contest] at {place}. {n} wanted to win.
Every year there was a [race|contest] at {place}. This year, {n} wanted to take part too.
"[Who is the fastest of all|Who wants to win a prize]? Come to {place} on {day}!" said a {col2} [note|sign] {where}. {n} [read it {num} times|was {good}].
On {day}, everybody met at {place} for the great contest, and {n} was number {num}.

"You will never win, {n}," said a [proud|big|loud] {rival}. "[You are too small|I am much faster|I always win]."
All the others were [bigger|older|stronger]. The {rival} [laughed|smiled] and said, "[I will win anyway|This is easy for me], {n}."
Next to {n} stood a {rival} [in {col2} shoes|with long legs|who had won {num} times]. "[Go home, {n}|A {kind} cannot win|Look at my legs]," said the {rival}.
{n} saw the {rival} and felt {bad}, for the {rival} had never lost at {place}.

{n} [practised every day|got up early and practised|did not listen]. {f} the {fkind} [helped {him}|came with {him}|believed in {him}].
"Just do your best, {n}," said {f}, the {fkind}. And {n} [did|nodded|took a deep breath].
{f}, a {trait2} {fkind}, gave {n} [some {food}|a cup of {drink}|a {col2} ribbon] for luck. "[I will stand near {place2} and wave|Do not look at the {rival}|Think of {food}]," said {f}.
But {f} the {fkind} said, "[You have something better, {n}: you are {trait}|Legs are not everything, {n}|I know you, {n}, and you can do it]."

[On the way|In the middle of it], the {rival} fell and hurt a foot. {n} [stopped|turned around] and helped, [although {he} lost time|and so they went on together].
The {rival} was in front, but then [stopped to sleep|lost the way|grew tired|stopped to eat {food}]. {n} [went on and on|did not stop].
Near {place2}, {n} heard somebody cry. It was a little {wrong} {where}. {n} [stopped|turned around] and [took it home|helped it up|carried it], and the {rival} was far in front.
[Ready, steady, go|One, two, three, go]! The {rival} was first, then a {wrong}, then {n}. "[Run, {n}|Go on, {n}|You can do it, {n}]!" called {f}.

{n} did not win, but [everyone at {place}|{f} and {num} others|the whole village] clapped for {him}. [The {rival} said, "You are the real winner, {n}."|"That was kind, {n}," said {f}.]
In the end, {n} won by [a nose|one step|{num} points]! The prize was a {col} {thing}.
{n} came second and got a {col} {thing}. {He} was [as {good} as a king|very {good}].
The {rival} won, and {n} was number {num}. "[I was never so fast before|It was fun|Next year I will try again], {f}," said {n}, and {f} gave {him} a {col} {thing}.
"[Again next year|Will you teach me that|You are good], {n}?" asked the {rival}. {n} [laughed|nodded] and they shook hands, and {f} brought {food} for everyone.
"""),
    "sleep": beats("""
It was late, but {n} could not sleep. [The moon was bright.|The wind was loud.|{He} thought of too many things.|{He} had eaten too much {food}.]
[The stars were out|It was night|The moon was up], and {n} lay in bed with open eyes. "I cannot sleep," {he} said.
The clock struck {num}, and {n} was still awake. [Tomorrow {he} would go to {place}.|{He} had seen a {wrong} that day.|{He} turned from left to right.]
Everybody in the house was asleep, only {n} was not. [Was there something {where}?|It was too warm in bed.|{He} could hear the {thing2} fall from the shelf.]

{He} counted [sheep|stars|clouds], one, two, three, [but it did not help|up to a hundred|until {he} forgot the number].
{His} {grown} brought [a cup of warm milk|a {col} blanket|a glass of water|some {drink}]. "Close your eyes, {n}," {ghe} said.
{n} [got up|lit a lamp] and looked {where}. [There was nothing there but a {col} {thing}.|There lay the {col} {thing}.]
"[Are you still awake|What is it, {n}|Why is there light in your room]?" asked {his} {grown}. "[I cannot find my sleep|My head is too full|I am thinking of {place}]," said {n}.

Then {f} the {fkind} [knocked at the window|looked in|lay down beside {him}]. "[I cannot sleep either|Are you still awake], {n}," {fhe} whispered.
"[Tell me a story|Sing me a song], please," said {n} to {f}, the {fkind} [on the pillow|from next door|at the foot of the bed].
On the bed sat {f}, a [toy {fkind}|{fkind} made of cloth|little {fkind}]. {n} held {fhim} and told {fhim} about {place}.
At the window stood a {trait2} {fkind} called {f}. "[The moon sent me|I heard you turn around {num} times|I have brought you a {col} {thing}], {n}," said the {fkind}.

Together they looked [at the moon|at the stars|out of the window]. "[The moon is awake too|How quiet it is|It looks like a {thing}]," said {n}.
{f} told {him} [a story|a long tale] about a {col} {thing} that could [fly|talk|sing] and that travelled to {place}.
[{f} knew a song|There was an old song] about {place}, and it had {num} parts. [In the third part, a {wrong} lost its {thing}.|It was about {food} and {drink}.]
{f} and {n} thought of things that are {col}: a {thing}, a {thing2}, [a leaf|a flower|an old hat] and [{num} buttons|a cup of {drink}|a cloud].

[Soon|Slowly|Little by little], {his} eyes grew [heavy|small], and before the end, {n} was asleep.
"Good night, {n}," said {his} {grown}, [and turned off the light|and kissed {him}]. {n} did not answer. {He} was already asleep.
"[One more|And then|Is that the end]?" asked {n} with closed eyes. But before {f} could answer, {n} [was asleep|slept|dreamed of {place}].
And {n} dreamed of {f}, of {place} and of a {col} {thing} until the morning.
"""),
    "build": beats("""
{n} wanted to build a [house|tree house|boat|kite|snowman|bridge|cart] with {f} the {fkind}. They met at {place}.
{Time}, {n} said to {f} the {fkind}, "Let us [build a house|make a boat|make a kite|build a tower]!"
"[What shall we do today|I am bored|It is {season}], {n}," said {f}, a {trait2} {fkind}. "[We could build something at {place}|Let us build a hut|I want to make a flying machine]," said {n}.
In {season}, {n} and a {fkind} called {f} [drew a plan|had a plan]: they wanted a [house|tower|hut|boat] of their own near {place}.

They needed [wood|paper|rope], [nails|glue|paint] and a {col} {thing}. [{n} found the {thing} {where}.|They had everything except the {thing}.]
{n} brought a {col} {thing}, and {f} brought [wood and rope|paper and glue|a bag of nails].
{n}'s {grown} gave them {num} [boards|boxes|old chairs], and {n} found a {col} {thing} {where}.
"[I have {num} nails|I have a rope|I have some {food}], and you, {f}?" asked {n}. "I have [only|just|nothing but] a {col} {thing}," said {f}.

[First|In the beginning|Until {day}], everything went well. Then [the wind blew it over|it fell down|a piece broke]. "Oh no, {n}!" [cried|said] {f}.
It was not easy for {n}. [The first one fell apart.|Nothing fitted.|{n} hurt a finger.] "[Let us start again|We need help], {f}," said {n}.
A {rival} came by and [laughed|looked at it]. "[That will never stand|Is that a {thing2}|What a funny thing]," said the {rival}. {n} was {bad}.
{f} wanted it big and {n} wanted it small. [So nothing happened for {num} hours.|"Then do it alone!" said {f}.|They talked until dinner.]

{His} {grown} [showed them how|helped them a little]. "[Start with a strong bottom|Take your time|Use the {thing}], {n}," {ghe} said.
They [thought|talked] about it and tried it [another way|once more]. [This time|Now] {f} put the {col} {thing} on top.
[At last|After some {food}|On {day}], {f} had an idea: the {col} {thing} had to go [in the middle|under it|on the other side]. {n} [laughed|jumped up], for it worked.
{n} held it and {f} [hammered|tied the rope|used the glue]. [{Num} hours later|Before it was dark|When the bell rang], they put the {col} {thing} on it.

In the evening it was ready. "[It is beautiful|We made it ourselves|Look what we made], {f}!" [said|cried] {n}.
It was not [straight|perfect], but {n} and {f} were {good}, and the {col} {thing} [shone|stood] on top.
[All the children from {place2}|A {wrong} and {num} birds|{n}'s {grown}] came to see it. "[Can I come in|Who made that|How high it is], {n}?" they asked.
{n} and {f} sat in front of it, ate {food} and [looked at the {col} {thing}|were {good}|did not say a word].
"""),
    "grow": beats("""
{Time}, {his} {grown} gave {n} a [tiny|small|round] seed. "What will it be?" asked {n}. "[Wait and see|You must be patient]," {ghe} said.
{n} found a [strange|tiny|{col}] seed at {place} and planted it in a {col} {pot}.
{Time}, {n} bought a [tiny|small] seed from an old {old} at {place} for [one coin|some {food}|a {thing}].
In [a letter|a {thing2}|an old book] {where}, {n} found {num} seeds. {He} put them all in a {col} {pot}.

{n} [watered|visited] it every day, but nothing happened. [One day. Two days. Three days.|A whole week passed.|On {day} there was still nothing.] {n} was {bad}, and {f} the {fkind} was {bad} too.
"Nothing is growing," {n} told {f} the {fkind}. "Give it time, {n}," said {f}. "[Good things are slow|Even tall trees were small once]."
[Every morning|Before school|After dinner], {n} brought some water and [sang a song|said good morning|told it about {place}]. {f}, a {fkind}, [shook {fhis} head|laughed].
"[Is it asleep|Does it like {drink}|Is it afraid of me]?" {n} asked {his} friend {f}, a {trait2} {fkind}. "[It needs sun, {n}|It works where you cannot see it|Wait until {day}]," said {f}.

Then, [one morning|on {day}|after {num} weeks], there was a [tiny|little] green leaf! {n} [danced|jumped] for joy.
It rained [for {num} days|at {place}|all night], and [the sun shone|then {season} came], and a green leaf came out of the ground.
"[Come quickly|Look|A leaf, a leaf], {f}!" called {n} on {day}. It was [as green as {n}'s {thing2}|as green as a frog|green and no bigger than a button|as small as an ant].
[When {n} came home from {place}|On {day}, before breakfast], something green looked out of the [{pot}|earth]. [{n} ran to {f}.|{n} did not dare to touch it.]

The plant grew [and grew|higher than {n}|up to the window|as high as {f}]. In summer it had {col2} flowers.
It became a [tall|strong] plant with {col2} flowers, and [bees|birds|butterflies] came to visit {n}.
[By {month}|After {num} months|In the middle of summer], it had {num} {col2} flowers, and they smelled of {food}.
One flower opened on {day}, and the next day there were {num} more. [All were {col2}.|{n} had never seen such a {col2}.]

{n} gave one {col2} flower to {his} {grown} and one to {f}.
"[You were right|It was worth the wait]," {n} said to {f}, and they sat down beside the {col2} flowers.
People came from {place2} to see the {col2} flowers. "[Who planted them|How did you do it], {n}?" they asked. "[I only waited|With water and songs|{f} helped me]," said {n}.
In autumn, {n} found {num} new seeds in the {col2} flowers and gave [half of them|some of them] to {f}.
"""),
    "away": beats("""
{Time}, {n} [went|travelled|drove] with {his} {grown} to {place}. It was [far away|the first time|a long way].
{n} had never been to {place}. {Time}, {his} {grown} said, "Today we will go there, {n}!"
"[Get up|Wake up|Put on your coat], {n}!" said {his} {grown} at {num} o'clock. "[The bus|The train|The boat] to {place} does not wait."
In {month}, {n} got a letter from {his} {grown}: "[Come and visit me|I will show you something] at {place}!"

{n} packed a {col} {thing}, [some {food}|a sandwich|{num} eggs] and a bottle of {drink}.
{He} took only two things: a {col} {thing} and some {food}.
{n}'s bag was so full that {he} carried the {col} {thing} in {his} hand.
"[What do you need|Do you have everything], {n}?" asked {his} {grown}. "[Only|Nothing but] my {col} {thing} and some {food}," said {n}.

[On the way|On the train|At the bus stop], a {wrong} asked, "Where are you going, {n}?" "To {place}," said {n}. "[Have you ever been there|And you]?"
There {he} saw so many [people|new things] that {n} [lost {his} way|forgot the time]. "[Where is everybody|I am lost]," said {n} and was {bad}.
It was so [big|loud|full] there that {n} [did not know where to look|held the {col} {thing} tight|felt {bad}].
{Num} hours later, {n} was there. [It was bigger than {place2}.|It smelled of {food}.|"Is this it?" {he} asked.]

A {fkind} called {f} saw the {col} {thing} in {his} hand. "What a nice {thing}, {n}," said {f}. "[Can I show you the way|Shall we look around together]?"
{f}, the {fkind}, knew {place} well and showed {n} [everything|the way|the {num} best places].
{n} asked [a {trait2}|the nearest] {fkind} for the way. "I am {f}," said the {fkind}, "[and I have lived here for {num} years|and I know a short way|come with me]."
Next to {n} stood {f}, a {fkind} with {food} in a {thing2}. "[Are you new here|Do you come from {place2}|Are you hungry], {n}?" asked {f}.

They [saw|visited] [the old tower|the big fountain|the boats|the animals] and ate {food}. "[It is wonderful here|I want to stay for ever], {f}," said {n}.
{n} gave {f} the {col} {thing} to say thank you. "[I will never forget you|I will think of you when I see it], {n}," said {f}.
They played {game}, drank {drink} and [counted {num} boats|fed the birds|laughed at a {wrong} with a {col2} hat].
{f} and {n} [sat {where}|climbed a tower|looked at a map] until the lamps were lit. {f} wanted to know everything about {place2} and about the {col} {thing}.

In the evening, {n} went home from {place}, [tired but {good}|with many stories to tell|with {num} new friends].
"[Did you like it|How was it], {n}?" asked {his} {grown}. "It was the best trip ever," said {n}.
On the way home {n} [slept|sang|counted the trees], and {his} {grown} carried the bag.
Now a letter comes from {f} every {day}, [and it smells of {food}|with a picture of {place}|and {n} reads it {num} times].
"""),
}
