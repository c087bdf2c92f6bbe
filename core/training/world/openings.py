"""How a story begins: with a place, a time, the weather, a name, a habit, words that somebody says, or in the middle of something."""

from __future__ import annotations

from core.training.world.feelings import ONE_DAY, WEATHER
from core.training.world.state import Entity
from core.training.world.story import Story

_ON = ("farm", "island", "ship", "top of", "plain", "big farm", "old farm", "small farm")
_BY = ("lake", "river", "pond", "oasis")
_DOING = {
    "": "was [looking out of the window|sitting on a bench|walking home|sweeping the floor|eating breakfast|humming a song|going for a walk|looking at the clouds|drinking tea|tidying up|lying in bed|standing at the door"
    "|counting the stars|waiting for a friend|sitting by the fire|watching the rain|resting in the shade|picking flowers|thinking about nothing|looking for something to do]",
    "animal": "was [looking for food|lying in the sun|washing {h:ps} face|sleeping in the shade|sitting in the grass|drinking from the stream|walking through the grass|listening to the wind|looking at the moon|playing with a leaf"
    "|hopping over a puddle|hiding behind a bush|warming {h:ps} feet in the sun|looking up at the clouds|resting under a tree|on {h:ps} way home|watching the ants|getting ready for winter]",
    "child": "was [playing outside|doing {h:ps} homework|drawing a picture|reading a book|walking to school|riding {h:ps} bicycle|building a tower|helping in the kitchen|brushing {h:ps} teeth|looking for {h:ps} shoes|feeding the hens"
    "|sitting on the stairs|eating an apple|playing with a ball|watching the snow|on the way to the shop|painting|on the swing|jumping over puddles|lying in the grass]",
    "I": "was [playing outside|doing my homework|drawing a picture|reading a book|walking to school|riding my bicycle|helping in the kitchen|brushing my teeth|looking for my shoes|sitting on the stairs|eating an apple|in the garden"
    "|watching the snow|on the way to the shop|lying in bed|on the bus|in the park|alone at home]",
}
_HABITS = (
    "[[liked to|loved to] [sing|dance|tell stories|look at the stars|swim|eat [berries|nuts|cake|apples|soup]|sleep late|ask questions|collect [stones|shells|leaves|feathers|buttons]|walk in the rain|climb trees|listen to music|make things"
    "|help others|play tricks|dream|watch the clouds|talk to the birds|run races|paint|count everything]|was afraid of [the dark|thunder|spiders|water|loud noises|heights]|always wanted to [see the sea|fly|have a friend|be brave|find a treasure"
    "|travel|learn to swim|be famous|know everything]|never [got up early|said no|told a lie|forgot a friend|sat still|left home]|could [whistle|run|sing|jump|cook] [very well|better than anybody|like nobody else]"
    "|had [many friends|no friends|a secret|a big dream|one great wish|a good heart|a lot of time|three brothers|a funny laugh|very good ears]]"
)
_QUALITY = "[kind|clever|brave|shy|curious|always cheerful|often alone|very strong|never in a hurry|quick and clever|a little lazy|full of ideas|good at many things|always busy|rather forgetful|not very tall|the youngest of all]"

# Plots whose hero is alone at first.
_ALONE = ("new_here", "made_one")


def inside(where: str) -> str:
    """The place with its preposition.

    >>> inside("a farm on a hill"), inside("a quiet lake"), inside("a village")
    ('on a farm on a hill', 'by a quiet lake', 'in a village')
    """
    head = where.split(" with ")[0].split(" near ")[0].split(" by ")[0].split(" that ")[0].split(" at ")[0]
    words = head.split(" in ")[0].split(" on ")[0]
    if any(words.endswith(noun) for noun in _ON) or words.startswith("the top"):
        return f"on {where}"
    return f"by {where}" if any(words.split(" behind")[0].endswith(noun) for noun in _BY) else f"in {where}"


