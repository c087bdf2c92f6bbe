"""Plots about a thing: lost, stuck, broken, wanted by two, given away, stolen, found, borrowed, made."""

from __future__ import annotations

from core.training.world.beats import answer, ending, later, meet, offer, one_day, refuse, thanks, trouble, walk
from core.training.world.registry import plot
from core.training.world.state import Entity
from core.training.world.story import Story

# The templates are easier to compare in long lines.
# fmt: off


def roles(s: Story, *names: str) -> list[Entity]:
    """The entities of these roles."""
    found = [s.cast[name] for name in names]
    assert all(isinstance(one, Entity) for one in found)
    return found  # type: ignore[return-value]


def own(s: Story, kinds: str = "toy wear household treasure tool") -> Entity:
    """The hero has a thing and, often, likes it."""
    thing = s.thing(kinds)
    hero = roles(s, "h")[0]
    s.do("own", hero, thing)
    s.say("[{h} had {t:a}|{h} owned {t:a}|{h:s} [favourite|dearest|most beautiful] thing was {t:a}|{h} had got {t:a} from {h:ps} [grandmother|uncle|best friend|father|aunt]|In {h:ps} bag {h} carried {t:a}|Of all things {h} loved {h:ps} {t:j} best|{h} never went anywhere without {h:ps} {t:j}"
          "|{h} had just got {t:a}|{h} had found {t:a} long ago and kept it ever since].")
    s.maybe(0.4, "[It was {h:ps} greatest treasure|{h} took it everywhere|{h} was very proud of it|{h} looked at it every day|Nobody else had one like it|At night it lay beside {h:ps} bed|It was old, but {h} loved it|{h} would not have sold it for all the gold in the world].")
    return thing


@plot(share=2)
def lost_thing(s: Story) -> None:
    """A thing is lost, searched for, and found."""
    t = own(s)
    h = roles(s, "h")[0]
    where = s.spot()
    s.cast["spot"] = where
    s.do("lose", h, t, where)
    s.paragraph(0.3)
    s.say(f"{one_day(s)} [{{t}} was gone|{{h}} could not find {{t:o}}|{{t}} was not there any more|{{h}} wanted to use {{t:o}}, but it was gone|{{h}} noticed that {{t}} was missing].")
    s.maybe(0.5, '[{h} [cried|said]: "[Where is my {t:b}|Oh no, my {t:b} is gone|I have lost my {t:b}]!"|"[Where can it be?|Has anybody seen my {t:b}?|It was here yesterday!]" {h} [cried|said].]')
    if s.chance(0.6):
        s.feel(h, s.rng.choice(["sad", "worried", "worried"]), s.rng.choice(["", "{t} was so important to {h:po}", "{h:p} had had it for so long", "it was a present"]))
    for _ in range(s.rng.choice([1, 1, 2, 3])):
        wrong = s.spot()
        s.do("try", h, wrong)
        s.say(f"[{{h}} looked {wrong}, but [it was not there|there was only {s.rng.choice(['dust', 'an old sock', 'a spider', 'a button', 'a dry leaf', 'some paper', 'a penny'])}]|{{h}} searched {wrong}. Nothing|It was not {wrong} either|{{h}} even looked {wrong}, but found nothing].")
    how = s.rng.randrange(4)
    if how == 0:
        s.say(f"[At last|In the end|Then|Finally][,|] {{h}} looked {where}, and there [it was|lay {{t}}]!")
        s.do("find", h, t, where)
    elif how == 1:
        s.friend()
        f = roles(s, "f")[0]
        s.say("[{f} came to help|{h} asked {f:o}|Then {f} came along|{f} saw how [sad|worried] {h} was].")
        s.speak(f, "[When did you have it last?|Where were you yesterday?|Let us look together.|Think! Where did you put it?|Two can see more than one.]", "kind")
        s.say(f"[{{both}} looked everywhere|{{h}} thought hard|They searched and searched]. [And there, {where}, {{f}} found {{t:o}}|Then {{f}} saw something {where}: it was {{t}}|{{f}} looked {where}, and there it was].".replace("They", "We" if h.pronoun == "I" else "They"))
        s.do("find", f, t, where)
        s.say("{f} [gave it back to {h:o}|put it into {h:s} hands|handed it to {h:o}|gave {t:o} to {h:o}].")
        s.do("give", f, t, h)
        thanks(s, "f")
    elif how == 2:
        thief = s.animal(h.setting, kinds=["magpie", "crow", "squirrel", "mouse", "monkey", "raccoon", "dog", "puppy", "goat", "fox"])
        s.cast["x"] = thief
        s.do("find", thief, t, where)
        s.say("[Then {h} heard a noise|Suddenly something rustled|Then {h} saw something move]. It was {x:a}, and {x:p} had {t:o}!")
        s.speak(thief, "[I found it {spot}.|It was lying {spot}, and I thought nobody wanted it.|I only wanted to look at it.|It is so pretty! I could not leave it {spot}.]", "sad")
        s.speak(h, "[But it is mine!|Please give it back. It is mine.|It belongs to me, and I have missed it so much.]", "")
        s.say("[So {x} gave {t:o} back|{x} nodded and gave {t:o} back|{x} put {t} down in front of {h:o}|{x} said sorry and gave it back].")
        s.do("give", thief, t, h)
    else:
        s.say(f"[{{h}} gave up|{{h}} sat down and gave up|It was no use]. {later(s)} {{h}} [wanted to sweep|heard a little noise|was looking for something else|sat down to rest], and what [was that|lay there] {where}? {{t:t}}!")
        s.do("find", h, t, where)
    s.feel(h, s.rng.choice(["happy", "relieved", "relieved"]), s.rng.choice(["", "{h:p} had {t} back", "it was not lost after all"]))
    ending(s)


