"""Plots of every day: hunger, fear at night, learning, cooking, the garden, a lie, being ill, a show, sleep, snow, a new house."""

from __future__ import annotations

from core.training.world.beats import ending, later, obstacle, one_day, refuse, thanks, walk
from core.training.world.plots_things import roles
from core.training.world.registry import plot
from core.training.world.story import Story

# The templates are easier to compare in long lines.
# fmt: off


def we(s: Story, text: str) -> str:
    """The text with we for they, if the hero tells the story."""
    first = roles(s, "h")[0].pronoun == "I"
    return text.replace("they", "we").replace("They", "We").replace("them", "us") if first else text


@plot()
def hungry(s: Story) -> None:
    """The hero is hungry, tries to get food, and somebody shares."""
    h = roles(s, "h")[0]
    t = s.treat()
    s.say(f"{one_day(s)} {{h}} was [hungry|so hungry that {{h:ps}} stomach rumbled|very hungry], [but the [cupboard|basket|plate] was empty|but there was nothing to eat at home|for {{h:p}} had not eaten since [morning|yesterday]].")
    s.do("feel", h, "hungry")
    place = s.place()
    walk(s, place)
    s.say("[There {h} looked everywhere, but found [nothing|only an empty shell|only a dry crust|a few sour berries]|But there was nothing there either|{h} tried to catch a fly, but it was too fast].") if h.kind == "animal" else s.say("[There was nothing to eat there|The shop was closed|{h} had no money in {h:ps} pocket|All the bread was sold].")
    if s.chance(0.4):
        refuse(s)
    s.helper()
    g = roles(s, "g")[0]
    s.do("own", g, t)
    s.say("[Then {h} saw {g:a} with {t:a}|Not far away sat {g:a} who had {t:a}|Suddenly there was a wonderful smell. It came from {g:a}, who had {t:a}].")
    s.speak(h, "[That smells so good!|May I have a little bit?|I am so hungry.|Would you share with me?]", "")
    deed = s.rng.choice(["sing me a song", "tell me a story", "help me carry my wood", "keep me company", "wash the dishes", "scratch my back"])
    if s.chance(0.5):
        s.speak(g, f"[If you {deed}, you shall have some.|Gladly! But first {deed}.|{deed}, and we will share it.]".replace("|" + deed, "|" + deed.capitalize()), "", answer=True)
        past = {"sing me a song": "sang the finest song {h:p} knew", "tell me a story": "told a long story about the moon", "help me carry my wood": "carried the wood", "keep me company": "stayed and talked for an hour", "wash the dishes": "washed all the dishes", "scratch my back": "scratched {g:s} back"}[deed]
        s.say(f"So {{h}} {past}[, and {{g}} [was pleased|laughed]|].")
    else:
        s.speak(g, "[Of course! There is enough for two.|Sit down and eat with me.|Here, take half.|Nobody should be hungry on such a day.]", "kind", answer=True)
    s.say(we(s, "[Then they ate {t:o} together|{g} gave {h:o} a big piece of it|They shared it, down to the last crumb|{h} ate and ate until {h:p} was full]."))
    s.do("eat", h, t)
    thanks(s)
    s.feel(h, "happy", s.rng.choice(["", "{h:p} was not hungry any more", "{h:p} had found a friend"]))
    s.cast["f"] = g
    ending(s)


_NOISES = [("a scratching at the door", "a little cat that was cold", "it", "scratched"), ("a knocking at the window", "a branch that moved in the wind", "it", "knocked"), ("a strange humming", "an old fridge", "it", "hummed"), ("heavy steps on the roof", "two pigeons that were dancing", "they", "walked"),
           ("a long howl", "the wind in the chimney", "it", "howled"), ("a rattling in the kitchen", "a mouse with a spoon", "it", "rattled"), ("a soft voice", "somebody who was singing in {h:ps} sleep", "it", "sang"), ("a splash", "a frog that had jumped into the bucket", "it", "splashed"),
           ("a dark shadow on the wall", "a coat on a hook", "it", "moved"), ("two green lights", "the eyes of an owl", "they", "shone"), ("a rustling under the leaves", "a hedgehog who was looking for beetles", "it", "rustled"), ("a sound like a drum", "rain that dripped into a pot", "it", "dripped")]


