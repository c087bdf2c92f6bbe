"""Who and what there is in the small world: names, people, animals, things, places, foods, feelings. Plain data."""

from __future__ import annotations

GIRLS = """Mia Lily Anna Sara Lucy Nina Rosa Clara Grace Ella Zoe Maya Ruby Alice Emma Ada Ida Leila Amina Nora Kate Molly Poppy Daisy Sophie Hannah
Elsa Greta Maria Lena Olga Yuki Mei Priya Anika Fatima Aisha Zara Noor Imani Wanjiru Abena Carmen Lucia Ines Eva Julia Laura Polly Tilly Hazel Ivy Flora
Stella Martha Ruth Wendy Penny Betty Dora Gina Tara Uma Vera Pia Rita Sally Heidi Jenny Kim Lola Nadia""".split()
BOYS = """Tom Ben Sam Max Jack Leo Tim Oscar Peter Will Finn Noah Adam Paul Jonas Emil Hugo Felix Theo Luke Daniel David Simon Robin Martin Oliver Henry
Ali Omar Hassan Kofi Juma Raj Arun Vikram Kenji Ivan Boris Diego Pablo Carlos Mateo Luca Marco Anton Otto Karl Fred George Harry Jim Joe Kevin Mark Nick
Eddie Frank Toby Billy Charlie Dan Jacob Liam Milo Ned Olaf Pip Ravi Stefan Ted Victor Walter Yusuf""".split()
PETS = """Spot Rex Bello Fluffy Whiskers Patch Rusty Pepper Ginger Socks Biscuit Button Coco Bruno Lucky Misty Pip Nibbles Oscar Daisy Momo Tiger Snowy Shadow
Toffee Waffle Ziggy Hops Bubbles Dot Pebble Acorn Thistle Bramble Clover Moss Sunny Rosie Basil Fig Nutmeg Plum Tuppy Wilbur Zigzag Dusty Lulu Max""".split()

