"""More sentences by their first word, and sentences about whatever somebody may name first: coffee, the internet, cats, my boss.

Same slots as starts.py (openings.py fills them), and {topic} and {topics}: something one may have an opinion on, one or many.
"""

from __future__ import annotations

# Nothing of which the lessons teach a fact ("Snow is white") stands here.
TOPICS = """Money|The internet|School|Love|Football|Chess|Sleep|Christmas|Homework|Friendship|Happiness|Hope|Art|Reading|Cooking|Swimming|Dancing
My phone|My computer|Television|The weather|The future|The past|The city|The village|My brother|My sister|My boss|My teacher|My neighbour|My house
My car|My bicycle|My dog|My cat|My hat|My best friend|My family|My dream|My life|My job|My birthday|My name|The world|Life|Science|Mathematics|Technology
Freedom|Peace|Health|Sport|Coffee|Tea|Pizza|Breakfast|Lunch|Dinner|The news|The truth|Luck|Work|A good book|A holiday|A garden|Silence|The theatre
The cinema|The radio|Magic|Poetry|Singing|Travelling|Shopping|Growing up|Laughing|A long walk|Language|Artificial intelligence
Everything|Nothing|Something|Our town|Our house|Our school|Your idea|Your hat|His car|Her smile""".replace("\n", "|").split("|")
MANY_TOPICS = """Cats|Dogs|Horses|Robots|Books|Dreams|Friends|Parents|Teachers|Men|Women|Flowers|Trees|Birds|Cars|Trains|Machines|Words|Stories
Questions|Answers|Pancakes|Cookies|Holidays|Birthdays|Games|Songs|Jokes|Letters|Mistakes|Secrets|Old people|Young people|Good friends|Big cities|Small towns|Rules
Language models|Phones|Mountains|Rivers|Neighbours|Grandparents|My friends|My parents|My shoes|Our neighbours|Those days""".replace(
    "\n", "|"
).split("|")