@plot(share=1.5)
def noise_at_night(s: Story) -> None:
    """A noise in the night is frightening until somebody looks."""
    h = roles(s, "h")[0]
    noise, cause, _, _ = s.rng.choice(_NOISES)
    s.plot.append(noise)
    s.say(f"[One night|In the night|When it was dark|At midnight|That night][,|] {{h}} [woke up because of|heard|was woken by|noticed] {noise}." if "shadow" not in noise and "lights" not in noise else f"[One night|When it was dark|That night] {{h}} saw {noise}.")
    s.feel(h, "afraid", "")
    s.speak(h, "[What is that?|Is it a ghost?|Who is there?|Maybe it is a monster!|Go away!|I wish it were morning.]", "afraid")
    for attempt in s.rng.sample(["{h} pulled the blanket over {h:ps} head, but it did not stop." if h.kind == "person" else "{h} shut {h:ps} eyes, but it did not stop.", "{h} counted to ten. It was still there.", "{h} lay very still and listened.", "{h} thought of [sheep|warm soup|summer], but it did not help.", "First {h} wanted to run away."], s.rng.choice([1, 2])):
        s.do("try", h)
        s.say(attempt)
    if s.chance(0.55):
        s.friend()
        f = roles(s, "f")[0]
        s.say("[So {h} woke {f:o}|Then {f} woke up too|{h} called {f:o}, and {f} came at once].")
        s.speak(f, "[Let us look together.|Don't be afraid. I am with you.|I will go first.|Things are less scary when you look at them.]", "kind")
        s.say(we(s, "[Step by step they went nearer|They took a [lamp|candle|torch] and went to look|They held on to each other and looked]."))
    else:
        s.say("[But then {h} took all {h:ps} courage and got up|In the end {h} was more curious than afraid|{h} took a [lamp|candle] and went to look|{h} stood up, took a deep breath and looked].")
        s.do("be", h, "brave")
    s.say(f"[And what was it?|There it was:|What did they see?] It was only {cause}!".replace("they", "we" if h.pronoun == "I" and "f" in s.cast else "they" if "f" in s.cast else h.pronoun))
    s.do("want", h, f"the noise was {cause}")
    s.feel(h, "relieved", s.rng.choice(["", "it was only {cause}".replace("{cause}", cause), "there was no ghost at all"]))
    s.maybe(0.6, "[{h} had to laugh|After that {h} slept until morning|Now {h} was not afraid any more|{h} went back to bed and slept like a stone|And the next night {h} was not afraid].")
    ending(s) if "f" in s.cast else None


_SKILLS = [("swim", "in the water", "went under and swallowed water", "swam from one side to the other"), ("whistle", "in the morning", "only blew air", "whistled a whole song"), ("dance", "in front of the mirror", "fell over {h:ps} own feet", "danced like a leaf in the wind"),
           ("jump over the brook", "at the brook", "landed in the water", "landed on the other side"), ("sing", "in the evening", "sounded like a rusty door", "sang so well that everybody listened"), ("climb the old tree", "every afternoon", "slid down again", "sat on the highest branch"),
           ("juggle", "with three balls", "dropped the balls", "kept three balls in the air"), ("skate", "on the ice", "fell on the ice", "glided over the ice"), ("read", "with an old book", "mixed up the letters", "read a whole page"), ("bake bread", "in the kitchen", "burned the bread", "baked a golden loaf"),
           ("play the flute", "under the apple tree", "made a terrible noise", "played a lovely tune"), ("paint", "by the window", "spilled the paint", "painted a picture that looked alive"), ("ride a bicycle", "on the street", "fell into a bush", "rode around the whole village"), ("tie a bow", "on the stairs", "made only knots", "tied a perfect bow"),
           ("stand on one leg", "on the wall", "lost {h:ps} balance", "stood like a stork for a minute"), ("count to a hundred", "before going to sleep", "stopped at twenty-nine", "counted to a hundred without a mistake"), ("sail", "on the lake", "went round in circles", "sailed straight to the island"), ("play chess", "on Sundays", "lost in five moves", "won a game")]


