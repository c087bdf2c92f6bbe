"""Plots of a journey and plots of tales: fetching, delivering, the way home, rescue, wishes, dragons, robots, treasure, riddles."""

from __future__ import annotations

from core.training.world.beats import answer, ending, later, meet, obstacle, offer, one_day, refuse, thanks, trouble
from core.training.world.plots_home import we
from core.training.world.plots_things import roles
from core.training.world.registry import plot
from core.training.world.story import Story

# The templates are easier to compare in long lines.
# fmt: off


@plot("child animal grown tale alive I", 1.5)
def errand(s: Story) -> None:
    """Something has to be brought to somebody far away."""
    s.friend()
    h, f = roles(s, "h", "f")
    t = s.thing("treat household wear treat")
    place = s.place()
    s.do("own", h, t)
    s.say(f"{one_day(s)} {{h}} [wanted to bring {{t:a}} to {{f:o}}, who was {place.at}|had to take {{t:a}} to {{f:o}}. {{f}} was waiting {place.at}|packed {{t:a}} for {{f:o}}, who was [working|waiting] {place.at}].")
    s.do("go", f, place.at)
    s.maybe(0.5, '"[Be careful|Hurry up|Don\'t lose it|Don\'t stop on the way|Stay on the path]!" said somebody at the door.')
    s.say("[So {h} set off|{h} started early|Singing, {h} went on {h:ps} way|{h} took {t} and left].")
    s.sight(0.5)
    for _ in range(s.rng.choice([1, 1, 2])):
        obstacle(s, place.to)
    s.say(f"[At last {{h}} came {place.to}|When {{h}} arrived {place.at}, the sun was going down|And there was {{f:n}}, {place.at}]. {{h}} gave {{f:o}} {{t}}.")
    s.do("go", h, place.at)
    s.do("present", h, t, f)
    s.speak(f, "[You came all this way for me!|I was waiting for you.|Is that for me? How kind of you!|Now my day is saved.|You must be tired. Sit down!]", "happy")
    if t.noun in ("cake", "pie", "sandwich", "pancake", "muffin", "melon", "bun") or "of" in t.noun.split():
        s.do("eat", f, t)
        s.say(we(s, "[They sat down and ate it together|There was enough for two|{f} cut it in half, and they ate]."))
    s.feel(h, s.rng.choice(["proud", "happy", "relieved"]), s.rng.choice(["", "{h:p} had done it"]))
    s.cast.pop("t")
    ending(s)


@plot("child animal grown tale alive", 1.5)
def fetch(s: Story) -> None:
    """Something far away is needed, and got."""
    h = roles(s, "h")[0]
    s.friend()
    f = roles(s, "f")[0]
    t = s.thing("treasure tool nature")
    place = s.place()
    s.do("lie", t, place.at)
    reason = s.pick("{f} needed it", "it was the most beautiful one in the land", "{f} had dreamed of it", "nobody else dared to go", "{f} had lost one just like it", "it was said to bring luck", "everybody at home was waiting for it")
    s.say(f"{one_day(s)} {{f}} told {{h:o}} about {{t:a}} that lay {place.at}. {{h}} wanted to get it, because {reason}.")
    s.speak(h, f"[I will bring it to you.|I will go {place.to} and find it.|I am not afraid of a long way.|Wait for me. I shall be back soon.]", "eager", to=f)
    s.say("[So {h} set out|{h} packed some bread and started|{h} said goodbye and went off].")
    for _ in range(s.rng.choice([1, 2])):
        obstacle(s, place.to)
    s.say(f"[Then {{h}} stood {place.at} at last|At last {{h}} came {place.to}]. There [was|lay] {{t:t}}, [just as {{f:n}} had said|half hidden under some leaves|and it shone in the sun|and nobody was near]. {{h}} picked it up.")
    s.do("go", h, place.at)
    s.do("find", h, t, place.at)
    s.say("[The way back seemed much shorter|{h} ran all the way home|It was dark when {h} came home|{h} carried it home carefully]. {h} gave {t:o} to {f:o}.")
    s.do("present", h, t, f)
    s.speak(f, "[You really did it!|I knew I could trust you.|How beautiful it is!|I will never forget this.|Tell me everything!]", "happy")
    s.feel(h, "proud", "")
    s.cast.pop("t")
    ending(s)