# noun: home ("in" phrase): setting: skills
ANIMALS = """fox:den:forest:run dig clever|bear:cave:forest:strong climb big|rabbit:burrow:field:run dig small|hare:nest in the grass:field:run|squirrel:tree:forest:climb small
owl:hollow tree:forest:fly clever|hedgehog:nest of leaves:forest:small|badger:sett under the hill:forest:dig strong|wolf:den:forest:run strong|deer:clearing:forest:run
mouse:hole in the wall:house:small dig|cat:basket:house:climb|dog:kennel:farm:run dig swim|puppy:basket:house:dig small|kitten:basket:house:climb small|hamster:cage:house:small dig
cow:barn:farm:strong big|horse:stable:farm:run strong big|pony:stable:farm:run strong|donkey:stable:farm:strong|pig:sty:farm:dig|goat:shed:farm:climb|sheep:barn:farm:|lamb:barn:farm:small
hen:hen house:farm:fly|rooster:hen house:farm:fly|duck:nest by the pond:lake:swim fly|duckling:nest by the pond:lake:swim small|goose:shed:farm:swim fly|swan:nest on the lake:lake:swim fly
frog:pond:lake:swim jump small|toad:hole under a stone:lake:jump small|turtle:shell:lake:swim slow clever|beaver:lodge:lake:swim strong|otter:den by the river:lake:swim|heron:nest by the river:lake:fly
fish:pond:lake:swim|crab:hole in the sand:sea:swim small|dolphin:bay:sea:swim clever big|whale:deep sea:sea:swim strong big|seal:rocks:sea:swim|seagull:nest on the cliff:sea:fly|octopus:cave under the sea:sea:swim clever
penguin:nest of stones:snow:swim|polar bear:cave in the ice:snow:strong swim big|reindeer:stable:snow:run strong|snow fox:den in the snow:snow:run
lion:cave:savanna:strong run big|elephant:place by the water hole:savanna:strong big|giraffe:clearing:savanna:big tall|monkey:tree:jungle:climb|parrot:nest in a palm tree:jungle:fly clever|tiger:cave:jungle:strong run
zebra:meadow:savanna:run|hippo:river:savanna:swim strong big|crocodile:river:jungle:swim strong|snake:hole:jungle:climb|camel:tent:desert:strong|lizard:crack in the rock:desert:small run|ostrich:nest in the sand:savanna:run big
bird:nest:forest:fly small|sparrow:nest under the roof:village:fly small|robin:nest in the hedge:village:fly small|crow:tall tree:field:fly clever|magpie:nest in the poplar:village:fly clever|pigeon:tower:town:fly
bee:hive:field:fly small|butterfly:flower garden:field:fly small|ladybird:leaf:field:fly small|ant:anthill:forest:strong small|spider:web:house:climb small|snail:shell:field:small slow|caterpillar:leaf:field:small slow
worm:hole in the ground:field:dig small|mole:tunnel:field:dig small|bat:cave:mountain:fly|eagle:nest on the cliff:mountain:fly strong|beetle:crack in the bark:forest:small strong|panda:bamboo forest:jungle:climb big
koala:tree:jungle:climb|kangaroo:bush:savanna:jump strong|raccoon:hollow tree:forest:climb|llama:hut:mountain:strong|chick:hen house:farm:small|guinea pig:cage:house:small|moose:clearing:snow:strong big""".replace(
    "\n", "|"
).split("|")
# noun: pronouns: home: setting: skills. Grown-ups by their work, and people of tales.
PEOPLE = """baker:he she:small house:village:cook|farmer:he she:farmhouse:farm:strong|fisherman:he:hut by the sea:sea:swim|fisherwoman:she:hut by the sea:sea:swim|gardener:he she:cottage:village:dig|tailor:he she:little shop:town:mend
shoemaker:he she:little shop:town:mend|carpenter:he she:workshop:village:mend strong|painter:he she:room under the roof:town:|teacher:he she:flat:town:clever|doctor:he she:white house:town:clever|postman:he:small house:village:run
miller:he:mill:village:strong|blacksmith:he:forge:village:strong mend|shepherd:he she:hut:mountain:|sailor:he she:ship:sea:swim strong|captain:he she:ship:sea:|clockmaker:he she:shop full of clocks:town:mend clever
cook:he she:kitchen:castle:cook|librarian:he she:library:town:clever|bus driver:he she:flat:town:|firefighter:he she:flat:town:strong climb|singer:he she:big house:town:|woodcutter:he:hut:forest:strong
beekeeper:he she:cottage:farm:|inventor:he she:workshop:town:mend clever|scientist:he she:tall house:town:clever|astronaut:he she:little flat:town:clever|clown:he she:caravan:town:|juggler:he she:caravan:town:
grandmother:she:cottage:village:cook|grandfather:he:cottage:village:mend|old man:he:hut:village:|old woman:she:hut:village:cook|neighbour:he she:house next door:village:|nurse:he she:flat:town:|musician:he she:attic:town:
king:he:castle:castle:|queen:she:castle:castle:|prince:he:castle:castle:|princess:she:castle:castle:|knight:he she:castle:castle:strong|wizard:he:tower:mountain:magic clever|witch:she:hut:forest:magic clever|fairy:she:flower:field:magic fly small
giant:he she:cave:mountain:strong big tall|dwarf:he:cave:mountain:dig strong small|troll:he:cave under the bridge:mountain:strong|pirate:he she:ship:sea:swim|elf:he she:tree house:forest:small clever|mermaid:she:palace under the sea:sea:swim
dragon:he she:cave:mountain:fly strong big|ghost:he she:attic:castle:fly|robot:he it:workshop:town:strong clever|snowman:he:garden:snow:|monster:he she:cave:mountain:strong big|unicorn:she he:meadow:field:run
explorer:he she:tent:mountain:climb|detective:he she:office:town:clever|magician:he she:caravan:town:magic|cowboy:he:ranch:savanna:run|goblin:he:hole under a root:forest:small|emperor:he:palace:castle:|young tailor:he she:little shop:town:mend""".replace(
    "\n", "|"
).split("|")
# Things that are alive in some stories.
ALIVE = """teddy bear:toy box:house|doll:toy box:house|little train:shed:town|red tractor:barn:farm|old car:garage:town|little boat:harbour:sea|star:sky:mountain|cloud:sky:mountain|little tree:forest:forest|snowflake:sky:snow
clock:hall:house|teapot:kitchen:house|wooden soldier:toy box:house|toy car:toy box:house|kite:cupboard:village|lamp:corner of the room:house|puppet:trunk:town|pumpkin:field:farm|sunflower:garden:village|balloon:shop:town|broom:cupboard:house
little bus:garage:town|lighthouse:rock:sea|scarecrow:field:farm|rocking horse:attic:house|pencil:box:house|umbrella:corner:house|river:valley:mountain|moon:sky:mountain|wind:mountains:mountain|little plane:hangar:town|cookie:jar:house|pancake:kitchen:house|gingerbread man:bakery:village
apple:basket:farm|lemon:bowl:house|book:library:town|hat:cupboard:house|candle:church:village|key:drawer:house|shoe:cupboard:house|robot:workshop:town|computer:school:town""".replace(
    "\n", "|"
).split("|")