@plot(share=1.5)
def learning(s: Story) -> None:
    """The hero wants to learn something, fails, practises, and can do it."""
    h = roles(s, "h")[0]
    skill, where, fail, success = s.rng.choice(_SKILLS)
    s.plot.append(skill)
    s.cast["skill"] = skill
    s.say(f"{{h}} [wanted to learn to|could not|dreamed of learning to|wished {{h:p}} could|wanted so much to] {skill}." if skill != "x" else "")
    s.do("want", h, f"to {skill}")
    s.maybe(0.5, "[All the others could do it|Everybody said that it was easy|The others laughed at {h:o}|{h:s} [friends|brothers] could do it already|There was going to be a contest].")
    s.say(f"{one_day(s)} {{h}} tried it {where}, but {{h:p}} {fail}.")
    s.do("try", h)
    if s.chance(0.6):
        s.feel(h, s.rng.choice(["sad", "angry", "ashamed"]), s.rng.choice(["", "it was so hard", "it did not work"]))
    s.speak(h, "[I will never learn it!|It is too hard for me.|I give up!|Why can't I do it?|Everybody can do it but me.]", "sad")
    s.helper()
    g = roles(s, "g")[0]
    s.say("[{g:a} had watched {h:o}|{g:a} was passing by and stopped|Then {g:a} came and sat down beside {h:o}].")
    s.speak(g, "[I needed a whole year to learn it.|Try again, but slowly.|Nobody can do it the first time.|You must not think of falling.|Do it a little every day.|Shall I show you how?|Breathe in, breathe out, and begin again.|I will hold you.]", "kind")
    s.say(f"[So {{h}} practised every [day|morning|evening]|{{h}} tried again and again|{{g}} showed {{h:o}} how to do it, step by step|Again and again {{h}} {fail}, but {{h:p}} did not give up].")
    s.do("help", g, h)
    s.say(f"{later(s)} [it happened|the day came]: {{h}} {success}!" if s.chance(0.6) else f"[At last|In the end|One morning], {{h}} {success}.")
    s.do("be", h, f"can {skill}")
    s.speak(g, "[You did it!|I knew you could do it!|Well done!|See? You never gave up.]", "happy")
    s.feel(h, "proud", s.rng.choice(["", "{h:p} had not given up", f"{{h:p}} had learned to {skill}"]))
    s.cast["f"] = g
    ending(s)


_DISHES = [("a cake", "flour, eggs and sugar", "salt", "sugar"), ("soup", "carrots, potatoes and onions", "pepper", "parsley"), ("pancakes", "milk, eggs and flour", "mustard", "honey"), ("bread", "flour, water and yeast", "sand", "flour"), ("an apple pie", "apples, butter and flour", "soap", "butter"), ("jam", "plums and sugar", "salt", "sugar"), ("biscuits", "oats, butter and honey", "glue", "honey"), ("a stew", "beans, tomatoes and corn", "vinegar", "oil")]


@plot("child animal grown tale I my")
def cooking(s: Story) -> None:
    """Something is cooked, goes wrong, and is eaten after all."""
    s.friend()
    h, f = roles(s, "h", "f")
    dish, parts, wrong, right = s.rng.choice(_DISHES)
    s.plot.append(dish)
    s.say(f"{one_day(s)} {{h}} [wanted to make {dish} for {{f:o}}|decided to make {dish}|invited {{f:o}} and made {dish}], [because {{f}} was [hungry|coming to visit|sad]|for it was a special day].")
    s.say(f"{{h}} took {parts} and [mixed everything|stirred|began].")
    how = s.rng.randrange(3)
    if how == 0:
        s.say(f"But {{h}} [did not look|was in a hurry|was dreaming] and took {wrong} instead of {right}.")
        s.say("[The first bite tasted terrible|{h} tried a little and made a face|\"Ugh!\" said {f:n} after the first spoon].")
        s.feel(h, "ashamed", "{h:p} had spoiled everything")
        s.say(we(s, "[So they began again, and this time {f} helped|They laughed and made a new one together|{f} fetched the right jar, and they started once more]."))
    elif how == 1:
        s.say("[While it was in the oven, {h} fell asleep|Then somebody knocked, and {h} forgot the pot|{h} went out to play and forgot the time]. [Soon smoke came out of the kitchen|When {h} came back, it was as black as coal].")
        s.feel(h, "sad", "it was burned")
        s.speak(f, "[Never mind! Inside it is still good.|We can cut off the black part.|I like it crisp.|Then we will eat bread and cheese.]", "kind")
    else:
        t = s.rng.choice(["egg", "spoonful of honey", "cup of milk", "pinch of salt"])
        s.say(f"But one {t} was missing. {{h}} looked in every cupboard, but there was none left.")
        s.helper()
        s.say("[{h} ran to {g:a} next door and asked|So {h} asked {g:a}].")
        s.speak(roles(s, "g")[0], f"[Here you are, one {t}.|Take mine. I have enough.|You can have it if I get a piece.]", "kind")
    s.say(we(s, f"[In the end they sat at the table and ate {dish}|At last {dish} stood on the table, and they ate until nothing was left|And how good it tasted in the end]!".replace("ate {dish}]", "x")).replace("left!", "left!"))
    s.feel(f, "happy", "")
    ending(s)