@plot("child animal tale alive I my", 1.5)
def lost_home(s: Story) -> None:
    """The hero is lost and finds the way home."""
    h = roles(s, "h")[0]
    why = s.pick("followed a butterfly", "went after a strange light", "picked berries, one here and one there", "was thinking of something else", "fell asleep on a cart", "ran after a ball", "took a new path", "wanted to see what was behind the hill", "played hide-and-seek")
    s.say(f"{one_day(s)} {{h}} {why} and [went too far|did not look at the way|forgot the time]. When {{h:p}} looked round, [everything was strange|{{h:p}} did not know where {{h:p}} was|nothing looked like home].")
    s.do("be", h, "lost")
    s.feel(h, "afraid", "")
    s.speak(h, "[Where am I?|How do I get home?|I am lost!|Hello? Is anybody there?|Which way did I come?]", "afraid")
    if s.chance(0.5):
        refuse(s)
    if s.chance(0.4):
        obstacle(s, "home")
    s.helper()
    g = roles(s, "g")[0]
    meet(s)
    trouble(s)
    answer(s, "[I have lost my way.|I want to go home, but I don't know how.|I am lost, and it is getting dark.]")
    s.speak(g, "[What does your home look like?|What can you hear at home?|Is there a tree or a tower near your home?]", "kind")
    sign = s.pick("a tall tree with a broken top", "a little bridge", "a red roof", "the sound of a brook", "a big round stone", "the smell of bread", "a windmill", "a row of old birches")
    s.speak(h, f"[There is {sign}.|Near my home there is {sign}.|I remember {sign}.]", "", answer=True)
    s.speak(g, "[Then I know where it is!|That is not far.|Come, I will show you.|Follow me!]", "happy", answer=True)
    s.say(we(s, f"[They went a long way together|{{g}} went ahead, and {{h}} followed|They walked side by side], until {{h}} noticed {sign}."))
    s.do("stop", h, "lost")
    thanks(s)
    s.say("[At home everybody was waiting|How good it was to be home|Soon {h} was home again|The light was on at home, and supper was ready].")
    s.feel(h, "relieved", "")
    s.cast["f"] = g
    ending(s)


_TRAPS = [("in a net", "bit through the ropes, one after another", "cut the ropes"), ("in a deep hole", "let down a long branch", "threw down a rope"), ("between two rocks", "pushed the smaller rock aside", "rolled one rock away"), ("in the mud", "pulled with a long stick", "laid branches on the mud"),
          ("under a fallen branch", "lifted the branch a little", "pulled the branch away"), ("in a thorn bush", "bent the thorns aside", "took out one thorn after another"), ("on a small island", "pushed a log into the water", "found a shallow place in the water"), ("in an old shed", "opened the rusty bolt", "found the key under a stone"), ("on a high ledge", "built steps out of stones", "held out a long pole")]


@plot("child animal grown tale alive I my", 1.5)
def rescue(s: Story) -> None:
    """The hero helps somebody out of a trap, and later the other helps the hero."""
    h = roles(s, "h")[0]
    g = s.helper()
    where, first, second = s.rng.choice(_TRAPS)
    s.plot.append(where)
    s.say(f"{one_day(s)} {{h}} heard [a cry|a strange sound|somebody calling|a weak voice]. \"Help!\" It was {{g:a}}, who was stuck {where}.")
    s.do("be", g, "stuck")
    s.speak(h, "[Don't be afraid!|I am coming!|Wait, I will get you out.|Hold on!|Stay still. I will try something.]", "kind", to=g)
    if s.chance(0.6):
        s.say("[{h} pulled, but it did not help|First {h} tried it alone, but {h:p} was not strong enough|{h} called for help, but nobody came|It was not easy, and {h} slipped twice].")
        s.do("try", h)
    s.say(f"[Then|But then] {{h}} had an idea and {s.rng.choice([first, second])}. [At last|Slowly, slowly|One more pull, and] {{g}} was free.")
    s.do("stop", g, "stuck")
    s.do("help", h, g)
    s.speak(g, "[Thank you! You have saved me.|I will never forget that.|If you ever need help, call me.|You are small, but your heart is big.|Thank you, my friend!]" if "small" in h.skills else "[Thank you! You have saved me.|I will never forget that.|If you ever need help, call me.|Thank you, my friend!|I was already so tired.]", "happy", to=h)
    if s.chance(0.55):
        place = s.place()
        where2, third, fourth = s.rng.choice([trap for trap in _TRAPS if trap[0] != where])
        s.say(f"{later(s)} {{h}} was {place.at} and [slipped|fell|did not look where {{h:p}} went]. Now {{h}} was stuck {where2}!")
        s.do("be", h, "stuck")
        s.say(f"[{{h}} called and called|\"Help!\" cried {{h:n}}]. [{{g}} heard it and came|Who came running? It was {{g:n}}|And {{g}} came at once]. {{g:p}} {s.rng.choice([third, fourth])}, and {{h}} was free.")
        s.do("stop", h, "stuck")
        s.do("help", g, h)
        s.speak(g, "[Now we are even.|You helped me, and I help you.|That is what friends are for.]", "happy")
    s.cast["f"] = g
    ending(s)