CHILD_TRAITS = (
    "little small young clever brave shy kind curious quiet cheerful lively thoughtful careful friendly dreamy busy stubborn merry".split()
)
ANIMAL_TRAITS = "little small young old clever brave shy kind curious lazy cheerful hungry friendly proud sleepy fat thin grey brown white wild gentle".split()
GROWN_TRAITS = (
    "old young kind clever poor rich tall short friendly cheerful lonely proud grumpy busy famous wise lazy careful forgetful".split()
)
COLOURS = "red blue green yellow white black brown orange purple pink grey golden silver".split()

# Small things that can be owned, carried, lost and found; "~" those that can have any colour.
_THINGS = """toy: ~ball, ~kite, ~doll, ~teddy bear, ~toy car, ~toy boat, ~toy train, ~balloon, ~skipping rope, ~drum, ~top, ~yo-yo, ~marble, ~paper plane, ~puppet, ~hoop, ~rubber duck, toy dinosaur, wooden horse, ~toy rabbit, puzzle, ~bicycle bell, ~football
wear: ~hat, ~cap, ~scarf, ~coat, ~jacket, ~glove, ~mitten, ~shoe, ~boot, ~sock, ~slipper, ~ribbon, ~jumper, ~belt, ~apron, ~cloak, ~bow tie, ~raincoat, ~woolly hat, straw hat, ~handkerchief, ~necklace
tool: hammer, ladder, rope, lamp, lantern, torch, shovel, ~bucket, basket, ~umbrella, key, map, compass, net, ~bag, ~blanket, ~broom, saw, spoon, whistle, needle, ~pencil, ~brush, candle, ~sack, magnifying glass, fishing rod, watering can, wheelbarrow, ~backpack
treasure: ring, crown, coin, pearl, diamond, golden egg, silver spoon, crystal, shell, feather, music box, golden key, locket, medal, bell, jewel, silver cup, magic stone, ~gem, old coin, star-shaped stone, bracelet, brooch
household: ~cup, ~plate, ~bowl, ~vase, ~jug, teapot, clock, mirror, ~pillow, picture, book, ~notebook, letter, ~box, flute, violin, trumpet, guitar, radio, telescope, jar, ~lunch box, ~photo album, sewing machine, alarm clock, ~flower pot, ~bottle
nature: stone, shell, feather, acorn, pine cone, leaf, nut, flower, stick, mushroom, seed, chestnut, rose, daisy, sunflower, four-leaf clover, pebble, twig, piece of wood
treat: cake, pie, apple, pear, plum, biscuit, bun, pancake, sandwich, carrot, banana, peach, loaf of bread, piece of cheese, jar of honey, bowl of soup, bar of chocolate, strawberry tart, bag of nuts, slice of melon, muffin, orange, cookie, pot of porridge, bowl of rice, ice cream, piece of bread, bag of cherries"""
THINGS = {kind: names.split(", ") for kind, names in (row.split(": ") for row in _THINGS.split("\n"))}