@plot("child animal grown alive I")
def garden(s: Story) -> None:
    """A seed is planted, looked after, and grows."""
    h = roles(s, "h")[0]
    plant, fruit = s.rng.choice([("a bean", "beans"), ("a sunflower", "a flower as big as a plate"), ("a pumpkin", "a huge pumpkin"), ("an apple tree", "red apples"), ("a rose", "white roses"), ("a tomato plant", "sweet tomatoes"), ("a strawberry plant", "strawberries"), ("a carrot", "the longest carrot in the land"), ("a cherry tree", "dark cherries")])
    s.plot.append(plant)
    s.say(f"{one_day(s)} {{h}} [found a tiny seed|got a seed from {s.rng.choice(['an old woman', 'a bird', 'the gardener', 'a friend', 'the wind'])}|had one little seed] and [put it into the earth|planted it|pressed it into the ground].")
    s.say("[Every morning {h} gave it water|{h} watered it and waited|Day after day {h} looked at the ground]. But [nothing happened|nothing came up|there was only brown earth].")
    s.speak(h, "[Why does it not grow?|Perhaps it is asleep.|Grow, little seed, grow!|I can wait.|Maybe it was only a stone.]", s.rng.choice(["sad", ""]))
    trouble_, solution = s.rng.choice([("Then it did not rain for weeks, and the earth was dry", "{h} carried water from the brook, bucket after bucket"), ("Then the snails came and wanted to eat it", "{h} asked the hedgehog to keep watch, and the snails stayed away"), ("One night it froze", "{h} covered it with an old blanket"), ("A big weed stole its light", "{h} pulled out the weed, root and all"),
                                       ("A storm bent the little stem", "{h} tied it to a stick with a piece of string"), ("A goat wanted to nibble at it", "{h} built a small fence around it")])
    s.say(f"[At last a small green leaf came out|One morning there was something green|Then a tiny plant looked out of the earth]. {trouble_}. [But {solution}|So {solution}].")
    s.do("try", h)
    s.say(f"[It grew and grew|Week after week it grew|In summer it was taller than {{h:n}}], [and one day it had {fruit}|until it carried {fruit}|and then it was {plant} with {fruit}].".replace(" {h:n}", " {h:no}"))
    s.friend(other=True)
    s.say(we(s, "[{h} shared everything with {f:o}|{f} came to look, and they were both amazed|{h} called {f:o}, and they had a little feast|{h} kept one seed for {f:o}, for the next year]."))
    s.feel(h, "proud", s.rng.choice(["", "{h:p} had been so patient", "it had grown from one little seed"]))
    ending(s)


@plot("child animal tale I my")
def lie(s: Story) -> None:
    """Something good is eaten in secret; a lie, and the truth."""
    s.friend()
    h, f = roles(s, "h", "f")
    t = s.treat()
    s.do("own", f, t)
    s.say(f"{one_day(s)} {{f}} [put {{t:a}} on the table|had made {{t:a}}|kept {{t:a}} for the evening][ and said that nobody might touch it| and went out|].")
    s.say("[It smelled so good that {h} could not wait|{h} only wanted to taste a little|{h} walked around it three times|{h} took one small bite]. [Then {h} took another bite, and another|One bite, two bites], [and it was gone|and soon nothing was left].")
    s.do("eat", h, t)
    s.say("[When {f} came back, {f:p} saw the empty plate|Soon {f} came and looked at the empty plate].")
    s.speak(f, "[Who has eaten it?|Where is the {t:b}?|What happened here?|Did you see who it was?]", "")
    s.speak(h, "[It was [the cat|a bird|the dog|a ghost|the wind].|I don't know.|I was asleep all the time.|Not me!]", "afraid", answer=True)
    s.say("[But there were crumbs on {h:s} [chin|nose]|But {h} went as red as a tomato|{f} said nothing and only looked at {h:o}|But {h:s} stomach felt as heavy as a stone].")
    s.feel(h, "ashamed", s.rng.choice(["", "{h:p} had told a lie", "{f} was so kind"]))
    s.speak(h, "[It was me. I am sorry.|I told a lie. I ate it.|Please forgive me. It just smelled so good.]", "sad")
    s.speak(f, "[Thank you for telling me.|I knew it. But it is good that you said it.|Next time, ask me, and we will share.|Then you will help me to make a new one.]", "kind", answer=True)
    s.say(we(s, "[So they made a new one together|{h} helped the whole afternoon|They went to the kitchen and started again|{h} washed the dishes for a week], [and this time they shared|and {h} felt much better|and the truth tasted better than any cake]."))
    s.cast.pop("t")
    ending(s)