FIRST_WORDS = """{topic} is [wonderful|not easy|not for everybody|my favourite thing in the world|better in the morning|older than we think|like {food}: you always want more|more than a word|a good reason to get up]. [My {grown} says so.|{a} does not think so.|I learned that at {place}.|You will see.|But {kinds} do not care.]
{topic} [needs time|needs a {trait} friend|makes me {good}|makes {a} {bad}|begins at {place}|can wait until {day}|comes first|is a long story]. [Everybody knows that.|Ask {b}.|Nobody can tell me why.|It was always like that.|That is what I think.]
{topic} was [different when I was young|the best thing that year|never the same again|all that {a} thought of|on my mind the whole day]. [Then came {month}.|I still smile when I think of it.|My {grown} remembers it, too.]
{topics} are [wonderful|clever|everywhere|better than {food}|not for sale|never late|more {trait} than you think|the best thing in the world]. [{a} has {n} of them.|My {grown} does not like them.|You can see them at {place}.|I would like to have more of them.]
{topics} [need time|like {food}|make me {good}|come and go|can change everything|are different on {day}s|never tell you everything]. [That is what {a} says.|I have seen it.|We talked about it at {place}.|It has always been like that.]
Grandma [made {food} for us|told us about {place}|knows all the old songs|can still {skill}|gave me a {col} {thing}]. [She is {big} and very {trait}.|"Eat, my child," she said.|We visit her every {day}.|I love her very much.]
Grandpa [sat {where}|told us a story about a {kind}|had a {col} {thing}|was a {job} once|laughed until he cried]. ["Those were the days," he said.|He never told us why.|We all listened.|Then he fell asleep.]
[Mum|Dad|Mom] [came home|called from {place}|was {good}|bought a {col} {thing}|said that it was time for bed]. ["What is for dinner?" I asked.|We ate {food} together.|I was {bad} at first.|Then we played {game}.]
A man walked into a bar [with a {kind} under his arm. "Is that a {kind}?" asked the waiter. "No," said the man, "that is my {grown}."|and said, "Ouch!" It was made of iron.|and asked for {drink}. "We only have {food}," said the waiter. The man sat down and ate it.|in a {col} hat. "Nice hat," said the waiter. "It is a {thing}," said the man.]
There is [a {kind} {where}|nothing left to eat|a house near {place}|nothing to be afraid of|a word for that|always a way]. [Go and see.|{a} told me so.|I am glad about it.|Nobody talks about it.]
I was [at {place}|alone|{good}|a {job} once|only {n} years old|looking for my {thing}], [when {a} came in|and it was {w}|but nobody saw me|and I did not know why]. [I will never forget it.|"Hello," I said.|That was on a {day}.]
I have [a {col} {thing}|{n} {kinds}|a dream|an idea|no time|a {trait} {grown}|never been to {place}]. [Do you want to see it?|I tell everybody about it.|That is enough for me.|Perhaps you can help me.]
I can [{skill}|see {place} from here|hear the {kind}|wait|do it alone|smell {food}]. [Can you?|I learned it from my {grown}.|It is not hard.|Come and see.]
I will [go to {place}|never forget you|tell you a secret|learn to {skill}|be a {job}|eat {food} today]. [I promise.|Wait and see.|{a} will come with me.|Nobody can stop me.]
I [know|hope|believe|heard|told you] that [{a} is at {place}|it will be {w}|{kinds} can dream|everything will be fine|the {thing} is {where}]. [Trust me.|My {grown} said so.|We will see.|Do not tell anybody.]
I do not [know|like {food}|want to go to {place}|understand {kinds}|have a {thing}|believe it]. [Ask {a}.|But I will try.|That is how I am.|Perhaps on {day}.]
[Maybe|Perhaps] [it will be {w} tomorrow|{a} is right|the {kind} ate it|we should go home|you are a {job}]. [Who knows?|We will see on {day}.|I would not be surprised.]
Yes, [of course|I know|you can|it is {w}|that was me]. [Come in.|Why do you ask?|I am {good} about it.|Take some {food}.]
No, [thank you|I do not know|that is not my {thing}|not today|it was {b}]. [Ask {a}.|Try again on {day}.|I am sorry.|But you may have some {food}.]
And [then {a} laughed|so it began|that was the end of it|what about the {kind}|now for the weather: it will be {w}]. [Nobody had thought of that.|They all went home.|You may believe it or not.]
So [{a} went to {place}|we ate {food}|that is why the {kind} is {trait}|what shall we do now]. [It was {day}.|Nobody was {bad} any more.|And that is how it ended.]
Then [{a} opened the door|it began to rain|the {kind} said, "Good night"|everything was {col}|came {day}]. [Nobody moved.|And it was quiet again.|That was the best part.]
First, [we went to {place}|take {n} eggs|{a} must find the {thing}|I want to thank my {grown}]. [Then we will see.|After that, it is easy.|Then we eat {food}.]
Finally, [{a} came home|it was {day}|the {kind} fell asleep|we saw {place}|the rain stopped]. [Everybody was {good}.|What a day!|And we all ate {food}.]
All [{kinds} are {trait}|my friends like {food}|was quiet|the people at {place} laughed|that {a} wanted was a {thing}]. [But one was different.|That is true.|And so it was.]
Many [people|{kinds}|friends|children] [came to {place}|like {food}|dream of {place}|have no {thing}]. [{a} was one of them.|I do not know why.|It was a great day.]
[Three|Four|Five|Six|Ten] [{kinds}|friends|days|people] [went to {place}|are enough|sat {where}|had only one {thing}]. [One was {trait}, the others were not.|Nobody counted them.|And {a} was the first.]
Can you [{skill}|see {place}|hear the {kind}|help me|keep a secret|give me the {thing}]? [Yes, I can.|Of course.|I will try.|Not today.|Ask {a}.]
Do you [like {food}|know {a}|want to go to {place}|have a {thing}|believe in {kinds}]? [Yes, very much.|No, I do not.|Sometimes.|Only on {day}s.]
Would you [like some {food}|come with me to {place}|rather be a {kind} or a {job}|help me]? [Yes, please.|No, thank you.|A {kind}, of course.|Gladly.]
Is [it {w} outside|{a} at home|this your {thing}|that the {kind}]? [Yes, look {where}.|No, I do not think so.|Ask my {grown}.|It was this morning.]
Have you [seen my {thing}|ever been to {place}|heard the news|eaten the {food}]? [No, I have not.|Yes, on {day}.|It is {where}.|That was {a}.]
Look [at the {kind}|at me|{where}|how {col} it is|what I found], [said {a}|everybody|please]. [It is wonderful.|We both laughed.|There was a {thing}.]
Listen [to the {kind}|to your {grown}|well|to this]: [it is singing|{a} has a new {thing}|nothing is as good as {food}|tomorrow it will be {w}]. [Did you hear it?|That is important.|Now you know.]
Imagine [a world without {food}|that you are a {kind}|a {thing} as big as a house|{place} at night]. [What would you do?|{a} dreams of it.|Would it not be wonderful?]
Remember [to take your {thing}|{a}|that {kinds} need {food}|the day at {place}]. [It is important.|I will never forget it.|That was a good time.]
Thank you for [the {food}|the {col} {thing}|your letter|everything|listening]. [It made me very {good}.|{a} sends you love.|See you on {day}.|It was wonderful.]
Good [morning|evening|afternoon], [everybody|{a}|dear children|my friend]. [How are you today?|It is {w} outside.|Would you like some {food}?|Did you sleep well?]
Goodbye, [{a}|my friend|everybody|dear children]. [I will miss you.|See you on {day}.|Write to me.|It was a good time.]
The [princess|prince|witch|pirate|ghost|giant|wizard|knight] [lived in a {col} castle|was afraid of {kinds}|only ate {food}|lost the {thing}|wanted to {skill}]. [Nobody was allowed to know.|One day, {a} came by.|"That will never do," said the {job}.|It was a {w} day.]
The [sun|moon|wind|rain|snow] [came to {place}|woke {a}|was [quiet|strong|early] that day|knows no {day}]. [Everything was {col}.|"Good morning," said {b}.|Nobody wanted to go inside.]
The [answer|question|problem|truth|secret|reason|trick] is [simple|{food}|a {trait} heart|that nobody knows it|{where}|{a}]. [You only have to ask.|Now you know.|My {grown} found it out.]
The [world|future|end|beginning|day|night|year|summer] [is|was] [long|near|{col}|not what {a} thought|full of {kinds}]. [We will see.|And {b} was there.|Let us make the best of it.]
Scientists [have found|say that|want to know why] [{kinds} like {food}|a {col} {kind} lives at {place}|{kinds} can count to {num}]. [Nobody had known it before.|It took them {n} years.|{a} is not surprised.]
Imagine there is [a {kind}|a {thing}|a {job}] [in your bed|at the door|in your soup|on the moon]. [What would you say?|You would laugh.|That would be a story.]
Wanted: [a {trait} {job}|a {col} {thing}|a friend who likes {hobby}|somebody who can {skill}]. [Come to {place} on {day}.|You get {n} coins and {food}.|Ask for {a}.]
Attention, please: [the train to {place} is late|a {kind} is loose|{a} has won a {thing}|lunch is ready]. [Thank you.|We are sorry.|Please stay {where}.]
To whom it may concern: [{a} is a very good {job}|the {thing} is {where}|I would like to have my {thing} back]. [With best wishes, {b}|Yours, {a} and {b}]
In [the north|the south|the mountains|the city|my country|our village], [people like {food}|there are many {kinds}|{a} learned to {skill}|it is {w} in {month}]. [I would like to go there.|My {grown} told me.|It is a long way.]
It is [{w} today|never too late|only a {thing}|my turn|the same every {day}|a long way to {place}]. [Let us begin.|{a} knows it.|I do not mind.|That is all.]
It [rained|snowed|was {w}] [all day|in {month}|when {a} was born|at {place}]. [Nobody went out.|The {kinds} liked it.|We drank {drink} and played {game}.]
We [have|had] [{n} {kinds}|no {food} left|a house near {place}|a good time|one {thing} for all]. [Come and visit us.|That was enough.|{a} was {good}, too.]
We will [meet at {place}|never forget it|see the {kinds}|eat {food} together|win the game]. [Do not be late.|Everybody will be there.|I know it.]
Your [{thing}|hat|bag|coat] is [{where}|{col}|wonderful|at {place}]. [Did you know that?|Come and get it.|Be careful with it.|Thank you for everything.]
His [{thing} was {col}|{thing} was gone|name is {pet}|house is near {place}|only friend was a {kind}]. [He never talked about it.|{a} knew it.|It made him {good}.]
Her [{thing} was {col}|smile is warm|voice was {trait}|best friend is {a}|{kind} was gone]. [Nobody forgot it.|It made us {good}.|I can see it before me.]""".split(
    "\n"
)