_WISHES = [("to be as big as a house", "{h:p} did not fit through the door any more", "small"), ("that everything {h:p} touched turned into cake", "even the bed was made of cake", "bread"), ("that it was summer all the time", "the brook dried up and the flowers hung their heads", "rain"), ("to fly", "{h:p} could not come down again", "ground"),
           ("that nobody could see {h:po}", "nobody said hello to {h:po} any more", "seen"), ("to have a hundred brothers", "there was no quiet minute and no place to sleep", "quiet"), ("that it was {h:ps} birthday every day", "nobody had a present left, and everybody was tired of cake", "normal"), ("to be the fastest of all", "{h:p} ran past all {h:ps} friends and was alone", "slow"),
           ("to understand what the animals say", "the dogs talked all night about bones", "silence"), ("to be very rich", "{h:p} had to count {h:ps} money day and night", "free"), ("never to sleep again", "the nights were long and lonely", "sleep")]


@plot("child animal grown tale I", 1.5)
def wish(s: Story) -> None:
    """A wish comes true, and it is too much."""
    h = roles(s, "h")[0]
    g = s.person(["fairy", "wizard", "witch", "mermaid", "elf", "ghost", "unicorn", "magician", "goblin", "old woman"]) if s.chance(0.7) else s.animal(kinds=["frog", "fish", "crow", "owl", "snake", "swan", "snail", "mouse"])
    s.cast["g"] = g
    what, result, _ = s.rng.choice(_WISHES)
    s.plot.append(what)
    s.plot.append(g.label)
    s.say(f"{one_day(s)} {{h}} [helped {{g:a}} over the road|met {{g:a}}|shared {{h:ps}} bread with {{g:a}}|pulled {{g:a}} out of the water].")
    s.speak(g, "[You may have one wish.|I can make one wish come true.|You were kind to me. What do you wish for?|One wish, and not more! Think well.]", "kind", to=h)
    s.say(f"[{{h}} did not think long|{{h}} thought for a while|At once {{h}} knew it]. {{h}} wished {what}. [There was a flash|{{g}} nodded three times|There was a smell of roses|A bell rang], and the wish came true.")
    s.do("want", h, what)
    s.say("[At first it was wonderful|For a day it was great fun|How {h} laughed|Everybody was amazed]. But [soon|after a week|then] " + result + ".")
    s.feel(h, "sad", "")
    s.speak(h, "[I don't want it any more.|Please, take it back!|I wish everything were as before.|That was a silly wish.]", "sad", to=g)
    s.say("[{g} appeared again|Then {g} came back|{g} had been waiting for that] and [laughed|smiled|nodded].")
    s.speak(g, "[Now you know.|Be careful what you wish for.|Most people come back after a week.|You had all that you needed before.]", "kind", answer=True)
    s.say("[A moment later everything was as before|When {h} woke up, everything was as it had been|The wish was gone like smoke]. [{h} was glad|{h} looked around and laughed|How good that was].")
    s.feel(h, "happy", s.rng.choice(["", "everything was as before"]))