@plot("child animal grown tale alive")
def ill_friend(s: Story) -> None:
    """A friend is ill and the hero brings what helps."""
    s.friend()
    h, f = roles(s, "h", "f")
    s.say(f"{one_day(s)} {{f}} was ill. {{f:p}} [had a cold|had a sore throat|lay in bed and could not get up|had a fever|coughed all night|did not want to eat].")
    s.do("be", f, "ill")
    medicine, place = s.pick("hot soup", "honey", "a herb that grows far away", "fresh lemons", "camomile tea", "red berries", "a good story", "elderberry juice"), s.place()
    s.speak(s.helper(), f"[Only {medicine} can help.|{medicine} would be good now.|What {{f:n}} needs is {medicine}.]".replace(f"|{medicine}", "|" + medicine[0].upper() + medicine[1:]), "kind")
    s.say(f"[{{h}} wanted to help|{{h}} did not think twice|So {{h}} put on {{h:ps}} shoes]. {{h}} knew that there was {medicine} {place.at}." if h.kind == "person" else f"{{h}} knew that there was {medicine} {place.at}.")
    walk(s, place)
    if s.chance(0.7):
        obstacle(s, place.to)
    s.say(f"[There {{h}} got {medicine}|{{h}} found {medicine}|At last {{h}} had {medicine}] and [hurried back|ran home|carried it back as fast as {{h:p}} could].")
    s.say("[{f} took a little, and then a little more|{h} sat down at {f:s} bed|Three times a day {h} gave {f:o} some of it].")
    s.say(f"{later(s)} {{f}} [sat up and smiled|was well again|could laugh again|got up and was hungry].")
    s.do("stop", f, "ill")
    s.do("help", h, f)
    s.speak(f, "[You are a true friend.|Thank you! I feel much better.|I will never forget that.|Without you I would still be in bed.]", "happy", to=h)
    s.feel(h, s.rng.choice(["happy", "relieved"]), s.rng.choice(["", "{f} was well again"]))
    ending(s)


@plot("child animal tale alive I")
def stage(s: Story) -> None:
    """The hero has to do something in front of everybody and is afraid."""
    h = roles(s, "h")[0]
    act = s.pick("sing a song", "say a poem", "dance", "play the violin", "do a magic trick", "tell a joke", "play the drum", "show a somersault", "read a story")
    event = s.pick("the summer party", "the school show", "the great feast", "the king's birthday", "the autumn fair", "the concert", "the village festival")
    s.say(f"[Soon there was {event}|Everybody was getting ready for {event}|It was the day of {event}], and {{h}} was going to {act}.")
    s.feel(h, "afraid", s.rng.choice(["", "so many [people|eyes] would look at {h:po}", "{h:p} had never done it before"]))
    s.friend(other=True)
    f = roles(s, "f")[0]
    s.speak(h, "[I can't do it!|What if I make a mistake?|My legs are like jelly.|I want to go home.|Everybody will laugh at me.]", "afraid", to=f)
    s.speak(f, "[Just look at me.|Do it for me.|Think of something funny.|Everybody is nervous the first time.|Take a deep breath.|If you forget something, just smile.]", "kind", answer=True)
    s.say("[Then it was time|The lights went out|Somebody called {h:s} name]. {h} [went to the middle|stepped forward|stood there and swallowed].")
    if s.chance(0.5):
        s.say("[First no sound came out|{h} forgot how to begin|{h} began too fast and stopped]. [Somebody coughed|It was very quiet|A child laughed]. [But {h} looked at {f:o}|{f} nodded|Then {h} saw {f:o} smile] and began again.")
    s.do("try", h)
    s.say("[It went very well|Everything went well|It was better than ever before|It was wonderful]. [Everybody clapped|The people cheered|The applause was like thunder|They wanted to see it again].")
    s.feel(h, "proud", s.rng.choice(["", "{h:p} had been brave", "{h:p} had done it"]))
    s.speak(h, "[That was fun!|May I do it again?|I was not afraid at all. Well, only a little.|Thank you, I saw you smile.]", "happy")
    ending(s)