@plot("child animal grown tale I my alive")
def stuck_high(s: Story) -> None:
    """A thing is stuck where the hero cannot reach it."""
    t = own(s, "toy wear toy")
    h = roles(s, "h")[0]
    high = s.pick("in a tall tree", "on the roof", "on a high branch", "on top of a wall", "on the church tower", "on a lamp post", "in a nest at the top of a tree", "on a high shelf")
    s.say(f"{one_day(s)} [the wind took {{t:o}}|{{h}} threw {{t:o}} too high|a gust of wind carried {{t:o}} away|a cheeky bird flew away with {{t:o}}], and [now it hung|then it was stuck|it landed] {high}.")
    s.do("lose", h, t, high)
    s.maybe(0.7, "[{h} could not reach it|It was much too high|{h} stretched, but {h:ps} arms were too short|There it hung, and nobody could reach it].")
    for attempt in s.rng.sample(["{h} jumped as high as {h:p} could, but it was not enough.", "{h} threw a stick, but the stick got stuck too.", "{h} shook with all {h:ps} strength, but nothing fell.", "{h} waited for the wind to bring it down, but the wind had gone.",
                                 "{h} stood on a bucket, but the bucket tipped over.", "{h} shouted at it, but of course that did not help."], s.rng.choice([1, 1, 2])):
        s.do("try", h)
        s.say(attempt)
    if s.chance(0.3):
        refuse(s)
    skill = s.rng.choice(["climb", "fly", "tall", "big"])
    s.helper(skill)
    g = roles(s, "g")[0]
    meet(s)
    trouble(s)
    answer(s, f"My {{t:b}} is {high}, and I can't reach it!")
    offer(s)
    how = {"climb": "climbed up quickly", "fly": "spread {g:ps} wings and flew up", "tall": "stretched out one long arm", "big": "stood up tall"}[skill] if skill in g.skills else "fetched a long ladder"
    s.say(f"{{g}} {how}[ and |, took {{t:o}} and ][brought it down|came back with it].".replace(" and brought", " and brought"))
    s.do("take" if t not in s.state.holder else "own", g, t)
    s.say("[Then {g} gave it to {h:o}|{g} laid it into {h:s} hands|And {h} had {t:o} back].")
    s.do("give", g, t, h)
    thanks(s)
    s.feel(h, "happy", s.rng.choice(["", "{t} was safe", "{h:p} had found such a good helper"]))
    s.cast["f"] = g
    ending(s)


