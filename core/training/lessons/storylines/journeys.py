"""Plots of going away and coming back together: a flight, a treasure, a friend who is ill, a quarrel."""

from __future__ import annotations

from core.training.lessons.grammar import beats

PLOTS = {
    "flight": beats("""
{Time}, {n} tied {num} {col2} balloons to a {col} {thing}. "[That will never fly|What a waste of string], {n}," said {his} {grown}.
An old {old} gave {n} a {col} {thing} for some {food}. "[Careful|Hold tight|Do not sneeze], {n}, it flies," said the {old}.
"A {thing} cannot fly, {n}," said {his} {grown}, full of {food2}. But the {col} one {where} [shook|hummed|hopped] into the air.
[The wind|A cloud] had left a {col} {thing} {where}. {n} pulled, and the {thing} pulled back: it [wanted to|had to|would] fly to {place}.
{Where}, {n} found a {col} {thing} with {num} {col2} wings. "Say '{food}' [twice|loudly|nicely], and I will fly" was written on it.
All {season}, {n} had [built|painted|oiled] a {col} {thing} {where}. It could fly [to {place}|over a {tree}|for {num} hours].

"May I come too?" asked {f}, a {trait2} {fkind} with {food}. {n} [nodded|counted to {num}], they held on, and the {thing} flew up.
{f} the {fkind} [ran|limped|hopped] up with {food}. "Take me too, {n}!" And the {col} {thing} lifted both of them over a {tree}.
{n} called {f}, a {fkind} who [feared {food}|loved the wind]. "Is it safe?" asked {f}. "On {day}s," said {n}, and up they flew.
A {trait2} {fkind} called {f} asked the way to {home}. "Hold this, {f}," said {n}, and the {col} {thing} lifted [both|them both].
"I need a [pilot|helper|cook]," said {n} to {f}, a {trait2} {fkind} in a {col2} {cloth}. Soon the {thing} carried them over {place}.

"How small {place} is, {n}!" called {f}. "As small as a {thing3}. And at {home} there is a {wrong} [on the roof|with {food2}]!"
"Look, {n}, there is {place}!" cried {f}. "And that is {home}. [Somebody|A {wrong}] has left {food2} on the [roof|chimney]."
They flew over {place} and over {home}. [{Num} sheep|A {folk}|{Num} children] looked up, and {n} [bowed|waved|dropped {food}].
First came {place}, then {home}. "How [small|tiny|neat], {f}!" said {n}. "All of it fits into my {thing3}," said {f}.
Far below, a {folk} waved a {col2} {cloth}. {n} waved back with {food2}, and {f} counted {num} [boats|cows] near {place}.
"Is that {place} or a {thing3}?" asked {f}. "That is {home}, {f}," said {n}. "You are holding [the map|your head] upside down."

A {col2} cloud came. In there it smelled of {food2}, and {n} [bumped into a {wrong}|could see no {fkind}|caught {num} drops].
"Are you new up here?" asked a [stork|swallow|gull]. "Only until {day}," said {n}. The bird gave {f} {food2} and flew on.
Then {n} dropped some {food2}. "It is raining {food2}!" [cried|shouted] a {folk} near {place}, and {f} [giggled|hid|waved].
The wind grew [strong|wild|cold], and {f}'s {cloth} flew off to {place}. "[Let it go|Wave to it|It likes to travel], {f}," {n} said.
High over {home}, {n} and {f} ate {food2} and sang for {num2} [swallows|geese|gulls]. [Nobody clapped|The birds were polite].
-

"[Down|Not so fast|Hold on], {n}!" cried {f}. [Bump|Splash|Plop], the {col} {thing} came down near {place2}, in [hay|a pond|a bush].
After {num} hours the {thing} grew tired. Near {place2}, between a {folk} and {num2} {col2} [cows|ducks|hens], {n} and {f} landed.
They landed near {place2}, next to a {wrong}. "[Why so late|Why from above|Where is my {food}], {n}?" it asked. {f} [bowed|blushed].
Slowly the {thing} sank to the ground near {place2}. "[Sky people|Is it {day} already|Are you the {food}]?" a {folk} asked {n}.
They landed near {place2}, on a {folk}'s picnic. "Do eat, {n}," said the {folk}. "But {f} is [sitting|standing] in the {food}."
A {tree} near {place2} stopped the {col} {thing}. "[Have we landed|Is this the ground], {n}?" asked {f}, and [fell|slid] down.

"[It is late|Time for {food}|I am cold], {f}," said {n}. So the {col} {thing} flew home, past {place} and {num2} [towers|hills|lamps].
On the way home {f} slept, with {food} in one ear. {n} [steered|sang|hummed] and told the {thing} about {place} and a {wrong}.
They walked the {num2} miles home and led the {col} {thing} [on a string|like a goat|by a ribbon]. {n} was {good}.
At home, {his} {grown} had made {food}. "Where were you, {n}?" "Over {place}," said {n}, "with {f} and [the|a] {thing}."
Home again, {n} tied the {thing} to [the chimney|the bed|a {tree}] with {num2} knots. "[Until {day}|Sleep well, {thing}]," said {f}.
"[Which way|Where] is home, {f}?" asked {n}. "I smell {food}," said {f}, so the {thing} flew after {fhis} nose, past {place}, and home.
"""),
    "treasure": beats("""
{Time}, {n} found an old map {where}. "[Walk|Hop|Crawl] {num} steps from the {col2} {thing3} at {place}," it said, "and dig."
A map fell out of {his} {grown}'s {cloth}. It smelled of {food} and showed {place}, [a {tree}|{num} arrows] and a {col2} cross.
An old {old} gave {n} a map for some {food}. "Dig by the {tree} at {place}," said the {old}, "[but not on a {day}|with a friend]."
In a {col2} {thing2} {where}, {n} found a map. "Dig {num} feet deep at {place}, [near|under|behind] the {tree}," it read.
"Who drew this, {n}?" asked {his} {grown}. Around the {food} was an old map, with {place}, [a {tree}|{num} trees] and a {col2} cross.
The wind blew a map into {n}'s {food}. It showed {place}, a {tree}, {num} arrows and the words: "[Treasure|My treasure|Keep out]!"

{n} showed it to {f}, a {trait2} {fkind}. "Jewels!" said {f}. "We can buy [{food2}|a {thing3}|a new {cloth}] for [all|everyone], {n}."
Next door lived a {fkind} named {f}, with {num} spades. "[Jewels|Rubies|Pearls], {n}," said {f}. "Nobody buries a {thing3}."
"Who can dig?" asked {n}. {f}, a {trait2} {fkind}, put down {fhis} {food2}. "[I carry the jewels|Half the pearls are mine], {n}."
{f} the {fkind} read it [upside down|{num2} times|from behind]. "[Rubies|Diamonds], {n}!" {fhe} said. "By {day} we will be rich."
{n} told only {f}, a {fkind} who kept every secret for {num2} minutes. "[Jewels|Pearls|Rubies]," {fhe} told the {folk}.
A {trait2} {fkind} called {f} saw the map. "[A pirate|A robber|A king] drew that, {n}," said {f}. "They all hide jewels and {food2}."

At {place}, {f} took {num2} [short|long|sleepy] steps and {n} took {num2} [giant|quick|small] ones. So they began in between.
"What do you want at {place}, {n}?" asked a {folk}. "[Worms|Mushrooms|Fresh air]," said {n}, and {f} hid behind the {food}.
"Left," said {f}. "Right," said {n}. They asked a {wrong} near {place2}, who [wanted {food} first|pointed up|knew only {home}].
It rained on {n} near {place2}. "Now the cross is a {col2} {thing3}," said {f}. But {n} [soon|still] found {place}.
They walked past {place2} and over {num2} [hills|bridges|fences], ate {food}, and [at noon|by and by|all at once] saw {place}.
-

They dug at {place} for {num2} hours. {n} found {num} worms and a {thing3}, and then {f} [hit|struck|dug up] a chest.
First {n} dug up a {thing3}, then a {folk}'s {cloth}. "[Deeper|Go on|Do not stop], {n}!" said {f}. And {num2} feet down was a chest.
"[I give up|It is too deep|My back hurts], {f}," said {n}, and ate {food2}. But {f} dug on, and [clonk|bang|knock]: a chest!
{f} dug so fast that earth flew into {n}'s [{food2}|{cloth}|ears]. [Clonk|Knock|Bang]! It was a chest with {num2} {col2} locks.
{n} dug, and {f} sang about {place2}. After {num2} songs, {f} pulled out a chest [as big as|heavier than|as dirty as] a {rival}.
[A mole|A blackbird|A {folk}] saw {n} and {f} dig {num2} holes. In one was a {col2} {thing3}, in the [last|next] a chest.

They opened the chest with a {thing3}. [No jewels|No pearls]! Only a {col} {thing} that smelled of {food2}. "Oh, {f}," said {n}.
"Jewels!" whispered {f}. But in the chest lay a {col} {thing}, [all alone|in old paper|with {num2} socks]. "Hm," said {n}.
{n} lifted the lid of the chest. "Well?" asked {f}. "A {thing}, {f}. A {col} {thing}, and [not one jewel|{num2} spiders|no {food2}]."
The chest [creaked|groaned|sighed] like an old {old}. {f} looked in and sneezed {num2} times. "Only a {col} {thing}, {n}," said {f}.
"You look, {n}," said {f}. {n} looked into the chest and [laughed|whistled|blinked {num2} times]. There lay a {col} {thing}.
In the chest was a {col2} {cloth}, and in the {cloth} a {col} {thing}. "Is that [all|everything], {n}?" asked {f}. "And {num2} moths."

At the bottom {n} found a letter: "My {thing} [made me {good}|brought me {food2}] for {num2} years. It is yours. An old {old}."
But {f} read a name on the {thing}: it was once {n}'s {grown}'s! "[I was {num2}|I hid it in {month}|I cried a lot]," {ghe} said later.
"My {thing}!" cried a {folk} with {food2}. "Keep it, {n}. I [used to be|once was] a pirate, {f}, [at {place2}|in {month}]."
"[What now|Are we rich], {n}?" asked {f}. They laughed about the {col} {thing} until a {wrong} [at {place2}|near {home}] woke up.
"I dreamed of {num} rubies," said {f}. "But we have [a {thing}|{food2}|{season}] and a [fine|long] {day}, {f}," said {n}.

They buried {food} and a {thing3} in the chest. "[Some {wrong}|A {folk}|Somebody] will [dig|laugh] on a {day}, {f}," said {n}.
On {day}s {n} has the {col} {thing}, on {day2}s {f} has it. The map hangs over {n}'s [bed|stove|{thing3}].
Now {n} keeps the {col} {thing} {where}. "It is [our treasure|better than pearls|almost a jewel]," {he} tells everybody.
At {place}, {f} filled the hole and planted {num} {flowers}. {n} took the {col} {thing} home [on {his} back|under {his} {cloth}].
{n} took the {thing} and {f} took the chest. "[It is just right for my {food}|I can sleep in it until {day}|It fits me], {n}."
"""),
    "ill": beats("""
{Time}, {n} waited at {place} for {f}, a {trait2} {fkind}. But {f} was in bed with [a cold|a bad cold] and [slept|sneezed {num} times].
"Atishoo!" [sounded|came] from near {place}. There lay {f}, a {trait2} {fkind}, ill in bed since {day}. {n} heard it [at once|at {home}].
{f} was a {fkind} [from {place2}|who loved {food}]. But on {day} {f} had a nose like a {col2} {thing3} and stayed in bed. {n} was {bad}.
"Have you heard, {n}?" asked the {folk}. "{f} the {fkind} is ill in bed and [eats only {food}|eats no {food}|sneezes at {home}]."
"I am ill in bed," wrote {f} to {n}. "[Do not come|Come at once|Come on {day}]. Bring {food}." {f} was a {trait2} {fkind}.
After {game} in the rain at {place}, {f} the {fkind} lay ill in bed with [a cold|a {col2} nose|{num} blankets]. "Poor {f}," said {n}.

{f} coughed {num} times like a {rival}. "[Ow|Oh|Help]," {fhe} told {n} at the window. "I feel like [cold|old|wet|burnt] {food}."
"No {game}, {f}," said the doctor [for {num} minutes|on {day}|with a frown]. "Only {drink}, {food2} and sleep." {n} wrote it down.
"How do you feel, {f}?" {n} called from outside. "Like [a wet {cloth}|a {thing3} in the rain|{num} bags of {food2}], {n}."
Even the {food2} tasted of [paper|soap|dust]. {f} sneezed so hard that {num} [books|spoons] fell. "Thunder?" {n} asked {his} {grown}.
In bed {f} counted {num} [flies|cracks|spots] on the ceiling, and on {day} {num2}. Without {n} it was as dull as a {thing3}.
-

{n} packed {food}, a bottle of {drink} and {his} {col} {thing} and [hurried|ran|set off] to {f}'s house, past {place2}.
"What does a {fkind} with a cold need?" {n} asked {his} {grown}. "{Food} and a friend." So {n} took {food} and a {col} {thing} to {f}.
{n} made a pot of {food}, but [it caught fire|a {wrong} ate it]. So {he} took {food2} and {his} {col} {thing} along to {f}.
At {place}, {n} picked {num} {flowers} and [bought|borrowed] some {food}. And {he} fetched {his} {col} {thing} for {f}.
"I will bring {f} my {col} {thing}," said {n}. "It is good against [colds|grey days|sneezing]. And some {food}, {grown}?"
On the way to {place2}, {n} [turned round|thought of {f}]. With a {col} {thing} and {food2} {he} [ran|hurried] to the bed of {f}.

"Look, {f}!" said {n}, and put the {col} {thing} [beside {fhim}|by the bed]. {f} blew {fhis} nose like a {rival} and [smiled|laughed].
{f} opened one eye. "A {thing}!" {fhe} whispered. "A {col} {thing}, [just for me|at my bed|in here]? Please stay until {day}, {n}."
{n} knocked {num} times. "Come in, {n}, but [not too close|hold your breath|quietly]!" Then {f} saw the {col} {thing} and sat up.
"No visitors before {day}," said the doctor. So {n} pushed the {col} {thing} through {f}'s [window|cat flap|letter box].
First {n} gave {fhim} {drink}, then {food2}, then the {col} {thing}. "[Better|Nicer] than {num} pills, {n}," said {f}, and sneezed.

{n} told {fhim} about a {wrong} who married a {thing3}. {f} laughed, coughed, laughed {num} times more and [ate|wanted] {food2}.
They played {game} on the blanket with {num} [beans|spoons|buttons]. [{n} let {f} win|{f} cheated a little]. "More {drink}, {n}!"
In a {cloth} {n} played doctor. "[Your ear|Your left foot|Your nose] is full of {food}, {f}. Laugh {num2} times before {day}!"
From a {col2} book {n} read {fhim} the tale of a {trait} {rival}. On page {num} {f} fell asleep, so {n} read on [to the {thing}|alone].
"[Sing to me|Cheer me up], {n}," said {f}. {n} sang about {food} and {place2} until a {wrong} outside [joined in|ran away|howled].
{n} hung {num} {col2} paper [stars|fish|birds] over {f}. "[It is|It looks like|It smells of] {place} now, {n}," {fhe} said.

On {day}, {f} sneezed for the last time. "{n}, I can smell {food2}!" {fhe} cried. [The cold was gone|{Fhe} was well|{f} was well].
"You are well, {f}," said the doctor after {num2} days. "Take {n} and [the {thing}|some {food}|a {cloth}] to {place2}!"
One {day}, {f} stood at {n}'s door in a {col2} {cloth}, well again. "[To {place}|Get your {cloth}|I want {food2}], {n}!" {fhe} called.
On {day} {f} sneezed {num2} times, on {day2} once, and then {f} was well. "{Food} did it, {n}," said {f}. "Or [the {thing}|you]."
By {day} {f} was well enough to [run to {place}|play {game}|eat for {num2}]. "[My cold is bored|No more bed], {n}!" {fhe} said.

"Atishoo!" said {n} on {day2}. Now {n} was in bed, and {f} brought {food2}, {num} [jokes|pillows|{flowers}] and the {col} {thing}.
But who was sneezing at {place} now? It was {n}! "[My turn|To bed with you|I know what helps], {n}," said {f}, and got {food}.
{f} gave back the {col} {thing} with {num} {flowers} [tied to it|and a card]. "[For your next cold|My best pill], {n}," {fhe} said.
Then they went to {place}, {n} in a {cloth} and {f} in {num} [scarves|jumpers|blankets]. "[Just in case|One never knows], {n}."
-
"""),
    "quarrel": beats("""
{n} and {f} the {fkind} shared everything, even {food}. But at {place} there was one {col} {thing}, and [both|each] wanted it.
{Time}, {n} and a {fkind} called {f} saw a {col} {thing} at {place}. "[I saw it first|It is mine|Mine], {f}!" said {n}. "No, mine!"
{n} and {f}, a {trait2} {fkind}, shared a {col} {thing}. At {place} that went well for {num} minutes[, but not for {num2}| and no longer].
"[Let go|Give it here|My turn], {n}!" said {f}, a {trait2} {fkind}. {f} held one end of the {col} {thing}, and {n} held the other.
At {place}, {n} played {game} with {f}, a {trait2} {fkind}. The prize was a {col} {thing}. "[Mine|All mine], {f}!" said {n}. "No, mine!"
{n} wanted a {col} {thing} at {place}. {f}, a {trait2} {fkind} in a {col2} {cloth}, wanted it too, and [pulled|said so {num} times].

"You are worse than a {rival}, {n}!" said {f}. "And you smell of {food}!" Then {n} took the {thing} and [marched off|ran home].
"Keep your silly {thing}, {n}!" said {f}. "I will find a {thing3} at {place2}. [A better one|With {food2}]!" And {fhe} was gone.
They were so loud that a {folk} at {place2} dropped {num2} eggs. [So|Then] {n} had the {thing}, and {f} only had {food}.
{n} pulled [harder|longer] and got the {thing}. "I will never play {game} with you again, {n}," said {f}. "Not before {day}!"
{n} called {f} a [wet|crooked|{col2}] {thing3}, {f} called {n} a bag of {food2}. Then {f} went away, and {n} [kept|had] the {thing}.

{n} put the {col} {thing} {where}. It could not [laugh|play {game}|eat {food}] like {f}. [How quiet|How dull|How long] {day} was!
All alone, {n} played {game} with the {thing} and won {num} times. [Nobody was cross|Nobody cheered]. The {food2} tasted of paper.
"Where is {f} today?" asked {his} {grown}. "[At {place2}|Who is {f}|I do not care]," said {n}, and gave the {food2} to a {wrong}.
{n} told the {thing} a joke about a {wrong} and {num2} [cooks|hats|sausages]. The {thing} did not laugh. "{f} would," {n} thought.
With the {col} {thing}, {n} walked round {place2} {num} times. [Nobody|Not even a {wrong}|No {fkind}] tried to take it. {n} was {bad}.

{f} had {num2} plates of {food} at {place2}, and half were for {n}. {Fhe} [sighed|ate them all|fed a {wrong}] and was {bad}, too.
"I am not {bad}," {f} told a {wrong} at {place2}. "I always cry over [{food}|a {thing3}|{game}]." And {fhe} looked round for {n}.
At {place2}, {f} learned {num2} rude words for {n}. [By {day}|After {food}] {fhe} knew only one, and that was "[{food2}|{thing3}]".
{f} called {num2} stones {n} and [scolded them|told them off|fed them {food}]. [They said nothing|None said sorry], not even the {col2} one.
-

"Who began it, {n}?" asked {his} {grown}. {n} thought for {num2} minutes [over {food2}|in bed|in a {tree}]. "Me, or {f}, or the {thing}."
"I once quarrelled about a {thing3}, {n}," said a {folk}. "Now I have the {thing3}, but [no friend|nobody to eat {food2} with]."
At {num2} o'clock {n} lay awake. "I can find a {thing} at {place2}," {he} told the [moon|pillow|wall], "but never a second {f}."
"Say sorry to {f}," said {his} {grown}. "It is a short word, {n}. [It beats {food2}|A {wrong} could learn it|It takes no time]."
[On {day}|After {num2} days], {n} counted {his} friends: a {wrong}, a {folk}. Without {f}, [that was|it came to] {num} too few.

{n} took the {col} {thing} to {place2}. On the way came {f} with {food}. "Sorry, {f}!" "Sorry, {n}!" they said [together|at once].
"I am sorry, {f}," said {n}, and held out the {thing}. "[So am I|I was silly too|I missed you], {n}," said {f}, with {food}.
[Somebody knocked|Knock, knock]. It was {f} with {food}. "I learned a speech for {num} hours, {n}," {fhe} said. "Sorry. That is all."
{n} sent {f} a note: "Sorry. {Food}?" {f} wrote back in {num} minutes: "Sorry too. [Yes|Gladly|Now], {n}. With {drink}."
At {place}, they looked at [their feet|the sky|a {tree}] for {num} minutes. "Sorry, {f}," said {n}. "Sorry, {n}," said {f}.

Now {n} has the {col} {thing} on {day}s, {f} has it on {day2}s, and a {wrong} at {place2} [guards|dusts|borrows] it in {month}.
They gave the {col} {thing} to a {wrong} near {place2}, who had only [one {thing3}|{food}|a {cloth}]. Then {n} and {f} played {game}.
"Take the {thing}, {f}," said {n}. "No, you, {n}!" It was almost a quarrel, but {f} had {food2} and {n} had {drink}.
They found {num} games with one {col} {thing}. [The best|The loudest|The silliest] was {game} with {food2}, and [nobody|no {fkind}] lost.
Now the {col} {thing} lies {where} and is [dusty|seldom used]. {n} and {f} are [busy with {game}|at {place} with {food2}].
"""),
}

QUESTIONS = {
    "flight": [
        ("Who flew with {n}?", "{f} the {fkind}.", "{f} the {fkind} flew with {n}."),
        ("Where did they land?", "Near {place2}.", "They landed near {place2}."),
    ],
    "treasure": [
        ("What was in the chest?", "A {col} {thing}.", "There was a {col} {thing} in the chest."),
        ("Who looked for the treasure with {n}?", "{f} the {fkind}.", "{f} the {fkind} looked for it with {n}."),
    ],
    "ill": [
        ("Who was ill first?", "{f} the {fkind}.", "{f} the {fkind} was ill first."),
        ("What did {n} bring to {f}?", "A {col} {thing}.", "{n} brought {f} a {col} {thing}."),
    ],
    "quarrel": [
        ("What did they quarrel about?", "A {col} {thing}.", "They quarrelled about a {col} {thing}."),
        ("Who quarrelled with {n}?", "{f} the {fkind}.", "{f} the {fkind} quarrelled with {n}."),
    ],
}