@plot("child animal alive I my tale")
def cannot_sleep(s: Story) -> None:
    """Sleep does not come until something simple helps."""
    h = roles(s, "h")[0]
    s.say("[One night|That evening|Last night][,|] {h} could not sleep. [The moon was too bright|{h:s} head was full of thoughts|It was too warm|Everything was so quiet|The bed was too [hard|soft]|{h:p} was too excited].")
    s.do("be", h, "awake")
    for attempt in s.rng.sample(["{h} counted sheep, but at fifty they all ran away.", "{h} turned from one side to the other.", "{h} drank some water, but that did not help.", "{h} sang a song, but it only made {h:po} more awake.", "{h} closed {h:ps} eyes very tightly.", "{h} looked out of the window and counted stars."], s.rng.choice([1, 2, 2])):
        s.do("try", h)
        s.say(attempt)
    s.friend()
    f = roles(s, "f")[0]
    s.say("[Then {h} heard {f:o}|{f} was awake too|{f} came in quietly|{h} went to {f:o}].")
    s.speak(f, "[What are you doing up so late?|Can't you sleep?|You too?|Come here.]", "kind")
    s.speak(h, "[I can't sleep.|The night is so long.|I am not tired at all.|My bed is not my friend today.]", "sad", answer=True)
    s.say(we(s, "[{f} told {h:o} a story about [a sleepy bear|a boat on the sea|a little star|a cloud that was tired]|They listened to the [rain|wind|crickets] together|{f} sang a very old song|They looked at the moon and did not say a word|{f} made warm milk with honey]."))
    s.do("help", f, h)
    s.say("[Before the end, {h} was asleep|Soon {h:s} eyes grew heavy|{h} yawned once, yawned twice, and slept|And then, very slowly, sleep came].")
    s.do("stop", h, "awake")
    s.maybe(0.5, "[{f} smiled and blew out the candle|The moon looked in and moved on|Outside the stars were shining|In the morning {h} could not remember how the story ended].")


@plot("child animal grown alive tale my I")
def new_here(s: Story) -> None:
    """Somebody is alone and wants a friend."""
    h = roles(s, "h")[0]
    s.feel(h, "lonely", s.rng.choice(["", "{h:p} had just moved there", "{h:p} had nobody to [play|talk] with", "all the others had friends", "{h:p} was different from the others"]))
    place = s.place()
    s.say(f"{one_day(s)} {{h}} [saw some others playing {place.at}|heard laughter {place.at}|went {place.to} to look for a friend].")
    s.do("go", h, place.at)
    s.speak(h, "[May I play with you?|Can I join in?|Hello, I am new here.|Is there room for one more?]", "")
    s.say("[But nobody heard {h:o}|\"We are already enough,\" said one of them|They did not look up|They ran away laughing|But they were too busy].")
    s.say("[{h} sat down under a tree|{h} went away and [looked at the clouds|threw stones into the water]|{h} played alone].")
    s.friend(other=True)
    f = roles(s, "f")[0]
    s.say("[Then {h} saw that somebody else was alone too: {f:n}|Not far away sat {f:n}|A little later {f} came and sat down next to {h:o}|Suddenly a ball rolled to {h:s} feet. It was {f:ns} ball]." if f.name or f.owner_word else "[Then {h} saw that somebody else was alone too: {f:a}|Not far away sat {f:a}|{f:a} came and sat down next to {h:o}].")
    s.speak(f, "[Why are you alone?|What are you doing?|I have nobody to play with either.|I like your [smile|voice].|Do you want to see something?]", "kind")
    game = s.pick("built a castle of sand and stones", "played hide-and-seek", "raced to the corner and back", "told each other jokes", "looked for animals in the clouds", "made a crown of flowers", "built a little dam", "collected stones", "flew a kite", "sang silly songs")
    s.say(we(s, f"[So they|Together they|They] {game}[ until it got dark|, and time flew|]."))
    s.do("help", f, h)
    s.maybe(0.4, "[The others came to look|Soon the others wanted to join in], [and there was room for everybody|and nobody was left out].")
    s.feel(h, "happy", s.rng.choice(["", "{h:p} had a friend now", "{h:p} was not alone any more"]))
    ending(s)