def opening(s: Story, told: str = "past") -> None:
    """Who the story is about, and where; sometimes also what the hero likes."""
    hero = s.cast["h"]
    assert isinstance(hero, Entity)
    where = _home(s, hero) or inside(s.rng.choice(s.setting.where))
    s.cast["where"] = where
    fitting = [style for style in _styles(hero) if style is not _together or s.plot[0] not in _ALONE]
    style = s.rng.choice(fitting)
    s.plot.append(style.__name__)
    style(s, hero)
    s.dated = style in (_time_doing, _doing, _weather, _night, _wake, _i_simple, _i_doing, _i_time, _my_doing, _speech, _i_wake)
    if hero.name and hero.noun not in ("girl", "boy") and not hero.owner_word and hero.noun not in s.text:
        s.say("[{h:n} was {h:a}|{h:p} was {h:a}].")
    if s.chance(0.3):
        s.say(f"{{h}} {_HABITS.replace('|no friends', '') if 'f' in s.cast else _HABITS}.")
    elif s.chance(0.15):
        s.say(f"{{h}} was {_QUALITY}.")
    s.sight(0.15)


def _home(s: Story, hero: Entity) -> str:
    """The home of an animal or of a thing that is alive, sometimes."""
    known = ("sky", "harbour", "valley", "hall", "kitchen", "garden", "field", "forest", "mountains", "corner", "attic")
    if hero.role == "alive":
        return f"in {'the' if hero.home.split()[0] in known else 'a'} {hero.home}".replace("in a rock", "on a rock").replace(
            "in the corner", "in the corner"
        )
    strange = ("shell", "rocks", "deep", "place", "leaf", "bamboo", "river", "meadow", "water")
    return f"in a {hero.home}" if hero.role == "animal" and hero.home.split()[0] not in strange and s.chance(0.35) else ""


def _styles(hero: Entity) -> list:
    if hero.pronoun == "I":
        return [_i_simple, _i_simple, _i_doing, _i_doing, _weather, _i_time, _night, _i_wake, _together]
    if hero.owner_word == "my":
        return [_my, _my, _my_doing, _time_doing, _night, _together]
    common = [
        _together,
        _together,
        _once,
        _in_place,
        _lived,
        _time_doing,
        _time_doing,
        _doing,
        _weather,
        _knew,
        _speech,
        _night,
        _this_is,
        _every,
        _was,
        _wake,
    ]
    return [*common, _once, _lived, _named, _named] if hero.name else [*common, _once, _the, _the, _a_noun, _a_noun]


def _once(s: Story, hero: Entity) -> None:
    start = "[Once upon a time|Once upon a time|Once|Long ago|Long, long ago|Many years ago|A long time ago|Once upon a time|One day|Not so long ago|In the old days|Once, when the world was young|There was a time when|Far away]"
    if "There was a time" in start and s.chance(0.02):
        s.say("There was a time when {h:a} lived {where}.")
        return
    start = start.replace("|There was a time when", "")
    who = "{h:a} [called|named|called|whose name was] {h:n}" if hero.name else "{h:a}"
    s.say(
        s.rng.choice(
            [
                f"{start}[,|] there [was|lived] {who}.",
                f"{start}[,|] there was {who}, who lived {{where}}.",
                f"There was [once |]{who}[, who lived {{where}}|].",
                f"{start}, {{where}}, there lived {who}.",
                f"There once lived {who} {{where}}.",
                f"{start}[,|] {who} lived {{where}}.",
            ]
        )
    )


def _in_place(s: Story, hero: Entity) -> None:
    who = "{h:a} [called|named] {h:n}" if hero.name else "{h:a}"
    s.say(
        f"[{{where}} [there lived|lived|there was]|Far away, {{where}}, [lived|there lived]|Somewhere {{where}} lived|High up under the roof of the world, {{where}}, lived] {who}."
    )


def _lived(s: Story, hero: Entity) -> None:
    who = "{h:n}, {h:a}," if hero.name else "[The {h:j}|{h:a}]"
    s.say(f"{who} lived [{{where}}|{{where}}|all alone {{where}}|{{where}} with {{h:ps}} [family|mother|two brothers|old aunt|friends]].")


def _named(s: Story, hero: Entity) -> None:
    s.say(
        "[{h:n} was {h:a}[ who lived {where}|].|{h:n} the {h:b} lived {where}.|{h:n} lived {where}. {h:p} was {h:a}.|Everybody knew {h:n} the {h:b}.|{h:n} and {h:ps} [family|friends|brother|sister] lived {where}.]"
        if hero.kind != "person" or hero.noun not in ("girl", "boy")
        else "[{h:n} was {h:a}[ who lived {where}|].|{h:n} lived {where}.|{h:n} lived {where} with {h:ps} [mother and father|grandmother|family|three brothers|big sister|father].|{h:n} was [five|six|seven|eight|nine|ten] years old.]"
    )


