"""Parts that many plots share: meeting somebody, walking, asking for help, searching, an obstacle on the way, thanks, an ending."""

from __future__ import annotations

from core.training.world.feelings import ENDINGS, LATER, MORALS, ONE_DAY, THEN
from core.training.world.places import Place
from core.training.world.state import Entity
from core.training.world.story import Story

_ACTIVITIES = (
    "[was [sitting on a stone|mending a fence|drinking tea|picking berries|carrying a heavy sack|looking for mushrooms|resting in the shade|counting clouds|singing a song|sweeping the path|eating an apple|washing clothes|reading a newspaper"
    "|knitting a scarf|feeding the birds|painting a picture|cutting wood|waiting for the rain to stop|looking at a map|fishing]|was just coming [home|round the corner|out of the house|down the road]|stood [at a gate|under a tree|in the sun]]"
)


def one_day(s: Story, probability: float = 0.8) -> str:
    """A time to begin a sentence with, or nothing."""
    if s.dated:
        return s.rng.choice(["", "", "[suddenly|then|a little later|all at once|after a while|at that moment|soon],"])
    s.dated = s.chance(probability)
    return f"[{ONE_DAY}]," if s.dated else ""


def walk(s: Story, place: Place, who: str = "h") -> None:
    """The hero goes somewhere."""
    person = s.cast[who]
    assert isinstance(person, Entity)
    s.do("go", person, place.at)
    verb = "[went|walked|ran|hurried|set off|made {%s:ps} way|went straight|went slowly|went down]" % who
    start = f"[{THEN}][,|] " if s.chance(0.25) else "so " if s.chance(0.2) else ""
    s.say(f"{start}{{{who}}} {verb} {place.to}.")
    s.sight(0.35)


def meet(s: Story, who: str = "g") -> None:
    """The hero meets the one in this role, who is new."""
    person = s.cast[who]
    assert isinstance(person, Entity)
    new = (
        "{%s:a}[, called {%s:n}| called {%s:n}| named {%s:n}]" % ((who,) * 4)
        if person.name and person.noun not in ("girl", "boy")
        else ("{%s}" if person.name or person.owner_word else "{%s:a}") % who
    )
    s.say(
        f"[{{h}} met {new}.|There {{h}} [saw|met|came upon] {new}.|[{THEN}][,|] {new} [came along|came by|appeared|stopped beside {{h:o}}|looked over the [wall|fence|hedge]].|On the way {{h}} met {new}.|{{h}} saw {new} who {_ACTIVITIES}."
        f"|Not far away, {new} {_ACTIVITIES}.|{new} {_ACTIVITIES}.|Just then {new} [came by|came along|passed].|{{h}} nearly bumped into {new}.|{{h}} was not alone: {new} {_ACTIVITIES}.]"
    )


def trouble(s: Story, who: str = "g") -> None:
    """Somebody asks the hero what is wrong."""
    asks = s.cast[who]
    assert isinstance(asks, Entity)
    s.speak(
        asks,
        "[What is the matter?|Why do you look so [sad|worried]?|What has happened?|Is something wrong?|Can I help you?|What are you doing here?|Why the long face?|You look unhappy. What is it?|Are you all right?|Tell me, what is wrong?|What are you looking for?|Good day! Where are you going?|Do you need help?]",
        "kind",
    )


def answer(s: Story, text: str, mood: str = "sad") -> None:
    """The hero explains the trouble: `text` is said in the first person, and ends with its sign."""
    hero = s.cast["h"]
    assert isinstance(hero, Entity)
    if s.chance(0.75):
        s.speak(hero, text, mood, answer=True)
    else:
        s.say(
            "[{h} told {g:o} [everything|what had happened|the whole story|about it|all about it]|So {h} told {g:o} what had happened|{h} explained what was wrong]."
        )


def offer(s: Story, who: str = "g") -> None:
    """Somebody agrees to help."""
    person = s.cast[who]
    assert isinstance(person, Entity)
    s.speak(
        person,
        "[I will help you.|Of course I will help!|Let me think.|I have an idea!|Do not worry, I can help.|Come with me!|Let us try together.|That is easy for me!|I know what to do.|Leave it to me!|We will manage that.|Don't cry! We will find a way.|I think I can do something.|Nothing is easier than that!|Wait, I know something.|You came to the right one.]",
        "kind",
        answer=True,
    )