@plot("child animal grown I tale my")
def broken_thing(s: Story) -> None:
    """Something is broken by accident; telling the truth, and mending."""
    s.friend()
    h, f = roles(s, "h", "f")
    t = s.thing("household toy")
    s.do("own", f, t)
    s.say("[{f} had {t:a}|On the [table|shelf|window sill] stood {t:a} that belonged to {f:o}|{f} loved {f:ps} {t:j} very much|{f} was very proud of {f:ps} {t:j}|In {f:s} room there was {t:a}].")
    s.say(f"{one_day(s)} {{h}} [was playing too wildly|wanted to look at it|ran past too quickly|turned round too fast|was dancing|wanted only to touch it]. [Crash!|Bang!|Oh no!] {{t}} [fell down|slipped|fell on the floor] and [broke|was broken].")
    s.do("break", t)
    s.feel(h, s.rng.choice(["afraid", "ashamed", "worried"]), s.rng.choice(["", "{f} would be [angry|sad]", "{h:p} had not been careful"]))
    s.cast["f2"] = f
    hid = s.chance(0.5)
    if hid:
        s.say("[First {h} wanted to hide the pieces|{h} hid the pieces under a cloth|{h} thought of running away|{h} wanted to say that [the cat|the wind|nobody] had done it]. But [that did not feel right|{h:ps} heart was heavy|{h} could not eat anything|{h} could not sleep].")
    s.say("[Then {f} came in|A little later {f} came home|So {h} went to {f:o}|{h} took a deep breath and went to {f:o}].")
    s.speak(h, "[I have to tell you something. I broke your {t:b}.|It was me. I broke it. I am so sorry.|I am sorry! It was an accident.|Please don't be angry. Your {t:b} is broken, and it was my fault.]", "sad", to=f)
    s.say("[{f} looked at the pieces|For a moment {f} was silent|{f} sighed|{f} was sad at first].")
    s.speak(f, "[It was brave of you to tell me.|Thank you for telling the truth.|Things can break. Friends are more important.|I am not angry. Accidents happen.|Well, let us see if we can mend it.]", "kind", answer=True)
    if s.chance(0.7):
        s.say("[So they|Together they|They sat down and] [got some glue and put the pieces together|mended it with [glue|string|tape] and patience|worked on it the whole afternoon].".replace("they", "we" if h.pronoun == "I" else "they").replace("They", "We" if h.pronoun == "I" else "They"))
        s.do("mend", h, t)
        s.say("[It was not as good as new, but it was whole again|You could hardly see the crack|Now it was even more beautiful than before|In the end {t} looked almost like new|One small piece was missing, but nobody minded].")
    else:
        n = s.thing("household toy", role="n")
        s.do("own", h, n)
        s.say(f"{later(s)} {{h}} gave {{f:o}} {{n:a}} [that {{h:p}} had made|from {{h:ps}} own room|instead].")
        s.do("present", h, n, f)
    s.feel(h, "relieved", s.rng.choice(["", "{h:p} had told the truth", "{f} was not angry any more"]))
    s.cast.pop("t")
    ending(s)


@plot("child animal tale alive")
def quarrel(s: Story) -> None:
    """Two want the same thing and learn to share it."""
    s.friend(other=True)
    h, f = roles(s, "h", "f")
    t = s.thing("toy treasure treat nature")
    edible = t.noun.split()[-1] in ("cake", "pie", "apple", "pear", "plum", "biscuit", "bun", "pancake", "sandwich", "carrot", "banana", "peach", "bread", "cheese", "honey", "soup", "chocolate", "tart", "nuts", "melon", "muffin", "orange", "cookie", "porridge", "rice", "cream", "cherries")
    s.say(f"{one_day(s)} {{h}} and {{f:n}} [found {{t:a}}|saw {{t:a}} at the same time|got {{t:a}} together|both saw {{t:a}} lying there].")
    s.speak(h, "[I saw it first!|It is mine!|Give it to me!|I want it!|Hands off, this is mine!]", "angry")
    s.speak(f, "[No, I saw it first!|No, it is mine!|You always get everything!|Let go!|That is not fair!]", "angry", answer=True)
    s.say("[They pulled, one on each side|They shouted and pushed|Neither of them wanted to let go|They quarrelled until they were red in the face|They did not speak to each other for an hour].")
    if s.chance(0.35) and not edible:
        s.do("break", t)
        s.say("[Then there was a crack, and {t} broke|Suddenly {t} fell down and broke|And then it happened: {t} broke in two].")
        s.say("[Both were silent|Now nobody could use it|They looked at each other and were ashamed].")
        s.speak(h, "[I am sorry.|That was my fault.|We should have shared.]", "sad")
        s.speak(f, "[I am sorry too.|It was my fault as well.|Shall we mend it?]", "sad", answer=True)
        s.do("mend", h, t)
        s.say("[So they mended it together|Together they tied the two parts together|They worked side by side, and soon it was whole again], [and after that they took turns|and this time they shared it].")
    else:
        if s.chance(0.5):
            s.helper()
            s.say("[Then {g:a} came by|{g:a} heard the noise|An uninvited guest came along: {g:a}].")
            g = roles(s, "g")[0]
            s.speak(g, "[Why don't you share it?|If you go on like that, nobody will have it.|Each of you can have it for a while.|Two friends, one thing: that is easy.]", "kind")
        else:
            s.say("[Then they were both tired of shouting|After a while {h} felt sorry|{h} looked at {f:o} and saw a tear|Then {f} began to laugh, and {h} laughed too].")
            s.speak(h, "[Let us share it.|You can have it first.|I don't want to quarrel with you.|What about half and half?]", "kind")
        if edible:
            s.do("eat", h, t)
            s.say("[They cut it in two, and each got a half|So they ate it together|They shared it, and it tasted twice as good|Half was for {h:n} and half was for {f:n}].")
        else:
            s.do("own", h, t)
            s.do("give", h, t, f)
            s.do("give", f, t, h)
            s.say("[So {f} had it in the morning and {h} in the afternoon|First {f} had {t:o}, then {h}|They took turns, and nobody was sad|They played with it together, and that was much more fun].")
    s.feel(h, "happy", s.rng.choice(["", "{h:p} had {h:ps} friend back", "sharing was so easy"]))
    ending(s)