@plot("child grown I my tale")
def pet(s: Story) -> None:
    """An animal comes, nobody knows whose it is, and it stays or goes home."""
    h = roles(s, "h")[0]
    x = s.animal("", kinds=["cat", "dog", "puppy", "kitten", "goat", "hedgehog", "duckling", "rabbit", "parrot", "donkey", "pony", "mouse", "frog", "crow", "turtle", "lamb"])
    s.cast["x"] = x
    s.plot.append(f"{x.adjective} {x.noun}")
    s.say(f"{one_day(s)} {{x:a}} [sat in front of the door|followed {{h:o}} home|looked in at the window|was sitting in {{h:s}} bed|came into the kitchen|stood in the garden]. {{x:p}} was [wet|cold|thin|muddy|hungry|shivering|all alone].")
    s.do("be", x, "hungry")
    s.speak(h, "[Where do you come from?|Are you lost?|Poor thing! Come in.|You look hungry.|Whose are you?]", "kind")
    s.say("[{h} gave {x:o} [milk|water|bread|some food] and an old blanket|{h} dried {x:o} with a towel|{x} ate everything that {h} gave {x:po}].")
    s.do("stop", x, "hungry")
    s.friend()
    f = roles(s, "f")[0]
    s.say("[{h} asked everybody, but nobody knew {x:o}|{h} hung up a note at the shop|{h} asked {f:o} what to do].")
    s.speak(f, "[{x:p} must belong to somebody.|We must look for the owner.|Wait a week. If nobody comes, {x:p} can stay.|Who will take care of {x:po}?]", "")
    if s.chance(0.6):
        name = s.name(["Lucky", "Button", "Shadow", "Biscuit", "Moon", "Pepper", "Socks", "Penny", "Cloud", "Ginger", "Mud", "Star", "Toffee", "Friday", "Sunday", "Puddle"])
        s.say(f"[A week went by, and nobody came|Nobody asked for {{x:o}}|Days went by, but no owner came]. So {{x}} stayed. {{h}} called {{x:o}} {name}, because {s.rng.choice(['it was a good name', 'the name fitted so well', '{x} came running when {x:p} heard it', 'it was the first word that came to mind'])}.")
        s.do("be", x, f"named {name}")
    else:
        s.say("After three days an old woman came to the door. \"There you are at last!\" she said to {x:o}. [{x} jumped into her arms|{x} ran to her].")
        s.say("[{h} was sad|It was hard to say goodbye]. [But the woman said that {h} could visit {x:o} every day|\"Come and see us whenever you like,\" said the woman|But the next week the woman brought a basket with a little one in it: it was for {h:no}].")
    s.feel(h, "happy", "")
    s.cast["f"] = f


@plot("child animal I my grown")
def snow_or_rain(s: Story) -> None:
    """A day is spoiled by the weather, and becomes a good one."""
    s.friend()
    h, f = roles(s, "h", "f")
    plan = s.pick("go to the lake", "have a picnic", "go fishing", "fly kites", "play football", "visit the fair", "go to the beach", "climb the hill")
    weather = s.pick("it was raining", "everything was deep in snow", "a storm was blowing", "thick fog lay over everything", "it was hailing")
    s.say(we(s, f"{{h}} and {{f:n}} wanted to {plan}. [But when they looked out, {weather}|But {weather}|When the day came, {weather}]."))
    s.feel(h, "sad", s.rng.choice(["", f"they could not {plan}".replace("they", "we" if h.pronoun == "I" else "they")]))
    s.speak(h, "[Now everything is spoiled!|Why today?|What shall we do now?|The whole day is lost.]", "sad")
    s.speak(f, "[Then we will do something else.|I have an idea!|Who says that we need sunshine?|Wait and see.]", "happy", answer=True)
    instead = s.pick("built a tent from blankets and told stories in it", "put on boots and jumped into every puddle", "baked biscuits in all shapes", "built a snowman with a carrot nose", "made little boats and let them sail in the puddles", "had a picnic on the floor", "played cards until evening", "acted a play with old clothes", "made a castle out of boxes")
    if "snowman" in instead and "snow" not in weather:
        instead = "had a picnic on the floor"
    if "puddle" in instead and weather != "it was raining":
        instead = "built a tent from blankets and told stories in it"
    s.say(we(s, f"[So they|And so they|They] {instead}."))
    s.say(we(s, "[They laughed so much that their stomachs hurt|Time went by so fast|They did not notice that the sun had come out again|In the end they did not want to stop].").replace("their", "our" if h.pronoun == "I" else "their"))
    s.speak(h, "[This was much better!|I am glad about the bad weather.|Can we do that again tomorrow?|I hope the weather stays like this.]", "happy")
    ending(s)