def refuse(s: Story) -> None:
    """The hero asks somebody in vain."""
    s.helper(role="x")
    other = s.cast["x"]
    assert isinstance(other, Entity)
    meet(s, "x")
    hero = s.cast["h"]
    assert isinstance(hero, Entity)
    if s.chance(0.6):
        s.speak(
            hero,
            "[Can you help me, please?|Please help me!|Would you help me?|Could you help me for a moment?|I need help!|Excuse me, do you have a little time?]",
            "",
            to=other,
        )
    s.speak(
        other,
        "[I am too [busy|tired|hungry|old].|Not now. I have to [work|sleep|go home|cook|count my [eggs|coins|nuts]].|That is not my problem.|Ask somebody else.|I am sorry, I have no time.|Come back tomorrow.|I would like to, but I [can't|have a cold|am afraid|hurt my foot].|Why should I?|I never help [strangers|before lunch|in this weather].]",
        "grumpy",
        answer=True,
    )
    s.maybe(0.6, "[So|and so|So] {h} [went on|walked on|had to go on alone|tried somebody else|did not give up|said goodbye and went on].")


def thanks(s: Story, who: str = "g") -> None:
    """The hero thanks a helper."""
    hero, helper = s.cast["h"], s.cast[who]
    assert isinstance(hero, Entity) and isinstance(helper, Entity)
    s.do("help", helper, hero)
    if s.chance(0.75):
        s.speak(
            hero,
            "[Thank you!|Thank you so much!|Thank you! You are very kind.|Oh, thank you, thank you!|How can I thank you?|I will never forget that.|You are the best!|Thank you for your help!|Without you I could not have done it.|Thanks a lot!|That was so kind of you.|Thank you, my friend!]",
            "happy",
            to=helper,
        )
        if s.chance(0.5):
            s.speak(
                helper,
                "[You are welcome.|It was nothing.|I was glad to help.|Any time!|That is what friends are for.|One day you will help me.|Don't mention it.|It was fun!|You did it yourself.|Just be careful next time.]",
                "kind",
                answer=True,
            )
    else:
        s.say(
            f"{{h}} [thanked {{{who}:o}} [again and again|with all {{h:ps}} heart|many times|from the bottom of {{h:ps}} heart]|hugged {{{who}:o}}|gave {{{who}:o}} a [big hug|warm smile]]."
        )


def ending(s: Story, who: str = "f") -> None:
    """One or two closing sentences. Roles that the templates name must be in the cast."""
    friend = s.cast.get(who)
    hero = s.cast["h"]
    assert isinstance(hero, Entity)
    free = []
    for template in ENDINGS:
        if "{t" in template and not isinstance(s.cast.get("t"), Entity):
            continue
        if ("{f" in template or "{both}" in template or template.startswith("[They")) and friend is None:
            continue
        free.append(template)
    if friend is not None:
        assert isinstance(friend, Entity)
        s.cast.setdefault("f", friend)
        s.cast["both"] = s.pair(hero, friend)
        if hero.pronoun == "I":
            free = [template.replace("[They ", "[We ").replace("|They ", "|We ").replace(" for [them", " for [us") for template in free]
    s.paragraph(0.25)
    template = s.rng.choice(free)
    t = s.cast.get("t")
    if isinstance(t, Entity) and ((t, "eaten") in s.state.flags or s.state.holder.get(t) is not hero):
        template = template.replace("|dreamed of {t:t}", "").replace("|kept {t:t} in a safe place", "")
    if friend is None:
        template = template.replace("|hear {h:n} tell the story|see them there together", "").replace(
            "still hear them laugh", "hear {h:n} tell the story"
        )
    s.cast["moral"] = s.rng.choice(MORALS.get(s.plot[0], MORALS[""]).split("|"))
    if hero.owner_word:
        template = template.replace("{both}", "they")
    s.say(template)


def later(s: Story) -> str:
    """A later time, to begin a sentence with."""
    return f"[{LATER}][,|,|]"