@plot(share=1.5)
def present(s: Story) -> None:
    """A present for somebody: what is it to be, and how does the hero get it?"""
    s.friend()
    h, f = roles(s, "h", "f")
    s.say("[It was {f:s} birthday|Tomorrow was {f:s} birthday|{f} was ill|{f} was sad that day|{f} had helped {h:o} so often], and {h} [wanted to give {f:o} something|had no present yet|wished to make {f:o} happy|did not know what to give {f:po}].")
    s.maybe(0.5, "[But {h} had no money|{h} had only [two|three|five] coins|{h} thought of many things, but none was right|In the shops everything was too dear].")
    how = s.rng.randrange(3)
    if how == 0:
        t = s.thing("toy household wear")
        s.say("[So {h} decided to make something|{h} took paper, wood and glue|Then {h} had an idea]. {h} [worked the whole day|worked until late|cut and glued and painted] and made {t:a}.")
        s.do("own", h, t)
    elif how == 1:
        t = s.thing("nature treasure")
        spot = s.spot()
        s.do("lie", t, spot)
        s.say(f"[So {{h}} went out to look for something|{{h}} went for a walk to think about it|{{h}} looked here and there]. [There|And there], {spot}, [lay|{{h}} found] {{t:a}}.".replace("lay {t:a}", "lay {t:a}"))
        s.do("find", h, t, spot)
    else:
        t = own(s, "toy treasure")
        s.say("[{h} thought about it for a long time|It was not easy|{h} loved {t:o}, but {h:p} loved {f:no} more]. [Then {h} wrapped {t:o} in paper|In the end {h} put {t:o} into a box|So {h} tied a ribbon around {t:o}].")
    s.say("[{h} went to {f:o} and gave {f:po} {t}|So {f} got {t:o} from {h:o}|When {f} opened the [box|paper|parcel], there was {t}|{h} put {t} into {f:s} hands].")
    s.do("present", h, t, f)
    s.speak(f, "[Is that for me?|How beautiful!|This is the best present of all!|Thank you, I love it!|You made me so happy!|A {t:b}! I always wanted one.]", "happy")
    s.feel(s.rng.choice([h, f]), "happy", "")
    s.maybe(0.5, "{f} [kept it for ever|put it on the [shelf|table]|showed it to everybody|took it along everywhere|would not let it out of {f:ps} hands].")
    s.cast.pop("t")
    ending(s)


