"""The scenes of openings.py: one line (or a few) each, brackets for choices, slots as in openings._slots."""

from __future__ import annotations

SCENES: dict[str, list[str]] = {
    "diary": [
        """Dear diary,
[today was a {w} day|today I am {good}|today something strange happened|I have to tell you something]. [In the morning|After school|After breakfast|In the afternoon], I went to {place} with {a}. We [saw a {kind}|found a {col} {thing}|played {game}|ate {food}] [and laughed a lot|and it was wonderful|until it was dark]. [Then it began to rain and we ran home.|I hope we can do it again soon.|I was {bad} when I had to go home.|I will never forget it.] [Tomorrow is {day}. I want to {plan}.|My {grown} made {food} for dinner.|Now I am tired. Good night!|I miss {b} a little.]""",
        """Dear diary, [I have a secret|I had a dream last night|it is {day} and it is {w} outside|nobody was at home today]. [I found a {col} {thing} {where}|{a} gave me a {col} {thing}|I dreamed of a {kind} that could talk|I wrote a letter to {a}]. [I did not tell anybody|I think about it all the time|It made me {good}]. [Perhaps tomorrow I will know more.|My {grown} does not know it yet.|What should I do?|Good night, dear diary.]""",
        """{day}, {n} {month}. Dear diary, [it was a long day|it was a good day|it was a {w} day]. I [learned to {skill}|helped my {grown} in the kitchen|met {a} at {place}|lost my {col} {thing} and found it again {where}]. [I am proud of myself.|We laughed so much.|In the evening I was very tired.|{a} is my best friend.]""",
    ],
    "letter": [
        """Dear {a},
[thank you for your letter|how are you|I hope you are well|I am writing to you from {place}]. [The weather is {w} here|It is {w} and {w2} here|Here everything is fine]. [Yesterday|Last week|On {day}] I [went to {place2}|visited my {grown}|saw a {kind}|bought a {col} {thing}|learned to {skill}]. [Do you still have your {col2} {thing2}?|When will you visit me?|Please write soon.|I miss you very much.] [Say hello to your {grown}.|I have a present for you: a {col} {thing}.|We will meet on {day2}.]
[Love|With love|Your friend|Best wishes|See you soon],
{b}""",
        """Dear [grandmother|grandfather|Mum|Dad|Aunt {a}|Uncle {b}|teacher|neighbour],
[thank you for the {col} {thing}|happy birthday|I am sorry that I broke your {thing}|we are having a wonderful time at {place}]. [I love it|I use it every day|It is just what I wanted|I hope you are not angry|I hope to see you soon]. [Today we ate {food}|Tomorrow we will go to {place2}|It is {w} here|My friend {b} says hello].
[Love|Yours|Many greetings|Hugs],
{a}""",
        """Dear Sir or Madam, [I am writing to ask about|I would like to buy|I want to complain about] the {col} {thing}. [It is broken|How much does it cost|It came too late|Is it still for sale]. [Please send me a new one|Please answer soon|I hope to hear from you]. [Yours faithfully|Best regards], {a}""",
    ],
    "recipe": [
        """[How to make|A recipe for|This is how you make|Recipe:|Recipe for] {dish}. [First, |You need ]{num} {food2}, [some|a cup of] {drink}, a little [salt|sugar|butter] and {food3}. [Wash|Cut|Peel] the {food2} and put everything in a [big pot|large bowl|pan]. [Stir|Mix] it [well|slowly] and [cook it for {big} minutes|bake it for {big} minutes|let it stand for {big} minutes]. [Serve it hot|Let it cool|Serve it with {food4}]. [Enjoy your meal!|It tastes best with friends.|This is enough for {num} people.]""",
        """Recipe for pancakes: Take {num} eggs, {n} cups of flour, a cup of milk and a little salt. [Mix everything in a bowl.|Stir it well.] Put some butter in a hot pan. [Pour in|Add] the batter and bake it until it is golden. [Turn it around.|Turn the pancake.] Eat it with [jam|honey|sugar|{food}].""",
        """To bake a cake, you need [flour, sugar, eggs and butter|eggs, sugar, butter and flour]. [First mix|Mix] the [butter and the sugar|eggs and the sugar], then add the [rest|flour]. Put it in the oven for {big} minutes. [Do not open the oven too early.|Be careful, it is hot.] [Let it cool and enjoy it.|Share it with {a}.|Put {col} candles on top.]""",
        """How to make a cup of tea: [First|To begin], boil some water. Put [a tea bag|some tea leaves] in a cup. Pour the hot water over it and wait [three|four|five] minutes. [Add milk or sugar if you like.|Drink it slowly.] [Enjoy!|A {food} goes well with it.]""",
        """My {grown} makes the best {dish} in the world. [The secret is|First you need] {food2} and [a lot of love|a little {drink}|fresh butter|time]. [We eat it every {day}.|{a} always wants more.|It takes {big} minutes.]""",
    ],
    "weather": [
        """The weather [forecast|report] for {day}: It will be {w} [in the north|in the morning|in the mountains] and {w2} [in the south|in the afternoon|near the sea]. [The temperature will be around {temp} degrees.|In the night it will be {w3}.] [Take an umbrella with you.|Have a nice day!|On {day2} it will be {w3}.]""",
        """[Today|This morning] it is {w} and {w2}. [The sky is|The clouds are] [grey|white|blue|dark]. [I take my umbrella|I put on my {col} coat|We stay at home|We go to {place}]. [Tomorrow it will be {w3}.|I like this weather.|Perhaps the sun will come out later.]""",
        """The weather tomorrow will be {w}[ and {w2}|, but in the evening it will be {w2}|, so take [an umbrella|a warm coat|a hat|sunglasses] with you|, says the radio|]. [We can go to {place}.|I hope that it will be {w3} on {day}.|]""",
        """What will the weather be like tomorrow? [It will be|I think it will be|They say it will be] {w}[ and {w2}|]. [Then we can go to {place}.|Then we will stay inside and play {game}.]""",
    ],
    "match": [
        """[The football match|The big game|The final] [was|between the {col} team and the {col2} team was] [exciting|played at {place}|on {day}]. In minute {big}, {a} [got the ball|ran past everyone] and [shot|scored]. [Goal!|The crowd cheered.] [But then {b} made it {n} to {n}.|The goalkeeper could only watch.] [At the end|In the last minute|After the break], [the {col} team won {high} to {low}|it was {n} to {n}|everyone was tired but {good}]. [The fans sang all night.|{a} was the player of the match.|It was a fair game.]""",
        """{a} plays football [every {day}|for the {col} team|with {his} friends]. [Last week|Yesterday|On {day}], {he} scored {num} goals. [The trainer was {good}|{b} clapped|The other team was {bad}]. "[Well played|What a game|Next time we will win]!" said [{b}|the trainer]. [After the match they ate {food}.|{He} wants to be a great player.]""",
        """A football match: {a} has the ball. {a} passes to {b}. {b} [runs|turns|shoots]. [The goalkeeper jumps|The crowd is quiet|Everyone holds their breath]. [Goal! Goal!|Just over the bar!|The goalkeeper has it!] [Now it is {n} to {m}.|What a match!|There are {num} minutes left.]""",
    ],
    "robot": [
        """[The|A|One day, a|Far away, a] [little|old|small|big|{col}] robot [named|called] {pet} [lived|worked] [in {place}|at {place}]. [It|The robot] could [count to a million|cook {food}|play {game}|clean the house], but it could not [laugh|sleep|dream|cry]. [One day|One morning|On {day}], {a} asked, "[What do you want|Are you happy|Do you have a heart]?" The robot [thought for a long time|blinked with its {col2} eyes|beeped]. "[I would like to have a friend|I do not know|I want to see the sea|I have something better: I have you]," it said. [So {a} became its friend.|And then, for the first time, it laughed.|{a} took its metal hand.] [Now they go to {place2} every {day}.|From that day on, they were always together.]""",
        """Robots [are machines|can help people|do not sleep]. They [work in factories|can clean floors|can build cars|never get tired]. [Some robots can talk.|A robot needs electricity.|Some look like people, some look like boxes.] [But they cannot feel.|But a robot does not know what love is.|Perhaps one day every house will have one.]""",
        """I am a robot. My name is {pet}. I [was built in {month}|live {where}|come from {place}]. [My favourite colour is {col}.|I like {hobby}.|I never sleep.] [Beep.|Can I help you?|I do not eat {food}, but I can make it.]""",
    ],
    "dragon": [
        """[A|The|One day, a|Long ago, a|In a far land, a] [little|old|{col}|{trait}|great] dragon [named {pet}|called {pet}] lived [in a cave|on a mountain|near {place}|in an old castle]. [Everybody was afraid of it|It could not breathe fire|It loved {food}|It guarded a {col2} {thing}]. [One day|One night], a {trait} [girl|boy|knight|princess|prince] [came|came to the cave] and [said, "I am not afraid of you."|asked, "Why are you so sad?"|brought it some {food}.] The dragon [smiled|was surprised|began to cry|opened one eye]. "[Nobody ever talks to me|You are brave|I only want a friend|Thank you]," it said. [They became friends.|From then on, nobody was afraid of the dragon.|And so the dragon kept the whole village warm in winter.] [And they lived happily ever after.|The end.]""",
        """Dragons [live in old stories|can fly|breathe fire|guard gold]. [Some are {col}, some are {col2}.|Nobody has ever seen one.] [In one story, a dragon is afraid of a {kind}.|The smallest dragon is as big as a {kind}.|If you meet one, be polite.]""",
    ],
    "fox": [
        """A fox [saw|met|found|was looking for] [some grapes|a crow with a piece of cheese|a {kind}|a {col} {thing}|a hen] [in the forest|near {place}|on its way home]. "[Good morning|What a lovely day|What do we have here]," said the fox. [The {kind} did not answer|"Good morning, fox," said the {kind}|The fox jumped once, twice, three times]. [But the {kind} was clever too|"You have a beautiful voice," said the fox|In the end the fox was tired]. [So the fox went home hungry.|They shared the {food}.|"I did not want it anyway," said the fox.|And the fox laughed at itself.]""",
        """A [{kind}|lion|mouse|cat|crow] and a [fox|{kind2}|bear|wolf] met at {place}. "[Where are you going|Why are you so {trait}|What is in your bag]?" [asked the first|said one to the other]. "[I am going home|I am looking for {food}|It is a secret|Only a {col} {thing}]," was the answer. [They walked together for a while.|Then they laughed and sat down in the grass.|And since that day they have been friends.]""",
        """The quick brown fox jumps over the lazy dog. [The dog opens one eye and goes on sleeping.|The dog does not care.|This sentence has every letter of the alphabet.|"Do it again," says the dog.]""",
        """The cat sat on the mat. [The dog sat on the {thing}.|It was {w} outside, and the cat was warm.|A mouse looked at it from {where}.|"This is my mat," said the cat.|It was a {col} mat and a {col2} cat.]""",
    ],
    "i love": [
        """I love [{hobby}|{food}|{drink}|my {grown}|my {kind}|summer|winter|you|music|the sea|the smell of {food}|long walks|stories about {kinds}|{month}|quiet mornings|the colour {col}|to sing|to read in bed|to laugh with {a}][.| because {why}.| and {food2}.| more than anything.| when it is {w}.]""",
        """I [like|love|enjoy] {hobby} [and {hobby2}|with {a}|on {day}s|when it is {w}]. [My {grown} likes it too.|It makes me {good}.|{a} thinks it is boring.|What do you like?]""",
        """I [do not like|dislike|cannot stand] [{w} days|getting up early|{food}|loud music|waiting|{day}s][.|, but I like {hobby}.| because {whynot}.]""",
        """The best thing about [{day}|summer|winter|my {grown}|{place}|{food}|my job|school|friends|{month}|the sea|holidays|getting up early|a rainy day|{hobby}|life|home] is [the {food}|that {why2}|the quiet|the people|the sun|the long evenings|the smell|the music|that it is never boring|coming home|the first morning|the light].""",
        """The best [day of my life|present|book|holiday|joke|friend] was [in {month}|a {col} {thing}|the one about the {kind}|when I met {a}|when we went to {place}|when I learned to {skill}].""",
        """I [am|feel] [{good}|{bad}|tired|hungry|fine|so {good} today|a little {bad}] [because {why}|today|this morning|and I want to go to {place}|when it is {w}]. [And how are you?|I will eat some {food}.|My {grown} knows what helps.|Tomorrow will be better.]""",
        """I [wish|hope|think|believe|know] that [tomorrow will be {w}|{a} will come|we will win|everything will be fine|the {kind} can hear us|we have {food} for dinner|love is stronger than fear|it is not too late].""",
        """I [want|would like] to [{skill}|go to {place}|see the sea|have a {kind}|sleep|be a {job}|eat {food}|tell you a story|thank you]. [Will you come with me?|But first I must find my {thing}.|That is my dream.|Perhaps on {day}.]""",
        """Love is [when {why2}|a warm {thing} on a cold day|sharing your last {food}|like {drink} in winter|the answer|patient|not easy|everywhere|a long story|a small word for something big].""",
        """Life is [like a {thing}|short|beautiful|a long road|what happens while you wait|better with friends|full of surprises|like {food}: better when it is shared].""",
        """Happiness is [a warm {thing}|{hobby}|{food} with {a}|a {w} morning|when {why2}|a {kind} asleep on your feet].""",
        """My [dog|cat|{kind}|{grown}|brother|sister|best friend|teacher|neighbour] [likes|loves] [{food}|{hobby}|to sleep|to sing|{w} days] [and|but] [dislikes|does not like|cannot stand] [{food2}|the rain|waiting|loud music]. [{He} is very {trait}.|Everybody laughs about it.|So do I.|We are very different.]""",
        """My {kind} is [called {pet}|very {trait}|{n} years old|{col}]. [It sleeps {where}.|It eats {food} every day.|It is afraid of {kinds2}.|We go to {place} together.]""",
    ],
    "yesterday": [
        """Yesterday I went to {place} [with {a}|with my {grown}|to meet {a}|because I wanted to see the {kind}|all alone]. [We|There we|Together we] [saw a {kind}|ate {food}|played {game}|found a {col} {thing} {where}|bought a {col} {thing}]. [It was {w}|It was a {w} day], [but we did not mind|and we were {good}|so we came home early]. [In the evening I was tired.|Tomorrow I want to go there again.|I will never forget that day.]""",
        """Yesterday [it was {w}|was {day}|I was {bad}|I met {a}|we had {food} for dinner|I lost my {col} {thing}|my {grown} came to visit]. [So I went to {place}.|We talked for hours.|Today everything is better.|I found it {where}.] [It was fun.|That was nice.|I slept very well.]""",
        """Last [night|week|summer|winter|year], [I had a dream|we went to {place}|I saw a {kind}|I learned to {skill}]. [There was a {col} {kind} that could talk|It was {w} every day|My {grown} helped me|Nobody believed me]. [Then I woke up.|I want to do it again.|{a} only laughed.|It was wonderful.]""",
        """Tomorrow [I will|we will|{a} will] [go to {place}|bake a cake|buy a {col} {thing}|visit my {grown}|learn to {skill}|play {game}]. [I hope it will be {w}.|I am already {good}.|We need {food} and {drink}.|Do you want to come?]""",
        """[This morning|On {day} morning|Today], I [got up early|woke up late|had {food} for breakfast|missed the bus]. [Then|After that], I [went to {place}|met {a}|looked for my {thing}|worked in the garden]. [It was {where}.|We drank {drink}.|The day was {w}.] [In the evening, I read a book.|At night, I slept like a stone.]""",
        """It was a [{w}|dark and stormy|quiet|long|cold] night. [{a} could not sleep.|The wind howled around the house.|Nobody was in the street.] [Suddenly|Then|At midnight], [there was a knock at the door|the light went out|a {kind} cried|something moved {where}]. "[Who is there|Hello|Is anybody there]?" [asked {a}|whispered {a}]. [It was only the {kind}.|It was {b}, wet from the rain.|Nobody answered.] [{a} laughed and went back to bed.|"Come in," said {a}, "I will make you some {drink}."]""",
        """It is [{day}|{w}|late|early|{n} o'clock]. [{a} is at {place}|The {kind} is asleep {where}|I am sitting at the window|Everybody is at home]. [Soon {b} will come.|It is very quiet.|There is a smell of {food}.|The clock is the only sound.]""",
    ],
    "talk": [
        """"[Hello|Good morning|Hi|Good evening], {a}," said {b}. "[How are you|Where are you going|What are you doing|Did you sleep well]?" "[I am fine, thank you|I am going to {place}|I am looking for my {thing}|Not so well]," said {a}. "[And you|Do you want to come with me|Can you help me|Have you seen it]?" "[Yes, of course|I am fine too|Gladly|Look {where}]," said {b}.""",
        """{a}: [Hello|Hi|Good morning], {b}! [How are you?|What are you doing?|Where have you been?]
{b}: [I am fine, thanks.|I am making {food}.|I was at {place}.|A little tired.] [And you?|How about you?]
{a}: [I am {good} today.|I am looking for my {col} {thing}.|I am going to {place2}.] [Do you want to come?|Can you help me?|Is it {where}?]
{b}: [Yes, gladly!|Of course.|Sorry, I have no time.|No, but {grown2} may know.]""",
        """"How are you?" "[I am fine, thank you|Very well|Not bad|A little tired|I am {good}]." "[And you|What are you doing today]?" "[I am {good} too|I am going to {place}|I will meet {a}]."
""",
        """Hello! [How are you today?|My name is {a}.|Nice to meet you.|What is your name?|I am {a}, and this is my {kind} {pet}.] [I am {n} years old.|I live near {place}.|I like {hobby} and {food}.|What do you like?|Can I help you?]""",
        """Question: What is your name?\nAnswer: [My name is {a}.|I am {a}.|They call me {pet}.|I am Storyteller, a small language model.]""",
        """Question: How are you?\nAnswer: [I am fine, thank you.|Very well, thank you. And you?|I am {good} today.|A little tired, but {good}.]""",
        """Question: Who are you?\nAnswer: [I am Storyteller, a small language model.|I am a small language model. I guess one word after another.|I am {a}.]""",
        """In the shop: "[Good morning|Hello], [what would you like|can I help you]?" "[I would like|I need|Do you have] some {food} and {food2}, please." "[Here you are|Of course]. [That is|That will be] {n} [euros|dollars|coins]." "[Thank you|Thanks]. [Goodbye|Have a nice day]!" """,
        """"[Excuse me|Hello], where is {place}?" "[Go straight on and then left|It is next to {place2}|Turn right at {place2}|It is not far, only {n} minutes]." "[Thank you very much|Thank you|That is kind of you]!" "[You are welcome|Have a good trip]." """,
        """The phone rings. "Hello, this is {a}." "[Hi|Hello], {a}, this is {b}. [Are you at home|Can you come to {place}|Do you want to play {game}|I have your {thing}]?" "[Yes|Of course|Maybe later|Great], [I will be there at {num} o'clock|see you soon|I am coming]." """,
        """Thank you [for the {col} {thing}|for your help|very much|for everything|for the {food}]. [It was very kind of you.|I love it.|You are a true friend.|See you on {day}.]""",
        """Good [morning|evening|night|afternoon], [everybody|{a}|dear friends|ladies and gentlemen|my love]! [Welcome to {place}.|Today we will talk about {kinds}.|I hope you slept well.|It is {w} today.|Let us begin.]""",
        """Ladies and gentlemen, [welcome to {place}|thank you for coming|it is a great day]. [Today we will see how a machine writes|Tonight you will hear a story|My name is {a}]. [It begins with one word.|Please sit down.|There will be {food} and {drink} later.]""",
    ],
    "emoji": [
        """Happy birthday, {a}! 🎂🎉 [I hope you have a great day|You are {n} today|Here is a {col} {thing} for you]! [😀|🎁|🎈|❤️|🥳]""",
        """{a}: [Hi|Hey], [where are you|are you coming|how are you]? [😊|🤔|👋]
{b}: [I am at {place}|On my way|I am fine|Still in bed] [😀|🚲|😴|☀️|👍]
{a}: [Great|OK|See you soon|I have {food}] [👍|🍕|🎉|😂|❤️]""",
        """[Good morning|Good night|See you tomorrow|Thank you|I miss you|Well done|Good luck], {a}! [☀️|🌙|😊|❤️|👏|🍀|🌈]""",
        """[The weather today|Tomorrow]: [sunny ☀️|rainy 🌧️|cloudy ☁️|snowy ❄️|stormy ⛈️]. [Have a nice day! 😊|Take an umbrella! ☔|Stay warm! 🧣]""",
        """A [dog 🐶|cat 🐱|mouse 🐭|fox 🦊|bear 🐻|lion 🦁|frog 🐸|pig 🐷|rabbit 🐰|dragon 🐉|robot 🤖|whale 🐳|unicorn 🦄] and a [dog 🐶|cat 🐱|mouse 🐭|fox 🦊|bear 🐻|lion 🦁|frog 🐸|bee 🐝|owl 🦉|fish 🐟] [are friends|went to {place}|danced all night]. [❤️|🎉|😊|🌟]""",
        """I love [pizza 🍕|apples 🍎|cake 🍰|music 🎵|football ⚽|summer ☀️|you ❤️|books 📚|flowers 🌸|the sea 🌊|my cat 🐱|my dog 🐶]!""",
    ],
    "big questions": [
        """To be or not to be, that is the question. [{a} read it aloud and laughed.|But first, let us have some {drink}.|My answer is: to be.|So says an old play.|The {kind} did not know the answer either.|And nobody has answered it yet.]""",
        """The meaning of life is [42|to be kind|to love and to be loved|a mystery|{food} with friends|to find your own answer|simple: be good to each other|still unknown]. [So says my {grown}.|What do you think?|That is what {a} believes.|]""",
        """Once there was nothing. [Then there was a {thing}.|No light, no sound, no {kind}.|Then somebody laughed.] [And so everything began.|And then came the first word.|Nobody remembers it.]""",
        """In the [future|year 2050|year 3000], [people will live on the moon|robots will cook {food}|there will be no cars|every {kind} will talk|nobody will be hungry|school will be at {place}]. [I hope I will see it.|But we will still love {hobby}.|Who knows?|Some things never change.]""",
        """[Artificial intelligence|AI|A computer|A language model] [is a program|is a machine] that [learns from many texts|guesses the next word|can count very fast]. [It does not think like a person.|It reads the text and guesses what comes next.|It can make mistakes.|It writes one word after another.]""",
        """[A good friend|A true friend|A hero|A good teacher|A good story] is [somebody who listens|somebody who helps you|like a warm {thing}|hard to find|never far away|not afraid to be {trait}|worth more than gold].""",
        """[Why do we dream|Why is the sea salty|Why do cats purr|Where does the wind come from|How do birds fly|Who invented the {thing}|Is there life on other planets]? [Nobody knows for sure.|That is a good question.|My {grown} says that it is a secret.|Because it is beautiful.] [We should ask the {kind}.|I will look it up in a book.|What do you think?]""",
        """If I were [a {kind}|a king|rich|invisible|very small|a {job}|a cloud], I would [{skill}|live at {place}|eat {food} every day|buy a {col} {thing}|fly over {place}|sleep all day|help everyone].""",
        """If [it rains|it is {w}] [tomorrow|on {day}], [we will stay at home|we will go to {place}|I will wear my {col} coat|{a} will be {bad}|we can play {game}].""",
        """The secret of [a long life|happiness|good {food}|a good story] is [{food}|{hobby}|to laugh every day|love|patience|a good friend|not to worry|a little {drink}]. [So says {a}, who is {big} years old.|My {grown} told me.|]""",
        """The moon [is bright tonight|shines over {place}|looks like a {thing}|is full]. [A {kind} looks up at it.|{a} cannot sleep.|The stars are silver.|Everything is quiet.] [What a beautiful night.|Good night, moon.|Tomorrow it will be {w}.]""",
        """The [sea|forest|sky|city|mountain] is [{w}|quiet|{col}|deep|old|full of {kinds}] [today|in the morning|at night]. [{a} loves to be there.|You can hear the wind.|A {kind} lives there.|It never sleeps.]""",
        """There [is|was] [a {col} {thing}|a {kind}|somebody|a strange sound|a smell of {food}] [{where}|at {place}|in my room]. [I do not know how it came there.|"Who are you?" asked {a}.|It was not there yesterday.] [Perhaps it was a gift.|I must tell {b}.|I opened my eyes: it was a dream.]""",
        """The [old man|king|queen|{kind}|{job}|teacher|woman|captain] [smiled|said nothing|opened the door|looked at the {thing}|sat {where}|went to {place}]. "[What a {w} day|Nobody knows the answer|I have waited for you|It is time to go|Who wants some {food}]," [he said|said the voice|somebody said]. [Then it was quiet again.|{a} nodded.|And so they began.]""",
        """A [man|woman|girl|boy|{job}|{kind}] [walks|comes] into [a shop|a bakery|a library|{place}] and [asks|says], "[Do you have {food}|Where is the {thing}|Is it {w} outside|Can I have some {drink}]?" "[No|Yes|Sorry|Of course], [only on {day}s|we have only {food2}|it is {where}|this is a library]," says the {job}. [They both laugh.|And that was that.|The next day it is the same again.]""",
    ],
    "news": [
        """[News|Breaking news|Good news] from {place}: [A {kind} has escaped|A {col} {thing} was found {where}|{a} won the race|A {job} has baked the longest bread in the world]. [Nobody was hurt.|The {job} said, "I am very {good}."|Hundreds of people came to see it.] [More on {day}.|The weather stays {w}.]""",
        """[Shopping list|My list|To do]: {food}, {food2}, {drink}, {food3} [and a {col} {thing}|and a {thing}].""",
        """[Dear children|Dear friends|Attention], on {day} [there is no school|we will go to {place}|there will be a party]. [Please bring {food} and a {thing}.|We meet at {num} o'clock.|Do not forget your {thing}.] [Your teacher|Thank you|Your] {a}""",
        """For sale: a {col} {thing}, [almost new|{n} years old|very {w}|a little broken]. Price: {big} [euros|dollars|coins]. [Ask for {a}.|Come to {place} on {day}.]""",
        """Lost: a {col} {thing}. [I lost it near {place} on {day}.|It was {where}.] [Please call {a}.|The finder gets some {food}.]""",
        """How to [{skill}]: [First|Step one:] [take your time|find a good place|breathe slowly]. [Then|Step two:] [try it slowly|ask a friend to help|watch somebody who can do it]. [At last|Step three:] [try again|practise every day|do not give up]. [Soon you will be able to do it.|It is easier than you think.]""",
        """[Three|Four|Five] things that I like: {food}, {hobby}, {w} days[, my {kind}| and my {col} {thing}].""",
        """Dear Santa, [this year I was good|I hope you are well|I am {n} years old]. [I would like|Please bring me|I wish for] a {col} {thing} and a [{kind}|{thing2}]. [My brother wants {food}.|I will put milk and cookies {where}.] [Thank you|Love], {a}""",
        """{food} or {food2}? [I take the {food}.|{a} wants {food}, {b} wants {food2}.|Both, please!|That is a hard question.]""",
        """Merry Christmas[, {a}|]! [I wish you a {w} winter|We hope to see you soon|The tree is green and the candles are bright]. [There is a present for you {where}.|We ate {food} and sang songs.|Love, {b}]""",
        """[Chapter one|Chapter 1]. [{a} opened the {col} door|It began on a {w} {day}|The {thing} was gone|Nobody expected the {kind}]. [{He} did not know yet what would happen|Everything was quiet|It was {num} o'clock in the morning]. "[Who is there|What is that]?" {he} asked. [It was a {kind}.|Nobody answered.|Behind {him} stood {b}.]""",
        """I have a [dream|plan|secret|question|problem|{col} {thing}|{kind} called {pet}]. [I want to {skill}.|Nobody knows it, only {a}.|One day I will go to {place}.|Can you help me?] [It will take time.|That would make me {good}.|Do not tell {b}.]""",
    ],
}