def _time_doing(s: Story, hero: Entity) -> None:
    s.say(
        f"[{ONE_DAY}|yesterday|today|last night|last week][,|,|] {{h}} {_doing_of(hero)}."
        if hero.name or hero.owner_word
        else f"[{ONE_DAY}][,|] {{h:a}} {_doing_of(hero)}."
    )


def _doing_of(hero: Entity) -> str:
    key = (
        "I"
        if hero.pronoun == "I"
        else "child"
        if hero.noun in ("girl", "boy", "brother", "sister", "cousin")
        else "animal"
        if hero.kind == "animal"
        else ""
    )
    return _DOING[key]


def _doing(s: Story, hero: Entity) -> None:
    s.say(f"{{h}} {_doing_of(hero)}[ when something happened| one day| as usual|].")


def _the(s: Story, hero: Entity) -> None:
    s.say(
        f"The {{h:j}} [{_doing_of(hero)}|lived {{where}}|{_HABITS}|had lived {{where}} for [many years|a hundred years|a long time]|was {_QUALITY}|woke up [early|late]|came out of {{h:ps}} {hero.home or 'house'}]."
    )


def _a_noun(s: Story, hero: Entity) -> None:
    s.say(
        f"{{h:a}} [{_doing_of(hero)}|once lived {{where}}|lived {{where}}|came to {s.rng.choice(s.setting.places).noun}|had a [dream|problem|secret|wish]]."
    )


def _weather(s: Story, hero: Entity) -> None:
    who = "{h:n}" if hero.name or hero.pronoun == "I" else "{h:a}"
    s.say(
        f"{WEATHER}[, and| and|, so|. {ONE_DAY}] {who} {_doing_of(hero)}."
        if s.chance(0.0)
        else f"{WEATHER}[, and| and|, but] {who} {_doing_of(hero)}."
    )


def _knew(s: Story, hero: Entity) -> None:
    who = "{h:n} the {h:b}" if hero.name and hero.noun not in ("girl", "boy") else "{h:n}"
    s.say(
        f"[Do you know|Have you ever heard of|Have you met|Everybody knew|Nobody knew much about|You would have liked|Let me tell you about] {who}[?|.]".replace(
            "[?|.]", "#"
        )
    )
    text = s.sentences[-1].strip().rstrip("#")
    s.sentences[-1] = text + ("? " if text.startswith(("Do ", "Have ")) else ". ")
    s.say("{h:p} lived {where}.")


def _speech(s: Story, hero: Entity) -> None:
    s.speak(
        hero,
        "[What a [lovely|beautiful|strange|long|cold|boring] day!|I am [hungry|tired|bored|so happy|so cold]!|Where is everybody?|What was that?|Good morning!|Today I will do something [new|brave|good].|It is too [quiet|hot|early|loud] here.|I have an idea!"
        "|Is anybody there?|Nothing ever happens here.|I need some fresh air.|Oh no, not again!|This will be a good day.|Who ate my breakfast?|I wish I had somebody to talk to.]",
    )
    s.say("{h:p} [lived {where}|had just woken up|stood at the [door|window]|looked around|was {where}].")


def _night(s: Story, hero: Entity) -> None:
    who = "{h:n}" if hero.name or hero.owner_word or hero.pronoun == "I" else "[{h:a}|the {h:j}]"
    s.say(
        f"[In the middle of the night|At midnight|Late at night|Last night|Before the sun came up|At five in the morning|One night|On a dark night][,|] {who} [woke up|could not sleep|heard [a noise|a voice|somebody crying|music]|had a strange dream|looked at the moon|sat up in bed"
        "|got up [quietly|and looked out]]."
    )


def _this_is(s: Story, hero: Entity) -> None:
    who = "{h:a} [called|named] {h:n}" if hero.name else "{h:a}"
    s.say(
        f"[This is the story of|This story is about|I once knew|I know a story about|Here is a story about|Listen to the story of|My grandmother told me about|I will tell you about|I want to tell you about] {who}. {{h:p}} lived {{where}}."
    )