@plot("child animal grown tale alive I")
def stolen(s: Story) -> None:
    """Somebody has taken a thing; the hero follows the tracks and learns why."""
    t = own(s, "treat household treasure wear")
    h = roles(s, "h")[0]
    s.say(f"{one_day(s)} {{t}} was [gone|not there any more]. [Somebody had taken it|There were [small|strange|wet] footprints on the ground|The window was open|Only some crumbs and a feather lay there].")
    thief = s.animal(h.setting, named=0.1) if s.chance(0.7) else s.person(["goblin", "troll", "elf", "old woman", "ghost", "dwarf", "giant", "monster"])
    s.cast["x"] = thief
    s.do("steal", thief, t, h)
    s.feel(h, s.rng.choice(["angry", "sad", "surprised"]))
    s.speak(h, "[Who took my {t:b}?|I will find out who did this!|A thief! I must follow the tracks.|Somebody was here!]", "eager")
    place = s.place()
    s.say("[{h} followed the footprints|The tracks led {h:o} away|{h} asked everybody, but nobody had seen anything. So {h} looked for tracks|{h} followed a row of crumbs].")
    walk(s, place)
    s.say("[There sat {x:a}|Behind a [tree|door|wall] {h} found {x:a}|It was {x:a}], and {x:p} had {t:o}.")
    s.speak(h, "[Why did you take it?|That is mine!|Give it back!|So it was you!]", "angry")
    why, gift = s.rng.choice([("I was so [cold|hungry]", "some soup and a warm blanket"), ("I have no friends, and I wanted something nice", "a place at the table"), ("My little ones had nothing to play with", "an old ball for the little ones"),
                              ("I did not know that it belonged to somebody", "a smile"), ("I only wanted to borrow it", "a cup of tea"), ("I have never had a present", "a small present"), ("I was so alone, and it was so beautiful", "a big hug")])
    s.speak(thief, f"[I am sorry.|Please don't be angry.|I know it was wrong.] {why}.", "sad", answer=True)
    s.say("{x} [gave {t:o} back|gave back {t} and looked at the floor|held out {t} to {h:o}].")
    s.do("give", thief, t, h)
    s.say(f"[{{h}} was not angry any more|Now {{h}} felt sorry for {{x:o}}|{{h}} thought for a moment]. {{h}} gave {{x:o}} {gift}[, and soon they were friends| and invited {{x:o}} home|, and {{x}} smiled for the first time].".replace("they", "we" if h.pronoun == "I" else "they"))
    s.say("[After that, {x} never took anything again|From then on {x} always asked first|Since then {x} comes to visit every [week|Sunday|evening]].")


@plot("child animal grown tale alive I my")
def found_thing(s: Story) -> None:
    """The hero finds a thing and looks for its owner."""
    h = roles(s, "h")[0]
    t = s.thing("treasure wear household toy")
    spot = s.spot()
    s.do("lie", t, spot)
    s.say(f"{one_day(s)} {{h}} [found {{t:a}} {spot}|saw something {spot}. It was {{t:a}}|looked {spot} and found {{t:a}}].")
    s.do("find", h, t, spot)
    s.say("[Whose could it be|Who had lost it|To whom did it belong|{h} wondered whose it was]?".replace("wondered whose it was]?", "wondered whose it was]#"))
    s.sentences[-1] = s.sentences[-1].replace("was# ", "was. ").replace("# ", "? ")
    s.maybe(0.5, "[{h} would have liked to keep it|It was so pretty that {h} wanted to keep it|First {h} put it into {h:ps} pocket]. [But it belonged to somebody else|But somebody was surely looking for it|But that would not be right].")
    for _ in range(s.rng.choice([0, 1, 1, 2])):
        other = s.helper(role="x")
        s.say("[{h} asked {x:a}|{h} went to {x:a} and asked|The first one {h} met was {x:a}|Then {h} asked {x:a}].")
        s.refer.next_sentence()
        s.speak(other, "[No, that is not mine.|I have never seen it before.|Mine is [bigger|smaller|older].|I wish it were mine, but it is not.|Ask somewhere else.]", s.rng.choice(["kind", "grumpy", ""]), answer=True)
    place = s.place()
    walk(s, place)
    owner = s.helper(role="g")
    s.do("belongs", t, owner)
    s.say("[There {h} met {g:a} who was [crying|looking everywhere|walking up and down]|{g:a} was sitting there and [cried|looked sad]|Then {h} saw {g:a} who was searching the ground].")
    s.speak(owner, "[I have lost my {t:b}!|Have you seen my {t:b}?|Without my {t:b} I cannot go home.|My {t:b} is gone, and it was a present from my mother.]", "sad")
    s.speak(h, "[Is this it?|Look what I have found!|I found it. Here it is!|Then this must be yours.]", "happy", answer=True)
    s.say("[{h} gave {t:o} to {g:o}|{g} took {t:o} and [laughed|danced for joy|could hardly believe it]|{h} held out {t}, and {g} took it].")
    s.do("give", h, t, owner)
    if s.chance(0.5):
        n = s.thing("treat nature treasure", role="n")
        s.do("own", owner, n)
        s.say("[As a reward|To say thank you|In return][,|] {g} gave {h:o} {n:a}.")
        s.do("present", owner, n, h)
    else:
        s.speak(owner, "[You are an honest friend!|Thank you! Not everybody would have brought it back.|You have made me so happy!|Come and visit me whenever you like.]", "happy")
    s.feel(h, s.rng.choice(["happy", "proud"]), s.rng.choice(["", "{h:p} had done the right thing", "{g} was so happy"]))
    s.cast.pop("t")
    s.cast["f"] = owner
    ending(s)