_KNOCK = [
    "Lettuce@Lettuce in, it is cold out here!",
    "Boo@Do not cry, it is only a joke!",
    "Cow says@No, a cow says moo!",
    "Olive@Olive you too!",
    "Tank@You are welcome!",
    "Ice cream@Ice cream every time I see a ghost!",
    "Nobody@...",
    "Harry@Harry up, it is raining!",
    "Wooden shoe@Wooden shoe like to hear another joke?",
    "Dozen@Dozen anybody want to let me in?",
    "{a}@{a} from next door. I have {food} for you!",
    "{a}@Do you not know me any more?",
    "Atch@Bless you!",
    "Owls@Yes, they do!",
    "A little old lady@I did not know you could yodel!",
    "Banana@Banana split, so hurry up!",
    "Honey bee@Honey bee nice and open the door!",
    "Snow@Snow use, I forgot my key!",
    "Token@Token you so long to open the door!",
]
JOKES = [f"Knock knock.\nWho's there?\n{who}.\n{who} who?\n{end}" for who, end in (row.split("@") for row in _KNOCK)]
JOKES += [f'Knock, knock! "Who is there?" "{who}." "{who} who?" "{end}"' for who, end in (row.split("@") for row in _KNOCK)]
JOKES += """Why did the chicken cross the road? To get to the other side.
What has four legs but cannot walk? A table.
What has hands but cannot clap? A clock.
What has keys but cannot open a door? A piano.
What gets wet while it dries? A towel.
What has a neck but no head? A bottle.
What goes up but never comes down? Your age.
What has teeth but cannot bite? A comb.
Why is six afraid of seven? Because seven eight nine.
What do you call a sleeping dinosaur? A dino-snore.
Why did the {kind} go to school? To become a little wiser.
What is {col} and smells like {col2} paint? {col} paint.
What did the {kind} say to the {kind2}? Nothing, {kinds} cannot talk.
Why did the robot go to the doctor? It had a virus.
What do you get when you cross a {kind} with a {kind2}? A lot of noise.
Why did the {job} take a ladder to work? To get to the top.
What runs but never walks? Water.
Where do cows go on Saturday evening? To the moo-vies.
What has one eye but cannot see? A needle.
Tell me a joke. Why did the chicken cross the road? To get to the other side.
Tell me a joke. What do you call a fish without an eye? A fsh.""".split("\n")