def obstacle(s: Story, goal: str) -> None:
    """Something stands in the way of the goal ("to the mill"): an attempt or two fail, then somebody or an idea helps."""
    kind = s.rng.choice([kind for kind in OBSTACLES if kind not in s.plot])
    s.plot.append(kind)
    trouble_, attempts, skill, solution, alone = OBSTACLES[kind]
    s.cast["goal"] = goal
    if kind == "guard":
        guard = (
            s.animal(kinds=["dog", "goose", "lion", "wolf", "bear", "goat", "crocodile", "swan"])
            if s.chance(0.5)
            else s.person(["giant", "troll", "knight", "dragon", "goblin", "monster"])
        )
        guard.adjective = s.rng.choice(["big", "grumpy", "huge", "angry", "fat"])
        s.cast["x"] = guard
    s.say(trouble_)
    hero = s.cast["h"]
    assert isinstance(hero, Entity)
    for attempt in s.rng.sample(attempts, s.rng.choice([0, 1, 1, 2])):
        s.do("try", hero)
        s.say(attempt)
    if s.chance(0.6):
        s.helper(skill)
        meet(s)
        if s.chance(0.5):
            trouble(s)
            answer(
                s,
                "[I must go {goal}, but I cannot.|I want to go {goal}, but [it is too hard|I can't get on|look at that]!|I have to get {goal} before [dark|evening|it is too late].]",
                "sad",
            )
        offer(s)
        s.say(solution)
        thanks(s)
    else:
        s.say(alone)