@plot("child animal grown tale I")
def swapping(s: Story) -> None:
    """The hero swaps one thing for another until it is what was needed."""
    t = own(s, "treasure toy nature wear")
    h = roles(s, "h")[0]
    wanted = s.thing("tool household", role="w")
    s.say(f"{one_day(s)} {{h}} [needed {{w:a}}|wanted {{w:a}} more than anything|wished for {{w:a}}], [because {{h:ps}} own was broken|but {{h:p}} had none|for {{h:p}} had lost {{h:ps}} own].".replace("{w:a}", "{w:a}"))
    held: Entity = t
    for number in range(s.rng.choice([1, 1, 2])):
        other = s.helper(role="x")
        n = s.thing("tool treat household nature", role=f"n{number}")
        s.do("own", other, n)
        s.cast["held"], s.cast["new"] = held, n
        s.say("[{h} met {x:a} who had {new:a}|{h} met {x:a} with {new:a}|{x:a} came along and carried {new:a}].")
        s.speak(other, "[What a fine {held:b} you have! I will give you my {new:b} for it.|Shall we swap? My {new:b} for your {held:b}?|I need a {held:b}. Would you like my {new:b} for it?]", "eager")
        s.say("[So they swapped|{h} said yes, and they swapped|{h} thought about it and agreed]. [Now {h} had {new:t}|{h} went on with {new:t}].".replace("they", "we" if h.pronoun == "I" else "they"))
        s.do("give", h, held, other)
        s.do("present", other, n, h)
        held = n
    last = s.helper(role="g")
    s.do("own", last, wanted)
    s.cast["held"] = held
    s.say("[At last|In the end|Then][,|] {h} came to {g:a} who had {w:a}.")
    s.speak(last, "[A {held:b}! That is just what I need.|Where did you get that {held:b}? I have looked for one for years!|If you give me the {held:b}, you can have my {w:b}.]", "happy")
    s.say("[{g} took {held:t} and gave {h:o} {w:t}|{h} gave {g:o} {held:t} and got {w:t} for it|So {h} got {w:t}, and {g} got {held:t}].")
    s.do("give", h, held, last)
    s.do("present", last, wanted, h)
    s.feel(h, "happy", s.rng.choice(["", "{h:p} had {w:t} at last", "everybody had got what they needed"]))
    s.cast.pop("t")
    s.cast["t"] = wanted
    s.cast["f"] = last
    ending(s)


@plot("child animal grown tale I alive")
def borrowed(s: Story) -> None:
    """The hero borrows a thing, forgets to bring it back, and makes it good."""
    s.friend(other=True)
    h, f = roles(s, "h", "f")
    t = s.thing("tool household toy")
    s.do("own", f, t)
    s.say("[{h} needed {t:a} and borrowed it from {f:o}|{f} had {t:a}, and {h} asked if {h:p} might borrow it|{h} borrowed {t:a} from {h:ps} friend {f:n}].")
    s.do("give", f, t, h)
    s.speak(f, "[But bring it back [tomorrow|on Sunday|before the winter]!|Be careful with it, please.|You can have it until [Friday|tomorrow].]", "kind")
    s.speak(h, "[I promise!|Of course I will.|You can trust me.]", "happy", answer=True)
    s.say("[But {h} forgot about it|The days went by, and {h} forgot {h:ps} promise|{h} used it every day and did not think of {f:no} any more|But {h} put it into a corner and forgot it].")
    s.say(f"{later(s)} {{f}} [needed it|wanted to use it|looked for it everywhere] and [came to {{h:o}}|was very sad].")
    s.speak(f, "[Where is my {t:b}?|You promised to bring it back!|I cannot work without my {t:b}.]", "sad")
    s.feel(h, "ashamed", s.rng.choice(["", "{h:p} had broken {h:ps} promise"]))
    s.say("[{h} ran home and fetched {t:o}|{h} took {t:o} out of the corner and cleaned it until it shone|At once {h} got {t:o}] and gave it back.")
    s.do("give", h, t, f)
    s.speak(h, "[I am sorry. I forgot it, and that was wrong.|Please forgive me.|I will never forget a promise again.|Here it is. May I help you with your work?]", "sad")
    s.speak(f, "[It is all right.|Thank you. Now we can use it together.|Everybody forgets something now and then.|Good. Then let us begin!]", "kind", answer=True)
    s.cast.pop("t")
    ending(s)
