"""The small world that the lessons speak of: names, places, things, food, colours."""

from __future__ import annotations

GIRLS = """Anna Mia Lily Emma Sara Nora Ella Zoe Lucy Clara Maya Ruby Alice Rosa Ivy Hanna Lena Amy Julia Tina Eva Leila Nina Olga Grace
Molly Sofia Daisy Emily Marta Yuki Aisha Priya Fatima Ines Freya Carla Bella Wanda Petra Sunita Elif Kim Holly Rita Jana Lotta Mei
Amina Stella Flora Paula Heidi Greta Sue Dora""".split()
BOYS = """Tom Ben Max Leo Sam Jack Tim Paul Noah Oscar Felix Adam Peter Luca David Finn Omar Theo Hugo Jonas Karl Emil Otto Ravi Ali
Daniel Nico Simon Henry George Charlie Oliver Arthur Marco Pablo Ivan Kofi Hassan Kenji Rafael Toby Will Erik Milo Bruno Samir Diego Lars
Martin Fred Alex Billy Joe Pedro Ned Rohan""".split()
PETS = """Buddy Max Coco Luna Bella Rex Spot Fluffy Biscuit Pepper Snowy Ginger Daisy Whiskers Sunny Teddy Bruno Milo Nibbles Pip
Patch Toffee Cookie Shadow Honey Dot Rusty Bubbles Hazel Peanut Waffles Mango""".split()

COLOURS = ["red", "blue", "green", "yellow", "orange", "purple", "pink", "brown", "black", "white", "grey", "golden", "silver"]
PLAIN_COLOURS = COLOURS[:11]

CREATURES = """dog cat fox rabbit bear mouse bird duck frog hedgehog squirrel owl turtle lamb pig pony donkey goat elephant lion monkey
penguin dragon robot kitten puppy deer beaver snail bee goose sheep tiger whale seal crab""".split()

PLACES = """the park|the forest|the garden|the beach|the market|the library|the school|the kitchen|the old barn|the farm|the lake|the river
the playground|the museum|the zoo|the castle|the harbour|the station|the village square|the meadow|the hill behind the house|the bakery
the bridge|the toy shop|the mountain hut|the lighthouse|the mill|the orchard|the swimming pool|the train|the attic|the town hall
the pond|the cave|the field|the backyard|the bookshop|the theatre|the bus stop|the big tree|the wood|the island""".replace("\n", "|").split(
    "|"
)

THINGS = """ball key hat stone book kite boat scarf umbrella button cup box lamp drum whistle basket blanket bottle bag shoe pencil ribbon
clock ring coat toy spoon pot bell shell feather coin marble glove bucket balloon chair letter map mirror candle necklace doll
violin bicycle wagon jar pillow notebook torch rope flag mug ladder comb brush crown""".split()

WHERES = """under the bed|behind the door|on the table|in the drawer|under the chair|on the shelf|in the kitchen|next to the window|behind the sofa
in the garden|under the tree|in the cupboard|on the roof|beside the stove|in the basket|under the stairs|in the shed|behind the clock|on the piano
inside the boot|under the pillow|in the bathroom|near the gate|on the windowsill|in the car|under the rug|behind the curtain|in the blue box
under the red pot|in the old chest|on the bench|under the bridge|in the green bag|behind the mirror|in the brown jar|under the white cup
on the yellow chair|in the black hat|next to the lamp|beside the fireplace|on top of the wardrobe|under the grey stone""".replace(
    "\n", "|"
).split("|")

FOODS = """bread cheese soup pizza rice pasta cake pie apples bananas pears plums carrots potatoes tomatoes noodles pancakes honey jam
porridge salad beans eggs fish grapes strawberries cherries cookies chocolate popcorn waffles yoghurt mushrooms peas corn oranges lemons
onions cucumbers peaches nuts""".split()
DRINKS = "water|milk|tea|apple juice|orange juice|lemonade|hot chocolate|coffee|cherry juice|warm milk|mint tea|plum juice".split("|")
FAMILY = ["mother", "father", "grandmother", "grandfather", "aunt", "uncle", "big sister", "big brother", "teacher", "neighbour"]
JOBS = """baker teacher doctor farmer painter singer pilot nurse cook gardener fisherman sailor clown astronaut scientist builder
librarian firefighter dancer writer""".split()
GAMES = ["football", "hide and seek", "chess", "cards", "tag", "tennis", "catch", "basketball", "dominoes", "marbles"]
HOBBIES = """reading|swimming|painting|singing|dancing|cooking|baking|cycling|drawing|gardening|fishing|hiking|sewing|running
climbing|skating|playing the piano|playing the guitar|playing football|collecting stamps|looking at the stars|building models
telling stories|taking photos""".replace("\n", "|").split("|")
WEATHER = """sunny rainy cloudy windy snowy stormy foggy warm cold cool wet dry hot mild icy frosty""".split()
DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
SEASONS = ["spring", "summer", "autumn", "winter"]
MONTHS = """January February March April May June July August September October November December""".split()
NUMBERS = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty""".split()