@plot("tale child animal", 1.2)
def dragon(s: Story) -> None:
    """Everybody is afraid of a big one, who only needs something."""
    h = roles(s, "h")[0]
    big = s.person([noun for noun in ("dragon", "giant", "monster", "troll", "ghost") if noun not in s.taken_nouns]) if s.chance(0.7) else s.animal(kinds=["bear", "wolf", "lion", "crocodile", "tiger", "whale"])
    big.adjective = s.rng.choice(["huge", "big", "wild", "terrible", "grey", "old", "red-eyed"])
    s.cast["g"] = big
    place = s.place()
    s.say(f"[Everybody was afraid of {{g:a}} that lived not far away|Near {place.noun} lived {{g:a}}, and nobody dared to go there|Every night people heard {{g:a}} roar|{{g:a}} had come, and everybody hid]. [\"It will eat us all!\" they said|The doors were locked before dark|Nobody had ever talked to {{g:o}}].".replace("It will", big.pronoun.capitalize() + " will"))
    s.say(f"{one_day(s)} {{h}} [wanted to know more|had to go {place.to}|was sent to drive {{g:o}} away|took all {{h:ps}} courage and went {place.to}].")
    s.do("go", h, place.at)
    s.feel(h, s.rng.choice(["afraid", "curious"]))
    s.say("[There sat {g:n} and cried|{g} was not roaring: {g:p} was crying|{g} looked up with wet eyes|{g} tried to look dangerous, but a tear fell down].")
    s.speak(h, "[Why are you crying?|What is wrong?|You are not dangerous at all!|Can I help you?]", "kind", to=big)
    reason, cure = s.rng.choice([("I have a thorn in my foot", "{h} pulled the thorn out carefully"), ("I have toothache", "{h} tied a string around the tooth, and with one pull it was out"), ("I am so alone. Everybody runs away from me", "{h} sat down and stayed until evening"), ("I can't sleep because I am afraid of the dark", "{h} hung up a small lamp for {g:po}"),
                                 ("I have lost my ball, and it is the only toy I have", "{h} found the ball in the bushes"), ("Nobody came to my birthday", "{h} ran home and came back with a cake and all {h:ps} friends"), ("My fire has gone out, and I am cold", "{h} brought dry wood and blew until a flame came up"), ("I cannot read this letter from my mother", "{h} read the letter aloud"),
                                 ("My song sounds terrible", "{h} taught {g:o} to sing softly")])
    s.plot.append(reason)
    s.speak(big, f"{reason}.", "sad", answer=True)
    s.say(f"[So|And so|Without waiting,] {cure}.")
    s.do("help", h, big)
    s.say("[{g} laughed so loudly that the trees shook|A big smile came over {g:ns} face|{g} danced, and the ground trembled|{g} was so happy that {g:p} hugged a tree].")
    s.speak(big, "[Nobody was ever so kind to me.|You are my first friend.|Now I will keep watch over all of you.|Thank you, little one!]" if h.pronoun != "I" else "[Nobody was ever so kind to me.|You are my first friend.]", "happy", to=h)
    s.say("[When the others heard it, they could not believe it|Slowly the others came nearer|{h} told everybody at home], and [soon nobody was afraid any more|the next day they all came with flowers|since then {g} has come to every party|from then on the children played there].")
    s.cast["f"] = big
    ending(s)


