"""Sentences that begin with any common word, for prompts that nobody foresaw; and sayings that everybody can finish.

Same slots as scenes.py (openings.py fills them).
"""

from __future__ import annotations

STARTS = """My mother [told me|always said|says] that [{trait} people are happy people|everything will be fine|I should eat more {food}|the {kind} is asleep|{day} is a good day to start]. [She is usually right.|I did not believe her.|So I went to {place}.|I think of it every {day}.]
My father [works at {place}|is a {job}|likes {hobby}|tells the best jokes|can {skill}]. [He gets up early every day.|On {day}s we play {game} together.|I want to be like him.|He is {big} years old.]
When I was [young|little|a child|{n} years old], I [lived near {place}|wanted to be a {job}|was afraid of {kinds}|had a {col} {thing}|could not {skill}]. [Now everything is different.|I miss those days.|My {grown} took care of me.|I still remember it.]
When [the sun goes down|it is {w}|the clock strikes {num}|{a} comes home|nobody is looking], [the {kind} wakes up|we play {game}|I go to {place}|everybody is quiet|the {kinds} dance in {place}]. [It is a secret.|That is the best time of the day.|We have always done it like that.]
We [are|were] [at {place}|very {good}|all friends here|late again|ready to go]. [Come in!|Let us play {game}.|{a} has made {food}.|It is {num} o'clock.|Where is {b}?]
You [are|look] [very {trait}|a good friend|late|{good} today|the best {job} in town]. [What happened?|Thank you for coming.|Please sit down.|I am glad that you are here.]
You [can|should|must|may] [go to {place}|eat some {food}|ask {a}|try it again|sleep now|be {trait}]. [It will help you.|Everybody does it.|It is {w} anyway.|I will wait here.]
It was [late|early|a {w} day|a long time ago|only a dream|{num} o'clock|the first day of {month}], [and {a} was alone|but nobody was tired|and the {kind} was hungry|when the {thing} fell from the shelf]. [Then somebody knocked at the door.|"Let us go," said {b}.|It began to rain.]
This is [a {thing}|my {grown}|{a}, my best friend|the house of the {job}|a very old story|how we make {food}|the {kind} that lives {where}]. [It is {col}.|Say hello!|Do you like it?|You will like it here.|It comes from {place}.]
That [was|is] [a good idea|not my {thing}|the best {food} I ever had|a big surprise|why {a} is so {good}|all I know]. [Let us do it again.|Ask {b}.|Thank you very much.|I will remember it.]
Here [is your {thing}|is the answer|are {num} {kinds}|is the news of the day|we have some {food}]. [Take it.|Be careful with it.|Enjoy!|They came from {place}.]
There are [{num} {kinds} at {place}|many people at {place}|{n} days until {day}|two kinds of people|no {food} left|more stars than words]. [Look at them!|Nobody counted them.|That is a lot.|What shall we do?]
Let us [go to {place}|play {game}|eat some {food}|count to ten|begin|look {where}|tell a story], [said {a}|before it gets dark|because it is {w}]. ["Yes!" said {b}.|We have time.|It will be fun.]
Please [help me|wait for me|come in|close the door|do not forget the {food}|give me the {col} {thing}|be quiet]. [I cannot do it alone.|The {kind} is asleep.|Thank you.|It is {w} outside.]
Do not [be afraid|wake the {kind}|open the {col} {thing}|go to {place} alone|forget me|eat all the {food}]. [I am here.|It is late.|You know what happened to {a}.|I will be back on {day}.]
Never [give up|eat {food} in bed|wake a sleeping {kind}|forget your {thing}|trust a {kind} with a {thing}], [said my {grown}|said the old {job}]. [I should have listened.|That is good advice.|So I did not.]
Every [morning|evening|day|{day}|summer], [{a} walks to {place}|the {job} opens the door|the {kind} sings|we eat {food}|the same {kind} sits {where}]. [Nobody knows why.|Today it was different.|It has always been like that.|I like that.]
Nobody [knows the answer|was at home|saw the {kind}|believed {a}|likes to be alone|can {skill} like {a}]. [So we waited.|That was strange.|But it was true.|Perhaps tomorrow.]
If you [see {a}|go to {place}|are {bad}|find a {col} {thing}|want to {skill}], [say hello from me|take an umbrella with you|eat some {food}|give it to the {job}|you must be {trait}]. [It always helps.|Do not wait too long.|That is all I can say.]
Because it was {w}, [{a} stayed at home|we went to {place}|the {kind} was {good}|nobody came]. [We played {game} and drank {drink}.|It was a long day.|Later the sun came out.]
After [breakfast|lunch|dinner|school|work|the rain], [{a} went to {place}|we played {game}|the {kind} was gone|I took my {col} {thing}|there was a rainbow]. [It was fun.|Then it was time for bed.|I met {b} there.]
The [president|king|queen|captain|mayor|teacher] [gave a speech|smiled at the people|opened the new bridge|said that everyone should be {trait}|went to {place} on {day}]. [The people clapped.|It was a {w} day.|Then everybody got some {food}.|"Thank you," said a child.]
The [book|story|film|song] is about [a {kind} who wants to {skill}|a {job} and a {col} {thing}|two friends at {place}|love|a {trait} {kind}]. [I like it very much.|In the end, everyone is {good}.|It made me laugh.|You should read it.]
The [bus|train|boat|plane|car] [was late|stopped at {place}|was full of {kinds}|goes to {place} every {day}|is {col}]. [{a} had to wait.|So we walked.|Nobody complained.|The driver smiled.]
The [house|room|garden|shop|school] [is|was] [{col} and old|full of {things}|empty|near {place}|quiet]. [{a} lives there.|In the middle stood a {thing}.|A {kind} sleeps {where}.|There is always {food}.]
The [door|window|box|letter|road] [was open|was closed|was {col}|was full of snow|led to {place}]. [{a} went on.|"Hello?" said {a}.|Inside there was a {thing}.|Nobody was there.]
The children [played {game}|were {good}|wanted to hear a story|went to {place}|found a {kind}]. ["One more!" they cried.|Then it was time to go home.|Their teacher laughed.|It was the last day of {month}.]
The [boy|girl|woman|man] with the {col} {thing} [is my {grown}|lives near {place}|never smiles|likes {food}|waved at us]. [I would like to talk to {him}.|Everyone knows that.|Perhaps it is a secret sign.]
The {kind} [sat|slept|hid|waited] {where}. [It was {trait}.|It looked at {a} with big eyes.|"Come out," said {a}.|Nobody could see it.] [Then it ran away.|{a} gave it some {food}.|It stayed there all day.]
The {kind} and the {kind2} [were friends|went to {place}|had a race|wanted to cook {food}]. [The {kind} was {trait}, the {kind2} was not.|"You first," said the {kind2}.|It was a {w} day.] [In the end they laughed.|They came home late.|And so the day was over.]
The {job} [works at {place}|has a {col} {thing}|gets up at {num}|likes {hobby}|is never {bad}]. [On {day} there is no work.|Everybody likes the {job}.|The work is hard but good.|{a} helps sometimes.]
{a} and {b} [went|walked|ran] to {place}. [They saw a {kind}.|They wanted to play {game}.|It was {w}.|They had {food} with them.] ["Look!" said {a}.|"I am hungry," said {b}.|They laughed.] [Then they went home.|It was a good day.|They will come again on {day}.]
{a} and {b} [are friends|are brother and sister|live next to each other|both like {hobby}]. [{a} is {n} years old, {b} is {m}.|{a} likes {food}, {b} likes {food2}.|They go to the same school.] [They meet every {day}.|They never fight.|They have a secret.]
{a} [has|had] a {col} {thing}. [{He} takes it everywhere.|It came from {his} {grown}.|{b} wants one too.|It is very old.] [One day it was gone.|"May I see it?" asked {b}.|{He} keeps it {where}.|It brings {him} luck.]
Today [is {day}|I am {good}|it is {w}|we have {food}|{a} comes to visit|I learned to {skill}]. [We will go to {place}.|It is a good day.|I have waited for it.|What will we do?]
Now [it is {num} o'clock|I know it|the {kind} is asleep|we are at {place}|everything is {col}]. [Let us go.|Be quiet.|What comes next?|I am {good}.]
Why [is the {thing} {col}|are you so {bad}|does the {kind} look at me|is it so {w}]? [I do not know.|Because {a} wanted it.|Ask the {job}.|That is a long story.]
What [is that|do you want|are you doing|happened to your {thing}]? [It is a {kind}.|I want to go to {place}.|{b} took it.|Nothing special.]
Where [is {a}|are you|is the {col} {thing}|can I find {food}|do the {kinds} sleep]? [At {place}.|It is {where}.|I am here.|Nobody knows.|Look {where}.]
Who [is {a}|ate the {food}|wants to go to {place}|is afraid of the {kind}|has the {thing}]? [{b} does.|It was the {kind}.|I do not know.|My {grown}.|Everybody.]
How [are you|old is {a}|do you make {food}|far is it to {place}|many {kinds} are there]? [I am fine.|{n} years old.|It is easy.|Not far.|There are {num}.]
A [child|man|woman|{job}|{kind}] [sat|stood] {where} and [waited|sang a song|ate {food}|looked at the {w2} sky|held a {col} {thing}]. [Nobody asked why.|"Hello," said {a}.|It was {day}.|After an hour {b} came.]
A [{trait} {kind}|{col} {thing}|little song|good friend|cup of {drink}|warm {thing}] [can change everything|is all I need|was the start of it|makes people {good}|stood {where}]. [You will see.|That is what {a} says.|Believe me.|It is true.]
People [say that {kinds} bring luck|come to {place} to see the {kind}|need {food} and love|laughed at {a}]. [I believe it.|Not all of them.|But they were wrong.|It is the same everywhere.]
Children [like {food}|ask many questions|need time to play|love stories about {kinds}|learn fast]. [That is good.|{a} is one of them.|So do I.|Everybody was a child once.]
Computers [are fast|can count|do not get tired|learn from many examples|have no feelings]. [But they need people.|They help us every day.|{a} has one at home.|Some can even write stories.]
Music [makes me {good}|is everywhere|was playing at {place}|is like {food} for the heart]. [{a} plays the {instrument}.|Listen!|We danced all night.|It was quiet and {trait}.]
On [{day}|my way to {place}|the table|the {col} {thing}|a {w} day in {month}], [there was a {kind}|I met {a}|I saw a {col2} {thing2}|we ate {food}]. [I will never forget it.|It was fun.|"Hello," I said.|Then it was gone.]
With [a little luck|a {col} {thing}|a smile|{a}|my {grown}], [I can do it|we went to {place}|everything is easier|you can go far|the day is never long]. [You will see.|Try it.|I promise.]
Before [breakfast|you go to {place}|the rain came|bed|{day}], [wash your hands|{a} read a book|I drink {drink}|we must find the {thing}|the {kind} was here]. [It is important.|Then it was late.|Do not forget it.]
Some [people|{kinds}|days] are [{trait}|better than others|{w}|not what they seem|{good} without a reason]. [That is life.|Today is such a day.|{a} is like that.|I like them all.]
Two [{kinds}|friends|children|old men] [met at {place}|sat {where}|wanted the same {thing}|went for a walk]. ["After you," said one.|"It is mine," said one. "No, it is mine," said the other.|They talked about the {w} weather.] [In the end they shared it.|They laughed.|And then they went home.]""".split(
    "\n"
)