RHYMES = [
    "Twinkle, twinkle, little star,\nHow I wonder what you are!\nUp above the world so high,\nLike a diamond in the sky.",
    "Roses are red,\nViolets are blue,\nSugar is sweet,\nAnd so are you.",
    "Humpty Dumpty sat on a wall,\nHumpty Dumpty had a great fall.\nAll the king's horses and all the king's men\nCouldn't put Humpty together again.",
    "Mary had a little lamb,\nIts fleece was white as snow;\nAnd everywhere that Mary went,\nThe lamb was sure to go.",
    "Row, row, row your boat,\nGently down the stream.\nMerrily, merrily, merrily, merrily,\nLife is but a dream.",
    "Baa, baa, black sheep,\nHave you any wool?\nYes, sir, yes, sir,\nThree bags full.",
    "Jack and Jill went up the hill\nTo fetch a pail of water.\nJack fell down and broke his crown,\nAnd Jill came tumbling after.",
    "Hickory, dickory, dock,\nThe mouse ran up the clock.\nThe clock struck one,\nThe mouse ran down,\nHickory, dickory, dock.",
    "One, two, buckle my shoe,\nThree, four, knock at the door,\nFive, six, pick up sticks,\nSeven, eight, lay them straight,\nNine, ten, a big fat hen.",
    "Rain, rain, go away,\nCome again another day.",
    "To be, or not to be, that is the question.",
    "To be or not to be, that is the question.",
    "Early to bed and early to rise\nMakes a man healthy, wealthy and wise.",
    "An apple a day keeps the doctor away.",
    "Better late than never.",
    "Practice makes perfect.",
    "The early bird catches the worm.",
    "Two heads are better than one.",
    "All that glitters is not gold.",
    "A friend in need is a friend indeed.",
    "When the cat is away, the mice will play.",
    "All is well that ends well.",
    "Where there is a will, there is a way.",
    "Thirty days have September,\nApril, June and November.",
]