@plot("child tale grown animal I", 1.2)
def treasure(s: Story) -> None:
    """A map or clues lead to a treasure that is different from what one thought."""
    s.friend(other=True)
    h, f = roles(s, "h", "f")
    spot, first, second = s.spot(), s.place(), s.place()
    s.say(f"{one_day(s)} {{h}} found [an old map|a yellow letter|a bottle with a paper in it] {spot}. [There was a red cross on it|It said: \"Who follows me will find a treasure\"|Somebody had drawn a path on it]. {{h}} showed it to {{f:o}}.")
    s.speak(f, "[A treasure! Let us look for it.|What are we waiting for?|I have always wanted to find a treasure.|Maybe it is only a joke.]", "happy")
    s.say(we(s, f"[First they went {first.to}|The first clue led them {first.to}]. [There they found an arrow made of stones|On a wall stood the number seven|An arrow pointed to the north|There hung a little key on a nail]."))
    s.do("go", h, first.at)
    s.sight(0.4)
    if s.chance(0.5):
        obstacle(s, second.to)
    s.say(we(s, f"[From there they walked {second.to}|Then it went on {second.to}]. [There they dug|They took seven steps and dug|Under a flat stone they saw something], and [there was a wooden box|they found an iron chest]."))
    s.do("go", h, second.at)
    t = s.thing("treasure household toy")
    s.do("lie", t, "in the box")
    s.say("[What was in it?|Slowly {h} opened it.|The lid creaked.] In it lay {t:a} and a note: \"[Whoever finds this shall keep it and share it|The best treasure is the friend beside you|Hide something for the next one|I was happy here when I was young]\".")
    s.do("find", h, t, "in the box")
    s.say(we(s, "[They laughed|They were silent for a moment|They looked at each other and smiled]. [{h} kept {t:o}, and {f} kept the note|They took {t:o} home|They hid a new treasure in the box for somebody else, and {h} kept {t:o}]."))
    s.feel(h, "happy", "")
    ending(s)


@plot("tale child grown alive animal", 1.2)
def magic_gone_wrong(s: Story) -> None:
    """A spell or a machine goes wrong and has to be put right."""
    h = roles(s, "h")[0]
    maker = s.person([noun for noun in ("wizard", "witch", "fairy", "inventor", "magician", "scientist") if noun not in s.taken_nouns])
    s.cast["g"] = maker
    how = "made a machine that was to" if maker.noun in ("inventor", "scientist") else "said a spell that was to"
    aim, effect = s.rng.choice([("clean the whole house", "everything became dirty and sticky"), ("make it rain", "it rained soup for three days"), ("make the flowers grow", "the flowers grew through the roof"), ("wash the clothes", "all clothes became as small as for dolls"), ("wake everybody in the morning", "it crowed all night"), ("bring the spring", "all the snowmen began to sing"),
                                ("find lost things", "it hid everything that was not lost"), ("make everybody laugh", "nobody could stop laughing, not even at night"), ("colour the grey walls", "the cows and the hens turned green"), ("bake bread", "the bread became bigger and bigger until it filled the street")])
    s.plot.append(aim)
    s.say(f"{{h}} [lived next door to {{g:a}}|was a friend of {{g:a}}|often visited {{g:a}}|helped {{g:a}} with {{g:ps}} work]. {one_day(s)} {{g}} {how} {aim}. But [something went wrong|there was a mistake in it|{{g:p}} had mixed up two words|a screw was missing]: {effect}.".replace("a screw was missing", "one little thing was missing"))
    s.speak(maker, "[Oh dear, oh dear!|That was not supposed to happen.|I must have made a mistake.|Where are my glasses?|What have I done?]", "afraid")
    s.feel(h, s.rng.choice(["surprised", "worried"]))
    s.say("[{g} tried it once more, but it became even worse|{g} looked in all {g:ps} books, but found nothing|Everybody complained|{g} pulled {g:ps} hair]." if s.chance(0.7) else "")
    fix = s.pick("say it backwards", "turn the big wheel to the left", "say please", "read the last page first", "take a deep breath and begin again", "ask what the machine itself wanted" if "machine" in how else "whisper it instead of shouting", "wait until the moon was full", "add a pinch of sugar")
    s.speak(h, "[Let me look at it.|I have an idea.|Maybe it is quite simple.|Have you tried it another way?]", "kind", to=maker)
    s.say(f"{{h}} told {{g:o}} to {fix}. {{g}} did so. [There was a bang|There was a hiss and a puff of smoke|For a moment nothing happened], and then everything was as before.")
    s.do("help", h, maker)
    s.speak(maker, "[How did you know that?|You are cleverer than all my books!|Next time I will ask you first.|Will you be my helper?]", "happy", to=h)
    s.feel(h, "proud", "")
    s.cast["f"] = maker
    ending(s)