OBSTACLES: dict[str, tuple[str, list[str], str, str, str]] = {
    "river": ("[But there was a wide river in the way|Soon {h} came to a river, and there was no bridge|But the bridge over the river was broken|A deep stream ran across the path].",
              ["{h} [put one foot into the water|tried to wade through], but it was too [cold|deep|fast].", "{h} looked for a [boat|bridge], but there was none.", "{h} threw a [stone|branch] into the water, and it was gone at once."], "swim",
              "[{g} let {h:o} sit on {g:ps} back and swam across|{g} showed {h:o} a place where the water was not deep|{g} pushed a log into the water, and {h} floated over on it|{g} swam in front, and {h} held on to {g:ps} neck].",
              "[Then {h} saw [some flat stones|a fallen tree] and walked across, step by step|At last {h} [pulled a long plank over the water|jumped from stone to stone] and came to the other side dry|{h} walked along the bank until {h:p} came to an old bridge]."),
    "gate": ("[But the gate was locked|But a high wall stood there, and the door in it was closed|A heavy gate closed the road|But the door would not open].",
             ["{h} knocked, but nobody came.", "{h} pushed with all {h:ps} strength, but the gate did not move.", "{h} tried to [climb over|look through the keyhole], but [it was too high|it was too dark]."], "small",
             "[{g} slipped through a small hole and opened the gate from inside|{g} knew where the key was: under the third stone|{g} whistled three times, and the gate opened|{g} crept under the gate and pushed back the bolt].",
             "[Then {h} noticed that the gate opened the other way, and pulled|In the end {h} found [a hole in the wall|a little door behind the bushes] and crept through|{h} looked under the mat, and there was the key]."),
    "dark": ("[But it was getting dark, and {h} could not see the path any more|Suddenly it was night|The path led through a dark tunnel|Thick fog came down, and everything was grey].",
             ["{h} went on slowly, but {h:p} bumped into a tree.", "{h} called, but only the echo answered.", "{h} closed {h:ps} eyes and counted to ten, but it did not help."], "",
             "[{g} lit a lamp and walked ahead|{g} knew every stone of the way, even in the dark|{g} took {h:o} along until they could see the lights|{g} gave {h:o} a candle that burned brightly].",
             "[Then the moon came out, and the path shone like silver|{h} remembered the matches in {h:ps} bag and lit a dry branch|A hundred fireflies came and showed {h:o} the way|{h} listened for the brook and followed its sound]."),
    "lost way": ("[At the crossroads {h} did not know which way to go|Soon {h} had lost the way|There were three paths, and no sign|The sign had fallen down, and {h} could not tell left from right].",
                 ["{h} went left, but the path ended at a swamp.", "{h} went in a circle and came back to the same tree.", "{h} asked a snail, but it had forgotten the way."], "fly",
                 "[{g} flew up, looked around and showed {h:o} the right path|{g} drew a map in the sand|{g} pointed with {g:ps} nose to the middle path|{g} came along to the next corner].",
                 "[Then {h} saw {h:ps} own footprints and knew which path was left|{h} climbed on a rock and saw the goal far away|{h} noticed that moss grows on the north side of the trees, and went on]."),
    "storm": ("[Suddenly a storm came up|Dark clouds came, and it began to pour|It thundered, and rain fell like a wall|The wind grew so strong that {h} could hardly stand].",
              ["{h} hid under a tree, but the rain came through.", "{h} held a big leaf over {h:ps} head, but the wind took it.", "{h} tried to run, but {h:p} slipped in the mud."], "",
              "[{g} took {h:o} into a dry cave until the storm was over|{g} shared {g:ps} umbrella with {h:o}|{g} opened the door of {g:ps} hut and made hot tea|{g} knew a hollow tree where two could sit].",
              "[{h} found a dry place under a rock and waited until the sun came back|After an hour the storm was over, and a rainbow stood in the sky|{h} sang loudly against the thunder, and soon it was quiet]."),
    "guard": ("[But {x:a} stood in the way and let nobody pass|In front of it sat {x:a}, who looked very dangerous|\"Nobody may pass!\" shouted {x:a} who stood there].",
              ["{h} tried to creep past {x:o}, but a twig cracked.", "{h} said \"please\" three times, but {x} shook {x:ps} head.", "{h} waited until evening, but {x} did not fall asleep."], "clever",
              "[{g} told such a funny joke that {x} laughed and let them pass|{g} knew {x:o} well and asked for a favour|{g} began to sing a lullaby, and soon {x} was asleep].",
              "[{h} gave {x:o} half of {h:ps} bread, and {x} stepped aside|{h} asked {x:o} politely what was wrong, and {x} was only lonely. So they talked for a while, and then {h} could pass|{h} asked {x:o} a riddle, and while {x} was thinking, {h} walked past]."),
    "heavy": ("[But a big rock had fallen onto the road|A fallen tree lay across the path|But a huge heap of snow closed the way|A cart full of stones was stuck in the middle of the road].",
              ["{h} pushed until {h:p} was out of breath, but nothing moved.", "{h} tried to climb over, but {h:p} slid down again.", "{h} pulled at one end, but it was far too heavy."], "strong",
              "[{g} rolled it away as if it were a ball|{g} pulled, {h} pushed, and the way was free|{g} put {g:ps} shoulder against it, and at last it moved|{g} lifted {h:o} over it].",
              "[{h} put a long stick under it, pressed down, and it rolled aside|{h} dug a little tunnel and crept through|{h} took away one piece after another until there was a gap]."),
    "high": ("[But {h} had to climb a steep cliff first|The last part of the way was as steep as a roof|Then there was a wall of rock in front of {h:o}|But the path went straight up a cliff].",
             ["{h} jumped, but {h:p} did not reach it.", "{h} climbed halfway up and slid down again.", "{h} looked up and felt dizzy."], "climb",
             "[{g} climbed up first and threw down a rope|{g} let {h:o} stand on {g:ps} shoulders|{g} showed {h:o} where to put {h:ps} feet].",
             "[{h} tied some branches together and made a ladder|{h} did not look down and climbed step by step to the top|{h} found a narrow path that went round the back]."),
    "tired": ("[After a long way, {h} was so tired that {h:p} had to sit down|{h:s} feet hurt, and {h:p} could not go on|{h} was hungry and weak, and it was still far].",
              ["{h} counted {h:ps} steps, but at a hundred {h:p} had to stop.", "{h} looked into {h:ps} bag, but it was empty."], "",
              "[{g} shared {g:ps} [bread and cheese|apples|soup|nuts] with {h:o}, and soon {h} was strong again|{g} let {h:o} ride on {g:ps} cart|{g} played a merry tune, and {h:s} feet began to move by themselves].",
              "[{h} slept under a tree for an hour, drank from a spring and felt as good as new|{h} found some blackberries and ate until {h:p} was full|{h} thought of home and found new strength]."),
}  # fmt: skip