@plot("child animal tale alive grown my")
def too_small(s: Story) -> None:
    """Somebody is laughed at for being small (or slow, or loud), and just that helps."""
    h = roles(s, "h")[0]
    flaw, danger, rescue = s.rng.choice([
        ("so small", "One day a key fell into a narrow hole", "Only {h} was small enough to creep in. Soon {h:p} came out with the key"), ("so slow", "One day everybody ran to the party and lost the cake on the way", "Only {h}, who came last, saw it and brought it along"),
        ("so loud", "One day they were lost in the fog", "Then {h} called so loudly that everybody could follow {h:ps} voice home"), ("so tall", "One day the ball was stuck high up on a roof", "{h} stretched out {h:ps} arm and picked it like an apple"), ("so quiet", "One day a shy bird was hurt, and it was afraid of everybody", "Only {h} was quiet enough to come near and help it"),
        ("so round", "One day the dam had a hole, and water ran out", "{h} sat down in the hole, and it was closed"), ("so curious", "One day somebody was locked in an old shed", "Only {h} had looked there before and knew the little door at the back"), ("so careful", "One day the ice looked thick and everybody wanted to run onto it", "{h} threw a stone first, and the ice broke. So nobody fell in"),
        ("so forgetful", "One day all were tired of their old quarrel", "{h} was the only one who had forgotten what it was about, and asked everybody to dinner"), ("always hungry", "One day nobody could find the way home", "But {h} could smell the soup from far away and led them all straight to it")])
    s.plot.append(flaw)
    s.say(f"{{h}} was {flaw}. [The others laughed about it|Everybody made jokes about it|\"You are no good for anything,\" said the others|That made {{h:o}} sad].")
    s.speak(h, "[I wish I were like the others.|Why am I like this?|I will never be any good.|Can't I be different?]", "sad")
    s.say(f"{danger}. [Nobody knew what to do|Everybody was upset|They tried everything, but it did not help].")
    s.do("try", h)
    s.say(f"{rescue}.")
    s.say("[Everybody cheered|The others were silent at first, and then they clapped|\"We are sorry that we laughed,\" they said|From then on nobody laughed any more].")
    s.feel(h, "proud", s.rng.choice(["", "{h:p} was just right", "{h:p} had helped them all"]))
    s.maybe(0.5, f"[Now {{h}} was glad to be {flaw}|And {{h}} never wanted to be different again|It is good that we are not all the same].".replace("always hungry", "always hungry"))


@plot("child animal tale alive grown my I")
def contest(s: Story) -> None:
    """A race or contest: winning is not everything."""
    s.friend(other=True)
    h, f = roles(s, "h", "f")
    game = s.pick("a race to the old tree", "a swimming race", "a contest of kites", "a sledge race", "a running race", "a contest of cakes", "a boat race", "a jumping contest")
    prize = s.thing("treasure treat", role="n")
    s.say(f"{one_day(s)} there was {game}. The winner was to get {{n:a}}.")
    s.say("[{h} and {f:n} both wanted to win|{h} had practised for weeks, and {f} had too|\"I will win!\" said {f:n}. {h} said nothing].")
    s.say("[One, two, three, go!|Somebody blew a whistle.|The bell rang, and it began.]")
    who = s.rng.randrange(3)
    if who == 0:
        s.say("[Halfway, {f} fell and hurt {f:ps} foot|Suddenly {f} cried out, for {f:p} had got stuck|Near the end {f} slipped and could not get up]. {h} was [in front|nearly at the goal], but {h:p} stopped and [turned round|went back].")
        s.speak(h, "[Are you hurt?|Give me your hand!|Come, I will help you.]", "kind")
        s.do("help", h, f)
        s.say("[So somebody else won|Both of them came last|They reached the goal together, arm in arm], but [everybody clapped for {h:n}|{h} did not mind|the judge gave {h:n} {n:t} all the same].".replace("They", "We" if h.pronoun == "I" else "They").replace("Both of them", "Both of us" if h.pronoun == "I" else "Both of them"))
    elif who == 1:
        s.say("[{f} was faster and laughed at {h:o}|{f} was far ahead and lay down to rest|{f} stopped to wave to the people]. [But {h} went on, step by step|{h} did not look left or right], and [passed {f:o} just before the end|came in first by the tip of {h:ps} nose].")
        s.do("own", h, prize)
        s.say("{h} [won|had won] {n:t}[ and shared the joy with everybody|, and {f} came to shake hands|].")
    else:
        s.say("[{f} won|In the end {f} was faster|{f} came in first], and {h} was second.")
        s.do("own", f, prize)
        s.feel(h, "sad", "{h:p} had wanted to win so much")
        s.speak(f, "[You were very good!|Next time you will win.|Let us train together.|Without you it would have been no fun.]", "kind", to=h)
        s.say("[{h} thought about it and smiled|Then {h} shook {f:po} by the hand|{h} laughed, and it did not hurt any more].")
    ending(s)