SAYINGS = """Happy birthday to you, happy birthday to you, happy birthday, dear {a}, happy birthday to you!
Jingle bells, jingle bells, jingle all the way.
Silent night, holy night, all is calm, all is bright.
We wish you a merry Christmas and a happy new year.
Old MacDonald had a farm, E-I-E-I-O.
London Bridge is falling down, falling down, falling down.
The wheels on the bus go round and round, all day long.
If you're happy and you know it, clap your hands.
It was the best of times, it was the worst of times.
I think, therefore I am.
Call me Ishmael.
Hello, world!
Elementary, my dear Watson.
Romeo, Romeo, wherefore art thou Romeo?
Mirror, mirror on the wall, who is the fairest of them all?
The quick brown fox jumps over the lazy dog.
She sells sea shells by the sea shore.
Peter Piper picked a peck of pickled peppers.
A picture is worth a thousand words.
Actions speak louder than words.
Time is money.
Time flies.
Knowledge is power.
Honesty is the best policy.
The pen is mightier than the sword.
Rome was not built in a day.
When in Rome, do as the Romans do.
Home is where the heart is.
There is no place like home.
Every cloud has a silver lining.
Do not judge a book by its cover.
Do not count your chickens before they are hatched.
Do not put all your eggs in one basket.
Good things come to those who wait.
Many hands make light work.
Too many cooks spoil the broth.
Once bitten, twice shy.
Out of sight, out of mind.
The grass is always greener on the other side.
Where there is smoke, there is fire.
You cannot have your cake and eat it too.
Laughter is the best medicine.
Love is blind.
No news is good news.
Curiosity killed the cat.
Let sleeping dogs lie.
Look before you leap.
One swallow does not make a summer.
Still waters run deep.
The best things in life are free.
First come, first served.
Ready, steady, go!
Three, two, one, go!
One, two, three, four, five, once I caught a fish alive.
Ladies and gentlemen, boys and girls, welcome!
Red sky at night, shepherd's delight.
April showers bring May flowers.
One plus one is two. Two plus two is four.
The sun rises in the east and sets in the west.""".split("\n")