def _together(s: Story, hero: Entity) -> None:
    friend = s.companion()
    s.cast["f"], s.cast["both"] = friend, s.pair(hero, friend)
    s.plot.append(friend.label)
    if hero.pronoun == "I":
        both = "{f:n} and I" if friend.name or friend.owner_word else "{f:a} and I"
        s.say(
            f"{both} [were at home|were alone at home|did everything together|were sitting in the garden|had nothing to do|were on our way home|were out for a walk]."
        )
        return
    s.say(
        "{h:n} and {f:n} [lived {where}|lived together {where}|were friends|were good friends|were best friends|did everything together|met every day"
        "|often played together|were neighbours|had known each other for a long time|were sitting in the sun|were on their way home|were out for a walk"
        "|had nothing to do|were bored]."
    )


def _i_wake(s: Story, hero: Entity) -> None:
    s.say(
        "[When|As soon as] I [got up|opened my eyes|came home|looked out|came downstairs|sat up in bed|came into the kitchen], [it was still dark|the sun was already high|everything was quiet|it was snowing|the birds were singing"
        "|nobody was there|something was different|there was a strange smell in the air|I heard a noise|the bed beside me was empty]."
    )


def _every(s: Story, hero: Entity) -> None:
    s.say(
        "[Every [morning|day|evening|Sunday|summer|night]|On most days|On Sundays] {h} [went for a walk|sat by the window|swept the floor|counted the clouds|visited {h:ps} [friends|grandmother]|sang a song|looked at the sky|took the same path|got up before the sun]."
    )


def _was(s: Story, hero: Entity) -> None:
    s.say(f"{{h:n}} was {_QUALITY}[ and| and|, and] {_HABITS}." if s.chance(0.5) else f"{{h:n}} {_HABITS}.")


def _wake(s: Story, hero: Entity) -> None:
    s.say(
        "[When|As soon as] {h:n} [woke up|got up|opened {h:ps} eyes|came home|looked out], [it was still dark|the sun was already high|everything was quiet|it was snowing|the birds were singing|it was raining|something was different|there was a strange smell in the air]."
    )


def _i_simple(s: Story, hero: Entity) -> None:
    s.say(
        "[Yesterday|Today|Last week|Last summer|On Monday|On my birthday|On Saturday|This morning|Last night|One day|When I was little,|Last winter|On Sunday] I [was at home|went for a walk|got up early|had nothing to do|went outside|stayed at home|was very busy|was alone|had a free day"
        "|was {where}|met my friends|came home late|woke up early|wanted to do something new|had a strange day]."
        + "[| I live {where}.| I was alone.| It was a school day.| We had no school.]"
    )


def _i_doing(s: Story, hero: Entity) -> None:
    s.say(
        f"[{ONE_DAY}|yesterday|last week|today][,|] I {_DOING['I']}."
        if s.chance(0.6)
        else f"I {_DOING['I']}[ when it happened| when the telephone rang| as always| yesterday]."
    )


def _i_time(s: Story, hero: Entity) -> None:
    s.say(
        "[I will never forget that day.|It was a day like any other.|I must tell you what happened to me.|You will not believe what happened.|It began quite normally.|It was my first day of the holidays.|I had a bad feeling that morning.|I had not slept well.|I remember it well.|It all began on a Tuesday.]"
    )


def _my(s: Story, hero: Entity) -> None:
    pet = hero.kind == "animal"
    name = " {h:n}" if hero.name else ""
    first = (
        f"[My {hero.noun}{',' + name + ',' if hero.name else ''} {_HABITS}|My {hero.noun} is called {{h:n}}|I have a {hero.noun} called {{h:n}}|My {hero.noun}'s name is {{h:n}}]"
        if hero.name
        else f"[My {hero.noun} {_HABITS}|I love my {hero.noun}|My {hero.noun} lives {{where}}|My {hero.noun} was {_QUALITY}]"
    )
    more = (
        "[ {h:p} is [two|three|four|five] years old.| {h:p} sleeps [in my room|in the kitchen|all day].|]"
        if pet
        else "[ {h:p} is very kind.| {h:p} can be funny.|]"
    )
    s.say(f"{first}.{more}")
    s.refer._mention(hero)


def _my_doing(s: Story, hero: Entity) -> None:
    s.say(f"[{ONE_DAY}|yesterday|last week|last night][,|] my {hero.noun} {_DOING['animal' if hero.kind == 'animal' else '']}.")
    s.refer._mention(hero)