@plot("alive tale", 1.5)
def made_one(s: Story) -> None:
    """A robot, a snowman, a toy wants to feel or to be useful."""
    h = roles(s, "h")[0]
    s.say("{h} [stood alone in a corner|was old and a little broken|had not been used for years|looked out at the world all day|wondered what {h:p} was there for]. [Nobody needed {h:o} any more|Nobody came|The days were long].")
    s.feel(h, "lonely", "")
    s.cast["f"] = s.child() if s.chance(0.7) else s.animal("", named=0.2)
    f = roles(s, "f")[0]
    s.plot.append(f.label)
    s.say(f"{one_day(s)} " + ("[a {f:b} named {f:n}|a little {f:b} called {f:n}]" if f.name else "{f:a}") + " [came by and stopped|opened the door|was looking for shelter from the rain|lost the way and came there|heard a soft sigh].")
    s.refer._mention(f)
    s.speak(f, "[Hello! Who are you?|Why are you so sad?|You look nice.|Do you want to play?|Are you broken?]", "kind")
    s.speak(h, "[I am not good for anything.|I am waiting, but I don't know for what.|Nobody has talked to me for a long time.|I would like to have a friend.]", "sad", answer=True)
    s.say("[{f} cleaned {h:o} from top to bottom|{f} tied a ribbon around {h:o}|{f} repaired a little thing here and there|{f} sat down and told {h:o} about the world|{f} gave {h:o} a name and a kiss].")
    s.do("help", f, h)
    need = s.pick("That night there was a storm, and {f} was afraid", "Then the lights went out", "A week later {f} was ill and could not play", "Soon it grew cold, and {f} was freezing", "One evening {f} was lost in the fog")
    s.say(f"{need}. [But {{h}} stayed with {{f:o}} the whole time|{{h}} did all {{h:p}} could to help|Then {{h}} knew what {{h:p}} was there for]. [In the morning everything was well again|{{f}} was not afraid any more|It was not so bad when there were two of them].")
    s.do("help", h, f)
    s.feel(h, "happy", s.rng.choice(["", "somebody needed {h:po}", "{h:p} had found a friend"]))
    ending(s)


_RIDDLES = [("What has a face and two hands, but no legs?", "clock"), ("What gets wet while it dries?", "towel"), ("What has teeth, but cannot bite?", "comb"), ("What goes up and never comes down?", "your age"), ("What has four legs in the morning and four in the evening, and never walks?", "table"), ("What is full of holes and still holds water?", "sponge"), ("What runs all day and has no feet?", "river"),
            ("What has a neck, but no head?", "bottle"), ("The more you take away, the bigger it gets. What is it?", "hole"), ("What has one eye and cannot see?", "needle"), ("What follows you in the sun and is gone in the dark?", "your shadow"), ("What has many leaves and is no tree?", "book"), ("What falls and never hurts itself?", "rain"), ("What can you break without touching it?", "promise")]


@plot("child animal grown tale I", 1.2)
def riddle(s: Story) -> None:
    """Who wants to pass must solve a riddle."""
    h = roles(s, "h")[0]
    question, solution = s.rng.choice(_RIDDLES)
    said = solution if solution in ("rain",) or solution.startswith("your") else f"a {solution}"
    place = s.place()
    keeper = s.person([noun for noun in ("troll", "dwarf", "giant", "old man", "witch", "knight", "goblin", "elf") if noun not in s.taken_nouns]) if s.chance(0.6) else s.animal(kinds=["owl", "crow", "turtle", "fox", "snake", "goat", "cat"])
    s.cast["g"] = keeper
    s.plot.append(solution)
    s.say(f"{one_day(s)} {{h}} wanted to go {place.to}. [But {{g:a}} sat in the middle of the road|On the way stood {{g:a}} who let nobody pass|At a little door sat {{g:a}}].")
    s.speak(keeper, "[Who wants to pass must answer my riddle.|Stop! First a riddle.|Nobody goes by without a riddle.|I will let you pass if you are clever.]", "")
    s.speak(keeper, question, "")
    wrong = s.rng.choice([other for _, other in _RIDDLES if other != solution and other not in ("rain",) and not other.startswith("your")])
    if s.chance(0.6):
        s.say(f"[{{h}} thought for a long time|{{h}} scratched {{h:ps}} head|{{h}} walked up and down]. \"[Is it a {wrong}|A {wrong}|Maybe a {wrong}]?\" [But that was wrong|{{g}} shook {{g:ps}} head|\"No,\" said {{g:n}} and laughed].")
        s.do("try", h)
    s.say("[Then {h} had an idea|Suddenly {h} knew it|At last {h} smiled].")
    s.speak(h, f"[It is {said}!|I know it: {said}!|{said}!|It must be {said}.]".replace("|" + said, "|" + said[0].upper() + said[1:]), "happy")
    s.speak(keeper, "[That is right.|Correct! Nobody ever knew that.|How did you find out?|You are clever. You may pass.]", s.rng.choice(["grumpy", "happy", ""]), answer=True)
    s.do("want", h, f"the answer was {said}")
    s.say(f"[So {{h}} went on {place.to}|{{g}} stepped aside, and {{h}} could go {place.to}|They said goodbye like old friends].".replace("They", "We" if h.pronoun == "I" else "They"))
    s.do("go", h, place.at)
    if s.chance(0.5):
        s.say("[On the way back {h} asked {g:o} a riddle too, and {g} is still thinking about it|From then on {h} came by every week with a new riddle|And {g} wrote the answer down in a little book].")
    else:
        s.feel(h, "proud", "")


@plot("child animal grown tale I alive", 1.2)
def baby_animal(s: Story) -> None:
    """A little one has lost its mother and is brought back."""
    h = roles(s, "h")[0]
    little = s.rng.choice(["chick", "kitten", "lamb", "duckling", "bear cub", "baby bird", "baby seal", "foal", "calf", "baby turtle", "baby monkey", "young hedgehog", "owlet", "fawn", "piglet"])
    from core.training.world.state import Entity  # the little one has no row of its own

    x = Entity("animal", little, "it" if h.pronoun != "it" else "she", adjective=s.rng.choice(["little", "tiny", "wet", "lonely", "frightened"]))
    s.cast["x"] = x
    s.plot.append(little)
    spot, place = s.spot(), s.place()
    s.say(f"{one_day(s)} {{h}} [found {{x:a}} {spot}|heard a soft crying. {{x:a}} sat {spot}|saw {{x:a}} {spot}].")
    s.do("be", x, "lost")
    s.speak(h, "[Where is your mother?|Poor little one! Are you lost?|Don't cry. I will help you.|You are all alone?]", "kind")
    s.speak(x, "[I don't know where she is.|I ran after a butterfly, and then she was gone.|I want my mother!|She said that I should wait, but I did not wait.]", "sad", answer=True)
    s.say("[{h} took {x:o} along|So {h} and {x:n} went to look for her|{h} carried {x:o} carefully].")
    for _ in range(s.rng.choice([1, 2])):
        other = s.helper(role="y")
        s.say("[They|First they|Then they] asked {y:a}.".replace("they", "we" if h.pronoun == "I" else "they").replace("[They|", "[" + ("We|" if h.pronoun == "I" else "They|")))
        s.speak(other, s.rng.choice([f"I heard somebody calling {place.at}.", "No, I am not its mother.", "Try it over there.", "I have seen nobody today.", "Look for footprints."]), "", answer=True)
    s.say(f"[At last they came {place.to}|Then there was a call from far away, {place.at}]. [There stood the mother|The mother was there] and [called and called|was looking behind every stone].".replace("they", "we" if h.pronoun == "I" else "they"))
    s.do("go", h, place.at)
    s.say("{x} [ran to her|jumped up and down|made a happy sound], and [she kissed it on the nose|she did not let it go any more|both were so happy].".replace("it on", x.pronoun if x.pronoun == "it" else "her").replace(" her the nose", " her") if x.pronoun != "it" else "{x} [ran to her|jumped up and down|made a happy sound], and [she kissed it on the nose|she did not let it go any more|both were so happy].")
    s.do("stop", x, "lost")
    s.do("help", h, x)
    s.feel(h, "happy", s.rng.choice(["", "the little one was safe"]))
    s.maybe(0.6, "[The mother thanked {h:no}|\"You have a good heart,\" said the mother|Every spring they come to visit {h:no}|{h} waved until they were gone].")


@plot("grown child tale animal alive I", 1.2)
def work_trouble(s: Story) -> None:
    """There is too much work or something is missing; many help."""
    h = roles(s, "h")[0]
    job, what = s.rng.choice([("to paint a long fence", "fence"), ("to bring in the hay before the rain", "hay"), ("to bake a hundred rolls by morning", "rolls"), ("to clean the whole house", "house"), ("to carry a big heap of wood into the shed", "wood"), ("to build a new roof before winter", "roof"), ("to pick all the apples", "apples"), ("to sweep the snow from the path", "path"), ("to dig up the potatoes", "potatoes"), ("to mend the old boat", "boat"), ("to sew ten costumes for the play", "costumes")])
    s.plot.append(what)
    s.say(f"{one_day(s)} {{h}} had {job}. [It was far too much for one|{{h}} began early, but {{h:p}} did not get far|{{h}} looked at all the work and sighed|There was so little time].")
    s.do("want", h, job)
    s.speak(h, "[I will never finish this!|Where shall I begin?|If only somebody helped me.|My arms are so tired.]", "sad")
    refuse(s)
    s.helper()
    g = roles(s, "g")[0]
    s.say("[But then {g:a} came|{g:a} had heard it and came over|After an hour {g:a} looked over the fence].")
    offer(s)
    s.do("help", g, h)
    s.say(we(s, "[{g} did one half, and {h} the other|They sang while they worked|Two were faster than one|{g} knew a trick that made it easy], and [by evening everything was done|soon the work was finished|it did not feel like work at all]."))
    x = s.cast.get("x")
    if x is not None and s.chance(0.6):
        s.say("[In the evening there was a feast|{h} cooked a big supper]. {x} [smelled it and came|looked in at the door|came too]. [\"May I have some?\" {x:p} asked|{x:p} was a little ashamed]. [{h} laughed and gave {x:po} a plate|\"Next time,\" said {h:n}, \"you help first\"|And because everybody was happy, {x} got some as well].")
    thanks(s)
    s.cast["f"] = g
    s.cast.pop("t", None)
    ending(s)


@plot("child animal alive tale grown", 1.0)
def sky(s: Story) -> None:
    """The moon, a star, the sun or the wind is missing, and has to be brought back."""
    h = roles(s, "h")[0]
    body, reason, cure = s.rng.choice([("the moon", "I thought that nobody looked at me any more", "showed it the children who sat at every window"), ("the wind", "I was so tired of blowing", "sang it a lullaby and let it sleep for one night"), ("the sun", "I was so cold in the mornings", "gave it a scarf made of clouds"), ("the smallest star", "I fell down because I laughed too much", "climbed the highest hill and threw it back into the sky"),
                                      ("the rain", "everybody always complained about me", "told it how thirsty the flowers were"), ("the spring", "I overslept", "tickled it until it woke up"), ("the echo", "nobody ever said anything nice to me", "shouted \"You are wonderful!\" into the valley")])
    s.plot.append(body)
    s.cast["body"] = body
    s.say(f"{one_day(s)} {{body}} [was gone|did not come|was missing]. [Nobody knew why|Everybody talked about it|People stood outside and looked up|Even the animals were quiet].")
    s.feel(h, s.rng.choice(["worried", "curious", "sad"]))
    place = s.place()
    s.say("[{h} wanted to find it|\"I will look for it,\" said {h:n}|Somebody had to do something. So {h} set off].")
    if s.chance(0.6):
        obstacle(s, place.to)
    s.say(f"[And there, {place.at}, sat {{body}}|{{h}} found {{body}} {place.at}|{place.at}, behind a stone, {{h}} heard a sigh. It was {{body}}].")
    s.say(f'"[Why are you here|What are you doing here|We miss you. What is wrong]?" asked {{h:n}}. "{reason[0].upper() + reason[1:]}," said {{body}}.' if h.pronoun != "I" else f'"Why are you here?" I asked. "{reason[0].upper() + reason[1:]}," said {{body}}.')
    s.say(f"[So|Then] {{h}} {cure}.")
    s.say("[And the next day everything was as it should be|After that {body} never stayed away again|That very evening {body} was back|All the world was glad, and {body} most of all].")
    s.feel(h, "happy", "")
